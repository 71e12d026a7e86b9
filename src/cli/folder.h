/*
 * A build folder without CMake:
 *
 *   build.ninja                      rules; includes the edges
 *   pykokkos/toolchain-<digest>      what CMake said of this machine
 *   pykokkos/<name>/                 the target (see target.h)
 *   pykokkos/<name>/<name>.edges     one edge a kernel, and the link: written by each generation
 *   pkc/<key>.o                      objects of kernels, or of groups of them, named by what they
 * were made of pkc/parts/<name>/<group>/        a group's kernels, each by itself (see
 * launch/group.c) lib<name>.so, <name>.<abi>.so    the result
 *
 * An object's name is its key, so that only its presence matters: an edit taken back finds the
 * object of before and links.
 */
#ifndef PKC_CLI_FOLDER_H
#define PKC_CLI_FOLDER_H

#include "cli/arguments.h"
#include "cli/target.h"
#include "cli/toolchain.h"

/* build.ninja's first line: a folder whose build.ninja begins otherwise is not ours to change. */
#define FOLDER_MARKER "# Written by pykokkos-cache: kernels of Python files"

/* The options of `ninja` and `build`. */
struct folder_arguments {
    struct arguments args;
    struct str dir;
    struct str kokkos;
    struct str group_over;
    bool is_static;
};

void folder_arguments_init(struct folder_arguments *s, struct arena *a);

#define FOLDER_OPTIONS(s)                                                              \
    {"o", "DIR", "the build folder (default: pykokkos-build)", NULL, &(s)->dir, NULL}, \
        {"name", "NAME",          "the library's name (default: the first file's)",    \
         NULL,   &(s)->args.name, NULL},                                               \
        {"python", NULL, "a Python extension module", &(s)->args.python, NULL, NULL},  \
        {"static", NULL, "a static library", &(s)->is_static, NULL, NULL},             \
        {"kokkos", "DIR",        "Kokkos' installation (default: as CMake finds it)",  \
         NULL,     &(s)->kokkos, NULL},                                                \
        {"group-over",                                                                 \
         "N",                                                                          \
         "with more kernels than N, many in each translation unit (default: 500; "     \
         "0: never)",                                                                  \
         NULL,                                                                         \
         &(s)->group_over,                                                             \
         NULL},                                                                        \
        ARGUMENTS_OPTIONS(&(s)->args)

/* Writes the folder and generates into it; the current folder is the build folder afterwards.
 * Returns an exit status; CLI_FAILED after diagnostics, too, which are printed where `print`. */
int folder_write(struct arena *a, const struct cli_command *c, struct folder_arguments *s,
                 bool print, struct cli_target *target, struct str *dir);
/* The library's file, relative to the folder. */
struct str folder_result(struct arena *a, const struct cli_target *t,
                         const struct toolchain *tools);
/* Writes the edges of what was generated last. The current folder must be the build folder. */
bool folder_write_edges(struct arena *a, const struct cli_target *t, struct error *e);

#endif
