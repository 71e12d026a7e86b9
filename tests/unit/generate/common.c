#include "common.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fixture_setup(void **state)
{
    struct fixture *f = malloc(sizeof *f);
    if (f == NULL) {
        return -1;
    }
    f->arena = arena_new(NULL, NULL);
    strcpy(f->dir, "generate-test-XXXXXX");
    *state = f;
    return mkdtemp(f->dir) != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(f->arena);
    free(f);
    return 0;
}

const char *path_in(const struct fixture *f, const char *name)
{
    return str_format(f->arena, "%s/%s", f->dir, name).ptr;
}

void write_text(const struct fixture *f, const char *name, const char *text)
{
    struct error e = {""};
    const char *path = path_in(f, name);
    const struct str dir = str_copy(f->arena, path_dirname(str_from(path)));
    if (!dir_make(dir.ptr, &e) || !file_write(path, str_from(text), false, &e)) {
        fail_msg("%s", e.text);
    }
}

const char *read_text(const struct fixture *f, const char *name)
{
    struct error e = {""};
    struct str text = {NULL, 0};
    if (!file_read(f->arena, path_in(f, name), 0, &text, &e)) {
        fail_msg("%s", e.text);
    }
    return text.ptr;
}

/* One program for the folder. */
int main(void)
{
    int failed = 0;
    failed += _cmocka_run_group_tests("names", name_tests, name_test_count, NULL, NULL);
    failed += _cmocka_run_group_tests("write", write_tests, write_test_count, NULL, NULL);
    failed += _cmocka_run_group_tests("generate", generate_tests, generate_test_count, NULL, NULL);
    failed += _cmocka_run_group_tests("fuse", fuse_tests, fuse_test_count, NULL, NULL);
    failed += _cmocka_run_group_tests("host", host_tests, host_test_count, NULL, NULL);
    return failed;
}
