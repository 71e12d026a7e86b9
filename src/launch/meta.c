/*
 * X.kernel.meta, which the generator writes beside X.kernel.cpp: `key=value` lines, values
 * percent-encoded. It fills the manifest's row and is no part of the key; it may be missing.
 */
#include "launch/private.h"

#include <string.h>

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

struct str meta_decode(struct arena *a, struct str s)
{
    char *p = arena_alloc(a, s.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        const int high = i + 2 < s.len ? hex_digit(s.ptr[i + 1]) : -1;
        const int low = i + 2 < s.len ? hex_digit(s.ptr[i + 2]) : -1;
        if (s.ptr[i] == '%' && high >= 0 && low >= 0) {
            p[len++] = (char)(high * 16 + low);
            i += 2;
        } else {
            p[len++] = s.ptr[i];
        }
    }
    return (struct str){p, len};
}

void meta_read(struct arena *a, struct str tu, struct store_record *r)
{
    r->module = r->workunit = r->types = STR("");
    if (!str_ends_with(tu, ".cpp")) {
        return;
    }
    const struct str path = str_format(a, STR_FMT ".meta", STR_ARG(str_slice(tu, 0, tu.len - 4)));
    struct str text;
    struct error e;
    if (!file_read(a, path.ptr, (size_t)1024 * 1024, &text, &e)) {
        return;
    }
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        const struct str line = str_slice(text, 0, len);
        text = str_slice(text, len + 1, text.len);
        const char *equals = line.len > 0 ? memchr(line.ptr, '=', line.len) : NULL;
        if (equals == NULL) {
            continue;
        }
        const struct str name = str_slice(line, 0, (size_t)(equals - line.ptr));
        const struct str value = meta_decode(a, str_slice(line, name.len + 1, line.len));
        if (str_equal_c(name, "ast_hash")) {
            r->has_ast_hash = sha256_from_hex(value, &r->ast_hash);
        } else if (str_equal_c(name, "signature_hash")) {
            r->has_signature_hash = sha256_from_hex(value, &r->signature_hash);
        } else if (str_equal_c(name, "module")) {
            r->module = value;
        } else if (str_equal_c(name, "workunit")) {
            r->workunit = value;
        } else if (str_equal_c(name, "types")) {
            r->types = value;
        }
    }
}
