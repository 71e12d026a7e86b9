#include "support/private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BLOCK ((size_t)16 * 1024)
#define LARGEST_BLOCK ((size_t)1024 * 1024)
#define ALIGNMENT _Alignof(max_align_t)

struct block {
    struct block *previous;
    size_t cap;
    size_t len;
    max_align_t data[];
};

struct arena {
    struct block *last;
    size_t next_cap;
    size_t used;
    arena_oom_fn *oom;
    void *oom_context;
};

static void oom_default(void *context)
{
    (void)context;
    static const char text[] = "out of memory\n";
    const ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)written;
    _exit(1);
}

struct arena *arena_new(arena_oom_fn *oom, void *oom_context)
{
    struct arena *a = calloc(1, sizeof(*a));
    if (a == NULL) {
        (oom != NULL ? oom : oom_default)(oom_context);
        abort();
    }
    a->next_cap = FIRST_BLOCK;
    a->oom = oom != NULL ? oom : oom_default;
    a->oom_context = oom_context;
    return a;
}

struct arena *arena_like(const struct arena *other)
{
    return arena_new(other->oom, other->oom_context);
}

void arena_free(struct arena *a)
{
    if (a == NULL) {
        return;
    }
    for (struct block *b = a->last; b != NULL;) {
        struct block *previous = b->previous;
        free(b);
        b = previous;
    }
    free(a);
}

void arena_out_of_memory(struct arena *a)
{
    a->oom(a->oom_context);
    abort();
}

static size_t round_up(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 4) {
        arena_out_of_memory(a);
    }
    if (size == 0) {
        size = 1;
    }
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static struct block *block_new(struct arena *a, size_t cap)
{
    struct block *b = calloc(1, sizeof(*b) + cap);
    if (b == NULL) {
        arena_out_of_memory(a);
    }
    b->cap = cap;
    return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t need = round_up(a, size);
    struct block *b = a->last;
    if (b == NULL || b->cap - b->len < need) {
        const bool large = need > a->next_cap / 4;
        b = block_new(a, large ? need : a->next_cap);
        if (large && a->last != NULL) {
            /* A block of its own, behind the current one, whose room stays in use. */
            b->previous = a->last->previous;
            a->last->previous = b;
        } else {
            b->previous = a->last;
            a->last = b;
            if (!large && a->next_cap < LARGEST_BLOCK) {
                a->next_cap *= 2;
            }
        }
    }
    void *p = (char *)b->data + b->len;
    b->len += need;
    a->used += need;
    return p;
}

void *arena_array(struct arena *a, size_t count, size_t item_size)
{
    if (item_size != 0 && count > SIZE_MAX / item_size) {
        arena_out_of_memory(a);
    }
    return arena_alloc(a, count * item_size);
}

void *arena_extend(struct arena *a, void *old, size_t old_size, size_t new_size)
{
    struct block *b = a->last;
    if (old != NULL && b != NULL) {
        const size_t have = round_up(a, old_size);
        const size_t need = round_up(a, new_size);
        const bool latest =
            b->len >= have && (char *)old == (char *)b->data + (b->len - have) && need >= have;
        if (latest && b->cap - b->len >= need - have) {
            b->len += need - have;
            a->used += need - have;
            return old;
        }
    }
    void *p = arena_alloc(a, new_size);
    if (old_size > 0) {
        memcpy(p, old, old_size);
    }
    return p;
}

void arena_trim(struct arena *a, void *p, size_t old_size, size_t new_size)
{
    struct block *b = a->last;
    const size_t have = round_up(a, old_size);
    const size_t need = round_up(a, new_size);
    if (b == NULL || b->len < have || (char *)p != (char *)b->data + (b->len - have)) {
        return;
    }
    memset((char *)p + need, 0, have - need); /* what an arena gives is zero */
    b->len -= have - need;
    a->used -= have - need;
}

size_t arena_used(const struct arena *a)
{
    return a->used;
}
