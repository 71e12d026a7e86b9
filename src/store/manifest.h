/*
 * The manifest's connection: opened when first needed, migrated, and rebuilt where it is damaged.
 */
#ifndef PKC_STORE_MANIFEST_H
#define PKC_STORE_MANIFEST_H

#include "store/sql.h"

/* How long to wait for another process's transaction. */
#define MANIFEST_WAIT_MS 2000
#define MANIFEST_WAIT_SHORT_MS 250

enum manifest_access {
    MANIFEST_QUICK, /* during a compile: no work that grows with the store */
    MANIFEST_FULL,  /* a manifest that is to be rebuilt is filled from the entries' records */
};

/* One transaction. `work` may run again (from its beginning) after a rebuild; what it hands out
 * must then be made anew. False from it rolls back. */
typedef bool manifest_work(struct store *s, struct sql *q, void *context);
bool manifest_do(struct store *s, enum manifest_access access, bool writes, int wait_ms,
                 manifest_work *work, void *context, struct error *e);
/* True where the manifest is a later version's: the store is then left alone. */
bool manifest_is_refused(struct store *s, struct error *e);
/* The same from the file's first bytes, without SQLite: what is in the write-ahead log still is not
 * seen. */
bool manifest_looks_later(struct store *s, struct error *e);
/* True where it is only looked at: writing transactions fail. */
bool manifest_is_read_only(struct store *s);
void manifest_close(struct store *s);
/* Throws the manifest away and makes a new one from the records. */
bool manifest_rebuild(struct store *s, struct error *e);
/* True where SQLite finds nothing wrong. */
bool manifest_is_sound(struct store *s);

/* rows.c: the row of an entry, from its record; `*added` where there was none that fits it. */
bool rows_add_entry(struct sql *q, struct arena *a, const struct store_record *record, bool *added);
/* Adds to a counter. */
bool rows_count(struct sql *q, struct str name, int64_t by);

#endif
