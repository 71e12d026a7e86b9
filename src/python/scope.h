/* Private to src/python: which names are local to a function. */
#ifndef PKC_PYTHON_SCOPE_H
#define PKC_PYTHON_SCOPE_H

#include "python/ast.h"

struct scope {
    const struct scope *outer;
    struct map local;
    struct map global; /* names declared so */
};

/* Parameters and whatever the body binds, not looking into inner functions and classes. */
void scope_of_function(struct scope *s, struct arena *a, const struct ast_node *function,
                       const struct scope *outer);
/* A comprehension's or lambda's own names. */
void scope_of_expression(struct scope *s, struct arena *a, const struct ast_node *node,
                         const struct scope *outer);
/* Is the name bound by one of these scopes? */
bool scope_has(const struct scope *s, struct str name);

#endif
