/*
 * The reader of depfiles; and what it read, written as we write depfiles and read again, is the
 * same.
 */
#include "launch/private.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Make has no way to write every name: newlines not at all, backslashes not before all characters.
 */
static bool can_be_written(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (c == '\n' || c == '\r' || c == '\\' || c == '\0' || c == ':') {
            return false;
        }
    }
    return name.len > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    struct vec names;
    vec_init(&names, a);
    if (depfile_names(a, (struct str){(const char *)data, size}, &names) && names.count > 0) {
        struct job *job = ARENA_NEW(a, struct job);
        vec_init(&job->headers, a);
        vec_init(&job->command.targets, a);
        vec_init(&job->scan.files, a);
        vec_init(&job->compiler.implicit, a);
        job->direct = true;
        job->command.output = STR("out dir/#$.o");
        job->command.input = STR("in put.cpp");
        for (size_t i = 0; i < names.count; i++) {
            if (can_be_written(*(const struct str *)names.items[i])) {
                vec_push(&job->headers, names.items[i]);
            }
        }
        struct vec again;
        vec_init(&again, a);
        if (!depfile_names(a, depfile_text(a, job), &again) ||
            again.count != job->headers.count + 1 ||
            !str_equal(*(const struct str *)again.items[0], job->command.input)) {
            abort();
        }
        for (size_t i = 0; i < job->headers.count; i++) {
            if (!str_equal(*(const struct str *)again.items[i + 1],
                           *(const struct str *)job->headers.items[i])) {
                abort();
            }
        }
    }
    arena_free(a);
    return 0;
}
