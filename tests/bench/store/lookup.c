/*
 * Looking an AST hash up in a manifest of a million rows, and in one of a thousand:
 *
 *     lookup FOLDER [runs]
 *
 * Each size is a store of its own in FOLDER, filled by SQL and kept for the next run. Two ways are
 * timed, interleaved: a lookup in a manifest that is open, and one that opens the store first, as
 * each process of a build has to. Medians and their ratio are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "store/store.h"

#define FEW 1000
#define MANY 1000000
#define LOOKUPS 10 /* a sample: short enough to fit between two other processes' turns */

static void fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "lookup: %s: %s\n", what, why);
    exit(1);
}

/* ---- filling -------------------------------------------------------------------------------- */

static struct sha256 hash_of(const char *word, long n)
{
    char text[64];
    struct sha256 hash;
    const int len = snprintf(text, sizeof(text), "%s %ld", word, n);
    if (!sha256_of((struct str){text, (size_t)len}, &hash)) {
        fail("SHA-256", "does not work");
    }
    return hash;
}

static void bind_hash(sqlite3_stmt *statement, int i, const char *word, long n)
{
    static const char digits[] = "0123456789abcdef";
    const struct sha256 hash = hash_of(word, n);
    char hex[SHA256_HEX_LEN];
    for (size_t k = 0; k < sizeof(hash.bytes); k++) {
        hex[2 * k] = digits[hash.bytes[k] >> 4];
        hex[2 * k + 1] = digits[hash.bytes[k] & 15];
    }
    (void)sqlite3_bind_text(statement, i, hex, sizeof(hex), SQLITE_TRANSIENT);
}

static void run(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
        fail(sql, why);
    }
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail(sql, sqlite3_errmsg(db));
    }
    return statement;
}

static void add_row(sqlite3_stmt *entry, sqlite3_stmt *text, long n)
{
    char name[32];
    bind_hash(entry, 1, "key", n);
    bind_hash(entry, 2, "text", n);
    bind_hash(entry, 3, "ast", n);
    (void)snprintf(name, sizeof(name), "workunit%ld", n);
    (void)sqlite3_bind_text(entry, 4, name, -1, SQLITE_TRANSIENT);
    (void)sqlite3_bind_int64(entry, 5, n);
    bind_hash(text, 1, "ast", n);
    bind_hash(text, 2, "text", n);
    (void)sqlite3_step(entry);
    (void)sqlite3_step(text);
    (void)sqlite3_reset(entry);
    (void)sqlite3_reset(text);
}

static void fill(const char *dir, long rows)
{
    char path[4096];
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof(path), "%s/manifest.sqlite", dir);
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        fail(path, "cannot be opened");
    }
    run(db, "PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN");
    sqlite3_stmt *entry = prepare(
        db, "INSERT INTO entries VALUES (?1, ?2, ?3, ?3, 'module', ?4, '[]', 'g++', 'entries', ?1,"
            " 10000, 50, 0, 0, 0, ?5)");
    sqlite3_stmt *text = prepare(db, "INSERT INTO texts VALUES (?, ?)");
    for (long n = 0; n < rows; n++) {
        add_row(entry, text, n);
    }
    (void)sqlite3_finalize(entry);
    (void)sqlite3_finalize(text);
    run(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    (void)sqlite3_close(db);
}

static struct store *open_store(struct arena *a, const char *dir)
{
    struct error e;
    struct store *s = store_open(a, dir, &e);
    if (s == NULL) {
        fail(dir, e.text);
    }
    return s;
}

/* The store of so many rows, made where it is missing. */
static struct str store_of(struct arena *a, const char *folder, long rows)
{
    const struct str dir = str_format(a, "%s/%ld", folder, rows);
    struct store_stats stats;
    struct error e;
    if (!dir_make(folder, &e)) {
        fail(folder, e.text);
    }
    struct store *s = open_store(a, dir.ptr);
    if (!store_stats(s, a, &stats, &e)) {
        fail(dir.ptr, e.text);
    }
    store_close(s);
    if (stats.entries != (uint64_t)rows) {
        if (stats.entries != 0) {
            fail(dir.ptr, "was not filled to its end: remove it");
        }
        (void)printf("filling %s\n", dir.ptr);
        (void)fflush(stdout);
        fill(dir.ptr, rows);
    }
    return dir;
}

/* ---- looking up ----------------------------------------------------------------------------- */

static double now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void look_up(struct store *s, struct arena *a, long n)
{
    struct store_row *row = NULL;
    size_t count = 0;
    struct error e;
    const struct sha256 hash = hash_of("ast", n);
    if (!store_lookup_ast(s, a, &hash, &row, &count, &e) || count != 1) {
        fail("lookup", "the row is not found");
    }
}

struct side {
    struct str dir;
    long rows;
    struct store *open;
    double *opened; /* a sample a run: microseconds a lookup */
    double *opening;
};

static void sample(struct side *side, int i, unsigned *seed)
{
    struct arena *a = arena_new(NULL, NULL);
    double begin = now_us();
    for (int k = 0; k < LOOKUPS; k++) {
        *seed = *seed * 1103515245 + 12345;
        look_up(side->open, a, (long)(*seed >> 4) % side->rows);
    }
    side->opened[i] = (now_us() - begin) / LOOKUPS;
    begin = now_us();
    *seed = *seed * 1103515245 + 12345;
    struct store *s = open_store(a, side->dir.ptr);
    look_up(s, a, (long)(*seed >> 4) % side->rows);
    store_close(s);
    side->opening[i] = now_us() - begin;
    arena_free(a);
}

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a;
    const double two = *(const double *)b;
    return (one > two) - (one < two);
}

static double median(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof(*samples), compare);
    return samples[count / 2];
}

static void report(const char *name, double *few, double *many, int runs)
{
    const double base = median(few, runs);
    const double ours = median(many, runs);
    (void)printf("%-38s %9.1f us   of %d: %9.1f us   ratio %5.2f   goal <= 2\n", name, ours, FEW,
                 base, ours / base);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fail("usage", "lookup FOLDER [runs]");
    }
    const int runs = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 101;
    struct arena *a = arena_new(NULL, NULL);
    struct side sides[2] = {{.rows = FEW}, {.rows = MANY}};
    for (int i = 0; i < 2; i++) {
        sides[i].dir = store_of(a, argv[1], sides[i].rows);
        sides[i].open = open_store(a, sides[i].dir.ptr);
        sides[i].opened = ARENA_ARRAY(a, double, (size_t)runs);
        sides[i].opening = ARENA_ARRAY(a, double, (size_t)runs);
    }
    /* Twice the same: the first time reads from the disk. */
    for (int round = 0; round < 2; round++) {
        unsigned seed = 1;
        for (int i = 0; i < runs; i++) {
            sample(&sides[0], i, &seed);
            sample(&sides[1], i, &seed);
        }
    }
    report("lookup among a million rows", sides[0].opened, sides[1].opened, runs);
    report("the same, store opened first", sides[0].opening, sides[1].opening, runs);
    store_close(sides[0].open);
    store_close(sides[1].open);
    arena_free(a);
    return 0;
}
