#include "support/private.h"

#include <string.h>

struct str str_from(const char *c_string)
{
    return (struct str){c_string, strlen(c_string)};
}

struct str str_copy(struct arena *a, struct str s)
{
    char *p = arena_alloc(a, s.len + 1);
    if (s.len > 0) {
        memcpy(p, s.ptr, s.len);
    }
    return (struct str){p, s.len};
}

struct str str_copy_c(struct arena *a, const char *c_string)
{
    return str_copy(a, str_from(c_string));
}

struct str str_format(struct arena *a, const char *format, ...)
{
    struct buf b;
    buf_init(&b, a);
    va_list args;
    va_start(args, format);
    buf_vprintf(&b, format, args);
    va_end(args);
    arena_trim(a, b.ptr, b.cap, b.len + 1);
    return buf_str(&b);
}

bool str_equal(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_equal_c(struct str a, const char *b)
{
    return str_equal(a, str_from(b));
}

int str_compare(struct str a, struct str b)
{
    const size_t len = a.len < b.len ? a.len : b.len;
    const int order = len > 0 ? memcmp(a.ptr, b.ptr, len) : 0;
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool str_starts_with(struct str s, const char *prefix)
{
    const size_t len = strlen(prefix);
    return s.len >= len && (len == 0 || memcmp(s.ptr, prefix, len) == 0);
}

bool str_ends_with(struct str s, const char *suffix)
{
    const size_t len = strlen(suffix);
    return s.len >= len && (len == 0 || memcmp(s.ptr + s.len - len, suffix, len) == 0);
}

struct str str_slice(struct str s, size_t from, size_t to)
{
    if (to > s.len) {
        to = s.len;
    }
    if (from > to) {
        from = to;
    }
    if (s.ptr == NULL) {
        return s;
    }
    return (struct str){s.ptr + from, to - from};
}

/* Names longer than this (after their common ends are cut off) count as far apart. */
#define DISTANCE_LONGEST 127

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t str_distance(struct str a, struct str b, size_t limit)
{
    while (a.len > 0 && b.len > 0 && a.ptr[0] == b.ptr[0]) {
        a = str_slice(a, 1, a.len);
        b = str_slice(b, 1, b.len);
    }
    while (a.len > 0 && b.len > 0 && a.ptr[a.len - 1] == b.ptr[b.len - 1]) {
        a.len--;
        b.len--;
    }
    const size_t far = limit < SIZE_MAX ? limit + 1 : limit;
    const size_t gap = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (gap > limit || a.len > DISTANCE_LONGEST || b.len > DISTANCE_LONGEST) {
        return far;
    }
    /* Optimal string alignment: three rows, as a swap looks two rows back. */
    size_t rows[3][DISTANCE_LONGEST + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t *const row = rows[i % 3];
        const size_t *const above = rows[(i + 2) % 3];
        const size_t *const above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const size_t change = a.ptr[i - 1] == b.ptr[j - 1] ? 0 : 1;
            size_t best = least_of(above[j] + 1, row[j - 1] + 1);
            best = least_of(best, above[j - 1] + change);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1]) {
                best = least_of(best, above2[j - 2] + 1);
            }
            row[j] = best;
        }
    }
    return least_of(rows[a.len % 3][b.len], far);
}
