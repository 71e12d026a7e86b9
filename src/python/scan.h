/* Private to src/python: the tokens of a logical line, as far as layout needs them. */
#ifndef PKC_PYTHON_SCAN_H
#define PKC_PYTHON_SCAN_H

#include "python/ast.h"

/* Comments in a row are children of one node for tree-sitter, which counts some of them in 16 bits:
 * what follows this many is read as blanks. */
#define SCAN_MAX_COMMENTS 1000

/* CPython's limit on open brackets. */
#define SCAN_MAX_LEVELS 200

enum scan_level_kind {
    LEVEL_BRACKET,
    LEVEL_STRING, /* the text of an f-string or t-string */
    LEVEL_FIELD,  /* `{…}` in it */
    LEVEL_SPEC,   /* `:…` in that */
};

struct scan_level {
    enum scan_level_kind kind;
    char open; /* bracket, or quote */
    bool triple, raw;
    int line;
    uint32_t line_start;
    uint32_t at;
};

typedef void scan_edit_fn(void *context, uint32_t offset, char replacement);

struct scan {
    struct arena *arena;
    struct str source;
    uint32_t at;
    int line; /* of `at`, from 1 */
    uint32_t line_start;
    struct scan_level levels[SCAN_MAX_LEVELS];
    int level_count;
    int comments; /* lines of comment since the last token */
    int indent;   /* the column at which the logical line begins */
    bool joined;  /* an edit has taken away the end of a line */
    scan_edit_fn *edit;
    void *edit_context;
    /* After a failure: */
    struct ast_span error_span;
    struct str error;
    bool error_is_open; /* nothing tells where the statement ends */
};

struct scan_line {
    struct str first_word, second_word; /* empty where it begins with something else */
    bool decorator;
    bool has_colon;       /* outside brackets */
    bool ends_with_colon; /* a block must follow */
    int token_count;
    uint32_t end; /* past the last token */
    int end_line, end_column;
};

/* ---- for scan.c and scan_token.c ---- */

static inline char scan_peek(const struct scan *s, uint32_t ahead)
{
    return s->at + ahead < s->source.len ? s->source.ptr[s->at + ahead] : '\0';
}

static inline bool scan_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static inline bool scan_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Each records the error and gives false: at a place, from `start` to the current place, or at an
 * opening after which the statement's end is not known. */
bool scan_fail_at(struct scan *s, uint32_t start, uint32_t end, int line, uint32_t line_start,
                  const char *message);
bool scan_fail_here(struct scan *s, uint32_t start, const char *message);
bool scan_fail_open(struct scan *s, const struct scan_level *level, const char *message);
/* The current place is the first of a line. */
void scan_next_line(struct scan *s);
bool scan_push_level(struct scan *s, struct scan_level level);
/* A string from its prefix of that many bytes: to its end, or to the text of an f-string. */
bool scan_string(struct scan *s, uint32_t prefix);
/* The text of an f-string, or a format specification, up to a field or its end. */
bool scan_string_text(struct scan *s);
bool scan_spec_text(struct scan *s);
bool scan_number(struct scan *s);

/* ---- for layout.c ---- */

void scan_init(struct scan *s, struct arena *a, struct str source, scan_edit_fn *edit,
               void *context);
/* Reads to past the end of the logical line. False: `error`. */
bool scan_logical_line(struct scan *s, struct scan_line *line);
/* Goes past the comment at the current place, if there is one, to the end of its line. */
void scan_skip_comment(struct scan *s);
/* Goes past the end of the physical line (blank, or a comment). */
void scan_skip_line(struct scan *s);
/* The word at the current place, not moving. */
struct str scan_peek_word(const struct scan *s);

#endif
