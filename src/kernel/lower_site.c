/*
 * Call sites: what the module's own calls of pk.parallel_for and its kin say of a workunit.
 *
 * They decide whether leading ints are work indices of an MDRangePolicy, and fill in the
 * INSTANTIATE line that an error offers. They never give types in silence: an edit of the host
 * program would change a kernel then.
 */
#include "kernel/lower.h"

/* One call of pk.parallel_for or its kin, under the name of what it runs. */
struct site_call {
    const struct ast_node *call;
    const struct ast_node *function;   /* the enclosing definition, for its variables */
    const struct ast_node *class_node; /* the class that it is in; NULL: none */
    enum operation operation;
    size_t at; /* the argument that names the workunit; the policy is the one before */
};

/* The calls of one module: name of a function or method -> struct vec of site_call. */
struct site_index {
    struct arena *arena;
    const struct py_module *module;
    struct map calls;
    const struct ast_node *function;
    const struct ast_node *class_node;
    int depth;
};

struct kernel_cache {
    struct arena *arena;
    struct map modules; /* real path -> struct site_index */
};

/* ---- names of the host program -------------------------------------------------------------- */

struct find_walk {
    struct str name;
    const struct ast_node *value;
    const struct ast_node *annotation; /* of the last assignment; NULL: none */
};

static void find_assignment(void *context, const struct ast_node *n)
{
    struct find_walk *w = context;

    if (n->kind == AST_ASSIGN) {
        for (size_t i = 0; i < n->u.assign.targets.count; i++) {
            const struct ast_node *t = n->u.assign.targets.items[i];
            if (t->kind == AST_NAME && str_equal(t->u.name.id, w->name)) {
                w->value = n->u.assign.value;
                w->annotation = NULL;
            }
        }
    } else if (n->kind == AST_ANN_ASSIGN && n->u.ann_assign.target->kind == AST_NAME &&
               n->u.ann_assign.value && str_equal(n->u.ann_assign.target->u.name.id, w->name)) {
        w->value = n->u.ann_assign.value;
        w->annotation = n->u.ann_assign.annotation;
    }
    if (n->kind != AST_FUNCTION_DEF && n->kind != AST_CLASS_DEF && n->kind != AST_LAMBDA &&
        !(n->kind >= AST_BOOL_OP && n->kind <= AST_SLICE)) {
        ast_for_each_child(n, find_assignment, w);
    }
}

/* What a name of the host program was bound to last, in the function or at the top. */
static struct find_walk host_binding(const struct py_module *m, const struct ast_node *function,
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
    return w;
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

static void see_policy(const struct py_module *m, const struct site_call *c, struct low_site *site)
{
    const struct ast_node *policy = c->call->u.call.args.items[c->at - 1];
    int kind = POLICY_RANGE, rank = 1;

    if (policy->kind == AST_NAME) {
        const struct find_walk bound = host_binding(m, c->function, policy->u.name.id);
        policy = bound.value ? bound.value : policy;
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
    if (!site->seen) {
        site->policy = kind;
        site->rank = rank;
    } else if (site->policy != kind || site->rank != rank) {
        site->policy = -1;
        site->rank = 0;
    }
    site->seen = true;
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

/* `n: int = values[0]` says what the value does not. */
static struct str plain_annotation(const struct ast_node *n)
{
    static const char *const scalars[] = {"int", "float", "bool"};

    for (size_t i = 0; n->kind == AST_NAME && i < 3; i++) {
        if (str_equal_c(n->u.name.id, scalars[i])) {
            return str_from(scalars[i]);
        }
    }
    return (struct str){0};
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
        const struct find_walk bound = host_binding(m, function, n->u.name.id);
        struct str type = {0};
        if (bound.value && bound.value != n) {
            type = guess(l, m, function, bound.value, depth + 1);
        }
        return type.len || !bound.annotation ? type : plain_annotation(bound.annotation);
    }
    return (struct str){0};
}

struct str low_guess_type(struct lower *l, const struct py_module *m, const struct ast_node *value)
{
    return guess(l, m, NULL, value, 0);
}

/* ---- the calls ------------------------------------------------------------------------------ */

static void add_call(struct site_index *index, const struct ast_node *n, enum operation operation)
{
    const struct ast_seq *args = &n->u.call.args;

    for (size_t at = 1; at < args->count; at++) {
        const struct str name = last_name(args->items[at]);
        if (!name.len) {
            continue;
        }
        struct vec *list = map_get(&index->calls, name);
        if (!list) {
            list = ARENA_NEW(index->arena, struct vec);
            vec_init(list, index->arena);
            map_set(&index->calls, name, list);
        }
        struct site_call *c = ARENA_NEW(index->arena, struct site_call);
        *c = (struct site_call){n, index->function, index->class_node, operation, at};
        vec_push(list, c);
    }
}

static void visit(void *context, const struct ast_node *n)
{
    struct site_index *index = context;
    const struct ast_node *outer = index->function;
    const struct ast_node *outer_class = index->class_node;

    if (index->depth > LOW_MAX_DEPTH) {
        return;
    }
    if (n->kind == AST_FUNCTION_DEF) {
        index->function = n;
    }
    if (n->kind == AST_CLASS_DEF) {
        index->class_node = n;
    }
    if (n->kind == AST_CALL) {
        const struct str name = last_name(n->u.call.func);
        if (str_equal_c(name, "parallel_for")) {
            add_call(index, n, OPERATION_FOR);
        } else if (str_equal_c(name, "parallel_reduce")) {
            add_call(index, n, OPERATION_REDUCE);
        } else if (str_equal_c(name, "parallel_scan")) {
            add_call(index, n, OPERATION_SCAN);
        }
    }
    index->depth++;
    ast_for_each_child(n, visit, index);
    index->depth--;
    index->function = outer;
    index->class_node = outer_class;
}

static struct site_index *read_calls(struct arena *a, const struct py_module *m)
{
    struct site_index *index = ARENA_NEW(a, struct site_index);
    const struct ast_seq *body = &m->tree->u.module.body;

    index->arena = a;
    index->module = m;
    map_init(&index->calls, a);
    for (size_t i = 0; i < body->count; i++) {
        const struct ast_node *n = body->items[i];
        const struct ast_node *call;
        if (n->kind == AST_FUNCTION_DEF && py_decorator_of(m, n, &call) != PY_DECORATOR_NONE) {
            continue; /* workunits and helpers call none */
        }
        visit(index, n);
    }
    return index;
}

struct kernel_cache *kernel_cache_new(struct arena *a)
{
    struct kernel_cache *c = ARENA_NEW(a, struct kernel_cache);

    c->arena = a;
    map_init(&c->modules, a);
    return c;
}

/* The calls that may be of this workunit: those of its name. */
static const struct vec *calls_of(struct lower *l)
{
    const struct py_module *m = l->workunit->module;
    struct kernel_cache *cache = l->options->cache;
    struct site_index *index = cache ? map_get(&cache->modules, m->real_path) : NULL;

    if (!index) {
        index = read_calls(cache ? cache->arena : l->a, m);
        if (cache) {
            map_set(&cache->modules, m->real_path, index);
        }
    }
    return map_get(&index->calls, l->workunit->name);
}

/* Is this `self.name`, of a method in a class? */
static bool is_of_self(const struct site_call *c, const struct ast_node *n)
{
    const struct ast_node *args = c->function ? c->function->u.function.args : NULL;

    return c->class_node && args && args->u.arguments.args.count > 0 &&
           n->u.attribute.value->kind == AST_NAME &&
           str_equal(n->u.attribute.value->u.name.id, args->u.arguments.args.items[0]->u.arg.arg);
}

/* A name of the module for a function, an attribute of an object for a method: of its own class
 * where the object is self. */
static bool names_workunit(const struct lower *l, const struct site_call *c)
{
    const struct py_workunit *w = l->workunit;
    const struct ast_node *n = c->call->u.call.args.items[c->at];
    const struct py_module *where;

    if (n->kind != (w->class_node ? AST_ATTRIBUTE : AST_NAME)) {
        return false;
    }
    if (!w->class_node || !is_of_self(c, n) || c->class_node == w->class_node) {
        return true;
    }
    /* A base's method may call it of an object of this class; a derived class may inherit it. */
    return py_class_method(w->module, w->class_node, c->function->u.function.name, &where) ==
               c->function ||
           py_class_method(w->module, c->class_node, w->name, &where) == w->node;
}

struct low_site low_call_site(struct lower *l)
{
    const struct vec *calls = calls_of(l);
    struct low_site site = {.operation = -1, .policy = -1};

    for (size_t i = 0; calls && i < calls->count; i++) {
        const struct site_call *c = calls->items[i];
        if (!names_workunit(l, c)) {
            continue;
        }
        if (!site.seen) {
            site.operation = (int)c->operation;
        } else if (site.operation != (int)c->operation) {
            site.operation = -1;
        }
        see_policy(l->workunit->module, c, &site);
    }
    return site;
}

struct str low_site_argument(struct lower *l, struct str parameter)
{
    const struct vec *calls = calls_of(l);
    const char *name = str_copy(l->a, parameter).ptr;
    struct str type = {0};

    for (size_t i = 0; calls && i < calls->count && !type.len; i++) {
        const struct site_call *c = calls->items[i];
        const struct ast_node *value = names_workunit(l, c) ? keyword(c->call, name) : NULL;
        if (value) {
            type = guess(l, l->workunit->module, c->function, value, 0);
        }
    }
    return type;
}
