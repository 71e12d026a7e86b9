/* The generated C++ headers: every policy, parameter and result. */
#include <kernels.hpp>
#include <other.hpp>

/* Each header stands alone, and twice. */
#include <kernels.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

static int failures;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                           \
        }                                                                         \
    } while (0)

namespace
{

using space = Kokkos::DefaultExecutionSpace;

void test_ranges()
{
    const int n = 10;
    const std::size_t wide = 10;
    Kokkos::View<double *> x("x", n);
    Kokkos::deep_copy(x, 1.0);
    kernels::scale(n, x, 2.0);
    kernels::scale(wide, x, 2.0);
    kernels::scale({0, n}, x, 2.0);
    kernels::scale({0, wide}, x, 2.0);
    kernels::scale(Kokkos::RangePolicy<>(0, n), x, 2.0);
    kernels::scale(Kokkos::RangePolicy<space>(space(), 0, n), x, 2);
    kernels::scale(Kokkos::RangePolicy<space, Kokkos::IndexType<int>>(0, n), x, 2.0F);
    kernels::scale(Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>(0, n), x, 2.0);
    const auto chunked =
        Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>(0, n).set_chunk_size(3);
    kernels::scale(chunked, x, 2.0);
    bool right = true;
    for (int i = 0; i < n; ++i) {
        right = right && x(i) == 512.0;
    }
    CHECK(right);
    kernels::scale({3, 5}, x, 0.0);
    CHECK(x(2) == 512.0 && x(3) == 0.0 && x(4) == 0.0 && x(5) == 512.0);
    kernels::scale(0, x, 0.0);
    CHECK(x(0) == 512.0);
}

void test_views()
{
    Kokkos::View<double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> unmanaged;
    double data[4] = {1, 2, 3, 4};
    unmanaged = decltype(unmanaged)(data, 4);
    kernels::scale(4, unmanaged, 10.0);
    CHECK(data[3] == 40.0);
    Kokkos::View<double *, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 4);
    kernels::scale(4, left, 10.0);
    Kokkos::View<double[4], Kokkos::HostSpace> fixed("fixed");
    fixed(1) = 3.0;
    kernels::scale(4, fixed, 2.0);
    CHECK(fixed(1) == 6.0);
    /* A contiguous part of a matrix, and one with a longer stride between rows. */
    Kokkos::View<double **, Kokkos::LayoutRight, Kokkos::HostSpace> matrix("matrix", 3, 4);
    Kokkos::deep_copy(matrix, 1.0);
    kernels::scale(4, Kokkos::subview(matrix, 1, Kokkos::ALL), 5.0);
    CHECK(matrix(0, 0) == 1.0 && matrix(1, 3) == 5.0 && matrix(2, 0) == 1.0);
}

void test_reductions()
{
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 4);
    x(0) = 4.0;
    x(1) = -2.0;
    x(2) = 8.0;
    x(3) = -2.0;
    static_assert(std::is_same<decltype(kernels::dot(4, x, x)), double>::value, "");
    CHECK(kernels::dot(4, x, x) == 88.0);
    CHECK(kernels::dot(Kokkos::RangePolicy<>(0, 0), x, x) == 0.0);
    Kokkos::View<int *, Kokkos::HostSpace> v("v", 3);
    v(0) = -7;
    v(1) = -3;
    v(2) = -5;
    CHECK(kernels::largest<pkc::Max>(3, v) == -3);
    CHECK(kernels::largest<Kokkos::Max<int>>(3, v) == -3);
    const auto where = kernels::where<pkc::MinLoc>(4, x);
    CHECK(where.val == -2.0 && where.loc == 1);
    const auto ends = kernels::ends(4, x);
    CHECK(ends.min_val == -2.0 && ends.max_val == 8.0);
    Kokkos::View<signed char *, Kokkos::HostSpace> bytes("bytes", 3);
    bytes(0) = 5;
    bytes(1) = -9;
    bytes(2) = 7;
    const auto span = kernels::span<pkc::MinMaxLoc>(3, bytes);
    CHECK(span.min_val == -9 && span.min_loc == 1 && span.max_val == 7 && span.max_loc == 2);
    Kokkos::View<std::int64_t *, Kokkos::HostSpace> p("p", 4);
    Kokkos::deep_copy(p, 2);
    CHECK(kernels::prefix(4, p) == 8);
    CHECK(p(0) == 2 && p(3) == 8);
    CHECK(kernels::names(2, 1, 10, 100, 1000) == 2222);
}

/* Views of const elements go where the kernel only reads. */
void test_const_views()
{
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 3);
    Kokkos::deep_copy(x, 2.0);
    const Kokkos::View<const double *, Kokkos::HostSpace> reads = x;
    const Kokkos::View<const double *, Kokkos::HostSpace,
                       Kokkos::MemoryTraits<Kokkos::RandomAccess>>
        random = x;
    CHECK(kernels::dot(3, reads, random) == 12.0);
    std::string said;
    try {
        kernels::scale(3, reads, 5.0);
    } catch (const std::invalid_argument &error) {
        said = error.what();
    }
    CHECK(said == "the kernel stores to x, which is a view of const elements here");
    CHECK(x(0) == 2.0);
}

/* Each reducer by the name of ours and by Kokkos' class; of nothing, Kokkos' identity. */
void test_reducers()
{
    using Kokkos::reduction_identity;
    Kokkos::View<int *, Kokkos::HostSpace> v("v", 4);
    v(0) = 6;
    v(1) = 3;
    v(2) = -10;
    v(3) = 2;
    const int none = 0;
    CHECK(kernels::product<pkc::Prod>(4, v) == -360);
    CHECK(kernels::product<Kokkos::Prod<int>>(none, v) == reduction_identity<int>::prod());
    CHECK(kernels::least<pkc::Min>(4, v) == -10);
    CHECK(kernels::least<Kokkos::Min<int>>(none, v) == reduction_identity<int>::min());
    CHECK(kernels::largest<Kokkos::Max<int>>(none, v) == reduction_identity<int>::max());
    CHECK(kernels::common_bits<pkc::BAnd>(2, v) == 2);
    CHECK(kernels::common_bits<Kokkos::BAnd<int>>(none, v) == reduction_identity<int>::band());
    CHECK(kernels::all_bits<pkc::BOr>(2, v) == 7);
    CHECK(kernels::all_bits<Kokkos::BOr<int>>(none, v) == reduction_identity<int>::bor());
    CHECK(kernels::every<pkc::LAnd>(4, v) == 1);
    CHECK(kernels::every<Kokkos::LAnd<int>>(none, v) == reduction_identity<int>::land());
    CHECK(kernels::some<Kokkos::LOr<int>>(4, v) == 1);
    CHECK(kernels::some<pkc::LOr>(none, v) == reduction_identity<int>::lor());
    v(1) = 0;
    CHECK(kernels::every<Kokkos::LAnd<int>>(4, v) == 0);
    const auto highest = kernels::highest<Kokkos::MaxLoc<int, int>>(4, v);
    CHECK(highest.val == 6 && highest.loc == 0);
    CHECK(kernels::highest<pkc::MaxLoc>(none, v).val == reduction_identity<int>::max());
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 1);
    const auto ends = kernels::ends<Kokkos::MinMax<double>>(none, x);
    CHECK(ends.min_val == reduction_identity<double>::min() &&
          ends.max_val == reduction_identity<double>::max());
    const auto where = kernels::where<Kokkos::MinLoc<double, int>>(none, x);
    CHECK(where.val == reduction_identity<double>::min() && where.loc == INT64_MAX);
    Kokkos::View<signed char *, Kokkos::HostSpace> bytes("bytes", 1);
    bytes(0) = 3;
    const auto span = kernels::span<Kokkos::MinMaxLoc<signed char, int>>(1, bytes);
    CHECK(span.min_val == 3 && span.max_loc == 0);
}

/* The same numbers as a functor of Kokkos draws from its pool: from ours, and from its own. */
void test_random()
{
    using pool_type = Kokkos::Random_XorShift64_Pool<space>;
    const int n = 100;
    Kokkos::View<double *> x("x", n), expected("expected", n);
    Kokkos::View<int *> k("k", n), whole("whole", n);
    const auto draw = [&](const pool_type &pool) {
        Kokkos::parallel_for(
            n, KOKKOS_LAMBDA(const int i) {
                auto g = pool.get_state();
                expected(i) = g.drand(-1.0, 1.0);
                whole(i) = g.rand(100);
                pool.free_state(g);
            });
        Kokkos::fence();
    };
    const auto same = [&] {
        for (int i = 0; i < n; ++i) {
            if (x(i) != expected(i) || k(i) != whole(i)) {
                return false;
            }
        }
        return true;
    };
    if (space().concurrency() > 1) {
        return; /* threads may have other indices then */
    }
    pool_type theirs(12345);
    const pkc::random_pool ours(12345);
    draw(theirs);
    kernels::noise(n, ours, x, k);
    CHECK(same());
    draw(theirs);
    kernels::noise(n, ours, x, k); /* from where the states are now */
    CHECK(same());
    pool_type twin(12345);
    for (int call = 0; call < 2; ++call) {
        kernels::noise(n, twin, x, k);
    }
    CHECK(same());
    bool thrown = false;
    try {
        kernels::noise(n, pkc::random_pool(), x, k);
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
}

template <class View> bool is_filled(const View &x)
{
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (x(i, j) != 10 * i + j) {
                return false;
            }
        }
    }
    return true;
}

void test_mdranges()
{
    Kokkos::View<int **, Kokkos::LayoutRight, Kokkos::HostSpace> right("right", 4, 3);
    Kokkos::View<int **, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 4, 3);
    kernels::fill({4, 3}, right);
    CHECK(is_filled(right));
    kernels::fill_left({4, 3}, left);
    CHECK(is_filled(left));
    Kokkos::deep_copy(right, 0);
    kernels::fill(Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {4, 3}), right);
    CHECK(is_filled(right));
    Kokkos::deep_copy(right, 0);
    kernels::fill(Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>({0, 0}, {4, 3}, {2, 2}), right);
    CHECK(is_filled(right));
    CHECK(kernels::total({4, 3}, right) == 192);
    CHECK(kernels::total(Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 0}, {2, 3}), right) == 33);
}

void test_types()
{
    Kokkos::View<Kokkos::complex<double> *, Kokkos::HostSpace> z("z", 2);
    z(1) = Kokkos::complex<double>(1.0, 2.0);
    kernels::turn(2, z, Kokkos::complex<double>(0.0, 1.0));
    CHECK(z(1).real() == -2.0 && z(1).imag() == 1.0);
    /* Instantiations are overloads. */
    Kokkos::View<double *, Kokkos::HostSpace> dx("dx", 2), dy("dy", 2);
    Kokkos::View<float *, Kokkos::HostSpace> fx("fx", 2), fy("fy", 2);
    Kokkos::deep_copy(dx, 2.0);
    Kokkos::deep_copy(fx, 2.0F);
    kernels::axpy(2, dx, dy, 3.0);
    kernels::axpy(2, fx, fy, 3.0F);
    CHECK(dy(1) == 6.0 && fy(1) == 6.0F);
    /* Equal names in two modules. */
    other::scale(2, fx, 0.5F);
    CHECK(fx(0) == 1.0F);
    kernels::größe(2, dx, 5.0);
    CHECK(dx(1) == 5.0);
}

void test_lists()
{
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 2);
    Kokkos::View<std::int64_t **, Kokkos::LayoutRight, Kokkos::HostSpace> m("m", 2, 2);
    Kokkos::deep_copy(m, 3);
    const Kokkos::View<const std::int64_t **, Kokkos::LayoutRight, Kokkos::HostSpace> read = m;
    kernels::weigh(2, x, std::vector<double>{1.0, 2.0}, read);
    CHECK(x(0) == 3.0 && x(1) == 6.0);
    kernels::weigh(2, x, x, m);
    CHECK(x(0) == 9.0 && x(1) == 18.0);
}

void test_classes()
{
    Kokkos::View<double *, Kokkos::HostSpace> cells("cells", 3);
    const kernels::Lattice lattice{2, cells};
    lattice.step(3, 0.5);
    CHECK(cells(0) == 1.0 && cells(2) == 1.0);
    CHECK(lattice.energy(Kokkos::RangePolicy<>(0, 3), 2.0) == 6.0);
    kernels::Lattice other = lattice;
    other.n = 4;
    other.step({0, 1}, 1.0);
    CHECK(cells(0) == 5.0 && cells(1) == 1.0);
}

void test_errors()
{
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 1);
    try {
        kernels::scale({INT64_MIN, INT64_MAX}, x, 1.0);
        CHECK(!"refused");
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()).find("2**53") != std::string::npos);
    }
}

} // namespace

int main(int argc, char **argv)
{
    Kokkos::initialize(argc, argv);
    test_ranges();
    test_views();
    test_reductions();
    test_reducers();
    test_random();
    test_const_views();
    test_mdranges();
    test_types();
    test_lists();
    test_classes();
    test_errors();
    Kokkos::finalize();
    std::printf(failures == 0 ? "all checks passed\n" : "%d checks failed\n", failures);
    return failures != 0;
}
