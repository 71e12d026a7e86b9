/* for over range(), while. */
#include "kernel/lower.h"

/* ---- range() -------------------------------------------------------------------------------- */

struct range {
    const struct ir_expr *start, *stop, *step; /* step NULL: 1 */
};

static bool is_range(struct low_scope *s, const struct ast_node *iter)
{
    if (iter->kind != AST_CALL || iter->u.call.func->kind != AST_NAME ||
        !str_equal_c(iter->u.call.func->u.name.id, "range") ||
        low_scope_find(s, iter->u.call.func->u.name.id)) {
        return false;
    }
    const struct py_binding b = py_lookup(s->module, iter->u.call.func->u.name.id);
    return b.kind == PY_BUILTIN || b.kind == PY_UNBOUND;
}

static bool lower_range(struct low_scope *s, const struct ast_node *iter, struct range *r)
{
    const struct ast_seq *args = &iter->u.call.args;
    struct low_operands o;
    bool ok = true;

    if (iter->u.call.keywords.count || args->count < 1 || args->count > 3) {
        low_error(s, iter, STR("range(stop), range(start, stop) or range(start, stop, step)"),
                  "range() takes one to three numbers");
        return false;
    }
    low_operands_begin(&o, s, 3);
    for (size_t i = 0; i < args->count; i++) {
        const struct ast_node *arg = args->items[i];
        if (arg->kind == AST_STARRED) {
            low_error(s, arg, STR("write the arguments out"),
                      "a star argument (*) is not translated");
            return false;
        }
        low_operands_add(&o, low_index(s, low_expr(s, arg), arg, "the argument of range()"));
        ok &= o.items[i]->type != NULL;
    }
    low_operands_seal(&o);
    if (!ok) {
        return false;
    }
    r->start = args->count > 1 ? o.items[0] : low_int(s, iter, 0);
    r->stop = args->count > 1 ? o.items[1] : o.items[0];
    r->step = args->count > 2 ? o.items[2] : NULL;
    if (r->step && low_is_int_constant(r->step)) {
        if (r->step->integer == 0) {
            low_error(s, args->items[2], STR(""), "range() step must not be zero");
            return false;
        }
        if (r->step->integer == 1) {
            r->step = NULL;
        }
    }
    return true;
}

static bool never_empty(const struct range *r)
{
    if (!low_is_int_constant(r->start) || !low_is_int_constant(r->stop) ||
        (r->step && !low_is_int_constant(r->step))) {
        return false;
    }
    return r->step && r->step->integer < 0 ? r->start->integer > r->stop->integer
                                           : r->start->integer < r->stop->integer;
}

/* Does the variable never get below 0? */
static bool counts_nonnegative(const struct range *r)
{
    const struct low_range start = low_range_of(r->start), stop = low_range_of(r->stop);

    if (start.low < 0) {
        return false;
    }
    return !r->step || low_range_of(r->step).low >= 0 || stop.low >= -1;
}

static void check_step(struct low_scope *s, const struct ast_node *n, struct range *r)
{
    if (!r->step || low_is_int_constant(r->step)) {
        return;
    }
    r->start = low_simple(s, r->start);
    r->stop = low_simple(s, r->stop);
    r->step = low_simple(s, r->step);
    if (low_range_of(r->step).low > 0) {
        return;
    }
    struct ir_stmt *check = low_stmt_new(s, IR_CHECK, n);
    check->test = low_binary(s, IR_NE, TYPE_BOOL, n, r->step, low_int(s, n, 0));
    check->text = STR("range() step is zero");
    low_emit(s, check);
}

/* ---- for ------------------------------------------------------------------------------------ */

static void loop_body(struct low_scope *s, const struct ast_seq *body, struct low_loop *loop)
{
    loop->outer = s->loop;
    loop->at_break = low_flow_dead(s);
    loop->at_continue = low_flow_dead(s);
    s->loop = loop;
    s->nesting++;
    low_body(s, body);
    s->nesting--;
    s->loop = loop->outer;
}

/* The variable itself counts where it can; else a temporary counts and is copied to it. */
static bool counts_itself(const struct low_scope *s, const struct low_variable *v)
{
    return v->scope == s && v->var->type && v->var->type->kind == TYPE_INT64 &&
           (v->var->kind == VAR_LOCAL || v->var->kind == VAR_PARAMETER ||
            v->var->kind == VAR_INDEX);
}

static bool prepare_variable(struct low_scope *s, const struct ast_node *target,
                             const struct range *r, struct low_variable **out)
{
    struct low_variable *v = map_get(&s->names, target->u.name.id);

    *out = v;
    if (!v || v->poisoned) {
        return false;
    }
    if (!v->var || v->inner) {
        low_error(s, target, STR("use another name"), STR_FMT " is a function and a variable",
                  STR_ARG(v->name));
        return false;
    }
    struct ir_var *counter =
        low_ir_var(s->unit->l, VAR_TEMP, v->name, type_scalar(TYPE_INT64), s->function);
    counter->nonnegative = counts_nonnegative(r);
    if (v->var->kind == VAR_TEAM || !low_variable_widen(s, v, low_var(s, target, counter)) ||
        (v->var->type && !type_is_scalar(v->var->type->kind))) {
        low_error(s, target, STR("use another name"), STR_FMT " is a " STR_FMT " elsewhere",
                  STR_ARG(v->name), STR_ARG(low_spell(s, v->var->type)));
        return false;
    }
    return true;
}

static void emit_for(struct low_scope *s, const struct ast_node *n, struct low_variable *v,
                     const struct range *r)
{
    struct ir_stmt *stmt = low_stmt_new(s, IR_FOR, n);
    struct low_flow before = low_flow_copy(s, &s->flow);
    struct low_for around = {.outer = v->loop, .stmt = stmt};
    around.overwritten = v->plain ? v->plain : v->fixed ? v->first : NULL;
    struct low_for *f = ARENA_NEW(s->unit->l->a, struct low_for);
    struct low_loop loop;
    struct vec block;
    const bool itself = counts_itself(s, v);

    stmt->start = r->start;
    stmt->stop = r->stop;
    stmt->step = r->step;
    low_variable_assigned(s, v, n);
    *f = around;
    v->loop = f;
    struct vec *outer = low_block_begin(s, &block);
    if (itself) {
        stmt->var = v->var;
        vec_push(&v->loops, f);
    } else {
        struct ir_var *counter = (struct ir_var *)(uintptr_t)low_temp(s, type_scalar(TYPE_INT64));
        counter->nonnegative = counts_nonnegative(r);
        stmt->var = counter;
        low_emit_assign(
            s, n, v->var,
            low_convert_type(s, low_var(s, n, counter), v->var->type, n, "the counter"));
    }
    loop_body(s, &n->u.for_loop.body, &loop);
    low_block_end(s, outer);
    v->loop = f->outer;
    v->last_loop = f;
    stmt->body = low_block(s, &block);
    low_emit(s, stmt);
    if (never_empty(r)) {
        low_flow_meet(s, &s->flow, &loop.at_continue);
        low_flow_meet(s, &s->flow, &loop.at_break);
    } else {
        s->flow = before;
    }
}

void low_for(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *target = n->u.for_loop.target;
    struct range r;
    struct low_variable *v = NULL;
    bool ok = true;

    if (n->u.for_loop.orelse.count) {
        low_error(s, n->u.for_loop.orelse.items[0], STR("set a variable before break and test it"),
                  "for … else is not translated");
        ok = false;
    }
    if (target->kind != AST_NAME) {
        low_error(s, target, STR("loop over range() and compute the others"),
                  "a loop target must be one name");
        ok = false;
    }
    if (!is_range(s, n->u.for_loop.iter)) {
        low_error(s, n->u.for_loop.iter, STR("for j in range(v.extent(0)): x = v[j]"),
                  "only range() can be iterated");
        ok = false;
    } else {
        ok &= lower_range(s, n->u.for_loop.iter, &r);
    }
    if (ok) {
        check_step(s, n, &r);
    }
    if (ok && prepare_variable(s, target, &r, &v)) {
        emit_for(s, n, v, &r);
        return;
    }
    /* refused: the body's own errors are still of interest */
    struct low_flow before = low_flow_copy(s, &s->flow);
    struct low_loop loop;
    struct vec dropped;
    v = target->kind == AST_NAME ? map_get(&s->names, target->u.name.id) : NULL;
    if (v && v->scope == s) {
        low_flow_assign(s, v);
    }
    struct vec *outer = low_block_begin(s, &dropped);
    loop_body(s, &n->u.for_loop.body, &loop);
    low_block_end(s, outer);
    s->flow = before;
}

/* ---- while ---------------------------------------------------------------------------------- */

void low_while(struct low_scope *s, const struct ast_node *n)
{
    struct ir_stmt *stmt = low_stmt_new(s, IR_WHILE, n);
    struct low_loop loop;
    struct vec block;

    if (n->u.branch.orelse.count) {
        low_error(s, n->u.branch.orelse.items[0], STR("set a variable before break and test it"),
                  "while … else is not translated");
    }
    struct vec *outer = low_block_begin(s, &block);
    s->nesting++;
    const struct ir_expr *test = low_test(s, n->u.branch.test);
    s->nesting--;
    struct low_flow after_test = low_flow_copy(s, &s->flow);
    const bool forever = test->type && test->kind == IR_BOOL && test->integer;
    if (block.count) {
        /* the condition has statements of its own: evaluated at the head of each round */
        struct ir_stmt *leave = low_stmt_new(s, IR_IF, n->u.branch.test);
        struct vec jump;
        struct vec *inside = low_block_begin(s, &jump);
        low_emit(s, low_stmt_new(s, IR_BREAK, n));
        low_block_end(s, inside);
        leave->test = test->type ? low_unary(s, IR_NOT, TYPE_BOOL, n, test) : test;
        leave->body = low_block(s, &jump);
        low_emit(s, leave);
    } else if (!forever) {
        stmt->test = test;
    }
    loop_body(s, &n->u.branch.body, &loop);
    low_block_end(s, outer);
    stmt->body = low_block(s, &block);
    if (test->type) {
        low_emit(s, stmt);
    }
    s->flow = forever ? low_flow_dead(s) : after_test;
    low_flow_meet(s, &s->flow, &loop.at_break);
}
