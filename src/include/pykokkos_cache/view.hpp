// Arrays as kernels see them: a pointer, extents and strides (in elements). dispatch.h describes
// the same bytes to the rest of the world.
#ifndef PYKOKKOS_CACHE_VIEW_HPP
#define PYKOKKOS_CACHE_VIEW_HPP

#include <pykokkos_cache/base.hpp>
#ifdef PKC_CHECKED
#include <pykokkos_cache/check.hpp>
#endif

namespace pkc
{

// Which index is contiguous: the last, the first, none for certain.
enum class layout { right, left, stride };

template <class T, int Rank, layout Layout = layout::right> struct view {
    T *data;
    int64 extent[Rank];
    int64 stride[Rank];

    // The distance between neighbours in dimension k: 1, known when compiling, where the layout
    // says so.
    PKC_INLINE int64 step(int k) const
    {
        return k == (Layout == layout::right  ? Rank - 1
                     : Layout == layout::left ? 0
                                              : -1)
                   ? 1
                   : stride[k];
    }

    // What index i of dimension k adds to the offset.
    PKC_INLINE int64 at(int k, int64 i) const
    {
#ifdef PKC_CHECKED
        check_index(i, extent[k], k);
#endif
        return i * step(k);
    }

    PKC_INLINE int64 size() const
    {
        int64 n = 1;
        for (int k = 0; k < Rank; ++k) {
            n *= extent[k];
        }
        return n;
    }

    PKC_INLINE T &operator()(int64 i) const
    {
        return data[at(0, i)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j) const
    {
        return data[at(0, i) + at(1, j)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j, int64 k) const
    {
        return data[at(0, i) + at(1, j) + at(2, k)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j, int64 k, int64 l) const
    {
        return data[at(0, i) + at(1, j) + at(2, k) + at(3, l)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j, int64 k, int64 l, int64 m) const
    {
        return data[at(0, i) + at(1, j) + at(2, k) + at(3, l) + at(4, m)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j, int64 k, int64 l, int64 m, int64 n) const
    {
        return data[at(0, i) + at(1, j) + at(2, k) + at(3, l) + at(4, m) + at(5, n)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j, int64 k, int64 l, int64 m, int64 n, int64 o) const
    {
        return data[at(0, i) + at(1, j) + at(2, k) + at(3, l) + at(4, m) + at(5, n) + at(6, o)];
    }
    PKC_INLINE T &operator()(int64 i, int64 j, int64 k, int64 l, int64 m, int64 n, int64 o,
                             int64 p) const
    {
        return data[at(0, i) + at(1, j) + at(2, k) + at(3, l) + at(4, m) + at(5, n) + at(6, o) +
                    at(7, p)];
    }
};

// The same array, its strides no longer known when compiling.
template <class T, int Rank, layout Layout>
PKC_INLINE view<T, Rank, layout::stride> to_stride(const view<T, Rank, Layout> &v)
{
    view<T, Rank, layout::stride> to{v.data, {}, {}};
    for (int k = 0; k < Rank; ++k) {
        to.extent[k] = v.extent[k];
        to.stride[k] = v.step(k);
    }
    return to;
}

} // namespace pkc

#endif
