/*
 * Call sites: what the module's own calls of pk.parallel_for and its kin say of a workunit.
 *
 * They decide whether leading ints are work indices of an MDRangePolicy, and fill in the
 * INSTANTIATE line that an error offers. They never give types in silence: an edit of the host
 * program would change a kernel then.
 */
#include "kernel/lower.h"

struct site_walk {
    struct lower *l;
    const struct py_module *module;
    const struct ast_node *function; /* the enclosing definition, for its variables */
    struct str parameter;            /* looked for; empty: the policy */
    struct low_site site;
    struct str type;
    int depth;
};

static void visit(void *context, const struct ast_node *n);

/* ---- names of the host program -------------------------------------------------------------- */

struct find_walk {
    struct str name;
    const struct ast_node *value;
};

static void find_assignment(void *context, const struct ast_node *n)
{
    struct find_walk *w = context;

    if (n->kind == AST_ASSIGN) {
        for (size_t i = 0; i < n->u.assign.targets.count; i++) {
            const struct ast_node *t = n->u.assign.targets.items[i];
            if (t->kind == AST_NAME && str_equal(t->u.name.id, w->name)) {
                w->value = n->u.assign.value;
            }
        }
    } else if (n->kind == AST_ANN_ASSIGN && n->u.ann_assign.target->kind == AST_NAME &&
               n->u.ann_assign.value && str_equal(n->u.ann_assign.target->u.name.id, w->name)) {
        w->value = n->u.ann_assign.value;
    }
    if (n->kind != AST_FUNCTION_DEF && n->kind != AST_CLASS_DEF && n->kind != AST_LAMBDA &&
        !(n->kind >= AST_BOOL_OP && n->kind <= AST_SLICE)) {
        ast_for_each_child(n, find_assignment, w);
    }
}

/* What a name of the host program was bound to last, in the function or at the top. */
static const struct ast_node *host_value(const struct py_module *m, const struct ast_node *function,
                                         struct str name)
{
    struct find_walk w = {.name = name};

    if (function) {
        for (size_t i = 0; i < function->u.function.body.count; i++) {
            find_assignment(&w, function->u.function.body.items[i]);
        }
    }
    for (size_t i = 0; !w.value && i < m->tree->u.module.body.count; i++) {
        find_assignment(&w, m->tree->u.module.body.items[i]);
    }
    return w.value;
}

static struct str last_name(const struct ast_node *n)
{
    return n->kind == AST_NAME        ? n->u.name.id
           : n->kind == AST_ATTRIBUTE ? n->u.attribute.attr
                                      : (struct str){0};
}

/* ---- policies ------------------------------------------------------------------------------- */

static int list_length(const struct ast_node *n)
{
    return n->kind == AST_LIST || n->kind == AST_TUPLE ? (int)n->u.seq.elts.count : 0;
}

static void see_policy(struct site_walk *w, const struct ast_node *policy)
{
    int kind = POLICY_RANGE, rank = 1;

    if (policy->kind == AST_NAME) {
        const struct ast_node *value = host_value(w->module, w->function, policy->u.name.id);
        policy = value ? value : policy;
    }
    if (policy->kind == AST_CALL) {
        const struct str name = last_name(policy->u.call.func);
        if (str_equal_c(name, "TeamPolicy")) {
            kind = POLICY_TEAM;
        } else if (str_equal_c(name, "MDRangePolicy")) {
            kind = POLICY_MDRANGE;
            rank = 0;
            for (size_t i = 0; i < policy->u.call.args.count && !rank; i++) {
                rank = list_length(policy->u.call.args.items[i]);
            }
        } else if (!str_equal_c(name, "RangePolicy") && !str_equal_c(name, "len") &&
                   !str_equal_c(name, "int")) {
            kind = -1;
        }
    }
    if (!w->site.seen) {
        w->site.policy = kind;
        w->site.rank = rank;
    } else if (w->site.policy != kind || w->site.rank != rank) {
        w->site.policy = -1;
        w->site.rank = 0;
    }
    w->site.seen = true;
}

/* ---- types of host expressions -------------------------------------------------------------- */

static struct str view_type(struct arena *a, int rank, struct str element)
{
    return rank >= 1 && rank <= 8 ? str_format(a, "View%dD[" STR_FMT "]", rank, STR_ARG(element))
                                  : (struct str){0};
}

static struct str element_name(const struct ast_node *n)
{
    static const struct {
        const char *dtype, *name;
    } names[] = {{"double", "double"},         {"float64", "double"}, {"float", "float32"},
                 {"float32", "float32"},       {"int", "int32"},      {"int32", "int32"},
                 {"int64", "int64"},           {"int16", "int16"},    {"int8", "int8"},
                 {"uint8", "uint8"},           {"uint16", "uint16"},  {"uint32", "uint32"},
                 {"uint64", "uint64"},         {"bool", "bool"},      {"complex64", "complex64"},
                 {"complex128", "complex128"}, {"int_", "int64"},     {"bool_", "bool"}};
    const struct str name = last_name(n);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (str_equal_c(name, names[i].dtype)) {
            /* NumPy and Python mean 64 bits by the plain names */
            if (n->kind == AST_NAME && str_equal_c(name, "int")) {
                return STR("int64");
            }
            if (n->kind == AST_NAME && str_equal_c(name, "float")) {
                return STR("double");
            }
            return str_from(names[i].name);
        }
    }
    return (struct str){0};
}

static const struct ast_node *keyword(const struct ast_node *call, const char *name)
{
    for (size_t i = 0; i < call->u.call.keywords.count; i++) {
        const struct ast_node *k = call->u.call.keywords.items[i];
        if (str_equal_c(k->u.keyword.arg, name)) {
            return k->u.keyword.value;
        }
    }
    return NULL;
}

/* pk.View([n, m], pk.double), np.zeros((n, m), dtype=np.float64), np.zeros(n) */
static struct str array_call(struct lower *l, const struct ast_node *call)
{
    static const char *const makers[] = {"View", "zeros", "ones", "empty", "full"};
    const struct str name = last_name(call->u.call.func);
    const struct ast_seq *args = &call->u.call.args;
    bool known = false;

    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        known |= str_equal_c(name, makers[i]);
    }
    if (!known || !args->count) {
        return (struct str){0};
    }
    const size_t at = str_equal_c(name, "full") ? 2 : 1;
    const struct ast_node *dtype = keyword(call, "dtype");
    dtype = dtype ? dtype : args->count > at ? args->items[at] : NULL;
    const int length = list_length(args->items[0]);
    const struct str element = dtype ? element_name(dtype) : STR("double");
    return element.len ? view_type(l->a, length ? length : 1, element) : element;
}

static struct str guess(struct lower *l, const struct py_module *m, const struct ast_node *function,
                        const struct ast_node *n, int depth)
{
    struct py_value value;

    if (depth > 8) {
        return (struct str){0};
    }
    if (n->kind == AST_CALL) {
        const struct str name = last_name(n->u.call.func);
        if (str_equal_c(name, "int") || str_equal_c(name, "len")) {
            return STR("int");
        }
        if (str_equal_c(name, "float")) {
            return STR("float");
        }
        return array_call(l, n);
    }
    if (py_evaluate(m, n, &value)) {
        return value.kind == PY_VALUE_BOOL    ? STR("bool")
               : value.kind == PY_VALUE_INT   ? STR("int")
               : value.kind == PY_VALUE_FLOAT ? STR("float")
                                              : (struct str){0};
    }
    if (n->kind == AST_NAME) {
        const struct ast_node *bound = host_value(m, function, n->u.name.id);
        return bound && bound != n ? guess(l, m, function, bound, depth + 1) : (struct str){0};
    }
    return (struct str){0};
}

struct str low_guess_type(struct lower *l, const struct py_module *m, const struct ast_node *value)
{
    return guess(l, m, NULL, value, 0);
}

/* ---- the calls ------------------------------------------------------------------------------ */

static bool names_workunit(const struct site_walk *w, const struct ast_node *n)
{
    const struct py_workunit *u = w->l->workunit;

    if (n->kind == AST_NAME) {
        return !u->class_node && str_equal(n->u.name.id, u->name);
    }
    return n->kind == AST_ATTRIBUTE && u->class_node && str_equal(n->u.attribute.attr, u->name);
}

static void see_call(struct site_walk *w, const struct ast_node *n, int operation)
{
    const struct ast_seq *args = &n->u.call.args;
    size_t at = 0;

    while (at < args->count && !names_workunit(w, args->items[at])) {
        at++;
    }
    if (at == args->count || at == 0) {
        return;
    }
    if (w->parameter.len) {
        const struct ast_node *value = keyword(n, w->parameter.ptr);
        if (value && !w->type.len) {
            w->type = guess(w->l, w->module, w->function, value, 0);
        }
        return;
    }
    if (!w->site.seen) {
        w->site.operation = operation;
    } else if (w->site.operation != operation) {
        w->site.operation = -1;
    }
    see_policy(w, args->items[at - 1]);
}

static void visit(void *context, const struct ast_node *n)
{
    struct site_walk *w = context;
    const struct ast_node *outer = w->function;

    if (w->depth > LOW_MAX_DEPTH) {
        return;
    }
    if (n->kind == AST_FUNCTION_DEF) {
        w->function = n;
    }
    if (n->kind == AST_CALL) {
        const struct str name = last_name(n->u.call.func);
        if (str_equal_c(name, "parallel_for")) {
            see_call(w, n, OPERATION_FOR);
        } else if (str_equal_c(name, "parallel_reduce")) {
            see_call(w, n, OPERATION_REDUCE);
        } else if (str_equal_c(name, "parallel_scan")) {
            see_call(w, n, OPERATION_SCAN);
        }
    }
    w->depth++;
    ast_for_each_child(n, visit, w);
    w->depth--;
    w->function = outer;
}

static void walk_module(struct site_walk *w)
{
    const struct ast_seq *body = &w->module->tree->u.module.body;

    for (size_t i = 0; i < body->count; i++) {
        const struct ast_node *n = body->items[i];
        const struct ast_node *call;
        if (n->kind == AST_FUNCTION_DEF &&
            py_decorator_of(w->module, n, &call) != PY_DECORATOR_NONE) {
            continue; /* workunits and helpers call none */
        }
        visit(w, n);
    }
}

struct low_site low_call_site(struct lower *l)
{
    struct site_walk w = {
        .l = l,
        .module = l->workunit->module,
        .site = {.operation = -1, .policy = -1},
    };

    walk_module(&w);
    return w.site;
}

struct str low_site_argument(struct lower *l, struct str parameter)
{
    struct site_walk w = {
        .l = l,
        .module = l->workunit->module,
        .parameter = str_copy(l->a, parameter),
    };

    walk_module(&w);
    return w.type;
}
