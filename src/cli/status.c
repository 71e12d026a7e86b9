/* status: the kernels of a build tree, and which of their objects the store holds. */
#include "cli/cli.h"
#include "cli/tree.h"
#include "store/store.h"

static void add_entry(struct buf *b, struct arena *a, struct store *store,
                      const struct state_entry *entry, bool json, bool first)
{
    struct store_row *rows = NULL;
    size_t count = 0;
    struct error e;
    bool known = store != NULL && store_lookup_ast(store, a, &entry->ast_hash, &rows, &count, &e);
    struct str hash = sha256_hex(a, &entry->ast_hash);
    if (!json) {
        buf_printf(b, "  %-40s %.12s  ", entry->name.ptr, hash.ptr);
        if (known) {
            buf_printf(b, "%zu object%s kept\n", count, count == 1 ? "" : "s");
        } else {
            buf_add_c(b, "\n");
        }
        return;
    }
    buf_add_c(b, first ? "\n      {\"workunit\": " : ",\n      {\"workunit\": ");
    json_string(b, entry->name);
    buf_printf(b, ", \"ast_hash\": \"" STR_FMT "\", \"objects\": [", STR_ARG(hash));
    for (size_t i = 0; i < count; i++) {
        buf_printf(b, "%s{\"key\": \"" STR_FMT "\", \"directory\": ", i > 0 ? ", " : "",
                   STR_ARG(sha256_hex(a, &rows[i].key)));
        json_string(b, rows[i].directory);
        buf_printf(b, ", \"size\": %llu, \"hits\": %lld}", (unsigned long long)rows[i].size,
                   (long long)rows[i].hits);
    }
    buf_add_c(b, "]}");
}

static void add_target(struct buf *b, struct arena *a, struct store *store,
                       const struct cli_target *t, bool json)
{
    struct state s;
    struct str status = {0};
    struct error e;
    state_read(a, t, &s);
    if (s.is_unreadable) {
        state_say_unreadable(a, t);
    }
    bool failed = file_read(a, target_file(a, t, ".status").ptr, 0, &status, &e) && status.len > 0;
    if (json) {
        buf_add_c(b, "{\"target\": ");
        json_string(b, t->request.target);
        buf_printf(b, ", \"errors\": %s, \"workunits\": [", failed ? "true" : "false");
    } else {
        buf_printf(b, STR_FMT "%s\n", STR_ARG(t->request.target),
                   failed ? " (its Python files have errors)" : "");
    }
    for (size_t i = 0; i < s.by_name.count; i++) {
        add_entry(b, a, store, s.by_name.entries[i].value, json, i == 0);
    }
    buf_add_c(b, json ? "]}" : "");
}

static int status(struct arena *a, struct str folder, bool json)
{
    struct vec targets;
    struct str root;
    struct error e;
    vec_init(&targets, a);
    if (!tree_targets(a, folder, &root, &targets, &e)) {
        return cli_fail("%s", e.text);
    }
    const struct cli_target *first = targets.items[0];
    struct error no_store = {{0}};
    struct store *store = store_open(a, first->store.len > 0 ? first->store.ptr : NULL, &no_store);
    struct buf b;
    buf_init(&b, a);
    if (json) {
        buf_add_c(&b, "{\"build_folder\": ");
        json_string(&b, root);
        buf_add_c(&b, ", \"store\": ");
        json_string(&b, store != NULL ? store_dir(store) : STR(""));
        buf_add_c(&b, ", \"targets\": [\n    ");
    } else {
        buf_printf(&b, "build folder: " STR_FMT "\nstore: %s\n", STR_ARG(root),
                   store != NULL              ? store_dir(store).ptr
                   : no_store.text[0] != '\0' ? no_store.text
                                              : "switched off");
    }
    for (size_t i = 0; i < targets.count; i++) {
        if (json && i > 0) {
            buf_add_c(&b, ",\n    ");
        }
        add_target(&b, a, store, targets.items[i], json);
    }
    buf_add_c(&b, json ? "\n]}\n" : "");
    if (store != NULL) {
        store_close(store);
    }
    return cli_print(buf_str(&b));
}

int cmd_status(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct str folder = {0};
    bool json = false;
    const struct cli_option options[] = {
        {"C", "DIR", "the build folder (default: the current one, or one above)", NULL, &folder,
         NULL},
        {"json", NULL, "print a JSON object", &json, NULL, NULL},
    };
    const struct cli_command command = {
        "status", "",
        "Shows the kernels that a build folder holds, their AST hashes, and the store's objects.",
        options, sizeof(options) / sizeof(options[0])};
    int code = CLI_OK;
    if (cli_parse(&command, argc, argv, NULL, &code)) {
        code = status(a, folder, json);
    }
    arena_free(a);
    return code;
}
