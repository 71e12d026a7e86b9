/* Several kernel TUs in one file. */
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

enum { PARTS = 3 };

/* Texts that look like the lines around them. */
static void make_parts(struct group_part *parts)
{
    parts[0] =
        (struct group_part){STR("a/one.kernel.cpp"), STR("one"), STR("module=a\nworkunit=one\n"),
                            STR("// first\n#include <x.hpp>\nint shift;\n"), STR("")};
    parts[1] = (struct group_part){STR("a/two.kernel.cpp"), STR("two"), STR(""),
                                   STR("//: part x 1 2 3\n//= a=b\n"), STR("")};
    parts[2] = (struct group_part){STR("a/three%20x.kernel.cpp"), STR("three"), STR("k=v\n"),
                                   STR(""), STR("")};
}

static struct str group_of(struct arena *a, size_t count)
{
    struct buf b;
    struct group_part tricky[PARTS];
    make_parts(tricky);
    const struct str names[] = {STR("shift"), STR("P")};
    buf_init(&b, a);
    group_begin(&b);
    for (size_t i = 0; i < count; i++) {
        group_add(&b, &tricky[i], names, i == 0 ? 2 : 0);
    }
    return buf_str(&b);
}

static void test_parts_come_back(void **state)
{
    struct arena *a = *state;
    struct vec parts;
    struct group_part tricky[PARTS];
    make_parts(tricky);
    assert_true(group_parse(a, group_of(a, PARTS), &parts));
    assert_int_equal(parts.count, PARTS);
    for (size_t i = 0; i < 3; i++) {
        const struct group_part *p = parts.items[i];
        assert_true(str_equal(p->file, tricky[i].file));
        assert_true(str_equal(p->meta, tricky[i].meta));
        assert_true(str_equal(p->text, tricky[i].text));
    }
}

static void test_wholes_make_the_file(void **state)
{
    struct arena *a = *state;
    struct vec parts;
    struct buf b;
    const struct str text = group_of(a, 3);
    assert_true(group_parse(a, text, &parts));
    buf_init(&b, a);
    group_begin(&b);
    for (size_t i = 0; i < parts.count; i++) {
        buf_add(&b, ((const struct group_part *)parts.items[i])->whole);
    }
    assert_true(str_equal(buf_str(&b), text));
}

static void test_names_are_renamed_after_the_headers(void **state)
{
    const struct str text = group_of(*state, 1);
    const char *include = strstr(text.ptr, "#include <x.hpp>");
    const char *define = strstr(text.ptr, "#define shift shift__one\n");
    const char *undef = strstr(text.ptr, "#undef shift\n");
    assert_non_null(include);
    assert_non_null(define);
    assert_non_null(undef);
    assert_true(include < define && define < strstr(text.ptr, "int shift;"));
    assert_true(strstr(text.ptr, "int shift;") < undef);
    assert_non_null(strstr(text.ptr, "#undef P\n"));
}

/* Cut anywhere, it is another group of whole parts, or none; never more than is there. */
static void test_cut(void **state)
{
    struct arena *a = *state;
    const struct str text = group_of(a, 3);
    for (size_t n = 0; n < text.len; n++) {
        struct vec parts;
        const struct str cut = str_copy(a, str_slice(text, 0, n));
        if (group_parse(a, cut, &parts)) {
            const struct group_part *last = parts.items[parts.count - 1];
            assert_true(last->whole.ptr + last->whole.len == cut.ptr + cut.len);
        }
    }
    struct vec parts;
    assert_false(group_parse(a, STR(""), &parts));
    assert_false(group_parse(a, STR("int x;\n"), &parts));
    assert_false(group_parse(a, STR(GROUP_MARKER "\n"), &parts));
    assert_false(group_parse(a, STR(GROUP_MARKER "\n//: part a 0 99999 0\nx\n"), &parts));
    assert_false(group_parse(a, STR(GROUP_MARKER "\n//: part a 0 1234567890 0\nx\n"), &parts));
}

int run_part_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_parts_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wholes_make_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_are_renamed_after_the_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
    };
    return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
