/* The dispatch table of one execution space, over hand-written kernels of every shape. */
#include <Kokkos_Core.hpp>

#include <pykokkos_cache/dispatch.h>
#include <pykokkos_cache/scratch.hpp>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <vector>

extern "C" const struct pkc_dispatch *pkc_dispatch_under_test(void);

static int failures;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                           \
        }                                                                         \
    } while (0)

namespace
{

const pkc_dispatch *table;
char error[256];

/* ---- kernels --------------------------------------------------------------------------------- */

struct count_args {
    std::atomic<int> *visits; /* of visits[i - origin] */
    int64_t origin;
    std::atomic<int> *calls;
};

void count_range(const void *p, int64_t begin, int64_t end)
{
    const count_args a = *static_cast<const count_args *>(p);
    a.calls->fetch_add(1);
    for (int64_t i = begin; i < end; ++i) {
        a.visits[i - a.origin].fetch_add(1);
    }
}

/* Uses all four lanes, as generated kernels do. */
template <class T> void sum_range(const void *p, int64_t begin, int64_t end, void *acc)
{
    const T *const x = *static_cast<const T *const *>(p);
    T *const lanes = static_cast<T *>(acc);
    for (int64_t i = begin; i < end; ++i) {
        lanes[i % PKC_LANES] = static_cast<T>(lanes[i % PKC_LANES] + x[i]);
    }
}

void scan_range(const void *p, int64_t begin, int64_t end, void *acc, int final_pass)
{
    int64_t *const out = *static_cast<int64_t *const *>(p);
    int64_t sum = *static_cast<int64_t *>(acc);
    for (int64_t i = begin; i < end; ++i) {
        sum += i;
        if (final_pass != 0) {
            out[i] = sum;
        }
    }
    *static_cast<int64_t *>(acc) = sum;
}

struct md_args {
    std::atomic<int> *visits;
    int64_t extent[PKC_MAX_RANK];
    int64_t origin[PKC_MAX_RANK];
    int rank;
};

template <class F> void each_in_box(int rank, const int64_t *begin, const int64_t *end, const F &f)
{
    int64_t at[PKC_MAX_RANK];
    for (int d = 0; d < rank; ++d) {
        if (begin[d] >= end[d]) {
            return;
        }
        at[d] = begin[d];
    }
    for (;;) {
        f(at);
        int d = rank - 1;
        while (d >= 0 && ++at[d] == end[d]) {
            at[d] = begin[d];
            --d;
        }
        if (d < 0) {
            return;
        }
    }
}

int64_t flat(const md_args &a, const int64_t *at)
{
    int64_t index = 0;
    for (int d = 0; d < a.rank; ++d) {
        index = index * a.extent[d] + (at[d] - a.origin[d]);
    }
    return index;
}

void count_box(const void *p, const int64_t *begin, const int64_t *end)
{
    const md_args a = *static_cast<const md_args *>(p);
    each_in_box(a.rank, begin, end, [&](const int64_t *at) { a.visits[flat(a, at)].fetch_add(1); });
}

void sum_box(const void *p, const int64_t *begin, const int64_t *end, void *acc)
{
    const md_args a = *static_cast<const md_args *>(p);
    each_in_box(a.rank, begin, end,
                [&](const int64_t *at) { *static_cast<int64_t *>(acc) += flat(a, at); });
}

/* Fills 100 numbers of the team's scratch memory, and sums them up. */
void team_sum(const void *, int64_t begin, int64_t end, void *handle, void *acc)
{
    pkc::team team = *static_cast<pkc::team *>(handle);
    for (int64_t rank = begin; rank < end; ++rank) {
        pkc::scratch_begin(team);
        const auto values =
            pkc::scratch_view<double>(team, PKC_SCRATCH_TEAM_0, int64_t{50}, int64_t{2});
        const auto own = pkc::scratch_view<float>(team, PKC_SCRATCH_THREAD_1, int64_t{75});
        const pkc::span part = pkc::team_range(team, 0, 100);
        for (int64_t i = part.begin; i < part.end; ++i) {
            values(i / 2, i % 2) = static_cast<double>(rank);
        }
        for (int64_t i = 0; i < 75; ++i) {
            own(i) = static_cast<float>(team.rank);
        }
        pkc::team_barrier(team);
        for (int64_t i = 0; i < 75; ++i) {
            *static_cast<double *>(acc) += own(i) == static_cast<float>(team.rank) ? 0.0 : 1e9;
        }
        if (team.rank == team.size - 1) {
            for (int64_t i = 0; i < 100; ++i) {
                *static_cast<double *>(acc) += values(i / 2, i % 2);
            }
        }
        if (end > team.league_size) {
            *static_cast<double *>(acc) = -1.0;
        }
    }
}

struct team_args {
    std::atomic<int> *visits;
    std::atomic<int> *bad;
};

/* Each thread visits; joins, prefixes and broadcasts by all of them are right. */
void team_count(const void *p, int64_t begin, int64_t end, void *handle)
{
    const team_args a = *static_cast<const team_args *>(p);
    pkc::team team = *static_cast<pkc::team *>(handle);
    const int64_t n = team.size;
    for (int64_t rank = begin; rank < end; ++rank) {
        a.visits[rank].fetch_add(1);
        int64_t sum = team.rank + rank;
        pkc::team_reduce<pkc::join_sum>(team, sum);
        double most = static_cast<double>(team.rank);
        pkc::team_reduce<pkc::join_max>(team, most);
        int64_t before = team.rank;
        if (n > 1) {
            pkc::team_before<pkc::join_sum>(team, before, 0);
        }
        struct {
            int64_t values[20];
        } large{};
        large.values[19] = 100 + team.rank;
        pkc::team_broadcast(team, large);
        int64_t last = team.rank;
        pkc::team_last(team, last);
        const bool right = sum == n * rank + n * (n - 1) / 2 &&
                           most == static_cast<double>(n - 1) &&
                           before == team.rank * (team.rank - 1) / 2 && large.values[19] == 100 &&
                           last == n - 1 && team.league_size == 37;
        if (!right) {
            a.bad->fetch_add(1);
        }
    }
}

/* Asks for more than it says, or than there is. */
void team_greedy(const void *p, int64_t begin, int64_t end, void *handle)
{
    pkc::team team = *static_cast<pkc::team *>(handle);
    for (int64_t rank = begin; rank < end; ++rank) {
        pkc::scratch_begin(team);
        const int64_t n = *static_cast<const int64_t *>(p);
        const auto a = pkc::scratch_view<pkc::int8>(team, PKC_SCRATCH_THREAD_0, int64_t{3});
        const auto b = pkc::scratch_view<double>(team, PKC_SCRATCH_THREAD_0, n);
        a(0) = 1;
        for (int64_t i = 0; i < n; ++i) {
            b(i) = 1.0;
        }
    }
}

void plan_of(const void *p, void *needs)
{
    pkc_team_needs *const plan = static_cast<pkc_team_needs *>(needs);
    plan->declared[PKC_SCRATCH_THREAD_0] += *static_cast<const int64_t *>(p) * plan->team_size;
    plan->used[PKC_SCRATCH_TEAM_1] += 10;
}

void plan_of_one(const void *, void *needs)
{
    static_cast<pkc_team_needs *>(needs)->one_thread = "a reason";
}

/* ---- tests ----------------------------------------------------------------------------------- */

pkc_range range_of(int64_t begin, int64_t end, int schedule = PKC_SCHEDULE_STATIC,
                   int64_t chunk = 0, const void *space = nullptr)
{
    return {space, "test::range", begin, end, chunk, schedule};
}

void check_range(const pkc_range &r)
{
    const int64_t n = r.end > r.begin ? r.end - r.begin : 0;
    std::vector<std::atomic<int>> visits(static_cast<size_t>(n) + 1);
    std::atomic<int> calls{0};
    const count_args args = {visits.data(), r.begin, &calls};
    CHECK(table->range_for(&r, count_range, &args, error, sizeof error) == 0);
    bool once = visits[static_cast<size_t>(n)] == 0;
    for (int64_t i = 0; i < n; ++i) {
        once = once && visits[static_cast<size_t>(i)] == 1;
    }
    CHECK(once);
    const int threads = table->concurrency(r.space);
    if (r.schedule == PKC_SCHEDULE_STATIC) {
        CHECK(calls == (n < threads ? static_cast<int>(n) : threads));
    } else if (r.chunk_size > 0) {
        CHECK(calls == n / r.chunk_size + (n % r.chunk_size != 0 ? 1 : 0));
    }
}

void test_ranges()
{
    for (const int64_t n : {0, 1, 2, 3, 7, 100, 1001}) {
        check_range(range_of(0, n));
        check_range(range_of(-5, n - 5));
        check_range(range_of(0, n, PKC_SCHEDULE_DYNAMIC));
        check_range(range_of(3, n + 3, PKC_SCHEDULE_DYNAMIC, 1));
        check_range(range_of(3, n + 3, PKC_SCHEDULE_DYNAMIC, 10));
    }
    check_range(range_of(5, -5));
    check_range(range_of(INT64_MAX, INT64_MIN));
    check_range(range_of(PKC_INDEX_MAX - 10, PKC_INDEX_MAX));
    check_range(range_of(-PKC_INDEX_MAX, -PKC_INDEX_MAX + 10));
    check_range(range_of(0, 10, PKC_SCHEDULE_DYNAMIC, INT64_MAX));
}

void edges(const void *p, int64_t begin, int64_t end)
{
    auto *const bounds = *static_cast<std::pair<std::mutex, std::set<int64_t>> *const *>(p);
    const std::lock_guard<std::mutex> lock(bounds->first);
    bounds->second.insert(begin);
    bounds->second.insert(end);
}

/* As large as can be: pieces meet, none is lost to overflow. Beyond is refused. */
void test_huge_range()
{
    for (const int schedule : {PKC_SCHEDULE_STATIC, PKC_SCHEDULE_DYNAMIC}) {
        std::pair<std::mutex, std::set<int64_t>> bounds;
        auto *const args = &bounds;
        const pkc_range r = range_of(-PKC_INDEX_MAX, PKC_INDEX_MAX, schedule);
        CHECK(table->range_for(&r, edges, &args, error, sizeof error) == 0);
        CHECK(*bounds.second.begin() == -PKC_INDEX_MAX);
        CHECK(*bounds.second.rbegin() == PKC_INDEX_MAX);
        CHECK(bounds.second.size() >= static_cast<size_t>(table->concurrency(nullptr)) + 1);
        for (const pkc_range &beyond :
             {range_of(0, PKC_INDEX_MAX + 1, schedule), range_of(INT64_MIN, INT64_MAX, schedule),
              range_of(INT64_MAX - 5, INT64_MAX, schedule)}) {
            CHECK(table->range_for(&beyond, edges, &args, error, sizeof error) != 0);
            CHECK(std::strstr(error, "2**53") != nullptr);
        }
    }
}

template <class T> void test_sum(const char *dtype)
{
    const pkc_reducer *const sum = table->reducer("Sum", dtype);
    CHECK(sum != nullptr && sum->size == sizeof(T));
    if (sum == nullptr) {
        return;
    }
    for (const int64_t n : {0, 1, 5, 64}) {
        std::vector<T> x(static_cast<size_t>(n) + 1);
        T expected{};
        for (int64_t i = 0; i < n; ++i) {
            x[static_cast<size_t>(i)] = static_cast<T>(static_cast<unsigned>(i + 1) % 5);
            expected = static_cast<T>(expected + x[static_cast<size_t>(i)]);
        }
        const T *const args = x.data();
        for (const int schedule : {PKC_SCHEDULE_STATIC, PKC_SCHEDULE_DYNAMIC}) {
            T result[2] = {static_cast<T>(99), static_cast<T>(77)};
            const pkc_range r = range_of(0, n, schedule, schedule == 0 ? 0 : 3);
            CHECK(table->range_reduce(&r, sum_range<T>, &args, sum, result, error, sizeof error) ==
                  0);
            CHECK(result[0] == expected);
            CHECK(result[1] == static_cast<T>(77)); /* nothing behind it is touched */
        }
    }
}

void test_scan()
{
    const pkc_reducer *const sum = table->reducer("Sum", "int64");
    for (const int64_t n : {0, 1, 2, 3, 1000}) {
        std::vector<int64_t> out(static_cast<size_t>(n) + 1, -1);
        int64_t *const args = out.data();
        int64_t total = 99;
        const pkc_range r = range_of(0, n);
        CHECK(table->range_scan(&r, scan_range, &args, sum, &total, error, sizeof error) == 0);
        CHECK(total == n * (n - 1) / 2);
        bool right = out[static_cast<size_t>(n)] == -1;
        for (int64_t i = 0; i < n; ++i) {
            right = right && out[static_cast<size_t>(i)] == i * (i + 1) / 2;
        }
        CHECK(right);
    }
}

void test_md(const std::vector<int64_t> &extents, const std::vector<int64_t> &tile, int ltr)
{
    pkc_mdrange r = {};
    r.label = "test::md";
    r.rank = static_cast<int>(extents.size());
    r.left_to_right = ltr;
    md_args args = {};
    args.rank = r.rank;
    int64_t total = 1;
    for (int d = 0; d < r.rank; ++d) {
        r.begin[d] = 2 * d - 3;
        r.end[d] = r.begin[d] + extents[static_cast<size_t>(d)];
        r.tile[d] = tile.empty() ? 0 : tile[static_cast<size_t>(d)];
        args.extent[d] = extents[static_cast<size_t>(d)];
        args.origin[d] = r.begin[d];
        total *= extents[static_cast<size_t>(d)] > 0 ? extents[static_cast<size_t>(d)] : 0;
    }
    std::vector<std::atomic<int>> visits(static_cast<size_t>(total) + 1);
    args.visits = visits.data();
    CHECK(table->md_for(&r, count_box, &args, error, sizeof error) == 0);
    bool once = visits[static_cast<size_t>(total)] == 0;
    for (int64_t i = 0; i < total; ++i) {
        once = once && visits[static_cast<size_t>(i)] == 1;
    }
    CHECK(once);
    int64_t sum = 99;
    CHECK(table->md_reduce(&r, sum_box, &args, table->reducer("Sum", "int64"), &sum, error,
                           sizeof error) == 0);
    CHECK(sum == total * (total - 1) / 2);
}

void test_mds()
{
    for (const int ltr : {0, 1}) {
        test_md({7, 5}, {}, ltr);
        test_md({1, 1}, {}, ltr);
        test_md({0, 5}, {}, ltr);
        test_md({5, -3}, {}, ltr);
        test_md({1, 64}, {}, ltr);
        test_md({64, 1}, {}, ltr);
        test_md({100, 3}, {}, ltr);
        test_md({7, 5}, {2, 3}, ltr);
        test_md({7, 5}, {0, 3}, ltr);
        test_md({7, 5}, {100, 100}, ltr);
        test_md({3, 4, 5}, {}, ltr);
        test_md({3, 4, 5}, {2, 2, 2}, ltr);
        test_md({2, 3, 4, 5}, {}, ltr);
        test_md({2, 3, 2, 3, 2}, {}, ltr);
        test_md({2, 3, 2, 3, 2, 2}, {1, 2, 1, 2, 1, 2}, ltr);
    }
    pkc_mdrange bad = {};
    bad.rank = 7;
    bad.label = "bad";
    CHECK(table->md_for(&bad, count_box, nullptr, error, sizeof error) != 0);
    CHECK(std::strstr(error, "rank") != nullptr);
    bad.rank = 3;
    for (int d = 0; d < 3; ++d) {
        bad.end[d] = PKC_INDEX_MAX;
        bad.tile[d] = 1;
    }
    CHECK(table->md_for(&bad, count_box, nullptr, error, sizeof error) != 0);
    CHECK(std::strstr(error, "tiles") != nullptr);
}

void test_team(const int team_size)
{
    const int threads = team_size < 0 ? 1 : team_size;
    pkc_team t = {};
    t.label = "test::team";
    t.league_size = 37;
    t.team_size = team_size;
    std::vector<std::atomic<int>> visits(38);
    std::atomic<int> bad{0};
    const team_args args = {visits.data(), &bad};
    CHECK(table->team_for(&t, team_count, &args, error, sizeof error) == 0);
    for (size_t i = 0; i < 37; ++i) {
        CHECK(visits[i] == threads);
    }
    CHECK(visits[37] == 0 && bad == 0);
    t.scratch_bytes_team[0] = 800;
    t.scratch_bytes_thread[1] = 300;
    double sum = -1.0;
    const pkc_reducer *const reducer = table->reducer("Sum", "float64");
    CHECK(table->team_reduce(&t, team_sum, nullptr, reducer, &sum, error, sizeof error) == 0);
    CHECK(sum == 100.0 * 37 * 36 / 2);
    t.scratch_bytes_team[0] = 799;
    CHECK(table->team_reduce(&t, team_sum, nullptr, reducer, &sum, error, sizeof error) != 0);
    CHECK(std::strstr(error, "takes 800 bytes a team at level 0, there are 799") != nullptr);
    CHECK(std::strstr(error, "set_scratch_size(0, PerTeam(800))") != nullptr);
    t.league_size = 0;
    CHECK(table->team_reduce(&t, team_sum, nullptr, reducer, &sum, error, sizeof error) == 0);
    CHECK(sum == 0.0);
    t.scratch_bytes_team[0] = INT64_MAX;
    CHECK(table->team_reduce(&t, team_sum, nullptr, reducer, &sum, error, sizeof error) != 0);
}

void test_team_needs(const int team_size)
{
    const int threads = team_size < 0 ? 1 : team_size;
    pkc_team t = {};
    t.label = "test::needs";
    t.league_size = 5;
    t.team_size = team_size;
    int64_t n = 4;
    t.scratch_bytes_thread[0] = 34;
    CHECK(table->team_for(&t, team_greedy, &n, error, sizeof error) != 0);
    CHECK(std::strstr(error, "takes 35 bytes a thread at level 0, there are 34") != nullptr);
    t.scratch_bytes_thread[0] = 35;
    CHECK(table->team_for(&t, team_greedy, &n, error, sizeof error) == 0);
    n = -1;
    CHECK(table->team_for(&t, team_greedy, &n, error, sizeof error) != 0);
    CHECK(std::strstr(error, "negative extent") != nullptr);
    /* The plan's memory comes to the policy's; what it knows to be too little never starts. */
    n = 4;
    t.plan = plan_of;
    t.scratch_bytes_thread[0] = 35 - 4 * threads;
    t.scratch_bytes_team[1] = 10;
    CHECK(table->team_for(&t, team_greedy, &n, error, sizeof error) == 0);
    t.scratch_bytes_team[1] = 9;
    CHECK(table->team_for(&t, team_greedy, &n, error, sizeof error) != 0);
    CHECK(std::strstr(error, "takes 10 bytes a team at level 1, there are 9") != nullptr);
    t.plan = plan_of_one;
    const bool one = threads == 1;
    t.scratch_bytes_thread[0] = 35;
    CHECK((table->team_for(&t, team_greedy, &n, error, sizeof error) == 0) == one);
    CHECK(one || std::strstr(error, "a reason") != nullptr);
}

void test_teams()
{
    pkc_team t = {};
    t.label = "test::team";
    t.team_size = table->concurrency(nullptr) + 1;
    CHECK(table->team_for(&t, team_count, nullptr, error, sizeof error) != 0);
    CHECK(std::strstr(error, "too large") != nullptr);
    test_team(-1);
    test_team_needs(-1);
    for (int size = 1; size <= table->concurrency(nullptr); ++size) {
        test_team(size);
        test_team_needs(size);
    }
}

template <class T> T joined(const char *name, const char *dtype, const std::vector<T> &values)
{
    const pkc_reducer *const r = table->reducer(name, dtype);
    T acc{};
    if (r == nullptr || r->size != sizeof(T)) {
        std::printf("no reducer %s for %s, or of another size\n", name, dtype);
        ++failures;
        return acc;
    }
    r->init(&acc);
    for (const T &value : values) {
        r->join(&acc, &value);
    }
    return acc;
}

template <class T> struct val_loc {
    T val;
    int64_t loc;
};
template <class T> struct min_max_loc {
    T min_val, max_val;
    int64_t min_loc, max_loc;
};
template <class T> struct min_max {
    T min_val, max_val;
};

template <class T> void test_ordered(const char *dtype)
{
    using limits = std::numeric_limits<T>;
    const std::vector<T> v = {3, 1, 7, 7, 1, 5};
    CHECK(joined<T>("Sum", dtype, v) == 24);
    CHECK(joined<T>("Prod", dtype, {2, 3, 5}) == 30);
    CHECK(joined<T>("Min", dtype, v) == 1);
    CHECK(joined<T>("Max", dtype, v) == 7);
    CHECK(joined<T>("Min", dtype, {}) == limits::max());
    CHECK(joined<T>("Max", dtype, {}) == limits::lowest());
    CHECK(joined<T>("Max", dtype, {limits::lowest()}) == limits::lowest());
    CHECK(joined<T>("LAnd", dtype, v) == 1);
    CHECK(joined<T>("LAnd", dtype, {3, 0}) == 0);
    CHECK(joined<T>("LOr", dtype, {0, 0}) == 0);
    CHECK(joined<T>("LOr", dtype, {0, 4}) == 1);
    const val_loc<T> first = joined<val_loc<T>>("MinLoc", dtype, {{3, 0}, {1, 4}, {1, 1}, {5, 0}});
    CHECK(first.val == 1 && first.loc == 1);
    const val_loc<T> top = joined<val_loc<T>>("MaxLoc", dtype, {{3, 0}, {7, 3}, {7, 2}, {1, 1}});
    CHECK(top.val == 7 && top.loc == 2);
    const val_loc<T> extreme = joined<val_loc<T>>("MaxLoc", dtype, {{limits::lowest(), 8}});
    CHECK(extreme.val == limits::lowest() && extreme.loc == 8);
    const min_max<T> both = joined<min_max<T>>("MinMax", dtype, {{3, 3}, {1, 1}, {7, 7}});
    CHECK(both.min_val == 1 && both.max_val == 7);
    const min_max_loc<T> all = joined<min_max_loc<T>>(
        "MinMaxLoc", dtype, {{3, 3, 0, 0}, {1, 1, 1, 1}, {7, 7, 2, 2}, {7, 7, 3, 3}});
    CHECK(all.min_val == 1 && all.max_val == 7 && all.min_loc == 1 && all.max_loc == 2);
}

template <class T> void test_integer(const char *dtype)
{
    test_ordered<T>(dtype);
    test_sum<T>(dtype);
    CHECK(joined<T>("BAnd", dtype, {7, 13}) == 5);
    CHECK(joined<T>("BOr", dtype, {1, 4}) == 5);
    CHECK(joined<T>("BAnd", dtype, {}) == static_cast<T>(~T{0}));
    CHECK(joined<T>("BOr", dtype, {}) == 0);
    const T top = std::numeric_limits<T>::max();
    CHECK(joined<T>("Sum", dtype, {top, 1}) == std::numeric_limits<T>::min()); /* wraps */
}

void test_reducers()
{
    test_integer<int8_t>("int8");
    test_integer<int16_t>("int16");
    test_integer<int32_t>("int32");
    test_integer<int64_t>("int64");
    test_integer<uint8_t>("uint8");
    test_integer<uint16_t>("uint16");
    test_integer<uint32_t>("uint32");
    test_integer<uint64_t>("uint64");
    test_ordered<float>("float32");
    test_ordered<double>("float64");
    test_sum<float>("float32");
    test_sum<double>("float64");
    using cd = std::complex<double>;
    using cf = std::complex<float>;
    CHECK(joined<cd>("Sum", "complex128", {{1, 2}, {3, 4}}) == cd(4, 6));
    CHECK(joined<cd>("Prod", "complex128", {{1, 2}, {3, 4}}) == cd(-5, 10));
    CHECK(joined<cf>("Prod", "complex64", {{1, 2}, {3, 4}}) == cf(-5, 10));
    test_sum<cd>("complex128");
    bool acc[2] = {true, false};
    table->reducer("LOr", "bool")->init(acc);
    CHECK(!acc[0]);
    table->reducer("BAnd", "bool")->init(acc);
    CHECK(acc[0]);
    table->reducer("BAnd", "bool")->join(acc, acc + 1);
    CHECK(!acc[0]);
    CHECK(table->reducer("Max", "complex128") == nullptr);
    CHECK(table->reducer("BAnd", "float64") == nullptr);
    CHECK(table->reducer("Average", "float64") == nullptr);
    CHECK(table->reducer("Sum", "float16") == nullptr);
    CHECK(table->reducer(nullptr, "float64") == nullptr);
    double result = 0.0;
    const pkc_range r = range_of(0, 3);
    CHECK(table->range_reduce(&r, sum_range<double>, nullptr, nullptr, &result, error,
                              sizeof error) != 0);
}

/* ---- Kokkos Tools ---------------------------------------------------------------------------- */

std::vector<std::string> seen;

template <char Kind> void record(const char *name, const uint32_t, uint64_t *)
{
    seen.push_back(std::string(1, Kind) + name);
}

void test_tools()
{
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(record<'f'>);
    tools::set_begin_parallel_reduce_callback(record<'r'>);
    tools::set_begin_parallel_scan_callback(record<'s'>);
    for (const int64_t n : {0, 10}) {
        seen.clear();
        std::vector<int64_t> data(10, 0);
        int64_t *const args = data.data();
        int64_t total;
        const pkc_reducer *const sum = table->reducer("Sum", "int64");
        const pkc_range r = {nullptr, "mod::scan it", 0, n, 0, 0};
        CHECK(table->range_scan(&r, scan_range, &args, sum, &total, error, sizeof error) == 0);
        const pkc_range s = {nullptr, "mod::sum", 0, n, 0, 0};
        CHECK(table->range_reduce(&s, sum_range<int64_t>, &args, sum, &total, error,
                                  sizeof error) == 0);
        std::vector<std::atomic<int>> visits(10);
        std::atomic<int> calls{0};
        const count_args count = {visits.data(), 0, &calls};
        const pkc_range f = {nullptr, "mod::Class.count", 0, n, 0, 0};
        CHECK(table->range_for(&f, count_range, &count, error, sizeof error) == 0);
        CHECK(
            (seen == std::vector<std::string>{"smod::scan it", "rmod::sum", "fmod::Class.count"}));
    }
    tools::set_begin_parallel_for_callback(nullptr);
    tools::set_begin_parallel_reduce_callback(nullptr);
    tools::set_begin_parallel_scan_callback(nullptr);
}

#if defined(KOKKOS_ENABLE_OPENMP) && KOKKOS_VERSION >= 40000
/* An instance of part of the threads takes no more chunks than it has threads. */
void test_partition()
{
    if (Kokkos::OpenMP().concurrency() < 2) {
        return;
    }
    const auto instances =
        Kokkos::Experimental::partition_space(Kokkos::OpenMP(), std::vector<int>{1, 1});
    CHECK(table->concurrency(&instances[0]) < Kokkos::OpenMP().concurrency());
    check_range(range_of(0, 100, PKC_SCHEDULE_STATIC, 0, &instances[0]));
    check_range(range_of(0, 100, PKC_SCHEDULE_DYNAMIC, 7, &instances[1]));
}
#endif

} // namespace

int main()
{
    table = pkc_dispatch_under_test();
    CHECK(table->version == PKC_DISPATCH_VERSION);
    const pkc_range r = range_of(0, 1);
    CHECK(table->is_initialized() == 0 && table->concurrency(nullptr) == 0);
    CHECK(table->range_for(&r, count_range, nullptr, error, sizeof error) != 0);
    CHECK(std::strcmp(error, "Kokkos is not initialized") == 0);
    CHECK(table->initialize(error, sizeof error) == 0);
    CHECK(table->initialize(error, sizeof error) == 0); /* again: nothing happens */
    CHECK(table->is_initialized() == 1);
    std::printf("execution space %s, %d threads\n", table->execution_space,
                table->concurrency(nullptr));
    test_ranges();
    test_huge_range();
    test_scan();
    test_mds();
    test_teams();
    test_reducers();
    test_tools();
#if defined(KOKKOS_ENABLE_OPENMP) && KOKKOS_VERSION >= 40000
    if (std::strcmp(table->execution_space, "OpenMP") == 0) {
        test_partition();
    }
#endif
    table->finalize();
    CHECK(table->is_initialized() == 0);
#if KOKKOS_VERSION >= 40000
    CHECK(table->initialize(error, sizeof error) != 0);
    CHECK(std::strstr(error, "finalized") != nullptr);
#endif
    if (failures != 0) {
        std::printf("%d checks failed\n", failures);
        return 1;
    }
    std::printf("all checks passed\n");
    return 0;
}
