/*
 * Several kernel TUs in one file, which the launcher takes apart again:
 *
 *   // PyKokkosCache group 1
 *   (a comment)
 *   //: part <file> <bytes before> <bytes of the TU> <bytes after>
 *   <before: "//= key=value" lines, and what makes the whole file one valid TU>
 *   <the TU, as it would be by itself>
 *   <after>
 *   //: part …
 *
 * As one TU: helpers of one name in two parts must not meet, so that each part's have another name
 * by a macro while the part lasts; its headers come first, out of those macros' sight.
 */
#include "support/support.h"

#include <string.h>

#define PART_WORD "//: part "
#define META_WORD "//= "

void group_begin(struct buf *b)
{
    buf_add_c(b, GROUP_MARKER
              "\n"
              "// Kernels that the launcher compiles one by one and joins to one object.\n");
}

/* The next line of `*rest`, without its end; false: there is none. */
static bool take_line(struct str *rest, struct str *line)
{
    if (rest->len == 0) {
        return false;
    }
    const char *newline = memchr(rest->ptr, '\n', rest->len);
    const size_t len = newline != NULL ? (size_t)(newline - rest->ptr) : rest->len;
    *line = str_slice(*rest, 0, len);
    *rest = str_slice(*rest, len + 1, rest->len);
    return true;
}

void group_add(struct buf *b, const struct group_part *part, const struct str *names, size_t count)
{
    struct buf before;
    struct buf after;
    struct str rest = part->meta;
    struct str line;
    buf_init(&before, b->arena);
    buf_init(&after, b->arena);
    while (take_line(&rest, &line)) {
        buf_printf(&before, META_WORD STR_FMT "\n", STR_ARG(line));
    }
    rest = part->text;
    while (count > 0 && take_line(&rest, &line)) {
        if (str_starts_with(line, "#include <")) {
            buf_printf(&before, STR_FMT "\n", STR_ARG(line));
        } else if (line.len > 0 && !str_starts_with(line, "//")) {
            break;
        }
    }
    for (size_t i = 0; i < count; i++) {
        buf_printf(&before, "#define " STR_FMT " " STR_FMT "__" STR_FMT "\n", STR_ARG(names[i]),
                   STR_ARG(names[i]), STR_ARG(part->symbol));
        buf_printf(&after, "#undef " STR_FMT "\n", STR_ARG(names[i]));
    }
    buf_printf(b, PART_WORD STR_FMT " %zu %zu %zu\n", STR_ARG(part->file), before.len,
               part->text.len, after.len);
    buf_add(b, buf_str(&before));
    buf_add(b, part->text);
    buf_add(b, buf_str(&after));
}

/* The number at the end of `*line`, with the blank before it, off it. */
static bool take_number(struct str *line, size_t *out)
{
    size_t from = line->len;
    size_t value = 0;
    while (from > 0 && line->ptr[from - 1] >= '0' && line->ptr[from - 1] <= '9') {
        from--;
    }
    if (from == line->len || line->len - from > 9 || from == 0 || line->ptr[from - 1] != ' ') {
        return false;
    }
    for (size_t i = from; i < line->len; i++) {
        value = value * 10 + (size_t)(line->ptr[i] - '0');
    }
    *out = value;
    *line = str_slice(*line, 0, from - 1);
    return true;
}

static struct str meta_of(struct arena *a, struct str before)
{
    struct buf b;
    struct str line;
    buf_init(&b, a);
    while (take_line(&before, &line)) {
        if (str_starts_with(line, META_WORD)) {
            buf_printf(&b, STR_FMT "\n", STR_ARG(str_slice(line, strlen(META_WORD), line.len)));
        }
    }
    return buf_str(&b);
}

bool group_parse(struct arena *a, struct str text, struct vec *parts)
{
    struct str rest = text;
    struct str line;
    vec_init(parts, a);
    /* A NUL would end a name early wherever it is a path. */
    if (memchr(text.ptr, '\0', text.len) != NULL || !take_line(&rest, &line) ||
        !str_equal_c(line, GROUP_MARKER)) {
        return false;
    }
    while (rest.len > 0) {
        const char *start = rest.ptr;
        if (!take_line(&rest, &line)) {
            return false;
        }
        if (!str_starts_with(line, PART_WORD)) {
            if (parts->count > 0) {
                return false;
            }
            continue; /* the comment at the top */
        }
        size_t before = 0;
        size_t length = 0;
        size_t after = 0;
        if (!take_number(&line, &after) || !take_number(&line, &length) ||
            !take_number(&line, &before) || before + length + after > rest.len) {
            return false;
        }
        struct group_part *part = ARENA_NEW(a, struct group_part);
        part->file = str_copy(a, str_slice(line, strlen(PART_WORD), line.len));
        part->meta = meta_of(a, str_slice(rest, 0, before));
        part->text = str_slice(rest, before, before + length);
        rest = str_slice(rest, before + length + after, rest.len);
        part->whole = (struct str){start, (size_t)(rest.ptr - start)};
        vec_push(parts, part);
    }
    return parts->count > 0;
}
