/* Private to src/python: Python's arithmetic on constants. */
#ifndef PKC_PYTHON_NUMBER_H
#define PKC_PYTHON_NUMBER_H

#include "python/ast.h"

/* bool(x). False: it is not known. */
bool number_truth(const struct py_value *value, bool *out);
/* An int or bool within 127 bits. */
bool number_as_integer(const struct py_value *value, py_int128 *out);
/* A number as float(): rounded to nearest, half to even. */
bool number_as_float(const struct py_value *value, double *out);
/* int(x) of a finite x within 126 bits. */
bool number_truncate(double x, py_int128 *out);
/* Exact, int with float too. False: not both numbers. *ordered is false where one is NaN. */
bool number_compare(const struct py_value *a, const struct py_value *b, int *order, bool *ordered);

static inline struct py_value number_of_bool(bool boolean)
{
    return (struct py_value){.kind = PY_VALUE_BOOL, .boolean = boolean};
}

static inline struct py_value number_of_float(double number)
{
    return (struct py_value){.kind = PY_VALUE_FLOAT, .number = number};
}

static inline bool number_set_float(struct py_value *out, double number)
{
    *out = number_of_float(number);
    return true;
}

#endif
