#include "store/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct manifest {
    struct sql sql;
    bool to_be_filled; /* made anew beside entries that were there before */
    bool read_only;
};

/* A database of zeros is the lock of the database itself, among the locks of keys. */
static const struct sha256 rebuild_lock = {{0}};
#define REBUILD_WAIT_MS 10000

static struct str manifest_path(const struct store *s, struct arena *a)
{
    return store_path(s, a, "manifest.sqlite");
}

static void say(const struct store *s, const struct sql *q, struct error *e)
{
    error_set(e, "the manifest %s/manifest.sqlite: %s", s->dir.ptr, sqlite3_errstr(q->code));
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool stop_at_first(void *context, const struct sha256 *key)
{
    (void)key;
    *(bool *)context = true;
    return false;
}

static bool has_entries(struct store *s)
{
    bool found = false;
    struct error e;
    (void)entry_each(s, stop_at_first, &found, &e);
    return found;
}

static bool create_schema(struct store *s, struct sql *q)
{
    /* WAL needs shared memory between all its users, which network file systems do not give. It is
     * refused where someone else uses the database this moment: they set it as well. */
    if (!path_is_remote(s->dir.ptr)) {
        (void)sqlite3_exec(q->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    if (!sql_script(q, "BEGIN IMMEDIATE")) {
        return false;
    }
    int64_t version = 0; /* again, now that nobody else can be migrating */
    const bool good = sql_pragma_int(q, "PRAGMA user_version", &version) &&
                      (version >= SQL_SCHEMA_VERSION ||
                       (sql_migrate(q, version) &&
                        (version > 0 || !has_entries(s) ||
                         sql_run(q, SQL_COUNTER_SET, "ti", STR("to_be_filled"), (int64_t)1))));
    return sqlite3_exec(q->db, good ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK && good;
}

/* A folder or anything else in the manifest's place goes away, whole. */
static void clear_place(struct store *s)
{
    const struct str path = manifest_path(s, s->arena);
    struct stat st;
    if (lstat(path.ptr, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
        const struct str away = temporary_name(s, s->arena);
        if (rename(path.ptr, away.ptr) == 0) {
            (void)remove_tree(away.ptr);
        }
    }
}

static bool open_database(struct store *s, struct sql *q, int64_t *version)
{
    const int code =
        sqlite3_open_v2(manifest_path(s, s->arena).ptr, &q->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        q->code = code;
        return false;
    }
    (void)sqlite3_busy_timeout(q->db, s->manifest_is_busy ? 0 : MANIFEST_WAIT_MS);
    /* It can be rebuilt from the entries, so it need not survive a power failure. */
    (void)sqlite3_exec(q->db, "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY", NULL, NULL,
                       NULL);
    return sql_pragma_int(q, "PRAGMA user_version", version);
}

static void set_later(const struct store *s, int64_t version, struct error *e)
{
    error_set(e,
              "the store %s was made by a later version (its manifest has schema %lld, this "
              "program knows %d); it is left alone",
              s->dir.ptr, (long long)version, SQL_SCHEMA_VERSION);
}

/* SQLite's file format: the header is 100 bytes, user_version a big-endian number at 60. */
bool manifest_looks_later(struct store *s, struct error *e)
{
    unsigned char header[100];
    const int fd =
        open(manifest_path(s, s->arena).ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return false;
    }
    const ssize_t n = read(fd, header, sizeof(header));
    (void)close(fd);
    if (n != (ssize_t)sizeof(header) || memcmp(header, "SQLite format 3", 16) != 0) {
        return false;
    }
    const int64_t version = (int32_t)((uint32_t)header[60] << 24 | (uint32_t)header[61] << 16 |
                                      (uint32_t)header[62] << 8 | (uint32_t)header[63]);
    if (version <= SQL_SCHEMA_VERSION) {
        return false;
    }
    set_later(s, version, e);
    return true;
}

static bool open_once(struct store *s, struct manifest *m)
{
    clear_place(s);
    int64_t version = 0;
    if (!open_database(s, &m->sql, &version)) {
        return false;
    }
    if (version < 0) {
        m->sql.code = SQLITE_CORRUPT;
        return false;
    }
    if (version > SQL_SCHEMA_VERSION) {
        s->manifest_refused = true;
        set_later(s, version, &s->manifest_error);
        return false;
    }
    return version == SQL_SCHEMA_VERSION || create_schema(s, &m->sql);
}

static bool needs_filling(struct sql *q)
{
    int64_t flag = 0;
    bool found = false;
    if (sql_start(q, SQL_COUNTERS, "")) {
        while (sql_next(q, SQL_COUNTERS)) {
            const char *name = (const char *)sqlite3_column_text(q->prepared[SQL_COUNTERS], 0);
            if (name != NULL && strcmp(name, "to_be_filled") == 0) {
                flag = sql_int(q, SQL_COUNTERS, 1);
                found = true;
            }
        }
    }
    return found && flag != 0;
}

/* ---- rebuilding ----------------------------------------------------------------------------- */

struct key_list {
    struct sha256 *keys;
    size_t count;
    size_t cap;
    bool failed;
};

static bool collect_key(void *context, const struct sha256 *key)
{
    struct key_list *list = context;
    if (list->count == list->cap) {
        const size_t cap = list->cap == 0 ? 1024 : list->cap * 2;
        struct sha256 *keys = realloc(list->keys, cap * sizeof(*keys));
        if (keys == NULL) {
            list->failed = true;
            return false;
        }
        list->keys = keys;
        list->cap = cap;
    }
    list->keys[list->count++] = *key;
    return true;
}

/* Rows for all entries that have a good record. */
static bool fill(struct store *s, struct sql *q)
{
    struct key_list list = {NULL, 0, 0, false};
    struct error e;
    bool good = entry_each(s, collect_key, &list, &e) && !list.failed;
    good = good && sql_run(q, SQL_BEGIN_WRITE, "");
    for (size_t i = 0; i < list.count && good; i++) {
        struct arena *a = arena_like(s->arena);
        struct store view = *s;
        view.arena = a;
        struct store_record record;
        bool added = false;
        if (entry_read_record(&view, a, &list.keys[i], &record, &e) == STORE_HIT) {
            good = rows_add_entry(q, a, &record, &added);
        }
        arena_free(a);
    }
    free(list.keys);
    good = good && sql_run(q, SQL_ENTRIES_ORDER, "") &&
           sql_run(q, SQL_COUNTER_SET, "ti", STR("to_be_filled"), (int64_t)0);
    return sqlite3_exec(q->db, good ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK && good;
}

static void throw_away(struct store *s)
{
    struct arena *a = s->arena;
    const struct str path = manifest_path(s, a);
    /* The log and index first: they must never be found beside a new database. */
    (void)unlink(str_format(a, "%s-wal", path.ptr).ptr);
    (void)unlink(str_format(a, "%s-shm", path.ptr).ptr);
    (void)unlink(str_format(a, "%s-journal", path.ptr).ptr);
    const struct str away = temporary_name(s, a);
    if (rename(path.ptr, away.ptr) == 0) {
        (void)remove_tree(away.ptr);
    }
}

static bool open_and_check(struct store *s, struct manifest *m)
{
    int64_t rows = 0;
    return open_once(s, m) && sql_pragma_int(&m->sql, "SELECT count(*) FROM counters", &rows);
}

static struct manifest *reopen_empty(struct store *s, struct error *e)
{
    struct store_lock lock;
    if (!store_lock(s, &rebuild_lock, REBUILD_WAIT_MS, &lock, NULL)) {
        error_set(e, "the manifest in %s is damaged, and somebody else is at it", s->dir.ptr);
        return NULL;
    }
    throw_away(s);
    struct manifest *m = ARENA_NEW(s->arena, struct manifest);
    if (!open_and_check(s, m)) {
        say(s, &m->sql, e);
        sql_close(&m->sql);
        m = NULL;
    }
    store_unlock(&lock);
    return m;
}

/* Another process may have found the same damage and mended it while we waited for the lock. */
static struct manifest *mend(struct store *s, struct error *e)
{
    struct store_lock lock;
    bool waited = false;
    if (store_lock(s, &rebuild_lock, REBUILD_WAIT_MS, &lock, &waited)) {
        store_unlock(&lock);
    }
    if (waited) {
        struct manifest *m = ARENA_NEW(s->arena, struct manifest);
        if (open_and_check(s, m)) {
            return m;
        }
        sql_close(&m->sql);
    }
    return reopen_empty(s, e);
}

/* One wait is enough for a process: what it would have written can be missed. */
static void note_busy(struct store *s, int code, const struct error *e)
{
    const int primary = code & 0xFF;
    s->manifest_is_busy = s->manifest_is_busy || primary == SQLITE_BUSY || primary == SQLITE_LOCKED;
    if (primary == SQLITE_PROTOCOL) {
        /* SQLite has tried for ten seconds, whatever the timeout: locks do not work here now. */
        s->manifest_is_out = true;
        s->manifest_error = *e;
    }
}

/* ---- a store that can't be written ---------------------------------------------------------- */

/* As SQLite reads it in file names: bytes that mean something there, percent-encoded. */
static struct str as_uri(struct arena *a, struct str path)
{
    struct buf b;
    buf_init(&b, a);
    buf_add_c(&b, "file:");
    for (size_t i = 0; i < path.len; i++) {
        const char c = path.ptr[i];
        if (c == '%' || c == '?' || c == '#') {
            buf_printf(&b, "%%%02x", (unsigned)(unsigned char)c);
        } else {
            buf_add_char(&b, c);
        }
    }
    buf_add_c(&b, "?mode=ro&immutable=1");
    return buf_str(&b);
}

/* The file as it is: no lock and no log of changes, for which files would have to be made. Nobody
 * who has the rights we have can be writing to it. */
static bool open_as_it_is(struct store *s, struct sql *q)
{
    const struct str uri = as_uri(s->arena, manifest_path(s, s->arena));
    int64_t version = 0;
    int64_t rows = 0;
    q->code = sqlite3_open_v2(uri.ptr, &q->db,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    return q->code == SQLITE_OK && sql_pragma_int(q, "PRAGMA user_version", &version) &&
           version == SQL_SCHEMA_VERSION &&
           sql_pragma_int(q, "SELECT count(*) FROM counters", &rows);
}

/* A manifest in memory, for one that is missing, damaged or of an earlier version. */
static bool open_in_memory(struct sql *q)
{
    q->code = sqlite3_open_v2(
        ":memory:", &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    return q->code == SQLITE_OK && sql_migrate(q, 0) &&
           sql_run(q, SQL_COUNTER_SET, "ti", STR("to_be_filled"), (int64_t)1);
}

static struct manifest *open_in_memory_instead(struct store *s, struct error *e)
{
    struct manifest *m = ARENA_NEW(s->arena, struct manifest);
    m->read_only = true;
    if (open_in_memory(&m->sql)) {
        return m;
    }
    say(s, &m->sql, e);
    sql_close(&m->sql);
    return NULL;
}

static struct manifest *open_read_only(struct store *s, struct error *e)
{
    struct manifest *m = ARENA_NEW(s->arena, struct manifest);
    m->read_only = true;
    if (open_as_it_is(s, &m->sql)) {
        return m;
    }
    sql_close(&m->sql);
    return open_in_memory_instead(s, e);
}

/* ---- opening, whatever is there ------------------------------------------------------------- */

static struct manifest *manifest_open(struct store *s, enum manifest_access access, struct error *e)
{
    if (s->manifest_refused || s->manifest_is_out) {
        *e = s->manifest_error;
        return NULL;
    }
    /* SQLite takes a file system without locks for one where somebody always has them. */
    if (s->manifest == NULL && (!store_is_writable(s) || !lock_works(s))) {
        s->manifest = open_read_only(s, e);
        if (s->manifest == NULL) {
            return NULL;
        }
        s->manifest->to_be_filled = needs_filling(&s->manifest->sql);
    }
    if (s->manifest == NULL) {
        struct manifest *m = ARENA_NEW(s->arena, struct manifest);
        if (!open_once(s, m)) {
            const int code = m->sql.code;
            say(s, &m->sql, e);
            sql_close(&m->sql);
            if (s->manifest_refused) {
                *e = s->manifest_error;
                return NULL;
            }
            if (!sql_is_damage(code)) {
                note_busy(s, code, e);
                return NULL;
            }
            m = mend(s, e);
            if (m == NULL) {
                return NULL;
            }
        }
        m->to_be_filled = needs_filling(&m->sql);
        s->manifest = m;
    }
    if (access == MANIFEST_FULL && s->manifest->to_be_filled) {
        s->manifest->to_be_filled = false;
        (void)fill(s, &s->manifest->sql);
    }
    return s->manifest;
}

/* ---- use ------------------------------------------------------------------------------------ */

static bool transact(struct store *s, struct sql *q, bool writes, manifest_work *work,
                     void *context)
{
    q->code = SQLITE_OK;
    if (!sql_run(q, writes ? SQL_BEGIN_WRITE : SQL_BEGIN, "")) {
        return false;
    }
    if (work(s, q, context) && q->code == SQLITE_OK && sql_run(q, SQL_COMMIT, "")) {
        return true;
    }
    const int code = q->code;
    if (sqlite3_get_autocommit(q->db) == 0) {
        (void)sql_run(q, SQL_ROLLBACK, "");
    }
    q->code = code;
    return false;
}

bool manifest_do(struct store *s, enum manifest_access access, bool writes, int wait_ms,
                 manifest_work *work, void *context, struct error *e)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        struct manifest *m = manifest_open(s, access, e);
        if (m == NULL) {
            return false;
        }
        (void)sqlite3_busy_timeout(m->sql.db, s->manifest_is_busy ? 0 : wait_ms);
        if (transact(s, &m->sql, writes, work, context)) {
            return true;
        }
        say(s, &m->sql, e);
        if (!sql_is_damage(m->sql.code)) {
            note_busy(s, m->sql.code, e);
            return false;
        }
        const bool read_only = m->read_only;
        manifest_close(s);
        s->manifest = read_only ? open_in_memory_instead(s, e) : mend(s, e);
        if (s->manifest == NULL) {
            return false;
        }
        s->manifest->to_be_filled = needs_filling(&s->manifest->sql);
    }
    return false;
}

bool manifest_is_read_only(struct store *s)
{
    struct error e;
    return manifest_open(s, MANIFEST_QUICK, &e) != NULL && s->manifest->read_only;
}

bool manifest_is_refused(struct store *s, struct error *e)
{
    return manifest_open(s, MANIFEST_QUICK, e) == NULL && s->manifest_refused;
}

void manifest_close(struct store *s)
{
    if (s->manifest != NULL) {
        sql_close(&s->manifest->sql);
        s->manifest = NULL;
    }
}

bool manifest_rebuild(struct store *s, struct error *e)
{
    manifest_close(s);
    s->manifest = store_is_writable(s) ? reopen_empty(s, e) : open_in_memory_instead(s, e);
    return s->manifest != NULL && fill(s, &s->manifest->sql);
}

static bool check_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    sqlite3_stmt *statement = NULL;
    bool *sound = context;
    *sound = false;
    if (sqlite3_prepare_v2(q->db, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        *sound = text != NULL && strcmp(text, "ok") == 0;
    }
    (void)sqlite3_finalize(statement);
    return true;
}

bool manifest_is_sound(struct store *s)
{
    bool sound = false;
    struct error e;
    return manifest_do(s, MANIFEST_QUICK, false, MANIFEST_WAIT_MS, check_work, &sound, &e) && sound;
}

void store_close(struct store *s)
{
    if (s != NULL) {
        manifest_close(s);
    }
}
