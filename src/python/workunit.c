/* workunit: pykokkos' decorators, and the workunits of a file. */
#include "python/program.h"

static enum py_decorator decorator_kind(struct str qualified)
{
    static const struct {
        const char *name;
        enum py_decorator decorator;
    } names[] = {
        {"pykokkos.workunit", PY_DECORATOR_WORKUNIT},
        {"pykokkos.function", PY_DECORATOR_FUNCTION},
        {"pykokkos.functor", PY_DECORATOR_FUNCTOR},
        {"pykokkos.workload", PY_DECORATOR_WORKLOAD},
        {"pykokkos.classtype", PY_DECORATOR_CLASSTYPE},
        {"pykokkos.main", PY_DECORATOR_MAIN},
        {"pykokkos.callback", PY_DECORATOR_CALLBACK},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (str_equal_c(qualified, names[i].name)) {
            return names[i].decorator;
        }
    }
    return PY_DECORATOR_NONE;
}

enum py_decorator py_decorator_of(const struct py_module *m, const struct ast_node *definition,
                                  const struct ast_node **call)
{
    if (call != NULL) {
        *call = NULL;
    }
    struct ast_seq decorators = {NULL, 0};
    if (definition->kind == AST_CLASS_DEF) {
        decorators = definition->u.class_def.decorators;
    } else if (definition->kind == AST_FUNCTION_DEF || definition->kind == AST_ASYNC_FUNCTION_DEF) {
        decorators = definition->u.function.decorators;
    }
    for (size_t i = 0; i < decorators.count; i++) {
        const struct ast_node *name = decorators.items[i];
        const struct ast_node *arguments = NULL;
        if (name->kind == AST_CALL) {
            arguments = name;
            name = name->u.call.func;
        }
        struct py_binding binding = py_resolve(m, name);
        for (int hops = 0; binding.kind == PY_ALIAS && hops < 8; hops++) {
            binding = py_resolve(binding.module, binding.node);
        }
        const enum py_decorator decorator =
            binding.kind == PY_EXTERNAL ? decorator_kind(binding.qualified) : PY_DECORATOR_NONE;
        if (decorator != PY_DECORATOR_NONE) {
            if (call != NULL) {
                *call = arguments;
            }
            return decorator;
        }
    }
    return PY_DECORATOR_NONE;
}

struct ast_seq py_body(const struct ast_node *function)
{
    struct ast_seq body =
        function->kind == AST_CLASS_DEF ? function->u.class_def.body : function->u.function.body;
    if (body.count > 0 && body.items[0]->kind == AST_EXPR) {
        const struct ast_node *value = body.items[0]->u.value.value;
        if (value->kind == AST_CONSTANT && value->u.constant.value.kind == PY_VALUE_STR) {
            body.items++;
            body.count--;
        }
    }
    return body;
}

/* A list of workunits under construction. */
struct collector {
    struct module *m;
    struct arena *arena;
    struct vec found; /* struct py_workunit * */
};

static void add_workunit(struct collector *c, const struct py_module *where,
                         const struct ast_node *node, const struct ast_node *class_node,
                         enum py_style style)
{
    struct py_workunit *w = ARENA_NEW(c->arena, struct py_workunit);
    w->module = where;
    w->node = node;
    w->class_node = class_node;
    w->style = style;
    w->name = node->u.function.name;
    w->qualified = class_node == NULL
                       ? w->name
                       : str_format(c->arena, STR_FMT "." STR_FMT,
                                    STR_ARG(class_node->u.class_def.name), STR_ARG(w->name));
    vec_push(&c->found, w);
}

static bool is_workunit(const struct py_module *m, const struct ast_node *node)
{
    return node->kind == AST_FUNCTION_DEF &&
           py_decorator_of(m, node, NULL) == PY_DECORATOR_WORKUNIT;
}

/* For each method's name, one more than the index of its last definition, which is the one that
 * counts. */
static void find_last(struct map *last, struct arena *a, struct ast_seq body)
{
    map_init(last, a);
    for (size_t i = 0; i < body.count; i++) {
        if (body.items[i]->kind == AST_FUNCTION_DEF) {
            map_set(last, body.items[i]->u.function.name, (void *)(uintptr_t)(i + 1));
        }
    }
}

/* The class's own workunits in source order, then those of its bases that it does not replace. */
static void collect_class(struct collector *c, const struct py_module *m,
                          const struct ast_node *class_node, const struct ast_node *outer,
                          enum py_style style, struct map *seen, int depth)
{
    const struct ast_seq body = class_node->u.class_def.body;
    struct map last;
    find_last(&last, c->arena, body);
    for (size_t i = 0; i < body.count; i++) {
        const struct ast_node *node = body.items[i];
        if (node->kind != AST_FUNCTION_DEF) {
            continue;
        }
        const struct str name = node->u.function.name;
        const bool is_last = (size_t)(uintptr_t)map_get(&last, name) == i + 1;
        if (!is_last) {
            if (is_workunit(m, node)) {
                py_warning(m, node, STR(""),
                           str_format(c->arena,
                                      "the method '" STR_FMT "' is defined again below; this one "
                                      "is not used",
                                      STR_ARG(name)),
                           STR(""));
            }
            continue;
        }
        if (!map_has(seen, name)) {
            map_set(seen, name, (void *)(uintptr_t)node);
            if (is_workunit(m, node)) {
                add_workunit(c, m, node, outer, style);
            }
        }
    }
    for (size_t i = 0; depth < 32 && i < class_node->u.class_def.bases.count; i++) {
        const struct py_binding base = py_resolve(m, class_node->u.class_def.bases.items[i]);
        if (base.kind == PY_CLASS && base.node != class_node) {
            collect_class(c, base.module, base.node, outer, style, seen, depth + 1);
        }
    }
}

static void collect_definition(struct collector *c, const struct ast_node *node)
{
    const struct py_module *m = &c->m->pub;
    if (node->kind == AST_FUNCTION_DEF) {
        if (!is_workunit(m, node)) {
            return;
        }
        const struct site *newest = map_get(&c->m->sites, node->u.function.name);
        if (newest != NULL && newest->node != node) {
            py_warning(m, node, STR(""),
                       str_format(c->arena,
                                  "'" STR_FMT "' is bound again below (line %d); this workunit is "
                                  "not used",
                                  STR_ARG(node->u.function.name), newest->node->span.line),
                       STR("rename one of them"));
            return;
        }
        add_workunit(c, m, node, NULL, PY_STANDALONE);
        return;
    }
    const enum py_decorator decorator = py_decorator_of(m, node, NULL);
    if (decorator != PY_DECORATOR_FUNCTOR && decorator != PY_DECORATOR_WORKLOAD) {
        return;
    }
    const struct site *newest = map_get(&c->m->sites, node->u.class_def.name);
    if (newest != NULL && newest->node != node) {
        return;
    }
    const void *address = node;
    map_set(&m->program->owners, str_copy(c->arena, pointer_key(&address)), c->m);
    struct map seen;
    map_init(&seen, c->arena);
    collect_class(c, m, node, node, decorator == PY_DECORATOR_FUNCTOR ? PY_FUNCTOR : PY_WORKLOAD,
                  &seen, 0);
}

static void collect_body(struct collector *c, struct ast_seq body)
{
    for (size_t i = 0; i < body.count; i++) {
        const struct ast_node *node = body.items[i];
        if (node == NULL) {
            continue;
        }
        switch (node->kind) {
        case AST_FUNCTION_DEF:
        case AST_CLASS_DEF: collect_definition(c, node); break;
        case AST_IF:
            collect_body(c, node->u.branch.body);
            collect_body(c, node->u.branch.orelse);
            break;
        case AST_TRY:
        case AST_TRY_STAR:
            collect_body(c, node->u.try_stmt.body);
            for (size_t j = 0; j < node->u.try_stmt.handlers.count; j++) {
                collect_body(c, node->u.try_stmt.handlers.items[j]->u.other.children);
            }
            collect_body(c, node->u.try_stmt.orelse);
            collect_body(c, node->u.try_stmt.finalbody);
            break;
        case AST_WITH: collect_body(c, node->u.with.body); break;
        default: break;
        }
    }
}

const struct py_workunit *py_workunits(const struct py_module *pub, size_t *count)
{
    struct module *m = module_of(pub);
    if (!m->has_workunits) {
        m->has_workunits = true;
        bind_module(m);
        struct collector c = {.m = m, .arena = pub->program->arena};
        vec_init(&c.found, c.arena);
        collect_body(&c, pub->tree->u.module.body);
        m->workunits = ARENA_ARRAY(c.arena, struct py_workunit, c.found.count);
        for (size_t i = 0; i < c.found.count; i++) {
            m->workunits[i] = *(const struct py_workunit *)c.found.items[i];
        }
        m->workunit_count = c.found.count;
    }
    *count = m->workunit_count;
    return m->workunits;
}

/* ---- host methods --------------------------------------------------------------------------- */

static void collect_hosts(struct collector *c, const struct py_module *m,
                          const struct ast_node *class_node, const struct ast_node *outer,
                          struct map *seen, int depth)
{
    const struct ast_seq body = class_node->u.class_def.body;
    struct map last;
    find_last(&last, c->arena, body);
    for (size_t i = 0; i < body.count; i++) {
        const struct ast_node *node = body.items[i];
        if (node->kind != AST_FUNCTION_DEF || map_has(seen, node->u.function.name) ||
            (size_t)(uintptr_t)map_get(&last, node->u.function.name) != i + 1) {
            continue;
        }
        map_set(seen, node->u.function.name, seen);
        const enum py_decorator decorator = py_decorator_of(m, node, NULL);
        if (decorator == PY_DECORATOR_MAIN || decorator == PY_DECORATOR_CALLBACK) {
            add_workunit(c, m, node, outer, PY_WORKLOAD);
        }
    }
    for (size_t i = 0; depth < 32 && i < class_node->u.class_def.bases.count; i++) {
        const struct py_binding base = py_resolve(m, class_node->u.class_def.bases.items[i]);
        if (base.kind == PY_CLASS && base.node != class_node) {
            collect_hosts(c, base.module, base.node, outer, seen, depth + 1);
        }
    }
}

const struct py_workunit *py_host_methods(const struct py_module *m,
                                          const struct ast_node *class_node, size_t *count)
{
    struct collector c = {.m = module_of(m), .arena = m->program->arena};
    struct map seen;
    vec_init(&c.found, c.arena);
    map_init(&seen, c.arena);
    collect_hosts(&c, &class_owner(c.m, class_node)->pub, class_node, class_node, &seen, 0);
    struct py_workunit *list = ARENA_ARRAY(c.arena, struct py_workunit, c.found.count);
    for (size_t i = 0; i < c.found.count; i++) {
        list[i] = *(const struct py_workunit *)c.found.items[i];
    }
    *count = c.found.count;
    return list;
}
