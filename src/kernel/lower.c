/* One workunit: its parameters, then its body, then its signature. */
#include "kernel/lower.h"

/* ---- signature ------------------------------------------------------------------------------ */

static void add_type(struct buf *out, const struct type *t)
{
    static const char *const layouts[] = {"right", "left", "stride"};

    buf_add(out, type_spell(out->arena, t));
    if (t->kind == TYPE_VIEW) {
        buf_printf(out, " %s", layouts[t->layout]);
        if (t->traits) {
            buf_printf(out, " traits %u", t->traits);
        }
    }
    buf_add_char(out, '\n');
}

static void add_all(struct buf *out, const char *word, const struct parameter *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s " STR_FMT ": ", word, STR_ARG(p[i].name));
        add_type(out, p[i].type);
    }
}

static bool sign(struct lower *l)
{
    static const char *const operations[] = {"for", "reduce", "scan"};
    static const char *const policies[] = {"range", "mdrange", "team"};
    struct kernel *k = l->kernel;
    struct buf text;

    buf_init(&text, l->a);
    buf_printf(&text, "workunit " STR_FMT "\noperation %s\npolicy %s %d\n", STR_ARG(k->qualified),
               operations[k->operation], policies[k->policy], k->rank);
    if (k->acc_is_loc) {
        const struct type *t = k->leading[k->leading_count - 1].var->type;
        buf_add_c(&text, "accumulator of");
        for (size_t i = 0; i < t->struct_type->field_count; i++) {
            buf_printf(&text, " " STR_FMT, STR_ARG(t->struct_type->fields[i].name));
        }
        buf_add_char(&text, '\n');
    }
    add_all(&text, "leading", k->leading, k->leading_count);
    add_all(&text, "field", k->fields, k->field_count);
    add_all(&text, "parameter", k->parameters, k->parameter_count);
    k->signature = buf_str(&text);
    return sha256_of(k->signature, &k->signature_hash);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The types that the source leaves open, readable: "View1D_double_int64". */
static void name_instance(struct lower *l, bool instantiated)
{
    enum { LONGEST = 40 };
    struct kernel *k = l->kernel;
    struct buf whole, name;
    struct sha256 hash;

    buf_init(&whole, l->a);
    buf_init(&name, l->a);
    if (instantiated && k->policy == POLICY_MDRANGE) {
        buf_printf(&whole, "md%d ", k->rank);
    }
    for (size_t i = 0; i < k->parameter_count; i++) {
        if (!k->parameters[i].node->u.arg.annotation) {
            buf_add(&whole, type_spell(l->a, k->parameters[i].type));
            buf_add_char(&whole, ' ');
        }
    }
    for (size_t i = 0; i < whole.len; i++) {
        const char c = whole.ptr[i];
        const bool more = i + 1 < whole.len;
        if (is_word(c)) {
            buf_add_char(&name, c);
        } else if (more && name.len && name.ptr[name.len - 1] != '_') {
            buf_add_char(&name, '_');
        }
    }
    while (name.len && name.ptr[name.len - 1] == '_') {
        name.len--;
    }
    k->instance = str_copy(l->a, (struct str){name.ptr, name.len});
    if (name.len > LONGEST && sha256_of(buf_str(&whole), &hash)) {
        k->instance =
            str_format(l->a, "%.*s_%.8s", (int)LONGEST - 9, name.ptr, sha256_hex(l->a, &hash).ptr);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

bool low_finish(struct lower *l, bool instantiated)
{
    struct kernel *k = l->kernel;

    name_instance(l, instantiated);
    if (k->policy == POLICY_TEAM) {
        k->needs |= NEED_TEAM;
    }
    low_collect_functions(l);
    k->struct_count = l->structs.count;
    k->structs = ARENA_ARRAY(l->a, const struct struct_type *, l->structs.count);
    for (size_t i = 0; i < l->structs.count; i++) {
        k->structs[i] = l->structs.items[i];
    }
    return sign(l);
}

struct lower *low_new(struct arena *a, const struct kernel_options *options)
{
    struct lower *l = ARENA_NEW(a, struct lower);

    l->a = a;
    l->options = options;
    vec_init(&l->instances, a);
    vec_init(&l->classes, a);
    vec_init(&l->structs, a);
    vec_init(&l->running, a);
    vec_init(&l->diags, a);
    map_init(&l->symbols, a);
    map_init(&l->fields, a);
    return l;
}

struct kernel *low_describe(struct lower *l, const struct py_workunit *w)
{
    struct kernel *k = ARENA_NEW(l->a, struct kernel);

    l->workunit = w;
    l->kernel = k;
    k->workunit = w;
    k->name = w->name;
    k->qualified = w->qualified;
    if (w->class_node) {
        k->class_name = w->class_node->u.class_def.name;
    }
    return k;
}

const struct kernel *kernel_lower(struct arena *a, const struct py_workunit *w,
                                  const struct instantiation *instantiation,
                                  const struct kernel_options *options)
{
    struct lower *l = low_new(a, options);
    struct kernel *k = low_describe(l, w);
    struct low_unit *u = low_unit_new(l);

    u->top = low_scope_new(u, NULL, w->module, w->node, NULL);
    low_read_parameters(l, u->top, instantiation);
    l->diags = u->diags; /* the unit starts each pass with none */
    vec_init(&u->diags, a);
    low_scope_scan(u->top);
    low_unit_run(u);
    low_scratch_decorator(u);
    size_t errors = low_report(l, &l->diags) + low_report(l, &u->diags);
    low_report_called(l, u, &errors);
    if (errors) {
        return NULL;
    }
    k->body = u->body;
    low_take_vars(u->top, &k->vars, &k->var_count);
    return low_finish(l, instantiation != NULL) ? k : NULL;
}
