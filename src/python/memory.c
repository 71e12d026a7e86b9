#include "python/memory.h"

#include <stdlib.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
    static const char text[] = "pykokkos-cache: out of memory while reading Python\n";
    const ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)written;
    _exit(1);
}

void *pkc_grammar_malloc(size_t size)
{
    void *p = malloc(size);
    if (p == NULL && size > 0) {
        out_of_memory();
    }
    return p;
}

void *pkc_grammar_calloc(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p == NULL && count > 0 && size > 0) {
        out_of_memory();
    }
    return p;
}

void *pkc_grammar_realloc(void *p, size_t size)
{
    void *larger = realloc(p, size);
    if (larger == NULL && size > 0) {
        out_of_memory();
    }
    return larger;
}

void pkc_grammar_free(void *p)
{
    free(p);
}
