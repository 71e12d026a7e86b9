/*
 * parse: a module's text to its tree, block by block.
 *
 * Each top-level block is parsed by itself: an error in one leaves the others as they are, and
 * only one block's concrete tree is in memory at a time.
 */
#include "python/program.h"

#include <string.h>

#include "python/parser.h"

void parser_report(struct parser *p, const struct ast_span *span, struct str block,
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

void parser_need_line_starts(struct parser *p)
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

/* ---- blocks --------------------------------------------------------------------------------- */

static void lower_tree(struct parser *p, const struct layout_block *block, TSTree *tree)
{
    struct lower *l = &p->lower;
    l->base_byte = block->start;
    l->base_line = block->line - 1;
    l->line_starts = NULL;
    if (block->joined) {
        parser_need_line_starts(p);
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
        parser_report(p, &l->fail_span, text, l->fail_message);
    }
    seq_push(l, error_node(p, block));
}

static void parse_block(struct parser *p, const struct layout_block *block)
{
    const struct str source = str_slice(p->m->pub.source, block->start, block->end);
    if (block->bad) {
        parser_report(p, &block->at, source, block->message);
        seq_push(&p->lower, error_node(p, block));
        return;
    }
    const struct str text = str_slice(p->text, block->start, block->end);
    TSTree *tree = ts_parser_parse_string(p->tree_sitter, NULL, text.ptr, (uint32_t)text.len);
    if (tree == NULL) {
        struct ast_span at = {.line = block->line, .end_line = block->line};
        parser_report(p, &at, source, STR("cannot be parsed"));
        seq_push(&p->lower, error_node(p, block));
        return;
    }
    if (ts_node_has_error(ts_tree_root_node(tree))) {
        parser_report_grammar(p, block, text, tree);
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

static bool is_left_out(const struct module *m, size_t index)
{
    const struct py_program *p = m->pub.program;
    const struct py_block *block = &m->blocks[index];
    return p->skip != NULL && p->skip(p->skip_context, &m->pub, index,
                                      str_slice(m->pub.source, block->start, block->end));
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
    m->blocks = ARENA_ARRAY(p.arena, struct py_block, layout.block_count);
    m->block_count = layout.block_count;
    for (size_t i = 0; i < layout.block_count; i++) {
        const struct layout_block *block = &layout.blocks[i];
        m->blocks[i] = (struct py_block){block->start, block->bad ? block->end : block->code_end};
    }
    for (size_t i = 0; i < layout.block_count; i++) {
        if (!is_left_out(m, i)) {
            parse_block(&p, &layout.blocks[i]);
        }
    }
    struct ast_span whole = {.line = 1, .end_line = 1};
    whole.end_byte = (uint32_t)m->pub.source.len;
    struct ast_node *module = ast_new(p.arena, AST_MODULE, whole);
    module->u.module.body = seq_end(&p.lower, 0);
    m->pub.tree = module;
    parser_done(&p);
}

const struct py_block *py_blocks(const struct py_module *m, size_t *count)
{
    *count = module_of(m)->block_count;
    return module_of(m)->blocks;
}

void py_program_skip(struct py_program *p, py_skip_fn *skip, py_ask_fn *ask, void *context)
{
    p->skip = skip;
    p->ask = ask;
    p->skip_context = context;
}

/* ---- annotations given as text -------------------------------------------------------------- */

const struct ast_node *parse_expression(struct module *m, struct str text, struct ast_span place)
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
