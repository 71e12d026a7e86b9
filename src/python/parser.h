/* Private to src/python: one file while it is parsed. */
#ifndef PKC_PYTHON_PARSER_H
#define PKC_PYTHON_PARSER_H

#include "python/layout.h"
#include "python/program.h"

struct parser {
    struct module *m;
    struct arena *arena;
    TSParser *tree_sitter;
    struct lower lower;
    struct str text;       /* the source with layout's edits */
    uint32_t *line_starts; /* once they are needed */
    size_t line_count;
};

/* A syntax error in a block's text; the diagnostic's scope is what the block defines. */
void parser_report(struct parser *p, const struct ast_span *span, struct str block,
                   struct str message);
/* Fills p->line_starts: where each line of the source begins. */
void parser_need_line_starts(struct parser *p);
/* The expression of a whole text, with all nodes at `place`; NULL: it is something else. */
const struct ast_node *parse_expression(struct module *m, struct str text, struct ast_span place);

/* syntax_error.c: says where and why the grammar cannot read a block's text, whose tree has
 * errors. */
void parser_report_grammar(struct parser *p, const struct layout_block *block, struct str text,
                           TSTree *tree);

#endif
