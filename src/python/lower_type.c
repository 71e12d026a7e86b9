/*
 * lower_type: annotations and PEP 695 type parameters.
 *
 * The grammar has kinds of its own for some annotations; Python's AST has plain expressions.
 */
#include "python/syntax.h"

static struct kid only_child(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct kid kid = {0};
    if (kids.count > 0) {
        kid = kid_at(l, kids, 0);
    }
    kids_close(l, kids);
    return kid;
}

/* What the grammar's `type` nodes hold. */
static struct kid unwrapped(struct lower *l, struct kid kid)
{
    while (kid.syn == SYN_type) {
        kid = only_child(l, kid.node);
    }
    return kid;
}

/* `a: b` between brackets, which only a slice can be */
static const struct ast_node *lower_constrained(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_SLICE, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct kid lower = kid_at(l, kids, 0);
    const struct kid upper = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    result->u.slice.lower = lower_type(l, lower.node);
    result->u.slice.upper = lower_type(l, upper.node);
    return result;
}

/* `Name[type, …]` */
static const struct ast_node *lower_generic(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_SUBSCRIPT, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct kid name = kid_at(l, kids, 0);
    const struct kid parameters = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    result->u.subscript.value = lower_name(l, name.node);
    const struct kids items = kids_open(l, parameters.node);
    const size_t begin = seq_begin(l);
    struct ast_span last = result->span;
    bool comma = false;
    for (size_t i = 0; i < items.count; i++) {
        const struct kid kid = kid_at(l, items, i);
        if (ts_node_is_named(kid.node)) {
            const struct kid inner = unwrapped(l, kid);
            seq_push(l, inner.syn == SYN_constrained_type ? lower_constrained(l, inner.node)
                                                          : lower_type(l, inner.node));
            last = syn_span(l, kid.node);
        } else if (syn_is(l, kid.node, ",")) {
            comma = true;
            last = syn_span(l, kid.node);
        }
    }
    kids_close(l, items);
    const struct ast_seq elts = seq_end(l, begin);
    if (elts.count == 0) {
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    if (elts.count == 1 && !comma && elts.items[0]->kind != AST_STARRED) {
        result->u.subscript.slice = elts.items[0];
        return result;
    }
    struct ast_node *tuple = ast_new(l->arena, AST_TUPLE, span_join(elts.items[0]->span, last));
    tuple->u.seq.elts = elts;
    result->u.subscript.slice = tuple;
    return result;
}

/* Pushes the operands of `a | b | c`, however the grammar has nested them. */
static void push_union(struct lower *l, TSNode node)
{
    struct kid kid = {node, syn_kind(l, node), FIELD_NONE};
    if (l->depth >= SYNTAX_MAX_DEPTH) {
        seq_push(l, lower_expr(l, node)); /* reports it */
        return;
    }
    while (kid.syn == SYN_type) {
        kid = only_child(l, kid.node);
    }
    if (kid.syn == SYN_union_type || kid.syn == SYN_binary_operator) {
        const struct kids kids = kids_open(l, kid.node);
        if (kids.count == 3 && syn_is(l, kid_at(l, kids, 1).node, "|")) {
            const TSNode left = kid_at(l, kids, 0).node;
            const TSNode right = kid_at(l, kids, 2).node;
            kids_close(l, kids);
            l->depth++;
            push_union(l, left);
            push_union(l, right);
            l->depth--;
            return;
        }
        kids_close(l, kids);
    }
    seq_push(l, lower_type(l, kid.node));
}

static const struct ast_node *lower_union(struct lower *l, TSNode node)
{
    const size_t begin = seq_begin(l);
    push_union(l, node);
    const struct ast_seq operands = seq_end(l, begin);
    const struct ast_node *left = operands.items[0];
    for (size_t i = 1; i < operands.count; i++) {
        struct ast_node *both =
            ast_new(l->arena, AST_BIN_OP, span_join(left->span, operands.items[i]->span));
        both->u.bin_op.op = OP_BIT_OR;
        both->u.bin_op.left = left;
        both->u.bin_op.right = operands.items[i];
        left = both;
    }
    return left;
}

static const struct ast_node *lower_member(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_ATTRIBUTE, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct kid value = kid_at(l, kids, 0);
    const struct kid attr = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    result->u.attribute.value = lower_type(l, value.node);
    result->u.attribute.attr = lower_identifier(l, attr.node);
    result->u.attribute.attr_span = syn_span(l, attr.node);
    return result;
}

static const struct ast_node *lower_splat(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_STARRED, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const bool twice = kids.count > 0 && syn_is(l, kid_at(l, kids, 0).node, "**");
    const struct kid name = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    if (twice) {
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    result->u.value.value = lower_name(l, name.node);
    return result;
}

const struct ast_node *lower_type(struct lower *l, TSNode node)
{
    if (l->depth >= SYNTAX_MAX_DEPTH) {
        return lower_expr(l, node); /* reports it */
    }
    l->depth++;
    struct kid kid = {node, syn_kind(l, node), FIELD_NONE};
    while (kid.syn == SYN_type) {
        kid = only_child(l, kid.node);
    }
    const struct ast_node *result = NULL;
    switch (kid.syn) {
    case SYN_generic_type: result = lower_generic(l, kid.node); break;
    case SYN_union_type: result = lower_union(l, kid.node); break;
    case SYN_member_type: result = lower_member(l, kid.node); break;
    case SYN_splat_type: result = lower_splat(l, kid.node); break;
    case SYN_constrained_type:
        result = lower_fail(l, syn_span(l, kid.node), "SyntaxError: invalid syntax");
        break;
    default: result = lower_expr(l, kid.node); break;
    }
    l->depth--;
    return result;
}

static const struct ast_node *lower_type_param(struct lower *l, TSNode node)
{
    struct ast_node *param = ast_new(l->arena, AST_TYPE_PARAM, syn_span(l, node));
    struct kid kid = {node, syn_kind(l, node), FIELD_NONE};
    while (kid.syn == SYN_type) {
        kid = only_child(l, kid.node);
    }
    const struct ast_node *bound = NULL;
    const struct ast_node *fallback = NULL;
    const char *kind = "TypeVar";
    /* `T: bound = default`: layout has made the `=` a ':', so that both are nested to the right */
    while (kid.syn == SYN_constrained_type) {
        const struct kids kids = kids_open(l, kid.node);
        const bool is_default = kids.count == 3 && syn_is(l, kid_at(l, kids, 1).node, "=");
        const struct kid first = unwrapped(l, kid_at(l, kids, 0));
        struct kid rest = unwrapped(l, kid_at(l, kids, kids.count - 1));
        kids_close(l, kids);
        if (is_default) {
            fallback = lower_type(l, rest.node);
        } else if (rest.syn == SYN_constrained_type) {
            const struct kids inner = kids_open(l, rest.node);
            const struct kid value = kid_at(l, inner, inner.count - 1);
            const struct kid upper = kid_at(l, inner, 0);
            kids_close(l, inner);
            bound = lower_type(l, upper.node);
            fallback = lower_type(l, value.node);
        } else {
            bound = lower_type(l, rest.node);
        }
        kid = first;
    }
    TSNode name = kid.node;
    if (kid.syn == SYN_splat_type || kid.syn == SYN_list_splat ||
        kid.syn == SYN_list_splat_pattern) {
        const struct kids kids = kids_open(l, kid.node);
        kind = syn_is(l, kid_at(l, kids, 0).node, "**") ? "ParamSpec" : "TypeVarTuple";
        name = kid_at(l, kids, kids.count - 1).node;
        kids_close(l, kids);
    }
    if (syn_kind(l, name) != SYN_identifier) {
        return lower_fail(l, param->span, "SyntaxError: invalid syntax");
    }
    const struct str id = lower_identifier(l, name);
    param->u.other.text = str_format(l->arena, "%s:" STR_FMT, kind, STR_ARG(id));
    const size_t begin = seq_begin(l);
    seq_push(l, bound);
    seq_push(l, fallback);
    param->u.other.children = seq_end(l, begin);
    return param;
}

struct ast_seq lower_type_params(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node)) {
            seq_push(l, lower_type_param(l, kid.node));
        }
    }
    kids_close(l, kids);
    return seq_end(l, begin);
}
