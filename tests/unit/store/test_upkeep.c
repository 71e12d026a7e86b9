#include "common.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_there(struct place *p, int n)
{
    return file_exists(object_path(p, n));
}

static void test_collects_the_oldest_first(void **state)
{
    struct place *p = *state;
    for (int n = 0; n < 10; n++) {
        publish(p, n, "0123456789");
        const struct sha256 key = key_of(n);
        execute(p, str_format(p->arena,
                              "UPDATE entries SET last_used = 5, use_order = %d WHERE key = '%s'",
                              100 - n, sha256_hex(p->arena, &key).ptr)
                       .ptr);
    }
    const struct store_record used = record_of(9); /* the oldest, until this */
    store_record_use(p->store, &used);
    execute(p, "CREATE TRIGGER old AFTER UPDATE OF hits ON entries BEGIN"
               " UPDATE entries SET last_used = 5 WHERE key = new.key; END");
    struct store_collected out;
    struct error e = {""};
    assert_true(store_collect(p->store, 75, 1, &out, &e)); /* one small step */
    assert_int_equal(out.removed, 1);
    assert_true(out.more);
    assert_false(is_there(p, 8));
    assert_true(store_collect(p->store, 75, 0, &out, &e));
    assert_int_equal(out.removed, 2);
    assert_int_equal(out.left, 70);
    assert_false(out.more);
    for (int n = 0; n < 10; n++) {
        assert_int_equal(is_there(p, n), n < 6 || n == 9);
    }
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), 7);
    assert_int_equal(query_int(p, "SELECT value FROM counters WHERE name = 'size'"), 70);
    assert_true(store_collect(p->store, 75, 0, &out, &e));
    assert_int_equal(out.removed, 0);
}

static void test_keeps_what_is_in_use(void **state)
{
    struct place *p = *state;
    publish(p, 1, "recent");
    publish(p, 2, "locked");
    publish(p, 3, "free");
    publish(p, 4, "used just now");
    for (int n = 2; n <= 4; n++) {
        const struct sha256 key = key_of(n);
        execute(p, str_format(p->arena, "UPDATE entries SET last_used = 5 WHERE key = '%s'",
                              sha256_hex(p->arena, &key).ptr)
                       .ptr);
    }
    const struct store_record used = record_of(4);
    store_record_use(p->store, &used); /* still in the log only */
    const struct sha256 key = key_of(2);
    struct store_lock lock;
    assert_true(store_lock(p->store, &key, 0, &lock, NULL));
    struct store_collected out;
    struct error e = {""};
    assert_true(store_collect(p->store, 0, 0, &out, &e));
    store_unlock(&lock);
    assert_int_equal(out.removed, 1);
    assert_true(is_there(p, 1));
    assert_true(is_there(p, 2));
    assert_false(is_there(p, 3));
    assert_true(is_there(p, 4));
}

static void test_verify(void **state)
{
    struct place *p = *state;
    struct store_verified out;
    struct error e = {""};
    publish(p, 1, "one");
    publish(p, 2, "two");
    publish(p, 3, "three");
    publish(p, 4, "four");
    assert_true(store_verify(p->store, &out, &e));
    assert_int_equal(out.entries, 4);
    assert_int_equal(out.damaged + out.added + out.dropped + out.manifest_rebuilt, 0);

    flip_byte(object_path(p, 2), 1);
    const struct str three = str_copy(p->arena, path_dirname(str_from(object_path(p, 3))));
    assert_int_equal(rename(three.ptr, place_path(p, "away")), 0);
    const struct sha256 key = key_of(4);
    execute(p, str_format(p->arena, "DELETE FROM entries WHERE key = '%s'",
                          sha256_hex(p->arena, &key).ptr)
                   .ptr);
    assert_true(store_verify(p->store, &out, &e));
    assert_int_equal(out.entries, 2);
    assert_int_equal(out.damaged, 1);
    assert_int_equal(out.added, 1);
    assert_int_equal(out.dropped, 2); /* the damaged one and the one that was moved away */
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), 2);
}

static void test_clear(void **state)
{
    struct place *p = *state;
    struct store_collected out;
    struct error e = {""};
    publish(p, 1, "one");
    publish(p, 2, "two");
    assert_true(store_clear(p->store, &out, &e));
    assert_int_equal(out.removed, 2);
    assert_int_equal(out.freed, 6);
    assert_int_equal(out.left, 0);
    assert_false(is_there(p, 1));
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), 0);
    struct store_stats stats;
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.misses, 0);
    publish(p, 1, "one"); /* and goes on working */
    assert_true(is_there(p, 1));
}

static void test_old_memos_go(void **state)
{
    struct place *p = *state;
    struct str text;
    struct store_collected out;
    struct error e = {""};
    publish(p, 1, "one");
    for (int n = 1; n <= 3; n++) {
        const struct sha256 name = key_of(n);
        store_memo_put(p->store, p->arena, "headers", &name, STR("x"));
        const char *path =
            place_path(p, str_format(p->arena, "headers/%s", sha256_hex(p->arena, &name).ptr).ptr);
        const time_t age = n == 1 ? 30 : 100;
        const struct timespec then = {time(NULL) - age * 24 * 60 * 60, 0};
        const struct timespec times[2] = {then, then};
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    const struct sha256 used = key_of(2);
    assert_true(store_memo_get(p->store, p->arena, "headers", &used, &text)); /* stays by this */
    assert_true(store_collect(p->store, 1000, 0, &out, &e));
    assert_int_equal(count_in(place_path(p, "headers")), 2);
    assert_true(store_memo_get(p->store, p->arena, "headers", &used, &text));
    assert_str(text, "x");
    assert_true(store_clear(p->store, &out, &e));
    assert_int_equal(count_in(place_path(p, "headers")), 0);
}

int run_upkeep_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_collects_the_oldest_first),
        PLACE_TEST(test_keeps_what_is_in_use),
        PLACE_TEST(test_verify),
        PLACE_TEST(test_clear),
        PLACE_TEST(test_old_memos_go),
    };
    return cmocka_run_group_tests_name("upkeep", tests, NULL, NULL);
}
