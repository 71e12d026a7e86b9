/* What sources become: the typed form, line by line. */
#include "lowered.h"

#include <string.h>

/* The dump of `f` with this body must have these lines, in this order. */
static void check(const char *body, const char *const *lines)
{
    struct arena *a = arena_new(NULL, NULL);
    struct lowered l;

    lowered_open(&l, str_format(a,
                                "import numpy as np\n\nN = 12\n\n"
                                "@pk.function\ndef tick(c: pk.View1D[pk.int64]) -> int:\n"
                                "    c[0] += 1\n    return c[0]\n\n"
                                "@pk.function\ndef twice(x):\n    return x * 2\n\n"
                                "@pk.workunit\n"
                                "def f(i: int, a: pk.View1D[pk.int64], n: pk.View1D[pk.int32], "
                                "u: pk.View1D[pk.uint64], x: pk.View1D[pk.double], "
                                "s: pk.View1D[pk.float32], m: pk.View2D[pk.double]):\n%s\n",
                                body)
                         .ptr);
    const char *dump = lowered_dump(&l), *at = dump;
    for (size_t i = 0; lines[i]; i++) {
        const char *found = strstr(at, lines[i]);
        if (!found) {
            fail_msg("%s\nhas no line %s after what came before:\n%s", body, lines[i], dump);
        }
        at = found + strlen(lines[i]);
    }
    lowered_close(&l);
    arena_free(a);
}

#define CHECK(body, ...)                                  \
    do {                                                  \
        const char *const lines_[] = {__VA_ARGS__, NULL}; \
        check(body, lines_);                              \
    } while (0)

static void test_types(void **state)
{
    (void)state;
    /* float32 stays, literals and ints adapt; double widens */
    CHECK("    s[i] = s[i] * 2 + 0.1",
          "store elem.f32(s, i) = add.f32(mul.f32(elem.f32(s, i), 2.f32)");
    CHECK("    s[i] = s[i] * x[i]",
          "convert.f32(mul.f64(convert.f64(elem.f32(s, i)), elem.f64(x, i)))");
    CHECK("    s[i] = s[i] + i", "add.f32(elem.f32(s, i), convert.f32(i))");
    /* ints in 64 bits, narrowed by the store */
    CHECK("    n[i] = n[i] * n[0]",
          "convert.i32(mul.i64(convert.i64(elem.i32(n, i)), convert.i64(elem.i32(n, 0))))");
    /* a copy needs no conversion */
    CHECK("    n[i] = n[0]", "store elem.i32(n, i) = elem.i32(n, 0)");
    CHECK("    x[i] = n[i]", "store elem.f64(x, i) = convert.f64(elem.i32(n, i))");
    /* true division of ints */
    CHECK("    x[i] = a[i] / 3", "truediv_int.f64(elem.i64(a, i), 3)");
    CHECK("    x[i] = n[i] / 3", "truediv.f64(convert.f64(elem.i32(n, i)), 3.f64)");
    /* one type a variable */
    CHECK("    t = 0\n    for j in range(3):\n        t += 0.5\n    x[i] = t", "var t: float64",
          "t = 0.f64");
    CHECK("    t: int = x[i]\n    a[i] = t", "var t: int64", "t = convert.i64(elem.f64(x, i))");
    CHECK("    t = n[i]\n    a[i] = t", "var t: int64");
    CHECK("    t = i > 2\n    a[i] = t", "var t: bool", "convert.i64(t)");
}

static void test_unsigned(void **state)
{
    (void)state;
    CHECK("    u[i] = u[i] + 1", "add.u64(elem.u64(u, i), 1.u64)");
    /* only the low bits are kept: no 128-bit arithmetic */
    CHECK("    u[i] = u[i] - a[i] * 3",
          "sub.u64(elem.u64(u, i), convert.u64(mul.i64(elem.i64(a, i), 3)))");
    CHECK("    a[i] = -u[i]", "neg.i64(convert.i64(elem.u64(u, i)))");
    /* all are looked at */
    CHECK("    a[i] = (u[i] - u[0]) // 2", "floordiv.i128(sub.i128(convert.i128(elem.u64(u, i))");
    CHECK("    a[i] = u[i] < a[i]",
          "lt.bool(convert.i128(elem.u64(u, i)), convert.i128(elem.i64(a, i)))");
    CHECK("    a[i] = u[i] < 5", "lt.bool(elem.u64(u, i), 5.u64)");
    CHECK("    t = u[i] - u[0]\n    a[i] = t < 0", "var t: int128");
}

static void test_constants(void **state)
{
    (void)state;
    CHECK("    a[i] = 2 ** 100 % 1000", "= 376\n");
    CHECK("    u[i] = 18446744073709551615 - 1", "= 18446744073709551614.u64");
    CHECK("    a[i] = -9223372036854775808", "= -9223372036854775808\n");
    CHECK("    a[i] = 1 << 40", "= 1099511627776\n");
    CHECK("    x[i] = 2 ** -1 + N", "= 12.5.f64");
    CHECK("    n[i] = 3000000000", "= -1294967296.i32");
    CHECK("    x[i] = 7 // 2 * 1.5 if N > 3 else 0", "= 4.5.f64");
    CHECK("    N = 3\n    a[i] = N", "var N: int64", "N = 3", "= N\n");
    CHECK("    x[i] = math.pi", "3.1415926535897931.f64");
}

static void test_power(void **state)
{
    (void)state;
    CHECK("    a[i] = a[i] ** 2", "pow_int.i64(elem.i64(a, i), 2)");
    CHECK("    x[i] = a[i] ** -2", "pow_int_double.f64(elem.i64(a, i), -2)");
    CHECK("    a[i] = 2 ** i", "pow_int.i64(2, i)");
    CHECK("    x[i] = 2 ** i", "pow_int_double.f64(2, i)");
    CHECK("    x[i] = x[i] * 2 ** i", "mul.f64(elem.f64(x, i), pow_int_double.f64(2, i))");
    CHECK("    a[i] = 2 ** i + 1", "select.i64(ge.bool(i, 0), add.i64(pow_int.i64(2, i), 1), "
                                   "convert.i64(add.f64(pow_int_double.f64(2, i), 1.f64)))");
    CHECK("    for j in range(4):\n        t = 2 ** j\n        a[j] = t", "t = pow_int.i64(2, j)");
    CHECK("    a[i] = 3 ** abs(i)", "pow_int.i64(3, abs_int.i64(i))");
    CHECK("    x[i] = x[i] ** 2", "pow.f64(elem.f64(x, i), 2.f64)");
}

static void test_order(void **state)
{
    (void)state;
    /* what a call could change is read before it */
    CHECK("    a[i] = a[0] + tick(a)", "t1 = elem.i64(a, 0)",
          "store elem.i64(a, i) = add.i64(t1, tick.i64(a))");
    CHECK("    a[i] = tick(a) - tick(a)", "t1 = tick.i64(a)", "= sub.i64(t1, tick.i64(a))");
    CHECK("    a[i] = tick(a) * 10 + a[0]", "t1 = mul.i64(tick.i64(a), 10)",
          "= add.i64(t1, elem.i64(a, 0))");
    /* pure calls and constants need no temporaries */
    CHECK("    a[i] = i + tick(a)", "store elem.i64(a, i) = add.i64(i, tick.i64(a))");
    CHECK("    x[i] = x[0] + twice(x[1])", "= add.f64(elem.f64(x, 0), twice.f64(elem.f64(x, 1)))");
    /* an index is evaluated once */
    CHECK("    a[tick(a)] += 2", "t1 = tick.i64(a)",
          "store elem.i64(a, t1) = add.i64(elem.i64(a, t1), 2)");
    /* only where the condition asks for it */
    CHECK("    if i and a[tick(a)] > tick(a):\n        a[i] = 1", "t2 = convert.bool(i)",
          "if t2:", "t2 = gt.bool");
    CHECK("    while tick(a) < tick(a):\n        a[i] = 1",
          "while True:", "if not.bool(lt.bool(t1, tick.i64(a))):", "break");
    CHECK("    while a[i] < 3:\n        a[i] += 1", "while lt.bool(elem.i64(a, i), 3):");
    /* an operand in the middle of a chain */
    CHECK("    a[i] = 0 < a[0] < 5",
          "and.bool(lt.bool(0, elem.i64(a, 0)), lt.bool(elem.i64(a, 0), 5))");
    CHECK("    a[i] = 0 < tick(a) < 5", "t1 = tick.i64(a)",
          "and.bool(lt.bool(0, t1), lt.bool(t1, 5))");
    /* simultaneous */
    CHECK("    a[0], a[1] = a[1], a[0]", "t1 = elem.i64(a, 1)", "t2 = elem.i64(a, 0)",
          "store elem.i64(a, 0) = t1", "store elem.i64(a, 1) = t2");
}

static void test_comparison(void **state)
{
    (void)state;
    CHECK("    a[i] = a[i] < x[i]", "lt.bool(elem.i64(a, i), elem.f64(x, i))"); /* exact */
    CHECK("    a[i] = n[i] < x[i]", "lt.bool(convert.f64(elem.i32(n, i)), elem.f64(x, i))");
    CHECK("    a[i] = x[i] > 3", "gt.bool(elem.f64(x, i), 3.f64)");
    CHECK("    a[i] = s[i] > 0.1", "gt.bool(elem.f32(s, i), 0.10000000149011612.f32)");
}

static void test_loops(void **state)
{
    (void)state;
    CHECK("    for j in range(5):\n        a[j] = 1", "for j in range(0, 5):\n");
    CHECK("    for j in range(5):\n        a[j] = 1\n    a[0] = j",
          "for j in range(0, 5) used_after:\n");
    CHECK("    for j in range(5):\n        j += 1", "for j in range(0, 5) assigned:\n");
    CHECK("    for j in range(i, 0, -2):\n        a[j] = 1", "for j in range(i, 0, -2):\n");
    CHECK("    for j in range(5):\n        a[j] = 1\n    for j in range(3):\n        a[j] = 2",
          "for j in range(0, 5):\n", "for j in range(0, 3):\n");
    CHECK("    for j in range(5):\n        for j in range(3):\n            pass\n        a[j] = 2",
          "for j in range(0, 5) assigned:\n", "for j in range(0, 3) used_after:\n");
    CHECK("    for j in range(0, 9, i):\n        a[j] = 1", "check ne.bool(i, 0)",
          "for j in range(0, 9, i):\n");
    CHECK("    j = 0.5\n    for j in range(3):\n        x[i] = j",
          "for t1 in range(0, 3):", "j = convert.f64(t1)");
}

static void test_views(void **state)
{
    (void)state;
    CHECK("    x[i] = m[i][0] + m[i, 1]", "add.f64(elem.f64(m, i, 0), elem.f64(m, i, 1))");
    CHECK("    x[i] = x[-1]", "elem.f64(x, add.i64(extent.i64(x, 0), -1))");
    CHECK("    x[i] = x[-1 - i]", "select.i64(lt.bool(t1, 0), add.i64(extent.i64(x, 0), t1), t1)");
    CHECK("    x[i] = x[i - 1]", "elem.f64(x, sub.i64(i, 1))");
    CHECK("    r = m[i]\n    x[i] = r[1]", "r = subview.view(m, i, :)", "elem.f64(r, 1)");
    CHECK("    r = m[:, 1]\n    x[i] = r[1]", "var r: View1D[double] stride",
          "subview.view(m, :, 1)");
    CHECK("    x[i] = m.extent(1) + m.shape[0] + m.size", "extent.i64(m, 1)", "extent.i64(m, 0)",
          "size.i64(m)");
}

static void test_calls(void **state)
{
    (void)state;
    CHECK("    x[i] = twice(x[i]) + twice(i)", "function twice", "function twice_2",
          "add.f64(twice.f64(elem.f64(x, i))");
    CHECK("    x[i] = sqrt(i) + math.sin(s[i])", "sqrt.f64(convert.f64(i))",
          "sin.f32(elem.f32(s, i))");
    CHECK("    a[i] = math.floor(x[i])", "convert.i64(floor.f64(elem.f64(x, i)))");
    CHECK("    x[i] = floor(x[i])", "= floor.f64(elem.f64(x, i))");
    CHECK("    a[i] = round(x[i])", "convert.i64(round_even.f64(elem.f64(x, i)))");
    CHECK("    x[i] = min(n[i], 2.5, x[i])",
          "min.f64(convert.f64(elem.i32(n, i)), 2.5.f64, elem.f64(x, i))");
    CHECK("    x[i] = math.log(x[i], 2)", "truediv.f64(log.f64(elem.f64(x, i)), log.f64(2.f64))");
    CHECK("    pk.atomic_add(n, [i], 2)", "atomic_add.void(elem.i32(n, i), 2.i32)");
    CHECK("    a[i] = pk.atomic_fetch_add(a, [0], 2)",
          "= atomic_add_fetch_old.i64(elem.i64(a, 0), 2)");
    CHECK("    pk.atomic_fetch_add(a, [0], 2)", "atomic_add.void(elem.i64(a, 0), 2)");
    CHECK("    pk.printf('%d %5.2f%%\\n', n[i], s[i])",
          "printf.void(\"%lld %5.2f%%\\n\", convert.i64(elem.i32(n, i)), convert.f64(elem.f32(s, "
          "i)))");
    CHECK("    print('i%', i, x[i], i > 2)",
          "printf.void(\"i%% %lld %r %b\\n\", i, elem.f64(x, i), gt.bool(i, 2))");
}

/* The dump of a whole module's `f`. */
static void check_module(const char *source, const char *const *lines, const char *absent)
{
    struct lowered l;

    lowered_open(&l, source);
    const char *dump = lowered_dump(&l), *at = dump;
    for (size_t i = 0; lines[i]; i++) {
        const char *found = strstr(at, lines[i]);
        if (!found) {
            fail_msg("no line %s after what came before:\n%s", lines[i], dump);
        }
        at = found + strlen(lines[i]);
    }
    if (absent && strstr(dump, absent)) {
        fail_msg("%s should not be in\n%s", absent, dump);
    }
    lowered_close(&l);
}

#define CHECK_MODULE(source, absent, ...)                 \
    do {                                                  \
        const char *const lines_[] = {__VA_ARGS__, NULL}; \
        check_module(source, lines_, absent);             \
    } while (0)

static void test_accumulators(void **state)
{
    (void)state;
    CHECK_MODULE("@pk.workunit\ndef f(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.float32]):\n"
                 "    acc += x[i]\n    acc -= 2\n    acc *= x[0]\n",
                 NULL, "update acc add convert.f64(elem.f32(x, i))", "update acc add -2.f64",
                 "update acc mul");
    CHECK_MODULE(
        "@pk.workunit\ndef f(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):\n"
        "    if acc < x[i]:\n        acc = x[i]\n    acc = min(acc, x[0])\n    acc = acc + x[1]\n",
        NULL, "update acc max elem.f64(x, i)", "update acc min elem.f64(x, 0)",
        "update acc add elem.f64(x, 1)");
    /* not updates: the value looks at the accumulator, or the sum is cut */
    CHECK_MODULE("@pk.workunit\ndef f(i: int, acc: pk.Acc[int], x: pk.View1D[pk.double]):\n"
                 "    acc += acc\n    acc += x[i]\n    acc //= 2\n",
                 "update", "acc = add.i64(acc, acc)",
                 "acc = convert.i64(add.f64(convert.f64(acc), elem.f64(x, i)))",
                 "acc = floordiv.i64(acc, 2)");
}

static void test_leading_oddities(void **state)
{
    (void)state;
    /* an accumulator is passed by reference */
    CHECK_MODULE("def add(acc, x):\n    acc += x\n\n"
                 "@pk.workunit\ndef f(i: int, acc: pk.Acc[int], x: pk.View1D[pk.int64]):\n"
                 "    add(acc, x[i])\n",
                 NULL, "parameter acc: int64 by_reference", "update acc add x",
                 "add.void(acc, elem.i64(x, i))");
    /* an index that is a float */
    CHECK_MODULE("@pk.workunit\ndef f(i: float, acc: pk.Acc[float]):\n    acc += i * i\n", NULL,
                 "leading i: int64", "var i: float64", "i = convert.f64(i)",
                 "update acc add mul.f64(i, i)");
}

static void test_functors(void **state)
{
    (void)state;
    CHECK_MODULE(
        "@pk.functor\nclass F:\n    def __init__(self, n):\n        self.n: int = n\n"
        "        self.unused: float = 2\n        self.v: pk.View1D[pk.double] = pk.View([n], "
        "pk.double)\n\n"
        "    @pk.function\n    def twice(self, k: int) -> float:\n        return self.v[k] * 2\n\n"
        "    @pk.function\n    def not_called(self):\n        return 1\n\n"
        "    @pk.workunit\n    def f(self, i: int):\n        self.v[i] = self.twice(i) + self.n\n\n"
        "@pk.workunit\ndef f(i: int):\n    pass\n",
        NULL, "kernel f for range 1");
    struct lowered l;
    lowered_open(
        &l,
        "@pk.functor\nclass F:\n    def __init__(self, n):\n        self.n: int = n\n"
        "        self.unused: float = 2\n        self.v: pk.View1D[pk.double] = pk.View([n], "
        "pk.double)\n\n"
        "    @pk.function\n    def twice(self, k: int) -> float:\n        return self.v[k] * 2\n\n"
        "    @pk.workunit\n    def g(self, i: int):\n        self.v[i] = self.twice(i) + self.n\n");
    const struct kernel *k = lowered_kernel(&l, "F.g", NULL);
    assert_non_null(k);
    assert_int_equal(k->field_count, 3);
    assert_true(str_equal_c(k->fields[1].name, "unused"));
    assert_int_equal(k->function_count, 1);
    assert_true(k->functions[0]->uses_fields);
    lowered_close(&l);
}

static void test_recursion(void **state)
{
    (void)state;
    CHECK_MODULE(
        "def even(n):\n    return True if n == 0 else odd(n - 1)\n\n"
        "def odd(n):\n    if n == 0:\n        return False\n    return even(n - 1)\n\n"
        "def grow(n):\n    if n < 1:\n        return 1\n    return grow(n - 1) / 2\n\n"
        "@pk.workunit\ndef f(i: int, a: pk.View1D[pk.double]):\n    a[i] = even(i) + grow(i)\n",
        NULL, "function odd recursive -> bool", "function even recursive -> bool",
        "function grow recursive -> float64");
}

static void test_inner_functions(void **state)
{
    (void)state;
    CHECK_MODULE("@pk.workunit\ndef f(i: int, a: pk.View1D[pk.int64]):\n"
                 "    def add(k: int):\n        nonlocal total\n        total += k * w\n\n"
                 "    total = 0\n    w = 2\n    add(i)\n    a[i] = total\n",
                 NULL, "inner function add -> void", "total = add.i64(total, mul.i64(k, w))",
                 "var total: int64 captured", "add.void(i)");
    CHECK_MODULE("@pk.workunit\ndef f(i: int, a: pk.View1D[pk.double]):\n"
                 "    def half(x):\n        return x / 2\n\n"
                 "    a[i] = half(i) + half(0.5)\n",
                 NULL, "parameter x: float64", "half.f64(convert.f64(i))");
}

static void test_atomic_views(void **state)
{
    (void)state;
    CHECK_MODULE(
        "@pk.workunit(v=pk.ViewTypeInfo(trait=pk.Trait.Atomic))\n"
        "def f(i: int, v: pk.View1D[pk.int64]):\n    v[0] += i\n    v[1] = i\n    v[2] -= v[1]\n",
        "    store", "atomic_add.void(elem.i64(v, 0), i)", "atomic_store.void(elem.i64(v, 1), i)",
        "atomic_sub.void(elem.i64(v, 2), atomic_load_fetch_old.i64(elem.i64(v, 1)))");
}

static void test_intrinsics_and_names(void **state)
{
    (void)state;
    /* an undecorated function of that name wins where it can be translated */
    CHECK_MODULE("def sin(x):\n    return x + 1\n\n"
                 "@pk.workunit\ndef f(i: int, a: pk.View1D[pk.double]):\n    a[i] = sin(i)\n",
                 NULL, "sin.i64(i)");
    CHECK_MODULE("def sin(view):\n    out = pk.View(view.shape)\n    pk.parallel_for(3, f, "
                 "v=out)\n    return out\n\n"
                 "@pk.workunit\ndef f(i: int, v: pk.View1D[pk.double]):\n    v[i] = sin(v[i])\n",
                 "function", "= sin.f64(elem.f64(v, i))");
    CHECK_MODULE("@pk.workunit\ndef sin(i: int, v: pk.View1D[pk.double]):\n    v[i] = sin(v[i])\n\n"
                 "@pk.workunit\ndef f(i: int, v: pk.View1D[pk.double]):\n    v[i] = sin(v[i])\n",
                 NULL, "= sin.f64(elem.f64(v, i))");
    CHECK_MODULE("from math import floor\n\nT = pk.int32\ng = math.cos\n\n"
                 "@pk.workunit\ndef f(i: int, v: pk.View1D[T]):\n    v[i] = floor(g(i)) + T(i)\n",
                 NULL, "convert.i64(floor.f64(cos.f64(convert.f64(i))))");
}

static void test_functions_of_libraries(void **state)
{
    (void)state;
    /* NaN decides for floats alone; fmax is another function */
    CHECK("    x[i] = np.maximum(x[i], 1)", "maximum.f64(elem.f64(x, i), 1.f64)");
    CHECK("    s[i] = np.fmin(s[i], 0.5)", "fmin.f32(elem.f32(s, i), 0.5.f32)");
    CHECK("    a[i] = np.maximum(n[i], a[i])",
          "max.i64(convert.i64(elem.i32(n, i)), elem.i64(a, i))");
    /* operators by name are the operators */
    CHECK("    a[i] = np.floor_divide(a[i], 7)", "floordiv.i64(elem.i64(a, i), 7)");
    CHECK("    a[i] = np.logical_xor(a[i], x[i])", "xor_bits.bool(");
    /* compared in the type that holds both exactly */
    CHECK("    a[i] = pk.lower_bound(n, 4, a[i])", "lower_bound.i64(n, 4, elem.i64(a, i))");
    CHECK("    a[i] = pk.upper_bound(u, 4, a[i])", "upper_bound.i64(u, 4, convert.i128(");
    CHECK("    a[i] = pk.lower_bound(s, 4, 0.5)", "lower_bound.i64(s, 4, 0.5.f32)");
    CHECK("    a[i] = pk.lower_bound(s, 4, x[i])", "lower_bound.i64(s, 4, elem.f64(x, i))");
}

const struct CMUnitTest lower_tests[] = {
    cmocka_unit_test(test_types),
    cmocka_unit_test(test_unsigned),
    cmocka_unit_test(test_constants),
    cmocka_unit_test(test_power),
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_comparison),
    cmocka_unit_test(test_loops),
    cmocka_unit_test(test_views),
    cmocka_unit_test(test_calls),
    cmocka_unit_test(test_accumulators),
    cmocka_unit_test(test_leading_oddities),
    cmocka_unit_test(test_functors),
    cmocka_unit_test(test_recursion),
    cmocka_unit_test(test_inner_functions),
    cmocka_unit_test(test_atomic_views),
    cmocka_unit_test(test_intrinsics_and_names),
    cmocka_unit_test(test_functions_of_libraries),
};
const size_t lower_test_count = sizeof lower_tests / sizeof lower_tests[0];
