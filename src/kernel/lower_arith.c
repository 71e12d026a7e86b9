/* Arithmetic with Python's meaning: which type an operation is done in, and what it gives. */
#include "kernel/lower.h"

static bool is_pending(const struct ir_expr *e)
{
    return e->note && e->note->test;
}

static const struct ir_expr *without_note(struct low_scope *s, const struct ir_expr *e)
{
    struct ir_expr *copy = ARENA_NEW(s->unit->l->a, struct ir_expr);

    *copy = *e;
    copy->note = NULL;
    return copy;
}

/* e with the note of a pending power: `e` where `test` holds, else `as_double`. */
static const struct ir_expr *with_pending(struct low_scope *s, const struct ir_expr *e,
                                          const struct ir_expr *test,
                                          const struct ir_expr *as_double,
                                          const struct ast_node *power)
{
    struct ir_expr *copy = ARENA_NEW(s->unit->l->a, struct ir_expr);
    struct lower_note *note = ARENA_NEW(s->unit->l->a, struct lower_note);

    *copy = *e;
    note->test = test;
    note->as_double = as_double;
    note->power = power;
    copy->note = note;
    return copy;
}

/* An operation on a power whose type hangs on its exponent's sign hangs on it too. */
static const struct ir_expr *arith_pending(struct low_scope *s, const struct ast_node *n,
                                           enum ast_operator op, const struct ir_expr *x,
                                           const struct ir_expr *y)
{
    const struct ir_expr *p = is_pending(x) ? x : y;

    if (is_pending(x) && is_pending(y)) {
        (void)low_settle(s, x);
        return low_unknown(s, n);
    }
    if (is_pending(x)) {
        y = low_simple(s, y);
    } else {
        x = low_simple(s, x);
    }
    const struct ir_expr *as_int =
        low_arith(s, n, op, x == p ? without_note(s, x) : x, y == p ? without_note(s, y) : y);
    const struct ir_expr *as_double =
        low_arith(s, n, op, x == p ? p->note->as_double : x, y == p ? p->note->as_double : y);
    if (!as_int->type || !as_double->type || is_pending(as_int)) {
        return low_settle(s, p);
    }
    if (!type_is_integer(as_int->type->kind)) {
        return low_select(s, n, p->note->test, as_int,
                          low_convert(s, as_double, as_int->type->kind));
    }
    return with_pending(s, as_int, p->note->test, as_double, p->note->power);
}

static const struct ir_expr *bad_operands(struct low_scope *s, const struct ast_node *n,
                                          enum ast_operator op, const struct ir_expr *x,
                                          const struct ir_expr *y, struct str hint)
{
    low_error(s, n, hint, "'%s' is not defined for " STR_FMT " and " STR_FMT, ast_operator_text(op),
              STR_ARG(low_spell(s, x->type)), STR_ARG(low_spell(s, y->type)));
    return low_unknown(s, n);
}

static const struct ir_expr *both(struct low_scope *s, const struct ast_node *n,
                                  enum ir_expr_kind kind, enum type_kind k, const struct ir_expr *x,
                                  const struct ir_expr *y)
{
    x = low_convert(s, x, k);
    y = low_convert(s, y, k);
    return x->type && y->type ? low_binary(s, kind, k, n, x, y) : low_unknown(s, n);
}

static bool is_int_zero(const struct ir_expr *e)
{
    return low_is_constant(e) && e->kind == IR_INT && !e->note->too_big && e->integer == 0;
}

static bool is_exact_double(const struct ir_expr *e)
{
    const py_int128 limit = (py_int128)1 << 53;
    const struct low_range r = low_range_of(e);

    return r.low >= -limit && r.high <= limit;
}

static const struct ir_expr *division(struct low_scope *s, const struct ast_node *n,
                                      enum ast_operator op, const struct ir_expr *x,
                                      const struct ir_expr *y, enum type_kind k)
{
    if (type_is_integer(k) && is_int_zero(y)) {
        low_error(s, n, STR(""), "integer division by zero");
        return low_unknown(s, n);
    }
    if (op != OP_DIV) {
        if (type_is_complex(k)) {
            return bad_operands(s, n, op, x, y, STR(""));
        }
        return both(s, n, op == OP_MOD ? IR_MOD : IR_FLOORDIV, k, x, y);
    }
    if (!type_is_integer(k)) {
        return both(s, n, IR_TRUEDIV, k, x, y);
    }
    if (is_exact_double(x) && is_exact_double(y)) {
        x = low_convert(s, x, TYPE_DOUBLE);
        y = low_convert(s, y, TYPE_DOUBLE);
        return low_binary(s, IR_TRUEDIV, TYPE_DOUBLE, n, x, y);
    }
    x = low_convert(s, x, k);
    y = low_convert(s, y, k);
    return x->type && y->type ? low_binary(s, IR_TRUEDIV_INT, TYPE_DOUBLE, n, x, y)
                              : low_unknown(s, n);
}

static const struct ir_expr *power(struct low_scope *s, const struct ast_node *n,
                                   const struct ir_expr *x, const struct ir_expr *y)
{
    if (!type_is_integer(x->type->kind) || !type_is_integer(y->type->kind)) {
        return both(s, n, IR_POW, low_promote(x, y), x, y);
    }
    const enum type_kind k = x->type->kind;
    const struct low_range r = low_range_of(y);
    if (r.low >= 0) {
        return both(s, n, IR_POW_INT, k, x, y);
    }
    y = low_convert(s, y, k == TYPE_UINT64 ? TYPE_INT128 : k);
    x = low_convert(s, x, k == TYPE_UINT64 ? TYPE_INT128 : k);
    if (!x->type || !y->type) {
        return low_unknown(s, n);
    }
    if (r.high < 0) {
        return low_binary(s, IR_POW_INT_DOUBLE, TYPE_DOUBLE, n, x, y);
    }
    x = low_simple(s, x);
    y = low_simple(s, y);
    const struct ir_expr *zero = low_convert(s, low_int(s, n, 0), y->type->kind);
    return with_pending(s, low_binary(s, IR_POW_INT, x->type->kind, n, x, y),
                        low_binary(s, IR_GE, TYPE_BOOL, n, y, zero),
                        low_binary(s, IR_POW_INT_DOUBLE, TYPE_DOUBLE, n, x, y), n);
}

static const struct ir_expr *shift(struct low_scope *s, const struct ast_node *n,
                                   enum ast_operator op, const struct ir_expr *x,
                                   const struct ir_expr *y)
{
    if (low_is_int_constant(y) && y->integer < 0) {
        low_error(s, n, STR(""), "negative shift count");
        return low_unknown(s, n);
    }
    return both(s, n, op == OP_LSHIFT ? IR_LSHIFT : IR_RSHIFT, x->type->kind, x, y);
}

static enum ir_expr_kind operator_kind(enum ast_operator op)
{
    switch (op) {
    case OP_ADD: return IR_ADD;
    case OP_SUB: return IR_SUB;
    case OP_MULT: return IR_MUL;
    case OP_BIT_AND: return IR_BIT_AND;
    case OP_BIT_OR: return IR_BIT_OR;
    default: return IR_BIT_XOR;
    }
}

const struct ir_expr *low_arith(struct low_scope *s, const struct ast_node *n, enum ast_operator op,
                                const struct ir_expr *x, const struct ir_expr *y)
{
    if (!x->type || !y->type) {
        return low_unknown(s, n);
    }
    if (op == OP_MAT_MULT) {
        low_error(s, n, STR("write the loops"), "matrix multiplication @ is not translated");
        return low_unknown(s, n);
    }
    const bool bits = op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR;
    if (bits && x->type->kind == TYPE_BOOL && y->type->kind == TYPE_BOOL) {
        return low_binary(s, operator_kind(op), TYPE_BOOL, n, x, y);
    }
    x = low_number(s, x, n, "the left operand");
    y = low_number(s, y, n, "the right operand");
    if (!x->type || !y->type) {
        return low_unknown(s, n);
    }
    const bool ints = type_is_integer(x->type->kind) && type_is_integer(y->type->kind);
    if (!ints && (bits || op == OP_LSHIFT || op == OP_RSHIFT)) {
        return bad_operands(s, n, op, x, y, STR("convert with int(…) first"));
    }
    if (ints && (is_pending(x) || is_pending(y))) {
        return arith_pending(s, n, op, x, y);
    }
    const enum type_kind k = low_promote(x, y);
    switch (op) {
    case OP_DIV:
    case OP_MOD:
    case OP_FLOOR_DIV: return division(s, n, op, x, y, k);
    case OP_POW: return power(s, n, x, y);
    case OP_LSHIFT:
    case OP_RSHIFT: return shift(s, n, op, x, y);
    case OP_SUB: return both(s, n, IR_SUB, k == TYPE_UINT64 ? TYPE_INT128 : k, x, y);
    default: return both(s, n, operator_kind(op), k, x, y);
    }
}

/* base ** exponent, or false where it has more than 128 bits. */
static bool power_of(py_int128 base, py_int128 exponent, py_int128 *out)
{
    *out = 1;
    if (base == 0 || base == 1 || base == -1) {
        *out = exponent == 0 || base == 1 || (base == -1 && exponent % 2 == 0) ? 1 : base;
        return true;
    }
    for (py_int128 i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow(*out, base, out)) {
            return false;
        }
    }
    return true;
}

/* Two constants that could not be folded: a cast of one can't be, and what has too many digits. */
static bool grows_too_large(enum ast_operator op, const struct ir_expr *const *items)
{
    if (!low_is_int_constant(items[0]) || !low_is_int_constant(items[1])) {
        return false;
    }
    const py_int128 x = items[0]->integer, y = items[1]->integer;
    py_int128 result = 0;
    bool small = true;
    switch (op) {
    case OP_ADD: small = !__builtin_add_overflow(x, y, &result); break;
    case OP_SUB: small = !__builtin_sub_overflow(x, y, &result); break;
    case OP_MULT: small = !__builtin_mul_overflow(x, y, &result); break;
    case OP_POW: small = y < 0 || power_of(x, y, &result); break;
    case OP_LSHIFT:
        small = y < 0 || x == 0 ||
                (y < 127 && !__builtin_mul_overflow(x, (py_int128)1 << (int)y, &result));
        break;
    default: break;
    }
    return !small || result < INT64_MIN || result > (py_int128)UINT64_MAX;
}

const struct ir_expr *low_bin_op(struct low_scope *s, const struct ast_node *n)
{
    struct low_operands o;

    if (n->u.bin_op.op == OP_MAT_MULT) {
        low_error(s, n, STR("write the loops"), "matrix multiplication @ is not translated");
        return low_unknown(s, n);
    }
    low_operands_begin(&o, s, 2);
    low_operands_add(&o, low_expr(s, n->u.bin_op.left));
    low_operands_add(&o, low_expr(s, n->u.bin_op.right));
    low_operands_seal(&o);
    const struct ir_expr *folded = low_fold(s, n, o.items, 2);
    if (!folded && grows_too_large(n->u.bin_op.op, o.items)) {
        low_error(s, n, STR("integers have 64 bits; use a float where the size matters"),
                  "the integer " STR_FMT " does not fit 64 bits", STR_ARG(low_source(s, n, 60)));
        return low_unknown(s, n);
    }
    return folded ? folded : low_arith(s, n, n->u.bin_op.op, o.items[0], o.items[1]);
}

const struct ir_expr *low_negate(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *x)
{
    if (low_is_int_constant(x)) {
        return low_int(s, n, -x->integer);
    }
    if (low_is_constant(x) && x->kind == IR_FLOAT) {
        return low_float(s, n, -x->number, x->type->kind);
    }
    if (is_pending(x)) {
        return with_pending(s, low_negate(s, n, without_note(s, x)), x->note->test,
                            low_negate(s, n, x->note->as_double), x->note->power);
    }
    if (x->type->kind == TYPE_UINT64) {
        x = low_convert(s, x, TYPE_INT128);
    }
    return low_unary(s, IR_NEG, x->type->kind, n, x);
}

const struct ir_expr *low_invert(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *x)
{
    x = low_settle(s, x);
    if (!x->type) {
        return x;
    }
    if (!type_is_integer(x->type->kind)) {
        low_error(s, n, STR("convert with int(…) first"), "'~' is not defined for " STR_FMT,
                  STR_ARG(low_spell(s, x->type)));
        return low_unknown(s, n);
    }
    if (x->type->kind == TYPE_UINT64) {
        x = low_convert(s, x, TYPE_INT128); /* Python's ~x is -1 - x */
    }
    return low_unary(s, IR_INVERT, x->type->kind, n, x);
}

/* An element of a view is NumPy's bool: its ~ is `not`. */
static bool is_numpy_bool(const struct ir_expr *x)
{
    return x->type && x->type->kind == TYPE_BOOL && x->kind == IR_ELEMENT &&
           x->args[0]->type->kind == TYPE_VIEW;
}

const struct ir_expr *low_unary_op(struct low_scope *s, const struct ast_node *n)
{
    const bool is_not = n->u.unary_op.op == OP_NOT;
    const struct ir_expr *x =
        is_not ? low_test(s, n->u.unary_op.operand) : low_expr(s, n->u.unary_op.operand);
    const struct ir_expr *folded = low_fold(s, n, &x, 1);

    if (folded) {
        return folded;
    }
    if (is_not) {
        return x->type ? low_unary(s, IR_NOT, TYPE_BOOL, n, x) : x;
    }
    if (n->u.unary_op.op == OP_INVERT && is_numpy_bool(x)) {
        return low_unary(s, IR_NOT, TYPE_BOOL, n, x);
    }
    x = low_number(s, x, n, "the operand");
    if (!x->type || n->u.unary_op.op == OP_UADD) {
        return x;
    }
    return n->u.unary_op.op == OP_USUB ? low_negate(s, n, x) : low_invert(s, n, x);
}

/* ---- 128 bits done in 64 -------------------------------------------------------------------- */

/* The low 64 bits of a 128-bit tree, which for these operations hang on low bits alone. */
static const struct ir_expr *low_bits(struct low_scope *s, const struct ir_expr *e,
                                      enum type_kind k)
{
    switch (e->kind) {
    case IR_INT: return low_convert(s, e, k);
    case IR_CONVERT:
        if (e->args[0]->type->kind == TYPE_BOOL || type_is_integer(e->args[0]->type->kind)) {
            return low_convert(s, e->args[0], k);
        }
        break;
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR:
    case IR_LSHIFT:
        return low_binary(s, e->kind, k, e->node, low_bits(s, e->args[0], k),
                          low_bits(s, e->args[1], k));
    case IR_NEG:
    case IR_INVERT: return low_unary(s, e->kind, k, e->node, low_bits(s, e->args[0], k));
    case IR_SELECT:
        return low_select(s, e->node, e->args[0], low_bits(s, e->args[1], k),
                          low_bits(s, e->args[2], k));
    default: break;
    }
    return low_unary(s, IR_CONVERT, k, e->node, e);
}

const struct ir_expr *low_narrow(struct low_scope *s, const struct ir_expr *e, enum type_kind kind)
{
    const enum type_kind k = type_is_unsigned(kind) ? TYPE_UINT64 : TYPE_INT64;

    return low_convert(s, low_bits(s, e, k), kind);
}
