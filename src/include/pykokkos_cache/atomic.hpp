// Atomic operations on elements, relaxed as Kokkos' are. With PKC_ATOMICS_BYPASS (a Kokkos whose
// atomics are plain, as no two threads ever run) they are plain operations.
// For each operation op: atomic_op(p, v) gives nothing, atomic_fetch_op the old value,
// atomic_op_fetch the new one. Integer division truncates and wraps, as a store of a quotient does;
// the rest has the divisor's sign, as Python's.
#ifndef PYKOKKOS_CACHE_ATOMIC_HPP
#define PYKOKKOS_CACHE_ATOMIC_HPP

#include <pykokkos_cache/base.hpp>

namespace pkc
{

template <class T> constexpr bool is_integer = static_cast<T>(0.5) == static_cast<T>(0);

// Asks for the cache line of *p to write to it. An update that loads first would otherwise take the
// line from another core twice, shared and then to own it (threads that share a histogram: 1.4
// times the time).
template <class T> PKC_INLINE void atomic_own(T *p)
{
#if defined(__x86_64__)
    // GCC makes a plain prefetch of __builtin_prefetch without -mprfchw; every x86-64 takes this
    // one.
    __asm__ __volatile__("prefetchw %0" : : "m"(*p));
#else
    __builtin_prefetch(p, 1);
#endif
}

// The unsigned integer of an element's size: the compiler keeps one in a register through a loop of
// compare and exchange, where it keeps a float's copy in memory.
template <unsigned size> struct image_of;
template <> struct image_of<1> {
    using type = uint8;
};
template <> struct image_of<2> {
    using type = uint16;
};
template <> struct image_of<4> {
    using type = uint32;
};
template <> struct image_of<8> {
    using type = uint64;
};

template <class To, class From> PKC_INLINE To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "both have the same bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// Applies next(old) to *p; gives old.
template <class T, class Next> PKC_INLINE T atomic_replace(T *p, Next next)
{
#ifdef PKC_ATOMICS_BYPASS
    const T old = *p;
    *p = next(old);
    return old;
#else
    using image __attribute__((__may_alias__)) = typename image_of<sizeof(T)>::type;
    image *const at = reinterpret_cast<image *>(p);
    atomic_own(p);
    image old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, same_bits<image>(next(same_bits<T>(old))), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return same_bits<T>(old);
#endif
}

// What each operation makes of the old value and its operand.
struct atomic_ops {
    template <class T> static PKC_INLINE T add(T a, T b)
    {
        if constexpr (is_integer<T>) {
            return static_cast<T>(static_cast<uint64>(a) + static_cast<uint64>(b));
        } else {
            return static_cast<T>(a + b);
        }
    }
    template <class T> static PKC_INLINE T sub(T a, T b)
    {
        if constexpr (is_integer<T>) {
            return static_cast<T>(static_cast<uint64>(a) - static_cast<uint64>(b));
        } else {
            return static_cast<T>(a - b);
        }
    }
    template <class T> static PKC_INLINE T mul(T a, T b)
    {
        if constexpr (is_integer<T>) {
            return static_cast<T>(static_cast<uint64>(a) * static_cast<uint64>(b));
        } else {
            return static_cast<T>(a * b);
        }
    }
    template <class T> static PKC_INLINE T div(T a, T b)
    {
        if constexpr (is_integer<T>) {
            return b == 0                             ? T(0)
                   : b == static_cast<T>(-1) && b < 0 ? sub(T(0), a)
                                                      : static_cast<T>(a / b);
        } else {
            return static_cast<T>(a / b);
        }
    }
    template <class T> static PKC_INLINE T mod(T a, T b)
    {
        if constexpr (is_integer<T>) {
            if (b == 0 || (b == static_cast<T>(-1) && b < 0)) {
                return T(0);
            }
            const T rest = static_cast<T>(a % b);
            return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
        } else {
            const T rest = static_cast<T>(__builtin_fmod(a, b));
            return rest == 0               ? static_cast<T>(__builtin_copysign(0.0, b))
                   : (rest < 0) != (b < 0) ? rest + b
                                           : rest;
        }
    }
    template <class T> static PKC_INLINE T min(T a, T b)
    {
        return b < a ? b : a;
    }
    template <class T> static PKC_INLINE T max(T a, T b)
    {
        return b > a ? b : a;
    }
    template <class T> static PKC_INLINE T land(T a, T b)
    {
        return static_cast<T>(a & b);
    }
    template <class T> static PKC_INLINE T lor(T a, T b)
    {
        return static_cast<T>(a | b);
    }
    template <class T> static PKC_INLINE T lxor(T a, T b)
    {
        return static_cast<T>(a ^ b);
    }
    template <class T> static PKC_INLINE T lshift(T a, T b)
    {
        const uint64 count = static_cast<uint64>(b);
        return count < 64 ? static_cast<T>(static_cast<uint64>(a) << count) : T(0);
    }
    template <class T> static PKC_INLINE T rshift(T a, T b)
    {
        constexpr uint64 most = sizeof(T) * 8 - 1;
        const uint64 count = static_cast<uint64>(b);
        return count <= most ? static_cast<T>(a >> count) : static_cast<T>(a < 0 ? -1 : 0);
    }
};

// An argument that follows the element's type and never decides it.
template <class T> struct operand_of {
    using type = T;
};
template <class T> using operand = typename operand_of<T>::type;

// The three forms of one operation. `native` is the compiler's own for integers.
#ifdef PKC_ATOMICS_BYPASS
#define PKC_ATOMIC_NATIVE(native) static_cast<void>(0)
#else
#define PKC_ATOMIC_NATIVE(native)              \
    if constexpr (is_integer<T>) {             \
        atomic_own(p);                         \
        return native(p, v, __ATOMIC_RELAXED); \
    }                                          \
    static_cast<void>(0)
#endif
#define PKC_ATOMIC_FORMS(op, apply)                                         \
    template <class T> PKC_INLINE T atomic_##op##_fetch(T *p, operand<T> v) \
    {                                                                       \
        return atomic_ops::apply(atomic_fetch_##op(p, v), v);               \
    }                                                                       \
    template <class T> PKC_INLINE void atomic_##op(T *p, operand<T> v)      \
    {                                                                       \
        static_cast<void>(atomic_fetch_##op(p, v));                         \
    }
#define PKC_ATOMIC(op, apply)                                                       \
    template <class T> PKC_INLINE T atomic_fetch_##op(T *p, operand<T> v)           \
    {                                                                               \
        return atomic_replace(p, [v](T old) { return atomic_ops::apply(old, v); }); \
    }                                                                               \
    PKC_ATOMIC_FORMS(op, apply)
#define PKC_ATOMIC_BY(op, apply, native)                                            \
    template <class T> PKC_INLINE T atomic_fetch_##op(T *p, operand<T> v)           \
    {                                                                               \
        PKC_ATOMIC_NATIVE(native);                                                  \
        return atomic_replace(p, [v](T old) { return atomic_ops::apply(old, v); }); \
    }                                                                               \
    PKC_ATOMIC_FORMS(op, apply)

PKC_ATOMIC_BY(add, add, __atomic_fetch_add)
PKC_ATOMIC_BY(sub, sub, __atomic_fetch_sub)
PKC_ATOMIC_BY(and, land, __atomic_fetch_and)
PKC_ATOMIC_BY(or, lor, __atomic_fetch_or)
PKC_ATOMIC_BY(xor, lxor, __atomic_fetch_xor)
PKC_ATOMIC(mul, mul)
PKC_ATOMIC(div, div)
PKC_ATOMIC(mod, mod)
PKC_ATOMIC(min, min)
PKC_ATOMIC(max, max)
PKC_ATOMIC(lshift, lshift)
PKC_ATOMIC(rshift, rshift)

#undef PKC_ATOMIC
#undef PKC_ATOMIC_BY
#undef PKC_ATOMIC_FORMS
#undef PKC_ATOMIC_NATIVE

template <class T> PKC_INLINE T atomic_load(const T *p)
{
#ifdef PKC_ATOMICS_BYPASS
    return *p;
#else
    T value;
    __atomic_load(p, &value, __ATOMIC_RELAXED);
    return value;
#endif
}

template <class T> PKC_INLINE void atomic_store(T *p, operand<T> v)
{
#ifdef PKC_ATOMICS_BYPASS
    *p = v;
#else
    __atomic_store(p, &v, __ATOMIC_RELAXED);
#endif
}

template <class T> PKC_INLINE T atomic_exchange(T *p, operand<T> v)
{
#ifdef PKC_ATOMICS_BYPASS
    const T old = *p;
    *p = v;
    return old;
#else
    T old;
    __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED);
    return old;
#endif
}

// Gives the old value; stores `desired` where that was `expected`.
template <class T>
PKC_INLINE T atomic_compare_exchange(T *p, operand<T> expected, operand<T> desired)
{
#ifdef PKC_ATOMICS_BYPASS
    const T old = *p;
    if (__builtin_memcmp(&old, &expected, sizeof old) == 0) {
        *p = desired;
    }
    return old;
#else
    __atomic_compare_exchange(p, &expected, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}

} // namespace pkc

#endif
