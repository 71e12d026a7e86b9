/*
 * syntax_error: where the grammar stops, and CPython's words for it.
 *
 * tree-sitter recovers from errors, and its error nodes begin anywhere before the mistake. Its log
 * tells more: the furthest token with which no parse could go on is the one CPython reports.
 */
#include "python/parser.h"

#include <stdio.h>
#include <string.h>

/* Fed with tree-sitter's log: the furthest token at which a parse state had no way on. */
struct stop {
    unsigned row, column; /* of the token that is looked at */
    unsigned stop_row, stop_column;
    bool found, closed;
    bool over_lines;  /* the token before was a line's end: the mistake is on a later line */
    bool last_is_end; /* is the token that is looked at a line's end, or the one before it? */
    bool previous_is_end;
};

static void follow_log(void *payload, TSLogType type, const char *message)
{
    struct stop *stop = payload;
    if (type != TSLogTypeParse || stop->closed) {
        return;
    }
    unsigned row = 0;
    unsigned column = 0;
    const char *place = strstr(message, ", row:");
    if (strncmp(message, "process ", 8) == 0 && place != NULL &&
        sscanf(place, ", row:%u, col:%u", &row, &column) == 2) {
        stop->row = row;
        stop->column = column;
    } else if (strncmp(message, "lexed_lookahead ", 16) == 0) {
        stop->previous_is_end = stop->last_is_end;
        stop->last_is_end = strstr(message, "sym:_newline") != NULL ||
                            strstr(message, "sym:_dedent") != NULL ||
                            strstr(message, "sym:_indent") != NULL;
    } else if (strncmp(message, "detect_error", 12) == 0) {
        const bool further = stop->row > stop->stop_row ||
                             (stop->row == stop->stop_row && stop->column > stop->stop_column);
        if (!stop->found || further) {
            stop->stop_row = stop->row;
            stop->stop_column = stop->column;
            stop->over_lines = stop->previous_is_end;
        }
        stop->found = true;
    } else if (strncmp(message, "resume", 6) == 0) {
        stop->closed = stop->found; /* every way is shut: what follows is recovery */
    }
}

/* The first node that is an error, for where the log says nothing. */
static TSNode first_error(TSNode node)
{
    for (;;) {
        const uint32_t count = ts_node_child_count(node);
        TSNode next = node;
        bool deeper = false;
        for (uint32_t i = 0; i < count && !deeper; i++) {
            const TSNode child = ts_node_child(node, i);
            if (ts_node_has_error(child) || ts_node_is_missing(child)) {
                next = child;
                deeper = true;
            }
        }
        if (!deeper || ts_node_is_missing(next)) {
            return next;
        }
        node = next;
    }
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* The span of the token at or after `byte`, blanks, comments and joined lines skipped. */
static struct ast_span token_at(const struct lower *l, uint32_t byte, bool over_lines)
{
    const struct str source = l->source;
    uint32_t at = byte;
    while (at < source.len) {
        const char c = source.ptr[at];
        if (c == '#') {
            while (at < source.len && source.ptr[at] != '\n') {
                at++;
            }
        } else if (c == ' ' || c == '\t' || c == '\f' || (c == '\n' && over_lines) ||
                   (c == '\\' && at + 1 < source.len && source.ptr[at + 1] == '\n') ||
                   (c == '\n' && at > byte && source.ptr[at - 1] == '\\')) {
            at++;
        } else {
            break;
        }
    }
    uint32_t end = at;
    while (end < source.len && is_word_byte(source.ptr[end])) {
        end++;
    }
    if (end == at && at < source.len && source.ptr[at] != '\n') {
        end++;
    }
    const size_t line = syn_line_of(l, at);
    const int column = (int)(at - l->line_starts[line]);
    return (struct ast_span){
        (int)line + 1, column, (int)line + 1, column + (int)(end - at), at, end};
}

/* The byte of tree-sitter's row and column in a block's text. */
static uint32_t byte_of(struct str text, unsigned row, unsigned column)
{
    size_t at = 0;
    for (unsigned i = 0; i < row; i++) {
        const char *newline = memchr(text.ptr + at, '\n', text.len - at);
        if (newline == NULL) {
            break;
        }
        at = (size_t)(newline - text.ptr) + 1;
    }
    return (uint32_t)(at + column < text.len ? at + column : text.len);
}

/* What stands between the start of the statement's line and the token, without a leading `word`;
 * NULL: no expression. */
static const struct ast_node *expression_before(struct parser *p, const struct ast_span *token,
                                                const char *word)
{
    const struct str source = p->m->pub.source;
    uint32_t from = token->start_byte;
    while (from > 0 && source.ptr[from - 1] != '\n') {
        from--;
    }
    while (from < token->start_byte && (source.ptr[from] == ' ' || source.ptr[from] == '\t')) {
        from++;
    }
    const struct str text = str_slice(source, from, token->start_byte);
    const size_t length = strlen(word);
    if (!str_starts_with(text, word) || text.len > 4096) {
        return NULL;
    }
    struct buf line;
    buf_init(&line, p->arena);
    buf_add(&line, str_slice(text, length, text.len));
    buf_add_char(&line, '\n');
    return parse_expression(p->m, buf_str(&line), *token);
}

/* CPython's words for an assignment to what cannot be assigned to; empty: it is none. */
static struct str explain(struct parser *p, const struct ast_span *token)
{
    const struct str source = p->m->pub.source;
    struct ast_span whole = *token;
    if (source.len > token->start_byte && source.ptr[token->start_byte] == '=') {
        /* the grammar reads the operator of `+=` by itself */
        while (whole.start_byte > 0 &&
               strchr("+-*/%&|^@<>", source.ptr[whole.start_byte - 1]) != NULL) {
            whole.start_byte--;
        }
    }
    const struct str rest = str_slice(source, whole.start_byte, whole.start_byte + 3);
    const bool assigns = str_starts_with(rest, "=") && !str_starts_with(rest, "==");
    const bool augments =
        (rest.len > 1 && rest.ptr[1] == '=' && strchr("+-*/%&|^@", rest.ptr[0]) != NULL) ||
        (rest.len > 2 && rest.ptr[2] == '=' && rest.ptr[0] == rest.ptr[1] &&
         strchr("*/<>", rest.ptr[0]) != NULL);
    const bool loops = str_starts_with(rest, "in");
    if (!assigns && !augments && !loops) {
        return STR("");
    }
    const struct ast_node *target = expression_before(p, &whole, loops ? "for " : "");
    if (target == NULL || target->kind == AST_NAME || target->kind == AST_ATTRIBUTE ||
        target->kind == AST_SUBSCRIPT || target->kind == AST_TUPLE || target->kind == AST_LIST) {
        return STR("");
    }
    const char *what = lower_describe(target);
    if (augments) {
        return str_format(
            p->arena, "SyntaxError: '%s' is an illegal expression for augmented assignment", what);
    }
    const bool is_constant = target->kind == AST_CONSTANT;
    const bool keyword = is_constant && (target->u.constant.value.kind == PY_VALUE_NONE ||
                                         target->u.constant.value.kind == PY_VALUE_BOOL);
    if (loops || keyword) {
        return str_format(p->arena, "SyntaxError: cannot assign to %s", what);
    }
    return str_format(p->arena,
                      "SyntaxError: cannot assign to %s here. Maybe you meant '==' instead of "
                      "'='?",
                      what);
}

/* Parses the block again, listening where it stops. */
void parser_report_grammar(struct parser *p, const struct layout_block *block, struct str text,
                           TSTree *tree)
{
    struct stop stop = {0};
    const TSLogger logger = {&stop, follow_log};
    ts_parser_set_logger(p->tree_sitter, logger);
    TSTree *again = ts_parser_parse_string(p->tree_sitter, NULL, text.ptr, (uint32_t)text.len);
    ts_parser_set_logger(p->tree_sitter, (TSLogger){NULL, NULL});
    ts_tree_delete(again);

    const TSNode node = first_error(ts_tree_root_node(tree));
    const TSPoint point = ts_node_start_point(node);
    unsigned row = point.row;
    unsigned column = point.column;
    if (stop.found) {
        row = stop.stop_row;
        column = stop.stop_column;
    }
    parser_need_line_starts(p);
    p->lower.line_starts = p->line_starts;
    p->lower.line_count = p->line_count;
    const struct ast_span span = token_at(&p->lower, block->start + byte_of(text, row, column),
                                          stop.found && stop.over_lines);
    struct str message = explain(p, &span);
    const struct str symbol = str_from(ts_node_is_missing(node) ? ts_node_type(node) : "");
    if (message.len == 0 && (str_equal_c(symbol, ":") || str_equal_c(symbol, "("))) {
        message = str_format(p->arena, "SyntaxError: expected '" STR_FMT "'", STR_ARG(symbol));
    }
    if (message.len == 0) {
        message = STR("SyntaxError: invalid syntax");
    }
    parser_report(p, &span, str_slice(p->m->pub.source, block->start, block->end), message);
}
