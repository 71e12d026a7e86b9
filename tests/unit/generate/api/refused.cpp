/* Calls that must not compile, one at a time: each with its CASE, and the words of the error. */
#include <kernels.hpp>

void calls()
{
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 4);
#if CASE == 1 /* type */
    Kokkos::View<float *, Kokkos::HostSpace> wrong("wrong", 4);
    kernels::scale(4, wrong, 2.0);
#elif CASE == 2 /* rank */
    Kokkos::View<double **, Kokkos::HostSpace> wrong("wrong", 4, 4);
    kernels::scale(4, wrong, 2.0);
#elif CASE == 3 /* type, of const elements */
    Kokkos::View<const float *, Kokkos::HostSpace> wrong;
    kernels::scale(4, wrong, 2.0);
#elif CASE == 4 /* policy's rank */
    Kokkos::View<int **, Kokkos::LayoutRight, Kokkos::HostSpace> y("y", 4, 4);
    kernels::fill(Kokkos::MDRangePolicy<Kokkos::Rank<3>>({0, 0, 0}, {1, 1, 1}), y);
#elif CASE == 5 /* reducer's form */
    kernels::where<pkc::Sum>(4, x);
#elif CASE == 6 /* no reducer */
    kernels::dot<int>(4, x, x);
#elif CASE == 7 /* layout */
    Kokkos::View<int **, Kokkos::LayoutLeft, Kokkos::HostSpace> wrong("wrong", 4, 4);
    kernels::fill({4, 4}, wrong);
#else
    kernels::scale(4, x, 2.0);
#endif
}
