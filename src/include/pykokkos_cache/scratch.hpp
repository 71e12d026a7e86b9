// Views of scratch memory: taken one after the other by each thread, which all do the same.
#ifndef PYKOKKOS_CACHE_SCRATCH_HPP
#define PYKOKKOS_CACHE_SCRATCH_HPP

#include <pykokkos_cache/team.hpp>
#include <pykokkos_cache/view.hpp>

namespace pkc
{

// A league rank begins: all of the scratch memory is free again.
PKC_INLINE void scratch_begin(team &t)
{
    for (int kind = 0; kind < 4; ++kind) {
        t.scratch[kind].used = 0;
        t.scratch[kind].wanted = 0;
    }
}

constexpr int64 scratch_padding = 256; // bytes beyond a piece's size, for alignment alone

// The bytes of an array; -1: an extent is below 0; the largest number: no 64 bits count them.
template <class... Extents> PKC_INLINE int64 scratch_bytes(int64 element, Extents... extents)
{
    int64 bytes = element;
    bool negative = false;
    bool large = false;
    const int64 list[] = {extents..., 1};
    for (const int64 extent : list) {
        negative = negative || extent < 0;
        large = __builtin_mul_overflow(bytes, extent, &bytes) || large;
    }
    return negative ? -1 : large ? 0x7fffffffffffffff : bytes;
}

// One more array: -1 where an extent is negative, or the sum beyond 64 bits.
PKC_INLINE void scratch_plan(int64 &total, int64 bytes)
{
    if (total < 0 || bytes < 0 || __builtin_add_overflow(total, bytes, &total)) {
        total = -1;
    }
}

PKC_INLINE unsigned char *scratch_take(team &t, int kind, int64 bytes, int64 alignment)
{
    scratch_piece &piece = t.scratch[kind];
    const int64 begin = (piece.used + alignment - 1) / alignment * alignment;
    if (bytes < 0 || bytes > piece.size - piece.wanted ||
        begin + bytes > piece.size + scratch_padding) {
        return t.shortage(&t, kind, bytes);
    }
    piece.wanted += bytes;
    piece.used = begin + bytes;
    return piece.data + begin;
}

// kind: 0, 1 the team's memory of that level; 2, 3 the thread's.
template <class T, class... Extents>
PKC_INLINE view<T, static_cast<int>(sizeof...(Extents))> scratch_view(team &t, int kind,
                                                                      Extents... extents)
{
    constexpr int rank = static_cast<int>(sizeof...(Extents));
    view<T, rank> v{nullptr, {extents...}, {}};
    int64 stride = 1;
    for (int k = rank - 1; k >= 0; --k) {
        v.stride[k] = stride;
        stride = static_cast<int64>(static_cast<uint64>(stride) * static_cast<uint64>(v.extent[k]));
    }
    constexpr int64 size = static_cast<int64>(sizeof(T));
    v.data = reinterpret_cast<T *>(
        scratch_take(t, kind, scratch_bytes(size, extents...), size < 8 ? size : 8));
    return v;
}

} // namespace pkc

#endif
