/*
 * bind: what the names of a module's top level mean.
 *
 * Each binding statement makes a site. A use after the module has run sees a name's newest site;
 * a value's own expression sees those that are older than it, as it would when the module runs.
 *
 * - The branches of an `if` whose test is constant: only the one that runs. `TYPE_CHECKING` and
 *   `__name__ == "__main__"`: only names that nothing else binds.
 * - `except` handlers are fallbacks: they bind only names that nothing before them binds.
 * - What a loop binds, or what a function declares `global`, is not constant.
 */
#include "python/number.h"
#include "python/program.h"

struct binder {
    struct module *m;
    struct arena *arena;
    bool weak; /* binds only what is not bound yet */
    bool host; /* in a loop or a match: values are not constant */
};

static void bind_body(struct binder *b, struct ast_seq body);

static struct site *add_site(struct binder *b, enum site_kind kind, struct str name,
                             const struct ast_node *node)
{
    struct site *older = map_get(&b->m->sites, name);
    if (b->weak && older != NULL) {
        return NULL;
    }
    struct site *site = ARENA_NEW(b->arena, struct site);
    site->kind = kind;
    site->sequence = ++b->m->sequence;
    site->name = name;
    site->node = node;
    site->older = older;
    map_set(&b->m->sites, name, site);
    return site;
}

/* Binds the names of a target to `value`, or to parts of it. */
static void bind_target(struct binder *b, const struct ast_node *target,
                        const struct ast_node *value, const int *path, int length)
{
    if (target->kind == AST_NAME) {
        struct site *site = add_site(b, value == NULL || b->host ? SITE_HOST : SITE_VALUE,
                                     target->u.name.id, value == NULL ? target : value);
        if (site != NULL) {
            site->path = path;
            site->path_length = length;
        }
        return;
    }
    if (target->kind == AST_STARRED) {
        bind_target(b, target->u.value.value, NULL, NULL, 0);
        return;
    }
    if (target->kind != AST_TUPLE && target->kind != AST_LIST) {
        return;
    }
    const struct ast_seq elts = target->u.seq.elts;
    bool star = false;
    for (size_t i = 0; i < elts.count; i++) {
        star = star || elts.items[i]->kind == AST_STARRED;
    }
    for (size_t i = 0; i < elts.count; i++) {
        const bool known = value != NULL && !star && length < 8;
        int *inner = NULL;
        if (known) {
            inner = ARENA_ARRAY(b->arena, int, (size_t)length + 1);
            for (int j = 0; j < length; j++) {
                inner[j] = path[j];
            }
            inner[length] = (int)i;
        }
        bind_target(b, elts.items[i], known ? value : NULL, inner, known ? length + 1 : 0);
    }
}

static void bind_import(struct binder *b, const struct ast_node *node)
{
    for (size_t i = 0; i < node->u.import.names.count; i++) {
        const struct ast_node *alias = node->u.import.names.items[i];
        struct str name = alias->u.alias.asname;
        if (name.len == 0) {
            name = alias->u.alias.name;
            for (size_t j = 0; j < name.len; j++) {
                if (name.ptr[j] == '.') {
                    name = str_slice(name, 0, j);
                }
            }
        }
        struct site *site = add_site(b, SITE_IMPORT, name, node);
        if (site != NULL) {
            site->alias = alias;
        }
    }
}

static bool star_exports(struct module *from, struct str name)
{
    return map_get(&from->sites, name) != NULL && !str_starts_with(name, "_");
}

/* `from m import *`: the names of __all__, else those without a leading underscore. */
static void bind_star(struct binder *b, const struct ast_node *node)
{
    struct module *from = import_find(b->m, node->u.import.module, node->u.import.level);
    if (from == NULL) {
        struct str *module = ARENA_NEW(b->arena, struct str);
        *module = node->u.import.module;
        vec_push(&b->m->star_modules, module);
        return;
    }
    bind_module(from);
    const struct site *all = map_get(&from->sites, STR("__all__"));
    const struct ast_node *list = all != NULL && all->kind == SITE_VALUE ? all->node : NULL;
    if (list != NULL && (list->kind == AST_LIST || list->kind == AST_TUPLE)) {
        for (size_t i = 0; i < list->u.seq.elts.count; i++) {
            const struct ast_node *item = list->u.seq.elts.items[i];
            if (item->kind == AST_CONSTANT && item->u.constant.value.kind == PY_VALUE_STR) {
                struct site *site = add_site(b, SITE_STAR, item->u.constant.value.text, node);
                if (site != NULL) {
                    site->module = from;
                }
            }
        }
        return;
    }
    for (size_t i = 0; i < from->sites.count; i++) {
        const struct str name = from->sites.entries[i].key;
        struct site *site = star_exports(from, name) ? add_site(b, SITE_STAR, name, node) : NULL;
        if (site != NULL) {
            site->module = from;
        }
    }
    for (size_t i = 0; i < from->star_modules.count; i++) {
        vec_push(&b->m->star_modules, from->star_modules.items[i]);
    }
}

static void bind_import_from(struct binder *b, const struct ast_node *node)
{
    for (size_t i = 0; i < node->u.import.names.count; i++) {
        const struct ast_node *alias = node->u.import.names.items[i];
        if (str_equal_c(alias->u.alias.name, "*")) {
            bind_star(b, node);
            continue;
        }
        const struct str name =
            alias->u.alias.asname.len > 0 ? alias->u.alias.asname : alias->u.alias.name;
        struct site *site = add_site(b, SITE_IMPORT_FROM, name, node);
        if (site != NULL) {
            site->alias = alias;
        }
    }
}

static bool is_name(const struct ast_node *node, const char *name)
{
    return node->kind == AST_NAME && str_equal_c(node->u.name.id, name);
}

/* `TYPE_CHECKING`, `typing.TYPE_CHECKING`, `__name__ == …`: not run when the module is imported. */
static bool is_not_run(const struct ast_node *test)
{
    if (test->kind == AST_COMPARE) {
        return is_name(test->u.compare.left, "__name__");
    }
    return is_name(test, "TYPE_CHECKING") ||
           (test->kind == AST_ATTRIBUTE && str_equal_c(test->u.attribute.attr, "TYPE_CHECKING"));
}

static void bind_if(struct binder *b, const struct ast_node *node)
{
    const bool weak = b->weak;
    struct py_value value;
    bool runs = false;
    if (is_not_run(node->u.branch.test)) {
        bind_body(b, node->u.branch.orelse);
        b->weak = true;
        bind_body(b, node->u.branch.body);
        b->weak = weak;
    } else if (evaluate_at(b->m, node->u.branch.test, b->m->sequence + 1, &value) &&
               number_truth(&value, &runs)) {
        bind_body(b, runs ? node->u.branch.body : node->u.branch.orelse);
    } else {
        bind_body(b, node->u.branch.body);
        bind_body(b, node->u.branch.orelse);
    }
}

static void bind_try(struct binder *b, const struct ast_node *node)
{
    const bool weak = b->weak;
    bind_body(b, node->u.try_stmt.body);
    bind_body(b, node->u.try_stmt.orelse);
    b->weak = true;
    for (size_t i = 0; i < node->u.try_stmt.handlers.count; i++) {
        const struct ast_node *handler = node->u.try_stmt.handlers.items[i];
        if (handler->kind == AST_EXCEPT_HANDLER) {
            bind_body(b, handler->u.other.children);
        }
    }
    b->weak = weak;
    bind_body(b, node->u.try_stmt.finalbody);
}

static void bind_loop(struct binder *b, const struct ast_node *node)
{
    const bool host = b->host;
    b->host = true;
    if (node->kind == AST_WHILE) {
        bind_body(b, node->u.branch.body);
        bind_body(b, node->u.branch.orelse);
    } else {
        bind_target(b, node->u.for_loop.target, NULL, NULL, 0);
        bind_body(b, node->u.for_loop.body);
        bind_body(b, node->u.for_loop.orelse);
    }
    b->host = host;
}

static void bind_with(struct binder *b, const struct ast_node *node)
{
    for (size_t i = 0; i < node->u.with.items.count; i++) {
        const struct ast_node *item = node->u.with.items.items[i];
        if (item->kind == AST_WITH_ITEM && item->u.other.children.items[1] != NULL) {
            bind_target(b, item->u.other.children.items[1], NULL, NULL, 0);
        }
    }
    bind_body(b, node->u.with.body);
}

static void bind_pattern_names(void *context, const struct ast_node *node)
{
    struct binder *b = context;
    if (node->kind == AST_PATTERN) {
        const struct str text = node->u.other.text;
        size_t colon = 0;
        while (colon < text.len && text.ptr[colon] != ':') {
            colon++;
        }
        if (colon < text.len && !str_starts_with(text, "MatchClass")) {
            add_site(b, SITE_HOST, str_slice(text, colon + 1, text.len), node);
        }
        ast_for_each_child(node, bind_pattern_names, b);
    }
}

static void bind_match(struct binder *b, const struct ast_node *node)
{
    const bool host = b->host;
    b->host = true;
    for (size_t i = 2; i < node->u.other.children.count; i++) {
        const struct ast_node *clause = node->u.other.children.items[i];
        if (clause->kind == AST_MATCH_CASE) {
            bind_pattern_names(b, clause->u.other.children.items[0]);
            bind_body(b, clause->u.other.children);
        }
    }
    b->host = host;
}

static void bind_statement(struct binder *b, const struct ast_node *node)
{
    switch (node->kind) {
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF: add_site(b, SITE_DEFINITION, node->u.function.name, node); break;
    case AST_CLASS_DEF: add_site(b, SITE_DEFINITION, node->u.class_def.name, node); break;
    case AST_ASSIGN:
        for (size_t i = 0; i < node->u.assign.targets.count; i++) {
            bind_target(b, node->u.assign.targets.items[i], node->u.assign.value, NULL, 0);
        }
        break;
    case AST_ANN_ASSIGN:
        if (node->u.ann_assign.value != NULL) {
            bind_target(b, node->u.ann_assign.target, node->u.ann_assign.value, NULL, 0);
        }
        break;
    case AST_AUG_ASSIGN:
        if (node->u.aug_assign.target->kind == AST_NAME) {
            add_site(b, b->host ? SITE_HOST : SITE_AUGMENTED, node->u.aug_assign.target->u.name.id,
                     node);
        }
        break;
    case AST_DELETE:
        for (size_t i = 0; i < node->u.assign.targets.count; i++) {
            const struct ast_node *target = node->u.assign.targets.items[i];
            if (target->kind == AST_NAME) {
                add_site(b, SITE_DELETED, target->u.name.id, target);
            }
        }
        break;
    case AST_TYPE_ALIAS: {
        const struct ast_seq children = node->u.other.children;
        if (children.items[0]->kind == AST_NAME) {
            add_site(b, SITE_VALUE, children.items[0]->u.name.id,
                     children.items[children.count - 1]);
        }
        break;
    }
    case AST_EXPR:
        if (node->u.value.value->kind == AST_NAMED_EXPR) {
            bind_target(b, node->u.value.value->u.named_expr.target, NULL, NULL, 0);
        }
        break;
    case AST_IMPORT: bind_import(b, node); break;
    case AST_IMPORT_FROM: bind_import_from(b, node); break;
    case AST_IF: bind_if(b, node); break;
    case AST_TRY:
    case AST_TRY_STAR: bind_try(b, node); break;
    case AST_FOR:
    case AST_ASYNC_FOR:
    case AST_WHILE: bind_loop(b, node); break;
    case AST_WITH:
    case AST_ASYNC_WITH: bind_with(b, node); break;
    case AST_MATCH: bind_match(b, node); break;
    default: break;
    }
}

static void bind_body(struct binder *b, struct ast_seq body)
{
    for (size_t i = 0; i < body.count; i++) {
        if (body.items[i] != NULL) {
            bind_statement(b, body.items[i]);
        }
    }
}

void bind_module(struct module *m)
{
    if (m->bind_state != SITE_NEW) {
        return; /* done, or a circular import, which sees what is there so far */
    }
    m->bind_state = SITE_BUSY;
    struct binder b = {.m = m, .arena = m->pub.program->arena};
    bind_body(&b, m->pub.tree->u.module.body);
    m->bind_state = SITE_DONE;
}
