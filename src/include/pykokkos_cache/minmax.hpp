// Python's min and max: of equals the first; whatever is compared with NaN stays as it is. NumPy's
// maximum and minimum, where a NaN wins, and fmax and fmin, where it loses.
#ifndef PYKOKKOS_CACHE_MINMAX_HPP
#define PYKOKKOS_CACHE_MINMAX_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

template <class T> PKC_INLINE T min(T a, T b)
{
    return b < a ? b : a;
}

template <class T> PKC_INLINE T max(T a, T b)
{
    return b > a ? b : a;
}

template <class T> PKC_INLINE T maximum(T a, T b)
{
    return a >= b || a != a ? a : b;
}

template <class T> PKC_INLINE T minimum(T a, T b)
{
    return a <= b || a != a ? a : b;
}

template <class T> PKC_INLINE T fmax(T a, T b)
{
    return a >= b || b != b ? a : b;
}

template <class T> PKC_INLINE T fmin(T a, T b)
{
    return a <= b || b != b ? a : b;
}

} // namespace pkc

#endif
