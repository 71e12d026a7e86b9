/*
 * bench_front: the front end's own times, process start left out. Each prints seconds, one run a
 * line.
 *
 *   bench_front parse RUNS FILE   tree-sitter's bare parse of the file
 *   bench_front hash RUNS FILE    read, parse, and the AST hash of each workunit
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tree_sitter/api.h>

#include "python/python.h"

const TSLanguage *tree_sitter_python(void);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool parse(struct str text, double *took)
{
    double start = now();
    TSParser *parser = ts_parser_new();
    bool ok = ts_parser_set_language(parser, tree_sitter_python());
    TSTree *tree = ts_parser_parse_string(parser, NULL, text.ptr, (uint32_t)text.len);
    *took = now() - start;
    ok = ok && tree != NULL && !ts_node_has_error(ts_tree_root_node(tree));
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    return ok;
}

static bool hash(struct arena *a, const char *path, double *took, size_t *hashed)
{
    double start = now();
    struct diags diags;
    diags_init(&diags, a);
    const struct py_module *m = py_module_load(py_program_new(a, &diags), str_from(path));
    const struct py_workunit *workunits = py_workunits(m, hashed);
    bool ok = m->readable;
    for (size_t i = 0; i < *hashed; i++) {
        struct sha256 digest;
        ok = py_ast_hash(a, &workunits[i], &digest) && ok;
    }
    *took = now() - start;
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 4 || (strcmp(argv[1], "parse") != 0 && strcmp(argv[1], "hash") != 0)) {
        fprintf(stderr, "usage: bench_front parse|hash RUNS FILE\n");
        return 2;
    }
    long runs = strtol(argv[2], NULL, 10);
    for (long run = 0; run < runs; run++) {
        struct arena *a = arena_new(NULL, NULL);
        double took = 0;
        size_t hashed = 0;
        bool ok;
        if (strcmp(argv[1], "parse") == 0) {
            struct str content;
            struct error error;
            ok = file_read(a, argv[3], SIZE_MAX, &content, &error) && parse(content, &took);
        } else {
            ok = hash(a, argv[3], &took, &hashed) && hashed > 0;
        }
        if (!ok) {
            fprintf(stderr, "bench_front: %s: cannot be read\n", argv[3]);
            return 1;
        }
        printf("%.9f\n", took);
        arena_free(a);
    }
    return 0;
}
