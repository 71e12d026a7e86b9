/*
 * why: what changed since the last build, a line a workunit. Before a build it compares the files
 * as they are now with what was generated last; when nothing is left to build it says what the last
 * build that changed or compiled anything did, and why: the generator's changes are in the build
 * tree, the launcher's compiles in the store's manifest.
 */
#define _GNU_SOURCE
#include "cli/cli.h"
#include "cli/diff.h"
#include "cli/tree.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* So many compiles of one build are looked at. */
#define MOST_COMPILES 100000
#define SAME_SECONDS 2

struct line {
    struct str target;
    struct str workunit;
    struct str cause;
    bool built;
    bool is_restored;
    int64_t compile_ms; /* -1: it was not compiled, or nobody knows */
    struct str before;  /* canonical forms, where both are known */
    struct str after;
};

struct question {
    struct arena *arena;
    struct str root;
    struct vec targets; /* struct cli_target * */
    struct vec present; /* for each: NULL, or the struct state of its files where the one of its
                         * last generation cannot be read */
    struct str asked;
    struct vec lines; /* struct line * */
    struct map by_name;
    struct store *store; /* NULL: none */
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

static struct line *add(struct question *q, struct str target, struct str workunit,
                        struct str cause)
{
    struct line *l = ARENA_NEW(q->arena, struct line);
    *l = (struct line){.target = target, .workunit = workunit, .cause = cause, .compile_ms = -1};
    vec_push(&q->lines, l);
    map_set(&q->by_name, workunit, l);
    return l;
}

/* ---- before a build ------------------------------------------------------------------------- */

static struct state *copy_state(struct arena *a, const struct state *s)
{
    struct state *copy = ARENA_NEW(a, struct state);
    *copy = *s;
    return copy;
}

/* Returns the number of workunits that the target has under the asked name; *pending: changes that
 * no build has seen yet. */
static size_t compare(struct question *q, const struct cli_target *t, struct diags *diags,
                      bool *pending)
{
    struct arena *a = q->arena;
    struct gen_result result = {0};
    struct state old;
    struct state now;
    size_t count;
    bool good = gen_analyse(a, &t->request, diags, &result);
    state_read(a, t, &old);
    state_of(a, &result, &old, &now);
    const struct state_change *changes = state_compare(a, &old, &now, &result, &count);
    if (old.is_unreadable) {
        state_say_unreadable(a, t);
        vec_push(&q->present, copy_state(a, &now));
        count = 0; /* what the store remembers of compiles is told then, and nothing else */
    } else {
        vec_push(&q->present, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        const struct state_entry *before = changes[i].before;
        const struct state_entry *after = changes[i].after;
        const struct state_entry *either = after != NULL ? after : before;
        /* A refused workunit is not gone; what is wrong with it is printed as a diagnostic. */
        if (!good && after == NULL) {
            continue;
        }
        *pending = true;
        if (is_asked(q->asked, either->name)) {
            struct line *l = add(q, t->request.target, either->name, changes[i].cause);
            if (before != NULL && after != NULL) {
                l->before = before->canonical;
                l->after = after->canonical;
            }
        }
    }
    size_t known = 0;
    for (size_t i = 0; i < now.by_name.count; i++) {
        known += is_asked(q->asked, now.by_name.entries[i].key);
    }
    for (size_t i = 0; i < old.by_name.count; i++) {
        known += is_asked(q->asked, old.by_name.entries[i].key);
    }
    return known;
}

/* ---- after one ------------------------------------------------------------------------------ */

/* What the last build's generator wrote down. */
static void add_changes(struct question *q, const struct cli_target *t, const struct state *last)
{
    struct str rest = last->changes;
    struct str line;
    while (cli_next_line(&rest, &line)) {
        size_t colon = 0;
        while (colon + 1 < line.len && !(line.ptr[colon] == ':' && line.ptr[colon + 1] == ' ')) {
            colon++;
        }
        const struct str name = str_slice(line, 0, colon);
        const struct str cause = str_slice(line, colon + 2, line.len);
        const struct state_entry *entry = map_get(&last->by_name, name);
        struct line *l = add(q, t->request.target, name, cause);
        l->built = true;
        l->is_restored = q->store != NULL && entry != NULL; /* until a compile of it is found */
        if (entry != NULL && entry->was.len > 0) {
            l->before = entry->was;
            l->after = entry->canonical;
        }
    }
}

/* The target that a workunit is of, and the name it has there; empty: of none here. */
static struct str name_of(const struct question *q, const struct state *states,
                          const struct store_compile *c, struct str *target)
{
    struct arena *a = q->arena;
    const struct str plain =
        str_format(a, STR_FMT "." STR_FMT, STR_ARG(c->module), STR_ARG(c->workunit));
    const struct str full = str_format(a, STR_FMT "/" STR_FMT, STR_ARG(plain), STR_ARG(c->types));
    for (size_t i = 0; i < q->targets.count; i++) {
        const struct cli_target *t = q->targets.items[i];
        /* The TU of a target lies in its folder, or in that of its objects. */
        const struct str folder = str_format(a, "/" STR_FMT "/", STR_ARG(t->request.target));
        const struct str objects = str_format(a, "/" STR_FMT ".dir/", STR_ARG(t->request.target));
        if (memmem(c->source.ptr, c->source.len, folder.ptr, folder.len) == NULL &&
            memmem(c->source.ptr, c->source.len, objects.ptr, objects.len) == NULL) {
            continue;
        }
        *target = t->request.target;
        for (size_t k = 0; k < states[i].by_name.count; k++) {
            const struct str name = states[i].by_name.entries[k].key;
            if (str_equal(name, full)) {
                return name;
            }
        }
        if (map_has(&states[i].by_name, plain)) {
            return plain;
        }
    }
    return STR("");
}

/* Compiles say more than changes: what of them was restored, and causes that are not Python's. */
static void add_compiles(struct question *q, const struct state *states,
                         const struct store_compile *compiles, size_t count, struct str build)
{
    for (size_t i = 0; i < count && str_equal(compiles[i].build, build); i++) {
        const struct store_compile *c = &compiles[i];
        struct str target = STR("");
        struct str name = c->workunit.len > 0 ? name_of(q, states, c, &target) : STR("");
        if (c->workunit.len == 0) {
            /* Dispatch and the like: of interest where they are not made for the first time. */
            if (str_equal_c(c->cause, "first build")) {
                continue;
            }
            name = path_basename(c->source);
        } else if (name.len == 0) {
            continue; /* gone since */
        }
        struct line *l = map_get(&q->by_name, name);
        if (l == NULL) {
            l = add(q, target, name, c->text);
        } else if (l->compile_ms >= 0) {
            continue; /* newest first */
        }
        l->cause = c->text;
        l->built = true;
        l->is_restored = false;
        l->compile_ms = c->compile_ms;
    }
}

/* Is the first the later one? Times are in seconds; within a few, what tells is which build tool
 * was started later, the second number of a build's name. */
static bool is_later(int64_t one_time, struct str one, int64_t two_time, struct str two)
{
    const int64_t apart = one_time - two_time;
    const char *one_start = one.len > 0 ? memchr(one.ptr, '-', one.len) : NULL;
    const char *two_start = two.len > 0 ? memchr(two.ptr, '-', two.len) : NULL;
    if (apart < -SAME_SECONDS || apart > SAME_SECONDS || one_start == NULL || two_start == NULL) {
        return apart > 0;
    }
    return strtoll(one_start + 1, NULL, 10) > strtoll(two_start + 1, NULL, 10);
}

/* The last build: the latest of what the targets' generators and the launcher remember. */
static void add_last(struct question *q)
{
    struct arena *a = q->arena;
    struct state *states = ARENA_ARRAY(a, struct state, q->targets.count);
    struct store_compile *compiles = NULL;
    size_t count = 0;
    struct error e;
    if (q->store != NULL) {
        (void)store_compiles(q->store, a, q->root, MOST_COMPILES, &compiles, &count, &e);
    }
    struct str build = count > 0 ? compiles[0].build : STR("");
    int64_t time = count > 0 ? compiles[0].time : -1;
    for (size_t i = 0; i < q->targets.count; i++) {
        state_read(a, q->targets.items[i], &states[i]);
        if (q->present.items[i] != NULL) {
            states[i] = *(const struct state *)q->present.items[i]; /* for its names */
        }
        if (states[i].changes.len > 0 && is_later(states[i].time, states[i].build, time, build)) {
            build = states[i].build;
            time = states[i].time;
        }
    }
    for (size_t i = 0; i < q->targets.count; i++) {
        if (str_equal(states[i].build, build)) {
            add_changes(q, q->targets.items[i], &states[i]);
        }
    }
    add_compiles(q, states, compiles, count, build);
    size_t kept = 0;
    for (size_t i = 0; i < q->lines.count; i++) {
        struct line *l = q->lines.items[i];
        if (is_asked(q->asked, l->workunit)) {
            q->lines.items[kept++] = l;
        }
    }
    q->lines.count = kept;
}

/* ---- printing ------------------------------------------------------------------------------- */

static void diff_of(struct arena *a, const struct line *l, struct vec *out)
{
    vec_init(out, a);
    cli_diff(a, l->before, l->after, out);
}

static struct str as_json(struct arena *a, const struct vec *lines, bool diff)
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
        buf_printf(&b, ", \"built\": %s, \"restored\": %s, \"compile_ms\": ",
                   l->built ? "true" : "false", l->is_restored ? "true" : "false");
        buf_add(&b,
                l->compile_ms >= 0 ? str_format(a, "%lld", (long long)l->compile_ms) : STR("null"));
        if (diff) {
            struct vec difference;
            diff_of(a, l, &difference);
            buf_add_c(&b, ", \"diff\": [");
            for (size_t k = 0; k < difference.count; k++) {
                buf_add_c(&b, k > 0 ? ", " : "");
                json_string(&b, *(const struct str *)difference.items[k]);
            }
            buf_add_char(&b, ']');
        }
        buf_add_char(&b, '}');
    }
    buf_add_c(&b, lines->count > 0 ? "\n]\n" : "]\n");
    return buf_str(&b);
}

static struct str as_text(struct arena *a, const struct vec *lines, bool diff)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *l = lines->items[i];
        buf_printf(&b, STR_FMT ": " STR_FMT "%s\n", STR_ARG(l->workunit), STR_ARG(l->cause),
                   !l->built        ? " (not built yet)"
                   : l->is_restored ? " (from the store)"
                                    : "");
        if (!diff) {
            continue;
        }
        struct vec difference;
        diff_of(a, l, &difference);
        for (size_t k = 0; k < difference.count; k++) {
            buf_printf(&b, "    " STR_FMT "\n", STR_ARG(*(const struct str *)difference.items[k]));
        }
    }
    return buf_str(&b);
}

/* The store that the targets were built with. */
static struct store *store_of(struct arena *a, const struct vec *targets)
{
    struct error e;
    const struct cli_target *t = targets->items[0];
    return store_open(a, t->store.len > 0 ? t->store.ptr : NULL, &e);
}

static int why(struct arena *a, struct str folder, struct str asked, bool json, bool diff)
{
    struct question q = {.arena = a, .asked = asked};
    struct diags diags;
    struct error e;
    vec_init(&q.targets, a);
    vec_init(&q.present, a);
    vec_init(&q.lines, a);
    map_init(&q.by_name, a);
    diags_init(&diags, a);
    if (!tree_targets(a, folder, &q.root, &q.targets, &e)) {
        return cli_fail("%s", e.text);
    }
    bool pending = false;
    size_t known = 0;
    for (size_t i = 0; i < q.targets.count; i++) {
        known += compare(&q, q.targets.items[i], &diags, &pending);
    }
    if (diags.error_count > 0) {
        struct buf text;
        buf_init(&text, a);
        diags_sort(&diags);
        diags_format(&text, &diags, false);
        cli_say(buf_str(&text));
    } else if (known == 0 && asked.len > 0) {
        return cli_fail("no workunit '" STR_FMT "' in " STR_FMT, STR_ARG(asked), STR_ARG(q.root));
    }
    if (!pending) {
        q.store = store_of(a, &q.targets);
        add_last(&q);
        store_close(q.store);
    }
    if (q.lines.count == 0 && asked.len > 0 && diags.error_count == 0 && !json) {
        return cli_print(str_format(a, STR_FMT ": unchanged\n", STR_ARG(asked)));
    }
    int code = cli_print(json ? as_json(a, &q.lines, diff) : as_text(a, &q.lines, diff));
    return diags.error_count > 0 ? CLI_FAILED : code;
}

int cmd_why(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct vec operands;
    struct str folder = {0};
    bool json = false;
    bool diff = false;
    vec_init(&operands, a);
    const struct cli_option options[] = {
        {"C", "DIR", "the build folder (default: the current one, or one above)", NULL, &folder,
         NULL},
        {"diff", NULL, "show how the syntax trees differ, too", &diff, NULL, NULL},
        {"json", NULL, "print a JSON array", &json, NULL, NULL},
    };
    const struct cli_command command = {
        "why", "[WORKUNIT]",
        "Says which workunits changed since the last build, and what changed in each: its body, a\n"
        "function or constant that it uses, its signature. After a build: what that build "
        "compiled\n"
        "and why; a changed compiler, flags or headers count then, too.",
        options, sizeof(options) / sizeof(options[0])};
    int code = CLI_OK;
    if (cli_parse(&command, argc, argv, &operands, &code)) {
        if (operands.count > 1) {
            code = cli_usage_error(&command, "only one workunit can be asked for");
        } else {
            struct str asked = operands.count == 1 ? *(struct str *)operands.items[0] : STR("");
            code = why(a, folder, asked, json, diff);
        }
    }
    arena_free(a);
    return code;
}
