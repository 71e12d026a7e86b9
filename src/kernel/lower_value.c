/* Values: constants, conversion, promotion; what every construct that makes expressions shares. */
#include "kernel/lower.h"

#include <math.h>
#include <string.h>

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

static void add_note(struct low_scope *s, struct ir_expr *e, struct lower_note note)
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
    add_note(s, e, (struct lower_note){.constant = true});
    return e;
}

const struct ir_expr *low_float(struct low_scope *s, const struct ast_node *n, double value,
                                enum type_kind kind)
{
    struct ir_expr *e = low_expr_new(s, IR_FLOAT, type_scalar(kind), n, 0);

    e->number = kind == TYPE_FLOAT ? (double)(float)value : value;
    add_note(s, e, (struct lower_note){.constant = true, .weak = kind == TYPE_DOUBLE});
    return e;
}

const struct ir_expr *low_bool(struct low_scope *s, const struct ast_node *n, bool value)
{
    struct ir_expr *e = low_expr_new(s, IR_BOOL, type_scalar(TYPE_BOOL), n, 0);

    e->integer = value;
    add_note(s, e, (struct lower_note){.constant = true});
    return e;
}

const struct ir_expr *low_var(struct low_scope *s, const struct ast_node *n, const struct ir_var *v)
{
    struct ir_expr *e = low_expr_new(s, IR_VAR, v->type, n, 0);

    e->var = v;
    return e;
}

static bool is_weak(const struct ir_expr *e)
{
    return e->note && e->note->weak;
}

const struct ir_expr *low_unary(struct low_scope *s, enum ir_expr_kind kind, enum type_kind t,
                                const struct ast_node *n, const struct ir_expr *x)
{
    struct ir_expr *e = low_expr_new(s, kind, type_scalar(t), n, 1);

    e->args[0] = x;
    e->effects = x->effects;
    if (is_weak(x) && t == TYPE_DOUBLE) {
        add_note(s, e, (struct lower_note){.weak = true});
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
    if (is_weak(x) && is_weak(y)) {
        add_note(s, e, (struct lower_note){.weak = true});
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
    add_note(s, e, (struct lower_note){.weak = true});
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

/* ---- what cannot stay as it is -------------------------------------------------------------- */

static bool fits_64_bits(struct low_scope *s, const struct ir_expr *e)
{
    if (!low_is_constant(e) || e->kind != IR_INT ||
        (!e->note->too_big && e->integer >= INT64_LOW && e->integer <= UINT64_HIGH)) {
        return true;
    }
    low_error(s, e->node, STR("integers have 64 bits; use a float where the size matters"),
              "the integer " STR_FMT " does not fit 64 bits", STR_ARG(low_source(s, e->node, 60)));
    return false;
}

const struct ir_expr *low_settle(struct low_scope *s, const struct ir_expr *e)
{
    if (!e->type) {
        return e;
    }
    if (!fits_64_bits(s, e)) {
        return low_unknown(s, e->node);
    }
    if (e->note && e->note->test) {
        const struct ast_node *p = e->note->power;
        low_error(s, p,
                  low_hint(s, "write int(" STR_FMT ") or float(" STR_FMT ")",
                           STR_ARG(low_source(s, p, 40)), STR_ARG(low_source(s, p, 40))),
                  "the result of int ** int is an int or a float, by the sign of the exponent, "
                  "which is not known here");
        return low_unknown(s, e->node);
    }
    return e;
}

/* The same tree without its note. */
static const struct ir_expr *plain(struct low_scope *s, const struct ir_expr *e)
{
    struct ir_expr *copy = ARENA_NEW(s->unit->l->a, struct ir_expr);

    *copy = *e;
    copy->note = NULL;
    return copy;
}

/* ---- conversion ----------------------------------------------------------------------------- */

static int bits_of(enum type_kind kind)
{
    switch (kind) {
    case TYPE_INT8:
    case TYPE_UINT8: return 8;
    case TYPE_INT16:
    case TYPE_UINT16: return 16;
    case TYPE_INT32:
    case TYPE_UINT32: return 32;
    case TYPE_INT128: return 128;
    default: return 64;
    }
}

/* The value that is left in so many bits. */
static py_int128 wrap(py_int128 value, enum type_kind kind)
{
    const int bits = bits_of(kind);

    if (bits == 128) {
        return value;
    }
    const low_uint128 mask = ((low_uint128)1 << bits) - 1;
    const low_uint128 low = (low_uint128)value & mask;
    if (!type_is_unsigned(kind) && (low >> (bits - 1))) {
        return (py_int128)low - ((py_int128)1 << bits);
    }
    return (py_int128)low;
}

static const struct ir_expr *int_of_type(struct low_scope *s, const struct ast_node *n,
                                         py_int128 value, enum type_kind kind)
{
    struct ir_expr *e = low_expr_new(s, IR_INT, type_scalar(kind), n, 0);

    e->integer = wrap(value, kind);
    add_note(s, e, (struct lower_note){.constant = true});
    return e;
}

static const struct ir_expr *convert_constant(struct low_scope *s, const struct ir_expr *e,
                                              enum type_kind kind)
{
    const double number = e->kind == IR_FLOAT ? e->number : (double)e->integer;

    if (kind == TYPE_BOOL) {
        return low_bool(s, e->node, e->kind == IR_FLOAT ? number != 0 : e->integer != 0);
    }
    if (type_is_float(kind)) {
        /* From an int in one rounding; from a literal as NumPy does: to double, then to float. */
        if (e->kind != IR_FLOAT && kind == TYPE_FLOAT) {
            return low_float(s, e->node, (double)(float)e->integer, kind);
        }
        struct ir_expr *f = low_expr_new(s, IR_FLOAT, type_scalar(kind), e->node, 0);
        f->number = kind == TYPE_FLOAT ? (double)(float)number : number;
        add_note(s, f, (struct lower_note){.constant = true, .weak = is_weak(e)});
        return f;
    }
    if (e->kind != IR_FLOAT) {
        return int_of_type(s, e->node, e->integer, kind);
    }
    if (!(fabs(number) < 1.7e38)) {
        low_warning(s, e->node, STR(""), "%g has no integer value; the smallest is stored", number);
        return int_of_type(
            s, e->node, type_is_unsigned(kind) ? 0 : -((py_int128)1 << (bits_of(kind) - 1)), kind);
    }
    return int_of_type(s, e->node, (py_int128)number, kind);
}

/* Is the value of the inner conversion's operand kept by it? Then the outer one can start there. */
static const struct ir_expr *skip_widening(const struct ir_expr *e)
{
    if (e->kind != IR_CONVERT || (e->note && e->note->test)) {
        return e;
    }
    const enum type_kind from = e->args[0]->type->kind, to = e->type->kind;
    const bool from_int = from == TYPE_BOOL || type_is_integer(from);
    const int from_bits = from == TYPE_BOOL ? 1 : bits_of(from);

    if (from_int && type_is_integer(to) && from_bits < bits_of(to) &&
        (from == TYPE_BOOL || type_is_unsigned(from) || !type_is_unsigned(to))) {
        return e->args[0];
    }
    return from == TYPE_FLOAT && to == TYPE_DOUBLE ? e->args[0] : e;
}

static const struct ir_expr *to_complex(struct low_scope *s, const struct ir_expr *e,
                                        enum type_kind kind)
{
    const enum type_kind part = kind == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE;

    if (e->kind == IR_COMPLEX) {
        struct ir_expr *c = low_expr_new(s, IR_COMPLEX, type_scalar(kind), e->node, 2);
        c->args[0] = low_convert(s, e->args[0], part);
        c->args[1] = low_convert(s, e->args[1], part);
        c->effects = e->effects;
        return c;
    }
    if (type_is_complex(e->type->kind)) {
        return low_unary(s, IR_CONVERT, kind, e->node, e);
    }
    struct ir_expr *c = low_expr_new(s, IR_COMPLEX, type_scalar(kind), e->node, 2);
    c->args[0] = low_convert(s, e, part);
    c->args[1] = low_float(s, e->node, 0.0, part);
    c->effects = e->effects;
    return c;
}

static const struct ir_expr *convert_power(struct low_scope *s, const struct ir_expr *e,
                                           enum type_kind kind)
{
    if (type_is_float(kind) || type_is_complex(kind)) {
        return low_convert(s, e->note->as_double, kind);
    }
    const struct ir_expr *as_int = plain(s, e);
    if (e->kind == IR_POW_INT) {
        return low_convert(s, as_int,
                           kind); /* its own rule for negative exponents is the store's */
    }
    return low_select(s, e->node, e->note->test, low_convert(s, as_int, kind),
                      low_convert(s, e->note->as_double, kind));
}

const struct ir_expr *low_convert(struct low_scope *s, const struct ir_expr *e, enum type_kind kind)
{
    if (!e->type) {
        return e;
    }
    if (e->note && e->note->test) {
        return convert_power(s, e, kind);
    }
    if (low_is_constant(e) && e->kind == IR_INT &&
        (e->note->too_big || type_is_integer(kind) || kind == TYPE_BOOL) && !fits_64_bits(s, e)) {
        return low_unknown(s, e->node);
    }
    if (e->type->kind == kind) {
        return e;
    }
    if (type_is_complex(kind)) {
        return to_complex(s, e, kind);
    }
    if (low_is_constant(e)) {
        return convert_constant(s, e, kind);
    }
    if (e->type->kind == TYPE_INT128 && type_is_integer(kind)) {
        return low_narrow(s, e, kind);
    }
    const struct ir_expr *inner = skip_widening(e);
    if (inner->type->kind == kind) {
        return inner;
    }
    if (kind == TYPE_FLOAT && e->kind == IR_SELECT && is_weak(e)) {
        return low_select(s, e->node, e->args[0], low_convert(s, e->args[1], kind),
                          low_convert(s, e->args[2], kind));
    }
    return low_unary(s, IR_CONVERT, kind, e->node, inner);
}

static const struct ir_expr *mismatch(struct low_scope *s, const struct ir_expr *e,
                                      const struct type *t, const struct ast_node *n,
                                      const char *what)
{
    low_error(s, n, STR(""), "%s is a " STR_FMT ", not a " STR_FMT, what,
              STR_ARG(low_spell(s, e->type)), STR_ARG(low_spell(s, t)));
    return low_unknown(s, n);
}

static const struct ir_expr *convert_view(struct low_scope *s, const struct ir_expr *e,
                                          const struct type *t)
{
    if (e->type->layout == t->layout) {
        return e;
    }
    if (t->layout != LAYOUT_STRIDE) {
        low_error(s, e->node, STR("use another name for it"),
                  "a view with other strides cannot take the place of a parameter");
        return low_unknown(s, e->node);
    }
    struct ir_expr *c = low_expr_new(s, IR_CONVERT, t, e->node, 1);
    c->args[0] = e;
    c->effects = e->effects;
    return c;
}

const struct ir_expr *low_convert_type(struct low_scope *s, const struct ir_expr *e,
                                       const struct type *t, const struct ast_node *n,
                                       const char *what)
{
    if (!e->type || !t) {
        return low_unknown(s, n);
    }
    if (type_is_scalar(t->kind)) {
        if (!type_is_scalar(e->type->kind)) {
            return mismatch(s, e, t, n, what);
        }
        if (type_is_complex(e->type->kind) && !type_is_complex(t->kind)) {
            low_error(s, n, STR("use .real, .imag or abs()"),
                      "%s is complex and cannot become a " STR_FMT, what, STR_ARG(low_spell(s, t)));
            return low_unknown(s, n);
        }
        return low_convert(s, e, t->kind);
    }
    if (t->kind == TYPE_VIEW && e->type->kind == TYPE_VIEW && t->rank == e->type->rank &&
        type_equal(t->element, e->type->element)) {
        return convert_view(s, e, t);
    }
    if (t->kind == TYPE_ARRAY && e->type->kind == TYPE_ARRAY) {
        return type_equal(t, e->type) ? e : mismatch(s, e, t, n, what);
    }
    return type_equal(t, e->type) ? e : mismatch(s, e, t, n, what);
}

const struct ir_expr *low_number(struct low_scope *s, const struct ir_expr *e,
                                 const struct ast_node *n, const char *what)
{
    if (!e->type) {
        return e;
    }
    if (!type_is_scalar(e->type->kind)) {
        low_error(s, n,
                  e->type->kind == TYPE_VIEW   ? STR("index it: v[i]")
                  : e->type->kind == TYPE_VOID ? STR("the function returns nothing")
                                               : STR(""),
                  "%s is a " STR_FMT ", not a number", what, STR_ARG(low_spell(s, e->type)));
        return low_unknown(s, n);
    }
    switch (e->type->kind) {
    case TYPE_BOOL:
    case TYPE_INT8:
    case TYPE_INT16:
    case TYPE_INT32:
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32: return low_convert(s, e, TYPE_INT64);
    default: return e;
    }
}

const struct ir_expr *low_truth(struct low_scope *s, const struct ir_expr *e,
                                const struct ast_node *n)
{
    e = low_number(s, e, n, "the condition");
    if (!e->type) {
        return e;
    }
    if (type_is_complex(e->type->kind)) {
        struct ir_expr *zero = (struct ir_expr *)(uintptr_t)to_complex(
            s, low_float(s, n, 0.0, TYPE_DOUBLE), e->type->kind);
        return low_binary(s, IR_NE, TYPE_BOOL, n, e, zero);
    }
    return low_convert(s, e, TYPE_BOOL);
}

const struct ir_expr *low_index(struct low_scope *s, const struct ir_expr *e,
                                const struct ast_node *n, const char *what)
{
    e = low_settle(s, low_number(s, e, n, what));
    if (!e->type) {
        return e;
    }
    if (!type_is_integer(e->type->kind)) {
        low_error(s, n,
                  low_hint(s, "write int(" STR_FMT "), or // for a division",
                           STR_ARG(low_source(s, n, 40))),
                  "%s must be an integer, not a " STR_FMT, what, STR_ARG(low_spell(s, e->type)));
        return low_unknown(s, n);
    }
    return low_convert(s, e, TYPE_INT64);
}

/* ---- promotion ------------------------------------------------------------------------------ */

enum type_kind low_promote(const struct ir_expr *x, const struct ir_expr *y)
{
    const enum type_kind a = x->type->kind, b = y->type->kind;

    if (type_is_complex(a) || type_is_complex(b)) {
        const bool wide_a = a == TYPE_COMPLEX128 || (a == TYPE_DOUBLE);
        const bool wide_b = b == TYPE_COMPLEX128 || (b == TYPE_DOUBLE);
        return (wide_a && !is_weak(x)) || (wide_b && !is_weak(y)) || (wide_a && wide_b)
                   ? TYPE_COMPLEX128
                   : TYPE_COMPLEX64;
    }
    if (type_is_float(a) || type_is_float(b)) {
        if (a == TYPE_FLOAT && (b == TYPE_FLOAT || !type_is_float(b) || is_weak(y))) {
            return TYPE_FLOAT;
        }
        if (b == TYPE_FLOAT && (!type_is_float(a) || is_weak(x))) {
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
