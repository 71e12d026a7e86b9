/* Conversions: as Python's int(), float(), bool() and NumPy's stores have them. */
#include "kernel/emit.h"

static void cast(struct emit *e, const struct type *to, const struct ir_expr *x)
{
    emit_type(e, to);
    emit_text(e, "(");
    emit_expr(e, x, PREC_ANY);
    emit_text(e, ")");
}

static void to_bool(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const enum type_kind from = x->type->kind;
    if (type_is_complex(from)) {
        e->header[HEADER_COMPLEX] = true;
        emit_named_call(e, "pkc::truth", &x, 1);
        return;
    }
    emit_open(e, PREC_EQUAL, min);
    emit_expr(e, x, PREC_SHIFT);
    emit_text(e, from == TYPE_FLOAT ? " != 0.0f" : from == TYPE_DOUBLE ? " != 0.0" : " != 0");
    emit_close(e, PREC_EQUAL, min);
}

/* A narrower integer has the low bits of the 64-bit one. The 32-bit conversion is quicker for what
 * fits it, which is half of the uint32s. */
static void float_to_int(struct emit *e, const struct type *to, const struct ir_expr *x)
{
    const bool wide = to->kind == TYPE_INT64 || to->kind == TYPE_UINT32;
    const char *name = to->kind == TYPE_UINT64 ? "pkc::to_uint64"
                       : wide                  ? "pkc::to_int64"
                                               : "pkc::to_int32";
    e->header[HEADER_CONVERT] = true;
    if (to->kind == TYPE_INT64 || to->kind == TYPE_UINT64 || to->kind == TYPE_INT32) {
        emit_named_call(e, name, &x, 1);
        return;
    }
    emit_type(e, to);
    emit_text(e, "(");
    emit_named_call(e, name, &x, 1);
    emit_text(e, ")");
}

static void to_complex(struct emit *e, const struct type *to, const struct ir_expr *x)
{
    const bool single = to->kind == TYPE_COMPLEX64;
    e->header[HEADER_COMPLEX] = true;
    if (type_is_complex(x->type->kind)) {
        emit_named_call(e, single ? "pkc::to_complex<float>" : "pkc::to_complex<double>", &x, 1);
        return;
    }
    emit_type(e, to);
    emit_text(e, "{");
    if (x->type->kind == (single ? TYPE_FLOAT : TYPE_DOUBLE)) {
        emit_expr(e, x, PREC_CONDITIONAL);
    } else {
        cast(e, type_scalar(single ? TYPE_FLOAT : TYPE_DOUBLE), x);
    }
    emit_text(e, single ? ", 0.0f}" : ", 0.0}");
}

static void to_int(struct emit *e, const struct type *to, const struct ir_expr *x,
                   enum emit_prec min)
{
    const enum type_kind from = x->type->kind;
    const bool narrow = from == TYPE_INT64 && emit_info_of(e, x).narrow;
    if (type_is_float(from)) {
        float_to_int(e, to, x);
    } else if (x->kind == IR_CONVERT && from == TYPE_INT64 && type_size(to->kind) <= 4 &&
               type_is_float(x->args[0]->type->kind)) {
        float_to_int(e, to, x->args[0]);
    } else if (from == TYPE_BOOL && to->kind == TYPE_INT64) {
        emit_text(e, "int(");
        emit_expr(e, x, PREC_ANY);
        emit_text(e, ")");
    } else if ((to->kind == TYPE_INT64 && from != TYPE_UINT32 && from != TYPE_UINT64 &&
                from != TYPE_INT128) ||
               (to->kind == TYPE_INT32 && (narrow || from == TYPE_INT8 || from == TYPE_INT16))) {
        emit_expr(e, x, min); /* its text is an int already, or converts to one by itself */
    } else {
        cast(e, to, x);
    }
}

void emit_convert(struct emit *e, const struct ir_expr *x, enum emit_prec min)
{
    const struct ir_expr *inner = x->args[0];
    const struct type *to = x->type;
    if (type_equal(to, inner->type)) {
        emit_expr(e, inner, min);
    } else if (to->kind == TYPE_VIEW) {
        e->header[HEADER_VIEW] = true;
        emit_named_call(e, "pkc::to_stride", &inner, 1);
    } else if (type_is_complex(to->kind)) {
        to_complex(e, to, inner);
    } else if (type_is_complex(inner->type->kind) && to->kind != TYPE_BOOL) {
        cast(e, to, inner);
    } else if (to->kind == TYPE_BOOL) {
        to_bool(e, inner, min);
    } else if (type_is_integer(to->kind)) {
        to_int(e, to, inner, min);
    } else {
        cast(e, to, inner);
    }
}
