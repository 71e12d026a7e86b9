/*
 * parse: a module's text to its tree, block by block.
 *
 * Each top-level block is parsed by itself: an error in one leaves the others as they are, and
 * only one block's concrete tree is in memory at a time.
 */
#include "python/program.h"

#include <string.h>

#include "python/layout.h"

struct parser {
    struct module *m;
    struct arena *arena;
    TSParser *tree_sitter;
    struct lower lower;
    struct str text;       /* the source with layout's edits */
    uint32_t *line_starts; /* once they are needed */
    size_t line_count;
};

static void report(struct parser *p, const struct ast_span *span, struct str block,
                   struct str message)
{
    py_error_at(&p->m->pub, span, layout_block_name(block), message, STR(""));
    p->m->pub.error_count++;
}

static const struct ast_node *error_node(struct parser *p, const struct layout_block *block)
{
    struct ast_span span = {.line = block->line, .end_line = block->line};
    span.start_byte = block->start;
    span.end_byte = block->end;
    return ast_new(p->arena, AST_ERROR, span);
}

/* ---- where the grammar stops ---------------------------------------------------------------- */

/* Fed with tree-sitter's log: the furthest token at which a parse state had no way on. */
struct stop {
    unsigned row, column; /* of the token that is looked at */
    unsigned stop_row, stop_column;
    bool found, closed;
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
    } else if (strncmp(message, "detect_error", 12) == 0) {
        const bool further = stop->row > stop->stop_row ||
                             (stop->row == stop->stop_row && stop->column > stop->stop_column);
        if (!stop->found || further) {
            stop->stop_row = stop->row;
            stop->stop_column = stop->column;
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
static struct ast_span token_at(const struct lower *l, uint32_t byte)
{
    const struct str source = l->source;
    uint32_t at = byte;
    while (at < source.len) {
        const char c = source.ptr[at];
        if (c == '#') {
            while (at < source.len && source.ptr[at] != '\n') {
                at++;
            }
        } else if (c == ' ' || c == '\t' || c == '\f' ||
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

/* Where each line of the source begins. */
static void need_line_starts(struct parser *p)
{
    if (p->line_starts != NULL) {
        return;
    }
    const struct str source = p->m->pub.source;
    size_t count = 1;
    for (size_t i = 0; i < source.len; i++) {
        count += source.ptr[i] == '\n' ? 1 : 0;
    }
    p->line_starts = ARENA_ARRAY(p->arena, uint32_t, count);
    p->line_count = 1;
    for (size_t i = 0; i < source.len; i++) {
        if (source.ptr[i] == '\n') {
            p->line_starts[p->line_count++] = (uint32_t)i + 1;
        }
    }
}

/* Parses the block again, listening where it stops. */
static void report_grammar(struct parser *p, const struct layout_block *block, struct str text,
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
    need_line_starts(p);
    p->lower.line_starts = p->line_starts;
    p->lower.line_count = p->line_count;
    const struct ast_span span = token_at(&p->lower, block->start + byte_of(text, row, column));
    const char *message = "SyntaxError: invalid syntax";
    const struct str symbol = str_from(ts_node_is_missing(node) ? ts_node_type(node) : "");
    if (str_equal_c(symbol, ":") || str_equal_c(symbol, "(")) {
        message = str_format(p->arena, "SyntaxError: expected '" STR_FMT "'", STR_ARG(symbol)).ptr;
    }
    report(p, &span, str_slice(p->m->pub.source, block->start, block->end), str_from(message));
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void lower_tree(struct parser *p, const struct layout_block *block, TSTree *tree)
{
    struct lower *l = &p->lower;
    l->base_byte = block->start;
    l->base_line = block->line - 1;
    l->line_starts = NULL;
    if (block->joined) {
        need_line_starts(p);
        l->line_starts = p->line_starts;
        l->line_count = p->line_count;
    }
    l->fail_message = STR("");
    l->fail_is_depth = false;
    const TSNode root = ts_tree_root_node(tree);
    const size_t before = l->nodes.count;
    const struct kids kids = kids_open(l, root);
    for (size_t i = 0; i < kids.count && !lower_failed(l); i++) {
        const struct kid kid = kid_at(l, kids, i);
        if (ts_node_is_named(kid.node)) { /* not ';' */
            lower_statement(l, kid.node);
        }
    }
    kids_close(l, kids);
    if (!lower_failed(l)) {
        return;
    }
    l->nodes.count = before;
    l->depth = 0;
    l->loop_depth = 0;
    l->function_depth = 0;
    l->scope_depth = 0;
    const struct str text = str_slice(p->m->pub.source, block->start, block->end);
    if (l->fail_is_depth && !str_starts_with(text, "@")) {
        /* Python can read it, and it is no workunit: only what it defines is not known here. */
        struct ast_node at = {.kind = AST_ERROR, .span = l->fail_span};
        py_warning(&p->m->pub, &at, STR(""), STR("nested too deeply: this statement is ignored"),
                   STR(""));
    } else {
        report(p, &l->fail_span, text, l->fail_message);
    }
    seq_push(l, error_node(p, block));
}

static void parse_block(struct parser *p, const struct layout_block *block)
{
    const struct str source = str_slice(p->m->pub.source, block->start, block->end);
    if (block->bad) {
        report(p, &block->at, source, block->message);
        seq_push(&p->lower, error_node(p, block));
        return;
    }
    const struct str text = str_slice(p->text, block->start, block->end);
    TSTree *tree = ts_parser_parse_string(p->tree_sitter, NULL, text.ptr, (uint32_t)text.len);
    if (tree == NULL) {
        struct ast_span at = {.line = block->line, .end_line = block->line};
        report(p, &at, source, STR("cannot be parsed"));
        seq_push(&p->lower, error_node(p, block));
        return;
    }
    if (ts_node_has_error(ts_tree_root_node(tree))) {
        report_grammar(p, block, text, tree);
        seq_push(&p->lower, error_node(p, block));
    } else {
        lower_tree(p, block, tree);
    }
    ts_tree_delete(tree);
}

static struct str edited(struct arena *a, struct str source, const struct layout *layout)
{
    if (layout->edit_count == 0) {
        return source;
    }
    char *copy = arena_alloc(a, source.len + 1);
    memcpy(copy, source.ptr, source.len);
    for (size_t i = 0; i < layout->edit_count; i++) {
        copy[layout->edits[i].offset] = layout->edits[i].replacement;
    }
    return (struct str){copy, source.len};
}

static void parser_init(struct parser *p, struct module *m)
{
    *p = (struct parser){.m = m, .arena = m->pub.program->arena};
    p->tree_sitter = ts_parser_new();
    ts_parser_set_language(p->tree_sitter, m->pub.program->grammar.language);
    p->lower = (struct lower){
        .arena = p->arena,
        .source = m->pub.source,
        .globals = &m->globals,
        .grammar = &m->pub.program->grammar,
    };
    vec_init(&p->lower.nodes, p->arena);
    /* A cursor needs a node to begin with; each use sets its own. */
    p->lower.cursor = ts_tree_cursor_new((TSNode){{0}, NULL, NULL});
}

static void parser_done(struct parser *p)
{
    ts_tree_cursor_delete(&p->lower.cursor);
    ts_parser_delete(p->tree_sitter);
}

void parse_module(struct module *m)
{
    if (!m->pub.program->grammar_ok) {
        const struct ast_span nowhere = {0};
        py_error_at(&m->pub, &nowhere, STR(""),
                    STR("this build's tree-sitter grammar of Python is not one that is known"),
                    STR("build with tree-sitter-python 0.23"));
        m->pub.error_count++;
        return;
    }
    struct layout layout;
    struct parser p;
    parser_init(&p, m);
    layout_scan(p.arena, m->pub.source, &layout);
    p.text = edited(p.arena, m->pub.source, &layout);
    for (size_t i = 0; i < layout.block_count; i++) {
        parse_block(&p, &layout.blocks[i]);
    }
    struct ast_span whole = {.line = 1, .end_line = 1};
    whole.end_byte = (uint32_t)m->pub.source.len;
    struct ast_node *module = ast_new(p.arena, AST_MODULE, whole);
    module->u.module.body = seq_end(&p.lower, 0);
    m->pub.tree = module;
    parser_done(&p);
}

/* ---- annotations given as text -------------------------------------------------------------- */

/* The expression of a whole text, with all nodes at `place`; NULL: it is something else. */
static const struct ast_node *parse_expression(struct module *m, struct str text,
                                               struct ast_span place)
{
    struct parser p;
    parser_init(&p, m);
    struct lower *l = &p.lower;
    l->source = text;
    l->place = &place;
    l->globals = NULL;
    TSTree *tree = ts_parser_parse_string(p.tree_sitter, NULL, text.ptr, (uint32_t)text.len);
    const struct ast_node *result = NULL;
    const TSNode root = ts_tree_root_node(tree);
    const struct kids kids = kids_open(l, root);
    if (!ts_node_has_error(root) && kids.count == 1) {
        lower_statement(l, kid_at(l, kids, 0).node);
        const struct ast_seq body = seq_end(l, 0);
        if (!lower_failed(l) && body.count == 1 && body.items[0]->kind == AST_EXPR) {
            result = body.items[0]->u.value.value;
        }
    }
    ts_tree_delete(tree);
    parser_done(&p);
    return result;
}

const struct ast_node *py_annotation(const struct py_module *m, const struct ast_node *annotation)
{
    if (annotation->kind != AST_CONSTANT || annotation->u.constant.value.kind != PY_VALUE_STR ||
        annotation->u.constant.value.text.len > 4096) {
        return annotation;
    }
    struct py_program *p = m->program;
    const void *address = annotation;
    const struct ast_node *known = map_get(&p->annotations, pointer_key(&address));
    if (known != NULL) {
        return known;
    }
    /* In brackets: the text may go over lines, and is an expression only. */
    struct buf text;
    buf_init(&text, p->arena);
    buf_add_char(&text, '(');
    buf_add(&text, annotation->u.constant.value.text);
    buf_add_c(&text, ")\n");
    struct layout layout;
    layout_scan(p->arena, buf_str(&text), &layout);
    if (layout.block_count == 1 && !layout.blocks[0].bad) {
        known = parse_expression(module_of(m), buf_str(&text), annotation->span);
    }
    known = known == NULL ? annotation : known;
    map_set(&p->annotations, str_copy(p->arena, pointer_key(&address)), (void *)(uintptr_t)known);
    return known;
}
