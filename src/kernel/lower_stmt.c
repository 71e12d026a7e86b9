/* Statements, except assignment and loops. */
#include "kernel/lower.h"

static struct ir_block lower_branch(struct low_scope *s, const struct ast_seq *body)
{
    struct vec block;
    struct vec *outer = low_block_begin(s, &block);

    s->nesting++;
    low_body(s, body);
    s->nesting--;
    low_block_end(s, outer);
    return low_block(s, &block);
}

static void if_stmt(struct low_scope *s, const struct ast_node *n)
{
    struct ir_stmt *stmt = low_stmt_new(s, IR_IF, n);

    if (low_acc_extreme(s, n)) {
        return;
    }
    stmt->test = low_test(s, n->u.branch.test);
    struct low_flow before = low_flow_copy(s, &s->flow);
    stmt->body = lower_branch(s, &n->u.branch.body);
    struct low_flow after_body = s->flow;
    s->flow = before;
    stmt->orelse = lower_branch(s, &n->u.branch.orelse);
    low_flow_meet(s, &s->flow, &after_body);
    if (stmt->test->type &&
        (stmt->body.count || stmt->orelse.count || (stmt->test->effects & EFFECT_WRITES))) {
        low_emit(s, stmt);
    }
}

/* ---- return --------------------------------------------------------------------------------- */

static bool is_none(const struct ast_node *n)
{
    return n->kind == AST_CONSTANT && n->u.constant.value.kind == PY_VALUE_NONE;
}

static void return_value(struct low_scope *s, const struct ast_node *n,
                         const struct ast_node *value)
{
    const struct ir_expr *e = low_expr(s, value);
    struct ir_stmt *stmt = low_stmt_new(s, IR_RETURN, n);

    if (!e->type) {
        return;
    }
    if (e->type->kind == TYPE_VOID) { /* return f(x) of a function without a value */
        struct ir_stmt *eval = low_stmt_new(s, IR_EVAL, n);
        eval->value = e;
        low_emit(s, eval);
        low_emit(s, stmt);
        s->returns_nothing = true;
        return;
    }
    if (e->type->kind == TYPE_ARRAY || (e->type->kind == TYPE_STRUCT && e->kind != IR_VAR &&
                                        e->kind != IR_CALL && e->kind != IR_MEMBER)) {
        low_error(s, value, STR("store into a view that the caller passes"),
                  "a list cannot be returned");
        return;
    }
    s->returns_value = true;
    const struct type *t = s->declared_returns;
    if (t && t->kind == TYPE_VOID) {
        low_error(s, n, STR("change the annotation -> None"),
                  "a value is returned where None is annotated");
        return;
    }
    if (t && t->kind == TYPE_VIEW && e->type->kind == TYPE_VIEW) {
        t = NULL; /* the annotation does not know the layout */
    }
    if (!t) {
        if (type_is_scalar(e->type->kind)) {
            e = low_settle(s,
                           e->type->kind == TYPE_BOOL ? e : low_number(s, e, value, "the value"));
            if (!e->type) {
                return;
            }
        }
        t = low_join(s, s->returns, e->type);
        if (!t) {
            low_error(s, n, STR("return one type"),
                      "this returns a " STR_FMT ", another return a " STR_FMT,
                      STR_ARG(low_spell(s, e->type)), STR_ARG(low_spell(s, s->returns)));
            return;
        }
        if (!s->returns || !type_equal(t, s->returns)) {
            s->unit->changed |= s->returns || s->returns_used;
            s->returns = t;
        }
    }
    stmt->value = low_convert_type(s, e, t, value, "the returned value");
    if (stmt->value->type) {
        low_emit(s, stmt);
    }
}

static void return_stmt(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *value = n->u.value.value;

    s->returned = true;
    if (value && value->kind == AST_TUPLE) {
        low_error(s, n, STR("use one function a value, or store into views"),
                  "a tuple cannot be returned");
    } else if (value && !is_none(value) && !s->function && !s->inner) {
        (void)low_expr(s, value);
        low_error(s, n, STR("store the value into a view, or add it to an accumulator"),
                  "a workunit returns nothing");
    } else if (value && !is_none(value) && s->constructor) {
        low_error(s, n, STR("write return alone"), "__init__ returns nothing");
    } else if (value && !is_none(value)) {
        return_value(s, n, value);
    } else {
        struct ir_stmt *stmt = low_stmt_new(s, IR_RETURN, n);
        s->returns_nothing = true;
        if (s->constructor) {
            stmt->value = low_var(s, n, s->self_variable->var);
        }
        low_emit(s, stmt);
    }
    s->flow.dead = true;
}

/* ---- what is left out, and why -------------------------------------------------------------- */

struct refusal {
    enum ast_kind kind;
    const char *message, *hint;
};

static const struct refusal refused[] = {
    {AST_ASYNC_FUNCTION_DEF, "async def has no meaning in a workunit", ""},
    {AST_CLASS_DEF, "a class cannot be defined inside a workunit",
     "define a @pk.classtype at the top of the module"},
    {AST_DELETE, "del has no meaning in a workunit", ""},
    {AST_TYPE_ALIAS, "a type alias cannot be defined inside a workunit",
     "define it at the top of the module"},
    {AST_ASYNC_FOR, "async for has no meaning in a workunit", "write a for loop"},
    {AST_WITH, "with has no meaning in a workunit", ""},
    {AST_ASYNC_WITH, "async with has no meaning in a workunit", ""},
    {AST_MATCH, "match is not translated", "write if and elif"},
    {AST_RAISE, "raise has no meaning in a workunit: there are no exceptions",
     "store an error code into a view"},
    {AST_TRY, "try has no meaning in a workunit: there are no exceptions", "test before"},
    {AST_TRY_STAR, "try has no meaning in a workunit: there are no exceptions", "test before"},
    {AST_ASSERT, "assert has no meaning in a workunit: there are no exceptions",
     "store an error code into a view"},
    {AST_IMPORT, "import inside a workunit is not translated", "import at the top of the module"},
    {AST_IMPORT_FROM, "import inside a workunit is not translated",
     "import at the top of the module"},
    {AST_GLOBAL, "global has no meaning in a workunit: module variables are constants",
     "use a view of one element"},
};

static void refuse(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (refused[i].kind == n->kind) {
            low_error(s, n, str_from(refused[i].hint), "%s", refused[i].message);
            return;
        }
    }
    if (n->kind != AST_ERROR) { /* the parser has said it */
        low_error(s, n, STR(""), "%s is not translated", ast_kind_name(n->kind));
    }
}

/* ---- the rest ------------------------------------------------------------------------------- */

static const struct ir_expr *drop_result(struct low_scope *s, const struct ir_expr *e)
{
    if (e->kind != IR_ATOMIC || e->fetch == FETCH_NONE || e->atomic >= ATOMIC_EXCHANGE) {
        return e;
    }
    struct ir_expr *copy = ARENA_NEW(s->unit->l->a, struct ir_expr);
    *copy = *e;
    copy->fetch = FETCH_NONE;
    copy->type = type_scalar(TYPE_VOID);
    return copy;
}

static void expression_stmt(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *value = n->u.value.value;

    if (value->kind == AST_CONSTANT) {
        return; /* a docstring, or ... */
    }
    const struct ir_expr *e = low_expr(s, value);
    if (!e->type || !(e->effects & EFFECT_WRITES)) {
        return;
    }
    struct ir_stmt *stmt = low_stmt_new(s, IR_EVAL, n);
    stmt->value = drop_result(s, e);
    low_emit(s, stmt);
}

static void jump(struct low_scope *s, const struct ast_node *n)
{
    const bool is_break = n->kind == AST_BREAK;

    if (s->loop) {
        low_flow_meet(s, is_break ? &s->loop->at_break : &s->loop->at_continue, &s->flow);
        low_emit(s, low_stmt_new(s, is_break ? IR_BREAK : IR_CONTINUE, n));
    }
    s->flow.dead = true;
}

static void nonlocal_stmt(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.names.count; i++) {
        const struct str name = n->u.names.names[i];
        if (!s->parent || !low_scope_find(s->parent, name)) {
            low_error(s, n, low_suggest(s, name),
                      "nonlocal " STR_FMT ": no enclosing function has it", STR_ARG(name));
        }
    }
}

static void dispatch(struct low_scope *s, const struct ast_node *n)
{
    switch (n->kind) {
    case AST_PASS: return;
    case AST_ASSIGN: low_assign(s, n); return;
    case AST_ANN_ASSIGN: low_ann_assign(s, n); return;
    case AST_AUG_ASSIGN: low_aug_assign(s, n); return;
    case AST_IF: if_stmt(s, n); return;
    case AST_FOR: low_for(s, n); return;
    case AST_WHILE: low_while(s, n); return;
    case AST_RETURN: return_stmt(s, n); return;
    case AST_EXPR: expression_stmt(s, n); return;
    case AST_BREAK:
    case AST_CONTINUE: jump(s, n); return;
    case AST_NONLOCAL: nonlocal_stmt(s, n); return;
    case AST_FUNCTION_DEF: low_inner_def(s, n); return;
    default: refuse(s, n); return;
    }
}

void low_stmt(struct low_scope *s, const struct ast_node *n)
{
    if (s->unit->depth >= LOW_MAX_DEPTH) {
        low_error(s, n, STR("use functions for parts of it"), "this is nested too deeply");
        return;
    }
    s->unit->depth++;
    if (s->flow.dead) {
        /* never reached: checked, but left out of the code */
        struct vec dropped;
        struct vec *outer = low_block_begin(s, &dropped);
        const size_t temps = s->temps.count;
        dispatch(s, n);
        s->temps.count = temps;
        low_block_end(s, outer);
        s->flow.dead = true;
    } else {
        dispatch(s, n);
    }
    s->unit->depth--;
}

void low_body(struct low_scope *s, const struct ast_seq *body)
{
    for (size_t i = 0; i < body->count; i++) {
        low_stmt(s, body->items[i]);
    }
}
