/* Files that cannot be read, text that is not Python, and nesting. What CPython says of single
 * mistakes is compared by compare_errors.py. */
#include "common.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const good = "import pykokkos as pk\n@pk.workunit\ndef good(i, x):\n"
                                "    x[i] = 1\n";

static bool lists_good(struct project *p, const char *file)
{
    size_t count = 0;
    const struct py_workunit *workunits = py_workunits(project_load(p, file), &count);
    for (size_t i = 0; i < count; i++) {
        if (str_equal_c(workunits[i].name, "good")) {
            return true;
        }
    }
    return false;
}

static void files_that_cannot_be_read(void **state)
{
    struct project *p = *state;
    project_write(p, "folder.py/x", "");
    assert_false(project_load(p, "missing.py")->readable);
    assert_false(project_load(p, "folder.py")->readable);
    assert_int_equal(p->diags.error_count, 2);
    project_write(p, "secret.py", good);
    const struct str path = path_join(p->arena, p->folder, STR("secret.py"));
    assert_int_equal(chmod(path.ptr, 0), 0);
    if (access(path.ptr, R_OK) != 0) { /* root reads all */
        assert_false(project_load(p, "secret.py")->readable);
    }
}

static void a_file_is_read_once(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py", good);
    const struct py_module *m = project_load(p, "k.py");
    assert_ptr_equal(project_load(p, "k.py"), m);
    assert_ptr_equal(project_load(p, "./k.py"), m);
    assert_int_equal(symlink("k.py", path_join(p->arena, p->folder, STR("link.py")).ptr), 0);
    assert_ptr_equal(project_load(p, "link.py"), m);
}

static void text_that_is_none(void **state)
{
    struct project *p = *state;
    const struct str path = path_join(p->arena, p->folder, STR("k.py"));
    struct error e = {{0}};
    assert_true(file_write(path.ptr, STR("x = 1\ny\0 = 2\n"), false, &e));
    assert_false(project_load(p, "k.py")->readable);
    assert_str(project_messages(p), "k.py:2:2: error: SyntaxError: source code cannot contain null "
                                    "bytes\n");
    project_write(p, "k.py", "x = '\xff'\n");
    assert_false(project_load(p, "k.py")->readable);
    assert_str(project_messages(p), "k.py:1:6: error: SyntaxError: (unicode error) 'utf-8' codec "
                                    "can't decode byte 0xff in position 5\n");
    project_write(p, "k.py",
                  "\xEF\xBB\xBF"
                  "caf\xC3\xA9 = 1 1\n");
    assert_true(project_load(p, "k.py")->readable);
    /* columns count characters */
    assert_str(project_messages(p), "k.py:1:10: error: SyntaxError: invalid syntax\n");
}

static void an_empty_file(void **state)
{
    struct project *p = *state;
    static const char *const texts[] = {"", "\n", "# comment", "   \n\t\n", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        project_write(p, "k.py", texts[i]);
        const struct py_module *m = project_load(p, "k.py");
        assert_true(m->readable);
        assert_int_equal(m->tree->u.module.body.count, 0);
        assert_int_equal(p->diags.count, 0);
    }
}

static void errors_are_apart(void **state)
{
    struct project *p = *state;
    const struct str text = str_format(
        p->arena, "def a(:\n    pass\n%sdef b():\nx = 1\ndef c():\n    return 1 1\n", good);
    project_write(p, "k.py", text.ptr);
    assert_true(lists_good(p, "k.py"));
    assert_int_equal(project_load(p, "k.py")->error_count, 3);
    assert_str(project_messages(p),
               "k.py:1:6: error: SyntaxError: '(' was never closed\n"
               "k.py:8:1: error: IndentationError: expected an indented block after function "
               "definition on line 7\n"
               "k.py:10:14: error: SyntaxError: invalid syntax\n");
    assert_str(p->diags.items[1].scope, "b");
    assert_int_equal(py_lookup(project_load(p, "k.py"), STR("x")).kind, PY_CONSTANT);
}

/* `unit` 10,000 times, with something before and after. */
static const char *nested(struct project *p, const char *before, const char *unit,
                          const char *middle, const char *closing)
{
    struct buf text;
    buf_init(&text, p->arena);
    buf_add_c(&text, good);
    buf_add_c(&text, before);
    for (int i = 0; i < 10000; i++) {
        buf_add_c(&text, unit);
    }
    buf_add_c(&text, middle);
    for (int i = 0; i < 10000 && closing[0] != '\0'; i++) {
        buf_add_c(&text, closing);
    }
    buf_add_char(&text, '\n');
    return buf_str(&text).ptr;
}

static void deep_nesting(void **state)
{
    struct project *p = *state;
    static const char *const shapes[][4] = {
        {"x = ", "(", "1", ")"},
        {"x = ", "(", "", ""},
        {"x = ", "[", "", "]"},
        {"x = ", "{1:", "1", "}"},
        {"x = ", "not ", "1", ""},
        {"x = ", "-", "1", ""},
        {"x = a", ".b", "", ""},
        {"x = a", "()", "", ""},
        {"x = a", "[0]", "", ""},
        {"x = ", "1+", "1", ""},
        {"x = ", "1**", "1", ""},
        {"x = ", "1&", "1", ""},
        {"x = ", "1 if 1 else ", "1", ""},
        {"x = ", "lambda: ", "1", ""},
        {"x: ", "a|", "b", ""},
        {"x: ", "A[", "b", "]"},
        {"x = ", "f\"{", "1", "}\""},
        {"", "if x:\n", "pass", ""},
        {"", "if x: ", "pass", ""},
        {"x = ", "await ", "1", ""},
        {"match x:\n case ", "[", "a", "]"},
        {"x = ", "*", "a", ""},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        project_write(p, "k.py", nested(p, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]));
        assert_true(lists_good(p, "k.py"));
        assert_true(p->diags.count > 0);
        assert_true(p->diags.items[0].line >= 5);
        /* in a workunit it is an error, in the host's code it may be a warning */
        const struct str inside =
            str_format(p->arena, "@pk.workunit\ndef w(i):\n    %s", shapes[i][0]);
        project_write(p, "k.py", nested(p, inside.ptr, shapes[i][1], shapes[i][2], shapes[i][3]));
        assert_true(lists_good(p, "k.py"));
        assert_true(p->diags.error_count > 0);
    }
}

/* Long but flat: these are read. */
static void long_but_flat(void **state)
{
    struct project *p = *state;
    static const char *const shapes[][3] = {
        {"x = ", "y = ", "1"},         {"x = ", "1 or ", "1"},
        {"x = ", "1 < ", "1"},         {"x = ", "'a' ", ""},
        {"x = f(", "1, ", ")"},        {"x = [", "1, ", "]"},
        {"", "x = 1; ", "y = 2"},      {"def f(x):\n    pass\n", "    x = 1\n", ""},
        {"", "@d\n", "def f(): pass"},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        project_write(p, "k.py", nested(p, shapes[i][0], shapes[i][1], shapes[i][2], ""));
        assert_true(lists_good(p, "k.py"));
        assert_int_equal(p->diags.count, 0);
    }
}

static void a_file_that_is_too_long(void **state)
{
    struct project *p = *state;
    struct buf text;
    buf_init(&text, p->arena);
    while (text.len < 10000000) {
        buf_add_c(&text, "# a comment that goes on and on and on\n");
    }
    project_write(p, "k.py", buf_str(&text).ptr);
    assert_false(project_load(p, "k.py")->readable);
    assert_int_equal(p->diags.error_count, 1);
}

int run_error_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_that_cannot_be_read, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(a_file_is_read_once, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(text_that_is_none, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(an_empty_file, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(errors_are_apart, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(deep_nesting, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(long_but_flat, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_too_long, project_setup, project_teardown),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
