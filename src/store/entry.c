/*
 * Entries on disk: found by key, published by one rename, removed by one rename.
 */
#include "store/private.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct str store_entry_dir(struct arena *a, const struct sha256 *key)
{
    const struct str hex = sha256_hex(a, key);
    return str_format(a, "entries/%.2s/%s", hex.ptr, hex.ptr + 2);
}

static struct str entry_path(const struct store *s, struct arena *a, const struct sha256 *key,
                             const char *name)
{
    const struct str dir = store_entry_dir(a, key);
    return str_format(a, "%s/%s/%s", s->dir.ptr, dir.ptr, name);
}

#define READ_TRIES 3
#define COPY_PIECE ((size_t)32 * 1024)

/* Reads a file of an entry. STORE_HIT: read; STORE_MISS: there is no entry (any more). */
static enum store_found read_file(struct arena *a, const char *path, size_t max, struct str *out,
                                  struct error *e)
{
    struct stat st;
    bool entry_is_there = false;
    int number = 0;
    /* A missing file in an entry that is there: it may have been published between the two looks,
     * so only one that stays missing is. */
    for (int attempt = 0; attempt < READ_TRIES; attempt++) {
        if (file_read(a, path, max, out, e)) {
            return STORE_HIT;
        }
        number = errno;
        entry_is_there = stat(str_copy(a, path_dirname(str_from(path))).ptr, &st) == 0;
        if (number != ENOENT || !entry_is_there) {
            break;
        }
    }
    /* A file that is missing, or something else in its place, is damage. No memory, no descriptors,
     * no permission, a disk that fails: nothing is known to be wrong with the entry. */
    if (!entry_is_there || (number != ENOENT && number != EISDIR && number != EINVAL &&
                            number != ENOTDIR && number != ELOOP && number != 0)) {
        return STORE_MISS;
    }
    return STORE_DAMAGED;
}

enum store_found entry_read_record(struct store *s, struct arena *a, const struct sha256 *key,
                                   struct store_record *record, struct error *e)
{
    struct str text;
    const struct str path = entry_path(s, a, key, "record");
    errno = 0;
    const enum store_found found = read_file(a, path.ptr, STORE_RECORD_MAX, &text, e);
    if (found != STORE_HIT) {
        return found;
    }
    switch (record_parse(a, text, record)) {
    case RECORD_GOOD: break;
    case RECORD_NEWER: return STORE_MISS; /* a later version's: not ours to judge */
    case RECORD_DAMAGED: error_set(e, "%s is damaged", path.ptr); return STORE_DAMAGED;
    }
    if (!sha256_equal(&record->key, key)) {
        error_set(e, "%s is another entry's record", path.ptr);
        return STORE_DAMAGED;
    }
    return STORE_HIT;
}

static enum store_found find(struct store *s, struct arena *a, const struct sha256 *key,
                             struct store_record *record, struct str *object, struct error *e)
{
    enum store_found found = entry_read_record(s, a, key, record, e);
    if (found != STORE_HIT) {
        return found;
    }
    const struct str path = entry_path(s, a, key, "object");
    errno = 0;
    found = read_file(a, path.ptr, STORE_OBJECT_MAX, object, e);
    if (found != STORE_HIT) {
        return found;
    }
    struct sha256 digest;
    if (!sha256_of(*object, &digest)) {
        return STORE_MISS;
    }
    if (object->len != record->size || !sha256_equal(&digest, &record->object_digest)) {
        error_set(e, "%s is damaged", path.ptr);
        return STORE_DAMAGED;
    }
    return STORE_HIT;
}

enum store_found store_find(struct store *s, struct arena *a, const struct sha256 *key,
                            struct store_record *record, struct str *object, struct error *e)
{
    e->text[0] = '\0';
    const enum store_found found = find(s, a, key, record, object, e);
    if (found == STORE_DAMAGED) {
        (void)entry_remove(s, key); /* in a read-only store it stays, and is passed by each time */
    }
    return found;
}

enum store_found store_find_record(struct store *s, struct arena *a, const struct sha256 *key,
                                   struct store_record *record, struct error *e)
{
    e->text[0] = '\0';
    const enum store_found found = entry_read_record(s, a, key, record, e);
    if (found == STORE_DAMAGED) {
        (void)entry_remove(s, key);
    }
    return found;
}

/* An object on its way out: never all of it in memory. */
struct copying {
    struct arena *arena;
    const struct store_record *record;
    int from;
    bool is_as_said; /* all bytes were read, and they are those of the record */
};

static bool copy_object(void *context, int to)
{
    struct copying *c = context;
    char piece[COPY_PIECE];
    struct sha256 digest;
    struct sha256_ctx *sha = sha256_begin(c->arena);
    c->is_as_said = false;
    if (sha == NULL) {
        return false;
    }
    for (uint64_t at = 0; at < c->record->size;) {
        const ptrdiff_t n = file_read_at(c->from, piece, sizeof(piece), at);
        if (n <= 0) {
            return false;
        }
        sha256_add(sha, piece, (size_t)n);
        at += (uint64_t)n;
        if (!file_write_all(to, (struct str){piece, (size_t)n})) {
            c->is_as_said = true; /* as far as is known */
            return false;
        }
    }
    c->is_as_said = sha256_end(sha, &digest) && sha256_equal(&digest, &c->record->object_digest);
    return c->is_as_said;
}

enum store_found store_copy_object(struct store *s, struct arena *a,
                                   const struct store_record *record, const char *to, bool *written,
                                   struct error *e)
{
    uint64_t size = 0;
    struct copying c = {.arena = a, .record = record, .is_as_said = true};
    e->text[0] = '\0';
    *written = false;
    c.from = file_open(entry_path(s, a, &record->key, "object").ptr, &size);
    if (c.from >= 0) {
        *written = size == record->size && file_write_by(to, copy_object, &c, e);
        (void)close(c.from);
        if (*written || (size == record->size && c.is_as_said)) {
            return STORE_HIT;
        }
    }
    /* Gone, damaged, or something that passes. */
    struct store_record again;
    struct str object;
    const enum store_found found = store_find(s, a, &record->key, &again, &object, e);
    if (found == STORE_HIT) {
        *written = file_write(to, object, false, e);
    }
    return found;
}

bool entry_remove(struct store *s, const struct sha256 *key)
{
    const struct str away = temporary_name(s, s->arena);
    const struct str path = path_join(s->arena, s->dir, store_entry_dir(s->arena, key));
    if (rename(path.ptr, away.ptr) != 0) {
        return errno == ENOENT;
    }
    (void)remove_tree(away.ptr); /* what stays behind is litter, cleared away later */
    return true;
}

/* Writes both files into a fresh folder. */
static bool write_entry(struct arena *a, const char *dir, const struct store_record *record,
                        struct str object, struct error *e)
{
    if (mkdir(dir, 0700) != 0) {
        error_errno(e, "make the folder", dir);
        return false;
    }
    /* Not synced: what a power failure loses, the digests show. */
    return file_write(str_format(a, "%s/object", dir).ptr, object, false, e) &&
           file_write(str_format(a, "%s/record", dir).ptr, record_format(a, record), false, e);
}

/* True where the entry is at `path` afterwards, ours or one that was there already. */
static bool move_in(struct arena *a, const char *from, const char *path, struct error *e)
{
    if (rename(from, path) == 0) {
        return true;
    }
    if (errno == ENOENT) {
        const struct str parent = str_copy(a, path_dirname(str_from(path)));
        (void)mkdir(str_copy(a, path_dirname(parent)).ptr, 0700);
        (void)mkdir(parent.ptr, 0700);
        if (rename(from, path) == 0) {
            return true;
        }
    }
    if (errno == EEXIST || errno == ENOTEMPTY) {
        return true;
    }
    error_errno(e, "publish the entry", path);
    return false;
}

bool entry_publish(struct store *s, struct store_record *record, struct str object, struct error *e)
{
    struct arena *a = s->arena;
    record->size = object.len;
    record->created = store_now();
    if (!sha256_of(object, &record->object_digest)) {
        error_set(e, "SHA-256 does not work");
        return false;
    }
    const struct str dir = temporary_name(s, a);
    const struct str path = path_join(a, s->dir, store_entry_dir(a, &record->key));
    const bool good =
        write_entry(a, dir.ptr, record, object, e) && move_in(a, dir.ptr, path.ptr, e);
    (void)remove_tree(dir.ptr);
    return good;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool each_in(struct str dir, const char *two, entry_fn *each, void *context)
{
    DIR *d = opendir(dir.ptr);
    if (d == NULL) {
        return true; /* removed, or no folder: nothing of ours in it */
    }
    bool go_on = true;
    for (const struct dirent *item = readdir(d); item != NULL && go_on; item = readdir(d)) {
        char hex[SHA256_HEX_LEN + 1];
        struct sha256 key;
        if (strlen(item->d_name) != SHA256_HEX_LEN - 2) {
            continue;
        }
        (void)snprintf(hex, sizeof(hex), "%.2s%.62s", two, item->d_name);
        if (sha256_from_hex(str_from(hex), &key)) {
            go_on = each(context, &key);
        }
    }
    (void)closedir(d);
    return go_on;
}

bool entry_each(struct store *s, entry_fn *each, void *context, struct error *e)
{
    const struct str entries = store_path(s, s->arena, "entries");
    DIR *d = opendir(entries.ptr);
    if (d == NULL) {
        if (errno == ENOENT) {
            return true;
        }
        error_errno(e, "read the store", entries.ptr);
        return false;
    }
    bool go_on = true;
    for (const struct dirent *item = readdir(d); item != NULL && go_on; item = readdir(d)) {
        if (strlen(item->d_name) == 2 && item->d_name[0] != '.') {
            go_on = each_in(path_join(s->arena, entries, str_from(item->d_name)), item->d_name,
                            each, context);
        }
    }
    (void)closedir(d);
    return true;
}
