/*
 * Teams: a part of dispatch_impl.hpp. With one thread a team, each thread takes a share of the
 * league in one call of the kernel; with more, Kokkos' own teams call it for each league rank.
 */
#ifndef PYKOKKOS_CACHE_DISPATCH_TEAM_HPP
#define PYKOKKOS_CACHE_DISPATCH_TEAM_HPP

#include <pykokkos_cache/scratch.hpp>

#include <atomic>
#include <climits>

namespace
{
namespace pkc_dispatch_impl
{

static_assert(sizeof(pkc_team_handle) == sizeof(pkc::team) &&
                  offsetof(pkc_team_handle, exchange) == offsetof(pkc::team, exchange) &&
                  offsetof(pkc_team_handle, scratch) == offsetof(pkc::team, scratch) &&
                  sizeof(pkc_team_needs) == sizeof(pkc::team_needs) &&
                  PKC_SCRATCH_PADDING == pkc::scratch_padding,
              "team.hpp and dispatch.h describe the same handle");

/* ---- scratch memory -------------------------------------------------------------------------- */

std::string scratch_kind(const int kind)
{
    return std::string(kind < PKC_SCRATCH_THREAD_0 ? "a team" : "a thread") + " at level " +
           std::to_string(kind % 2);
}

std::string scratch_hint(const int kind, const int64_t bytes)
{
    return std::string("; give the policy set_scratch_size(") + std::to_string(kind % 2) +
           (kind < PKC_SCRATCH_THREAD_0 ? ", PerTeam(" : ", PerThread(") + std::to_string(bytes) +
           "))";
}

/* What a launch's threads lacked: the most that one of them wanted of each kind. */
class scratch_shortage
{
  public:
    /* bytes -1: an extent is negative. */
    void note(const int kind, const int64_t bytes)
    {
        int64_t most = most_[kind].load();
        while ((bytes > most || bytes < 0) && most >= 0 &&
               !most_[kind].compare_exchange_weak(most, bytes)) {
        }
    }
    void check(const int64_t *size) const
    {
        for (int kind = 0; kind < PKC_SCRATCH_KINDS; ++kind) {
            const int64_t most = most_[kind].load();
            if (most < 0) {
                throw std::length_error("a scratch view with a negative extent");
            }
            if (most > 0) {
                /* Many small views of different types waste memory between them. */
                const int64_t needed = most > size[kind] ? most : most + PKC_SCRATCH_PADDING;
                throw std::length_error("too little scratch memory: the kernel takes " +
                                        std::to_string(needed) + " bytes " + scratch_kind(kind) +
                                        ", there are " + std::to_string(size[kind]) +
                                        " (arrays that the kernel writes may hold anything now)" +
                                        scratch_hint(kind, needed));
            }
        }
    }

  private:
    std::atomic<int64_t> most_[PKC_SCRATCH_KINDS] = {};
};

/* Where the pieces of scratch memory are in a block. Each is on its own cache lines. */
class scratch_layout
{
  public:
    static constexpr size_t line = 64;

    scratch_layout(const int64_t *size, const int64_t team_size) : size_(size)
    {
        for (int kind = 0; kind < PKC_SCRATCH_KINDS; ++kind) {
            const int64_t count = kind < PKC_SCRATCH_THREAD_0 ? 1 : team_size;
            begin_[kind] = bytes_;
            if (size[kind] < 0 || size[kind] > INT64_MAX / 16 / count) {
                throw std::bad_alloc();
            }
            if (size[kind] > 0) {
                each_[kind] = (static_cast<size_t>(size[kind]) + PKC_SCRATCH_PADDING + line - 1) /
                              line * line;
                bytes_ += each_[kind] * static_cast<size_t>(count);
            }
        }
    }
    size_t bytes() const
    {
        return bytes_;
    }
    void give(pkc_team_handle &handle, unsigned char *block) const
    {
        for (int kind = 0; kind < PKC_SCRATCH_KINDS; ++kind) {
            const size_t rank = kind < PKC_SCRATCH_THREAD_0 ? 0 : static_cast<size_t>(handle.rank);
            handle.scratch[kind] = {size_[kind] > 0 ? block + begin_[kind] + rank * each_[kind]
                                                    : nullptr,
                                    size_[kind], 0, 0};
        }
    }

  private:
    const int64_t *size_;
    size_t begin_[PKC_SCRATCH_KINDS] = {}, each_[PKC_SCRATCH_KINDS] = {};
    size_t bytes_ = 0;
};

/* A block for each thread of the space. */
class scratch_blocks
{
  public:
    scratch_blocks(const size_t bytes, const uint64_t threads) : stride_(bytes)
    {
        if (bytes > 0) {
            if (bytes > SIZE_MAX / threads) {
                throw std::bad_alloc();
            }
            data_ = static_cast<unsigned char *>(
                ::operator new (bytes *threads, std::align_val_t{scratch_layout::line}));
        }
    }
    ~scratch_blocks()
    {
        if (data_ != nullptr) {
            ::operator delete (data_, std::align_val_t{scratch_layout::line});
        }
    }
    scratch_blocks(const scratch_blocks &) = delete;
    scratch_blocks &operator=(const scratch_blocks &) = delete;

    unsigned char *of(const size_t worker) const
    {
        return data_ == nullptr ? nullptr : data_ + worker * stride_;
    }

  private:
    unsigned char *data_ = nullptr;
    size_t stride_ = 0;
};

/* ---- a thread's handle ----------------------------------------------------------------------- */

/* What all threads of a launch share. */
struct team_launch {
    const scratch_layout *layout;
    scratch_shortage *shortage;
    int64_t league_size, team_size;
    const void *args;
};

/* The handle, and memory for what does not fit the scratch memory: the kernel goes on, its results
 * are worth nothing, and the launch fails when it ends. */
class thread_handle
{
  public:
    thread_handle(const team_launch &launch, const int64_t rank, unsigned char *scratch)
        : shortage_(launch.shortage)
    {
        handle_.league_size = launch.league_size;
        handle_.rank = rank;
        handle_.size = launch.team_size;
        handle_.shortage = take_more;
        handle_.owner = this;
        launch.layout->give(handle_, scratch);
    }
    ~thread_handle()
    {
        while (more_ != nullptr) {
            extra *const next = more_->next;
            std::free(more_);
            more_ = next;
        }
    }
    thread_handle(const thread_handle &) = delete;
    thread_handle &operator=(const thread_handle &) = delete;

    template <class Member> void set_member(const Member &member, unsigned char *exchange)
    {
        member_ = &member;
        handle_.exchange = exchange;
        handle_.barrier = [](pkc_team_handle *handle) {
            static_cast<const Member *>(static_cast<thread_handle *>(handle->owner)->member_)
                ->team_barrier();
        };
    }
    void *data()
    {
        return &handle_;
    }

  private:
    struct extra {
        extra *next;
        alignas(16) unsigned char bytes[1];
    };

    static unsigned char *take_more(pkc_team_handle *handle, const int kind, const int64_t bytes)
    {
        thread_handle &self = *static_cast<thread_handle *>(handle->owner);
        pkc_scratch &piece = handle->scratch[kind];
        if (bytes > 0 && bytes < INT64_MAX - piece.wanted) {
            piece.wanted += bytes;
        }
        self.shortage_->note(kind, bytes < 0 ? -1 : piece.wanted);
        const size_t size = sizeof(extra) + (bytes < 4096 ? 4096 : static_cast<size_t>(bytes));
        extra *const more =
            bytes < INT64_MAX / 2 ? static_cast<extra *>(std::calloc(1, size)) : nullptr;
        if (more == nullptr) {
            Kokkos::abort("PyKokkosCache: a scratch view larger than all memory");
        }
        more->next = self.more_;
        self.more_ = more;
        return more->bytes;
    }

    pkc_team_handle handle_{};
    scratch_shortage *shortage_;
    const void *member_ = nullptr;
    extra *more_ = nullptr;
};

/* ---- one thread a team ----------------------------------------------------------------------- */

struct single_for_work {
    split parts;
    const team_launch *launch;
    const scratch_blocks *blocks;
    pkc_team_for *kernel;

    void operator()(const int64_t worker) const
    {
        const extent e = parts.at(static_cast<uint64_t>(worker));
        if (e.begin < e.end) {
            thread_handle handle(*launch, 0, blocks->of(static_cast<size_t>(worker)));
            kernel(launch->args, e.begin, e.end, handle.data());
        }
    }
};

struct single_reduce_work : reducing {
    split parts;
    const team_launch *launch;
    const scratch_blocks *blocks;
    pkc_team_reduce *kernel;

    void operator()(const int64_t worker, accumulator &value) const
    {
        const extent e = parts.at(static_cast<uint64_t>(worker));
        if (e.begin < e.end) {
            thread_handle handle(*launch, 0, blocks->of(static_cast<size_t>(worker)));
            lanes acc(reducer);
            kernel(launch->args, e.begin, e.end, handle.data(), acc.data());
            acc.join_into(value);
        }
    }
};

/* ---- more threads ---------------------------------------------------------------------------- */

using kokkos_teams = Kokkos::TeamPolicy<space_type>;
using team_member = typename kokkos_teams::member_type;

/* The team's memory: the lines of the exchange, then scratch memory. */
struct team_memory {
    static size_t exchange_bytes(const int64_t team_size)
    {
        return 2 * PKC_EXCHANGE_LINE * static_cast<size_t>(team_size);
    }
    static unsigned char *of(const team_member &member, const size_t bytes)
    {
        void *const given =
            member.team_scratch(0).get_shmem(static_cast<int>(bytes + scratch_layout::line));
        const uintptr_t at = reinterpret_cast<uintptr_t>(given);
        return static_cast<unsigned char *>(given) +
               (scratch_layout::line - at % scratch_layout::line) % scratch_layout::line;
    }
};

template <class Run> void with_handle(const team_launch &launch, const team_member &member, Run run)
{
    const size_t exchange = team_memory::exchange_bytes(launch.team_size);
    unsigned char *const memory = team_memory::of(member, exchange + launch.layout->bytes());
    thread_handle handle(launch, member.team_rank(), memory + exchange);
    handle.set_member(member, memory);
    run(static_cast<int64_t>(member.league_rank()), handle.data());
}

struct teams_for_work {
    const team_launch *launch;
    pkc_team_for *kernel;

    void operator()(const team_member &member) const
    {
        with_handle(*launch, member, [this](const int64_t rank, void *handle) {
            kernel(launch->args, rank, rank + 1, handle);
        });
    }
};

struct teams_reduce_work : reducing {
    const team_launch *launch;
    pkc_team_reduce *kernel;

    void operator()(const team_member &member, accumulator &value) const
    {
        with_handle(*launch, member, [&](const int64_t rank, void *handle) {
            lanes acc(reducer);
            kernel(launch->args, rank, rank + 1, handle, acc.data());
            acc.join_into(value);
        });
    }
};

/* ---- launching ------------------------------------------------------------------------------- */

/* What a launch comes to, checked. */
class team_plan
{
  public:
    team_plan(const pkc_team &team, const space_type &space, const void *args)
    {
        pkc_team_needs needs{};
        needs.team_size = team.team_size > 1 ? team.team_size : 1;
        if (team.plan != nullptr) {
            team.plan(args, &needs);
        }
        team_size_ = needs.team_size;
        check_team_size(space, needs);
        if (team_size_ > 1 && (team.league_size > INT_MAX)) {
            throw std::invalid_argument("a league of " + std::to_string(team.league_size) +
                                        " teams of more than one thread: at most " +
                                        std::to_string(INT_MAX));
        }
        for (int kind = 0; kind < PKC_SCRATCH_KINDS; ++kind) {
            const int64_t given = kind < PKC_SCRATCH_THREAD_0
                                      ? team.scratch_bytes_team[kind]
                                      : team.scratch_bytes_thread[kind - PKC_SCRATCH_THREAD_0];
            const int64_t declared = needs.declared[kind];
            if (declared < 0) {
                throw std::length_error("the workunit's scratch=[…] asks for a negative size, or "
                                        "one beyond all memory");
            }
            if (__builtin_add_overflow(given, declared, &size_[kind])) {
                throw std::bad_alloc();
            }
            if (needs.used[kind] > size_[kind] && team.league_size > 0) {
                throw std::length_error("too little scratch memory: the kernel takes " +
                                        std::to_string(needs.used[kind]) + " bytes " +
                                        scratch_kind(kind) + ", there are " +
                                        std::to_string(size_[kind]) +
                                        scratch_hint(kind, needs.used[kind] - declared));
            }
        }
    }
    int64_t team_size() const
    {
        return team_size_;
    }
    const int64_t *size() const
    {
        return size_;
    }

  private:
    void check_team_size(const space_type &space, const pkc_team_needs &needs) const
    {
        if (team_size_ == 1) {
            return;
        }
        const std::string what = "a team size of " + std::to_string(team_size_);
        if (needs.one_thread != nullptr) {
            throw std::invalid_argument(
                what + " is not possible for this kernel, use AUTO or 1: " + needs.one_thread);
        }
        /* Kokkos would abort the program. */
        const int most =
            kokkos_teams(space, 1, 1)
                .team_size_max(teams_for_work{nullptr, nullptr}, Kokkos::ParallelForTag());
        if (team_size_ > most) {
            throw std::invalid_argument(what + " is too large for " + space_type::name() +
                                        ", which has at most " + std::to_string(most) +
                                        ": use AUTO or " +
                                        (most > 1 ? "1 to " + std::to_string(most) : "1"));
        }
    }

    int64_t team_size_;
    int64_t size_[PKC_SCRATCH_KINDS] = {};
};

kokkos_teams teams_policy(const space_type &space, const team_launch &launch)
{
    kokkos_teams policy(space, static_cast<int>(launch.league_size),
                        static_cast<int>(launch.team_size));
    const size_t bytes = team_memory::exchange_bytes(launch.team_size) + launch.layout->bytes() +
                         scratch_layout::line;
    if (bytes > INT_MAX / 2) {
        throw std::length_error("a team's scratch memory is larger than Kokkos can count");
    }
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
    return policy;
}

int team_for(const pkc_team *team, pkc_team_for *kernel, const void *args, char *error,
             const size_t error_size)
{
    return guarded(error, error_size, [&] {
        const space_type space = instance(team->space);
        const team_plan plan(*team, space, args);
        const scratch_layout layout(plan.size(), plan.team_size());
        scratch_shortage shortage;
        const team_launch launch{&layout, &shortage, team->league_size, plan.team_size(), args};
        if (plan.team_size() > 1) {
            Kokkos::parallel_for(team->label, teams_policy(space, launch),
                                 teams_for_work{&launch, kernel});
            space.fence();
        } else {
            const uint64_t threads = static_cast<uint64_t>(workers(space));
            const scratch_blocks blocks(layout.bytes(), threads);
            Kokkos::parallel_for(team->label, policy_of<Kokkos::Static>(space, threads),
                                 single_for_work{split::evenly(0, team->league_size, threads),
                                                 &launch, &blocks, kernel});
            space.fence();
        }
        shortage.check(plan.size());
    });
}

int team_reduce(const pkc_team *team, pkc_team_reduce *kernel, const void *args,
                const pkc_reducer *reducer, void *result, char *error, const size_t error_size)
{
    return guarded(error, error_size, [&] {
        check_reducer(reducer);
        const space_type space = instance(team->space);
        const team_plan plan(*team, space, args);
        const scratch_layout layout(plan.size(), plan.team_size());
        scratch_shortage shortage;
        const team_launch launch{&layout, &shortage, team->league_size, plan.team_size(), args};
        accumulator total;
        reducer->init(total.bytes);
        if (plan.team_size() > 1) {
            const teams_reduce_work work{{reducer}, &launch, kernel};
            Kokkos::parallel_reduce(team->label, teams_policy(space, launch), work, total);
            space.fence();
        } else {
            const uint64_t threads = static_cast<uint64_t>(workers(space));
            const scratch_blocks blocks(layout.bytes(), threads);
            const single_reduce_work work{
                {reducer}, split::evenly(0, team->league_size, threads), &launch, &blocks, kernel};
            Kokkos::parallel_reduce(team->label, policy_of<Kokkos::Static>(space, threads), work,
                                    total);
            space.fence();
        }
        shortage.check(plan.size());
        std::memcpy(result, total.bytes, reducer->size);
    });
}

} // namespace pkc_dispatch_impl
} // namespace

#endif
