/* Private to src/python: the canonical forms of definitions, and what they reach. */
#ifndef PKC_PYTHON_CANONICAL_H
#define PKC_PYTHON_CANONICAL_H

#include "python/program.h"

enum item_kind { ITEM_WORKUNIT, ITEM_FUNCTION, ITEM_METHOD, ITEM_CLASS };

/* A definition that a closure holds. */
struct item {
    enum item_kind kind;
    struct module *module;             /* where `node` is */
    const struct ast_node *node;       /* FunctionDef or ClassDef */
    struct module *class_module;       /* methods: of `class_node` */
    const struct ast_node *class_node; /* methods: the class of `self`, which may be derived */
};

/* What a line of a form stands for. */
struct form_line {
    const struct ast_node *node; /* NULL: nothing in the text */
    const struct module *module;
};

/* An item's form: text that does not depend on who reaches it. */
struct form {
    struct str text;   /* without the header line */
    struct item *refs; /* what it reaches, in order of mention, each once */
    size_t ref_count;
    struct form_line *lines; /* one for each line of the text; only where asked */
    size_t line_count;
};

/* Computed once for each definition; `lines` asks for a fresh one with its lines' nodes. The text
 * of a workunit's own form lasts until the next workunit's is asked for, unless with `lines`. */
const struct form *form_of(struct py_program *p, const struct item *item, bool lines);

/* The whole closure: the workunit's item first, then those it reaches in order of mention. */
struct closure {
    struct item *items;
    const struct form **forms;
    size_t count;
};
void closure_of(struct closure *out, const struct py_workunit *w, bool lines);
/* "function .shift", as the header of an item in `w`'s closure. */
struct str closure_header(struct arena *a, const struct closure *c, size_t index);

#endif
