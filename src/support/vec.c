#include "support/private.h"

void vec_init(struct vec *v, struct arena *a)
{
    *v = (struct vec){.arena = a, .items = NULL, .count = 0, .cap = 0};
}

void vec_push(struct vec *v, void *item)
{
    if (v->count == v->cap) {
        const size_t cap = v->cap == 0 ? 4 : v->cap * 2;
        if (cap > SIZE_MAX / (4 * sizeof(*v->items))) {
            arena_out_of_memory(v->arena);
        }
        v->items =
            arena_extend(v->arena, v->items, v->cap * sizeof(*v->items), cap * sizeof(*v->items));
        v->cap = cap;
    }
    v->items[v->count++] = item;
}
