/* Normalising a name: any UTF-8, and what comes out is normal. */
#include <stdlib.h>

#include "python/unicode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str name = str_copy(a, (struct str){(const char *)data, size});
    const struct str once = unicode_nfkc(a, name);
    if (!str_equal(once, unicode_nfkc(a, once))) {
        abort();
    }
    arena_free(a);
    return 0;
}
