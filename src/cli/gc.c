#include "cli/store.h"

/* The number that `text` is; false: it is none, or too large. */
static bool parse_limit(struct str text, size_t *out)
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

static struct str report(struct arena *a, const struct store_collected *c, bool json)
{
    if (json) {
        return str_format(a, "{\"removed\": %llu, \"freed\": %llu, \"left\": %llu, \"more\": %s}\n",
                          (unsigned long long)c->removed, (unsigned long long)c->freed,
                          (unsigned long long)c->left, c->more ? "true" : "false");
    }
    return str_format(a, "%llu entries removed, %s freed, %s left%s\n",
                      (unsigned long long)c->removed, cli_size(a, c->freed).ptr,
                      cli_size(a, c->left).ptr, c->more ? ", more to remove" : "");
}

int cmd_gc(int argc, char **argv)
{
    bool json = false;
    struct str dir = STR("");
    struct str size = STR("");
    struct str limit = STR("");
    const struct cli_option options[] = {
        CLI_JSON_OPTION(&json),
        CLI_STORE_OPTION(&dir),
        {.name = "max-size",
         .value = "SIZE",
         .help = "how much may stay (500M, 5G), instead of PYKOKKOS_CACHE_MAX_SIZE",
         .one = &size},
        {.name = "limit",
         .value = "N",
         .help = "remove at most N entries, and say whether more are to go",
         .one = &limit},
    };
    const struct cli_command command = {
        "gc", "",
        "Removes the least recently used entries until the store is below its size. Safe beside\n"
        "running builds: what was used in the last minutes stays.",
        options, sizeof(options) / sizeof(options[0])};
    int exit_code = CLI_OK;
    if (!cli_parse(&command, argc, argv, NULL, &exit_code)) {
        return exit_code;
    }
    uint64_t max_size = 0;
    if (size.len > 0 && !store_parse_size(size, &max_size)) {
        return cli_usage_error(&command, "'%s' is no size", size.ptr);
    }
    size_t most = 0;
    if (limit.len > 0 && (!parse_limit(limit, &most) || most == 0)) {
        return cli_usage_error(&command, "'%s' is no number of entries", limit.ptr);
    }
    struct arena *a = arena_new(NULL, NULL);
    struct store *s = cli_open_store(a, dir);
    struct store_collected c;
    struct error e;
    if (s == NULL) {
        exit_code = CLI_FAILED;
    } else if (!store_collect(s, size.len > 0 ? max_size : store_max_size(s), most, &c, &e) ||
               (most > 0 && !c.more && !store_tidy(s, &e))) {
        exit_code = cli_fail("%s", e.text);
    } else {
        exit_code = cli_print(report(a, &c, json));
    }
    store_close(s);
    arena_free(a);
    return exit_code;
}
