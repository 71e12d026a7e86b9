/*
 * What the subcommands on the store share.
 */
#ifndef PKC_CLI_STORE_H
#define PKC_CLI_STORE_H

#include "cli/cli.h"
#include "store/store.h"

/* The store at `dir` (empty: the environment's), or NULL, said on the error stream. */
struct store *cli_open_store(struct arena *a, struct str dir);
/* "12.3 MiB" */
struct str cli_size(struct arena *a, uint64_t bytes);

/* The options that they all have. */
#define CLI_JSON_OPTION(place)                               \
    {                                                        \
        .name = "json", .help = "print JSON", .set = (place) \
    }
#define CLI_STORE_OPTION(place)                                                                \
    {                                                                                          \
        .name = "store", .value = "DIR", .help = "the store, instead of PYKOKKOS_CACHE_DIR's", \
        .one = (place)                                                                         \
    }

#endif
