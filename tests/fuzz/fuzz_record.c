/*
 * The reader of entries' records: of bytes as they are, and of the same with a digest that fits.
 * What it read, written and read again, is the same.
 */
#include "store/private.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good) {
        abort();
    }
}

static void check(struct arena *a, struct str text)
{
    struct store_record one;
    struct store_record two;
    if (record_parse(a, text, &one) != RECORD_GOOD) {
        return;
    }
    const struct str written = record_format(a, &one);
    require(record_parse(a, written, &two) == RECORD_GOOD);
    require(str_equal(written, record_format(a, &two)));
    require(sha256_equal(&one.key, &two.key) && str_equal(one.module, two.module));
    require(one.size == two.size && one.created == two.created);
    require(one.part_count == two.part_count);
    for (size_t i = 0; i < one.part_count; i++) {
        require(str_equal(one.parts[i].label, two.parts[i].label));
        require(str_equal(one.parts[i].text, two.parts[i].text));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(NULL, NULL);
    const struct str text = {(const char *)data, size};
    struct sha256 digest;
    struct buf b;
    check(a, text);
    if (sha256_of(text, &digest)) {
        buf_init(&b, a);
        buf_add(&b, text);
        buf_printf(&b, "digest=%s\n", sha256_hex(a, &digest).ptr);
        check(a, buf_str(&b));
    }
    arena_free(a);
    return 0;
}
