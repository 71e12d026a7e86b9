/* parse: a module's text to its tree, with the errors found on the way. */
#include "python/program.h"

static void lower_init(struct lower *l, struct module *m)
{
    *l = (struct lower){
        .arena = m->pub.program->arena,
        .source = m->pub.source,
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
        l.fail_message = STR("");
        const size_t before = l.nodes.count;
        lower_statement(&l, kid.node);
        if (lower_failed(&l)) {
            py_error_at(&m->pub, &l.fail_span, STR(""), l.fail_message, STR(""));
            m->pub.error_count++;
            l.nodes.count = before;
            seq_push(&l, ast_new(l.arena, AST_ERROR, syn_span(kid.node)));
        }
    }
    kids_close(&l, kids);
    struct ast_node *module = ast_new(l.arena, AST_MODULE, syn_span(root));
    module->u.module.body = seq_end(&l, begin);
    m->pub.tree = module;
    ts_tree_cursor_delete(&l.cursor);
    ts_tree_delete(tree);
    ts_parser_delete(parser);
}
