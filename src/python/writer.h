/* Private to src/python: a canonical form while it is written. */
#ifndef PKC_PYTHON_WRITER_H
#define PKC_PYTHON_WRITER_H

#include "python/canonical.h"
#include "python/scope.h"

struct writer {
    struct arena *arena;
    struct py_program *program;
    struct buf out;
    struct module *module; /* where names are looked up */
    struct module *home;   /* the item's own */
    const struct scope *scope;
    struct module *class_module; /* in a method */
    const struct ast_node *class_node;
    struct str self;
    int depth;
    int aliases; /* nesting of aliases that are followed */
    struct vec refs;
    struct map refs_seen;
    bool uses_workunit; /* a workunit is mentioned */
    bool keep_lines;
    struct vec lines;
};

/* A line: its indentation and text, then what is added to w->out, then its end. */
void write_begin(struct writer *w, const struct ast_node *node, const char *text);
void write_end(struct writer *w);
/* A whole line; and "text name". */
void write_line(struct writer *w, const struct ast_node *node, const char *text);
void write_name(struct writer *w, const struct ast_node *node, const char *text, struct str name);
/* `label` (NULL: none) and the nodes one level below it. */
void write_seq(struct writer *w, const struct ast_node *owner, const char *label,
               struct ast_seq seq);
void write_labelled(struct writer *w, const char *label, const struct ast_node *node);
/* A constant's kind and value: "int 3". */
void write_value(struct writer *w, const struct py_value *value);
/* A Name, an Attribute: as what they mean where they are free. */
void write_free_name(struct writer *w, const struct ast_node *node);
void write_attribute(struct writer *w, const struct ast_node *node);
/* canonical.c: any node, with what is below it */
void write_node(struct writer *w, const struct ast_node *node);

#endif
