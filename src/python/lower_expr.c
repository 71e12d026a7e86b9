/* lower_expr: expressions, and what may be assigned to. */
#include "python/syntax.h"

#include "python/unicode.h"

#include <string.h>

static bool is_keyword(struct str text)
{
    static const char *const by_length[9][10] = {
        [2] = {"as", "if", "in", "is", "or"},
        [3] = {"and", "def", "del", "for", "not", "try"},
        [4] = {"None", "True", "elif", "else", "from", "pass", "with"},
        [5] = {"False", "async", "await", "break", "class", "raise", "while", "yield"},
        [6] = {"assert", "except", "global", "import", "lambda", "return"},
        [7] = {"finally"},
        [8] = {"continue", "nonlocal"},
    };
    if (text.len > 8) {
        return false;
    }
    for (const char *const *word = by_length[text.len]; *word != NULL; word++) {
        if ((*word)[0] == text.ptr[0] && memcmp(*word, text.ptr, text.len) == 0) {
            return true;
        }
    }
    return false;
}

struct str lower_identifier(struct lower *l, TSNode node)
{
    const struct str text = syn_text(l, node);
    if (is_keyword(text)) {
        /* where no keyword may stand, the grammar takes one for a name */
        lower_fail(l, syn_span(l, node), "SyntaxError: invalid syntax");
    }
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return unicode_nfkc(l->arena, text);
        }
    }
    return text;
}

const struct ast_node *lower_name(struct lower *l, TSNode node)
{
    struct ast_node *name = ast_new(l->arena, AST_NAME, syn_span(l, node));
    name->u.name.id = lower_identifier(l, node);
    return name;
}

static const struct ast_node *simple_constant(struct lower *l, TSNode node, enum py_value_kind kind,
                                              bool boolean)
{
    struct ast_node *constant = ast_new(l->arena, AST_CONSTANT, syn_span(l, node));
    constant->u.constant.value.kind = kind;
    constant->u.constant.value.boolean = boolean;
    return constant;
}

static const struct ast_node *lower_number(struct lower *l, TSNode node)
{
    struct ast_node *constant = ast_new(l->arena, AST_CONSTANT, syn_span(l, node));
    const char *problem = literal_number(l->arena, syn_text(l, node), &constant->u.constant.value);
    if (problem != NULL) {
        return lower_fail(l, constant->span, str_format(l->arena, "SyntaxError: %s", problem).ptr);
    }
    return constant;
}

/* The elements of a list, tuple, set or expression list, between the brackets. */
static const struct ast_node *lower_elements(struct lower *l, TSNode node, enum ast_kind kind)
{
    const struct kids kids = kids_open(l, node);
    if (kids.count == 3 && syn_kind(l, node) == SYN_tuple_pattern) {
        /* `(x)` as a target is x alone */
        const struct ast_node *inner = lower_expr(l, kid_at(l, kids, 1).node);
        kids_close(l, kids);
        return inner;
    }
    const size_t begin = seq_begin(l);
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node)) {
            seq_push(l, lower_expr(l, kid.node));
        }
    }
    kids_close(l, kids);
    struct ast_node *result = ast_new(l->arena, kind, syn_span(l, node));
    result->u.seq.elts = seq_end(l, begin);
    if (kids.count == 3 && kind == AST_TUPLE && result->u.seq.elts.count == 1 &&
        result->u.seq.elts.items[0]->kind == AST_STARRED && syn_text(l, node).ptr[0] == '(') {
        return lower_fail(l, result->span, "SyntaxError: cannot use starred expression here");
    }
    return result;
}

const struct ast_node *lower_value(struct lower *l, TSNode node)
{
    const struct ast_node *value = lower_expr(l, node);
    if (value->kind == AST_STARRED) {
        return lower_fail(l, value->span, "SyntaxError: can't use starred expression here");
    }
    if (value->kind == AST_NAMED_EXPR && syn_kind(l, node) == SYN_named_expression) {
        return lower_fail(l, value->span, "SyntaxError: invalid syntax");
    }
    return value;
}

const struct ast_node *lower_tuple_of(struct lower *l, TSNode node)
{
    return lower_expr(l, node);
}

static const struct ast_node *lower_parenthesized(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const struct ast_node *inner = NULL;
    for (size_t i = 0; i < kids.count && inner == NULL; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node)) {
            inner = lower_expr(l, kid.node);
        }
    }
    kids_close(l, kids);
    if (inner == NULL) {
        return lower_fail(l, syn_span(l, node), "SyntaxError: invalid syntax");
    }
    if (inner->kind == AST_STARRED) {
        return lower_fail(l, inner->span, "SyntaxError: cannot use starred expression here");
    }
    return inner;
}

static const struct ast_node *lower_attribute(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_ATTRIBUTE, syn_span(l, node));
    const TSNode attr = kid_at(l, kids, kids.count - 1).node;
    const struct ast_node *star = NULL;
    result->u.attribute.value = lower_unstar(lower_expr(l, kid_at(l, kids, 0).node), &star);
    result->u.attribute.attr = lower_identifier(l, attr);
    result->u.attribute.attr_span = syn_span(l, attr);
    kids_close(l, kids);
    return lower_restar(l, star, result);
}

static const struct ast_node *lower_slice(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_SLICE, syn_span(l, node));
    const struct ast_node *parts[3] = {NULL, NULL, NULL};
    size_t part = 0;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (!ts_node_is_named(kid.node)) {
            part++;
        } else if (part < 3) {
            parts[part] = lower_expr(l, kid.node);
        }
    }
    kids_close(l, kids);
    result->u.slice.lower = parts[0];
    result->u.slice.upper = parts[1];
    result->u.slice.step = parts[2];
    return result;
}

static const struct ast_node *lower_subscript(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_SUBSCRIPT, syn_span(l, node));
    const struct ast_node *star = NULL;
    result->u.subscript.value = lower_unstar(lower_expr(l, kid_at(l, kids, 0).node), &star);
    const size_t begin = seq_begin(l);
    bool comma = false;
    struct ast_span last = syn_span(l, node);
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field == FIELD_subscript) {
            seq_push(l, lower_expr(l, kid.node));
            last = syn_span(l, kid.node);
        } else if (syn_is(l, kid.node, ",")) {
            comma = true;
            last = syn_span(l, kid.node);
        }
    }
    kids_close(l, kids);
    const struct ast_seq elts = seq_end(l, begin);
    if (elts.count == 0) {
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    if (elts.count == 1 && !comma && elts.items[0]->kind != AST_STARRED) {
        result->u.subscript.slice = elts.items[0];
    } else {
        struct ast_node *tuple = ast_new(l->arena, AST_TUPLE, span_join(elts.items[0]->span, last));
        tuple->u.seq.elts = elts;
        result->u.subscript.slice = tuple;
    }
    return lower_restar(l, star, result);
}

static const struct ast_node *lower_named(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_NAMED_EXPR, syn_span(l, node));
    result->u.named_expr.target = lower_expr(l, kid_at(l, kids, 0).node);
    result->u.named_expr.value = lower_expr(l, kid_at(l, kids, kids.count - 1).node);
    kids_close(l, kids);
    return result;
}

static const struct ast_node *lower_yield(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_YIELD, syn_span(l, node));
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node)) {
            result->u.value.value = lower_tuple_of(l, kid.node);
        } else {
            result->kind = AST_YIELD_FROM;
        }
    }
    kids_close(l, kids);
    if (l->function_depth == 0) {
        lower_fail(l, result->span, "SyntaxError: 'yield' outside function");
    }
    return result;
}

static const struct ast_node *lower_star(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    struct ast_node *result = ast_new(l->arena, AST_STARRED, syn_span(l, node));
    result->u.value.value = lower_expr(l, kid_at(l, kids, kids.count - 1).node);
    kids_close(l, kids);
    return result;
}

static const struct ast_node *lower_dict(struct lower *l, TSNode node)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    /* Lowered in source order: keys then hold the fields' order. */
    const struct ast_node **keys = (const struct ast_node **)arena_array(
        l->arena, kids.count + 1, sizeof(const struct ast_node *));
    const struct ast_node **values = (const struct ast_node **)arena_array(
        l->arena, kids.count + 1, sizeof(const struct ast_node *));
    size_t count = 0;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn != SYN_pair && kid.syn != SYN_dictionary_splat) {
            continue;
        }
        const struct kids pair = kids_open(l, kid.node);
        if (kid.syn == SYN_pair) {
            keys[count] = lower_expr(l, kid_at(l, pair, 0).node);
        }
        values[count++] = lower_expr(l, kid_at(l, pair, pair.count - 1).node);
        kids_close(l, pair);
    }
    kids_close(l, kids);
    const size_t begin = seq_begin(l);
    seq_push_mark(l, span);
    for (size_t i = 0; i < count; i++) {
        seq_push(l, keys[i]);
    }
    seq_push_mark(l, span);
    for (size_t i = 0; i < count; i++) {
        seq_push(l, values[i]);
    }
    struct ast_node *result = ast_new(l->arena, AST_DICT, span);
    result->u.other.children = seq_end(l, begin);
    return result;
}

static const struct ast_node *lower_expr_inner(struct lower *l, TSNode node)
{
    switch (syn_kind(l, node)) {
    case SYN_identifier: return lower_name(l, node);
    case SYN_integer:
    case SYN_float: return lower_number(l, node);
    case SYN_true: return simple_constant(l, node, PY_VALUE_BOOL, true);
    case SYN_false: return simple_constant(l, node, PY_VALUE_BOOL, false);
    case SYN_none: return simple_constant(l, node, PY_VALUE_NONE, false);
    case SYN_ellipsis: return simple_constant(l, node, PY_VALUE_ELLIPSIS, false);
    case SYN_string:
    case SYN_concatenated_string: return lower_string(l, node);
    case SYN_attribute: return lower_attribute(l, node);
    case SYN_subscript: return lower_subscript(l, node);
    case SYN_call: return lower_call(l, node);
    case SYN_binary_operator: return lower_binary(l, node);
    case SYN_unary_operator:
    case SYN_not_operator: return lower_unary(l, node);
    case SYN_boolean_operator: return lower_boolean(l, node);
    case SYN_comparison_operator: return lower_comparison(l, node);
    case SYN_conditional_expression: return lower_conditional(l, node);
    case SYN_parenthesized_expression: return lower_parenthesized(l, node);
    case SYN_tuple:
    case SYN_tuple_pattern:
    case SYN_expression_list:
    case SYN_pattern_list: return lower_elements(l, node, AST_TUPLE);
    case SYN_list:
    case SYN_list_pattern: return lower_elements(l, node, AST_LIST);
    case SYN_set: return lower_elements(l, node, AST_SET);
    case SYN_dictionary: return lower_dict(l, node);
    case SYN_list_comprehension: return lower_comprehension(l, node, AST_LIST_COMP);
    case SYN_set_comprehension: return lower_comprehension(l, node, AST_SET_COMP);
    case SYN_dictionary_comprehension: return lower_comprehension(l, node, AST_DICT_COMP);
    case SYN_generator_expression: return lower_comprehension(l, node, AST_GENERATOR_EXP);
    case SYN_lambda: return lower_lambda(l, node);
    case SYN_named_expression: return lower_named(l, node);
    case SYN_await: return lower_await(l, node);
    case SYN_yield: return lower_yield(l, node);
    case SYN_slice: return lower_slice(l, node);
    case SYN_list_splat:
    case SYN_list_splat_pattern: return lower_star(l, node);
    case SYN_type: return lower_type(l, node);
    default: return lower_fail(l, syn_span(l, node), "SyntaxError: invalid syntax");
    }
}

const struct ast_node *lower_expr(struct lower *l, TSNode node)
{
    if (l->depth >= SYNTAX_MAX_DEPTH) {
        if (!lower_failed(l)) {
            l->fail_is_depth = true;
        }
        return lower_fail(l, syn_span(l, node), "nested too deeply");
    }
    l->depth++;
    const struct ast_node *result = lower_expr_inner(l, node);
    l->depth--;
    return result;
}

/* What CPython calls the expression in its messages about targets. */
const char *lower_describe(const struct ast_node *node)
{
    switch (node->kind) {
    case AST_CALL: return "function call";
    case AST_BOOL_OP:
    case AST_BIN_OP:
    case AST_UNARY_OP: return "expression";
    case AST_COMPARE: return "comparison";
    case AST_LAMBDA: return "lambda";
    case AST_IF_EXP: return "conditional expression";
    case AST_DICT: return "dict literal";
    case AST_SET: return "set display";
    case AST_LIST_COMP: return "list comprehension";
    case AST_SET_COMP: return "set comprehension";
    case AST_DICT_COMP: return "dict comprehension";
    case AST_GENERATOR_EXP: return "generator expression";
    case AST_YIELD:
    case AST_YIELD_FROM: return "yield expression";
    case AST_AWAIT: return "await expression";
    case AST_JOINED_STR:
    case AST_FORMATTED_VALUE: return "f-string expression";
    case AST_TEMPLATE_STR: return "t-string expression";
    case AST_NAMED_EXPR: return "named expression";
    case AST_LIST: return "list";
    case AST_TUPLE: return "tuple";
    case AST_STARRED: return "starred";
    case AST_ATTRIBUTE: return "attribute";
    case AST_SUBSCRIPT: return "subscript";
    case AST_CONSTANT:
        switch (node->u.constant.value.kind) {
        case PY_VALUE_NONE: return "None";
        case PY_VALUE_ELLIPSIS: return "ellipsis";
        case PY_VALUE_BOOL: return node->u.constant.value.boolean ? "True" : "False";
        default: return "literal";
        }
    default: return "expression";
    }
}

bool lower_check_target(struct lower *l, const struct ast_node *node, const char *purpose)
{
    switch (node->kind) {
    case AST_NAME:
        if (str_equal_c(node->u.name.id, "__debug__")) {
            lower_fail(l, node->span, "SyntaxError: cannot assign to __debug__");
            return false;
        }
        return true;
    case AST_ATTRIBUTE:
    case AST_SUBSCRIPT: return true;
    case AST_STARRED:
        if (strcmp(purpose, "delete") == 0) {
            break;
        }
        return lower_check_target(l, node->u.value.value, purpose);
    case AST_TUPLE:
    case AST_LIST:
        for (size_t i = 0; i < node->u.seq.elts.count; i++) {
            if (!lower_check_target(l, node->u.seq.elts.items[i], purpose)) {
                return false;
            }
        }
        return true;
    case AST_ERROR: return false;
    default: break;
    }
    lower_fail(
        l, node->span,
        str_format(l->arena, "SyntaxError: cannot %s %s", purpose, lower_describe(node)).ptr);
    return false;
}
