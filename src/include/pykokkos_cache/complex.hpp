// Complex numbers with the alignment of their parts, as NumPy has them, and CPython's arithmetic.
#ifndef PYKOKKOS_CACHE_COMPLEX_HPP
#define PYKOKKOS_CACHE_COMPLEX_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

template <class T> struct complex {
    T re, im;
};

// What a complex number's text says where a conversion is meant.
template <class T, class From> PKC_INLINE complex<T> to_complex(complex<From> z)
{
    return {static_cast<T>(z.re), static_cast<T>(z.im)};
}

template <class T> PKC_INLINE bool truth(complex<T> z)
{
    return z.re != 0 || z.im != 0;
}

template <class T> PKC_INLINE complex<T> operator+(complex<T> a, complex<T> b)
{
    return {a.re + b.re, a.im + b.im};
}

template <class T> PKC_INLINE complex<T> operator-(complex<T> a, complex<T> b)
{
    return {a.re - b.re, a.im - b.im};
}

template <class T> PKC_INLINE complex<T> operator-(complex<T> a)
{
    return {-a.re, -a.im};
}

template <class T> PKC_INLINE complex<T> operator*(complex<T> a, complex<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T> PKC_INLINE complex<T> &operator+=(complex<T> &a, complex<T> b)
{
    return a = a + b;
}

template <class T> PKC_INLINE complex<T> &operator-=(complex<T> &a, complex<T> b)
{
    return a = a - b;
}

template <class T> PKC_INLINE complex<T> &operator*=(complex<T> &a, complex<T> b)
{
    return a = a * b;
}

template <class T> PKC_INLINE T magnitude(T x)
{
    return x < 0 ? -x : x;
}

// Scaled by the larger part of the divisor, as CPython and NumPy do.
template <class T> inline complex<T> operator/(complex<T> a, complex<T> b)
{
    const T re = magnitude(b.re);
    const T im = magnitude(b.im);
    if (re >= im) {
        if (re == 0) {
            return {a.re / re, a.im / re};
        }
        const T ratio = b.im / b.re;
        const T denominator = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / denominator, (a.im - a.re * ratio) / denominator};
    }
    if (im >= re) {
        const T ratio = b.re / b.im;
        const T denominator = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / denominator, (a.im * ratio - a.re) / denominator};
    }
    const T nan = static_cast<T>(__builtin_nan("")); // a part of the divisor is not a number
    return {nan, nan};
}

template <class T> PKC_INLINE complex<T> &operator/=(complex<T> &a, complex<T> b)
{
    return a = a / b;
}

template <class T> PKC_INLINE bool operator==(complex<T> a, complex<T> b)
{
    return a.re == b.re && a.im == b.im;
}

template <class T> PKC_INLINE bool operator!=(complex<T> a, complex<T> b)
{
    return !(a == b);
}

template <class T> PKC_INLINE complex<T> conj(complex<T> z)
{
    return {z.re, -z.im};
}

PKC_INLINE double abs(complex<double> z)
{
    return __builtin_hypot(z.re, z.im);
}

PKC_INLINE float abs(complex<float> z)
{
    return __builtin_hypotf(z.re, z.im);
}

// NumPy's, which is not 1 / z in the signs of zeros, and of zero.
template <class T> inline complex<T> reciprocal(complex<T> z)
{
    if (magnitude(z.im) <= magnitude(z.re)) {
        const T ratio = z.im / z.re;
        const T denominator = z.re + z.im * ratio;
        return {1 / denominator, -ratio / denominator};
    }
    const T ratio = z.re / z.im;
    const T denominator = z.re * ratio + z.im;
    return {ratio / denominator, -1 / denominator};
}

// NumPy's: the sign of the real part, of the imaginary one where that is zero.
template <class T> inline complex<T> sign(complex<T> z)
{
    const T part = z.re != 0 ? z.re : z.im;
    return {part > 0 ? T(1) : part < 0 ? T(-1) : part, 0};
}

template <class T> inline complex<T> pow_whole(complex<T> base, int exponent)
{
    complex<T> result{1, 0};
    complex<T> square = base;
    for (int rest = exponent < 0 ? -exponent : exponent; rest != 0; rest >>= 1) {
        if ((rest & 1) != 0) {
            result = result * square;
        }
        square = square * square;
    }
    return exponent < 0 ? complex<T>{1, 0} / result : result;
}

// CPython's: repeated multiplication for small whole exponents, else through the polar form.
inline complex<double> pow(complex<double> base, complex<double> exponent)
{
    if (exponent.im == 0 && exponent.re == __builtin_floor(exponent.re) &&
        magnitude(exponent.re) <= 100) {
        return pow_whole(base, static_cast<int>(exponent.re));
    }
    if (!truth(base)) {
        return {0, 0};
    }
    const double length = abs(base);
    const double angle = __builtin_atan2(base.im, base.re);
    double scale = __builtin_pow(length, exponent.re);
    double phase = angle * exponent.re;
    if (exponent.im != 0) {
        scale *= __builtin_exp(-angle * exponent.im);
        phase += exponent.im * __builtin_log(length);
    }
    return {scale * __builtin_cos(phase), scale * __builtin_sin(phase)};
}

inline complex<float> pow(complex<float> base, complex<float> exponent)
{
    return to_complex<float>(pow(to_complex<double>(base), to_complex<double>(exponent)));
}

} // namespace pkc

#endif
