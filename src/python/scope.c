/* scope: the names that a function binds, by Python's rules. */
#include "python/scope.h"

static void bind_name(struct scope *s, struct str name)
{
    if (name.len > 0 && !map_has(&s->global, name)) {
        map_set(&s->local, name, s);
    }
}

static void bind_target(struct scope *s, const struct ast_node *target)
{
    switch (target->kind) {
    case AST_NAME: bind_name(s, target->u.name.id); break;
    case AST_STARRED: bind_target(s, target->u.value.value); break;
    case AST_TUPLE:
    case AST_LIST:
        for (size_t i = 0; i < target->u.seq.elts.count; i++) {
            bind_target(s, target->u.seq.elts.items[i]);
        }
        break;
    default: break;
    }
}

static void bind_parameters(struct scope *s, const struct ast_node *args)
{
    const struct ast_seq lists[] = {args->u.arguments.posonly, args->u.arguments.args,
                                    args->u.arguments.kwonly};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (size_t j = 0; j < lists[i].count; j++) {
            if (lists[i].items[j]->kind == AST_ARG) {
                bind_name(s, lists[i].items[j]->u.arg.arg);
            }
        }
    }
    const struct ast_node *rest[] = {args->u.arguments.vararg, args->u.arguments.kwarg};
    for (size_t i = 0; i < 2; i++) {
        if (rest[i] != NULL) {
            bind_name(s, rest[i]->u.arg.arg);
        }
    }
}

static void bind_imports(struct scope *s, const struct ast_node *node)
{
    for (size_t i = 0; i < node->u.import.names.count; i++) {
        const struct ast_node *alias = node->u.import.names.items[i];
        struct str name =
            alias->u.alias.asname.len > 0 ? alias->u.alias.asname : alias->u.alias.name;
        size_t dot = 0;
        while (dot < name.len && name.ptr[dot] != '.') {
            dot++;
        }
        bind_name(s, str_slice(name, 0, dot));
    }
}

/* `global` first: a name that is declared so anywhere in the function is not local to it. */
static void visit_globals(void *context, const struct ast_node *node)
{
    struct scope *s = context;
    switch (node->kind) {
    case AST_GLOBAL:
    case AST_NONLOCAL:
        for (size_t i = 0; i < node->u.names.count; i++) {
            /* A nonlocal name belongs to an outer function's scope, which has it. */
            map_set(&s->global, node->u.names.names[i], s);
        }
        break;
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF:
    case AST_CLASS_DEF:
    case AST_EXPR:
    case AST_ASSIGN:
    case AST_AUG_ASSIGN:
    case AST_ANN_ASSIGN:
    case AST_RETURN: break;
    default: ast_for_each_child(node, visit_globals, s); break;
    }
}

static void visit_bindings(void *context, const struct ast_node *node)
{
    struct scope *s = context;
    switch (node->kind) {
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF: bind_name(s, node->u.function.name); return;
    case AST_CLASS_DEF: bind_name(s, node->u.class_def.name); return;
    case AST_LAMBDA:
    case AST_NAME:
    case AST_CONSTANT:
    case AST_ATTRIBUTE: return;
    case AST_ASSIGN:
        for (size_t i = 0; i < node->u.assign.targets.count; i++) {
            bind_target(s, node->u.assign.targets.items[i]);
        }
        break;
    case AST_DELETE:
        for (size_t i = 0; i < node->u.assign.targets.count; i++) {
            bind_target(s, node->u.assign.targets.items[i]);
        }
        return;
    case AST_AUG_ASSIGN: bind_target(s, node->u.aug_assign.target); break;
    case AST_ANN_ASSIGN: bind_target(s, node->u.ann_assign.target); break;
    case AST_FOR:
    case AST_ASYNC_FOR: bind_target(s, node->u.for_loop.target); break;
    case AST_NAMED_EXPR: bind_target(s, node->u.named_expr.target); break;
    case AST_WITH_ITEM:
        if (node->u.other.children.items[1] != NULL) {
            bind_target(s, node->u.other.children.items[1]);
        }
        break;
    case AST_EXCEPT_HANDLER: bind_name(s, node->u.other.text); break;
    case AST_PATTERN: {
        const struct str text = node->u.other.text;
        size_t colon = 0;
        while (colon < text.len && text.ptr[colon] != ':') {
            colon++;
        }
        if (colon < text.len && !str_starts_with(text, "MatchClass")) {
            bind_name(s, str_slice(text, colon + 1, text.len));
        }
        break;
    }
    case AST_IMPORT:
    case AST_IMPORT_FROM: bind_imports(s, node); return;
    default: break;
    }
    ast_for_each_child(node, visit_bindings, s);
}

static void scope_init(struct scope *s, struct arena *a, const struct scope *outer)
{
    s->outer = outer;
    map_init(&s->local, a);
    map_init(&s->global, a);
}

void scope_of_function(struct scope *s, struct arena *a, const struct ast_node *function,
                       const struct scope *outer)
{
    scope_init(s, a, outer);
    const struct ast_seq body = function->u.function.body;
    for (size_t i = 0; i < body.count; i++) {
        visit_globals(s, body.items[i]);
    }
    bind_parameters(s, function->u.function.args);
    for (size_t i = 0; i < body.count; i++) {
        visit_bindings(s, body.items[i]);
    }
}

void scope_of_expression(struct scope *s, struct arena *a, const struct ast_node *node,
                         const struct scope *outer)
{
    scope_init(s, a, outer);
    if (node->kind == AST_LAMBDA) {
        bind_parameters(s, node->u.lambda.args);
        return;
    }
    for (size_t i = 0; i < node->u.comp.generators.count; i++) {
        const struct ast_node *generator = node->u.comp.generators.items[i];
        if (generator->kind == AST_COMPREHENSION) {
            bind_target(s, generator->u.other.children.items[0]);
        }
    }
}

bool scope_has(const struct scope *s, struct str name)
{
    for (; s != NULL; s = s->outer) {
        if (map_has(&s->local, name)) {
            return true;
        }
        if (map_has(&s->global, name) && s->outer == NULL) {
            return false;
        }
    }
    return false;
}
