#include "support/private.h"

#include <string.h>

/* Open addressing over indices into the list of entries (plus one; 0 is a free slot), at most
 * half full. Nothing is ever removed. */

static uint64_t hash_of(struct str key)
{
    uint64_t h = 14695981039346656037U;
    for (size_t i = 0; i < key.len; i++) {
        h = (h ^ (unsigned char)key.ptr[i]) * 1099511628211U;
    }
    return h ^ (h >> 29);
}

/* The slot that holds `key`, or the free one where it belongs. */
static size_t slot_of(const struct map *m, struct str key)
{
    size_t slot = (size_t)hash_of(key) & (m->slot_count - 1);
    while (m->slots[slot] != 0 && !str_equal(m->entries[m->slots[slot] - 1].key, key)) {
        slot = (slot + 1) & (m->slot_count - 1);
    }
    return slot;
}

void map_init(struct map *m, struct arena *a)
{
    *m = (struct map){.arena = a};
}

static struct map_entry *find(const struct map *m, struct str key)
{
    if (m->count == 0) {
        return NULL;
    }
    const uint32_t index = m->slots[slot_of(m, key)];
    return index != 0 ? &m->entries[index - 1] : NULL;
}

void *map_get(const struct map *m, struct str key)
{
    const struct map_entry *entry = find(m, key);
    return entry != NULL ? entry->value : NULL;
}

bool map_has(const struct map *m, struct str key)
{
    return find(m, key) != NULL;
}

static void grow(struct map *m)
{
    /* Few at first: a kernel is lowered with dozens of maps, most of them nearly empty. */
    const size_t cap = m->cap == 0 ? 4 : m->cap * 2;
    if (cap > UINT32_MAX / 2) {
        arena_out_of_memory(m->arena);
    }
    struct map_entry *entries = ARENA_ARRAY(m->arena, struct map_entry, cap);
    if (m->count > 0) {
        memcpy(entries, m->entries, m->count * sizeof(*entries));
    }
    m->entries = entries;
    m->cap = cap;
    m->slot_count = cap * 2;
    m->slots = ARENA_ARRAY(m->arena, uint32_t, m->slot_count);
    for (size_t i = 0; i < m->count; i++) {
        m->slots[slot_of(m, m->entries[i].key)] = (uint32_t)(i + 1);
    }
}

void map_set(struct map *m, struct str key, void *value)
{
    struct map_entry *entry = find(m, key);
    if (entry != NULL) {
        entry->value = value;
        return;
    }
    if (m->count == m->cap) {
        grow(m);
    }
    const size_t slot = slot_of(m, key);
    m->entries[m->count] = (struct map_entry){key, value};
    m->slots[slot] = (uint32_t)++m->count;
}
