/*
 * The names of a function, as Python sees them: a name bound anywhere in a function is local to
 * the whole function. Collected before it is lowered.
 */
#include "kernel/lower.h"

static struct low_variable *variable_new(struct low_scope *s, struct str name,
                                         const struct ast_node *first)
{
    struct low_variable *v = ARENA_NEW(s->unit->l->a, struct low_variable);

    v->scope = s;
    v->name = name;
    v->first = first;
    v->index = s->variables.count;
    vec_init(&v->loops, s->unit->l->a);
    vec_push(&s->variables, v);
    map_set(&s->names, name, v);
    return v;
}

struct low_scope *low_scope_new(struct low_unit *u, struct low_scope *parent,
                                const struct py_module *m, const struct ast_node *node,
                                struct ir_function *function)
{
    struct low_scope *s = ARENA_NEW(u->l->a, struct low_scope);

    s->unit = u;
    s->parent = parent;
    s->module = m;
    s->node = node;
    s->function = function;
    map_init(&s->names, u->l->a);
    vec_init(&s->variables, u->l->a);
    vec_init(&s->inners, u->l->a);
    vec_init(&s->parameters, u->l->a);
    vec_init(&s->temps, u->l->a);
    return s;
}

struct low_variable *low_scope_parameter(struct low_scope *s, struct str name,
                                         const struct ast_node *node, enum ir_var_kind kind)
{
    struct low_variable *v = variable_new(s, name, node);

    v->var = low_ir_var(s->unit->l, kind, name, NULL, s->function);
    v->maybe_negative = true;
    vec_push(&s->parameters, v);
    return v;
}

/* ---- collecting ----------------------------------------------------------------------------- */

static struct low_variable *bind(struct low_scope *s, struct str name, const struct ast_node *n)
{
    struct low_variable *v = map_get(&s->names, name);

    if (!v) {
        v = variable_new(s, name, n);
        v->var = low_ir_var(s->unit->l, VAR_LOCAL, name, NULL, s->function);
        v->only_literals = true;
    } else if (!v->var && !v->inner) {
        v->poisoned = true;
    }
    v->rebound = v->var && v->var->kind != VAR_LOCAL;
    return v;
}

static void poison(struct low_scope *s, struct str name, const struct ast_node *n)
{
    bind(s, name, n)->poisoned = true;
}

static void bind_target(struct low_scope *s, const struct ast_node *t)
{
    switch (t->kind) {
    case AST_NAME: bind(s, t->u.name.id, t); return;
    case AST_TUPLE:
    case AST_LIST:
        for (size_t i = 0; i < t->u.seq.elts.count; i++) {
            bind_target(s, t->u.seq.elts.items[i]);
        }
        return;
    case AST_STARRED: bind_target(s, t->u.value.value); return;
    default: return;
    }
}

static void poison_names(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.names.count; i++) {
        poison(s, n->u.names.names[i], n);
    }
}

static void poison_target(struct low_scope *s, const struct ast_node *t)
{
    if (t->kind == AST_NAME) {
        poison(s, t->u.name.id, t);
    }
}

static void poison_imports(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.import.names.count; i++) {
        const struct ast_node *alias = n->u.import.names.items[i];
        struct str name = alias->u.alias.asname.len ? alias->u.alias.asname : alias->u.alias.name;
        for (size_t k = 0; k < name.len; k++) {
            if (name.ptr[k] == '.') {
                name = str_slice(name, 0, k);
            }
        }
        poison(s, name, n);
    }
}

static void bind_nonlocal(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.names.count; i++) {
        struct low_variable *v = s->parent ? low_scope_find(s->parent, n->u.names.names[i]) : NULL;
        if (!v || map_has(&s->names, n->u.names.names[i])) {
            continue; /* said when the statement is lowered */
        }
        v->shared = true;
        v->captured = true;
        map_set(&s->names, n->u.names.names[i], v);
    }
}

static void bind_function(struct low_scope *s, const struct ast_node *n)
{
    struct low_inner *inner = ARENA_NEW(s->unit->l->a, struct low_inner);
    struct low_variable *v = map_get(&s->names, n->u.function.name);

    inner->name = v ? v : variable_new(s, n->u.function.name, n);
    if (v && v->inner) {
        inner->reported = true; /* two definitions of one name: said at the second */
    }
    inner->name->inner = inner;
    inner->scope = low_scope_new(s->unit, s, s->module, n, NULL);
    inner->scope->inner = inner;
    vec_init(&inner->needs, s->unit->l->a);
    vec_init(&inner->gives, s->unit->l->a);
    vec_push(&s->inners, inner);
}

static void find_walrus(void *context, const struct ast_node *n)
{
    struct low_scope *s = context;

    switch (n->kind) {
    case AST_NAMED_EXPR: poison_target(s, n->u.named_expr.target); break;
    case AST_FUNCTION_DEF:
    case AST_ASYNC_FUNCTION_DEF:
    case AST_CLASS_DEF:
    case AST_LAMBDA:
    case AST_LIST_COMP:
    case AST_SET_COMP:
    case AST_DICT_COMP:
    case AST_GENERATOR_EXP: return;
    default: break;
    }
    ast_for_each_child(n, find_walrus, s);
}

static void scan(struct low_scope *s, const struct ast_seq *body);

/* `global x` and `nonlocal x` hold for the whole function, wherever they stand. */
static void scan_declarations(void *context, const struct ast_node *n)
{
    struct low_scope *s = context;

    switch (n->kind) {
    case AST_NONLOCAL: bind_nonlocal(s, n); return;
    case AST_GLOBAL: poison_names(s, n); return;
    case AST_IF:
    case AST_WHILE:
    case AST_FOR:
    case AST_WITH:
    case AST_TRY: ast_for_each_child(n, scan_declarations, s); return;
    default: return;
    }
}

static void scan_stmt(struct low_scope *s, const struct ast_node *n)
{
    switch (n->kind) {
    case AST_ASSIGN:
        for (size_t i = 0; i < n->u.assign.targets.count; i++) {
            bind_target(s, n->u.assign.targets.items[i]);
        }
        break;
    case AST_AUG_ASSIGN: bind_target(s, n->u.aug_assign.target); break;
    case AST_ANN_ASSIGN: bind_target(s, n->u.ann_assign.target); break;
    case AST_FOR:
    case AST_ASYNC_FOR:
        bind_target(s, n->u.for_loop.target);
        scan(s, &n->u.for_loop.body);
        scan(s, &n->u.for_loop.orelse);
        return;
    case AST_IF:
    case AST_WHILE:
        find_walrus(s, n->u.branch.test);
        scan(s, &n->u.branch.body);
        scan(s, &n->u.branch.orelse);
        return;
    case AST_WITH:
    case AST_ASYNC_WITH:
        for (size_t i = 0; i < n->u.with.items.count; i++) {
            const struct ast_node *item = n->u.with.items.items[i];
            for (size_t k = 0; k < item->u.other.children.count; k++) {
                const struct ast_node *child = item->u.other.children.items[k];
                if (k && child) {
                    poison_target(s, child);
                }
            }
        }
        scan(s, &n->u.with.body);
        return;
    case AST_TRY:
    case AST_TRY_STAR:
        scan(s, &n->u.try_stmt.body);
        scan(s, &n->u.try_stmt.orelse);
        scan(s, &n->u.try_stmt.finalbody);
        return;
    case AST_FUNCTION_DEF: bind_function(s, n); return;
    case AST_ASYNC_FUNCTION_DEF: poison(s, n->u.function.name, n); return;
    case AST_CLASS_DEF: poison(s, n->u.class_def.name, n); return;
    case AST_IMPORT:
    case AST_IMPORT_FROM: poison_imports(s, n); return;
    default: break;
    }
    find_walrus(s, n);
}

static void scan(struct low_scope *s, const struct ast_seq *body)
{
    for (size_t i = 0; i < body->count; i++) {
        scan_stmt(s, body->items[i]);
    }
}

void low_scope_scan(struct low_scope *s)
{
    const struct ast_seq body = py_body(s->node);

    for (size_t i = 0; i < body.count; i++) {
        scan_declarations(s, body.items[i]);
    }
    scan(s, &body);
    for (size_t i = 0; i < s->inners.count; i++) {
        struct low_inner *inner = s->inners.items[i];
        const struct ast_node *args = inner->scope->node->u.function.args;
        const struct ast_seq *lists[3] = {&args->u.arguments.posonly, &args->u.arguments.args,
                                          &args->u.arguments.kwonly};
        inner->scope->self = s->self;
        inner->scope->self_class = s->self_class;
        inner->scope->self_class_node = s->self_class_node;
        inner->scope->self_class_module = s->self_class_module;
        inner->scope->self_name = s->self_name;
        for (size_t k = 0; k < 3; k++) {
            for (size_t p = 0; p < lists[k]->count; p++) {
                const struct ast_node *arg = lists[k]->items[p];
                low_scope_parameter(inner->scope, arg->u.arg.arg, arg, VAR_PARAMETER);
            }
        }
        low_scope_scan(inner->scope);
    }
}

struct low_variable *low_scope_find(struct low_scope *s, struct str name)
{
    for (; s; s = s->parent) {
        struct low_variable *v = map_get(&s->names, name);
        if (v) {
            return v;
        }
    }
    return NULL;
}

/* ---- one pass ------------------------------------------------------------------------------- */

void low_scope_begin(struct low_scope *s)
{
    s->temps.count = 0;
    s->flow = low_flow_new(s);
    s->loop = NULL;
    s->returns_value = false;
    s->returns_nothing = false;
    s->returned = false;
    s->nesting = 0;
    for (size_t i = 0; i < s->variables.count; i++) {
        struct low_variable *v = s->variables.items[i];
        v->used = false;
        v->read_outside = false;
        v->loop = NULL;
        v->loops.count = 0;
        v->last_loop = NULL;
        v->plain = NULL;
        if (v->var) {
            v->var->read_count = 0;
            v->var->captured = v->captured;
        }
    }
    for (size_t i = 0; i < s->parameters.count; i++) {
        struct low_variable *v = s->parameters.items[i];
        low_flow_assign(s, v);
    }
    for (size_t i = 0; i < s->inners.count; i++) {
        struct low_inner *inner = s->inners.items[i];
        inner->lowered = false;
        inner->running = false;
        inner->needs.count = 0;
        inner->gives.count = 0;
        low_scope_begin(inner->scope);
    }
}

/* May the variable be read after this loop without being set again? */
static bool used_after(const struct low_variable *v, const struct low_for *f)
{
    if (v->read_outside || v->captured) {
        return true;
    }
    for (f = f->outer; f; f = f->outer) {
        if (f->read) {
            return true;
        }
    }
    return false;
}

void low_scope_end(struct low_scope *s)
{
    for (size_t i = 0; i < s->variables.count; i++) {
        struct low_variable *v = s->variables.items[i];
        for (size_t k = 0; k < v->loops.count; k++) {
            struct low_for *f = v->loops.items[k];
            f->stmt->var_used_after = used_after(v, f);
            f->stmt->var_assigned_in_body |= v->shared;
        }
    }
    for (size_t i = 0; i < s->inners.count; i++) {
        low_scope_end(((struct low_inner *)s->inners.items[i])->scope);
    }
}

/* Python's meaning, but seldom the writer's: the loop has replaced what was assigned before. */
static void warn_overwritten(struct low_scope *s, struct low_variable *v, const struct ast_node *n)
{
    const struct low_for *f = v->last_loop;

    if (!f || !f->overwritten) {
        return;
    }
    v->last_loop = NULL; /* once is enough */
    low_warning(s, n, low_hint(s, "use another name in the loop"),
                STR_FMT " is the last value of the loop in line %d here, not that of line %d",
                STR_ARG(v->name), f->stmt->node->span.line, f->overwritten->span.line);
}

void low_variable_read(struct low_scope *s, struct low_variable *v, const struct ast_node *n)
{
    warn_overwritten(s, v, n);
    v->used = true;
    v->var->read_count++;
    if (v->scope != s) {
        v->captured = true;
        v->var->captured = true;
    }
    if (v->loop) {
        v->loop->read = true;
    } else {
        v->read_outside = true;
    }
}

void low_variable_assigned(struct low_scope *s, struct low_variable *v, const struct ast_node *n)
{
    v->used = true;
    v->var->assigned = true;
    if (n->kind != AST_FOR) {
        v->plain = n;
        v->last_loop = NULL;
    }
    for (struct low_for *f = v->loop; f; f = f->outer) {
        f->stmt->var_assigned_in_body = true;
    }
    if (v->scope == s) {
        low_flow_assign(s, v);
        return;
    }
    v->captured = true;
    v->var->captured = true;
    if (s->inner && !s->nesting && !s->returned && !s->flow.dead) {
        vec_push(&s->inner->gives, v);
    }
}

static const struct type *value_type(const struct ir_expr *value)
{
    switch (value->type->kind) {
    case TYPE_INT8:
    case TYPE_INT16:
    case TYPE_INT32:
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32: return type_scalar(TYPE_INT64);
    default: return value->type;
    }
}

static void set_type(struct low_scope *s, struct low_variable *v, const struct type *t)
{
    if (v->var->type && type_equal(v->var->type, t)) {
        return;
    }
    if (v->used) {
        s->unit->changed = true;
    }
    v->var->type = t;
}

/* A value that is not below 0, and still is not when the variable's narrow type has wrapped it. */
static bool stays_nonnegative(const struct low_variable *v, const struct ir_expr *value)
{
    if (!low_nonnegative(value)) {
        return false;
    }
    const enum type_kind kind = v->declared ? v->declared->kind : TYPE_INT64;
    if (kind != TYPE_INT8 && kind != TYPE_INT16 && kind != TYPE_INT32) {
        return true;
    }
    return low_range_of(value).high < (py_int128)1 << (8 * type_size(kind) - 1);
}

bool low_variable_widen(struct low_scope *s, struct low_variable *v, const struct ir_expr *value)
{
    if (!value->type) {
        return true;
    }
    const bool literal = low_is_int_constant(value) && value->integer >= 0;
    const struct type *was = v->var->type;

    if (!v->maybe_negative && type_is_scalar(value->type->kind) && !stays_nonnegative(v, value)) {
        v->maybe_negative = true;
        if (v->used) {
            s->unit->changed = true;
        }
    }
    v->var->nonnegative = !v->maybe_negative;
    if (v->fixed) {
        return true;
    }
    if (v->declared && type_is_scalar(v->declared->kind)) {
        set_type(s, v, v->declared);
        return true;
    }
    if (was && v->only_literals && !literal && value->type->kind == TYPE_UINT64) {
        set_type(s, v, value->type); /* literals adapt to uint64 */
        v->only_literals = false;
        return true;
    }
    if (was && literal && was->kind == TYPE_UINT64) {
        return true;
    }
    v->only_literals &= literal;
    const struct type *t = low_join(s, was, value_type(value));
    if (!t) {
        return false;
    }
    set_type(s, v, t);
    return true;
}
