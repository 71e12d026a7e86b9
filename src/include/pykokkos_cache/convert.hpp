// Numbers to integers: toward zero, then modulo 2^64, defined for every value.
#ifndef PYKOKKOS_CACHE_CONVERT_HPP
#define PYKOKKOS_CACHE_CONVERT_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

// A double beyond the int64s: its low 64 bits; for inf and nan the smallest int64.
PKC_COLD int64 wrap_to_int64(double x)
{
    uint64 bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
    if (exponent == 0x7ff - 1075) {
        return static_cast<int64>(uint64{1} << 63);
    }
    const uint64 mantissa = (bits & 0xfffffffffffffu) | uint64{1} << 52;
    const uint64 low = exponent < 64 ? mantissa << exponent : 0;
    return static_cast<int64>(x < 0 ? 0 - low : low);
}

PKC_INLINE int64 to_int64(double x)
{
    if (__builtin_fabs(x) < 9223372036854775808.0) {
        return static_cast<int64>(x);
    }
    return wrap_to_int64(x); // the smallest int64 too
}

PKC_INLINE uint64 to_uint64(double x)
{
    if (x > -1.0 && x < 18446744073709551616.0) {
        return static_cast<uint64>(x);
    }
    return static_cast<uint64>(to_int64(x));
}

} // namespace pkc

#endif
