// Parts of a view: subview<Rank, Layout>(v, index | all | slice{begin, end}, ...).
#ifndef PYKOKKOS_CACHE_SUBVIEW_HPP
#define PYKOKKOS_CACHE_SUBVIEW_HPP

#include <pykokkos_cache/view.hpp>

namespace pkc
{

struct all_of {
};
constexpr all_of all{};

// Half open and already clamped to [0, extent].
struct slice {
    int64 begin, end;
};

// Takes the next dimension of `from` into `to`; `in` and `out` count dimensions.
template <class From, class To>
PKC_INLINE void take(const From &from, To &to, int &in, int &, int64 index)
{
    to.data += from.at(in++, index);
}

template <class From, class To>
PKC_INLINE void take(const From &from, To &to, int &in, int &out, all_of)
{
    to.extent[out] = from.extent[in];
    to.stride[out++] = from.step(in++);
}

template <class From, class To>
PKC_INLINE void take(const From &from, To &to, int &in, int &out, slice s)
{
    const int64 n = s.end > s.begin ? s.end - s.begin : 0;
    // An empty part may begin one past the end: its pointer is never moved there.
    to.data += n > 0 ? s.begin * from.step(in) : 0;
    to.extent[out] = n;
    to.stride[out++] = from.step(in++);
}

template <int Rank, layout Layout, class T, int FromRank, layout FromLayout, class... Parts>
PKC_INLINE view<T, Rank, Layout> subview(const view<T, FromRank, FromLayout> &from, Parts... parts)
{
    static_assert(sizeof...(Parts) == FromRank, "one part for each dimension");
    view<T, Rank, Layout> to{from.data, {}, {}};
    int in = 0;
    int out = 0;
    (take(from, to, in, out, parts), ...);
    return to;
}

} // namespace pkc

#endif
