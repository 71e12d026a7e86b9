// Python's // and % of floats, by CPython's algorithm; NumPy's sign. By zero: IEEE's results.
#ifndef PYKOKKOS_CACHE_FLOAT_HPP
#define PYKOKKOS_CACHE_FLOAT_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

PKC_INLINE double fmod(double a, double b)
{
    return __builtin_fmod(a, b);
}

PKC_INLINE float fmod(float a, float b)
{
    return __builtin_fmodf(a, b);
}

// 0 - x: 0, not -0.0, where x is 0. Compilers must not see the zero: GCC 12 takes -x for it where
// it knows that x is no -0.0.
template <class T> PKC_INLINE T zero_minus(T x)
{
    const volatile T zero = 0;
    return zero - x;
}

template <class T> PKC_INLINE T float_mod(T a, T b)
{
    const T rest = fmod(a, b);
    if (rest == 0) {
        return static_cast<T>(__builtin_copysign(0.0, static_cast<double>(b)));
    }
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

template <class T> PKC_INLINE T float_floordiv(T a, T b)
{
    if (b == 0) {
        return a / b;
    }
    const T rest = fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
        quotient -= 1;
    }
    if (quotient == 0) {
        return static_cast<T>(__builtin_copysign(0.0, static_cast<double>(a / b)));
    }
    const T whole = static_cast<T>(__builtin_floor(static_cast<double>(quotient)));
    return quotient - whole > static_cast<T>(0.5) ? whole + 1 : whole;
}

// C takes an int; an exponent beyond 3000 means 0 or infinity like any other.
PKC_INLINE int exponent_of(int64 exponent)
{
    return static_cast<int>(exponent < -3000 ? -3000 : exponent > 3000 ? 3000 : exponent);
}

PKC_INLINE double ldexp(double x, int64 exponent)
{
    return __builtin_ldexp(x, exponent_of(exponent));
}

PKC_INLINE float ldexp(float x, int64 exponent)
{
    return __builtin_ldexpf(x, exponent_of(exponent));
}

// log(e^a + e^b) without e^a, which may be infinite. Equal infinities have no difference.
PKC_INLINE double logaddexp(double a, double b)
{
    if (a == b) {
        return a + 0.693147180559945309417;
    }
    const double d = a - b;
    return d > 0    ? a + __builtin_log1p(__builtin_exp(-d))
           : d <= 0 ? b + __builtin_log1p(__builtin_exp(d))
                    : d; // NaN
}

PKC_INLINE double logaddexp2(double a, double b)
{
    constexpr double log2_e = 1.442695040888963407360;
    if (a == b) {
        return a + 1;
    }
    const double d = a - b;
    return d > 0    ? a + log2_e * __builtin_log1p(__builtin_exp2(-d))
           : d <= 0 ? b + log2_e * __builtin_log1p(__builtin_exp2(d))
                    : d;
}

PKC_INLINE float logaddexp(float a, float b)
{
    return static_cast<float>(logaddexp(static_cast<double>(a), static_cast<double>(b)));
}

PKC_INLINE float logaddexp2(float a, float b)
{
    return static_cast<float>(logaddexp2(static_cast<double>(a), static_cast<double>(b)));
}

// -1, 0 or 1; NaN stays.
template <class T> PKC_INLINE T sign(T x)
{
    return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}

} // namespace pkc

#endif
