/*
 * Logs: what many processes have to tell the manifest, without waiting for it. Each appends its
 * lines by one write; whoever works on the manifest next takes the file away and reads it. A writer
 * holds a shared lock on the file and the taker one of its own, so that no line is written to a
 * file that has been read. Where locks do not work, a line may be lost.
 */
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Should nobody ever take a log in, it stops growing here. */
#define LOG_MAX ((off_t)16 * 1024 * 1024)
/* A writer that finds the file taken opens its successor, which may be taken as well. */
#define WRITE_TRIES 8
/* For writers at work, in milliseconds: one that is stopped must not stop us. */
#define TAKE_WAIT_MS 100

static int open_locked(const char *path)
{
    for (int attempt = 0; attempt < WRITE_TRIES; attempt++) {
        struct stat st;
        const int fd =
            open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (fd < 0) {
            return -1;
        }
        if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size >= LOG_MAX) {
            (void)close(fd);
            errno = EFBIG;
            return -1;
        }
        /* Locked first: the taker removes the file before it gives its lock up. */
        if (lock_file(fd, false) != LOCK_HELD && (fstat(fd, &st) != 0 || st.st_nlink > 0)) {
            return fd;
        }
        (void)close(fd);
    }
    errno = EBUSY;
    return -1;
}

bool log_append(struct store *s, const char *name, struct str lines, struct error *e)
{
    const struct str path = store_path(s, s->arena, name);
    const int fd = open_locked(path.ptr);
    const bool good = fd >= 0 && write(fd, lines.ptr, lines.len) == (ssize_t)lines.len;
    if (!good) {
        error_errno(e, "write", path.ptr);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return good;
}

bool log_is_there(struct store *s, const char *name)
{
    struct stat st;
    return lstat(store_path(s, s->arena, name).ptr, &st) == 0;
}

/* Through the descriptor that holds the lock: closing another one would drop it on some systems. */
static struct str read_all(struct arena *a, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
        st.st_size > LOG_MAX * 2) {
        return STR("");
    }
    char *text = ARENA_ARRAY(a, char, (size_t)st.st_size);
    size_t at = 0;
    while (at < (size_t)st.st_size) {
        const ptrdiff_t n = file_read_at(fd, text + at, (size_t)st.st_size - at, at);
        if (n <= 0) {
            break;
        }
        at += (size_t)n;
    }
    return (struct str){text, at};
}

bool log_take(struct store *s, struct arena *a, const char *name, struct log *log)
{
    log->fd = -1;
    log->rest = STR("");
    log->path = temporary_name(s, a);
    if (rename(store_path(s, a, name).ptr, log->path.ptr) != 0) {
        return false;
    }
    log->fd = open(log->path.ptr, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    for (int ms = 0; log->fd >= 0 && ms < TAKE_WAIT_MS && lock_file(log->fd, true) == LOCK_HELD;
         ms++) {
        const struct timespec pause = {0, 1000000};
        (void)nanosleep(&pause, NULL);
    }
    if (log->fd >= 0) {
        log->rest = read_all(a, log->fd);
    }
    return true;
}

bool log_next_line(struct log *log, struct str *line)
{
    const char *end = log->rest.len > 0 ? memchr(log->rest.ptr, '\n', log->rest.len) : NULL;
    if (end == NULL) {
        return false; /* a line without its end was cut by a crash */
    }
    const size_t len = (size_t)(end - log->rest.ptr);
    *line = str_slice(log->rest, 0, len);
    log->rest = str_slice(log->rest, len + 1, log->rest.len);
    return true;
}

void log_remove(struct log *log)
{
    (void)remove_tree(log->path.ptr); /* somebody may have put a folder there */
    if (log->fd >= 0) {
        (void)close(log->fd);
        log->fd = -1;
    }
}

/* ---- words ---------------------------------------------------------------------------------- */

void log_add_text(struct buf *b, struct str text)
{
    buf_add_char(b, ' ');
    if (text.len == 0) {
        buf_add_c(b, "%");
    }
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c == '%' || c == 0x7F) {
            buf_printf(b, "%%%02X", (unsigned)c);
        } else {
            buf_add_char(b, (char)c);
        }
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct str log_next_word(struct str *line)
{
    size_t i = 0;
    while (i < line->len && line->ptr[i] != ' ') {
        i++;
    }
    const struct str word = str_slice(*line, 0, i);
    *line = str_slice(*line, i + 1, line->len);
    return word;
}

bool log_parse_text(struct arena *a, struct str word, struct str *out)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < word.len && !str_equal_c(word, "%"); i++) {
        if (word.ptr[i] != '%') {
            buf_add_char(&b, word.ptr[i]);
            continue;
        }
        const bool whole = i + 2 < word.len;
        const int high = whole ? hex_digit(word.ptr[i + 1]) : -1;
        const int low = whole ? hex_digit(word.ptr[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return false;
        }
        buf_add_char(&b, (char)(high * 16 + low));
        i += 2;
    }
    *out = buf_str(&b);
    return true;
}

bool log_parse_time(struct str word, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9') {
            return false;
        }
        *out = *out * 10 + (word.ptr[i] - '0');
    }
    return word.len > 0 && word.len <= 18;
}
