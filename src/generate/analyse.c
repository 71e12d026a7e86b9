/* Files -> modules -> workunits -> kernels and hashes. Nothing is written. */
#include "generate/private.h"

/* A source's absolute path without ".py"; a package's __init__.py is the package. */
static struct str module_path(struct arena *a, struct str real_path)
{
    struct str path =
        str_ends_with(real_path, ".py") ? str_slice(real_path, 0, real_path.len - 3) : real_path;
    if (str_equal_c(path_basename(path), "__init__")) {
        path = path_dirname(path);
    }
    return str_copy(a, path);
}

/* Loads the files, each once. */
static bool load_modules(struct arena *a, const struct gen_request *r, struct diags *diags,
                         struct gen_result *result)
{
    struct py_program *program = py_program_new(a, diags);
    const struct str base = gen_source_dir(a, r);
    struct str *paths = ARENA_ARRAY(a, struct str, r->source_count);
    struct map seen;
    map_init(&seen, a);
    result->modules = ARENA_ARRAY(a, struct gen_module, r->source_count);
    if (r->part != NULL) {
        py_program_skip(program, r->part->skip, r->part->ask, r->part->context);
    }
    for (size_t i = 0; i < r->source_count; i++) {
        const struct py_module *m = py_module_load(program, path_absolute(a, base, r->sources[i]));
        if (map_has(&seen, m->real_path)) {
            continue;
        }
        map_set(&seen, m->real_path, &seen);
        paths[result->module_count] = module_path(a, m->real_path);
        result->modules[result->module_count++].source = m;
    }
    struct error e = {""};
    if (r->part != NULL) {
        for (size_t i = 0; i < result->module_count; i++) {
            result->modules[i].name = r->part->module_names[i];
        }
        return result->module_count == r->source_count;
    }
    if (!gen_name_modules(a, result->modules, paths, result->module_count, &e)) {
        diags_add(diags, (struct diag){.severity = DIAG_ERROR, .message = str_copy_c(a, e.text)});
        return false;
    }
    return true;
}

/* The closure's hash, and for an instantiation its types. */
static bool hash_kernel(struct arena *a, const struct kernel *k, const struct sha256 *closure,
                        struct sha256 *out)
{
    if (k->instance.len == 0) {
        *out = *closure;
        return true;
    }
    struct sha256_ctx *c = sha256_begin(a);
    if (c == NULL) {
        return false;
    }
    sha256_add(c, closure->bytes, sizeof closure->bytes);
    for (size_t i = 0; i < k->parameter_count; i++) {
        sha256_add_str(c, k->parameters[i].name);
        sha256_add_str(c, type_spell(a, k->parameters[i].type));
    }
    return sha256_end(c, out);
}

static void refuse(const struct py_workunit *w, struct str message, struct str hint)
{
    py_error(w->module, w->node, w->qualified, message, hint);
}

struct analysis {
    struct arena *arena;
    const struct gen_request *request;
    struct gen_entry *entries;
    struct vec found; /* struct gen_workunit * */
    struct kernel_cache *cache;
};

static void add_workunit(struct analysis *s, const struct gen_module *m,
                         const struct py_workunit *w, const struct instantiation *instantiation)
{
    struct arena *a = s->arena;
    const struct kernel_options options = {s->request->default_real, s->cache};
    struct gen_workunit *out = ARENA_NEW(a, struct gen_workunit);
    out->workunit = w;
    out->instantiation = instantiation;
    out->module = m->name;
    out->kernel = kernel_lower(a, w, instantiation, &options);
    if (out->kernel != NULL) {
        const struct type *unsupported = gen_unsupported_parameter(out->kernel);
        if (unsupported != NULL) {
            refuse(w,
                   str_format(a, "a parameter or field of type " STR_FMT " cannot be passed in",
                              STR_ARG(type_spell(a, unsupported))),
                   STR("pass views and scalars"));
            out->kernel = NULL;
        }
    }
    vec_push(&s->found, out);
    if (out->kernel == NULL) {
        return;
    }
    const struct str symbol = kernel_symbol(a, out->kernel);
    out->file = gen_kernel_file(a, m->name, symbol);
    struct sha256 closure;
    if (!py_ast_hash(a, w, &closure) || !hash_kernel(a, out->kernel, &closure, &out->ast_hash)) {
        refuse(w, STR("its AST hash cannot be computed"), STR(""));
        out->kernel = NULL;
    }
}

/* Two entries with the same types make one kernel. */
static bool is_repeated(struct arena *a, const struct vec *found, size_t first,
                        const struct gen_workunit *w)
{
    for (size_t i = first; i < found->count; i++) {
        const struct gen_workunit *other = found->items[i];
        if (other != w && other->kernel != NULL && w->kernel != NULL &&
            str_equal(kernel_symbol(a, other->kernel), kernel_symbol(a, w->kernel))) {
            return true;
        }
    }
    return false;
}

static void analyse_workunit(struct analysis *s, const struct gen_module *m,
                             const struct py_workunit *w)
{
    const size_t first = s->found.count;
    bool instantiated = false;
    for (size_t i = 0; i < s->request->instantiate_count; i++) {
        struct gen_entry *entry = &s->entries[i];
        if (!gen_entry_fits(entry, m->name, w->qualified)) {
            continue;
        }
        entry->used = true;
        instantiated = true;
        add_workunit(s, m, w, &entry->parsed);
        if (is_repeated(s->arena, &s->found, first, s->found.items[s->found.count - 1])) {
            s->found.count--;
        }
    }
    if (!instantiated) {
        add_workunit(s, m, w, NULL);
    }
}

/* What a class shows to a user is one: instantiations of its workunits share its fields. */
bool gen_analyse(struct arena *a, const struct gen_request *request, struct diags *diags,
                 struct gen_result *result)
{
    *result = (struct gen_result){0};
    if (!load_modules(a, request, diags, result)) {
        return false;
    }
    struct analysis s = {a, request, gen_entries(a, request, diags), {0}, kernel_cache_new(a)};
    vec_init(&s.found, a);
    for (size_t i = 0; i < result->module_count; i++) {
        const struct gen_module *m = &result->modules[i];
        size_t count = 0;
        const struct py_workunit *list =
            m->source->readable ? py_workunits(m->source, &count) : NULL;
        for (size_t k = 0; k < count; k++) {
            if (request->part == NULL || request->part->wants(request->part->context, &list[k])) {
                analyse_workunit(&s, m, &list[k]);
            }
        }
    }
    if (request->part == NULL) {
        gen_unused_entries(a, request, s.entries, &s.found, diags);
    }
    gen_fuse(a, request, s.cache, &s.found, diags);
    struct vec absent;
    vec_init(&absent, a);
    gen_hosts(a, request, s.cache, &s.found, &absent);
    result->absent = (const struct gen_absent **)absent.items;
    result->absent_count = absent.count;
    result->workunits = ARENA_ARRAY(a, struct gen_workunit, s.found.count);
    result->workunit_count = s.found.count;
    for (size_t i = 0; i < s.found.count; i++) {
        result->workunits[i] = *(const struct gen_workunit *)s.found.items[i];
    }
    gen_tag(a, request, result);
    bool good = diags->error_count == 0;
    for (size_t i = 0; i < result->workunit_count; i++) {
        good = good && result->workunits[i].kernel != NULL;
    }
    return good;
}
