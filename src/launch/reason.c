/*
 * Why a kernel is compiled: the parts of its key against those of its last entry.
 */
#include "launch/private.h"

#include <string.h>

static const struct store_part *part_of(const struct store_record *r, const char *label)
{
    for (size_t i = 0; i < r->part_count; i++) {
        if (str_equal_c(r->parts[i].label, label)) {
            return &r->parts[i];
        }
    }
    return NULL;
}

static bool differs(const struct store_record *last, const struct store_record *now,
                    const char *label)
{
    const struct store_part *one = part_of(last, label);
    const struct store_part *two = part_of(now, label);
    if (one == NULL || two == NULL) {
        return one != two;
    }
    return !sha256_equal(&one->digest, &two->digest);
}

static bool has_line(struct str text, struct str line)
{
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        if (str_equal(str_slice(text, 0, len), line)) {
            return true;
        }
        text = str_slice(text, len + 1, text.len);
    }
    return false;
}

static void add_missing(struct buf *b, struct str from, struct str in, const char *word)
{
    while (from.len > 0) {
        const char *newline = memchr(from.ptr, '\n', from.len);
        const size_t len = newline != NULL ? (size_t)(newline - from.ptr) : from.len;
        const struct str line = str_slice(from, 0, len);
        from = str_slice(from, len + 1, from.len);
        if (line.len > 0 && !has_line(in, line)) {
            buf_printf(b, "%s%s " STR_FMT, b->len > 0 ? ", " : "", word, STR_ARG(line));
        }
    }
}

/* Lines that only one of them has: "added -O2, removed -O3". */
static struct str difference(struct arena *a, const struct store_record *last,
                             const struct store_record *now, const char *label)
{
    const struct store_part *one = part_of(last, label);
    const struct store_part *two = part_of(now, label);
    struct buf b;
    buf_init(&b, a);
    if (one != NULL && two != NULL) {
        add_missing(&b, two->text, one->text, "added");
        add_missing(&b, one->text, two->text, "removed");
    }
    return buf_str(&b);
}

static struct str header_names(struct arena *a, const struct store_record *last,
                               const struct store_record *now)
{
    const struct store_part *one = part_of(last, "headers");
    const struct store_part *two = part_of(now, "headers");
    struct buf b;
    buf_init(&b, a);
    struct str text = one != NULL && two != NULL ? two->text : STR("");
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        const struct str line = str_slice(text, 0, len);
        text = str_slice(text, len + 1, text.len);
        if (line.len > 0 && !has_line(one->text, line)) {
            const char *equals = memchr(line.ptr, '=', line.len);
            const size_t name = equals != NULL ? (size_t)(equals - line.ptr) : line.len;
            buf_printf(&b, "%s" STR_FMT, b.len > 0 ? " " : "", STR_ARG(str_slice(line, 0, name)));
        }
    }
    return buf_str(&b);
}

struct str launch_reason(struct arena *a, const struct store_record *last,
                         const struct store_record *now, struct str *detail)
{
    *detail = STR("");
    if (last == NULL) {
        return STR("first build");
    }
    if (differs(last, now, "compiler")) {
        const struct store_part *one = part_of(last, "compiler");
        const struct store_part *two = part_of(now, "compiler");
        if (one != NULL && two != NULL) {
            *detail = str_format(a, STR_FMT " -> " STR_FMT, STR_ARG(one->text), STR_ARG(two->text));
        }
        return STR("compiler");
    }
    if (differs(last, now, "flags")) {
        *detail = difference(a, last, now, "flags");
        return STR("flags");
    }
    if (differs(last, now, "environment")) {
        *detail = difference(a, last, now, "environment");
        return STR("environment");
    }
    const bool same_ast =
        last->has_ast_hash && now->has_ast_hash && sha256_equal(&last->ast_hash, &now->ast_hash);
    if (differs(last, now, "text") && !same_ast) {
        const bool same_signature = last->has_signature_hash && now->has_signature_hash &&
                                    sha256_equal(&last->signature_hash, &now->signature_hash);
        return same_signature || !now->has_signature_hash ? STR("body") : STR("signature");
    }
    if (differs(last, now, "headers")) {
        *detail = header_names(a, last, now);
        return STR("header");
    }
    if (differs(last, now, "text")) {
        return STR("generator"); /* the same Python gave another text */
    }
    if (differs(last, now, "format")) {
        return STR("generator");
    }
    if (differs(last, now, "paths") || differs(last, now, "name")) {
        *detail = difference(a, last, now, "paths");
        return STR("paths");
    }
    return STR("evicted");
}
