#include "common.h"

#include "store/private.h"

#include <string.h>

static struct str sample(struct arena *a)
{
    struct store_record r = record_of(1);
    r.workunit = STR("a=b:c%\nd\xc3\xa9");
    r.object_digest = key_of(9);
    r.size = 1234;
    r.created = 1700000000;
    struct store_part *parts = ARENA_ARRAY(a, struct store_part, 2);
    parts[0] = (struct store_part){STR("flags"), key_of(5), STR("-O3 -DX=\"a:b\""), false};
    parts[1] = (struct store_part){STR("text"), key_of(6), STR(""), false};
    r.parts = parts;
    r.part_count = 2;
    return record_format(a, &r);
}

static void test_round_trip(void **state)
{
    struct place *p = *state;
    struct store_record r;
    assert_int_equal(record_parse(p->arena, sample(p->arena), &r), RECORD_GOOD);
    struct store_record expected = record_of(1);
    assert_true(sha256_equal(&r.key, &expected.key));
    assert_true(sha256_equal(&r.ast_hash, &expected.ast_hash));
    assert_str(r.workunit, "a=b:c%\nd\xc3\xa9");
    assert_str(r.module, "kernels");
    assert_int_equal(r.size, 1234);
    assert_int_equal(r.created, 1700000000);
    assert_int_equal(r.part_count, 2);
    assert_str(r.parts[0].label, "flags");
    assert_str(r.parts[0].text, "-O3 -DX=\"a:b\"");
    const struct sha256 digest = key_of(6);
    assert_true(sha256_equal(&r.parts[1].digest, &digest));
}

static void test_every_flip_and_cut_is_seen(void **state)
{
    struct place *p = *state;
    const struct str text = sample(p->arena);
    struct store_record r;
    for (size_t i = 0; i < text.len; i++) {
        struct arena *a = arena_new(NULL, NULL);
        char *copy = arena_alloc(a, text.len);
        memcpy(copy, text.ptr, text.len);
        copy[i] = (char)(copy[i] ^ 1);
        assert_int_equal(record_parse(a, (struct str){copy, text.len}, &r), RECORD_DAMAGED);
        assert_int_equal(record_parse(a, str_slice(text, 0, i), &r), RECORD_DAMAGED);
        arena_free(a);
    }
}

/* A right digest under `body`. */
static struct str signed_text(struct arena *a, const char *body)
{
    struct sha256 digest;
    assert_true(sha256_of(str_from(body), &digest));
    return str_format(a, "%sdigest=%s\n", body, sha256_hex(a, &digest).ptr);
}

static void test_newer_and_malformed(void **state)
{
    struct place *p = *state;
    struct store_record r;
    assert_int_equal(
        record_parse(p->arena, signed_text(p->arena, "pykokkos-cache record 2\nkey!\n"), &r),
        RECORD_NEWER);
    assert_int_equal(record_parse(p->arena, signed_text(p->arena, "something else\n"), &r),
                     RECORD_DAMAGED);
    assert_int_equal(record_parse(p->arena, signed_text(p->arena, "pykokkos-cache record 1\n"), &r),
                     RECORD_DAMAGED);
    assert_int_equal(
        record_parse(p->arena, signed_text(p->arena, "pykokkos-cache record 1\npart=a:b\n"), &r),
        RECORD_DAMAGED);
    assert_int_equal(
        record_parse(p->arena,
                     signed_text(p->arena, "pykokkos-cache record 1\nsize=99999999999999999999\n"),
                     &r),
        RECORD_DAMAGED);
}

int run_record_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_round_trip),
        PLACE_TEST(test_every_flip_and_cut_is_seen),
        PLACE_TEST(test_newer_and_malformed),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
