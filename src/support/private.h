/*
 * What support's own files share and no other folder uses.
 */
#ifndef PKC_SUPPORT_PRIVATE_H
#define PKC_SUPPORT_PRIVATE_H

#include "support/support.h"

/* Room of `new_size` bytes that begins with the `old_size` bytes at `old` (NULL: none). Grows in
 * place where `old` is the arena's latest allocation, so that a growing list leaves no holes. */
void *arena_extend(struct arena *a, void *old, size_t old_size, size_t new_size);
/* Gives back all but the first `new_size` of the `old_size` bytes at `p`, where they are the arena's
 * latest allocation. */
void arena_trim(struct arena *a, void *p, size_t old_size, size_t new_size);
/* Calls the arena's out-of-memory handler; does not return. */
_Noreturn void arena_out_of_memory(struct arena *a);

/* The code point at `p` (`len` > 0 bytes are there) and in `*size` its bytes. Bytes that are not
 * UTF-8 give U+FFFD with a size of 1 and `*valid` false. */
uint32_t utf8_decode(const char *p, size_t len, size_t *size, bool *valid);

#endif
