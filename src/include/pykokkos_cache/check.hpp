// Checks of a checked build (PKC_CHECKED): say where, and stop. Nothing in any other build.
#ifndef PYKOKKOS_CACHE_CHECK_HPP
#define PYKOKKOS_CACHE_CHECK_HPP

#include <pykokkos_cache/base.hpp>

#ifdef PKC_CHECKED

extern "C" int dprintf(int, const char *, ...);
extern "C" void abort() noexcept __attribute__((noreturn));

#define PKC_CHECK(test, text) ((test) ? void() : pkc::check_failed(text))

namespace pkc
{

[[noreturn]] PKC_COLD void check_failed(const char *text)
{
    dprintf(2, "%s\n", text);
    abort();
}

[[noreturn]] PKC_COLD void index_failed(int64 i, int64 extent, int dimension)
{
    dprintf(2, "pykokkos: index %lld is out of bounds for dimension %d of extent %lld\n",
            static_cast<long long>(i), dimension, static_cast<long long>(extent));
    abort();
}

PKC_INLINE void check_index(int64 i, int64 extent, int dimension)
{
    if (static_cast<uint64>(i) >= static_cast<uint64>(extent)) {
        index_failed(i, extent, dimension);
    }
}

} // namespace pkc

#else

// Not evaluated, but what it names counts as used.
#define PKC_CHECK(test, text) (static_cast<void>(sizeof((test) ? 1 : 0)))

#endif

#endif
