/*
 * All files of a target, each written when its bytes change, and the removal of what an earlier
 * list of workunits left.
 *
 * <target>.files lists them, one a line, percent-encoded. It names a file before the file is there
 * and until after it has gone, so that a run that is cut off leaves nothing unknown behind.
 */
#include "generate/private.h"
#include "pkc_generate_templates.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum output_kind {
    OUTPUT_META,     /* of: struct gen_workunit */
    OUTPUT_KERNEL,   /* the same */
    OUTPUT_GROUP,    /* of: struct vec of those */
    OUTPUT_DISPATCH, /* of nothing */
    OUTPUT_HEADER,   /* of: struct gen_module */
    OUTPUT_TABLE,    /* of nothing */
};

/* A file. Its text is made when it is written, and not kept: of a large target, all together would
 * take more room than anything else. */
struct output {
    struct str path; /* relative to output_dir */
    enum output_kind kind;
    const void *of;
};

struct writer {
    struct arena *arena;
    const struct gen_request *request;
    struct gen_result *result;
    struct map modules; /* name -> struct gen_module */
    struct vec outputs; /* struct output * */
    struct gen_lists lists;
};

/* `list` (NULL: none) is one of gen_lists. */
static void add_output(struct writer *w, struct str path, enum output_kind kind, const void *of,
                       struct vec *list)
{
    struct output *o = ARENA_NEW(w->arena, struct output);
    *o = (struct output){path, kind, of};
    vec_push(&w->outputs, o);
    if (list != NULL) {
        vec_push(list, &o->path);
    }
}

static struct str target_path(const struct writer *w, const char *suffix)
{
    return str_format(w->arena, STR_FMT "%s", STR_ARG(w->request->target), suffix);
}

static struct str full_path(const struct writer *w, struct str path)
{
    return path_join(w->arena, w->request->output_dir, path);
}

/* ---- texts ---------------------------------------------------------------------------------- */

struct str gen_dispatch(struct arena *a, const struct gen_request *r)
{
    const struct template_value values[] = {
        {"SPACE", gen_space(a, r)},
        {"DISPATCH", gen_dispatch_symbol(a, r)},
    };
    struct buf b;
    buf_init(&b, a);
    template_expand(&b, template_dispatch_cpp, values, sizeof values / sizeof values[0]);
    return buf_str(&b);
}

struct str gen_meta(struct arena *a, const struct gen_workunit *w)
{
    struct buf types;
    struct buf b;
    buf_init(&types, a);
    buf_init(&b, a);
    for (size_t i = 0; i < w->kernel->parameter_count; i++) {
        buf_printf(&types, "%s" STR_FMT, i > 0 ? ", " : "",
                   STR_ARG(type_spell(a, w->kernel->parameters[i].type)));
    }
    buf_printf(&b, "ast_hash=" STR_FMT "\n", STR_ARG(sha256_hex(a, &w->ast_hash)));
    buf_printf(&b, "signature_hash=" STR_FMT "\n",
               STR_ARG(sha256_hex(a, &w->kernel->signature_hash)));
    buf_printf(&b, "module=" STR_FMT "\n", STR_ARG(gen_percent(a, w->module)));
    buf_printf(&b, "workunit=" STR_FMT "\n", STR_ARG(gen_percent(a, w->kernel->qualified)));
    buf_printf(&b, "types=" STR_FMT "\n", STR_ARG(gen_percent(a, buf_str(&types))));
    return buf_str(&b);
}

struct str gen_kernel_text(struct arena *a, const struct gen_request *r,
                           const struct gen_module *module, const struct gen_workunit *w)
{
    size_t parts;
    const struct str *spaces = gen_namespace(a, w->module, &parts);
    struct buf text;
    buf_init(&text, a);
    kernel_tu(&text, w->kernel, spaces, parts, w->tag, gen_python_file(a, r, module));
    return buf_str(&text);
}

static struct str kernel_text(struct arena *a, const struct writer *w,
                              const struct gen_workunit *unit)
{
    return gen_kernel_text(a, w->request, map_get(&w->modules, unit->module), unit);
}

static struct str group_text(struct arena *a, const struct writer *w, const struct vec *units)
{
    struct buf b;
    buf_init(&b, a);
    group_begin(&b);
    for (size_t i = 0; i < units->count; i++) {
        const struct gen_workunit *unit = units->items[i];
        struct arena *scratch = arena_like(a);
        gen_group_add(&b, unit, gen_meta(scratch, unit), kernel_text(scratch, w, unit));
        arena_free(scratch);
    }
    return buf_str(&b);
}

static struct str output_text(struct arena *a, const struct writer *w, const struct output *o)
{
    switch (o->kind) {
    case OUTPUT_META: return gen_meta(a, o->of);
    case OUTPUT_KERNEL: return kernel_text(a, w, o->of);
    case OUTPUT_GROUP: return group_text(a, w, o->of);
    case OUTPUT_DISPATCH: return gen_dispatch(a, w->request);
    case OUTPUT_HEADER: return gen_header(a, w->request, w->result, o->of);
    case OUTPUT_TABLE: return gen_table(a, w->request, w->result);
    }
    return STR("");
}

static void add_kernels(struct writer *w)
{
    struct arena *a = w->arena;
    const size_t groups = gen_group_count(w->request, w->result->workunit_count);
    struct map grouped; /* a group's file -> its kernels */
    map_init(&grouped, a);
    for (size_t i = 0; i < w->result->workunit_count; i++) {
        struct gen_workunit *unit = &w->result->workunits[i];
        if (groups == 0 || unit->kernel->host) { /* hosts are few, and no kernels */
            const struct str stem = str_slice(unit->file, 0, unit->file.len - strlen(".cpp"));
            const struct str meta = str_format(a, STR_FMT ".meta", STR_ARG(stem));
            /* First, so that a compiler that starts early finds it. */
            add_output(w, meta, OUTPUT_META, unit, NULL);
            add_output(w, unit->file, OUTPUT_KERNEL, unit, &w->lists.kernels);
            continue;
        }
        const struct str file = gen_group_file(a, unit->file, groups);
        struct vec *units = map_get(&grouped, file);
        if (units == NULL) {
            units = ARENA_NEW(a, struct vec);
            vec_init(units, a);
            map_set(&grouped, file, units);
        }
        vec_push(units, unit);
    }
    for (size_t i = 0; i < grouped.count; i++) {
        add_output(w, grouped.entries[i].key, OUTPUT_GROUP, grouped.entries[i].value,
                   &w->lists.kernels);
    }
}

static void add_outputs(struct writer *w)
{
    struct arena *a = w->arena;
    vec_init(&w->outputs, a);
    vec_init(&w->lists.kernels, a);
    vec_init(&w->lists.dispatch, a);
    vec_init(&w->lists.headers, a);
    vec_init(&w->lists.module, a);
    map_init(&w->modules, a);
    for (size_t i = 0; i < w->result->module_count; i++) {
        map_set(&w->modules, w->result->modules[i].name, &w->result->modules[i]);
    }
    add_kernels(w);
    add_output(w, STR("kokkos.dispatch.cpp"), OUTPUT_DISPATCH, NULL, &w->lists.dispatch);
    for (size_t i = 0; i < w->result->module_count; i++) {
        const struct gen_module *m = &w->result->modules[i];
        add_output(w, path_join(a, STR("include"), m->header), OUTPUT_HEADER, m, &w->lists.headers);
    }
    if (w->request->python_module) {
        add_output(w, target_path(w, ".module.cpp"), OUTPUT_TABLE, NULL, &w->lists.module);
    }
}

/* ---- the list of files ---------------------------------------------------------------------- */

/* The paths that the file lists; none, and false, where it cannot be read. */
static bool read_list(struct arena *a, struct str path, struct map *out, struct error *e)
{
    struct str text;
    map_init(out, a);
    if (!file_read(a, path.ptr, 0, &text, e)) {
        return false;
    }
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t length = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        const struct str line = gen_percent_decode(a, str_slice(text, 0, length));
        if (line.len > 0) {
            map_set(out, line, out);
        }
        text = str_slice(text, length + 1, text.len);
    }
    return true;
}

static struct str list_text(struct arena *a, const struct map *paths)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < paths->count; i++) {
        buf_add(&b, gen_percent(a, paths->entries[i].key));
        buf_add_char(&b, '\n');
    }
    return buf_str(&b);
}

/* A list may have been damaged: only what can be one of our files, below output_dir, is removed. */
static bool may_remove(struct str path)
{
    static const char *const endings[] = {".kernel.cpp", ".kernel.meta",  ".host.cpp",
                                          ".host.meta",  ".dispatch.cpp", ".module.cpp",
                                          ".hpp"};
    if (path.len == 0 || path.ptr[0] == '/' || memchr(path.ptr, '\0', path.len) != NULL) {
        return false; /* a NUL ends the path before the ending that is looked at */
    }
    for (size_t from = 0; from <= path.len;) {
        size_t to = from;
        while (to < path.len && path.ptr[to] != '/') {
            to++;
        }
        if (to == from || (to - from == 2 && memcmp(path.ptr + from, "..", 2) == 0)) {
            return false;
        }
        from = to + 1;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (str_ends_with(path, endings[i])) {
            return true;
        }
    }
    return false;
}

static bool remove_stale(const struct writer *w, const struct map *old, const struct map *now,
                         struct error *e)
{
    for (size_t i = 0; i < old->count; i++) {
        const struct str path = old->entries[i].key;
        if (map_has(now, path) || !may_remove(path)) {
            continue;
        }
        const struct str full = full_path(w, path);
        if (unlink(full.ptr) != 0 && errno != ENOENT && errno != ENOTDIR) {
            error_errno(e, "remove", full.ptr);
            return false;
        }
        /* Its folders, as far as they are empty now. */
        for (struct str dir = path_dirname(path); dir.len > 0 && !str_equal_c(dir, ".");
             dir = path_dirname(dir)) {
            if (rmdir(full_path(w, dir).ptr) != 0) {
                break;
            }
        }
    }
    return true;
}

bool gen_list_files(struct arena *a, const struct gen_request *request, struct vec *files,
                    struct error *e)
{
    const struct writer w = {.arena = a, .request = request};
    struct map paths;
    vec_init(files, a);
    if (!read_list(a, full_path(&w, target_path(&w, ".files")), &paths, e)) {
        return false;
    }
    for (size_t i = 0; i < paths.count; i++) {
        vec_push(files, &paths.entries[i].key);
    }
    return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_one(struct writer *w, struct str path, struct str text, struct error *e)
{
    const struct str full = full_path(w, path);
    bool changed = false;
    if (!file_exists(full.ptr) && !dir_make(str_copy(w->arena, path_dirname(full)).ptr, e)) {
        return false;
    }
    if (!file_write_if_changed(full.ptr, text, &changed, e)) {
        return false;
    }
    w->result->written += changed;
    return true;
}

static bool write_outputs(struct writer *w, struct error *e)
{
    for (size_t i = 0; i < w->outputs.count; i++) {
        const struct output *o = w->outputs.items[i];
        struct arena *scratch = arena_like(w->arena);
        const bool done = write_one(w, o->path, output_text(scratch, w, o), e);
        arena_free(scratch);
        if (!done) {
            return false;
        }
    }
    return true;
}

bool gen_write(struct arena *a, const struct gen_request *request, struct gen_result *result,
               struct error *e)
{
    struct writer w = {.arena = a, .request = request, .result = result};
    result->written = 0;
    add_outputs(&w);

    const struct str list = target_path(&w, ".files");
    struct map old;
    struct map now;
    struct map both;
    struct error none_yet;
    (void)read_list(a, full_path(&w, list), &old, &none_yet);
    (void)read_list(a, full_path(&w, list), &both, &none_yet);
    map_init(&now, a);
    for (size_t i = 0; i < w.outputs.count; i++) {
        const struct output *o = w.outputs.items[i];
        map_set(&now, o->path, &now);
        map_set(&both, o->path, &both);
    }
    if ((both.count != old.count && !write_one(&w, list, list_text(a, &both), e)) ||
        !write_outputs(&w, e) || !remove_stale(&w, &old, &now, e) ||
        !write_one(&w, list, list_text(a, &now), e)) {
        return false;
    }
    /* The lists last: a build tool that sees a new list finds all that it names. */
    if (request->cmake_fragment &&
        !write_one(&w, target_path(&w, ".cmake"), gen_cmake_fragment(a, request->target, &w.lists),
                   e)) {
        return false;
    }
    return !request->ninja_fragment ||
           write_one(&w, target_path(&w, ".ninja"), gen_ninja_fragment(a, &w.lists), e);
}
