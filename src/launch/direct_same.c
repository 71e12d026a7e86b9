/*
 * The usual hit: nothing at all has changed since a set of headers was kept. Then its text is only
 * gone through, and each stamp in it compared with that of its file or folder now; the digests need
 * not be looked at, since the key that they make is in the text, too.
 */
#include "launch/direct.h"

#include <errno.h>
#include <string.h>

/* The text of a set, and the line that is looked at. */
struct reader {
    char *at;
    char *end;
    struct timespec now;
    struct vec *headers;
};

/* The rest of a line after `word` and a blank. False: it is another line, and none is taken. Its
 * newline is made a NUL, and put back by give_back. */
static bool take(struct reader *r, const char *word, struct str *rest)
{
    const size_t len = strlen(word);
    if ((size_t)(r->end - r->at) <= len || memcmp(r->at, word, len) != 0 || r->at[len] != ' ') {
        return false;
    }
    char *const from = r->at + len + 1;
    char *newline = memchr(from, '\n', (size_t)(r->end - from));
    if (newline == NULL) {
        return false;
    }
    *newline = '\0';
    *rest = (struct str){from, (size_t)(newline - from)};
    r->at = newline + 1;
    return true;
}

static void give_back(struct reader *r)
{
    r->at[-1] = '\n';
}

static struct str take_word(struct str *line)
{
    const char *blank = line->len > 0 ? memchr(line->ptr, ' ', line->len) : NULL;
    const size_t len = blank != NULL ? (size_t)(blank - line->ptr) : line->len;
    const struct str word = str_slice(*line, 0, len);
    *line = str_slice(*line, len + 1, line->len);
    return word;
}

/* "stamp path" */
static bool is_same(const struct reader *r, struct str line)
{
    const struct str text = take_word(&line);
    struct stat st;
    if (line.len == 0) {
        return false;
    }
    if (stat(line.ptr, &st) == 0) {
        return stamp_is(&st, &r->now, text);
    }
    return (errno == ENOENT || errno == ENOTDIR) && stamp_is(NULL, &r->now, text);
}

static bool headers_are_same(struct reader *r)
{
    struct str line;
    while (take(r, "header", &line)) {
        (void)take_word(&line); /* its digest */
        struct str path = line;
        const struct str stamp = take_word(&path);
        const bool same = !str_equal_c(stamp, "none") && is_same(r, line);
        struct str *copy = ARENA_NEW(r->headers->arena, struct str);
        *copy = path;
        vec_push(r->headers, copy);
        give_back(r);
        if (!same) {
            return false;
        }
    }
    return true;
}

/* `fixed`: the folders that the compiler looks into whatever headers it uses; they come first. */
static bool folders_are_same(struct reader *r, const struct map *fixed)
{
    struct str line;
    size_t count = 0;
    for (; take(r, "folder", &line); count++) {
        (void)take_word(&line); /* the digest of what it could find there */
        bool same = count >= fixed->count || str_equal(fixed->entries[count].key, line);
        give_back(r);
        bool looked = false;
        while (same && take(r, "look", &line)) {
            looked = true;
            same = is_same(r, line);
            give_back(r);
        }
        if (!same || !looked) {
            return false;
        }
    }
    return count >= fixed->count;
}

enum direct_sameness direct_same(struct arena *a, struct job *job, struct str text,
                                 struct sha256 *key)
{
    struct str line;
    struct map fixed;
    struct vec headers;
    struct sha256 used;
    struct sha256 made;
    vec_init(&headers, a);
    struct reader r = {.at = (char *)(uintptr_t)text.ptr,
                       .end = (char *)(uintptr_t)text.ptr + text.len,
                       .now = stamp_now(),
                       .headers = &headers};
    if (!take(&r, "set", &line)) {
        return DIRECT_OTHER;
    }
    bool good = sha256_from_hex(line, key);
    give_back(&r);
    if (!good || !take(&r, "used", &line)) {
        return DIRECT_OTHER;
    }
    good = sha256_from_hex(line, &used) && direct_key(a, &job->base.key, &used, &made) &&
           sha256_equal(&made, key);
    give_back(&r);
    if (!good || !take(&r, "around", &line)) {
        return DIRECT_OTHER;
    }
    give_back(&r);
    while (take(&r, "ask", &line)) {
        give_back(&r);
    }
    if (!headers_are_same(&r)) {
        return DIRECT_OTHER;
    }
    direct_fixed_folders(a, job, &fixed);
    const bool ends =
        folders_are_same(&r, &fixed) &&
        (r.at == r.end || ((size_t)(r.end - r.at) > 4 && memcmp(r.at, "set ", 4) == 0));
    if (!ends) {
        return DIRECT_SAME_HEADERS;
    }
    job->headers = headers;
    return DIRECT_SAME;
}
