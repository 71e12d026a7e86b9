/*
 * What is written after an edit of a few workunits' bodies: their kernel TUs alone, or in a large
 * target their parts of groups.
 */
#include "generate/private.h"

#include <string.h>

bool gen_shown(struct arena *a, const struct gen_request *request, const struct gen_module *module,
               const struct gen_workunit *workunits, size_t count, struct sha256 *out)
{
    /* A target of nothing else: whatever they put into those files is in these. */
    struct gen_module only = *module;
    struct gen_result result = {.modules = &only, .module_count = 1, .workunit_count = count};
    result.workunits = ARENA_ARRAY(a, struct gen_workunit, count);
    memcpy(result.workunits, workunits, count * sizeof(*workunits));
    struct sha256_ctx *sha = sha256_begin(a);
    if (sha == NULL) {
        return false;
    }
    sha256_add_str(sha, gen_header(a, request, &result, &only));
    if (request->python_module) {
        sha256_add_str(sha, gen_table(a, request, &result));
    }
    for (size_t i = 0; i < count; i++) {
        sha256_add_str(sha, workunits[i].file);
        sha256_add(sha, workunits[i].kernel->signature_hash.bytes,
                   sizeof(workunits[i].kernel->signature_hash.bytes));
    }
    return sha256_end(sha, out);
}

struct part_writer {
    struct arena *arena;
    const struct gen_request *request;
    struct vec *written;
    struct error *e;
};

static bool put(struct part_writer *w, struct str path, struct str text)
{
    bool changed = false;
    const struct str full = path_join(w->arena, w->request->output_dir, path);
    if (!file_write_if_changed(full.ptr, text, &changed, w->e)) {
        return false;
    }
    if (changed) {
        struct str *kept = ARENA_NEW(w->arena, struct str);
        *kept = path;
        vec_push(w->written, kept);
    }
    return true;
}

/* The group's text with this kernel's part in the place of its old one. */
static bool put_in_group(struct part_writer *w, struct str path, const struct gen_workunit *unit,
                         struct str text)
{
    struct arena *a = w->arena;
    const struct str file = gen_percent(a, unit->file);
    struct str old;
    struct vec parts;
    struct buf b;
    if (!file_read(a, path_join(a, w->request->output_dir, path).ptr, 0, &old, w->e)) {
        return false;
    }
    buf_init(&b, a);
    if (group_parse(a, old, &parts)) {
        for (size_t i = 0; i < parts.count; i++) {
            const struct group_part *part = parts.items[i];
            if (str_equal(part->file, file)) {
                buf_add_bytes(&b, old.ptr, (size_t)(part->whole.ptr - old.ptr));
                gen_group_add(&b, unit, gen_meta(a, unit), text);
                const size_t after = (size_t)(part->whole.ptr - old.ptr) + part->whole.len;
                buf_add(&b, str_slice(old, after, old.len));
                return put(w, path, buf_str(&b));
            }
        }
    }
    error_set(w->e, STR_FMT " is not in " STR_FMT, STR_ARG(unit->file), STR_ARG(path));
    return false;
}

static const struct gen_module *module_of(const struct gen_result *r, struct str name)
{
    size_t i = 0;
    while (i + 1 < r->module_count && !str_equal(r->modules[i].name, name)) {
        i++;
    }
    return &r->modules[i];
}

bool gen_write_part(struct arena *a, const struct gen_request *request,
                    const struct gen_result *result, size_t kernels, struct vec *written,
                    struct error *e)
{
    struct part_writer w = {a, request, written, e};
    const size_t groups = gen_group_count(request, kernels);
    for (size_t i = 0; i < result->workunit_count; i++) {
        const struct gen_workunit *unit = &result->workunits[i];
        const struct str text = gen_kernel_text(a, request, module_of(result, unit->module), unit);
        if (groups > 0) {
            if (!put_in_group(&w, gen_group_file(a, unit->file, groups), unit, text)) {
                return false;
            }
            continue;
        }
        const struct str stem = str_slice(unit->file, 0, unit->file.len - strlen(".cpp"));
        /* First, so that a compiler that starts early finds it. */
        if (!put(&w, str_format(a, STR_FMT ".meta", STR_ARG(stem)), gen_meta(a, unit)) ||
            !put(&w, unit->file, text)) {
            return false;
        }
    }
    return true;
}
