#include "common.h"

#include <string.h>

static struct gen_module *named(struct fixture *f, const char *const *paths, size_t count,
                                struct error *e)
{
    struct gen_module *modules = ARENA_ARRAY(f->arena, struct gen_module, count);
    struct str *texts = ARENA_ARRAY(f->arena, struct str, count);
    for (size_t i = 0; i < count; i++) {
        texts[i] = str_from(paths[i]);
    }
    return gen_name_modules(f->arena, modules, texts, count, e) ? modules : NULL;
}

static void modules_have_the_shortest_unique_suffix(void **state)
{
    struct fixture *f = *state;
    struct error e = {""};
    const char *const paths[] = {"/p/a/kern",   "/p/b/kern", "/p/other",
                                 "/p/b/c/deep", "/q/c/deep", "/b/c/deep"};
    const char *const names[] = {"a.kern", "b.kern", "other", "p.b.c.deep", "q.c.deep", "b.c.deep"};
    const struct gen_module *m = named(f, paths, 6, &e);
    assert_non_null(m);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(m[i].name.ptr, names[i]);
    }
    assert_string_equal(m[0].header.ptr, "a/kern.hpp");
    assert_string_equal(m[2].header.ptr, "other.hpp");
}

static void a_path_that_is_a_suffix_of_another(void **state)
{
    struct fixture *f = *state;
    struct error e = {""};
    const char *const paths[] = {"/kern", "/a/kern"};
    const struct gen_module *m = named(f, paths, 2, &e);
    assert_non_null(m);
    assert_string_equal(m[0].name.ptr, "kern");
    assert_string_equal(m[1].name.ptr, "a.kern");
}

static void equal_namespaces_are_refused(void **state)
{
    struct fixture *f = *state;
    struct error e = {""};
    const char *const paths[] = {"/p/01", "/p/py_01"};
    assert_null(named(f, paths, 2, &e));
    assert_non_null(strstr(e.text, "'01' and 'py_01'"));
}

static void namespaces_are_valid_cpp(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(gen_namespace_text(f->arena, STR("kernels")).ptr, "kernels");
    assert_string_equal(gen_namespace_text(f->arena, STR("sub.a")).ptr, "sub::a");
    assert_string_equal(gen_namespace_text(f->arena, STR("01")).ptr, "py_01");
    assert_string_equal(gen_namespace_text(f->arena, STR("class.new")).ptr, "class_::new_");
    assert_null(strchr(gen_namespace_text(f->arena, STR("my-file")).ptr, '-'));
}

static void kernel_files_are_safe_and_different(void **state)
{
    struct fixture *f = *state;
    struct arena *a = f->arena;
    assert_string_equal(gen_kernel_file(a, STR("kernels"), STR("scale")).ptr,
                        "kernels/scale.kernel.cpp");
    assert_string_equal(gen_kernel_file(a, STR("sub.a"), STR("x_1")).ptr, "sub/a/x_1.kernel.cpp");
    /* Different even where the file system knows no upper case. */
    static const char *const symbols[] = {"a", "A", "ab", "aB", "Ab", "AB", "abcdeF", "abcdEf"};
    const size_t count = sizeof symbols / sizeof *symbols;
    for (size_t i = 0; i < count; i++) {
        const struct str one = gen_kernel_file(a, STR("m"), str_from(symbols[i]));
        for (size_t k = 0; k < i; k++) {
            const struct str other = gen_kernel_file(a, STR("m"), str_from(symbols[k]));
            bool equal = one.len == other.len;
            for (size_t c = 0; equal && c < one.len; c++) {
                equal = (one.ptr[c] | 0x20) == (other.ptr[c] | 0x20);
            }
            assert_false(equal);
        }
    }
    const struct str odd = gen_kernel_file(a, STR("my file #1"),
                                           STR("gr\xc3\xb6\xc3\x9f"
                                               "e"));
    assert_string_equal(odd.ptr, "my-20file-20-231/gr-c3-b6-c3-9fe.kernel.cpp");
}

static void long_names_are_cut_and_stay_different(void **state)
{
    struct fixture *f = *state;
    char name[4001];
    memset(name, 'x', 4000);
    name[4000] = '\0';
    const struct str one = gen_kernel_file(f->arena, STR("m"), str_from(name));
    name[3999] = 'y';
    const struct str other = gen_kernel_file(f->arena, STR("m"), str_from(name));
    assert_true(one.len < 200 && other.len < 200);
    assert_false(str_equal(one, other));
}

static void identifiers_are_injective(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"a_b", "a-b", "a_2Db", "a.b", "a__b", "a_5F_b", "a_5Fb"};
    const size_t count = sizeof names / sizeof *names;
    assert_string_equal(gen_identifier(f->arena, "p_", STR("my_kernels")).ptr, "p_my_kernels");
    for (size_t i = 0; i < count; i++) {
        const struct str one = gen_identifier(f->arena, "", str_from(names[i]));
        assert_int_equal(strspn(one.ptr, "abcdefghijklmnopqrstuvwxyzABCDEF0123456789_"), one.len);
        for (size_t k = 0; k < i; k++) {
            assert_false(str_equal(one, gen_identifier(f->arena, "", str_from(names[k]))));
        }
    }
}

static void percent_encoding_goes_both_ways(void **state)
{
    struct fixture *f = *state;
    char all[256];
    for (int i = 0; i < 256; i++) {
        all[i] = (char)i;
    }
    const struct str text = {all, sizeof all};
    const struct str encoded = gen_percent(f->arena, text);
    assert_null(memchr(encoded.ptr, '\n', encoded.len));
    assert_null(memchr(encoded.ptr, '=', encoded.len));
    assert_true(str_equal(gen_percent_decode(f->arena, encoded), text));
    assert_string_equal(gen_percent_decode(f->arena, STR("a%2")).ptr, "a%2");
    assert_string_equal(gen_percent_decode(f->arena, STR("%")).ptr, "%");
}

static void spaces_are_kokkos_own(void **state)
{
    struct fixture *f = *state;
    static const char *const cases[][2] = {
        {"", "::Kokkos::DefaultExecutionSpace"},
        {"Serial", "::Kokkos::Serial"},
        {"Kokkos::OpenMP", "::Kokkos::OpenMP"},
        {"::mine::Space", "::mine::Space"},
    };
    for (size_t i = 0; i < 4; i++) {
        const struct gen_request r = {.execution_space = str_from(cases[i][0])};
        assert_string_equal(gen_space(f->arena, &r).ptr, cases[i][1]);
    }
}

static void strings_are_escaped(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(gen_c_string(f->arena, STR("a\"b\\c?\n\x7f")).ptr,
                        "\"a\\\"b\\\\c\\?\\012\\177\"");
}

static void fragments_quote_names(void **state)
{
    struct fixture *f = *state;
    struct gen_lists l;
    struct str files[] = {STR("a b/c;d$e\"f\\g.kernel.cpp"), STR("plain.kernel.cpp")};
    vec_init(&l.kernels, f->arena);
    vec_init(&l.dispatch, f->arena);
    vec_init(&l.headers, f->arena);
    vec_init(&l.module, f->arena);
    vec_push(&l.kernels, &files[0]);
    vec_push(&l.kernels, &files[1]);
    const char *cmake = gen_cmake_fragment(f->arena, STR("t"), &l).ptr;
    assert_non_null(strstr(cmake, "set(\"t_KERNELS\"\n    \"a b/c\\;d\\$e\\\"f\\\\g.kernel.cpp\"\n"
                                  "    \"plain.kernel.cpp\")\n"));
    assert_non_null(strstr(cmake, "set(\"t_MODULE\")\n"));
    const char *ninja = gen_ninja_fragment(f->arena, &l).ptr;
    assert_non_null(strstr(ninja, "kernels = $\n    a$ b/c;d$$e\"f\\g.kernel.cpp $\n    plain"));
    assert_non_null(strstr(ninja, "module =\n"));
}

const struct CMUnitTest name_tests[] = {
    TEST(modules_have_the_shortest_unique_suffix),
    TEST(a_path_that_is_a_suffix_of_another),
    TEST(equal_namespaces_are_refused),
    TEST(namespaces_are_valid_cpp),
    TEST(kernel_files_are_safe_and_different),
    TEST(long_names_are_cut_and_stay_different),
    TEST(identifiers_are_injective),
    TEST(percent_encoding_goes_both_ways),
    TEST(spaces_are_kokkos_own),
    TEST(strings_are_escaped),
    TEST(fragments_quote_names),
};
const size_t name_test_count = sizeof name_tests / sizeof *name_tests;
