/*
 * What a text, of a dispatch TU or a header that it uses, makes its object depend on besides texts:
 * which headers there are, where it asks for them.
 */
#define _GNU_SOURCE
#include "launch/direct.h"

#include <string.h>

static void push_str(struct arena *a, struct vec *v, struct str s)
{
    struct str *copy = ARENA_NEW(a, struct str);
    *copy = s;
    vec_push(v, copy);
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    return p;
}

/* The name in "#define NAME(PARAMETER)" at the beginning of the line that `p` is in; empty where
 * the line is none. */
static struct str defined_name(struct str text, const char *p)
{
    const char *line = p;
    while (line > text.ptr && line[-1] != '\n') {
        line--;
    }
    line = skip_blanks(line, p);
    if (line >= p || *line != '#') {
        return STR("");
    }
    line = skip_blanks(line + 1, p);
    if (p - line < 7 || memcmp(line, "define", 6) != 0) {
        return STR("");
    }
    line = skip_blanks(line + 6, p);
    size_t len = 0;
    while (line + len < p && is_name_char(line[len])) {
        len++;
    }
    return line + len < p && line[len] == '(' ? (struct str){line, len} : STR("");
}

/* The header names that a text asks for with `word`(<name>). A macro that passes its parameter on
 * is another such word. */
static bool find_asks(struct header_set *set, struct str path, struct str text, struct str word,
                      struct error *e)
{
    const char *const end = text.ptr + text.len;
    const char *p = text.ptr;
    while ((p = memmem(p, (size_t)(end - p), word.ptr, word.len)) != NULL) {
        const char *const at = p;
        p = skip_blanks(p + word.len, end);
        if (p >= end || *p != '(' || (at > text.ptr && is_name_char(at[-1]))) {
            continue; /* defined(__has_include), say */
        }
        p = skip_blanks(p + 1, end);
        const char close = p < end && *p == '<' ? '>' : p < end && *p == '"' ? '"' : '\0';
        const char *last = close != '\0' ? memchr(p + 1, close, (size_t)(end - p) - 1) : NULL;
        const struct str alias = defined_name(text, at);
        if (last != NULL) {
            const struct str name = {p + 1, (size_t)(last - p) - 1};
            push_str(set->asks.arena, &set->asks, str_copy(set->asks.arena, name));
        } else if (alias.len > 0) {
            push_str(set->asks.arena, &set->aliases, str_copy(set->asks.arena, alias));
        } else if (!str_equal(defined_name(text, p), word)) {
            error_set(e, "%s uses " STR_FMT " of no plain name", path.ptr, STR_ARG(word));
            return false;
        }
        if (memchr(p, '\n', last != NULL ? (size_t)(last - p) : 0) != NULL) {
            error_set(e, "%s uses " STR_FMT " of no plain name", path.ptr, STR_ARG(word));
            return false;
        }
    }
    return true;
}

bool direct_check_text(struct header_set *set, struct str path, struct str text, struct error *e)
{
    static const char *const refused[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_embed",
                                          ".incbin"};
    /* The second asks in fewer folders; all of them are in around(). */
    static const char *const asking[] = {"__has_include", "__has_include_next"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (memmem(text.ptr, text.len, refused[i], strlen(refused[i])) != NULL) {
            error_set(e, "%s uses %s", path.ptr, refused[i]);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
        if (!find_asks(set, path, text, str_from(asking[i]), e)) {
            return false;
        }
    }
    for (size_t i = 0; i < set->aliases.count; i++) {
        if (!find_asks(set, path, text, *(const struct str *)set->aliases.items[i], e)) {
            return false;
        }
    }
    return true;
}
