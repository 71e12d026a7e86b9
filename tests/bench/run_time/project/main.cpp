// Each kernel of kernels.py against the same loop as a Kokkos functor, runs interleaved, in one
// program. Prints the time of both and their ratio: below 1 the generated kernel is faster.
#include <kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <type_traits>
#include <vector>

namespace
{

using space = BENCH_SPACE;
using policy = Kokkos::RangePolicy<space>;
using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>;
template <class T> using view = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::HostSpace>;

constexpr bool is_serial = std::is_same<space, Kokkos::Serial>::value;

const char *filter = "";
double worst = 0;

// Serial runs are timed by the processor time of their thread, which other programs disturb less.
double now()
{
    timespec t;
    clock_gettime(is_serial ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The median for Serial; for threads, whose medians have two modes on a shared machine, the third
// fastest.
double typical(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times[is_serial ? times.size() / 2 : 2];
}

// Seconds of one call, of `repeat` in a row.
template <class Call> double seconds(int repeat, const Call &call)
{
    const double begin = now();
    for (int n = 0; n < repeat; ++n) {
        call();
    }
    return (now() - begin) / repeat;
}

// Both repeat the kernel `repeat` times a run, and take turns to be the first.
template <class Ours, class Theirs>
void compare(const char *name, int repeat, const Ours &ours, const Theirs &theirs)
{
    if (std::strstr(name, filter) == nullptr) {
        return;
    }
    constexpr int runs = 31;
    std::vector<double> our_times, their_times;
    ours();
    theirs();
    for (int run = 0; run < runs; ++run) {
        if (run % 2 == 0) {
            our_times.push_back(seconds(repeat, ours));
        }
        their_times.push_back(seconds(repeat, theirs));
        if (run % 2 != 0) {
            our_times.push_back(seconds(repeat, ours));
        }
    }
    const double a = typical(our_times);
    const double b = typical(their_times);
    worst = std::max(worst, a / b);
    std::printf("%-18s %10.2f us %10.2f us   %5.2f\n", name, a * 1e6, b * 1e6, a / b);
    std::fflush(stdout);
}

// A value that the compiler cannot see: parameters of both sides are known only when running.
template <class T> T opaque(T value)
{
    volatile T v = value;
    return v;
}

template <class Body> void parallel(int begin, int end, const Body &body)
{
    Kokkos::parallel_for("functor", policy(begin, end), body);
    space().fence();
}

void expect_equal(const char *name, double a, double b)
{
    if (!(std::fabs(a - b) <= 1e-9 * std::fabs(b) + 1e-12)) {
        std::printf("%s: %.17g, the functor %.17g\n", name, a, b);
        std::exit(1);
    }
}

void streams()
{
    const int n = opaque(10000);
    const double s = opaque(3.0);
    view<double *> a("a", n), b("b", n), c("c", n);
    view<float *> fa("fa", n), fb("fb", n), fc("fc", n);
    std::mt19937 random(1);
    for (int i = 0; i < n; ++i) {
        b(i) = static_cast<double>(random() % 1000) / 100.0;
        c(i) = static_cast<double>(random() % 1000) / 100.0;
        fb(i) = fc(i) = static_cast<float>(i);
    }
    const float fs = opaque(3.0f);
    compare(
        "triad", 100, [&] { kernels::triad(policy(0, n), a, b, c, s); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { a(i) = b(i) + s * c(i); });
        });
    compare(
        "triad_float", 100, [&] { kernels::triad_float(policy(0, n), fa, fb, fc); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { fa(i) = fb(i) + fs * fc(i); });
        });

    double ours = 0, theirs = 0;
    compare(
        "dot", 100, [&] { ours = kernels::dot(policy(0, n), b, c); },
        [&] {
            Kokkos::parallel_reduce(
                "functor", policy(0, n),
                KOKKOS_LAMBDA(const int i, double &acc) { acc += b(i) * c(i); }, theirs);
        });
    expect_equal("dot", ours, theirs);
    compare(
        "max (if)", 100, [&] { ours = kernels::largest<pkc::Max>(policy(0, n), b); },
        [&] {
            Kokkos::parallel_reduce(
                "functor", policy(0, n),
                KOKKOS_LAMBDA(const int i, double &acc) {
                    if (b(i) > acc) {
                        acc = b(i);
                    }
                },
                Kokkos::Max<double>(theirs));
        });
    expect_equal("max", ours, theirs);
    compare(
        "max (max)", 100, [&] { ours = kernels::largest_of<pkc::Max>(policy(0, n), b); },
        [&] {
            Kokkos::parallel_reduce(
                "functor", policy(0, n),
                KOKKOS_LAMBDA(const int i, double &acc) { acc = acc < b(i) ? b(i) : acc; },
                Kokkos::Max<double>(theirs));
        });
    expect_equal("max", ours, theirs);
    std::int64_t our_count = 0;
    long their_count = 0;
    compare(
        "count", 100, [&] { our_count = kernels::count_above(policy(0, n), b, s); },
        [&] {
            Kokkos::parallel_reduce(
                "functor", policy(0, n),
                KOKKOS_LAMBDA(const int i, long &acc) {
                    if (b(i) > s) {
                        acc += 1;
                    }
                },
                their_count);
        });
    expect_equal("count", static_cast<double>(our_count), static_cast<double>(their_count));
    compare(
        "sum of a[i] * i", 100, [&] { ours = kernels::ramp_sum(policy(0, n), b); },
        [&] {
            Kokkos::parallel_reduce(
                "functor", policy(0, n),
                KOKKOS_LAMBDA(const int i, double &acc) { acc += b(i) * i; }, theirs);
        });
    expect_equal("ramp_sum", ours, theirs);
    compare(
        "scan", 100, [&] { kernels::prefix(policy(0, n), b, a); },
        [&] {
            Kokkos::parallel_scan(
                "functor", policy(0, n), KOKKOS_LAMBDA(const int i, double &acc, const bool last) {
                    acc += b(i);
                    if (last) {
                        a(i) = acc;
                    }
                });
        });
    compare(
        "float(i)", 100, [&] { kernels::ramp_index(policy(0, n), a, s); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { a(i) = i * s; });
        });
    compare(
        "sqrt, exp", 20, [&] { kernels::math(policy(0, n), b, a); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { a(i) = std::sqrt(b(i)) + std::exp(-b(i)); });
        });
    view<int *> k("k", n);
    compare(
        "int(x)", 100, [&] { kernels::truncate(policy(0, n), b, k); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { k(i) = static_cast<int>(b(i) * 2.5); });
        });
}

void matrices()
{
    const int n = opaque(1000);
    const double s = opaque(3.0);
    view<double **> m("m", n, n), out("out", n, n);
    view<double *> x("x", n), y("y", n);
    for (int i = 0; i < n; ++i) {
        x(i) = i;
        for (int j = 0; j < n; ++j) {
            m(i, j) = i + j;
        }
    }
    compare(
        "stencil", 3,
        [&] {
            kernels::stencil(box({1, 1}, {n - 1, n - 1}), m, out);
        },
        [&] {
            Kokkos::parallel_for(
                "functor", box({1, 1}, {n - 1, n - 1}), KOKKOS_LAMBDA(const int i, const int j) {
                    out(i, j) = 0.25 * (m(i - 1, j) + m(i + 1, j) + m(i, j - 1) + m(i, j + 1));
                });
        });
    compare(
        "stencil with if", 3,
        [&] {
            kernels::boundary(box({0, 0}, {n, n}), m, out, n);
        },
        [&] {
            Kokkos::parallel_for(
                "functor", box({0, 0}, {n, n}), KOKKOS_LAMBDA(const int i, const int j) {
                    if (i == 0 || j == 0 || i == n - 1 || j == n - 1) {
                        out(i, j) = m(i, j);
                    } else {
                        out(i, j) = 0.5 * m(i, j) +
                                    0.125 * (m(i - 1, j) + m(i + 1, j) + m(i, j - 1) + m(i, j + 1));
                    }
                });
        });
    compare(
        "matrix-vector", 3, [&] { kernels::matvec(policy(0, n), m, x, y, n); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) {
                    double total = 0;
                    for (int j = 0; j < n; ++j) {
                        total += m(i, j) * x(j);
                    }
                    y(i) = total;
                });
        });
    compare(
        "y[i] += m[i][j]", 3, [&] { kernels::matvec_add(policy(0, n), m, x, y, n); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) {
                    for (int j = 0; j < n; ++j) {
                        y(i) += m(i, j) * x(j);
                    }
                });
        });
    double ours = 0, theirs = 0;
    compare(
        "y.m.x", 3, [&] { ours = kernels::quadratic(policy(0, n), m, x, x, n); },
        [&] {
            Kokkos::parallel_reduce(
                "functor", policy(0, n),
                KOKKOS_LAMBDA(const int i, double &acc) {
                    double total = 0;
                    for (int j = 0; j < n; ++j) {
                        total += m(i, j) * x(j);
                    }
                    acc += x(i) * total;
                },
                theirs);
        });
    expect_equal("y.m.x", ours, theirs);
    compare(
        "float(j)", 3, [&] { kernels::ramp(policy(0, n), out, n, s); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) {
                    for (int j = 0; j < n; ++j) {
                        out(i, j) = j * s;
                    }
                });
        });
}

void indices()
{
    const int n = opaque(100000);
    view<double *> a("a", n), b("b", n), bins_double("bins_double", 4096);
    view<int *> index("index", n), k("k", n), l("l", n), out("out", n), bin("bin", n);
    view<std::int64_t *> index64("index64", n), bins("bins", 4096);
    std::mt19937 random(2);
    for (int i = 0; i < n; ++i) {
        index(i) = static_cast<int>(random() % static_cast<unsigned>(n));
        index64(i) = index(i);
        bin(i) = index(i) % 4096;
        k(i) = static_cast<int>(random() % 1000000);
        l(i) = 1 + static_cast<int>(random() % 1000);
        b(i) = i;
    }
    compare(
        "gather int32", 10, [&] { kernels::gather32(policy(0, n), a, b, index); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { a(i) = b(index(i)); });
        });
    compare(
        "gather int64", 10, [&] { kernels::gather64(policy(0, n), a, b, index64); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { a(i) = b(index64(i)); });
        });
    compare(
        "histogram int64", 5, [&] { kernels::histogram(policy(0, n), bin, bins); },
        [&] {
            parallel(
                0, n,
                KOKKOS_LAMBDA(const int i) { Kokkos::atomic_add(&bins(bin(i)), std::int64_t{1}); });
        });
    compare(
        "histogram double", 5, [&] { kernels::histogram_double(policy(0, n), bin, bins_double); },
        [&] {
            parallel(
                0, n,
                KOKKOS_LAMBDA(const int i) { Kokkos::atomic_add(&bins_double(bin(i)), 1.0); });
        });
    compare(
        "min >> 2", 20, [&] { kernels::narrow(policy(0, n), k, l, out); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { out(i) = (k(i) < l(i) ? k(i) : l(i)) >> 2; });
        });
    compare(
        "int32 sum", 20, [&] { kernels::narrow_sum(policy(0, n), k, l, out); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { out(i) = k(i) + 3 * l(i); });
        });
    compare(
        "int32 //", 5, [&] { kernels::divide(policy(0, n), k, l, out); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { out(i) = k(i) / l(i); });
        });
    compare(
        "int32 % 10", 10, [&] { kernels::remainder_ten(policy(0, n), k, out); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) { out(i) = k(i) % 10; });
        });
}

void particles()
{
    const int n = opaque(4000), count = opaque(60);
    const double cut = opaque(6.25);
    view<double **> x("x", n, 3), f("f", n, 3);
    view<int **> neighbours("neighbours", n, count);
    std::mt19937 random(3);
    for (int i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            x(i, d) = 4.0 * static_cast<double>(random()) / 4294967296.0;
        }
        for (int k = 0; k < count; ++k) {
            neighbours(i, k) = (i + 1 + k * 7) % n;
        }
    }
    compare(
        "LJ force", 3, [&] { kernels::force(policy(0, n), x, f, neighbours, count, cut); },
        [&] {
            parallel(
                0, n, KOKKOS_LAMBDA(const int i) {
                    double fx = 0, fy = 0, fz = 0;
                    for (int k = 0; k < count; ++k) {
                        const int j = neighbours(i, k);
                        const double dx = x(i, 0) - x(j, 0);
                        const double dy = x(i, 1) - x(j, 1);
                        const double dz = x(i, 2) - x(j, 2);
                        const double r2 = dx * dx + dy * dy + dz * dz;
                        if (r2 < cut) {
                            const double r2inv = 1.0 / r2;
                            const double r6inv = r2inv * r2inv * r2inv;
                            const double pair = r6inv * (48.0 * r6inv - 24.0) * r2inv;
                            fx += dx * pair;
                            fy += dy * pair;
                            fz += dz * pair;
                        }
                    }
                    f(i, 0) = fx;
                    f(i, 1) = fy;
                    f(i, 2) = fz;
                });
        });
}

} // namespace

// Arguments: a part of the names of the kernels to run.
int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    filter = argc > 1 ? argv[1] : "";
    std::printf("%s\n%-18s %13s %13s   %5s\n", space::name(), "kernel", "generated", "functor",
                "ratio");
    streams();
    matrices();
    indices();
    particles();
    std::printf("slowest ratio: %.2f\n\n", worst);
    return 0;
}
