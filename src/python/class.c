/* class: the fields and methods of functor, workload and class types. */
#include "python/program.h"

/* The fields of one class while they are collected. */
struct fields {
    struct arena *arena;
    struct vec list; /* struct py_field * */
    struct map by_name;
    const struct py_module *module;
    struct str self; /* the first parameter of __init__ */
};

static void add_field(struct fields *f, struct str name, const struct ast_node *annotation,
                      const struct ast_node *node)
{
    struct py_field *known = map_get(&f->by_name, name);
    if (known != NULL) {
        /* Assigned more than once: where it stands first, with the annotation it has anywhere;
         * a class that annotates a base's field anew replaces its type. */
        if (annotation != NULL && (known->annotation == NULL || known->module != f->module)) {
            known->annotation = annotation;
            known->node = node;
            known->module = f->module;
        }
        return;
    }
    struct py_field *field = ARENA_NEW(f->arena, struct py_field);
    *field = (struct py_field){name, annotation, node, f->module};
    map_set(&f->by_name, name, field);
    vec_push(&f->list, field);
}

/* `self.x` */
static bool is_self_attribute(const struct fields *f, const struct ast_node *target)
{
    return target->kind == AST_ATTRIBUTE && target->u.attribute.value->kind == AST_NAME &&
           str_equal(target->u.attribute.value->u.name.id, f->self);
}

static void collect_statement(void *context, const struct ast_node *node)
{
    struct fields *f = context;
    switch (node->kind) {
    case AST_ANN_ASSIGN:
        if (is_self_attribute(f, node->u.ann_assign.target)) {
            add_field(f, node->u.ann_assign.target->u.attribute.attr, node->u.ann_assign.annotation,
                      node);
        }
        return;
    case AST_ASSIGN:
        for (size_t i = 0; i < node->u.assign.targets.count; i++) {
            const struct ast_node *target = node->u.assign.targets.items[i];
            if (is_self_attribute(f, target)) {
                add_field(f, target->u.attribute.attr, NULL, node);
            } else if (target->kind == AST_TUPLE || target->kind == AST_LIST) {
                for (size_t j = 0; j < target->u.seq.elts.count; j++) {
                    if (is_self_attribute(f, target->u.seq.elts.items[j])) {
                        add_field(f, target->u.seq.elts.items[j]->u.attribute.attr, NULL, node);
                    }
                }
            }
        }
        return;
    case AST_IF:
    case AST_FOR:
    case AST_WHILE:
    case AST_WITH:
    case AST_TRY:
    case AST_TRY_STAR:
    case AST_EXCEPT_HANDLER:
    case AST_MATCH:
    case AST_MATCH_CASE: ast_for_each_child(node, collect_statement, f); return;
    default: return;
    }
}

static void collect_fields(struct fields *f, const struct py_module *m,
                           const struct ast_node *class_node, int depth)
{
    const struct ast_seq bases = class_node->u.class_def.bases;
    for (size_t i = 0; depth < 32 && i < bases.count; i++) {
        const struct py_binding base = py_resolve(m, bases.items[i]);
        if (base.kind == PY_CLASS && base.node != class_node) {
            collect_fields(f, base.module, base.node, depth + 1);
        }
    }
    const struct ast_seq body = class_node->u.class_def.body;
    f->module = m;
    for (size_t i = 0; i < body.count; i++) {
        const struct ast_node *node = body.items[i];
        if (node->kind == AST_ANN_ASSIGN && node->u.ann_assign.target->kind == AST_NAME) {
            add_field(f, node->u.ann_assign.target->u.name.id, node->u.ann_assign.annotation, node);
        }
    }
    for (size_t i = 0; i < body.count; i++) {
        const struct ast_node *node = body.items[i];
        if (node->kind != AST_FUNCTION_DEF || !str_equal_c(node->u.function.name, "__init__")) {
            continue;
        }
        const struct ast_node *args = node->u.function.args;
        const struct ast_seq parameters = args->u.arguments.posonly.count > 0
                                              ? args->u.arguments.posonly
                                              : args->u.arguments.args;
        f->self = parameters.count > 0 ? parameters.items[0]->u.arg.arg : STR("self");
        const struct ast_seq statements = node->u.function.body;
        for (size_t j = 0; j < statements.count; j++) {
            collect_statement(f, statements.items[j]);
        }
    }
}

struct module *class_owner(struct module *m, const struct ast_node *class_node)
{
    const void *address = class_node;
    struct module *owner = map_get(&m->pub.program->owners, pointer_key(&address));
    return owner != NULL ? owner : m;
}

const struct py_field *py_class_fields(const struct py_module *pub,
                                       const struct ast_node *class_node, size_t *count)
{
    struct module *m = class_owner(module_of(pub), class_node);
    struct arena *a = pub->program->arena;
    const void *address = class_node;
    struct class_info *info = map_get(&m->classes, pointer_key(&address));
    if (info == NULL) {
        struct fields f = {.arena = a};
        vec_init(&f.list, a);
        map_init(&f.by_name, a);
        collect_fields(&f, &m->pub, class_node, 0);
        struct py_field *fields = ARENA_ARRAY(a, struct py_field, f.list.count);
        for (size_t i = 0; i < f.list.count; i++) {
            fields[i] = *(const struct py_field *)f.list.items[i];
        }
        info = ARENA_NEW(a, struct class_info);
        info->fields = fields;
        info->field_count = f.list.count;
        map_set(&m->classes, str_copy(a, pointer_key(&address)), info);
    }
    *count = info->field_count;
    return info->fields;
}

static const struct ast_node *find_method(const struct py_module *m,
                                          const struct ast_node *class_node, struct str name,
                                          const struct py_module **where, int depth)
{
    const struct ast_seq body = class_node->u.class_def.body;
    for (size_t i = body.count; i > 0; i--) {
        const struct ast_node *node = body.items[i - 1];
        if (node->kind == AST_FUNCTION_DEF && str_equal(node->u.function.name, name)) {
            if (where != NULL) {
                *where = m;
            }
            return node;
        }
    }
    const struct ast_seq bases = class_node->u.class_def.bases;
    for (size_t i = 0; depth < 32 && i < bases.count; i++) {
        const struct py_binding base = py_resolve(m, bases.items[i]);
        if (base.kind == PY_CLASS && base.node != class_node) {
            const struct ast_node *found =
                find_method(base.module, base.node, name, where, depth + 1);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

const struct ast_node *py_class_method(const struct py_module *m, const struct ast_node *class_node,
                                       struct str name, const struct py_module **where)
{
    return find_method(&class_owner(module_of(m), class_node)->pub, class_node, name, where, 0);
}
