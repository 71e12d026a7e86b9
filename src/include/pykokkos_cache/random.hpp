// Random numbers: Kokkos' XorShift64 generator (xorshift64*, S. Vigna, "An experimental exploration
// of Marsaglia's xorshift generators, scrambled"), on states that the caller's pool holds. From one
// state the numbers are those of Kokkos::Random_XorShift64.
#ifndef PYKOKKOS_CACHE_RANDOM_HPP
#define PYKOKKOS_CACHE_RANDOM_HPP

#include <pykokkos_cache/view.hpp>

#ifdef _OPENMP
extern "C" int omp_get_thread_num();
#endif
extern "C" int sched_yield() noexcept;

namespace pkc
{

// A pool's state, taken for a chunk of the range and given back at its end. As in Kokkos each
// thread has its own where the pool has enough of them; 0, which no state ever is, marks one in
// use.
class random_generator
{
  public:
    explicit random_generator(const view<uint64, 1> &pool)
    {
        const int64 count = pool.extent[0];
        if (count <= 0) {
            return;
        }
        int64 at = 0;
#ifdef _OPENMP
        at = omp_get_thread_num() % count;
#endif
        // A pool that was never seeded holds zeros for ever: in the end its state is the one that
        // Kokkos has for the seed 0.
        for (int64 tries = 0; tries < (1 << 22); ++tries) {
            slot_ = &pool(at);
            const uint64 taken = __atomic_exchange_n(slot_, uint64{0}, __ATOMIC_ACQUIRE);
            if (taken != 0) {
                state_ = taken;
                return;
            }
            at = at + 1 < count ? at + 1 : 0;
            sched_yield();
        }
    }

    random_generator(const random_generator &) = delete;
    random_generator &operator=(const random_generator &) = delete;

    ~random_generator()
    {
        if (slot_) {
            __atomic_store_n(slot_, state_, __ATOMIC_RELEASE);
        }
    }

    PKC_INLINE random_generator *get_state()
    {
        return this;
    }

    // Whole numbers of 32 bits, of 64, and their non-negative halves: all of them, below `range`,
    // from `start` to below `end`. An empty range gives its start.
    PKC_INLINE int64 urand()
    {
        return static_cast<int64>(next() * multiplier >> 16 & 0xffffffffu);
    }
    PKC_INLINE int64 urand(int64 range)
    {
        const uint32 below = static_cast<uint32>(range);
        return below == 0 ? 0 : static_cast<int64>(remainder<uint32>(below, 0xffffffffu, [&] {
            return static_cast<uint32>(urand());
        }));
    }
    PKC_INLINE int64 urand(int64 start, int64 end)
    {
        const uint32 from = static_cast<uint32>(start);
        return static_cast<int64>(static_cast<uint32>(
            static_cast<uint32>(urand(static_cast<uint32>(end) - from)) + from));
    }

    PKC_INLINE uint64 urand64()
    {
        return next() * multiplier - 1;
    }
    PKC_INLINE uint64 urand64(uint64 range)
    {
        return range == 0 ? 0 : remainder<uint64>(range, ~uint64{0}, [&] { return urand64(); });
    }
    PKC_INLINE uint64 urand64(uint64 start, uint64 end)
    {
        return urand64(end - start) + start;
    }

    PKC_INLINE int64 rand()
    {
        return urand() / 2;
    }
    PKC_INLINE int64 rand(int64 range)
    {
        return range <= 0 || range > 0x7fffffff
                   ? 0
                   : remainder<int64>(range, 0x7fffffff, [&] { return rand(); });
    }
    PKC_INLINE int64 rand(int64 start, int64 end)
    {
        return rand(end - start) + start;
    }

    PKC_INLINE int64 rand64()
    {
        return static_cast<int64>(urand64() / 2);
    }
    PKC_INLINE int64 rand64(int64 range)
    {
        return range <= 0 ? 0
                          : remainder<int64>(range, 0x7fffffffffffffff, [&] { return rand64(); });
    }
    PKC_INLINE int64 rand64(int64 start, int64 end)
    {
        const uint64 range = static_cast<uint64>(end) - static_cast<uint64>(start);
        return static_cast<int64>(static_cast<uint64>(rand64(static_cast<int64>(range))) +
                                  static_cast<uint64>(start));
    }

    // From 0 to 1, to `range`, from `start` to `end`.
    PKC_INLINE float frand()
    {
        return static_cast<float>(urand64()) / 18446744073709551616.0f;
    }
    PKC_INLINE float frand(float range)
    {
        return range * static_cast<float>(urand64()) / 18446744073709551616.0f;
    }
    PKC_INLINE float frand(float start, float end)
    {
        return frand(end - start) + start;
    }
    PKC_INLINE double drand()
    {
        return static_cast<double>(urand64()) / 18446744073709551616.0;
    }
    PKC_INLINE double drand(double range)
    {
        return range * static_cast<double>(urand64()) / 18446744073709551616.0;
    }
    PKC_INLINE double drand(double start, double end)
    {
        return drand(end - start) + start;
    }

    // Normally distributed, by Box and Muller's polar-free form.
    double normal()
    {
        constexpr double two_pi = 6.283185307179586477;
        const double u = drand();
        const double v = drand();
        return __builtin_sqrt(-2.0 * __builtin_log(u)) * __builtin_cos(v * two_pi);
    }
    double normal(double mean, double deviation)
    {
        return mean + normal() * deviation;
    }

  private:
    static constexpr uint64 multiplier = 2685821657736338717u;

    PKC_INLINE uint64 next()
    {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_;
    }

    // Without the numbers at the end that would make small remainders likelier.
    template <class T, class Draw>
    PKC_INLINE static T remainder(T range, T largest, const Draw &draw)
    {
        const T limit = largest / range * range;
        T drawn = draw();
        while (drawn >= limit) {
            drawn = draw();
        }
        return drawn % range;
    }

    uint64 state_ = 1318319;
    uint64 *slot_ = nullptr;
};

// What pool.get_state() gives: a name for the chunk's generator.
using random_state = random_generator *;

} // namespace pkc

#endif
