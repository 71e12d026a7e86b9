/* Comparison: exact between types, chains evaluate each operand once. */
#include "kernel/lower.h"

static enum ir_expr_kind comparison_kind(enum ast_cmp_operator op)
{
    switch (op) {
    case OP_EQ: return IR_EQ;
    case OP_NOT_EQ: return IR_NE;
    case OP_LT: return IR_LT;
    case OP_LT_E: return IR_LE;
    case OP_GT: return IR_GT;
    default: return IR_GE;
    }
}

static bool exact_in(const struct ir_expr *e, int mantissa_bits)
{
    const py_int128 limit = (py_int128)1 << mantissa_bits;
    const struct low_range r = low_range_of(e);

    return r.low >= -limit && r.high <= limit;
}

/* An int with a float: exact, also beyond 2^53. */
static const struct ir_expr *compare_mixed(struct low_scope *s, const struct ast_node *n,
                                           enum ir_expr_kind kind, const struct ir_expr *x,
                                           const struct ir_expr *y)
{
    const bool int_left = type_is_integer(x->type->kind);
    const struct ir_expr *i = int_left ? x : y, *f = int_left ? y : x;

    if (f->type->kind == TYPE_FLOAT && exact_in(i, 24)) {
        i = low_convert(s, i, TYPE_FLOAT);
    } else {
        f = low_convert(s, f, TYPE_DOUBLE);
        if (exact_in(i, 53)) {
            i = low_convert(s, i, TYPE_DOUBLE);
        } else if (low_is_int_constant(i) && i->type->kind == TYPE_INT128) {
            i = low_settle(s, i);
        }
    }
    if (!i->type || !f->type) {
        return low_unknown(s, n);
    }
    return low_binary(s, kind, TYPE_BOOL, n, int_left ? i : f, int_left ? f : i);
}

static const struct ir_expr *compare_pending(struct low_scope *s, const struct ast_node *n,
                                             enum ast_cmp_operator op, const struct ir_expr *x,
                                             const struct ir_expr *y)
{
    const bool left = x->note && x->note->test;
    const struct ir_expr *p = left ? x : y, *other = left ? y : x;
    struct ir_expr *as_int = ARENA_NEW(s->unit->l->a, struct ir_expr);

    if (other->note && other->note->test) {
        (void)low_settle(s, other);
        return low_unknown(s, n);
    }
    *as_int = *p;
    as_int->note = NULL;
    other = low_simple(s, other);
    const struct ir_expr *d = p->note->as_double;
    return low_select(s, n, p->note->test,
                      low_compare_values(s, n, op, left ? as_int : other, left ? other : as_int),
                      low_compare_values(s, n, op, left ? d : other, left ? other : d));
}

const struct ir_expr *low_compare_values(struct low_scope *s, const struct ast_node *n,
                                         enum ast_cmp_operator op, const struct ir_expr *x,
                                         const struct ir_expr *y)
{
    const enum ir_expr_kind kind = comparison_kind(op);

    if (!x->type || !y->type) {
        return low_unknown(s, n);
    }
    if ((kind == IR_EQ || kind == IR_NE) && low_all_bool(x, y)) {
        return low_binary(s, kind, TYPE_BOOL, n, x, y);
    }
    x = low_number(s, x, n, "the left side of the comparison");
    y = low_number(s, y, n, "the right side of the comparison");
    if (!x->type || !y->type) {
        return low_unknown(s, n);
    }
    if ((x->note && x->note->test) || (y->note && y->note->test)) {
        return compare_pending(s, n, op, x, y);
    }
    const bool complex = type_is_complex(x->type->kind) || type_is_complex(y->type->kind);
    if (complex && kind != IR_EQ && kind != IR_NE) {
        low_error(s, n, STR("compare abs(), .real or .imag"), "complex numbers have no order");
        return low_unknown(s, n);
    }
    if (!complex && type_is_integer(x->type->kind) != type_is_integer(y->type->kind)) {
        return compare_mixed(s, n, kind, x, y);
    }
    const enum type_kind k = low_promote(x, y);
    x = low_convert(s, x, k);
    y = low_convert(s, y, k);
    if (!x->type || !y->type) {
        return low_unknown(s, n);
    }
    return low_binary(s, kind, TYPE_BOOL, n, x, y);
}

static void find_call(void *context, const struct ast_node *n)
{
    bool *found = context;

    if (n->kind == AST_CALL) {
        *found = true;
    } else if (!*found) {
        ast_for_each_child(n, find_call, found);
    }
}

/* The operand between two comparisons: written twice, evaluated once. */
static const struct ir_expr *middle(struct low_scope *s, const struct ir_expr *e,
                                    const struct ast_node *const *later, size_t count)
{
    bool calls = (e->effects & EFFECT_WRITES) != 0;

    for (size_t i = 0; i < count; i++) {
        find_call(&calls, later[i]);
    }
    const struct ir_expr *core = e->kind == IR_CONVERT ? e->args[0] : e;
    if (!calls && core->kind == IR_ELEMENT) {
        bool simple = true;
        for (size_t i = 0; i < core->arg_count; i++) {
            simple &= low_is_simple(core->args[i]);
        }
        if (simple) {
            return e;
        }
    }
    return low_simple(s, low_settle(s, e));
}

/* left (op[i] comparators[i]) ...; `left` is lowered already */
static const struct ir_expr *chain(struct low_scope *s, const struct ast_node *n, size_t i,
                                   const struct ir_expr *left)
{
    const struct ast_seq *right_nodes = &n->u.compare.comparators;
    const bool last = i + 1 == right_nodes->count;
    struct low_operands o;
    struct low_branch b;

    low_operands_begin(&o, s, 2);
    low_operands_add(&o, left);
    low_operands_add(&o, low_expr(s, right_nodes->items[i]));
    low_operands_seal(&o);
    const struct ir_expr *right = o.items[1];
    if (!last && right->type) {
        right = middle(s, right, right_nodes->items + i + 1, right_nodes->count - i - 1);
    }
    const struct ir_expr *test = low_compare_values(s, n, n->u.compare.ops[i], o.items[0], right);
    if (last) {
        return test;
    }
    low_branch_begin(s, &b);
    const struct ir_expr *rest = chain(s, n, i + 1, right);
    low_branch_end(s, &b);
    if (!test->type || !rest->type) {
        return low_unknown(s, n);
    }
    if (!b.block.count) {
        return low_binary(s, IR_AND, TYPE_BOOL, n, test, rest);
    }
    const struct ir_var *result = low_temp(s, type_scalar(TYPE_BOOL));
    low_emit_assign(s, n, result, test);
    low_branch_result(s, &b, n, result, rest);
    low_emit_if(s, n, low_var(s, n, result), &b.block, NULL);
    return low_var(s, n, result);
}

const struct ir_expr *low_compare(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.compare.comparators.count; i++) {
        const enum ast_cmp_operator op = n->u.compare.ops[i];
        if (op == OP_IS || op == OP_IS_NOT || op == OP_IN || op == OP_NOT_IN) {
            low_error(s, n,
                      op == OP_IS       ? STR("use ==")
                      : op == OP_IS_NOT ? STR("use !=")
                                        : STR("write a loop that compares"),
                      "the operator '%s' is not translated", ast_cmp_operator_text(op));
            return low_unknown(s, n);
        }
    }
    const struct ir_expr *e = chain(s, n, 0, low_expr(s, n->u.compare.left));
    if (e->type && e->arg_count == 2) {
        const struct ir_expr *folded = low_fold(s, n, e->args, 2);
        return folded ? folded : e;
    }
    return e;
}
