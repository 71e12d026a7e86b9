#include "cli/store.h"
#include "launch/launch.h"

static struct str format_json(struct arena *a, const struct launch_key *key)
{
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, "{\"key\": \"%s\", \"parts\": [", sha256_hex(a, &key->key).ptr);
    for (size_t i = 0; i < key->part_count; i++) {
        const struct store_part *part = &key->parts[i];
        buf_add_c(&b, i > 0 ? ", {\"label\": " : "{\"label\": ");
        json_string(&b, part->label);
        buf_printf(&b, ", \"digest\": \"%s\", \"text\": ", sha256_hex(a, &part->digest).ptr);
        json_string(&b, part->text);
        buf_add_char(&b, '}');
    }
    buf_add_c(&b, "]}\n");
    return buf_str(&b);
}

static struct str format_text(struct arena *a, const struct launch_key *key)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < key->part_count; i++) {
        const struct store_part *part = &key->parts[i];
        buf_printf(&b, "%-12s %s\n", part->label.ptr, sha256_hex(a, &part->digest).ptr);
        struct str rest = part->text;
        struct str line;
        while (cli_next_line(&rest, &line)) {
            buf_printf(&b, "    " STR_FMT "\n", STR_ARG(line));
        }
    }
    buf_printf(&b, "%-12s %s\n", "key", sha256_hex(a, &key->key).ptr);
    return buf_str(&b);
}

int cmd_key(int argc, char **argv)
{
    bool json = false;
    bool explain = false;
    struct str dir = STR("");
    const struct cli_option options[] = {
        CLI_JSON_OPTION(&json),
        CLI_STORE_OPTION(&dir),
        {.name = "explain",
         .help = "print all parts of the key, not the key alone",
         .set = &explain},
    };
    const struct cli_command command = {
        "key", "-- COMPILER ARGUMENT...",
        "The key under which the object of a compile command is kept, and what it is made of.",
        options, sizeof(options) / sizeof(options[0])};
    struct arena *a = arena_new(NULL, NULL);
    struct vec words;
    vec_init(&words, a);
    int exit_code = CLI_OK;
    if (!cli_parse(&command, argc, argv, &words, &exit_code)) {
        arena_free(a);
        return exit_code;
    }
    if (words.count == 0) {
        arena_free(a);
        return cli_usage_error(&command, "there is no compile command after --");
    }
    char **compile = ARENA_ARRAY(a, char *, words.count + 1);
    for (size_t i = 0; i < words.count; i++) {
        compile[i] = (char *)(uintptr_t)((const struct str *)words.items[i])->ptr;
    }
    struct error e;
    struct store *s = store_open(a, dir.len > 0 ? dir.ptr : NULL, &e); /* it is only faster */
    struct launch_key key;
    if (!launch_key_of(a, (int)words.count, compile, s, NULL, &key, &e)) {
        exit_code = cli_fail("this command is run as it is: %s", e.text);
    } else if (json) {
        exit_code = cli_print(format_json(a, &key));
    } else {
        exit_code = cli_print(explain ? format_text(a, &key)
                                      : str_format(a, "%s\n", sha256_hex(a, &key.key).ptr));
    }
    store_close(s);
    arena_free(a);
    return exit_code;
}
