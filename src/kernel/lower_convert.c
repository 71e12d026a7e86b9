/* Conversion between types, as stores, casts and conditions do it. */
#include "kernel/lower.h"

#include <math.h>

#define INT64_LOW (-((py_int128)1 << 63))
#define INT64_HIGH (((py_int128)1 << 63) - 1)
#define UINT64_HIGH (((py_int128)1 << 64) - 1)

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
    low_add_note(s, e, (struct lower_note){.constant = true});
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
        low_add_note(s, f, (struct lower_note){.constant = true, .weak = low_is_weak(e)});
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
    if (kind == TYPE_FLOAT && e->kind == IR_SELECT && low_is_weak(e)) {
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
