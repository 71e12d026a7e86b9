#include "support/support.h"

#include <string.h>

/* Each step is a permutation of the sum for any word, and another one for another word: of two
 * texts that differ in one word alone, the sums differ, too. */
static uint64_t step(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    return sum ^ (sum >> 32);
}

/* Eight bytes as a number, the first one lowest on every machine. */
static uint64_t word_at(const char *p)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) {
        word = word << 8 | (unsigned char)p[i];
    }
    return word;
}

uint64_t sum64(struct str text)
{
    uint64_t sum = step(0, text.len);
    size_t at = 0;
    for (; at + 8 <= text.len; at += 8) {
        sum = step(sum, word_at(text.ptr + at));
    }
    char rest[8] = {0};
    if (at < text.len) {
        memcpy(rest, text.ptr + at, text.len - at);
    }
    return step(sum, word_at(rest));
}
