/* Values: constants, conversion, promotion; what every construct that makes expressions shares. */
#include "kernel/lower.h"

/* ---- making expressions --------------------------------------------------------------------- */

struct ir_expr *low_expr_new(struct low_scope *s, enum ir_expr_kind kind, const struct type *t,
                             const struct ast_node *n, size_t arg_count)
{
    struct ir_expr *e = ARENA_NEW(s->unit->l->a, struct ir_expr);

    e->kind = kind;
    e->type = t;
    e->node = n;
    e->module = s->module;
    if (arg_count) {
        e->args = ARENA_ARRAY(s->unit->l->a, const struct ir_expr *, arg_count);
        e->arg_count = arg_count;
    }
    return e;
}

const struct ir_expr *low_unknown(struct low_scope *s, const struct ast_node *n)
{
    return low_expr_new(s, IR_INT, NULL, n, 0);
}

void low_add_note(struct low_scope *s, struct ir_expr *e, struct lower_note note)
{
    struct lower_note *copy = ARENA_NEW(s->unit->l->a, struct lower_note);

    *copy = note;
    e->note = copy;
}

#define INT64_LOW (-((py_int128)1 << 63))
#define INT64_HIGH (((py_int128)1 << 63) - 1)
#define UINT64_HIGH (((py_int128)1 << 64) - 1)

const struct ir_expr *low_int(struct low_scope *s, const struct ast_node *n, py_int128 value)
{
    const enum type_kind kind = value >= INT64_LOW && value <= INT64_HIGH ? TYPE_INT64
                                : value >= 0 && value <= UINT64_HIGH      ? TYPE_UINT64
                                                                          : TYPE_INT128;
    struct ir_expr *e = low_expr_new(s, IR_INT, type_scalar(kind), n, 0);

    e->integer = value;
    low_add_note(s, e, (struct lower_note){.constant = true});
    return e;
}

const struct ir_expr *low_float(struct low_scope *s, const struct ast_node *n, double value,
                                enum type_kind kind)
{
    struct ir_expr *e = low_expr_new(s, IR_FLOAT, type_scalar(kind), n, 0);

    e->number = kind == TYPE_FLOAT ? (double)(float)value : value;
    low_add_note(s, e, (struct lower_note){.constant = true, .weak = kind == TYPE_DOUBLE});
    return e;
}

const struct ir_expr *low_bool(struct low_scope *s, const struct ast_node *n, bool value)
{
    struct ir_expr *e = low_expr_new(s, IR_BOOL, type_scalar(TYPE_BOOL), n, 0);

    e->integer = value;
    low_add_note(s, e, (struct lower_note){.constant = true});
    return e;
}

const struct ir_expr *low_var(struct low_scope *s, const struct ast_node *n, const struct ir_var *v)
{
    struct ir_expr *e = low_expr_new(s, IR_VAR, v->type, n, 0);

    e->var = v;
    return e;
}

bool low_is_weak(const struct ir_expr *e)
{
    return e->note && e->note->weak;
}

const struct ir_expr *low_unary(struct low_scope *s, enum ir_expr_kind kind, enum type_kind t,
                                const struct ast_node *n, const struct ir_expr *x)
{
    struct ir_expr *e = low_expr_new(s, kind, type_scalar(t), n, 1);

    e->args[0] = x;
    e->effects = x->effects;
    if (low_is_weak(x) && t == TYPE_DOUBLE) {
        low_add_note(s, e, (struct lower_note){.weak = true});
    }
    return e;
}

const struct ir_expr *low_binary(struct low_scope *s, enum ir_expr_kind kind, enum type_kind t,
                                 const struct ast_node *n, const struct ir_expr *x,
                                 const struct ir_expr *y)
{
    struct ir_expr *e = low_expr_new(s, kind, type_scalar(t), n, 2);

    e->args[0] = x;
    e->args[1] = y;
    e->effects = x->effects | y->effects;
    return e;
}

const struct ir_expr *low_select(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *test, const struct ir_expr *x,
                                 const struct ir_expr *y)
{
    struct ir_expr *e = low_expr_new(s, IR_SELECT, x->type, n, 3);

    e->args[0] = test;
    e->args[1] = x;
    e->args[2] = y;
    e->effects = test->effects | x->effects | y->effects;
    if (low_is_weak(x) && low_is_weak(y)) {
        low_add_note(s, e, (struct lower_note){.weak = true});
    }
    return e;
}

/* ---- constants ------------------------------------------------------------------------------ */

static const struct ir_expr *complex_constant(struct low_scope *s, const struct ast_node *n,
                                              double re, double im)
{
    struct ir_expr *e = low_expr_new(s, IR_COMPLEX, type_scalar(TYPE_COMPLEX128), n, 2);

    e->args[0] = low_float(s, n, re, TYPE_DOUBLE);
    e->args[1] = low_float(s, n, im, TYPE_DOUBLE);
    low_add_note(s, e, (struct lower_note){.weak = true});
    return e;
}

const struct ir_expr *low_constant(struct low_scope *s, const struct ast_node *n,
                                   const struct py_value *value)
{
    switch (value->kind) {
    case PY_VALUE_BOOL: return low_bool(s, n, value->boolean);
    case PY_VALUE_INT: {
        const struct ir_expr *e = low_int(s, n, value->integer);
        if (value->too_big) {
            ((struct lower_note *)(uintptr_t)e->note)->too_big = true;
        }
        return e;
    }
    case PY_VALUE_FLOAT: return low_float(s, n, value->number, TYPE_DOUBLE);
    case PY_VALUE_COMPLEX:
        if (n->kind == AST_CONSTANT) {
            low_error(s, n, low_hint(s, "write complex(0.0, %g)", value->number),
                      "the imaginary literal " STR_FMT " is not translated",
                      STR_ARG(low_source(s, n, 40)));
            return low_unknown(s, n);
        }
        return complex_constant(s, n, 0.0, value->number);
    case PY_VALUE_STR:
    case PY_VALUE_BYTES:
        low_error(s, n, STR("strings can only be printed"), "a string is no value in a workunit");
        return low_unknown(s, n);
    case PY_VALUE_NONE:
        low_error(s, n, STR("use a number that stands for it"), "None is no value in a workunit");
        return low_unknown(s, n);
    case PY_VALUE_ELLIPSIS:
        low_error(s, n, STR(""), "... is no value in a workunit");
        return low_unknown(s, n);
    case PY_VALUE_TUPLE:
        low_error(s, n, STR("use its items by a constant index"),
                  "a tuple is no value in a workunit");
        return low_unknown(s, n);
    }
    return low_unknown(s, n);
}

bool low_is_constant(const struct ir_expr *e)
{
    return e->note && e->note->constant;
}

bool low_is_int_constant(const struct ir_expr *e)
{
    return low_is_constant(e) && e->kind == IR_INT && e->type && !e->note->too_big;
}

const struct ir_expr *low_fold(struct low_scope *s, const struct ast_node *n,
                               const struct ir_expr *const *args, size_t count)
{
    struct py_value value;

    for (size_t i = 0; i < count; i++) {
        if (!args[i]->type || !low_is_constant(args[i])) {
            return NULL;
        }
    }
    if (!py_evaluate(s->module, n, &value)) {
        return NULL;
    }
    switch (value.kind) {
    case PY_VALUE_BOOL:
    case PY_VALUE_INT:
    case PY_VALUE_FLOAT: return low_constant(s, n, &value);
    default: return NULL;
    }
}

/* ---- promotion ------------------------------------------------------------------------------ */

enum type_kind low_promote(const struct ir_expr *x, const struct ir_expr *y)
{
    const enum type_kind a = x->type->kind, b = y->type->kind;

    if (type_is_complex(a) || type_is_complex(b)) {
        const bool wide_a = a == TYPE_COMPLEX128 || (a == TYPE_DOUBLE);
        const bool wide_b = b == TYPE_COMPLEX128 || (b == TYPE_DOUBLE);
        return (wide_a && !low_is_weak(x)) || (wide_b && !low_is_weak(y)) || (wide_a && wide_b)
                   ? TYPE_COMPLEX128
                   : TYPE_COMPLEX64;
    }
    if (type_is_float(a) || type_is_float(b)) {
        if (a == TYPE_FLOAT && (b == TYPE_FLOAT || !type_is_float(b) || low_is_weak(y))) {
            return TYPE_FLOAT;
        }
        if (b == TYPE_FLOAT && (!type_is_float(a) || low_is_weak(x))) {
            return TYPE_FLOAT;
        }
        return TYPE_DOUBLE;
    }
    if (a == b) {
        return a;
    }
    if (a == TYPE_INT128 || b == TYPE_INT128) {
        return TYPE_INT128;
    }
    /* int64 with uint64: what is never negative is as good as unsigned */
    return low_nonnegative(a == TYPE_UINT64 ? y : x) ? TYPE_UINT64 : TYPE_INT128;
}

enum type_kind low_join_kinds(enum type_kind a, enum type_kind b)
{
    if (a == b) {
        return a;
    }
    if (!type_is_scalar(a) || !type_is_scalar(b)) {
        return TYPE_VOID;
    }
    if (type_is_complex(a) || type_is_complex(b)) {
        return a == TYPE_COMPLEX128 || b == TYPE_COMPLEX128 || a == TYPE_DOUBLE || b == TYPE_DOUBLE
                   ? TYPE_COMPLEX128
                   : TYPE_COMPLEX64;
    }
    if (a == TYPE_DOUBLE || b == TYPE_DOUBLE) {
        return TYPE_DOUBLE;
    }
    if (a == TYPE_FLOAT || b == TYPE_FLOAT) {
        return TYPE_FLOAT;
    }
    if (a == TYPE_INT128 || b == TYPE_INT128) {
        return TYPE_INT128;
    }
    if (a == TYPE_UINT64 || b == TYPE_UINT64) {
        const enum type_kind other = a == TYPE_UINT64 ? b : a;
        return other == TYPE_BOOL || type_is_unsigned(other) ? TYPE_UINT64 : TYPE_INT128;
    }
    return TYPE_INT64;
}

const struct type *low_join(struct low_scope *s, const struct type *a, const struct type *b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    if (type_equal(a, b)) {
        return a;
    }
    if (a->kind == TYPE_VIEW && b->kind == TYPE_VIEW && a->rank == b->rank &&
        type_equal(a->element, b->element) && a->traits == b->traits) {
        struct type *t = ARENA_NEW(s->unit->l->a, struct type);
        *t = *a;
        t->layout = LAYOUT_STRIDE;
        t->scratch = a->scratch && b->scratch;
        return t;
    }
    const enum type_kind k = low_join_kinds(a->kind, b->kind);
    return k == TYPE_VOID ? NULL : type_scalar(k);
}
