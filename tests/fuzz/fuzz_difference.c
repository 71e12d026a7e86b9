/* The comparison of two canonical forms, which come from a file that may be damaged. */
#include <string.h>

#include "python/python.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = str_copy(a, (struct str){(const char *)data, size});
    /* The first NUL byte stands between the two. */
    const char *middle = size == 0 ? NULL : memchr(text.ptr, '\0', size);
    const size_t at = middle == NULL ? size / 2 : (size_t)(middle - text.ptr);
    const size_t next = middle == NULL ? at : at + 1;
    struct buf out;
    buf_init(&out, a);
    py_canonical_difference(&out, str_slice(text, 0, at), str_slice(text, next, size), NULL);
    arena_free(a);
    return 0;
}
