/*
 * A store that can be read and not written. Root may write anywhere, so a child without its rights
 * looks at it then.
 */
#include "common.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static int take_rights(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)where;
    if (geteuid() == 0 && lchown(path, NOBODY, NOBODY) != 0) {
        return 1;
    }
    return kind == FTW_SL ? 0 : chmod(path, st->st_mode & 0555U);
}

static int give_rights(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)where;
    if (geteuid() == 0 && lchown(path, 0, 0) != 0) {
        return 1;
    }
    return kind == FTW_SL ? 0 : chmod(path, st->st_mode | 0600U);
}

typedef bool look(struct place *p);

/* Runs `f` in a process that may only read; what it returns is checked here. */
static void as_reader(struct place *p, look *f)
{
    store_close(p->store);
    p->store = NULL;
    assert_int_equal(nftw(p->dir, take_rights, 16, FTW_PHYS), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
            _exit(2);
        }
        char whole[PATH_MAX];
        if (realpath(p->dir, whole) == NULL || access(whole, R_OK | X_OK) != 0) {
            _exit(77); /* a build folder that only root may see, perhaps by a folder above it */
        }
        _exit(place_reopen(p) != NULL && f(p) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(nftw(p->dir, give_rights, 16, FTW_PHYS), 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("skipped: this build folder can't be seen by another user\n");
        skip();
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool counts_two(struct place *p)
{
    struct store_stats stats;
    struct store_record record;
    struct str object;
    struct error e = {""};
    const struct sha256 key = key_of(1);
    const bool good = store_stats(p->store, p->arena, &stats, &e) && stats.entries == 2 &&
                      stats.size == 6 &&
                      store_find(p->store, p->arena, &key, &record, &object, &e) == STORE_HIT;
    if (!good) {
        print_message("%llu entries: %s\n", (unsigned long long)stats.entries, e.text);
    }
    return good;
}

static bool finds_by_ast(struct place *p)
{
    struct store_row *rows = NULL;
    size_t count = 0;
    struct error e = {""};
    const struct sha256 ast = key_of(2001);
    return store_lookup_ast(p->store, p->arena, &ast, &rows, &count, &e) && count == 1;
}

static bool all_is_seen(struct place *p)
{
    struct store_verified v;
    struct error e = {""};
    return counts_two(p) && finds_by_ast(p) && store_verify(p->store, &v, &e) && v.entries == 2 &&
           v.damaged == 0 && v.read_only && !v.manifest_rebuilt;
}

static void test_all_is_seen(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    publish(p, 2, "two");
    as_reader(p, all_is_seen);
}

static bool rebuilt_in_memory(struct place *p)
{
    return counts_two(p) && finds_by_ast(p);
}

static void test_a_bad_manifest(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    publish(p, 2, "two");
    store_close(p->store);
    p->store = NULL;
    flip_byte(place_path(p, "manifest.sqlite"), 3);
    as_reader(p, rebuilt_in_memory);
    FILE *f = fopen(place_path(p, "manifest.sqlite"), "wb");
    assert_non_null(f);
    fputs("no database\n", f);
    fclose(f);
    as_reader(p, rebuilt_in_memory);
    assert_int_equal(unlink(place_path(p, "manifest.sqlite")), 0);
    as_reader(p, rebuilt_in_memory);
    assert_false(file_exists(place_path(p, "manifest.sqlite")));
}

static bool damage_is_counted(struct place *p)
{
    struct store_verified v;
    struct error e = {""};
    return store_verify(p->store, &v, &e) && v.entries == 1 && v.damaged == 1 && v.read_only;
}

static void test_a_bad_entry_stays(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    publish(p, 2, "two");
    flip_byte(object_path(p, 2), 1);
    as_reader(p, damage_is_counted);
    assert_true(file_exists(object_path(p, 2)));
}

static bool takes_nothing(struct place *p)
{
    struct error e = {""};
    struct store_record record = record_of(3);
    const struct store_record use = record_of(1);
    store_record_use(p->store, &use);
    store_prepare(p->store);
    return !store_can_keep(p->store, &e) && e.text[0] != '\0' &&
           !store_publish(p->store, &record, STR("three"), NULL, &e) && e.text[0] != '\0';
}

static void test_nothing_is_kept(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    struct error e = {""};
    assert_true(store_can_keep(p->store, &e));
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
    as_reader(p, takes_nothing);
}

int run_read_only_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_all_is_seen),
        PLACE_TEST(test_a_bad_manifest),
        PLACE_TEST(test_a_bad_entry_stays),
        PLACE_TEST(test_nothing_is_kept),
    };
    return cmocka_run_group_tests_name("read-only", tests, NULL, NULL);
}
