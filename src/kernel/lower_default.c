/* The values of parameters' defaults: constant expressions of the callee's module. */
#include "kernel/lower.h"

/* No variable, no effect, no call but casts: the same value wherever it is written. */
static bool is_plain(struct low_scope *s, const struct py_module *m, const struct ast_node *n)
{
    switch (n->kind) {
    case AST_CONSTANT: return true;
    case AST_NAME:
    case AST_ATTRIBUTE: {
        const enum py_binding_kind kind = py_resolve(m, n).kind;
        return kind == PY_CONSTANT || kind == PY_EXTERNAL;
    }
    case AST_UNARY_OP: return is_plain(s, m, n->u.unary_op.operand);
    case AST_BIN_OP: return is_plain(s, m, n->u.bin_op.left) && is_plain(s, m, n->u.bin_op.right);
    case AST_CALL: break;
    default: return false;
    }
    const struct py_binding b = py_resolve(m, n->u.call.func);
    const bool casts =
        b.kind == PY_BUILTIN
            ? str_equal_c(b.qualified, "complex") || str_equal_c(b.qualified, "int") ||
                  str_equal_c(b.qualified, "float") || str_equal_c(b.qualified, "bool")
            : b.kind == PY_EXTERNAL &&
                  low_scalar_named(b.qualified, s->unit->l->options->default_real) != TYPE_VOID;

    if (!casts || n->u.call.keywords.count > 0) {
        return false;
    }
    for (size_t i = 0; i < n->u.call.args.count; i++) {
        if (!is_plain(s, m, n->u.call.args.items[i])) {
            return false;
        }
    }
    return true;
}

const struct ir_expr *low_default(struct low_scope *s, const struct ast_node *n,
                                  const struct py_module *m, const struct ast_node *arg,
                                  const struct ast_node *value)
{
    struct py_value constant;
    const struct str again = py_bound_after(m, value);

    if (again.len > 0) {
        low_error(s, n, STR("give the argument, or bind another name"),
                  "the default of " STR_FMT " is the value that " STR_FMT
                  " had at the definition, and it is bound again below",
                  STR_ARG(arg->u.arg.arg), STR_ARG(again));
        return low_unknown(s, n);
    }
    if (py_evaluate(m, value, &constant)) {
        return low_constant(s, n, &constant);
    }
    if (is_plain(s, m, value)) {
        /* The caller's names and self are not seen by the default. */
        struct low_scope *place = low_scope_new(s->unit, NULL, m, s->node, s->function);
        struct vec statements;
        vec_init(&statements, s->unit->l->a);
        low_scope_begin(place);
        place->block = &statements;
        const struct ir_expr *e = low_expr(place, value);
        if (!e->type || (statements.count == 0 && place->temps.count == 0)) {
            return e;
        }
    }
    low_error(s, n, STR("give the argument"), "the default of " STR_FMT " is not a constant",
              STR_ARG(arg->u.arg.arg));
    return low_unknown(s, n);
}
