#include "support/private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct str path_join(struct arena *a, struct str dir, struct str name)
{
    if (dir.len == 0 || (name.len > 0 && name.ptr[0] == '/')) {
        return str_copy(a, name);
    }
    const bool slash = dir.ptr[dir.len - 1] == '/';
    char *p = arena_alloc(a, dir.len + 1 + name.len + 1);
    memcpy(p, dir.ptr, dir.len);
    size_t len = dir.len;
    if (!slash) {
        p[len++] = '/';
    }
    if (name.len > 0) {
        memcpy(p + len, name.ptr, name.len);
    }
    return (struct str){p, len + name.len};
}

/* The place after the last '/', 0 where there is none. */
static size_t name_start(struct str path)
{
    size_t i = path.len;
    while (i > 0 && path.ptr[i - 1] != '/') {
        i--;
    }
    return i;
}

struct str path_dirname(struct str path)
{
    const size_t start = name_start(path);
    if (start == 0) {
        return STR(".");
    }
    return str_slice(path, 0, start > 1 ? start - 1 : 1);
}

struct str path_basename(struct str path)
{
    return str_slice(path, name_start(path), path.len);
}

struct str path_stem(struct str path)
{
    const struct str name = path_basename(path);
    for (size_t i = name.len; i-- > 1;) {
        if (name.ptr[i] == '.') {
            return str_slice(name, 0, i);
        }
    }
    return name;
}

/* Adds the parts of `path` to the normal path in `out` (no '/' at its end; "" is the root). */
static void add_parts(struct buf *out, struct str path)
{
    size_t i = 0;
    while (i < path.len) {
        size_t end = i;
        while (end < path.len && path.ptr[end] != '/') {
            end++;
        }
        const struct str part = str_slice(path, i, end);
        i = end + 1;
        if (part.len == 0 || str_equal_c(part, ".")) {
            continue;
        }
        if (str_equal_c(part, "..")) {
            while (out->len > 0 && out->ptr[out->len - 1] != '/') {
                out->len--;
            }
            if (out->len > 0) {
                out->len--;
            }
            continue;
        }
        buf_add_char(out, '/');
        buf_add(out, part);
    }
}

struct str path_absolute(struct arena *a, struct str base, struct str path)
{
    struct buf out;
    buf_init(&out, a);
    if (path.len == 0 || path.ptr[0] != '/') {
        add_parts(&out, base);
    }
    add_parts(&out, path);
    if (out.len == 0) {
        buf_add_char(&out, '/');
    }
    out.ptr[out.len] = '\0';
    return buf_str(&out);
}

struct str path_relative(struct arena *a, struct str base, struct str path)
{
    /* The root's only part is empty: compare without its '/'. */
    const struct str b = str_equal_c(base, "/") ? STR("") : base;
    const struct str p = str_equal_c(path, "/") ? STR("") : path;
    size_t common = 0; /* bytes of the whole parts that both begin with */
    for (size_t i = 0;; i++) {
        const bool b_ends = i >= b.len || b.ptr[i] == '/';
        const bool p_ends = i >= p.len || p.ptr[i] == '/';
        if (b_ends && p_ends) {
            common = i;
        }
        if (i >= b.len || i >= p.len || b.ptr[i] != p.ptr[i]) {
            break;
        }
    }
    struct buf out;
    buf_init(&out, a);
    for (size_t i = common; i < b.len; i++) {
        if (b.ptr[i] == '/') {
            buf_add_c(&out, out.len > 0 ? "/.." : "..");
        }
    }
    if (common < p.len) {
        if (out.len > 0) {
            buf_add_char(&out, '/');
        }
        buf_add(&out, str_slice(p, common + 1, p.len));
    }
    return out.len > 0 ? buf_str(&out) : STR(".");
}

struct str path_cwd(struct arena *a)
{
    for (size_t size = 256; size <= (size_t)1024 * 1024; size *= 4) {
        char *p = arena_alloc(a, size);
        if (getcwd(p, size) != NULL) {
            /* An unreachable folder is reported with a prefix; it is no path. */
            return p[0] == '/' ? str_from(p) : STR("");
        }
        if (errno != ERANGE) {
            break;
        }
    }
    return STR("");
}
