/* Views and local arrays: elements, subviews, extents. */
#include "kernel/lower.h"

/* One subscript: an index, or a slice. */
struct subscript {
    const struct ast_node *node;
    bool slice;
    const struct ir_expr *index;      /* not a slice */
    const struct ir_expr *low, *high; /* slice; NULL: open */
    bool group_end;                   /* the last within its brackets */
};

struct subscripts {
    const struct ast_node *base;
    struct subscript *items;
    size_t count;
};

/* ---- reading a[i][j, k] --------------------------------------------------------------------- */

static size_t subscript_count(const struct ast_node *slice)
{
    return slice->kind == AST_TUPLE ? slice->u.seq.elts.count : 1;
}

/* Is `n` the bracket's base something else, such as v.shape? */
static bool is_shape(const struct ast_node *n)
{
    return n->kind == AST_ATTRIBUTE && str_equal_c(n->u.attribute.attr, "shape");
}

static struct subscripts flatten(struct low_scope *s, const struct ast_node *n)
{
    struct subscripts subs = {.base = n};

    for (; subs.base->kind == AST_SUBSCRIPT; subs.base = subs.base->u.subscript.value) {
        if (is_shape(subs.base->u.subscript.value)) {
            break;
        }
        subs.count += subscript_count(subs.base->u.subscript.slice);
    }
    subs.items = ARENA_ARRAY(s->unit->l->a, struct subscript, subs.count);
    size_t at = subs.count;
    for (const struct ast_node *b = n; b != subs.base; b = b->u.subscript.value) {
        const struct ast_node *slice = b->u.subscript.slice;
        const size_t count = subscript_count(slice);
        at -= count;
        for (size_t i = 0; i < count; i++) {
            struct subscript *sub = &subs.items[at + i];
            sub->node = slice->kind == AST_TUPLE ? slice->u.seq.elts.items[i] : slice;
            sub->slice = sub->node->kind == AST_SLICE;
            sub->group_end = i + 1 == count;
        }
    }
    return subs;
}

/* Lowers base and subscripts from left to right. */
static const struct ir_expr *lower_parts(struct low_scope *s, struct subscripts *subs)
{
    struct low_operands o;
    bool ok = true;

    low_operands_begin(&o, s, 1 + 2 * subs->count);
    low_operands_add(&o, low_expr(s, subs->base));
    for (size_t i = 0; i < subs->count; i++) {
        struct subscript *sub = &subs->items[i];
        if (!sub->slice) {
            low_operands_add(&o, low_index(s, low_expr(s, sub->node), sub->node, "the index"));
            continue;
        }
        const struct ast_node *parts[2] = {sub->node->u.slice.lower, sub->node->u.slice.upper};
        if (sub->node->u.slice.step) {
            low_error(s, sub->node, STR("use a whole range and compute the index"),
                      "a slice with a step is not translated");
            ok = false;
        }
        for (int k = 0; k < 2; k++) {
            if (parts[k]) {
                low_operands_add(&o, low_index(s, low_expr(s, parts[k]), parts[k], "the bound"));
            }
        }
    }
    low_operands_seal(&o);
    size_t at = 1;
    for (size_t i = 0; i < subs->count; i++) {
        struct subscript *sub = &subs->items[i];
        if (!sub->slice) {
            sub->index = o.items[at++];
            ok &= sub->index->type != NULL;
            continue;
        }
        if (sub->node->u.slice.lower) {
            sub->low = o.items[at++];
            ok &= sub->low->type != NULL;
        }
        if (sub->node->u.slice.upper) {
            sub->high = o.items[at++];
            ok &= sub->high->type != NULL;
        }
    }
    return ok ? o.items[0] : low_unknown(s, subs->base);
}

/* ---- indices from the end ------------------------------------------------------------------- */

static bool starts_with_minus(const struct ast_node *n)
{
    for (;;) {
        if (n->kind == AST_UNARY_OP) {
            return n->u.unary_op.op == OP_USUB;
        }
        if (n->kind != AST_BIN_OP) {
            return false;
        }
        n = n->u.bin_op.left;
    }
}

static const struct ir_expr *add(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *x, const struct ir_expr *y)
{
    return low_binary(s, IR_ADD, TYPE_INT64, n, x, y);
}

/* Python counts a negative index from the end. Done where it is written so (v[-1], v[-1 - i]) or
 * known; other computed indices are taken as they are. */
static const struct ir_expr *from_end(struct low_scope *s, const struct ast_node *n,
                                      const struct ir_expr *index, const struct ir_expr *extent)
{
    const struct low_range r = low_range_of(index);
    const bool constant = low_is_int_constant(index);

    if (r.low >= 0 || (!constant && !starts_with_minus(n))) {
        return index;
    }
    if (extent->kind == IR_INT && constant) {
        return low_int(s, n, extent->integer + index->integer);
    }
    if (r.high < 0) {
        return add(s, n, extent, index);
    }
    index = low_simple(s, index);
    return low_select(
        s, n,
        low_binary(s, IR_LT, TYPE_BOOL, n, index, low_convert(s, low_int(s, n, 0), TYPE_INT64)),
        add(s, n, extent, index), index);
}

const struct ir_expr *low_extent(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *view, int dimension)
{
    struct ir_expr *e = low_expr_new(s, IR_EXTENT, type_scalar(TYPE_INT64), n, 2);

    e->args[0] = view;
    e->args[1] = low_int(s, n, dimension);
    e->effects = view->effects;
    return e;
}

/* ---- one dimension of a view under subscripts ----------------------------------------------- */

static const struct ir_expr *extreme(struct low_scope *s, const struct ast_node *n,
                                     enum ir_expr_kind kind, const struct ir_expr *x,
                                     const struct ir_expr *y)
{
    return low_binary(s, kind, TYPE_INT64, n, x, y);
}

static const struct ir_expr *dimension_size(struct low_scope *s, const struct ast_node *n,
                                            const struct ir_expr *view, const struct ir_slice *d,
                                            int dimension)
{
    return d->begin ? low_binary(s, IR_SUB, TYPE_INT64, n, d->end, d->begin)
                    : low_extent(s, n, view, dimension);
}

static void take_index(struct low_scope *s, const struct ir_expr *view, struct ir_slice *d,
                       int dimension, const struct subscript *sub)
{
    const struct ir_expr *index = sub->index;

    if (!low_nonnegative(index)) {
        index = from_end(s, sub->node, index, dimension_size(s, sub->node, view, d, dimension));
    }
    d->index = d->begin ? add(s, sub->node, d->begin, index) : index;
    d->begin = NULL;
    d->end = NULL;
}

/* Python's slice: both bounds cut to the extent, an end before the begin is empty. */
static void take_slice(struct low_scope *s, const struct ir_expr *view, struct ir_slice *d,
                       int dimension, const struct subscript *sub)
{
    const struct ast_node *n = sub->node;
    const struct ir_expr *zero = low_int(s, n, 0);

    if (!sub->low && !sub->high) {
        return;
    }
    const struct ir_expr *size = low_simple(s, dimension_size(s, n, view, d, dimension));
    const struct ir_expr *low = sub->low ? from_end(s, n->u.slice.lower, sub->low, size) : zero;
    const struct ir_expr *high = sub->high ? from_end(s, n->u.slice.upper, sub->high, size) : size;
    if (sub->low) {
        low = low_nonnegative(low) ? low : extreme(s, n, IR_MAX, low, zero);
        low = low_simple(s, extreme(s, n, IR_MIN, low, size));
    }
    if (sub->high) {
        high = extreme(s, n, IR_MIN, high, size);
        high = extreme(s, n, IR_MAX, high, low);
    }
    if (d->begin) {
        const struct ir_expr *base = low_simple(s, d->begin);
        low = add(s, n, base, low);
        high = add(s, n, base, high);
    }
    d->begin = low;
    d->end = high;
}

static enum view_layout subview_layout(const struct type *t, const struct ir_slice *dims, int kept)
{
    if (t->layout == LAYOUT_RIGHT && !dims[t->rank - 1].index) {
        return LAYOUT_RIGHT;
    }
    if (t->layout == LAYOUT_LEFT && !dims[0].index) {
        return kept == 1 ? LAYOUT_RIGHT : LAYOUT_LEFT;
    }
    return LAYOUT_STRIDE;
}

static const struct ir_expr *finish_view(struct low_scope *s, const struct ast_node *n,
                                         const struct ir_expr *view, const struct ir_slice *dims)
{
    const int rank = view->type->rank;
    int kept = 0;

    for (int d = 0; d < rank; d++) {
        kept += !dims[d].index;
    }
    if (kept) {
        struct type *t = ARENA_NEW(s->unit->l->a, struct type);
        *t = *view->type;
        t->rank = kept;
        t->layout = subview_layout(view->type, dims, kept);
        t->layout_given = false;
        struct ir_expr *e = low_expr_new(s, IR_SUBVIEW, t, n, 1);
        e->args[0] = view;
        e->slices = dims;
        e->effects = view->effects;
        for (int d = 0; d < rank; d++) {
            const struct ir_expr *parts[3] = {dims[d].index, dims[d].begin, dims[d].end};
            for (int k = 0; k < 3; k++) {
                e->effects |= parts[k] ? parts[k]->effects : 0;
            }
        }
        return e;
    }
    struct ir_expr *e = low_expr_new(s, IR_ELEMENT, view->type->element, n, (size_t)rank + 1);
    e->args[0] = view;
    e->effects = EFFECT_READS | view->effects;
    for (int d = 0; d < rank; d++) {
        e->args[d + 1] = dims[d].index;
        e->effects |= dims[d].index->effects;
    }
    return e;
}

static const struct ir_expr *subscript_view(struct low_scope *s, const struct ast_node *n,
                                            const struct ir_expr *view,
                                            const struct subscripts *subs)
{
    const int rank = view->type->rank;
    struct ir_slice *dims = ARENA_ARRAY(s->unit->l->a, struct ir_slice, (size_t)rank);
    int next = 0; /* the dimension that the next subscript of this bracket applies to */

    if (view->kind != IR_VAR) {
        view = low_to_temp(s, view);
    }
    for (size_t i = 0; i < subs->count; i++) {
        const struct subscript *sub = &subs->items[i];
        while (next < rank && dims[next].index) {
            next++;
        }
        if (next == rank) {
            low_error(s, sub->node, STR(""), "too many indices for a " STR_FMT,
                      STR_ARG(low_spell(s, view->type)));
            return low_unknown(s, n);
        }
        if (sub->slice) {
            take_slice(s, view, &dims[next], next, sub);
        } else {
            take_index(s, view, &dims[next], next, sub);
        }
        next = sub->group_end ? 0 : next + 1;
    }
    return finish_view(s, n, view, dims);
}

static const struct ir_expr *subscript_array(struct low_scope *s, const struct ast_node *n,
                                             const struct ir_expr *array,
                                             const struct subscripts *subs)
{
    const struct ir_expr *e = array;

    for (size_t i = 0; i < subs->count; i++) {
        const struct subscript *sub = &subs->items[i];
        if (e->type->kind != TYPE_ARRAY) {
            low_error(s, sub->node, STR(""), "too many indices for a " STR_FMT,
                      STR_ARG(low_spell(s, array->type)));
            return low_unknown(s, n);
        }
        if (sub->slice) {
            low_error(s, sub->node, STR("use a loop over its items"),
                      "a slice of a local list is not translated");
            return low_unknown(s, n);
        }
        const int64_t length = e->type->length;
        if (low_is_int_constant(sub->index) &&
            (sub->index->integer >= length || sub->index->integer < -length)) {
            low_error(s, sub->node, STR(""), "the index is out of range: the list has %lld items",
                      (long long)length);
            return low_unknown(s, n);
        }
        struct ir_expr *element = low_expr_new(s, IR_ELEMENT, e->type->element, n, 2);
        element->args[0] = e;
        element->args[1] = from_end(s, sub->node, sub->index, low_int(s, n, length));
        element->effects = EFFECT_READS | e->effects | element->args[1]->effects;
        e = element;
    }
    return e;
}

static const struct ir_expr *shape_item(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr *view = low_expr(s, n->u.subscript.value->u.attribute.value);
    const struct ast_node *at = n->u.subscript.slice;

    if (!view->type) {
        return view;
    }
    if (view->type->kind != TYPE_VIEW) {
        low_error(s, n, STR(""), "a " STR_FMT " has no shape", STR_ARG(low_spell(s, view->type)));
        return low_unknown(s, n);
    }
    const struct ir_expr *index = low_index(s, low_expr(s, at), at, "the dimension");
    if (!index->type) {
        return index;
    }
    const int rank = view->type->rank;
    if (!low_is_int_constant(index) || index->integer >= rank || index->integer < -rank) {
        low_error(s, at, low_hint(s, "the view has dimensions 0 to %d", rank - 1),
                  "the dimension must be a constant within the view's rank");
        return low_unknown(s, n);
    }
    return low_extent(s, n, view,
                      (int)(index->integer < 0 ? index->integer + rank : index->integer));
}

/* NAME[k] of a constant tuple of the module */
static const struct ir_expr *tuple_item(struct low_scope *s, const struct ast_node *n, bool *is_one)
{
    const struct ast_node *base = n->u.subscript.value;
    struct py_value index;

    *is_one = false;
    if ((base->kind != AST_NAME && base->kind != AST_ATTRIBUTE) || low_is_local(s, base)) {
        return NULL;
    }
    const struct py_binding b = py_resolve(s->module, base);
    if (b.kind != PY_CONSTANT || b.value.kind != PY_VALUE_TUPLE) {
        return NULL;
    }
    *is_one = true;
    const struct ir_expr *e = low_expr(s, n->u.subscript.slice);
    if (!e->type) {
        return e;
    }
    index.integer = e->integer;
    const py_int128 count = (py_int128)b.value.item_count;
    if (!low_is_int_constant(e) || index.integer >= count || index.integer < -count) {
        low_error(s, n, STR("index it with a constant, or pass a view"),
                  "the index of a constant tuple must be a constant within it");
        return low_unknown(s, n);
    }
    return low_constant(s, n,
                        &b.value.items[index.integer < 0 ? index.integer + count : index.integer]);
}

const struct ir_expr *low_subscript_place(struct low_scope *s, const struct ast_node *n)
{
    bool is_tuple;
    const struct ir_expr *item = tuple_item(s, n, &is_tuple);

    if (is_tuple) {
        return item;
    }
    const struct ir_expr *pair[2];
    const struct ast_node *at = n->u.subscript.slice;
    if (at->kind == AST_CONSTANT && at->u.constant.value.kind == PY_VALUE_INT &&
        (at->u.constant.value.integer == 0 || at->u.constant.value.integer == 1) &&
        low_pair_call(s, n->u.subscript.value, pair)) {
        return pair[at->u.constant.value.integer];
    }
    struct subscripts subs = flatten(s, n);
    if (!subs.count) {
        return shape_item(s, n);
    }
    const struct ir_expr *base = lower_parts(s, &subs);
    if (!base->type) {
        return low_unknown(s, n);
    }
    if (base->type->kind == TYPE_VIEW) {
        return subscript_view(s, n, base, &subs);
    }
    if (base->type->kind == TYPE_ARRAY) {
        return subscript_array(s, n, base, &subs);
    }
    low_error(s, n, STR(""), "a " STR_FMT " cannot be indexed", STR_ARG(low_spell(s, base->type)));
    return low_unknown(s, n);
}

const struct ir_expr *low_subscript(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr *e = low_subscript_place(s, n);

    if (e->type && e->kind == IR_ELEMENT && e->args[0]->type->kind == TYPE_VIEW &&
        (e->args[0]->type->traits & TRAIT_ATOMIC)) {
        return low_atomic(s, n, ATOMIC_LOAD, FETCH_OLD, e, NULL);
    }
    if (e->type && e->kind == IR_ELEMENT && e->type->kind == TYPE_ARRAY) {
        return e; /* a row of a nested list: only further indexed, or refused by its user */
    }
    return e;
}

const struct ir_expr *low_element(struct low_scope *s, const struct ast_node *n,
                                  const struct ir_expr *view, const struct ir_expr *const *indices,
                                  size_t count)
{
    struct ir_expr *e = low_expr_new(s, IR_ELEMENT, view->type->element, n, count + 1);

    e->args[0] = view;
    e->effects = EFFECT_READS | view->effects;
    for (size_t i = 0; i < count; i++) {
        e->args[i + 1] = from_end(s, indices[i]->node, indices[i], low_extent(s, n, view, (int)i));
        e->effects |= indices[i]->effects;
    }
    return e;
}
