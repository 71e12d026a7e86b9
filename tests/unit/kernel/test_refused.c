/* Everything that is refused: the line, the words, and that the rest still works. */
#include "lowered.h"

#include <string.h>

/* The body of `f`, whose first line is line 5; `line` 0: the last line of the body. */
struct refused {
    const char *body;
    int line;
    const char *word;
};

static const struct refused bodies[] = {
    {"assert a[i] > 0", 5, "assert"},
    {"try:\n        a[i] = 1\n    except ValueError:\n        pass", 5, "try"},
    {"with a:\n        pass", 5, "with"},
    {"raise ValueError(1)", 5, "raise"},
    {"del a", 5, "del"},
    {"global G\n    G = 1", 5, "global"},
    {"g = lambda x: x", 5, "lambda"},
    {"s = [k for k in range(3)]", 5, "list comprehension"},
    {"s = {k for k in range(3)}", 5, "set comprehension"},
    {"s = {k: k for k in range(3)}", 5, "dict comprehension"},
    {"s = sum(k for k in range(3))", 5, "sum"},
    {"s = f'{i}'", 5, "f-string"},
    {"s = 'x'", 5, "string"},
    {"s = b'x'", 5, "string"},
    {"s = None", 5, "None"},
    {"s = {1: 2}", 5, "dict"},
    {"s = {1, 2}", 5, "set"},
    {"s = ()", 5, "tuple"},
    {"s = []", 5, "empty list"},
    {"a[i] = i is 1", 5, "'is'"},
    {"a[i] = i is not 1", 5, "'is not'"},
    {"a[i] = i in a", 5, "'in'"},
    {"a[i] = i not in a", 5, "'not in'"},
    {"match i:\n        case 1:\n            pass", 5, "match"},
    {"async def g():\n        pass", 5, "async def"},
    {"def g():\n        yield 1\n    g()", 6, "yield"},
    {"import os", 5, "import"},
    {"from os import path", 5, "import"},
    {"a[i] = (k := 2)", 5, ":="},
    {"a[i] = 1j", 5, "1j"},
    {"a[i] = a @ a", 5, "@"},
    {"a[i] = pow(i, 2, 7)", 5, "pow() with three arguments"},
    {"s = a[::2]", 5, "step"},
    {"a[1:2] = 0", 5, "slice"},
    {"m[i] = 0.0", 5, "slice"},
    {"class C:\n        pass", 5, "class"},
    {"for j, k in range(3):\n        pass", 5, "one name"},
    {"for j in range(2.5):\n        pass", 5, "integer"},
    {"for j in range(i / 2):\n        pass", 5, "integer"},
    {"for j in a:\n        pass", 5, "only range()"},
    {"for j in range(3):\n        pass\n    else:\n        pass", 8, "else"},
    {"while i:\n        break\n    else:\n        pass", 8, "else"},
    {"for j in range(0, 5, 0):\n        pass", 5, "step must not be zero"},
    {"for j in range():\n        pass", 5, "range()"},
    {"for j in range(1, 2, 3, 4):\n        pass", 5, "range()"},
    {"f(i, a, x, m)", 5, "f calls a workunit"},
    {"s = super().x()", 5, "super"},
    {"a[i] = max(*a)", 5, "*"},
    {"a[i] = max(**a)", 5, "**"},
    {"return 1", 5, "returns nothing"},
    {"a[i] = unknown_name", 5, "unknown_name"},
    {"a[i] = unknown_function(i)", 5, "unknown_function"},
    {"a[i] = math.no_such(i)", 5, "no_such"},
    {"a[i] = host_list[i]", 5, "host_list"},
    {"a[i] = print", 5, "print"},
    {"a[i] = sorted(a)", 5, "sorted"},
    {"a[i] = open('x')", 5, "open"},
    {"a[i] = pk.lower_bound(m, 1, 2)", 5, "one dimension"},
    {"a[i] = pk.upper_bound(a, 1)", 5, "takes 3 arguments"},
    {"a[i] = pk.lower_bound(a, x[i], 1)", 5, "number of elements"},
    {"pk.inclusive_scan(a, a)", 5, "works on a team"},
    {"x[i] = pk.rand(pk.double)", 5, "there is none"},
    {"x[i] = pk.rand()", 5, "rand takes a type"},
    {"a[i] = 18446744073709551616", 5, "64 bits"},
    {"a[i] = i + 2 ** 64", 5, "64 bits"},
    {"a[i] = 10 ** 60", 5, "64 bits"},
    {"if i:\n        t = 1\n    a[i] = t", 7, "t may not have been assigned"},
    {"for j in range(i):\n        t = j\n    a[i] = t", 7, "t may not have been assigned"},
    {"for j in range(i):\n        pass\n    a[i] = j", 7, "j may not have been assigned"},
    {"while i:\n        t = 1\n        break\n    a[i] = t", 8, "t may not have been assigned"},
    {"t += 1", 5, "t may not have been assigned"},
    {"def g():\n        return t\n    a[i] = g()\n    t = 1", 7, "t, which may not"},
    {"a[i] = g()\n    def g():\n        return 1", 5, "g may not have been defined"},
    {"def g():\n        return g()\n    a[i] = g()", 6, "cannot call itself"},
    {"nonlocal t\n    t = 1", 5, "nonlocal"},
    {"a = 5", 5, "the value is a int64"},
    {"b = a\n    b = 1", 6, "b is a"},
    {"a[i] = a", 5, "not a int64"},
    {"a[i] = a + 1", 5, "not a number"},
    {"a[i] = a[0.5]", 5, "integer"},
    {"a[i] = a[i][0]", 5, "too many indices"},
    {"a[i] = m[i, 0, 1]", 5, "too many indices"},
    {"a[i] = i[0]", 5, "cannot be indexed"},
    {"a[i] = i.x", 5, "no attribute"},
    {"a[i] = a.no_such", 5, "no attribute"},
    {"a[i] = a.fill(0)", 5, "no method"},
    {"a[i] = a.extent(1)", 5, "dimension"},
    {"a[i] = m.shape[2]", 5, "dimension"},
    {"a[i] = m.shape", 5, "tuple"},
    {"a[i] = x[i] & 1", 5, "'&'"},
    {"a[i] = x[i] << 1", 5, "'<<'"},
    {"a[i] = ~x[i]", 5, "'~'"},
    {"a[i] = i // 0", 5, "division by zero"},
    {"a[i] = i % 0", 5, "division by zero"},
    {"a[i] = 1 << -1", 5, "negative shift"},
    {"t = i ** i", 5, "by the sign of the exponent"},
    {"a[i ** i] = 1", 5, "by the sign of the exponent"},
    {"t, u = 1", 5, "as many targets"},
    {"t, u = 1, 2, 3", 5, "2 targets for 3 values"},
    {"t, *u = 1, 2", 5, "starred"},
    {"t: Unknown = 1", 5, "unknown type Unknown"},
    {"t: pk.View1D = a", 5, "no element type"},
    {"t: pk.View1D[pk.double] = a", 5, "the annotation says"},
    {"t: None = 1", 5, "None"},
    {"pk.printf('%d\\n', x[i])", 5, "%d"},
    {"pk.printf('%f\\n', i)", 5, "%f"},
    {"pk.printf('%d\\n')", 5, "more conversions"},
    {"pk.printf('%d\\n', i, i)", 5, "1 conversion"},
    {"pk.printf('%s\\n', i)", 5, "%s"},
    {"pk.printf(i)", 5, "constant string"},
    {"print(f'{i}')", 5, "f-string"},
    {"print(a)", 5, "not a number"},
    {"pk.atomic_add(a, 1)", 5, "atomic_add"},
    {"pk.atomic_add(i, [0], 1)", 5, "must be a view"},
    {"pk.atomic_add(m, [0], 1)", 5, "must be a view"},
    {"pk.atomic_and(x, [0], 1)", 5, "atomic_and is not defined"},
    {"a[i] = max(i)", 5, "one argument"},
    {"a[i] = max(a, i)", 5, "not a number"},
    {"a[i] = int('x')", 5, "string"},
    {"a[i] = len(i)", 5, "no length"},
    {"a[i] = math.sin()", 5, "takes 1 argument"},
    {"a[i] = math.sin(1, 2)", 5, "takes 1 argument"},
    {"a[i] = math.sin(x=1)", 5, "keyword"},
    {"a[i] = complex(1, 2) < 3", 5, "no order"},
    {"a[i] = complex(1, 2)", 5, "complex"},
    {"a[i] = int(complex(1, 2))", 5, "complex"},
    {"range(3)", 5, "range()"},
    {"pk.parallel_for(3, f)", 5, "range of a team"},
    {"i.league_rank()", 5, "no method"},
};

static void test_bodies(void **state)
{
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct lowered l;
        struct arena *a = arena_new(NULL, NULL);
        const struct str source = str_format(a,
                                             "@pk.workunit\n"
                                             "def f(i: int, a: pk.View1D[pk.int64], x: "
                                             "pk.View1D[pk.double], m: pk.View2D[pk.double]):\n"
                                             "    %s\n\n"
                                             "host_list = [k for k in range(3)]\n\n"
                                             "@pk.workunit\n"
                                             "def good(i: int, a: pk.View1D[pk.int64]):\n"
                                             "    a[i] = 1\n",
                                             bodies[i].body);
        lowered_open(&l, source.ptr);
        const struct kernel *k = lowered_kernel(&l, "f", NULL);
        if (k || !lowered_reported(&l, DIAG_ERROR, bodies[i].line, bodies[i].word)) {
            print_error("%s\nwanted line %d: %s\n%s\n", bodies[i].body, bodies[i].line,
                        bodies[i].word, lowered_messages(&l));
            failures++;
        }
        const size_t errors = l.diags.error_count;
        assert_non_null(lowered_kernel(&l, "good", NULL));
        assert_int_equal(l.diags.error_count, errors);
        for (size_t d = 0; d < l.diags.count; d++) {
            assert_true(str_equal_c(l.diags.items[d].scope, "f") || !l.diags.items[d].scope.len);
        }
        lowered_close(&l);
        arena_free(a);
    }
    assert_int_equal(failures, 0);
}

/* Whole modules, whose first line is line 3. */
static const struct refused modules[] = {
    {"@pk.workunit\ndef f():\n    pass\n", 4, "work index"},
    {"@pk.workunit\ndef f(x: pk.View1D[int]):\n    pass\n", 4, "first parameter"},
    {"@pk.workunit\ndef f(i: int, *args):\n    pass\n", 4, "*"},
    {"@pk.workunit\ndef f(i: int, **kw):\n    pass\n", 4, "*"},
    {"@pk.workunit\ndef f(i: int, x):\n    x[i] = 1\n", 4, "x of f has no type"},
    {"@pk.workunit\ndef f(i: int, x: pk.View1D):\n    x[i] = 1\n", 4, "no element type"},
    {"@pk.workunit\ndef f(i: int, x: pk.View1D[pk.View1D[int]]):\n    pass\n", 4, "a view of"},
    {"@pk.workunit\ndef f(i: int, x: dict):\n    pass\n", 4, "unknown type"},
    {"@pk.workunit\ndef f(i: int, t: pk.TeamMember):\n    pass\n", 4, "cannot be a parameter"},
    {"@pk.workunit\ndef f(i: int, x: list[int]):\n    x[0] = 1\n", 5, "cannot be changed"},
    {"@pk.workunit(x=pk.ViewTypeInfo(layout=pk.LayoutUp))\n"
     "def f(i: int, x: pk.View1D[int]):\n    pass\n",
     3, "unknown layout"},
    {"@pk.workunit(x=pk.ViewTypeInfo(trait=pk.Wild))\n"
     "def f(i: int, x: pk.View1D[int]):\n    pass\n",
     3, "unknown trait"},
    {"def h(a):\n    return a, 1\n\n@pk.workunit\ndef f(i: int):\n    k = h(i)\n", 4, "tuple"},
    {"def h(a):\n    if a:\n        return 1\n\n@pk.workunit\ndef f(i: int):\n    k = h(i)\n", 3,
     "without returning"},
    {"def h(a):\n    return\n\n@pk.workunit\ndef f(i: int):\n    k = h(i)\n", 8, "returns nothing"},
    {"def h(a):\n    return a\n\n@pk.workunit\ndef f(i: int):\n    k = h()\n", 8, "argument a"},
    {"def h(a):\n    return a\n\n@pk.workunit\ndef f(i: int):\n    k = h(1, 2)\n", 8,
     "takes 1 argument"},
    {"def h(a):\n    return a\n\n@pk.workunit\ndef f(i: int):\n    k = h(1, a=2)\n", 8, "twice"},
    {"def h(a):\n    return a\n\n@pk.workunit\ndef f(i: int):\n    k = h(b=2)\n", 8,
     "no parameter b"},
    {"def h(*a):\n    return 1\n\n@pk.workunit\ndef f(i: int):\n    k = h(1)\n", 8, "star"},
    {"def h(a):\n    raise ValueError(a)\n\n@pk.workunit\ndef f(i: int):\n    h(1)\n", 4, "raise"},
    {"def h(v: pk.View1D[int]) -> int:\n    return v[0]\n\n@pk.workunit\n"
     "def f(i: int, v: pk.View1D[pk.double]):\n    k = h(v)\n",
     8, "the argument a View1D[double]"},
    {"@pk.functor\nclass F:\n    def __init__(self):\n        self.n: int = 1\n        self.m = "
     "2\n\n"
     "    @pk.workunit\n    def f(self, i: int):\n        self.n = 3\n",
     11, "cannot be assigned"},
    {"@pk.functor\nclass F:\n    def __init__(self):\n        self.n: int = 1\n        self.m = "
     "2\n\n"
     "    @pk.workunit\n    def f(self, i: int):\n        k = self.m\n",
     11, "no annotation"},
    {"@pk.functor\nclass F:\n    def __init__(self):\n        self.count: int = 1\n\n"
     "    @pk.workunit\n    def f(self, i: int):\n        k = self.cuont\n",
     10, "no field cuont"},
    {"@pk.functor\nclass F:\n    def __init__(self):\n        self.n: int = 1\n\n"
     "    @pk.workunit\n    def f(self, i: int):\n        self.f(i)\n",
     10, "calls a workunit"},
    {"class C:\n    pass\n\n@pk.workunit\ndef f(i: int):\n    c = C()\n", 8, "not a @pk.classtype"},
    {"@pk.classtype\nclass C:\n    def __init__(self):\n        self.c: C = 1\n\n"
     "@pk.workunit\ndef f(i: int):\n    c = C()\n",
     4, "hold itself"},
    {"@pk.classtype\nclass C:\n    def __init__(self, x: int):\n        self.x: int = x\n\n"
     "@pk.workunit\ndef f(i: int):\n    c = C(1)\n    d = c\n",
     11, "two names for one object"},
    {"import functools\n\n@functools.cache\ndef h(x):\n    return x\n\n"
     "@pk.workunit\ndef f(i: int):\n    k = h(i)\n",
     11, "decorator"},
    {"def h(acc: pk.Acc[int]):\n    acc += 1\n\n@pk.workunit\ndef f(i: int):\n    h(i)\n", 8,
     "is an accumulator"},
    {"def h(row):\n    row[0] = 1\n\n@pk.workunit\ndef f(i: int):\n"
     "    m: list[list[int]] = [[1, 2], [3, 4]]\n    h(m[0])\n",
     9, "row of a list"},
    {"@pk.workunit\ndef f(i: int, v: pk.View1D[int], m: pk.View2D[int]):\n    v = m[:, 0]\n", 5,
     "other strides"},
    {"@pk.workunit\ndef f(i: int, acc: pk.Acc[int], last: bool, j: int, t: pk.TeamMember):\n"
     "    pass\n",
     4, "cannot be a parameter"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s = pk.ScratchView1D(t.team_scratch(0), n)\n",
     5, "no element type"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView1D[int] = pk.ScratchView1D(t.team_scratch(2), n)\n",
     5, "must be 0 or 1"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView1D[int] = pk.ScratchView1D(t.team_scratch(n), n)\n",
     5, "must be 0 or 1"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView2D[int] = pk.ScratchView2D(t.team_scratch(0), n)\n",
     5, "2 extents, not 1"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView2D[int] = pk.ScratchView1D(t.team_scratch(0), n)\n",
     5, "the value is a ScratchView1D"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView1D[int] = pk.ScratchView1D(x, n)\n",
     5, "needs scratch memory of a team"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView1D[int] = pk.ScratchView1D(t.team_scratch(0), x[0])\n",
     5, "the extent"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    s: pk.ScratchView1D[int] = pk.ScratchView1D(t.team_scratch(0), n=n)\n",
     5, "no keyword"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    m = t.team_scratch(0)\n",
     5, "only be given to a scratch view"},
    {"@pk.workunit\ndef f(t: pk.TeamMember, n: int, x: pk.View1D[float]):\n"
     "    t.team_magic()\n",
     5, "no method team_magic"},
    {"@pk.workunit(scratch=[(int, lambda p: p.k)])\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "has no parameter k"},
    {"@pk.workunit(scratch=[int])\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "is a pair"},
    {"@pk.workunit(scratch=7)\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "list of pairs"},
    {"@pk.workunit(scratch=[(thing, lambda p: p.n)])\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "unknown type"},
    {"@pk.workunit(scratch=[(int, lambda p: 0.5 * p.n)])\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "size of scratch memory"},
    {"@pk.workunit(scratch=[(int, lambda p, q: p.n)])\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "one argument"},
    {"@pk.workunit(scratch=[(int, lambda p: p)])\ndef f(t: pk.TeamMember, n: int):\n"
     "    pass\n",
     3, "no size of scratch memory"},
    {"@pk.workunit(scratch=[(int, lambda p: p.n)])\ndef f(i: int, n: int):\n"
     "    pass\n",
     3, "only a workunit of teams"},
};

static void test_modules(void **state)
{
    int failures = 0;

    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        struct lowered l;
        lowered_open(&l, modules[i].body);
        const bool functor = strstr(modules[i].body, "class F") != NULL;
        const struct kernel *k = lowered_kernel(&l, functor ? "F.f" : "f", NULL);
        if (k || !lowered_reported(&l, DIAG_ERROR, modules[i].line, modules[i].word)) {
            print_error("%s\nwanted line %d: %s\n%s\n", modules[i].body, modules[i].line,
                        modules[i].word, lowered_messages(&l));
            failures++;
        }
        lowered_close(&l);
    }
    assert_int_equal(failures, 0);
}

static void test_all_errors_at_once(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "def h(x):\n    assert x\n    return x\n\n"
                     "@pk.workunit\n"
                     "def f(i: int, v: pk.View1D[int]):\n"
                     "    del v\n"
                     "    v[i] = h(i) + unknown\n"
                     "    for j in v:\n"
                     "        raise j\n");
    assert_null(lowered_kernel(&l, "f", NULL));
    assert_true(lowered_reported(&l, DIAG_ERROR, 4, "assert"));
    assert_true(lowered_reported(&l, DIAG_ERROR, 9, "del"));
    assert_true(lowered_reported(&l, DIAG_ERROR, 10, "unknown"));
    assert_true(lowered_reported(&l, DIAG_ERROR, 11, "range()"));
    assert_true(lowered_reported(&l, DIAG_ERROR, 12, "raise"));
    assert_int_equal(l.diags.error_count, 5);
    lowered_close(&l);
}

static bool has_hint(const struct lowered *l, const char *text)
{
    for (size_t i = 0; i < l->diags.count; i++) {
        if (strstr(l->diags.items[i].hint.ptr, text)) {
            return true;
        }
    }
    return false;
}

static void test_suggestions(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "COUNT = 3\n\ndef helper(x):\n    return x\n\n"
                     "@pk.workunit\n"
                     "def f(i: int, velocity: pk.View1D[int]):\n"
                     "    velocity[i] = velcity[i] + CUONT + helpre(i) + sqtr(i)\n");
    assert_null(lowered_kernel(&l, "f", NULL));
    assert_true(has_hint(&l, "did you mean velocity?"));
    assert_true(has_hint(&l, "did you mean COUNT?"));
    assert_true(has_hint(&l, "did you mean helper?"));
    assert_true(has_hint(&l, "did you mean sqrt?"));
    lowered_close(&l);
}

static void test_instantiate_line(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\n"
                     "def f(i, acc, x, y, n: int, k):\n"
                     "    acc += x[i] * y[i] * n * k\n\n"
                     "def run(size):\n"
                     "    a = pk.View([size], pk.double)\n"
                     "    b = np.zeros((size, 3), dtype=np.float32)\n"
                     "    pk.parallel_reduce(size, f, x=a, y=b, n=3, k=0.5)\n");
    assert_null(lowered_kernel(&l, "f", NULL));
    assert_true(has_hint(&l, "INSTANTIATE \"f(x: View1D[double], y: View2D[float32], k: float)\""));
    lowered_close(&l);
}

static void test_warnings(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.functor\nclass F:\n"
                     "    def __init__(self):\n        self.n: int = 1\n\n"
                     "    @pk.workunit\n"
                     "    def f(self, i: int, a: pk.View1D[int], x: pk.View1D[float]):\n"
                     "        a[i] = x[i] and x[0]\n"
                     "        a[i] = n\n");
    assert_non_null(lowered_kernel(&l, "F.f", NULL));
    assert_true(lowered_reported(&l, DIAG_WARNING, 10, "`and` and `or`"));
    assert_true(lowered_reported(&l, DIAG_WARNING, 11, "the field is meant"));
    lowered_close(&l);
}

static void test_overwritten_by_a_loop(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\n"
                     "def f(i: int, a: pk.View1D[int]):\n"
                     "    for i in range(3):\n        a[i] = 1\n"
                     "    a[i] = 2\n"
                     "    k = 3\n"
                     "    for k in range(3):\n        a[k] = k\n"
                     "    k = 4\n"
                     "    a[k] = k\n");
    assert_non_null(lowered_kernel(&l, "f", NULL));
    assert_true(
        lowered_reported(&l, DIAG_WARNING, 7, "the loop in line 5 here, not that of line 4"));
    assert_int_equal(l.diags.count, 1);
    lowered_close(&l);
}

/* A chain, a tower of brackets and a ladder of blocks: an answer, whatever it is, and no crash. */
static void test_depth(void **state)
{
    static const char *const shapes[3][3] = {
        {"    a[i] = 1", " + i", "\n"}, {"    a[i] = ", "-", "i\n"}, {"    a[i] = ", "abs(", "i"}};

    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        struct lowered l;
        struct arena *a = arena_new(NULL, NULL);
        struct buf text;
        buf_init(&text, a);
        buf_add_c(&text, "@pk.workunit\ndef f(i: int, a: pk.View1D[int]):\n");
        buf_add_c(&text, shapes[shape][0]);
        for (int k = 0; k < 3000; k++) {
            buf_add_c(&text, shapes[shape][1]);
        }
        buf_add_c(&text, shapes[shape][2]);
        for (int k = 0; shape == 2 && k < 3000; k++) {
            buf_add_c(&text, ")");
        }
        buf_add_c(&text, "\n");
        lowered_open(&l, buf_str(&text).ptr);
        if (l.count) {
            const struct kernel *k = lowered_kernel(&l, "f", NULL);
            assert_true(k || l.diags.error_count > 0);
        } else {
            assert_true(l.diags.error_count > 0);
        }
        lowered_close(&l);
        arena_free(a);
    }
}

const struct CMUnitTest refused_tests[] = {
    cmocka_unit_test(test_bodies),
    cmocka_unit_test(test_modules),
    cmocka_unit_test(test_all_errors_at_once),
    cmocka_unit_test(test_suggestions),
    cmocka_unit_test(test_instantiate_line),
    cmocka_unit_test(test_warnings),
    cmocka_unit_test(test_overwritten_by_a_loop),
    cmocka_unit_test(test_depth),
};
const size_t refused_test_count = sizeof refused_tests / sizeof refused_tests[0];
