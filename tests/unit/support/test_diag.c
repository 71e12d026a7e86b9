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

static struct diag diag_at(const char *file, int line, int column, const char *message)
{
    return (struct diag){.severity = DIAG_ERROR,
                         .file = str_from(file),
                         .line = line,
                         .column = column,
                         .message = str_from(message)};
}

static void expect_text(struct arena *a, struct diag diag, const char *expected)
{
    struct diags d;
    diags_init(&d, a);
    diags_add(&d, diag);
    struct buf out;
    buf_init(&out, a);
    diags_format(&out, &d, false);
    assert_string_equal(out.ptr, expected);
}

static void test_caret_under_a_construct(void **state)
{
    struct diag diag = diag_at("k.py", 3, 5, "no such name");
    diag.source_line = STR("x = foo + 1");
    diag.end_column = 8;
    diag.hint = STR("write 'bar'");
    expect_text(*state, diag,
                "k.py:3:5: error: no such name\n"
                "x = foo + 1\n"
                "    ^~~\n"
                "hint: write 'bar'\n");
}

static void test_caret_after_tabs_and_wide_text(void **state)
{
    struct diag diag = diag_at("k.py", 1, 5, "m");
    diag.source_line = STR("\ta\t\xc3\xa9z");
    expect_text(*state, diag,
                "k.py:1:5: error: m\n"
                "        a       \xc3\xa9z\n"
                "                 ^\n");
}

static void test_caret_past_the_end(void **state)
{
    struct diag diag = diag_at("k.py", 1, 99, "m");
    diag.end_column = 200;
    diag.source_line = STR("ab");
    expect_text(*state, diag, "k.py:1:99: error: m\nab\n  ^\n");
}

static void test_control_characters_stay_away(void **state)
{
    struct diag diag = diag_at("k.py", 1, 2, "m");
    diag.source_line = STR("\x1b[31m\xff");
    expect_text(*state, diag, "k.py:1:2: error: m\n?[31m\xEF\xBF\xBD\n ^\n");
}

static void test_long_line_is_cut(void **state)
{
    struct arena *a = *state;
    char *text = arena_alloc(a, 100001);
    memset(text, 'x', 100000);
    text[50000] = '!';
    struct diag diag = diag_at("k.py", 1, 50001, "m");
    diag.source_line = str_from(text);
    struct diags d;
    diags_init(&d, a);
    diags_add(&d, diag);
    struct buf out;
    buf_init(&out, a);
    diags_format(&out, &d, false);
    assert_true(out.len < 500);
    const char *line = strchr(out.ptr, '\n') + 1;
    const char *carets = strchr(line, '\n') + 1;
    assert_int_equal(strchr(line, '!') - line, strchr(carets, '^') - carets);
}

static void test_no_place(void **state)
{
    expect_text(*state, diag_at("k.py", 0, 0, "cannot read"), "k.py: error: cannot read\n");
    expect_text(*state, diag_at("", 0, 0, "nothing"), "error: nothing\n");
}

static void test_sort(void **state)
{
    struct diags d;
    diags_init(&d, *state);
    diags_add(&d, diag_at("b.py", 9, 1, "one"));
    diags_add(&d, diag_at("a.py", 5, 1, "two"));
    diags_add(&d, diag_at("b.py", 2, 7, "three"));
    struct diag note = diag_at("z.py", 1, 1, "note of three");
    note.severity = DIAG_NOTE;
    diags_add(&d, note);
    diags_add(&d, diag_at("b.py", 2, 3, "four"));
    diags_add(&d, diag_at("b.py", 9, 1, "other"));
    diags_add(&d, diag_at("b.py", 9, 1, "one"));
    assert_int_equal(d.error_count, 6);
    diags_sort(&d);
    const char *const expected[] = {"four", "three", "note of three", "one", "other", "two"};
    assert_int_equal(d.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_str(d.items[i].message, expected[i]);
    }
    assert_int_equal(d.error_count, 5);
}

int run_diag_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_caret_under_a_construct, setup, teardown),
        cmocka_unit_test_setup_teardown(test_caret_after_tabs_and_wide_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_caret_past_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_control_characters_stay_away, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_line_is_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sort, setup, teardown),
    };
    return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
