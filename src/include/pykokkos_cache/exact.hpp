// Where integers meet doubles, exactly as Python has it: int / int correctly rounded, int < float
// by value, int ** int as a float. Plain conversions where the integers are within 2^53.
#ifndef PYKOKKOS_CACHE_EXACT_HPP
#define PYKOKKOS_CACHE_EXACT_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

// 2^exponent, for normal results only.
PKC_INLINE double power_of_two(int exponent)
{
    const uint64 bits = static_cast<uint64>(exponent + 1023) << 52;
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

PKC_INLINE int leading_zeros(uint128 x)
{
    const uint64 high = static_cast<uint64>(x >> 64);
    return high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(static_cast<uint64>(x));
}

// a / b, correctly rounded, of any two magnitudes; b != 0.
PKC_COLD double divide_magnitudes(uint128 a, uint128 b)
{
    if (a == 0) {
        return 0.0;
    }
    // With their first bits aligned the quotient is in (1/2, 2): its bits, one after the other.
    const int shift_a = leading_zeros(a);
    const int shift_b = leading_zeros(b);
    a <<= shift_a;
    b <<= shift_b;
    uint64 quotient = 0;
    bool carry = false;
    for (int bit = 0; bit < 62; ++bit) {
        quotient <<= 1;
        if (carry || a >= b) {
            a -= b;
            quotient |= 1;
        }
        carry = (a >> 127) != 0;
        a <<= 1;
    }
    // At least 61 bits: one more that stands for all the others makes the rounding exact.
    quotient = quotient << 1 | (carry || a != 0 ? 1 : 0);
    return static_cast<double>(quotient) * power_of_two(shift_b - shift_a - 62);
}

PKC_COLD double truediv_wide(int128 a, int128 b)
{
    if (b == 0) {
        return static_cast<double>(a) / 0.0;
    }
    const uint128 magnitude_a = a < 0 ? 0 - static_cast<uint128>(a) : static_cast<uint128>(a);
    const uint128 magnitude_b = b < 0 ? 0 - static_cast<uint128>(b) : static_cast<uint128>(b);
    const double quotient = divide_magnitudes(magnitude_a, magnitude_b);
    return (a < 0) != (b < 0) ? -quotient : quotient;
}

// int / int.
PKC_INLINE double truediv(int64 a, int64 b)
{
    constexpr uint64 exact = uint64{1} << 53;
    if (static_cast<uint64>(a) + exact <= 2 * exact &&
        static_cast<uint64>(b) + exact <= 2 * exact) {
        return static_cast<double>(a) / static_cast<double>(b);
    }
    return truediv_wide(a, b);
}

PKC_INLINE double utruediv(uint64 a, uint64 b)
{
    constexpr uint64 exact = uint64{1} << 53;
    if (a <= exact && b <= exact) {
        return static_cast<double>(static_cast<int64>(a)) /
               static_cast<double>(static_cast<int64>(b));
    }
    return truediv_wide(a, b);
}

PKC_INLINE double truediv128(int128 a, int128 b)
{
    return truediv_wide(a, b);
}

// -1, 0, 1: i is below, equal to, above x; 2: x is not a number. `lowest` is the least I, `beyond`
// the first double above all of them.
template <class I> PKC_INLINE int compare_in(I i, double x, double lowest, double beyond)
{
    if (x != x) {
        return 2;
    }
    if (x >= beyond) {
        return -1;
    }
    if (x < lowest) {
        return 1;
    }
    const I whole = static_cast<I>(x);
    if (i != whole) {
        return i < whole ? -1 : 1;
    }
    const double part = x - static_cast<double>(whole);
    return part > 0 ? -1 : part < 0 ? 1 : 0;
}

PKC_INLINE int compare(int64 i, double x)
{
    return compare_in<int64>(i, x, -9223372036854775808.0, 9223372036854775808.0);
}

PKC_INLINE int ucompare(uint64 i, double x)
{
    // What is below 0 is below all of them; (-1, 0) would convert to 0.
    return x < 0 ? 1 : compare_in<uint64>(i, x, 0.0, 18446744073709551616.0);
}

PKC_INLINE int compare128(int128 i, double x)
{
    constexpr double beyond = 170141183460469231731687303715884105728.0;
    return compare_in<int128>(i, x, -beyond, beyond);
}

// What compare() gave, for questions that are false of what is not a number: c > 0, c >= 0.
PKC_INLINE int above(int c)
{
    return c == 2 ? -2 : c;
}

// magnitude ** exponent beyond 127 bits, rounded once; inf where it is no double.
PKC_COLD double pow_wide(uint128 magnitude, uint64 exponent)
{
    constexpr int limbs = 36; // of 32 bits: 1024 of a double's range, and one factor above
    uint32 number[limbs] = {1};
    for (uint64 n = 0; n < exponent; ++n) {
        // Times the base, 32 bits of it after the other.
        uint32 product[limbs + 4] = {0};
        for (int part = 0; part < 4; ++part) {
            const uint64 factor = static_cast<uint32>(magnitude >> (32 * part));
            uint64 carry = 0;
            for (int k = 0; k < limbs; ++k) {
                carry += number[k] * factor + product[k + part];
                product[k + part] = static_cast<uint32>(carry);
                carry >>= 32;
            }
            product[limbs + part] = static_cast<uint32>(carry);
        }
        for (int k = 32; k < limbs + 4; ++k) {
            if (product[k] != 0) {
                return __builtin_inf();
            }
        }
        for (int k = 0; k < 32; ++k) {
            number[k] = product[k];
        }
    }
    int top = 31;
    while (top > 3 && number[top] == 0) {
        --top;
    }
    // The first 128 bits, and one that stands for all below them.
    uint128 head = 0;
    for (int k = top; k > top - 4; --k) {
        head = head << 32 | number[k];
    }
    const int below = 32 * (top - 3);
    const int shift = leading_zeros(head);
    uint32 rest = 0;
    for (int k = 0; k < top - 3; ++k) {
        rest |= number[k];
    }
    // 96 bits at least are in `head` as it stands; that is enough for the rest to be only sticky.
    head <<= shift;
    const uint64 mantissa =
        static_cast<uint64>(head >> 64) | (static_cast<uint64>(head) != 0 || rest != 0 ? 1 : 0);
    const int exponent2 = 64 + below - shift; // up to 960: times 2^64 may overflow, to inf
    return static_cast<double>(mantissa) * power_of_two(exponent2);
}

// base ** exponent as Python's float(base ** exponent).
PKC_COLD double pow_double128(int128 base, int128 exponent)
{
    if (exponent < 0) {
        return __builtin_pow(static_cast<double>(base), static_cast<double>(exponent));
    }
    const bool negative = base < 0 && (exponent & 1) != 0;
    const uint128 magnitude =
        base < 0 ? 0 - static_cast<uint128>(base) : static_cast<uint128>(base);
    if (magnitude <= 1 || exponent == 0) {
        const double one = exponent == 0 || magnitude == 1 ? 1.0 : 0.0;
        return negative ? -one : one;
    }
    if (exponent > 1024) {
        return negative ? -__builtin_inf() : __builtin_inf();
    }
    uint128 result = 1;
    bool fits = true;
    for (int n = 0; n < static_cast<int>(exponent) && fits; ++n) {
        fits = !__builtin_mul_overflow(result, magnitude, &result);
    }
    const double value =
        fits ? static_cast<double>(result) : pow_wide(magnitude, static_cast<uint64>(exponent));
    return negative ? -value : value;
}

PKC_INLINE double pow_double(int64 base, int64 exponent)
{
    return pow_double128(base, exponent);
}

PKC_INLINE double upow_double(uint64 base, uint64 exponent)
{
    return pow_double128(base, exponent);
}

} // namespace pkc

#endif
