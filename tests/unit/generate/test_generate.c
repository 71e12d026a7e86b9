/* INSTANTIATE, names, hashes and refusals of whole targets. */
#include "common.h"

#include <string.h>

struct run {
    bool good;
    struct diags diags;
    struct gen_result result;
    const char *text; /* the diagnostics */
};

static struct run analyse(struct fixture *f, const char *const *sources,
                          const char *const *instantiate)
{
    struct run out = {0};
    struct gen_request r = {
        .target = STR("kern"),
        .output_dir = str_from(path_in(f, "out")),
        .source_dir = str_from(f->dir),
        .default_real = TYPE_DOUBLE,
    };
    struct str *lists = ARENA_ARRAY(f->arena, struct str, 16);
    while (sources[r.source_count] != NULL) {
        lists[r.source_count] = str_from(sources[r.source_count]);
        r.source_count++;
    }
    r.sources = lists;
    r.instantiate = lists + 8;
    while (instantiate != NULL && instantiate[r.instantiate_count] != NULL) {
        lists[8 + r.instantiate_count] = str_from(instantiate[r.instantiate_count]);
        r.instantiate_count++;
    }
    diags_init(&out.diags, f->arena);
    out.good = gen_analyse(f->arena, &r, &out.diags, &out.result);
    struct buf b;
    buf_init(&b, f->arena);
    diags_format(&b, &out.diags, false);
    out.text = b.ptr != NULL ? b.ptr : "";
    return out;
}

#define HEAD "import pykokkos as pk\n\n"
#define AXPY "@pk.workunit\ndef axpy(i, x, y, a):\n    y[i] = a * x[i] + y[i]\n\n"

static const char *const kernels_py[] = {"kernels.py", NULL};

static void instantiations_are_kernels_of_their_own(void **state)
{
    struct fixture *f = *state;
    static const char *const entries[] = {
        "axpy(x: View1D[double], y: View1D[double], a: double)",
        "axpy(x: View1D[float32], y: View1D[float32], a: float32)",
        "axpy(x: View1D[pk.double], y: View1D[double], a: pk.double)", /* the first again */
        NULL};
    write_text(f, "kernels.py", HEAD AXPY);
    const struct run run = analyse(f, kernels_py, entries);
    assert_string_equal(run.text, "");
    assert_true(run.good);
    assert_int_equal(run.result.workunit_count, 2);
    const struct gen_workunit *w = run.result.workunits;
    assert_false(str_equal(w[0].file, w[1].file));
    assert_false(sha256_equal(&w[0].ast_hash, &w[1].ast_hash));
}

static void an_unknown_workunit_is_named_with_the_near_one(void **state)
{
    struct fixture *f = *state;
    static const char *const entries[] = {"axpy(x: View1D[double], y: View1D[double], a: double)",
                                          "axpi(a: double)", NULL};
    write_text(f, "kernels.py", HEAD AXPY);
    const struct run run = analyse(f, kernels_py, entries);
    assert_false(run.good);
    assert_non_null(strstr(run.text, "there is no workunit 'axpi'"));
    assert_non_null(strstr(run.text, "did you mean 'axpy'?"));
}

static void a_wrong_entry_is_an_error(void **state)
{
    struct fixture *f = *state;
    static const char *const entries[] = {"axpy(x View1D)", NULL};
    write_text(f, "kernels.py", HEAD AXPY);
    const struct run run = analyse(f, kernels_py, entries);
    assert_false(run.good);
    assert_non_null(strstr(run.text, "INSTANTIATE \"axpy(x View1D)\""));
}

static void an_entry_can_name_the_module(void **state)
{
    struct fixture *f = *state;
    static const char *const two[] = {"a/kern.py", "b/kern.py", NULL};
    static const char *const entries[] = {
        "a.kern.axpy(x: View1D[double], y: View1D[double], a: double)",
        "b.kern.axpy(x: View1D[float32], y: View1D[float32], a: float32)", NULL};
    write_text(f, "a/kern.py", HEAD AXPY);
    write_text(f, "b/kern.py", HEAD AXPY);
    const struct run run = analyse(f, two, entries);
    assert_string_equal(run.text, "");
    assert_int_equal(run.result.workunit_count, 2);
    assert_string_equal(run.result.workunits[0].file.ptr + strlen("a/kern/"),
                        strchr(strchr(run.result.workunits[0].file.ptr, '/') + 1, '/') + 1);
    assert_false(str_equal(run.result.workunits[0].file, run.result.workunits[1].file));
}

static void one_bad_workunit_leaves_the_others(void **state)
{
    struct fixture *f = *state;
    write_text(f, "kernels.py",
               HEAD "@pk.workunit\ndef bad(i: int, x: pk.View1D[float]):\n    assert x[i] > 0\n\n"
                    "@pk.workunit\ndef good(i: int, x: pk.View1D[float]):\n    x[i] = 1.0\n");
    const struct run run = analyse(f, kernels_py, NULL);
    assert_false(run.good);
    assert_int_equal(run.result.workunit_count, 2);
    assert_null(run.result.workunits[0].kernel);
    assert_non_null(run.result.workunits[1].kernel);
    assert_non_null(strstr(run.text, "kernels.py:5:"));
}

static void a_source_given_twice_is_read_once(void **state)
{
    struct fixture *f = *state;
    static const char *const twice[] = {"kernels.py", "./kernels.py", NULL};
    write_text(f, "kernels.py",
               HEAD "@pk.workunit\ndef one(i: int, x: pk.View1D[float]):\n    x[i] = 1.0\n");
    const struct run run = analyse(f, twice, NULL);
    assert_true(run.good);
    assert_int_equal(run.result.module_count, 1);
}

static void missing_and_broken_files_are_errors(void **state)
{
    struct fixture *f = *state;
    static const char *const missing[] = {"nowhere.py", NULL};
    assert_false(analyse(f, missing, NULL).good);
    write_text(f, "kernels.py", HEAD "@pk.workunit\ndef broken(i: int:\n    pass\n");
    const struct run run = analyse(f, kernels_py, NULL);
    assert_false(run.good);
    assert_non_null(strstr(run.text, "kernels.py:4:"));
}

const struct CMUnitTest generate_tests[] = {
    TEST(instantiations_are_kernels_of_their_own),
    TEST(an_unknown_workunit_is_named_with_the_near_one),
    TEST(a_wrong_entry_is_an_error),
    TEST(an_entry_can_name_the_module),
    TEST(one_bad_workunit_leaves_the_others),
    TEST(a_source_given_twice_is_read_once),
    TEST(missing_and_broken_files_are_errors),
};
const size_t generate_test_count = sizeof generate_tests / sizeof *generate_tests;
