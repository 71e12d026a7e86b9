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

#if defined(__x86_64__) && defined(__SSE2__)
using two_doubles = double __attribute__((vector_size(16)));
using four_floats = float __attribute__((vector_size(16)));

// The processor's own conversion is defined for every value, unlike C++'s: what does not fit gives
// the smallest int64. One comparison behind it is all that this costs over a plain cast; one of the
// double before it would cost a quarter more.
PKC_INLINE int64 to_int64(double x)
{
    const int64 whole = __builtin_ia32_cvttsd2si64(two_doubles{x, 0});
    if (whole == -0x7fffffffffffffff - 1) {
        return wrap_to_int64(x); // the smallest int64 too
    }
    return whole;
}

PKC_INLINE int64 to_int64(float x)
{
    const int64 whole = __builtin_ia32_cvttss2si64(four_floats{x, 0, 0, 0});
    if (whole == -0x7fffffffffffffff - 1) {
        return wrap_to_int64(static_cast<double>(x));
    }
    return whole;
}

// The low half of the same: the 32-bit conversion is quicker.
PKC_INLINE int32 to_int32(double x)
{
    const int32 whole = __builtin_ia32_cvttsd2si(two_doubles{x, 0});
    if (whole == -0x7fffffff - 1) {
        return static_cast<int32>(to_int64(x));
    }
    return whole;
}

PKC_INLINE int32 to_int32(float x)
{
    const int32 whole = __builtin_ia32_cvttss2si(four_floats{x, 0, 0, 0});
    if (whole == -0x7fffffff - 1) {
        return static_cast<int32>(to_int64(x));
    }
    return whole;
}
#else
PKC_INLINE int64 to_int64(double x)
{
    if (__builtin_fabs(x) < 9223372036854775808.0) {
        return static_cast<int64>(x);
    }
    return wrap_to_int64(x); // the smallest int64 too
}

PKC_INLINE int32 to_int32(double x)
{
    return static_cast<int32>(to_int64(x));
}
#endif

PKC_INLINE uint64 to_uint64(double x)
{
    if (x > -1.0 && x < 18446744073709551616.0) {
        return static_cast<uint64>(x);
    }
    return static_cast<uint64>(to_int64(x));
}

} // namespace pkc

#endif
