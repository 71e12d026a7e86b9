/*
 * The sets of headers that are kept under a base key, the latest first:
 *
 *   set <key>
 *   used <digest>                  of all headers and of what is around them
 *   around <digest>                of what else the compiler's search could come upon
 *   ask <name>                     of a __has_include or __has_include_next, any number
 *   header <digest> <stamp> <path> as the compiler named it, any number
 *   folder <digest or -> <path>    where it looks, and what else it could find there; any number,
 *   look <stamp> <path>            each followed by the folders that were looked into for that
 */
#include "launch/direct.h"

#include <string.h>

void set_init(struct arena *a, struct header_set *set)
{
    vec_init(&set->asks, a);
    vec_init(&set->aliases, a);
    vec_init(&set->headers, a);
    vec_init(&set->folders, a);
}

static void add_word(struct buf *b, const char *word)
{
    buf_add_c(b, word);
    buf_add_char(b, ' ');
}

static void add_path(struct buf *b, struct str path)
{
    buf_add_char(b, ' ');
    buf_add(b, path);
    buf_add_char(b, '\n');
}

void set_format(struct buf *b, const struct header_set *set)
{
    struct arena *a = b->arena;
    buf_printf(b, "set %s\n", sha256_hex(a, &set->key).ptr);
    buf_printf(b, "used %s\n", sha256_hex(a, &set->used).ptr);
    buf_printf(b, "around %s\n", sha256_hex(a, &set->around).ptr);
    for (size_t i = 0; i < set->asks.count; i++) {
        buf_add_c(b, "ask");
        add_path(b, *(const struct str *)set->asks.items[i]);
    }
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        add_word(b, "header");
        add_word(b, sha256_hex(a, &h->digest).ptr);
        stamp_format(b, &h->stamp);
        add_path(b, h->path);
    }
    for (size_t i = 0; i < set->folders.count; i++) {
        const struct folder *f = set->folders.items[i];
        add_word(b, "folder");
        buf_add(b, f->has_others ? sha256_hex(a, &f->others) : STR("-"));
        add_path(b, f->path);
        for (size_t k = 0; k < f->looked.count; k++) {
            const struct looked *looked = f->looked.items[k];
            add_word(b, "look");
            stamp_format(b, &looked->stamp);
            add_path(b, looked->path);
        }
    }
}

/* ---- reading -------------------------------------------------------------------------------- */

/* A line off the text, NUL-ended: paths need not be copied. */
static struct str take_line(struct str *text)
{
    char *newline = memchr(text->ptr, '\n', text->len);
    const size_t len = newline != NULL ? (size_t)(newline - text->ptr) : text->len;
    const struct str line = str_slice(*text, 0, len);
    if (newline != NULL) {
        *newline = '\0';
    }
    *text = str_slice(*text, len + 1, text->len);
    return line;
}

/* The line's next word, without the blank after it. */
static struct str take_word(struct str *line)
{
    const char *blank = line->len > 0 ? memchr(line->ptr, ' ', line->len) : NULL;
    const size_t len = blank != NULL ? (size_t)(blank - line->ptr) : line->len;
    const struct str word = str_slice(*line, 0, len);
    *line = str_slice(*line, len + 1, line->len);
    return word;
}

static bool parse_header(struct arena *a, struct str line, struct header_set *set)
{
    struct header *h = ARENA_NEW(a, struct header);
    vec_push(&set->headers, h);
    if (!sha256_from_hex(take_word(&line), &h->digest) ||
        !stamp_parse(take_word(&line), &h->stamp)) {
        return false;
    }
    h->path = line;
    return line.len > 0;
}

static bool parse_folder(struct arena *a, struct str line, struct header_set *set)
{
    struct folder *f = ARENA_NEW(a, struct folder);
    vec_init(&f->looked, a);
    vec_push(&set->folders, f);
    const struct str digest = take_word(&line);
    f->has_others = !str_equal_c(digest, "-");
    f->path = line;
    return line.len > 0 && (!f->has_others || sha256_from_hex(digest, &f->others));
}

static bool parse_look(struct arena *a, struct str line, struct header_set *set)
{
    if (set->folders.count == 0) {
        return false;
    }
    struct folder *f = set->folders.items[set->folders.count - 1];
    struct looked *looked = ARENA_NEW(a, struct looked);
    vec_push(&f->looked, looked);
    if (!stamp_parse(take_word(&line), &looked->stamp)) {
        return false;
    }
    looked->path = line;
    return line.len > 0;
}

static bool parse_line(struct arena *a, struct str line, struct header_set *set)
{
    const struct str word = take_word(&line);
    if (str_equal_c(word, "header")) {
        return parse_header(a, line, set);
    }
    if (str_equal_c(word, "look")) {
        return parse_look(a, line, set);
    }
    if (str_equal_c(word, "folder")) {
        return parse_folder(a, line, set);
    }
    if (str_equal_c(word, "around")) {
        return sha256_from_hex(line, &set->around);
    }
    if (str_equal_c(word, "ask")) {
        struct str *name = ARENA_NEW(a, struct str);
        *name = line;
        vec_push(&set->asks, name);
        return true;
    }
    return false;
}

bool set_parse(struct arena *a, struct str *rest, struct header_set *set)
{
    set_init(a, set);
    struct str line = take_line(rest);
    if (!str_equal_c(take_word(&line), "set") || !sha256_from_hex(line, &set->key)) {
        return false;
    }
    line = take_line(rest);
    if (!str_equal_c(take_word(&line), "used") || !sha256_from_hex(line, &set->used)) {
        return false;
    }
    while (rest->len > 0 && !str_starts_with(*rest, "set ")) {
        if (!parse_line(a, take_line(rest), set)) {
            return false;
        }
    }
    return true;
}
