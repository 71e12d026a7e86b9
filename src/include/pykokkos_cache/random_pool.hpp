/*
 * Pools of random generators, as parameters of a generated C++ header's functions. Included by
 * those headers whose module has one.
 */
#ifndef PYKOKKOS_CACHE_RANDOM_POOL_HPP
#define PYKOKKOS_CACHE_RANDOM_POOL_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>

#include <pykokkos_cache/module.hpp>
#include <pykokkos_cache/random_pool.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace pkc
{

/* The states of Kokkos::Random_XorShift64_Pool of the same seed, for the host. Copies share them.
 */
class random_pool
{
  public:
    random_pool() = default; // no states: give it another's before a call

    /* One state a thread of the default host space; or so many. */
    explicit random_pool(const std::uint64_t seed)
        : random_pool(seed,
                      static_cast<std::size_t>(Kokkos::DefaultHostExecutionSpace().concurrency()))
    {
    }
    random_pool(const std::uint64_t seed, const std::size_t states)
        : states_(Kokkos::view_alloc("pkc::random_pool", Kokkos::WithoutInitializing), states)
    {
        pkc_pool_seed(states_.data(), states, seed);
    }

    const Kokkos::View<std::uint64_t *, Kokkos::HostSpace> &states() const
    {
        return states_;
    }

  private:
    Kokkos::View<std::uint64_t *, Kokkos::HostSpace> states_;
};

/* A parameter: our pool, or Kokkos', whose states are copied for the call and put back after it. */
class random_pool_argument
{
  public:
    random_pool_argument(const random_pool &pool) // NOLINT: meant to convert
        : data_(pool.states().data()), count_(static_cast<std::int64_t>(pool.states().extent(0)))
    {
    }

    template <class Device>
    random_pool_argument(const Kokkos::Random_XorShift64_Pool<Device> &pool) // NOLINT: the same
    {
        using space = typename Device::execution_space;
        using generator = typename Kokkos::Random_XorShift64_Pool<Device>::generator_type;
        static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                                 typename Device::memory_space>::accessible,
                      "the pool's states are not in memory that the host reaches");
        static_assert(std::is_standard_layout<generator>::value, "its first member is the state");
        copies_.resize(static_cast<std::size_t>(space().concurrency()));
        for (std::size_t i = 0; i < copies_.size(); ++i) {
            const generator g = pool.get_state(static_cast<int>(i));
            std::memcpy(&copies_[i], &g, sizeof copies_[i]);
        }
        data_ = copies_.data();
        count_ = static_cast<std::int64_t>(copies_.size());
        pool_ = &pool;
        put_back_ = [](const void *to, const std::vector<std::uint64_t> &states) {
            const auto &p = *static_cast<const Kokkos::Random_XorShift64_Pool<Device> *>(to);
            for (std::size_t i = 0; i < states.size(); ++i) {
                p.free_state(generator(states[i], static_cast<int>(i)));
            }
        };
    }

    random_pool_argument(const random_pool_argument &) = delete;
    random_pool_argument &operator=(const random_pool_argument &) = delete;

    ~random_pool_argument()
    {
        if (pool_ != nullptr) {
            put_back_(pool_, copies_);
        }
    }

    void copy_to(view<uint64, 1> &to) const
    {
        if (count_ == 0) {
            throw std::invalid_argument("a random pool without states: construct it with a seed");
        }
        static_assert(sizeof(uint64) == sizeof(std::uint64_t), "");
        to.data = reinterpret_cast<uint64 *>(data_);
        to.extent[0] = count_;
        to.stride[0] = 1;
    }

  private:
    std::uint64_t *data_;
    std::int64_t count_;
    std::vector<std::uint64_t> copies_;
    const void *pool_ = nullptr;
    void (*put_back_)(const void *, const std::vector<std::uint64_t> &) = nullptr;
};

inline void assign(view<uint64, 1> &to, const random_pool_argument &from)
{
    from.copy_to(to);
}

} // namespace pkc

#endif
