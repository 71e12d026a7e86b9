/* Operation, policy and parameters; the signature's text and hash; instances' names. */
#include "lowered.h"

#include <string.h>

static void check_shape(const char *parameters, enum operation operation, enum policy policy,
                        int rank, size_t parameter_count)
{
    struct arena *a = arena_new(NULL, NULL);
    struct lowered l;

    lowered_open(&l, str_format(a, "@pk.workunit\ndef f(%s):\n    pass\n", parameters).ptr);
    const struct kernel *k = lowered_kernel(&l, "f", NULL);
    if (!k) {
        fail_msg("f(%s): %s", parameters, lowered_messages(&l));
        return;
    }
    assert_int_equal(k->operation, operation);
    assert_int_equal(k->policy, policy);
    assert_int_equal(k->rank, rank);
    assert_int_equal(k->parameter_count, parameter_count);
    lowered_close(&l);
    arena_free(a);
}

static void test_shapes(void **state)
{
    (void)state;
    check_shape("i: int", OPERATION_FOR, POLICY_RANGE, 1, 0);
    check_shape("i", OPERATION_FOR, POLICY_RANGE, 1, 0);
    check_shape("i: int, n: int, x: pk.View1D[int]", OPERATION_FOR, POLICY_RANGE, 1, 2);
    check_shape("i: int, acc: pk.Acc[float], x: pk.View1D[int]", OPERATION_REDUCE, POLICY_RANGE, 1,
                1);
    check_shape("i: int, acc: pk.Acc[int], last: bool", OPERATION_SCAN, POLICY_RANGE, 1, 0);
    check_shape("i: int, acc: pk.Acc[int], last: bool, b: bool", OPERATION_SCAN, POLICY_RANGE, 1,
                1);
    check_shape("i: int, acc: 'pk.Acc[int]', x: 'pk.View1D[pk.double]'", OPERATION_REDUCE,
                POLICY_RANGE, 1, 1);
    check_shape("t: pk.TeamMember", OPERATION_FOR, POLICY_TEAM, 1, 0);
    check_shape("t: pk.TeamMember, acc: pk.Acc[int], n: int", OPERATION_REDUCE, POLICY_TEAM, 1, 1);
    check_shape("i: int, m: list[list[float]]", OPERATION_FOR, POLICY_RANGE, 1, 1);
    check_shape("i: int, /, n: int, *, k: int", OPERATION_FOR, POLICY_RANGE, 1, 2);
}

static void test_mdrange_by_all_calls(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\ndef f(i: int, j: int, k: int):\n    pass\n\n"
                     "@pk.workunit\ndef g(i: int, j: int, k: int):\n    pass\n\n"
                     "@pk.workunit\ndef h(i: int, j: int):\n    pass\n\n"
                     "def run():\n"
                     "    p = pk.MDRangePolicy([0, 0], [2, 3])\n"
                     "    pk.parallel_for(p, f, k=1)\n"
                     "    pk.parallel_for('label', pk.MDRangePolicy((0, 0), (4, 4)), f, k=2)\n"
                     "    pk.parallel_for(p, g, k=1)\n"
                     "    pk.parallel_for(pk.RangePolicy(0, 3), g, j=1, k=1)\n");
    const struct kernel *f = lowered_kernel(&l, "f", NULL);
    const struct kernel *g = lowered_kernel(&l, "g", NULL);
    const struct kernel *h = lowered_kernel(&l, "h", "h(i: index, j: index)");
    assert_int_equal(f->policy, POLICY_MDRANGE);
    assert_int_equal(f->rank, 2);
    assert_int_equal(f->parameter_count, 1);
    assert_int_equal(g->policy, POLICY_RANGE);
    assert_int_equal(g->parameter_count, 2);
    assert_int_equal(h->rank, 2);
    assert_true(str_equal_c(h->instance, "md2"));
    lowered_close(&l);
}

static void test_unannotated(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\ndef f(j, acc, n, y, A):\n"
                     "    t: float = 0\n"
                     "    for i in range(n):\n        t += A[j][i]\n"
                     "    acc += y[j] * t\n\n"
                     "@pk.workunit\ndef s(i, acc, last, v):\n"
                     "    acc += v[i]\n    if last:\n        v[i] = acc\n\n"
                     "@pk.workunit\ndef t(team, v):\n    v[team.league_rank()] = 1\n");
    const struct kernel *f =
        lowered_kernel(&l, "f", "f(n: int, y: View1D[double], A: View2D[double])");
    assert_non_null(f);
    assert_int_equal(f->operation, OPERATION_REDUCE);
    assert_int_equal(f->acc->kind, TYPE_DOUBLE);
    assert_int_equal(f->parameter_count, 3);
    assert_true(str_equal_c(f->instance, "int64_View1D_double_View2D_double"));
    const struct kernel *other =
        lowered_kernel(&l, "f", "f(n: int, y: View1D[float32], A: View2D[double])");
    assert_false(str_equal(f->instance, other->instance));
    assert_false(sha256_equal(&f->signature_hash, &other->signature_hash));
    assert_int_equal(lowered_kernel(&l, "s", "s(v: View1D[int])")->operation, OPERATION_SCAN);
    assert_int_equal(lowered_kernel(&l, "t", "t(v: View1D[int])")->policy, POLICY_TEAM);
    lowered_close(&l);
}

static void test_long_instance_is_cut(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\ndef f(i, a, b, c, d):\n    a[i] = b[i] + c[i] + d[i]\n");
    const struct kernel *x = lowered_kernel(
        &l, "f", "f(a: View1D[double], b: View1D[double], c: View1D[double], d: View1D[double])");
    const struct kernel *y = lowered_kernel(
        &l, "f", "f(a: View1D[double], b: View1D[double], c: View1D[double], d: View1D[float32])");
    assert_true(x->instance.len <= 40);
    assert_false(str_equal(x->instance, y->instance));
    for (size_t i = 0; i < x->instance.len; i++) {
        assert_non_null(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_",
                               x->instance.ptr[i]));
    }
    lowered_close(&l);
}

static void test_signature_text(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l,
                 "@pk.functor(v=pk.ViewTypeInfo(layout=pk.LayoutLeft))\nclass L:\n"
                 "    def __init__(self, n):\n        self.n: int = n\n"
                 "        self.v: pk.View2D[pk.double] = pk.View([n, n], pk.double)\n"
                 "        self.timer = pk.Timer()\n\n"
                 "    @pk.workunit(x=pk.ViewTypeInfo(trait=pk.Atomic))\n"
                 "    def f(self, i: int, acc: pk.Acc[pk.double], x: pk.View1D[int], k: pk.real):\n"
                 "        acc += self.v[i, 0] * k\n");
    const struct kernel *k = lowered_kernel(&l, "L.f", NULL);
    assert_non_null(k);
    assert_string_equal(k->signature.ptr, "workunit L.f\n"
                                          "operation reduce\n"
                                          "policy range 1\n"
                                          "leading i: int64\n"
                                          "leading acc: double\n"
                                          "field n: int64\n"
                                          "field v: View2D[double] left\n"
                                          "parameter x: View1D[int32] right traits 1\n"
                                          "parameter k: double\n");
    assert_true(str_equal_c(k->class_name, "L"));
    assert_int_equal(k->instance.len, 0);
    lowered_close(&l);
}

static void test_signature_ignores_bodies(void **state)
{
    struct lowered a, b;

    (void)state;
    lowered_open(&a, "@pk.workunit\ndef f(i: int, x: pk.View1D[int]):\n    x[i] = 1\n");
    lowered_open(&b,
                 "T = pk.View1D[pk.int32]\n\n@pk.workunit\ndef f(i: int, x: T):\n    x[i] = 2\n");
    assert_true(sha256_equal(&lowered_kernel(&a, "f", NULL)->signature_hash,
                             &lowered_kernel(&b, "f", NULL)->signature_hash));
    lowered_close(&a);
    lowered_close(&b);
}

static void test_locations(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\ndef f(i: int, acc: pk.Acc[pk.double], x: pk.View1D[float]):\n"
                     "    if x[i] > acc.val:\n        acc.val = x[i]\n        acc.loc = i\n");
    const struct kernel *k = lowered_kernel(&l, "f", NULL);
    if (!k) {
        fail_msg("%s", lowered_messages(&l));
        return;
    }
    assert_true(k->acc_is_loc);
    assert_int_equal(k->acc->kind, TYPE_DOUBLE);
    assert_int_equal(k->leading[1].var->type->kind, TYPE_STRUCT);
    lowered_close(&l);
}

static void test_bad_instantiations(void **state)
{
    struct lowered l;

    (void)state;
    lowered_open(&l, "@pk.workunit\ndef f(i: int, x: pk.View1D[int], y):\n    x[i] = y\n");
    assert_null(lowered_kernel(&l, "f", "f(y: int, z: int)"));
    assert_true(lowered_reported(&l, DIAG_ERROR, 4, "has no parameter z"));
    assert_null(lowered_kernel(&l, "f", "f(y: int, x: View1D[double])"));
    assert_true(lowered_reported(&l, DIAG_ERROR, 4, "by its annotation"));
    assert_non_null(lowered_kernel(&l, "f", "f(y: int, x: View1D[int32])"));
    lowered_close(&l);
}

const struct CMUnitTest signature_tests[] = {
    cmocka_unit_test(test_shapes),         cmocka_unit_test(test_mdrange_by_all_calls),
    cmocka_unit_test(test_unannotated),    cmocka_unit_test(test_long_instance_is_cut),
    cmocka_unit_test(test_signature_text), cmocka_unit_test(test_signature_ignores_bodies),
    cmocka_unit_test(test_locations),      cmocka_unit_test(test_bad_instantiations),
};
const size_t signature_test_count = sizeof signature_tests / sizeof signature_tests[0];
