// What a translated @pk.main is made of: launches of workunits, and the clock.
#ifndef PYKOKKOS_CACHE_HOST_HPP
#define PYKOKKOS_CACHE_HOST_HPP

#include <pykokkos_cache/base.hpp>
#include <pykokkos_cache/dispatch.h>

#include <time.h>

namespace pkc
{

// pk.Timer: what seconds() is counted from.
inline double host_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// How a host function calls kernels. Each call is false where the error is set, which the function
// returns with.
struct host {
    const pkc_dispatch *dispatch;
    char *error;
    __SIZE_TYPE__ error_size;

    bool run(const pkc_range &policy, pkc_range_for *kernel, const void *args) const
    {
        return dispatch->range_for(&policy, kernel, args, error, error_size) == 0;
    }

    bool run(const pkc_mdrange &policy, pkc_md_for *kernel, const void *args) const
    {
        return dispatch->md_for(&policy, kernel, args, error, error_size) == 0;
    }

    template <class T>
    bool reduce(const pkc_range &policy, pkc_range_reduce *kernel, const void *args,
                const char *dtype, T &result) const
    {
        return dispatch->range_reduce(&policy, kernel, args, dispatch->reducer("Sum", dtype),
                                      &result, error, error_size) == 0;
    }

    template <class T>
    bool reduce(const pkc_mdrange &policy, pkc_md_reduce *kernel, const void *args,
                const char *dtype, T &result) const
    {
        return dispatch->md_reduce(&policy, kernel, args, dispatch->reducer("Sum", dtype), &result,
                                   error, error_size) == 0;
    }

    bool run(const pkc_team &policy, pkc_team_for *kernel, const void *args) const
    {
        return dispatch->team_for(&policy, kernel, args, error, error_size) == 0;
    }

    template <class T>
    bool reduce(const pkc_team &policy, pkc_team_reduce *kernel, const void *args,
                const char *dtype, T &result) const
    {
        return dispatch->team_reduce(&policy, kernel, args, dispatch->reducer("Sum", dtype),
                                     &result, error, error_size) == 0;
    }

    template <class T>
    bool scan(const pkc_range &policy, pkc_range_scan *kernel, const void *args, const char *dtype,
              T &result) const
    {
        return dispatch->range_scan(&policy, kernel, args, dispatch->reducer("Sum", dtype), &result,
                                    error, error_size) == 0;
    }
};

inline pkc_range host_range(const char *label, int64 begin, int64 end)
{
    return pkc_range{nullptr, label, begin, end, 0, PKC_SCHEDULE_STATIC};
}

template <int Rank>
pkc_mdrange host_mdrange(const char *label, int left_to_right, const int64 (&begin)[Rank],
                         const int64 (&end)[Rank], const int64 (&tile)[Rank])
{
    pkc_mdrange range{};
    range.label = label;
    range.rank = Rank;
    range.left_to_right = left_to_right;
    for (int d = 0; d < Rank; ++d) {
        range.begin[d] = begin[d];
        range.end[d] = end[d];
        range.tile[d] = tile[d] > 0 ? tile[d] : 0;
    }
    return range;
}

inline pkc_team host_team(const char *label, pkc_team_plan *plan, int64 league_size,
                          int64 team_size, int64 vector_length)
{
    pkc_team team{};
    team.label = label;
    team.plan = plan;
    team.league_size = league_size;
    team.team_size = static_cast<int>(team_size);
    team.vector_length = static_cast<int>(vector_length);
    return team;
}

} // namespace pkc

#endif
