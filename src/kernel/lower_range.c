/* Bounds of integer expressions, and comparing trees: what is known without running them. */
#include "kernel/lower.h"

#define LIMIT ((py_int128)1 << 63) /* "so much or more"; products of two still fit 128 bits */

static py_int128 clamp(py_int128 x)
{
    return x < -LIMIT ? -LIMIT : x > LIMIT ? LIMIT : x;
}

static struct low_range bounds(py_int128 low, py_int128 high)
{
    return (struct low_range){clamp(low), clamp(high)};
}

static py_int128 smaller(py_int128 a, py_int128 b)
{
    return a < b ? a : b;
}

static py_int128 larger(py_int128 a, py_int128 b)
{
    return a > b ? a : b;
}

static struct low_range type_range(enum type_kind kind)
{
    switch (kind) {
    case TYPE_BOOL: return bounds(0, 1);
    case TYPE_INT8: return bounds(-128, 127);
    case TYPE_INT16: return bounds(-32768, 32767);
    case TYPE_INT32: return bounds(-((py_int128)1 << 31), ((py_int128)1 << 31) - 1);
    case TYPE_UINT8: return bounds(0, 255);
    case TYPE_UINT16: return bounds(0, 65535);
    case TYPE_UINT32: return bounds(0, ((py_int128)1 << 32) - 1);
    case TYPE_UINT64: return bounds(0, LIMIT);
    default: return bounds(-LIMIT, LIMIT);
    }
}

static struct low_range range_at(const struct ir_expr *e, int depth);

static struct low_range product(struct low_range a, struct low_range b)
{
    const py_int128 p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};

    return bounds(smaller(smaller(p[0], p[1]), smaller(p[2], p[3])),
                  larger(larger(p[0], p[1]), larger(p[2], p[3])));
}

static struct low_range binary_range(const struct ir_expr *e, int depth)
{
    const struct low_range all = type_range(e->type->kind);
    const struct low_range a = range_at(e->args[0], depth), b = range_at(e->args[1], depth);

    switch (e->kind) {
    case IR_ADD: return bounds(a.low + b.low, a.high + b.high);
    case IR_SUB: return bounds(a.low - b.high, a.high - b.low);
    case IR_MUL:
        if (low_same_expr(e->args[0], e->args[1])) {
            return bounds(0, larger(a.low * a.low, a.high * a.high));
        }
        return product(a, b);
    case IR_FLOORDIV:
        if (a.low >= 0 && b.low > 0) {
            return bounds(0, a.high / b.low);
        }
        return a.low >= 0 && b.low >= 0 ? bounds(0, a.high) : all;
    case IR_MOD:
        /* a remainder is smaller than its divisor and has its sign; 0 only where that is refused */
        if (b.low >= 0) {
            return bounds(0, b.high > 0 ? b.high - 1 : 0);
        }
        return all;
    case IR_BIT_AND:
        if (a.low >= 0 && b.low >= 0) {
            return bounds(0, smaller(a.high, b.high));
        }
        return a.low >= 0 ? bounds(0, a.high) : b.low >= 0 ? bounds(0, b.high) : all;
    case IR_BIT_OR:
    case IR_BIT_XOR:
        if (a.low >= 0 && b.low >= 0) {
            py_int128 top = 1;
            while (top <= larger(a.high, b.high) && top < LIMIT) {
                top <<= 1;
            }
            return bounds(0, top - 1);
        }
        return all;
    case IR_LSHIFT: return a.low >= 0 ? bounds(0, LIMIT) : all;
    case IR_RSHIFT: return bounds(smaller(a.low, 0), larger(a.high, 0));
    case IR_POW_INT:
        if (a.low >= 0 || (e->args[1]->kind == IR_INT && e->args[1]->integer % 2 == 0)) {
            return bounds(0, LIMIT);
        }
        return all;
    default: return all;
    }
}

static struct low_range extreme_range(const struct ir_expr *e, int depth)
{
    struct low_range r = range_at(e->args[0], depth);

    for (size_t i = 1; i < e->arg_count; i++) {
        const struct low_range x = range_at(e->args[i], depth);
        r.low = e->kind == IR_MIN ? smaller(r.low, x.low) : larger(r.low, x.low);
        r.high = e->kind == IR_MIN ? smaller(r.high, x.high) : larger(r.high, x.high);
    }
    return r;
}

/* `depth` bounds the work: deep trees are taken for their type's whole range. */
static struct low_range range_at(const struct ir_expr *e, int depth)
{
    const struct low_range all = type_range(e->type->kind);

    if (depth <= 0) {
        return all;
    }
    depth--;
    switch (e->kind) {
    case IR_INT:
    case IR_BOOL: return bounds(e->integer, e->integer);
    case IR_VAR: return e->var->nonnegative ? bounds(0, all.high) : all;
    case IR_EXTENT:
    case IR_SIZE: return bounds(0, LIMIT);
    case IR_TEAM_CALL: return bounds(0, LIMIT);
    case IR_CONVERT: {
        const enum type_kind from = e->args[0]->type->kind;
        if (from != TYPE_BOOL && !type_is_integer(from)) {
            return all;
        }
        const struct low_range r = range_at(e->args[0], depth);
        return r.low >= all.low && r.high <= all.high ? r : all;
    }
    case IR_NEG: {
        const struct low_range r = range_at(e->args[0], depth);
        return bounds(-r.high, -r.low);
    }
    case IR_INVERT: {
        const struct low_range r = range_at(e->args[0], depth);
        return bounds(-1 - r.high, -1 - r.low);
    }
    case IR_SELECT: {
        const struct low_range a = range_at(e->args[1], depth), b = range_at(e->args[2], depth);
        return bounds(smaller(a.low, b.low), larger(a.high, b.high));
    }
    case IR_MIN:
    case IR_MAX: return extreme_range(e, depth);
    case IR_MATH:
        return e->math == MATH_ABS_INT || e->math == MATH_LOWER_BOUND || e->math == MATH_UPPER_BOUND
                   ? bounds(0, LIMIT)
                   : all;
    default:
        return e->arg_count == 2 && type_is_integer(e->type->kind) ? binary_range(e, depth) : all;
    }
}

struct low_range low_range_of(const struct ir_expr *e)
{
    return range_at(e, 8);
}

bool low_nonnegative(const struct ir_expr *e)
{
    return (e->type->kind == TYPE_BOOL || type_is_integer(e->type->kind)) &&
           low_range_of(e).low >= 0;
}

static bool same_at(const struct ir_expr *a, const struct ir_expr *b, int depth)
{
    if (depth <= 0 || a->kind != b->kind || !type_equal(a->type, b->type) ||
        a->arg_count != b->arg_count || a->integer != b->integer || a->var != b->var ||
        a->math != b->math || !str_equal(a->name, b->name)) {
        return false;
    }
    switch (a->kind) {
    case IR_CALL:
    case IR_ATOMIC:
    case IR_SUBVIEW:
    case IR_PRINTF:
    case IR_TEAM_CALL:
    case IR_RANDOM:
    case IR_SCRATCH:
    case IR_LIST: return false;
    case IR_FLOAT: return a->number >= b->number && a->number <= b->number;
    default: break;
    }
    for (size_t i = 0; i < a->arg_count; i++) {
        if (!same_at(a->args[i], b->args[i], depth - 1)) {
            return false;
        }
    }
    return true;
}

bool low_same_expr(const struct ir_expr *a, const struct ir_expr *b)
{
    return a->type && b->type && !((a->effects | b->effects) & EFFECT_WRITES) && same_at(a, b, 8);
}

struct reads_walk {
    const struct ir_var *var;
    bool found;
};

static void find_read(void *context, const struct ir_expr *e)
{
    struct reads_walk *w = context;

    if (e->kind == IR_VAR && e->var == w->var) {
        w->found = true;
    }
    if (!w->found) {
        ir_expr_children(e, find_read, w);
    }
}

bool low_reads_var(const struct ir_expr *e, const struct ir_var *v)
{
    struct reads_walk w = {.var = v};

    find_read(&w, e);
    return w.found;
}
