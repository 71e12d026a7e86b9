/* Casts and builtins, and the table of what is called by its plain name. */
#include "kernel/lower.h"

/* ---- casts ---------------------------------------------------------------------------------- */

static const struct ir_expr *cast_value(struct low_scope *s, const struct ast_node *n,
                                        const struct ir_expr *x, enum type_kind kind, bool python)
{
    if (kind == TYPE_BOOL) {
        return low_truth(s, x, n);
    }
    const struct ir_expr *number = low_number(s, x, n, "the argument");
    if (!number->type) {
        return number;
    }
    if (type_is_complex(number->type->kind) && !type_is_complex(kind)) {
        low_error(s, n, STR("use .real, .imag or abs()"),
                  "a complex number cannot become a " STR_FMT,
                  STR_ARG(low_spell(s, type_scalar(kind))));
        return low_unknown(s, n);
    }
    if (python && kind == TYPE_INT64 && type_is_integer(number->type->kind) &&
        !(number->note && number->note->test)) {
        return number; /* int() of an int is that int, also of a uint64 */
    }
    const struct ir_expr *e = low_convert(s, number, kind);
    if (e->note && e->note->weak && !low_is_constant(x) && e->kind != IR_FLOAT) {
        struct ir_expr *strong = (struct ir_expr *)(uintptr_t)e;
        strong->note = NULL;
    }
    return e;
}

static const struct ir_expr *make_complex(struct low_scope *s, const struct ast_node *n,
                                          const struct ir_expr *const *args, enum type_kind kind)
{
    const enum type_kind part = kind == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE;
    struct ir_expr *e = low_expr_new(s, IR_COMPLEX, type_scalar(kind), n, 2);

    for (int i = 0; i < 2; i++) {
        const struct ir_expr *x = low_number(s, args[i], n, "the argument");
        if (!x->type) {
            return x;
        }
        if (type_is_complex(x->type->kind)) {
            low_error(s, n, STR("give real numbers"), "the parts of a complex number are real");
            return low_unknown(s, n);
        }
        e->args[i] = low_convert(s, x, part);
        e->effects |= x->effects;
    }
    return e;
}

const struct ir_expr *low_cast(struct low_scope *s, const struct ast_node *n, enum type_kind kind,
                               bool python)
{
    const struct str name = low_spell(s, type_scalar(kind));
    const struct ast_seq *given = &n->u.call.args;

    if (given->count && given->items[0]->kind == AST_CONSTANT &&
        given->items[0]->u.constant.value.kind == PY_VALUE_STR) {
        const struct ir_expr *e = low_fold(s, n, NULL, 0);
        if (e) {
            return python ? e : low_convert(s, e, kind);
        }
    }
    const struct ir_expr **args = low_arguments(s, n, 0, type_is_complex(kind) ? 2 : 1, name.ptr);
    if (!args) {
        return low_unknown(s, n);
    }
    if (!given->count) {
        return low_convert(s, low_int(s, n, 0), kind);
    }
    if (given->count == 2) {
        return make_complex(s, n, args, kind);
    }
    const struct ir_expr *folded = python ? low_fold(s, n, args, 1) : NULL;
    return folded ? folded : cast_value(s, n, args[0], kind, python);
}

/* ---- builtins ------------------------------------------------------------------------------- */

static const struct ir_expr *call_abs(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr **args = low_arguments(s, n, 1, 1, "abs");

    if (!args) {
        return low_unknown(s, n);
    }
    const struct ir_expr *folded = low_fold(s, n, args, 1);
    if (folded) {
        return folded;
    }
    const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));
    if (!x->type) {
        return x;
    }
    switch (x->type->kind) {
    case TYPE_UINT64: return x;
    case TYPE_INT64: return low_math(s, n, MATH_ABS_INT, TYPE_INT64, &x, 1);
    case TYPE_INT128:
        x = low_simple(s, x);
        return low_select(
            s, n,
            low_binary(s, IR_LT, TYPE_BOOL, n, x, low_convert(s, low_int(s, n, 0), TYPE_INT128)),
            low_unary(s, IR_NEG, TYPE_INT128, n, x), x);
    case TYPE_COMPLEX64: return low_math(s, n, MATH_ABS_COMPLEX, TYPE_FLOAT, &x, 1);
    case TYPE_COMPLEX128: return low_math(s, n, MATH_ABS_COMPLEX, TYPE_DOUBLE, &x, 1);
    default: return low_math(s, n, MATH_FABS, x->type->kind, &x, 1);
    }
}

static const struct ir_expr *call_extreme(struct low_scope *s, const struct ast_node *n,
                                          enum ir_expr_kind kind)
{
    const char *name = kind == IR_MIN ? "min" : "max";

    if (n->u.call.args.count == 1) {
        low_error(s, n, STR("give two or more numbers, or write a loop"),
                  "%s of one argument is not translated", name);
        return low_unknown(s, n);
    }
    const struct ir_expr **args = low_arguments(s, n, 2, 1000, name);
    if (!args) {
        return low_unknown(s, n);
    }
    const size_t count = n->u.call.args.count;
    const struct ir_expr *folded = low_fold(s, n, args, count);
    if (folded) {
        return folded;
    }
    for (size_t i = 0; i < count; i++) {
        args[i] = low_settle(s, low_number(s, args[i], n->u.call.args.items[i], "the argument"));
        if (!args[i]->type) {
            return args[i];
        }
        if (type_is_complex(args[i]->type->kind)) {
            low_error(s, n->u.call.args.items[i], STR("compare abs(), .real or .imag"),
                      "complex numbers have no order");
            return low_unknown(s, n);
        }
    }
    const struct type *t = low_unify(s, n, args, count, name);
    if (!t) {
        return low_unknown(s, n);
    }
    struct ir_expr *e = low_expr_new(s, kind, t, n, count);
    for (size_t i = 0; i < count; i++) {
        e->args[i] = args[i];
        e->effects |= args[i]->effects;
    }
    return e;
}

static const struct ir_expr *call_round(struct low_scope *s, const struct ast_node *n,
                                        enum low_origin origin)
{
    const struct ir_expr **args = low_arguments(s, n, 1, 2, "round");

    if (!args) {
        return low_unknown(s, n);
    }
    const size_t count = n->u.call.args.count;
    const struct ir_expr *folded = origin <= LOW_BUILTIN ? low_fold(s, n, args, count) : NULL;
    if (folded) {
        return folded;
    }
    const struct ir_expr *x = low_settle(s, low_number(s, args[0], n, "the argument"));
    if (!x->type) {
        return x;
    }
    if (type_is_complex(x->type->kind)) {
        low_error(s, n, STR("round .real and .imag"), "a complex number cannot be rounded");
        return low_unknown(s, n);
    }
    if (count == 2) {
        const struct ir_expr *two[2] = {low_convert(s, x, TYPE_DOUBLE), NULL};
        two[1] = low_index(s, args[1], n->u.call.args.items[1], "the number of digits");
        if (type_is_integer(x->type->kind)) {
            if (two[1]->type && low_nonnegative(two[1])) {
                return x;
            }
            low_error(s, n, STR("compute with // and *"),
                      "round() of an integer to a power of ten is not translated");
            return low_unknown(s, n);
        }
        return two[1]->type ? low_math(s, n, MATH_ROUND_DIGITS, TYPE_DOUBLE, two, 2) : two[1];
    }
    if (type_is_integer(x->type->kind)) {
        return x;
    }
    x = low_math(s, n, MATH_ROUND_EVEN, x->type->kind, &x, 1);
    return origin <= LOW_BUILTIN ? low_convert(s, x, TYPE_INT64) : x;
}

static const struct ir_expr *call_pow(struct low_scope *s, const struct ast_node *n,
                                      enum low_origin origin)
{
    if (n->u.call.args.count == 3) {
        low_error(s, n, STR("write pow(x, y) % z where the power fits 64 bits"),
                  "pow() with three arguments is not translated");
        return low_unknown(s, n);
    }
    const struct ir_expr **args = low_arguments(s, n, 2, 2, "pow");
    if (!args) {
        return low_unknown(s, n);
    }
    const struct ir_expr *folded = origin <= LOW_BUILTIN ? low_fold(s, n, args, 2) : NULL;
    if (folded) {
        return folded;
    }
    const struct ir_expr *x = args[0], *y = args[1];
    if (origin == LOW_MATH || origin == LOW_PK) { /* C's: of floats */
        x = low_number(s, x, n, "the base");
        y = low_number(s, y, n, "the exponent");
        if (x->type && type_is_integer(x->type->kind)) {
            x = low_convert(s, x,
                            y->type && y->type->kind == TYPE_FLOAT ? TYPE_FLOAT : TYPE_DOUBLE);
        }
    }
    return low_arith(s, n, OP_POW, x, y);
}

static const struct ir_expr *call_len(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_seq *given = &n->u.call.args;

    if (given->count == 1 && given->items[0]->kind == AST_CONSTANT) {
        const struct ir_expr *e = low_fold(s, n, NULL, 0);
        if (e) {
            return e;
        }
    }
    const struct ir_expr **args = low_arguments(s, n, 1, 1, "len");
    if (!args) {
        return low_unknown(s, n);
    }
    if (args[0]->type->kind == TYPE_VIEW) {
        return low_extent(s, n, args[0], 0);
    }
    if (args[0]->type->kind == TYPE_ARRAY) {
        return low_int(s, n, args[0]->type->length);
    }
    low_error(s, n, STR(""), "a " STR_FMT " has no length", STR_ARG(low_spell(s, args[0]->type)));
    return low_unknown(s, n);
}

/* ---- intrinsics by name --------------------------------------------------------------------- */

enum builtin {
    CALL_INT,
    CALL_FLOAT,
    CALL_BOOL,
    CALL_COMPLEX,
    CALL_ABS,
    CALL_MIN,
    CALL_MAX,
    CALL_ROUND,
    CALL_POW,
    CALL_LEN,
    CALL_PRINT,
    CALL_PRINTF
};

static const struct {
    const char *name;
    enum builtin call;
    unsigned origins;
} builtins[] = {
    {"int", CALL_INT, LOW_BUILTIN},
    {"float", CALL_FLOAT, LOW_BUILTIN},
    {"bool", CALL_BOOL, LOW_BUILTIN},
    {"complex", CALL_COMPLEX, LOW_BUILTIN},
    {"abs", CALL_ABS, LOW_BARE | LOW_BUILTIN | LOW_NUMPY | LOW_PK},
    {"absolute", CALL_ABS, LOW_NUMPY},
    {"min", CALL_MIN, LOW_BARE | LOW_BUILTIN | LOW_PK},
    {"max", CALL_MAX, LOW_BARE | LOW_BUILTIN | LOW_PK},
    {"round", CALL_ROUND, LOW_BARE | LOW_BUILTIN | LOW_NUMPY | LOW_PK},
    {"pow", CALL_POW, LOW_BARE | LOW_BUILTIN | LOW_MATH | LOW_NUMPY | LOW_PK},
    {"power", CALL_POW, LOW_NUMPY},
    {"len", CALL_LEN, LOW_BARE | LOW_BUILTIN},
    {"print", CALL_PRINT, LOW_BUILTIN},
    {"printf", CALL_PRINTF, LOW_BARE | LOW_PK},
};

enum { BUILTIN_COUNT = sizeof builtins / sizeof builtins[0] };

static int find_builtin(struct str name, enum low_origin origin)
{
    for (int i = 0; i < BUILTIN_COUNT; i++) {
        if ((builtins[i].origins & origin) && str_equal_c(name, builtins[i].name)) {
            return i;
        }
    }
    return -1;
}

bool low_intrinsic_known(struct str name, enum low_origin origin)
{
    return find_builtin(name, origin) >= 0 || low_math_known(name, origin) ||
           low_numpy_known(name, origin) || (origin == LOW_PK && str_equal_c(name, "rand")) ||
           ((origin & (LOW_BARE | LOW_PK)) && (low_atomic_known(name) || low_search_known(name)));
}

size_t low_intrinsic_count(void)
{
    return BUILTIN_COUNT + low_math_count();
}

struct str low_intrinsic_name(size_t i)
{
    return i < BUILTIN_COUNT ? str_from(builtins[i].name) : low_math_name(i - BUILTIN_COUNT);
}

static const struct ir_expr *call_builtin(struct low_scope *s, const struct ast_node *n,
                                          enum builtin call, enum low_origin origin)
{
    switch (call) {
    case CALL_INT: return low_cast(s, n, TYPE_INT64, true);
    case CALL_FLOAT: return low_cast(s, n, TYPE_DOUBLE, true);
    case CALL_BOOL: return low_cast(s, n, TYPE_BOOL, true);
    case CALL_COMPLEX: return low_cast(s, n, TYPE_COMPLEX128, true);
    case CALL_ABS: return call_abs(s, n);
    case CALL_MIN: return call_extreme(s, n, IR_MIN);
    case CALL_MAX: return call_extreme(s, n, IR_MAX);
    case CALL_ROUND: return call_round(s, n, origin);
    case CALL_POW: return call_pow(s, n, origin);
    case CALL_LEN: return call_len(s, n);
    case CALL_PRINT: return low_print_call(s, n);
    case CALL_PRINTF: return low_printf_call(s, n);
    }
    return low_unknown(s, n);
}

const struct ir_expr *low_intrinsic(struct low_scope *s, const struct ast_node *n, struct str name,
                                    enum low_origin origin)
{
    const int builtin = find_builtin(name, origin);
    bool known = false;

    if (builtin >= 0) {
        return call_builtin(s, n, builtins[builtin].call, origin);
    }
    if ((origin & (LOW_BARE | LOW_PK)) && low_atomic_known(name)) {
        return low_atomic_call(s, n, name);
    }
    if ((origin & (LOW_BARE | LOW_PK)) && low_search_known(name)) {
        return low_search_call(s, n, name);
    }
    if (origin == LOW_PK && str_equal_c(name, "rand")) {
        return low_rand(s, n);
    }
    if (low_numpy_known(name, origin)) {
        return low_numpy_call(s, n, name);
    }
    const struct ir_expr *e = low_math_call(s, n, name, origin, &known);
    if (known) {
        return e;
    }
    if (str_equal_c(name, "range")) {
        low_error(s, n, STR("for i in range(n):"), "range() stands only in a for loop");
    } else if (str_equal_c(name, "super")) {
        low_error(s, n, STR("call the method by its class' own name"), "super() is not translated");
    } else {
        low_error(s, n, low_suggest(s, name), "the function " STR_FMT " is not known in a workunit",
                  STR_ARG(name));
    }
    return low_unknown(s, n);
}
