/* Private to src/python: constants as text. */
#ifndef PKC_PYTHON_VALUE_H
#define PKC_PYTHON_VALUE_H

#include "python/ast.h"

__extension__ typedef unsigned __int128 value_uint128;

/* As Python's repr(); what is not ASCII is escaped. */
void value_repr(struct buf *out, const struct py_value *value);
void value_repr_text(struct buf *out, struct str text, bool bytes);
void value_repr_integer(struct buf *out, py_int128 value);
/* `point_zero`: a whole number gets ".0". */
void value_repr_float(struct buf *out, double x, bool point_zero);

#endif
