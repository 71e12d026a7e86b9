/*
 * scan: the tokens of one logical line: where strings, numbers and brackets end.
 *
 * It refuses what CPython's tokenizer refuses, in its words. Replacement fields of f-strings are
 * read as Python 3.12 does, with a stack of levels.
 */
#include "python/scan.h"

#include <string.h>

#include "python/unicode.h"

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
    scan_next_line(s);
}

struct str scan_peek_word(const struct scan *s)
{
    uint32_t end = s->at;
    while (end < s->source.len && scan_is_word(s->source.ptr[end])) {
        end++;
    }
    return str_slice(s->source, s->at, end);
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
        return scan_fail_at(s, start + (uint32_t)from, start + (uint32_t)i, s->line, s->line_start,
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
        return scan_fail_at(s, at, at + 1, s->line, s->line_start,
                            str_format(s->arena, "SyntaxError: unmatched '%c'", c).ptr);
    }
    const struct scan_level *level = &s->levels[s->level_count - 1];
    if (closing_of(level->open) != c) {
        (void)scan_fail_at(
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
    if (!scan_push_level(s, (struct scan_level){.kind = LEVEL_BRACKET, .open = c, .at = at})) {
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
    const char next = scan_peek(s, (uint32_t)word.len);
    if ((next == '"' || next == '\'') && is_prefix(word)) {
        return scan_string(s, (uint32_t)word.len);
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
        if (scan_is_word(c) && !scan_is_digit(c)) {
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
    case '`': s->at++; return scan_fail_here(s, s->at - 1, "SyntaxError: invalid syntax");
    case '!':
        if (scan_peek(s, 1) != '=' &&
            (outside || s->levels[s->level_count - 1].kind != LEVEL_FIELD)) {
            s->at++;
            return scan_fail_here(s, s->at - 1, "SyntaxError: invalid syntax");
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
        return scan_push_level(s, (struct scan_level){.kind = LEVEL_SPEC, .open = ':', .at = at});
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
    if (scan_is_digit(c) || (c == '.' && scan_is_digit(scan_peek(s, 1)))) {
        return scan_number(s);
    }
    if (scan_is_word(c)) {
        return word_token(s, p);
    }
    if (c == '"' || c == '\'') {
        return scan_string(s, 0);
    }
    return operator_token(s, p, c);
}

static bool open_at_end(struct scan *s)
{
    const struct scan_level *level = &s->levels[s->level_count - 1];
    if (level->kind == LEVEL_BRACKET) {
        return scan_fail_open(
            s, level, str_format(s->arena, "SyntaxError: '%c' was never closed", level->open).ptr);
    }
    return scan_fail_open(s, level, "SyntaxError: f-string: expecting '}'");
}

/* A backslash: the line goes on, or it is an error. */
static bool continuation(struct scan *s)
{
    if (scan_peek(s, 1) == '\n') {
        s->at += 2;
        scan_next_line(s);
        return s->at < s->source.len ||
               scan_fail_here(s, s->at, "SyntaxError: unexpected EOF while parsing");
    }
    s->at++;
    return scan_fail_here(s, s->at,
                          "SyntaxError: unexpected character after line continuation character");
}

bool scan_logical_line(struct scan *s, struct scan_line *line)
{
    *line = (struct scan_line){.decorator = scan_peek(s, 0) == '@'};
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
            ok = scan_string_text(s);
        } else if (s->level_count > 0 && kind == LEVEL_SPEC) {
            ok = scan_spec_text(s);
        } else if (c == '\n') {
            s->at++;
            scan_next_line(s);
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
