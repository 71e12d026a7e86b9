// Functions of complex numbers, by the C library's.
#ifndef PYKOKKOS_CACHE_COMPLEX_MATH_HPP
#define PYKOKKOS_CACHE_COMPLEX_MATH_HPP

#include <pykokkos_cache/complex.hpp>

namespace pkc
{

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

#define PKC_COMPLEX_FUNCTION(name)                             \
    inline complex<double> name(complex<double> z)             \
    {                                                          \
        return from_c(__builtin_c##name(to_c(z)));             \
    }                                                          \
    inline complex<float> name(complex<float> z)               \
    {                                                          \
        return to_complex<float>(name(to_complex<double>(z))); \
    }

PKC_COMPLEX_FUNCTION(acos)
PKC_COMPLEX_FUNCTION(acosh)
PKC_COMPLEX_FUNCTION(asin)
PKC_COMPLEX_FUNCTION(asinh)
PKC_COMPLEX_FUNCTION(atan)
PKC_COMPLEX_FUNCTION(atanh)
PKC_COMPLEX_FUNCTION(cos)
PKC_COMPLEX_FUNCTION(cosh)
PKC_COMPLEX_FUNCTION(exp)
PKC_COMPLEX_FUNCTION(log)
PKC_COMPLEX_FUNCTION(sin)
PKC_COMPLEX_FUNCTION(sinh)
PKC_COMPLEX_FUNCTION(sqrt)
PKC_COMPLEX_FUNCTION(tan)
PKC_COMPLEX_FUNCTION(tanh)

#undef PKC_COMPLEX_FUNCTION

inline complex<double> log10(complex<double> z)
{
    constexpr double log_of_10 = 2.302585092994045684;
    const complex<double> l = log(z);
    return {l.re / log_of_10, l.im / log_of_10};
}

inline complex<float> log10(complex<float> z)
{
    return to_complex<float>(log10(to_complex<double>(z)));
}

} // namespace pkc

#endif
