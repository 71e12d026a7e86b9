/*
 * uses.log: one line a hit, appended by one write, so that a hit needs no database. Whoever works
 * on the manifest next takes the file away and adds the lines up.
 *
 *   use <Unix time> <key> <text digest> <AST hash or -> <TU, percent-encoded>
 *   add <the same>                                      an entry that has no row yet
 *
 * A line that is not of this form (cut by a crash, say) is skipped: only statistics and the order
 * of collection depend on it.
 */
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Should nobody ever take the log in, it stops growing here. */
#define LOG_MAX ((off_t)16 * 1024 * 1024)

static void append(struct store *s, const char *word, const struct store_record *record)
{
    struct arena *a = s->arena;
    const int fd = open(store_path(s, a, "uses.log").ptr,
                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return; /* a read-only store counts no hits */
    }
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LOG_MAX) {
        const struct str ast = record->has_ast_hash ? sha256_hex(a, &record->ast_hash) : STR("-");
        struct buf b;
        buf_init(&b, a);
        buf_printf(&b, "%s %lld %s %s %s", word, (long long)store_now(),
                   sha256_hex(a, &record->key).ptr, sha256_hex(a, &record->text_digest).ptr,
                   ast.ptr);
        log_add_text(&b, record->source);
        buf_add_char(&b, '\n');
        const ssize_t written = write(fd, b.ptr, b.len);
        (void)written;
    }
    (void)close(fd);
}

void store_record_use(struct store *s, const struct store_record *record)
{
    append(s, "use", record);
}

void uses_add_entry(struct store *s, const struct store_record *record)
{
    append(s, "add", record);
}

/* The next word of a line. */
static struct str next_word(struct str *line)
{
    size_t i = 0;
    while (i < line->len && line->ptr[i] != ' ') {
        i++;
    }
    const struct str word = str_slice(*line, 0, i);
    *line = str_slice(*line, i + 1, line->len);
    return word;
}

static bool parse_line(struct arena *a, struct str line, struct store_use *use)
{
    const struct str word = next_word(&line);
    use->is_hit = str_equal_c(word, "use");
    if (!use->is_hit && !str_equal_c(word, "add")) {
        return false;
    }
    const struct str when = next_word(&line);
    if (when.len == 0 || when.len > 18) {
        return false;
    }
    use->time = 0;
    for (size_t i = 0; i < when.len; i++) {
        if (when.ptr[i] < '0' || when.ptr[i] > '9') {
            return false;
        }
        use->time = use->time * 10 + (when.ptr[i] - '0');
    }
    if (!sha256_from_hex(next_word(&line), &use->key) ||
        !sha256_from_hex(next_word(&line), &use->text_digest)) {
        return false;
    }
    const struct str ast = next_word(&line);
    use->has_ast_hash = !str_equal_c(ast, "-");
    return (!use->has_ast_hash || sha256_from_hex(ast, &use->ast_hash)) &&
           log_parse_text(a, line, &use->source);
}

struct store_use *uses_take(struct store *s, struct arena *a, size_t *count, struct str *taken)
{
    *count = 0;
    *taken = temporary_name(s, a);
    if (rename(store_path(s, a, "uses.log").ptr, taken->ptr) != 0) {
        return NULL;
    }
    struct str text;
    struct error e;
    if (!file_read(a, taken->ptr, (size_t)LOG_MAX * 2, &text, &e)) {
        return NULL;
    }
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    struct store_use *uses = ARENA_ARRAY(a, struct store_use, lines);
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        if (end == NULL) {
            break;
        }
        const size_t len = (size_t)(end - text.ptr);
        if (parse_line(a, str_slice(text, 0, len), &uses[*count])) {
            (*count)++;
        }
        text = str_slice(text, len + 1, text.len);
    }
    return uses;
}
