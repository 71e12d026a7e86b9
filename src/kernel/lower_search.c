/* pk.lower_bound, pk.upper_bound and pk.inclusive_scan: on views of one dimension. */
#include "kernel/lower.h"

bool low_search_known(struct str name)
{
    return str_equal_c(name, "lower_bound") || str_equal_c(name, "upper_bound") ||
           str_equal_c(name, "inclusive_scan");
}

static bool is_sequence(struct low_scope *s, const struct ast_node *n, const struct ir_expr *view,
                        const char *name)
{
    if (view->type->kind == TYPE_VIEW && view->type->rank == 1 &&
        type_is_scalar(view->type->element->kind) && !type_is_complex(view->type->element->kind)) {
        return true;
    }
    low_error(s, n, STR("give a view of one dimension, or a part of one: v[i, :]"),
              "%s works on a view of one dimension, not on a " STR_FMT, name,
              STR_ARG(low_spell(s, view->type)));
    return false;
}

/* The type that elements and value are compared in: Python compares their exact values. */
static enum type_kind meeting(enum type_kind element, const struct ir_expr *value)
{
    const enum type_kind v = value->type->kind;
    const bool single = element == TYPE_FLOAT && (v == TYPE_FLOAT || low_is_weak(value));

    if (type_is_float(element) || type_is_float(v)) {
        return single ? TYPE_FLOAT : TYPE_DOUBLE;
    }
    return element == TYPE_UINT64 || v == TYPE_UINT64 || v == TYPE_INT128 ? TYPE_INT128
                                                                          : TYPE_INT64;
}

static const struct ir_expr *bound(struct low_scope *s, const struct ast_node *n, bool lower)
{
    const char *name = lower ? "lower_bound" : "upper_bound";
    const struct ir_expr **args = low_arguments(s, n, 3, 3, name);

    if (!args || !is_sequence(s, n->u.call.args.items[0], args[0], name)) {
        return low_unknown(s, n);
    }
    const struct ast_node *count_node = n->u.call.args.items[1];
    const struct ast_node *value_node = n->u.call.args.items[2];
    args[1] = low_index(s, args[1], count_node, "the number of elements");
    args[2] = low_settle(s, low_number(s, args[2], value_node, "the value"));
    if (!args[1]->type || !args[2]->type) {
        return low_unknown(s, n);
    }
    if (type_is_complex(args[2]->type->kind)) {
        low_error(s, value_node, STR("search for abs(), .real or .imag"),
                  "complex numbers have no order");
        return low_unknown(s, n);
    }
    args[2] = low_convert(s, args[2], meeting(args[0]->type->element->kind, args[2]));
    struct ir_expr *e = (struct ir_expr *)(uintptr_t)low_math(
        s, n, lower ? MATH_LOWER_BOUND : MATH_UPPER_BOUND, TYPE_INT64, args, 3);
    e->effects |= EFFECT_READS;
    return e;
}

/* Every thread of the team calls it; it works in place. */
static const struct ir_expr *scan(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr **args = low_arguments(s, n, 2, 2, "inclusive_scan");

    if (!args) {
        return low_unknown(s, n);
    }
    if (args[0]->type->kind != TYPE_TEAM) {
        low_error(s, n->u.call.args.items[0], STR("pk.inclusive_scan(team, view)"),
                  "inclusive_scan works on a team: its first argument is the team's member");
        return low_unknown(s, n);
    }
    if (!is_sequence(s, n->u.call.args.items[1], args[1], "inclusive_scan")) {
        return low_unknown(s, n);
    }
    if (args[1]->type->element->kind == TYPE_BOOL) {
        low_error(s, n->u.call.args.items[1], STR("use a view of integers"), "bools have no sum");
        return low_unknown(s, n);
    }
    struct ir_expr *e = low_expr_new(s, IR_MATH, type_scalar(TYPE_VOID), n, 1);
    e->math = MATH_INCLUSIVE_SCAN;
    e->args[0] = args[1];
    e->effects = EFFECT_READS | EFFECT_WRITES;
    return e;
}

const struct ir_expr *low_search_call(struct low_scope *s, const struct ast_node *n,
                                      struct str name)
{
    return str_equal_c(name, "inclusive_scan") ? scan(s, n)
                                               : bound(s, n, str_equal_c(name, "lower_bound"));
}
