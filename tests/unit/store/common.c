#include "common.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int place_setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));
    p->arena = arena_new(NULL, NULL);
    strcpy(p->dir, "store-test-XXXXXX");
    if (mkdtemp(p->dir) == NULL) {
        return 1;
    }
    unsetenv("PYKOKKOS_CACHE_DISABLE");
    unsetenv("PYKOKKOS_CACHE_MAX_SIZE");
    unsetenv("PYKOKKOS_CACHE_DIR");
    p->store = place_reopen(p);
    *state = p;
    return p->store == NULL;
}

int place_teardown(void **state)
{
    struct place *p = *state;
    store_close(p->store);
    char remove[] = "rm";
    char flags[] = "-rf";
    char *argv[] = {remove, flags, p->dir, NULL};
    struct process_result result;
    struct error e;
    process_run(p->arena, argv, NULL, PROCESS_INHERIT, &result, &e);
    arena_free(p->arena);
    free(p);
    return 0;
}

struct store *place_reopen(struct place *p)
{
    struct error e;
    store_close(p->store);
    p->store = store_open(p->arena, path_join(p->arena, str_from(p->dir), STR("store")).ptr, &e);
    return p->store;
}

const char *place_path(struct place *p, const char *name)
{
    return str_format(p->arena, "%s/store/%s", p->dir, name).ptr;
}

struct sha256 key_of(int n)
{
    struct sha256 key = {{0}};
    char text[32];
    snprintf(text, sizeof(text), "key %d", n);
    sha256_of(str_from(text), &key);
    return key;
}

struct store_record record_of(int n)
{
    return (struct store_record){.key = key_of(n),
                                 .text_digest = key_of(n + 1000),
                                 .has_ast_hash = true,
                                 .ast_hash = key_of(n + 2000),
                                 .has_signature_hash = true,
                                 .signature_hash = key_of(3000),
                                 .module = STR("kernels"),
                                 .workunit = STR("scale"),
                                 .types = STR("View1D[double]"),
                                 .toolchain = STR("gcc 12"),
                                 .compile_ms = 40};
}

const struct store_why why_body = {"body", {"body at k.py:1", 14}, {"build", 5}};

void publish(struct place *p, int n, const char *object)
{
    struct store_record record = record_of(n);
    struct error e = {""};
    assert_true(store_publish(p->store, &record, str_from(object), &why_body, &e));
}

int64_t query_int(struct place *p, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    assert_int_equal(sqlite3_open(place_path(p, "manifest.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const int64_t n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return n;
}

void execute(struct place *p, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(place_path(p, "manifest.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

void *hold_manifest(struct place *p)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(place_path(p, "manifest.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

void release_manifest(void *held)
{
    assert_int_equal(sqlite3_exec(held, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(held);
}

void flip_byte(const char *path, long offset)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, offset, SEEK_SET);
    const int c = fgetc(f);
    assert_int_not_equal(c, EOF);
    fseek(f, offset, SEEK_SET);
    fputc(c ^ 0x40, f);
    fclose(f);
}

const char *object_path(struct place *p, int n)
{
    const struct sha256 key = key_of(n);
    return str_format(p->arena, "%s/store/%s/object", p->dir, store_entry_dir(p->arena, &key).ptr)
        .ptr;
}

int count_in(const char *dir)
{
    DIR *d = opendir(dir);
    if (d == NULL) {
        return 0;
    }
    int count = 0;
    for (struct dirent *item = readdir(d); item != NULL; item = readdir(d)) {
        count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    }
    closedir(d);
    return count;
}
