/* Logs of uses and of changes: taken in later, by whoever works on the manifest. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void use(struct place *p, int n)
{
    const struct store_record record = record_of(n);
    store_record_use(p->store, &record);
}

static void test_uses_are_taken_in_later(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    use(p, 1);
    use(p, 1);
    struct store_record other = record_of(1);
    other.ast_hash = key_of(777); /* another AST that gives the same text */
    store_record_use(p->store, &other);
    assert_int_equal(query_int(p, "SELECT hits FROM entries"), 0);
    struct store_stats stats;
    struct error e;
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.hits, 3);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.saved_ms, 120);
    assert_int_equal(stats.entries, 1);
    assert_int_equal(stats.size, 3);
    assert_int_equal(stats.cause_count, 1);
    assert_str(stats.causes[0].name, "body");
    assert_int_equal(query_int(p, "SELECT hits FROM entries"), 3);
    struct store_row *rows = NULL;
    size_t count = 0;
    const struct sha256 ast = key_of(777);
    assert_true(store_lookup_ast(p->store, p->arena, &ast, &rows, &count, &e));
    assert_int_equal(count, 1);
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
}

static void test_a_broken_log_is_no_error(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    FILE *f = fopen(place_path(p, "uses.log"), "wb");
    fputs("use 12 zz\nuse\n\n\x01\x02\nuse 999999999999999999999999 a b c\nuse 5", f);
    fclose(f);
    use(p, 1); /* behind the cut line: lost with it */
    use(p, 1);
    struct store_stats stats;
    struct error e;
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.hits, 1);
}

static void test_changes_are_taken_in_later(void **state)
{
    struct place *p = *state;
    const char *const texts[] = {"", " ", "%", "a b%20c\n\t", "π", "100 %", "-"};
    const size_t text_count = sizeof(texts) / sizeof(texts[0]);
    struct error e = {""};
    for (size_t i = 0; i < text_count; i++) {
        const struct store_change change = {.module = str_from(texts[i]),
                                            .workunit = STR("w"),
                                            .has_old = true,
                                            .old_ast_hash = key_of(1),
                                            .cause = str_from(texts[i])};
        assert_true(store_history_add(p->store, &change, 1, &e));
    }
    FILE *f = fopen(place_path(p, "changes.log"), "ab");
    assert_non_null(f);
    fputs("change 1 m w - - \nchange x m w - - c\nchange 1 m w - zz c\nchange 1 m %2 - - c\n"
          "change 1 m w - - c d\nnonsense\n\nchange 1 m w - - cut",
          f);
    assert_int_equal(fclose(f), 0);
    store_prepare(p->store);
    assert_int_not_equal(access(place_path(p, "changes.log"), F_OK), 0);
    struct store_change *found = NULL;
    size_t count = 0;
    assert_true(store_history_query(p->store, p->arena, STR("w"), 100, &found, &count, &e));
    assert_int_equal(count, text_count + 1); /* and the one with an empty last word */
    for (size_t i = 0; i < text_count; i++) {
        const struct store_change *c = &found[text_count - i];
        assert_true(str_equal_c(c->module, texts[i]));
        assert_true(str_equal_c(c->cause, texts[i]));
        assert_true(c->has_old && !c->has_new);
        assert_true(c->time > 1000000000);
    }
}

static uint64_t hits(struct place *p)
{
    struct store_stats stats;
    struct error e;
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    return stats.hits;
}

static void test_a_busy_manifest_leaves_the_logs(void **state)
{
    struct place *p = *state;
    const struct store_change change = {
        .module = STR("m"), .workunit = STR("w"), .cause = STR("body")};
    struct error e = {""};
    publish(p, 1, "one");
    void *held = hold_manifest(p);
    publish(p, 2, "two"); /* its row is left to the log */
    use(p, 1);
    assert_true(store_history_add(p->store, &change, 1, &e));
    assert_non_null(place_reopen(p)); /* one that waits again */
    store_prepare(p->store);
    release_manifest(held);
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), 1);

    assert_non_null(place_reopen(p));
    assert_int_equal(hits(p), 1);
    assert_int_equal(query_int(p, "SELECT count(*) FROM entries"), 2);
    struct store_change *found = NULL;
    size_t count = 0;
    assert_true(store_history_query(p->store, p->arena, STR("w"), 100, &found, &count, &e));
    assert_int_equal(count, 1);
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
}

static void test_no_line_is_lost_between_writers_and_takers(void **state)
{
    struct place *p = *state;
    enum { writers = 4, each = 1000 };
    pid_t children[writers];
    publish(p, 1, "one");
    for (int w = 0; w < writers; w++) {
        children[w] = fork();
        if (children[w] == 0) {
            for (int i = 0; i < each; i++) {
                use(p, 1);
            }
            _exit(0);
        }
    }
    for (int left = writers; left > 0;) {
        (void)hits(p);
        int status = 0;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_int_equal(status, 0);
            left--;
        }
    }
    assert_int_equal(hits(p), writers * each);
}

/* A folder, or a link to somebody's file, in a log's place. */
static void test_something_else_in_its_place(void **state)
{
    struct place *p = *state;
    publish(p, 1, "one");
    char *log = strdup(place_path(p, "uses.log"));
    char *mine = strdup(place_path(p, "mine"));
    assert_int_equal(mkdir(log, 0700), 0);
    use(p, 1);
    assert_int_equal(hits(p), 0);
    use(p, 1);
    assert_int_equal(hits(p), 1);

    FILE *f = fopen(mine, "wb");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(symlink(mine, log), 0);
    use(p, 1);
    struct stat st;
    assert_int_equal(stat(mine, &st), 0);
    assert_int_equal(st.st_size, 0);
    assert_int_equal(hits(p), 1);
    assert_int_equal(access(mine, F_OK), 0);
    use(p, 1);
    assert_int_equal(hits(p), 2);
    assert_int_equal(count_in(place_path(p, "tmp")), 0);
    free(log);
    free(mine);
}

int run_log_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_uses_are_taken_in_later),
        PLACE_TEST(test_a_broken_log_is_no_error),
        PLACE_TEST(test_changes_are_taken_in_later),
        PLACE_TEST(test_a_busy_manifest_leaves_the_logs),
        PLACE_TEST(test_no_line_is_lost_between_writers_and_takers),
        PLACE_TEST(test_something_else_in_its_place),
    };
    return cmocka_run_group_tests_name("logs", tests, NULL, NULL);
}
