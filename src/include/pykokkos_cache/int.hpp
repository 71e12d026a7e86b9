// Python's integer arithmetic on 64 bits: results modulo 2^64, floor division, no undefined
// behaviour. Where a kernel needs no help its text says `a + b`; these are for the rest.
// The 32 in a name: operands and result are 32-bit, which the generator has proven; the u: uint64.
#ifndef PYKOKKOS_CACHE_INT_HPP
#define PYKOKKOS_CACHE_INT_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

PKC_INLINE int64 add(int64 a, int64 b)
{
    return static_cast<int64>(static_cast<uint64>(a) + static_cast<uint64>(b));
}

PKC_INLINE int64 sub(int64 a, int64 b)
{
    return static_cast<int64>(static_cast<uint64>(a) - static_cast<uint64>(b));
}

PKC_INLINE int64 mul(int64 a, int64 b)
{
    return static_cast<int64>(static_cast<uint64>(a) * static_cast<uint64>(b));
}

PKC_INLINE int64 neg(int64 a)
{
    return static_cast<int64>(0 - static_cast<uint64>(a));
}

PKC_INLINE int64 abs(int64 a)
{
    return a < 0 ? neg(a) : a;
}

PKC_INLINE int32 abs32(int32 a)
{
    return a < 0 ? -a : a;
}

// Shifts by any count >= 0.
PKC_INLINE int64 shl(int64 a, int64 count)
{
    return static_cast<uint64>(count) < 64 ? static_cast<int64>(static_cast<uint64>(a) << count)
                                           : 0;
}

PKC_INLINE int64 shr(int64 a, int64 count)
{
    return a >> (static_cast<uint64>(count) < 64 ? count : 63);
}

PKC_INLINE uint64 ushl(uint64 a, uint64 count)
{
    return count < 64 ? a << count : 0;
}

PKC_INLINE uint64 ushr(uint64 a, uint64 count)
{
    return count < 64 ? a >> count : 0;
}

// -1 where a rest of C++'s division has not its divisor's sign, else 0. Without a branch: which
// sign comes next is anyone's guess.
template <class T> PKC_INLINE T off_floor(T rest, T b)
{
    constexpr int sign = sizeof(T) * 8 - 1;
    if (__builtin_constant_p(b) && b > 0) {
        return rest >> sign;
    }
    return -static_cast<T>(static_cast<int>(rest != 0) & static_cast<int>((rest ^ b) < 0));
}

// Floor division. By zero (an error in Python and in a checked build): 0, as NumPy has it.
// Most operands fit 32 bits, where the machine divides several times faster.
PKC_INLINE int64 floordiv(int64 a, int64 b)
{
    if (!__builtin_constant_p(b) && static_cast<uint64>(a) <= 0xffffffffu &&
        static_cast<uint64>(b) - 1 < 0xffffffffu) {
        return static_cast<uint32>(a) / static_cast<uint32>(b);
    }
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return neg(a);
    }
    const int64 rest = a % b;
    return a / b + off_floor(rest, b);
}

// The rest of floor division, with the divisor's sign. By zero: 0.
PKC_INLINE int64 mod(int64 a, int64 b)
{
    if (!__builtin_constant_p(b) && static_cast<uint64>(a) <= 0xffffffffu &&
        static_cast<uint64>(b) - 1 < 0xffffffffu) {
        return static_cast<uint32>(a) % static_cast<uint32>(b);
    }
    if (b == 0 || b == -1) {
        return 0;
    }
    const int64 rest = a % b;
    return rest + (b & off_floor(rest, b));
}

PKC_INLINE int32 floordiv32(int32 a, int32 b)
{
    if (b == 0) {
        return 0;
    }
    const int32 rest = a % b;
    return a / b + off_floor(rest, b);
}

PKC_INLINE int32 mod32(int32 a, int32 b)
{
    if (b == 0 || b == -1) {
        return 0;
    }
    const int32 rest = a % b;
    return rest + (b & off_floor(rest, b));
}

PKC_INLINE uint64 ufloordiv(uint64 a, uint64 b)
{
    return b != 0 ? a / b : 0;
}

PKC_INLINE uint64 umod(uint64 a, uint64 b)
{
    return b != 0 ? a % b : 0;
}

// base ** exponent, modulo 2^64.
PKC_INLINE uint64 upow(uint64 base, uint64 exponent)
{
    uint64 result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            result *= base;
        }
        base *= base;
    }
    return result;
}

// For a negative exponent: int(base ** exponent), which only 1 and -1 have other than 0.
PKC_INLINE int64 pow(int64 base, int64 exponent)
{
    if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
    }
    return static_cast<int64>(upow(static_cast<uint64>(base), static_cast<uint64>(exponent)));
}

// range(start, stop, step): how many; a step of 0 (an error in a checked build) gives none.
PKC_INLINE uint64 range_count(int64 start, int64 stop, int64 step)
{
    if (step > 0 && start < stop) {
        return (static_cast<uint64>(stop) - static_cast<uint64>(start) - 1) /
                   static_cast<uint64>(step) +
               1;
    }
    if (step < 0 && start > stop) {
        return (static_cast<uint64>(start) - static_cast<uint64>(stop) - 1) /
                   (0 - static_cast<uint64>(step)) +
               1;
    }
    return 0;
}

} // namespace pkc

#endif
