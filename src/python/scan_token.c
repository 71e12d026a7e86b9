/* scan_token: strings and numbers, with the errors that CPython's tokenizer finds in them. */
#include "python/scan.h"

#include <string.h>

bool scan_fail_at(struct scan *s, uint32_t start, uint32_t end, int line, uint32_t line_start,
                  const char *message)
{
    s->error_span = (struct ast_span){
        line, (int)(start - line_start), line, (int)(end - line_start), start, end};
    s->error = str_from(message);
    s->error_is_open = false;
    return false;
}

bool scan_fail_here(struct scan *s, uint32_t start, const char *message)
{
    return scan_fail_at(s, start, s->at > start ? s->at : start + 1, s->line, s->line_start,
                        message);
}

bool scan_fail_open(struct scan *s, const struct scan_level *level, const char *message)
{
    (void)scan_fail_at(s, level->at, level->at + 1, level->line, level->line_start, message);
    s->error_is_open = true;
    return false;
}

void scan_next_line(struct scan *s)
{
    s->line++;
    s->line_start = s->at;
}

bool scan_push_level(struct scan *s, struct scan_level level)
{
    if (s->level_count == SCAN_MAX_LEVELS) {
        (void)scan_fail_here(s, s->at, "SyntaxError: too many nested parentheses");
        s->error_is_open = true;
        return false;
    }
    level.line = s->line;
    level.line_start = s->line_start;
    s->levels[s->level_count++] = level;
    return true;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* Past a string without replacement fields, from its opening quote. */
static bool plain_string(struct scan *s, uint32_t start)
{
    const char quote = s->source.ptr[s->at];
    const bool triple = scan_peek(s, 1) == quote && scan_peek(s, 2) == quote;
    const struct scan_level opening = {.at = start, .line = s->line, .line_start = s->line_start};
    s->at += triple ? 3 : 1;
    while (s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        if (c == quote && (!triple || (scan_peek(s, 1) == quote && scan_peek(s, 2) == quote))) {
            s->at += triple ? 3 : 1;
            return true;
        }
        if (c == '\n' && !triple) {
            break;
        }
        s->at++;
        if (c == '\\' && s->at < s->source.len) {
            s->at++;
        }
        if (s->source.ptr[s->at - 1] == '\n') {
            scan_next_line(s);
        }
    }
    if (triple) {
        return scan_fail_open(
            s, &opening,
            str_format(s->arena,
                       "SyntaxError: unterminated triple-quoted string literal (detected at line "
                       "%d)",
                       s->line)
                .ptr);
    }
    return scan_fail_at(s, start, s->at, opening.line, opening.line_start,
                        str_format(s->arena,
                                   "SyntaxError: unterminated string literal (detected at line %d)",
                                   s->line)
                            .ptr);
}

/* The text of an f-string up to its end or to a field. */
bool scan_string_text(struct scan *s)
{
    struct scan_level *level = &s->levels[s->level_count - 1];
    while (s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        if (c == level->open &&
            (!level->triple || (scan_peek(s, 1) == c && scan_peek(s, 2) == c))) {
            s->at += level->triple ? 3 : 1;
            s->level_count--;
            return true;
        }
        if (c == '{') {
            if (scan_peek(s, 1) == '{') {
                s->at += 2;
                continue;
            }
            const uint32_t at = s->at++;
            return scan_push_level(s,
                                   (struct scan_level){.kind = LEVEL_FIELD, .open = '{', .at = at});
        }
        if (c == '\n' && !level->triple) {
            break;
        }
        s->at++;
        if (c == '\\' && s->at < s->source.len) {
            const bool named = !level->raw && scan_peek(s, 0) == 'N' && scan_peek(s, 1) == '{';
            /* A brace after a backslash still begins a field. */
            s->at += scan_peek(s, 0) == '{' || scan_peek(s, 0) == '}' ? 0 : 1;
            while (named && s->at < s->source.len && scan_peek(s, 0) != '}' &&
                   scan_peek(s, 0) != '\n') {
                s->at++;
            }
        }
        if (s->source.ptr[s->at - 1] == '\n') {
            scan_next_line(s);
        }
    }
    if (level->triple) {
        return scan_fail_open(
            s, level,
            str_format(s->arena,
                       "SyntaxError: unterminated triple-quoted f-string literal (detected at "
                       "line %d)",
                       s->line)
                .ptr);
    }
    return scan_fail_at(
        s, level->at, s->at, level->line, level->line_start,
        str_format(s->arena, "SyntaxError: unterminated f-string literal (detected at line %d)",
                   s->line)
            .ptr);
}

/* A format specification, up to a field in it or its end. */
bool scan_spec_text(struct scan *s)
{
    while (s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        if (c == '{') {
            const uint32_t at = s->at++;
            return scan_push_level(s,
                                   (struct scan_level){.kind = LEVEL_FIELD, .open = '{', .at = at});
        }
        if (c == '}') {
            s->at++;
            s->level_count -= 2; /* the specification and its field */
            return true;
        }
        s->at++;
        if (c == '\n') {
            scan_next_line(s);
        }
    }
    return scan_fail_open(s, &s->levels[s->level_count - 1],
                          "SyntaxError: f-string: expecting '}'");
}

/* A string at its prefix, whose length is given. */
bool scan_string(struct scan *s, uint32_t prefix)
{
    const uint32_t start = s->at;
    bool fields = false;
    bool raw = false;
    for (uint32_t i = 0; i < prefix; i++) {
        const char c = (char)(s->source.ptr[start + i] | 0x20);
        fields = fields || c == 'f' || c == 't';
        raw = raw || c == 'r';
        if (c == 't') {
            s->edit(s->edit_context, start + i, 'f'); /* a t-string is read as an f-string */
        }
    }
    s->at += prefix;
    if (!fields) {
        return plain_string(s, start);
    }
    const char quote = s->source.ptr[s->at];
    const bool triple = scan_peek(s, 1) == quote && scan_peek(s, 2) == quote;
    if (!scan_push_level(
            s,
            (struct scan_level){
                .kind = LEVEL_STRING, .open = quote, .triple = triple, .raw = raw, .at = start})) {
        return false;
    }
    s->at += triple ? 3 : 1;
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool digit_of(char c, int base)
{
    if (base <= 10) {
        return c >= '0' && c < '0' + base;
    }
    return scan_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Digits with single underscores between them. */
static bool digits(struct scan *s, int base)
{
    bool digit = false;
    for (;; s->at++) {
        if (digit_of(scan_peek(s, 0), base)) {
            digit = true;
        } else if (scan_peek(s, 0) == '_' && digit_of(scan_peek(s, 1), base)) {
            digit = false;
        } else {
            return digit;
        }
    }
}

static bool keyword_follows(const struct scan *s)
{
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "or", "not"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (s->source.len - s->at >= length &&
            memcmp(s->source.ptr + s->at, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

bool scan_number(struct scan *s)
{
    const uint32_t start = s->at;
    const char kind = (char)(scan_peek(s, 1) | 0x20);
    if (scan_peek(s, 0) == '0' && (kind == 'x' || kind == 'o' || kind == 'b')) {
        const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : 2;
        s->at += scan_peek(s, 2) == '_' ? 3 : 2;
        const bool ok = digits(s, base);
        if (scan_is_digit(scan_peek(s, 0))) {
            return scan_fail_here(s, start,
                                  str_format(s->arena,
                                             "SyntaxError: invalid digit '%c' in %s literal",
                                             scan_peek(s, 0), base == 8 ? "octal" : "binary")
                                      .ptr);
        }
        if (!ok || (scan_is_word(scan_peek(s, 0)) && !keyword_follows(s))) {
            return scan_fail_here(s, start,
                                  base == 16  ? "SyntaxError: invalid hexadecimal literal"
                                  : base == 8 ? "SyntaxError: invalid octal literal"
                                              : "SyntaxError: invalid binary literal");
        }
        return true;
    }
    bool ok = scan_peek(s, 0) == '.' || digits(s, 10);
    const uint32_t whole_end = s->at;
    bool is_integer = true;
    if (ok && scan_peek(s, 0) == '.') {
        s->at++;
        is_integer = false;
        ok = !scan_is_digit(scan_peek(s, 0)) || digits(s, 10);
    }
    const bool sign = scan_peek(s, 1) == '+' || scan_peek(s, 1) == '-';
    if (ok && (scan_peek(s, 0) | 0x20) == 'e' && scan_is_digit(scan_peek(s, sign ? 2 : 1))) {
        s->at += sign ? 2 : 1;
        is_integer = false;
        ok = digits(s, 10);
    }
    if (ok && (scan_peek(s, 0) | 0x20) == 'j') {
        s->at++;
        return !scan_is_word(scan_peek(s, 0)) || keyword_follows(s) ||
               scan_fail_here(s, start, "SyntaxError: invalid imaginary literal");
    }
    if (!ok || (scan_is_word(scan_peek(s, 0)) && !keyword_follows(s))) {
        return scan_fail_here(s, start, "SyntaxError: invalid decimal literal");
    }
    if (is_integer && s->source.ptr[start] == '0') {
        for (uint32_t i = start; i < whole_end; i++) {
            if (s->source.ptr[i] != '0' && s->source.ptr[i] != '_') {
                return scan_fail_here(
                    s, start,
                    "SyntaxError: leading zeros in decimal integer literals are not "
                    "permitted; use an 0o prefix for octal integers");
            }
        }
    }
    return true;
}
