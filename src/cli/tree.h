/* The targets of a build tree, CMake's or one without it. */
#ifndef PKC_CLI_TREE_H
#define PKC_CLI_TREE_H

#include "cli/target.h"

/* Finds the build tree that `start` (empty: the current folder) is, or is in: the folder that has
 * "pykokkos" with targets in it. Its targets, sorted by name: struct cli_target *. False: none; `e`
 * says where was looked. */
bool tree_targets(struct arena *a, struct str start, struct str *root, struct vec *targets,
                  struct error *e);

#endif
