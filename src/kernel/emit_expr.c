/* Expressions, with the parentheses that they need and that compilers do not warn about. */
#include "kernel/emit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 emit_uint128;

void emit_open(struct emit *e, enum emit_prec prec, enum emit_prec min)
{
    if (prec < min) {
        emit_text(e, "(");
    }
}

void emit_close(struct emit *e, enum emit_prec prec, enum emit_prec min)
{
    if (prec < min) {
        emit_text(e, ")");
    }
}

/* What an operand must bind like. Tighter than C++ asks for where compilers suggest parentheses:
 * around && in ||, and around any operator inside of bit operators and shifts. */
static enum emit_prec operand_min(enum emit_prec prec, const char *op,
                                  const struct ir_expr *operand, bool right)
{
    switch (prec) {
    case PREC_OR:
    case PREC_AND: return prec == PREC_AND || operand->kind != IR_AND ? prec + right : PREC_EQUAL;
    case PREC_BIT_OR:
    case PREC_BIT_XOR:
    case PREC_BIT_AND: {
        const enum ir_expr_kind same = *op == '|'   ? IR_BIT_OR
                                       : *op == '^' ? IR_BIT_XOR
                                                    : IR_BIT_AND;
        return !right && operand->kind == same ? prec : PREC_UNARY;
    }
    case PREC_SHIFT: return PREC_UNARY;
    case PREC_EQUAL:
    case PREC_RELATION: return PREC_SHIFT;
    default: return prec + right;
    }
}

void emit_infix(struct emit *e, const char *op, enum emit_prec prec, const struct ir_expr *a,
                const struct ir_expr *b, enum emit_prec min)
{
    emit_open(e, prec, min);
    emit_expr(e, a, operand_min(prec, op, a, false));
    buf_printf(e->out, " %s ", op);
    emit_expr(e, b, operand_min(prec, op, b, true));
    emit_close(e, prec, min);
}

void emit_named_call(struct emit *e, const char *name, const struct ir_expr *const *args,
                     size_t count)
{
    emit_text(e, name);
    emit_text(e, "(");
    for (size_t i = 0; i < count; i++) {
        emit_text(e, i > 0 ? ", " : "");
        emit_expr(e, args[i], PREC_CONDITIONAL);
    }
    emit_text(e, ")");
}

/* ---- constants ------------------------------------------------------------------------------ */

static void int_digits(struct emit *e, py_int128 value, const char *suffix)
{
    char text[48];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    /* Unsigned: the smallest has no opposite. */
    emit_uint128 rest = value < 0 ? 0 - (emit_uint128)value : (emit_uint128)value;
    do {
        text[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    buf_printf(e->out, "%s%s%s", value < 0 ? "-" : "", text + at, suffix);
}

void emit_int_constant(struct emit *e, py_int128 value, enum type_kind k, enum emit_prec min)
{
    const enum emit_prec prec = value < 0 ? PREC_UNARY : PREC_POSTFIX;
    if (k == TYPE_UINT64) {
        /* The type counts: templates deduce it, and shifts keep it. */
        int_digits(e, value, "ul");
    } else if (k == TYPE_UINT32) {
        int_digits(e, value, "u");
    } else if (value == INT64_MIN) {
        emit_text(e, "(-9223372036854775807 - 1)");
    } else if (value == INT32_MIN) {
        emit_text(e, "(-2147483647 - 1)"); /* 2147483648 has 64 bits, and its opposite too */
    } else if (value > INT64_MIN && value <= INT64_MAX) {
        emit_open(e, prec, min);
        int_digits(e, value, "");
        emit_close(e, prec, min);
    } else {
        e->header[HEADER_INT128] = true;
        emit_text(e, "pkc::make_int128(");
        int_digits(e, value >> 64, "");
        emit_text(e, ", ");
        int_digits(e, value & (py_int128)UINT64_MAX, "u");
        emit_text(e, ")");
    }
}

/* The shortest digits that read back as the same number. */
static void float_digits(char *text, size_t size, double x, bool is_float)
{
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(text, size, "%.*g", precision, x);
        const double back = strtod(text, NULL);
        if (is_float ? (float)back == (float)x : back == x) {
            break;
        }
    }
    if (!strpbrk(text, ".e")) {
        strcat(text, ".0");
    }
}

static void float_constant(struct emit *e, double x, enum type_kind k, enum emit_prec min)
{
    const bool is_float = k == TYPE_FLOAT;
    const bool negative = signbit(x) && !isnan(x);
    const enum emit_prec prec = negative ? PREC_UNARY : PREC_POSTFIX;
    emit_open(e, prec, min);
    if (negative) {
        emit_text(e, "-");
    }
    if (isnan(x)) {
        emit_text(e, is_float ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")");
    } else if (isinf(x)) {
        emit_text(e, is_float ? "__builtin_inff()" : "__builtin_inf()");
    } else {
        char text[48];
        float_digits(text, sizeof text, fabs(x), is_float);
        emit_text(e, text);
        emit_text(e, is_float ? "f" : "");
    }
    emit_close(e, prec, min);
}

/* ---- views, lists, structs ------------------------------------------------------------------ */

static void element(struct emit *e, const struct ir_expr *x)
{
    emit_expr(e, x->args[0], PREC_POSTFIX);
    if (x->args[0]->type->kind == TYPE_ARRAY) {
        for (size_t i = 1; i < x->arg_count; i++) {
            emit_text(e, "[");
            emit_expr(e, x->args[i], PREC_ANY);
            emit_text(e, "]");
        }
        return;
    }
    emit_text(e, "(");
    for (size_t i = 1; i < x->arg_count; i++) {
        emit_text(e, i > 1 ? ", " : "");
        emit_expr(e, x->args[i], PREC_CONDITIONAL);
    }
    emit_text(e, ")");
}

static void subview(struct emit *e, const struct ir_expr *x)
{
    static const char *const layouts[] = {"right", "left", "stride"};
    e->header[HEADER_SUBVIEW] = true;
    buf_printf(e->out, "pkc::subview<%d, pkc::layout::%s>(", x->type->rank,
               layouts[x->type->layout]);
    emit_expr(e, x->args[0], PREC_CONDITIONAL);
    for (int d = 0; d < x->args[0]->type->rank; d++) {
        const struct ir_slice *s = &x->slices[d];
        emit_text(e, ", ");
        if (s->index) {
            emit_expr(e, s->index, PREC_CONDITIONAL);
        } else if (s->begin) {
            emit_text(e, "pkc::slice{");
            emit_expr(e, s->begin, PREC_CONDITIONAL);
            emit_text(e, ", ");
            emit_expr(e, s->end, PREC_CONDITIONAL);
            emit_text(e, "}");
        } else {
            emit_text(e, "pkc::all");
        }
    }
    emit_text(e, ")");
}

static void extent(struct emit *e, const struct ir_expr *x)
{
    const struct type *t = x->args[0]->type;
    if (t->kind == TYPE_ARRAY) {
        for (py_int128 d = x->kind == IR_EXTENT ? x->args[1]->integer : 0; d > 0; d--) {
            t = t->element;
        }
        emit_int_constant(e, t->length, TYPE_INT64, PREC_ANY);
        return;
    }
    emit_expr(e, x->args[0], PREC_POSTFIX);
    if (x->kind == IR_SIZE) {
        emit_text(e, ".size()");
        return;
    }
    emit_text(e, ".extent[");
    emit_expr(e, x->args[1], PREC_ANY);
    emit_text(e, "]");
}

static void list(struct emit *e, const struct ir_expr *x)
{
    emit_type(e, x->type);
    emit_text(e, "{{");
    for (size_t i = 0; i < x->arg_count; i++) {
        emit_text(e, i > 0 ? ", " : "");
        emit_expr(e, x->args[i], PREC_CONDITIONAL);
    }
    emit_text(e, "}}");
}

static void complex_constant(struct emit *e, const struct ir_expr *x)
{
    emit_type(e, x->type);
    emit_text(e, "{");
    emit_expr(e, x->args[0], PREC_CONDITIONAL);
    emit_text(e, ", ");
    emit_expr(e, x->args[1], PREC_CONDITIONAL);
    emit_text(e, "}");
}

void emit_var_name(struct emit *e, const struct ir_var *var)
{
    if (var->kind != VAR_FIELD || var->type->kind == TYPE_RANDOM_POOL) {
        emit_str(e, emit_var_of(e, var)->name);
        return;
    }
    emit_str(e, e->self);
    emit_text(e, ".");
    for (size_t i = 0; i < e->kernel->field_count; i++) {
        if (e->kernel->fields[i].var == var || str_equal(e->kernel->fields[i].name, var->name)) {
            emit_str(e, kernel_args_member(e->arena, e->kernel, i));
            return;
        }
    }
    emit_str(e, cpp_identifier(e->arena, var->name));
}

/* A pool's name is that of the generator that the kernel's function has of it. */
static void random_number(struct emit *e, const struct ir_expr *x)
{
    e->header[HEADER_RANDOM] = true;
    emit_expr(e, x->args[0], PREC_POSTFIX);
    emit_text(e, x->args[0]->type->kind == TYPE_RANDOM_POOL ? "." : "->");
    emit_str(e, x->name);
    emit_named_call(e, "", x->args + 1, x->arg_count - 1);
}

/* ---- operators ------------------------------------------------------------------------------ */

static void select(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    emit_open(e, PREC_CONDITIONAL, min);
    emit_expr(e, x->args[0], PREC_OR);
    emit_text(e, " ? ");
    emit_expr(e, x->args[1], PREC_OR);
    emit_text(e, " : ");
    emit_expr(e, x->args[2], PREC_CONDITIONAL);
    emit_close(e, PREC_CONDITIONAL, min);
}

/* On bools & | ^ are logic. Both operands are evaluated: the second may have effects. */
static void bool_bits(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    if (x->kind == IR_BIT_XOR) {
        emit_infix(e, "!=", PREC_EQUAL, x->args[0], x->args[1], min);
    } else if ((x->args[1]->effects & EFFECT_WRITES) != 0) {
        emit_open(e, PREC_EQUAL, min);
        emit_text(e, "(int(");
        emit_expr(e, x->args[0], PREC_ANY);
        emit_text(e, x->kind == IR_BIT_AND ? ") & int(" : ") | int(");
        emit_expr(e, x->args[1], PREC_ANY);
        emit_text(e, ")) != 0");
        emit_close(e, PREC_EQUAL, min);
    } else if (x->kind == IR_BIT_AND) {
        emit_infix(e, "&&", PREC_AND, x->args[0], x->args[1], min);
    } else {
        emit_infix(e, "||", PREC_OR, x->args[0], x->args[1], min);
    }
}

static void negate(struct emit *e, const struct ir_expr *x, const char *op, enum emit_prec min)
{
    emit_open(e, PREC_UNARY, min);
    emit_text(e, op);
    emit_expr(e, x->args[0], PREC_POSTFIX);
    emit_close(e, PREC_UNARY, min);
}

/* Floor division and modulo of floats; x ** y. */
static void float_op(struct emit *e, const struct ir_expr *x)
{
    const enum type_kind k = x->type->kind;
    if (x->kind != IR_POW) {
        e->header[HEADER_FLOAT] = true;
        emit_named_call(e, x->kind == IR_MOD ? "pkc::float_mod" : "pkc::float_floordiv", x->args,
                        2);
        return;
    }
    if (type_is_complex(k)) {
        e->header[HEADER_COMPLEX] = true;
        emit_named_call(e, "pkc::pow", x->args, 2);
        return;
    }
    emit_libm(e, "pow", k, 2);
    emit_named_call(e, "", x->args, 2);
}

static bool is_plain_number(enum type_kind k)
{
    return type_is_float(k) || type_is_complex(k);
}

static void summand(struct emit *e, const struct ir_expr *x, const char *op, bool right)
{
    if (x->kind == IR_FLOAT && fpclassify(x->number) == FP_ZERO) {
        emit_text(e, "pkc::as_written(");
        emit_expr(e, x, PREC_CONDITIONAL);
        emit_text(e, ")");
    } else {
        emit_expr(e, x, operand_min(PREC_SUM, op, x, right));
    }
}

/* A sum of floats. g++ (12, at -O0 too) takes 0.0 - double(j) for -double(j), which differs for 0:
 * it must not see that the operand is zero. */
static void sum(struct emit *e, const char *op, const struct ir_expr *x, enum emit_prec min)
{
    emit_open(e, PREC_SUM, min);
    summand(e, x->args[0], op, false);
    buf_printf(e->out, " %s ", op);
    summand(e, x->args[1], op, true);
    emit_close(e, PREC_SUM, min);
}

static void difference(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const struct ir_expr *first = x->args[0];
    if (first->kind == IR_FLOAT && first->number == 0 && !signbit(first->number)) {
        /* GCC makes -b of 0 - b where b cannot be -0.0: wrong for 0. */
        e->header[HEADER_FLOAT] = true;
        emit_named_call(e, "pkc::zero_minus", &x->args[1], 1);
        return;
    }
    sum(e, "-", x, min);
}

static void operator_expr(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const enum type_kind k = x->type->kind;
    if (k == TYPE_BOOL &&
        (x->kind == IR_BIT_AND || x->kind == IR_BIT_OR || x->kind == IR_BIT_XOR)) {
        bool_bits(e, x, min);
        return;
    }
    if (!is_plain_number(k) || x->kind == IR_TRUEDIV_INT || x->kind == IR_POW_INT_DOUBLE) {
        emit_int_op(e, x, min);
        return;
    }
    switch (x->kind) {
    case IR_NEG: negate(e, x, "-", min); break;
    case IR_ADD: sum(e, "+", x, min); break;
    case IR_SUB: difference(e, x, min); break;
    case IR_MUL: emit_infix(e, "*", PREC_PRODUCT, x->args[0], x->args[1], min); break;
    case IR_TRUEDIV: emit_infix(e, "/", PREC_PRODUCT, x->args[0], x->args[1], min); break;
    default: float_op(e, x); break;
    }
}

void emit_expr(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    switch (x->kind) {
    case IR_INT: emit_int_constant(e, x->integer, x->type->kind, min); break;
    case IR_FLOAT: float_constant(e, x->number, x->type->kind, min); break;
    case IR_BOOL: emit_text(e, x->integer != 0 ? "true" : "false"); break;
    case IR_COMPLEX: complex_constant(e, x); break;
    case IR_VAR: emit_var_name(e, x->var); break;
    case IR_ELEMENT: element(e, x); break;
    case IR_MEMBER:
        emit_expr(e, x->args[0], PREC_POSTFIX);
        emit_text(e, ".");
        emit_str(e, cpp_identifier(e->arena, x->name));
        break;
    case IR_SUBVIEW: subview(e, x); break;
    case IR_EXTENT:
    case IR_SIZE: extent(e, x); break;
    case IR_CONVERT: emit_convert(e, x, min); break;
    case IR_NOT: negate(e, x, "!", min); break;
    case IR_NEG:
    case IR_INVERT:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_TRUEDIV:
    case IR_TRUEDIV_INT:
    case IR_FLOORDIV:
    case IR_MOD:
    case IR_POW_INT:
    case IR_POW_INT_DOUBLE:
    case IR_POW:
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR:
    case IR_LSHIFT:
    case IR_RSHIFT: operator_expr(e, x, min); break;
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: emit_compare(e, x, min); break;
    case IR_AND: emit_infix(e, "&&", PREC_AND, x->args[0], x->args[1], min); break;
    case IR_OR: emit_infix(e, "||", PREC_OR, x->args[0], x->args[1], min); break;
    case IR_SELECT: select(e, x, min); break;
    case IR_MIN:
    case IR_MAX: emit_minmax(e, x); break;
    case IR_MATH: emit_math(e, x, min); break;
    case IR_CALL: emit_function_call(e, x); break;
    case IR_ATOMIC: emit_atomic(e, x); break;
    case IR_PRINTF: emit_printf(e, x); break;
    case IR_TEAM_CALL: emit_team_call(e, x); break;
    case IR_LIST: list(e, x); break;
    case IR_SCRATCH: emit_scratch(e, x); break;
    case IR_RANDOM: random_number(e, x); break;
    case IR_SECONDS: emit_text(e, "pkc::host_seconds()"); break;
    }
}
