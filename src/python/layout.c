/* layout: logical lines, indentation and top-level blocks. The tokens within a line: scan.c. */
#include "python/layout.h"

#include <string.h>

#include "python/scan.h"

/* CPython's limit on levels of indentation. */
#define MAX_INDENTS 100

struct layouter {
    struct scan scan;
    struct layout *out;
    struct arena *arena;
    int columns[MAX_INDENTS];      /* with tabs to the next multiple of 8 */
    int alternatives[MAX_INDENTS]; /* with tabs of 1: both must agree */
    int depth;
    bool in_block;
    bool decorated;    /* the last line was a decorator: its definition follows */
    const char *suite; /* "'if' statement": a block must follow; NULL: none */
    int suite_line;
};

static void *grow(struct arena *a, void *items, size_t count, size_t *cap, size_t size)
{
    if (count < *cap) {
        return items;
    }
    *cap = *cap == 0 ? 64 : *cap * 2;
    void *bigger = arena_array(a, *cap, size);
    if (count > 0) {
        memcpy(bigger, items, count * size);
    }
    return bigger;
}

static void open_block(struct layouter *y, uint32_t start, int line)
{
    struct layout *out = y->out;
    if (out->block_count > 0) {
        out->blocks[out->block_count - 1].end = start;
    }
    out->blocks =
        grow(y->arena, out->blocks, out->block_count, &out->block_cap, sizeof(*out->blocks));
    out->blocks[out->block_count++] =
        (struct layout_block){.start = start, .end = (uint32_t)y->scan.source.len, .line = line};
    y->in_block = true;
}

/* The block's first error is the one that is kept. */
static void fail(struct layouter *y, struct ast_span at, struct str message)
{
    struct layout *out = y->out;
    if (out->block_count == 0) {
        open_block(y, 0, 1);
    }
    struct layout_block *block = &out->blocks[out->block_count - 1];
    if (!block->bad) {
        block->bad = true;
        block->at = at;
        block->message = message;
    }
}

/* The text from `start`, to the end of its line where `length` is 0. */
static struct ast_span span_of(const struct layouter *y, uint32_t start, uint32_t length)
{
    const struct scan *s = &y->scan;
    struct ast_span span = {.line = s->line, .end_line = s->line, .start_byte = start};
    uint32_t end = start + length;
    while (length == 0 && end < s->source.len && s->source.ptr[end] != '\n') {
        end++;
    }
    span.column = (int)(start - s->line_start);
    span.end_column = span.column + (int)(end - start);
    span.end_byte = end;
    return span;
}

/* `length` bytes from `start`, which is the first of its line. */
static struct ast_span span_in(const struct layouter *y, uint32_t start, uint32_t length, int line)
{
    uint32_t from = start;
    while (from > 0 && y->scan.source.ptr[from - 1] != '\n') {
        from--;
    }
    const int column = (int)(start - from);
    return (struct ast_span){line, column, line, column + (int)length, start, start + length};
}

static void compare_tabs(struct layouter *y, bool consistent, struct ast_span at)
{
    if (!consistent) {
        fail(y, at, STR("TabError: inconsistent use of tabs and spaces in indentation"));
    }
}

/* A logical line begins at `start` with this indentation. */
static void indent(struct layouter *y, uint32_t start, int column, int alternative)
{
    const struct ast_span at = span_of(y, start, 0);
    const int top = y->columns[y->depth];
    const int other = y->alternatives[y->depth];
    if (column > top) {
        if (y->suite == NULL) {
            fail(y, at, STR("IndentationError: unexpected indent"));
        }
        compare_tabs(y, alternative > other, at);
        if (y->depth + 1 == MAX_INDENTS) {
            fail(y, at, STR("IndentationError: too many levels of indentation"));
            return;
        }
        y->depth++;
        y->columns[y->depth] = column;
        y->alternatives[y->depth] = alternative;
        return;
    }
    if (y->suite != NULL) {
        fail(y, at,
             str_format(y->arena,
                        "IndentationError: expected an indented block after %s on line %d",
                        y->suite, y->suite_line));
    }
    while (y->depth > 0 && y->columns[y->depth] > column) {
        y->depth--;
    }
    if (y->columns[y->depth] != column) {
        fail(y, at, STR("IndentationError: unindent does not match any outer indentation level"));
        return;
    }
    compare_tabs(y, y->alternatives[y->depth] == alternative, at);
}

static bool continues_block(struct str word)
{
    return str_equal_c(word, "else") || str_equal_c(word, "elif") || str_equal_c(word, "except") ||
           str_equal_c(word, "finally");
}

/* What CPython calls the statement that a first word begins; NULL: it has no block. */
static const char *suite_of(struct str word, struct str second)
{
    static const struct {
        const char *word;
        const char *name;
    } suites[] = {
        {"if", "'if' statement"},         {"elif", "'elif' statement"},
        {"else", "'else' statement"},     {"for", "'for' statement"},
        {"while", "'while' statement"},   {"try", "'try' statement"},
        {"except", "'except' statement"}, {"finally", "'finally' statement"},
        {"with", "'with' statement"},     {"def", "function definition"},
        {"class", "class definition"},    {"match", "'match' statement"},
        {"case", "'case' statement"},
    };
    if (str_equal_c(word, "async")) {
        word = second;
    }
    for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
        if (str_equal_c(word, suites[i].word)) {
            return suites[i].name;
        }
    }
    return NULL;
}

static bool is_soft(struct str word)
{
    return str_equal_c(word, "match") || str_equal_c(word, "case");
}

static void add_edit(void *context, uint32_t offset, char replacement)
{
    struct layouter *y = context;
    struct layout *out = y->out;
    out->edits = grow(y->arena, out->edits, out->edit_count, &out->edit_cap, sizeof(*out->edits));
    out->edits[out->edit_count++] = (struct layout_edit){offset, replacement};
}

/* A line from which a file whose brackets or quotes are not closed can be read on. */
static bool is_restart(struct str source, uint32_t at)
{
    static const char *const starts[] = {"def ", "class ", "@", "async def ", "import ", "from "};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        const size_t length = strlen(starts[i]);
        if (source.len - at >= length && memcmp(source.ptr + at, starts[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* After an error that leaves open where the statement ends: on to the next definition. */
static void restart(struct layouter *y, uint32_t from, int line)
{
    struct scan *s = &y->scan;
    uint32_t at = from;
    for (;;) {
        const char *newline =
            at < s->source.len ? memchr(s->source.ptr + at, '\n', s->source.len - at) : NULL;
        if (newline == NULL) {
            s->at = (uint32_t)s->source.len;
            break;
        }
        at = (uint32_t)(newline - s->source.ptr) + 1;
        line++;
        if (is_restart(s->source, at)) {
            s->at = at;
            break;
        }
    }
    s->line = line;
    s->line_start = s->at;
    y->depth = 0;
    y->suite = NULL;
    y->decorated = false;
}

/* The rest of a logical line from its first token. */
static void read_line(struct layouter *y)
{
    struct scan *s = &y->scan;
    struct scan_line line;
    const int first_line = s->line;
    const size_t edits = y->out->edit_count;
    const uint32_t start = s->at;
    if (!scan_logical_line(s, &line)) {
        fail(y, s->error_span, s->error);
        if (s->error_is_open) {
            y->out->edit_count = edits; /* some would be of the lines that are read again */
            restart(y, s->error_span.start_byte, s->error_span.line);
            return;
        }
    }
    y->out->blocks[y->out->block_count - 1].code_end = line.end;
    if (line.decorator && line.token_count == 1) {
        fail(y, span_in(y, start, 1, first_line), STR("SyntaxError: invalid syntax"));
    }
    y->decorated = line.decorator;
    y->suite = NULL;
    const char *suite = suite_of(line.first_word, line.second_word);
    if (suite == NULL) {
        return;
    }
    if (line.ends_with_colon) {
        y->suite = suite;
        y->suite_line = first_line;
    } else if (!line.has_colon && !is_soft(line.first_word)) {
        struct ast_span at = {line.end_line,       line.end_column, line.end_line,
                              line.end_column + 1, line.end,        line.end + 1};
        fail(y, at, STR("SyntaxError: expected ':'"));
    }
}

/* Measures the blanks at the start of a line; true: a statement follows on it. */
static bool measure(struct scan *s, int *column, int *alternative)
{
    *column = 0;
    *alternative = 0;
    for (; s->at < s->source.len; s->at++) {
        const char c = s->source.ptr[s->at];
        if (c == ' ') {
            (*column)++;
            (*alternative)++;
        } else if (c == '\t') {
            *column = (*column / 8 + 1) * 8;
            (*alternative)++;
        } else if (c == '\f') {
            *column = 0;
            *alternative = 0;
        } else if (c == '\\' && s->at + 1 < s->source.len && s->source.ptr[s->at + 1] == '\n') {
            /* The line goes on with the next one, whose blanks do not count. */
            s->at += 2;
            s->line++;
            s->line_start = s->at;
            while (s->at < s->source.len && strchr(" \t\f", s->source.ptr[s->at]) != NULL) {
                s->at++;
            }
            s->at--;
        } else {
            return c != '\n' && c != '#';
        }
    }
    return false;
}

void layout_scan(struct arena *a, struct str source, struct layout *out)
{
    *out = (struct layout){0};
    struct layouter y = {.out = out, .arena = a};
    struct scan *s = &y.scan;
    scan_init(s, a, source, add_edit, &y);
    while (s->at < source.len) {
        const uint32_t start = s->at;
        const int first_line = s->line;
        int column = 0;
        int alternative = 0;
        if (!measure(s, &column, &alternative)) {
            scan_skip_line(s);
            continue;
        }
        const bool top = column == 0;
        const struct str word = scan_peek_word(s);
        const bool new_block =
            top && !(y.decorated && y.in_block) && !(y.in_block && continues_block(word));
        if (new_block && y.suite != NULL) {
            indent(&y, s->at, column, alternative); /* belongs to the block before */
            y.suite = NULL;
        }
        if (new_block || !y.in_block) {
            if (top) {
                y.depth = 0;
            }
            open_block(&y, start, first_line);
        }
        indent(&y, s->at, column, alternative);
        s->indent = column;
        read_line(&y);
        if (s->joined) {
            out->blocks[out->block_count - 1].joined = true;
        }
    }
    if (y.suite != NULL) {
        indent(&y, (uint32_t)source.len, 0, 0);
    }
}

struct str layout_block_name(struct str block)
{
    size_t at = 0;
    while (at < block.len) {
        const char *newline = memchr(block.ptr + at, '\n', block.len - at);
        const size_t end = newline == NULL ? block.len : (size_t)(newline - block.ptr);
        struct str line = str_slice(block, at, end);
        if (str_starts_with(line, "async ")) {
            line = str_slice(line, 6, line.len);
        }
        const size_t skip = str_starts_with(line, "def ")     ? 4
                            : str_starts_with(line, "class ") ? 6
                                                              : 0;
        if (skip > 0) {
            size_t from = skip;
            while (from < line.len && line.ptr[from] == ' ') {
                from++;
            }
            size_t to = from;
            while (to < line.len && strchr(" \t(:[\\", line.ptr[to]) == NULL) {
                to++;
            }
            return str_slice(line, from, to);
        }
        at = end + 1;
    }
    return STR("");
}
