/* O_TMPFILE is Linux's. */
#define _GNU_SOURCE
#include "support/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep_errno_close(int fd)
{
    const int number = errno;
    (void)close(fd);
    errno = number;
}

/* read() that goes on after a signal. */
static ssize_t read_some(int fd, void *p, size_t len)
{
    ssize_t n = 0;
    do {
        n = read(fd, p, len);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* Opens a regular file. O_NONBLOCK: a FIFO of that name must not make us wait for its writer. */
static int open_regular(const char *path, struct stat *st)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, st) != 0) {
        keep_errno_close(fd);
        return -1;
    }
    if (!S_ISREG(st->st_mode)) {
        (void)close(fd);
        errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    return fd;
}

int file_open(const char *path, uint64_t *size)
{
    struct stat st;
    const int fd = open_regular(path, &st);
    *size = fd >= 0 ? (uint64_t)st.st_size : 0;
    return fd;
}

ptrdiff_t file_read_at(int fd, void *bytes, size_t size, uint64_t at)
{
    ssize_t n = 0;
    do {
        n = pread(fd, bytes, size, (off_t)at);
    } while (n < 0 && errno == EINTR);
    return n;
}

bool file_read(struct arena *a, const char *path, size_t max_size, struct str *out, struct error *e)
{
    struct stat st;
    const int fd = open_regular(path, &st);
    if (fd < 0) {
        error_errno(e, "read", path);
        return false;
    }
    size_t cap = (size_t)st.st_size + 1; /* one more byte shows the end without a second buffer */
    if (max_size != 0 && cap - 1 > max_size) {
        (void)close(fd);
        error_set(e, "cannot read %s: it has more than %zu bytes", path, max_size);
        return false;
    }
    char *p = arena_alloc(a, cap);
    size_t len = 0;
    for (;;) {
        const ssize_t n = read_some(fd, p + len, cap - len);
        if (n < 0) {
            keep_errno_close(fd);
            error_errno(e, "read", path);
            return false;
        }
        const bool at_end = (size_t)n < cap - len && len + (size_t)n == (size_t)st.st_size;
        len += (size_t)n;
        if (n == 0 || at_end) {
            break;
        }
        if (len == cap) { /* it grew since fstat */
            if (max_size != 0 && len > max_size) {
                (void)close(fd);
                error_set(e, "cannot read %s: it has more than %zu bytes", path, max_size);
                return false;
            }
            p = arena_extend(a, p, cap, cap * 2);
            cap *= 2;
        }
    }
    (void)close(fd);
    p[len] = '\0';
    *out = (struct str){p, len};
    return true;
}

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool dir_make(const char *path, struct error *e)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && is_dir(path))) {
        return true;
    }
    if (errno != ENOENT) {
        error_errno(e, "make the folder", path);
        return false;
    }
    const size_t len = strlen(path);
    char *part = malloc(len + 1);
    if (part == NULL) {
        error_errno(e, "make the folder", path);
        return false;
    }
    memcpy(part, path, len + 1);
    bool made = true;
    for (size_t i = 1; i <= len && made; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        const char end = part[i];
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && !is_dir(part)) {
            made = false;
            error_errno(e, "make the folder", part);
        }
        part[i] = end;
    }
    free(part);
    return made;
}

bool file_write_all(int fd, struct str content)
{
    for (size_t done = 0; done < content.len;) {
        const ssize_t n = write(fd, content.ptr + done, content.len - done);
        if (n == 0) {
            errno = ENOSPC; /* some file systems say it so */
        }
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Opens the folder that `path` is in, and gives the name in it. Names relative to an open folder
 * keep working where a longer temporary path would not. */
static int open_parent(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL) {
        return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    const size_t len = slash == path ? 1 : (size_t)(slash - path);
    char *dir = malloc(len + 1);
    if (dir == NULL) {
        return -1;
    }
    memcpy(dir, path, len);
    dir[len] = '\0';
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int number = errno;
    free(dir);
    errno = number;
    return fd;
}

/* A new file of a name that no other process or thread uses. */
static int create_temporary(int dir, char *name, size_t size)
{
    for (unsigned i = 0; i < 10000; i++) {
        (void)snprintf(name, size, ".pkc-%ld-%u.tmp", (long)getpid(), i);
        const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

/* A file without a name, which goes away by itself when we are killed. -1: not on this system. */
static int create_nameless(int dir)
{
#if defined(O_TMPFILE)
    return openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
    (void)dir;
    return -1;
#endif
}

/* A name that follows from the file's: should we be killed before it is renamed, the next who
 * writes that file takes it over, and nothing stays behind. */
static void hidden_name(char *out, size_t size, const char *name)
{
    uint64_t tag = 14695981039346656037U;
    for (const char *p = name; *p != '\0'; p++) {
        tag = (tag ^ (unsigned char)*p) * 1099511628211U;
    }
    (void)snprintf(out, size, ".pkc-%016llx.tmp", (unsigned long long)tag);
}

#define NAMING_TRIES 100

/* Gives a nameless file its name: at once where there is none of that name, else by a rename.
 * Another process may be at the same file: then one of us is last, and both are whole. Should it
 * have taken our hidden name away, errno is EAGAIN: a file that had a name gets no other one. */
static bool give_name(int dir, int fd, const char *name)
{
    char open_file[64];
    char hidden[64];
    (void)snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, open_file, dir, name, AT_SYMLINK_FOLLOW) == 0) {
        return true;
    }
    hidden_name(hidden, sizeof(hidden), name);
    for (int i = 0; i < NAMING_TRIES && errno == EEXIST; i++) {
        if (linkat(AT_FDCWD, open_file, dir, hidden, AT_SYMLINK_FOLLOW) != 0) {
            if (errno == EEXIST && (unlinkat(dir, hidden, 0) == 0 || errno == ENOENT)) {
                errno = EEXIST; /* it was left behind: again */
            }
            continue;
        }
        if (renameat(dir, hidden, dir, name) == 0) {
            return true;
        }
        if (errno != ENOENT) {
            const int number = errno;
            (void)unlinkat(dir, hidden, 0);
            errno = number;
            return false;
        }
        errno = EAGAIN;
        return false;
    }
    return false;
}

/* What file_write fills a file with. */
struct filling {
    struct str content;
    bool sync;
};

static bool fill_with(void *context, int fd)
{
    const struct filling *f = context;
    return file_write_all(fd, f->content) && (!f->sync || fsync(fd) == 0);
}

static bool write_named(int dir, const char *name, file_fill_fn *fill, void *context)
{
    char temporary[64];
    const int fd = create_temporary(dir, temporary, sizeof(temporary));
    if (fd < 0) {
        return false;
    }
    bool done = fill(context, fd);
    if (!done) {
        keep_errno_close(fd);
    } else {
        done = close(fd) == 0;
    }
    done = done && renameat(dir, temporary, dir, name) == 0;
    if (!done) {
        const int number = errno;
        (void)unlinkat(dir, temporary, 0);
        errno = number;
    }
    return done;
}

static bool write_in(int dir, const char *name, file_fill_fn *fill, void *context)
{
    for (int i = 0; i < NAMING_TRIES; i++) {
        const int fd = create_nameless(dir);
        if (fd < 0) {
            break;
        }
        const bool filled = fill(context, fd);
        const bool done = filled && give_name(dir, fd, name);
        keep_errno_close(fd);
        if (done || !filled) {
            return done;
        }
        if (errno != EAGAIN) {
            break; /* no /proc, or no links here: in the other way */
        }
    }
    return write_named(dir, name, fill, context);
}

static bool write_file(const char *path, file_fill_fn *fill, void *context, bool sync,
                       struct error *e)
{
    const char *name = NULL;
    const int dir = open_parent(path, &name);
    if (dir < 0) {
        error_errno(e, "write", path);
        return false;
    }
    const bool done = write_in(dir, name, fill, context);
    if (!done) {
        error_errno(e, "write", path);
    } else if (sync) {
        (void)fsync(dir); /* the name too; a file system that can't has the bytes at least */
    }
    (void)close(dir);
    return done;
}

bool file_write(const char *path, struct str content, bool sync, struct error *e)
{
    struct filling f = {content, sync};
    return write_file(path, fill_with, &f, sync, e);
}

bool file_write_by(const char *path, file_fill_fn *fill, void *context, struct error *e)
{
    return write_file(path, fill, context, false, e);
}

/* Compared piece by piece: nothing of the file is kept. */
static bool has_content(const char *path, struct str content)
{
    struct stat st;
    const int fd = open_regular(path, &st);
    if (fd < 0) {
        return false;
    }
    bool same = st.st_size >= 0 && (uint64_t)st.st_size == content.len;
    size_t done = 0;
    while (same) {
        char piece[16 * 1024];
        const ssize_t n = read_some(fd, piece, sizeof(piece));
        if (n == 0) {
            break;
        }
        if (n < 0 || (size_t)n > content.len - done ||
            memcmp(piece, content.ptr + done, (size_t)n) != 0) {
            same = false;
            break;
        }
        done += (size_t)n;
    }
    (void)close(fd);
    return same && done == content.len;
}

bool file_write_if_changed(const char *path, struct str content, bool *changed, struct error *e)
{
    if (has_content(path, content)) {
        if (changed != NULL) {
            *changed = false;
        }
        return true;
    }
    if (!file_write(path, content, false, e)) {
        return false;
    }
    if (changed != NULL) {
        *changed = true;
    }
    return true;
}

struct file_stamp file_stamp_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return (struct file_stamp){0};
    }
    return (struct file_stamp){
        .exists = true,
        .mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
        .ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec,
        .size = (uint64_t)st.st_size,
        .inode = (uint64_t)st.st_ino,
        .device = (uint64_t)st.st_dev,
    };
}

bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->exists == b->exists && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns &&
           a->size == b->size && a->inode == b->inode && a->device == b->device;
}
