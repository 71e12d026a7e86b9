/*
 * lower_match: the match statement. A pattern's u.other.text is its kind, and after ':' its names
 * ("MatchAs:x", "MatchClass:a,b"); its children are CPython's fields that hold nodes.
 */
#include "python/syntax.h"

#include <string.h>

static const struct ast_node *lower_run(struct lower *l, struct kids kids, size_t from, size_t to);

static struct ast_node *new_pattern(struct lower *l, struct ast_span span, struct str text)
{
    struct ast_node *pattern = ast_new(l->arena, AST_PATTERN, span);
    pattern->u.other.text = text;
    return pattern;
}

static const struct ast_node *pattern_of_one(struct lower *l, struct ast_span span,
                                             const char *text, const struct ast_node *child)
{
    struct ast_node *pattern = new_pattern(l, span, str_from(text));
    const size_t begin = seq_begin(l);
    seq_push(l, child);
    pattern->u.other.children = seq_end(l, begin);
    return pattern;
}

static const struct ast_node *capture(struct lower *l, struct ast_span span, struct str name,
                                      const struct ast_node *inner)
{
    struct ast_node *pattern = new_pattern(
        l, span,
        name.len == 0 ? STR("MatchAs") : str_format(l->arena, "MatchAs:" STR_FMT, STR_ARG(name)));
    const size_t begin = seq_begin(l);
    seq_push(l, inner);
    pattern->u.other.children = seq_end(l, begin);
    return pattern;
}

static const struct ast_node *dotted_value(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const struct ast_node *value = NULL;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn != SYN_identifier) {
            continue;
        }
        if (value == NULL) {
            value = lower_name(l, kid.node);
            continue;
        }
        struct ast_node *attribute =
            ast_new(l->arena, AST_ATTRIBUTE, span_join(value->span, syn_span(l, kid.node)));
        attribute->u.attribute.value = value;
        attribute->u.attribute.attr = lower_identifier(l, kid.node);
        attribute->u.attribute.attr_span = syn_span(l, kid.node);
        value = attribute;
    }
    kids_close(l, kids);
    return value != NULL ? value : lower_name(l, node);
}

static const struct ast_node *lower_dotted(struct lower *l, TSNode node)
{
    const struct ast_node *value = dotted_value(l, node);
    if (value->kind == AST_NAME) {
        const struct str id = value->u.name.id;
        return capture(l, value->span, str_equal_c(id, "_") ? STR("") : id, NULL);
    }
    return pattern_of_one(l, value->span, "MatchValue", value);
}

/* Pushes the patterns between commas from kids[from] to kids[to]; true: a comma was there. */
static bool push_patterns(struct lower *l, struct kids kids, size_t from, size_t to)
{
    bool comma = false;
    size_t start = from;
    for (size_t i = from; i <= to; i++) {
        const bool at_comma = i < to && syn_is(l, kid_at(l, kids, i).node, ",");
        if (i < to && !at_comma) {
            continue;
        }
        comma = comma || at_comma;
        if (i > start) {
            seq_push(l, lower_run(l, kids, start, i));
        }
        start = i + 1;
    }
    return comma;
}

static const struct ast_node *lower_sequence(struct lower *l, TSNode node, bool round)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    seq_push_mark(l, span);
    const bool comma = kids.count > 1 && push_patterns(l, kids, 1, kids.count - 1);
    kids_close(l, kids);
    const struct ast_seq children = seq_end(l, begin);
    const bool star = children.count == 2 && children.items[1]->kind == AST_PATTERN &&
                      str_starts_with(children.items[1]->u.other.text, "MatchStar");
    if (round && !comma && children.count == 2 && !star) {
        return children.items[1]; /* only a group */
    }
    struct ast_node *pattern = new_pattern(l, span, STR("MatchSequence"));
    pattern->u.other.children = children;
    return pattern;
}

static const struct ast_node *lower_union_pattern(struct lower *l, TSNode node)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    seq_push_mark(l, span);
    size_t start = 0;
    for (size_t i = 0; i <= kids.count; i++) {
        if (i == kids.count || syn_is(l, kid_at(l, kids, i).node, "|")) {
            if (i > start) {
                seq_push(l, lower_run(l, kids, start, i));
            }
            start = i + 1;
        }
    }
    kids_close(l, kids);
    struct ast_node *pattern = new_pattern(l, span, STR("MatchOr"));
    pattern->u.other.children = seq_end(l, begin);
    return pattern;
}

static struct str splat_name(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const struct str name = lower_identifier(l, kid_at(l, kids, kids.count - 1).node);
    kids_close(l, kids);
    return name;
}

static const struct ast_node *lower_splat_pattern(struct lower *l, TSNode node)
{
    const struct str name = splat_name(l, node);
    return new_pattern(l, syn_span(l, node),
                       str_equal_c(name, "_")
                           ? STR("MatchStar")
                           : str_format(l->arena, "MatchStar:" STR_FMT, STR_ARG(name)));
}

/* The expression of a MatchValue pattern, as a mapping's key has it. */
static const struct ast_node *key_of(struct lower *l, const struct ast_node *pattern)
{
    if (pattern->kind == AST_PATTERN && pattern->u.other.children.count == 1 &&
        pattern->u.other.children.items[0] != NULL &&
        (str_equal_c(pattern->u.other.text, "MatchValue") ||
         str_equal_c(pattern->u.other.text, "MatchSingleton"))) {
        return pattern->u.other.children.items[0];
    }
    return lower_fail(l, pattern->span,
                      "SyntaxError: mapping pattern keys may only match literals and attribute "
                      "lookups");
}

static const struct ast_node *lower_mapping(struct lower *l, TSNode node)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    struct str rest = {"", 0};
    const size_t begin = seq_begin(l);
    seq_push_mark(l, span);
    size_t key_from = 0;
    size_t key_to = 0;
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field == FIELD_key) {
            key_from = key_to > 0 ? key_from : i;
            key_to = i + 1;
        } else if (kid.field == FIELD_value) {
            seq_push(l, key_of(l, lower_run(l, kids, key_from, key_to)));
            key_to = 0;
        } else if (kid.syn == SYN_splat_pattern) {
            rest = splat_name(l, kid.node);
        }
    }
    seq_push_mark(l, span);
    for (size_t i = 0; i < kids.count; i++) {
        if (kid_at(l, kids, i).field == FIELD_value) {
            seq_push(l, lower_run(l, kids, i, i + 1));
        }
    }
    kids_close(l, kids);
    struct ast_node *pattern =
        new_pattern(l, span,
                    rest.len == 0 ? STR("MatchMapping")
                                  : str_format(l->arena, "MatchMapping:" STR_FMT, STR_ARG(rest)));
    pattern->u.other.children = seq_end(l, begin);
    return pattern;
}

/* The keyword_pattern that a case_pattern holds. */
static bool keyword_of(struct lower *l, TSNode node, struct kid *keyword)
{
    const struct kids kids = kids_open(l, node);
    const bool found = kids.count == 1 && kid_at(l, kids, 0).syn == SYN_keyword_pattern;
    if (found) {
        *keyword = kid_at(l, kids, 0);
    }
    kids_close(l, kids);
    return found;
}

static const struct ast_node *lower_class_pattern(struct lower *l, TSNode node)
{
    const struct ast_span span = syn_span(l, node);
    const struct kids kids = kids_open(l, node);
    struct buf text;
    buf_init(&text, l->arena);
    buf_add_c(&text, "MatchClass");
    const size_t begin = seq_begin(l);
    seq_push(l, dotted_value(l, kid_at(l, kids, 0).node));
    seq_push_mark(l, span);
    struct kid keyword;
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn == SYN_case_pattern && !keyword_of(l, kid.node, &keyword)) {
            seq_push(l, lower_run(l, kids, i, i + 1));
        }
    }
    seq_push_mark(l, span);
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.syn != SYN_case_pattern || !keyword_of(l, kid.node, &keyword)) {
            continue;
        }
        const struct kids pair = kids_open(l, keyword.node);
        buf_add_char(&text, str_equal_c(buf_str(&text), "MatchClass") ? ':' : ',');
        buf_add(&text, lower_identifier(l, kid_at(l, pair, 0).node));
        seq_push(l, lower_run(l, pair, 2, pair.count));
        kids_close(l, pair);
    }
    kids_close(l, kids);
    struct ast_node *pattern = new_pattern(l, span, buf_str(&text));
    pattern->u.other.children = seq_end(l, begin);
    return pattern;
}

static const struct ast_node *lower_as(struct lower *l, TSNode node)
{
    const struct kids kids = kids_open(l, node);
    const struct ast_node *inner = lower_run(l, kids, 0, 1);
    const struct str name = lower_identifier(l, kid_at(l, kids, kids.count - 1).node);
    kids_close(l, kids);
    return capture(l, syn_span(l, node), name, inner);
}

/* `[-]number` and `[-]number ± number` between kids[from] and kids[to] */
static const struct ast_node *lower_numbers(struct lower *l, struct kids kids, size_t from,
                                            size_t to)
{
    const struct ast_node *value = NULL;
    size_t i = from;
    const struct kid first = kid_at(l, kids, i);
    if (syn_is(l, first.node, "-") && i + 1 < to) {
        const struct ast_node *operand = lower_expr(l, kid_at(l, kids, ++i).node);
        struct ast_node *minus =
            ast_new(l->arena, AST_UNARY_OP, span_join(syn_span(l, first.node), operand->span));
        minus->u.unary_op.op = OP_USUB;
        minus->u.unary_op.operand = operand;
        value = minus;
    } else {
        value = lower_expr(l, first.node);
    }
    i++;
    if (i + 1 < to) {
        const bool minus = syn_is(l, kid_at(l, kids, i).node, "-");
        const struct ast_node *right = lower_expr(l, kid_at(l, kids, i + 1).node);
        struct ast_node *sum = ast_new(l->arena, AST_BIN_OP, span_join(value->span, right->span));
        sum->u.bin_op.left = value;
        sum->u.bin_op.op = minus ? OP_SUB : OP_ADD;
        sum->u.bin_op.right = right;
        value = sum;
    }
    return pattern_of_one(l, value->span, "MatchValue", value);
}

static const struct ast_node *lower_one(struct lower *l, struct kid kid)
{
    switch (kid.syn) {
    case SYN_case_pattern:
    case SYN_complex_pattern: {
        const struct kids kids = kids_open(l, kid.node);
        const struct ast_node *result = kid.syn == SYN_case_pattern
                                            ? lower_run(l, kids, 0, kids.count)
                                            : lower_numbers(l, kids, 0, kids.count);
        kids_close(l, kids);
        return result;
    }
    case SYN_as_pattern: return lower_as(l, kid.node);
    case SYN_union_pattern: return lower_union_pattern(l, kid.node);
    case SYN_list_pattern: return lower_sequence(l, kid.node, false);
    case SYN_tuple_pattern: return lower_sequence(l, kid.node, true);
    case SYN_dict_pattern: return lower_mapping(l, kid.node);
    case SYN_class_pattern: return lower_class_pattern(l, kid.node);
    case SYN_splat_pattern: return lower_splat_pattern(l, kid.node);
    case SYN_dotted_name: return lower_dotted(l, kid.node);
    case SYN_true:
    case SYN_false:
    case SYN_none:
        return pattern_of_one(l, syn_span(l, kid.node), "MatchSingleton", lower_expr(l, kid.node));
    case SYN_string:
    case SYN_concatenated_string:
        return pattern_of_one(l, syn_span(l, kid.node), "MatchValue", lower_expr(l, kid.node));
    default: break;
    }
    if (syn_is(l, kid.node, "_")) {
        return capture(l, syn_span(l, kid.node), STR(""), NULL);
    }
    return lower_fail(l, syn_span(l, kid.node), "SyntaxError: invalid syntax");
}

/* The one pattern that kids[from] to kids[to] are: mostly a single child. */
static const struct ast_node *lower_run(struct lower *l, struct kids kids, size_t from, size_t to)
{
    if (from >= to) {
        const struct ast_span nowhere = {0};
        return lower_fail(l, nowhere, "SyntaxError: invalid syntax");
    }
    const struct kid first = kid_at(l, kids, from);
    if (l->depth >= SYNTAX_MAX_DEPTH) {
        return lower_expr(l, first.node); /* reports it */
    }
    l->depth++;
    const bool number = first.syn == SYN_integer || first.syn == SYN_float ||
                        (to - from > 1 && syn_is(l, first.node, "-"));
    const struct ast_node *result = number ? lower_numbers(l, kids, from, to) : lower_one(l, first);
    l->depth--;
    return result;
}

static const struct ast_node *lower_case(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_MATCH_CASE, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    size_t end = 1;
    while (end < kids.count && kid_at(l, kids, end).field != FIELD_guard &&
           !syn_is(l, kid_at(l, kids, end).node, ":")) {
        end++;
    }
    const size_t begin = seq_begin(l);
    seq_push_mark(l, result->span);
    const bool comma = push_patterns(l, kids, 1, end);
    const struct ast_seq patterns = seq_end(l, begin);
    const struct ast_node *pattern = NULL;
    if (patterns.count == 2 && !comma) {
        pattern = patterns.items[1];
    } else {
        struct ast_node *sequence = new_pattern(l, result->span, STR("MatchSequence"));
        sequence->u.other.children = patterns;
        pattern = sequence;
    }
    const struct ast_node *guard = NULL;
    struct kid kid;
    if (kid_by_field(l, kids, FIELD_guard, &kid)) {
        const struct kids clause = kids_open(l, kid.node);
        guard = lower_expr(l, kid_at(l, clause, clause.count - 1).node);
        kids_close(l, clause);
    }
    struct ast_seq body = {NULL, 0};
    if (kid_by_field(l, kids, FIELD_consequence, &kid)) {
        body = lower_block(l, kid.node);
    }
    kids_close(l, kids);
    seq_push(l, pattern);
    seq_push(l, guard);
    seq_push_mark(l, result->span);
    for (size_t i = 0; i < body.count; i++) {
        seq_push(l, body.items[i]);
    }
    result->u.other.children = seq_end(l, begin);
    return result;
}

const struct ast_node *lower_match(struct lower *l, TSNode node)
{
    struct ast_node *result = ast_new(l->arena, AST_MATCH, syn_span(l, node));
    const struct kids kids = kids_open(l, node);
    const size_t begin = seq_begin(l);
    bool comma = false;
    struct kid block = {0};
    struct ast_span last = result->span;
    for (size_t i = 1; i < kids.count; i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (kid.field == FIELD_subject && ts_node_is_named(kid.node)) {
            seq_push(l, lower_expr(l, kid.node));
            last = syn_span(l, kid.node);
        } else if (kid.syn == SYN_block) {
            block = kid;
        } else if (syn_is(l, kid.node, ",")) {
            comma = true;
        }
    }
    kids_close(l, kids);
    const struct ast_seq subjects = seq_end(l, begin);
    if (subjects.count == 0 || block.syn != SYN_block) {
        return lower_fail(l, result->span, "SyntaxError: invalid syntax");
    }
    const struct ast_node *subject = subjects.items[0];
    if (comma || subject->kind == AST_STARRED) {
        struct ast_node *tuple = ast_new(l->arena, AST_TUPLE, span_join(subject->span, last));
        tuple->u.seq.elts = subjects;
        subject = tuple;
    }
    seq_push(l, subject);
    seq_push_mark(l, result->span);
    const struct kids cases = kids_open(l, block.node);
    for (size_t i = 0; i < cases.count; i++) {
        if (kid_at(l, cases, i).syn == SYN_case_clause) {
            seq_push(l, lower_case(l, kid_at(l, cases, i).node));
        }
    }
    kids_close(l, cases);
    result->u.other.children = seq_end(l, begin);
    return result;
}
