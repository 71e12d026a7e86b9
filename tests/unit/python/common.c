#include "common.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int project_setup(void **state)
{
    struct arena *a = arena_new(NULL, NULL);
    struct project *p = ARENA_NEW(a, struct project);
    p->arena = a;
    const char *tmp = getenv("TMPDIR");
    const struct str name =
        str_format(a, "%s/pkc-python-XXXXXX", tmp == NULL || tmp[0] == '\0' ? "/tmp" : tmp);
    char *path = arena_alloc(a, name.len + 1);
    memcpy(path, name.ptr, name.len);
    if (mkdtemp(path) == NULL) {
        return -1;
    }
    p->folder = str_from(path);
    project_again(p);
    *state = p;
    return 0;
}

static void remove_tree(struct arena *a, struct str path)
{
    struct stat st;
    if (lstat(path.ptr, &st) != 0) {
        return;
    }
    if (!S_ISDIR(st.st_mode)) {
        (void)unlink(path.ptr);
        return;
    }
    DIR *folder = opendir(path.ptr);
    for (struct dirent *e = folder == NULL ? NULL : readdir(folder); e != NULL;
         e = readdir(folder)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            remove_tree(a, path_join(a, path, str_from(e->d_name)));
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    (void)rmdir(path.ptr);
}

int project_teardown(void **state)
{
    struct project *p = *state;
    remove_tree(p->arena, p->folder);
    arena_free(p->arena);
    return 0;
}

void project_again(struct project *p)
{
    diags_init(&p->diags, p->arena);
    p->program = py_program_new(p->arena, &p->diags);
}

void project_write(struct project *p, const char *name, const char *text)
{
    const struct str path = path_join(p->arena, p->folder, str_from(name));
    struct error e = {{0}};
    const struct str folder = str_copy(p->arena, path_dirname(path));
    assert_true(dir_make(folder.ptr, &e));
    assert_true(file_write(path.ptr, str_from(text), false, &e));
    project_again(p);
}

const struct py_module *project_load(struct project *p, const char *name)
{
    return py_module_load(p->program, path_join(p->arena, p->folder, str_from(name)));
}

static const struct py_workunit *find(struct project *p, const char *file, const char *name)
{
    project_again(p);
    size_t count = 0;
    const struct py_workunit *workunits = py_workunits(project_load(p, file), &count);
    for (size_t i = 0; i < count; i++) {
        if (str_equal_c(workunits[i].qualified, name)) {
            return &workunits[i];
        }
    }
    return NULL;
}

struct str project_hash(struct project *p, const char *file, const char *workunit)
{
    const struct py_workunit *w = find(p, file, workunit);
    struct sha256 hash;
    if (w == NULL || !py_ast_hash(p->arena, w, &hash)) {
        return STR("");
    }
    return sha256_hex(p->arena, &hash);
}

struct str project_form(struct project *p, const char *file, const char *workunit)
{
    const struct py_workunit *w = find(p, file, workunit);
    struct buf text;
    buf_init(&text, p->arena);
    if (w != NULL) {
        py_canonical(&text, w);
    }
    return buf_str(&text);
}

struct str project_messages(struct project *p)
{
    struct buf text;
    buf_init(&text, p->arena);
    diags_sort(&p->diags);
    for (size_t i = 0; i < p->diags.count; i++) {
        const struct diag *d = &p->diags.items[i];
        const struct str file = path_relative(p->arena, p->folder, d->file);
        buf_printf(&text, STR_FMT ":%d:%d: %s: " STR_FMT "\n", STR_ARG(file), d->line, d->column,
                   d->severity == DIAG_ERROR ? "error" : "warning", STR_ARG(d->message));
    }
    return buf_str(&text);
}

void assert_str(struct str actual, const char *expected)
{
    if (!str_equal_c(actual, expected)) {
        fail_msg("'" STR_FMT "' is not '%s'", STR_ARG(actual), expected);
    }
}
