/* parse: a module's text to its tree, with the errors found on the way. */
#include "python/program.h"

static void lower_init(struct lower *l, struct module *m)
{
    *l = (struct lower){
        .arena = m->pub.program->arena,
        .source = m->pub.source,
        .globals = &m->globals,
        .grammar = &m->pub.program->grammar,
    };
    vec_init(&l->nodes, l->arena);
}

void parse_module(struct module *m)
{
    struct py_program *p = m->pub.program;
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, p->grammar.language);
    TSTree *tree =
        ts_parser_parse_string(parser, NULL, m->pub.source.ptr, (uint32_t)m->pub.source.len);
    struct lower l;
    lower_init(&l, m);
    const TSNode root = ts_tree_root_node(tree);
    l.cursor = ts_tree_cursor_new(root);
    const struct kids kids = kids_open(&l, root);
    const size_t begin = seq_begin(&l);
    for (size_t i = 0; i < kids.count; i++) {
        const struct kid kid = kid_at(&l, kids, i);
        if (!ts_node_is_named(kid.node) && kid.syn == SYN_OTHER) {
            continue; /* ';' */
        }
        l.fail_message = STR("");
        const size_t before = l.nodes.count;
        lower_statement(&l, kid.node);
        if (lower_failed(&l)) {
            py_error_at(&m->pub, &l.fail_span, STR(""), l.fail_message, STR(""));
            m->pub.error_count++;
            l.nodes.count = before;
            seq_push(&l, ast_new(l.arena, AST_ERROR, syn_span(&l, kid.node)));
        }
    }
    kids_close(&l, kids);
    struct ast_node *module = ast_new(l.arena, AST_MODULE, syn_span(&l, root));
    module->u.module.body = seq_end(&l, begin);
    m->pub.tree = module;
    ts_tree_cursor_delete(&l.cursor);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
}

/* The expression of a whole text; NULL: it is something else. */
static const struct ast_node *parse_expression(struct py_program *p, struct str text,
                                               struct ast_span place)
{
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, p->grammar.language);
    TSTree *tree = ts_parser_parse_string(parser, NULL, text.ptr, (uint32_t)text.len);
    struct lower l = {.arena = p->arena, .source = text, .grammar = &p->grammar, .place = &place};
    vec_init(&l.nodes, l.arena);
    const TSNode root = ts_tree_root_node(tree);
    const struct ast_node *result = NULL;
    l.cursor = ts_tree_cursor_new(root);
    const struct kids kids = kids_open(&l, root);
    if (!ts_node_has_error(root) && kids.count == 1) {
        lower_statement(&l, kid_at(&l, kids, 0).node);
        const struct ast_seq body = seq_end(&l, 0);
        if (!lower_failed(&l) && body.count == 1 && body.items[0]->kind == AST_EXPR) {
            result = body.items[0]->u.value.value;
        }
    }
    ts_tree_cursor_delete(&l.cursor);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
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
    if (known == NULL) {
        /* In brackets: the text may go over lines, and is an expression only. */
        struct buf text;
        buf_init(&text, p->arena);
        buf_add_char(&text, '(');
        buf_add(&text, annotation->u.constant.value.text);
        buf_add_c(&text, ")\n");
        known = parse_expression(p, buf_str(&text), annotation->span);
        known = known == NULL ? annotation : known;
        map_set(&p->annotations, str_copy(p->arena, pointer_key(&address)),
                (void *)(uintptr_t)known);
    }
    return known;
}
