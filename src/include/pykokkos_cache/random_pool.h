/*
 * How a pool of random generators begins: as Kokkos::Random_XorShift64_Pool of the same seed and
 * number of states does. Plain C, for the C++ header of a module and the Python runtime.
 */
#ifndef PYKOKKOS_CACHE_RANDOM_POOL_H
#define PYKOKKOS_CACHE_RANDOM_POOL_H

#include <stddef.h>
#include <stdint.h>

/* A number of 31 bits. */
static inline uint64_t pkc_pool_draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * 2685821657736338717u >> 16 & 0xffffffffu) / 2;
}

/* Each state is made of 16 bits of four numbers that a generator of the seed gives. */
static inline void pkc_pool_seed(uint64_t *states, const size_t count, const uint64_t seed)
{
    uint64_t state = seed == 0 ? 1318319 : seed;
    for (int i = 0; i < 17; ++i) {
        pkc_pool_draw(&state);
    }
    for (size_t i = 0; i < count; ++i) {
        uint64_t next = 0;
        for (int part = 0; part < 64; part += 16) {
            next |= (pkc_pool_draw(&state) & 0xffff) << part;
        }
        states[i] = next == 0 ? 1318319 : next; /* 0 marks a state in use */
    }
}

#endif
