/* What generate, list, build, ninja and why take alike: Python files, and how to read them. */
#ifndef PKC_CLI_ARGUMENTS_H
#define PKC_CLI_ARGUMENTS_H

#include "cli/cli.h"
#include "cli/target.h"

struct arguments {
    struct vec files;
    struct vec instantiate;
    struct vec fuse;
    struct str name;
    struct str default_real;
    struct str execution_space;
    bool python;
};

void arguments_init(struct arguments *s, struct arena *a);

/* The options that fill `s`, for the table of a command. */
#define ARGUMENTS_OPTIONS(s)                                                                         \
    {"instantiate", "ENTRY", "types of unannotated parameters: 'axpy(x: View1D[float])'",            \
     NULL,          NULL,    &(s)->instantiate},                                                     \
        {"fuse", "ENTRY", "one kernel of several: 'both = first + second'", NULL, NULL, &(s)->fuse}, \
        {"default-real",     "TYPE", "what pk.real is: double (default) or float", NULL,             \
         &(s)->default_real, NULL},                                                                  \
    {                                                                                                \
        "execution-space", "SPACE", "Kokkos::Serial and so on (default: Kokkos' own)", NULL,         \
            &(s)->execution_space, NULL                                                              \
    }

/* The target that the arguments name, relative to the current folder; `output_dir` is left empty.
 * False: the caller returns *code (a usage error, already said). */
bool arguments_target(struct arena *a, const struct cli_command *c, const struct arguments *s,
                      struct cli_target *out, int *code);

#endif
