/*
 * Verifying, collecting and clearing: everything that looks at many entries.
 */
#include "store/manifest.h"

#include <stdlib.h>
#include <unistd.h>

/* Folders of small files (memo.c). */
static const char *const memo_kinds[] = {"compilers", "headers"};
/* How many entries one transaction takes: builds wait no longer than that. */
#define BATCH 64
#define PLACES_KEPT_SECONDS ((int64_t)60 * 24 * 60 * 60)

struct keys {
    struct sha256 *items;
    size_t count;
    size_t cap;
    bool failed;
};

static bool keys_add(void *context, const struct sha256 *key)
{
    struct keys *k = context;
    if (k->count == k->cap) {
        const size_t cap = k->cap == 0 ? 256 : k->cap * 2;
        struct sha256 *items = realloc(k->items, cap * sizeof(*items));
        if (items == NULL) {
            k->failed = true;
            return false;
        }
        k->items = items;
        k->cap = cap;
    }
    k->items[k->count++] = *key;
    return true;
}

/* Removes an entry unless its key is being built. */
static bool remove_unlocked(struct store *s, const struct sha256 *key)
{
    struct arena *a = arena_like(s->arena);
    struct store view = *s;
    view.arena = a;
    struct store_lock lock;
    bool removed = false;
    if (lock_try(&view, key, &lock)) {
        removed = entry_remove(&view, key);
        store_unlock(&lock);
    }
    s->temporary_count = view.temporary_count;
    arena_free(a);
    return removed;
}

static bool delete_rows_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    const struct keys *k = context;
    for (size_t i = 0; i < k->count; i++) {
        if (!sql_run(q, SQL_ENTRY_DELETE, "h", &k->items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- collecting ----------------------------------------------------------------------------- */

struct oldest {
    struct keys keys;
    uint64_t sizes[BATCH];
    int64_t limit;
};

static bool oldest_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    struct oldest *o = context;
    const int64_t now = store_now();
    o->keys.count = 0;
    /* A time in the future comes from another clock: it must not protect an entry for ever. */
    if (!sql_start(q, SQL_ENTRIES_OLDEST, "iii", now - STORE_RECENT_SECONDS,
                   now + STORE_RECENT_SECONDS, o->limit)) {
        return false;
    }
    while (sql_next(q, SQL_ENTRIES_OLDEST)) {
        struct sha256 key;
        if (o->keys.count < BATCH && sql_hash(q, SQL_ENTRIES_OLDEST, 0, &key) &&
            keys_add(&o->keys, &key)) {
            o->sizes[o->keys.count - 1] = (uint64_t)sql_int(q, SQL_ENTRIES_OLDEST, 1);
        }
    }
    return true;
}

/* Build trees that nobody has built for long. */
static bool trim_places_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    (void)context;
    return sql_run(q, SQL_PLACES_TRIM, "i", store_now() - PLACES_KEPT_SECONDS);
}

/* One batch: the files first, so that no row is missing for an entry that is there. */
static bool collect_batch(struct store *s, struct oldest *o, uint64_t max_size,
                          struct store_collected *out, struct error *e)
{
    struct keys gone = {NULL, 0, 0, false};
    for (size_t i = 0; i < o->keys.count && out->left > max_size; i++) {
        if (remove_unlocked(s, &o->keys.items[i]) && keys_add(&gone, &o->keys.items[i])) {
            out->removed++;
            out->freed += o->sizes[i];
            out->left -= o->sizes[i] < out->left ? o->sizes[i] : out->left;
        }
    }
    const bool progress = gone.count > 0;
    const bool good = !progress || manifest_do(s, MANIFEST_FULL, true, MANIFEST_WAIT_MS,
                                               delete_rows_work, &gone, e);
    free(gone.items);
    return good && progress;
}

bool store_tidy(struct store *s, struct error *e)
{
    for (size_t i = 0; i < sizeof(memo_kinds) / sizeof(memo_kinds[0]); i++) {
        memo_clean(s, memo_kinds[i]);
    }
    return manifest_do(s, MANIFEST_FULL, true, MANIFEST_WAIT_MS, trim_places_work, NULL, e);
}

bool store_collect(struct store *s, uint64_t max_size, size_t limit, struct store_collected *out,
                   struct error *e)
{
    struct store_stats stats;
    *out = (struct store_collected){0};
    e->text[0] = '\0';
    if (!store_stats(s, s->arena, &stats, e)) { /* takes the log of uses in, too */
        return false;
    }
    out->left = stats.size;
    struct oldest o = {.keys = {NULL, 0, 0, false}};
    while (out->left > max_size && (limit == 0 || out->removed < limit)) {
        o.limit = BATCH;
        if (limit != 0 && limit - out->removed < BATCH) {
            o.limit = (int64_t)(limit - out->removed);
        }
        if (!manifest_do(s, MANIFEST_FULL, false, MANIFEST_WAIT_MS, oldest_work, &o, e) ||
            o.keys.count == 0 || !collect_batch(s, &o, max_size, out, e)) {
            break;
        }
    }
    free(o.keys.items);
    out->more = limit != 0 && out->removed >= limit && out->left > max_size;
    if (limit == 0 && e->text[0] == '\0') {
        (void)store_tidy(s, e);
    }
    temporary_clean(s);
    return e->text[0] == '\0';
}

/* ---- verifying ------------------------------------------------------------------------------ */

struct verify {
    struct keys good;
    struct keys gone;
    uint64_t added;
};

static bool row_keys_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    struct keys *k = context;
    k->count = 0;
    if (!sql_start(q, SQL_ENTRY_KEYS, "")) {
        return false;
    }
    while (sql_next(q, SQL_ENTRY_KEYS)) {
        struct sha256 key;
        if (sql_hash(q, SQL_ENTRY_KEYS, 0, &key) && !keys_add(k, &key)) {
            sql_stop(q, SQL_ENTRY_KEYS);
            return false;
        }
    }
    return true;
}

static bool add_rows_work(struct store *s, struct sql *q, void *context)
{
    struct verify *v = context;
    v->added = 0;
    bool good = true;
    for (size_t i = 0; i < v->good.count && good; i++) {
        struct arena *a = arena_like(s->arena);
        struct store view = *s;
        view.arena = a;
        struct store_record record;
        struct error e;
        bool added = false;
        if (entry_read_record(&view, a, &v->good.items[i], &record, &e) == STORE_HIT) {
            good = rows_add_entry(q, a, &record, &added);
            v->added += added;
        }
        arena_free(a);
    }
    return good;
}

static enum store_found check_entry(struct store *s, const struct sha256 *key)
{
    struct arena *a = arena_like(s->arena);
    struct store view = *s;
    view.arena = a;
    struct store_record record;
    struct str object;
    struct error e;
    const enum store_found found = store_find(&view, a, key, &record, &object, &e);
    s->temporary_count = view.temporary_count;
    arena_free(a);
    return found;
}

static bool entry_is_there(struct store *s, const struct sha256 *key)
{
    struct arena *a = arena_like(s->arena);
    const bool there = file_exists(path_join(a, s->dir, store_entry_dir(a, key)).ptr);
    arena_free(a);
    return there;
}

bool store_verify(struct store *s, struct store_verified *out, struct error *e)
{
    *out = (struct store_verified){0};
    if (manifest_is_refused(s, e)) {
        return false;
    }
    out->read_only = manifest_is_read_only(s);
    if (!manifest_is_sound(s)) {
        if (!manifest_rebuild(s, e)) {
            return false;
        }
        out->manifest_rebuilt = true;
    }
    struct keys on_disk = {NULL, 0, 0, false};
    struct keys rows = {NULL, 0, 0, false};
    struct verify v = {.added = 0};
    bool good = entry_each(s, keys_add, &on_disk, e) && !on_disk.failed;
    for (size_t i = 0; i < on_disk.count && good; i++) {
        const enum store_found found = check_entry(s, &on_disk.items[i]);
        out->entries += found == STORE_HIT;
        out->damaged += found == STORE_DAMAGED;
        good = found != STORE_HIT || keys_add(&v.good, &on_disk.items[i]);
    }
    good = good &&
           (out->read_only ||
            manifest_do(s, MANIFEST_FULL, true, MANIFEST_WAIT_MS, add_rows_work, &v, e)) &&
           manifest_do(s, MANIFEST_FULL, false, MANIFEST_WAIT_MS, row_keys_work, &rows, e);
    for (size_t i = 0; i < rows.count && good; i++) {
        good = entry_is_there(s, &rows.items[i]) || keys_add(&v.gone, &rows.items[i]);
    }
    good = good &&
           (v.gone.count == 0 || out->read_only ||
            manifest_do(s, MANIFEST_FULL, true, MANIFEST_WAIT_MS, delete_rows_work, &v.gone, e));
    out->added = v.added;
    out->dropped = v.gone.count;
    free(on_disk.items);
    free(rows.items);
    free(v.good.items);
    free(v.gone.items);
    return good;
}

/* ---- clearing ------------------------------------------------------------------------------- */

static bool clear_work(struct store *s, struct sql *q, void *context)
{
    return delete_rows_work(s, q, context) && sql_run(q, SQL_HISTORY_CLEAR, "") &&
           sql_run(q, SQL_COUNTERS_CLEAR, "") && sql_run(q, SQL_TEXTS_CLEAR, "") &&
           sql_run(q, SQL_COMPILES_CLEAR, "") && sql_run(q, SQL_PLACES_CLEAR, "");
}

bool store_clear(struct store *s, struct store_collected *out, struct error *e)
{
    struct store_stats before = {0};
    struct store_stats after = {0};
    *out = (struct store_collected){0};
    if (!store_stats(s, s->arena, &before, e)) {
        return false;
    }
    struct keys keys = {NULL, 0, 0, false};
    struct keys gone = {NULL, 0, 0, false};
    bool good = entry_each(s, keys_add, &keys, e) && !keys.failed;
    for (size_t i = 0; i < keys.count && good; i++) {
        if (remove_unlocked(s, &keys.items[i])) {
            out->removed++;
            good = keys_add(&gone, &keys.items[i]);
        }
    }
    good = good && manifest_do(s, MANIFEST_FULL, true, MANIFEST_WAIT_MS, clear_work, &gone, e);
    for (size_t i = 0; i < sizeof(memo_kinds) / sizeof(memo_kinds[0]); i++) {
        (void)remove_tree(store_path(s, s->arena, memo_kinds[i]).ptr);
    }
    temporary_clean(s);
    free(keys.items);
    free(gone.items);
    good = good && store_stats(s, s->arena, &after, e);
    out->left = after.size;
    out->freed = before.size > after.size ? before.size - after.size : 0;
    return good;
}
