/* lookup: from a name's binding site to what it means, through imports of project files. */
#include "python/program.h"

#include <stdlib.h>
#include <string.h>

/* How many names are followed from one to the next. A longer chain is nothing a kernel uses, and
 * its end counts as a host value. */
#define MAX_FOLLOWED 400

static const char *const builtins[] = {
    "False",   "None",     "True",      "__debug__",    "__file__", "__name__",   "abs",
    "all",     "any",      "ascii",     "bin",          "bool",     "breakpoint", "bytearray",
    "bytes",   "callable", "chr",       "classmethod",  "compile",  "complex",    "delattr",
    "dict",    "dir",      "divmod",    "enumerate",    "eval",     "exec",       "filter",
    "float",   "format",   "frozenset", "getattr",      "globals",  "hasattr",    "hash",
    "help",    "hex",      "id",        "input",        "int",      "isinstance", "issubclass",
    "iter",    "len",      "list",      "locals",       "map",      "max",        "memoryview",
    "min",     "next",     "object",    "oct",          "open",     "ord",        "pow",
    "print",   "property", "range",     "repr",         "reversed", "round",      "set",
    "setattr", "slice",    "sorted",    "staticmethod", "str",      "sum",        "super",
    "tuple",   "type",     "vars",      "zip",
};

/* The names of the math module, for `from math import *`. */
static const char *const math_names[] = {
    "acos",    "acosh",    "asin",     "asinh",   "atan",      "atan2",   "atanh",     "cbrt",
    "ceil",    "comb",     "copysign", "cos",     "cosh",      "degrees", "dist",      "e",
    "erf",     "erfc",     "exp",      "exp2",    "expm1",     "fabs",    "factorial", "floor",
    "fma",     "fmod",     "frexp",    "fsum",    "gamma",     "gcd",     "hypot",     "inf",
    "isclose", "isfinite", "isinf",    "isnan",   "isqrt",     "lcm",     "ldexp",     "lgamma",
    "log",     "log10",    "log1p",    "log2",    "modf",      "nan",     "nextafter", "perm",
    "pi",      "pow",      "prod",     "radians", "remainder", "sin",     "sinh",      "sqrt",
    "sumprod", "tan",      "tanh",     "tau",     "trunc",     "ulp",
};

static int compare_names(const void *key, const void *item)
{
    const struct str *name = key;
    const char *other = *(const char *const *)item;
    const size_t length = strlen(other);
    const int order = memcmp(name->ptr, other, name->len < length ? name->len : length);
    if (order != 0) {
        return order;
    }
    return name->len < length ? -1 : name->len > length ? 1 : 0;
}

static bool in_table(struct str name, const char *const *table, size_t count)
{
    return bsearch(&name, table, count, sizeof(table[0]), compare_names) != NULL;
}

static struct py_binding external(struct str qualified)
{
    return (struct py_binding){.kind = PY_EXTERNAL, .qualified = qualified};
}

static struct str join_dotted(struct arena *a, struct str left, struct str right)
{
    if (left.len == 0) {
        return right;
    }
    return str_format(a, STR_FMT "." STR_FMT, STR_ARG(left), STR_ARG(right));
}

static struct py_binding whole_module(struct module *m)
{
    return (struct py_binding){.kind = PY_MODULE, .module = &m->pub, .qualified = m->dotted};
}

static struct py_binding definition(struct module *m, const struct ast_node *node)
{
    return (struct py_binding){
        .kind = node->kind == AST_CLASS_DEF ? PY_CLASS : PY_FUNCTION,
        .module = &m->pub,
        .node = node,
    };
}

/* What was left out may be what is asked for. */
static void tell_asked(const struct module *m, struct str name)
{
    const struct py_program *p = m->pub.program;
    if (p->ask != NULL) {
        p->ask(p->skip_context, name);
    }
}

/* `name` of the module or package `m`, as an attribute or a from-import sees it. */
static struct py_binding member(struct module *m, struct str name)
{
    tell_asked(m, name);
    bind_module(m);
    struct py_binding found = {.kind = PY_UNBOUND, .module = &m->pub};
    if (map_has(&m->sites, name) || m->star_modules.count > 0) {
        found = bind_lookup(m, name, SEQUENCE_END);
    }
    if (found.kind == PY_UNBOUND || found.kind == PY_BUILTIN) {
        struct module *submodule = import_submodule(m, name);
        if (submodule != NULL) {
            return whole_module(submodule);
        }
        found.kind = PY_UNBOUND;
    }
    return found;
}

static struct py_binding import_binding(struct module *m, const struct site *site)
{
    struct arena *a = m->pub.program->arena;
    const struct str dotted = site->alias->u.alias.name;
    struct module *found = import_find(m, dotted, 0);
    const bool whole = site->alias->u.alias.asname.len > 0;
    if (found == NULL) {
        return external(whole ? str_copy(a, dotted) : site->name);
    }
    if (!whole) {
        found = import_find(m, site->name, 0); /* `import a.b` binds a */
    }
    return found == NULL ? external(site->name) : whole_module(found);
}

static struct py_binding import_from_binding(struct module *m, const struct site *site)
{
    struct arena *a = m->pub.program->arena;
    const struct str name = site->alias->u.alias.name;
    const struct str module = site->node->u.import.module;
    struct module *found = import_find(m, module, site->node->u.import.level);
    if (found == NULL) {
        return external(join_dotted(a, module, name));
    }
    return member(found, name);
}

/* A value's binding: constant, another name for something, perhaps a type, or host data. */
static struct py_binding value_binding(struct module *m, const struct ast_node *node,
                                       uint32_t sequence)
{
    struct py_binding binding = {.kind = PY_HOST, .module = &m->pub, .node = node};
    if (evaluate_at(m, node, sequence, &binding.value)) {
        binding.kind = PY_CONSTANT;
        return binding;
    }
    switch (node->kind) {
    case AST_NAME:
    case AST_ATTRIBUTE: {
        const struct py_binding target = bind_resolve(m, node, sequence);
        if (target.kind == PY_FUNCTION || target.kind == PY_CLASS || target.kind == PY_MODULE) {
            return target;
        }
        binding.kind = target.kind == PY_UNBOUND || target.kind == PY_HOST ? PY_HOST : PY_ALIAS;
        break;
    }
    case AST_SUBSCRIPT:
    case AST_BIN_OP:
    case AST_IF_EXP: binding.kind = PY_ALIAS; break;
    default: break;
    }
    return binding;
}

/* The part of a value that an unpacking assignment gives to a name. */
static struct py_binding unpacked_binding(struct module *m, const struct site *site)
{
    const struct ast_node *node = site->node;
    int depth = 0;
    while (depth < site->path_length && (node->kind == AST_TUPLE || node->kind == AST_LIST)) {
        const struct ast_seq elts = node->u.seq.elts;
        const size_t index = (size_t)site->path[depth];
        bool star = index >= elts.count;
        for (size_t i = 0; i < elts.count; i++) {
            star = star || elts.items[i]->kind == AST_STARRED;
        }
        if (star) {
            return (struct py_binding){.kind = PY_HOST, .module = &m->pub, .node = site->node};
        }
        node = elts.items[index];
        depth++;
    }
    struct py_binding binding = value_binding(m, node, site->sequence);
    for (; depth < site->path_length; depth++) {
        const struct py_value value = binding.value;
        const size_t index = (size_t)site->path[depth];
        if (binding.kind != PY_CONSTANT || value.kind != PY_VALUE_TUPLE ||
            index >= value.item_count) {
            return (struct py_binding){.kind = PY_HOST, .module = &m->pub, .node = site->node};
        }
        binding.value = value.items[index];
    }
    return binding;
}

static struct py_binding augmented_binding(struct module *m, const struct site *site)
{
    struct py_binding binding = {.kind = PY_HOST, .module = &m->pub, .node = site->node};
    const struct py_binding before = bind_lookup(m, site->name, site->sequence);
    struct py_value right;
    if (before.kind == PY_CONSTANT &&
        evaluate_at(m, site->node->u.aug_assign.value, site->sequence, &right) &&
        evaluate_binary(m->pub.program->arena, site->node->u.aug_assign.op, &before.value, &right,
                        &binding.value)) {
        binding.kind = PY_CONSTANT;
        binding.node = site->node->u.aug_assign.value;
    }
    return binding;
}

static struct py_binding site_binding(struct module *m, const struct site *site)
{
    switch (site->kind) {
    case SITE_DEFINITION: return definition(m, site->node);
    case SITE_VALUE:
        return site->path_length > 0 ? unpacked_binding(m, site)
                                     : value_binding(m, site->node, site->sequence);
    case SITE_AUGMENTED: return augmented_binding(m, site);
    case SITE_IMPORT: return import_binding(m, site);
    case SITE_IMPORT_FROM: return import_from_binding(m, site);
    case SITE_STAR: return member(site->module, site->name);
    case SITE_HOST: break;
    case SITE_DELETED: return (struct py_binding){.kind = PY_UNBOUND, .module = &m->pub};
    }
    return (struct py_binding){.kind = PY_HOST, .module = &m->pub, .node = site->node};
}

/* A name that no statement of the module binds. */
static struct py_binding unbound_name(struct module *m, struct str name)
{
    struct arena *a = m->pub.program->arena;
    const bool builtin = in_table(name, builtins, sizeof(builtins) / sizeof(builtins[0]));
    for (size_t i = m->star_modules.count; i > 0; i--) {
        const struct str module = *(const struct str *)m->star_modules.items[i - 1];
        const bool is_math = str_equal_c(module, "math");
        if (is_math ? in_table(name, math_names, sizeof(math_names) / sizeof(math_names[0]))
                    : !builtin) {
            return external(join_dotted(a, module, name));
        }
    }
    if (builtin) {
        return (struct py_binding){.kind = PY_BUILTIN, .qualified = name};
    }
    return (struct py_binding){.kind = PY_UNBOUND, .module = &m->pub};
}

struct py_binding bind_lookup(struct module *m, struct str name, uint32_t sequence)
{
    tell_asked(m, name);
    bind_module(m);
    struct site *site = map_get(&m->sites, name);
    while (site != NULL && site->sequence >= sequence) {
        /* The chain is made of sites of this module, which are never const. */
        site = (struct site *)(uintptr_t)site->older;
    }
    if (site == NULL) {
        return unbound_name(m, name);
    }
    struct py_program *p = m->pub.program;
    if (site->state == SITE_BUSY || (site->state == SITE_NEW && p->following == MAX_FOLLOWED)) {
        return (struct py_binding){.kind = PY_HOST, .module = &m->pub, .node = site->node};
    }
    if (site->state == SITE_NEW) {
        site->state = SITE_BUSY;
        p->following++;
        struct py_binding binding = site_binding(m, site);
        p->following--;
        const bool named =
            binding.kind == PY_CONSTANT || binding.kind == PY_ALIAS || binding.kind == PY_HOST;
        if (named && binding.qualified.len == 0) {
            binding.qualified = name;
        }
        if (binding.kind == PY_CONSTANT && binding.module == &m->pub &&
            map_has(&m->globals, name)) {
            binding.kind = PY_HOST; /* a function may assign to it */
        }
        site->binding = binding;
        site->state = SITE_DONE;
    }
    return site->binding;
}

struct py_binding bind_resolve(struct module *m, const struct ast_node *expr, uint32_t sequence)
{
    if (expr->kind == AST_NAME) {
        return bind_lookup(m, expr->u.name.id, sequence);
    }
    const struct py_binding nothing = {.kind = PY_UNBOUND, .module = &m->pub};
    if (expr->kind != AST_ATTRIBUTE) {
        return nothing;
    }
    struct py_binding base = bind_resolve(m, expr->u.attribute.value, sequence);
    const struct str attr = expr->u.attribute.attr;
    for (int hops = 0; base.kind == PY_ALIAS && hops < 16; hops++) {
        base = bind_resolve(module_of(base.module), base.node, SEQUENCE_END);
    }
    if (base.kind == PY_MODULE) {
        return member(module_of(base.module), attr);
    }
    if (base.kind == PY_EXTERNAL) {
        return external(join_dotted(m->pub.program->arena, base.qualified, attr));
    }
    return nothing;
}

struct py_binding py_lookup(const struct py_module *m, struct str name)
{
    return bind_lookup(module_of(m), name, SEQUENCE_END);
}

struct py_binding py_resolve(const struct py_module *m, const struct ast_node *expr)
{
    return bind_resolve(module_of(m), expr, SEQUENCE_END);
}

struct bound_after {
    struct module *m;
    uint32_t at; /* where the default begins, in bytes */
    struct str name;
};

/* An import repeated changes nothing. */
static bool same_external(struct py_binding x, struct py_binding y)
{
    return x.kind == y.kind && x.kind == PY_EXTERNAL && str_equal(x.qualified, y.qualified);
}

static void find_bound_after(void *context, const struct ast_node *node)
{
    struct bound_after *b = context;
    if (node->kind == AST_NAME) {
        const struct str name = node->u.name.id;
        const struct site *first = NULL; /* below */
        for (const struct site *site = map_get(&b->m->sites, name);
             site != NULL && site->node != NULL && site->node->span.start_byte > b->at;
             site = site->older) {
            first = site;
        }
        if (first != NULL && !same_external(bind_lookup(b->m, name, first->sequence),
                                            bind_lookup(b->m, name, SEQUENCE_END))) {
            b->name = name;
        }
    }
    ast_for_each_child(node, find_bound_after, context);
}

struct str py_bound_after(const struct py_module *m, const struct ast_node *expr)
{
    struct bound_after b = {module_of(m), expr->span.start_byte, {0}};
    bind_module(b.m);
    find_bound_after(&b, expr);
    return b.name;
}
