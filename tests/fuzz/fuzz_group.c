/*
 * Taking a TU of many kernels apart: its parts are what follows the first lines, one after the
 * other to the end; and parts put together are taken apart as they were.
 */
#include "support/support.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good) {
        abort();
    }
}

static void check_again(struct arena *a, const struct vec *parts)
{
    struct buf b;
    struct vec again;
    buf_init(&b, a);
    group_begin(&b);
    for (size_t i = 0; i < parts->count; i++) {
        struct group_part part = *(const struct group_part *)parts->items[i];
        part.symbol = STR("s");
        group_add(&b, &part, NULL, 0);
    }
    require(group_parse(a, buf_str(&b), &again) && again.count == parts->count);
    for (size_t i = 0; i < parts->count; i++) {
        const struct group_part *one = parts->items[i];
        const struct group_part *two = again.items[i];
        require(str_equal(one->file, two->file) && str_equal(one->text, two->text) &&
                str_equal(one->meta, two->meta));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = str_copy(a, (struct str){(const char *)data, size});
    struct vec parts;
    if (group_parse(a, text, &parts)) {
        const char *at = ((const struct group_part *)parts.items[0])->whole.ptr;
        for (size_t i = 0; i < parts.count; i++) {
            const struct group_part *part = parts.items[i];
            require(part->whole.ptr == at && part->text.ptr >= at &&
                    part->text.ptr + part->text.len <= at + part->whole.len);
            at += part->whole.len;
        }
        require(at == text.ptr + text.len);
        check_again(a, &parts);
    }
    arena_free(a);
    return 0;
}
