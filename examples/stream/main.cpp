// Calls the Python kernels of kernels.py like any C++ function: a Kokkos policy, then the arguments.
#include <kernels.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
{
    const long n = argc > 1 ? std::atol(argv[1]) : 10000000;
    Kokkos::ScopeGuard guard(argc, argv);
    using space = Kokkos::DefaultHostExecutionSpace;
    using policy = Kokkos::RangePolicy<space>;

    Kokkos::View<double *, Kokkos::HostSpace> a("a", n), b("b", n), c("c", n);
    kernels::fill(policy(0, n), a, 0.0);
    kernels::fill(policy(0, n), b, 1.0);
    kernels::fill(policy(0, n), c, 2.0);

    const auto start = std::chrono::steady_clock::now();
    kernels::triad(policy(0, n), a, b, c, 3.0);
    Kokkos::fence();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

    const double sum = kernels::dot(policy(0, n), a, b);
    std::printf("a[0] = %g, dot(a, b) = %g, triad %.1f GB/s\n", a(0), sum,
                3.0 * 8.0 * static_cast<double>(n) / time.count() * 1e-9);
    return sum == 7.0 * static_cast<double>(n) ? 0 : 1;
}
