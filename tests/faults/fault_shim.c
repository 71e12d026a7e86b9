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
    return fd > 2 && fails('w') ? -1 : syscall(SYS_write, fd, p, len);
}

ssize_t pwrite(int fd, const void *p, size_t len, off_t offset)
{
    if (is_over_quota(fd)) {
        return -1;
    }
    return fails('w') ? -1 : syscall(SYS_pwrite64, fd, p, len, offset);
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
    return fails('t') ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int ftruncate64(int fd, off_t len)
{
    return ftruncate(fd, len);
}

int fsync(int fd)
{
    return fails('s') ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return fails('s') ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* ---- names ---------------------------------------------------------------------------------- */

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
    return fails('o') ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = open_mode(flags, args);
    va_end(args);
    return fails('o') ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    return fails('d') ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

int rename(const char *from, const char *to)
{
    return fails('n') ? -1 : (int)syscall(SYS_rename, from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return fails('n') ? -1 : (int)syscall(SYS_renameat, from_dir, from, to_dir, to);
}

int link(const char *from, const char *to)
{
    return fails('l') ? -1 : (int)syscall(SYS_link, from, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return fails('l') ? -1 : (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int unlink(const char *path)
{
    return fails('u') ? -1 : (int)syscall(SYS_unlink, path);
}

int unlinkat(int dir, const char *path, int flags)
{
    return fails('u') ? -1 : (int)syscall(SYS_unlinkat, dir, path, flags);
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
