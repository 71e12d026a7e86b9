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
                               const struct store_record *now, const char *label)
{
    const struct store_part *one = part_of(last, label);
    const struct store_part *two = part_of(now, label);
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
            if (equals == NULL) {
                continue; /* how many there are */
            }
            const size_t name = (size_t)(equals - line.ptr);
            buf_printf(&b, "%s" STR_FMT, b.len > 0 ? " " : "", STR_ARG(str_slice(line, 0, name)));
        }
    }
    return buf_str(&b);
}

/* ---- the causes, each told where it holds ---------------------------------------------------- */

struct reason {
    struct arena *arena;
    const struct store_record *last;
    const struct store_record *now;
    struct store_why why; /* the first cause, and the text of all */
    struct buf text;
};

/* "flags: added -O3"; the detail may be empty. */
static void tell(struct reason *r, const char *cause, struct str detail)
{
    if (r->why.cause == NULL) {
        r->why.cause = cause;
    }
    buf_printf(&r->text, "%s%s%s" STR_FMT, r->text.len > 0 ? "; " : "", cause,
               detail.len > 0 ? ": " : "", STR_ARG(detail));
}

static struct str first_line(const struct store_record *r, const char *label)
{
    const struct store_part *part = part_of(r, label);
    struct str text = part != NULL ? part->text : STR("");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            return str_slice(text, 0, i);
        }
    }
    return text;
}

/* "1 -> 2", or `same` where the first lines are equal. */
static struct str old_and_new(const struct reason *r, const char *label, const char *same)
{
    const struct str one = first_line(r->last, label);
    const struct str two = first_line(r->now, label);
    return str_equal(one, two)
               ? str_format(r->arena, STR_FMT "%s", STR_ARG(two), same)
               : str_format(r->arena, STR_FMT " -> " STR_FMT, STR_ARG(one), STR_ARG(two));
}

static void compare_toolchain(struct reason *r)
{
    if (differs(r->last, r->now, "compiler")) {
        tell(r, "compiler", old_and_new(r, "compiler", ", another program of that version"));
    }
    /* Kokkos is in the key by what of it reaches the compile: its headers, its flags. */
    const bool reached =
        differs(r->last, r->now, "used headers") || differs(r->last, r->now, "flags");
    const bool said = part_of(r->last, "Kokkos") != NULL && part_of(r->now, "Kokkos") != NULL;
    if (reached && said && differs(r->last, r->now, "Kokkos")) {
        tell(r, "Kokkos", old_and_new(r, "Kokkos", ", configured in another way"));
    }
    if (differs(r->last, r->now, "flags")) {
        tell(r, "flags", difference(r->arena, r->last, r->now, "flags"));
    }
    if (differs(r->last, r->now, "environment")) {
        tell(r, "environment", difference(r->arena, r->last, r->now, "environment"));
    }
}

/* The word that is counted for what the generator said: "constant SCALE: 3 -> 4". */
static const char *word_of(struct str change, bool same_signature)
{
    return str_starts_with(change, "signature")   ? "signature"
           : str_starts_with(change, "constant ") ? "constant"
           : str_starts_with(change, "function ") ? "function"
           : str_starts_with(change, "class ")    ? "class"
           : same_signature                       ? "body"
                                                  : "signature";
}

static void compare_text(struct reason *r, struct str change)
{
    if (!differs(r->last, r->now, "text")) {
        return;
    }
    const struct store_record *last = r->last;
    const struct store_record *now = r->now;
    if (last->has_ast_hash && now->has_ast_hash && sha256_equal(&last->ast_hash, &now->ast_hash)) {
        /* The same Python gave another text. */
        tell(r, "generator", old_and_new(r, "generator", ""));
        return;
    }
    const bool same_signature =
        !now->has_signature_hash ||
        (last->has_signature_hash && sha256_equal(&last->signature_hash, &now->signature_hash));
    const char *const word = word_of(change, same_signature);
    if (change.len == 0) {
        tell(r, word, STR(""));
        return;
    }
    if (r->why.cause == NULL) {
        r->why.cause = word;
    }
    buf_printf(&r->text, "%s" STR_FMT, r->text.len > 0 ? "; " : "", STR_ARG(change));
}

static void compare_rest(struct reason *r)
{
    if (differs(r->last, r->now, "headers")) {
        tell(r, "header", header_names(r->arena, r->last, r->now, "headers"));
    }
    if (differs(r->last, r->now, "used headers") && r->why.cause == NULL) {
        const struct str names = header_names(r->arena, r->last, r->now, "used headers");
        tell(r, "header", names.len > 0 ? names : STR("of the system, Kokkos or Python"));
    }
    if (differs(r->last, r->now, "format")) {
        tell(r, "generator",
             str_format(r->arena, STR_FMT ", which makes keys in another way",
                        STR_ARG(first_line(r->now, "format"))));
    }
    if (differs(r->last, r->now, "paths") || differs(r->last, r->now, "name")) {
        tell(r, "paths", difference(r->arena, r->last, r->now, "paths"));
    }
}

struct store_why launch_reason(struct arena *a, const struct store_past *past,
                               const struct store_record *now)
{
    struct reason r = {.arena = a, .last = &past->last, .now = now};
    r.why.build = STR("");
    buf_init(&r.text, a);
    if (past->knew_key) {
        tell(&r, "evicted", STR("")); /* made at some time, and not there now */
    } else if (!past->has_last) {
        tell(&r, "first build", STR(""));
    } else {
        compare_toolchain(&r);
        compare_text(&r, past->change);
        compare_rest(&r);
        if (r.why.cause == NULL) {
            tell(&r, "evicted", STR(""));
        }
    }
    r.why.text = buf_str(&r.text);
    return r.why;
}
