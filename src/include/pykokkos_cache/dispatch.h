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
/* Team policy: league ranks [begin, end), called by each thread of a team with its own struct
 * pkc_team_handle. With more than one thread a team, one league rank at a time. */
typedef void pkc_team_for(const void *args, int64_t begin, int64_t end, void *handle);
typedef void pkc_team_reduce(const void *args, int64_t begin, int64_t end, void *handle, void *acc);
/* What a team kernel needs of its launch: adds to a struct pkc_team_needs, given its team size. */
typedef void pkc_team_plan(const void *args, void *needs);

typedef void pkc_any_kernel(void);

/* Scratch memory is counted in four kinds. */
enum pkc_scratch_kind {
    PKC_SCRATCH_TEAM_0,
    PKC_SCRATCH_TEAM_1,
    PKC_SCRATCH_THREAD_0,
    PKC_SCRATCH_THREAD_1,
    PKC_SCRATCH_KINDS
};

/* A piece of scratch memory: `used` bytes from `data` are taken, `wanted` without padding. The
 * memory is larger than `size` by PKC_SCRATCH_PADDING. */
struct pkc_scratch {
    unsigned char *data;
    int64_t size, used, wanted;
};
#define PKC_SCRATCH_PADDING 256

/* One thread of a team, as kernels see it (team.hpp has the same bytes). A team of one never calls
 * `barrier` and has no `exchange`: two halves of a line for each thread, used in turn. */
struct pkc_team_handle {
    int64_t league_size, rank, size;
    void (*barrier)(struct pkc_team_handle *);
    /* Memory for what does not fit, of this thread alone; the launch fails in the end. */
    unsigned char *(*shortage)(struct pkc_team_handle *, int kind, int64_t bytes);
    unsigned char *exchange;
    int64_t phase;
    struct pkc_scratch scratch[PKC_SCRATCH_KINDS];
    void *owner; /* the dispatch's */
    int64_t league_rank; /* the kernel's own */
};
#define PKC_EXCHANGE_LINE 64 /* bytes a thread */

struct pkc_team_needs {
    int64_t team_size;
    /* Bytes that the workunit's decorator asks for: allocated beside the policy's. */
    int64_t declared[PKC_SCRATCH_KINDS];
    /* Bytes of the scratch views whose sizes are known before the launch. */
    int64_t used[PKC_SCRATCH_KINDS];
    /* Why the kernel can only run with one thread a team, with its place; NULL: it need not. */
    const char *one_thread;
};

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
    pkc_team_plan *plan; /* the kernel's; NULL: it needs nothing */
};

/* All return 0, or nonzero with `error` (of `error_size` bytes) set: Kokkos is not initialized, a
 * team size that cannot be, too little scratch memory, an exception inside Kokkos. `result`: one
 * accumulator. */
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

#define PKC_DISPATCH_VERSION 2u

/* ---- a module's table, for the Python runtime ------------------------------------------------ */

/* The operation of a class's host function, a translated @pk.main: no policy; ARGS are the fields,
 * of which it may assign the scalars that are not read_only. Without a `kernel` it could not be
 * translated, and `signature` says why. 0, or nonzero with the error set. */
#define PKC_HOST 3
typedef int pkc_host_function(void *args, const struct pkc_dispatch *, char *error,
                              size_t error_size);

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
    uint8_t read_only; /* nonzero: a List[T], which no kernel may store to */
};

struct pkc_workunit {
    const char *name;      /* "step"; instantiations of one workunit follow each other */
    const char *label;     /* "kernels::Lattice.step" */
    const char *signature; /* as a user would write it, for messages */
    int operation;         /* 0 for, 1 reduce, 2 scan, PKC_HOST */
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
    pkc_team_plan *plan; /* team policy; NULL: others */
    /* One a parameter, fields too: nonzero where the kernel may store to it. NULL: to all. */
    const uint8_t *stores;
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
