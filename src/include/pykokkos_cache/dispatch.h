/*
 * The interface between kernels, the dispatch TU and their callers (the C++ header of a module, and
 * the Python runtime). Plain C: no Kokkos, no standard C++ header.
 *
 * One dispatch TU a target knows Kokkos; all else is type-erased. It changes only when the target's
 * execution space does, so neither a body nor a signature edit compiles Kokkos again.
 */
#ifndef PYKOKKOS_CACHE_DISPATCH_H
#define PYKOKKOS_CACHE_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PKC_MAX_RANK 6
/* Work indices lie within +-PKC_INDEX_MAX: then no arithmetic on one overflows unseen, and each has
 * an exact double. Ranges beyond are refused. */
#define PKC_INDEX_MAX ((int64_t)1 << 53)
#define PKC_LANES 4         /* accumulators handed to a reduce kernel */
#define PKC_ACC_MAX_SIZE 64 /* bytes of one accumulator at most */

/* The five shapes of a kernel's function. `args` points to its ARGS, which it copies first.
 * Ranges are half open. A reduce kernel gets PKC_LANES accumulators, consecutive, each holding the
 * reducer's identity or a partial value; it may use the first alone or all; the caller joins them
 * in order. A scan kernel has one accumulator: the value before `begin`; it leaves the value
 * after. */
typedef void pkc_range_for(const void *args, int64_t begin, int64_t end);
typedef void pkc_range_reduce(const void *args, int64_t begin, int64_t end, void *acc);
typedef void pkc_range_scan(const void *args, int64_t begin, int64_t end, void *acc,
                            int final_pass);
typedef void pkc_md_for(const void *args, const int64_t *begin, const int64_t *end);
typedef void pkc_md_reduce(const void *args, const int64_t *begin, const int64_t *end, void *acc);
/* Team policy, team size 1: league ranks [begin, end); `scratch`: this thread's scratch memory. */
typedef void pkc_team_for(const void *args, int64_t begin, int64_t end, int64_t league_size,
                          void *scratch);
typedef void pkc_team_reduce(const void *args, int64_t begin, int64_t end, int64_t league_size,
                             void *scratch, void *acc);

typedef void pkc_any_kernel(void);

/* How accumulators start and join. Both work on one accumulator of `size` bytes. */
struct pkc_reducer {
    const char *name; /* "Sum", "Max", "MinLoc", … */
    size_t size;
    void (*init)(void *acc);
    void (*join)(void *acc, const void *other);
};

enum pkc_schedule { PKC_SCHEDULE_STATIC, PKC_SCHEDULE_DYNAMIC };

struct pkc_range {
    const void *space; /* a Kokkos execution space instance (of the target's type); NULL: default */
    const char *label; /* what Kokkos Tools see: "module::workunit" */
    int64_t begin, end;
    int64_t chunk_size; /* 0: chosen */
    int schedule;       /* enum pkc_schedule */
};

struct pkc_mdrange {
    const void *space;
    const char *label;
    int rank; /* 2..6 */
    int64_t begin[PKC_MAX_RANK], end[PKC_MAX_RANK];
    int64_t tile[PKC_MAX_RANK]; /* 0: chosen */
    int left_to_right;          /* nonzero: the leftmost index is the kernel's innermost loop */
};

struct pkc_team {
    const void *space;
    const char *label;
    int64_t league_size;
    int team_size; /* <= 0: AUTO */
    int vector_length;
    int64_t scratch_bytes_team[2], scratch_bytes_thread[2]; /* levels 0 and 1 */
};

/* All return 0, or nonzero with `error` (of `error_size` bytes) set: Kokkos is not initialized, a
 * team size that this kernel cannot run, an exception inside Kokkos. `result`: one accumulator. */
struct pkc_dispatch {
    uint32_t version;            /* PKC_DISPATCH_VERSION */
    const char *execution_space; /* Kokkos' name of it */
    int (*is_initialized)(void);
    int (*initialize)(char *error,
                      size_t error_size); /* Kokkos::initialize(); 0 too where it was */
    void (*finalize)(void);
    int (*concurrency)(const void *space);
    int (*range_for)(const struct pkc_range *, pkc_range_for *, const void *args, char *error,
                     size_t error_size);
    int (*range_reduce)(const struct pkc_range *, pkc_range_reduce *, const void *args,
                        const struct pkc_reducer *, void *result, char *error, size_t error_size);
    int (*range_scan)(const struct pkc_range *, pkc_range_scan *, const void *args,
                      const struct pkc_reducer *, void *result, char *error, size_t error_size);
    int (*md_for)(const struct pkc_mdrange *, pkc_md_for *, const void *args, char *error,
                  size_t error_size);
    int (*md_reduce)(const struct pkc_mdrange *, pkc_md_reduce *, const void *args,
                     const struct pkc_reducer *, void *result, char *error, size_t error_size);
    int (*team_for)(const struct pkc_team *, pkc_team_for *, const void *args, char *error,
                    size_t error_size);
    int (*team_reduce)(const struct pkc_team *, pkc_team_reduce *, const void *args,
                       const struct pkc_reducer *, void *result, char *error, size_t error_size);
    /* The reducer of this name for a dtype ("float64", "int32", …); NULL: none such. */
    const struct pkc_reducer *(*reducer)(const char *name, const char *dtype);
    /* Nonzero: host threads may call the functions above at the same time. */
    int concurrent_calls;
};

#define PKC_DISPATCH_VERSION 1u

/* ---- a module's table, for the Python runtime ------------------------------------------------ */

enum pkc_parameter_kind { PKC_SCALAR, PKC_VIEW };
/* What an accumulator is made of: T; { T val; int64_t loc; }; { T min_val, max_val; };
 * { T min_val, max_val; int64_t min_loc, max_loc; }. Each has its reducers. */
enum pkc_acc_form { PKC_ACC_SCALAR, PKC_ACC_VAL_LOC, PKC_ACC_MIN_MAX, PKC_ACC_MIN_MAX_LOC };
enum pkc_layout { PKC_LAYOUT_RIGHT, PKC_LAYOUT_LEFT, PKC_LAYOUT_STRIDE };

/* In ARGS a view is { T *data; int64_t extent[rank]; int64_t stride[rank]; } (strides in elements),
 * a scalar its storage type. */
struct pkc_parameter {
    const char *name;
    const char *dtype; /* NumPy's name */
    uint32_t offset;   /* in ARGS */
    uint8_t kind;      /* enum pkc_parameter_kind */
    uint8_t rank;
    uint8_t layout;    /* enum pkc_layout */
    uint8_t read_only; /* nonzero: an array that the kernel never stores to */
};

struct pkc_workunit {
    const char *name;      /* "step"; instantiations of one workunit follow each other */
    const char *label;     /* "kernels::Lattice.step" */
    const char *signature; /* as a user would write it, for messages */
    int operation;         /* 0 for, 1 reduce, 2 scan */
    int policy;            /* 0 Range, 1 MDRange, 2 Team */
    int rank;
    int left_to_right;     /* MDRange: the leftmost index is the kernel's innermost loop */
    const char *acc_dtype; /* of T; NULL: for */
    int acc_form;          /* enum pkc_acc_form */
    uint32_t args_size;
    uint32_t field_count;     /* the first parameters are the class's fields */
    uint32_t parameter_count; /* fields too */
    const struct pkc_parameter *parameters;
    pkc_any_kernel *kernel;
};

struct pkc_class {
    const char *name;
    uint32_t field_count;
    const struct pkc_parameter *fields; /* offsets unused */
    uint32_t workunit_count;
    const struct pkc_workunit *workunits;
};

/* A generated module; several where a target has several source files. */
struct pkc_source_module {
    const char *name; /* "kernels", "sub.a" */
    uint32_t workunit_count;
    const struct pkc_workunit *workunits;
    uint32_t class_count;
    const struct pkc_class *classes;
};

struct pkc_module {
    uint32_t version; /* PKC_DISPATCH_VERSION */
    const char *name; /* of the Python extension */
    uint32_t source_count;
    const struct pkc_source_module *const *sources;
    const struct pkc_dispatch *dispatch;
};

#ifdef __cplusplus
}
#endif

#endif
