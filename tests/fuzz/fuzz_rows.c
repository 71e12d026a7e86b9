/*
 * Rows of the manifest, and lines of the log of uses, that someone else has written. The first byte
 * chooses; then a row's values follow, each a letter for its type, and text up to a newline.
 */
#include "store/sql.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/pykokkos-fuzz-rows-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void require(bool good)
{
    if (!good) {
        abort();
    }
}

static struct store *open_store(struct arena *a)
{
    static bool made;
    struct error e = {""};
    if (!made) {
        require(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
        made = true;
    }
    struct store *s = store_open(a, folder, &e);
    require(s != NULL);
    return s;
}

static struct str next_line(struct str *text)
{
    const char *newline = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
    const size_t len = newline != NULL ? (size_t)(newline - text->ptr) : text->len;
    const struct str line = str_slice(*text, 0, len);
    *text = str_slice(*text, len + 1, text->len);
    return line;
}

static void bind(sqlite3_stmt *statement, int i, struct str value)
{
    const struct str rest = str_slice(value, 1, value.len);
    const char kind = value.len > 0 ? value.ptr[0] : '\0';
    if (kind == 'i') {
        char text[32];
        (void)snprintf(text, sizeof(text), "%.*s", (int)(rest.len < 24 ? rest.len : 24), rest.ptr);
        (void)sqlite3_bind_int64(statement, i, strtoll(text, NULL, 10));
    } else if (kind == 'b') {
        (void)sqlite3_bind_blob(statement, i, rest.ptr, (int)rest.len, SQLITE_TRANSIENT);
    } else if (kind == 'f') {
        (void)sqlite3_bind_double(statement, i, (double)rest.len / 3);
    } else if (kind != 'n') {
        (void)sqlite3_bind_text(statement, i, rest.ptr, (int)rest.len, SQLITE_TRANSIENT);
    }
}

static void insert(const char *sql, struct str text)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    char path[sizeof(folder) + 32];
    (void)snprintf(path, sizeof(path), "%s/manifest.sqlite", folder);
    require(sqlite3_open(path, &db) == SQLITE_OK);
    (void)sqlite3_exec(db,
                       "PRAGMA synchronous = OFF; DELETE FROM entries; DELETE FROM texts;"
                       "DELETE FROM history; DELETE FROM counters WHERE name NOT IN "
                       "('entries', 'size')",
                       NULL, NULL, NULL);
    require(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    while (text.len > 0) {
        for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
            bind(statement, i, next_line(&text));
        }
        (void)sqlite3_step(statement); /* values that the schema refuses are no rows */
        (void)sqlite3_reset(statement);
        (void)sqlite3_clear_bindings(statement);
    }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
}

static void write_log(struct arena *a, struct str text)
{
    char path[sizeof(folder) + 32];
    struct error e;
    (void)a;
    (void)snprintf(path, sizeof(path), "%s/uses.log", folder);
    require(file_write(path, text, false, &e));
}

/* Everything that reads rows. */
static void read_all(struct arena *a, struct store *s)
{
    struct store_stats stats;
    struct store_row *rows = NULL;
    struct store_change *changes = NULL;
    struct store_past past;
    struct store_compile *compiles = NULL;
    struct store_collected collected;
    size_t count = 0;
    struct error e = {""};
    struct sha256 hash = {{0}};
    (void)store_stats(s, a, &stats, &e);
    (void)store_lookup_ast(s, a, &hash, &rows, &count, &e);
    (void)store_history_query(s, a, STR(""), 100, &changes, &count, &e);
    (void)store_history_query(s, a, STR("m.w"), 100, &changes, &count, &e);
    const struct store_record record = {.has_ast_hash = true,
                                        .module = STR("m"),
                                        .workunit = STR("w"),
                                        .types = STR("t"),
                                        .source = STR("/b/w.kernel.cpp")};
    require(!store_past(s, a, &record, STR("build"), &past) ||
            !past.has_last); /* there are no entries */
    (void)store_compiles(s, a, STR("/b"), 100, &compiles, &count, &e);
    (void)store_collect(s, 0, 4, &collected, &e);
    require(collected.removed == 0 || collected.freed <= UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const sqls[] = {
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "INSERT INTO history VALUES (NULL, ?, ?, ?, ?, ?, ?)",
        "INSERT INTO texts VALUES (?, ?)",
        "INSERT OR REPLACE INTO counters VALUES (?, ?)",
    };
    if (size == 0) {
        return 0;
    }
    struct arena *a = arena_new(NULL, NULL);
    struct store *s = open_store(a);
    struct store_stats stats;
    struct error e;
    require(store_stats(s, a, &stats, &e)); /* makes the manifest */
    const struct str rest = {(const char *)data + 1, size - 1};
    const size_t which = data[0] % 5;
    if (which == 4) {
        write_log(a, rest);
    } else {
        insert(sqls[which], rest);
    }
    read_all(a, s);
    store_close(s);
    arena_free(a);
    return 0;
}
