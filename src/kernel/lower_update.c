/* Augmented assignment, and the updates of an accumulator. */
#include "kernel/lower.h"

/* ---- accumulators --------------------------------------------------------------------------- */

bool low_is_acc(const struct low_variable *v)
{
    return v->var && v->var->kind == VAR_ACC;
}

/* `acc op value` as one update, where `value` does not look at the accumulator. */
static bool emit_update(struct low_scope *s, const struct ast_node *n, struct low_variable *v,
                        enum ir_expr_kind op, const struct ir_expr *value)
{
    if (!value->type || !type_equal(value->type, v->var->type) || low_reads_var(value, v->var) ||
        (v->shared && (value->effects & EFFECT_WRITES))) {
        return false;
    }
    struct ir_stmt *stmt = low_stmt_new(s, IR_ACC_UPDATE, n);
    stmt->var = v->var;
    stmt->op = op;
    stmt->value = value;
    low_emit(s, stmt);
    low_variable_assigned(s, v, n);
    return true;
}

/* acc = acc + e, acc = max(acc, e): the same as an update */
bool low_assign_update(struct low_scope *s, const struct ast_node *n, struct low_variable *v,
                       const struct ir_expr *value)
{
    if (!low_is_acc(v) || value->arg_count != 2 || value->args[0]->kind != IR_VAR ||
        value->args[0]->var != v->var) {
        return false;
    }
    switch (value->kind) {
    case IR_ADD:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX:
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR: return emit_update(s, n, v, value->kind, value->args[1]);
    default: return false;
    }
}

/* ---- augmented ------------------------------------------------------------------------------ */

static enum ir_expr_kind update_kind(enum ast_operator op)
{
    switch (op) {
    case OP_ADD:
    case OP_SUB: return IR_ADD;
    case OP_MULT: return IR_MUL;
    case OP_BIT_AND: return IR_BIT_AND;
    case OP_BIT_OR: return IR_BIT_OR;
    case OP_BIT_XOR: return IR_BIT_XOR;
    default: return IR_INT; /* none */
    }
}

/* acc op= value, as an update; NULL-typed value: not possible that way */
static bool aug_update(struct low_scope *s, const struct ast_node *n, struct low_variable *v,
                       const struct ir_expr *value)
{
    const enum ast_operator op = n->u.aug_assign.op;
    const enum ir_expr_kind kind = update_kind(op);
    const struct type *t = v->var->type;

    if (kind == IR_INT || !t || !type_is_scalar(t->kind)) {
        return false;
    }
    if (t->kind == TYPE_BOOL) {
        return value->type->kind == TYPE_BOOL && kind != IR_ADD && kind != IR_MUL &&
               emit_update(s, n, v, kind, value);
    }
    value = low_number(s, value, n, "the value");
    if (!value->type) {
        return false;
    }
    if (type_is_integer(t->kind)) {
        if (!type_is_integer(value->type->kind) || (value->note && value->note->test)) {
            return false; /* int += float: the sum is cut, not the summand */
        }
    } else {
        const struct ir_expr *acc = low_var(s, n, v->var);
        if (low_promote(acc, value) != t->kind || kind == IR_BIT_AND || kind == IR_BIT_OR ||
            kind == IR_BIT_XOR) {
            return false;
        }
    }
    if (op == OP_SUB) {
        value = low_negate(s, n, value);
    }
    return emit_update(s, n, v, kind, low_convert(s, value, t->kind));
}

static void aug_name(struct low_scope *s, const struct ast_node *n, const struct ast_node *target)
{
    struct low_variable *v = map_get(&s->names, target->u.name.id);
    struct low_operands o;

    if (v && v->inner) {
        low_error(s, n, STR("use another name"), STR_FMT " is a function and a variable",
                  STR_ARG(v->name));
        return;
    }
    low_operands_begin(&o, s, 2);
    low_operands_add(&o, low_name(s, target));
    low_operands_add(&o, low_expr(s, n->u.aug_assign.value));
    low_operands_seal(&o);
    const struct ir_expr *value = o.items[1];
    if (v && !v->poisoned && low_is_acc(v) && value->type && type_is_scalar(value->type->kind) &&
        aug_update(s, n, v, value)) {
        return;
    }
    low_assign_name(s, n, target->u.name.id,
                    low_arith(s, n, n->u.aug_assign.op, o.items[0], value));
}

static const int atomic_ops[] = {
    [OP_ADD] = ATOMIC_ADD,   [OP_SUB] = ATOMIC_SUB,       [OP_MULT] = ATOMIC_MUL,
    [OP_MAT_MULT] = -1,      [OP_DIV] = ATOMIC_DIV,       [OP_MOD] = ATOMIC_MOD,
    [OP_POW] = -1,           [OP_LSHIFT] = ATOMIC_LSHIFT, [OP_RSHIFT] = ATOMIC_RSHIFT,
    [OP_BIT_OR] = ATOMIC_OR, [OP_BIT_XOR] = ATOMIC_XOR,   [OP_BIT_AND] = ATOMIC_AND,
    [OP_FLOOR_DIV] = -1,
};

static void aug_atomic(struct low_scope *s, const struct ast_node *n, const struct ir_expr *place)
{
    const int op = atomic_ops[n->u.aug_assign.op];
    const struct ir_expr *value = low_expr(s, n->u.aug_assign.value);

    if (op < 0) {
        low_error(s, n, STR("use a view without the Atomic trait"), "'%s=' has no atomic form",
                  ast_operator_text(n->u.aug_assign.op));
        return;
    }
    value = low_convert_type(s, value, place->type, n, "the value");
    if (value->type) {
        struct ir_stmt *stmt = low_stmt_new(s, IR_EVAL, n);
        stmt->value = low_atomic(s, n, (enum ir_atomic_op)op, FETCH_NONE, place, value);
        low_emit(s, stmt);
    }
}

void low_aug_assign(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *target = n->u.aug_assign.target;
    struct low_operands o;

    if (target->kind == AST_NAME) {
        aug_name(s, n, target);
        return;
    }
    if (low_is_functor_field(s, target) && (!s->unit->l->host || s->function)) {
        low_assign_place(s, n, target, low_unknown(s, n));
        return;
    }
    const bool field = low_is_functor_field(s, target);
    const struct ir_expr *place =
        field ? low_self_attribute(s, target) : low_place(s, target, true);
    if (!place->type) {
        (void)low_expr(s, n->u.aug_assign.value);
        return;
    }
    if (place->kind == IR_ELEMENT && place->args[0]->type->kind == TYPE_VIEW &&
        (place->args[0]->type->traits & TRAIT_ATOMIC)) {
        aug_atomic(s, n, place);
        return;
    }
    low_operands_begin(&o, s, 2);
    low_operands_add(&o, place);
    low_operands_add(&o, low_expr(s, n->u.aug_assign.value));
    low_operands_seal(&o);
    const struct ir_expr *value = low_arith(s, n, n->u.aug_assign.op, o.items[0], o.items[1]);
    if (value->type && field) {
        low_assign_field(s, n, target, value);
    } else if (value->type) {
        low_emit_store(s, n, place, value);
    }
}

/* ---- the extreme of an accumulator ---------------------------------------------------------- */

bool low_acc_extreme(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *test = n->u.branch.test;

    if (n->u.branch.orelse.count || n->u.branch.body.count != 1 || test->kind != AST_COMPARE ||
        test->u.compare.comparators.count != 1 ||
        (test->u.compare.ops[0] != OP_LT && test->u.compare.ops[0] != OP_GT)) {
        return false;
    }
    const struct ast_node *body = n->u.branch.body.items[0];
    const struct ast_node *left = test->u.compare.left;
    const struct ast_node *right = test->u.compare.comparators.items[0];
    if (body->kind != AST_ASSIGN || body->u.assign.targets.count != 1 ||
        body->u.assign.targets.items[0]->kind != AST_NAME) {
        return false;
    }
    struct low_variable *v = map_get(&s->names, body->u.assign.targets.items[0]->u.name.id);
    if (!v || v->poisoned || !low_is_acc(v) || !v->var->type ||
        !type_is_scalar(v->var->type->kind)) {
        return false;
    }
    const bool acc_left = left->kind == AST_NAME && str_equal(left->u.name.id, v->name);
    const bool acc_right = right->kind == AST_NAME && str_equal(right->u.name.id, v->name);
    if (acc_left == acc_right) {
        return false;
    }
    /* Both are lowered on trial; anything with statements or messages is left to the plain way. */
    const size_t diags = s->unit->diags.count, temps = s->temps.count;
    struct vec trial;
    struct vec *outer = low_block_begin(s, &trial);
    const struct ir_expr *a = low_expr(s, acc_left ? right : left);
    const struct ir_expr *b = low_expr(s, body->u.assign.value);
    low_block_end(s, outer);
    const bool clean = s->unit->diags.count == diags && !trial.count;
    s->unit->diags.count = diags;
    s->temps.count = temps;
    if (!clean || !low_same_expr(a, b) || !type_is_scalar(b->type->kind)) {
        return false;
    }
    b = low_number(s, b, n, "the value");
    const struct ir_expr *acc = low_number(s, low_var(s, n, v->var), n, "the accumulator");
    if (low_promote(acc, b) != acc->type->kind || acc->type->kind != v->var->type->kind) {
        return false;
    }
    const bool is_max = (test->u.compare.ops[0] == OP_LT) == acc_left;
    return emit_update(s, n, v, is_max ? IR_MAX : IR_MIN, low_convert(s, b, v->var->type->kind));
}
