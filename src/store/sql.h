/*
 * All SQL of the store. Statements are named, prepared once a connection when first used, and
 * bound and stepped only through the functions here.
 */
#ifndef PKC_STORE_SQL_H
#define PKC_STORE_SQL_H

#include "store/private.h"

#include <sqlite3.h>

enum sql_id {
    SQL_BEGIN,
    SQL_BEGIN_WRITE,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_ENTRY_ADD,
    SQL_ENTRY_USED,
    SQL_ENTRY_DELETE,
    SQL_ENTRY_KEYS,
    SQL_ENTRIES_BY_AST,
    SQL_ENTRY_LATEST,
    SQL_PLACE_SET,
    SQL_PLACE_KEY,
    SQL_PLACES_TRIM,
    SQL_PLACES_CLEAR,
    SQL_COMPILE_ADD,
    SQL_COMPILE_KNOWN,
    SQL_COMPILE_OF_PLACE,
    SQL_COMPILES_OF_BUILD,
    SQL_COMPILES_BELOW,
    SQL_COMPILES_TRIM,
    SQL_COMPILES_CLEAR,
    SQL_CHANGE_TO,
    SQL_ENTRIES_OLDEST,
    SQL_ENTRIES_ORDER,
    SQL_TEXT_ADD,
    SQL_TEXTS_CLEAR,
    SQL_HISTORY_ADD,
    SQL_HISTORY_ALL,
    SQL_HISTORY_OF,
    SQL_HISTORY_TRIM,
    SQL_HISTORY_CLEAR,
    SQL_COUNTER_ADD,
    SQL_COUNTER_SET,
    SQL_COUNTERS,
    SQL_COUNTERS_CLEAR,
    SQL_COUNT,
};

struct sql {
    sqlite3 *db;
    sqlite3_stmt *prepared[SQL_COUNT];
    int code; /* of the first call that failed since it was set to SQLITE_OK */
};

/* Binds and steps to the end. `types` has a letter an argument: i int64_t, t struct str,
 * h const struct sha256 * (as hex; NULL: null). False sets q->code. */
bool sql_run(struct sql *q, enum sql_id id, const char *types, ...);
/* Binds; then sql_next is true for each row, false after the last or on failure (q->code). A
 * query that was not read to its end is ended by sql_stop. */
bool sql_start(struct sql *q, enum sql_id id, const char *types, ...);
bool sql_next(struct sql *q, enum sql_id id);
void sql_stop(struct sql *q, enum sql_id id);
/* Columns of the row at hand. sql_hash: false where it is null or no hash. */
int64_t sql_int(struct sql *q, enum sql_id id, int column);
struct str sql_text(struct sql *q, enum sql_id id, int column, struct arena *a);
bool sql_hash(struct sql *q, enum sql_id id, int column, struct sha256 *out);
/* Prepares a statement ahead of its use. */
void sql_warm(struct sql *q, enum sql_id id);
/* Rows changed by the last sql_run. */
int sql_changes(struct sql *q);

/* A script without parameters: schema and pragmas. */
bool sql_script(struct sql *q, const char *script);
/* One integer of a pragma or query text; `fallback` where there is no row. */
bool sql_pragma_int(struct sql *q, const char *text, int64_t *out);

/* The schema: brings an open database from version `from` to SQL_SCHEMA_VERSION, in the caller's
 * transaction. */
#define SQL_SCHEMA_VERSION 2
bool sql_migrate(struct sql *q, int64_t from);
/* What sql_migrate does with its own scripts: scripts[n] leads from version n to n + 1; afterwards
 * the version is `to`. */
bool sql_migrate_by(struct sql *q, const char *const *scripts, int64_t from, int64_t to);

/* True for codes that say that the database's content is wrong. */
bool sql_is_damage(int code);
/* Finalises all statements and closes. */
void sql_close(struct sql *q);

#endif
