#include "cli/arguments.h"

#include <string.h>

void arguments_init(struct arguments *s, struct arena *a)
{
    *s = (struct arguments){0};
    vec_init(&s->files, a);
    vec_init(&s->instantiate, a);
    vec_init(&s->fuse, a);
}

static const struct str *as_array(struct arena *a, const struct vec *v)
{
    struct str *array = ARENA_ARRAY(a, struct str, v->count);
    for (size_t i = 0; i < v->count; i++) {
        array[i] = *(const struct str *)v->items[i];
    }
    return array;
}

/* A C++ name, perhaps qualified: it becomes C++ text, so nothing else may pass. */
static bool is_space_name(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool digit = c >= '0' && c <= '9' && i > 0;
        bool colon =
            c == ':' && ((i > 0 && s.ptr[i - 1] == ':') || (i + 1 < s.len && s.ptr[i + 1] == ':'));
        if (!letter && !digit && !colon) {
            return false;
        }
    }
    return true;
}

/* Whether a target's name, which is a file's, may have c. A Python module's is the end of a C
 * symbol, too; it may begin with a digit, for importlib takes what `import` cannot spell. */
static bool in_target_name(char c, bool module, bool first)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    const bool sign = c == '-' || c == '+' || c == '.';
    return letter || digit || (sign && !module && !first);
}

static bool is_target_name(struct str s, bool module)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!in_target_name(s.ptr[i], module, i == 0)) {
            return false;
        }
    }
    return s.len > 0;
}

/* The target of a file: its name without the ending, other characters as '_'. */
static struct str target_of_file(struct arena *a, struct str file, bool module)
{
    const struct str stem = path_stem(path_basename(file));
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < stem.len; i++) {
        buf_add_char(&b, in_target_name(stem.ptr[i], module, i == 0) ? stem.ptr[i] : '_');
    }
    return buf_str(&b);
}

bool arguments_target(struct arena *a, const struct cli_command *c, const struct arguments *s,
                      struct cli_target *out, int *code)
{
    *out = (struct cli_target){0};
    vec_init(&out->relist, a);
    vec_init(&out->extra_inputs, a);
    struct gen_request *r = &out->request;
    if (s->files.count == 0) {
        *code = cli_usage_error(c, "no Python file given");
        return false;
    }
    for (size_t i = 0; i < s->files.count; i++) {
        const struct str *file = s->files.items[i];
        if (file->len == 0) {
            *code = cli_usage_error(c, "a file's name is empty");
            return false;
        }
    }
    r->default_real = TYPE_DOUBLE;
    if (str_equal_c(s->default_real, "float")) {
        r->default_real = TYPE_FLOAT;
    } else if (s->default_real.len > 0 && !str_equal_c(s->default_real, "double")) {
        *code = cli_usage_error(c, "--default-real is float or double, not '" STR_FMT "'",
                                STR_ARG(s->default_real));
        return false;
    }
    if (!is_space_name(s->execution_space)) {
        *code = cli_usage_error(c, "--execution-space '" STR_FMT "' is not a C++ name",
                                STR_ARG(s->execution_space));
        return false;
    }
    r->sources = as_array(a, &s->files);
    r->source_count = s->files.count;
    r->instantiate = as_array(a, &s->instantiate);
    r->instantiate_count = s->instantiate.count;
    r->fuse = as_array(a, &s->fuse);
    r->fuse_count = s->fuse.count;
    r->execution_space = s->execution_space;
    r->source_dir = path_cwd(a);
    r->target = s->name.len > 0 ? s->name : target_of_file(a, r->sources[0], s->python);
    r->python_module = s->python;
    r->module_name = r->target;
    if (!is_target_name(r->target, s->python)) {
        *code = cli_usage_error(c, "'" STR_FMT "' cannot be a %s's name; give one with --name",
                                STR_ARG(r->target), s->python ? "Python module" : "library");
        return false;
    }
    return true;
}
