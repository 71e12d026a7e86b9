/*
 * The reducers of dispatch.h, for every scalar type. Values of their own as identities are
 * Kokkos'. For generated dispatch TUs only: internal linkage.
 */
#ifndef PYKOKKOS_CACHE_DISPATCH_REDUCERS_HPP
#define PYKOKKOS_CACHE_DISPATCH_REDUCERS_HPP

#include <Kokkos_Core.hpp>

#include <pykokkos_cache/dispatch.h>

#include <cstring>
#include <type_traits>

namespace
{
namespace pkc_dispatch_impl
{
namespace reducers
{

/* An accumulator as kernels store it: naturally aligned, unlike Kokkos 4's complex. */
template <class T> struct complex_value {
    T re, im;
};

template <class T> struct val_loc {
    T val;
    int64_t loc;
};

template <class T> struct min_max {
    T min_val, max_val;
};

template <class T> struct min_max_loc {
    T min_val, max_val;
    int64_t min_loc, max_loc;
};

/* Kokkos' identities; bool, which it has not for all, is the integer 0 or 1. */
template <class T> struct identity {
    static T sum()
    {
        return Kokkos::reduction_identity<T>::sum();
    }
    static T prod()
    {
        return Kokkos::reduction_identity<T>::prod();
    }
    static T min()
    {
        return Kokkos::reduction_identity<T>::min();
    }
    static T max()
    {
        return Kokkos::reduction_identity<T>::max();
    }
    static T band()
    {
        return static_cast<T>(~T{0});
    }
    static T bor()
    {
        return T{0};
    }
};

template <> struct identity<bool> {
    static bool sum()
    {
        return false;
    }
    static bool prod()
    {
        return true;
    }
    static bool min()
    {
        return true;
    }
    static bool max()
    {
        return false;
    }
    static bool band()
    {
        return true;
    }
    static bool bor()
    {
        return false;
    }
};

/* The location that no work index has: it loses against every other. */
constexpr int64_t no_location = INT64_MAX;

/* Typed operations, and below their erased form. Integers join modulo 2^width, as they are stored.
 */
template <class T> struct op_sum {
    using value_type = T;
    static void init(T &v)
    {
        v = identity<T>::sum();
    }
    static void join(T &v, const T &other)
    {
        if constexpr (std::is_integral<T>::value) {
            v = static_cast<T>(static_cast<uint64_t>(v) + static_cast<uint64_t>(other));
        } else {
            v += other;
        }
    }
};

template <> struct op_sum<bool> {
    using value_type = bool;
    static void init(bool &v)
    {
        v = false;
    }
    static void join(bool &v, const bool &other)
    {
        v = v || other;
    }
};

template <class T> struct op_sum<complex_value<T>> {
    using value_type = complex_value<T>;
    static void init(value_type &v)
    {
        v = {T{0}, T{0}};
    }
    static void join(value_type &v, const value_type &other)
    {
        v.re += other.re;
        v.im += other.im;
    }
};

template <class T> struct op_prod {
    using value_type = T;
    static void init(T &v)
    {
        v = identity<T>::prod();
    }
    static void join(T &v, const T &other)
    {
        if constexpr (std::is_integral<T>::value) {
            v = static_cast<T>(static_cast<uint64_t>(v) * static_cast<uint64_t>(other));
        } else {
            v *= other;
        }
    }
};

template <class T> struct op_prod<complex_value<T>> {
    using value_type = complex_value<T>;
    static void init(value_type &v)
    {
        v = {T{1}, T{0}};
    }
    static void join(value_type &v, const value_type &other)
    {
        v = {v.re * other.re - v.im * other.im, v.re * other.im + v.im * other.re};
    }
};

/* Does a partial value win for not being a number? As in NumPy's maximum and minimum, it does. */
template <class T> bool is_nan(const T &value)
{
    if constexpr (std::is_floating_point<T>::value) {
        return value != value;
    }
    return false;
}

template <class T> struct op_min {
    using value_type = T;
    static void init(T &v)
    {
        v = identity<T>::min();
    }
    static void join(T &v, const T &other)
    {
        v = other < v || is_nan(other) ? other : v;
    }
};

template <class T> struct op_max {
    using value_type = T;
    static void init(T &v)
    {
        v = identity<T>::max();
    }
    static void join(T &v, const T &other)
    {
        v = v < other || is_nan(other) ? other : v;
    }
};

template <class T> struct op_band {
    using value_type = T;
    static void init(T &v)
    {
        v = identity<T>::band();
    }
    static void join(T &v, const T &other)
    {
        v = static_cast<T>(v & other);
    }
};

template <class T> struct op_bor {
    using value_type = T;
    static void init(T &v)
    {
        v = identity<T>::bor();
    }
    static void join(T &v, const T &other)
    {
        v = static_cast<T>(v | other);
    }
};

template <class T> struct op_land {
    using value_type = T;
    static void init(T &v)
    {
        v = static_cast<T>(1);
    }
    static void join(T &v, const T &other)
    {
        v = static_cast<T>(v != T{0} && other != T{0} ? 1 : 0);
    }
};

template <class T> struct op_lor {
    using value_type = T;
    static void init(T &v)
    {
        v = static_cast<T>(0);
    }
    static void join(T &v, const T &other)
    {
        v = static_cast<T>(v != T{0} || other != T{0} ? 1 : 0);
    }
};

/* Of equal values the first location counts, as NumPy's argmin and argmax have it; the result then
 * depends on no thread. */
template <class T> void take_min(T &val, int64_t &loc, const T &other_val, const int64_t other_loc)
{
    if (other_val < val || (other_val == val && other_loc < loc)) {
        val = other_val;
        loc = other_loc;
    }
}

template <class T> void take_max(T &val, int64_t &loc, const T &other_val, const int64_t other_loc)
{
    if (val < other_val || (other_val == val && other_loc < loc)) {
        val = other_val;
        loc = other_loc;
    }
}

template <class T> struct op_min_loc {
    using value_type = val_loc<T>;
    static void init(value_type &v)
    {
        v = {identity<T>::min(), no_location};
    }
    static void join(value_type &v, const value_type &other)
    {
        take_min(v.val, v.loc, other.val, other.loc);
    }
};

template <class T> struct op_max_loc {
    using value_type = val_loc<T>;
    static void init(value_type &v)
    {
        v = {identity<T>::max(), no_location};
    }
    static void join(value_type &v, const value_type &other)
    {
        take_max(v.val, v.loc, other.val, other.loc);
    }
};

template <class T> struct op_min_max {
    using value_type = min_max<T>;
    static void init(value_type &v)
    {
        v = {identity<T>::min(), identity<T>::max()};
    }
    static void join(value_type &v, const value_type &other)
    {
        op_min<T>::join(v.min_val, other.min_val);
        op_max<T>::join(v.max_val, other.max_val);
    }
};

template <class T> struct op_min_max_loc {
    using value_type = min_max_loc<T>;
    static void init(value_type &v)
    {
        v = {identity<T>::min(), identity<T>::max(), no_location, no_location};
    }
    static void join(value_type &v, const value_type &other)
    {
        take_min(v.min_val, v.min_loc, other.min_val, other.min_loc);
        take_max(v.max_val, v.max_loc, other.max_val, other.max_loc);
    }
};

template <class Op> void init_erased(void *acc)
{
    Op::init(*static_cast<typename Op::value_type *>(acc));
}

template <class Op> void join_erased(void *acc, const void *other)
{
    Op::join(*static_cast<typename Op::value_type *>(acc),
             *static_cast<const typename Op::value_type *>(other));
}

template <class Op> constexpr pkc_reducer erased(const char *name)
{
    static_assert(sizeof(typename Op::value_type) <= PKC_ACC_MAX_SIZE, "accumulator too large");
    return {name, sizeof(typename Op::value_type), init_erased<Op>, join_erased<Op>};
}

const pkc_reducer *search(const pkc_reducer *list, const size_t count, const char *name)
{
    for (size_t i = 0; i < count; ++i) {
        if (std::strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return nullptr;
}

template <class T> const pkc_reducer *find_ordered(const char *name)
{
    static constexpr pkc_reducer list[] = {
        erased<op_sum<T>>("Sum"),        erased<op_prod<T>>("Prod"),
        erased<op_min<T>>("Min"),        erased<op_max<T>>("Max"),
        erased<op_land<T>>("LAnd"),      erased<op_lor<T>>("LOr"),
        erased<op_min_loc<T>>("MinLoc"), erased<op_max_loc<T>>("MaxLoc"),
        erased<op_min_max<T>>("MinMax"), erased<op_min_max_loc<T>>("MinMaxLoc"),
    };
    return search(list, sizeof list / sizeof *list, name);
}

template <class T> const pkc_reducer *find_integer(const char *name)
{
    static constexpr pkc_reducer list[] = {
        erased<op_band<T>>("BAnd"),
        erased<op_bor<T>>("BOr"),
    };
    const pkc_reducer *const found = search(list, sizeof list / sizeof *list, name);
    return found != nullptr ? found : find_ordered<T>(name);
}

template <class T> const pkc_reducer *find_complex(const char *name)
{
    static constexpr pkc_reducer list[] = {
        erased<op_sum<complex_value<T>>>("Sum"),
        erased<op_prod<complex_value<T>>>("Prod"),
    };
    return search(list, sizeof list / sizeof *list, name);
}

const pkc_reducer *find(const char *name, const char *dtype)
{
    static constexpr struct {
        const char *dtype;
        const pkc_reducer *(*find)(const char *name);
    } types[] = {
        {"float64", find_ordered<double>},  {"float32", find_ordered<float>},
        {"int64", find_integer<int64_t>},   {"int32", find_integer<int32_t>},
        {"int16", find_integer<int16_t>},   {"int8", find_integer<int8_t>},
        {"uint64", find_integer<uint64_t>}, {"uint32", find_integer<uint32_t>},
        {"uint16", find_integer<uint16_t>}, {"uint8", find_integer<uint8_t>},
        {"bool", find_integer<bool>},       {"complex128", find_complex<double>},
        {"complex64", find_complex<float>},
    };
    if (name == nullptr || dtype == nullptr) {
        return nullptr;
    }
    for (const auto &type : types) {
        if (std::strcmp(type.dtype, dtype) == 0) {
            return type.find(name);
        }
    }
    return nullptr;
}

} // namespace reducers
} // namespace pkc_dispatch_impl
} // namespace

#endif
