/*
 * launch: the compiler launcher. `pykokkos-cache compile [--compiler=PATH] [--store=DIR]
 * [--kokkos=VERSION] [--parts=DIR] [--] LAUNCHER... COMPILER ARGUMENTS...` restores the object of a
 * generated TU from the store, or runs the rest of the command and keeps what it made. Everything
 * it does not fully understand, and everything that is no TU of ours, runs unchanged.
 *
 * A kernel TU names few headers, all ours, so that its key is made by reading it (scan.c). Of a
 * dispatch TU, which includes Kokkos, or the Python runtime, only the compiler knows the headers
 * (direct.c).
 */
#ifndef PKC_LAUNCH_H
#define PKC_LAUNCH_H

#include "store/store.h"
#include "support/support.h"

/* The first line of a kernel TU whose object may be kept. */
#define LAUNCH_MARKER "// PyKokkosCache kernel 1"
/* The first line of one that includes what it likes: Kokkos or Python. */
#define LAUNCH_DISPATCH_MARKER "// PyKokkosCache dispatch 1"

/* The subcommand: argv[0] is "compile". Returns the exit status, or does not return (exec). */
int launch_main(int argc, char **argv);

/* The key of one compile command and what it was made of. */
struct launch_key {
    struct sha256 key;
    const struct store_part *parts;
    size_t part_count;
};

/* What is the same for many commands of one process: compilers that were identified. */
struct launch_session;
struct launch_session *launch_session_new(struct arena *a);

/* The key that launch_main would use for the same arguments (without "compile"). False: it would
 * run the command unchanged, and `e` says why. `store` and `session` (may be NULL) only make it
 * faster. */
bool launch_key_of(struct arena *a, int argc, char **argv, struct store *store,
                   struct launch_session *session, struct launch_key *key, struct error *e);

/* The key of the whole of a group of kernels: of all that its object is made of. The store has its
 * parts, each under the key that it would have alone, and nothing under this one. */
bool launch_group_key_of(struct arena *a, int argc, char **argv, struct store *store,
                         struct launch_session *session, struct launch_key *key, struct error *e);

/* Names the run of a build tool that this process is part of; empty where there is none. */
struct str launch_build(struct arena *a);

/* Why `now` is compiled: all that differs from what is remembered. */
struct store_why launch_reason(struct arena *a, const struct store_past *past,
                               const struct store_record *now);

#endif
