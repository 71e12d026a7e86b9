/*
 * One lock a key: one byte of the file `locks`, at an offset that the key decides. Open file
 * description locks, where the system has them: the kernel frees one when its holder dies, and
 * another file descriptor on the same file in the same process does not drop it.
 */
#define _GNU_SOURCE
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(F_OFD_SETLK)
#define SET_LOCK F_OFD_SETLK
#else
#define SET_LOCK F_SETLK
#endif

/* Behind the bytes of all keys. */
#define PROBE_OFFSET ((off_t)0x7FFFFFFF)

static off_t offset_of(const struct sha256 *key)
{
    /* Nearly 31 bits: good on every file system; two keys on one byte only wait for each other. */
    off_t offset = 0;
    for (int i = 0; i < 4; i++) {
        offset = offset << 8 | key->bytes[i];
    }
    return (offset & 0x7FFFFFFF) % PROBE_OFFSET;
}

static int open_locks(struct store *s)
{
    const struct str path = store_path(s, s->arena, "locks");
    return open(path.ptr, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static enum lock_state try_lock(int fd, short type, off_t offset)
{
    struct flock lock;
    memset(&lock, 0, sizeof(lock));
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = offset;
    lock.l_len = 1;
    for (;;) {
        if (fcntl(fd, SET_LOCK, &lock) == 0) {
            return LOCK_TAKEN;
        }
        if (errno != EINTR) {
            return errno == EAGAIN || errno == EACCES ? LOCK_HELD : LOCK_BROKEN;
        }
    }
}

enum lock_state lock_file(int fd, bool alone)
{
    return try_lock(fd, alone ? F_WRLCK : F_RDLCK, 0);
}

static int64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool store_lock(struct store *s, const struct sha256 *key, int wait_ms, struct store_lock *lock,
                bool *waited)
{
    lock->fd = -1;
    if (waited != NULL) {
        *waited = false;
    }
    const int fd = open_locks(s);
    if (fd < 0) {
        return false;
    }
    const int64_t end = now_ms() + wait_ms;
    long pause_us = 500;
    for (;;) {
        const enum lock_state state = try_lock(fd, F_WRLCK, offset_of(key));
        if (state == LOCK_TAKEN) {
            lock->fd = fd;
            return true;
        }
        if (state == LOCK_BROKEN || now_ms() >= end) {
            (void)close(fd);
            return false;
        }
        if (waited != NULL) {
            *waited = true;
        }
        const struct timespec pause = {0, pause_us * 1000};
        (void)nanosleep(&pause, NULL);
        pause_us = pause_us < 10000 ? pause_us * 2 : pause_us;
    }
}

bool lock_works(struct store *s)
{
    const int fd = open_locks(s);
    if (fd < 0) {
        return true; /* nothing is known */
    }
    const bool works = try_lock(fd, F_WRLCK, PROBE_OFFSET) != LOCK_BROKEN;
    (void)close(fd);
    return works;
}

bool lock_try(struct store *s, const struct sha256 *key, struct store_lock *lock)
{
    return store_lock(s, key, 0, lock, NULL);
}

void store_unlock(struct store_lock *lock)
{
    if (lock->fd >= 0) {
        (void)close(lock->fd);
        lock->fd = -1;
    }
}
