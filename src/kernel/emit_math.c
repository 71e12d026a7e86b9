/* Math functions: the C library's where it has them, declared by the kernel TU itself, as any
 * standard header would cost more than the kernel. */
#include "kernel/emit.h"

struct math_function {
    const char *name;
    size_t parameters; /* 0: not the C library's */
};

static const struct math_function functions[MATH_COUNT] = {
    [MATH_ACOS] = {"acos", 1},
    [MATH_ACOSH] = {"acosh", 1},
    [MATH_ASIN] = {"asin", 1},
    [MATH_ASINH] = {"asinh", 1},
    [MATH_ATAN] = {"atan", 1},
    [MATH_ATAN2] = {"atan2", 2},
    [MATH_ATANH] = {"atanh", 1},
    [MATH_CBRT] = {"cbrt", 1},
    [MATH_CEIL] = {"ceil", 1},
    [MATH_COPYSIGN] = {"copysign", 2},
    [MATH_COS] = {"cos", 1},
    [MATH_COSH] = {"cosh", 1},
    [MATH_ERF] = {"erf", 1},
    [MATH_ERFC] = {"erfc", 1},
    [MATH_EXP] = {"exp", 1},
    [MATH_EXP2] = {"exp2", 1},
    [MATH_EXPM1] = {"expm1", 1},
    [MATH_FABS] = {"fabs", 1},
    [MATH_FLOOR] = {"floor", 1},
    [MATH_FMOD] = {"fmod", 2},
    [MATH_HYPOT] = {"hypot", 2},
    [MATH_LGAMMA] = {"lgamma", 1},
    [MATH_LOG] = {"log", 1},
    [MATH_LOG10] = {"log10", 1},
    [MATH_LOG1P] = {"log1p", 1},
    [MATH_LOG2] = {"log2", 1},
    [MATH_NEXTAFTER] = {"nextafter", 2},
    [MATH_REMAINDER] = {"remainder", 2},
    [MATH_RINT] = {"rint", 1},
    [MATH_SIN] = {"sin", 1},
    [MATH_SINH] = {"sinh", 1},
    [MATH_SQRT] = {"sqrt", 1},
    [MATH_TAN] = {"tan", 1},
    [MATH_TANH] = {"tanh", 1},
    [MATH_TGAMMA] = {"tgamma", 1},
    [MATH_TRUNC] = {"trunc", 1},
    [MATH_J0] = {"j0", 1},
    [MATH_J1] = {"j1", 1},
    [MATH_ROUND_EVEN] = {"rint", 1}, /* in the rounding mode that a process has unless it asks */
};

void emit_library_call(struct emit *e, const char *name, const char *declaration)
{
    const struct str key = str_copy_c(e->arena, name);
    if (!map_has(&e->library, key)) {
        map_set(&e->library, key, (void *)(uintptr_t)str_copy_c(e->arena, declaration).ptr);
    }
    /* A function, variable or namespace of the module has that name too. */
    if (map_has(&e->all_names, key)) {
        emit_text(e, "::");
    }
    emit_text(e, name);
}

void emit_libm(struct emit *e, const char *name, enum type_kind k, size_t parameters)
{
    const bool single = k == TYPE_FLOAT;
    const char *type = single ? "float" : "double";
    const struct str full = str_format(e->arena, "%s%s", name, single ? "f" : "");
    const struct str declaration =
        str_format(e->arena, "extern \"C\" %s %s(%s%s%s) noexcept;", type, full.ptr, type,
                   parameters > 1 ? ", " : "", parameters > 1 ? type : "");
    emit_library_call(e, full.ptr, declaration.ptr);
}

static void one_over_sqrt(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    emit_open(e, PREC_PRODUCT, min);
    emit_text(e, x->type->kind == TYPE_FLOAT ? "1.0f / " : "1.0 / ");
    emit_libm(e, "sqrt", x->type->kind, 1);
    emit_named_call(e, "", x->args, 1);
    emit_close(e, PREC_PRODUCT, min);
}

static void load_exponent(struct emit *e, const struct ir_expr *x)
{
    /* C takes an int: an exponent beyond it means 0 or infinity all the same. */
    e->header[HEADER_FLOAT] = true;
    emit_named_call(e, "pkc::ldexp", x->args, 2);
}

static void absolute(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    if (x->type->kind == TYPE_INT128) {
        e->header[HEADER_INT128] = true;
        emit_named_call(e, "pkc::abs128", x->args, 1);
    } else if (x->type->kind == TYPE_UINT64 || emit_info_of(e, x->args[0]).range.lo >= 0) {
        emit_expr(e, x->args[0], min);
    } else if (emit_info_of(e, x).narrow) {
        e->header[HEADER_INT] = true;
        emit_named_call(e, "pkc::abs32", x->args, 1);
    } else {
        e->header[HEADER_INT] = true;
        emit_named_call(e, "pkc::abs", x->args, 1);
    }
}

static void sign(struct emit *e, const struct ir_expr *x)
{
    const enum type_kind k = x->args[0]->type->kind;
    e->header[type_is_complex(k) ? HEADER_COMPLEX : HEADER_FLOAT] = true;
    emit_text(e, "pkc::sign<");
    emit_type(e, type_is_complex(k) ? type_scalar(k == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE)
                                    : x->args[0]->type);
    emit_text(e, ">");
    emit_named_call(e, "", x->args, 1);
}

static void complex_part(struct emit *e, const struct ir_expr *x, const char *member,
                         enum emit_prec min)
{
    if (!type_is_complex(x->args[0]->type->kind)) {
        if (x->math == MATH_REAL) {
            emit_expr(e, x->args[0], min);
        } else {
            emit_text(e, x->type->kind == TYPE_FLOAT ? "0.0f" : "0.0");
        }
        return;
    }
    emit_expr(e, x->args[0], PREC_POSTFIX);
    emit_text(e, member);
}

static void extreme(struct emit *e, const struct ir_expr *x, const char *name)
{
    e->header[HEADER_MINMAX] = true;
    emit_named_call(e, name, x->args, 2);
}

static void search(struct emit *e, const struct ir_expr *x, const char *name)
{
    e->header[HEADER_SEARCH] = true;
    emit_text(e, name);
    emit_type(e, x->args[2]->type);
    emit_text(e, ">");
    emit_named_call(e, "", x->args, 3);
}

/* The compiler's predicates give an int, which does not initialise the bool of a list. */
static void predicate(struct emit *e, const struct ir_expr *x, const char *name)
{
    emit_text(e, "bool(");
    emit_named_call(e, name, x->args, 1);
    emit_text(e, ")");
}

void emit_math(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const struct math_function *f = &functions[x->math];
    if (f->parameters > 0) {
        if (type_is_complex(x->args[0]->type->kind)) {
            e->header[HEADER_COMPLEX_MATH] = true;
            buf_printf(e->out, "pkc::%s", f->name);
        } else {
            emit_libm(e, f->name, x->args[0]->type->kind, f->parameters);
        }
        emit_named_call(e, "", x->args, x->arg_count);
        return;
    }
    switch (x->math) {
    case MATH_ISFINITE: predicate(e, x, "__builtin_isfinite"); break;
    case MATH_ISINF: predicate(e, x, "__builtin_isinf"); break;
    case MATH_ISNAN: predicate(e, x, "__builtin_isnan"); break;
    case MATH_LDEXP: load_exponent(e, x); break;
    case MATH_RSQRT: one_over_sqrt(e, x, min); break;
    case MATH_ABS_INT: absolute(e, x, min); break;
    case MATH_ABS_COMPLEX:
        e->header[HEADER_COMPLEX] = true;
        emit_named_call(e, "pkc::abs", x->args, 1);
        break;
    case MATH_REAL: complex_part(e, x, ".re", min); break;
    case MATH_IMAG: complex_part(e, x, ".im", min); break;
    case MATH_CONJ:
        e->header[HEADER_COMPLEX] = true;
        emit_named_call(e, "pkc::conj", x->args, 1);
        break;
    case MATH_ROUND_DIGITS:
        e->header[HEADER_ROUND] = true;
        emit_named_call(e, "pkc::round_digits", x->args, 2);
        break;
    case MATH_SIGN: sign(e, x); break;
    case MATH_RECIPROCAL:
        e->header[HEADER_COMPLEX] = true;
        emit_named_call(e, "pkc::reciprocal", x->args, 1);
        break;
    case MATH_RECT:
        e->header[HEADER_COMPLEX_MATH] = true;
        emit_named_call(e, "pkc::rect", x->args, 2);
        break;
    case MATH_FMAX: extreme(e, x, "pkc::fmax"); break;
    case MATH_FMIN: extreme(e, x, "pkc::fmin"); break;
    case MATH_MAXIMUM: extreme(e, x, "pkc::maximum"); break;
    case MATH_MINIMUM: extreme(e, x, "pkc::minimum"); break;
    case MATH_SIGNBIT:
        emit_open(e, PREC_EQUAL, min);
        emit_named_call(e, "__builtin_signbit", x->args, 1);
        emit_text(e, " != 0");
        emit_close(e, PREC_EQUAL, min);
        break;
    case MATH_LOGADDEXP:
    case MATH_LOGADDEXP2:
        e->header[HEADER_FLOAT] = true;
        emit_named_call(e, x->math == MATH_LOGADDEXP ? "pkc::logaddexp" : "pkc::logaddexp2",
                        x->args, 2);
        break;
    case MATH_LOWER_BOUND: search(e, x, "pkc::lower_bound<"); break;
    case MATH_UPPER_BOUND: search(e, x, "pkc::upper_bound<"); break;
    case MATH_INCLUSIVE_SCAN: emit_inclusive_scan(e, x); break;
    default: break;
    }
}

/* The type of an operand's text; TYPE_VOID where it depends. */
static enum type_kind text_kind(struct emit *e, const struct ir_expr *x)
{
    if (x->type->kind == TYPE_INT32 && x->kind == IR_CONVERT) {
        const enum type_kind from = x->args[0]->type->kind;
        const bool plain = from == TYPE_INT8 || from == TYPE_INT16 ||
                           (from == TYPE_INT64 && emit_info_of(e, x->args[0]).narrow);
        return plain ? text_kind(e, x->args[0]) : TYPE_INT32;
    }
    if (x->type->kind != TYPE_INT64) {
        return x->type->kind;
    }
    if (!emit_info_of(e, x).narrow) {
        return TYPE_INT64;
    }
    switch (x->kind) {
    case IR_CONVERT: {
        const enum type_kind from = x->args[0]->type->kind;
        return from == TYPE_BOOL    ? TYPE_INT32
               : from == TYPE_INT64 ? text_kind(e, x->args[0])
                                    : from;
    }
    case IR_SELECT: {
        const enum type_kind a = text_kind(e, x->args[1]);
        return a == text_kind(e, x->args[2]) ? a : TYPE_VOID;
    }
    default: return TYPE_INT32;
    }
}

void emit_minmax(struct emit *e, const struct ir_expr *x)
{
    const char *name = x->kind == IR_MIN ? "pkc::min" : "pkc::max";
    e->header[HEADER_MINMAX] = true;
    bool same = x->type->kind != TYPE_INT64 || !emit_info_of(e, x).narrow ||
                text_kind(e, x->args[0]) == TYPE_INT32;
    for (size_t i = 1; i < x->arg_count; i++) {
        same = same && text_kind(e, x->args[i]) == text_kind(e, x->args[0]);
    }
    /* min(min(a, b), c) */
    for (size_t i = 1; i < x->arg_count; i++) {
        emit_text(e, name);
        if (!same) {
            emit_text(e, "<");
            emit_type(e, x->type->kind == TYPE_INT64 && emit_info_of(e, x).narrow
                             ? type_scalar(TYPE_INT32)
                             : x->type);
            emit_text(e, ">");
        }
        emit_text(e, "(");
    }
    emit_expr(e, x->args[0], PREC_CONDITIONAL);
    for (size_t i = 1; i < x->arg_count; i++) {
        emit_text(e, ", ");
        emit_expr(e, x->args[i], PREC_CONDITIONAL);
        emit_text(e, ")");
    }
}
