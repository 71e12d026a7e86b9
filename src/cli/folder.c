/* Sets up a build folder without CMake, and generates into it. */
#include "cli/folder.h"
#include "cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void folder_arguments_init(struct folder_arguments *s, struct arena *a)
{
    *s = (struct folder_arguments){.dir = STR("pykokkos-build"), .group_over = STR("500")};
    arguments_init(&s->args, a);
}

/* A folder that holds somebody else's build is not written into. */
static bool is_ours(struct arena *a, struct str dir, struct error *e)
{
    struct str path = path_join(a, dir, STR("build.ninja"));
    struct str text;
    if (!file_exists(path.ptr)) {
        return true;
    }
    if (!file_read(a, path.ptr, 0, &text, e)) {
        return false;
    }
    if (!str_starts_with(text, FOLDER_MARKER)) {
        error_set(e, "%s was not written by pykokkos-cache; choose another folder with -o",
                  path.ptr);
        return false;
    }
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(**(struct str *const *)a, **(struct str *const *)b);
}

/* False: no number. */
static bool take_group_over(struct str text, size_t *out)
{
    size_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (size_t)(text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0 && text.len < 10;
}

/* The headers that kernels may include, and the compiler: what else an object's key is made of. */
static void add_inputs(struct arena *a, struct cli_target *t, const struct toolchain *tools)
{
    struct str folder = path_join(a, cli_include_dir(a), STR("pykokkos_cache"));
    DIR *d = opendir(folder.ptr);
    if (d != NULL) {
        for (struct dirent *entry = readdir(d); entry != NULL; entry = readdir(d)) {
            struct str name = str_from(entry->d_name);
            if (str_ends_with(name, ".hpp")) {
                struct str *path = ARENA_NEW(a, struct str);
                *path = path_join(a, folder, str_copy(a, name));
                vec_push(&t->extra_inputs, path);
            }
        }
        closedir(d);
    }
    if (t->extra_inputs.count > 0) {
        qsort(t->extra_inputs.items, t->extra_inputs.count, sizeof(void *), compare_names);
    }
    struct str *cxx = ARENA_NEW(a, struct str);
    struct str *file = ARENA_NEW(a, struct str);
    *cxx = tools->cxx;
    *file = tools->file;
    vec_push(&t->extra_inputs, cxx);
    vec_push(&t->extra_inputs, file);
}

static struct str build_ninja(struct arena *a, const struct cli_target *t)
{
    return str_format(a,
                      FOLDER_MARKER "\n"
                                    "ninja_required_version = 1.10\n"
                                    "builddir = .\n"
                                    "include pykokkos/" STR_FMT "/" STR_FMT ".edges\n",
                      STR_ARG(t->request.target), STR_ARG(t->request.target));
}

static bool write_folder(struct arena *a, struct cli_target *t, struct target_outcome *out,
                         struct error *e)
{
    bool changed;
    t->text = target_options(a, t);
    if (!dir_make("pkc", e) || !dir_make(t->request.output_dir.ptr, e) ||
        !file_write_if_changed(target_file(a, t, ".options").ptr, t->text, &changed, e) ||
        !target_generate(a, t, TARGET_CONFIGURE, out, e)) {
        return false;
    }
    /* After errors, too, where there are no edges yet: `ninja` then says what is wrong. */
    if (out->refused && file_exists(target_file(a, t, ".edges").ptr)) {
        return true;
    }
    return folder_write_edges(a, t, e) &&
           file_write_if_changed("build.ninja", build_ninja(a, t), &changed, e);
}

int folder_write(struct arena *a, const struct cli_command *c, struct folder_arguments *s,
                 bool print, struct cli_target *target, struct str *dir)
{
    int code = CLI_OK;
    struct error e;
    if (!arguments_target(a, c, &s->args, target, &code)) {
        return code;
    }
    if (s->is_static && s->args.python) {
        return cli_usage_error(c, "--static and --python exclude each other");
    }
    struct gen_request *r = &target->request;
    if (!take_group_over(s->group_over, &r->group_over)) {
        return cli_usage_error(c, "--group-over is a number of kernels, not '" STR_FMT "'",
                               STR_ARG(s->group_over));
    }
    *dir = path_absolute(a, r->source_dir, s->dir);
    target->kind = s->args.python ? STR("module") : s->is_static ? STR("static") : STR("shared");
    struct toolchain tools;
    struct str settings = path_join(a, *dir, STR("pykokkos"));
    struct str kokkos = s->kokkos.len > 0 ? path_absolute(a, r->source_dir, s->kokkos) : STR("");
    if (!is_ours(a, *dir, &e) || !toolchain_get(a, settings, kokkos, s->args.python, &tools, &e)) {
        return cli_fail("%s", e.text);
    }
    if (chdir(dir->ptr) != 0) {
        error_errno(&e, "enter", dir->ptr);
        return cli_fail("%s", e.text);
    }
    r->output_dir = path_join(a, settings, r->target);
    r->cmake_fragment = false;
    target->toolchain = tools.file;
    target->depfile_target = str_format(a, "pykokkos/" STR_FMT "/" STR_FMT ".stamp",
                                        STR_ARG(r->target), STR_ARG(r->target));
    add_inputs(a, target, &tools);
    struct target_outcome out;
    if (!write_folder(a, target, &out, &e)) {
        return cli_fail("%s", e.text);
    }
    if (print) {
        cli_say(out.diagnostics);
    }
    return out.refused ? CLI_FAILED : CLI_OK;
}
