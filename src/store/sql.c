#include "store/sql.h"

#include <string.h>

static const char *const texts[SQL_COUNT] = {
    [SQL_BEGIN] = "BEGIN",
    [SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_ENTRY_ADD] =
        "INSERT INTO entries (key, text_digest, ast_hash, signature_hash, module, workunit, types,"
        " toolchain, directory, object_digest, size, compile_ms, created, last_used, hits, "
        "use_order)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0,"
        " (SELECT coalesce(max(use_order), 0) + 1 FROM entries))"
        " ON CONFLICT (key) DO UPDATE SET object_digest = excluded.object_digest,"
        " size = excluded.size, compile_ms = excluded.compile_ms, created = excluded.created"
        " WHERE object_digest <> excluded.object_digest",
    [SQL_ENTRY_USED] =
        "UPDATE entries SET hits = hits + 1, last_used = max(last_used, ?2),"
        " use_order = (SELECT max(use_order) + 1 FROM entries) WHERE key = ?1 RETURNING compile_ms",
    [SQL_ENTRY_DELETE] = "DELETE FROM entries WHERE key = ?",
    [SQL_ENTRY_KEYS] = "SELECT key FROM entries",
    [SQL_ENTRIES_BY_AST] =
        "SELECT e.key, e.text_digest, e.module, e.workunit, e.types, e.toolchain, e.directory,"
        " e.size, e.compile_ms, e.created, e.last_used, e.hits"
        " FROM texts t JOIN entries e ON e.text_digest = t.text_digest"
        " WHERE t.ast_hash = ? ORDER BY e.created DESC, e.key",
    [SQL_ENTRY_LATEST] = "SELECT key FROM entries WHERE workunit = ? AND module = ?"
                         " ORDER BY types = ? DESC, use_order DESC LIMIT 8",
    [SQL_PLACE_SET] =
        "INSERT INTO places (source, key, time) VALUES (?, ?, ?)"
        " ON CONFLICT (source) DO UPDATE SET key = excluded.key, time = excluded.time",
    [SQL_PLACE_KEY] = "SELECT key FROM places WHERE source = ?",
    [SQL_PLACES_TRIM] = "DELETE FROM places WHERE time < ?",
    [SQL_PLACES_CLEAR] = "DELETE FROM places",
    [SQL_COMPILE_ADD] = "INSERT INTO compiles (time, build, source, key, module, workunit, types,"
                        " cause, text, compile_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SQL_COMPILE_KNOWN] = "SELECT 1 FROM compiles WHERE key = ? LIMIT 1",
    [SQL_COMPILE_OF_PLACE] = "SELECT 1 FROM compiles WHERE source = ? AND key = ? LIMIT 1",
    [SQL_COMPILES_OF_BUILD] = "SELECT count(*) FROM compiles WHERE build = ?",
    [SQL_COMPILES_BELOW] = "SELECT time, build, source, module, workunit, types, cause, text,"
                           " compile_ms FROM compiles WHERE source >= ?1 AND source < ?2"
                           " ORDER BY id DESC LIMIT ?3",
    [SQL_COMPILES_TRIM] = "DELETE FROM compiles WHERE id <= (SELECT max(id) FROM compiles) - ?",
    [SQL_COMPILES_CLEAR] = "DELETE FROM compiles",
    /* One that began where the last object was made rather than another. */
    [SQL_CHANGE_TO] = "SELECT cause FROM history WHERE workunit = ?1 AND module = ?2"
                      " AND new_ast_hash = ?3 AND old_ast_hash IS NOT NULL"
                      " ORDER BY old_ast_hash IS ?4 DESC, id DESC LIMIT 1",
    [SQL_ENTRIES_OLDEST] = "SELECT key, size FROM entries WHERE last_used < ?1 OR last_used > ?2"
                           " ORDER BY use_order LIMIT ?3",
    [SQL_ENTRIES_ORDER] =
        "UPDATE entries SET use_order = o.n FROM"
        " (SELECT key, row_number() OVER (ORDER BY last_used, created, key) AS n FROM entries) o"
        " WHERE o.key = entries.key",
    [SQL_TEXT_ADD] = "INSERT INTO texts (ast_hash, text_digest) VALUES (?, ?)"
                     " ON CONFLICT DO NOTHING",
    [SQL_TEXTS_CLEAR] = "DELETE FROM texts",
    [SQL_HISTORY_ADD] = "INSERT INTO history (time, module, workunit, old_ast_hash, new_ast_hash,"
                        " cause) VALUES (?, ?, ?, ?, ?, ?)",
    [SQL_HISTORY_ALL] = "SELECT time, module, workunit, old_ast_hash, new_ast_hash, cause"
                        " FROM history ORDER BY id DESC LIMIT ?",
    [SQL_HISTORY_OF] = "SELECT time, module, workunit, old_ast_hash, new_ast_hash, cause"
                       " FROM history WHERE workunit = ?1 OR module || '.' || workunit = ?1"
                       " ORDER BY id DESC LIMIT ?2",
    [SQL_HISTORY_TRIM] = "DELETE FROM history WHERE id <= (SELECT max(id) FROM history) - ?",
    [SQL_HISTORY_CLEAR] = "DELETE FROM history",
    [SQL_COUNTER_ADD] = "INSERT INTO counters (name, value) VALUES (?, ?)"
                        " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
    [SQL_COUNTER_SET] = "INSERT INTO counters (name, value) VALUES (?, ?)"
                        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [SQL_COUNTERS] = "SELECT name, value FROM counters ORDER BY name",
    [SQL_COUNTERS_CLEAR] = "DELETE FROM counters WHERE name NOT IN ('entries', 'size')",
};

/* migrations[n] leads from version n to n + 1. Never change one that was released: add another. */
static const char *const migrations[SQL_SCHEMA_VERSION] = {
    /* Hashes are lower-case hex; times are Unix seconds; directories are relative to the store. */
    "CREATE TABLE entries ("
    " key TEXT NOT NULL PRIMARY KEY,"
    " text_digest TEXT NOT NULL,"
    " ast_hash TEXT,"
    " signature_hash TEXT,"
    " module TEXT NOT NULL,"
    " workunit TEXT NOT NULL,"
    " types TEXT NOT NULL,"
    " toolchain TEXT NOT NULL,"
    " directory TEXT NOT NULL,"
    " object_digest TEXT NOT NULL,"
    " size INTEGER NOT NULL,"
    " compile_ms INTEGER NOT NULL,"
    " created INTEGER NOT NULL,"
    " last_used INTEGER NOT NULL,"
    " hits INTEGER NOT NULL,"
    /* Which was used after which: clocks have seconds, and those of machines differ. */
    " use_order INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX entries_by_ast ON entries (ast_hash);"
    "CREATE INDEX entries_by_text ON entries (text_digest);"
    "CREATE INDEX entries_by_workunit ON entries (workunit, module);"
    "CREATE INDEX entries_by_use ON entries (use_order);"
    "CREATE TABLE texts ("
    " ast_hash TEXT NOT NULL,"
    " text_digest TEXT NOT NULL,"
    " PRIMARY KEY (ast_hash, text_digest)) WITHOUT ROWID;"
    "CREATE INDEX texts_by_text ON texts (text_digest);"
    "CREATE TABLE history ("
    " id INTEGER PRIMARY KEY,"
    " time INTEGER NOT NULL,"
    " module TEXT NOT NULL,"
    " workunit TEXT NOT NULL,"
    " old_ast_hash TEXT,"
    " new_ast_hash TEXT,"
    " cause TEXT NOT NULL);"
    "CREATE INDEX history_by_workunit ON history (workunit);"
    "CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "INSERT INTO counters VALUES ('entries', 0), ('size', 0);"
    /* Totals are looked at after each miss: they must not cost a scan. */
    "CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN"
    " UPDATE counters SET value = value + 1 WHERE name = 'entries';"
    " UPDATE counters SET value = value + new.size WHERE name = 'size'; END;"
    "CREATE TRIGGER entry_replaced AFTER UPDATE OF size ON entries BEGIN"
    " UPDATE counters SET value = value + new.size - old.size WHERE name = 'size'; END;"
    "CREATE TRIGGER entry_deleted AFTER DELETE ON entries BEGIN"
    " UPDATE counters SET value = value - 1 WHERE name = 'entries';"
    " UPDATE counters SET value = value - old.size WHERE name = 'size'; END;",
    /* Which object each TU of a build tree was last given, and what was compiled why. */
    "CREATE TABLE places ("
    " source TEXT NOT NULL PRIMARY KEY,"
    " key TEXT NOT NULL,"
    " time INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE compiles ("
    " id INTEGER PRIMARY KEY,"
    " time INTEGER NOT NULL,"
    " build TEXT NOT NULL,"
    " source TEXT NOT NULL,"
    " key TEXT NOT NULL,"
    " module TEXT NOT NULL,"
    " workunit TEXT NOT NULL,"
    " types TEXT NOT NULL,"
    " cause TEXT NOT NULL,"
    " text TEXT NOT NULL,"
    " compile_ms INTEGER NOT NULL);"
    "CREATE INDEX compiles_by_source ON compiles (source);"
    "CREATE INDEX compiles_by_key ON compiles (key);"
    "CREATE INDEX compiles_by_build ON compiles (build);",
};

static bool failed(struct sql *q, int code)
{
    if (q->code == SQLITE_OK) {
        q->code = code;
    }
    return false;
}

static sqlite3_stmt *prepare(struct sql *q, enum sql_id id)
{
    if (q->prepared[id] == NULL) {
        const int code = sqlite3_prepare_v3(q->db, texts[id], -1, SQLITE_PREPARE_PERSISTENT,
                                            &q->prepared[id], NULL);
        if (code != SQLITE_OK) {
            q->prepared[id] = NULL;
            /* Our own texts fit our schema: another error means that the tables are not ours. */
            failed(q, code == SQLITE_ERROR ? SQLITE_CORRUPT : code);
        }
    }
    return q->prepared[id];
}

static int bind_text(sqlite3_stmt *s, int index, struct str text)
{
    if (text.len > INT32_MAX) {
        return SQLITE_TOOBIG;
    }
    return sqlite3_bind_text(s, index, text.ptr != NULL ? text.ptr : "", (int)text.len,
                             SQLITE_TRANSIENT);
}

static int bind_hash(sqlite3_stmt *s, int index, const struct sha256 *hash)
{
    static const char digits[] = "0123456789abcdef";
    if (hash == NULL) {
        return sqlite3_bind_null(s, index);
    }
    char hex[SHA256_HEX_LEN];
    for (size_t i = 0; i < sizeof(hash->bytes); i++) {
        hex[2 * i] = digits[hash->bytes[i] >> 4];
        hex[2 * i + 1] = digits[hash->bytes[i] & 15];
    }
    return sqlite3_bind_text(s, index, hex, sizeof(hex), SQLITE_TRANSIENT);
}

static sqlite3_stmt *bind(struct sql *q, enum sql_id id, const char *types, va_list args)
{
    sqlite3_stmt *s = prepare(q, id);
    if (s == NULL) {
        return NULL;
    }
    (void)sqlite3_reset(s);
    int code = SQLITE_OK;
    for (int i = 0; types[i] != '\0' && code == SQLITE_OK; i++) {
        switch (types[i]) {
        case 'i': code = sqlite3_bind_int64(s, i + 1, va_arg(args, int64_t)); break;
        case 't': code = bind_text(s, i + 1, va_arg(args, struct str)); break;
        default: code = bind_hash(s, i + 1, va_arg(args, const struct sha256 *)); break;
        }
    }
    if (code != SQLITE_OK) {
        failed(q, code);
        return NULL;
    }
    return s;
}

bool sql_run(struct sql *q, enum sql_id id, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *s = bind(q, id, types, args);
    va_end(args);
    if (s == NULL) {
        return false;
    }
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW) {
        code = sqlite3_step(s);
    }
    (void)sqlite3_reset(s);
    return code == SQLITE_DONE || failed(q, code);
}

bool sql_start(struct sql *q, enum sql_id id, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *s = bind(q, id, types, args);
    va_end(args);
    return s != NULL;
}

bool sql_next(struct sql *q, enum sql_id id)
{
    const int code = sqlite3_step(q->prepared[id]);
    if (code == SQLITE_ROW) {
        return true;
    }
    (void)sqlite3_reset(q->prepared[id]);
    if (code != SQLITE_DONE) {
        failed(q, code);
    }
    return false;
}

void sql_stop(struct sql *q, enum sql_id id)
{
    (void)sqlite3_reset(q->prepared[id]);
}

int64_t sql_int(struct sql *q, enum sql_id id, int column)
{
    return sqlite3_column_int64(q->prepared[id], column);
}

struct str sql_text(struct sql *q, enum sql_id id, int column, struct arena *a)
{
    sqlite3_stmt *s = q->prepared[id];
    const char *text = (const char *)sqlite3_column_text(s, column);
    const int len = sqlite3_column_bytes(s, column);
    return text != NULL ? str_copy(a, (struct str){text, (size_t)len}) : STR("");
}

bool sql_hash(struct sql *q, enum sql_id id, int column, struct sha256 *out)
{
    sqlite3_stmt *s = q->prepared[id];
    const char *text = (const char *)sqlite3_column_text(s, column);
    const int len = sqlite3_column_bytes(s, column);
    return text != NULL && sha256_from_hex((struct str){text, (size_t)len}, out);
}

void sql_warm(struct sql *q, enum sql_id id)
{
    (void)prepare(q, id);
}

int sql_changes(struct sql *q)
{
    return sqlite3_changes(q->db);
}

bool sql_script(struct sql *q, const char *script)
{
    const int code = sqlite3_exec(q->db, script, NULL, NULL, NULL);
    return code == SQLITE_OK || failed(q, code);
}

bool sql_pragma_int(struct sql *q, const char *text, int64_t *out)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(q->db, text, -1, &s, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW) {
            *out = sqlite3_column_int64(s, 0);
        }
    }
    (void)sqlite3_finalize(s);
    return code == SQLITE_ROW || failed(q, code == SQLITE_DONE ? SQLITE_CORRUPT : code);
}

bool sql_migrate_by(struct sql *q, const char *const *scripts, int64_t from, int64_t to)
{
    for (int64_t version = from; version < to; version++) {
        if (!sql_script(q, scripts[version])) {
            if (q->code == SQLITE_ERROR) {
                q->code = SQLITE_CORRUPT; /* tables of that name, but not of that version */
            }
            return false;
        }
    }
    char text[64];
    (void)snprintf(text, sizeof(text), "PRAGMA user_version = %lld", (long long)to);
    return sql_script(q, text);
}

bool sql_migrate(struct sql *q, int64_t from)
{
    return sql_migrate_by(q, migrations, from, SQL_SCHEMA_VERSION);
}

bool sql_is_damage(int code)
{
    const int primary = code & 0xFF;
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_FORMAT;
}

void sql_close(struct sql *q)
{
    for (int i = 0; i < SQL_COUNT; i++) {
        (void)sqlite3_finalize(q->prepared[i]);
        q->prepared[i] = NULL;
    }
    (void)sqlite3_close(q->db);
    q->db = NULL;
}
