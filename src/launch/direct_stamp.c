#include "launch/direct.h"

#include <string.h>
#include <time.h>

/* File systems have clocks of up to two seconds' grain: within it, a second change leaves the time
 * of change as it is. */
#define GRAIN_SECONDS 3

struct timespec stamp_now(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return now;
}

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000U + (uint64_t)t->tv_nsec;
}

struct stamp stamp_of(const struct stat *st, const struct timespec *now)
{
    if (st == NULL) {
        return (struct stamp){.settled = true}; /* when it comes up, there is something */
    }
    return (struct stamp){
        .words = {nanoseconds(&st->st_ctim), (uint64_t)st->st_size, (uint64_t)st->st_ino,
                  (uint64_t)st->st_dev},
        .exists = true,
        .settled = st->st_ctim.tv_sec + GRAIN_SECONDS <= now->tv_sec,
    };
}

void stamp_place(const struct stamp *stamp, dev_t *device, ino_t *inode)
{
    *inode = (ino_t)stamp->words[2];
    *device = (dev_t)stamp->words[3];
}

void stamp_check_place(struct stamp *stamp, const char *path)
{
    stamp->settled = stamp->settled && !path_is_remote(path);
}

bool stamp_equal(const struct stamp *a, const struct stamp *b)
{
    return a->settled && b->settled && a->exists == b->exists &&
           memcmp(a->words, b->words, sizeof(a->words)) == 0;
}

bool stamp_is(const struct stat *st, const struct timespec *now, struct str text)
{
    static const char digits[] = "0123456789abcdef";
    const struct stamp stamp = stamp_of(st, now);
    if (!stamp.settled || !stamp.exists) {
        return stamp.settled && str_equal_c(text, "none");
    }
    /* From its end: hexadecimal numbers are short to write so. */
    size_t at = text.len;
    for (size_t i = sizeof(stamp.words) / sizeof(stamp.words[0]); i-- > 0;) {
        uint64_t word = stamp.words[i];
        do {
            if (at == 0 || text.ptr[--at] != digits[word & 15]) {
                return false;
            }
            word >>= 4;
        } while (word > 0);
        if (i > 0 && (at == 0 || text.ptr[--at] != '.')) {
            return false;
        }
    }
    return at == 0;
}

/* "-" where it is not settled, "none", or the words in hexadecimal with dots between. */
void stamp_format(struct buf *b, const struct stamp *stamp)
{
    if (!stamp->settled || !stamp->exists) {
        buf_add_c(b, stamp->settled ? "none" : "-");
        return;
    }
    for (size_t i = 0; i < sizeof(stamp->words) / sizeof(stamp->words[0]); i++) {
        buf_printf(b, i == 0 ? "%llx" : ".%llx", (unsigned long long)stamp->words[i]);
    }
}

bool stamp_parse(struct str text, struct stamp *stamp)
{
    *stamp = (struct stamp){.settled = false};
    if (str_equal_c(text, "-")) {
        return true;
    }
    stamp->settled = true;
    if (str_equal_c(text, "none")) {
        return true;
    }
    stamp->exists = true;
    size_t word = 0;
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '.') {
            if (digits == 0 || ++word == sizeof(stamp->words) / sizeof(stamp->words[0])) {
                return false;
            }
            digits = 0;
            continue;
        }
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : 16;
        if (digit == 16 || ++digits > 16) {
            return false;
        }
        stamp->words[word] = stamp->words[word] << 4 | digit;
    }
    return digits > 0 && word + 1 == sizeof(stamp->words) / sizeof(stamp->words[0]);
}
