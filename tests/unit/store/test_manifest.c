#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_rows(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    publish(p, 2, "two");
    assert_int_equal(query_int(p, "PRAGMA user_version"), 2);
    assert_int_equal(query_int(p, "SELECT count(DISTINCT directory) FROM entries"), 2);
    struct store_row *rows = NULL;
    size_t count = 0;
    struct error e;
    const struct sha256 ast = key_of(2001);
    assert_true(store_lookup_ast(p->store, p->arena, &ast, &rows, &count, &e));
    assert_int_equal(count, 1);
    const struct sha256 key = key_of(1);
    assert_true(sha256_equal(&rows[0].key, &key));
    assert_str(rows[0].directory, store_entry_dir(p->arena, &key).ptr);
    assert_str(rows[0].workunit, "scale");
    assert_int_equal(rows[0].size, 3);
}

/* A compile of a TU, or where `why` is NULL a hit for it. */
static void give(struct place *p, int n, const char *source, const struct store_why *why)
{
    struct store_record record = record_of(n);
    struct error e;
    record.source = str_from(source);
    if (why != NULL) {
        assert_true(store_publish(p->store, &record, STR("object"), why, &e));
    } else {
        store_record_use(p->store, &record);
    }
}

static void test_causes_of_hits(void **state)
{
    struct place *p = *state;
    struct store_stats stats;
    struct error e;
    give(p, 1, "/a/k.cpp", &why_body);
    give(p, 2, "/a/k.cpp", &why_body);
    give(p, 2, "/a/k.cpp", NULL); /* made again */
    give(p, 2, "/a/k.cpp", NULL); /* made again */
    give(p, 1, "/a/k.cpp", NULL); /* taken back */
    give(p, 1, "/b/k.cpp", NULL); /* new place */
    give(p, 2, "/b/k.cpp", NULL); /* elsewhere: by /a/k.cpp */
    give(p, 2, "/b/k.cpp", NULL); /* made again */
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.hits, 6);
    assert_int_equal(stats.misses, 2);
    assert_int_equal(stats.cause_count, 1);
    const struct store_cause expected[] = {{STR("elsewhere"), 1},
                                           {STR("made again"), 3},
                                           {STR("new place"), 1},
                                           {STR("taken back"), 1}};
    assert_int_equal(stats.hit_cause_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_str(stats.hit_causes[i].name, expected[i].name.ptr);
        assert_int_equal(stats.hit_causes[i].count, expected[i].count);
    }
    give(p, 2, "/a/k.cpp", NULL); /* taken back, told in a later look */
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.hit_causes[3].count, 2);
}

static void test_history(void **state)
{
    struct place *p = *state;
    struct store_change changes[2] = {
        {.time = 100,
         .module = STR("kernels"),
         .workunit = STR("scale"),
         .has_new = true,
         .new_ast_hash = key_of(1),
         .cause = STR("first build")},
        {.time = 200,
         .module = STR("kernels"),
         .workunit = STR("dot"),
         .has_old = true,
         .old_ast_hash = key_of(1),
         .has_new = true,
         .new_ast_hash = key_of(2),
         .cause = STR("body: kernels.py:7:5: Constant 2 -> 1")},
    };
    struct error e = {""};
    assert_true(store_history_add(p->store, changes, 2, &e));
    struct store_change *found = NULL;
    size_t count = 0;
    assert_true(store_history_query(p->store, p->arena, STR(""), 10, &found, &count, &e));
    assert_int_equal(count, 2);
    assert_str(found[0].workunit, "dot"); /* newest first */
    assert_true(found[0].has_old);
    assert_false(found[1].has_old);
    assert_true(
        store_history_query(p->store, p->arena, STR("kernels.scale"), 10, &found, &count, &e));
    assert_int_equal(count, 1);
    assert_str(found[0].cause, "first build");
    assert_true(store_history_query(p->store, p->arena, STR("dot'; --"), 10, &found, &count, &e));
    assert_int_equal(count, 0);
}

/* Changes wait in a log until somebody works on the manifest; what is broken in it is skipped. */
static void expect_rebuilt(struct place *p, int64_t entries)
{
    assert_non_null(place_reopen(p));
    struct store_stats stats;
    struct error e = {""};
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.entries, entries);
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), entries);
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
}

static void test_rebuilt_from_the_entries(void **state)
{
    struct place *p = *state;
    const char *path = place_path(p, "manifest.sqlite");
    struct error e;
    publish(p, 1, "one");
    publish(p, 2, "two");
    store_close(p->store);
    p->store = NULL;

    assert_int_equal(unlink(path), 0); /* gone */
    expect_rebuilt(p, 2);
    store_close(p->store);
    p->store = NULL;

    assert_true(
        file_write(path, STR("this is no database, but a text of some length\n"), false, &e));
    expect_rebuilt(p, 2);
    store_close(p->store);
    p->store = NULL;

    assert_int_equal(truncate(path, 5000), 0); /* cut */
    expect_rebuilt(p, 2);
    store_close(p->store);
    p->store = NULL;

    assert_int_equal(unlink(path), 0); /* a folder with something in it */
    assert_true(dir_make(str_format(p->arena, "%s/x", path).ptr, &e));
    expect_rebuilt(p, 2);
    store_close(p->store);
    p->store = NULL;

    execute(p, "DROP TABLE texts"); /* tables that are not ours */
    expect_rebuilt(p, 2);
}

static void test_a_miss_works_beside_a_damaged_manifest(void **state)
{
    struct place *p = *state;
    struct error e;
    publish(p, 1, "one");
    store_close(p->store);
    p->store = NULL;
    assert_true(
        file_write(place_path(p, "manifest.sqlite"), STR("garbage garbage garbage"), false, &e));
    assert_non_null(place_reopen(p));
    store_prepare(p->store);
    publish(p, 2, "two");
    expect_rebuilt(p, 2);
}

static void test_flipped_bytes(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    publish(p, 2, "two");
    store_close(p->store);
    p->store = NULL;
    const char *path = place_path(p, "manifest.sqlite");
    const char *good = place_path(p, "good");
    struct str bytes;
    struct error e;
    assert_true(file_read(p->arena, path, 0, &bytes, &e));
    assert_true(file_write(good, bytes, false, &e));
    for (long offset = 0; offset < (long)bytes.len; offset += 211) {
        assert_true(file_write(path, bytes, false, &e));
        flip_byte(path, offset);
        assert_non_null(place_reopen(p));
        struct store_verified verified;
        struct error why = {""};
        const bool verified_good = store_verify(p->store, &verified, &why);
        /* The version's own bytes may say "newer": then nothing is touched. */
        if (!verified_good) {
            assert_non_null(strstr(why.text, "later version"));
        } else {
            assert_int_equal(verified.entries, 2);
            assert_int_equal(verified.damaged, 0);
        }
        store_close(p->store);
        p->store = NULL;
        unlink(str_format(p->arena, "%s-wal", path).ptr);
        unlink(str_format(p->arena, "%s-shm", path).ptr);
    }
}

static void test_a_newer_schema_is_left_alone(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    execute(p, "PRAGMA user_version = 99; CREATE TABLE future (x)");
    assert_non_null(place_reopen(p));
    struct store_record record = record_of(2);
    struct error e = {""};
    store_prepare(p->store);
    assert_false(store_publish(p->store, &record, STR("two"), NULL, &e));
    assert_non_null(strstr(e.text, "later version"));
    struct store_stats stats;
    assert_false(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(query_int(p, "PRAGMA user_version"), 99);
    assert_int_equal(query_int(p, "SELECT count(*) FROM future"), 0);
}

static void test_many_writers(void **state)
{
    struct place *p = *state;
    enum { writers = 8, each = 25 };
    pid_t children[writers];
    for (int w = 0; w < writers; w++) {
        children[w] = fork();
        if (children[w] == 0) {
            struct error e;
            struct store *s = store_open(p->arena, place_path(p, ""), &e);
            int bad = s == NULL;
            for (int i = 0; i < each && !bad; i++) {
                struct store_record record = record_of(w * each + i);
                store_prepare(s);
                bad = !store_publish(s, &record, STR("object"), &why_body, &e);
                store_record_use(s, &record);
            }
            store_close(s);
            _exit(bad);
        }
    }
    for (int w = 0; w < writers; w++) {
        int status = 1;
        waitpid(children[w], &status, 0);
        assert_int_equal(status, 0);
    }
    struct store_stats stats;
    struct error e;
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.entries, writers * each);
    assert_int_equal(stats.size, writers * each * 6);
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), writers * each);
}

int run_manifest_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_rows),
        PLACE_TEST(test_causes_of_hits),
        PLACE_TEST(test_history),
        PLACE_TEST(test_rebuilt_from_the_entries),
        PLACE_TEST(test_a_miss_works_beside_a_damaged_manifest),
        PLACE_TEST(test_flipped_bytes),
        PLACE_TEST(test_a_newer_schema_is_left_alone),
        PLACE_TEST(test_many_writers),
    };
    return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
