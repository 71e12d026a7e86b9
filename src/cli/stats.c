#include "cli/store.h"

typedef unsigned long long ull;

static void add_causes_json(struct buf *b, const struct store_cause *causes, size_t count)
{
    buf_add_c(b, "{");
    for (size_t i = 0; i < count; i++) {
        buf_add_c(b, i > 0 ? ", " : "");
        json_string(b, causes[i].name);
        buf_printf(b, ": %llu", (ull)causes[i].count);
    }
    buf_add_c(b, "}");
}

static void add_causes(struct buf *b, const struct store_cause *causes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(b, "  %-12s %llu\n", causes[i].name.ptr, (ull)causes[i].count);
    }
}

static struct str format_json(struct arena *a, const struct store *s, const struct store_stats *t)
{
    struct buf b;
    buf_init(&b, a);
    buf_add_c(&b, "{\"store\": ");
    json_string(&b, store_dir(s));
    buf_printf(&b,
               ", \"entries\": %llu, \"size\": %llu, \"max_size\": %llu, \"hits\": %llu, "
               "\"misses\": %llu, \"saved_ms\": %llu, \"compile_ms\": %llu, \"causes\": ",
               (ull)t->entries, (ull)t->size, (ull)store_max_size(s), (ull)t->hits, (ull)t->misses,
               (ull)t->saved_ms, (ull)t->compile_ms);
    add_causes_json(&b, t->causes, t->cause_count);
    buf_add_c(&b, ", \"hit_causes\": ");
    add_causes_json(&b, t->hit_causes, t->hit_cause_count);
    buf_add_c(&b, "}\n");
    return buf_str(&b);
}

static struct str format_text(struct arena *a, const struct store *s, const struct store_stats *t)
{
    const uint64_t all = t->hits + t->misses;
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, "store          " STR_FMT "\n", STR_ARG(store_dir(s)));
    buf_printf(&b, "entries        %llu\n", (ull)t->entries);
    buf_printf(&b, "size           %s of at most %s\n", cli_size(a, t->size).ptr,
               cli_size(a, store_max_size(s)).ptr);
    buf_printf(&b, "hits           %llu", (ull)t->hits);
    if (all > 0) {
        buf_printf(&b, " (%.1f %%)", 100.0 * (double)t->hits / (double)all);
    }
    buf_add_c(&b, "\n");
    add_causes(&b, t->hit_causes, t->hit_cause_count);
    buf_printf(&b, "misses         %llu\n", (ull)t->misses);
    add_causes(&b, t->causes, t->cause_count);
    buf_printf(&b, "seconds saved  %.1f (compiling took %.1f)\n", (double)t->saved_ms / 1000,
               (double)t->compile_ms / 1000);
    return buf_str(&b);
}

int cmd_stats(int argc, char **argv)
{
    bool json = false;
    struct str dir = STR("");
    const struct cli_option options[] = {CLI_JSON_OPTION(&json), CLI_STORE_OPTION(&dir)};
    const struct cli_command command = {"stats", "", "Counts hits, misses and time saved.", options,
                                        sizeof(options) / sizeof(options[0])};
    int exit_code = CLI_OK;
    if (!cli_parse(&command, argc, argv, NULL, &exit_code)) {
        return exit_code;
    }
    struct arena *a = arena_new(NULL, NULL);
    struct store *s = cli_open_store(a, dir);
    struct store_stats stats;
    struct error e;
    if (s == NULL) {
        exit_code = CLI_FAILED;
    } else if (!store_stats(s, a, &stats, &e)) {
        exit_code = cli_fail("%s", e.text);
    } else {
        exit_code = cli_print((json ? format_json : format_text)(a, s, &stats));
    }
    store_close(s);
    arena_free(a);
    return exit_code;
}
