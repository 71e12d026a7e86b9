/*
 * A Python module as the generator writes it, with the kernels in the same file: each kind of
 * parameter, policy, operation and accumulator once.
 */
#include <pykokkos_cache/complex.hpp>
#include <pykokkos_cache/dispatch.h>
#include <pykokkos_cache/view.hpp>

extern "C" const struct pkc_dispatch *pkc_dispatch_under_test(void);
extern "C" __attribute__((visibility("hidden"))) void *
pkc_python_init(const struct pkc_module *table);

namespace
{

using pkc::int64;
using pkc::layout;

template <class T> struct acc_val_loc {
    T val;
    int64 loc;
};

template <class T> struct acc_min_max {
    T min_val, max_val;
};

template <class T> struct acc_min_max_loc {
    T min_val, max_val;
    int64 min_loc, max_loc;
};

/* ---- kernels --------------------------------------------------------------------------------- */

template <class T> struct scale_args {
    pkc::view<T, 1> x;
    T k;
};

template <class T> void scale_kernel(const void *p, int64_t begin, int64_t end)
{
    const auto a = *static_cast<const scale_args<T> *>(p);
    for (int64 i = begin; i < end; ++i) {
        a.x(i) *= a.k;
    }
}

struct pair_args {
    pkc::view<double, 1> x, y;
};

void dot_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const pair_args a = *static_cast<const pair_args *>(p);
    double *const lanes = static_cast<double *>(acc);
    for (int64 i = begin; i < end; ++i) {
        lanes[i & 3] += a.x(i) * a.y(i);
    }
}

struct one_args {
    pkc::view<double, 1> x;
};

/* A reduce whose body works with Max and Min alike is not possible; this one is for Max. */
void largest_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const one_args a = *static_cast<const one_args *>(p);
    double *const largest = static_cast<double *>(acc);
    for (int64 i = begin; i < end; ++i) {
        *largest = a.x(i) > *largest ? a.x(i) : *largest;
    }
}

void where_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const one_args a = *static_cast<const one_args *>(p);
    auto *const best = static_cast<acc_val_loc<double> *>(acc);
    for (int64 i = begin; i < end; ++i) {
        if (a.x(i) < best->val) {
            *best = {a.x(i), i};
        }
    }
}

struct bytes_args {
    pkc::view<pkc::int8, 1> x;
};

void span_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const bytes_args a = *static_cast<const bytes_args *>(p);
    auto *const s = static_cast<acc_min_max_loc<pkc::int8> *>(acc);
    for (int64 i = begin; i < end; ++i) {
        if (a.x(i) < s->min_val) {
            s->min_val = a.x(i);
            s->min_loc = i;
        }
        if (a.x(i) > s->max_val) {
            s->max_val = a.x(i);
            s->max_loc = i;
        }
    }
}

void ends_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const bytes_args a = *static_cast<const bytes_args *>(p);
    auto *const s = static_cast<acc_min_max<pkc::int8> *>(acc);
    for (int64 i = begin; i < end; ++i) {
        s->min_val = a.x(i) < s->min_val ? a.x(i) : s->min_val;
        s->max_val = a.x(i) > s->max_val ? a.x(i) : s->max_val;
    }
}

struct scan_args {
    pkc::view<pkc::int64, 1> x;
};

void prefix_kernel(const void *p, int64_t begin, int64_t end, void *acc, int final_pass)
{
    const scan_args a = *static_cast<const scan_args *>(p);
    int64 sum = *static_cast<int64 *>(acc);
    for (int64 i = begin; i < end; ++i) {
        sum += a.x(i);
        if (final_pass != 0) {
            a.x(i) = sum;
        }
    }
    *static_cast<int64 *>(acc) = sum;
}

struct grid_args {
    pkc::view<int, 2> right;
    pkc::view<int, 2, layout::left> left;
    pkc::view<int, 2, layout::stride> any;
};

void fill_kernel(const void *p, const int64_t *begin, const int64_t *end)
{
    const grid_args a = *static_cast<const grid_args *>(p);
    for (int64 i = begin[0]; i < end[0]; ++i) {
        for (int64 j = begin[1]; j < end[1]; ++j) {
            a.right(i, j) = static_cast<int>(10 * i + j);
            a.left(i, j) = static_cast<int>(10 * i + j);
            a.any(i, j) = static_cast<int>(10 * i + j);
        }
    }
}

struct no_args {
    char nothing;
};

void count_kernel(const void *, const int64_t *begin, const int64_t *end, void *acc)
{
    *static_cast<int64 *>(acc) += (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
}

struct rows_args {
    pkc::view<double, 1> x;
};

void rows_kernel(const void *p, int64_t begin, int64_t end, void *handle)
{
    const int64 league_size = static_cast<const pkc_team_handle *>(handle)->league_size;
    const rows_args a = *static_cast<const rows_args *>(p);
    for (int64 rank = begin; rank < end; ++rank) {
        a.x(rank) = static_cast<double>(league_size - rank);
    }
}

void leagues_kernel(const void *, int64_t begin, int64_t end, void *, void *acc)
{
    *static_cast<unsigned *>(acc) += static_cast<unsigned>(end - begin);
}

struct scalars_args {
    pkc::view<double, 1> out;
    bool b;
    pkc::int8 i8;
    pkc::int16 i16;
    pkc::int32 i32;
    pkc::int64 i64;
    pkc::uint8 u8;
    pkc::uint16 u16;
    pkc::uint32 u32;
    pkc::uint64 u64;
    float f;
    double d;
    pkc::complex<float> cf;
    pkc::complex<double> cd;
};

void scalars_kernel(const void *p, int64_t begin, int64_t end)
{
    const scalars_args a = *static_cast<const scalars_args *>(p);
    if (begin < end) {
        const double values[] = {a.b ? 1.0 : 0.0,
                                 static_cast<double>(a.i8),
                                 static_cast<double>(a.i16),
                                 static_cast<double>(a.i32),
                                 static_cast<double>(a.i64),
                                 static_cast<double>(a.u8),
                                 static_cast<double>(a.u16),
                                 static_cast<double>(a.u32),
                                 static_cast<double>(a.u64),
                                 static_cast<double>(a.f),
                                 a.d,
                                 static_cast<double>(a.cf.re),
                                 static_cast<double>(a.cf.im),
                                 a.cd.re,
                                 a.cd.im};
        for (int i = 0; i < 15; ++i) {
            a.out(i) = values[i];
        }
    }
}

void phase_kernel(const void *, int64_t begin, int64_t end, void *acc)
{
    auto *const z = static_cast<pkc::complex<double> *>(acc);
    for (int64 i = begin; i < end; ++i) {
        z->re += 1.0;
        z->im += static_cast<double>(i);
    }
}

void all_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const auto a = *static_cast<const bytes_args *>(p);
    bool *const all = static_cast<bool *>(acc);
    for (int64 i = begin; i < end; ++i) {
        *all = *all && a.x(i) != 0;
    }
}

/* A parameter named as the runtime's own keywords; its policy comes by position alone. */
struct names_args {
    int64 policy, reducer;
};

void names_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const auto a = *static_cast<const names_args *>(p);
    for (int64 i = begin; i < end; ++i) {
        *static_cast<int64 *>(acc) += a.policy * a.reducer;
    }
}

struct lattice_args {
    int64 n;
    pkc::view<double, 1> cells;
    double by;
};

void step_kernel(const void *p, int64_t begin, int64_t end)
{
    const auto a = *static_cast<const lattice_args *>(p);
    for (int64 i = begin; i < end; ++i) {
        a.cells(i) += a.by * static_cast<double>(a.n);
    }
}

struct lattice_fields_args {
    int64 n;
    pkc::view<double, 1> cells;
};

void energy_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const auto a = *static_cast<const lattice_fields_args *>(p);
    for (int64 i = begin; i < end; ++i) {
        *static_cast<double *>(acc) += a.cells(i);
    }
}

struct many_args {
    int64 p[40];
};

void many_kernel(const void *p, int64_t begin, int64_t end, void *acc)
{
    const auto a = *static_cast<const many_args *>(p);
    if (begin < end) {
        for (int i = 0; i < 40; ++i) {
            *static_cast<int64 *>(acc) += (i + 1) * a.p[i];
        }
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

#define AT(type, member) static_cast<uint32_t>(__builtin_offsetof(type, member))
#define SCALAR(type, member, dtype)                           \
    {                                                         \
#member, dtype, AT(type, member), PKC_SCALAR, 0, 0, 0 \
    }
#define VIEW(type, member, dtype, rank)                        \
    {                                                          \
#member, dtype, AT(type, member), PKC_VIEW, rank, 0, 0 \
    }
#define KERNEL(function) reinterpret_cast<pkc_any_kernel *>(function), nullptr, nullptr
#define SIZE(type) static_cast<uint32_t>(sizeof(type))

const pkc_parameter scale_double[] = {VIEW(scale_args<double>, x, "float64", 1),
                                      SCALAR(scale_args<double>, k, "float64")};
const pkc_parameter scale_float[] = {VIEW(scale_args<float>, x, "float32", 1),
                                     SCALAR(scale_args<float>, k, "float32")};
const pkc_parameter scale_int[] = {VIEW(scale_args<int>, x, "int32", 1),
                                   SCALAR(scale_args<int>, k, "int32")};
const pkc_parameter pair[] = {VIEW(pair_args, x, "float64", 1), VIEW(pair_args, y, "float64", 1)};
const pkc_parameter one[] = {VIEW(one_args, x, "float64", 1)};
const pkc_parameter bytes[] = {VIEW(bytes_args, x, "int8", 1)};
const pkc_parameter prefix[] = {VIEW(scan_args, x, "int64", 1)};
const pkc_parameter grid[] = {
    VIEW(grid_args, right, "int32", 2),
    {"left", "int32", AT(grid_args, left), PKC_VIEW, 2, PKC_LAYOUT_LEFT, 0},
    {"any", "int32", AT(grid_args, any), PKC_VIEW, 2, PKC_LAYOUT_STRIDE, 0},
};
const pkc_parameter rows[] = {VIEW(rows_args, x, "float64", 1)};
const pkc_parameter scalars[] = {
    VIEW(scalars_args, out, "float64", 1), SCALAR(scalars_args, b, "bool"),
    SCALAR(scalars_args, i8, "int8"),      SCALAR(scalars_args, i16, "int16"),
    SCALAR(scalars_args, i32, "int32"),    SCALAR(scalars_args, i64, "int64"),
    SCALAR(scalars_args, u8, "uint8"),     SCALAR(scalars_args, u16, "uint16"),
    SCALAR(scalars_args, u32, "uint32"),   SCALAR(scalars_args, u64, "uint64"),
    SCALAR(scalars_args, f, "float32"),    SCALAR(scalars_args, d, "float64"),
    SCALAR(scalars_args, cf, "complex64"), SCALAR(scalars_args, cd, "complex128"),
};
const pkc_parameter names[] = {SCALAR(names_args, policy, "int64"),
                               SCALAR(names_args, reducer, "int64")};
const pkc_parameter lattice[] = {SCALAR(lattice_args, n, "int64"),
                                 VIEW(lattice_args, cells, "float64", 1),
                                 SCALAR(lattice_args, by, "float64")};
const pkc_parameter lattice_fields[] = {SCALAR(lattice_fields_args, n, "int64"),
                                        VIEW(lattice_fields_args, cells, "float64", 1)};

#define MANY(i)                                                                          \
    {                                                                                    \
        "p" #i, "int64", static_cast<uint32_t>((i) * sizeof(int64)), PKC_SCALAR, 0, 0, 0 \
    }
#define MANY8(a, b, c, d, e, f, g, h) \
    MANY(a), MANY(b), MANY(c), MANY(d), MANY(e), MANY(f), MANY(g), MANY(h)
const pkc_parameter many[] = {
    MANY8(0, 1, 2, 3, 4, 5, 6, 7),         MANY8(8, 9, 10, 11, 12, 13, 14, 15),
    MANY8(16, 17, 18, 19, 20, 21, 22, 23), MANY8(24, 25, 26, 27, 28, 29, 30, 31),
    MANY8(32, 33, 34, 35, 36, 37, 38, 39),
};

const pkc_workunit workunits[] = {
    {"scale", "kernels::scale", "scale(i: int, x: View1D[double], k: double)", 0, 0, 1, 0, nullptr,
     0, SIZE(scale_args<double>), 0, 2, scale_double, KERNEL(scale_kernel<double>)},
    {"dot", "kernels::dot", "dot(i: int, acc: Acc[double], x: View1D[double], y: View1D[double])",
     1, 0, 1, 0, "float64", 0, SIZE(pair_args), 0, 2, pair, KERNEL(dot_kernel)},
    {"largest", "kernels::largest", "largest(i: int, acc: Acc[double], x: View1D[double])", 1, 0, 1,
     0, "float64", 0, SIZE(one_args), 0, 1, one, KERNEL(largest_kernel)},
    {"where", "kernels::where", "where(i: int, acc: Acc[double], x: View1D[double])", 1, 0, 1, 0,
     "float64", PKC_ACC_VAL_LOC, SIZE(one_args), 0, 1, one, KERNEL(where_kernel)},
    {"span", "kernels::span", "span(i: int, acc: Acc[int8], x: View1D[int8])", 1, 0, 1, 0, "int8",
     PKC_ACC_MIN_MAX_LOC, SIZE(bytes_args), 0, 1, bytes, KERNEL(span_kernel)},
    {"ends", "kernels::ends", "ends(i: int, acc: Acc[int8], x: View1D[int8])", 1, 0, 1, 0, "int8",
     PKC_ACC_MIN_MAX, SIZE(bytes_args), 0, 1, bytes, KERNEL(ends_kernel)},
    {"prefix", "kernels::prefix", "prefix(i: int, acc: Acc[int64], last: bool, x: View1D[int64])",
     2, 0, 1, 0, "int64", 0, SIZE(scan_args), 0, 1, prefix, KERNEL(prefix_kernel)},
    {"fill", "kernels::fill", "fill(i: int, j: int, …)", 0, 1, 2, 0, nullptr, 0, SIZE(grid_args), 0,
     3, grid, KERNEL(fill_kernel)},
    {"count", "kernels::count", "count(i: int, j: int, k: int, acc: Acc[int64])", 1, 1, 3, 1,
     "int64", 0, SIZE(no_args), 0, 0, nullptr, KERNEL(count_kernel)},
    {"rows", "kernels::rows", "rows(t: TeamMember, x: View1D[double])", 0, 2, 1, 0, nullptr, 0,
     SIZE(rows_args), 0, 1, rows, KERNEL(rows_kernel)},
    {"leagues", "kernels::leagues", "leagues(t: TeamMember, acc: Acc[uint32])", 1, 2, 1, 0,
     "uint32", 0, SIZE(no_args), 0, 0, nullptr, KERNEL(leagues_kernel)},
    {"scalars", "kernels::scalars", "scalars(i: int, out: View1D[double], …)", 0, 0, 1, 0, nullptr,
     0, SIZE(scalars_args), 0, 14, scalars, KERNEL(scalars_kernel)},
    {"phase", "kernels::phase", "phase(i: int, acc: Acc[complex128])", 1, 0, 1, 0, "complex128", 0,
     SIZE(no_args), 0, 0, nullptr, KERNEL(phase_kernel)},
    {"all", "kernels::all", "all(i: int, acc: Acc[bool], x: View1D[int8])", 1, 0, 1, 0, "bool", 0,
     SIZE(bytes_args), 0, 1, bytes, KERNEL(all_kernel)},
    {"names", "kernels::names", "names(i: int, acc: Acc[int64], policy: int, reducer: int)", 1, 0,
     1, 0, "int64", 0, SIZE(names_args), 0, 2, names, KERNEL(names_kernel)},
    {"many", "kernels::many", "many(i: int, acc: Acc[int64], p0: int, …)", 1, 0, 1, 0, "int64", 0,
     SIZE(many_args), 0, 40, many, KERNEL(many_kernel)},
    {"only_here", "kernels::only_here", "only_here(i: int, x: View1D[double], k: double)", 0, 0, 1,
     0, nullptr, 0, SIZE(scale_args<double>), 0, 2, scale_double, KERNEL(scale_kernel<double>)},
    {"größe", "kernels::größe", "größe(i: int, x: View1D[double], k: double)", 0, 0, 1, 0, nullptr,
     0, SIZE(scale_args<double>), 0, 2, scale_double, KERNEL(scale_kernel<double>)},
};

const pkc_workunit lattice_workunits[] = {
    {"step", "kernels::Lattice.step", "step(self, i: int, by: double)", 0, 0, 1, 0, nullptr, 0,
     SIZE(lattice_args), 2, 3, lattice, KERNEL(step_kernel)},
    {"energy", "kernels::Lattice.energy", "energy(self, i: int, acc: Acc[double])", 1, 0, 1, 0,
     "float64", 0, SIZE(lattice_fields_args), 2, 2, lattice_fields, KERNEL(energy_kernel)},
};

const pkc_class classes[] = {{"Lattice", 2, lattice_fields, 2, lattice_workunits}};

/* scale again, with other types: a name that two sources have. */
const pkc_workunit other_workunits[] = {
    {"scale", "sub.a::scale", "scale(i: int, x: View1D[double], k: double)", 0, 0, 1, 0, nullptr, 0,
     SIZE(scale_args<double>), 0, 2, scale_double, KERNEL(scale_kernel<double>)},
    {"scale", "sub.a::scale", "scale(i: int, x: View1D[float], k: float)", 0, 0, 1, 0, nullptr, 0,
     SIZE(scale_args<float>), 0, 2, scale_float, KERNEL(scale_kernel<float>)},
    {"scale", "sub.a::scale", "scale(i: int, x: View1D[int32], k: int32)", 0, 0, 1, 0, nullptr, 0,
     SIZE(scale_args<int>), 0, 2, scale_int, KERNEL(scale_kernel<int>)},
};

const pkc_source_module kernels = {"kernels", sizeof workunits / sizeof *workunits, workunits, 1,
                                   classes};
const pkc_source_module sub_a = {"sub.a", 3, other_workunits, 0, nullptr};
const pkc_source_module *const sources[] = {&kernels, &sub_a};

} // namespace

#ifndef EXAMPLE
#define EXAMPLE runtime_example
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOINED_OF(a, b) a##b
#define JOINED(a, b) JOINED_OF(a, b)

extern "C" PKC_EXPORT void *JOINED(PyInit_, EXAMPLE)(void)
{
    static const pkc_module module = {PKC_DISPATCH_VERSION, TEXT(EXAMPLE), 2, sources,
                                      pkc_dispatch_under_test()};
    return pkc_python_init(&module);
}
