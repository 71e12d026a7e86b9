/*
 * A library to be preloaded that makes one call fail. Calls that write, rename, sync, lock, open,
 * allocate, start or map are numbered from 1 in the order they come, in every process whose name is
 * PKC_FAULT_PROGRAM (the compiler's and Ninja's are left alone).
 *
 *   PKC_FAULT_STATE   a file: the number of calls so far (8 bytes), then a letter for each call
 *   PKC_FAULT_AT      the number of the call that fails; 0: none, only counted
 *   PKC_FAULT_ERRNO   with which errno
 *   PKC_FAULT_STICKY  set: every later call of that kind fails, too (a disk that stays full)
 *   PKC_FAULT_KILL    set: the process is killed there instead
 *
 *   PKC_FAULT_EVENTS  a file that gets a line for each call that worked, for power.py:
 *                     "w DEVICE INODE"        a file's bytes changed
 *                     "s DEVICE INODE"        a file or a folder was synced
 *                     "n DEVICE INODE NAME"   a name in a folder (that one) came, changed or went
 *   PKC_FAULT_START   a file instead of the one that tells one run of the system from the next
 *
 * And, by itself or beside that, a folder that is a bad place:
 *
 *   PKC_FAULT_UNDER   its path
 *   PKC_FAULT_QUOTA   set: nothing can be written to a file below it (EDQUOT)
 *   PKC_FAULT_STATFS  the file system's type that it seems to be on
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LETTERS_MAX ((uint64_t)1 << 20)

struct state {
    _Atomic uint64_t count;
    _Atomic char letters[LETTERS_MAX];
};

static struct state *state;
static uint64_t fail_at;
static int fail_errno;
static int sticky;
static int kills;
static const char *under;
static int quota;
static long type_under;
static int events = -1;
static const char *start_file;

/* glibc's own allocator under the names that are not replaced here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static int is_our_program(const char *wanted)
{
    char name[32] = "";
    const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/comm", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        return 0;
    }
    const long n = syscall(SYS_read, fd, name, sizeof(name) - 1);
    syscall(SYS_close, fd);
    /* The system keeps 15 characters, and a newline. */
    const size_t len = strlen(wanted) < 15 ? strlen(wanted) : 15;
    return n == (long)len + 1 && memcmp(name, wanted, len) == 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PKC_FAULT_STATE");
    const char *program = getenv("PKC_FAULT_PROGRAM");
    const char *at = getenv("PKC_FAULT_AT");
    const char *number = getenv("PKC_FAULT_ERRNO");
    const char *type = getenv("PKC_FAULT_STATFS");
    if (program != NULL && is_our_program(program)) {
        under = getenv("PKC_FAULT_UNDER");
        quota = getenv("PKC_FAULT_QUOTA") != NULL;
        type_under = type != NULL ? strtol(type, NULL, 0) : 0;
    }
    if (program != NULL && is_our_program(program)) {
        const char *log = getenv("PKC_FAULT_EVENTS");
        start_file = getenv("PKC_FAULT_START");
        events = log == NULL ? -1
                             : (int)syscall(SYS_openat, AT_FDCWD, log,
                                            O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    }
    if (path == NULL || program == NULL || !is_our_program(program)) {
        return;
    }
    fail_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    fail_errno = number != NULL ? atoi(number) : EIO;
    sticky = getenv("PKC_FAULT_STICKY") != NULL;
    kills = getenv("PKC_FAULT_KILL") != NULL;
    const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    const long mapped =
        syscall(SYS_mmap, NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (mapped > 0) {
        state = (struct state *)mapped;
    }
}

/* True where this call, of the kind that `letter` stands for, is to fail; errno is then set. */
static int fails(char letter)
{
    if (state == NULL) {
        return 0;
    }
    const uint64_t n = atomic_fetch_add(&state->count, 1) + 1;
    if (n < LETTERS_MAX) {
        state->letters[n] = letter;
    }
    if (fail_at == 0 || n < fail_at ||
        (n > fail_at && (!sticky || fail_at >= LETTERS_MAX || state->letters[fail_at] != letter))) {
        return 0;
    }
    if (kills) {
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    errno = fail_errno;
    return 1;
}

/* ---- events --------------------------------------------------------------------------------- */

static void note(char kind, const struct stat *st, const char *name)
{
    char line[4400];
    const int len =
        snprintf(line, sizeof(line), "%c %llu %llu%s%s\n", kind, (unsigned long long)st->st_dev,
                 (unsigned long long)st->st_ino, name != NULL ? " " : "", name != NULL ? name : "");
    (void)syscall(SYS_write, events, line, len);
}

/* A call on an open file; gives its result back. */
static long noted(long result, char kind, int fd)
{
    struct stat st;
    const int number = errno;
    if (events >= 0 && result >= 0 && fd > 2 && syscall(SYS_fstat, fd, &st) == 0) {
        note(kind, &st, NULL);
    }
    errno = number;
    return result;
}

/* A name that came or went. */
static void note_name(int dir, const char *path)
{
    char folder[4096];
    struct stat st;
    const int number = errno;
    const char *slash = strrchr(path, '/');
    const size_t len = slash != NULL ? (size_t)(slash - path) : 0;
    if (events >= 0 && len < sizeof(folder) - 1) {
        memcpy(folder, path, len);
        folder[len] = '\0';
        const char *where = slash == NULL ? "." : len == 0 ? "/" : folder;
        if (syscall(SYS_newfstatat, dir, where, &st, 0) == 0) {
            note('n', &st, slash != NULL ? slash + 1 : path);
        }
    }
    errno = number;
}

/* The file that is about to lose its last name: whoever gets its number next begins anew. */
static void note_gone(int dir, const char *path)
{
    struct stat st;
    if (events >= 0 && syscall(SYS_newfstatat, dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        note('w', &st, NULL);
    }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ---- memory --------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
    return fails('m') ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails('m') ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    return fails('m') ? NULL : __libc_realloc(p, size);
}

void *mmap(void *p, size_t len, int protection, int flags, int fd, off_t offset)
{
    if (fails('M')) {
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, p, len, protection, flags, fd, offset);
}

void *mmap64(void *p, size_t len, int protection, int flags, int fd, off_t offset)
{
    return mmap(p, len, protection, flags, fd, offset);
}

/* ---- reading and writing; messages to people pass ------------------------------------------- */

static int is_under(const char *path)
{
    const size_t len = under != NULL ? strlen(under) : 0;
    return len > 0 && strncmp(path, under, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static int is_over_quota(int fd)
{
    static const char digits[] = "0123456789";
    char link[32] = "/proc/self/fd/";
    char path[4096];
    if (!quota || fd < 0 || fd > 9999) {
        return 0;
    }
    size_t at = strlen(link);
    for (int part = 1000; part > 0; part /= 10) {
        if (fd >= part || part == 1) {
            link[at++] = digits[fd / part % 10];
        }
    }
    const long n = syscall(SYS_readlink, link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    if (!is_under(path)) {
        return 0;
    }
    errno = EDQUOT;
    return 1;
}

ssize_t write(int fd, const void *p, size_t len)
{
    if (is_over_quota(fd)) {
        return -1;
    }
    return fd > 2 && fails('w') ? -1 : noted(syscall(SYS_write, fd, p, len), 'w', fd);
}

ssize_t pwrite(int fd, const void *p, size_t len, off_t offset)
{
    if (is_over_quota(fd)) {
        return -1;
    }
    return fails('w') ? -1 : noted(syscall(SYS_pwrite64, fd, p, len, offset), 'w', fd);
}

ssize_t pwrite64(int fd, const void *p, size_t len, off_t offset)
{
    return pwrite(fd, p, len, offset);
}

ssize_t read(int fd, void *p, size_t len)
{
    return fd > 2 && fails('r') ? -1 : syscall(SYS_read, fd, p, len);
}

ssize_t pread(int fd, void *p, size_t len, off_t offset)
{
    return fails('r') ? -1 : syscall(SYS_pread64, fd, p, len, offset);
}

ssize_t pread64(int fd, void *p, size_t len, off_t offset)
{
    return pread(fd, p, len, offset);
}

int ftruncate(int fd, off_t len)
{
    return fails('t') ? -1 : (int)noted(syscall(SYS_ftruncate, fd, len), 'w', fd);
}

int ftruncate64(int fd, off_t len)
{
    return ftruncate(fd, len);
}

int fsync(int fd)
{
    return fails('s') ? -1 : (int)noted(syscall(SYS_fsync, fd), 's', fd);
}

int fdatasync(int fd)
{
    return fails('s') ? -1 : (int)noted(syscall(SYS_fdatasync, fd), 's', fd);
}

/* ---- names ---------------------------------------------------------------------------------- */

static int opened(int dir, const char *path, int flags, int mode)
{
    static const char start[] = "/proc/sys/kernel/random/boot_id";
    struct stat st;
    if (start_file != NULL && strcmp(path, start) == 0) {
        path = start_file;
    }
    const int is_new = events >= 0 && (flags & O_CREAT) != 0 &&
                       syscall(SYS_newfstatat, dir, path, &st, AT_SYMLINK_NOFOLLOW) != 0;
    const int fd = (int)syscall(SYS_openat, dir, path, flags, mode);
    if (fd >= 0 && is_new) {
        note_name(dir, path);
    }
    return fd >= 0 && (is_new || (flags & O_TRUNC) != 0 || (flags & O_TMPFILE) == O_TMPFILE)
               ? (int)noted(fd, 'w', fd)
               : fd;
}

static int open_mode(int flags, va_list args)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, int) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : opened(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : opened(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : opened(dir, path, flags, mode);
}

static int named(long result, int dir, const char *path)
{
    if (result == 0) {
        note_name(dir, path);
    }
    return (int)result;
}

int mkdir(const char *path, mode_t mode)
{
    return fails('d') ? -1 : named(syscall(SYS_mkdir, path, mode), AT_FDCWD, path);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    if (fails('n')) {
        return -1;
    }
    note_gone(to_dir, to);
    const long result = syscall(SYS_renameat, from_dir, from, to_dir, to);
    return named(result, from_dir, from) == 0 ? named(result, to_dir, to) : -1;
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return fails('l') ? -1
                      : named(syscall(SYS_linkat, from_dir, from, to_dir, to, flags), to_dir, to);
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int dir, const char *path, int flags)
{
    if (fails('u')) {
        return -1;
    }
    note_gone(dir, path);
    return named(syscall(SYS_unlinkat, dir, path, flags), dir, path);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int memfd_create(const char *name, unsigned flags)
{
    return fails('o') ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

int statfs(const char *path, struct statfs *out)
{
    const int result = (int)syscall(SYS_statfs, path, out);
    if (result == 0 && type_under != 0 && is_under(path)) {
        out->f_type = type_under;
    }
    return result;
}

/* ---- locks and processes -------------------------------------------------------------------- */

int flock(int fd, int operation)
{
    return fails('k') ? -1 : (int)syscall(SYS_flock, fd, operation);
}

static int is_lock(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
           command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

int fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    return is_lock(command) && fails('k') ? -1 : (int)syscall(SYS_fcntl, fd, command, arg);
}

int fcntl64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    return is_lock(command) && fails('k') ? -1 : (int)syscall(SYS_fcntl, fd, command, arg);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    if (fails('p')) {
        return fail_errno;
    }
    return NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    if (fails('p')) {
        return fail_errno;
    }
    return NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}
