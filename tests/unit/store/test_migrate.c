/*
 * Manifests of other versions: a stored one of version 1 is opened by this program, whatever its
 * own version is; migrations run in order, whole or not at all; a newer one is left alone.
 */
#include "common.h"

#include "store/sql.h"

#include <string.h>
#include <unistd.h>

/* Puts the stored manifest in the store's place. */
static void put_version_1(struct place *p)
{
    struct str script;
    struct error e = {""};
    assert_true(file_read(p->arena, PKC_TEST_FOLDER "/manifest_v1.sql", 0, &script, &e));
    (void)unlink(place_path(p, "manifest.sqlite"));
    execute(p, script.ptr);
    assert_int_equal(query_int(p, "PRAGMA user_version"), 1);
}

static struct sha256 hash_of(const char *last)
{
    struct sha256 hash = {{0}};
    char hex[SHA256_HEX_LEN + 1];
    (void)snprintf(hex, sizeof(hex), "%063d%s", 0, last);
    assert_true(sha256_from_hex(str_from(hex), &hash));
    return hash;
}

static void test_version_1_is_opened(void **state)
{
    struct place *p = *state;
    put_version_1(p);
    struct store_row *rows = NULL;
    struct store_change *changes = NULL;
    struct store_stats stats;
    size_t count = 0;
    struct error e = {""};
    assert_non_null(place_reopen(p));
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.entries, 2);
    assert_int_equal(stats.hits, 1);
    assert_int_equal(stats.misses, 2);
    assert_int_equal(stats.size, 1680);
    const struct sha256 ast = hash_of("2");
    assert_true(store_lookup_ast(p->store, p->arena, &ast, &rows, &count, &e));
    assert_int_equal(count, 1);
    assert_str(rows[0].workunit, "w2");
    assert_str(rows[0].types, "View1D[double]");
    assert_true(
        store_history_query(p->store, p->arena, STR("kernels.w2"), 5, &changes, &count, &e));
    assert_int_equal(count, 1);
    assert_str(changes[0].cause, "body");
    const struct sha256 old = hash_of("3");
    assert_true(changes[0].has_old && sha256_equal(&changes[0].old_ast_hash, &old));
    publish(p, 7, "seven"); /* and is gone on with */
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.entries, 3);
    assert_int_equal(query_int(p, "PRAGMA user_version"), SQL_SCHEMA_VERSION);
}

static const char *const further[] = {
    "THIS IS NEVER RUN: the manifest has version 1",
    "ALTER TABLE entries ADD COLUMN device TEXT NOT NULL DEFAULT 'host';"
    "UPDATE entries SET device = 'first' WHERE workunit = 'w1';",
    "CREATE TABLE devices (name TEXT NOT NULL PRIMARY KEY);"
    "INSERT INTO devices SELECT DISTINCT device FROM entries;",
};

static const char *const failing[] = {
    "THIS IS NEVER RUN: the manifest has version 1",
    "ALTER TABLE entries ADD COLUMN device TEXT NOT NULL DEFAULT 'host';",
    "DROP TABLE history; INSERT INTO no_such_table VALUES (1);",
};

static bool migrate(struct place *p, const char *const *scripts, int64_t to)
{
    struct sql q;
    memset(&q, 0, sizeof(q));
    assert_int_equal(sqlite3_open(place_path(p, "manifest.sqlite"), &q.db), SQLITE_OK);
    assert_true(sql_script(&q, "BEGIN IMMEDIATE"));
    const bool good = sql_migrate_by(&q, scripts, 1, to);
    assert_int_equal(sqlite3_exec(q.db, good ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sql_close(&q);
    return good;
}

static void test_further_migrations(void **state)
{
    struct place *p = *state;
    put_version_1(p);
    assert_true(migrate(p, further, 3));
    assert_int_equal(query_int(p, "PRAGMA user_version"), 3);
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), 2);
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries WHERE device = 'first'"), 1);
    assert_int_equal(query_int(p, "SELECT count(*) FROM devices"), 2);
    assert_int_equal(query_int(p, "SELECT count(*) FROM history"), 2);
}

static void test_one_that_fails_changes_nothing(void **state)
{
    struct place *p = *state;
    put_version_1(p);
    assert_false(migrate(p, failing, 3));
    assert_int_equal(query_int(p, "PRAGMA user_version"), 1);
    assert_int_equal(query_int(p, "SELECT count(*) FROM history"), 2);
    assert_int_equal(
        query_int(p, "SELECT count(*) FROM pragma_table_info('entries') WHERE name = 'device'"), 0);
    struct store_stats stats;
    struct error e = {""};
    assert_non_null(place_reopen(p));
    assert_true(store_stats(p->store, p->arena, &stats, &e)); /* it works as before */
    assert_int_equal(stats.entries, 2);
}

/* What a later version migrated, this one does not touch: not a byte. */
static void test_a_later_version_is_refused(void **state)
{
    struct place *p = *state;
    struct str before;
    struct str after;
    struct error e = {""};
    put_version_1(p);
    assert_true(migrate(p, further, 3));
    assert_true(file_read(p->arena, place_path(p, "manifest.sqlite"), 0, &before, &e));
    assert_non_null(place_reopen(p));
    struct store_record record = record_of(1);
    struct store_stats stats;
    struct store_verified verified;
    struct store_collected collected;
    store_prepare(p->store);
    assert_false(store_publish(p->store, &record, STR("one"), NULL, &e));
    assert_false(store_stats(p->store, p->arena, &stats, &e));
    assert_false(store_verify(p->store, &verified, &e));
    assert_false(store_collect(p->store, 0, 0, &collected, &e));
    assert_false(store_clear(p->store, &collected, &e));
    assert_non_null(strstr(e.text, "later version"));
    assert_false(store_can_keep(p->store, &e));
    assert_non_null(strstr(e.text, "later version"));
    assert_true(file_read(p->arena, place_path(p, "manifest.sqlite"), 0, &after, &e));
    assert_true(str_equal(before, after));
}

int run_migrate_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_version_1_is_opened),
        PLACE_TEST(test_further_migrations),
        PLACE_TEST(test_one_that_fails_changes_nothing),
        PLACE_TEST(test_a_later_version_is_refused),
    };
    return cmocka_run_group_tests_name("migrate", tests, NULL, NULL);
}
