/* number: Python's arithmetic on ints of up to 127 bits and on floats. */
#include "python/number.h"

#include <errno.h>
#include <math.h>

#include "python/program.h"
#include "python/value.h"

bool number_truth(const struct py_value *value, bool *out)
{
    switch (value->kind) {
    case PY_VALUE_NONE: *out = false; return true;
    case PY_VALUE_ELLIPSIS: *out = true; return true;
    case PY_VALUE_BOOL: *out = value->boolean; return true;
    case PY_VALUE_INT: *out = value->too_big || value->integer != 0; return true;
    case PY_VALUE_FLOAT: *out = value->number != 0.0; return true;
    case PY_VALUE_STR:
    case PY_VALUE_BYTES: *out = value->text.len > 0; return true;
    case PY_VALUE_TUPLE: *out = value->item_count > 0; return true;
    case PY_VALUE_COMPLEX: break;
    }
    return false;
}

bool number_as_integer(const struct py_value *value, py_int128 *out)
{
    if (value->kind == PY_VALUE_BOOL) {
        *out = value->boolean ? 1 : 0;
        return true;
    }
    *out = value->integer;
    return value->kind == PY_VALUE_INT && !value->too_big;
}

bool number_as_float(const struct py_value *value, double *out)
{
    py_int128 integer = 0;
    if (value->kind == PY_VALUE_FLOAT) {
        *out = value->number;
        return true;
    }
    if (!number_as_integer(value, &integer)) {
        return false;
    }
    *out = (double)integer;
    return true;
}

bool number_truncate(double x, py_int128 *out)
{
    if (!isfinite(x) || fabs(x) >= 0x1p126) {
        return false;
    }
    *out = (py_int128)x;
    return true;
}

static int sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static int compare_integer_float(py_int128 integer, double x)
{
    if (isinf(x) || fabs(x) >= 0x1p127) {
        return x > 0 ? -1 : 1;
    }
    const py_int128 whole = (py_int128)x;
    if (integer != whole) {
        return integer < whole ? -1 : 1;
    }
    return -sign_of(x - (double)whole);
}

bool number_compare(const struct py_value *a, const struct py_value *b, int *order, bool *ordered)
{
    py_int128 left = 0;
    py_int128 right = 0;
    const bool left_integer = number_as_integer(a, &left);
    const bool right_integer = number_as_integer(b, &right);
    if ((!left_integer && a->kind != PY_VALUE_FLOAT) ||
        (!right_integer && b->kind != PY_VALUE_FLOAT)) {
        return false;
    }
    *ordered = true;
    if (left_integer && right_integer) {
        *order = left < right ? -1 : left > right ? 1 : 0;
        return true;
    }
    if ((!left_integer && isnan(a->number)) || (!right_integer && isnan(b->number))) {
        *ordered = false;
        return true;
    }
    if (left_integer) {
        *order = compare_integer_float(left, b->number);
    } else if (right_integer) {
        *order = -compare_integer_float(right, a->number);
    } else {
        *order = a->number < b->number ? -1 : a->number > b->number ? 1 : 0;
    }
    return true;
}

static value_uint128 magnitude(py_int128 x)
{
    return x < 0 ? -(value_uint128)x : (value_uint128)x;
}

/* a / b rounded to nearest, half to even, however big they are: 55 bits of the quotient and
 * whether anything is left are enough to round from. */
static double true_divide(py_int128 a, py_int128 b)
{
    const bool negative = (a < 0) != (b < 0);
    const value_uint128 divisor = magnitude(b);
    value_uint128 quotient = magnitude(a) / divisor;
    value_uint128 rest = magnitude(a) % divisor;
    if (quotient == 0 && rest == 0) {
        return negative ? -0.0 : 0.0; /* 0 / -2 */
    }
    int exponent = 0;
    bool sticky = false;
    while (quotient >> 55 != 0) {
        sticky = sticky || (quotient & 1) != 0;
        quotient >>= 1;
        exponent++;
    }
    if (exponent == 0) {
        while (quotient >> 54 == 0) {
            rest <<= 1;
            quotient <<= 1;
            exponent--;
            if (rest >= divisor) {
                rest -= divisor;
                quotient |= 1;
            }
        }
    }
    sticky = sticky || rest != 0;
    uint64_t bits = (uint64_t)quotient;
    const unsigned low = (unsigned)(bits & 3);
    bits >>= 2;
    if (low == 3 || (low == 2 && (sticky || (bits & 1) != 0))) {
        bits++;
    }
    const double result = ldexp((double)bits, exponent + 2);
    return negative ? -result : result;
}

static bool integer_power(py_int128 base, py_int128 exponent, py_int128 *out)
{
    py_int128 result = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) {
            return false;
        }
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
            return false;
        }
    }
    *out = result;
    return true;
}

static bool float_power(double base, double exponent, double *out)
{
    if (base == 0.0 && exponent < 0.0) {
        return false; /* ZeroDivisionError */
    }
    if (base < 0.0 && isfinite(base) && isfinite(exponent) && floor(exponent) != exponent) {
        return false; /* a complex number */
    }
    errno = 0;
    *out = pow(base, exponent);
    return !(isinf(*out) && isfinite(base) && isfinite(exponent)); /* OverflowError */
}

static bool shift(enum ast_operator op, py_int128 a, py_int128 b, py_int128 *out)
{
    if (b < 0) {
        return false;
    }
    if (op == OP_RSHIFT) {
        *out = b > 126 ? (a < 0 ? -1 : 0) : a >> (int)b;
        return true;
    }
    if (a == 0) {
        *out = 0;
        return true;
    }
    if (b > 126) {
        return false;
    }
    *out = (py_int128)((value_uint128)a << (int)b);
    return *out >> (int)b == a;
}

static bool integer_operator(enum ast_operator op, py_int128 a, py_int128 b, struct py_value *out)
{
    *out = (struct py_value){.kind = PY_VALUE_INT};
    switch (op) {
    case OP_ADD: return !__builtin_add_overflow(a, b, &out->integer);
    case OP_SUB: return !__builtin_sub_overflow(a, b, &out->integer);
    case OP_MULT: return !__builtin_mul_overflow(a, b, &out->integer);
    case OP_DIV:
        if (b == 0) {
            return false;
        }
        *out = (struct py_value){.kind = PY_VALUE_FLOAT, .number = true_divide(a, b)};
        return true;
    case OP_FLOOR_DIV:
    case OP_MOD: {
        if (b == 0 || (b == -1 && op == OP_FLOOR_DIV &&
                       __builtin_sub_overflow((py_int128)0, a, &out->integer))) {
            return false;
        }
        if (b == -1) {
            out->integer = op == OP_MOD ? 0 : -a;
            return true;
        }
        py_int128 quotient = a / b;
        py_int128 rest = a % b;
        if (rest != 0 && (rest < 0) != (b < 0)) {
            quotient--;
            rest += b;
        }
        out->integer = op == OP_MOD ? rest : quotient;
        return true;
    }
    case OP_POW:
        if (b < 0) {
            out->kind = PY_VALUE_FLOAT;
            return float_power((double)a, (double)b, &out->number);
        }
        return integer_power(a, b, &out->integer);
    case OP_LSHIFT:
    case OP_RSHIFT: return shift(op, a, b, &out->integer);
    case OP_BIT_OR: out->integer = a | b; return true;
    case OP_BIT_XOR: out->integer = a ^ b; return true;
    case OP_BIT_AND: out->integer = a & b; return true;
    case OP_MAT_MULT: break;
    }
    return false;
}

/* CPython's float_divmod. */
static void float_divide(double a, double b, double *quotient, double *rest)
{
    double mod = fmod(a, b);
    double div = (a - mod) / b;
    if (mod != 0.0) {
        if ((b < 0) != (mod < 0)) {
            mod += b;
            div -= 1.0;
        }
    } else {
        mod = copysign(0.0, b);
    }
    if (div != 0.0) {
        *quotient = floor(div);
        if (div - *quotient > 0.5) {
            *quotient += 1.0;
        }
    } else {
        *quotient = copysign(0.0, a / b);
    }
    *rest = mod;
}

static bool float_operator(enum ast_operator op, double a, double b, struct py_value *out)
{
    *out = (struct py_value){.kind = PY_VALUE_FLOAT};
    double other = 0;
    switch (op) {
    case OP_ADD: out->number = a + b; return true;
    case OP_SUB: out->number = a - b; return true;
    case OP_MULT: out->number = a * b; return true;
    case OP_DIV: out->number = a / b; return b != 0.0;
    case OP_FLOOR_DIV:
        if (b == 0.0) {
            return false;
        }
        float_divide(a, b, &out->number, &other);
        return true;
    case OP_MOD:
        if (b == 0.0) {
            return false;
        }
        float_divide(a, b, &other, &out->number);
        return true;
    case OP_POW: return float_power(a, b, &out->number);
    default: return false;
    }
}

static bool concatenate(struct arena *a, const struct py_value *left, const struct py_value *right,
                        struct py_value *out)
{
    if (left->kind != right->kind) {
        return false;
    }
    if (left->kind == PY_VALUE_STR || left->kind == PY_VALUE_BYTES) {
        struct buf text; /* not by a format: the texts may hold NUL bytes */
        buf_init(&text, a);
        buf_add(&text, left->text);
        buf_add(&text, right->text);
        *out = *left;
        out->text = buf_str(&text);
        return true;
    }
    if (left->kind != PY_VALUE_TUPLE) {
        return false;
    }
    const size_t count = left->item_count + right->item_count;
    struct py_value *items = ARENA_ARRAY(a, struct py_value, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = i < left->item_count ? left->items[i] : right->items[i - left->item_count];
    }
    *out = (struct py_value){.kind = PY_VALUE_TUPLE, .items = items, .item_count = count};
    return true;
}

bool evaluate_binary(struct arena *a, enum ast_operator op, const struct py_value *left,
                     const struct py_value *right, struct py_value *out)
{
    py_int128 x = 0;
    py_int128 y = 0;
    if (number_as_integer(left, &x) && number_as_integer(right, &y)) {
        if (!integer_operator(op, x, y, out)) {
            return false;
        }
        const bool bits = op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR;
        if (bits && left->kind == PY_VALUE_BOOL && right->kind == PY_VALUE_BOOL) {
            *out = (struct py_value){.kind = PY_VALUE_BOOL, .boolean = out->integer != 0};
        }
        return true;
    }
    double u = 0;
    double v = 0;
    if (number_as_float(left, &u) && number_as_float(right, &v)) {
        return float_operator(op, u, v, out);
    }
    return op == OP_ADD && concatenate(a, left, right, out);
}
