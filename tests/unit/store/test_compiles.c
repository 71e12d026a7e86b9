/*
 * What the manifest remembers of compiles, and what it tells of the past before the next one.
 */
#include "common.h"

#include <string.h>

static struct store_record record_at(int n, const char *source)
{
    struct store_record record = record_of(n);
    record.source = str_from(source);
    return record;
}

static void publish_at(struct place *p, int n, const char *source, const struct store_why *why)
{
    struct store_record record = record_at(n, source);
    struct error e = {""};
    assert_true(store_publish(p->store, &record, STR("object"), why, &e));
}

static struct store_past past_of(struct place *p, const struct store_record *record)
{
    struct store_past past;
    assert_true(store_past(p->store, p->arena, record, STR("build"), &past));
    return past;
}

static bool is_last(const struct store_past *past, int n)
{
    const struct sha256 key = key_of(n);
    return past->has_last && sha256_equal(&past->last.key, &key);
}

static void test_each_tree_has_its_own_past(void **state)
{
    struct place *p = *state;
    publish_at(p, 1, "/a/x.kernel.cpp", &why_body);
    publish_at(p, 2, "/b/x.kernel.cpp", &why_body);
    struct store_record next = record_at(3, "/a/x.kernel.cpp");
    struct store_past past = past_of(p, &next);
    assert_true(is_last(&past, 1));
    assert_false(past.knew_key);
    assert_int_equal(past.compiled, 2);
    next.source = STR("/b/x.kernel.cpp");
    past = past_of(p, &next);
    assert_true(is_last(&past, 2));
    next.source = STR("/new/x.kernel.cpp"); /* the latest of the workunit */
    past = past_of(p, &next);
    assert_true(is_last(&past, 2));
    next.workunit = STR("another");
    past = past_of(p, &next);
    assert_false(past.has_last);
    const struct store_record again = record_at(1, "/a/x.kernel.cpp");
    past = past_of(p, &again);
    assert_true(past.knew_key);
}

/* A hit, too, is what the tree had last: an edit after an edit taken back is told from there. */
static void test_a_hit_is_remembered(void **state)
{
    struct place *p = *state;
    publish_at(p, 1, "/a/x y%.cpp", &why_body);
    publish_at(p, 2, "/a/x y%.cpp", &why_body);
    const struct store_record back = record_at(1, "/a/x y%.cpp");
    store_record_use(p->store, &back);
    store_prepare(p->store);
    const struct store_record next = record_at(3, "/a/x y%.cpp");
    const struct store_past past = past_of(p, &next);
    assert_true(is_last(&past, 1));
}

static void test_same_types_rather_than_others(void **state)
{
    struct place *p = *state;
    publish_at(p, 1, "/a/x.cpp", &why_body);
    struct store_record other = record_at(2, "/a/y.cpp");
    struct error e = {""};
    other.types = STR("View1D[float]");
    assert_true(store_publish(p->store, &other, STR("object"), &why_body, &e));
    const struct store_record next = record_at(3, "/new/x.cpp");
    const struct store_past past = past_of(p, &next);
    assert_true(is_last(&past, 1));
}

/* The generator's line for the change that led to this AST hash; one from what was compiled last
 * rather than a later one of another tree. */
static void test_the_change_is_found(void **state)
{
    struct place *p = *state;
    publish_at(p, 1, "/a/x.cpp", &why_body);
    struct store_record next = record_at(5, "/a/x.cpp");
    struct store_past past = past_of(p, &next);
    assert_int_equal(past.change.len, 0);
    const struct store_change changes[] = {
        {.module = STR("kernels"),
         .workunit = STR("scale"),
         .has_old = true,
         .old_ast_hash = key_of(2001),
         .has_new = true,
         .new_ast_hash = key_of(2005),
         .cause = STR("body at k.py:7: Constant int 1 -> Constant int 5")},
        {.module = STR("kernels"),
         .workunit = STR("scale"),
         .has_old = true,
         .old_ast_hash = key_of(2002),
         .has_new = true,
         .new_ast_hash = key_of(2005),
         .cause = STR("body at k.py:7: Constant int 2 -> Constant int 5")},
        {.module = STR("kernels"),
         .workunit = STR("scale"),
         .has_new = true,
         .new_ast_hash = key_of(2005),
         .cause = STR("first build")},
    };
    struct error e = {""};
    assert_true(store_history_add(p->store, changes, 3, &e));
    store_prepare(p->store);
    past = past_of(p, &next);
    assert_str(past.change, "body at k.py:7: Constant int 1 -> Constant int 5");
    next.source = STR("/elsewhere/x.cpp");
    next.workunit = STR("other");
    past = past_of(p, &next);
    assert_int_equal(past.change.len, 0);
}

static void test_compiles_of_a_folder(void **state)
{
    struct place *p = *state;
    struct store_compile *compiles = NULL;
    size_t count = 0;
    struct error e = {""};
    publish_at(p, 1, "/t/a/x.cpp", &why_body);
    publish_at(p, 2, "/t/a0/x.cpp", &why_body);
    publish_at(p, 3, "/t/a/y.cpp", &why_body);
    const struct store_record lost = record_at(4, "/t/a/z.cpp");
    store_note_compile(p->store, &lost, &why_body);
    assert_true(store_compiles(p->store, p->arena, STR("/t/a"), 10, &compiles, &count, &e));
    assert_int_equal(count, 3);
    assert_str(compiles[0].source, "/t/a/z.cpp"); /* newest first */
    assert_str(compiles[2].source, "/t/a/x.cpp");
    assert_str(compiles[2].cause, "body");
    assert_str(compiles[2].text, "body at k.py:1");
    assert_str(compiles[2].build, "build");
    assert_str(compiles[2].types, "View1D[double]");
    assert_int_equal(compiles[2].compile_ms, 40);
    assert_true(store_compiles(p->store, p->arena, STR("/t/a"), 1, &compiles, &count, &e));
    assert_int_equal(count, 1);
    /* One that is not kept counts as a miss, and is no entry. */
    struct store_stats stats;
    assert_true(store_stats(p->store, p->arena, &stats, &e));
    assert_int_equal(stats.misses, 4);
    assert_int_equal(stats.entries, 3);
    struct store_collected out;
    assert_true(store_clear(p->store, &out, &e));
    assert_true(store_compiles(p->store, p->arena, STR("/t/a"), 10, &compiles, &count, &e));
    assert_int_equal(count, 0);
    const struct store_past past = past_of(p, &lost);
    assert_false(past.has_last || past.knew_key);
}

static void test_trees_long_gone_are_forgotten(void **state)
{
    struct place *p = *state;
    struct store_collected out;
    struct error e = {""};
    publish_at(p, 1, "/old/x.cpp", &why_body);
    publish_at(p, 2, "/new/x.cpp", &why_body);
    execute(p, "UPDATE places SET time = 5 WHERE source LIKE '/old/%'");
    assert_true(store_collect(p->store, 1000, 0, &out, &e));
    assert_int_equal(query_int(p, "SELECT count(*) FROM places"), 1);
}

int run_compile_tests(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_each_tree_has_its_own_past),
        PLACE_TEST(test_a_hit_is_remembered),
        PLACE_TEST(test_same_types_rather_than_others),
        PLACE_TEST(test_the_change_is_found),
        PLACE_TEST(test_compiles_of_a_folder),
        PLACE_TEST(test_trees_long_gone_are_forgotten),
    };
    return cmocka_run_group_tests_name("compiles", tests, NULL, NULL);
}
