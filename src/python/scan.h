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
    char open;  /* bracket, or quote */
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
    uint32_t end;         /* past the last token */
    int end_line, end_column;
};

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
