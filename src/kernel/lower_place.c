/* Where a store goes; the methods and attributes of views. */
#include "kernel/lower.h"

/* ---- places --------------------------------------------------------------------------------- */

static const struct ir_expr *evaluate_once(struct low_scope *s, const struct ir_expr *place)
{
    struct ir_expr *copy = ARENA_NEW(s->unit->l->a, struct ir_expr);

    *copy = *place;
    copy->args = ARENA_ARRAY(s->unit->l->a, const struct ir_expr *, place->arg_count);
    copy->effects = EFFECT_READS;
    for (size_t i = 0; i < place->arg_count; i++) {
        const struct ir_expr *arg = place->args[i];
        if (i == 0 && (arg->kind == IR_ELEMENT || arg->kind == IR_MEMBER)) {
            copy->args[i] = evaluate_once(s, arg);
        } else {
            copy->args[i] = i == 0 ? arg : low_simple(s, arg);
        }
    }
    return copy;
}

static bool is_read_only(struct low_scope *s, const struct ast_node *n)
{
    while (n->kind == AST_SUBSCRIPT) {
        n = n->u.subscript.value;
    }
    const struct low_variable *v = n->kind == AST_NAME ? low_scope_find(s, n->u.name.id) : NULL;
    return v && v->read_only;
}

const struct ir_expr *low_place(struct low_scope *s, const struct ast_node *n, bool twice)
{
    const struct ir_expr *e = n->kind == AST_SUBSCRIPT ? low_subscript_place(s, n)
                                                       : low_expr(s, n); /* no atomic load here */

    if (!e->type) {
        return e;
    }
    if (e->kind == IR_SUBVIEW) {
        low_error(s, n, STR("write a loop that stores each element"),
                  "storing into a slice or a whole row is not translated");
        return low_unknown(s, n);
    }
    if (e->kind != IR_ELEMENT && e->kind != IR_MEMBER) {
        low_error(s, n, STR("store into a view's element, a variable or an object's field"),
                  "this cannot be assigned");
        return low_unknown(s, n);
    }
    if (e->kind == IR_ELEMENT && is_read_only(s, n)) {
        low_error(s, n, STR("pass a view to store into"), "a List parameter cannot be changed");
        return low_unknown(s, n);
    }
    return twice ? evaluate_once(s, e) : e;
}

/* ---- methods and attributes ----------------------------------------------------------------- */

const struct ir_expr *low_view_attribute(struct low_scope *s, const struct ast_node *n,
                                         const struct ir_expr *view, struct str name)
{
    if (str_equal_c(name, "size")) {
        struct ir_expr *e = low_expr_new(s, IR_SIZE, type_scalar(TYPE_INT64), n, 1);
        e->args[0] = view;
        e->effects = view->effects;
        return e;
    }
    if (str_equal_c(name, "ndim") || str_equal_c(name, "rank")) {
        return low_int(s, n, view->type->rank);
    }
    if (str_equal_c(name, "shape")) {
        low_error(s, n, STR("index it: v.shape[0]"),
                  "a view's shape is a tuple, which is no value here");
        return low_unknown(s, n);
    }
    low_error_span(s, &n->u.attribute.attr_span,
                   STR("a view has extent(d), shape[d], size and ndim"),
                   "a view has no attribute " STR_FMT, STR_ARG(name));
    return low_unknown(s, n);
}

const struct ir_expr *low_view_method(struct low_scope *s, const struct ast_node *call,
                                      const struct ir_expr *view, struct str name)
{
    if (str_equal_c(name, "size") || str_equal_c(name, "rank")) {
        return low_arguments(s, call, 0, 0, "size") ? low_view_attribute(s, call, view, name)
                                                    : low_unknown(s, call);
    }
    if (!str_equal_c(name, "extent")) {
        low_error_span(s, &call->u.call.func->u.attribute.attr_span,
                       STR("a view has extent(d), shape[d], size and ndim"),
                       "a view has no method " STR_FMT " in a workunit", STR_ARG(name));
        return low_unknown(s, call);
    }
    const struct ir_expr **args = low_arguments(s, call, 1, 1, "extent");
    if (!args) {
        return low_unknown(s, call);
    }
    const struct ast_node *at = call->u.call.args.items[0];
    const struct ir_expr *d = low_index(s, args[0], at, "the dimension");
    if (!d->type) {
        return d;
    }
    if (low_is_int_constant(d)) {
        if (d->integer < 0 || d->integer >= view->type->rank) {
            low_error(s, at, low_hint(s, "the view has dimensions 0 to %d", view->type->rank - 1),
                      "no such dimension");
            return low_unknown(s, call);
        }
        return low_extent(s, call, view, (int)d->integer);
    }
    struct ir_expr *e = low_expr_new(s, IR_EXTENT, type_scalar(TYPE_INT64), call, 2);
    e->args[0] = view;
    e->args[1] = d;
    e->effects = view->effects | d->effects;
    return e;
}
