/* What the tests of generate share. */
#ifndef PKC_TEST_GENERATE_COMMON_H
#define PKC_TEST_GENERATE_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "generate/private.h"

/* An arena and an empty folder for each test; the folder goes with it. */
struct fixture {
    struct arena *arena;
    char dir[64];
};
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* "<dir>/<name>" */
const char *path_in(const struct fixture *f, const char *name);
void write_text(const struct fixture *f, const char *name, const char *text);
/* The whole file; a test that fails where it is not there. */
const char *read_text(const struct fixture *f, const char *name);

extern const struct CMUnitTest name_tests[], write_tests[], generate_tests[], fuse_tests[], host_tests[];
extern const size_t name_test_count, write_test_count, generate_test_count, fuse_test_count, host_test_count;

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

#endif
