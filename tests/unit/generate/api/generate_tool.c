/* Generates the example for the build: generate_tool <source dir> <output dir>. */
#include "generate/generate.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    static const struct str sources[] = {{"kernels.py", 10}, {"sub/other.py", 12}};
    static const char *const entries[] = {
        "axpy(x: View1D[double], y: View1D[double], a: double)",
        "axpy(x: View1D[float32], y: View1D[float32], a: float32)",
        "fill(i: index, j: index)",
        "fill_left(i: index, j: index)",
        "total(i: index, j: index)",
    };
    struct str instantiate[sizeof entries / sizeof *entries];
    if (argc != 3) {
        fprintf(stderr, "usage: %s <source dir> <output dir>\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        instantiate[i] = str_from(entries[i]);
    }
    struct gen_request r = {
        .target = STR("unit-api"),
        .output_dir = str_from(argv[2]),
        .source_dir = str_from(argv[1]),
        .sources = sources,
        .source_count = 2,
        .instantiate = instantiate,
        .instantiate_count = sizeof entries / sizeof *entries,
        .default_real = TYPE_DOUBLE,
        .python_module = true,
        .module_name = STR("api_example"),
        .cmake_fragment = true,
    };
    struct arena *a = arena_new(NULL, NULL);
    struct diags diags;
    struct gen_result result;
    struct error e = {""};
    struct buf text;
    diags_init(&diags, a);
    buf_init(&text, a);
    const bool good = gen_analyse(a, &r, &diags, &result) && gen_write(a, &r, &result, &e);
    diags_format(&text, &diags, false);
    fprintf(stderr, STR_FMT "%s", STR_ARG(buf_str(&text)), e.text);
    arena_free(a);
    return good ? 0 : 1;
}
