/*
 * The keys of a folder's kernel TUs, so that a generation need not read those that are as they
 * were: <target>.keys.
 *
 *   PyKokkosCache keys 1 <SHA-256 of the rest>
 *   around <SHA-256>                                 of what all keys depend on
 *   <SHA-256> <key> <stamp of the TU> <file>         a line a TU, percent-encoded
 *
 * The first digest of a TU's line is that of all parts of its key but its text and name: compiler,
 * flags, environment, headers. Of the TUs that have it in common one is looked at each time, and
 * the others' keys are believed where that one's digest is as it was.
 */
#ifndef PKC_CLI_EDGE_KEYS_H
#define PKC_CLI_EDGE_KEYS_H

#include "cli/target.h"
#include "cli/toolchain.h"
#include "launch/launch.h"

struct edge_keys {
    struct arena *arena;
    const struct cli_target *target;
    int64_t begun_ns;
    struct str around;
    struct map known;   /* a TU's file -> struct edge_key */
    struct map classes; /* a first digest that was looked at -> anything: it is as it was */
    struct map others;  /* one that is not */
    struct buf now;     /* the lines to be written */
};

/* What was written last; nothing where that cannot be relied on. */
void edge_keys_read(struct edge_keys *k, struct arena *a, const struct cli_target *t,
                    const struct toolchain *tools);
/* The key of a TU (hex) that is as it was. Empty: it has to be made; edge_keys_made is then told.
 * `stamp`: taken now. */
struct str edge_keys_find(struct edge_keys *k, struct str file, const struct file_stamp *stamp);
void edge_keys_made(struct edge_keys *k, struct str file, const struct file_stamp *stamp,
                    const struct launch_key *key);
/* Of use to the next run only: errors do not count. */
void edge_keys_write(struct edge_keys *k);

#endif
