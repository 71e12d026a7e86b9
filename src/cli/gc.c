#include "cli/store.h"

int cmd_gc(int argc, char **argv)
{
    bool json = false;
    struct str dir = STR("");
    struct str size = STR("");
    const struct cli_option options[] = {
        CLI_JSON_OPTION(&json),
        CLI_STORE_OPTION(&dir),
        {.name = "max-size",
         .value = "SIZE",
         .help = "how much may stay (500M, 5G), instead of PYKOKKOS_CACHE_MAX_SIZE",
         .one = &size},
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
    struct arena *a = arena_new(NULL, NULL);
    struct store *s = cli_open_store(a, dir);
    struct store_collected c;
    struct error e;
    if (s == NULL) {
        exit_code = CLI_FAILED;
    } else if (!store_collect(s, size.len > 0 ? max_size : store_max_size(s), 0, &c, &e)) {
        exit_code = cli_fail("%s", e.text);
    } else {
        exit_code =
            cli_print(json ? str_format(a, "{\"removed\": %llu, \"freed\": %llu, \"left\": %llu}\n",
                                        (unsigned long long)c.removed, (unsigned long long)c.freed,
                                        (unsigned long long)c.left)
                           : str_format(a, "%llu entries removed, %s freed, %s left\n",
                                        (unsigned long long)c.removed, cli_size(a, c.freed).ptr,
                                        cli_size(a, c.left).ptr));
    }
    store_close(s);
    arena_free(a);
    return exit_code;
}
