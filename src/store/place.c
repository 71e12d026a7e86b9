/*
 * Where the store is, whether it may be trusted, and its folder for things in the making.
 */
#include "store/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_MAX_SIZE ((uint64_t)5 * 1024 * 1024 * 1024)
/* What a process on another machine left in tmp/ is litter after this long. */
#define LITTER_SECONDS 3600

int64_t store_now(void)
{
    return (int64_t)time(NULL);
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static struct str default_dir(struct arena *a, struct error *e)
{
    const char *cache = environment("XDG_CACHE_HOME");
    if (cache != NULL && cache[0] == '/') { /* its specification: ignore relative ones */
        return path_join(a, str_from(cache), STR("pykokkos-cache"));
    }
    const struct str home = home_dir(a);
    if (home.len == 0) {
        error_set(e, "there is no home folder to keep the store in; set PYKOKKOS_CACHE_DIR");
        return STR("");
    }
    return path_join(a, home, STR(".cache/pykokkos-cache"));
}

static struct str find_dir(struct arena *a, const char *dir, struct error *e)
{
    if (dir == NULL || dir[0] == '\0') {
        dir = environment("PYKOKKOS_CACHE_DIR");
    }
    if (dir == NULL) {
        return default_dir(a, e);
    }
    if (dir[0] == '/') {
        return str_copy_c(a, dir);
    }
    const struct str cwd = path_cwd(a);
    if (cwd.len == 0) {
        error_set(e, "the store's folder %s is relative, and the working folder is gone", dir);
        return STR("");
    }
    return path_join(a, cwd, str_from(dir));
}

/* Others must not be able to put objects in: they would end up in the user's programs. */
static bool check_dir(const char *dir, struct error *e)
{
    struct stat st;
    if (stat(dir, &st) != 0) {
        error_errno(e, "use the store", dir);
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        error_set(e, "the store %s is not a folder", dir);
        return false;
    }
    if (st.st_uid != geteuid()) {
        error_set(e,
                  "the store %s belongs to another user (uid %lu): set PYKOKKOS_CACHE_DIR to a "
                  "folder of your own",
                  dir, (unsigned long)st.st_uid);
        return false;
    }
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        error_set(e, "the store %s is writable by others (mode %03o): run 'chmod go-w' on it", dir,
                  (unsigned)(st.st_mode & 0777));
        return false;
    }
    return true;
}

static bool make_dir(struct arena *a, struct str dir, struct error *e)
{
    if (mkdir(dir.ptr, 0700) == 0 || errno == EEXIST) {
        return true;
    }
    if (errno == ENOENT && dir_make(str_copy(a, path_dirname(dir)).ptr, e) &&
        (mkdir(dir.ptr, 0700) == 0 || errno == EEXIST)) {
        return true;
    }
    if (e->text[0] == '\0') {
        error_errno(e, "make the store", dir.ptr);
    }
    return false;
}

bool store_parse_size(struct str text, uint64_t *out)
{
    uint64_t n = 0;
    size_t i = 0;
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        if (n > UINT64_MAX / 16) {
            return false;
        }
        n = n * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    if (i == 0) {
        return false;
    }
    unsigned shift = 0;
    if (i < text.len) {
        switch (text.ptr[i++]) {
        case 'K':
        case 'k': shift = 10; break;
        case 'M':
        case 'm': shift = 20; break;
        case 'G':
        case 'g': shift = 30; break;
        case 'T':
        case 't': shift = 40; break;
        default: return false;
        }
        const struct str unit = str_slice(text, i, text.len);
        if (unit.len > 0 && !str_equal_c(unit, "B") && !str_equal_c(unit, "iB")) {
            return false;
        }
    }
    if (n > (UINT64_MAX >> shift)) {
        return false;
    }
    *out = n << shift;
    return true;
}

struct store *store_open(struct arena *a, const char *dir, struct error *e)
{
    e->text[0] = '\0';
    const char *off = environment("PYKOKKOS_CACHE_DISABLE");
    if (off != NULL && strcmp(off, "0") != 0) {
        return NULL;
    }
    const struct str where = find_dir(a, dir, e);
    if (where.len == 0 || !make_dir(a, where, e) || !check_dir(where.ptr, e)) {
        return NULL;
    }
    struct store *s = ARENA_NEW(a, struct store);
    s->arena = a;
    s->dir = where;
    const char *size = environment("PYKOKKOS_CACHE_MAX_SIZE");
    if (size == NULL || !store_parse_size(str_from(size), &s->max_size)) {
        s->max_size = DEFAULT_MAX_SIZE;
    }
    return s;
}

bool store_is_writable(const struct store *s)
{
    return faccessat(AT_FDCWD, s->dir.ptr, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Where that much is free nobody writes a file to see whether one can: it is asked in each edit. */
#define PLENTY ((uint64_t)64 * 1024 * 1024)

static bool has_plenty(const struct store *s)
{
    struct statvfs v;
    return statvfs(s->dir.ptr, &v) == 0 && (v.f_flag & ST_RDONLY) == 0 &&
           (uint64_t)v.f_bavail * v.f_frsize >= PLENTY && (v.f_files == 0 || v.f_favail > 1000);
}

bool store_can_keep(struct store *s, struct error *e)
{
    /* About what an entry takes: a full disk often has room for a name still. */
    static const char zeros[16 * 1024];
    if (!store_is_writable(s)) {
        error_errno(e, "write to the store", s->dir.ptr);
        return false;
    }
    if (has_plenty(s)) {
        return !manifest_looks_later(s, e);
    }
    const struct str path = temporary_name(s, s->arena);
    const bool good = file_write(path.ptr, (struct str){zeros, sizeof(zeros)}, false, e);
    (void)unlink(path.ptr);
    return good && !manifest_looks_later(s, e);
}

struct str store_dir(const struct store *s)
{
    return s->dir;
}

uint64_t store_max_size(const struct store *s)
{
    return s->max_size;
}

struct str store_path(const struct store *s, struct arena *a, const char *name)
{
    return path_join(a, s->dir, str_from(name));
}

/* ---- tmp/ ----------------------------------------------------------------------------------- */

/* Names in tmp/ are <machine>-<process>-<number>: their writer can be looked for. Two containers
 * may have one name, but not the same numbers of processes. */
static unsigned machine_tag(void)
{
    char name[512] = "";
    (void)gethostname(name, 255);
    const size_t len = strlen(name);
    (void)!readlink("/proc/self/ns/pid", name + len, sizeof(name) - len - 1);
    unsigned tag = 5381;
    for (const char *p = name; *p != '\0'; p++) {
        tag = tag * 33 + (unsigned char)*p;
    }
    return tag;
}

struct str temporary_name(struct store *s, struct arena *a)
{
    const struct str dir = store_path(s, a, "tmp");
    (void)mkdir(dir.ptr, 0700);
    return str_format(a, "%s/%08x-%ld-%u", dir.ptr, machine_tag(), (long)getpid(),
                      s->temporary_count++);
}

static bool is_litter(int dir, const char *name)
{
    unsigned tag = 0;
    long pid = 0;
    unsigned number = 0;
    if (sscanf(name, "%8x-%ld-%u", &tag, &pid, &number) == 3 && tag == machine_tag() && pid > 0 &&
        kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
        return true;
    }
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_mtim.tv_sec + LITTER_SECONDS < time(NULL);
}

void temporary_clean(struct store *s)
{
    const struct str path = store_path(s, s->arena, "tmp");
    DIR *dir = opendir(path.ptr);
    if (dir == NULL) {
        return;
    }
    for (const struct dirent *item = readdir(dir); item != NULL; item = readdir(dir)) {
        if (item->d_name[0] != '.' && is_litter(dirfd(dir), item->d_name)) {
            (void)remove_tree(path_join(s->arena, path, str_from(item->d_name)).ptr);
        }
    }
    (void)closedir(dir);
}

/* The store makes no deep folders; what is deeper was put there by someone else and stays. */
#define REMOVE_DEPTH 16

static bool remove_at(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) {
        return true;
    }
    if ((errno != EISDIR && errno != EPERM) || depth == 0) {
        return false;
    }
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    bool good = true;
    for (const struct dirent *item = readdir(dir); item != NULL; item = readdir(dir)) {
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
            good = remove_at(dirfd(dir), item->d_name, depth - 1) && good;
        }
    }
    (void)closedir(dir);
    return good && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

bool remove_tree(const char *path)
{
    return remove_at(AT_FDCWD, path, REMOVE_DEPTH);
}
