// Atomic sums of complex numbers: each part by itself, which is all that a sum needs.
#ifndef PYKOKKOS_CACHE_ATOMIC_COMPLEX_HPP
#define PYKOKKOS_CACHE_ATOMIC_COMPLEX_HPP

#include <pykokkos_cache/atomic.hpp>
#include <pykokkos_cache/complex.hpp>

namespace pkc
{

template <class T> PKC_INLINE void atomic_add(complex<T> *p, complex<T> v)
{
    atomic_add(&p->re, v.re);
    atomic_add(&p->im, v.im);
}

template <class T> PKC_INLINE void atomic_sub(complex<T> *p, complex<T> v)
{
    atomic_sub(&p->re, v.re);
    atomic_sub(&p->im, v.im);
}

} // namespace pkc

#endif
