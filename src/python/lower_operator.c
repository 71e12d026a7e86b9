/* lower_operator: operators, where the grammar groups some otherwise than Python does. */
#include "python/syntax.h"

/* tree-sitter binds `*` tighter than an operator; Python's starred expression takes it all. */
const struct ast_node *lower_unstar(const struct ast_node *left, const struct ast_node **star)
{
    if (left->kind != AST_STARRED) {
        return left;
    }
    *star = left;
    return left->u.value.value;
}

const struct ast_node *lower_restar(struct lower *l, const struct ast_node *star,
                                    struct ast_node *node)
{
    if (star == NULL) {
        return node;
    }
    struct ast_node *starred = ast_new(l->arena, AST_STARRED, span_join(star->span, node->span));
    node->span = span_join(star->u.value.value->span, node->span);
    starred->u.value.value = node;
    return starred;
}

static bool binary_operator_of(struct str text, enum ast_operator *op)
{
    for (int i = OP_ADD; i <= OP_FLOOR_DIV; i++) {
        if (str_equal_c(text, ast_operator_text((enum ast_operator)i))) {
            *op = (enum ast_operator)i;
            return true;
        }
    }
    return false;
}

static const struct ast_node *new_binary(struct lower *l, struct ast_span span,
                                         const struct ast_node *left, enum ast_operator op,
                                         const struct ast_node *right)
{
    struct ast_node *result = ast_new(l->arena, AST_BIN_OP, span);
    const struct ast_node *star = NULL;
    result->u.bin_op.left = lower_unstar(left, &star);
    result->u.bin_op.op = op;
    result->u.bin_op.right = right;
    return lower_restar(l, star, result);
}

/* Operands and operators of a run of `&` and `^`, in the order of the text. */
struct bit_run {
    const struct ast_node **operands;
    enum ast_operator *ops; /* ops[i] stands before operands[i + 1] */
    size_t count, cap;
};

static void bit_run_add(struct lower *l, struct bit_run *run, const struct ast_node *operand,
                        enum ast_operator op)
{
    if (run->count == run->cap) {
        const size_t cap = run->cap == 0 ? 8 : run->cap * 2;
        const struct ast_node **operands =
            (const struct ast_node **)arena_array(l->arena, cap, sizeof(const struct ast_node *));
        enum ast_operator *ops = ARENA_ARRAY(l->arena, enum ast_operator, cap);
        for (size_t i = 0; i < run->count; i++) {
            operands[i] = run->operands[i];
            ops[i] = run->ops[i];
        }
        run->operands = operands;
        run->ops = ops;
        run->cap = cap;
    }
    run->operands[run->count] = operand;
    run->ops[run->count++] = op;
}

/* Adds what `node` is made of; `op` stands after it. */
static void collect_bits(struct lower *l, struct bit_run *run, TSNode node, enum ast_operator op)
{
    if (syn_kind(l, node) == SYN_binary_operator && l->depth < SYNTAX_MAX_DEPTH) {
        const struct kids kids = kids_open(l, node);
        enum ast_operator inner = OP_ADD;
        if (kids.count == 3 && binary_operator_of(syn_text(l, kid_at(l, kids, 1).node), &inner) &&
            (inner == OP_BIT_AND || inner == OP_BIT_XOR)) {
            const TSNode left = kid_at(l, kids, 0).node;
            const TSNode right = kid_at(l, kids, 2).node;
            kids_close(l, kids);
            l->depth++;
            collect_bits(l, run, left, inner);
            collect_bits(l, run, right, op);
            l->depth--;
            return;
        }
        kids_close(l, kids);
    }
    bit_run_add(l, run, lower_expr(l, node), op);
}

/* The grammar has `^` bind tighter than `&`; in Python it is the other way round. */
static const struct ast_node *lower_bits(struct lower *l, TSNode node)
{
    struct bit_run run = {0};
    collect_bits(l, &run, node, OP_BIT_XOR);
    const struct ast_node *result = NULL;
    const struct ast_node *term = run.operands[0];
    for (size_t i = 0; i < run.count; i++) {
        if (i + 1 < run.count && run.ops[i] == OP_BIT_AND) {
            term = new_binary(l, span_join(term->span, run.operands[i + 1]->span), term, OP_BIT_AND,
                              run.operands[i + 1]);
            continue;
        }
        result = result == NULL
                     ? term
                     : new_binary(l, span_join(result->span, term->span), result, OP_BIT_XOR, term);
        if (i + 1 < run.count) {
            term = run.operands[i + 1];
        }
    }
    return result;
}

const struct ast_node *lower_binary(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    enum ast_operator op = OP_ADD;
    if (kids.count != 3 || !binary_operator_of(syn_text(l, kid_at(l, kids, 1).node), &op)) {
        kids_close(l, kids);
        return lower_fail(l, syn_span(l, node), "SyntaxError: invalid syntax");
    }
    const struct kid left = kid_at(l, kids, 0);
    const struct kid right = kid_at(l, kids, 2);
    kids_close(l, kids);
    if ((op == OP_BIT_AND || op == OP_BIT_XOR) &&
        (left.syn == SYN_binary_operator || right.syn == SYN_binary_operator)) {
        return lower_bits(l, node);
    }
    const struct ast_node *left_value = lower_expr(l, left.node);
    return new_binary(l, syn_span(l, node), left_value, op, lower_expr(l, right.node));
}

const struct ast_node *lower_unary(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_UNARY_OP, syn_span(l, node));
    const struct str op = syn_text(l, kid_at(l, kids, 0).node);
    result->u.unary_op.op = op.ptr[0] == '-'   ? OP_USUB
                            : op.ptr[0] == '+' ? OP_UADD
                            : op.ptr[0] == '~' ? OP_INVERT
                                               : OP_NOT;
    result->u.unary_op.operand = lower_expr(l, kid_at(l, kids, kids.count - 1).node);
    kids_close(l, kids);
    return result;
}

/* `await` binds tighter than `**`, which tree-sitter has the other way round. */
const struct ast_node *lower_await(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_AWAIT, syn_span(l, node));
    const struct kid operand = kid_at(l, kids, kids.count - 1);
    kids_close(l, kids);
    if (operand.syn == SYN_binary_operator) {
        const struct kids inner = kids_open(l, operand.node);
        const bool is_power = inner.count == 3 && syn_is(l, kid_at(l, inner, 1).node, "**");
        if (is_power) {
            const struct ast_node *left = lower_expr(l, kid_at(l, inner, 0).node);
            const struct ast_node *right = lower_expr(l, kid_at(l, inner, 2).node);
            kids_close(l, inner);
            result->span = span_join(result->span, left->span);
            result->u.value.value = left;
            return new_binary(l, syn_span(l, node), result, OP_POW, right);
        }
        kids_close(l, inner);
    }
    result->u.value.value = lower_expr(l, operand.node);
    return result;
}

/* `a or b or c`: tree-sitter nests to the left, Python has one node; walked without recursion. */
const struct ast_node *lower_boolean(struct lower *l, TSNode node)
{
    const struct ast_span span = syn_span(l, node);
    const size_t begin = l->stack_count;
    size_t count = 0;
    char op = 0;
    TSNode at = node;
    for (;;) {
        const struct kids kids = kids_open(l, at);
        if (kids.count != 3) {
            l->stack_count = begin;
            return lower_fail(l, span, "SyntaxError: invalid syntax");
        }
        const struct kid left = kid_at(l, kids, 0);
        const struct kid right = kid_at(l, kids, 2);
        const char this_op = syn_text(l, kid_at(l, kids, 1).node).ptr[0];
        kids_close(l, kids);
        if (count > 0 && this_op != op) {
            /* another operator: `at` itself is the leftmost value */
            l->stack[l->stack_count++] = (struct kid){at, SYN_boolean_operator, FIELD_NONE};
            count++;
            break;
        }
        op = this_op;
        l->stack[l->stack_count++] = right;
        count++;
        if (left.syn != SYN_boolean_operator) {
            l->stack[l->stack_count++] = left;
            count++;
            break;
        }
        at = left.node;
    }
    const size_t values = seq_begin(l);
    const struct ast_node *star = NULL;
    for (size_t i = count; i > 0; i--) {
        const struct ast_node *value = lower_expr(l, l->stack[begin + i - 1].node);
        seq_push(l, i == count ? lower_unstar(value, &star) : value);
    }
    l->stack_count = begin;
    struct ast_node *result = ast_new(l->arena, AST_BOOL_OP, span);
    result->u.bool_op.op = op == 'a' ? OP_AND : OP_OR;
    result->u.bool_op.values = seq_end(l, values);
    return lower_restar(l, star, result);
}

static bool comparison_of(struct str text, enum ast_cmp_operator *op)
{
    const struct str first = str_slice(text, 0, 3);
    if (str_equal_c(first, "not")) {
        *op = OP_NOT_IN; /* whatever blanks or comments stand before `in` */
        return true;
    }
    if (text.len > 2 && str_equal_c(str_slice(text, 0, 2), "is")) {
        *op = OP_IS_NOT;
        return true;
    }
    for (int i = OP_EQ; i <= OP_NOT_IN; i++) {
        if (str_equal_c(text, ast_cmp_operator_text((enum ast_cmp_operator)i))) {
            *op = (enum ast_cmp_operator)i;
            return true;
        }
    }
    return false;
}

const struct ast_node *lower_comparison(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_COMPARE, syn_span(l, node));
    const struct ast_node *star = NULL;
    result->u.compare.left = lower_unstar(lower_expr(l, kid_at(l, kids, 0).node), &star);
    result->u.compare.ops = ARENA_ARRAY(l->arena, enum ast_cmp_operator, kids.count / 2 + 1);
    const size_t begin = seq_begin(l);
    size_t ops = 0;
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field != FIELD_operators) {
            seq_push(l, lower_expr(l, kid.node));
        } else if (ops > kids.count / 2 ||
                   !comparison_of(syn_text(l, kid.node), &result->u.compare.ops[ops++])) {
            lower_fail(l, syn_span(l, kid.node), "SyntaxError: invalid syntax");
        }
    }
    kids_close(l, kids);
    result->u.compare.comparators = seq_end(l, begin);
    if (ops != result->u.compare.comparators.count) {
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    return lower_restar(l, star, result);
}

const struct ast_node *lower_conditional(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_IF_EXP, syn_span(l, node));
    if (kids.count != 5) {
        kids_close(l, kids);
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    const struct ast_node *star = NULL;
    result->u.if_exp.body = lower_unstar(lower_expr(l, kid_at(l, kids, 0).node), &star);
    result->u.if_exp.test = lower_expr(l, kid_at(l, kids, 2).node);
    result->u.if_exp.orelse = lower_expr(l, kid_at(l, kids, 4).node);
    kids_close(l, kids);
    return lower_restar(l, star, result);
}
