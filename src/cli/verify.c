#include "cli/store.h"

typedef unsigned long long ull;

static struct str format_json(struct arena *a, const struct store_verified *v)
{
    return str_format(a,
                      "{\"entries\": %llu, \"damaged\": %llu, \"added\": %llu, \"dropped\": %llu, "
                      "\"manifest_rebuilt\": %s, \"read_only\": %s}\n",
                      (ull)v->entries, (ull)v->damaged, (ull)v->added, (ull)v->dropped,
                      v->manifest_rebuilt ? "true" : "false", v->read_only ? "true" : "false");
}

static struct str format_text(struct arena *a, const struct store_verified *v)
{
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, "%llu entries are good\n", (ull)v->entries);
    if (v->damaged > 0) {
        buf_printf(&b,
                   v->read_only ? "%llu entries are damaged, and stay: the store is read-only\n"
                                : "%llu damaged entries were removed\n",
                   (ull)v->damaged);
    }
    if (v->manifest_rebuilt) {
        buf_add_c(&b, v->read_only ? "the manifest is damaged, and stays: the store is read-only\n"
                                   : "the manifest was damaged and has been rebuilt\n");
    }
    if (v->added > 0) {
        buf_printf(&b, "%llu rows were missing in the manifest and were added\n", (ull)v->added);
    }
    if (v->dropped > 0) {
        buf_printf(&b, "%llu rows %s\n", (ull)v->dropped,
                   v->read_only ? "have no entry" : "without an entry were dropped");
    }
    return buf_str(&b);
}

int cmd_verify(int argc, char **argv)
{
    bool json = false;
    struct str dir = STR("");
    const struct cli_option options[] = {CLI_JSON_OPTION(&json), CLI_STORE_OPTION(&dir)};
    const struct cli_command command = {
        "verify", "",
        "Checks every entry of the store against its digest, and the manifest against the "
        "entries.\n"
        "What is damaged is removed, and the exit status is then 1.",
        options, sizeof(options) / sizeof(options[0])};
    int exit_code = CLI_OK;
    if (!cli_parse(&command, argc, argv, NULL, &exit_code)) {
        return exit_code;
    }
    struct arena *a = arena_new(NULL, NULL);
    struct store *s = cli_open_store(a, dir);
    struct store_verified v;
    struct error e;
    if (s == NULL) {
        exit_code = CLI_FAILED;
    } else if (!store_verify(s, &v, &e)) {
        exit_code = cli_fail("%s", e.text);
    } else {
        exit_code = cli_print((json ? format_json : format_text)(a, &v));
        if (exit_code == CLI_OK && v.damaged > 0) {
            exit_code = CLI_FAILED;
        }
    }
    store_close(s);
    arena_free(a);
    return exit_code;
}
