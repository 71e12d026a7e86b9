/* Private to emission: names that mean something already. */
#ifndef PKC_KERNEL_EMIT_WORDS_H
#define PKC_KERNEL_EMIT_WORDS_H

#include "support/support.h"

/* A keyword, a macro, or a name that generated text relies on. */
bool emit_is_reserved(struct str name);
/* A function or type that the C library has at global scope. */
bool emit_is_library_name(struct str name);

#endif
