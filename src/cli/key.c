#include "cli/store.h"
#include "launch/launch.h"

/* What the parts are, for people; where one is empty, why. */
struct about {
    const char *label;
    const char *words;
    const char *empty;
};

static const struct about *about(struct str label)
{
    static const struct about all[] = {
        {"format", "how this version makes keys", ""},
        {"text", "the C++ that was generated", ""},
        {"headers", "the headers that it includes, and a precompiled one", "it includes none"},
        {"used headers", "the headers that its last compile read, and what else has their names",
         ""},
        {"flags", "flags in order, and definitions that a text can see", "none"},
        {"compiler", "its version, and the content of its programs and own headers", ""},
        {"environment", "variables that compilers read",
         "none of SOURCE_DATE_EPOCH, MACOSX_DEPLOYMENT_TARGET, GCC_EXEC_PREFIX, COMPILER_PATH, "
         "CPATH, C_INCLUDE_PATH, CPLUS_INCLUDE_PATH is set"},
        {"name", "the source's, which object files hold", ""},
        {"paths", "those that debug information, __FILE__ or sanitizers hold",
         "nothing in it holds paths"},
        {"generator", "its version; another one that writes the same text changes nothing", ""},
        {"Kokkos", "its version; what of it reaches the compile is among headers and flags", ""},
        {"left out", "of the command, since it changes no object", "nothing"},
    };
    static const struct about unknown = {"", "", ""};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (str_equal_c(label, all[i].label)) {
            return &all[i];
        }
    }
    return &unknown;
}

static struct str format_json(struct arena *a, const struct launch_key *key)
{
    struct buf b;
    buf_init(&b, a);
    buf_printf(&b, "{\"key\": \"%s\", \"parts\": [", sha256_hex(a, &key->key).ptr);
    for (size_t i = 0; i < key->part_count; i++) {
        const struct store_part *part = &key->parts[i];
        buf_add_c(&b, i > 0 ? ", {\"label\": " : "{\"label\": ");
        json_string(&b, part->label);
        buf_add_c(&b, ", \"about\": ");
        json_string(&b, str_from(about(part->label)->words));
        buf_printf(&b, ", \"in_key\": %s, \"digest\": \"%s\", \"text\": ",
                   part->is_noted ? "false" : "true", sha256_hex(a, &part->digest).ptr);
        json_string(&b, part->text);
        buf_add_char(&b, '}');
    }
    buf_add_c(&b, "]}\n");
    return buf_str(&b);
}

static void add_part(struct buf *b, struct arena *a, const struct store_part *part)
{
    const struct about *what = about(part->label);
    buf_printf(b, "%-12s %s  %s\n", part->label.ptr,
               part->is_noted ? "-" : sha256_hex(a, &part->digest).ptr, what->words);
    struct str rest = part->text;
    struct str line;
    if (rest.len == 0 && what->empty[0] != '\0') {
        buf_printf(b, "    (%s)\n", what->empty);
    }
    while (cli_next_line(&rest, &line)) {
        buf_printf(b, "    " STR_FMT "\n", STR_ARG(line));
    }
}

static struct str format_text(struct arena *a, const struct launch_key *key)
{
    struct buf b;
    buf_init(&b, a);
    for (int noted = 0; noted <= 1; noted++) {
        if (noted == 1) {
            buf_printf(&b, "%-12s %s\n\nnot in the key:\n", "key", sha256_hex(a, &key->key).ptr);
        }
        for (size_t i = 0; i < key->part_count; i++) {
            if (key->parts[i].is_noted == (noted == 1)) {
                add_part(&b, a, &key->parts[i]);
            }
        }
    }
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
