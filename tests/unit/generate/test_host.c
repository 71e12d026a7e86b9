/* @pk.main as a host function: what is translated, and what is absent with which reason. */
#include "common.h"

#include <string.h>

struct run {
    bool good;
    struct gen_result result;
    const char *text; /* the diagnostics */
};

#define CLASS                                                                                     \
    "import pykokkos as pk\n\nSIZE = 4\nhost = open('x')\n\n"                                     \
    "@pk.workload\nclass W:\n    def __init__(self, n, a):\n        self.n: int = n\n"            \
    "        self.a: pk.View1D[pk.double] = a\n        self.s: float = 0\n        self.u = 0\n\n" \
    "    @pk.workunit\n    def fill(self, i: int):\n        self.a[i] = i\n\n"                    \
    "    @pk.workunit\n    def put(self, i: int, k: float):\n        self.a[i] = k\n\n"           \
    "    @pk.workunit\n    def add(self, i: int, acc: pk.Acc[float]):\n"                          \
    "        acc += self.a[i]\n\n"                                                                \
    "    @pk.workunit\n    def most(self, i: int, acc: pk.Acc[float]):\n"                         \
    "        acc.val = self.a[i]\n        acc.loc = i\n\n"                                        \
    "    @pk.workunit\n    def team(self, t: pk.TeamMember):\n"                                   \
    "        self.a[t.league_rank()] = 0\n\n"

static struct run analyse(struct fixture *f, const char *body, const char *decorator)
{
    struct run out = {0};
    struct str source = STR("kern.py");
    struct gen_request r = {.target = STR("kern"),
                            .output_dir = str_from(path_in(f, "out")),
                            .source_dir = str_from(f->dir),
                            .default_real = TYPE_DOUBLE,
                            .sources = &source,
                            .source_count = 1};
    write_text(
        f, "kern.py",
        str_format(f->arena, CLASS "    @pk.%s\n    def run(self):\n        %s\n", decorator, body)
            .ptr);
    struct diags diags;
    diags_init(&diags, f->arena);
    out.good = gen_analyse(f->arena, &r, &diags, &out.result);
    struct buf b;
    buf_init(&b, f->arena);
    diags_format(&b, &diags, false);
    out.text = b.ptr != NULL ? b.ptr : "";
    return out;
}

static void a_main_is_a_host_function(void **state)
{
    static const char *const bodies[] = {
        "pk.parallel_for(self.n, self.fill)",
        "pk.parallel_for('label', pk.RangePolicy(1, self.n - 1), self.fill)",
        "pk.parallel_for(pk.RangePolicy(pk.ExecutionSpace.Default, 0, SIZE), self.fill)",
        "pk.parallel_for(pk.TeamPolicy(self.n, 'auto', 8), self.team)",
        "pk.parallel_for('t', pk.TeamPolicy(self.n, 2), self.team)",
        "self.s = pk.parallel_reduce(pk.RangePolicy([0], [self.n]), self.add) * 2",
        "t = pk.Timer()\n        pk.fence()\n        t.reset()\n        self.s = t.seconds()",
        "for k in range(self.n):\n            self.n -= 1\n            print(f'{k} {self.n:3d}')",
        "if self.s > 2:\n            return\n        self.a[0] = 2",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const struct run run = analyse(*state, bodies[i], "main");
        assert_string_equal(run.text, "");
        assert_true(run.good);
        assert_int_equal(run.result.absent_count, 0);
        assert_int_equal(run.result.workunit_count, 6);
        const struct gen_workunit *w = &run.result.workunits[5];
        assert_true(w->kernel->host);
        assert_true(str_equal_c(w->file, "kern/W__run--1.host.cpp"));
    }
}

static void what_a_main_cannot_do_is_said_with_its_place(void **state)
{
    static const struct {
        const char *body, *place, *words;
    } cases[] = {
        {"pk.parallel_for(self.n, lambda i: 1)", "37:33", "a lambda is not translated"},
        {"pk.parallel_for(self.n, self.fil)", "37:33", "no workunit fil"},
        {"pk.parallel_for(self.n, self.put)", "37:33", "takes the argument k, too"},
        {"pk.parallel_for(self.n, self.add)", "37:33", "call pk.parallel_reduce"},
        {"self.s = pk.parallel_reduce(self.n, self.most)", "37:45", "is not one number"},
        {"pk.parallel_for(self.n, self.team)", "37:25", "W.team runs over a TeamPolicy"},
        {"pk.parallel_for(pk.TeamPolicy(self.n, 1), self.fill)", "37:25", "runs over no teams"},
        {"pk.parallel_for(pk.TeamPolicy(self.n, 'all'), self.team)", "37:47", "no team's size"},
        {"pk.parallel_for(pk.TeamPolicy(self.n), self.team)", "37:25", "policy's arguments"},
        {"pk.parallel_for(pk.MDRangePolicy([0, 0], [2, 2]), self.fill)", "37:25", "one index"},
        {"pk.parallel_for(pk.RangePolicy([0, 0], [2, 2]), self.fill)", "37:40", "has 1 index"},
        {"pk.parallel_for(self.s, self.fill)", "37:25", "a bound of a policy"},
        {"pk.parallel_for(self.n, self.fill, x=1)", "37:9", "other arguments"},
        {"self.s = pk.parallel_for(self.n, self.fill)", "37:", ""},
        {"self.a = self.a", "37:9", "only fields that are numbers can be assigned"},
        {"self.u = 3", "37:9", "the field u has no annotation"},
        {"print(host)", "37:15", "host"},
        {"print(f'{self.s:>8}')", "37:17", "this format of an f-string"},
        {"assert self.n", "37:9", "assert"},
        {"x = [k for k in range(3)]", "37:13", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run run = analyse(*state, cases[i].body, "main");
        const char *place =
            str_format(((struct fixture *)*state)->arena, "kern.py:%s", cases[i].place).ptr;
        if (!run.good || run.result.absent_count != 1 || run.result.workunit_count != 5 ||
            strstr(run.text, place) == NULL || strstr(run.text, cases[i].words) == NULL ||
            strstr(run.text, "warning: W.run is not translated: ") == NULL ||
            strstr(run.text, "call the workunits instead, such as W.fill") == NULL) {
            fail_msg("%s: not %s %s in\n%s", cases[i].body, place, cases[i].words, run.text);
        }
        const struct gen_absent *absent = run.result.absent[0];
        assert_true(str_starts_with(absent->reason, place));
    }
}

static void a_callback_that_cannot_be_translated_is_no_warning(void **state)
{
    const struct run run = analyse(*state, "for x in self.a:\n            print(x)", "callback");
    assert_true(run.good);
    assert_string_equal(run.text, "");
    assert_int_equal(run.result.absent_count, 1);
}

static void fields_that_are_assigned_are_known(void **state)
{
    const struct run run = analyse(*state, "self.s += self.n", "main");
    assert_string_equal(run.text, "");
    const struct kernel *k = run.result.workunits[5].kernel;
    assert_int_equal(k->field_count, 3);
    assert_false(k->fields[0].var->assigned);
    assert_true(k->fields[2].var->assigned);
}

const struct CMUnitTest host_tests[] = {
    TEST(a_main_is_a_host_function),
    TEST(what_a_main_cannot_do_is_said_with_its_place),
    TEST(a_callback_that_cannot_be_translated_is_no_warning),
    TEST(fields_that_are_assigned_are_known),
};
const size_t host_test_count = sizeof host_tests / sizeof *host_tests;
