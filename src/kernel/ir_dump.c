/*
 * The typed form as text: one statement a line, expressions as name.type(operands).
 *
 *     var s: float64
 *     s = add.f64(s, elem.f64(x, i))
 */
#include "kernel/ir.h"

#include "kernel/kernel.h"

static const char *const expr_names[] = {
    [IR_INT] = "int",
    [IR_FLOAT] = "float",
    [IR_BOOL] = "bool",
    [IR_COMPLEX] = "complex",
    [IR_VAR] = "var",
    [IR_ELEMENT] = "elem",
    [IR_MEMBER] = "member",
    [IR_SUBVIEW] = "subview",
    [IR_EXTENT] = "extent",
    [IR_SIZE] = "size",
    [IR_CONVERT] = "convert",
    [IR_NEG] = "neg",
    [IR_INVERT] = "invert",
    [IR_NOT] = "not",
    [IR_ADD] = "add",
    [IR_SUB] = "sub",
    [IR_MUL] = "mul",
    [IR_TRUEDIV] = "truediv",
    [IR_TRUEDIV_INT] = "truediv_int",
    [IR_FLOORDIV] = "floordiv",
    [IR_MOD] = "mod",
    [IR_POW_INT] = "pow_int",
    [IR_POW_INT_DOUBLE] = "pow_int_double",
    [IR_POW] = "pow",
    [IR_BIT_AND] = "and_bits",
    [IR_BIT_OR] = "or_bits",
    [IR_BIT_XOR] = "xor_bits",
    [IR_LSHIFT] = "lshift",
    [IR_RSHIFT] = "rshift",
    [IR_EQ] = "eq",
    [IR_NE] = "ne",
    [IR_LT] = "lt",
    [IR_LE] = "le",
    [IR_GT] = "gt",
    [IR_GE] = "ge",
    [IR_AND] = "and",
    [IR_OR] = "or",
    [IR_SELECT] = "select",
    [IR_MIN] = "min",
    [IR_MAX] = "max",
    [IR_MATH] = "math",
    [IR_CALL] = "call",
    [IR_ATOMIC] = "atomic",
    [IR_PRINTF] = "printf",
    [IR_TEAM_CALL] = "team",
    [IR_RANDOM] = "random",
    [IR_LIST] = "list",
    [IR_SCRATCH] = "scratch",
};

static const char *const math_names[MATH_COUNT] = {
    [MATH_ACOS] = "acos",
    [MATH_ACOSH] = "acosh",
    [MATH_ASIN] = "asin",
    [MATH_ASINH] = "asinh",
    [MATH_ATAN] = "atan",
    [MATH_ATAN2] = "atan2",
    [MATH_ATANH] = "atanh",
    [MATH_CBRT] = "cbrt",
    [MATH_CEIL] = "ceil",
    [MATH_COPYSIGN] = "copysign",
    [MATH_COS] = "cos",
    [MATH_COSH] = "cosh",
    [MATH_ERF] = "erf",
    [MATH_ERFC] = "erfc",
    [MATH_EXP] = "exp",
    [MATH_EXP2] = "exp2",
    [MATH_EXPM1] = "expm1",
    [MATH_FABS] = "fabs",
    [MATH_FLOOR] = "floor",
    [MATH_FMAX] = "fmax",
    [MATH_FMIN] = "fmin",
    [MATH_FMOD] = "fmod",
    [MATH_HYPOT] = "hypot",
    [MATH_ISFINITE] = "isfinite",
    [MATH_ISINF] = "isinf",
    [MATH_ISNAN] = "isnan",
    [MATH_LDEXP] = "ldexp",
    [MATH_LGAMMA] = "lgamma",
    [MATH_LOG] = "log",
    [MATH_LOG10] = "log10",
    [MATH_LOG1P] = "log1p",
    [MATH_LOG2] = "log2",
    [MATH_REMAINDER] = "remainder",
    [MATH_RINT] = "rint",
    [MATH_RSQRT] = "rsqrt",
    [MATH_SIN] = "sin",
    [MATH_SINH] = "sinh",
    [MATH_SQRT] = "sqrt",
    [MATH_TAN] = "tan",
    [MATH_TANH] = "tanh",
    [MATH_TGAMMA] = "tgamma",
    [MATH_TRUNC] = "trunc",
    [MATH_J0] = "j0",
    [MATH_J1] = "j1",
    [MATH_ABS_INT] = "abs_int",
    [MATH_ABS_COMPLEX] = "abs_complex",
    [MATH_REAL] = "real",
    [MATH_IMAG] = "imag",
    [MATH_CONJ] = "conj",
    [MATH_ROUND_EVEN] = "round_even",
    [MATH_ROUND_DIGITS] = "round_digits",
    [MATH_SIGN] = "sign",
    [MATH_RECIPROCAL] = "reciprocal",
    [MATH_RECT] = "rect",
    [MATH_MAXIMUM] = "maximum",
    [MATH_MINIMUM] = "minimum",
    [MATH_NEXTAFTER] = "nextafter",
    [MATH_SIGNBIT] = "signbit",
    [MATH_LOGADDEXP] = "logaddexp",
    [MATH_LOGADDEXP2] = "logaddexp2",
    [MATH_LOWER_BOUND] = "lower_bound",
    [MATH_UPPER_BOUND] = "upper_bound",
    [MATH_INCLUSIVE_SCAN] = "inclusive_scan",
};

static const char *const atomic_names[] = {
    "add", "sub", "mul",    "div",    "mod",      "min",   "max",  "and",
    "or",  "xor", "lshift", "rshift", "exchange", "store", "load", "compare_exchange",
};

static const char *const fetch_names[] = {"", "_fetch_old", "_fetch_new"};

static const char *const team_names[] = {"league_rank", "league_size", "team_rank", "team_size",
                                         "team_barrier"};

static const char *const nested_names[] = {"TeamThreadRange", "ThreadVectorRange",
                                           "TeamVectorRange"};

__extension__ typedef unsigned __int128 uint128;

static const char *const operation_names[] = {"for", "reduce", "scan"};

static const char *short_type(const struct type *t)
{
    static const char *const names[] = {
        [TYPE_VOID] = "void",  [TYPE_BOOL] = "bool",        [TYPE_INT8] = "i8",
        [TYPE_INT16] = "i16",  [TYPE_INT32] = "i32",        [TYPE_INT64] = "i64",
        [TYPE_UINT8] = "u8",   [TYPE_UINT16] = "u16",       [TYPE_UINT32] = "u32",
        [TYPE_UINT64] = "u64", [TYPE_INT128] = "i128",      [TYPE_FLOAT] = "f32",
        [TYPE_DOUBLE] = "f64", [TYPE_COMPLEX64] = "c64",    [TYPE_COMPLEX128] = "c128",
        [TYPE_VIEW] = "view",  [TYPE_ARRAY] = "array",      [TYPE_STRUCT] = "struct",
        [TYPE_TEAM] = "team",  [TYPE_RANDOM_POOL] = "pool", [TYPE_RANDOM_GENERATOR] = "generator",
    };

    return t ? names[t->kind] : "?";
}

static void dump_int128(struct buf *out, py_int128 value)
{
    char digits[48];
    size_t at = sizeof digits;
    const bool negative = value < 0;
    uint128 rest = negative ? 0 - (uint128)value : (uint128)value;

    do {
        digits[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest);
    if (negative) {
        digits[--at] = '-';
    }
    buf_add_bytes(out, digits + at, sizeof digits - at);
}

static void dump_expr(struct buf *out, const struct ir_expr *e);

static void dump_slices(struct buf *out, const struct ir_expr *e)
{
    for (int d = 0; d < e->args[0]->type->rank; d++) {
        const struct ir_slice *s = &e->slices[d];
        buf_add_c(out, ", ");
        if (s->index) {
            dump_expr(out, s->index);
        } else if (s->begin) {
            dump_expr(out, s->begin);
            buf_add_c(out, ":");
            dump_expr(out, s->end);
        } else {
            buf_add_c(out, ":");
        }
    }
}

static void dump_head(struct buf *out, const struct ir_expr *e)
{
    switch (e->kind) {
    case IR_MATH: buf_add_c(out, math_names[e->math]); break;
    case IR_CALL: buf_add(out, e->function->symbol); break;
    case IR_ATOMIC:
        buf_printf(out, "atomic_%s%s", atomic_names[e->atomic], fetch_names[e->fetch]);
        break;
    case IR_TEAM_CALL: buf_add_c(out, team_names[e->team]); break;
    case IR_SECONDS: buf_add_c(out, "seconds"); break;
    case IR_RANDOM: buf_printf(out, "random_" STR_FMT, STR_ARG(e->name)); break;
    default: buf_add_c(out, expr_names[e->kind]); break;
    }
    buf_printf(out, ".%s(", short_type(e->type));
}

static void dump_expr(struct buf *out, const struct ir_expr *e)
{
    switch (e->kind) {
    case IR_INT:
        dump_int128(out, e->integer);
        if (e->type->kind != TYPE_INT64) {
            buf_printf(out, ".%s", short_type(e->type));
        }
        return;
    case IR_FLOAT:
        buf_printf(out, "%.17g", e->number);
        buf_printf(out, ".%s", short_type(e->type));
        return;
    case IR_BOOL: buf_add_c(out, e->integer ? "True" : "False"); return;
    case IR_VAR: buf_add(out, e->var->name); return;
    case IR_MEMBER:
        dump_expr(out, e->args[0]);
        buf_printf(out, "." STR_FMT, STR_ARG(e->name));
        return;
    default: break;
    }
    dump_head(out, e);
    const char *separator = "";
    if (e->kind == IR_PRINTF) {
        json_string(out, e->text);
        separator = ", ";
    }
    for (size_t i = 0; i < e->arg_count; i++) {
        buf_add_c(out, separator);
        dump_expr(out, e->args[i]);
        separator = ", ";
    }
    if (e->kind == IR_SUBVIEW) {
        dump_slices(out, e);
    }
    buf_add_c(out, ")");
}

static void dump_block(struct buf *out, const struct ir_block *b, int depth);

static void indent(struct buf *out, int depth)
{
    for (int i = 0; i < depth; i++) {
        buf_add_c(out, "    ");
    }
}

static void dump_for(struct buf *out, const struct ir_stmt *s, int depth)
{
    buf_printf(out, "for " STR_FMT " in range(", STR_ARG(s->var->name));
    dump_expr(out, s->start);
    buf_add_c(out, ", ");
    dump_expr(out, s->stop);
    if (s->step) {
        buf_add_c(out, ", ");
        dump_expr(out, s->step);
    }
    buf_printf(out, ")%s%s:\n", s->var_assigned_in_body ? " assigned" : "",
               s->var_used_after ? " used_after" : "");
    dump_block(out, &s->body, depth + 1);
}

static void dump_if(struct buf *out, const struct ir_stmt *s, int depth)
{
    buf_add_c(out, "if ");
    dump_expr(out, s->test);
    buf_add_c(out, ":\n");
    dump_block(out, &s->body, depth + 1);
    if (s->orelse.count) {
        indent(out, depth);
        buf_add_c(out, "else:\n");
        dump_block(out, &s->orelse, depth + 1);
    }
}

static void dump_while(struct buf *out, const struct ir_stmt *s, int depth)
{
    buf_add_c(out, "while ");
    if (s->test) {
        dump_expr(out, s->test);
    } else {
        buf_add_c(out, "True");
    }
    buf_add_c(out, ":\n");
    dump_block(out, &s->body, depth + 1);
}

static void dump_parallel(struct buf *out, const struct ir_stmt *s)
{
    if (s->var) {
        buf_printf(out, STR_FMT " = ", STR_ARG(s->var->name));
    }
    buf_printf(out, "parallel_%s(%s(", operation_names[s->operation], nested_names[s->nested]);
    dump_expr(out, s->start);
    buf_add_c(out, ", ");
    dump_expr(out, s->stop);
    buf_printf(out, "), " STR_FMT, STR_ARG(s->function->symbol));
    if (s->value) {
        buf_add_c(out, ", ");
        dump_expr(out, s->value);
    }
    buf_add_c(out, ")\n");
}

static void dump_stmt(struct buf *out, const struct ir_stmt *s, int depth)
{
    indent(out, depth);
    switch (s->kind) {
    case IR_ASSIGN:
        buf_printf(out, STR_FMT " = ", STR_ARG(s->var->name));
        dump_expr(out, s->value);
        break;
    case IR_STORE:
        buf_add_c(out, "store ");
        dump_expr(out, s->target);
        buf_add_c(out, " = ");
        dump_expr(out, s->value);
        break;
    case IR_ACC_UPDATE:
        buf_printf(out, "update " STR_FMT " %s ", STR_ARG(s->var->name), expr_names[s->op]);
        dump_expr(out, s->value);
        break;
    case IR_EVAL: dump_expr(out, s->value); break;
    case IR_IF: dump_if(out, s, depth); return;
    case IR_WHILE: dump_while(out, s, depth); return;
    case IR_FOR: dump_for(out, s, depth); return;
    case IR_BREAK: buf_add_c(out, "break"); break;
    case IR_CONTINUE: buf_add_c(out, "continue"); break;
    case IR_RETURN:
        buf_add_c(out, "return");
        if (s->value) {
            buf_add_c(out, " ");
            dump_expr(out, s->value);
        }
        break;
    case IR_PARALLEL: dump_parallel(out, s); return;
    case IR_SINGLE:
        buf_add_c(out, s->per_team ? "single per team:\n" : "single per thread:\n");
        dump_block(out, &s->body, depth + 1);
        return;
    case IR_LAUNCH:
        buf_printf(out, "launch " STR_FMT, STR_ARG(s->launch->callee->kernel->qualified));
        for (int d = 0; d < s->launch->rank; d++) {
            buf_add_c(out, d > 0 ? ", " : " ");
            dump_expr(out, s->launch->begin[d]);
            buf_add_c(out, "..");
            dump_expr(out, s->launch->end[d]);
        }
        break;
    case IR_CHECK:
        buf_add_c(out, "check ");
        dump_expr(out, s->test);
        buf_add_c(out, " else ");
        json_string(out, s->text);
        break;
    }
    buf_add_c(out, "\n");
}

static void dump_block(struct buf *out, const struct ir_block *b, int depth)
{
    for (size_t i = 0; i < b->count; i++) {
        dump_stmt(out, b->items[i], depth);
    }
    if (!b->count) {
        indent(out, depth);
        buf_add_c(out, "pass\n");
    }
}

static void dump_type(struct buf *out, const struct type *t)
{
    if (!t) {
        buf_add_c(out, "?");
    } else if (t->kind == TYPE_VIEW) {
        static const char *const layouts[] = {"right", "left", "stride"};
        buf_add(out, type_spell(out->arena, t));
        if (t->layout != LAYOUT_RIGHT) {
            buf_printf(out, " %s", layouts[t->layout]);
        }
        if (t->traits) {
            buf_printf(out, " traits=%u", t->traits);
        }
    } else if (t->kind == TYPE_ARRAY) {
        dump_type(out, t->element);
        buf_printf(out, "[%lld]", (long long)t->length);
    } else if (t->kind == TYPE_STRUCT) {
        buf_add(out, t->struct_type->name);
    } else {
        buf_add_c(out, type_dtype(t->kind));
    }
}

static void dump_vars(struct buf *out, const struct ir_var *const *vars, size_t count, int depth,
                      const char *word)
{
    for (size_t i = 0; i < count; i++) {
        indent(out, depth);
        buf_printf(out, "%s " STR_FMT ": ", word, STR_ARG(vars[i]->name));
        dump_type(out, vars[i]->type);
        buf_add_c(out, vars[i]->captured ? " captured" : "");
        buf_add_c(out, vars[i]->by_reference ? " by_reference" : "");
        buf_add_c(out, "\n");
    }
}

static void dump_parameters(struct buf *out, const struct parameter *p, size_t count,
                            const char *word)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "    %s " STR_FMT ": ", word, STR_ARG(p[i].name));
        dump_type(out, p[i].type);
        buf_add_c(out, "\n");
    }
}

static void dump_function(struct buf *out, const struct ir_function *f)
{
    buf_printf(out, "%sfunction " STR_FMT "%s%s -> ", f->inner ? "inner " : "", STR_ARG(f->symbol),
               f->recursive ? " recursive" : "", f->uses_fields ? " uses_fields" : "");
    dump_type(out, f->returns);
    buf_add_c(out, "\n");
    dump_vars(out, f->parameters, f->parameter_count, 1, "parameter");
    dump_vars(out, f->vars, f->var_count, 1, "var");
    dump_block(out, &f->body, 1);
}

void ir_dump(struct buf *out, const struct kernel *k)
{
    static const char *const policies[] = {"range", "mdrange", "team"};

    for (size_t i = 0; i < k->struct_count; i++) {
        buf_printf(out, "struct " STR_FMT "\n", STR_ARG(k->structs[i]->name));
        for (size_t f = 0; f < k->structs[i]->field_count; f++) {
            buf_printf(out, "    " STR_FMT ": ", STR_ARG(k->structs[i]->fields[f].name));
            dump_type(out, k->structs[i]->fields[f].type);
            buf_add_c(out, "\n");
        }
    }
    for (size_t i = 0; i < k->function_count; i++) {
        dump_function(out, k->functions[i]);
    }
    buf_printf(out, "kernel " STR_FMT " %s %s %d", STR_ARG(k->qualified),
               operation_names[k->operation], policies[k->policy], k->rank);
    if (k->instance.len) {
        buf_printf(out, " instance " STR_FMT, STR_ARG(k->instance));
    }
    buf_add_c(out, "\n");
    dump_parameters(out, k->leading, k->leading_count, "leading");
    dump_parameters(out, k->fields, k->field_count, "field");
    dump_parameters(out, k->parameters, k->parameter_count, "parameter");
    dump_vars(out, k->vars, k->var_count, 1, "var");
    dump_block(out, &k->body, 1);
}
