/*
 * The test functions of this folder's files; test_support.c runs them all.
 */
#ifndef PKC_TESTS_SUPPORT_H
#define PKC_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those first */
#include <cmocka.h>

#include "support/support.h"

#define assert_str(s, expected)                              \
    do {                                                     \
        const struct str got_ = (s);                         \
        assert_int_equal(got_.len, strlen(expected));        \
        assert_memory_equal(got_.ptr, (expected), got_.len); \
    } while (0)

int run_text_tests(void);
int run_diag_tests(void);
int run_file_tests(void);
int run_part_tests(void);

#endif
