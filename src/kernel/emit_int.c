/* Integer arithmetic: plain C++ where it is exact or the machine's wrapping is defined, 32-bit
 * where operands and result are, else the functions of int.hpp. And comparisons. */
#include "kernel/emit.h"

struct int_op {
    enum ir_expr_kind kind;
    const char *op; /* NULL: no C++ operator does the same */
    enum emit_prec prec;
    const char *call64, *call32, *call_unsigned, *call128;
};

static const struct int_op ops[] = {
    {IR_ADD, "+", PREC_SUM, "pkc::add", NULL, NULL, "pkc::add128"},
    {IR_SUB, "-", PREC_SUM, "pkc::sub", NULL, NULL, "pkc::sub128"},
    {IR_MUL, "*", PREC_PRODUCT, "pkc::mul", NULL, NULL, "pkc::mul128"},
    {IR_FLOORDIV, NULL, PREC_PRODUCT, "pkc::floordiv", "pkc::floordiv32", "pkc::ufloordiv",
     "pkc::floordiv128"},
    {IR_MOD, NULL, PREC_PRODUCT, "pkc::mod", "pkc::mod32", "pkc::umod", "pkc::mod128"},
    {IR_POW_INT, NULL, PREC_POSTFIX, "pkc::pow", NULL, "pkc::upow", "pkc::pow128"},
    {IR_LSHIFT, "<<", PREC_SHIFT, "pkc::shl", NULL, "pkc::ushl", "pkc::shl128"},
    {IR_RSHIFT, ">>", PREC_SHIFT, "pkc::shr", NULL, "pkc::ushr", "pkc::shr128"},
    {IR_BIT_AND, "&", PREC_BIT_AND, NULL, NULL, NULL, NULL},
    {IR_BIT_OR, "|", PREC_BIT_OR, NULL, NULL, NULL, NULL},
    {IR_BIT_XOR, "^", PREC_BIT_XOR, NULL, NULL, NULL, NULL},
};

static const struct int_op *op_of(enum ir_expr_kind kind)
{
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (ops[i].kind == kind) {
            return &ops[i];
        }
    }
    return NULL;
}

static bool is_constant(const struct ir_expr *x)
{
    return x->kind == IR_INT;
}

/* k where the expression is the constant 2^k, else -1. */
static int log2_of(const struct ir_expr *x)
{
    if (!is_constant(x) || x->integer <= 0 || (x->integer & (x->integer - 1)) != 0) {
        return -1;
    }
    int k = 0;
    while ((x->integer >> k) != 1) {
        k++;
    }
    return k;
}

/* Both operands have text of type int and the result does not fit it: one is made 64 bits wide. A
 * shift has the type of its first operand, whatever the count's. */
static bool must_widen(struct emit *e, const struct ir_expr *x)
{
    const bool shift = x->kind == IR_LSHIFT || x->kind == IR_RSHIFT;
    return x->type->kind == TYPE_INT64 && !emit_info_of(e, x).narrow &&
           emit_info_of(e, x->args[0]).narrow && (shift || emit_info_of(e, x->args[1]).narrow);
}

static void infix_widened(struct emit *e, const struct int_op *op, const struct ir_expr *x,
                          enum emit_prec min)
{
    const bool second = is_constant(x->args[0]) && op->prec != PREC_SHIFT;
    emit_open(e, op->prec, min);
    for (int i = 0; i < 2; i++) {
        if (i == (int)second) {
            emit_text(e, "pkc::int64(");
            emit_expr(e, x->args[i], PREC_ANY);
            emit_text(e, ")");
        } else {
            emit_expr(e, x->args[i], op->prec >= PREC_SUM ? op->prec + (i == 1) : PREC_UNARY);
        }
        if (i == 0) {
            buf_printf(e->out, " %s ", op->op);
        }
    }
    emit_close(e, op->prec, min);
}

/* / and % of C++ are Python's where nothing is negative, shifts and masks where the divisor is a
 * power of two. */
static bool divide_plainly(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const struct emit_interval a = emit_info_of(e, x->args[0]).range;
    const struct emit_interval b = emit_info_of(e, x->args[1]).range;
    if (x->type->kind == TYPE_INT128) {
        return false;
    }
    if (a.lo >= 0 && b.lo > 0) {
        emit_infix(e, x->kind == IR_MOD ? "%" : "/", PREC_PRODUCT, x->args[0], x->args[1], min);
        return true;
    }
    const int k = log2_of(x->args[1]);
    if (k < 0) {
        return false;
    }
    const enum emit_prec prec = x->kind == IR_MOD ? PREC_BIT_AND : PREC_SHIFT;
    emit_open(e, prec, min);
    const bool widen = emit_info_of(e, x->args[0]).narrow && !emit_info_of(e, x->args[1]).narrow;
    emit_text(e, widen ? "pkc::int64(" : "");
    emit_expr(e, x->args[0], widen ? PREC_ANY : PREC_UNARY);
    emit_text(e, widen ? ")" : "");
    emit_text(e, x->kind == IR_MOD ? " & " : " >> ");
    emit_int_constant(e, x->kind == IR_MOD ? x->args[1]->integer - 1 : k, TYPE_INT64, PREC_UNARY);
    emit_close(e, prec, min);
    return true;
}

/* Is the shift the same in C++, for all counts that it can have? */
static bool shift_is_plain(struct emit *e, const struct ir_expr *x)
{
    const struct emit_interval count = emit_info_of(e, x->args[1]).range;
    if (x->type->kind == TYPE_INT128 || !emit_within(count, 0, 63)) {
        return false;
    }
    return x->kind == IR_RSHIFT || x->type->kind == TYPE_UINT64 ||
           (emit_info_of(e, x).fits && emit_info_of(e, x->args[0]).range.lo >= 0);
}

bool emit_int_is_infix(struct emit *e, const struct ir_expr *x)
{
    const enum type_kind k = x->type->kind;
    switch (x->kind) {
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR: return true;
    case IR_ADD:
    case IR_SUB:
    case IR_MUL: return k == TYPE_UINT64 || (k == TYPE_INT64 && emit_info_of(e, x).fits);
    case IR_LSHIFT:
    case IR_RSHIFT: return shift_is_plain(e, x);
    default: return false;
    }
}

static void call_int(struct emit *e, const struct int_op *op, const struct ir_expr *x)
{
    const char *name = op->call64;
    if (x->type->kind == TYPE_INT128) {
        name = op->call128;
    } else if (x->type->kind == TYPE_UINT64) {
        name = op->call_unsigned;
    } else if (op->call32 && emit_info_of(e, x).narrow) {
        name = op->call32;
    }
    e->header[x->type->kind == TYPE_INT128 ? HEADER_INT128 : HEADER_INT] = true;
    emit_named_call(e, name, x->args, 2);
}

static void binary(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const struct int_op *op = op_of(x->kind);
    if ((x->kind == IR_FLOORDIV || x->kind == IR_MOD) && divide_plainly(e, x, min)) {
        return;
    }
    if (!emit_int_is_infix(e, x)) {
        call_int(e, op, x);
    } else if (must_widen(e, x)) {
        infix_widened(e, op, x, min);
    } else {
        emit_infix(e, op->op, op->prec, x->args[0], x->args[1], min);
    }
}

static void negated(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const enum type_kind k = x->type->kind;
    if (k == TYPE_UINT64) {
        emit_open(e, PREC_SUM, min);
        emit_text(e, "0u - ");
        emit_expr(e, x->args[0], PREC_PRODUCT);
        emit_close(e, PREC_SUM, min);
    } else if (k == TYPE_INT64 && emit_info_of(e, x).fits) {
        const bool widen = !emit_info_of(e, x).narrow && emit_info_of(e, x->args[0]).narrow;
        emit_open(e, PREC_UNARY, min);
        emit_text(e, widen ? "-pkc::int64(" : "-");
        emit_expr(e, x->args[0], widen ? PREC_ANY : PREC_POSTFIX);
        emit_text(e, widen ? ")" : "");
        emit_close(e, PREC_UNARY, min);
    } else {
        e->header[k == TYPE_INT128 ? HEADER_INT128 : HEADER_INT] = true;
        emit_named_call(e, k == TYPE_INT128 ? "pkc::neg128" : "pkc::neg", x->args, 1);
    }
}

/* Integers within 2^53: as doubles they are the same numbers. */
static bool is_exact_double(struct emit *e, const struct ir_expr *x)
{
    return emit_within(emit_info_of(e, x).range, -((py_int128)1 << 53), (py_int128)1 << 53);
}

static void as_double(struct emit *e, const struct ir_expr *x)
{
    if (x->kind == IR_INT) {
        buf_printf(e->out, "%lld.0", (long long)x->integer);
        return;
    }
    emit_text(e, "double(");
    emit_expr(e, x, PREC_ANY);
    emit_text(e, ")");
}

static const char *by_kind(enum type_kind k, const char *plain, const char *of_unsigned,
                           const char *of_int128)
{
    return k == TYPE_INT128 ? of_int128 : k == TYPE_UINT64 ? of_unsigned : plain;
}

static void true_division(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    if (is_exact_double(e, x->args[0]) && is_exact_double(e, x->args[1])) {
        emit_open(e, PREC_PRODUCT, min);
        as_double(e, x->args[0]);
        emit_text(e, " / ");
        as_double(e, x->args[1]);
        emit_close(e, PREC_PRODUCT, min);
        return;
    }
    e->header[HEADER_EXACT] = true;
    emit_named_call(
        e, by_kind(x->args[0]->type->kind, "pkc::truediv", "pkc::utruediv", "pkc::truediv128"),
        x->args, 2);
}

void emit_int_op(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    switch (x->kind) {
    case IR_NEG: negated(e, x, min); break;
    case IR_INVERT:
        emit_open(e, PREC_UNARY, min);
        emit_text(e, "~");
        emit_expr(e, x->args[0], PREC_POSTFIX);
        emit_close(e, PREC_UNARY, min);
        break;
    case IR_TRUEDIV_INT: true_division(e, x, min); break;
    case IR_POW_INT_DOUBLE:
        e->header[HEADER_EXACT] = true;
        emit_named_call(e,
                        by_kind(x->args[0]->type->kind, "pkc::pow_double", "pkc::upow_double",
                                "pkc::pow_double128"),
                        x->args, 2);
        break;
    case IR_POW_INT:
        if (x->type->kind == TYPE_INT64 && is_constant(x->args[1]) && x->args[1]->integer == 2 &&
            x->args[0]->kind == IR_VAR) {
            e->header[HEADER_INT] = true;
            emit_text(e, "pkc::mul(");
            emit_expr(e, x->args[0], PREC_CONDITIONAL);
            emit_text(e, ", ");
            emit_expr(e, x->args[0], PREC_CONDITIONAL);
            emit_text(e, ")");
            break;
        }
        binary(e, x, min);
        break;
    default: binary(e, x, min); break;
    }
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static const char *relation(enum ir_expr_kind kind)
{
    switch (kind) {
    case IR_EQ: return "==";
    case IR_NE: return "!=";
    case IR_LT: return "<";
    case IR_LE: return "<=";
    case IR_GT: return ">";
    default: return ">=";
    }
}

static enum ir_expr_kind mirrored(enum ir_expr_kind kind)
{
    switch (kind) {
    case IR_LT: return IR_GT;
    case IR_LE: return IR_GE;
    case IR_GT: return IR_LT;
    case IR_GE: return IR_LE;
    default: return kind;
    }
}

static bool is_relation(enum ir_expr_kind kind)
{
    return kind != IR_EQ && kind != IR_NE;
}

/* An integer with a double. compare() gives -1, 0 or 1, and 2 where the double is NaN: then < <= ==
 * are false and != is true of it; for > and >= above() makes -2 of it. */
static void compare_mixed(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const bool int_first = !type_is_float(x->args[0]->type->kind);
    const struct ir_expr *integer = x->args[int_first ? 0 : 1];
    const struct ir_expr *number = x->args[int_first ? 1 : 0];
    const enum ir_expr_kind kind = int_first ? x->kind : mirrored(x->kind);
    const enum emit_prec prec = is_relation(x->kind) ? PREC_RELATION : PREC_EQUAL;
    if (is_exact_double(e, integer)) {
        emit_open(e, prec, min);
        if (int_first) {
            as_double(e, integer);
        } else {
            emit_expr(e, number, PREC_SHIFT);
        }
        buf_printf(e->out, " %s ", relation(x->kind));
        if (int_first) {
            emit_expr(e, number, PREC_SHIFT);
        } else {
            as_double(e, integer);
        }
        emit_close(e, prec, min);
        return;
    }
    e->header[HEADER_EXACT] = true;
    const struct ir_expr *args[] = {integer, number};
    const bool above = kind == IR_GT || kind == IR_GE;
    emit_open(e, prec, min);
    const char *name =
        by_kind(integer->type->kind, "pkc::compare", "pkc::ucompare", "pkc::compare128");
    emit_text(e, above ? "pkc::above(" : "");
    emit_named_call(e, name, args, 2);
    buf_printf(e->out, above ? ") %s 0" : " %s 0", relation(kind));
    emit_close(e, prec, min);
}

/* -1: not known; else what every value of the operands gives. */
static int decided(enum ir_expr_kind kind, struct emit_interval a, struct emit_interval b)
{
    if ((kind == IR_EQ || kind == IR_NE) && a.lo == a.hi && b.lo == b.hi && a.lo == b.lo) {
        return kind == IR_EQ;
    }
    switch (kind) {
    case IR_LT: return a.hi < b.lo ? 1 : a.lo >= b.hi ? 0 : -1;
    case IR_LE: return a.hi <= b.lo ? 1 : a.lo > b.hi ? 0 : -1;
    case IR_GT: return decided(IR_LT, b, a);
    case IR_GE: return decided(IR_LE, b, a);
    case IR_EQ: return a.hi < b.lo || a.lo > b.hi ? 0 : -1;
    default: return a.hi < b.lo || a.lo > b.hi ? 1 : -1;
    }
}

/* Of an INT128 that is not known to be smaller, no range is known. */
static bool is_known(struct emit_interval r)
{
    return emit_within(r, INT64_MIN, UINT64_MAX);
}

/* Compilers warn about comparisons that are always true. */
static bool compare_decided(struct emit *e, const struct ir_expr *x)
{
    if (!type_is_integer(x->args[0]->type->kind) ||
        ((x->args[0]->effects | x->args[1]->effects) & EFFECT_WRITES) != 0) {
        return false;
    }
    const struct emit_interval a = emit_info_of(e, x->args[0]).range;
    const struct emit_interval b = emit_info_of(e, x->args[1]).range;
    int known = is_known(a) && is_known(b) ? decided(x->kind, a, b) : -1;
    if (known < 0 && emit_same(x->args[0], x->args[1])) {
        known = x->kind == IR_EQ || x->kind == IR_LE || x->kind == IR_GE;
    }
    if (known >= 0) {
        emit_text(e, known ? "true" : "false");
    }
    return known >= 0;
}

void emit_compare(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const bool float_a = type_is_float(x->args[0]->type->kind);
    const bool float_b = type_is_float(x->args[1]->type->kind);
    if (float_a != float_b) {
        compare_mixed(e, x, min);
    } else if (!compare_decided(e, x)) {
        emit_infix(e, relation(x->kind), is_relation(x->kind) ? PREC_RELATION : PREC_EQUAL,
                   x->args[0], x->args[1], min);
    }
}
