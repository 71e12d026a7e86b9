/*
 * changes.log: changes of AST hashes that are not in the manifest yet. The generator appends them
 * by one write: it runs in each edit's path, and opening the manifest costs as much as the rest of
 * it. Whoever works on the manifest next (a compile, mostly the one of that very edit) takes them
 * in.
 *
 *   change <Unix time> <module> <workunit> <old AST hash or -> <new AST hash or -> <cause>
 *
 * Texts are percent-encoded: no blank and no line end in them, and never empty. A line that is not
 * of this form is skipped.
 */
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Should nobody ever take it in, it stops growing here. */
#define LOG_MAX ((off_t)16 * 1024 * 1024)
#define WORDS 7

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

static void add_hash(struct buf *b, struct arena *a, bool has, const struct sha256 *hash)
{
    buf_add_char(b, ' ');
    buf_add(b, has ? sha256_hex(a, hash) : STR("-"));
}

static bool parse_hash(struct str word, bool *has, struct sha256 *hash)
{
    *has = !str_equal_c(word, "-");
    return !*has || sha256_from_hex(word, hash);
}

bool changes_append(struct store *s, const struct store_change *changes, size_t count,
                    struct error *e)
{
    struct arena *a = s->arena;
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < count; i++) {
        const struct store_change *c = &changes[i];
        buf_printf(&b, "change %lld", (long long)(c->time != 0 ? c->time : store_now()));
        log_add_text(&b, c->module);
        log_add_text(&b, c->workunit);
        add_hash(&b, a, c->has_old, &c->old_ast_hash);
        add_hash(&b, a, c->has_new, &c->new_ast_hash);
        log_add_text(&b, c->cause);
        buf_add_char(&b, '\n');
    }
    const struct str path = store_path(s, a, "changes.log");
    const int fd =
        open(path.ptr, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) {
        error_errno(e, "write", path.ptr);
        return false;
    }
    struct stat st;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LOG_MAX;
    if (!good) {
        error_set(e, "%s takes no more", path.ptr);
    } else if (write(fd, b.ptr, b.len) != (ssize_t)b.len) {
        error_errno(e, "write", path.ptr);
        good = false;
    }
    (void)close(fd);
    return good;
}

static bool parse_line(struct arena *a, struct str line, struct store_change *c)
{
    struct str words[WORDS];
    size_t n = 0;
    size_t start = 0;
    for (size_t i = 0; i <= line.len; i++) {
        if (i < line.len && line.ptr[i] != ' ') {
            continue;
        }
        if (n == WORDS) {
            return false;
        }
        words[n++] = str_slice(line, start, i);
        start = i + 1;
    }
    if (n != WORDS || !str_equal_c(words[0], "change") || words[1].len == 0 || words[1].len > 18) {
        return false;
    }
    *c = (struct store_change){0};
    for (size_t i = 0; i < words[1].len; i++) {
        if (words[1].ptr[i] < '0' || words[1].ptr[i] > '9') {
            return false;
        }
        c->time = c->time * 10 + (words[1].ptr[i] - '0');
    }
    return log_parse_text(a, words[2], &c->module) && log_parse_text(a, words[3], &c->workunit) &&
           parse_hash(words[4], &c->has_old, &c->old_ast_hash) &&
           parse_hash(words[5], &c->has_new, &c->new_ast_hash) &&
           log_parse_text(a, words[6], &c->cause);
}

struct store_change *changes_take(struct store *s, struct arena *a, size_t *count,
                                  struct str *taken)
{
    *count = 0;
    *taken = temporary_name(s, a);
    if (rename(store_path(s, a, "changes.log").ptr, taken->ptr) != 0) {
        return NULL;
    }
    struct str text;
    struct error e;
    if (!file_read(a, taken->ptr, (size_t)LOG_MAX * 2, &text, &e)) {
        (void)unlink(taken->ptr);
        return NULL;
    }
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    struct store_change *changes = ARENA_ARRAY(a, struct store_change, lines);
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        if (end == NULL) {
            break;
        }
        const size_t len = (size_t)(end - text.ptr);
        if (parse_line(a, str_slice(text, 0, len), &changes[*count])) {
            (*count)++;
        }
        text = str_slice(text, len + 1, text.len);
    }
    return changes;
}
