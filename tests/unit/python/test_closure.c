/* What the AST hash depends on, over files, and how a difference is told. */
#include "common.h"

#include <string.h>

static const char *const kern =
    "import pykokkos as pk\n"
    "from math import sin\n"
    "import helpers as hp\n"
    "from helpers import shift\n"
    "from types_of import Real, P\n"
    "SCALE = 3\n"
    "BASE = 2\n"
    "unused = 1\n"
    "@pk.function\n"
    "def local(x: int) -> int:\n"
    "    return x + SCALE\n"
    "@pk.workunit\n"
    "def alpha(i: int, v: pk.View1D[Real], p: P):\n"
    "    v[i] = shift(i) + local(i) * BASE + sqrt(i) + sin(i) + p.get()\n"
    "@pk.workunit\n"
    "def beta(i: int, v: pk.View1D[int]):\n"
    "    v[i] = 2\n";

static const char *const helpers = "import pykokkos as pk\n"
                                   "OFFSET = 1000\n"
                                   "@pk.function\n"
                                   "def deeper(x: int) -> int:\n"
                                   "    return x - 1\n"
                                   "@pk.function\n"
                                   "def shift(x: int) -> int:\n"
                                   "    return deeper(x) + OFFSET\n"
                                   "@pk.function\n"
                                   "def nobody_calls_me(x: int) -> int:\n"
                                   "    return x\n";

static const char *const types_of = "import pykokkos as pk\n"
                                    "Real = pk.double\n"
                                    "@pk.classtype\n"
                                    "class P:\n"
                                    "    def __init__(self, x: float):\n"
                                    "        self.x: float = x\n"
                                    "    def get(self) -> float:\n"
                                    "        return self.x\n";

/* The text with the first `from` replaced; fails where it is not there. */
static const char *replaced(struct project *p, const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return str_format(p->arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)).ptr;
}

static void write_all(struct project *p)
{
    project_write(p, "kern.py", kern);
    project_write(p, "helpers.py", helpers);
    project_write(p, "types_of.py", types_of);
}

struct edit {
    const char *file;
    const char *from;
    const char *to;
    bool changes; /* alpha's hash; beta's never */
};

static const struct edit edits[] = {
    {"helpers.py", "return x\n", "return x + 0\n", false},
    {"helpers.py", "x - 1", "x - 2", true},
    {"helpers.py", "OFFSET = 1000", "OFFSET = 1001", true},
    {"helpers.py", "OFFSET = 1000", "OFFSET = 500 * 2", false},
    {"helpers.py", "OFFSET = 1000", "OFFSET = 1000.0", true},
    {"helpers.py", "deeper(x) + OFFSET", "deeper(x) - OFFSET", true},
    {"helpers.py", "import pykokkos as pk", "import pykokkos as pk\n\n# a comment", false},
    {"types_of.py", "pk.double", "pk.float32", true},
    {"types_of.py", "-> float", "-> int", true},
    {"types_of.py", "self.x: float", "self.x: int", true},
    {"types_of.py", "return self.x", "return self.x * 2", true},
    {"kern.py", "SCALE = 3", "SCALE = 4", true},
    {"kern.py", "SCALE = 3", "TWO = 2\nSCALE = TWO + 1", false},
    {"kern.py", "BASE = 2", "BASE = 2\nBASE = 5", true},
    {"kern.py", "unused = 1", "unused = 2", false},
    {"kern.py", "unused = 1", "def another(): pass", false},
    /* `sqrt` now is a function of this module, and no longer the intrinsic */
    {"kern.py", "unused = 1", "def sqrt(x):\n    return x", true},
    {"kern.py", "def local(x: int)", "def local(x: float)", true},
    {"kern.py", "from helpers import shift", "from helpers import deeper as shift", true},
    {"kern.py", "from math import sin", "from math import sin as s\nsin = s", false},
    {"kern.py", "from math import sin", "from math import cos as sin", true},
    {"kern.py", "import helpers as hp", "", false},
    {"kern.py", "shift(i)", "hp.shift(i)", false},
    {"kern.py", "@pk.workunit\ndef alpha", "@pk.workunit(v=pk.ViewTypeInfo())\ndef alpha", true},
    {"kern.py", "p: P)", "p: 'P')", false},
    {"kern.py", "i: int, v: pk.View1D[Real]", "i: int, v: pk.View1D[pk.double]", false},
    {"kern.py", "p: P):", "p: P = 1):", true},
};

static void what_the_hash_sees(void **state)
{
    struct project *p = *state;
    write_all(p);
    const struct str alpha = project_hash(p, "kern.py", "alpha");
    const struct str beta = project_hash(p, "kern.py", "beta");
    assert_int_equal(alpha.len, SHA256_HEX_LEN);
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        write_all(p);
        const char *text = strcmp(edits[i].file, "kern.py") == 0      ? kern
                           : strcmp(edits[i].file, "helpers.py") == 0 ? helpers
                                                                      : types_of;
        project_write(p, edits[i].file, replaced(p, text, edits[i].from, edits[i].to));
        if (str_equal(project_hash(p, "kern.py", "alpha"), alpha) == edits[i].changes) {
            fail_msg("%s: %s -> %s: the hash %s", edits[i].file, edits[i].from, edits[i].to,
                     edits[i].changes ? "is the same" : "changed");
        }
        assert_true(str_equal(project_hash(p, "kern.py", "beta"), beta));
    }
}

static void the_folder_does_not_matter(void **state)
{
    struct project *p = *state;
    project_write(p, "one/kern.py", kern);
    project_write(p, "one/helpers.py", helpers);
    project_write(p, "one/types_of.py", types_of);
    project_write(p, "two/deep/kern.py", kern);
    project_write(p, "two/deep/helpers.py", helpers);
    project_write(p, "two/deep/types_of.py", types_of);
    assert_str(project_hash(p, "one/kern.py", "alpha"),
               project_hash(p, "two/deep/kern.py", "alpha").ptr);
}

static void recursion_ends(void **state)
{
    struct project *p = *state;
    project_write(p, "a.py",
                  "import pykokkos as pk\nfrom b import odd\ndef even(n):\n    return odd(n)\n"
                  "def self_call(n):\n    return self_call(n - 1)\n"
                  "@pk.workunit\ndef w(i, x):\n    x[i] = even(i) + self_call(i)\n");
    project_write(p, "b.py", "from a import even\ndef odd(n):\n    return even(n - 1)\n");
    const struct str before = project_hash(p, "a.py", "w");
    project_write(p, "b.py", "from a import even\ndef odd(n):\n    return even(n - 2)\n");
    assert_string_not_equal(before.ptr, project_hash(p, "a.py", "w").ptr);
}

/* A library's function of an intrinsic's name, which dispatches the workunit: see language rules.
 */
static void host_functions_are_not_followed(void **state)
{
    struct project *p = *state;
    static const char *const text =
        "import pykokkos as pk\n"
        "def log10(view):\n    if view.rank > 1:\n        raise ValueError(1)\n"
        "    pk.parallel_for(1, one)\n    pk.parallel_for(1, two)\n"
        "@pk.workunit\ndef one(i, x):\n    x[i] = log10(x[i])\n"
        "@pk.workunit\ndef two(i, x):\n    x[i] = log10(x[i]) * 2\n";
    project_write(p, "k.py", text);
    const struct str one = project_hash(p, "k.py", "one");
    project_write(p, "k.py", replaced(p, text, "* 2", "* 3"));
    assert_str(project_hash(p, "k.py", "one"), one.ptr);
    project_write(p, "k.py", replaced(p, text, "raise ValueError(1)", "raise ValueError(2)"));
    assert_str(project_hash(p, "k.py", "one"), one.ptr);
    /* without the raise it still is what no kernel can hold: it mentions workunits */
    const char *quiet = replaced(p, text, "raise ValueError(1)", "pass");
    project_write(p, "k.py", quiet);
    assert_str(project_hash(p, "k.py", "one"), one.ptr);
    project_write(p, "k.py", replaced(p, quiet, "* 2", "* 3"));
    assert_str(project_hash(p, "k.py", "one"), one.ptr);
    /* what mentions none may be a kernel's function, and what only looks like one's name is none */
    static const char *const helper = "import pykokkos as pk\n"
                                      "def log10(two):\n    return two\n"
                                      "@pk.workunit\ndef one(i, x):\n    x[i] = log10(x[i])\n"
                                      "@pk.workunit\ndef two(i, x):\n    x[i] = log10(x[i]) * 2\n";
    project_write(p, "k.py", helper);
    const struct str followed = project_hash(p, "k.py", "one");
    assert_string_not_equal(followed.ptr, one.ptr);
    project_write(p, "k.py", replaced(p, helper, "return two", "return two + 1"));
    assert_string_not_equal(project_hash(p, "k.py", "one").ptr, followed.ptr);
}

/* Two modules of one name: which of them is called counts. */
static void modules_of_one_name(void **state)
{
    struct project *p = *state;
    static const char *const text = "import pykokkos as pk\nfrom %s.m import f as g, h\n"
                                    "from %s.m import f as k\n@pk.workunit\ndef w(i, x):\n"
                                    "    x[i] = g(i) - k(i)\n";
    project_write(p, "x/m.py", "def f(i):\n    return i\ndef h(): pass\n");
    project_write(p, "y/m.py", "def f(i):\n    return i * 2\ndef h(): pass\n");
    project_write(p, "kern.py", str_format(p->arena, text, "x", "y").ptr);
    const struct str one = project_hash(p, "kern.py", "w");
    project_write(p, "kern.py", str_format(p->arena, text, "y", "x").ptr);
    assert_string_not_equal(one.ptr, project_hash(p, "kern.py", "w").ptr);
}

static void methods_and_fields(void **state)
{
    struct project *p = *state;
    static const char *const text =
        "import pykokkos as pk\n@pk.functor\nclass F:\n    N = 4\n"
        "    def __init__(self, n, c):\n        self.n: int = n\n        self.c: pk.View1D[int] = "
        "c\n"
        "        print('host')\n"
        "    @pk.function\n    def used(self, i: int) -> int:\n        return i + self.n\n"
        "    @pk.function\n    def unused(self, i: int) -> int:\n        return i\n"
        "    @pk.workunit\n    def w(self, i: int):\n        self.c[i] = self.used(i) + self.N\n";
    static const struct {
        const char *from, *to;
        bool changes;
    } cases[] = {
        {"self.n: int", "self.n: float", true},
        {"self.n: int = n\n", "self.q: int = n\n        self.n: int = n\n", true},
        {"N = 4", "N = 5", true},
        {"return i + self.n", "return i - self.n", true},
        {"return i\n", "return i + 1\n", false},
        {"print('host')", "print('other')", false},
        {"self.n: int = n", "self.n: int = n + 1", false},
    };
    project_write(p, "k.py", text);
    const struct str before = project_hash(p, "k.py", "F.w");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        project_write(p, "k.py", replaced(p, text, cases[i].from, cases[i].to));
        if (str_equal(project_hash(p, "k.py", "F.w"), before) == cases[i].changes) {
            fail_msg("%s -> %s", cases[i].from, cases[i].to);
        }
    }
}

static struct str difference(struct project *p, const char *file, const char *from, const char *to)
{
    write_all(p);
    const struct str old_form = project_form(p, "kern.py", "alpha");
    const char *text = strcmp(file, "kern.py") == 0      ? kern
                       : strcmp(file, "helpers.py") == 0 ? helpers
                                                         : types_of;
    project_write(p, file, replaced(p, text, from, to));
    const struct str new_form = project_form(p, "kern.py", "alpha");
    project_again(p);
    size_t count = 0;
    const struct py_workunit *w = py_workunits(project_load(p, "kern.py"), &count);
    struct buf out;
    buf_init(&out, p->arena);
    py_canonical_difference(&out, old_form, new_form, &w[0]);
    /* without the folder */
    struct buf plain;
    buf_init(&plain, p->arena);
    const struct str all = buf_str(&out);
    for (size_t i = 0; i < all.len; i++) {
        const struct str rest = str_slice(all, i, all.len);
        if (str_starts_with(rest, p->folder.ptr)) {
            i += p->folder.len;
            continue;
        }
        buf_add_char(&plain, all.ptr[i]);
    }
    return buf_str(&plain);
}

static void differences(void **state)
{
    struct project *p = *state;
    assert_str(difference(p, "kern.py", "SCALE = 3", "SCALE = 4"), "constant SCALE: 3 -> 4\n");
    assert_str(difference(p, "kern.py", "BASE = 2", "BASE = 2.5"),
               "constant BASE: int 2 -> float 2.5\n");
    assert_str(difference(p, "kern.py", "sin(i)", "sin(1)"),
               "body at kern.py:14: name i -> Constant int 1\n");
    assert_str(difference(p, "helpers.py", "x - 1", "x - 2"),
               "function helpers.deeper: body at helpers.py:5: Constant int 1 -> Constant int 2\n");
    assert_str(difference(p, "types_of.py", "pk.double", "pk.float32"),
               "type of parameter v at types_of.py:2: external pykokkos.double -> external "
               "pykokkos.float32\n");
    assert_str(difference(p, "types_of.py", "self.x: float", "self.x: int"),
               "class types_of.P: type of field x at types_of.py:6: builtin float -> builtin int\n"
               "class types_of.P: FunctionDef __init__ at types_of.py:6: builtin float -> builtin "
               "int\n");
    assert_str(difference(p, "kern.py", "p: P)", "p: P, q: int)"), "parameter q added\n");
    assert_str(difference(p, "kern.py", "+ sqrt(i)", "+ hp.nobody_calls_me(i)"),
               "body at kern.py:14: unbound sqrt -> function helpers.nobody_calls_me\n"
               "function helpers.nobody_calls_me added\n");
}

static void no_difference(void **state)
{
    struct project *p = *state;
    write_all(p);
    const struct str form = project_form(p, "kern.py", "alpha");
    struct buf out;
    buf_init(&out, p->arena);
    py_canonical_difference(&out, form, form, NULL);
    assert_int_equal(out.len, 0);
}

int run_closure_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_the_hash_sees, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(the_folder_does_not_matter, project_setup,
                                        project_teardown),
        cmocka_unit_test_setup_teardown(recursion_ends, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(host_functions_are_not_followed, project_setup,
                                        project_teardown),
        cmocka_unit_test_setup_teardown(modules_of_one_name, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(methods_and_fields, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(differences, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(no_difference, project_setup, project_teardown),
    };
    return cmocka_run_group_tests_name("closure", tests, NULL, NULL);
}
