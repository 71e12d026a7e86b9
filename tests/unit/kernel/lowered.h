/* Lowering of sources given as text. */
#ifndef PKC_TESTS_KERNEL_LOWERED_H
#define PKC_TESTS_KERNEL_LOWERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel/kernel.h"

/* A module read from text, with what it reported. */
struct lowered {
    struct arena *arena;
    struct diags diags;
    const struct py_module *module;
    const struct py_workunit *workunits;
    size_t count;
    char directory[64];
};

/* `source` follows the usual imports, which are line 1 and 2. */
void lowered_open(struct lowered *l, const char *source);
void lowered_close(struct lowered *l);
/* The kernel of a workunit by name; NULL: refused. */
const struct kernel *lowered_kernel(struct lowered *l, const char *workunit,
                                    const char *instantiation);
/* The dump of workunit `f`. Fails the test where it is refused. */
const char *lowered_dump(struct lowered *l);
/* Is there an error (or warning) at `line` whose message has `word`? */
bool lowered_reported(const struct lowered *l, enum diag_severity severity, int line,
                      const char *word);
/* All messages, for a failing test. */
const char *lowered_messages(struct lowered *l);

extern const struct CMUnitTest instantiation_tests[], lower_tests[], refused_tests[],
    signature_tests[];
extern const size_t instantiation_test_count, lower_test_count, refused_test_count,
    signature_test_count;

#endif
