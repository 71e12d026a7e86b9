// Python's min and max: of equals the first; whatever is compared with NaN stays as it is.
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

} // namespace pkc

#endif
