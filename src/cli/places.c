/* Where this program and what belongs to it are, and the small text formats between its parts. */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

const char *cli_version(void)
{
    return PKC_VERSION;
}

struct str cli_program(struct arena *a)
{
    char path[PATH_MAX + 1];
    ssize_t len = readlink("/proc/self/exe", path, PATH_MAX);
    if (len <= 0) {
        return process_find(a, "pykokkos-cache");
    }
    path[len] = '\0';
    return str_copy_c(a, path);
}

static struct str beside_program(struct arena *a, const char *relative)
{
    struct str program = cli_program(a);
    if (program.len == 0) {
        return STR("");
    }
    return path_absolute(a, path_dirname(program), str_from(relative));
}

struct str cli_include_dir(struct arena *a)
{
    return beside_program(a, PKC_RELATIVE_INCLUDE_DIR);
}

struct str cli_package_dir(struct arena *a)
{
    return beside_program(a, PKC_RELATIVE_PACKAGE_DIR);
}

struct str cli_encode(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '%' || c == '\n' || c == '\r') {
            buf_printf(&b, "%%%02X", (unsigned)(unsigned char)c);
        } else {
            buf_add_char(&b, c);
        }
    }
    return buf_str(&b);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct str cli_decode(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '%' && i + 2 < s.len) {
            int high = hex_digit(s.ptr[i + 1]);
            int low = hex_digit(s.ptr[i + 2]);
            if (high >= 0 && low >= 0) {
                buf_add_char(&b, (char)(high * 16 + low));
                i += 2;
                continue;
            }
        }
        buf_add_char(&b, s.ptr[i]);
    }
    return buf_str(&b);
}

bool cli_next_line(struct str *rest, struct str *line)
{
    if (rest->len == 0) {
        return false;
    }
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
    *line = (struct str){rest->ptr, len};
    size_t used = end != NULL ? len + 1 : len;
    rest->ptr += used;
    rest->len -= used;
    return true;
}
