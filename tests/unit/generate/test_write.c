/* The files of a target: written when their bytes change, removed when they are no longer its. */
#include "common.h"

#include <string.h>
#include <unistd.h>

/* A request for the Python files `sources` (NULL-ended) in the fixture's folder, output in "out".
 */
static struct gen_request request_of(struct fixture *f, const char *const *sources)
{
    struct gen_request r = {
        .target = STR("kern"),
        .output_dir = str_from(path_in(f, "out")),
        .source_dir = str_from(f->dir),
        .default_real = TYPE_DOUBLE,
        .python_module = true,
        .cmake_fragment = true,
        .ninja_fragment = true,
    };
    struct str *list = ARENA_ARRAY(f->arena, struct str, 8);
    while (sources[r.source_count] != NULL) {
        list[r.source_count] = str_from(sources[r.source_count]);
        r.source_count++;
    }
    r.sources = list;
    return r;
}

/* Analyses and writes; returns how many files changed. */
static size_t generate(struct fixture *f, const struct gen_request *r)
{
    struct diags diags;
    struct gen_result result;
    struct error e = {""};
    diags_init(&diags, f->arena);
    if (!gen_analyse(f->arena, r, &diags, &result)) {
        struct buf b;
        buf_init(&b, f->arena);
        diags_format(&b, &diags, false);
        fail_msg("%s", b.ptr);
    }
    if (!gen_write(f->arena, r, &result, &e)) {
        fail_msg("%s", e.text);
    }
    return result.written;
}

#define HEAD "import pykokkos as pk\n\n"
#define SCALE \
    "@pk.workunit\ndef scale(i: int, x: pk.View1D[pk.double], k: float):\n    x[i] = x[i] * k\n\n"
#define SHIFT "@pk.workunit\ndef shift(i: int, x: pk.View1D[pk.double]):\n    x[i] = x[i] + 1.0\n\n"

static const char *const kernels_py[] = {"kernels.py", NULL};

static void all_files_are_there_and_listed(void **state)
{
    struct fixture *f = *state;
    write_text(f, "kernels.py", HEAD SCALE SHIFT);
    const struct gen_request r = request_of(f, kernels_py);
    assert_int_equal(generate(f, &r), 10);
    static const char *const files[] = {
        "out/kernels/scale.kernel.cpp",
        "out/kernels/shift.kernel.cpp",
        "out/kernels/scale.kernel.meta",
        "out/kernels/shift.kernel.meta",
        "out/kokkos.dispatch.cpp",
        "out/include/kernels.hpp",
        "out/kern.module.cpp",
        "out/kern.cmake",
        "out/kern.ninja",
        "out/kern.files",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_true(file_exists(path_in(f, files[i])));
    }
    assert_non_null(strstr(read_text(f, "out/kern.cmake"),
                           "set(\"kern_KERNELS\"\n    \"kernels/scale.kernel.cpp\"\n"
                           "    \"kernels/shift.kernel.cpp\")\n"));
    assert_memory_equal(read_text(f, "out/kernels/scale.kernel.cpp"), "// PyKokkosCache kernel 1\n",
                        25);
    assert_non_null(strstr(read_text(f, "out/kernels/scale.kernel.meta"), "\nworkunit=scale\n"));
}

static void nothing_changes_without_a_change(void **state)
{
    struct fixture *f = *state;
    write_text(f, "kernels.py", HEAD SCALE SHIFT);
    const struct gen_request r = request_of(f, kernels_py);
    generate(f, &r);
    assert_int_equal(generate(f, &r), 0);
    write_text(f, "kernels.py", "# a comment\n" HEAD SHIFT "\n\n" SCALE);
    const size_t moved = generate(f, &r);
    const char *kernel = read_text(f, "out/kernels/scale.kernel.cpp");
    write_text(f, "kernels.py", HEAD SCALE SHIFT);
    generate(f, &r);
    assert_string_equal(read_text(f, "out/kernels/scale.kernel.cpp"), kernel);
    assert_true(moved <= 5); /* the order in lists, header and table; no kernel */
}

static void a_body_edit_changes_its_kernel_alone(void **state)
{
    struct fixture *f = *state;
    write_text(f, "kernels.py", HEAD SCALE SHIFT);
    const struct gen_request r = request_of(f, kernels_py);
    generate(f, &r);
    write_text(f, "kernels.py",
               HEAD SHIFT "@pk.workunit\ndef scale(i: int, x: pk.View1D[pk.double], k: float):\n"
                          "    x[i] = x[i] * k + 2.0\n");
    write_text(f, "kernels.py",
               HEAD "@pk.workunit\ndef scale(i: int, x: pk.View1D[pk.double], k: float):\n"
                    "    x[i] = x[i] * k + 2.0\n\n" SHIFT);
    assert_int_equal(generate(f, &r), 2); /* TU and sidecar */
    assert_non_null(strstr(read_text(f, "out/kernels/scale.kernel.cpp"), "2.0"));
}

static void stale_files_go(void **state)
{
    struct fixture *f = *state;
    static const char *const two[] = {"kernels.py", "sub/other.py", NULL};
    write_text(f, "kernels.py", HEAD SCALE SHIFT);
    write_text(f, "sub/other.py", HEAD SCALE);
    const struct gen_request both = request_of(f, two);
    generate(f, &both);
    assert_true(file_exists(path_in(f, "out/other/scale.kernel.cpp")));
    write_text(f, "out/kernels/mine.txt", "a file of the user\n");

    write_text(f, "kernels.py", HEAD SHIFT);
    const struct gen_request one = request_of(f, kernels_py);
    generate(f, &one);
    assert_false(file_exists(path_in(f, "out/kernels/scale.kernel.cpp")));
    assert_false(file_exists(path_in(f, "out/kernels/scale.kernel.meta")));
    assert_false(file_exists(path_in(f, "out/other"))); /* empty: goes too */
    assert_false(file_exists(path_in(f, "out/include/other.hpp")));
    assert_true(file_exists(path_in(f, "out/kernels/shift.kernel.cpp")));
    assert_true(file_exists(path_in(f, "out/kernels/mine.txt")));
    assert_null(strstr(read_text(f, "out/kern.files"), "scale"));
}

/* A damaged list never leads out of the output folder, nor to files that are not ours. */
static void a_damaged_list_removes_nothing_else(void **state)
{
    struct fixture *f = *state;
    write_text(f, "kernels.py", HEAD SCALE);
    write_text(f, "precious.kernel.cpp", "x");
    write_text(f, "out/precious.txt", "x");
    write_text(f, "out/precious.hpp", "x");
    const char *absolute =
        str_format(f->arena, STR_FMT "/%s",
                   STR_ARG(path_absolute(f->arena, path_cwd(f->arena), str_from(f->dir))),
                   "precious.kernel.cpp")
            .ptr;
    write_text(f, "out/kern.files",
               str_format(f->arena,
                          "../precious.kernel.cpp\na/../../precious.kernel.cpp\n%s\n"
                          "precious.txt\n\n/\n..\n%%00%%ZZ\n"
                          "precious.txt%%00.hpp\nprecious.hpp%%00k.kernel.cpp\n",
                          absolute)
                   .ptr);
    const struct gen_request r = request_of(f, kernels_py);
    generate(f, &r);
    assert_true(file_exists(path_in(f, "precious.kernel.cpp")));
    assert_true(file_exists(path_in(f, "out/precious.txt")));
    assert_true(file_exists(path_in(f, "out/precious.hpp")));
}

static void output_does_not_depend_on_the_folder(void **state)
{
    struct fixture *f = *state;
    write_text(f, "one/kernels.py", HEAD SCALE);
    write_text(f, "two/deeper/kernels.py", HEAD SCALE);
    struct gen_request r = request_of(f, kernels_py);
    r.source_dir = str_from(path_in(f, "one"));
    generate(f, &r);
    r.source_dir = str_from(path_in(f, "two/deeper"));
    assert_int_equal(generate(f, &r), 0);
}

static void a_folder_that_cannot_be_written_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct diags diags;
    struct gen_result result;
    struct error e = {""};
    write_text(f, "kernels.py", HEAD SCALE);
    write_text(f, "out", "a file, not a folder\n");
    const struct gen_request r = request_of(f, kernels_py);
    diags_init(&diags, f->arena);
    assert_true(gen_analyse(f->arena, &r, &diags, &result));
    assert_false(gen_write(f->arena, &r, &result, &e));
    assert_non_null(strstr(e.text, "out"));
}

/* No files would mean a library without kernels. */
static void a_list_that_cannot_be_read_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct vec files;
    struct error e = {""};
    write_text(f, "kernels.py", HEAD SCALE);
    const struct gen_request r = request_of(f, kernels_py);
    generate(f, &r);
    assert_true(gen_list_files(f->arena, &r, &files, &e));
    assert_int_not_equal(files.count, 0);
    const struct str list = path_join(f->arena, r.output_dir,
                                      str_format(f->arena, STR_FMT ".files", STR_ARG(r.target)));
    assert_int_equal(unlink(list.ptr), 0);
    assert_false(gen_list_files(f->arena, &r, &files, &e));
    assert_non_null(strstr(e.text, ".files"));
}

const struct CMUnitTest write_tests[] = {
    TEST(all_files_are_there_and_listed),       TEST(nothing_changes_without_a_change),
    TEST(a_body_edit_changes_its_kernel_alone), TEST(stale_files_go),
    TEST(a_damaged_list_removes_nothing_else),  TEST(a_list_that_cannot_be_read_is_an_error),
    TEST(output_does_not_depend_on_the_folder), TEST(a_folder_that_cannot_be_written_is_an_error),
};
const size_t write_test_count = sizeof write_tests / sizeof *write_tests;
