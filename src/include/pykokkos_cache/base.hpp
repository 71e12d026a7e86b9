// The words that every kernel and every other header here uses. No standard header: those cost more
// to parse than a whole kernel does.
#ifndef PYKOKKOS_CACHE_BASE_HPP
#define PYKOKKOS_CACHE_BASE_HPP

#ifndef PKC_EXPORT
#define PKC_EXPORT __attribute__((visibility("default")))
#endif
#define PKC_INLINE inline __attribute__((always_inline))
// Rarely taken: kept out of the loop that it is called from.
#define PKC_COLD inline __attribute__((noinline, cold))
// After a lambda's parameters: the loop around it must see its body.
#define PKC_LAMBDA __attribute__((always_inline))

namespace pkc
{

// The same types as std::int64_t and so on.
using int8 = __INT8_TYPE__;
using int16 = __INT16_TYPE__;
using int32 = __INT32_TYPE__;
using int64 = __INT64_TYPE__;
using uint8 = __UINT8_TYPE__;
using uint16 = __UINT16_TYPE__;
using uint32 = __UINT32_TYPE__;
using uint64 = __UINT64_TYPE__;
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

// Keeps a zero from g++'s front end, which takes 0.0 - double(j) for -double(j): -0.0 for 0.
template <class T> PKC_INLINE T as_written(T zero)
{
    return zero;
}

} // namespace pkc

#endif
