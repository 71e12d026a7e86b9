/*
 * The reader of what was generated last, for `why`. What it reads lies within the text; a name leads
 * to its own entry.
 */
#include "cli/target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum;

static void use(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        sum += (unsigned char)s.ptr[i];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    struct state s;
    size_t forms = 0;
    if (state_parse(a, (struct str){(const char *)data, size}, &s)) {
        use(s.changes);
        use(s.build);
        for (size_t i = 0; i < s.by_name.count; i++) {
            const struct state_entry *entry = s.by_name.entries[i].value;
            use(entry->name);
            use(entry->module);
            use(entry->workunit);
            use(entry->canonical);
            use(entry->was);
            sum += entry->ast_hash.bytes[0] + entry->signature_hash.bytes[0];
            forms += entry->canonical.len + entry->was.len;
            if (map_get(&s.by_name, entry->name) != entry) {
                abort();
            }
        }
        if (s.changes.len + forms > size) {
            abort();
        }
    }
    arena_free(a);
    return 0;
}
