/*
 * The readers of what is remembered of a dispatch TU's headers: the one that only compares stamps,
 * which leaves the text as it was, and the one that takes it in, which writes what it has read.
 */
#include "launch/direct.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good) {
        abort();
    }
}

static void check_same(struct arena *a, struct str text)
{
    struct job job;
    struct sha256 key;
    memset(&job, 0, sizeof(job));
    vec_init(&job.headers, a);
    vec_init(&job.command.dirs, a);
    vec_init(&job.compiler.search, a);
    job.command.input = STR("/nonexistent/k.dispatch.cpp");
    const struct str before = str_copy(a, text);
    (void)direct_same(a, &job, text, &key);
    require(str_equal(before, text));
}

static struct str written(struct arena *a, const struct header_set *set)
{
    struct buf b;
    buf_init(&b, a);
    set_format(&b, set);
    return buf_str(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = {(const char *)data, size};
    struct header_set one;
    struct header_set two;
    struct sha256 used;
    struct sha256 key;
    struct sha256 base;
    struct buf b;
    check_same(a, str_copy(a, text));
    /* The same behind a key that is the right one. */
    memset(&base, 0, sizeof(base));
    require(sha256_of(text, &used) && direct_key(a, &base, &used, &key));
    buf_init(&b, a);
    buf_printf(&b, "set %s\nused %s\n", sha256_hex(a, &key).ptr, sha256_hex(a, &used).ptr);
    buf_add(&b, text);
    check_same(a, str_copy(a, buf_str(&b)));

    struct str rest = str_copy(a, buf_str(&b));
    if (set_parse(a, &rest, &one)) {
        const struct str first = written(a, &one);
        struct str again = str_copy(a, first);
        require(set_parse(a, &again, &two) && again.len == 0);
        require(str_equal(first, written(a, &two)));
    }
    arena_free(a);
    return 0;
}
