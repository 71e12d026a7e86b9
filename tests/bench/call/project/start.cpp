// Kokkos' start, with nothing else.
#include <Kokkos_Core.hpp>

extern "C" __attribute__((visibility("default"))) void kokkos_start()
{
    Kokkos::initialize();
}

extern "C" __attribute__((visibility("default"))) void kokkos_end()
{
    Kokkos::finalize();
}
