/*
 * Dispatch TUs, which include Kokkos, and those that include Python: only the compiler knows which
 * headers they use. So the first compile's depfile tells, and what it said is kept under the base
 * key (all that is known without the headers: text, flags with folders in order, compiler,
 * environment). The next time, where each of those headers still has its digest and nothing has
 * come up that the compiler would find in another's place, the object is that of the key made of
 * the base key and the digests.
 *
 * A header is not read again while its stamp is what it was when its digest was taken, and a folder
 * not looked into again: a hit costs a stat() of each (direct_same.c).
 */
#define _GNU_SOURCE
#include "launch/direct.h"

#include <string.h>

#define SETS_MAX 6
#define HEADERS_MAX 20000
#define HEADER_MAX ((size_t)64 * 1024 * 1024)
static const char memo_kind[] = "headers";

/* The digests of the headers with their names, and of what is around them: a name asked for decides
 * without being among the headers. */
static bool digest_set(struct arena *a, const struct header_set *set, struct sha256 *out)
{
    struct sha256_ctx *sha = sha256_begin(a);
    if (sha == NULL) {
        return false;
    }
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        sha256_add_str(sha, h->path);
        sha256_add(sha, h->digest.bytes, sizeof(h->digest.bytes));
    }
    sha256_add_str(sha, STR("around"));
    sha256_add(sha, set->around.bytes, sizeof(set->around.bytes));
    return sha256_end(sha, out);
}

/* For people: how many there are, and the digests of those that change with a version of ours, of
 * Kokkos or of Python. */
static struct str headers_text(struct arena *a, const struct header_set *set)
{
    static const char ours[] = "/pykokkos_cache/";
    static const char *const telling[] = {"KokkosCore_config.h", "patchlevel.h", "pyconfig.h"};
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, "%zu headers\n", set->headers.count);
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        const char *at = memmem(h->path.ptr, h->path.len, ours, sizeof(ours) - 1);
        const struct str base = path_basename(h->path);
        struct str name =
            at != NULL ? str_slice(h->path, (size_t)(at - h->path.ptr) + 1, h->path.len) : STR("");
        for (size_t k = 0; k < sizeof(telling) / sizeof(telling[0]); k++) {
            name = str_equal_c(base, telling[k]) ? base : name;
        }
        if (name.len > 0) {
            buf_printf(&b, STR_FMT "=%s\n", STR_ARG(name), sha256_hex(a, &h->digest).ptr);
        }
    }
    return buf_str(&b);
}

bool direct_key(struct arena *a, const struct sha256 *base, const struct sha256 *used,
                struct sha256 *key)
{
    struct sha256_ctx *sha = sha256_begin(a);
    if (sha == NULL) {
        return false;
    }
    sha256_add(sha, base->bytes, sizeof(base->bytes));
    sha256_add(sha, used->bytes, sizeof(used->bytes));
    return sha256_end(sha, key);
}

/* The key of a base key and a set of headers. */
static bool make_key(struct arena *a, const struct job *job, const struct header_set *set,
                     struct launch_key *key)
{
    struct store_part *parts = ARENA_ARRAY(a, struct store_part, job->base.part_count + 1);
    memcpy(parts, job->base.parts, job->base.part_count * sizeof(*parts));
    struct store_part *last = &parts[job->base.part_count];
    *last = (struct store_part){.label = STR("used headers"),
                                .text = job->tells ? headers_text(a, set) : STR("")};
    key->parts = parts;
    key->part_count = job->base.part_count + 1;
    return digest_set(a, set, &last->digest) &&
           direct_key(a, &job->base.key, &last->digest, &key->key);
}

static void use_set(struct arena *a, struct job *job, const struct header_set *set)
{
    vec_init(&job->headers, a);
    for (size_t i = 0; i < set->headers.count; i++) {
        vec_push(&job->headers, &((struct header *)set->headers.items[i])->path);
    }
}

/* ---- keeping -------------------------------------------------------------------------------- */

static bool can_be_kept(const struct header_set *set)
{
    for (size_t i = 0; i < set->folders.count; i++) {
        const struct str path = ((const struct folder *)set->folders.items[i])->path;
        if (memchr(path.ptr, '\n', path.len) != NULL) {
            return false;
        }
    }
    return true;
}

/* The set first, then others that are kept already. */
static void keep(struct arena *a, const struct job *job, struct store *store,
                 const struct header_set *first)
{
    struct str text;
    struct buf b;
    if (!can_be_kept(first)) {
        return;
    }
    buf_init(&b, a);
    set_format(&b, first);
    if (store_memo_get(store, a, memo_kind, &job->base.key, &text)) {
        struct header_set set;
        for (size_t kept = 1; kept < SETS_MAX && set_parse(a, &text, &set);) {
            if (!sha256_equal(&set.key, &first->key)) {
                set_format(&b, &set);
                kept++;
            }
        }
    }
    store_memo_put(store, a, memo_kind, &job->base.key, buf_str(&b));
}

/* ---- finding -------------------------------------------------------------------------------- */

/* What was found out about headers while several sets were tried. */
struct finder {
    struct arena *arena;
    struct map digests; /* path -> struct sha256 */
    struct timespec now;
    size_t gained; /* headers and folders that were read and need not be the next time */
};

/* A file's digest, read once though several sets name it. NULL: it can't be read. */
static const struct sha256 *digest_of(struct finder *f, struct str path)
{
    struct sha256 *digest = map_get(&f->digests, path);
    if (digest != NULL) {
        return digest;
    }
    struct arena *scratch = arena_like(f->arena);
    struct str text;
    struct error e;
    digest = ARENA_NEW(f->arena, struct sha256);
    if (!file_read(scratch, path.ptr, HEADER_MAX, &text, &e) || !sha256_of(text, digest)) {
        digest = NULL;
    } else {
        map_set(&f->digests, path, digest);
    }
    arena_free(scratch);
    return digest;
}

static bool look_at(struct header *h, struct stat *st)
{
    if (stat(h->path.ptr, st) != 0) {
        return false;
    }
    h->device = st->st_dev;
    h->inode = st->st_ino;
    return true;
}

static bool header_is_as_it_was(struct finder *f, struct header *h)
{
    struct stat st;
    if (!look_at(h, &st)) {
        return false;
    }
    struct stamp stamp = stamp_of(&st, &f->now);
    if (stamp_equal(&stamp, &h->stamp)) {
        return true;
    }
    const struct sha256 *now = digest_of(f, h->path);
    if (now == NULL || !sha256_equal(now, &h->digest)) {
        return false;
    }
    stamp_check_place(&stamp, h->path.ptr);
    h->stamp = stamp;
    f->gained += stamp.settled;
    return true;
}

/* `seen`: all headers have been, and have the stamps that are kept of them. */
static bool is_as_it_was(struct finder *f, const struct job *job, struct header_set *set, bool seen)
{
    for (size_t i = 0; i < set->headers.count; i++) {
        struct header *h = set->headers.items[i];
        if (seen) {
            stamp_place(&h->stamp, &h->device, &h->inode);
        } else if (!header_is_as_it_was(f, h)) {
            return false;
        }
    }
    struct sha256 now;
    return direct_around(f->arena, job, set, &now, &f->gained) && sha256_equal(&now, &set->around);
}

bool direct_find(struct arena *a, struct job *job, struct store *store)
{
    struct str text;
    struct header_set set;
    struct finder f = {.arena = a, .now = stamp_now()};
    map_init(&f.digests, a);
    if (!store_memo_get(store, a, memo_kind, &job->base.key, &text)) {
        return false;
    }
    /* Whoever wants the parts of the key has them made. */
    const enum direct_sameness same = direct_same(a, job, text, &job->key.key);
    if (same == DIRECT_SAME && !job->tells) {
        return true;
    }
    for (bool seen = same != DIRECT_OTHER; set_parse(a, &text, &set); seen = false) {
        struct launch_key key;
        f.gained = 0;
        if (is_as_it_was(&f, job, &set, seen) && make_key(a, job, &set, &key) &&
            sha256_equal(&key.key, &set.key)) {
            job->key = key;
            use_set(a, job, &set);
            if (f.gained > 0) {
                keep(a, job, store, &set);
            }
            return true;
        }
    }
    return false;
}

/* ---- after a compile ------------------------------------------------------------------------ */

/* A change of a file sets this time, and no program can set it back. */
static bool changed_since(const struct stat *st, const struct timespec *start)
{
    return st->st_ctim.tv_sec > start->tv_sec ||
           (st->st_ctim.tv_sec == start->tv_sec && st->st_ctim.tv_nsec >= start->tv_nsec);
}

static bool add_header(struct arena *a, struct header_set *set, struct str path,
                       const struct timespec *start, struct error *e)
{
    struct header *h = ARENA_NEW(a, struct header);
    struct arena *scratch = arena_like(a);
    struct str text;
    struct stat st;
    h->path = path;
    bool good =
        file_read(scratch, path.ptr, HEADER_MAX, &text, e) && direct_check_text(set, path, text, e);
    if (good && (!sha256_of(text, &h->digest) || !look_at(h, &st))) {
        error_set(e, "%s can't be looked at", path.ptr);
        good = false;
    } else if (good && changed_since(&st, start)) {
        error_set(e, "%s changed while it was compiled, or just before", path.ptr);
        good = false;
    } else if (good) {
        /* Not changed since the start: what was read is what the stamp stands for. */
        h->stamp = stamp_of(&st, start);
        stamp_check_place(&h->stamp, path.ptr);
    }
    arena_free(scratch);
    vec_push(&set->headers, h);
    return good;
}

static struct header_set *read_set(struct arena *a, const struct job *job,
                                   const struct timespec *start, struct error *e)
{
    struct str text;
    struct vec names;
    vec_init(&names, a);
    if (!file_read(a, job->command.depfile.ptr, DEPFILE_MAX, &text, e)) {
        return NULL;
    }
    if (!depfile_names(a, text, &names) || names.count == 0 || names.count > HEADERS_MAX) {
        error_set(e, "%s lists no headers", job->command.depfile.ptr);
        return NULL;
    }
    struct header_set *set = ARENA_NEW(a, struct header_set);
    set_init(a, set);
    const struct str tu = job->command.input;
    const struct str handed = command_path(a, &job->command, job->cwd, tu);
    if (!direct_check_text(set, tu, ((const struct used_file *)job->scan.files.items[0])->text,
                           e)) {
        return NULL;
    }
    for (size_t i = 0; i < names.count; i++) {
        const struct str name = str_copy(a, *(const struct str *)names.items[i]);
        if (str_equal(name, tu) || str_equal(name, handed)) {
            continue;
        }
        if (memchr(name.ptr, '\n', name.len) != NULL) {
            error_set(e, "a header's name holds a newline");
            return NULL;
        }
        if (!add_header(a, set, name, start, e)) {
            return NULL;
        }
    }
    return set;
}

bool direct_record(struct arena *a, struct job *job, const struct timespec *start, struct error *e)
{
    struct header_set *set = read_set(a, job, start, e);
    if (set == NULL) {
        return false;
    }
    size_t gained = 0;
    job->tells = true;
    if (!direct_around(a, job, set, &set->around, &gained) || !make_key(a, job, set, &job->key)) {
        error_set(e, "the headers can't be looked at");
        return false;
    }
    set->key = job->key.key;
    set->used = job->key.parts[job->key.part_count - 1].digest;
    use_set(a, job, set);
    job->used = set;
    return true;
}

void direct_remember(struct arena *a, const struct job *job, struct store *store)
{
    keep(a, job, store, job->used);
}
