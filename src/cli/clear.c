#include "cli/store.h"

int cmd_clear(int argc, char **argv)
{
    bool json = false;
    struct str dir = STR("");
    const struct cli_option options[] = {CLI_JSON_OPTION(&json), CLI_STORE_OPTION(&dir)};
    const struct cli_command command = {
        "clear", "",
        "Removes every entry of the store but those that are being built, and its statistics.",
        options, sizeof(options) / sizeof(options[0])};
    int exit_code = CLI_OK;
    if (!cli_parse(&command, argc, argv, NULL, &exit_code)) {
        return exit_code;
    }
    struct arena *a = arena_new(NULL, NULL);
    struct store *s = cli_open_store(a, dir);
    struct store_collected c;
    struct error e;
    if (s == NULL) {
        exit_code = CLI_FAILED;
    } else if (!store_clear(s, &c, &e)) {
        exit_code = cli_fail("%s", e.text);
    } else {
        exit_code =
            cli_print(json ? str_format(a, "{\"removed\": %llu, \"freed\": %llu, \"left\": %llu}\n",
                                        (unsigned long long)c.removed, (unsigned long long)c.freed,
                                        (unsigned long long)c.left)
                           : str_format(a, "%llu entries removed, %s freed\n",
                                        (unsigned long long)c.removed, cli_size(a, c.freed).ptr));
    }
    store_close(s);
    arena_free(a);
    return exit_code;
}
