/* list: the workunits of Python files, with signatures and hashes, or why they are refused. */
#include "cli/arguments.h"
#include "cli/cli.h"

static const char *operation_name(enum operation o)
{
    switch (o) {
    case OPERATION_FOR: return "for";
    case OPERATION_REDUCE: return "reduce";
    case OPERATION_SCAN: return "scan";
    }
    return "";
}

static const char *policy_name(enum policy p)
{
    switch (p) {
    case POLICY_RANGE: return "Range";
    case POLICY_MDRANGE: return "MDRange";
    case POLICY_TEAM: return "Team";
    }
    return "";
}

static void add_text(struct buf *b, const char *key, struct str value)
{
    buf_printf(b, "\"%s\": ", key);
    json_string(b, value);
}

static void add_parameters(struct buf *b, struct arena *a, const char *key,
                           const struct parameter *parameters, size_t count)
{
    buf_printf(b, ", \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        buf_add_c(b, i > 0 ? ", {" : "{");
        add_text(b, "name", parameters[i].name);
        buf_add_c(b, ", ");
        add_text(b, "type", type_spell(a, parameters[i].type));
        buf_add_char(b, '}');
    }
    buf_add_char(b, ']');
}

static void add_error(struct buf *b, const struct diag *d)
{
    buf_printf(b, "{\"line\": %d, \"column\": %d, ", d->line, d->column);
    add_text(b, "message", d->message);
    if (d->hint.len > 0) {
        buf_add_c(b, ", ");
        add_text(b, "hint", d->hint);
    }
    buf_add_char(b, '}');
}

/* The refused workunit that an error belongs to: of its scope, in its file, or in the file of a
 * helper that it calls. NULL: none. */
static const struct gen_workunit *owner(const struct gen_result *r, const struct diag *d)
{
    const struct gen_workunit *elsewhere = NULL;
    for (size_t i = 0; i < r->workunit_count; i++) {
        const struct gen_workunit *w = &r->workunits[i];
        if (w->kernel != NULL || !str_equal(d->scope, w->workunit->qualified)) {
            continue;
        }
        if (str_equal(d->file, w->workunit->module->path)) {
            return w;
        }
        elsewhere = w;
    }
    return elsewhere;
}

static void add_errors(struct buf *b, const struct gen_result *r, const struct diags *diags,
                       const struct gen_workunit *w)
{
    size_t n = 0;
    for (size_t i = 0; i < diags->count; i++) {
        const struct diag *d = &diags->items[i];
        if (d->severity != DIAG_ERROR || owner(r, d) != w) {
            continue;
        }
        if (n == 0) {
            buf_add_c(b, ", \"error\": ");
            add_error(b, d);
            buf_add_c(b, ", \"errors\": [");
        } else {
            buf_add_c(b, ", ");
        }
        add_error(b, d);
        n++;
    }
    if (n > 0) {
        buf_add_char(b, ']');
    }
}

static void add_kernel(struct buf *b, struct arena *a, const struct gen_workunit *w)
{
    const struct kernel *k = w->kernel;
    buf_printf(b, ", \"operation\": \"%s\", \"policy\": \"%s\", \"rank\": %d",
               operation_name(k->operation), policy_name(k->policy), k->rank);
    add_parameters(b, a, "parameters", k->parameters, k->parameter_count);
    add_parameters(b, a, "fields", k->fields, k->field_count);
    buf_add_c(b, ", \"indices\": [");
    size_t indices = k->policy == POLICY_MDRANGE ? (size_t)k->rank : 1;
    for (size_t i = 0; i < indices && i < k->leading_count; i++) {
        buf_add_c(b, i > 0 ? ", " : "");
        json_string(b, k->leading[i].name);
    }
    buf_add_c(b, "], ");
    add_text(b, "accumulator", k->acc != NULL ? type_spell(a, k->acc) : STR(""));
    buf_add_c(b, ", ");
    add_text(b, "ast_hash", sha256_hex(a, &w->ast_hash));
    buf_add_c(b, ", ");
    add_text(b, "signature_hash", sha256_hex(a, &k->signature_hash));
    buf_add_c(b, ", ");
    add_text(b, "signature", k->signature);
    if (w->part_count > 0) {
        buf_add_c(b, ", ");
        add_text(b, "fused", k->fused);
    }
}

static void add_workunit(struct buf *b, struct arena *a, const struct gen_result *r,
                         const struct diags *diags, const struct gen_workunit *w)
{
    const struct ast_node *node = w->workunit->node;
    add_text(b, "module", w->module);
    buf_add_c(b, ", ");
    add_text(b, "workunit", w->workunit->qualified);
    buf_add_c(b, ", ");
    add_text(b, "file", w->workunit->module->path);
    buf_printf(b, ", \"line\": %d", node->span.line);
    struct ast_seq body = py_body(node);
    if (body.count > 0) {
        buf_printf(b, ", \"body_line\": %d, \"body_column\": %d", body.items[0]->span.line,
                   body.items[0]->span.column + 1);
    }
    if (w->kernel != NULL) {
        add_kernel(b, a, w);
    } else {
        add_errors(b, r, diags, w);
    }
}

/* A translated @pk.main is a part of its class, and no workunit. */
static bool is_host(const struct gen_workunit *w)
{
    return w->kernel != NULL && w->kernel->host;
}

static void begin_item(struct buf *b, bool *first)
{
    buf_add_c(b, *first ? "\n  {" : ",\n  {");
    *first = false;
}

static struct str as_json(struct arena *a, const struct gen_result *r, const struct diags *diags)
{
    struct buf b;
    bool first = true;
    buf_init(&b, a);
    buf_add_char(&b, '[');
    for (size_t i = 0; i < r->workunit_count; i++) {
        if (is_host(&r->workunits[i])) {
            continue;
        }
        begin_item(&b, &first);
        add_workunit(&b, a, r, diags, &r->workunits[i]);
        buf_add_char(&b, '}');
    }
    /* Errors that belong to no workunit that is listed: the file's own, or a workunit's that could
     * not be read at all. One item each. */
    for (size_t i = 0; i < diags->count; i++) {
        const struct diag *d = &diags->items[i];
        bool listed = d->severity != DIAG_ERROR || owner(r, d) != NULL;
        if (listed) {
            continue;
        }
        begin_item(&b, &first);
        add_text(&b, "module", path_stem(path_basename(d->file)));
        buf_add_c(&b, ", \"workunit\": ");
        if (d->scope.len > 0) {
            json_string(&b, d->scope);
        } else {
            buf_add_c(&b, "null");
        }
        buf_add_c(&b, ", ");
        add_text(&b, "file", d->file);
        buf_printf(&b, ", \"line\": %d, \"error\": ", d->line);
        add_error(&b, d);
        buf_add_c(&b, ", \"errors\": [");
        add_error(&b, d);
        buf_add_c(&b, "]}");
    }
    buf_add_c(&b, first ? "]\n" : "\n]\n");
    return buf_str(&b);
}

static struct str as_text(struct arena *a, const struct gen_result *r)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < r->workunit_count; i++) {
        const struct gen_workunit *w = &r->workunits[i];
        if (is_host(w)) {
            continue;
        }
        buf_printf(&b, STR_FMT ":%d: " STR_FMT "." STR_FMT, STR_ARG(w->workunit->module->path),
                   w->workunit->node->span.line, STR_ARG(w->module),
                   STR_ARG(w->workunit->qualified));
        if (w->kernel == NULL) {
            buf_add_c(&b, ": refused\n");
            continue;
        }
        const struct kernel *k = w->kernel;
        buf_add_char(&b, '(');
        for (size_t p = 0; p < k->parameter_count; p++) {
            buf_printf(&b, "%s" STR_FMT ": " STR_FMT, p > 0 ? ", " : "",
                       STR_ARG(k->parameters[p].name),
                       STR_ARG(type_spell(a, k->parameters[p].type)));
        }
        buf_printf(&b, ") %s %s", operation_name(k->operation), policy_name(k->policy));
        if (k->rank > 1) {
            buf_printf(&b, "%d", k->rank);
        }
        if (k->acc != NULL) {
            buf_printf(&b, " -> " STR_FMT, STR_ARG(type_spell(a, k->acc)));
        }
        buf_printf(&b, "  %.12s\n", sha256_hex(a, &w->ast_hash).ptr);
    }
    return buf_str(&b);
}

int cmd_list(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct arguments args;
    bool json = false;
    arguments_init(&args, a);
    const struct cli_option options[] = {
        {"json", NULL, "print a JSON array", &json, NULL, NULL},
        ARGUMENTS_OPTIONS(&args),
    };
    const struct cli_command command = {
        "list", "FILE...",
        "Lists the workunits of Python files: place, signature and AST hash, or why it is refused.",
        options, sizeof(options) / sizeof(options[0])};
    struct cli_target t;
    int code = CLI_OK;
    args.name = STR("list");
    if (!cli_parse(&command, argc, argv, &args.files, &code) ||
        !arguments_target(a, &command, &args, &t, &code)) {
        arena_free(a);
        return code;
    }
    struct diags diags;
    struct gen_result result = {0};
    diags_init(&diags, a);
    bool good = gen_analyse(a, &t.request, &diags, &result);
    diags_sort(&diags);
    if (!json) {
        struct buf text;
        buf_init(&text, a);
        diags_format(&text, &diags, false);
        cli_say(buf_str(&text));
    }
    code = cli_print(json ? as_json(a, &result, &diags) : as_text(a, &result));
    arena_free(a);
    return code != CLI_OK ? code : good ? CLI_OK : CLI_FAILED;
}
