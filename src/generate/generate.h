/*
 * generate: the Python files of one target -> kernel TUs, dispatch TU, headers, module table,
 * fragments, status, depfile; each written only when its bytes change.
 */
#ifndef PKC_GENERATE_H
#define PKC_GENERATE_H

#include "kernel/kernel.h"
#include "python/python.h"
#include "support/support.h"

/* Only a part of a target: some of its files, of those only some blocks, and their workunits. */
struct gen_part {
    const struct str *module_names; /* what the files' modules are called in the whole target */
    py_skip_fn *skip;
    py_ask_fn *ask;
    bool (*wants)(void *context, const struct py_workunit *w);
    void *context;
};

struct gen_request {
    struct str target;      /* the CMake target's, or the library's, name */
    struct str output_dir;  /* all generated files go below it */
    struct str source_dir;  /* relative sources, and module names, are relative to it */
    struct str project;     /* names the program's part that the target belongs to; may be empty */
    struct str project_dir; /* its folder; empty: source_dir */
    const struct str *sources; /* .py files as given */
    size_t source_count;
    const struct str *instantiate; /* INSTANTIATE entries */
    size_t instantiate_count;
    const struct str *fuse; /* FUSE entries: "both = scale + shift" */
    size_t fuse_count;
    enum type_kind default_real;
    struct str execution_space; /* "" : Kokkos::DefaultExecutionSpace */
    bool python_module;         /* write the module table too */
    struct str module_name;     /* its name in `import`; empty: `target` */
    bool cmake_fragment, ninja_fragment;
    /* With more kernels than this, many are in one TU, which the launcher takes apart; 0: never. */
    size_t group_over;
    const struct gen_part *part; /* NULL: the whole target */
};

/* One kernel that was generated (or would be, for `list`). */
struct gen_workunit {
    const struct py_workunit *workunit;
    const struct kernel *kernel; /* NULL: refused; the diags have scope = its qualified name */
    struct sha256 ast_hash;
    struct str tag; /* the inline namespace that the kernel is in: other modules of the same name,
                       in the same program, have another */
    struct str module;                         /* "kernels", "sub.a": unique in the target */
    const struct instantiation *instantiation; /* NULL: the source alone fixes all types */
    const struct gen_workunit *const *parts;   /* of a fused one: what it is made of, in order */
    size_t part_count;
    struct str file; /* kernel TU, relative to output_dir: "kernels/scale.kernel.cpp" */
};

/* A host function of a class that could not be translated. */
struct gen_absent {
    struct str module, class_name, name;
    struct str reason; /* for who calls it */
};

struct gen_module {
    const struct py_module *source;
    struct str name;   /* "kernels", "sub.a": the shortest path suffix unique in the target */
    struct str header; /* "kernels.hpp", "sub/a.hpp", below output_dir/include */
};

struct gen_result {
    struct gen_module *modules;
    size_t module_count;
    struct gen_workunit *workunits;
    size_t
        workunit_count; /* kernels, and host functions (kernel->host) after those of their class */
    const struct gen_absent **absent;
    size_t absent_count;
    size_t written; /* files whose bytes changed */
};

/* Reads, lowers; nothing is written. False: some file or workunit was refused (see `diags`);
 * `result` holds all that could be read. */
bool gen_analyse(struct arena *a, const struct gen_request *request, struct diags *diags,
                 struct gen_result *result);

/* Writes the outputs of an analysed target (only when nothing was refused). Kernel TUs that no
 * longer belong to the target are removed. False: an output could not be written. */
bool gen_write(struct arena *a, const struct gen_request *request, struct gen_result *result,
               struct error *e);

/* Digest of all that headers and module tables hold because of these workunits (all kernels of one
 * definition): where it is the same, so are they. */
bool gen_shown(struct arena *a, const struct gen_request *request, const struct gen_module *module,
               const struct gen_workunit *workunits, size_t count, struct sha256 *out);

/* Writes the kernel TUs of a part, whose list of kernels and whose headers are as they were; the
 * whole target has `kernels` of them. The paths written, relative to output_dir, go to `written`
 * (struct str *). False: an output could not be written, or is not as gen_write left it. */
bool gen_write_part(struct arena *a, const struct gen_request *request,
                    const struct gen_result *result, size_t kernels, struct vec *written,
                    struct error *e);
/* The paths that the last gen_write wrote, relative to output_dir (struct str *). False: the list
 * cannot be read. */
bool gen_list_files(struct arena *a, const struct gen_request *request, struct vec *files,
                    struct error *e);

/* Is this one of those paths a TU of many kernels? */
bool gen_is_group(struct str path);

/* Files in output_dir that gen_write makes:
 *   <module path>/<symbol>.kernel.cpp, .kernel.meta   one a kernel
 *   groups/<n>-of-<groups>.kernel.cpp                 or many kernels in each of these
 *   kokkos.dispatch.cpp                               the one TU that includes Kokkos; its name is
 *                                                     the same for all targets, since objects hold it
 *   include/<module path>.hpp                         the C++ API
 *   <target>.module.cpp                               the Python module's table (python_module)
 *   <target>.cmake                                    lists for CMake: <target>_KERNELS, …
 *   <target>.ninja                                    the same as build edges
 * gen_* functions that make each text alone are in the folder's private headers. */

#endif
