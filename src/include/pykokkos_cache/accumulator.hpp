// Accumulators of the reducers that find a place, not only a value.
#ifndef PYKOKKOS_CACHE_ACCUMULATOR_HPP
#define PYKOKKOS_CACHE_ACCUMULATOR_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

// MinLoc, MaxLoc.
template <class T> struct acc_val_loc {
    T val;
    int64 loc;
};

// MinMax.
template <class T> struct acc_min_max {
    T min_val, max_val;
};

// MinMaxLoc.
template <class T> struct acc_min_max_loc {
    T min_val, max_val;
    int64 min_loc, max_loc;
};

} // namespace pkc

#endif
