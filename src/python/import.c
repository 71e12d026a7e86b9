/*
 * import: which project file an import names.
 *
 * As CPython would find it: in each folder of the search path a package `m/__init__.py` comes
 * before a module `m.py`, and a plain folder `m/` counts only where no folder has either. Every
 * path that was looked for becomes an input of the program, found or not.
 */
#include "python/program.h"

#include <string.h>
#include <sys/stat.h>

/* What PyKokkos itself is, and what is built into the interpreter, is never a project file. */
static bool is_reserved(struct str name)
{
    static const char *const names[] = {"pykokkos",   "math",     "cmath", "sys",
                                        "__future__", "builtins", "time",  "itertools"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (str_equal_c(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* `folder/name` as a package or a module; NULL: neither. */
static struct module *find_in(struct py_program *p, struct str folder, struct str name)
{
    const struct str base = path_join(p->arena, folder, name);
    const struct str package = path_join(p->arena, base, STR("__init__.py"));
    if (program_probe(p, package).exists) {
        return module_load(p, package, false);
    }
    const struct str file = str_format(p->arena, STR_FMT ".py", STR_ARG(base));
    if (program_probe(p, file).exists && !is_folder(file.ptr)) {
        return module_load(p, file, false);
    }
    return NULL;
}

struct module *import_submodule(struct module *package, struct str name)
{
    struct py_program *p = package->pub.program;
    const bool is_package =
        package->is_namespace || str_ends_with(package->pub.real_path, "__init__.py");
    if (!is_package || name.len == 0 || memchr(name.ptr, '/', name.len) != NULL) {
        return NULL;
    }
    struct module *found = find_in(p, package->folder, name);
    if (found != NULL) {
        return found;
    }
    const struct str folder = path_join(p->arena, package->folder, name);
    if (!is_folder(folder.ptr)) {
        return NULL;
    }
    return module_namespace(
        p, folder,
        str_format(p->arena, STR_FMT "." STR_FMT, STR_ARG(package->dotted), STR_ARG(name)));
}

/* The next part of a dotted name from `*at`. */
static struct str next_part(struct str dotted, size_t *at)
{
    const size_t from = *at;
    while (*at < dotted.len && dotted.ptr[*at] != '.') {
        (*at)++;
    }
    const struct str part = str_slice(dotted, from, *at);
    (*at)++;
    return part;
}

static struct module *descend(struct module *m, struct str dotted, size_t at)
{
    while (m != NULL && at < dotted.len) {
        m = import_submodule(m, next_part(dotted, &at));
    }
    return m;
}

/* The folders searched for a file in `folder`: its own, and those above it as far as they are
 * packages, with the one that holds the outermost package. */
static struct module *search_up(struct py_program *p, struct str folder, struct str first,
                                struct str *plain)
{
    for (int up = 0; up < 64; up++) {
        struct module *found = find_in(p, folder, first);
        if (found != NULL) {
            return found;
        }
        const struct str candidate = path_join(p->arena, folder, first);
        if (plain->len == 0 && is_folder(candidate.ptr)) {
            *plain = candidate;
        }
        const struct str init = path_join(p->arena, folder, STR("__init__.py"));
        if (folder.len <= 1 || !program_probe(p, init).exists) {
            return NULL;
        }
        folder = path_dirname(folder);
    }
    return NULL;
}

static struct module *find_absolute(struct module *from, struct str dotted)
{
    struct py_program *p = from->pub.program;
    size_t at = 0;
    const struct str first = next_part(dotted, &at);
    if (first.len == 0 || is_reserved(first)) {
        return NULL;
    }
    struct str plain = {"", 0};
    struct module *found = search_up(p, from->folder, first, &plain);
    for (size_t i = 0; found == NULL && i < p->roots.count; i++) {
        const struct str root = *(const struct str *)p->roots.items[i];
        if (!str_equal(root, from->folder)) {
            found = search_up(p, root, first, &plain);
        }
    }
    if (found == NULL && plain.len > 0 && at < dotted.len) {
        /* A plain folder is a package only for what is in it. */
        found = module_namespace(p, plain, str_copy(p->arena, first));
    }
    return descend(found, dotted, at);
}

static struct module *find_relative(struct module *from, struct str dotted, int level)
{
    struct py_program *p = from->pub.program;
    struct str folder = from->folder;
    for (int i = 1; i < level && folder.len > 1; i++) {
        folder = path_dirname(folder);
    }
    if (dotted.len > 0) {
        size_t at = 0;
        const struct str first = next_part(dotted, &at);
        struct module *found = find_in(p, folder, first);
        if (found == NULL) {
            const struct str plain = path_join(p->arena, folder, first);
            if (is_folder(plain.ptr)) {
                found = module_namespace(p, plain, str_copy(p->arena, first));
            }
        }
        return descend(found, dotted, at);
    }
    const struct str init = path_join(p->arena, folder, STR("__init__.py"));
    if (program_probe(p, init).exists) {
        return module_load(p, init, false);
    }
    return module_namespace(p, str_copy(p->arena, folder),
                            str_copy(p->arena, path_basename(folder)));
}

struct module *import_find(struct module *from, struct str dotted, int level)
{
    struct py_program *p = from->pub.program;
    const struct str key = str_format(p->arena, STR_FMT "\n%d\n" STR_FMT, STR_ARG(from->folder),
                                      level, STR_ARG(dotted));
    static char absent;
    void *known = map_get(&p->found, key);
    if (known != NULL) {
        return known == (void *)&absent ? NULL : known;
    }
    struct module *found =
        level > 0 ? find_relative(from, dotted, level) : find_absolute(from, dotted);
    map_set(&p->found, key, found == NULL ? (void *)&absent : (void *)found);
    return found;
}
