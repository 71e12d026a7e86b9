/* The options file of a target. */
#include "cli/target.h"
#include "cli/cli.h"

#include <stdlib.h>

struct str target_file(struct arena *a, const struct cli_target *t, const char *suffix)
{
    struct str name = str_format(a, STR_FMT "%s", STR_ARG(t->request.target), suffix);
    return path_join(a, t->request.output_dir, name);
}

static void push(struct vec *v, struct str value)
{
    struct str *s = ARENA_NEW(v->arena, struct str);
    *s = value;
    vec_push(v, s);
}

static const struct str *as_array(struct arena *a, const struct vec *v)
{
    struct str *array = ARENA_ARRAY(a, struct str, v->count);
    for (size_t i = 0; i < v->count; i++) {
        array[i] = *(const struct str *)v->items[i];
    }
    return array;
}

/* Options that may be given more than once. */
struct target_lists {
    struct vec sources, instantiate, fuse; /* struct str * */
};

/* False: a line that this version does not know, which must not be ignored. */
static bool set_option(struct cli_target *t, struct target_lists *lists, struct str key,
                       struct str value)
{
    struct gen_request *r = &t->request;
    if (str_equal_c(key, "target")) {
        r->target = value;
    } else if (str_equal_c(key, "output_dir")) {
        r->output_dir = value;
    } else if (str_equal_c(key, "source_dir")) {
        r->source_dir = value;
    } else if (str_equal_c(key, "project")) {
        r->project = value;
    } else if (str_equal_c(key, "project_dir")) {
        r->project_dir = value;
    } else if (str_equal_c(key, "source")) {
        push(&lists->sources, value);
    } else if (str_equal_c(key, "instantiate")) {
        push(&lists->instantiate, value);
    } else if (str_equal_c(key, "fuse")) {
        push(&lists->fuse, value);
    } else if (str_equal_c(key, "execution_space")) {
        r->execution_space = value;
    } else if (str_equal_c(key, "default_real")) {
        r->default_real = str_equal_c(value, "float") ? TYPE_FLOAT : TYPE_DOUBLE;
    } else if (str_equal_c(key, "python_module")) {
        r->python_module = true;
        r->module_name = value;
    } else if (str_equal_c(key, "group_over")) {
        r->group_over = strtoul(value.ptr, NULL, 10);
    } else if (str_equal_c(key, "depfile_target")) {
        t->depfile_target = value;
    } else if (str_equal_c(key, "store")) {
        t->store = value;
    } else if (str_equal_c(key, "relist")) {
        push(&t->relist, value);
    } else if (str_equal_c(key, "input")) {
        push(&t->extra_inputs, value);
    } else if (str_equal_c(key, "toolchain")) {
        t->toolchain = value;
        r->cmake_fragment = false;
    } else if (str_equal_c(key, "kind")) {
        t->kind = value;
    } else {
        return false;
    }
    return true;
}

bool target_read(struct arena *a, const char *path, struct cli_target *out, struct error *e)
{
    struct str text;
    if (!file_read(a, path, 0, &text, e)) {
        return false;
    }
    *out = (struct cli_target){0};
    out->text = text;
    out->request.default_real = TYPE_DOUBLE;
    out->request.cmake_fragment = true;
    vec_init(&out->relist, a);
    vec_init(&out->extra_inputs, a);
    struct target_lists lists;
    vec_init(&lists.sources, a);
    vec_init(&lists.instantiate, a);
    vec_init(&lists.fuse, a);
    struct str line;
    while (cli_next_line(&text, &line)) {
        size_t equals = 0;
        while (equals < line.len && line.ptr[equals] != '=') {
            equals++;
        }
        struct str key = str_slice(line, 0, equals);
        struct str value = cli_decode(a, str_slice(line, equals + 1, line.len));
        if (equals == line.len || !set_option(out, &lists, key, value)) {
            error_set(e,
                      "%s: line '" STR_FMT "' is not understood: it was written by another "
                      "version; configure again",
                      path, STR_ARG(line));
            return false;
        }
    }
    struct gen_request *r = &out->request;
    if (r->target.len == 0 || r->output_dir.len == 0 || r->source_dir.len == 0) {
        error_set(e, "%s is not complete; configure again", path);
        return false;
    }
    r->sources = as_array(a, &lists.sources);
    r->source_count = lists.sources.count;
    r->instantiate = as_array(a, &lists.instantiate);
    r->instantiate_count = lists.instantiate.count;
    r->fuse = as_array(a, &lists.fuse);
    r->fuse_count = lists.fuse.count;
    return true;
}

static void add_line(struct buf *b, struct arena *a, const char *key, struct str value)
{
    buf_printf(b, "%s=" STR_FMT "\n", key, STR_ARG(cli_encode(a, value)));
}

struct str target_options(struct arena *a, const struct cli_target *t)
{
    const struct gen_request *r = &t->request;
    struct buf b;
    buf_init(&b, a);
    add_line(&b, a, "target", r->target);
    add_line(&b, a, "output_dir", r->output_dir);
    add_line(&b, a, "source_dir", r->source_dir);
    for (size_t i = 0; i < r->source_count; i++) {
        add_line(&b, a, "source", r->sources[i]);
    }
    for (size_t i = 0; i < r->instantiate_count; i++) {
        add_line(&b, a, "instantiate", r->instantiate[i]);
    }
    for (size_t i = 0; i < r->fuse_count; i++) {
        add_line(&b, a, "fuse", r->fuse[i]);
    }
    add_line(&b, a, "execution_space", r->execution_space);
    add_line(&b, a, "default_real", r->default_real == TYPE_FLOAT ? STR("float") : STR("double"));
    add_line(&b, a, "group_over", str_format(a, "%zu", r->group_over));
    if (r->python_module) {
        add_line(&b, a, "python_module", r->module_name);
    }
    add_line(&b, a, "depfile_target", t->depfile_target);
    if (t->store.len > 0) {
        add_line(&b, a, "store", t->store);
    }
    if (t->toolchain.len > 0) {
        add_line(&b, a, "toolchain", t->toolchain);
        add_line(&b, a, "kind", t->kind);
    }
    for (size_t i = 0; i < t->extra_inputs.count; i++) {
        add_line(&b, a, "input", *(const struct str *)t->extra_inputs.items[i]);
    }
    return buf_str(&b);
}
