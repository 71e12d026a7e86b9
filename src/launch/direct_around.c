#define _GNU_SOURCE
#include "launch/direct.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

/* A name that could be found in a folder: a header's path, or an end of it, or one asked for. */
struct wanted {
    struct str name;
    const struct header *self; /* NULL: it is asked for */
};

/* One folder while it is looked into. */
struct look {
    struct arena *arena; /* for as long as that takes */
    struct arena *keep;
    struct folder *folder;
    struct timespec now;
    struct map entries; /* names in the folder */
    struct map below;   /* "a", "a/b": a folder or not */
    bool settled; /* what was found shows in the stamps of the folders that were looked into */
    struct buf others;
};

static char is_folder[] = "folder";
static char is_none[] = "none";

static void add_looked(struct look *l, struct str path, const struct stat *st)
{
    struct looked *looked = ARENA_NEW(l->keep, struct looked);
    looked->path = str_copy(l->keep, path);
    looked->stamp = stamp_of(st, &l->now);
    if (st != NULL) {
        stamp_check_place(&looked->stamp, looked->path.ptr);
    }
    vec_push(&l->folder->looked, looked);
    l->settled = l->settled && looked->stamp.settled;
}

static struct str below(const struct look *l, struct str name)
{
    return path_join(l->arena, l->folder->path, name);
}

static bool is_below(struct look *l, struct str prefix)
{
    const char *known = map_get(&l->below, prefix);
    if (known != NULL) {
        return known == is_folder;
    }
    struct stat st;
    const struct str path = below(l, prefix);
    const bool there = stat(path.ptr, &st) == 0;
    const bool is_dir = there && S_ISDIR(st.st_mode);
    if (is_dir) {
        add_looked(l, path, &st);
    } else if (!there && lstat(path.ptr, &st) == 0) {
        l->settled = false; /* a link to something that may come up elsewhere */
    }
    map_set(&l->below, prefix, is_dir ? is_folder : is_none);
    return is_dir;
}

/* True where all folders of the name are there. */
static bool reaches(struct look *l, struct str name)
{
    const char *slash = memchr(name.ptr, '/', name.len);
    const size_t first = slash != NULL ? (size_t)(slash - name.ptr) : name.len;
    const struct str component = str_slice(name, 0, first);
    if (!map_has(&l->entries, component)) {
        return false;
    }
    for (size_t at = first; at < name.len; at++) {
        if (name.ptr[at] == '/' && !is_below(l, str_slice(name, 0, at))) {
            return false;
        }
    }
    return true;
}

static void look_for(struct look *l, const struct wanted *w)
{
    if (!reaches(l, w->name)) {
        return;
    }
    struct stat st;
    const struct str path = below(l, w->name);
    if (lstat(path.ptr, &st) != 0) {
        return;
    }
    const bool is_link = S_ISLNK(st.st_mode);
    const bool there = !is_link || stat(path.ptr, &st) == 0;
    const bool is_self =
        there && w->self != NULL && st.st_dev == w->self->device && st.st_ino == w->self->inode;
    if (is_self || (there && S_ISDIR(st.st_mode))) {
        return;
    }
    if (is_link) {
        l->settled = false; /* what it leads to may go, or come up */
    }
    if (there) {
        buf_add_c(&l->others, w->self == NULL ? "ask " : "other ");
        buf_add(&l->others, w->name);
        buf_add_char(&l->others, '\n');
    }
}

/* The names in a folder. False: it can't be read, though the compiler may find things in it. */
static bool list(struct look *l)
{
    DIR *d = opendir(l->folder->path.ptr);
    if (d == NULL) {
        return false;
    }
    const struct dirent *item;
    while (errno = 0, (item = readdir(d)) != NULL) {
        map_set(&l->entries, str_copy_c(l->arena, item->d_name), l);
    }
    const bool whole = errno == 0;
    (void)closedir(d);
    return whole;
}

static bool look_into(struct look *l, const struct vec *wanted)
{
    struct stat st;
    struct folder *f = l->folder;
    if (stat(f->path.ptr, &st) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) {
            return false;
        }
        struct stat link;
        l->settled = lstat(f->path.ptr, &link) != 0;
        add_looked(l, f->path, NULL);
        return true;
    }
    add_looked(l, f->path, &st);
    if (!S_ISDIR(st.st_mode)) {
        return true;
    }
    if (!list(l)) {
        return false;
    }
    for (size_t i = 0; i < wanted->count; i++) {
        look_for(l, wanted->items[i]);
    }
    f->has_others = l->others.len > 0;
    return !f->has_others || sha256_of(buf_str(&l->others), &f->others);
}

/* `*settled`: it need not be looked into again while its stamps are as they were. */
static bool look(struct arena *a, struct folder *f, const struct vec *wanted, bool *settled)
{
    struct look l = {.arena = arena_like(a), .keep = a, .folder = f, .settled = true};
    l.now = stamp_now();
    map_init(&l.entries, l.arena);
    map_init(&l.below, l.arena);
    buf_init(&l.others, l.arena);
    vec_init(&f->looked, a);
    const bool good = look_into(&l, wanted);
    if (!l.settled) {
        for (size_t i = 0; i < f->looked.count; i++) {
            ((struct looked *)f->looked.items[i])->stamp.settled = false;
        }
    }
    *settled = l.settled;
    arena_free(l.arena);
    return good;
}

/* ---- which folders, and which names --------------------------------------------------------- */

static void add_wanted(struct arena *a, struct vec *all, struct str name, const struct header *self)
{
    struct wanted *w = ARENA_NEW(a, struct wanted);
    *w = (struct wanted){name, self};
    vec_push(all, w);
}

static struct str without_slashes(struct str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

/* Can the compiler have been asked for the end of a header's path that begins at `from`? Of one
 * that begins with "..", only if it looked in the folder before it: such a path is as it was put
 * together (where a compiler makes paths shorter, no ".." is left in them). What is asked for by
 * all of such a path is found in the working folder, before any other. */
static bool may_be_asked(const struct map *bare, struct str path, size_t from)
{
    const struct str name = str_slice(path, from, path.len);
    return !str_starts_with(name, "../") ||
           (from > 0 && map_has(bare, without_slashes(str_slice(path, 0, from))));
}

static void find_wanted(struct arena *a, const struct header_set *set, const struct map *folders,
                        struct vec *all)
{
    struct map bare;
    map_init(&bare, a);
    for (size_t i = 0; i < folders->count; i++) {
        map_set(&bare, without_slashes(folders->entries[i].key), all);
    }
    vec_init(all, a);
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        for (size_t at = h->path.len; at-- > 0;) {
            const size_t from = h->path.ptr[at] == '/' ? at + 1 : at;
            if ((h->path.ptr[at] == '/' || at == 0) && may_be_asked(&bare, h->path, from)) {
                add_wanted(a, all, str_slice(h->path, from, h->path.len), h);
            }
        }
    }
    for (size_t i = 0; i < set->asks.count; i++) {
        add_wanted(a, all, *(const struct str *)set->asks.items[i], NULL);
    }
}

static void add_folder(struct arena *a, struct map *all, struct str path)
{
    if (!map_has(all, path)) {
        struct folder *f = ARENA_NEW(a, struct folder);
        f->path = str_copy(a, path);
        vec_init(&f->looked, a);
        map_set(all, f->path, f);
    }
}

static void add_folders(struct arena *a, struct map *all, const struct vec *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        add_folder(a, all, *(const struct str *)paths->items[i]);
    }
}

/* In this order, each once. */
void direct_fixed_folders(struct arena *a, const struct job *job, struct map *all)
{
    struct vec variables;
    map_init(all, a);
    vec_init(&variables, a);
    scan_variable_dirs(a, &variables);
    add_folders(a, all, &job->command.dirs);
    add_folders(a, all, &variables);
    add_folders(a, all, &job->compiler.search);
    add_folder(a, all, path_dirname(job->command.input));
}

static void find_folders(struct arena *a, const struct job *job, const struct header_set *set,
                         struct map *all)
{
    direct_fixed_folders(a, job, all);
    /* "name" is looked for beside the header that has it. */
    for (size_t i = 0; i < set->headers.count; i++) {
        add_folder(a, all, path_dirname(((const struct header *)set->headers.items[i])->path));
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool is_as_it_was(const struct folder *f, const struct timespec *now)
{
    for (size_t i = 0; i < f->looked.count; i++) {
        const struct looked *looked = f->looked.items[i];
        struct stat st;
        const bool there = stat(looked->path.ptr, &st) == 0;
        if (!there && errno != ENOENT && errno != ENOTDIR) {
            return false;
        }
        const struct stamp stamp = stamp_of(there ? &st : NULL, now);
        if (!stamp_equal(&stamp, &looked->stamp)) {
            return false;
        }
    }
    return f->looked.count > 0;
}

static void map_of_folders(struct arena *a, const struct vec *folders, struct map *out)
{
    map_init(out, a);
    for (size_t i = 0; i < folders->count; i++) {
        struct folder *f = folders->items[i];
        map_set(out, f->path, f);
    }
}

bool direct_around(struct arena *a, const struct job *job, struct header_set *set,
                   struct sha256 *out, size_t *gained)
{
    struct map folders;
    struct map before;
    struct vec wanted = {.count = 0};
    struct buf b;
    const struct timespec now = stamp_now();
    find_folders(a, job, set, &folders);
    map_of_folders(a, &set->folders, &before);
    vec_init(&set->folders, a);
    buf_init(&b, a);
    for (size_t i = 0; i < folders.count; i++) {
        struct folder *f = folders.entries[i].value;
        struct folder *known = map_get(&before, f->path);
        if (known != NULL && is_as_it_was(known, &now)) {
            f = known;
        } else {
            bool settled = false;
            if (wanted.count == 0) {
                find_wanted(a, set, &folders, &wanted);
            }
            if (!look(a, f, &wanted, &settled)) {
                return false;
            }
            *gained += settled;
        }
        vec_push(&set->folders, f);
        if (f->has_others) {
            buf_printf(&b, "%zu %s\n", i, sha256_hex(a, &f->others).ptr);
        }
    }
    return sha256_of(buf_str(&b), out);
}
