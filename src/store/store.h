/*
 * store: finished objects kept by key, and the manifest that remembers what they were.
 *
 *   entries/ab/cdef…/object   the object file of key abcdef…
 *   entries/ab/cdef…/record   what it is, with the object's SHA-256 (record.c has the format)
 *   manifest.sqlite           one row an entry, AST hash -> text, history, compiles, counters
 *   uses.log, changes.log     hits, and changes of AST hashes, that are not in the manifest yet
 *   compilers/                digests of compilers, so that a hit starts none
 *   headers/                  which headers a dispatch TU used, so that a hit starts no compiler
 *   locks                     byte ranges of it are the locks, one a key
 *   tmp/                      entries being written, things being thrown away
 *
 * The folder of an entry follows from its key, so finding one needs no SQLite; the manifest can be
 * rebuilt from the records. An entry appears by one rename of a finished folder and is never
 * changed afterwards. Everything here may fail without harm: the caller then compiles.
 */
#ifndef PKC_STORE_H
#define PKC_STORE_H

#include "support/support.h"

struct store;

/* ---- place ---------------------------------------------------------------------------------- */

/* The store at `dir`, or (NULL) where the environment says: PYKOKKOS_CACHE_DIR, else
 * XDG_CACHE_HOME/pykokkos-cache, else ~/.cache/pykokkos-cache. Its folder is made where missing.
 * NULL without a text in `e`: switched off by PYKOKKOS_CACHE_DISABLE. NULL with one: there is no
 * usable store and `e` says why. Opens no database. */
struct store *store_open(struct arena *a, const char *dir, struct error *e);
void store_close(struct store *s);
/* True where the store can take a new object now; else `e` says what is in the way (a full disk, a
 * read-only folder, a later version's manifest). Tries it: to be asked once a build, by whoever
 * warns, since the launcher goes without the store in silence. */
bool store_can_keep(struct store *s, struct error *e);
struct str store_dir(const struct store *s);
/* PYKOKKOS_CACHE_MAX_SIZE, else 5 GiB. */
uint64_t store_max_size(const struct store *s);
/* "500M", "5G", "123": bytes. False where it is no size. */
bool store_parse_size(struct str text, uint64_t *out);

/* ---- entries -------------------------------------------------------------------------------- */

/* One labelled part of a key. */
struct store_part {
    struct str label;
    struct sha256 digest;
    struct str text; /* what it was, where that is short enough to show; else empty */
    bool is_noted;   /* remembered to tell why, and not in the key */
};

/* What is known of an entry. Texts may be empty where nobody said. */
struct store_record {
    struct sha256 key;
    struct sha256 text_digest; /* of the kernel TU's text */
    bool has_ast_hash;
    struct sha256 ast_hash;
    bool has_signature_hash;
    struct sha256 signature_hash;
    struct str module;
    struct str workunit;
    struct str types;
    struct str toolchain;
    struct sha256 object_digest;
    uint64_t size;
    int64_t compile_ms;
    int64_t created; /* Unix time, seconds */
    const struct store_part *parts;
    size_t part_count;
    struct str source; /* the TU that it is used for now; not kept in the entry */
};

/* Why a compile ran. */
struct store_why {
    const char *cause; /* in a word, counted among the misses: "body" */
    struct str text;   /* a line for people */
    struct str build;  /* names the run of a build tool that it was part of */
};

enum store_found {
    STORE_MISS,
    STORE_HIT,
    STORE_DAMAGED, /* there was an entry that is not what its record says; it has been removed */
};

/* The entry of `key`, its object's bytes checked against its digest. `e` says what was damaged. */
enum store_found store_find(struct store *s, struct arena *a, const struct sha256 *key,
                            struct store_record *record, struct str *object, struct error *e);
/* The same without its object, which may turn out to be damaged. */
enum store_found store_find_record(struct store *s, struct arena *a, const struct sha256 *key,
                                   struct store_record *record, struct error *e);
/* Copies the object of a record that was found to the file `to`, which is replaced where the bytes
 * are those of the record, and stays as it is otherwise. STORE_HIT: it was in the store;
 * `*written` false: it could not be written, and `e` says why. */
enum store_found store_copy_object(struct store *s, struct arena *a,
                                   const struct store_record *record, const char *to, bool *written,
                                   struct error *e);
/* The folder of a key's entry, relative to the store: never changes. */
struct str store_entry_dir(struct arena *a, const struct sha256 *key);
/* Keeps `object` under record->key and fills in the record's object_digest, size and created.
 * `why` (NULL: no compile of a build) is remembered and counted. True where the entry is there
 * afterwards. */
bool store_publish(struct store *s, struct store_record *record, struct str object,
                   const struct store_why *why, struct error *e);
/* Remembers and counts a compile whose object is not kept. */
void store_note_compile(struct store *s, const struct store_record *record,
                        const struct store_why *why);
/* Notes a hit: one append to a log, no database. */
void store_record_use(struct store *s, const struct store_record *record);

/* ---- locks ---------------------------------------------------------------------------------- */

struct store_lock {
    int fd;
};

/* The lock of one key; the kernel frees it when its holder dies. False: not within `wait_ms`, or
 * locks do not work here. `waited` (may be NULL): somebody else had it at first. */
bool store_lock(struct store *s, const struct sha256 *key, int wait_ms, struct store_lock *lock,
                bool *waited);
void store_unlock(struct store_lock *lock);

/* ---- small files that only speed things up -------------------------------------------------- */

/* What was kept under `kind` (a folder's name) and `name`; false where nothing (whole) is. */
bool store_memo_get(struct store *s, struct arena *a, const char *kind, const struct sha256 *name,
                    struct str *out);
void store_memo_put(struct store *s, struct arena *a, const char *kind, const struct sha256 *name,
                    struct str content);

/* ---- manifest ------------------------------------------------------------------------------- */

/* Does what a later store_publish would have to do first: opens the manifest, takes in the log of
 * uses, clears away old litter. To be called while the compiler runs. */
void store_prepare(struct store *s);

struct store_change {
    int64_t time; /* Unix time, seconds; 0: now */
    struct str module;
    struct str workunit;
    bool has_old; /* false: first seen */
    struct sha256 old_ast_hash;
    bool has_new; /* false: gone */
    struct sha256 new_ast_hash;
    struct str cause; /* one line: "body: kernels.py:7:5: Constant 2 -> 1" */
};

/* Remembers changes of AST hashes: one append to a log, no database. */
bool store_history_add(struct store *s, const struct store_change *changes, size_t count,
                       struct error *e);
/* The latest `limit` changes, newest first; of one workunit, where given ("name" or
 * "module.name"). */
bool store_history_query(struct store *s, struct arena *a, struct str workunit, size_t limit,
                         struct store_change **changes, size_t *count, struct error *e);

struct store_row {
    struct sha256 key;
    struct sha256 text_digest;
    struct str module;
    struct str workunit;
    struct str types;
    struct str toolchain;
    struct str directory; /* relative to the store */
    uint64_t size;
    int64_t compile_ms;
    int64_t created;
    int64_t last_used;
    int64_t hits;
};

/* The entries that hold objects of this AST hash, newest first. */
bool store_lookup_ast(struct store *s, struct arena *a, const struct sha256 *ast_hash,
                      struct store_row **rows, size_t *count, struct error *e);
/* What is remembered that may tell why `record` has to be compiled. */
struct store_past {
    bool has_last; /* what record->source was made of the last time; else the latest entry of its
                      workunit, one with the same types rather than another */
    struct store_record last;
    bool knew_key;     /* an object of this very key was made at some time */
    struct str change; /* what the generator said of the change to this AST hash; may be empty */
    size_t compiled;   /* compiles that this build has remembered so far */
};
/* False: nothing can be told. */
bool store_past(struct store *s, struct arena *a, const struct store_record *record,
                struct str build, struct store_past *out);

struct store_compile {
    int64_t time; /* Unix time, seconds */
    struct str build;
    struct str source;
    struct str module; /* empty where it is no kernel */
    struct str workunit;
    struct str types;
    struct str cause;
    struct str text;
    int64_t compile_ms;
};
/* The latest compiles of TUs below a folder, newest first. */
bool store_compiles(struct store *s, struct arena *a, struct str folder, size_t limit,
                    struct store_compile **compiles, size_t *count, struct error *e);

/* ---- upkeep --------------------------------------------------------------------------------- */

struct store_cause {
    struct str name;
    uint64_t count;
};

struct store_stats {
    uint64_t entries;
    uint64_t size;
    uint64_t hits;
    uint64_t misses;
    uint64_t saved_ms;   /* what the hits' compiles took the first time */
    uint64_t compile_ms; /* spent in compiles that were misses */
    struct store_cause *causes; /* of misses */
    size_t cause_count;
    /* Of hits: "made again" (the TU had that object last: a clean, a touch), "taken back" (it had had
     * it before), "elsewhere" (another tree or target had), "new place" (a TU not seen before). */
    struct store_cause *hit_causes;
    size_t hit_cause_count;
};

bool store_stats(struct store *s, struct arena *a, struct store_stats *out, struct error *e);

struct store_verified {
    uint64_t entries;
    uint64_t damaged; /* removed, unless the store is read-only */
    uint64_t added;   /* rows that the manifest lacked */
    uint64_t dropped; /* rows without an entry */
    bool manifest_rebuilt;
    bool read_only; /* only looked at: what is wrong is counted, and stays */
};

/* Checks every entry's digest and the manifest against the entries. */
bool store_verify(struct store *s, struct store_verified *out, struct error *e);

struct store_collected {
    uint64_t removed;
    uint64_t freed;
    uint64_t left; /* bytes in entries afterwards */
    bool more;     /* the limit ended it: the next call may go on */
};

/* Removes least recently used entries until at most `max_size` bytes are left, at most `limit` of
 * them (0: any number); never one that is being built or was used in the last minutes. With
 * no limit, store_tidy is a part of it. */
bool store_collect(struct store *s, uint64_t max_size, size_t limit, struct store_collected *out,
                   struct error *e);
/* Removes what else nobody needs: notes on compilers and headers, build trees long gone. */
bool store_tidy(struct store *s, struct error *e);
/* Removes every entry (but those being built right now), and the manifest's rows and counters. */
bool store_clear(struct store *s, struct store_collected *out, struct error *e);

#endif
