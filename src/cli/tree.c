#include "cli/tree.h"
#include "cli/cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct cli_target *x = *(struct cli_target *const *)a;
    const struct cli_target *y = *(struct cli_target *const *)b;
    return str_compare(x->request.target, y->request.target);
}

static void add_targets(struct arena *a, struct str folder, struct vec *targets)
{
    DIR *d = opendir(folder.ptr);
    if (d == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(d); entry != NULL; entry = readdir(d)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        struct str name = str_copy_c(a, entry->d_name);
        struct str file = str_format(a, STR_FMT "/" STR_FMT "/" STR_FMT ".options", STR_ARG(folder),
                                     STR_ARG(name), STR_ARG(name));
        struct cli_target *t = ARENA_NEW(a, struct cli_target);
        struct error e;
        if (file_exists(file.ptr) && target_read(a, file.ptr, t, &e)) {
            vec_push(targets, t);
        }
    }
    closedir(d);
    if (targets->count > 0) {
        qsort(targets->items, targets->count, sizeof(void *), compare);
    }
}

bool tree_targets(struct arena *a, struct str start, struct str *root, struct vec *targets,
                  struct error *e)
{
    struct str dir = path_absolute(a, path_cwd(a), start.len > 0 ? start : STR("."));
    struct str first = dir;
    for (;;) {
        add_targets(a, path_join(a, dir, STR("pykokkos")), targets);
        if (targets->count > 0) {
            *root = dir;
            return true;
        }
        struct str parent = str_copy(a, path_dirname(dir));
        if (start.len > 0 || dir.len <= 1 || str_equal(parent, dir)) {
            error_set(e, "no kernels have been built in " STR_FMT "%s; name a build folder with -C",
                      STR_ARG(first), start.len > 0 ? "" : " or above it");
            return false;
        }
        dir = parent;
    }
}
