/*
 * A generation after an edit of workunits' bodies: only those are parsed, lowered and written.
 *
 * A workunit's kernels depend on its definition and on what that reaches. Of a file that changed,
 * each top-level block is compared with the memo's digest. Where all that differ are definitions of
 * workunits which nothing else reaches or mentions, the file is read with all other such blocks
 * left out: names mean the same then, as long as none of those workunits' names is looked up. What
 * headers and tables show of the workunits must be as it was. In all other cases, and where there
 * is anything to say, the generation is a whole one.
 *
 * A whole generation would write the same bytes: test_again.py compares.
 */
#include "cli/cli.h"
#include "cli/memo.h"

#include <stdlib.h>
#include <string.h>

/* A file whose time is so near to when it was read may have changed without its stamp changing; so
 * may one whose times are another machine's. */
#define RACY_NS ((int64_t)2 * 1000000000)

/* A module of the memo, while it is looked at. */
struct look {
    struct memo_module *memo;
    bool wanted;   /* its file may have changed */
    bool *changed; /* for each of its blocks */
    size_t change_count;
    size_t seen; /* blocks */
    bool other;  /* something changed besides bodies */
};

struct run {
    struct arena *arena;
    const struct cli_target *target;
    struct memo memo;
    struct map looks; /* real path -> struct look */
    int64_t begun_ns;
    bool memo_changed;
    struct map left_out; /* the names of all workunits that may be left out */
    bool asked;          /* for one of them */
};

/* ---- what changed --------------------------------------------------------------------------- */

static bool outputs_are_there(const struct run *r)
{
    for (size_t i = 0; i < r->memo.output_count; i++) {
        const struct memo_file *f = &r->memo.outputs[i];
        const struct file_stamp now =
            file_stamp_of(path_join(r->arena, r->target->request.output_dir, f->path).ptr);
        if (!file_stamp_equal(&now, &f->stamp)) {
            return false;
        }
    }
    return true;
}

/* The module whose file `path` names, as it did; NULL: none, or another one than then. */
static struct look *look_of(const struct run *r, struct str path)
{
    char *resolved = realpath(path.ptr, NULL);
    struct look *look = resolved != NULL ? map_get(&r->looks, str_from(resolved)) : NULL;
    free(resolved);
    const bool same = look != NULL && (str_equal(path, look->memo->real_path) ||
                                       str_equal(path, look->memo->source));
    return same ? look : NULL;
}

/* An imported file that has another stamp has the bytes that it had. */
static bool has_same_bytes(const struct run *r, const struct memo_file *f)
{
    struct arena *a = arena_like(r->arena);
    struct str text;
    struct sha256 digest;
    struct error e;
    const bool same = f->has_digest && file_read(a, f->path.ptr, 0, &text, &e) &&
                      sha256_of(text, &digest) && sha256_equal(&digest, &f->digest);
    arena_free(a);
    return same;
}

/* Marks the modules whose files may have changed. False: something else may have. */
static bool find_changed_files(struct run *r)
{
    for (size_t i = 0; i < r->memo.input_count; i++) {
        struct memo_file *f = &r->memo.inputs[i];
        const struct file_stamp now = file_stamp_of(f->path.ptr);
        if (file_stamp_equal(&now, &f->stamp) &&
            (!now.exists ||
             (now.ctime_ns < r->memo.begun_ns - RACY_NS && !path_is_remote(f->path.ptr)))) {
            continue;
        }
        if (now.exists && has_same_bytes(r, f)) {
            r->memo_changed = r->memo_changed || !file_stamp_equal(&now, &f->stamp);
            f->stamp = now;
            continue;
        }
        struct look *look = now.exists ? look_of(r, f->path) : NULL;
        if (look == NULL) {
            return false;
        }
        look->wanted = true;
    }
    return true;
}

static bool skip(void *context, const struct py_module *m, size_t index, struct str text)
{
    struct run *r = context;
    struct look *look = map_get(&r->looks, m->real_path);
    if (look == NULL) {
        return false; /* a file of which no workunits are the target's */
    }
    look->seen = index + 1;
    if (index >= look->memo->block_count) {
        look->other = true;
        return true;
    }
    struct memo_block *block = &look->memo->blocks[index];
    struct sha256 digest;
    if (!look->wanted) {
        return block->name.len > 0;
    }
    if (!sha256_of(text, &digest)) {
        look->other = true;
        return true;
    }
    if (sha256_equal(&digest, &block->digest)) {
        return block->name.len > 0;
    }
    if (block->name.len == 0 || memo_binds_more(text)) {
        look->other = true;
        return true;
    }
    look->changed[index] = true;
    look->change_count++;
    block->digest = digest;
    return false;
}

static void ask(void *context, struct str name)
{
    struct run *r = context;
    r->asked = r->asked || map_has(&r->left_out, name);
}

static bool wants(void *context, const struct py_workunit *w)
{
    const struct run *r = context;
    const struct look *look = map_get(&r->looks, w->module->real_path);
    size_t count;
    const struct py_block *blocks = py_blocks(w->module, &count);
    return look != NULL && w->class_node == NULL && count == look->memo->block_count && count > 0 &&
           look->changed[memo_block_at(blocks, count, w->node->span.start_byte)];
}

/* ---- is it as it was, but for bodies? ------------------------------------------------------- */

/* No changed block mentions a workunit that was left out. */
static bool mentions_none(struct run *r, const struct py_module *m, const struct look *look)
{
    size_t count;
    const struct py_block *blocks = py_blocks(m, &count);
    struct map names;
    map_init(&names, r->arena);
    for (size_t i = 0; i < count; i++) {
        if (look->memo->blocks[i].name.len > 0) {
            map_set(&names, look->memo->blocks[i].name, r);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (look->changed[i] &&
            memo_mentions(&names, str_slice(m->source, blocks[i].start, blocks[i].end),
                          look->memo->blocks[i].name)) {
            return false;
        }
    }
    return true;
}

/* Each changed block is still that workunit's, which shows what it showed. */
static bool is_as_it_was(struct run *r, const struct gen_result *result,
                         const struct gen_module *module, const struct look *look, size_t *at)
{
    size_t count;
    const struct py_block *blocks = py_blocks(module->source, &count);
    const struct ast_node **only = memo_only_nodes(r->arena, module->source, blocks, count);
    size_t found = 0;
    while (*at < result->workunit_count && str_equal(result->workunits[*at].module, module->name)) {
        const struct gen_workunit *first = &result->workunits[*at];
        size_t units = 1;
        while (*at + units < result->workunit_count && first[units].workunit == first->workunit) {
            units++;
        }
        *at += units;
        found++;
        const size_t block = memo_block_at(blocks, count, first->workunit->node->span.start_byte);
        const struct memo_block *memo = &look->memo->blocks[block];
        struct sha256 shown;
        const struct str name =
            memo_alone(r->arena, &r->target->request, module, first, units, only[block], &shown);
        if (name.len == 0 || !str_equal(name, memo->name) ||
            !str_equal(sha256_hex(r->arena, &shown), memo->shown)) {
            return false;
        }
    }
    return found == look->change_count;
}

static bool only_bodies_changed(struct run *r, const struct gen_result *result)
{
    size_t at = 0;
    for (size_t i = 0; i < result->module_count; i++) {
        const struct gen_module *module = &result->modules[i];
        const struct look *look = map_get(&r->looks, module->source->real_path);
        if (look == NULL || look->other || look->seen != look->memo->block_count ||
            (look->change_count > 0 && !mentions_none(r, module->source, look)) ||
            !is_as_it_was(r, result, module, look, &at)) {
            return false;
        }
    }
    /* Modules that were only imported, too. */
    for (size_t i = 0; i < r->looks.count; i++) {
        const struct look *look = r->looks.entries[i].value;
        if (look->other) {
            return false;
        }
    }
    return at == result->workunit_count;
}

/* What the part read; `known`: the memo's stamp of each of its own files. */
static const struct py_input *inputs_read(struct run *r, const struct gen_result *result,
                                          struct map *known, size_t *count)
{
    map_init(known, r->arena);
    for (size_t i = 0; i < r->memo.input_count; i++) {
        map_set(known, r->memo.inputs[i].path, &r->memo.inputs[i].stamp);
    }
    *count = 0;
    return result->module_count > 0 ? py_program_inputs(result->modules[0].source->program, count)
                                    : NULL;
}

/* Nothing was read that the memo does not know, or that is another than when changes were looked
 * for: a body that newly reaches an import makes the target depend on more, and a file that was
 * saved meanwhile may change other kernels. */
static bool reads_what_was_read(struct run *r, const struct gen_result *result)
{
    struct map known;
    size_t count = 0;
    const struct py_input *inputs = inputs_read(r, result, &known, &count);
    for (size_t i = 0; i < count; i++) {
        const struct file_stamp *stamp = map_get(&known, inputs[i].path);
        if (stamp == NULL) {
            return false;
        }
        if (!file_stamp_equal(stamp, &inputs[i].stamp)) {
            const struct look *look = look_of(r, inputs[i].path);
            if (look == NULL || !look->wanted) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* The files that may have changed, read in part. False: a whole generation is needed. */
static bool analyse(struct run *r, struct gen_request *request, struct gen_result *result)
{
    struct arena *a = r->arena;
    struct str *sources = ARENA_ARRAY(a, struct str, r->memo.module_count);
    struct str *names = ARENA_ARRAY(a, struct str, r->memo.module_count);
    size_t count = 0;
    for (size_t i = 0; i < r->memo.module_count; i++) {
        const struct look *look = map_get(&r->looks, r->memo.modules[i].real_path);
        if (look->wanted) {
            sources[count] = r->memo.modules[i].source;
            names[count++] = r->memo.modules[i].name;
        }
    }
    *result = (struct gen_result){.modules = NULL};
    if (count == 0) {
        return true;
    }
    struct diags diags;
    diags_init(&diags, a);
    const struct gen_part part = {
        .module_names = names, .skip = skip, .ask = ask, .wants = wants, .context = r};
    request->sources = sources;
    request->source_count = count;
    request->part = &part;
    const bool good = gen_analyse(a, request, &diags, result);
    request->part = NULL;
    return good && diags.count == 0 && !r->asked && reads_what_was_read(r, result) &&
           only_bodies_changed(r, result);
}

static void note_stamps(struct run *r, const struct gen_result *result, const struct vec *written)
{
    struct map known;
    size_t count = 0;
    const struct py_input *inputs = inputs_read(r, result, &known, &count);
    for (size_t i = 0; i < count; i++) {
        struct file_stamp *stamp = map_get(&known, inputs[i].path);
        if (stamp != NULL) {
            *stamp = inputs[i].stamp;
        }
    }
    for (size_t i = 0; i < r->memo.output_count; i++) {
        struct memo_file *f = &r->memo.outputs[i];
        for (size_t k = 0; k < written->count; k++) {
            if (str_equal(f->path, *(const struct str *)written->items[k])) {
                const struct str full = path_join(r->arena, r->target->request.output_dir, f->path);
                f->stamp = file_stamp_of(full.ptr);
            }
        }
    }
}

static const struct py_input *inputs_of(struct run *r)
{
    struct py_input *inputs = ARENA_ARRAY(r->arena, struct py_input, r->memo.input_count);
    for (size_t i = 0; i < r->memo.input_count; i++) {
        inputs[i] = (struct py_input){r->memo.inputs[i].path, r->memo.inputs[i].stamp};
    }
    return inputs;
}

enum again again_run(struct arena *a, const struct cli_target *t, const struct py_input **inputs,
                     size_t *input_count)
{
    struct run r = {.arena = a, .target = t, .begun_ns = memo_now()};
    if (!memo_read(a, t, &r.memo) || !outputs_are_there(&r)) {
        return AGAIN_NO;
    }
    map_init(&r.looks, a);
    map_init(&r.left_out, a);
    for (size_t i = 0; i < r.memo.module_count; i++) {
        struct look *look = ARENA_NEW(a, struct look);
        look->memo = &r.memo.modules[i];
        look->changed = ARENA_ARRAY(a, bool, look->memo->block_count);
        map_set(&r.looks, look->memo->real_path, look);
        for (size_t k = 0; k < look->memo->block_count; k++) {
            const struct str name = look->memo->blocks[k].name;
            if (name.len > 0) {
                map_set(&r.left_out, cli_decode(a, name), look);
            }
        }
    }
    struct gen_request request = t->request;
    struct gen_result result;
    struct error e;
    struct vec written;
    vec_init(&written, a);
    if (!find_changed_files(&r) || !analyse(&r, &request, &result) ||
        !gen_write_part(a, &t->request, &result, r.memo.kernels, &written, &e) ||
        !state_follow(a, t, &result, &e)) {
        return AGAIN_NO;
    }
    if (result.module_count > 0 || r.memo_changed) {
        note_stamps(&r, &result, &written);
        r.memo.begun_ns = r.begun_ns;
        memo_write(a, t, &r.memo);
    }
    *inputs = inputs_of(&r);
    *input_count = r.memo.input_count;
    return AGAIN_DONE;
}
