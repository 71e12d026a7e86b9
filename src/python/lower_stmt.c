/* lower_stmt: compound statements, definitions and blocks. Those of one line: lower_simple.c. */
#include "python/syntax.h"

#include <string.h>

struct ast_seq lower_block(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node) || kid.syn != SYN_OTHER) {
            lower_statement(l, kid.node);
        } else if (ts_node_symbol(kid.node) == (TSSymbol)-1) {
            lower_fail(l, syn_span(l, kid.node), "SyntaxError: invalid syntax");
        }
    }
    kids_close(l, kids);
    const struct ast_seq body = seq_end(l, begin);
    if (body.count == 0) {
        lower_fail(l, syn_span(l, node), "IndentationError: expected an indented block");
    }
    return body;
}

/* The block that follows a clause: the child with `field`, or of kind block. */
static struct ast_seq block_of(struct lower *l, struct kids kids, enum syn_field field)
{
    struct kid block;
    if ((field != FIELD_NONE && kid_by_field(l, kids, field, &block)) ||
        kid_by_syn(l, kids, SYN_block, &block)) {
        return lower_block(l, block.node);
    }
    return (struct ast_seq){NULL, 0};
}

/* ---- compound statements -------------------------------------------------------------------- */

static const struct ast_node *lower_if(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *first = ast_new(l->arena, AST_IF, syn_span(l, node));
    struct ast_node *last = first;
    struct kid kid;
    if (!kid_by_field(l, kids, FIELD_condition, &kid)) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    first->u.branch.test = lower_expr(l, kid.node);
    first->u.branch.body = block_of(l, kids, FIELD_consequence);
    const int depth = l->depth;
    for (size_t i = 0; i < kids.count; i++) {
        kid = kid_at(l, kids, i);
        if (kid.syn != SYN_elif_clause && kid.syn != SYN_else_clause) {
            continue;
        }
        const struct kids clause = kids_open(l, kid.node);
        struct kid condition;
        if (kid.syn == SYN_else_clause) {
            last->u.branch.orelse = block_of(l, clause, FIELD_body);
        } else if (kid_by_field(l, clause, FIELD_condition, &condition)) {
            struct ast_span span = span_join(syn_span(l, kid.node), first->span);
            struct ast_node *inner = ast_new(l->arena, AST_IF, span);
            l->depth++; /* each elif is one level deeper in the AST */
            inner->u.branch.test = lower_expr(l, condition.node);
            inner->u.branch.body = block_of(l, clause, FIELD_consequence);
            const size_t begin = seq_begin(l);
            seq_push(l, inner);
            last->u.branch.orelse = seq_end(l, begin);
            last = inner;
        }
        kids_close(l, clause);
    }
    l->depth = depth;
    kids_close(l, kids);
    return first;
}

static struct ast_seq else_of(struct lower *l, struct kids kids)
{
    struct kid clause;
    if (!kid_by_syn(l, kids, SYN_else_clause, &clause)) {
        return (struct ast_seq){NULL, 0};
    }
    const struct kids inner = kids_open(l, clause.node);
    const struct ast_seq body = block_of(l, inner, FIELD_body);
    kids_close(l, inner);
    return body;
}

static bool is_async(const struct lower *l, struct kids kids)
{
    return kids.count > 0 && syn_is(l, kid_at(l, kids, 0).node, "async");
}

static const struct ast_node *lower_for(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result =
        ast_new(l->arena, is_async(l, kids) ? AST_ASYNC_FOR : AST_FOR, syn_span(l, node));
    struct kid left;
    struct kid right;
    if (!kid_by_field(l, kids, FIELD_left, &left) || !kid_by_field(l, kids, FIELD_right, &right)) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    result->u.for_loop.target = lower_tuple_of(l, left.node);
    lower_check_target(l, result->u.for_loop.target, "assign to");
    result->u.for_loop.iter = lower_tuple_of(l, right.node);
    l->loop_depth++;
    result->u.for_loop.body = block_of(l, kids, FIELD_body);
    l->loop_depth--;
    result->u.for_loop.orelse = else_of(l, kids);
    kids_close(l, kids);
    return result;
}

static const struct ast_node *lower_while(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_WHILE, syn_span(l, node));
    struct kid condition;
    if (!kid_by_field(l, kids, FIELD_condition, &condition)) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    result->u.branch.test = lower_expr(l, condition.node);
    l->loop_depth++;
    result->u.branch.body = block_of(l, kids, FIELD_body);
    l->loop_depth--;
    result->u.branch.orelse = else_of(l, kids);
    kids_close(l, kids);
    return result;
}

/* The expression that an `as` target stands for. */
static const struct ast_node *as_target(struct lower *l, TSNode node)
{
    struct kid kid = {node, syn_kind(l, node), FIELD_NONE};
    while (kid.syn == SYN_as_pattern_target) {
        const struct kids kids = kids_open(l, kid.node);
        kid = kid_at(l, kids, 0);
        kids_close(l, kids);
    }
    return lower_expr(l, kid.node);
}

/* `except A, B:` (PEP 758), in which layout has made each comma a '|' for the grammar. */
static bool is_type_list(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const bool comma = kids.count == 3 && syn_is(l, kid_at(l, kids, 1).node, ",");
    kids_close(l, kids);
    return comma;
}

static const struct ast_node *lower_type_list(struct lower *l, TSNode node)
{
    /* From the right: the grammar nests to the left. */
    const size_t bottom = l->stack_count;
    struct kid left = {node, SYN_binary_operator, FIELD_NONE};
    size_t count = 0;
    while (left.syn == SYN_binary_operator && is_type_list(l, left.node)) {
        const struct kids kids = kids_open(l, left.node);
        left = kid_at(l, kids, 0);
        const struct kid right = kid_at(l, kids, 2);
        kids_close(l, kids);
        l->stack[l->stack_count++] = right; /* fits: three were there */
        count++;
    }
    const size_t begin = seq_begin(l);
    seq_push(l, lower_expr(l, left.node));
    for (size_t i = count; i > 0; i--) {
        seq_push(l, lower_expr(l, l->stack[bottom + i - 1].node));
    }
    l->stack_count = bottom;
    struct ast_node *tuple = ast_new(l->arena, AST_TUPLE, syn_span(l, node));
    tuple->u.seq.elts = seq_end(l, begin);
    return tuple;
}

static const struct ast_node *lower_handler(struct lower *l, TSNode node)
{
    struct ast_node *handler = ast_new(l->arena, AST_EXCEPT_HANDLER, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const struct ast_node *types[2] = {NULL, NULL};
    size_t count = 0;
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_as_pattern) {
            const struct kids inner = kids_open(l, kid.node);
            types[0] = lower_expr(l, kid_at(l, inner, 0).node);
            types[1] = as_target(l, kid_at(l, inner, inner.count - 1).node);
            count = 2;
            kids_close(l, inner);
        } else if (kid.syn == SYN_binary_operator && is_type_list(l, kid.node)) {
            types[count++] = lower_type_list(l, kid.node);
        } else if (kid.syn != SYN_block && ts_node_is_named(kid.node) && count < 2) {
            types[count++] = lower_expr(l, kid.node);
        }
    }
    const struct ast_node *type = types[0];
    if (count == 2) {
        if (types[1]->kind != AST_NAME) {
            lower_fail(l, types[1]->span, "SyntaxError: cannot use except statement with this");
        } else {
            handler->u.other.text = types[1]->u.name.id;
        }
    }
    const struct ast_seq body = block_of(l, kids, FIELD_NONE);
    kids_close(l, kids);
    const size_t begin = seq_begin(l);
    seq_push(l, type);
    seq_push_mark(l, handler->span);
    for (size_t i = 0; i < body.count; i++) {
        seq_push(l, body.items[i]);
    }
    handler->u.other.children = seq_end(l, begin);
    return handler;
}

static const struct ast_node *lower_try(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_TRY, syn_span(l, node));
    result->u.try_stmt.body = block_of(l, kids, FIELD_body);
    const size_t begin = seq_begin(l);
    bool bare = false;
    struct ast_span bare_span = result->span;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn != SYN_except_clause && kid.syn != SYN_except_group_clause) {
            continue;
        }
        if (bare) {
            lower_fail(l, bare_span, "SyntaxError: default 'except:' must be last");
        }
        if (kid.syn == SYN_except_group_clause) {
            result->kind = AST_TRY_STAR;
        }
        const struct ast_node *handler = lower_handler(l, kid.node);
        bare = handler->kind == AST_EXCEPT_HANDLER && handler->u.other.children.items[0] == NULL;
        bare_span = handler->span;
        seq_push(l, handler);
    }
    result->u.try_stmt.handlers = seq_end(l, begin);
    result->u.try_stmt.orelse = else_of(l, kids);
    struct kid finally;
    if (kid_by_syn(l, kids, SYN_finally_clause, &finally)) {
        const struct kids inner = kids_open(l, finally.node);
        result->u.try_stmt.finalbody = block_of(l, inner, FIELD_NONE);
        kids_close(l, inner);
    }
    kids_close(l, kids);
    return result;
}

static void push_with_item(struct lower *l, struct kid kid)
{
    struct ast_node *item = ast_new(l->arena, AST_WITH_ITEM, syn_span(l, kid.node));
    const struct ast_node *value = NULL;
    const struct ast_node *target = NULL;
    if (kid.syn == SYN_as_pattern) {
        const struct kids kids = kids_open(l, kid.node);
        value = lower_expr(l, kid_at(l, kids, 0).node);
        target = as_target(l, kid_at(l, kids, kids.count - 1).node);
        kids_close(l, kids);
        lower_check_target(l, target, "assign to");
    } else {
        value = lower_expr(l, kid.node);
    }
    const size_t begin = seq_begin(l);
    seq_push(l, value);
    seq_push(l, target);
    item->u.other.children = seq_end(l, begin);
    seq_push(l, item);
}

/* `with (a as b, c):` is a list of items; the grammar may see a tuple in it. */
static bool is_item_list(const struct lower *l, struct kids kids)
{
    bool any = false;
    for (size_t i = 0; i < kids.count; i++) {
        const enum syn syn = kid_at(l, kids, i).syn;
        if (syn == SYN_list_splat || syn == SYN_yield) {
            return false;
        }
        any = any || ts_node_is_named(kid_at(l, kids, i).node);
    }
    return any;
}

static struct ast_seq lower_with_items(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    size_t items = 0;
    for (size_t i = 0; i < kids.count; i++) {
        items += kid_at(l, kids, i).syn == SYN_with_item ? 1 : 0;
    }
    for (size_t i = 0; i < kids.count; i++) {
        if (kid_at(l, kids, i).syn != SYN_with_item) {
            continue;
        }
        const struct kids item = kids_open(l, kid_at(l, kids, i).node);
        const struct kid value = kid_at(l, item, 0);
        kids_close(l, item);
        const bool brackets = value.syn == SYN_tuple || value.syn == SYN_parenthesized_expression;
        if (!brackets || items > 1) {
            push_with_item(l, value);
            continue;
        }
        const struct kids inner = kids_open(l, value.node);
        if (!is_item_list(l, inner)) {
            push_with_item(l, value);
        } else {
            for (size_t j = 0; j < inner.count; j++) {
                if (ts_node_is_named(kid_at(l, inner, j).node)) {
                    push_with_item(l, kid_at(l, inner, j));
                }
            }
        }
        kids_close(l, inner);
    }
    kids_close(l, kids);
    return seq_end(l, begin);
}

static const struct ast_node *lower_with(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result =
        ast_new(l->arena, is_async(l, kids) ? AST_ASYNC_WITH : AST_WITH, syn_span(l, node));
    struct kid clause;
    if (kid_by_syn(l, kids, SYN_with_clause, &clause)) {
        result->u.with.items = lower_with_items(l, clause.node);
    }
    result->u.with.body = block_of(l, kids, FIELD_body);
    kids_close(l, kids);
    return result;
}

/* ---- definitions ---------------------------------------------------------------------------- */

static const struct ast_node *lower_function(struct lower *l, TSNode node,
                                             struct ast_seq decorators)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(
        l->arena, is_async(l, kids) ? AST_ASYNC_FUNCTION_DEF : AST_FUNCTION_DEF, syn_span(l, node));
    struct kid name;
    struct kid kid;
    if (!kid_by_field(l, kids, FIELD_name, &name)) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    result->u.function.name = lower_identifier(l, name.node);
    result->u.function.name_span = syn_span(l, name.node);
    result->u.function.decorators = decorators;
    if (kid_by_field(l, kids, FIELD_type_parameters, &kid)) {
        result->u.function.type_params = lower_type_params(l, kid.node);
    }
    const bool has_parameters = kid_by_field(l, kids, FIELD_parameters, &kid);
    result->u.function.args = lower_parameters(l, has_parameters ? &kid.node : NULL, result->span);
    if (kid_by_field(l, kids, FIELD_return_type, &kid)) {
        result->u.function.returns = lower_type(l, kid.node);
    }
    const int loops = l->loop_depth;
    l->loop_depth = 0;
    l->function_depth++;
    l->scope_depth++;
    result->u.function.body = block_of(l, kids, FIELD_body);
    l->scope_depth--;
    l->function_depth--;
    l->loop_depth = loops;
    kids_close(l, kids);
    return result;
}

static const struct ast_node *lower_class(struct lower *l, TSNode node, struct ast_seq decorators)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_CLASS_DEF, syn_span(l, node));
    struct kid name;
    struct kid kid;
    if (!kid_by_field(l, kids, FIELD_name, &name)) {
        kids_close(l, kids);
        return lower_missing(l, node);
    }
    result->u.class_def.name = lower_identifier(l, name.node);
    result->u.class_def.name_span = syn_span(l, name.node);
    result->u.class_def.decorators = decorators;
    if (kid_by_field(l, kids, FIELD_type_parameters, &kid)) {
        result->u.class_def.type_params = lower_type_params(l, kid.node);
    }
    if (kid_by_field(l, kids, FIELD_superclasses, &kid)) {
        lower_call_arguments(l, kid.node, &result->u.class_def.bases,
                             &result->u.class_def.keywords);
    }
    const int loops = l->loop_depth;
    const int functions = l->function_depth;
    l->loop_depth = 0;
    l->function_depth = 0;
    result->u.class_def.body = block_of(l, kids, FIELD_body);
    l->function_depth = functions;
    l->loop_depth = loops;
    kids_close(l, kids);
    return result;
}

static const struct ast_node *lower_decorated(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    struct kid definition = {0};
    bool found = false;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_decorator) {
            const struct kids inner = kids_open(l, kid.node);
            for (size_t j = 1; j < inner.count; j++) {
                if (ts_node_is_named(kid_at(l, inner, j).node)) {
                    seq_push(l, lower_expr(l, kid_at(l, inner, j).node));
                }
            }
            kids_close(l, inner);
        } else if (kid.field == FIELD_definition) {
            definition = kid;
            found = true;
        }
    }
    kids_close(l, kids);
    const struct ast_seq decorators = seq_end(l, begin);
    if (!found) {
        return lower_missing(l, node);
    }
    return definition.syn == SYN_class_definition ? lower_class(l, definition.node, decorators)
                                                  : lower_function(l, definition.node, decorators);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct ast_node *lower_statement_inner(struct lower *l, TSNode node)
{
    const struct ast_seq none = {NULL, 0};
    const enum syn syn = syn_kind(l, node);
    switch (syn) {
    case SYN_if_statement: return lower_if(l, node);
    case SYN_for_statement: return lower_for(l, node);
    case SYN_while_statement: return lower_while(l, node);
    case SYN_try_statement: return lower_try(l, node);
    case SYN_with_statement: return lower_with(l, node);
    case SYN_match_statement: return lower_match(l, node);
    case SYN_function_definition: return lower_function(l, node, none);
    case SYN_class_definition: return lower_class(l, node, none);
    case SYN_decorated_definition: return lower_decorated(l, node);
    default: return lower_simple(l, node, syn);
    }
}

void lower_statement(struct lower *l, TSNode node)
{
    if (l->depth >= SYNTAX_MAX_DEPTH) {
        if (!lower_failed(l)) {
            l->fail_is_depth = true;
        }
        seq_push(l, lower_fail(l, syn_span(l, node), "nested too deeply"));
        return;
    }
    l->depth++;
    seq_push(l, lower_statement_inner(l, node));
    l->depth--;
}
