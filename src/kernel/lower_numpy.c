/* NumPy's operators by name, its maximum and minimum and their kin, of scalars. */
#include "kernel/lower.h"

enum shape {
    ARITHMETIC, /* detail: enum ast_operator */
    COMPARISON, /* detail: enum ast_cmp_operator */
    LOGICAL,    /* detail: enum ir_expr_kind */
    LOGICAL_NOT,
    INVERT,
    FLOAT_POWER,
    EXTREME, /* detail: enum ir_math of floats; integers have no NaN */
    FLOATS,  /* detail: enum ir_math, of two floats */
    SIGN_BIT,
    INFINITE, /* detail: the sign of that infinity */
    HEAVISIDE,
    TRUNCATED_REST,
    RECIPROCAL,
    NEGATIVE,
};

struct function {
    const char *name;
    enum shape shape;
    int detail;
    size_t arguments;
    unsigned origins;
};

static const struct function functions[] = {
    {"add", ARITHMETIC, OP_ADD, 2, LOW_NUMPY},
    {"bitwise_and", ARITHMETIC, OP_BIT_AND, 2, LOW_NUMPY},
    {"bitwise_not", INVERT, 0, 1, LOW_NUMPY},
    {"bitwise_or", ARITHMETIC, OP_BIT_OR, 2, LOW_NUMPY},
    {"bitwise_xor", ARITHMETIC, OP_BIT_XOR, 2, LOW_NUMPY},
    {"divide", ARITHMETIC, OP_DIV, 2, LOW_NUMPY},
    {"equal", COMPARISON, OP_EQ, 2, LOW_NUMPY},
    {"float_power", FLOAT_POWER, 0, 2, LOW_NUMPY},
    {"floor_divide", ARITHMETIC, OP_FLOOR_DIV, 2, LOW_NUMPY},
    {"fmax", EXTREME, MATH_FMAX, 2, LOW_NUMPY},
    {"fmin", EXTREME, MATH_FMIN, 2, LOW_NUMPY},
    {"fmod", TRUNCATED_REST, MATH_FMOD, 2, LOW_NUMPY},
    {"greater", COMPARISON, OP_GT, 2, LOW_NUMPY},
    {"greater_equal", COMPARISON, OP_GT_E, 2, LOW_NUMPY},
    {"heaviside", HEAVISIDE, 0, 2, LOW_NUMPY},
    {"invert", INVERT, 0, 1, LOW_NUMPY},
    {"isneginf", INFINITE, -1, 1, LOW_NUMPY},
    {"isposinf", INFINITE, 1, 1, LOW_NUMPY},
    {"left_shift", ARITHMETIC, OP_LSHIFT, 2, LOW_NUMPY},
    {"less", COMPARISON, OP_LT, 2, LOW_NUMPY},
    {"less_equal", COMPARISON, OP_LT_E, 2, LOW_NUMPY},
    {"logaddexp", FLOATS, MATH_LOGADDEXP, 2, LOW_NUMPY},
    {"logaddexp2", FLOATS, MATH_LOGADDEXP2, 2, LOW_NUMPY},
    {"logical_and", LOGICAL, IR_BIT_AND, 2, LOW_NUMPY},
    {"logical_not", LOGICAL_NOT, 0, 1, LOW_NUMPY},
    {"logical_or", LOGICAL, IR_BIT_OR, 2, LOW_NUMPY},
    {"logical_xor", LOGICAL, IR_BIT_XOR, 2, LOW_NUMPY},
    {"maximum", EXTREME, MATH_MAXIMUM, 2, LOW_NUMPY},
    {"minimum", EXTREME, MATH_MINIMUM, 2, LOW_NUMPY},
    {"mod", ARITHMETIC, OP_MOD, 2, LOW_NUMPY},
    {"multiply", ARITHMETIC, OP_MULT, 2, LOW_NUMPY},
    {"negative", NEGATIVE, 0, 1, LOW_NUMPY},
    {"nextafter", FLOATS, MATH_NEXTAFTER, 2, LOW_NUMPY | LOW_MATH},
    {"not_equal", COMPARISON, OP_NOT_EQ, 2, LOW_NUMPY},
    {"reciprocal", RECIPROCAL, 0, 1, LOW_NUMPY},
    {"remainder", ARITHMETIC, OP_MOD, 2, LOW_NUMPY},
    {"right_shift", ARITHMETIC, OP_RSHIFT, 2, LOW_NUMPY},
    {"signbit", SIGN_BIT, 0, 1, LOW_NUMPY},
    {"subtract", ARITHMETIC, OP_SUB, 2, LOW_NUMPY},
    {"true_divide", ARITHMETIC, OP_DIV, 2, LOW_NUMPY},
};

static const struct function *find(struct str name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (str_equal_c(name, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

bool low_numpy_known(struct str name, enum low_origin origin)
{
    const struct function *f = find(name);
    return f && (f->origins & origin) != 0;
}

/* The arguments as numbers that an order is defined for. */
static bool ordered(struct low_scope *s, const struct ast_node *n, const struct function *f,
                    const struct ir_expr **args)
{
    for (size_t i = 0; i < f->arguments; i++) {
        const struct ast_node *given = n->u.call.args.items[i];
        args[i] = low_settle(s, low_number(s, args[i], given, "the argument"));
        if (!args[i]->type) {
            return false;
        }
        if (type_is_complex(args[i]->type->kind)) {
            low_error(s, given, STR("compare abs(), .real or .imag"),
                      "np.%s of complex numbers is not translated", f->name);
            return false;
        }
    }
    return true;
}

static const struct ir_expr *extreme(struct low_scope *s, const struct ast_node *n,
                                     const struct function *f, const struct ir_expr **args)
{
    const bool least = f->detail == MATH_FMIN || f->detail == MATH_MINIMUM;

    if (!ordered(s, n, f, args)) {
        return low_unknown(s, n);
    }
    const struct type *t = low_unify(s, n, args, 2, f->name);
    if (!t) {
        return low_unknown(s, n);
    }
    if (type_is_float(t->kind)) {
        return low_math(s, n, (enum ir_math)f->detail, t->kind, args, 2);
    }
    struct ir_expr *e = low_expr_new(s, least ? IR_MIN : IR_MAX, t, n, 2);
    for (size_t i = 0; i < 2; i++) {
        e->args[i] = args[i];
        e->effects |= args[i]->effects;
    }
    return e;
}

static const struct ir_expr *sign_bit(struct low_scope *s, const struct ast_node *n,
                                      const struct function *f, const struct ir_expr **args)
{
    if (!ordered(s, n, f, args)) {
        return low_unknown(s, n);
    }
    if (!type_is_float(args[0]->type->kind)) {
        return low_compare_values(s, n, OP_LT, args[0], low_int(s, n, 0));
    }
    return low_math(s, n, MATH_SIGNBIT, TYPE_BOOL, args, 1);
}

/* 0, 1, or `at_zero`; of NaN, NaN. */
static const struct ir_expr *heaviside(struct low_scope *s, const struct ast_node *n,
                                       const struct function *f, const struct ir_expr **args)
{
    if (!low_floats(s, n, args, 2, f->name)) {
        return low_unknown(s, n);
    }
    const enum type_kind k = args[0]->type->kind;
    const struct ir_expr *x = low_simple(s, args[0]), *at_zero = low_simple(s, args[1]);
    const struct ir_expr *zero = low_float(s, n, 0.0, k);
    const struct ir_expr *rest =
        low_select(s, n, low_binary(s, IR_GT, TYPE_BOOL, n, x, zero), low_float(s, n, 1.0, k), x);
    rest = low_select(s, n, low_binary(s, IR_EQ, TYPE_BOOL, n, x, zero), at_zero, rest);
    return low_select(s, n, low_binary(s, IR_LT, TYPE_BOOL, n, x, zero), zero, rest);
}

static const struct ir_expr *logical(struct low_scope *s, const struct ast_node *n,
                                     const struct function *f, const struct ir_expr **args)
{
    for (size_t i = 0; i < f->arguments; i++) {
        args[i] = low_truth(s, args[i], n->u.call.args.items[i]);
        if (!args[i]->type) {
            return args[i];
        }
    }
    return f->shape == LOGICAL_NOT
               ? low_unary(s, IR_NOT, TYPE_BOOL, n, args[0])
               : low_binary(s, (enum ir_expr_kind)f->detail, TYPE_BOOL, n, args[0], args[1]);
}

static const struct ir_expr *of_floats(struct low_scope *s, const struct ast_node *n,
                                       const struct function *f, const struct ir_expr **args)
{
    if (!low_floats(s, n, args, f->arguments, f->name)) {
        return low_unknown(s, n);
    }
    const enum type_kind k = args[0]->type->kind;
    if (f->shape == INFINITE) {
        return low_binary(s, IR_EQ, TYPE_BOOL, n, args[0],
                          low_float(s, n, f->detail * __builtin_inf(), k));
    }
    return low_math(s, n, (enum ir_math)f->detail, k, args, f->arguments);
}

static bool is_bool(const struct ir_expr *x)
{
    return x->type && x->type->kind == TYPE_BOOL;
}

static const struct ir_expr *no_bools(struct low_scope *s, const struct ast_node *n,
                                      const char *name, const char *hint)
{
    low_error(s, n, str_from(hint), "NumPy has no np.%s of bool", name);
    return low_unknown(s, n);
}

/* Of two bools NumPy's sum is `or`, their product `and`. */
static const struct ir_expr *arithmetic(struct low_scope *s, const struct ast_node *n,
                                        const struct function *f, const struct ir_expr **args)
{
    enum ast_operator op = (enum ast_operator)f->detail;

    if (is_bool(args[0]) && is_bool(args[1])) {
        switch (op) {
        case OP_SUB: return no_bools(s, n, f->name, "np.logical_xor, or int(…) first");
        case OP_ADD: op = OP_BIT_OR; break;
        case OP_MULT: op = OP_BIT_AND; break;
        default: break;
        }
    }
    return low_arith(s, n, op, args[0], args[1]);
}

/* fmod: of integers the rest of the division that truncates, by zero 0; else of floats. */
static const struct ir_expr *truncated_rest(struct low_scope *s, const struct ast_node *n,
                                            const struct function *f, const struct ir_expr **args)
{
    for (size_t i = 0; i < 2; i++) {
        args[i] = low_settle(s, low_number(s, args[i], n->u.call.args.items[i], "the argument"));
        if (!args[i]->type) {
            return args[i];
        }
    }
    enum type_kind k = TYPE_DOUBLE;
    if (type_is_integer(args[0]->type->kind) && type_is_integer(args[1]->type->kind)) {
        k = low_promote(args[0], args[1]);
    }
    if (k != TYPE_INT64 && k != TYPE_UINT64) { /* NumPy's int64 with uint64 is float64 */
        return of_floats(s, n, f, args);
    }
    const struct ir_expr *x = low_simple(s, low_convert(s, args[0], k));
    const struct ir_expr *y = low_simple(s, low_convert(s, args[1], k));
    const struct ir_expr *zero = low_convert(s, low_int(s, n, 0), k);
    const struct ir_expr *rest = low_binary(s, IR_MOD, k, n, x, y);
    if (low_is_int_constant(y) && y->integer == 0) {
        return zero;
    }
    if (k == TYPE_INT64) { /* Python's has the divisor's sign */
        rest = low_simple(s, rest);
        const struct ir_expr *differ =
            low_binary(s, IR_NE, TYPE_BOOL, n, low_binary(s, IR_LT, TYPE_BOOL, n, x, zero),
                       low_binary(s, IR_LT, TYPE_BOOL, n, rest, zero));
        differ = low_binary(s, IR_AND, TYPE_BOOL, n, differ,
                            low_binary(s, IR_NE, TYPE_BOOL, n, rest, zero));
        rest = low_select(s, n, differ, low_binary(s, IR_SUB, k, n, rest, y), rest);
    }
    return rest;
}

/* What NumPy gives for the integer 1 / 0: a cast of infinity, the least of the wider types. */
static py_int128 one_over_zero(enum type_kind k)
{
    return k == TYPE_INT64 ? INT64_MIN : k == TYPE_INT32 ? INT32_MIN : 0;
}

static const struct ir_expr *reciprocal(struct low_scope *s, const struct ast_node *n,
                                        const struct ir_expr *x)
{
    const enum type_kind stored = x->type ? x->type->kind : TYPE_VOID;

    x = low_settle(s, low_number(s, x, n->u.call.args.items[0], "the argument"));
    if (!x->type) {
        return x;
    }
    const enum type_kind k = x->type->kind;
    if (type_is_complex(k)) {
        return low_math(s, n, MATH_RECIPROCAL, k, &x, 1);
    }
    if (k != TYPE_INT64 && k != TYPE_UINT64) {
        return low_arith(s, n, OP_DIV, low_float(s, n, 1.0, TYPE_DOUBLE), x);
    }
    x = low_simple(s, x);
    const struct ir_expr *zero = low_convert(s, low_int(s, n, 0), k);
    const struct ir_expr *one = low_convert(s, low_int(s, n, 1), k);
    const struct ir_expr *whole = low_binary(s, IR_EQ, TYPE_BOOL, n, x, one);
    if (k == TYPE_INT64) {
        whole = low_binary(s, IR_OR, TYPE_BOOL, n, whole,
                           low_binary(s, IR_EQ, TYPE_BOOL, n, x, low_int(s, n, -1)));
    }
    const struct ir_expr *rest = low_select(s, n, whole, x, zero);
    if (one_over_zero(stored) == 0) {
        return rest;
    }
    return low_select(s, n, low_binary(s, IR_EQ, TYPE_BOOL, n, x, zero),
                      low_int(s, n, one_over_zero(stored)), rest);
}

static const struct ir_expr *negative(struct low_scope *s, const struct ast_node *n,
                                      const struct ir_expr *x)
{
    if (is_bool(x)) {
        return no_bools(s, n, "negative", "np.logical_not, or int(…) first");
    }
    x = low_number(s, x, n->u.call.args.items[0], "the argument");
    return x->type ? low_negate(s, n, x) : x;
}

const struct ir_expr *low_numpy_call(struct low_scope *s, const struct ast_node *n, struct str name)
{
    const struct function *f = find(name);
    const struct ir_expr **args = low_arguments(s, n, f->arguments, f->arguments, f->name);

    if (!args) {
        return low_unknown(s, n);
    }
    switch (f->shape) {
    case ARITHMETIC: return arithmetic(s, n, f, args);
    case COMPARISON:
        return low_compare_values(s, n, (enum ast_cmp_operator)f->detail, args[0], args[1]);
    case LOGICAL:
    case LOGICAL_NOT: return logical(s, n, f, args);
    case INVERT: {
        if (is_bool(args[0])) {
            return low_unary(s, IR_NOT, TYPE_BOOL, n, args[0]);
        }
        const struct ir_expr *x = low_number(s, args[0], n, "the argument");
        return x->type ? low_invert(s, n, x) : x;
    }
    case FLOAT_POWER:
        if (!low_floats(s, n, args, 2, f->name)) {
            return low_unknown(s, n);
        }
        return low_arith(s, n, OP_POW, low_convert(s, args[0], TYPE_DOUBLE),
                         low_convert(s, args[1], TYPE_DOUBLE));
    case EXTREME: return extreme(s, n, f, args);
    case SIGN_BIT: return sign_bit(s, n, f, args);
    case HEAVISIDE: return heaviside(s, n, f, args);
    case FLOATS:
    case INFINITE: return of_floats(s, n, f, args);
    case TRUNCATED_REST: return truncated_rest(s, n, f, args);
    case RECIPROCAL: return reciprocal(s, n, args[0]);
    case NEGATIVE: return negative(s, n, args[0]);
    }
    return low_unknown(s, n);
}
