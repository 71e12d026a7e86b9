/*
 * Kokkos' policies, and shorter ways to write them, as parameters of a generated C++ header's
 * functions. They live for one call: a policy's execution space instance is pointed to, not copied.
 */
#ifndef PYKOKKOS_CACHE_POLICY_HPP
#define PYKOKKOS_CACHE_POLICY_HPP

#include <Kokkos_Core.hpp>

#include <pykokkos_cache/dispatch.h>

#include <cstdint>
#include <type_traits>

namespace pkc
{

namespace detail
{

template <class Space, class Policy> constexpr void same_space()
{
    static_assert(std::is_same<typename Policy::execution_space, Space>::value,
                  "this policy's execution space is not the one that the kernels were built for "
                  "(EXECUTION_SPACE of their target)");
}

template <class... T>
using integers = std::enable_if_t<(... && (std::is_integral<T>::value || std::is_enum<T>::value))>;

/* Whether the user left the choice of the tile to Kokkos. */
template <class Policy>
auto tile_chosen(const Policy &policy, int) -> decltype(policy.impl_tune_tile_size())
{
    return policy.impl_tune_tile_size();
}
template <class Policy> bool tile_chosen(const Policy &, long)
{
    return false;
}

/* Serial policies do not tell a team's scratch memory from its thread's. */
template <class Space> constexpr bool is_serial()
{
#ifdef KOKKOS_ENABLE_SERIAL
    return std::is_same<Space, Kokkos::Serial>::value;
#else
    return false;
#endif
}

} // namespace detail

/* n, {begin, end}, or a Kokkos::RangePolicy with any properties. */
template <class Space> class range_policy
{
  public:
    template <class N, class = detail::integers<N>>
    range_policy(const N count) : range_policy(0, count) // NOLINT: meant to convert
    {
    }

    template <class B, class E, class = detail::integers<B, E>>
    range_policy(const B begin, const E end)
        : range_{nullptr,
                 nullptr,
                 static_cast<std::int64_t>(begin),
                 static_cast<std::int64_t>(end),
                 0,
                 PKC_SCHEDULE_STATIC}
    {
    }

    template <class... Properties>
    range_policy(const Kokkos::RangePolicy<Properties...> &policy) // NOLINT: meant to convert
        : range_policy(policy.begin(), policy.end())
    {
        using given = Kokkos::RangePolicy<Properties...>;
        detail::same_space<Space, given>();
        range_.space = &policy.space();
        range_.chunk_size = static_cast<std::int64_t>(policy.chunk_size());
        range_.schedule = std::is_same<typename given::schedule_type::type, Kokkos::Dynamic>::value
                              ? PKC_SCHEDULE_DYNAMIC
                              : PKC_SCHEDULE_STATIC;
    }

    pkc_range erased(const char *label) const
    {
        pkc_range range = range_;
        range.label = label;
        return range;
    }

  private:
    pkc_range range_;
};

/* {n0, n1, …}, or a Kokkos::MDRangePolicy of this rank. */
template <class Space, int Rank> class mdrange_policy
{
  public:
    template <class... N, class = detail::integers<N...>,
              class = std::enable_if_t<sizeof...(N) == Rank>>
    mdrange_policy(const N... extents) : range_{} // NOLINT: meant to convert
    {
        const std::int64_t end[] = {static_cast<std::int64_t>(extents)...};
        range_.rank = Rank;
        for (int d = 0; d < Rank; ++d) {
            range_.end[d] = end[d];
        }
    }

    template <class... Properties>
    mdrange_policy(const Kokkos::MDRangePolicy<Properties...> &policy) // NOLINT: meant to convert
        : range_{}
    {
        using given = Kokkos::MDRangePolicy<Properties...>;
        static_assert(static_cast<int>(given::rank) == Rank,
                      "the policy's rank is not the workunit's number of indices");
        detail::same_space<Space, given>();
        range_.space = &policy.space();
        range_.rank = Rank;
        const bool chosen = detail::tile_chosen(policy, 0);
        for (int d = 0; d < Rank; ++d) {
            range_.begin[d] = static_cast<std::int64_t>(policy.m_lower[d]);
            range_.end[d] = static_cast<std::int64_t>(policy.m_upper[d]);
            range_.tile[d] = chosen ? 0 : static_cast<std::int64_t>(policy.m_tile[d]);
        }
    }

    pkc_mdrange erased(const char *label, const int left_to_right) const
    {
        pkc_mdrange range = range_;
        range.label = label;
        range.left_to_right = left_to_right;
        return range;
    }

  private:
    pkc_mdrange range_;
};

/* The size of the league, or a Kokkos::TeamPolicy with any properties. */
template <class Space> class team_policy
{
  public:
    template <class N, class = detail::integers<N>>
    team_policy(const N league_size) : team_{} // NOLINT: meant to convert
    {
        team_.league_size = static_cast<std::int64_t>(league_size);
        team_.team_size = -1;
        team_.vector_length = 1;
    }

    template <class... Properties>
    team_policy(const Kokkos::TeamPolicy<Properties...> &policy) // NOLINT: meant to convert
        : team_policy(policy.league_size())
    {
        using given = Kokkos::TeamPolicy<Properties...>;
        detail::same_space<Space, given>();
        team_.space = &policy.space();
        team_.team_size = policy.impl_auto_team_size() ? -1 : static_cast<int>(policy.team_size());
        for (int level = 0; level < 2; ++level) {
            const auto one = static_cast<std::int64_t>(policy.scratch_size(level, 1));
            const auto two = static_cast<std::int64_t>(policy.scratch_size(level, 2));
            team_.scratch_bytes_thread[level] = detail::is_serial<Space>() ? one : two - one;
            team_.scratch_bytes_team[level] = detail::is_serial<Space>() ? one : one - (two - one);
        }
    }

    pkc_team erased(const char *label, pkc_team_plan *plan) const
    {
        pkc_team team = team_;
        team.label = label;
        team.plan = plan;
        return team;
    }

  private:
    pkc_team team_;
};

} // namespace pkc

#endif
