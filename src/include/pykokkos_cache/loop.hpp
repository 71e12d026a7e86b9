// Loops whose counter becomes a float: from 32 bits that is a vector instruction, from 64 it is not.
#ifndef PYKOKKOS_CACHE_LOOP_HPP
#define PYKOKKOS_CACHE_LOOP_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

// body(j) for j in [begin, end); j is an int32 where all fit one.
template <class Body> PKC_INLINE void count_up(int64 begin, int64 end, Body body)
{
    constexpr int64 most = 0x7fffffff;
    if (begin >= -most && end <= most) {
        const int32 last = static_cast<int32>(end);
        for (int32 j = static_cast<int32>(begin); j < last; ++j) {
            body(j);
        }
    } else {
        for (int64 j = begin; j < end; ++j) {
            body(j);
        }
    }
}

} // namespace pkc

#endif
