// Kokkos' lower_bound, upper_bound and inclusive_scan on a view of one dimension.
#ifndef PYKOKKOS_CACHE_SEARCH_HPP
#define PYKOKKOS_CACHE_SEARCH_HPP

#include <pykokkos_cache/view.hpp>

namespace pkc
{

// How many of the first `count` elements, which are sorted, are smaller than `value`.
template <class Value, class T, layout Layout>
PKC_INLINE int64 lower_bound(const view<T, 1, Layout> &v, int64 count, Value value)
{
    int64 first = 0;
    while (count > 0) {
        const int64 half = count / 2;
        if (static_cast<Value>(v(first + half)) < value) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

// How many of them are not larger.
template <class Value, class T, layout Layout>
PKC_INLINE int64 upper_bound(const view<T, 1, Layout> &v, int64 count, Value value)
{
    int64 first = 0;
    while (count > 0) {
        const int64 half = count / 2;
        if (value < static_cast<Value>(v(first + half))) {
            count = half;
        } else {
            first += half + 1;
            count -= half + 1;
        }
    }
    return first;
}

// Integers add modulo 2^width, as they are stored.
template <class T> PKC_INLINE T added(T a, T b)
{
    if constexpr (static_cast<T>(0.5) == 0) { // an integer
        return static_cast<T>(static_cast<uint64>(a) + static_cast<uint64>(b));
    } else {
        return a + b;
    }
}

// Each element becomes the sum of all up to it.
template <class T, layout Layout> PKC_INLINE void inclusive_scan(const view<T, 1, Layout> &v)
{
    for (int64 i = 1; i < v.extent[0]; ++i) {
        v(i) = added(v(i - 1), v(i));
    }
}

} // namespace pkc

#endif
