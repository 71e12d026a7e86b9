#include "tests.h"

#include <string.h>

static int setup(void **state)
{
    *state = arena_new(NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

static void test_arena_is_zeroed_and_aligned(void **state)
{
    struct arena *a = *state;
    for (size_t size = 0; size < 3000; size += 37) {
        unsigned char *p = arena_alloc(a, size);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(p[i], 0);
        }
        memset(p, 0xAB, size);
    }
    char *large = arena_alloc(a, 5000000);
    assert_int_equal(large[0] | large[4999999], 0);
    assert_true(arena_used(a) > 5000000);
}

/* A formatted string keeps no more than it needs, and what it gives back is zero again. */
static void test_arena_formatted_strings_are_small(void **state)
{
    struct arena *a = *state;
    struct str first = str_format(a, "%d", 7);
    const size_t before = arena_used(a);
    struct str second = str_format(a, "%s and %d", "thirty", 30);
    assert_int_equal(arena_used(a) - before, 16);
    const unsigned char *next = arena_alloc(a, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(next[i], 0);
    }
    assert_string_equal(first.ptr, "7");
    assert_string_equal(second.ptr, "thirty and 30");
    char word[301];
    memset(word, 'w', 300);
    word[300] = '\0';
    const size_t long_before = arena_used(a);
    assert_string_equal(str_format(a, "%s", word).ptr, word);
    assert_true(arena_used(a) - long_before <= 304 + 64); /* and the first try, of 64 bytes */
}

static jmp_buf oom_jump;

static void oom(void *context)
{
    *(int *)context += 1;
    longjmp(oom_jump, 1);
}

static void test_arena_out_of_memory(void **state)
{
    (void)state;
    volatile int calls = 0;
    struct arena *a = arena_new(oom, (void *)(uintptr_t)&calls);
    if (setjmp(oom_jump) == 0) {
        arena_array(a, SIZE_MAX / 2, 3);
        fail();
    }
    if (setjmp(oom_jump) == 0) {
        arena_alloc(a, SIZE_MAX - 2);
        fail();
    }
    assert_int_equal(calls, 2);
    arena_free(a);
}

static void test_str(void **state)
{
    struct arena *a = *state;
    assert_true(str_equal(STR("ab"), str_copy_c(a, "ab")));
    assert_false(str_equal(STR("ab"), STR("abc")));
    assert_true(str_compare(STR("ab"), STR("abc")) < 0);
    assert_true(str_compare(STR("b"), STR("abc")) > 0);
    assert_int_equal(str_compare(STR(""), STR("")), 0);
    assert_true(str_starts_with(STR("abc"), "ab"));
    assert_false(str_starts_with(STR("a"), "ab"));
    assert_true(str_ends_with(STR("abc"), "bc"));
    assert_false(str_ends_with(STR("c"), "bc"));
    assert_str(str_slice(STR("hello"), 1, 3), "el");
    assert_str(str_slice(STR("hello"), 4, 99), "o");
    assert_str(str_slice(STR("hello"), 9, 3), "");
    assert_str(str_format(a, "%d-%s", 42, "x"), "42-x");
}

static void test_distance(void **state)
{
    (void)state;
    assert_int_equal(str_distance(STR("scale"), STR("scale"), 3), 0);
    assert_int_equal(str_distance(STR("scael"), STR("scale"), 3), 1); /* a swap */
    assert_int_equal(str_distance(STR("parallel_for"), STR("paralel_for"), 3), 1);
    assert_int_equal(str_distance(STR("kitten"), STR("sitting"), 5), 3);
    assert_int_equal(str_distance(STR("kitten"), STR("sitting"), 1), 2);
    assert_int_equal(str_distance(STR(""), STR("abc"), 3), 3);
    assert_int_equal(str_distance(STR("a"), STR("abcdefgh"), 2), 3);
}

static void test_buf_grows(void **state)
{
    struct arena *a = *state;
    struct buf b;
    buf_init(&b, a);
    assert_str(buf_str(&b), "");
    for (int i = 0; i < 10000; i++) {
        buf_printf(&b, "%d,", i % 10);
    }
    assert_int_equal(b.len, 20000);
    assert_int_equal(b.ptr[b.len], '\0');
    assert_memory_equal(b.ptr + 19998, "9,", 2);
    struct buf c;
    buf_init(&c, a);
    buf_printf(&c, "%s", b.ptr); /* longer than any first guess */
    assert_int_equal(c.len, 20000);
    buf_add_bytes(&c, "x\0y", 3);
    assert_memory_equal(c.ptr + 20000, "x\0y", 3);
}

static void test_vec_and_map_keep_order(void **state)
{
    struct arena *a = *state;
    struct vec v;
    vec_init(&v, a);
    struct map m;
    map_init(&m, a);
    assert_null(map_get(&m, STR("k0")));
    static int values[5000];
    for (int i = 0; i < 5000; i++) {
        vec_push(&v, &values[i]);
        map_set(&m, str_format(a, "k%d", i), &values[i]);
    }
    map_set(&m, STR("k7"), &values[0]);
    map_set(&m, STR("none"), NULL);
    assert_int_equal(v.count, 5000);
    assert_int_equal(m.count, 5001);
    for (int i = 0; i < 5000; i++) {
        assert_ptr_equal(v.items[i], &values[i]);
        assert_ptr_equal(map_get(&m, str_format(a, "k%d", i)), &values[i == 7 ? 0 : i]);
    }
    assert_str(m.entries[4999].key, "k4999");
    assert_true(map_has(&m, STR("none")));
    assert_false(map_has(&m, STR("k5000")));
}

/* Texts of 0 to 40 bytes, each bit of them flipped, and a byte more or less: all sums differ. */
static void test_sum64(void **state)
{
    char text[41] = "The sum tells a byte that is not itself.";
    const uint64_t whole = sum64(STR("The sum tells a byte that is not itself."));
    (void)state;
    for (size_t len = 0; len <= 40; len++) {
        const struct str s = {text, len};
        const uint64_t sum = sum64(s);
        assert_true(len == 40 ? sum == whole : sum != whole);
        for (size_t bit = 0; bit < 8 * len; bit++) {
            text[bit / 8] ^= (char)(1 << bit % 8);
            assert_true(sum64(s) != sum);
            text[bit / 8] ^= (char)(1 << bit % 8);
        }
        const char after = text[len];
        text[len] = '\0';
        assert_true(sum64((struct str){text, len + 1}) != sum);
        text[len] = after;
    }
}

static void test_sha256(void **state)
{
    struct arena *a = *state;
    struct sha256 h;
    assert_true(sha256_of(STR("abc"), &h));
    assert_str(sha256_hex(a, &h),
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(sha256_of(STR(""), &h));
    assert_str(sha256_hex(a, &h),
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

    struct sha256 pieces;
    struct sha256_ctx *c = sha256_begin(a);
    assert_non_null(c);
    sha256_add(c, "a", 1);
    sha256_add(c, "bc", 2);
    assert_true(sha256_end(c, &pieces));
    assert_true(sha256_of(STR("abc"), &h));
    assert_true(sha256_equal(&h, &pieces));

    /* Lengths keep ("ab", "c") and ("a", "bc") apart. */
    struct sha256 one;
    struct sha256 two;
    c = sha256_begin(a);
    sha256_add_str(c, STR("ab"));
    sha256_add_str(c, STR("c"));
    assert_true(sha256_end(c, &one));
    c = sha256_begin(a);
    sha256_add_str(c, STR("a"));
    sha256_add_str(c, STR("bc"));
    assert_true(sha256_end(c, &two));
    assert_false(sha256_equal(&one, &two));

    struct sha256 back;
    assert_true(sha256_from_hex(sha256_hex(a, &one), &back));
    assert_true(sha256_equal(&one, &back));
    assert_false(sha256_from_hex(STR("12"), &back));
    struct str bad = sha256_hex(a, &one);
    ((char *)(uintptr_t)bad.ptr)[5] = 'g';
    assert_false(sha256_from_hex(bad, &back));
}

static void test_json(void **state)
{
    struct buf b;
    buf_init(&b, *state);
    json_string(&b, (struct str){"a\"\\\n\t\x01\x7f\xc3\xa9\xff\xed\xa0\x80z", 14});
    assert_str(buf_str(&b), "\"a\\\"\\\\\\n\\t\\u0001\\u007f\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD"
                            "\xEF\xBF\xBD\xEF\xBF\xBDz\"");
}

static void test_paths(void **state)
{
    struct arena *a = *state;
    assert_str(path_join(a, STR("a"), STR("b")), "a/b");
    assert_str(path_join(a, STR("a/"), STR("b")), "a/b");
    assert_str(path_join(a, STR("a"), STR("/b")), "/b");
    assert_str(path_join(a, STR(""), STR("b")), "b");
    assert_str(path_dirname(STR("a/b/c")), "a/b");
    assert_str(path_dirname(STR("/c")), "/");
    assert_str(path_dirname(STR("c")), ".");
    assert_str(path_basename(STR("/a/b.c")), "b.c");
    assert_str(path_stem(STR("/a/b.kernel.cpp")), "b.kernel");
    assert_str(path_stem(STR(".hidden")), ".hidden");
    assert_str(path_absolute(a, STR("/a/b"), STR("../c/./d")), "/a/c/d");
    assert_str(path_absolute(a, STR("/a"), STR("../../..")), "/");
    assert_str(path_absolute(a, STR("/a"), STR("//x//y/")), "/x/y");
    assert_str(path_relative(a, STR("/a/b"), STR("/a/b/c")), "c");
    assert_str(path_relative(a, STR("/a/b"), STR("/a/bc")), "../bc");
    assert_str(path_relative(a, STR("/a/b"), STR("/x")), "../../x");
    assert_str(path_relative(a, STR("/"), STR("/x/y")), "x/y");
    assert_str(path_relative(a, STR("/x/y"), STR("/")), "../..");
    assert_str(path_relative(a, STR("/x"), STR("/x")), ".");
    assert_int_equal(path_cwd(a).ptr[0], '/');
}

int run_text_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arena_is_zeroed_and_aligned, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arena_formatted_strings_are_small, setup, teardown),
        cmocka_unit_test(test_arena_out_of_memory),
        cmocka_unit_test_setup_teardown(test_str, setup, teardown),
        cmocka_unit_test(test_distance),
        cmocka_unit_test_setup_teardown(test_buf_grows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_vec_and_map_keep_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sum64, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sha256, setup, teardown),
        cmocka_unit_test_setup_teardown(test_json, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
