/* A folder of Python files for one test, and what the front end says of them. */
#ifndef TEST_PYTHON_COMMON_H
#define TEST_PYTHON_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "python/python.h"

struct project {
    struct arena *arena;
    struct diags diags;
    struct py_program *program;
    struct str folder;
};

/* cmocka's setup and teardown: *state is a struct project in a fresh temporary folder. */
int project_setup(void **state);
int project_teardown(void **state);

/* Writes a file (its folders are made) and forgets what was read so far. */
void project_write(struct project *p, const char *name, const char *text);
/* Loads a file of the folder in the current program. */
const struct py_module *project_load(struct project *p, const char *name);
/* A new program: as the next run of the generator. */
void project_again(struct project *p);

/* The AST hash of a workunit of a file, in hexadecimal, in a new program; "" where it is none. */
struct str project_hash(struct project *p, const char *file, const char *workunit);
struct str project_form(struct project *p, const char *file, const char *workunit);

/* The diagnostics as they are printed, without the folder's path. */
struct str project_messages(struct project *p);

/* Fails the test where the two differ. */
void assert_str(struct str actual, const char *expected);

int run_class_tests(void);
int run_closure_tests(void);
int run_error_tests(void);
int run_evaluate_tests(void);
int run_name_tests(void);

#endif
