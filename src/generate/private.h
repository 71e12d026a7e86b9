/*
 * Private to generate.
 *
 * name.c      modules' names, namespaces, file names, identifiers made of a target's name
 * instance.c  INSTANTIATE entries to workunits
 * fuse.c      FUSE entries: workunits made of others
 * host.c      @pk.main: host functions of workload classes
 * analyse.c   files -> workunits -> kernels and hashes
 * cpp.c       C++ text that header and table share: types, strings, signatures
 * header.c    the C++ header of a module
 * table.c     the Python module's table
 * group.c     kernel TUs of large targets, many in one file
 * part.c      what is written of a few changed workunits
 * fragment.c  the lists for CMake and Ninja
 * write.c     all files of a target, and what is left of earlier ones
 */
#ifndef PKC_GENERATE_PRIVATE_H
#define PKC_GENERATE_PRIVATE_H

#include "generate/generate.h"

/* ---- names ---------------------------------------------------------------------------------- */

/* Gives each module its name, namespace and header: the shortest suffix of its path that no other
 * has. `paths`: absolute, without ".py", "__init__" dropped. False: two C++ namespaces would be
 * the same, `e` says which. */
bool gen_name_modules(struct arena *a, struct gen_module *modules, const struct str *paths,
                      size_t count, struct error *e);
/* "sub.a" -> the C++ namespace's parts: "sub", "a". */
const struct str *gen_namespace(struct arena *a, struct str module_name, size_t *count);
/* Gives each workunit that has a kernel its tag. */
void gen_tag(struct arena *a, const struct gen_request *r, struct gen_result *result);
/* "sub::a" */
struct str gen_namespace_text(struct arena *a, struct str module_name);
/* The kernel TU of a symbol: safe on every file system, different for different symbols even where
 * upper and lower case are the same, short. */
struct str gen_kernel_file(struct arena *a, struct str module_name, struct str symbol);
/* The same for a host function's file. */
struct str gen_host_file(struct arena *a, struct str module_name, struct str symbol);
/* `prefix` and `name` as a C identifier, different for different names. */
struct str gen_identifier(struct arena *a, const char *prefix, struct str name);
/* "Serial" -> "::Kokkos::Serial"; empty -> Kokkos' default. */
struct str gen_space(struct arena *a, const struct gen_request *r);
/* The function that gives the dispatch table: of the space and the version of our dispatch headers, so
 * that all targets of a space have the same dispatch TU, compiled once for all of them, and libraries
 * of other versions in the same program have another function. */
struct str gen_dispatch_symbol(struct arena *a, const struct gen_request *r);
/* The folder that sources are relative to, absolute. */
struct str gen_source_dir(struct arena *a, const struct gen_request *r);
/* The file as a comment names it: relative to the sources' folder, never an absolute path. */
struct str gen_python_file(struct arena *a, const struct gen_request *r,
                           const struct gen_module *m);
/* Bytes other than letters, digits and "_-./:," become %XX. */
struct str gen_percent(struct arena *a, struct str s);
struct str gen_percent_decode(struct arena *a, struct str s);

/* ---- INSTANTIATE ---------------------------------------------------------------------------- */

struct gen_entry {
    struct instantiation parsed;
    bool valid;
    bool used;
};

/* Parses all entries; those that are wrong are in the diags. */
struct gen_entry *gen_entries(struct arena *a, const struct gen_request *r, struct diags *diags);
/* Is the entry for this workunit of this module? */
bool gen_entry_fits(const struct gen_entry *entry, struct str module, struct str qualified);
/* Is `name` this workunit: "Lattice.step", or with the module in front "sub.a.Lattice.step"? */
bool gen_is_called(struct str name, struct str module, struct str qualified);
/* The name nearest to `name` of workunits (struct gen_workunit *); empty: none is near. */
struct str gen_nearest_workunit(struct str name, const struct vec *found);
/* Errors for entries that no workunit took. */
void gen_unused_entries(struct arena *a, const struct gen_request *r,
                        const struct gen_entry *entries, const struct vec *found,
                        struct diags *diags);

/* ---- FUSE ----------------------------------------------------------------------------------- */

/* Adds the fused workunits to those found (struct gen_workunit *). */
void gen_fuse(struct arena *a, const struct gen_request *r, struct kernel_cache *cache,
              struct vec *found, struct diags *diags);

/* ---- host functions ------------------------------------------------------------------------- */

/* Adds the host functions of workload classes to those found (struct gen_workunit *), or to
 * `absent` (struct gen_absent *) where they cannot be translated. */
void gen_hosts(struct arena *a, const struct gen_request *r, struct kernel_cache *cache,
               struct vec *found, struct vec *absent);

/* ---- C++ text ------------------------------------------------------------------------------- */

/* A string literal, quotes and all. */
struct str gen_c_string(struct arena *a, struct str s);
/* A scalar as callers have it: "double", "::std::int32_t", "::Kokkos::complex<float>". */
const char *gen_kokkos_scalar(enum type_kind k);
/* The members of an accumulator. */
enum gen_acc { GEN_ACC_SCALAR, GEN_ACC_VAL_LOC, GEN_ACC_MIN_MAX, GEN_ACC_MIN_MAX_LOC };
enum gen_acc gen_acc_form(const struct kernel *k);
const char *gen_acc_form_name(enum gen_acc form);
enum type_kind gen_acc_scalar(const struct kernel *k);
/* "pkc::layout::right" and the like, with "::" in front. */
const char *gen_layout(enum view_layout layout);
/* Is it an array that the kernel never stores to? */
bool gen_read_only(const struct parameter *p);
/* Is the leftmost index of an MDRange kernel its contiguous one? */
bool gen_left_to_right(const struct kernel *k);
/* "scale(i: int, x: View1D[double], k: double)" */
struct str gen_signature(struct arena *a, const struct kernel *k);
/* "sub.a::Lattice.step": what tools and messages show. */
struct str gen_label(struct arena *a, const struct gen_workunit *w);
/* Field i, then parameter i - field_count. */
const struct parameter *gen_parameter(const struct kernel *k, size_t i);
/* NULL: it can be passed from C++ and Python; else its type as the user writes it. */
const struct type *gen_unsupported_parameter(const struct kernel *k);
/* #include lines for the ARGS of these kernels. */
void gen_args_includes(struct buf *b, const struct gen_result *r, struct str module);
/* ARGS structs and declarations of a module's kernels, in their namespace. */
void gen_args_and_declarations(struct arena *a, struct buf *b, const struct gen_result *r,
                               struct str module);

/* The workunits of each class of a module (empty: those of none), in order: class name -> struct
 * vec of const struct gen_workunit *. */
void gen_find_classes(struct arena *a, const struct gen_result *result, struct str module,
                      struct map *classes);

/* ---- whole files ---------------------------------------------------------------------------- */

/* `text` without the blank lines that it begins with, where a template has its own. */
struct str gen_without_leading_blanks(struct str text);
struct str gen_dispatch(struct arena *a, const struct gen_request *r);
struct str gen_header(struct arena *a, const struct gen_request *r, const struct gen_result *result,
                      const struct gen_module *m);
struct str gen_table(struct arena *a, const struct gen_request *r, const struct gen_result *result);
struct str gen_meta(struct arena *a, const struct gen_workunit *w);

/* group.c: in how many groups the kernels of this target are; 0: each has its own TU. */
size_t gen_group_count(const struct gen_request *r, size_t kernels);
/* The file of a kernel's group: "groups/7-of-64.kernel.cpp", from its own file's name alone. */
struct str gen_group_file(struct arena *a, struct str kernel_file, size_t groups);
/* Adds a kernel to a group's text. */
void gen_group_add(struct buf *b, const struct gen_workunit *w, struct str meta, struct str text);

/* write.c: the text of a kernel's TU. */
struct str gen_kernel_text(struct arena *a, const struct gen_request *r,
                           const struct gen_module *module, const struct gen_workunit *w);

/* The files of a target, relative to output_dir. */
struct gen_lists {
    struct vec kernels, dispatch, headers, module; /* struct str * */
};
struct str gen_cmake_fragment(struct arena *a, struct str target, const struct gen_lists *l);
struct str gen_ninja_fragment(struct arena *a, const struct gen_lists *l);

#endif
