// A plate with one hot edge: steps until little changes.
#include <heat.hpp>

#include <cstdio>
#include <utility>

int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    using space = Kokkos::DefaultHostExecutionSpace;
    using plate = Kokkos::View<double **, Kokkos::LayoutRight, Kokkos::HostSpace>;
    const int n = 64, m = 48;
    const Kokkos::MDRangePolicy<space, Kokkos::Rank<2>> all({0, 0}, {n, m});

    plate old("old", n, m), now("now", n, m);
    for (int j = 0; j < m; ++j) {
        old(0, j) = 100.0;
    }
    const double in_the_middle = old(n / 2, m / 2);
    int steps = 0;
    double change = 1.0;
    while (change > 1e-3 && steps < 100000) {
        heat::step(all, old, now, 0.2);
        change = heat::difference(all, old, now);
        std::swap(old, now);
        ++steps;
    }
    std::printf("%d steps; the middle is at %.4f degrees\n", steps, old(n / 2, m / 2));
    return steps < 100000 && old(n / 2, m / 2) > in_the_middle && old(n / 2, m / 2) < 100.0 ? 0 : 1;
}
