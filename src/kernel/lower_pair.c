/* divmod, math.modf and cmath.polar: calls that give two values. */
#include "kernel/lower.h"

static bool calls(struct low_scope *s, const struct ast_node *n, const char *qualified)
{
    if (n->kind != AST_CALL || low_is_local(s, n->u.call.func)) {
        return false;
    }
    const struct py_binding b = py_resolve(s->module, n->u.call.func);
    return (b.kind == PY_BUILTIN || b.kind == PY_EXTERNAL) && str_equal_c(b.qualified, qualified);
}

/* C's modf: what is behind the point keeps the sign; nothing is behind that of infinity. */
static void split(struct low_scope *s, const struct ast_node *n, const struct ir_expr *x,
                  const struct ir_expr *pair[2])
{
    const enum type_kind k = x->type->kind;
    const struct ir_expr *whole = low_math(s, n, MATH_TRUNC, k, &x, 1);
    const struct ir_expr *rest =
        low_select(s, n, low_math(s, n, MATH_ISINF, TYPE_BOOL, &x, 1), low_float(s, n, 0.0, k),
                   low_binary(s, IR_SUB, k, n, x, whole));
    const struct ir_expr *signed_rest[2] = {rest, x};

    pair[0] = low_math(s, n, MATH_COPYSIGN, k, signed_rest, 2);
    pair[1] = whole;
}

bool low_pair_call(struct low_scope *s, const struct ast_node *n, const struct ir_expr *pair[2])
{
    const bool is_modf = calls(s, n, "math.modf") || calls(s, n, "numpy.modf");
    const bool is_polar = calls(s, n, "cmath.polar");

    if (!is_modf && !is_polar && !calls(s, n, "divmod")) {
        return false;
    }
    pair[0] = low_unknown(s, n);
    pair[1] = pair[0];
    const size_t count = is_modf || is_polar ? 1 : 2;
    const struct ir_expr **args = low_arguments(s, n, count, count,
                                                is_modf    ? "modf"
                                                : is_polar ? "polar"
                                                           : "divmod");
    if (!args) {
        return true;
    }
    if (is_modf && !low_floats(s, n, args, 1, "modf")) {
        return true;
    }
    if (is_polar) {
        args[0] = low_number(s, args[0], n, "the argument");
        if (args[0]->type) {
            args[0] = low_convert(s, args[0], TYPE_COMPLEX128);
        }
    }
    for (size_t i = 0; i < count; i++) {
        args[i] = low_settle(s, args[i]);
        if (!args[i]->type) {
            return true;
        }
        if (!low_is_constant(args[i])) {
            args[i] = low_to_temp(s, args[i]); /* used twice, maybe after an assignment */
        }
    }
    if (is_modf) {
        split(s, n, args[0], pair);
        return true;
    }
    if (is_polar) {
        pair[0] = low_math(s, n, MATH_ABS_COMPLEX, TYPE_DOUBLE, args, 1);
        pair[1] = low_phase(s, n, args[0]);
        return true;
    }
    pair[0] = low_arith(s, n, OP_FLOOR_DIV, args[0], args[1]);
    pair[1] = low_arith(s, n, OP_MOD, args[0], args[1]);
    return true;
}
