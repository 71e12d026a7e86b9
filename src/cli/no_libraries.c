/*
 * In a statically linked program: SQLite could load extensions, which this program never asks for.
 * Linked with --wrap=dlopen, its dlopen() is this one. (The C library's works only where the very
 * version that it was linked from is installed, and the linker warns of it.)
 */
#include <stddef.h>

/* The name that the linker gives it. */
void *__wrap_dlopen(const char *path, int mode);

void *__wrap_dlopen(const char *path, int mode)
{
    (void)path;
    (void)mode;
    return NULL;
}
