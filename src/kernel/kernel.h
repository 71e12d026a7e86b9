/*
 * kernel: one workunit, its types fixed -> typed IR -> C++ text. The language's rules live here.
 *
 * lower_*.c: AST -> IR (types, names, Python's meaning, every refusal).
 * emit_*.c:  IR -> C++ text of the kernel TU (recipe: accumulators, widths, restrict clones).
 */
#ifndef PKC_KERNEL_H
#define PKC_KERNEL_H

#include "kernel/ir.h"
#include "kernel/types.h"
#include "python/python.h"
#include "support/support.h"

enum operation { OPERATION_FOR, OPERATION_REDUCE, OPERATION_SCAN };
enum policy { POLICY_RANGE, POLICY_MDRANGE, POLICY_TEAM };

struct parameter {
    struct str name;          /* Python's */
    const struct type *type;
    const struct ast_node *node;
    const struct ir_var *var;
};

/* What a kernel needs beyond plain code; decides flags and the form of its TU. */
enum kernel_need {
    NEED_ATOMICS = 1,   /* follows PKC_ATOMICS_BYPASS */
    NEED_KOKKOS = 2,    /* its body needs Kokkos itself: functor form */
    NEED_TEAM = 4,
    NEED_PRINTF = 8,
};

/* An item of @pk.workunit(scratch=[(T, lambda p: count), …]): memory of the team, level 0. Its count
 * is an expression of parameters, fields and the team's size. */
struct kernel_scratch {
    const struct type *element;
    const struct ir_expr *count;
};

/* A workunit with every type fixed: an instantiation. */
struct kernel {
    /* signature */
    const struct py_workunit *workunit;
    struct str name;            /* "step" */
    struct str qualified;       /* "Lattice.step" */
    struct str class_name;      /* "Lattice" or empty */
    struct str fused;           /* "scale + shift": the workunits of a fused one; else empty */
    struct str instance;        /* empty where the source alone fixes all types; else a short stable
                                   suffix made of the types, [A-Za-z0-9_]: one an instantiation */
    enum operation operation;
    enum policy policy;
    int rank;                   /* work indices: 1; MDRange 2..6 */
    const struct type *acc;     /* reduce, scan: accumulator's storage type */
    bool acc_is_loc;            /* acc has .val/.loc (MinLoc, MaxLoc) or min_/max_ members */
    struct parameter *parameters; /* after index, accumulator, last_pass; all of them ARGS */
    size_t parameter_count;
    struct parameter *fields;   /* annotated fields of the functor class, all of them, in order */
    size_t field_count;
    struct parameter *leading;  /* index/team, acc, last_pass as written: names and types */
    size_t leading_count;
    struct str signature;       /* canonical text: name, operation, policy, rank, ordered names and
                                   types (leading ones too), fields; what signature_hash hashes */
    struct sha256 signature_hash;

    bool host; /* no workunit but a host function that calls them: a @pk.main or @pk.callback */

    /* body */
    const struct ir_var **vars;
    size_t var_count;
    struct ir_block body;
    const struct ir_function **functions; /* reached helpers, callees first; inner ones too */
    size_t function_count;
    const struct struct_type **structs;
    size_t struct_count;
    const struct kernel_scratch *scratch; /* declared by its decorator */
    size_t scratch_count;
    unsigned needs;             /* enum kernel_need */
};

/* One INSTANTIATE entry: "axpy(x: View1D[float], a: float)". Parameters with annotation in the
 * source may be left out; `i: index, j: index` marks work indices (MDRange where more than one). */
struct instantiation {
    struct str text;            /* as the user wrote it */
    struct str workunit;        /* "axpy" or "Lattice.step" */
    struct str *names;
    const struct type **types;  /* NULL: an index */
    size_t count;
};

/* What lowering keeps between the workunits of one run (the call sites of a module). */
struct kernel_cache;
struct kernel_cache *kernel_cache_new(struct arena *a);

struct kernel_options {
    enum type_kind default_real; /* TYPE_FLOAT or TYPE_DOUBLE: what pk.real is */
    struct kernel_cache *cache;  /* NULL: nothing is kept, which costs time in large modules */
};

/* Parses an INSTANTIATE entry; false: `error` says what is wrong with it, and where in it. */
bool instantiation_parse(struct arena *a, struct str text, enum type_kind default_real,
                         struct instantiation *out, struct error *error);

/* Lowers one workunit; `instantiation` may be NULL. NULL: refused, the diags say why (all reasons,
 * scope = the workunit's qualified name). */
const struct kernel *kernel_lower(struct arena *a, const struct py_workunit *w,
                                  const struct instantiation *instantiation,
                                  const struct kernel_options *options);

/* One of the workunits that a fused one is made of, with the INSTANTIATE entry that fixes its types
 * (NULL: none). */
struct kernel_part {
    const struct py_workunit *workunit;
    const struct instantiation *instantiation;
};

/* One kernel of several workunits, all of which kernel_lower takes: for each index the first body,
 * then the second and so on. A parameter that several have under one name with one type is one
 * parameter; where the types differ they are fused_NAME_0, fused_NAME_1, as PyKokkos names them.
 * `fused` has the new name, and the place and class of the first part. NULL: refused, the diags say
 * why (scope = the new qualified name). */
const struct kernel *kernel_fuse(struct arena *a, const struct py_workunit *fused,
                                 const struct kernel_part *parts, size_t count,
                                 const struct kernel_options *options);

/* A workunit as a host function calls it. */
struct host_callee {
    const struct kernel *kernel;
    struct str label;    /* what tools see */
    int left_to_right;   /* MDRange: as dispatch.h has it */
};

/* Why something could not be made, and where. */
struct kernel_reason {
    const struct py_module *module;
    struct ast_span span;
    struct str message, hint;
};

/* Lowers a @pk.main or @pk.callback method of a workload class, which may call `callees`: workunits
 * of that class. NULL: it uses what a translated one cannot; `reason` says what. Nothing is added to
 * the diags then. */
const struct kernel *kernel_lower_host(struct arena *a, const struct py_workunit *method,
                                       const struct host_callee *callees, size_t count,
                                       const struct kernel_options *options,
                                       struct kernel_reason *reason);

/* A valid C++ identifier for a Python name, injective: keywords, macros and names that the kernel
 * TU's own text uses get a trailing '_', names that already end so one more; non-ASCII letters as
 * they are where C++ takes them. */
struct str cpp_identifier(struct arena *a, struct str python_name);

/* The same for the outermost part of a module's namespace: names that the C library has at global
 * scope get a trailing '_' too ("index.py"). */
struct str cpp_namespace(struct arena *a, struct str python_name);

/* The C++ name of the kernel's function and ARGS: identifier(class)__identifier(name)[__instance],
 * unique in its module's namespace. */
struct str kernel_symbol(struct arena *a, const struct kernel *k);

/* The C++ text of `struct <symbol>_args { … };` — depends on the signature alone; used by kernel TU,
 * header and module table alike. Views are pkc::view<T, rank, layout>, scalars their storage type;
 * fields first, then parameters. */
void kernel_args_struct(struct buf *out, const struct kernel *k);
/* The name of its member i: of field i, or of parameter i - field_count. */
struct str kernel_args_member(struct arena *a, const struct kernel *k, size_t i);

/* The declaration `void <symbol>_kernel(const void *args, …);` without the ';'. See
 * include/pykokkos_cache/dispatch.h for the five shapes. */
void kernel_declaration(struct buf *out, const struct kernel *k);
/* Of a team kernel: `void <symbol>_plan(const void *args, void *needs)` without the ';'. */
void kernel_plan_declaration(struct buf *out, const struct kernel *k);

/* The declaration `const pkc::uint8 <symbol>_stores_[]` without the ';': for each field and
 * parameter nonzero where the kernel may store to it. The kernel TU defines it, so that what callers
 * include does not depend on bodies. False: the kernel has no arrays, and no such constant. */
bool kernel_stores_declaration(struct buf *out, const struct kernel *k);

/* The whole kernel TU, from templates/. `namespace_parts`: the module's C++ namespace, outermost
 * first ("sub", "a"); `tag`: an inline namespace in it. `python_file`: for the comment, as the user named it, no absolute path. */
void kernel_tu(struct buf *out, const struct kernel *k, const struct str *namespace_parts,
               size_t namespace_count, struct str tag, struct str python_file);

#endif
