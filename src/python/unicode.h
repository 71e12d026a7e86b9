/* Private to src/python: what CPython does with non-ASCII text in names. */
#ifndef PKC_PYTHON_UNICODE_H
#define PKC_PYTHON_UNICODE_H

#include "support/support.h"

/* One code point of UTF-8 at s[*at], which moves past it. False: not valid UTF-8. */
bool unicode_next(struct str s, size_t *at, uint32_t *code);

/* The name's Normalization Form KC. */
struct str unicode_nfkc(struct arena *a, struct str name);

/* May the code point (not ASCII) begin, or stand in, a Python name? */
bool unicode_is_name_start(uint32_t code);
bool unicode_is_name_part(uint32_t code);

#endif
