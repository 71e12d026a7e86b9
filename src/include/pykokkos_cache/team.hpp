// A thread of a team as kernels see it: dispatch.h's struct pkc_team_handle, byte for byte. With
// one thread a team all of this comes down to nothing.
#ifndef PYKOKKOS_CACHE_TEAM_HPP
#define PYKOKKOS_CACHE_TEAM_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

struct scratch_piece {
    unsigned char *data;
    int64 size, used, wanted;
};

struct team {
    int64 league_size, rank, size;
    void (*barrier)(team *);
    unsigned char *(*shortage)(team *, int kind, int64 bytes);
    unsigned char *exchange;
    int64 phase;
    scratch_piece scratch[4];
    void *owner;
    int64 league_rank; // the kernel's own
};

// What a launch gives and asks: struct pkc_team_needs.
struct team_needs {
    int64 size;
    int64 declared[4], used[4];
    const char *one_thread;
};

struct span {
    int64 begin, end;
};

// ---- ranges -------------------------------------------------------------------------------------

PKC_COLD span split_range(const team &t, int64 begin, int64 end)
{
    if (end <= begin) {
        return {begin, begin};
    }
    const uint64 count = static_cast<uint64>(end) - static_cast<uint64>(begin);
    const uint64 size = static_cast<uint64>(t.size);
    const uint64 each = count / size + (count % size != 0 ? 1 : 0);
    const uint64 first = each * static_cast<uint64>(t.rank);
    if (first >= count) {
        return {end, end};
    }
    const uint64 last = count - first < each ? count : first + each;
    return {static_cast<int64>(static_cast<uint64>(begin) + first),
            static_cast<int64>(static_cast<uint64>(begin) + last)};
}

// This thread's part: consecutive ones for consecutive ranks.
PKC_INLINE span team_range(const team &t, int64 begin, int64 end)
{
    return t.size == 1 ? span{begin, end} : split_range(t, begin, end);
}

// All of it for the first thread, nothing for the others.
PKC_INLINE span first_range(const team &t, int64 begin, int64 end)
{
    return t.rank == 0 ? span{begin, end} : span{begin, begin};
}

// ---- all threads together -----------------------------------------------------------------------

PKC_INLINE void team_barrier(team &t)
{
    if (t.size > 1) {
        t.barrier(&t);
    }
}

// One thread does it, after all that was before, before all that comes after.
template <class Work> PKC_INLINE void team_once(team &t, const Work &work)
{
    team_barrier(t);
    if (t.rank == 0) {
        work();
    }
    team_barrier(t);
}

// The threads' lines of 64 bytes: one half is read while the other is written the next time, so
// that one barrier each time is enough.
template <class T> PKC_INLINE T &team_line(const team &t, int64 rank)
{
    static_assert(sizeof(T) <= 64, "a line of the exchange holds 64 bytes");
    return *reinterpret_cast<T *>(t.exchange + (t.phase * t.size + rank) * 64);
}

// Everyone's value is in the lines from here on, until the next call.
template <class T> PKC_INLINE void team_exchange(team &t, const T &value)
{
    t.phase ^= 1;
    team_line<T>(t, t.rank) = value;
    t.barrier(&t);
}

// The bytes of one thread, given to all.
PKC_COLD void exchange_bytes(team &t, unsigned char *bytes, uint64 size, int64 rank)
{
    struct line {
        unsigned char bytes[64];
    } value{};
    for (; size > 0; bytes += 64) {
        const uint64 part = size < 64 ? size : 64;
        __builtin_memcpy(value.bytes, bytes, part);
        team_exchange(t, value);
        __builtin_memcpy(bytes, team_line<line>(t, rank).bytes, part);
        size -= part;
    }
}
template <class T> PKC_INLINE void team_broadcast(team &t, T &value)
{
    if (t.size > 1) {
        exchange_bytes(t, reinterpret_cast<unsigned char *>(&value), sizeof value, 0);
    }
}
template <class T> PKC_INLINE void team_last(team &t, T &value)
{
    if (t.size > 1) {
        exchange_bytes(t, reinterpret_cast<unsigned char *>(&value), sizeof value, t.size - 1);
    }
}

// The values of ranks 0 to last - 1 joined in that order; `none` where there are none.
template <class Join, class T>
PKC_COLD T exchange_joined(team &t, const T &value, int64 last, const T &none)
{
    team_exchange(t, value);
    if (last == 0) {
        return none;
    }
    T joined = team_line<T>(t, 0);
    for (int64 rank = 1; rank < last; ++rank) {
        joined = Join::join(joined, team_line<T>(t, rank));
    }
    return joined;
}

// Every thread gets the same total.
template <class Join, class T> PKC_INLINE void team_reduce(team &t, T &value)
{
    if (t.size > 1) {
        value = exchange_joined<Join>(t, value, t.size, value);
    }
}

template <class T> struct same {
    using type = T;
};

// What the threads before this one come to; `first` for the first of them.
template <class Join, class T>
PKC_INLINE void team_before(team &t, T &value, const typename same<T>::type &first)
{
    value = exchange_joined<Join>(t, value, t.rank, first);
}

// How two threads' values become one. The operators of unsigned numbers wrap; so must these.
template <class T> struct wrapping {
    static T add(T a, T b)
    {
        return static_cast<T>(static_cast<uint64>(a) + static_cast<uint64>(b));
    }
    static T mul(T a, T b)
    {
        return static_cast<T>(static_cast<uint64>(a) * static_cast<uint64>(b));
    }
};
template <class T> struct plain {
    static T add(T a, T b)
    {
        return a + b;
    }
    static T mul(T a, T b)
    {
        return a * b;
    }
};
template <class T> struct arithmetic : plain<T> {
};
template <> struct arithmetic<int8> : wrapping<int8> {
};
template <> struct arithmetic<int16> : wrapping<int16> {
};
template <> struct arithmetic<int32> : wrapping<int32> {
};
template <> struct arithmetic<int64> : wrapping<int64> {
};
template <> struct arithmetic<uint8> : wrapping<uint8> {
};
template <> struct arithmetic<uint16> : wrapping<uint16> {
};
template <> struct arithmetic<uint32> : wrapping<uint32> {
};
template <> struct arithmetic<uint64> : wrapping<uint64> {
};

struct join_sum {
    template <class T> static T join(T a, T b)
    {
        return arithmetic<T>::add(a, b);
    }
};
struct join_prod {
    template <class T> static T join(T a, T b)
    {
        return arithmetic<T>::mul(a, b);
    }
};
struct join_min {
    template <class T> static T join(T a, T b)
    {
        return b < a ? b : a;
    }
};
struct join_max {
    template <class T> static T join(T a, T b)
    {
        return b > a ? b : a;
    }
};
struct join_and {
    template <class T> static T join(T a, T b)
    {
        return static_cast<T>(a & b);
    }
};
struct join_or {
    template <class T> static T join(T a, T b)
    {
        return static_cast<T>(a | b);
    }
};
struct join_xor {
    template <class T> static T join(T a, T b)
    {
        return static_cast<T>(a ^ b);
    }
};

} // namespace pkc

#endif
