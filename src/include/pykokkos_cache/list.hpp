// A local array: `x: List[float] = [a, b]`.
#ifndef PYKOKKOS_CACHE_LIST_HPP
#define PYKOKKOS_CACHE_LIST_HPP

#include <pykokkos_cache/base.hpp>
#ifdef PKC_CHECKED
#include <pykokkos_cache/check.hpp>
#endif

namespace pkc
{

template <class T, int Length> struct list {
    T item[Length];

    PKC_INLINE T &operator[](int64 i)
    {
#ifdef PKC_CHECKED
        check_index(i, Length, 0);
#endif
        return item[i];
    }
    PKC_INLINE const T &operator[](int64 i) const
    {
#ifdef PKC_CHECKED
        check_index(i, Length, 0);
#endif
        return item[i];
    }
};

} // namespace pkc

#endif
