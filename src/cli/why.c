/*
 * why: what changed since the last build, a line a workunit. Before a build it compares the files
 * as they are now with what was generated last; when nothing is left to build it says what the last
 * build that changed anything found.
 */
#include "cli/cli.h"
#include "cli/tree.h"
#include "launch/launch.h"
#include "store/store.h"

struct line {
    struct str target;
    struct str workunit;
    struct str cause;
    bool built;
};

/* "beta", "kernels.beta" and, of a class, "Lattice.step" all name it. */
static bool is_asked(struct str asked, struct str name)
{
    if (asked.len == 0) {
        return true;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '/') {
            name = str_slice(name, 0, i);
            break;
        }
    }
    if (str_equal(asked, name)) {
        return true;
    }
    return name.len > asked.len && name.ptr[name.len - asked.len - 1] == '.' &&
           str_equal(asked, str_slice(name, name.len - asked.len, name.len));
}

static void add(struct vec *lines, struct str target, struct str workunit, struct str cause,
                bool built)
{
    struct line *l = ARENA_NEW(lines->arena, struct line);
    *l = (struct line){target, workunit, cause, built};
    vec_push(lines, l);
}

/* What the last changed generation wrote down. */
static void add_last(struct arena *a, const struct cli_target *t, struct str asked,
                     struct vec *lines)
{
    struct state last;
    struct str line;
    state_read(a, t, &last);
    while (cli_next_line(&last.changes, &line)) {
        size_t colon = 0;
        while (colon + 1 < line.len && !(line.ptr[colon] == ':' && line.ptr[colon + 1] == ' ')) {
            colon++;
        }
        struct str name = str_slice(line, 0, colon);
        if (is_asked(asked, name)) {
            add(lines, t->request.target, name, str_slice(line, colon + 2, line.len), true);
        }
    }
}

/* Returns the number of workunits that the target has under the asked name; *pending: changes that
 * no build has seen yet. */
static size_t compare(struct arena *a, const struct cli_target *t, struct str asked,
                      struct vec *lines, struct diags *diags, bool *pending)
{
    struct gen_result result = {0};
    struct state old;
    struct state now;
    size_t count;
    bool good = gen_analyse(a, &t->request, diags, &result);
    state_read(a, t, &old);
    state_of(a, &result, &old, &now);
    const struct state_change *changes = state_compare(a, &old, &now, &result, &count);
    for (size_t i = 0; i < count; i++) {
        const struct state_entry *either =
            changes[i].after != NULL ? changes[i].after : changes[i].before;
        /* A refused workunit is not gone; what is wrong with it is printed as a diagnostic. */
        if (!good && changes[i].after == NULL) {
            continue;
        }
        *pending = true;
        if (is_asked(asked, either->name)) {
            add(lines, t->request.target, either->name, changes[i].cause, false);
        }
    }
    size_t known = 0;
    for (size_t i = 0; i < now.by_name.count; i++) {
        known += is_asked(asked, now.by_name.entries[i].key);
    }
    for (size_t i = 0; i < old.by_name.count; i++) {
        known += is_asked(asked, old.by_name.entries[i].key);
    }
    return known;
}

static struct str as_json(struct arena *a, const struct vec *lines)
{
    struct buf b;
    buf_init(&b, a);
    buf_add_char(&b, '[');
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *l = lines->items[i];
        buf_add_c(&b, i > 0 ? ",\n  {\"target\": " : "\n  {\"target\": ");
        json_string(&b, l->target);
        buf_add_c(&b, ", \"workunit\": ");
        json_string(&b, l->workunit);
        buf_add_c(&b, ", \"cause\": ");
        json_string(&b, l->cause);
        buf_printf(&b, ", \"built\": %s}", l->built ? "true" : "false");
    }
    buf_add_c(&b, lines->count > 0 ? "\n]\n" : "]\n");
    return buf_str(&b);
}

static struct str as_text(struct arena *a, const struct vec *lines)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *l = lines->items[i];
        buf_printf(&b, STR_FMT ": " STR_FMT "%s\n", STR_ARG(l->workunit), STR_ARG(l->cause),
                   l->built ? "" : " (not built yet)");
    }
    return buf_str(&b);
}

static int why(struct arena *a, struct str folder, struct str asked, bool json)
{
    struct vec targets;
    struct vec lines;
    struct diags diags;
    struct str root;
    struct error e;
    vec_init(&targets, a);
    vec_init(&lines, a);
    diags_init(&diags, a);
    if (!tree_targets(a, folder, &root, &targets, &e)) {
        return cli_fail("%s", e.text);
    }
    bool pending = false;
    size_t known = 0;
    for (size_t i = 0; i < targets.count; i++) {
        known += compare(a, targets.items[i], asked, &lines, &diags, &pending);
    }
    if (diags.error_count > 0) {
        struct buf text;
        buf_init(&text, a);
        diags_sort(&diags);
        diags_format(&text, &diags, false);
        cli_say(buf_str(&text));
    } else if (known == 0 && asked.len > 0) {
        return cli_fail("no workunit '" STR_FMT "' in " STR_FMT, STR_ARG(asked), STR_ARG(root));
    }
    for (size_t i = 0; i < targets.count && !pending; i++) {
        add_last(a, targets.items[i], asked, &lines);
    }
    if (lines.count == 0 && asked.len > 0 && diags.error_count == 0 && !json) {
        return cli_print(str_format(a, STR_FMT ": unchanged\n", STR_ARG(asked)));
    }
    int code = cli_print(json ? as_json(a, &lines) : as_text(a, &lines));
    return diags.error_count > 0 ? CLI_FAILED : code;
}

int cmd_why(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct vec operands;
    struct str folder = {0};
    bool json = false;
    vec_init(&operands, a);
    const struct cli_option options[] = {
        {"C", "DIR", "the build folder (default: the current one, or one above)", NULL, &folder,
         NULL},
        {"json", NULL, "print a JSON array", &json, NULL, NULL},
    };
    const struct cli_command command = {
        "why", "[WORKUNIT]",
        "Says which workunits changed since the last build, and what changed in each: its body, a\n"
        "function or constant that it uses, its signature. After a build: what that build found.",
        options, sizeof(options) / sizeof(options[0])};
    int code = CLI_OK;
    if (cli_parse(&command, argc, argv, &operands, &code)) {
        if (operands.count > 1) {
            code = cli_usage_error(&command, "only one workunit can be asked for");
        } else {
            struct str asked = operands.count == 1 ? *(struct str *)operands.items[0] : STR("");
            code = why(a, folder, asked, json);
        }
    }
    arena_free(a);
    return code;
}
