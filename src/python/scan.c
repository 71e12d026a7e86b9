/*
 * scan: the tokens of one logical line: where strings, numbers and brackets end.
 *
 * It refuses what CPython's tokenizer refuses, in its words. Replacement fields of f-strings are
 * read as Python 3.12 does, with a stack of levels.
 */
#include "python/scan.h"

#include <string.h>

#include "python/unicode.h"

static char peek(const struct scan *s, uint32_t ahead)
{
    return s->at + ahead < s->source.len ? s->source.ptr[s->at + ahead] : '\0';
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void scan_init(struct scan *s, struct arena *a, struct str source, scan_edit_fn *edit,
               void *context)
{
    s->arena = a;
    s->source = source;
    s->at = 0;
    s->line = 1;
    s->line_start = 0;
    s->level_count = 0;
    s->edit = edit;
    s->edit_context = context;
    s->error = STR("");
}

static bool fail_at(struct scan *s, uint32_t start, uint32_t end, int line, uint32_t line_start,
                    const char *message)
{
    s->error_span = (struct ast_span){
        line, (int)(start - line_start), line, (int)(end - line_start), start, end};
    s->error = str_from(message);
    s->error_is_open = false;
    return false;
}

static bool fail_here(struct scan *s, uint32_t start, const char *message)
{
    return fail_at(s, start, s->at > start ? s->at : start + 1, s->line, s->line_start, message);
}

static bool fail_open(struct scan *s, const struct scan_level *level, const char *message)
{
    (void)fail_at(s, level->at, level->at + 1, level->line, level->line_start, message);
    s->error_is_open = true;
    return false;
}

static void next_line(struct scan *s)
{
    s->line++;
    s->line_start = s->at;
}

void scan_skip_comment(struct scan *s)
{
    if (s->at >= s->source.len || s->source.ptr[s->at] != '#') {
        return;
    }
    const bool blank = ++s->comments > SCAN_MAX_COMMENTS;
    while (s->at < s->source.len && s->source.ptr[s->at] != '\n') {
        if (blank) {
            s->edit(s->edit_context, s->at, ' ');
        }
        s->at++;
    }
}

void scan_skip_line(struct scan *s)
{
    scan_skip_comment(s);
    const char *newline =
        s->at < s->source.len ? memchr(s->source.ptr + s->at, '\n', s->source.len - s->at) : NULL;
    if (newline == NULL) {
        s->at = (uint32_t)s->source.len;
        return;
    }
    s->at = (uint32_t)(newline - s->source.ptr) + 1;
    next_line(s);
}

struct str scan_peek_word(const struct scan *s)
{
    uint32_t end = s->at;
    while (end < s->source.len && is_word_char(s->source.ptr[end])) {
        end++;
    }
    return str_slice(s->source, s->at, end);
}

static bool push_level(struct scan *s, struct scan_level level)
{
    if (s->level_count == SCAN_MAX_LEVELS) {
        (void)fail_here(s, s->at, "SyntaxError: too many nested parentheses");
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
    const bool triple = peek(s, 1) == quote && peek(s, 2) == quote;
    const struct scan_level opening = {.at = start, .line = s->line, .line_start = s->line_start};
    s->at += triple ? 3 : 1;
    while (s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        if (c == quote && (!triple || (peek(s, 1) == quote && peek(s, 2) == quote))) {
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
            next_line(s);
        }
    }
    if (triple) {
        return fail_open(
            s, &opening,
            str_format(s->arena,
                       "SyntaxError: unterminated triple-quoted string literal (detected at line "
                       "%d)",
                       s->line)
                .ptr);
    }
    return fail_at(s, start, s->at, opening.line, opening.line_start,
                   str_format(s->arena,
                              "SyntaxError: unterminated string literal (detected at line %d)",
                              s->line)
                       .ptr);
}

/* The text of an f-string up to its end or to a field. */
static bool string_text(struct scan *s)
{
    struct scan_level *level = &s->levels[s->level_count - 1];
    while (s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        if (c == level->open && (!level->triple || (peek(s, 1) == c && peek(s, 2) == c))) {
            s->at += level->triple ? 3 : 1;
            s->level_count--;
            return true;
        }
        if (c == '{') {
            if (peek(s, 1) == '{') {
                s->at += 2;
                continue;
            }
            const uint32_t at = s->at++;
            return push_level(s, (struct scan_level){.kind = LEVEL_FIELD, .open = '{', .at = at});
        }
        if (c == '\n' && !level->triple) {
            break;
        }
        s->at++;
        if (c == '\\' && s->at < s->source.len) {
            const bool named = !level->raw && peek(s, 0) == 'N' && peek(s, 1) == '{';
            /* A brace after a backslash still begins a field. */
            s->at += peek(s, 0) == '{' || peek(s, 0) == '}' ? 0 : 1;
            while (named && s->at < s->source.len && peek(s, 0) != '}' && peek(s, 0) != '\n') {
                s->at++;
            }
        }
        if (s->source.ptr[s->at - 1] == '\n') {
            next_line(s);
        }
    }
    if (level->triple) {
        return fail_open(
            s, level,
            str_format(s->arena,
                       "SyntaxError: unterminated triple-quoted f-string literal (detected at "
                       "line %d)",
                       s->line)
                .ptr);
    }
    return fail_at(s, level->at, s->at, level->line, level->line_start,
                   str_format(s->arena,
                              "SyntaxError: unterminated f-string literal (detected at line %d)",
                              s->line)
                       .ptr);
}

/* A format specification, up to a field in it or its end. */
static bool spec_text(struct scan *s)
{
    while (s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        if (c == '{') {
            const uint32_t at = s->at++;
            return push_level(s, (struct scan_level){.kind = LEVEL_FIELD, .open = '{', .at = at});
        }
        if (c == '}') {
            s->at++;
            s->level_count -= 2; /* the specification and its field */
            return true;
        }
        s->at++;
        if (c == '\n') {
            next_line(s);
        }
    }
    return fail_open(s, &s->levels[s->level_count - 1], "SyntaxError: f-string: expecting '}'");
}

/* A string at its prefix, whose length is given. */
static bool string_start(struct scan *s, uint32_t prefix)
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
    const bool triple = peek(s, 1) == quote && peek(s, 2) == quote;
    if (!push_level(
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
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Digits with single underscores between them. */
static bool digits(struct scan *s, int base)
{
    bool digit = false;
    for (;; s->at++) {
        if (digit_of(peek(s, 0), base)) {
            digit = true;
        } else if (peek(s, 0) == '_' && digit_of(peek(s, 1), base)) {
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

static bool number(struct scan *s)
{
    const uint32_t start = s->at;
    const char kind = (char)(peek(s, 1) | 0x20);
    if (peek(s, 0) == '0' && (kind == 'x' || kind == 'o' || kind == 'b')) {
        const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : 2;
        s->at += peek(s, 2) == '_' ? 3 : 2;
        const bool ok = digits(s, base);
        if (is_digit(peek(s, 0))) {
            return fail_here(s, start,
                             str_format(s->arena, "SyntaxError: invalid digit '%c' in %s literal",
                                        peek(s, 0), base == 8 ? "octal" : "binary")
                                 .ptr);
        }
        if (!ok || (is_word_char(peek(s, 0)) && !keyword_follows(s))) {
            return fail_here(s, start,
                             base == 16  ? "SyntaxError: invalid hexadecimal literal"
                             : base == 8 ? "SyntaxError: invalid octal literal"
                                         : "SyntaxError: invalid binary literal");
        }
        return true;
    }
    bool ok = peek(s, 0) == '.' || digits(s, 10);
    const uint32_t whole_end = s->at;
    bool is_integer = true;
    if (ok && peek(s, 0) == '.') {
        s->at++;
        is_integer = false;
        ok = !is_digit(peek(s, 0)) || digits(s, 10);
    }
    const bool sign = peek(s, 1) == '+' || peek(s, 1) == '-';
    if (ok && (peek(s, 0) | 0x20) == 'e' && is_digit(peek(s, sign ? 2 : 1))) {
        s->at += sign ? 2 : 1;
        is_integer = false;
        ok = digits(s, 10);
    }
    if (ok && (peek(s, 0) | 0x20) == 'j') {
        s->at++;
        return !is_word_char(peek(s, 0)) || keyword_follows(s) ||
               fail_here(s, start, "SyntaxError: invalid imaginary literal");
    }
    if (!ok || (is_word_char(peek(s, 0)) && !keyword_follows(s))) {
        return fail_here(s, start, "SyntaxError: invalid decimal literal");
    }
    if (is_integer && s->source.ptr[start] == '0') {
        for (uint32_t i = start; i < whole_end; i++) {
            if (s->source.ptr[i] != '0' && s->source.ptr[i] != '_') {
                return fail_here(s, start,
                                 "SyntaxError: leading zeros in decimal integer literals are not "
                                 "permitted; use an 0o prefix for octal integers");
            }
        }
    }
    return true;
}

/* ---- words and brackets --------------------------------------------------------------------- */

/* Checks the characters of a word that are not ASCII. */
static bool check_word(struct scan *s, uint32_t start, uint32_t end)
{
    const struct str word = str_slice(s->source, start, end);
    for (size_t i = 0; i < word.len;) {
        const size_t from = i;
        uint32_t code = 0;
        if ((unsigned char)word.ptr[i] < 0x80) {
            i++;
            continue;
        }
        if (unicode_next(word, &i, &code) &&
            (from == 0 ? unicode_is_name_start(code) : unicode_is_name_part(code))) {
            continue;
        }
        const bool blank = code == 0xA0 || code == 0xAD || code == 0xFEFF ||
                           (code >= 0x2000 && code <= 0x200F) ||
                           (code >= 0x2028 && code <= 0x202F) || code == 0x205F || code == 0x2060 ||
                           code == 0x3000;
        const struct str text =
            blank ? str_format(s->arena, "SyntaxError: invalid non-printable character U+%04X",
                               (unsigned)code)
                  : str_format(s->arena, "SyntaxError: invalid character '%.*s' (U+%04X)",
                               (int)(i - from), word.ptr + from, (unsigned)code);
        return fail_at(s, start + (uint32_t)from, start + (uint32_t)i, s->line, s->line_start,
                       text.ptr);
    }
    return true;
}

static bool is_prefix(struct str word)
{
    if (word.len > 3) {
        return false;
    }
    for (size_t i = 0; i < word.len; i++) {
        if (strchr("rbfutRBFUT", word.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static char closing_of(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

static bool close_bracket(struct scan *s, char c)
{
    const uint32_t at = s->at++;
    if (s->level_count == 0) {
        return fail_at(s, at, at + 1, s->line, s->line_start,
                       str_format(s->arena, "SyntaxError: unmatched '%c'", c).ptr);
    }
    const struct scan_level *level = &s->levels[s->level_count - 1];
    if (closing_of(level->open) != c) {
        (void)fail_at(
            s, at, at + 1, s->line, s->line_start,
            level->line == s->line
                ? str_format(s->arena,
                             "SyntaxError: closing parenthesis '%c' does not match opening "
                             "parenthesis '%c'",
                             c, level->open)
                      .ptr
                : str_format(s->arena,
                             "SyntaxError: closing parenthesis '%c' does not match opening "
                             "parenthesis '%c' on line %d",
                             c, level->open, level->line)
                      .ptr);
        s->error_is_open = true;
        return false;
    }
    s->level_count--;
    return true;
}

static bool open_bracket(struct scan *s, char c)
{
    const uint32_t at = s->at;
    if (!push_level(s, (struct scan_level){.kind = LEVEL_BRACKET, .open = c, .at = at})) {
        return false;
    }
    s->at++;
    return true;
}

/* ---- a line --------------------------------------------------------------------------------- */

/* What the tokens of a line have shown so far. */
struct progress {
    struct scan_line *line;
    bool statement_start; /* the next token begins a statement */
    bool except_clause;   /* its commas are PEP 758's */
    uint32_t first_word_end;
    int tokens;
    int words;               /* only those that the line begins with */
    uint32_t comment;        /* where the physical line's comment begins; 0: none */
    bool name_of_definition; /* the next word is what def, class or type defines */
    bool type_params_next;   /* a `[` now begins type parameters */
    int type_params;         /* the level of their bracket; 0: not in them */
};

static bool word_token(struct scan *s, struct progress *p)
{
    const uint32_t start = s->at;
    const struct str word = scan_peek_word(s);
    const char next = peek(s, (uint32_t)word.len);
    if ((next == '"' || next == '\'') && is_prefix(word)) {
        return string_start(s, (uint32_t)word.len);
    }
    s->at += (uint32_t)word.len;
    if (!check_word(s, start, s->at)) {
        return false;
    }
    const bool defines = str_equal_c(word, "def") || str_equal_c(word, "class");
    p->type_params_next = p->name_of_definition;
    p->name_of_definition = s->level_count == 0 && defines;
    if (p->tokens == 0) {
        p->line->first_word = word;
        p->first_word_end = s->at;
        p->except_clause = str_equal_c(word, "except");
    } else if (p->tokens == 1 && p->words == 1) {
        p->line->second_word = word;
    }
    if (p->statement_start && str_equal_c(word, "type")) {
        uint32_t after = s->at;
        while (after < s->source.len && strchr(" \t", s->source.ptr[after]) != NULL) {
            after++;
        }
        const char c = after < s->source.len ? s->source.ptr[after] : '\n';
        if (is_word_char(c) && !is_digit(c)) {
            p->name_of_definition = true;
        } else {
            s->edit(s->edit_context, start, 'T'); /* a name here, not PEP 695's keyword */
        }
    }
    p->words++;
    return true;
}

static bool operator_token(struct scan *s, struct progress *p, char c)
{
    const bool outside = s->level_count == 0;
    const bool was_type_params_next = p->type_params_next;
    p->type_params_next = false;
    switch (c) {
    case '(':
    case '[':
    case '{':
        if (!open_bracket(s, c)) {
            return false;
        }
        if (c == '[' && was_type_params_next) {
            p->type_params = s->level_count;
        }
        return true;
    case ')':
    case ']':
    case '}':
        if (p->type_params == s->level_count) {
            p->type_params = 0;
        }
        return close_bracket(s, c);
    case ',':
        if (outside && p->except_clause) {
            s->edit(s->edit_context, s->at, '|'); /* PEP 758: read as one operand */
        }
        break;
    case '*':
        if (p->except_clause && p->tokens == 1) {
            /* `except *E` is read as `except* E`, which the grammar has as one token */
            s->edit(s->edit_context, s->at, ' ');
            s->edit(s->edit_context, p->first_word_end, '*');
        }
        break;
    case '=':
        if (p->type_params > 0 && p->type_params == s->level_count) {
            s->edit(s->edit_context, s->at, ':'); /* PEP 696: read as a bound */
        }
        break;
    case '$':
    case '?':
    case '`': s->at++; return fail_here(s, s->at - 1, "SyntaxError: invalid syntax");
    case '!':
        if (peek(s, 1) != '=' && (outside || s->levels[s->level_count - 1].kind != LEVEL_FIELD)) {
            s->at++;
            return fail_here(s, s->at - 1, "SyntaxError: invalid syntax");
        }
        break;
    default: break;
    }
    s->at++;
    if (outside && c == ':') {
        p->line->has_colon = true;
    }
    return true;
}

/* Inside a replacement field, what ends the expression. */
static bool field_token(struct scan *s, char c, bool *handled)
{
    *handled = true;
    if (c == '}') {
        s->at++;
        s->level_count--;
        return true;
    }
    if (c == ':') {
        const uint32_t at = s->at++;
        return push_level(s, (struct scan_level){.kind = LEVEL_SPEC, .open = ':', .at = at});
    }
    *handled = false;
    return true;
}

/* The column of the next line that is not blank. */
static int next_column(const struct scan *s)
{
    int column = 0;
    for (uint32_t at = s->at; at < s->source.len; at++) {
        const char c = s->source.ptr[at];
        if (c == ' ') {
            column++;
        } else if (c == '\t') {
            column += 8;
        } else if (c == '\n' || c == '\f') {
            column = 0;
        } else {
            return column;
        }
    }
    return 0;
}

/* The end of a line within brackets. The grammar takes a next line that is indented less than the
 * statement for the end of its block, in places: then the two lines are made one. */
static void join_line(struct scan *s, const struct progress *p)
{
    if (next_column(s) >= s->indent) {
        return;
    }
    const uint32_t newline = s->at - 1;
    for (uint32_t at = p->comment > 0 ? p->comment : newline; at <= newline; at++) {
        s->edit(s->edit_context, at, ' ');
    }
    s->joined = true;
}

static bool one_token(struct scan *s, struct progress *p, char c)
{
    const enum scan_level_kind kind =
        s->level_count > 0 ? s->levels[s->level_count - 1].kind : LEVEL_BRACKET;
    if (s->level_count > 0 && kind == LEVEL_FIELD) {
        bool handled = false;
        if (!field_token(s, c, &handled) || handled) {
            return s->error.len == 0;
        }
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(s, 1)))) {
        return number(s);
    }
    if (is_word_char(c)) {
        return word_token(s, p);
    }
    if (c == '"' || c == '\'') {
        return string_start(s, 0);
    }
    return operator_token(s, p, c);
}

static bool open_at_end(struct scan *s)
{
    const struct scan_level *level = &s->levels[s->level_count - 1];
    if (level->kind == LEVEL_BRACKET) {
        return fail_open(
            s, level, str_format(s->arena, "SyntaxError: '%c' was never closed", level->open).ptr);
    }
    return fail_open(s, level, "SyntaxError: f-string: expecting '}'");
}

/* A backslash: the line goes on, or it is an error. */
static bool continuation(struct scan *s)
{
    if (peek(s, 1) == '\n') {
        s->at += 2;
        next_line(s);
        return s->at < s->source.len ||
               fail_here(s, s->at, "SyntaxError: unexpected EOF while parsing");
    }
    s->at++;
    return fail_here(s, s->at,
                     "SyntaxError: unexpected character after line continuation character");
}

bool scan_logical_line(struct scan *s, struct scan_line *line)
{
    *line = (struct scan_line){.decorator = peek(s, 0) == '@'};
    struct progress p = {.line = line, .statement_start = true};
    s->level_count = 0;
    s->joined = false;
    s->error = STR("");
    s->error_is_open = false;
    bool ok = true;
    while (ok && s->at < s->source.len) {
        const char c = s->source.ptr[s->at];
        const enum scan_level_kind kind =
            s->level_count > 0 ? s->levels[s->level_count - 1].kind : LEVEL_BRACKET;
        if (s->level_count > 0 && kind == LEVEL_STRING) {
            ok = string_text(s);
        } else if (s->level_count > 0 && kind == LEVEL_SPEC) {
            ok = spec_text(s);
        } else if (c == '\n') {
            s->at++;
            next_line(s);
            if (s->level_count == 0) {
                return true;
            }
            join_line(s, &p);
            p.comment = 0;
            continue;
        } else if (c == ' ' || c == '\t' || c == '\f') {
            s->at++;
            continue;
        } else if (c == '#') {
            p.comment = s->at;
            scan_skip_comment(s);
            continue;
        } else if (c == '\\') {
            ok = continuation(s);
            continue;
        } else {
            ok = one_token(s, &p, c);
        }
        p.tokens++;
        s->comments = 0;
        line->token_count = p.tokens;
        const bool outside = s->level_count == 0;
        line->ends_with_colon = outside && c == ':' && ok;
        p.statement_start = outside && (c == ';' || c == ':');
        line->end = s->at;
        line->end_line = s->line;
        line->end_column = (int)(s->at - s->line_start);
    }
    if (ok && s->level_count > 0) {
        ok = open_at_end(s);
    }
    if (!ok && !s->error_is_open) {
        s->level_count = 0;
        scan_skip_line(s);
    }
    return ok;
}
