/*
 * A fresh store for each test, and what its test files share.
 */
#ifndef PKC_TESTS_STORE_H
#define PKC_TESTS_STORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first */
#include <cmocka.h>

#include "store/store.h"

struct place {
    struct arena *arena;
    char dir[64]; /* removed after the test */
    struct store *store;
};

int place_setup(void **state);
int place_teardown(void **state);

/* The store again, as another process would open it. */
struct store *place_reopen(struct place *p);
const char *place_path(struct place *p, const char *name);
/* A key from a number, and the record of an entry of that key. */
struct sha256 key_of(int n);
struct store_record record_of(int n);
/* Why, in tests. */
extern const struct store_why why_body;
void publish(struct place *p, int n, const char *object);
/* What one query of the manifest gives: an integer. */
int64_t query_int(struct place *p, const char *sql);
void execute(struct place *p, const char *sql);
/* Holds the manifest in a transaction that writes, and ends it. */
void *hold_manifest(struct place *p);
void release_manifest(void *held);
/* Changes one byte of a file. */
void flip_byte(const char *path, long offset);
const char *object_path(struct place *p, int n);
int count_in(const char *dir);

#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, place_setup, place_teardown)

#define assert_str(s, expected)                              \
    do {                                                     \
        const struct str got_ = (s);                         \
        assert_int_equal(got_.len, strlen(expected));        \
        assert_memory_equal(got_.ptr, (expected), got_.len); \
    } while (0)

int run_compile_tests(void);
int run_entry_tests(void);
int run_log_tests(void);
int run_manifest_tests(void);
int run_migrate_tests(void);
int run_place_tests(void);
int run_read_only_tests(void);
int run_record_tests(void);
int run_upkeep_tests(void);

#endif
