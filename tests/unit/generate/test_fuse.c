/* FUSE entries: what they are made of, and what is refused. */
#include "common.h"

#include <string.h>

struct run {
    bool good;
    struct gen_result result;
    const char *text; /* the diagnostics */
};

#define HEAD "import pykokkos as pk\n\n"
#define UNIT "@pk.workunit\ndef "

static const char kernels[] = HEAD UNIT
    "scale(i: int, x: pk.View1D[float], k: float):\n    x[i] = k * x[i]\n\n" UNIT
    "shift(i: int, x: pk.View1D[float], by: float):\n    x[i] += by\n\n" UNIT
    "sum(i: int, acc: pk.Acc[float], x: pk.View1D[float]):\n    acc += x[i]\n\n" UNIT
    "most(i: int, acc: pk.Acc[float], x: pk.View1D[float]):\n    acc = max(acc, x[i])\n\n" UNIT
    "prefix(i: int, acc: pk.Acc[float], last: bool, x: pk.View1D[float]):\n    acc += x[i]\n\n" UNIT
    "team(t: pk.TeamMember, x: pk.View1D[float]):\n    x[t.league_rank()] = 1.0\n\n" UNIT
    "narrow(i: int, x: pk.View1D[pk.float32], fused_x_0: float):\n    x[i] += 1\n\n" UNIT
    "open(i, x, k):\n    x[i] = k\n\n" UNIT
    "box(i: int, j: int, y: pk.View2D[float]):\n    y[i, j] = 1.0\n\n"
    "def host():\n    pass\n\n"
    "@pk.functor\nclass Box:\n    def __init__(self):\n        self.n: int = 3\n\n"
    "    @pk.workunit\n    def one(self, i: int, x: pk.View1D[float]):\n        x[i] = self.n\n\n"
    "    @pk.workunit\n    def two(self, i: int, x: pk.View1D[float]):\n        x[i] += self.n\n";

static struct run analyse(struct fixture *f, const char *source, const char *const *fuse,
                          const char *const *instantiate)
{
    struct run out = {0};
    struct str *lists = ARENA_ARRAY(f->arena, struct str, 24);
    struct gen_request r = {
        .target = STR("kern"),
        .output_dir = str_from(path_in(f, "out")),
        .source_dir = str_from(f->dir),
        .default_real = TYPE_DOUBLE,
        .sources = lists,
        .fuse = lists + 8,
        .instantiate = lists + 16,
    };
    write_text(f, "kern.py", source);
    lists[r.source_count++] = STR("kern.py");
    if (file_exists(path_in(f, "sub/kern.py"))) {
        lists[r.source_count++] = STR("sub/kern.py");
    }
    for (; fuse[r.fuse_count] != NULL; r.fuse_count++) {
        lists[8 + r.fuse_count] = str_from(fuse[r.fuse_count]);
    }
    for (; instantiate != NULL && instantiate[r.instantiate_count] != NULL; r.instantiate_count++) {
        lists[16 + r.instantiate_count] = str_from(instantiate[r.instantiate_count]);
    }
    struct diags diags;
    diags_init(&diags, f->arena);
    out.good = gen_analyse(f->arena, &r, &diags, &out.result);
    struct buf b;
    buf_init(&b, f->arena);
    diags_format(&b, &diags, false);
    out.text = b.ptr != NULL ? b.ptr : "";
    return out;
}

static const char *const open_types[] = {"open(x: View1D[float], k: float)",
                                         "open(x: View1D[int], k: int)", "box(i: index, j: index)",
                                         NULL};

static const struct gen_workunit *find(const struct run *run, const char *qualified)
{
    for (size_t i = 0; i < run->result.workunit_count; i++) {
        if (str_equal_c(run->result.workunits[i].workunit->qualified, qualified)) {
            return &run->result.workunits[i];
        }
    }
    fail_msg("there is no %s:\n%s", qualified, run->text);
    return NULL;
}

/* Is `entry` refused with these words? */
static void refused(struct fixture *f, const char *entry, const char *first, const char *second)
{
    const char *const fuse[] = {entry, NULL};
    const struct run run = analyse(f, kernels, fuse, open_types);
    assert_false(run.good);
    if (strstr(run.text, first) == NULL || strstr(run.text, second) == NULL) {
        fail_msg("%s: neither\n%s\nnor\n%s in\n%s", entry, first, second, run.text);
    }
}

static void parameters_of_one_name_and_type_are_one(void **state)
{
    static const char *const fuse[] = {"both = scale + shift", "renamed = scale + open", NULL};
    const struct run run = analyse(*state, kernels, fuse, open_types);
    assert_string_equal(run.text, "");
    assert_true(run.good);
    const struct kernel *k = find(&run, "both")->kernel;
    assert_int_equal(k->parameter_count, 3);
    assert_true(str_equal_c(k->parameters[0].name, "x"));
    assert_true(str_equal_c(k->parameters[2].name, "by"));
    assert_true(str_equal_c(k->fused, "scale + shift"));
}

static void parameters_of_one_name_and_two_types_have_pykokkos_names(void **state)
{
    static const char text[] =
        HEAD UNIT "scale(i: int, x: pk.View1D[float], k: float):\n    x[i] = k * x[i]\n\n" UNIT
                  "narrow(i: int, x: pk.View1D[pk.float32], k: float):\n    x[i] += k\n\n";
    static const char *const fuse[] = {"mixed = scale + narrow", NULL};
    const struct run run = analyse(*state, text, fuse, NULL);
    assert_string_equal(run.text, "");
    const struct kernel *k = find(&run, "mixed")->kernel;
    assert_int_equal(k->parameter_count, 3);
    assert_true(str_equal_c(k->parameters[0].name, "fused_x_0"));
    assert_true(str_equal_c(k->parameters[1].name, "k"));
    assert_true(str_equal_c(k->parameters[2].name, "fused_x_1"));
}

static void the_hash_is_of_all_parts_in_order(void **state)
{
    struct fixture *f = *state;
    static const char *const fuse[] = {"one = scale + shift", "two = shift + scale", NULL};
    const struct run before = analyse(f, kernels, fuse, open_types);
    struct sha256 one = find(&before, "one")->ast_hash;
    assert_false(sha256_equal(&one, &find(&before, "two")->ast_hash));
    struct buf edited;
    buf_init(&edited, f->arena);
    const char *at = strstr(kernels, "+= by");
    buf_add(&edited, (struct str){kernels, (size_t)(at - kernels)});
    buf_add_c(&edited, "-= by");
    buf_add_c(&edited, at + strlen("+= by"));
    const struct run after = analyse(f, buf_str(&edited).ptr, fuse, open_types);
    assert_string_equal(after.text, "");
    assert_false(sha256_equal(&one, &find(&after, "one")->ast_hash));
    assert_true(sha256_equal(&find(&before, "scale")->ast_hash, &find(&after, "scale")->ast_hash));
}

static void instantiations_that_agree_make_one_each(void **state)
{
    static const char *const fuse[] = {"pair = open + other", NULL};
    static const char *const types[] = {"open(x: View1D[float], k: float)",
                                        "open(x: View1D[int], k: int)", "other(x: View1D[int])",
                                        "other(x: View1D[float])", NULL};
    static const char text[] =
        HEAD UNIT "open(i, x, k):\n    x[i] = k\n\n" UNIT "other(i, x):\n    x[i] += 1\n";
    const struct run run = analyse(*state, text, fuse, types);
    assert_string_equal(run.text, "");
    assert_int_equal(run.result.workunit_count, 6);
    assert_false(str_equal(run.result.workunits[4].file, run.result.workunits[5].file));
}

static void an_entry_that_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "both",
                                        "both =",
                                        "both = scale",
                                        "= scale + shift",
                                        "both = scale + + shift",
                                        "both = scale - shift",
                                        "a.b = scale + shift",
                                        "1 = scale + shift",
                                        "both = scale + shift +"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refused(*state, wrong[i], "FUSE \"", "FUSE \"both = first + second\"");
    }
}

static void what_cannot_be_fused_is_refused_with_place_and_reason(void **state)
{
    refused(*state, "a = scale + shif", "there is no workunit 'shif'", "did you mean 'shift'?");
    refused(*state, "a = scale + prefix", "kern.py:20:5: error: prefix cannot be fused into a",
            "a scan runs twice");
    refused(*state, "a = scale + team", "kern.py:24:5: error: team cannot be fused into a",
            "team_barrier");
    refused(*state, "a = team + scale", "kern.py:24:5: error: team cannot be fused into a",
            "between the bodies");
    refused(*state, "a = sum + most", "kern.py:16:5: error: most cannot be fused into a",
            "at most one workunit with an accumulator");
    refused(*state, "a = scale + box", "it runs over an MDRangePolicy of rank 2",
            "scale over a RangePolicy of rank 1");
    refused(*state, "a = Box.one + scale", "scale cannot be fused into Box.a", "of one class");
    refused(*state, "a = scale + narrow", "another parameter is called fused_x_0", "rename it");
    refused(*state, "shift = scale + scale", "there is already a 'shift'", "another name");
    refused(*state, "host = scale + shift", "there is already a 'host'", "another name");
    refused(*state, "n = Box.one + Box.two", "there is already a 'Box.n'", "another name");
    refused(*state, "a = open + scale + narrow", "no choice of its workunits' instantiations",
            "INSTANTIATE them for the same types");
}

static void a_name_in_two_modules_needs_the_module(void **state)
{
    struct fixture *f = *state;
    write_text(f, "sub/kern.py", kernels);
    const char *const fuse[] = {"a = scale + shift", NULL};
    const struct run run = analyse(f, kernels, fuse, open_types);
    assert_non_null(strstr(run.text, "there is more than one workunit 'scale'"));
    assert_non_null(strstr(run.text, "sub.kern.scale"));
}

static void a_part_that_is_refused_is_said_once(void **state)
{
    static const char *const fuse[] = {"a = bad + bad", NULL};
    const struct run run = analyse(
        *state, HEAD UNIT "bad(i: int, x: pk.View1D[float]):\n    assert x[i] > 0\n", fuse, NULL);
    assert_false(run.good);
    assert_int_equal(run.result.workunit_count, 1);
    assert_null(strstr(strstr(run.text, "error:") + 1, "error:"));
}

const struct CMUnitTest fuse_tests[] = {
    TEST(parameters_of_one_name_and_type_are_one),
    TEST(parameters_of_one_name_and_two_types_have_pykokkos_names),
    TEST(the_hash_is_of_all_parts_in_order),
    TEST(instantiations_that_agree_make_one_each),
    TEST(an_entry_that_is_none_is_refused),
    TEST(what_cannot_be_fused_is_refused_with_place_and_reason),
    TEST(a_name_in_two_modules_needs_the_module),
    TEST(a_part_that_is_refused_is_said_once),
};
const size_t fuse_test_count = sizeof fuse_tests / sizeof *fuse_tests;
