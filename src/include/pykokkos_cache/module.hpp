/*
 * What the generated C++ header of a Python module is made of: the conversion of Kokkos' policies,
 * views and scalars into what dispatch.h speaks of.
 */
#ifndef PYKOKKOS_CACHE_MODULE_HPP
#define PYKOKKOS_CACHE_MODULE_HPP

#include <Kokkos_Core.hpp>

#include <pykokkos_cache/complex.hpp>
#include <pykokkos_cache/dispatch.h>
#include <pykokkos_cache/policy.hpp>
#include <pykokkos_cache/view.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace pkc
{

/* ---- arrays ---------------------------------------------------------------------------------- */

namespace detail
{

template <layout Layout> struct kokkos_layout {
    using type = Kokkos::LayoutRight;
};
template <> struct kokkos_layout<layout::left> {
    using type = Kokkos::LayoutLeft;
};
template <> struct kokkos_layout<layout::stride> {
    using type = Kokkos::LayoutStride;
};

template <class T, int Rank> struct pointers {
    using type = typename pointers<T, Rank - 1>::type *;
};
template <class T> struct pointers<T, 0> {
    using type = T;
};

} // namespace detail

namespace detail
{

/* Can memory laid out as Given be read as Wanted? In one dimension left and right are the same. */
template <class Given, layout Wanted, int Rank> constexpr bool layout_fits()
{
    constexpr bool left = std::is_same<Given, Kokkos::LayoutLeft>::value;
    constexpr bool right = std::is_same<Given, Kokkos::LayoutRight>::value;
    if (Wanted == layout::stride) {
        return left || right || std::is_same<Given, Kokkos::LayoutStride>::value;
    }
    return Rank == 1 ? left || right : Wanted == layout::left ? left : right;
}

template <class View, class T, int Rank, layout Layout> constexpr bool view_fits()
{
    using given = typename View::non_const_value_type;
    return std::is_same<given, std::remove_const_t<T>>::value &&
           static_cast<int>(View::rank) == Rank &&
           layout_fits<typename View::array_layout, Layout, Rank>() &&
           Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;
}

} // namespace detail

/* A parameter: takes any Kokkos::View of these elements, rank and layout whose memory the host can
 * reach, and keeps nothing of it. One of const elements must go to a kernel that only reads it. */
template <class T, int Rank, layout Layout> class array
{
  public:
    template <
        class... Properties,
        class = std::enable_if_t<detail::view_fits<Kokkos::View<Properties...>, T, Rank, Layout>()>>
    array(const Kokkos::View<Properties...> &given) // NOLINT: meant to convert
        : data_(given.data()),
          read_only_(std::is_const<typename Kokkos::View<Properties...>::value_type>::value)
    {
        for (int k = 0; k < Rank; ++k) {
            extent_[k] = static_cast<int64>(given.extent(static_cast<std::size_t>(k)));
            stride_[k] = static_cast<int64>(given.stride(k));
        }
    }

    /* What a List[T] parameter takes besides. */
    template <class Element,
              class = std::enable_if_t<Rank == 1 && std::is_same<const Element, T>::value>>
    array(const std::vector<Element> &given) // NOLINT: meant to convert
        : data_(given.data()),
          read_only_(true), extent_{static_cast<int64>(given.size())}, stride_{1}
    {
    }

    template <class Stored> void copy_to(view<Stored, Rank, Layout> &to) const
    {
        static_assert(sizeof(Stored) == sizeof(T), "the kernel's elements have another size");
        to.data = reinterpret_cast<Stored *>(const_cast<std::remove_const_t<T> *>(data_));
        for (int k = 0; k < Rank; ++k) {
            to.extent[k] = extent_[k];
            to.stride[k] = stride_[k];
        }
    }

    bool is_read_only() const
    {
        return read_only_;
    }

  private:
    const std::remove_const_t<T> *data_;
    bool read_only_;
    int64 extent_[Rank], stride_[Rank];
};

/* A field of a functor class: keeps the memory of a managed view alive. */
template <class T, int Rank, layout Layout>
using array_field = Kokkos::View<typename detail::pointers<T, Rank>::type,
                                 typename detail::kokkos_layout<Layout>::type, Kokkos::HostSpace>;

/* ---- into ARGS ------------------------------------------------------------------------------- */

template <class Stored, class T, int Rank, layout Layout>
void assign(view<Stored, Rank, Layout> &to, const array<T, Rank, Layout> &from)
{
    from.copy_to(to);
}

/* A parameter that the kernel stores to, or not: only its body says, so it is asked at run time. */
template <class Stored, class T, int Rank, layout Layout>
void assign(view<Stored, Rank, Layout> &to, const array<T, Rank, Layout> &from, const uint8 stores,
            const char *name)
{
    if (stores != 0 && from.is_read_only()) {
        throw std::invalid_argument(std::string("the kernel stores to ") + name +
                                    ", which is a view of const elements here");
    }
    from.copy_to(to);
}

/* A field. */
template <class Stored, int Rank, layout Layout, class... Properties>
void assign(view<Stored, Rank, Layout> &to, const Kokkos::View<Properties...> &from)
{
    using element = typename Kokkos::View<Properties...>::value_type;
    array<element, Rank, Layout>(from).copy_to(to); // its elements are not const
}

template <class T> void assign(T &to, const T &from)
{
    to = from;
}

template <class T> void assign(complex<T> &to, const Kokkos::complex<T> &from)
{
    to.re = from.real();
    to.im = from.imag();
}

/* A field that a host function has assigned. */
template <class T> void give_back(T &to, const T &from)
{
    to = from;
}

template <class T> void give_back(Kokkos::complex<T> &to, const complex<T> &from)
{
    to = Kokkos::complex<T>(from.re, from.im);
}

/* ---- reducers -------------------------------------------------------------------------------- */

/* Results of the reducers that give more than a value; the kernel's accumulator has the same bytes.
 */
template <class T> struct val_loc {
    T val;
    std::int64_t loc;
};
template <class T> struct min_max {
    T min_val, max_val;
};
template <class T> struct min_max_loc {
    T min_val, max_val;
    std::int64_t min_loc, max_loc;
};

/* The first template argument of a reduce: pkc::Max, or Kokkos::Max<double>. */
struct Sum {
};
struct Prod {
};
struct Min {
};
struct Max {
};
struct BAnd {
};
struct BOr {
};
struct LAnd {
};
struct LOr {
};
struct MinLoc {
};
struct MaxLoc {
};
struct MinMax {
};
struct MinMaxLoc {
};

namespace detail
{

template <class Reducer> struct reducer_traits {
    static_assert(sizeof(Reducer) == 0,
                  "not a reducer: use pkc::Sum, Prod, Min, Max, BAnd, BOr, LAnd, LOr, MinLoc, "
                  "MaxLoc, MinMax or MinMaxLoc, or Kokkos' class of that name");
};

template <pkc_acc_form Form> struct reducer_of_form {
    static constexpr pkc_acc_form form = Form;
};

template <> struct reducer_traits<Sum> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "Sum";
};
template <> struct reducer_traits<Prod> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "Prod";
};
template <> struct reducer_traits<Min> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "Min";
};
template <> struct reducer_traits<Max> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "Max";
};
template <> struct reducer_traits<BAnd> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "BAnd";
};
template <> struct reducer_traits<BOr> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "BOr";
};
template <> struct reducer_traits<LAnd> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "LAnd";
};
template <> struct reducer_traits<LOr> : reducer_of_form<PKC_ACC_SCALAR> {
    static constexpr const char *name = "LOr";
};
template <> struct reducer_traits<MinLoc> : reducer_of_form<PKC_ACC_VAL_LOC> {
    static constexpr const char *name = "MinLoc";
};
template <> struct reducer_traits<MaxLoc> : reducer_of_form<PKC_ACC_VAL_LOC> {
    static constexpr const char *name = "MaxLoc";
};
template <> struct reducer_traits<MinMax> : reducer_of_form<PKC_ACC_MIN_MAX> {
    static constexpr const char *name = "MinMax";
};
template <> struct reducer_traits<MinMaxLoc> : reducer_of_form<PKC_ACC_MIN_MAX_LOC> {
    static constexpr const char *name = "MinMaxLoc";
};

template <class T, class S> struct reducer_traits<Kokkos::Sum<T, S>> : reducer_traits<Sum> {
};
template <class T, class S> struct reducer_traits<Kokkos::Prod<T, S>> : reducer_traits<Prod> {
};
template <class T, class S> struct reducer_traits<Kokkos::Min<T, S>> : reducer_traits<Min> {
};
template <class T, class S> struct reducer_traits<Kokkos::Max<T, S>> : reducer_traits<Max> {
};
template <class T, class S> struct reducer_traits<Kokkos::BAnd<T, S>> : reducer_traits<BAnd> {
};
template <class T, class S> struct reducer_traits<Kokkos::BOr<T, S>> : reducer_traits<BOr> {
};
template <class T, class S> struct reducer_traits<Kokkos::LAnd<T, S>> : reducer_traits<LAnd> {
};
template <class T, class S> struct reducer_traits<Kokkos::LOr<T, S>> : reducer_traits<LOr> {
};
template <class T, class I, class S>
struct reducer_traits<Kokkos::MinLoc<T, I, S>> : reducer_traits<MinLoc> {
};
template <class T, class I, class S>
struct reducer_traits<Kokkos::MaxLoc<T, I, S>> : reducer_traits<MaxLoc> {
};
template <class T, class S> struct reducer_traits<Kokkos::MinMax<T, S>> : reducer_traits<MinMax> {
};
template <class T, class I, class S>
struct reducer_traits<Kokkos::MinMaxLoc<T, I, S>> : reducer_traits<MinMaxLoc> {
};

template <class Reducer, pkc_acc_form Form>
const pkc_reducer *reducer_of(const pkc_dispatch *dispatch, const char *dtype)
{
    static_assert(reducer_traits<Reducer>::form == Form,
                  "this workunit's accumulator has other members than the reducer's: acc.val and "
                  "acc.loc go with MinLoc and MaxLoc, acc.min_val and acc.max_val with MinMax and "
                  "MinMaxLoc, a plain acc with the others");
    const pkc_reducer *const found = dispatch->reducer(reducer_traits<Reducer>::name, dtype);
    if (found == nullptr) {
        throw std::invalid_argument(std::string("no reducer ") + reducer_traits<Reducer>::name +
                                    " for " + dtype);
    }
    return found;
}

/* Calls a function of the table; its error is an exception here. */
template <class Function, class... Arguments>
void call(const Function function, const Arguments... arguments)
{
    char error[512] = "";
    if (function(arguments..., error, sizeof error) != 0) {
        throw std::runtime_error(error);
    }
}

/* A reduce's result, from the bytes of one accumulator. */
template <class T> T result_of(const T &acc)
{
    return acc;
}
template <class T> Kokkos::complex<T> result_of(const complex<T> &acc)
{
    return Kokkos::complex<T>(acc.re, acc.im);
}

} // namespace detail

/* ---- calls ----------------------------------------------------------------------------------- */

template <class Space>
void run(const pkc_dispatch *dispatch, const char *label, const range_policy<Space> &policy,
         pkc_range_for *kernel, const void *args)
{
    const pkc_range range = policy.erased(label);
    detail::call(dispatch->range_for, &range, kernel, args);
}

template <class Space, int Rank>
void run(const pkc_dispatch *dispatch, const char *label, const mdrange_policy<Space, Rank> &policy,
         const int left_to_right, pkc_md_for *kernel, const void *args)
{
    const pkc_mdrange range = policy.erased(label, left_to_right);
    detail::call(dispatch->md_for, &range, kernel, args);
}

template <class Space>
void run(const pkc_dispatch *dispatch, const char *label, const team_policy<Space> &policy,
         pkc_team_plan *plan, pkc_team_for *kernel, const void *args)
{
    const pkc_team team = policy.erased(label, plan);
    detail::call(dispatch->team_for, &team, kernel, args);
}

/* Acc: the accumulator as the kernel stores it. */
template <class Reducer, class Acc, pkc_acc_form Form, class Space>
auto reduce(const pkc_dispatch *dispatch, const char *label, const char *dtype,
            const range_policy<Space> &policy, pkc_range_reduce *kernel, const void *args)
{
    const pkc_reducer *const reducer = detail::reducer_of<Reducer, Form>(dispatch, dtype);
    const pkc_range range = policy.erased(label);
    Acc result{};
    detail::call(dispatch->range_reduce, &range, kernel, args, reducer,
                 static_cast<void *>(&result));
    return detail::result_of(result);
}

template <class Reducer, class Acc, pkc_acc_form Form, class Space, int Rank>
auto reduce(const pkc_dispatch *dispatch, const char *label, const char *dtype,
            const mdrange_policy<Space, Rank> &policy, const int left_to_right,
            pkc_md_reduce *kernel, const void *args)
{
    const pkc_reducer *const reducer = detail::reducer_of<Reducer, Form>(dispatch, dtype);
    const pkc_mdrange range = policy.erased(label, left_to_right);
    Acc result{};
    detail::call(dispatch->md_reduce, &range, kernel, args, reducer, static_cast<void *>(&result));
    return detail::result_of(result);
}

template <class Reducer, class Acc, pkc_acc_form Form, class Space>
auto reduce(const pkc_dispatch *dispatch, const char *label, const char *dtype,
            const team_policy<Space> &policy, pkc_team_plan *plan, pkc_team_reduce *kernel,
            const void *args)
{
    const pkc_reducer *const reducer = detail::reducer_of<Reducer, Form>(dispatch, dtype);
    const pkc_team team = policy.erased(label, plan);
    Acc result{};
    detail::call(dispatch->team_reduce, &team, kernel, args, reducer, static_cast<void *>(&result));
    return detail::result_of(result);
}

/* A translated @pk.main. */
inline void run_host(const pkc_dispatch *dispatch, pkc_host_function *function, void *args)
{
    char error[512] = "";
    if (function(args, dispatch, error, sizeof error) != 0) {
        throw std::runtime_error(error);
    }
}

/* The total. */
template <class Reducer, class Acc, class Space>
auto scan(const pkc_dispatch *dispatch, const char *label, const char *dtype,
          const range_policy<Space> &policy, pkc_range_scan *kernel, const void *args)
{
    const pkc_reducer *const reducer = detail::reducer_of<Reducer, PKC_ACC_SCALAR>(dispatch, dtype);
    const pkc_range range = policy.erased(label);
    Acc result{};
    detail::call(dispatch->range_scan, &range, kernel, args, reducer, static_cast<void *>(&result));
    return detail::result_of(result);
}

} // namespace pkc

#endif
