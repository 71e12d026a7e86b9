#include "support/support.h"

/* Text with @NAME@ in it. A placeholder alone on its line takes the line: each line of its value is
 * indented as the placeholder is, and an empty value removes the line and a blank one after it. */

static const struct template_value *find_value(struct str name, const struct template_value *values,
                                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_c(name, values[i].name)) {
            return &values[i];
        }
    }
    return NULL;
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The placeholder that begins at text[at] (an '@'); its end is one past the closing '@'. */
static const struct template_value *placeholder_at(struct str text, size_t at,
                                                   const struct template_value *values,
                                                   size_t count, size_t *end)
{
    size_t stop = at + 1;
    while (stop < text.len && is_name_char(text.ptr[stop])) {
        stop++;
    }
    if (stop >= text.len || text.ptr[stop] != '@') {
        return NULL;
    }
    *end = stop + 1;
    return find_value(str_slice(text, at + 1, stop), values, count);
}

static void add_indented(struct buf *out, struct str indent, struct str value)
{
    size_t at = 0;
    while (at < value.len) {
        size_t end = at;
        while (end < value.len && value.ptr[end] != '\n') {
            end++;
        }
        if (end > at) {
            buf_add(out, indent);
            buf_add(out, str_slice(value, at, end));
        }
        buf_add_char(out, '\n');
        at = end + 1;
    }
}

static void add_line(struct buf *out, struct str line, const struct template_value *values,
                     size_t count)
{
    size_t at = 0;
    while (at < line.len) {
        size_t end = at;
        const struct template_value *v =
            line.ptr[at] == '@' ? placeholder_at(line, at, values, count, &end) : NULL;
        if (v) {
            buf_add(out, v->text);
            at = end;
        } else {
            buf_add_char(out, line.ptr[at++]);
        }
    }
    buf_add_char(out, '\n');
}

void template_expand(struct buf *out, struct str text, const struct template_value *values,
                     size_t count)
{
    bool drop_blank = false;
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '\n') {
            end++;
        }
        const struct str line = str_slice(text, at, end);
        at = end + 1;
        size_t first = 0;
        while (first < line.len && line.ptr[first] == ' ') {
            first++;
        }
        if (drop_blank && line.len == 0) {
            drop_blank = false;
            continue;
        }
        drop_blank = false;
        size_t last = 0;
        const struct template_value *v = first < line.len && line.ptr[first] == '@'
                                             ? placeholder_at(line, first, values, count, &last)
                                             : NULL;
        if (v && last == line.len) {
            add_indented(out, str_slice(line, 0, first), v->text);
            drop_blank = v->text.len == 0;
        } else {
            add_line(out, line, values, count);
        }
    }
}
