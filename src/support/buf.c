#include "support/private.h"

#include <string.h>

void buf_init(struct buf *b, struct arena *a)
{
    *b = (struct buf){.arena = a, .ptr = NULL, .len = 0, .cap = 0};
}

/* Makes room for `more` bytes and the NUL. */
static void reserve(struct buf *b, size_t more)
{
    if (b->cap - b->len > more) {
        return;
    }
    if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4) {
        arena_out_of_memory(b->arena);
    }
    const size_t need = b->len + more + 1;
    size_t cap = b->cap < 64 ? 64 : b->cap * 2;
    if (cap < need) {
        cap = need;
    }
    b->ptr = arena_extend(b->arena, b->ptr, b->cap, cap);
    b->cap = cap;
}

void buf_reserve(struct buf *b, size_t len)
{
    reserve(b, len);
}

void buf_add_bytes(struct buf *b, const void *bytes, size_t len)
{
    reserve(b, len);
    if (len > 0) {
        memcpy(b->ptr + b->len, bytes, len);
    }
    b->len += len;
    b->ptr[b->len] = '\0';
}

void buf_add(struct buf *b, struct str s)
{
    buf_add_bytes(b, s.ptr, s.len);
}

void buf_add_c(struct buf *b, const char *c_string)
{
    buf_add_bytes(b, c_string, strlen(c_string));
}

void buf_add_char(struct buf *b, char c)
{
    buf_add_bytes(b, &c, 1);
}

void buf_vprintf(struct buf *b, const char *format, va_list args)
{
    reserve(b, 63);
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(b->ptr + b->len, b->cap - b->len, format, args);
    if (len >= 0 && (size_t)len >= b->cap - b->len) {
        reserve(b, (size_t)len);
        (void)vsnprintf(b->ptr + b->len, b->cap - b->len, format, again);
    }
    va_end(again);
    if (len > 0) {
        b->len += (size_t)len;
    }
    b->ptr[b->len] = '\0';
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}

struct str buf_str(const struct buf *b)
{
    if (b->ptr == NULL) {
        return STR("");
    }
    return (struct str){b->ptr, b->len};
}
