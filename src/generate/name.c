/* Names: of modules, namespaces, files, and identifiers made of a target's name. */
#include "generate/private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_STEM = 150 };

/* ---- modules -------------------------------------------------------------------------------- */

/* The last `parts` components of a path, or all of it. */
static struct str path_suffix(struct str path, size_t parts)
{
    size_t at = path.len;
    while (at > 0) {
        if (path.ptr[at - 1] == '/' && --parts == 0) {
            break;
        }
        at--;
    }
    while (at < path.len && path.ptr[at] == '/') {
        at++;
    }
    return str_slice(path, at, path.len);
}

static size_t part_count(struct str path)
{
    size_t count = 0;
    for (size_t i = 0; i < path.len; i++) {
        count += path.ptr[i] != '/' && (i == 0 || path.ptr[i - 1] == '/');
    }
    return count;
}

/* The shortest suffix of paths[i] that no other path has. */
static struct str unique_suffix(const struct str *paths, size_t count, size_t i)
{
    const size_t most = part_count(paths[i]);
    for (size_t parts = 1; parts < most; parts++) {
        const struct str suffix = path_suffix(paths[i], parts);
        bool unique = true;
        for (size_t k = 0; k < count && unique; k++) {
            unique = k == i || !str_equal(path_suffix(paths[k], parts), suffix);
        }
        if (unique) {
            return suffix;
        }
    }
    return path_suffix(paths[i], most);
}

static struct str with_dots(struct arena *a, struct str path)
{
    const struct str s = str_copy(a, path);
    char *p = arena_alloc(a, s.len + 1);
    for (size_t i = 0; i < s.len; i++) {
        p[i] = s.ptr[i] == '/' ? '.' : s.ptr[i];
    }
    return (struct str){p, s.len};
}

bool gen_name_modules(struct arena *a, struct gen_module *modules, const struct str *paths,
                      size_t count, struct error *e)
{
    struct map namespaces;
    map_init(&namespaces, a);
    for (size_t i = 0; i < count; i++) {
        const struct str suffix = unique_suffix(paths, count, i);
        modules[i].name = with_dots(a, suffix);
        modules[i].header = str_format(a, STR_FMT ".hpp", STR_ARG(suffix));
        const struct str namespace_text = gen_namespace_text(a, modules[i].name);
        const struct gen_module *other = map_get(&namespaces, namespace_text);
        if (other != NULL) {
            error_set(e,
                      "the C++ namespaces of the modules '" STR_FMT "' and '" STR_FMT
                      "' would both be '" STR_FMT "': rename a file",
                      STR_ARG(other->name), STR_ARG(modules[i].name), STR_ARG(namespace_text));
            return false;
        }
        map_set(&namespaces, namespace_text, &modules[i]);
    }
    return true;
}

/* ---- namespaces ----------------------------------------------------------------------------- */

/* A file name can begin with a digit ("01.py"), a namespace cannot. */
static struct str namespace_part(struct arena *a, struct str part, bool outermost)
{
    if (part.len > 0 && part.ptr[0] >= '0' && part.ptr[0] <= '9') {
        part = str_format(a, "py_" STR_FMT, STR_ARG(part));
    }
    return outermost ? cpp_namespace(a, part) : cpp_identifier(a, part);
}

const struct str *gen_namespace(struct arena *a, struct str module_name, size_t *count)
{
    *count = 1;
    for (size_t i = 0; i < module_name.len; i++) {
        *count += module_name.ptr[i] == '.';
    }
    struct str *parts = ARENA_ARRAY(a, struct str, *count);
    size_t from = 0;
    for (size_t n = 0; n < *count; n++) {
        size_t to = from;
        while (to < module_name.len && module_name.ptr[to] != '.') {
            to++;
        }
        parts[n] = namespace_part(a, str_slice(module_name, from, to), n == 0);
        from = to + 1;
    }
    return parts;
}

struct str gen_namespace_text(struct arena *a, struct str module_name)
{
    size_t count;
    const struct str *parts = gen_namespace(a, module_name, &count);
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < count; i++) {
        buf_add_c(&b, i > 0 ? "::" : "");
        buf_add(&b, parts[i]);
    }
    return buf_str(&b);
}

static struct str real_path(struct arena *a, struct str path)
{
    char *real = realpath(path.ptr, NULL);
    if (real == NULL) {
        return path;
    }
    const struct str out = str_copy_c(a, real);
    free(real);
    return out;
}

/* Made of the project, the file's place in it, and what else the kernel's types depend on. */
void gen_tag(struct arena *a, const struct gen_request *r, struct gen_result *result)
{
    const struct str dir =
        r->project_dir.len > 0 ? path_absolute(a, STR("/"), r->project_dir) : gen_source_dir(a, r);
    const struct str base = real_path(a, dir);
    for (size_t i = 0; i < result->workunit_count; i++) {
        struct gen_workunit *w = &result->workunits[i];
        struct sha256 digest = {{0}};
        if (w->kernel == NULL) {
            continue;
        }
        const struct str file = path_relative(a, base, w->workunit->module->real_path);
        sha256_of(str_format(a, STR_FMT "\n" STR_FMT "\n%d\n" STR_FMT, STR_ARG(r->project),
                             STR_ARG(file), r->default_real == TYPE_FLOAT,
                             STR_ARG(w->kernel->fused)),
                  &digest);
        w->tag = str_format(a, "pkc_%.8s", sha256_hex(a, &digest).ptr);
    }
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Letters, digits and '_' stay; other bytes become "-hh"; a name with capitals ends in "--" and a
 * number that says which letters they are. Long ones are cut and end in "---" and a digest. */
static void add_file_part(struct arena *a, struct buf *b, struct str part)
{
    struct buf stem;
    struct buf capitals;
    buf_init(&stem, a);
    buf_init(&capitals, a);
    unsigned digit = 0;
    size_t significant = 0;
    for (size_t i = 0; i < part.len; i++) {
        const unsigned char c = (unsigned char)part.ptr[i];
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') {
            buf_add_char(&stem, (char)c);
        } else {
            buf_printf(&stem, "-%02x", c);
        }
        digit |= (unsigned)capital << i % 4;
        if (i % 4 == 3 || i + 1 == part.len) {
            buf_printf(&capitals, "%x", digit);
            significant = digit != 0 ? capitals.len : significant;
            digit = 0;
        }
    }
    if (significant > 0) {
        buf_add_c(&stem, "--");
        buf_add(&stem, str_slice(buf_str(&capitals), 0, significant));
    }
    if (stem.len <= MAX_FILE_STEM) {
        buf_add(b, buf_str(&stem));
        return;
    }
    struct sha256 digest = {{0}};
    sha256_of(part, &digest);
    buf_add(b, str_slice(buf_str(&stem), 0, MAX_FILE_STEM - 40));
    buf_add_c(b, "---");
    buf_add(b, str_slice(sha256_hex(a, &digest), 0, 32));
}

static struct str generated_file(struct arena *a, struct str module_name, struct str symbol,
                                 const char *ending)
{
    struct buf b;
    buf_init(&b, a);
    size_t from = 0;
    for (size_t i = 0; i <= module_name.len; i++) {
        if (i == module_name.len || module_name.ptr[i] == '.') {
            add_file_part(a, &b, str_slice(module_name, from, i));
            buf_add_char(&b, '/');
            from = i + 1;
        }
    }
    add_file_part(a, &b, symbol);
    buf_add_c(&b, ending);
    return buf_str(&b);
}

struct str gen_kernel_file(struct arena *a, struct str module_name, struct str symbol)
{
    return generated_file(a, module_name, symbol, ".kernel.cpp");
}

struct str gen_host_file(struct arena *a, struct str module_name, struct str symbol)
{
    return generated_file(a, module_name, symbol, ".host.cpp");
}

struct str gen_source_dir(struct arena *a, const struct gen_request *r)
{
    if (str_starts_with(r->source_dir, "/")) {
        return path_absolute(a, STR("/"), r->source_dir);
    }
    return path_absolute(a, path_cwd(a), r->source_dir);
}

struct str gen_python_file(struct arena *a, const struct gen_request *r, const struct gen_module *m)
{
    const struct str base = gen_source_dir(a, r);
    const struct str relative = path_relative(a, base, m->source->real_path);
    if (!str_starts_with(relative, "../") && !str_starts_with(relative, "/")) {
        return relative;
    }
    return path_basename(m->source->real_path);
}

/* ---- identifiers ---------------------------------------------------------------------------- */

static bool is_hex_upper(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

struct str gen_identifier(struct arena *a, const char *prefix, struct str name)
{
    struct buf b;
    buf_init(&b, a);
    buf_add_c(&b, prefix);
    for (size_t i = 0; i < name.len; i++) {
        const unsigned char c = (unsigned char)name.ptr[i];
        /* "_5F" itself must not look like an escaped underscore. */
        const bool ambiguous = c == '_' && i + 2 < name.len && is_hex_upper(name.ptr[i + 1]) &&
                               is_hex_upper(name.ptr[i + 2]);
        if (c < 0x80 && (isalnum(c) || c == '_') && !ambiguous) {
            buf_add_char(&b, (char)c);
        } else {
            buf_printf(&b, "_%02X", c);
        }
    }
    return buf_str(&b);
}

struct str gen_space(struct arena *a, const struct gen_request *r)
{
    const struct str space = r->execution_space;
    if (space.len == 0) {
        return STR("::Kokkos::DefaultExecutionSpace");
    }
    if (str_starts_with(space, "::")) {
        return space;
    }
    if (str_starts_with(space, "Kokkos::")) {
        return str_format(a, "::" STR_FMT, STR_ARG(space));
    }
    return str_format(a, "::Kokkos::" STR_FMT, STR_ARG(space));
}

struct str gen_dispatch_symbol(struct arena *a, const struct gen_request *r)
{
    struct str space = gen_space(a, r);
    space = str_slice(space, 2, space.len); /* without the leading "::" */
    return gen_identifier(a, "pkc_dispatch_" PKC_DISPATCH_ID "_", space);
}

/* ---- percent encoding ----------------------------------------------------------------------- */

struct str gen_percent(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x80 && c != 0 && (isalnum(c) || strchr("_-./:,", c) != NULL)) {
            buf_add_char(&b, (char)c);
        } else {
            buf_printf(&b, "%%%02X", c);
        }
    }
    return buf_str(&b);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct str gen_percent_decode(struct arena *a, struct str s)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < s.len; i++) {
        const int high = i + 2 < s.len ? hex_value(s.ptr[i + 1]) : -1;
        const int low = i + 2 < s.len ? hex_value(s.ptr[i + 2]) : -1;
        if (s.ptr[i] == '%' && high >= 0 && low >= 0) {
            buf_add_char(&b, (char)(high * 16 + low));
            i += 2;
        } else {
            buf_add_char(&b, s.ptr[i]);
        }
    }
    return buf_str(&b);
}
