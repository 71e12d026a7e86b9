#include "launch/private.h"

/* GCC's rules: blanks separate; quotes of either kind hold blanks; a backslash takes the next
 * character as it is, in quotes too. */
bool response_split(struct arena *a, struct str text, struct vec *args, struct error *e)
{
    struct buf arg;
    bool inside = false;
    char quote = '\0';
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        const bool blank =
            c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
        if (c == '\0') {
            error_set(e, "an @file holds a NUL");
            return false;
        }
        if (quote == '\0' && blank) {
            if (inside) {
                vec_push(args, arg.ptr);
            }
            inside = false;
            continue;
        }
        if (!inside) {
            buf_init(&arg, a);
            buf_add_c(&arg, "");
            inside = true;
        }
        if (quote != '\0' && c == quote) {
            quote = '\0';
        } else if (quote == '\0' && (c == '"' || c == '\'')) {
            quote = c;
        } else {
            if (c == '\\' && i + 1 < text.len) {
                c = text.ptr[++i];
            }
            buf_add_char(&arg, c);
        }
    }
    if (inside) {
        vec_push(args, arg.ptr);
    }
    return true;
}

bool response_read(struct arena *a, const char *path, struct vec *args, struct error *e)
{
    struct str text;
    return file_read(a, path, (size_t)16 * 1024 * 1024, &text, e) &&
           response_split(a, text, args, e);
}
