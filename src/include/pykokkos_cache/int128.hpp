// Integer arithmetic in 128 bits, for exact results that mix uint64 and signed integers.
// Modulo 2^128 where even that is too small.
#ifndef PYKOKKOS_CACHE_INT128_HPP
#define PYKOKKOS_CACHE_INT128_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

PKC_INLINE int128 make_int128(int64 high, uint64 low)
{
    return static_cast<int128>(static_cast<uint128>(high) << 64 | low);
}

PKC_INLINE int128 add128(int128 a, int128 b)
{
    return static_cast<int128>(static_cast<uint128>(a) + static_cast<uint128>(b));
}

PKC_INLINE int128 sub128(int128 a, int128 b)
{
    return static_cast<int128>(static_cast<uint128>(a) - static_cast<uint128>(b));
}

PKC_INLINE int128 mul128(int128 a, int128 b)
{
    return static_cast<int128>(static_cast<uint128>(a) * static_cast<uint128>(b));
}

PKC_INLINE int128 neg128(int128 a)
{
    return static_cast<int128>(0 - static_cast<uint128>(a));
}

PKC_INLINE int128 abs128(int128 a)
{
    return a < 0 ? neg128(a) : a;
}

PKC_INLINE int128 shl128(int128 a, int128 count)
{
    return static_cast<uint128>(count) < 128
               ? static_cast<int128>(static_cast<uint128>(a) << static_cast<int>(count))
               : 0;
}

PKC_INLINE int128 shr128(int128 a, int128 count)
{
    return a >> (static_cast<uint128>(count) < 128 ? static_cast<int>(count) : 127);
}

PKC_INLINE int128 floordiv128(int128 a, int128 b)
{
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return neg128(a);
    }
    const int128 rest = a % b;
    return a / b - (rest != 0 && (rest ^ b) < 0 ? 1 : 0);
}

PKC_INLINE int128 mod128(int128 a, int128 b)
{
    if (b == 0 || b == -1) {
        return 0;
    }
    const int128 rest = a % b;
    return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}

PKC_INLINE int128 pow128(int128 base, int128 exponent)
{
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
    }
    uint128 result = 1;
    uint128 square = static_cast<uint128>(base);
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            result *= square;
        }
        square *= square;
    }
    return static_cast<int128>(result);
}

} // namespace pkc

#endif
