/*
 * INSTANTIATE entries:
 *
 *     entry     = name { "." name } "(" [ parameter { "," parameter } ] ")"
 *     parameter = name ":" ( type | "index" )
 *
 * Types are spelled as in annotations; "pk." may be left out.
 */
#include "kernel/lower.h"

struct reader {
    struct str text;
    size_t at;
};

static void skip_blanks(struct reader *r)
{
    while (r->at < r->text.len && (r->text.ptr[r->at] == ' ' || r->text.ptr[r->at] == '\t' ||
                                   r->text.ptr[r->at] == '\n')) {
        r->at++;
    }
}

static bool takes(struct reader *r, char c)
{
    skip_blanks(r);
    if (r->at >= r->text.len || r->text.ptr[r->at] != c) {
        return false;
    }
    r->at++;
    return true;
}

static struct str trim(struct str s)
{
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
        s = str_slice(s, 1, s.len);
    }
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t')) {
        s = str_slice(s, 0, s.len - 1);
    }
    return s;
}

/* The text up to one of `ends`, which is not taken; brackets hide it. */
static struct str until(struct reader *r, const char *ends)
{
    const size_t from = r->at;
    int nesting = 0;

    for (; r->at < r->text.len; r->at++) {
        const char c = r->text.ptr[r->at];
        if (nesting == 0) {
            for (const char *e = ends; *e; e++) {
                if (c == *e) {
                    return trim(str_slice(r->text, from, r->at));
                }
            }
        }
        nesting += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
    return trim(str_slice(r->text, from, r->at));
}

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                            (unsigned char)c >= 0x80;
        if (!letter && !(i && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return s.len > 0;
}

static bool is_dotted_name(struct str s)
{
    size_t from = 0;

    for (size_t i = 0; i <= s.len; i++) {
        if (i == s.len || s.ptr[i] == '.') {
            if (!is_name(str_slice(s, from, i))) {
                return false;
            }
            from = i + 1;
        }
    }
    return true;
}

static bool read_parameter(struct arena *a, struct reader *r, enum type_kind default_real,
                           struct instantiation *out, struct error *error)
{
    const struct str name = until(r, ":,)");

    if (!is_name(name)) {
        error_set(error, "column %zu: '" STR_FMT "' is no parameter name", r->at + 1,
                  STR_ARG(name));
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        if (str_equal(out->names[i], name)) {
            error_set(error, "parameter " STR_FMT " stands twice", STR_ARG(name));
            return false;
        }
    }
    if (!takes(r, ':')) {
        error_set(error, "column %zu: ':' and a type are missing after " STR_FMT, r->at + 1,
                  STR_ARG(name));
        return false;
    }
    const size_t at = r->at + 1;
    const struct str text = until(r, ",)");
    const struct type *type = NULL;
    if (!str_equal_c(text, "index")) {
        struct error inner = {{0}};
        type = low_type_text(NULL, a, NULL, text, default_real, NULL, &inner);
        if (!type) {
            error_set(error, "column %zu: %s", at, inner.text);
            return false;
        }
    }
    out->names[out->count] = name;
    out->types[out->count++] = type;
    return true;
}

bool instantiation_parse(struct arena *a, struct str text, enum type_kind default_real,
                         struct instantiation *out, struct error *error)
{
    struct reader r = {.text = text};
    size_t most = 1;

    for (size_t i = 0; i < text.len; i++) {
        most += text.ptr[i] == ',';
    }
    *out = (struct instantiation){.text = text};
    out->names = ARENA_ARRAY(a, struct str, most);
    out->types = ARENA_ARRAY(a, const struct type *, most);
    out->workunit = until(&r, "(");
    if (!is_dotted_name(out->workunit)) {
        error_set(error, "'" STR_FMT "' does not begin with a workunit's name", STR_ARG(text));
        return false;
    }
    if (!takes(&r, '(')) {
        error_set(error, "'" STR_FMT "': '(' is missing after the name", STR_ARG(text));
        return false;
    }
    if (!takes(&r, ')')) {
        do {
            skip_blanks(&r);
            if (!read_parameter(a, &r, default_real, out, error)) {
                return false;
            }
        } while (takes(&r, ','));
        if (!takes(&r, ')')) {
            error_set(error, "'" STR_FMT "': ')' is missing", STR_ARG(text));
            return false;
        }
    }
    skip_blanks(&r);
    if (r.at != text.len) {
        error_set(error, "column %zu: text after the ')'", r.at + 1);
        return false;
    }
    return true;
}
