#include "common.h"

#include "store/private.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static enum store_found find(struct place *p, int n, struct str *object)
{
    const struct sha256 key = key_of(n);
    struct store_record record;
    struct error e;
    return store_find(p->store, p->arena, &key, &record, object, &e);
}

static void test_published_is_found(void **state)
{
    struct place *p = *state;
    struct str object;
    assert_int_equal(find(p, 1, &object), STORE_MISS);
    publish(p, 1, "object one");
    assert_int_equal(find(p, 1, &object), STORE_HIT);
    assert_str(object, "object one");
    assert_int_equal(find(p, 2, &object), STORE_MISS);
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
}

static void test_published_again_changes_nothing(void **state)
{
    struct place *p = *state;
    struct str object;
    publish(p, 1, "object one");
    publish(p, 1, "object two"); /* as by a build that missed at the same time */
    assert_int_equal(find(p, 1, &object), STORE_HIT);
    assert_str(object, "object one");
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
}

static void test_damaged_object_is_removed(void **state)
{
    struct place *p = *state;
    struct str object;
    publish(p, 1, "object one");
    flip_byte(object_path(p, 1), 3);
    assert_int_equal(find(p, 1, &object), STORE_DAMAGED);
    assert_int_equal(find(p, 1, &object), STORE_MISS); /* said once */
    publish(p, 1, "object new");
    assert_int_equal(find(p, 1, &object), STORE_HIT);
    assert_str(object, "object new");
    assert_int_equal(query_int(p, "SELECT size FROM entries"), 10);
}

static void test_cut_and_missing_files(void **state)
{
    struct place *p = *state;
    struct str object;
    publish(p, 1, "object one");
    assert_int_equal(truncate(object_path(p, 1), 4), 0);
    assert_int_equal(find(p, 1, &object), STORE_DAMAGED);

    publish(p, 2, "object two");
    assert_int_equal(unlink(object_path(p, 2)), 0);
    assert_int_equal(find(p, 2, &object), STORE_DAMAGED);

    publish(p, 3, "object three");
    const struct str dir = path_dirname(str_from(object_path(p, 3)));
    assert_int_equal(unlink(str_format(p->arena, STR_FMT "/record", STR_ARG(dir)).ptr), 0);
    assert_int_equal(find(p, 3, &object), STORE_DAMAGED);
    assert_int_equal(find(p, 3, &object), STORE_MISS);
}

/* What is at the place after it was copied there; `*found` what was said of it. */
static struct str copied(struct place *p, int n, enum store_found *found)
{
    const struct sha256 key = key_of(n);
    const char *to = place_path(p, "copy.o");
    struct store_record record;
    struct str text;
    struct error e;
    bool written = false;
    assert_true(file_write(to, STR("as before"), false, &e));
    *found = store_find_record(p->store, p->arena, &key, &record, &e);
    if (*found == STORE_HIT) {
        *found = store_copy_object(p->store, p->arena, &record, to, &written, &e);
    }
    assert_int_equal(written, *found == STORE_HIT);
    assert_true(file_read(p->arena, to, 0, &text, &e));
    return text;
}

static void test_object_is_copied(void **state)
{
    struct place *p = *state;
    enum store_found found;
    struct str object;
    assert_str(copied(p, 1, &found), "as before");
    assert_int_equal(found, STORE_MISS);
    publish(p, 1, "object one");
    assert_str(copied(p, 1, &found), "object one");
    assert_int_equal(found, STORE_HIT);
    publish(p, 2, "");
    assert_str(copied(p, 2, &found), "");
    assert_int_equal(found, STORE_HIT);

    const size_t size = 100001; /* several pieces and a rest */
    char *large = arena_alloc(p->arena, size + 1);
    for (size_t i = 0; i < size; i++) {
        large[i] = (char)('a' + i % 23);
    }
    publish(p, 3, large);
    assert_str(copied(p, 3, &found), large);
    flip_byte(object_path(p, 3), (long)size - 1);
    assert_str(copied(p, 3, &found), "as before");
    assert_int_equal(found, STORE_DAMAGED);
    assert_int_equal(find(p, 3, &object), STORE_MISS);

    publish(p, 4, large);
    assert_int_equal(truncate(object_path(p, 4), 99999), 0);
    assert_str(copied(p, 4, &found), "as before");
    assert_int_equal(found, STORE_DAMAGED);
    publish(p, 5, "object five");
    assert_int_equal(unlink(object_path(p, 5)), 0);
    assert_str(copied(p, 5, &found), "as before");
    assert_int_equal(found, STORE_DAMAGED);
}

static void test_copy_to_nowhere(void **state)
{
    struct place *p = *state;
    const struct sha256 key = key_of(1);
    struct store_record record;
    struct str object;
    struct error e;
    bool written = true;
    publish(p, 1, "object one");
    assert_int_equal(store_find_record(p->store, p->arena, &key, &record, &e), STORE_HIT);
    assert_int_equal(store_copy_object(p->store, p->arena, &record, place_path(p, "no/where.o"),
                                       &written, &e),
                     STORE_HIT);
    assert_false(written);
    assert_non_null(strstr(e.text, "where.o"));
    assert_int_equal(find(p, 1, &object), STORE_HIT); /* nothing is wrong with it */
}

static void test_an_entry_under_another_key_is_not_taken(void **state)
{
    struct place *p = *state;
    struct str object;
    publish(p, 1, "object one");
    publish(p, 2, "object two");
    const struct str one = str_copy(p->arena, path_dirname(str_from(object_path(p, 1))));
    const struct str two = str_copy(p->arena, path_dirname(str_from(object_path(p, 2))));
    assert_int_equal(rename(one.ptr, str_format(p->arena, "%s.away", one.ptr).ptr), 0);
    assert_int_equal(rename(two.ptr, one.ptr), 0);
    assert_int_equal(find(p, 1, &object), STORE_DAMAGED);
}

static void test_lock_excludes_and_dies_with_its_holder(void **state)
{
    struct place *p = *state;
    const struct sha256 key = key_of(1);
    const struct sha256 other = key_of(2);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct store_lock held;
        const char c = store_lock(p->store, &key, 0, &held, NULL) ? 'y' : 'n';
        if (write(ready[1], &c, 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    char c = 0;
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(c, 'y');
    struct store_lock lock;
    bool waited = false;
    assert_false(store_lock(p->store, &key, 50, &lock, &waited));
    assert_true(waited);
    assert_true(store_lock(p->store, &other, 0, &lock, &waited)); /* another key is free */
    assert_false(waited);
    store_unlock(&lock);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(store_lock(p->store, &key, 0, &lock, &waited));
    /* A second descriptor in the same process is excluded as well. */
    struct store_lock second;
    assert_false(store_lock(p->store, &key, 0, &second, NULL));
    store_unlock(&lock);
    assert_true(store_lock(p->store, &key, 0, &second, NULL));
    store_unlock(&second);
    close(ready[0]);
    close(ready[1]);
}

static void test_memo(void **state)
{
    struct place *p = *state;
    const struct sha256 name = key_of(7);
    struct str content;
    assert_false(store_memo_get(p->store, p->arena, "compilers", &name, &content));
    store_memo_put(p->store, p->arena, "compilers", &name, STR("known\n"));
    assert_true(store_memo_get(p->store, p->arena, "compilers", &name, &content));
    assert_str(content, "known\n");
    const char *path = str_format(p->arena, "%s", place_path(p, "compilers/")).ptr;
    path = str_format(p->arena, "%s%s", path, sha256_hex(p->arena, &name).ptr).ptr;
    flip_byte(path, 2);
    assert_false(store_memo_get(p->store, p->arena, "compilers", &name, &content));
}

static void test_litter_of_the_dead_is_cleared(void **state)
{
    struct place *p = *state;
    struct error e;
    const pid_t child = fork();
    if (child == 0) { /* dies before it publishes */
        const struct str name = temporary_name(p->store, p->arena);
        _exit(!dir_make(str_format(p->arena, "%s/sub", name.ptr).ptr, &e));
    }
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    const struct str living = temporary_name(p->store, p->arena);
    assert_true(dir_make(living.ptr, &e));
    assert_int_equal(count_in(place_path(p, "tmp")), 2);
    store_prepare(p->store);
    assert_int_equal(count_in(place_path(p, "tmp")), 1);
    assert_true(file_exists(living.ptr));
}

int run_entry_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_published_is_found),
        PLACE_TEST(test_published_again_changes_nothing),
        PLACE_TEST(test_damaged_object_is_removed),
        PLACE_TEST(test_cut_and_missing_files),
        PLACE_TEST(test_object_is_copied),
        PLACE_TEST(test_copy_to_nowhere),
        PLACE_TEST(test_an_entry_under_another_key_is_not_taken),
        PLACE_TEST(test_lock_excludes_and_dies_with_its_holder),
        PLACE_TEST(test_memo),
        PLACE_TEST(test_litter_of_the_dead_is_cleared),
    };
    return cmocka_run_group_tests_name("entries", tests, NULL, NULL);
}
