/* INSTANTIATE entries: what is read, and what is said of a bad one. */
#include "lowered.h"

#include <string.h>

static void test_reads_an_entry(void **state)
{
    struct arena *a = arena_new(NULL, NULL);
    struct instantiation out;
    struct error e = {{0}};

    (void)state;
    assert_true(instantiation_parse(
        a, STR("Lattice.step( x : View2D[float],a:pk.float32, i: index , l: List[List[int]])"),
        TYPE_DOUBLE, &out, &e));
    assert_true(str_equal_c(out.workunit, "Lattice.step"));
    assert_int_equal(out.count, 4);
    assert_true(str_equal_c(out.names[0], "x"));
    assert_int_equal(out.types[0]->kind, TYPE_VIEW);
    assert_int_equal(out.types[0]->rank, 2);
    assert_int_equal(out.types[0]->element->kind, TYPE_DOUBLE);
    assert_int_equal(out.types[1]->kind, TYPE_FLOAT);
    assert_null(out.types[2]);
    assert_int_equal(out.types[3]->kind, TYPE_ARRAY);
    assert_int_equal(out.types[3]->element->element->kind, TYPE_INT64);
    assert_true(instantiation_parse(a, STR("f()"), TYPE_DOUBLE, &out, &e));
    assert_int_equal(out.count, 0);
    arena_free(a);
}

static void test_elements_and_real(void **state)
{
    struct arena *a = arena_new(NULL, NULL);
    struct instantiation out;
    struct error e = {{0}};

    (void)state;
    assert_true(instantiation_parse(a, STR("f(v: View1D[int], r: pk.real, s: np.int_)"), TYPE_FLOAT,
                                    &out, &e));
    assert_int_equal(out.types[0]->element->kind, TYPE_INT32);
    assert_int_equal(out.types[1]->kind, TYPE_FLOAT);
    assert_int_equal(out.types[2]->kind, TYPE_INT64);
    arena_free(a);
}

static void test_bad_entries(void **state)
{
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"", "does not begin with"},
        {"1f(x: int)", "does not begin with"},
        {"f", "'(' is missing"},
        {"f(x)", "':' and a type"},
        {"f(x: int", "')' is missing"},
        {"f(x: int) y", "after the ')'"},
        {"f(x: int, x: int)", "twice"},
        {"f(x: View1D)", "no element type"},
        {"f(x: View1D[View1D[int]])", "a view of"},
        {"f(x: View1D[int)", "no type"},
        {"f(x: Wrong)", "unknown type"},
        {"f(2x: int)", "no parameter name"},
        {"f(x: )", "no type"},
        {"f(x: a.b.[int])", "no type"},
    };
    struct arena *a = arena_new(NULL, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct instantiation out;
        struct error e = {{0}};
        assert_false(instantiation_parse(a, str_from(bad[i].text), TYPE_DOUBLE, &out, &e));
        if (!strstr(e.text, bad[i].word)) {
            fail_msg("\"%s\": wanted \"%s\", got \"%s\"", bad[i].text, bad[i].word, e.text);
        }
    }
    arena_free(a);
}

static void test_deep_type(void **state)
{
    struct arena *a = arena_new(NULL, NULL);
    struct instantiation out;
    struct error e = {{0}};
    struct buf text;

    (void)state;
    buf_init(&text, a);
    buf_add_c(&text, "f(x: ");
    for (int i = 0; i < 100000; i++) {
        buf_add_c(&text, "List[");
    }
    assert_false(instantiation_parse(a, buf_str(&text), TYPE_DOUBLE, &out, &e));
    assert_true(strlen(e.text) > 0);
    arena_free(a);
}

const struct CMUnitTest instantiation_tests[] = {
    cmocka_unit_test(test_reads_an_entry),
    cmocka_unit_test(test_elements_and_real),
    cmocka_unit_test(test_bad_entries),
    cmocka_unit_test(test_deep_type),
};
const size_t instantiation_test_count = sizeof instantiation_tests / sizeof instantiation_tests[0];
