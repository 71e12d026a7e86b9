/*
 * oracle: prints what the front end makes of a file, for comparison with CPython.
 *
 *   oracle dump FILE…        "=== FILE", then ast_dump of the module, or its errors
 *   oracle functions FILE…   one line for each function: its line, a tab, its ast_dump
 *   oracle hash FILE…        one line for each workunit: its name, a tab, its AST hash
 *   oracle form FILE…        the canonical forms
 *   oracle errors FILE…      the diagnostics alone, on standard output
 *
 * A FILE "-" stands for the files that standard input names, one a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python/python.h"

static void print_functions(void *context, const struct ast_node *node)
{
    struct arena *a = context;
    if (node->kind == AST_FUNCTION_DEF || node->kind == AST_ASYNC_FUNCTION_DEF) {
        struct buf text;
        buf_init(&text, a);
        ast_dump(&text, node);
        printf("%d\t" STR_FMT "\n", node->span.line, STR_ARG(buf_str(&text)));
    }
    ast_for_each_child(node, print_functions, context);
}

static void print_workunits(struct arena *a, const struct py_module *m, bool forms)
{
    size_t count = 0;
    const struct py_workunit *workunits = py_workunits(m, &count);
    for (size_t i = 0; i < count; i++) {
        struct sha256 hash;
        if (forms) {
            struct buf text;
            buf_init(&text, a);
            py_canonical(&text, &workunits[i]);
            printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
        } else if (py_ast_hash(a, &workunits[i], &hash)) {
            printf(STR_FMT "\t" STR_FMT "\n", STR_ARG(workunits[i].qualified),
                   STR_ARG(sha256_hex(a, &hash)));
        }
    }
}

static int run(const char *mode, const char *path)
{
    struct arena *a = arena_new(NULL, NULL);
    struct diags diags;
    diags_init(&diags, a);
    struct py_program *p = py_program_new(a, &diags);
    const struct py_module *m = py_module_load(p, str_from(path));
    if (strcmp(mode, "dump") == 0) {
        struct buf text;
        buf_init(&text, a);
        ast_dump(&text, m->tree);
        printf("=== %s\n" STR_FMT "\n", path, STR_ARG(buf_str(&text)));
    } else if (strcmp(mode, "functions") == 0) {
        printf("=== %s\n", path);
        print_functions(a, m->tree);
    } else if (strcmp(mode, "errors") == 0) {
        printf("=== %s\n", path);
    } else {
        printf("=== %s\n", path);
        print_workunits(a, m, strcmp(mode, "form") == 0);
    }
    if (diags.count > 0) {
        struct buf text;
        buf_init(&text, a);
        diags_sort(&diags);
        diags_format(&text, &diags, false);
        fprintf(strcmp(mode, "errors") == 0 ? stdout : stderr, STR_FMT, STR_ARG(buf_str(&text)));
    }
    const int status = diags.error_count > 0 ? 1 : 0;
    arena_free(a);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: oracle dump|functions|hash|form|errors FILE...\n");
        return 2;
    }
    int status = 0;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "-") != 0) {
            status |= run(argv[1], argv[i]);
            continue;
        }
        char path[4096];
        while (fgets(path, sizeof(path), stdin) != NULL) {
            path[strcspn(path, "\n")] = '\0';
            status |= run(argv[1], path);
        }
    }
    return status;
}
