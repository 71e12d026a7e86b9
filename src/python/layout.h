/*
 * Private to src/python: the lines of a file before they are parsed.
 *
 * One pass over the bytes finds the top-level blocks, so that each is parsed by itself and an
 * error in one leaves the others alone; what CPython's tokenizer refuses and tree-sitter does
 * not; and text that the grammar cannot read though newer Pythons can, for which it gives
 * replacements of the same length.
 */
#ifndef PKC_PYTHON_LAYOUT_H
#define PKC_PYTHON_LAYOUT_H

#include "python/ast.h"

struct layout_block {
    uint32_t start, end; /* bytes; start is the first of a line */
    uint32_t code_end;   /* past the last token; behind it are blank lines and comments */
    int line;
    bool joined; /* an edit took away the end of a line */
    bool bad;    /* `message` at `at` */
    struct ast_span at;
    struct str message;
};

struct layout_edit {
    uint32_t offset;
    char replacement;
};

struct layout {
    struct layout_block *blocks;
    size_t block_count, block_cap;
    struct layout_edit *edits;
    size_t edit_count, edit_cap;
};

void layout_scan(struct arena *a, struct str source, struct layout *out);

/* The name that the `def` or `class` of a top-level block defines; empty: none. */
struct str layout_block_name(struct str block);

#endif
