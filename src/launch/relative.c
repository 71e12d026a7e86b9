/*
 * The command that is run on a miss. Another cache behind us (ccache, sccache) has paths in its
 * key; relative ones are equal in another checkout.
 */
#include "launch/private.h"

#include <string.h>

/* A path outside the working folder is only near, and so probably of the same checkout, where they
 * share more than the first folder and few steps lead to it. What lies farther off (a toolchain, an
 * installed package) is better named absolutely: that is equal everywhere. */
#define FARTHEST_UP 4
#define LEAST_SHARED 2

/* Steps up at the beginning of a relative path. */
static size_t steps_up(struct str path)
{
    size_t steps = 0;
    while (str_starts_with(path, "..") && (path.len == 2 || path.ptr[2] == '/')) {
        steps++;
        path = str_slice(path, 3, path.len);
    }
    return steps;
}

static size_t depth_of(struct str path)
{
    size_t depth = 0;
    for (size_t i = 0; i < path.len; i++) {
        depth += path.ptr[i] == '/' && i + 1 < path.len;
    }
    return depth;
}

/* No "..", "." or "//" in it: taking steps off textually is then right, links or not. */
static bool is_normal(struct arena *a, struct str path)
{
    return str_equal(path_absolute(a, STR("/"), path), path);
}

struct str command_path(struct arena *a, const struct command *c, struct str cwd, struct str path)
{
    /* Prefix maps name absolute paths: they must find them. */
    if (path.len == 0 || path.ptr[0] != '/' || cwd.len == 0 || c->maps.count > 0 ||
        !is_normal(a, path)) {
        return path;
    }
    const struct str relative = path_relative(a, cwd, path);
    const size_t up = steps_up(relative);
    const size_t depth = depth_of(cwd);
    if (up > FARTHEST_UP || (up > 0 && depth < up + LEAST_SHARED)) {
        return path;
    }
    return relative.len > 0 && relative.ptr[0] == '-' ? path : relative;
}

char **command_to_run(struct arena *a, const struct command *c, struct str cwd, bool colour)
{
    struct vec out;
    vec_init(&out, a);
    for (size_t i = 0; i <= c->compiler; i++) {
        vec_push(&out, c->argv[i]);
    }
    static char colour_flag[] = "-fdiagnostics-color=always";
    if (colour && !c->colour) {
        vec_push(&out, colour_flag);
    }
    if (c->from_file) { /* the command line may have been too long */
        for (size_t i = c->compiler + 1; i < c->argc; i++) {
            vec_push(&out, c->argv[i]);
        }
        vec_push(&out, NULL);
        return (char **)out.items;
    }
    for (size_t i = 0; i < c->arg_count; i++) {
        char *arg = c->args[i];
        const int offset = c->path_offsets[i];
        /* Without -MT, the depfile's target is the object as it is named here. */
        if (offset < 0 || (i == c->output_arg && c->depfile.len > 0 && c->targets.count == 0)) {
            vec_push(&out, arg);
            continue;
        }
        const struct str path = command_path(a, c, cwd, str_from(arg + offset));
        vec_push(&out, (void *)(uintptr_t)str_format(a, "%.*s%s", offset, arg, path.ptr).ptr);
    }
    vec_push(&out, NULL);
    return (char **)out.items;
}
