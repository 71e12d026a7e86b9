// cmath's functions: for finite numbers by the formulas that CPython computes with (W. Kahan's,
// which keep signed zeros and the sides of branch cuts, and do not overflow where the result does
// not), so that results agree to the last bit where the C library is the same; C's own for
// infinities and NaNs, whose results the C standard's Annex G gives; where it leaves a sign open or
// was changed since, CPython's is given. Included where a kernel calls one: the C compiler's
// builtins stand for the C library's functions, without its headers.
#ifndef PYKOKKOS_CACHE_COMPLEX_MATH_HPP
#define PYKOKKOS_CACHE_COMPLEX_MATH_HPP

#include <pykokkos_cache/complex.hpp>

namespace pkc
{

namespace complex_math
{

constexpr double large = 1.7976931348623157e308 / 4;  // twice of it does not overflow
constexpr double sqrt_large = 6.7039039649712985e153; // its square root
constexpr double log_large = 708.39641853226410622;   // its logarithm
constexpr double smallest_normal = 2.2250738585072014e-308;
constexpr double sqrt_smallest = 1.4916681462400413e-154;
constexpr double ln2 = 0.69314718055994530942;
constexpr double ln10 = 2.302585092994045684;
constexpr double half_pi = 1.5707963267948966;
constexpr double e = 2.718281828459045235;

__extension__ typedef _Complex double c_complex;

PKC_INLINE c_complex to_c(complex<double> z)
{
    c_complex c;
    __real__ c = z.re;
    __imag__ c = z.im;
    return c;
}

PKC_INLINE complex<double> from_c(c_complex c)
{
    return {__real__ c, __imag__ c};
}

PKC_INLINE bool is_finite(complex<double> z)
{
    return __builtin_isfinite(z.re) && __builtin_isfinite(z.im);
}

PKC_INLINE bool is_large(complex<double> z)
{
    return __builtin_fabs(z.re) > large || __builtin_fabs(z.im) > large;
}

// log |z| where |z| may be beyond the doubles.
PKC_INLINE double log_of_large(complex<double> z)
{
    return __builtin_log(__builtin_hypot(z.re / 2, z.im / 2)) + ln2;
}

// log |2 z|, for the inverse functions.
PKC_INLINE double log_of_twice(complex<double> z)
{
    return __builtin_log(__builtin_hypot(z.re / 2, z.im / 2)) + ln2 * 2;
}

// i z and -i z: how the trigonometric functions come from the hyperbolic ones.
PKC_INLINE complex<double> times_i(complex<double> z)
{
    return {-z.im, z.re};
}

PKC_INLINE complex<double> over_i(complex<double> z)
{
    return {z.im, -z.re};
}

inline complex<double> sqrt(complex<double> z)
{
    if (!is_finite(z)) {
        return from_c(__builtin_csqrt(to_c(z)));
    }
    if (z.re == 0 && z.im == 0) {
        return {0, z.im};
    }
    const double re = __builtin_fabs(z.re);
    const double im = __builtin_fabs(z.im);
    double s;
    if (re < smallest_normal && im < smallest_normal && (re > 0 || im > 0)) {
        const double up = __builtin_ldexp(re, 53); // hypot is inexact among subnormals
        s = __builtin_ldexp(__builtin_sqrt(up + __builtin_hypot(up, __builtin_ldexp(im, 53))), -27);
    } else {
        s = 2 * __builtin_sqrt(re / 8 + __builtin_hypot(re / 8, im / 8));
    }
    const double d = im / (2 * s);
    if (z.re >= 0) {
        return {s, __builtin_copysign(d, z.im)};
    }
    return {d, __builtin_copysign(s, z.im)};
}

inline complex<double> acos(complex<double> z)
{
    if (!is_finite(z)) {
        if (__builtin_isinf(z.re) && __builtin_isnan(z.im)) {
            return {z.im, __builtin_inf()};
        }
        return from_c(__builtin_cacos(to_c(z)));
    }
    if (is_large(z)) {
        const double size = log_of_twice(z);
        return {__builtin_atan2(__builtin_fabs(z.im), z.re),
                z.re < 0 ? -__builtin_copysign(size, z.im) : __builtin_copysign(size, -z.im)};
    }
    const complex<double> below = sqrt({1 - z.re, -z.im});
    const complex<double> above = sqrt({1 + z.re, z.im});
    return {2 * __builtin_atan2(below.re, above.re),
            __builtin_asinh(above.re * below.im - above.im * below.re)};
}

inline complex<double> acosh(complex<double> z)
{
    if (!is_finite(z)) {
        if (z.re == 0 && __builtin_isnan(z.im)) {
            return {z.im, z.im};
        }
        return from_c(__builtin_cacosh(to_c(z)));
    }
    if (is_large(z)) {
        return {log_of_twice(z), __builtin_atan2(z.im, z.re)};
    }
    const complex<double> below = sqrt({z.re - 1, z.im});
    const complex<double> above = sqrt({z.re + 1, z.im});
    return {__builtin_asinh(below.re * above.re + below.im * above.im),
            2 * __builtin_atan2(below.im, above.re)};
}

inline complex<double> asinh(complex<double> z)
{
    if (!is_finite(z)) {
        if (__builtin_isnan(z.re) && __builtin_isinf(z.im)) {
            return {__builtin_inf(), z.re};
        }
        return from_c(__builtin_casinh(to_c(z)));
    }
    if (is_large(z)) {
        return {__builtin_copysign(log_of_twice(z), z.re),
                __builtin_atan2(z.im, __builtin_fabs(z.re))};
    }
    const complex<double> above = sqrt({1 + z.im, -z.re});
    const complex<double> below = sqrt({1 - z.im, z.re});
    return {__builtin_asinh(above.re * below.im - below.re * above.im),
            __builtin_atan2(z.im, above.re * below.re - above.im * below.im)};
}

inline complex<double> atanh(complex<double> z)
{
    if (!is_finite(z)) {
        if (__builtin_isnan(z.re) && __builtin_isinf(z.im)) {
            return {0, __builtin_copysign(half_pi, z.im)};
        }
        return from_c(__builtin_catanh(to_c(z)));
    }
    if (__builtin_signbit(z.re)) {
        return -atanh(-z);
    }
    const double im = __builtin_fabs(z.im);
    if (z.re > sqrt_large || im > sqrt_large) {
        const double half = __builtin_hypot(z.re / 2, z.im / 2);
        return {z.re / 4 / half / half, -__builtin_copysign(half_pi, -z.im)};
    }
    if (z.re == 1 && im < sqrt_smallest) {
        if (im == 0) {
            return {__builtin_inf(), z.im};
        }
        return {-__builtin_log(__builtin_sqrt(im) / __builtin_sqrt(__builtin_hypot(im, 2.0))),
                __builtin_copysign(__builtin_atan2(2.0, -im) / 2, z.im)};
    }
    const double below = 1 - z.re;
    return {__builtin_log1p(4 * z.re / (below * below + im * im)) / 4,
            -__builtin_atan2(-2 * z.im, below * (1 + z.re) - im * im) / 2};
}

// cos y * exp-like parts whose factor e^x alone would overflow: e^(x - 1), then times e. Where that
// overflows, too, a factor of zero stays zero.
inline complex<double> cosh(complex<double> z)
{
    if (!is_finite(z)) {
        if (__builtin_isnan(z.re) && z.im == 0) {
            return {z.re, 0};
        }
        return from_c(__builtin_ccosh(to_c(z)));
    }
    const double c = __builtin_cos(z.im);
    const double s = __builtin_sin(z.im);
    if (__builtin_fabs(z.re) > log_large) {
        const double less = z.re - __builtin_copysign(1.0, z.re);
        return {c * __builtin_cosh(less) * e,
                s == 0 ? s * __builtin_copysign(1.0, z.re) : s * __builtin_sinh(less) * e};
    }
    return {c * __builtin_cosh(z.re), s * __builtin_sinh(z.re)};
}

inline complex<double> sinh(complex<double> z)
{
    if (!is_finite(z)) {
        if (z.re == 0 && __builtin_isnan(z.im)) {
            return {0, z.im};
        }
        return from_c(__builtin_csinh(to_c(z)));
    }
    const double c = __builtin_cos(z.im);
    const double s = __builtin_sin(z.im);
    if (__builtin_fabs(z.re) > log_large) {
        const double less = z.re - __builtin_copysign(1.0, z.re);
        return {c * __builtin_sinh(less) * e, s == 0 ? s : s * __builtin_cosh(less) * e};
    }
    return {c * __builtin_sinh(z.re), s * __builtin_cosh(z.re)};
}

inline complex<double> exp(complex<double> z)
{
    if (!is_finite(z)) {
        if (z.re < 0 && __builtin_isinf(z.re) && !__builtin_isfinite(z.im)) {
            return {0, 0};
        }
        return from_c(__builtin_cexp(to_c(z)));
    }
    const double c = __builtin_cos(z.im);
    const double s = __builtin_sin(z.im);
    if (z.re > log_large) {
        const double less = __builtin_exp(z.re - 1);
        return {less * c * e, s == 0 ? s : less * s * e};
    }
    const double size = __builtin_exp(z.re);
    return {size * c, size * s};
}

inline complex<double> tanh(complex<double> z)
{
    if (!is_finite(z)) {
        if (__builtin_isinf(z.re) && !__builtin_isfinite(z.im)) {
            return {__builtin_copysign(1.0, z.re), 0};
        }
        if (z.re == 0 && __builtin_isnan(z.im)) {
            return {z.im, z.im};
        }
        return from_c(__builtin_ctanh(to_c(z)));
    }
    if (__builtin_fabs(z.re) > log_large) {
        return {__builtin_copysign(1.0, z.re), 4 * __builtin_sin(z.im) * __builtin_cos(z.im) *
                                                   __builtin_exp(-2 * __builtin_fabs(z.re))};
    }
    const double t = __builtin_tanh(z.re);
    const double u = __builtin_tan(z.im);
    const double c = 1 / __builtin_cosh(z.re);
    const double product = t * u;
    const double denominator = 1 + product * product;
    return {t * (1 + u * u) / denominator, ((u / denominator) * c) * c};
}

inline complex<double> log(complex<double> z)
{
    const double angle = __builtin_atan2(z.im, z.re);
    if (!is_finite(z)) {
        return from_c(__builtin_clog(to_c(z)));
    }
    if (is_large(z)) {
        return {log_of_large(z), angle};
    }
    const double re = __builtin_fabs(z.re);
    const double im = __builtin_fabs(z.im);
    if (re < smallest_normal && im < smallest_normal) {
        if (re == 0 && im == 0) {
            return {-__builtin_inf(), angle};
        }
        const double up = __builtin_hypot(__builtin_ldexp(re, 53), __builtin_ldexp(im, 53));
        return {__builtin_log(up) - 53 * ln2, angle};
    }
    const double length = __builtin_hypot(re, im);
    if (length >= 0.71 && length <= 1.73) { // near 1 the logarithm has few digits left
        const double more = re > im ? re : im;
        const double less = re > im ? im : re;
        return {__builtin_log1p((more - 1) * (more + 1) + less * less) / 2, angle};
    }
    return {__builtin_log(length), angle};
}

} // namespace complex_math

// The functions that kernels call; single precision computes in double.
#define PKC_COMPLEX_FUNCTION(name, value)                      \
    inline complex<double> name(complex<double> z)             \
    {                                                          \
        return value;                                          \
    }                                                          \
    inline complex<float> name(complex<float> z)               \
    {                                                          \
        return to_complex<float>(name(to_complex<double>(z))); \
    }

PKC_COMPLEX_FUNCTION(acos, complex_math::acos(z))
PKC_COMPLEX_FUNCTION(acosh, complex_math::acosh(z))
PKC_COMPLEX_FUNCTION(asin, complex_math::over_i(complex_math::asinh(complex_math::times_i(z))))
PKC_COMPLEX_FUNCTION(asinh, complex_math::asinh(z))
PKC_COMPLEX_FUNCTION(atan, complex_math::over_i(complex_math::atanh(complex_math::times_i(z))))
PKC_COMPLEX_FUNCTION(atanh, complex_math::atanh(z))
PKC_COMPLEX_FUNCTION(cos, complex_math::cosh(complex_math::times_i(z)))
PKC_COMPLEX_FUNCTION(cosh, complex_math::cosh(z))
PKC_COMPLEX_FUNCTION(exp, complex_math::exp(z))
PKC_COMPLEX_FUNCTION(log, complex_math::log(z))
PKC_COMPLEX_FUNCTION(sin, complex_math::over_i(complex_math::sinh(complex_math::times_i(z))))
PKC_COMPLEX_FUNCTION(sinh, complex_math::sinh(z))
PKC_COMPLEX_FUNCTION(sqrt, complex_math::sqrt(z))
PKC_COMPLEX_FUNCTION(tan, complex_math::over_i(complex_math::tanh(complex_math::times_i(z))))
PKC_COMPLEX_FUNCTION(tanh, complex_math::tanh(z))

#undef PKC_COMPLEX_FUNCTION

// Those of NumPy besides.
#define PKC_COMPLEX_SINGLE(name)                               \
    inline complex<float> name(complex<float> z)               \
    {                                                          \
        return to_complex<float>(name(to_complex<double>(z))); \
    }

inline complex<double> log10(complex<double> z)
{
    const complex<double> l = log(z);
    return {l.re / complex_math::ln10, l.im / complex_math::ln10};
}

inline complex<double> log2(complex<double> z)
{
    constexpr double log2_e = 1.442695040888963407;
    const complex<double> l = log(z);
    return {l.re * log2_e, l.im * log2_e};
}

inline complex<double> log1p(complex<double> z)
{
    return {__builtin_log(__builtin_hypot(z.re + 1, z.im)), __builtin_atan2(z.im, z.re + 1)};
}

inline complex<double> exp2(complex<double> z)
{
    return exp(complex<double>{z.re * complex_math::ln2, z.im * complex_math::ln2});
}

// cmath.rect: a phase of zero keeps what the length is, a length of zero is zero in any direction.
inline complex<double> rect(double length, double phase)
{
    if (phase == 0) {
        return {length, __builtin_isnan(length) ? 0 : __builtin_signbit(length) ? -phase : phase};
    }
    if (!__builtin_isfinite(phase)) {
        if (length == 0) {
            return {0, 0};
        }
        if (__builtin_isinf(length)) {
            return {__builtin_inf(), __builtin_nan("")};
        }
    }
    return {length * __builtin_cos(phase), length * __builtin_sin(phase)};
}

// Near 0, exp(z) - 1 would lose its digits.
inline complex<double> expm1(complex<double> z)
{
    const double s = __builtin_sin(z.im / 2);
    return {__builtin_expm1(z.re) * __builtin_cos(z.im) - 2 * s * s,
            __builtin_exp(z.re) * __builtin_sin(z.im)};
}

PKC_COMPLEX_SINGLE(log10)
PKC_COMPLEX_SINGLE(log2)
PKC_COMPLEX_SINGLE(log1p)
PKC_COMPLEX_SINGLE(exp2)
PKC_COMPLEX_SINGLE(expm1)

#undef PKC_COMPLEX_SINGLE

} // namespace pkc

#endif
