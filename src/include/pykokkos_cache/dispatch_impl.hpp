/*
 * The Kokkos side of dispatch.h: what a generated dispatch TU is made of. Such a TU defines
 *
 *     PKC_DISPATCH_SPACE   the execution space, as Kokkos names it
 *     PKC_DISPATCH_SYMBOL  the function that gives the table
 *
 * and includes this file once. All else here has internal linkage, so that any number of libraries
 * built by any versions of this file live in one program.
 */
#ifndef PYKOKKOS_CACHE_DISPATCH_IMPL_HPP
#define PYKOKKOS_CACHE_DISPATCH_IMPL_HPP

#include <Kokkos_Core.hpp>

#include <pykokkos_cache/dispatch.h>
#include <pykokkos_cache/dispatch_reducers.hpp>
#include <pykokkos_cache/dispatch_split.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#if !defined(PKC_DISPATCH_SPACE) || !defined(PKC_DISPATCH_SYMBOL)
#error \
    "dispatch_impl.hpp is for generated dispatch files: define PKC_DISPATCH_SPACE and PKC_DISPATCH_SYMBOL"
#endif

namespace
{
namespace pkc_dispatch_impl
{

using space_type = PKC_DISPATCH_SPACE;

static_assert(Kokkos::SpaceAccessibility<space_type, Kokkos::HostSpace>::accessible,
              "PyKokkosCache: this execution space does not run on the host; choose a host space "
              "with EXECUTION_SPACE");

/* ---- the space ------------------------------------------------------------------------------- */

/* Kokkos 4's static function tells the truth about partitioned instances where it exists; its
 * member of the same name gives the whole pool. Kokkos 3 has one without an argument. */
template <class Space>
auto concurrency_of(const Space &space, int) -> decltype(Space::concurrency(space))
{
    return Space::concurrency(space);
}

template <class Space> int concurrency_of(const Space &space, long)
{
    return space.concurrency();
}

space_type instance(const void *space)
{
    return space != nullptr ? *static_cast<const space_type *>(space) : space_type();
}

int workers(const space_type &space)
{
    const int count = concurrency_of(space, 0);
    return count > 0 ? count : 1;
}

template <class Schedule> auto policy_of(const space_type &space, const uint64_t count)
{
    using policy_type =
        Kokkos::RangePolicy<space_type, Kokkos::Schedule<Schedule>, Kokkos::IndexType<int64_t>>;
    policy_type policy(space, int64_t{0}, static_cast<int64_t>(count));
    policy.set_chunk_size(1);
    return policy;
}

/* ---- errors ---------------------------------------------------------------------------------- */

int fail(char *error, const size_t error_size, const char *text)
{
    if (error != nullptr && error_size > 0) {
        std::snprintf(error, error_size, "%s", text);
    }
    return 1;
}

/* Runs `work`, which throws where it cannot go on; nothing leaves as an exception. */
template <class Work> int guarded(char *error, const size_t error_size, const Work &work)
{
    try {
        if (!Kokkos::is_initialized()) {
            return fail(error, error_size, "Kokkos is not initialized");
        }
        work();
        return 0;
    } catch (const std::exception &e) {
        return fail(error, error_size, e.what());
    } catch (...) {
        return fail(error, error_size, "an unknown exception inside Kokkos");
    }
}

/* ---- accumulators ---------------------------------------------------------------------------- */

/* One accumulator of any type, as Kokkos moves it. No stricter alignment than every Kokkos' scratch
 * memory has. */
struct accumulator {
    alignas(8) unsigned char bytes[PKC_ACC_MAX_SIZE];
};

/* What Kokkos asks of a functor that reduces with its own operations. */
struct reducing {
    using value_type = accumulator;

    const pkc_reducer *reducer;

    void init(accumulator &value) const
    {
        reducer->init(value.bytes);
    }
    void join(accumulator &value, const accumulator &other) const
    {
        reducer->join(value.bytes, other.bytes);
    }
#if KOKKOS_VERSION < 40000
    void join(volatile accumulator &value, const volatile accumulator &other) const
    {
        join(const_cast<accumulator &>(value), const_cast<const accumulator &>(other));
    }
#endif
};

/* The lanes that a reduce kernel works on. */
class lanes
{
  public:
    explicit lanes(const pkc_reducer *reducer) : reducer_(reducer)
    {
        for (size_t lane = 0; lane < PKC_LANES; ++lane) {
            reducer_->init(bytes_ + lane * reducer_->size);
        }
    }
    void *data()
    {
        return bytes_;
    }
    void join_into(accumulator &value) const
    {
        for (size_t lane = 0; lane < PKC_LANES; ++lane) {
            reducer_->join(value.bytes, bytes_ + lane * reducer_->size);
        }
    }

  private:
    const pkc_reducer *reducer_;
    alignas(16) unsigned char bytes_[PKC_LANES * PKC_ACC_MAX_SIZE];
};

void check_reducer(const pkc_reducer *reducer)
{
    if (reducer == nullptr) {
        throw std::invalid_argument("no such reducer for this accumulator");
    }
    if (reducer->size > PKC_ACC_MAX_SIZE) {
        throw std::length_error("the accumulator is too large");
    }
}

/* ---- range ----------------------------------------------------------------------------------- */

struct range_for_work {
    split parts;
    pkc_range_for *kernel;
    const void *args;

    void operator()(const int64_t chunk) const
    {
        const extent e = parts.at(static_cast<uint64_t>(chunk));
        if (e.begin < e.end) {
            kernel(args, e.begin, e.end);
        }
    }
};

struct range_reduce_work : reducing {
    split parts;
    pkc_range_reduce *kernel;
    const void *args;

    void operator()(const int64_t chunk, accumulator &value) const
    {
        const extent e = parts.at(static_cast<uint64_t>(chunk));
        if (e.begin < e.end) {
            lanes acc(reducer);
            kernel(args, e.begin, e.end, acc.data());
            acc.join_into(value);
        }
    }
};

struct range_scan_work : reducing {
    split parts;
    pkc_range_scan *kernel;
    const void *args;

    void operator()(const int64_t chunk, accumulator &value, const bool final_pass) const
    {
        const extent e = parts.at(static_cast<uint64_t>(chunk));
        if (e.begin < e.end) {
            kernel(args, e.begin, e.end, value.bytes, final_pass ? 1 : 0);
        }
    }
};

split split_of(const pkc_range &range, const int threads)
{
    if (range.schedule == PKC_SCHEDULE_DYNAMIC) {
        return split::in_chunks(range.begin, range.end, range.chunk_size, threads);
    }
    return split::evenly(range.begin, range.end, static_cast<uint64_t>(threads));
}

int range_for(const pkc_range *range, pkc_range_for *kernel, const void *args, char *error,
              const size_t error_size)
{
    return guarded(error, error_size, [&] {
        const space_type space = instance(range->space);
        const split parts = split_of(*range, workers(space));
        const range_for_work work{parts, kernel, args};
        if (range->schedule == PKC_SCHEDULE_DYNAMIC) {
            Kokkos::parallel_for(range->label, policy_of<Kokkos::Dynamic>(space, parts.count()),
                                 work);
        } else {
            Kokkos::parallel_for(range->label, policy_of<Kokkos::Static>(space, parts.count()),
                                 work);
        }
        space.fence();
    });
}

int range_reduce(const pkc_range *range, pkc_range_reduce *kernel, const void *args,
                 const pkc_reducer *reducer, void *result, char *error, const size_t error_size)
{
    return guarded(error, error_size, [&] {
        check_reducer(reducer);
        const space_type space = instance(range->space);
        const split parts = split_of(*range, workers(space));
        const range_reduce_work work{{reducer}, parts, kernel, args};
        accumulator total;
        work.init(total);
        if (range->schedule == PKC_SCHEDULE_DYNAMIC) {
            Kokkos::parallel_reduce(range->label, policy_of<Kokkos::Dynamic>(space, parts.count()),
                                    work, total);
        } else {
            Kokkos::parallel_reduce(range->label, policy_of<Kokkos::Static>(space, parts.count()),
                                    work, total);
        }
        space.fence();
        std::memcpy(result, total.bytes, reducer->size);
    });
}

/* Kokkos scans with a static schedule, whatever the policy says. */
int range_scan(const pkc_range *range, pkc_range_scan *kernel, const void *args,
               const pkc_reducer *reducer, void *result, char *error, const size_t error_size)
{
    return guarded(error, error_size, [&] {
        check_reducer(reducer);
        const space_type space = instance(range->space);
        const split parts =
            split::evenly(range->begin, range->end, static_cast<uint64_t>(workers(space)));
        const range_scan_work work{{reducer}, parts, kernel, args};
        accumulator total;
        work.init(total);
        Kokkos::parallel_scan(range->label, policy_of<Kokkos::Static>(space, parts.count()), work,
                              total);
        space.fence();
        std::memcpy(result, total.bytes, reducer->size);
    });
}

/* ---- multi-dimensional range ----------------------------------------------------------------- */

/* One worker a thread; worker w takes boxes w, w + workers, … */
struct md_for_work {
    boxes tiles;
    uint64_t stride;
    pkc_md_for *kernel;
    const void *args;

    void operator()(const int64_t worker) const
    {
        box b;
        for (uint64_t t = static_cast<uint64_t>(worker); t < tiles.count(); t += stride) {
            tiles.at(t, b);
            kernel(args, b.begin, b.end);
        }
    }
};

struct md_reduce_work : reducing {
    boxes tiles;
    uint64_t stride;
    pkc_md_reduce *kernel;
    const void *args;

    void operator()(const int64_t worker, accumulator &value) const
    {
        lanes acc(reducer);
        box b;
        for (uint64_t t = static_cast<uint64_t>(worker); t < tiles.count(); t += stride) {
            tiles.at(t, b);
            kernel(args, b.begin, b.end, acc.data());
        }
        acc.join_into(value);
    }
};

int md_for(const pkc_mdrange *range, pkc_md_for *kernel, const void *args, char *error,
           const size_t error_size)
{
    return guarded(error, error_size, [&] {
        const space_type space = instance(range->space);
        const uint64_t threads = static_cast<uint64_t>(workers(space));
        const md_for_work work{boxes(*range, threads), threads, kernel, args};
        Kokkos::parallel_for(range->label, policy_of<Kokkos::Static>(space, threads), work);
        space.fence();
    });
}

int md_reduce(const pkc_mdrange *range, pkc_md_reduce *kernel, const void *args,
              const pkc_reducer *reducer, void *result, char *error, const size_t error_size)
{
    return guarded(error, error_size, [&] {
        check_reducer(reducer);
        const space_type space = instance(range->space);
        const uint64_t threads = static_cast<uint64_t>(workers(space));
        const md_reduce_work work{{reducer}, boxes(*range, threads), threads, kernel, args};
        accumulator total;
        work.init(total);
        Kokkos::parallel_reduce(range->label, policy_of<Kokkos::Static>(space, threads), work,
                                total);
        space.fence();
        std::memcpy(result, total.bytes, reducer->size);
    });
}

} // namespace pkc_dispatch_impl
} // namespace

#include <pykokkos_cache/dispatch_team.hpp>

namespace
{
namespace pkc_dispatch_impl
{

/* ---- life of Kokkos -------------------------------------------------------------------------- */

int is_initialized()
{
    return Kokkos::is_initialized() ? 1 : 0;
}

void finalize()
{
    if (Kokkos::is_initialized()) {
        Kokkos::finalize();
    }
}

/* Whoever initializes here has no scope to finalize in (an interpreter's module): it is done at the
 * program's exit, unless somebody did before. */
int initialize(char *error, const size_t error_size)
{
    try {
        if (Kokkos::is_initialized()) {
            return 0;
        }
#if KOKKOS_VERSION >= 40000
        if (Kokkos::is_finalized()) {
            return fail(error, error_size, "Kokkos was finalized and cannot start again");
        }
#endif
#if KOKKOS_VERSION >= 30700
        Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
        Kokkos::InitArguments settings;
        settings.disable_warnings = true;
        Kokkos::initialize(settings);
#endif
        if (std::atexit(finalize) != 0) {
            return fail(error, error_size, "cannot register Kokkos' end at exit");
        }
        return 0;
    } catch (const std::exception &e) {
        return fail(error, error_size, e.what());
    } catch (...) {
        return fail(error, error_size, "an unknown exception inside Kokkos::initialize");
    }
}

int concurrency(const void *space)
{
    return Kokkos::is_initialized() ? workers(instance(space)) : 0;
}

const pkc_reducer *find_reducer(const char *name, const char *dtype)
{
    return reducers::find(name, dtype);
}

} // namespace pkc_dispatch_impl
} // namespace

/* Weak: the same object may reach one program by two ways. */
extern "C" {
__attribute__((visibility("default"), weak)) const struct pkc_dispatch *PKC_DISPATCH_SYMBOL(void);
}

extern "C" const struct pkc_dispatch *PKC_DISPATCH_SYMBOL(void)
{
    namespace impl = pkc_dispatch_impl;
    static const struct pkc_dispatch table = {
        PKC_DISPATCH_VERSION,
        impl::space_type::name(),
        impl::is_initialized,
        impl::initialize,
        impl::finalize,
        impl::concurrency,
        impl::range_for,
        impl::range_reduce,
        impl::range_scan,
        impl::md_for,
        impl::md_reduce,
        impl::team_for,
        impl::team_reduce,
        impl::find_reducer,
/* Kokkos locks an instance while it runs a kernel since 4.4, unless built without threads. */
#if KOKKOS_VERSION >= 40400 && !defined(KOKKOS_ENABLE_ATOMICS_BYPASS)
        1,
#else
        0,
#endif
    };
    return &table;
}

#endif
