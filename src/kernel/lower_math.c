/* Math functions: of math, NumPy and pykokkos, and their bare names. */
#include "kernel/lower.h"

#define EVERY (LOW_BARE | LOW_MATH | LOW_NUMPY | LOW_PK)
#define COMPLEX (EVERY | LOW_CMATH)
#define NOT_MATH (LOW_BARE | LOW_NUMPY | LOW_PK)

enum shape {
    PLAIN,     /* floats -> the same float */
    ANALYTIC,  /* of complex numbers, too */
    PREDICATE, /* float -> bool */
    TO_INT,    /* floor, ceil, trunc: an int where they are math's, else a float */
    LDEXP,
    LOG, /* log(x[, base]) */
    DEGREES,
    RADIANS,
    SIGN,
    SQUARE,
    RECIPROCAL,
    POSITIVE,
    NEGATIVE,
    CONJUGATE,
    REAL_PART,
    IMAGINARY_PART,
    PHASE, /* of a complex number */
    RECT,  /* a complex number from its length and phase */
    ORDER_LESS,
    ORDER_GREATER,
    NOT_A_NUMBER,
};

struct function {
    const char *name;
    enum ir_math math;
    enum shape shape;
    unsigned char least, most;
    unsigned origins;
};

static const struct function functions[] = {
    {"acos", MATH_ACOS, ANALYTIC, 1, 1, COMPLEX},
    {"acosh", MATH_ACOSH, ANALYTIC, 1, 1, COMPLEX},
    {"angle", MATH_ATAN2, PHASE, 1, 1, LOW_NUMPY},
    {"arccos", MATH_ACOS, ANALYTIC, 1, 1, LOW_NUMPY},
    {"arccosh", MATH_ACOSH, ANALYTIC, 1, 1, LOW_NUMPY},
    {"arcsin", MATH_ASIN, ANALYTIC, 1, 1, LOW_NUMPY},
    {"arcsinh", MATH_ASINH, ANALYTIC, 1, 1, LOW_NUMPY},
    {"arctan", MATH_ATAN, ANALYTIC, 1, 1, LOW_NUMPY},
    {"arctan2", MATH_ATAN2, PLAIN, 2, 2, LOW_NUMPY},
    {"arctanh", MATH_ATANH, ANALYTIC, 1, 1, LOW_NUMPY},
    {"asin", MATH_ASIN, ANALYTIC, 1, 1, COMPLEX},
    {"asinh", MATH_ASINH, ANALYTIC, 1, 1, COMPLEX},
    {"atan", MATH_ATAN, ANALYTIC, 1, 1, COMPLEX},
    {"atan2", MATH_ATAN2, PLAIN, 2, 2, EVERY},
    {"atanh", MATH_ATANH, ANALYTIC, 1, 1, COMPLEX},
    {"cbrt", MATH_CBRT, PLAIN, 1, 1, EVERY},
    {"ceil", MATH_CEIL, TO_INT, 1, 1, EVERY},
    {"conj", MATH_CONJ, CONJUGATE, 1, 1, NOT_MATH},
    {"conjugate", MATH_CONJ, CONJUGATE, 1, 1, LOW_NUMPY},
    {"copysign", MATH_COPYSIGN, PLAIN, 2, 2, EVERY},
    {"cos", MATH_COS, ANALYTIC, 1, 1, COMPLEX},
    {"cosh", MATH_COSH, ANALYTIC, 1, 1, COMPLEX},
    {"cyl_bessel_j0", MATH_J0, PLAIN, 1, 1, LOW_BARE | LOW_PK},
    {"cyl_bessel_j1", MATH_J1, PLAIN, 1, 1, LOW_BARE | LOW_PK},
    {"deg2rad", MATH_COUNT, RADIANS, 1, 1, LOW_NUMPY},
    {"degrees", MATH_COUNT, DEGREES, 1, 1, EVERY},
    {"erf", MATH_ERF, PLAIN, 1, 1, EVERY},
    {"erfc", MATH_ERFC, PLAIN, 1, 1, EVERY},
    {"exp", MATH_EXP, ANALYTIC, 1, 1, COMPLEX},
    {"exp2", MATH_EXP2, ANALYTIC, 1, 1, EVERY},
    {"expm1", MATH_EXPM1, ANALYTIC, 1, 1, EVERY},
    {"fabs", MATH_FABS, PLAIN, 1, 1, EVERY},
    {"floor", MATH_FLOOR, TO_INT, 1, 1, EVERY},
    {"fmax", MATH_FMAX, PLAIN, 2, 2, LOW_BARE | LOW_PK},
    {"fmin", MATH_FMIN, PLAIN, 2, 2, LOW_BARE | LOW_PK},
    {"fmod", MATH_FMOD, PLAIN, 2, 2, LOW_BARE | LOW_MATH | LOW_PK},
    {"gamma", MATH_TGAMMA, PLAIN, 1, 1, LOW_BARE | LOW_MATH | LOW_PK},
    {"hypot", MATH_HYPOT, PLAIN, 2, 2, EVERY},
    {"imag", MATH_IMAG, IMAGINARY_PART, 1, 1, NOT_MATH},
    {"isfinite", MATH_ISFINITE, PREDICATE, 1, 1, COMPLEX},
    {"isgreater", MATH_COUNT, ORDER_GREATER, 2, 2, LOW_BARE | LOW_PK},
    {"isinf", MATH_ISINF, PREDICATE, 1, 1, COMPLEX},
    {"isless", MATH_COUNT, ORDER_LESS, 2, 2, LOW_BARE | LOW_PK},
    {"isnan", MATH_ISNAN, PREDICATE, 1, 1, COMPLEX},
    {"ldexp", MATH_LDEXP, LDEXP, 2, 2, EVERY},
    {"lgamma", MATH_LGAMMA, PLAIN, 1, 1, LOW_BARE | LOW_MATH | LOW_PK},
    {"log", MATH_LOG, LOG, 1, 2, COMPLEX},
    {"log10", MATH_LOG10, ANALYTIC, 1, 1, COMPLEX},
    {"log1p", MATH_LOG1P, ANALYTIC, 1, 1, EVERY},
    {"log2", MATH_LOG2, ANALYTIC, 1, 1, EVERY},
    {"nan", MATH_COUNT, NOT_A_NUMBER, 1, 1, LOW_BARE | LOW_PK},
    {"negative", MATH_COUNT, NEGATIVE, 1, 1, LOW_BARE | LOW_PK},
    {"phase", MATH_ATAN2, PHASE, 1, 1, LOW_CMATH},
    {"positive", MATH_COUNT, POSITIVE, 1, 1, NOT_MATH},
    {"rad2deg", MATH_COUNT, DEGREES, 1, 1, LOW_NUMPY},
    {"radians", MATH_COUNT, RADIANS, 1, 1, EVERY},
    {"real", MATH_REAL, REAL_PART, 1, 1, LOW_NUMPY},
    {"rect", MATH_COUNT, RECT, 2, 2, LOW_CMATH},
    {"reciprocal", MATH_COUNT, RECIPROCAL, 1, 1, LOW_BARE | LOW_PK},
    {"remainder", MATH_REMAINDER, PLAIN, 2, 2, LOW_BARE | LOW_MATH | LOW_PK},
    {"rint", MATH_RINT, PLAIN, 1, 1, NOT_MATH},
    {"rsqrt", MATH_RSQRT, PLAIN, 1, 1, LOW_BARE | LOW_PK},
    {"sign", MATH_SIGN, SIGN, 1, 1, NOT_MATH},
    {"sin", MATH_SIN, ANALYTIC, 1, 1, COMPLEX},
    {"sinh", MATH_SINH, ANALYTIC, 1, 1, COMPLEX},
    {"sqrt", MATH_SQRT, ANALYTIC, 1, 1, COMPLEX},
    {"square", MATH_COUNT, SQUARE, 1, 1, NOT_MATH},
    {"tan", MATH_TAN, ANALYTIC, 1, 1, COMPLEX},
    {"tanh", MATH_TANH, ANALYTIC, 1, 1, COMPLEX},
    {"tgamma", MATH_TGAMMA, PLAIN, 1, 1, LOW_BARE | LOW_PK},
    {"trunc", MATH_TRUNC, TO_INT, 1, 1, EVERY},
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

static const struct function *find(struct str name, enum low_origin origin)
{
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if ((functions[i].origins & origin) && str_equal_c(name, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

bool low_math_known(struct str name, enum low_origin origin)
{
    return find(name, origin) != NULL;
}

size_t low_math_count(void)
{
    return FUNCTION_COUNT;
}

struct str low_math_name(size_t i)
{
    return str_from(functions[i].name);
}

const struct ir_expr *low_math(struct low_scope *s, const struct ast_node *n, enum ir_math f,
                               enum type_kind t, const struct ir_expr *const *args, size_t count)
{
    struct ir_expr *e = low_expr_new(s, IR_MATH, type_scalar(t), n, count);

    e->math = f;
    for (size_t i = 0; i < count; i++) {
        e->args[i] = args[i];
        e->effects |= args[i]->effects;
    }
    return e;
}

bool low_floats(struct low_scope *s, const struct ast_node *n, const struct ir_expr **args,
                size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        args[i] = low_number(s, args[i], n->u.call.args.items[i], "the argument");
        if (!args[i]->type) {
            return false;
        }
        if (type_is_complex(args[i]->type->kind)) {
            low_error(s, n->u.call.args.items[i], STR("compute with .real and .imag"),
                      "%s of a complex number is not translated", name);
            return false;
        }
    }
    enum type_kind k = TYPE_DOUBLE;
    for (size_t i = 0; i < count; i++) {
        if (args[i]->type->kind == TYPE_FLOAT) {
            k = TYPE_FLOAT;
        }
    }
    for (size_t i = 0; i < count && k == TYPE_FLOAT; i++) {
        const bool adapts = args[i]->note && args[i]->note->weak;
        if (args[i]->type->kind == TYPE_DOUBLE && !adapts) {
            k = TYPE_DOUBLE;
        }
    }
    for (size_t i = 0; i < count; i++) {
        args[i] = low_convert(s, args[i], k);
    }
    return true;
}

/* The argument, where it is complex or cmath's function makes it that; else a float. */
static bool to_analytic(struct low_scope *s, const struct ast_node *n, const struct function *f,
                        const struct ir_expr **args, enum low_origin origin)
{
    const struct ir_expr *x =
        low_settle(s, low_number(s, args[0], n->u.call.args.items[0], "the argument"));

    if (!x->type) {
        return false;
    }
    args[0] = x;
    if (origin == LOW_CMATH) {
        args[0] = low_convert(s, x, TYPE_COMPLEX128);
        return true;
    }
    if (!type_is_complex(x->type->kind)) {
        return low_floats(s, n, args, 1, f->name);
    }
    if (origin == LOW_MATH) {
        low_error(s, n->u.call.args.items[0], low_hint(s, "use cmath.%s", f->name),
                  "math.%s takes no complex number", f->name);
        return false;
    }
    return true;
}

static const struct ir_expr *analytic(struct low_scope *s, const struct ast_node *n,
                                      const struct function *f, const struct ir_expr **args,
                                      enum low_origin origin)
{
    if (!to_analytic(s, n, f, args, origin)) {
        return low_unknown(s, n);
    }
    const bool weak = args[0]->note && args[0]->note->weak;
    struct ir_expr *e =
        (struct ir_expr *)(uintptr_t)low_math(s, n, f->math, args[0]->type->kind, args, 1);
    if (weak && origin != LOW_CMATH) {
        low_add_note(s, e, (struct lower_note){.weak = true});
    }
    return e;
}

static const struct ir_expr *plain(struct low_scope *s, const struct ast_node *n,
                                   const struct function *f, const struct ir_expr **args,
                                   size_t count)
{
    if (!low_floats(s, n, args, count, f->name)) {
        return low_unknown(s, n);
    }
    bool weak = true;
    for (size_t i = 0; i < count; i++) {
        weak &= args[i]->note && args[i]->note->weak;
    }
    struct ir_expr *e =
        (struct ir_expr *)(uintptr_t)low_math(s, n, f->math, args[0]->type->kind, args, count);
    if (weak) {
        struct lower_note *note = ARENA_NEW(s->unit->l->a, struct lower_note);
        note->weak = true;
        e->note = note;
    }
    return e;
}

static const struct ir_expr *scaled(struct low_scope *s, const struct ast_node *n,
                                    const struct function *f, const struct ir_expr **args,
                                    double factor)
{
    if (!low_floats(s, n, args, 1, f->name)) {
        return low_unknown(s, n);
    }
    return low_arith(s, n, OP_MULT, args[0], low_float(s, n, factor, TYPE_DOUBLE));
}

static const struct ir_expr *logarithm(struct low_scope *s, const struct ast_node *n,
                                       const struct function *f, const struct ir_expr **args,
                                       enum low_origin origin)
{
    if (n->u.call.args.count == 1) {
        return analytic(s, n, f, args, origin);
    }
    if (origin == LOW_CMATH) {
        for (size_t i = 0; i < 2; i++) {
            args[i] = low_number(s, args[i], n->u.call.args.items[i], "the argument");
            if (!args[i]->type) {
                return args[i];
            }
            args[i] = low_convert(s, args[i], TYPE_COMPLEX128);
        }
    } else if (!low_floats(s, n, args, 2, f->name)) {
        return low_unknown(s, n);
    }
    const enum type_kind k = args[0]->type->kind;
    return low_binary(s, IR_TRUEDIV, k, n, low_math(s, n, MATH_LOG, k, &args[0], 1),
                      low_math(s, n, MATH_LOG, k, &args[1], 1));
}

static const struct ir_expr *part_of(struct low_scope *s, const struct ast_node *n,
                                     enum ir_math which, const struct ir_expr *x)
{
    const enum type_kind k = x->type->kind == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE;
    return low_math(s, n, which, k, &x, 1);
}

/* isnan and its kin of a complex number: of either part; isfinite: of both. */
static const struct ir_expr *complex_predicate(struct low_scope *s, const struct ast_node *n,
                                               const struct function *f, const struct ir_expr *x)
{
    x = low_simple(s, x);
    const struct ir_expr *re = part_of(s, n, MATH_REAL, x);
    const struct ir_expr *im = part_of(s, n, MATH_IMAG, x);
    return low_binary(s, f->math == MATH_ISFINITE ? IR_AND : IR_OR, TYPE_BOOL, n,
                      low_math(s, n, f->math, TYPE_BOOL, &re, 1),
                      low_math(s, n, f->math, TYPE_BOOL, &im, 1));
}

static const struct ir_expr *predicate(struct low_scope *s, const struct ast_node *n,
                                       const struct function *f, const struct ir_expr **args,
                                       enum low_origin origin)
{
    const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));

    if (!x->type) {
        return x;
    }
    if (type_is_integer(x->type->kind) && !(x->effects & EFFECT_WRITES)) {
        return low_bool(s, n, f->math == MATH_ISFINITE);
    }
    args[0] = x;
    if (type_is_complex(x->type->kind) && origin != LOW_MATH) {
        return complex_predicate(s, n, f, x);
    }
    if (!low_floats(s, n, args, 1, f->name)) {
        return low_unknown(s, n);
    }
    return low_math(s, n, f->math, TYPE_BOOL, args, 1);
}

const struct ir_expr *low_phase(struct low_scope *s, const struct ast_node *n,
                                const struct ir_expr *x)
{
    x = low_settle(s, low_number(s, x, n, "the argument"));
    if (!x->type) {
        return x;
    }
    if (!type_is_complex(x->type->kind)) {
        x = low_convert(s, x, x->type->kind == TYPE_FLOAT ? TYPE_COMPLEX64 : TYPE_COMPLEX128);
    }
    x = low_simple(s, x);
    const struct ir_expr *parts[2] = {part_of(s, n, MATH_IMAG, x), part_of(s, n, MATH_REAL, x)};
    return low_math(s, n, MATH_ATAN2, parts[0]->type->kind, parts, 2);
}

static const struct ir_expr *rectangular(struct low_scope *s, const struct ast_node *n,
                                         const struct ir_expr **args)
{
    if (!low_floats(s, n, args, 2, "rect")) {
        return low_unknown(s, n);
    }
    for (size_t i = 0; i < 2; i++) {
        args[i] = low_convert(s, args[i], TYPE_DOUBLE);
    }
    return low_math(s, n, MATH_RECT, TYPE_COMPLEX128, args, 2);
}

static const struct ir_expr *to_int(struct low_scope *s, const struct ast_node *n,
                                    const struct function *f, const struct ir_expr **args,
                                    enum low_origin origin)
{
    const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));

    if (!x->type) {
        return x;
    }
    if (type_is_integer(x->type->kind)) {
        return origin == LOW_MATH ? x : low_convert(s, x, TYPE_DOUBLE);
    }
    args[0] = x;
    if (!low_floats(s, n, args, 1, f->name)) {
        return low_unknown(s, n);
    }
    x = low_math(s, n, f->math, args[0]->type->kind, args, 1);
    return origin == LOW_MATH ? low_convert(s, x, TYPE_INT64) : x;
}

static const struct ir_expr *part(struct low_scope *s, const struct ast_node *n,
                                  const struct function *f, const struct ir_expr *x)
{
    x = low_settle(s, low_number(s, x, n, "the argument"));
    if (!x->type) {
        return x;
    }
    if (!type_is_complex(x->type->kind)) {
        return f->shape == IMAGINARY_PART ? low_convert(s, low_int(s, n, 0), x->type->kind) : x;
    }
    enum type_kind k = x->type->kind;
    if (f->shape != CONJUGATE) {
        k = k == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE;
    }
    return low_math(s, n, f->math, k, &x, 1);
}

static const struct ir_expr *call_ldexp(struct low_scope *s, const struct ast_node *n,
                                        const struct function *f, const struct ir_expr **args)
{
    const struct ir_expr *count = low_index(s, args[1], n->u.call.args.items[1], "the exponent");

    if (!count->type || !low_floats(s, n, args, 1, f->name)) {
        return low_unknown(s, n);
    }
    args[1] = count;
    return low_math(s, n, MATH_LDEXP, args[0]->type->kind, args, 2);
}

static const struct ir_expr *dispatch(struct low_scope *s, const struct ast_node *n,
                                      const struct function *f, const struct ir_expr **args,
                                      enum low_origin origin)
{
    const double pi = 3.141592653589793;

    switch (f->shape) {
    case PLAIN: return plain(s, n, f, args, n->u.call.args.count);
    case ANALYTIC: return analytic(s, n, f, args, origin);
    case PREDICATE: return predicate(s, n, f, args, origin);
    case TO_INT: return to_int(s, n, f, args, origin);
    case LDEXP: return call_ldexp(s, n, f, args);
    case LOG: return logarithm(s, n, f, args, origin);
    case DEGREES: return scaled(s, n, f, args, 180.0 / pi);
    case RADIANS: return scaled(s, n, f, args, pi / 180.0);
    case SIGN: {
        const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));
        return x->type ? low_math(s, n, MATH_SIGN, x->type->kind, &x, 1) : x;
    }
    case SQUARE: {
        const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));
        x = x->type ? low_simple(s, x) : x;
        return low_arith(s, n, OP_MULT, x, x);
    }
    case RECIPROCAL: return low_arith(s, n, OP_DIV, low_float(s, n, 1.0, TYPE_DOUBLE), args[0]);
    case POSITIVE: return low_number(s, args[0], n, "the argument");
    case NEGATIVE: {
        const struct ir_expr *x = low_number(s, args[0], n, "the argument");
        return x->type ? low_negate(s, n, x) : x;
    }
    case CONJUGATE:
    case REAL_PART:
    case IMAGINARY_PART: return part(s, n, f, args[0]);
    case PHASE: return low_phase(s, n, args[0]);
    case RECT: return rectangular(s, n, args);
    case ORDER_LESS: return low_compare_values(s, n, OP_LT, args[0], args[1]);
    case ORDER_GREATER: return low_compare_values(s, n, OP_GT, args[0], args[1]);
    case NOT_A_NUMBER: break;
    }
    return low_unknown(s, n);
}

const struct ir_expr *low_math_call(struct low_scope *s, const struct ast_node *n, struct str name,
                                    enum low_origin origin, bool *known)
{
    const struct function *f = find(name, origin);

    *known = f != NULL;
    if (!f) {
        return low_unknown(s, n);
    }
    if (f->shape == NOT_A_NUMBER) { /* nan(""): its text is of no interest */
        return low_float(s, n, __builtin_nan(""), TYPE_DOUBLE);
    }
    const struct ir_expr **args = low_arguments(s, n, f->least, f->most, f->name);
    return args ? dispatch(s, n, f, args, origin) : low_unknown(s, n);
}
