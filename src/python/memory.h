/*
 * Memory for tree-sitter and the grammar's scanner, which use what they were given without looking:
 * these functions never return NULL for lack of memory. They say so and end the process with status
 * 1, as an arena does; nothing is being written while Python is read.
 *
 * tree-sitter knows its allocator by global pointers, and hands it no context: so there is no state
 * of our own here, and no way to ask the caller.
 */
#ifndef PKC_PYTHON_MEMORY_H
#define PKC_PYTHON_MEMORY_H

#include <stddef.h>

/* ts_set_allocator takes these, and the grammar is compiled with them in the place of the C
 * library's (CMakeLists.txt). */
void *pkc_grammar_malloc(size_t size);
void *pkc_grammar_calloc(size_t count, size_t size);
void *pkc_grammar_realloc(void *p, size_t size);
void pkc_grammar_free(void *p);

#endif
