// What Kokkos takes for an empty kernel by itself, in the process and the module that are timed.
#include <Kokkos_Core.hpp>

#include <chrono>

namespace
{
struct nothing {
    KOKKOS_FUNCTION void operator()(long) const {}
};
} // namespace

extern "C" __attribute__((visibility("default"))) double dispatch_seconds(long calls)
{
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < calls; ++k) {
        Kokkos::parallel_for("nothing", Kokkos::RangePolicy<>(0, 1), nothing());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
