/* ninja: a build folder for Ninja, without CMake. */
#include "cli/cli.h"
#include "cli/folder.h"

int cmd_ninja(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct folder_arguments s;
    folder_arguments_init(&s, a);
    const struct cli_option options[] = {FOLDER_OPTIONS(&s)};
    const struct cli_command command = {
        "ninja", "FILE...",
        "Writes build.ninja and all it needs into DIR. After that plain `ninja -C DIR` builds the\n"
        "library, and again after each edit.",
        options, sizeof(options) / sizeof(options[0])};
    struct cli_target target = {0};
    struct str dir;
    int code = CLI_OK;
    if (cli_parse(&command, argc, argv, &s.args.files, &code)) {
        code = folder_write(a, &command, &s, true, &target, &dir);
    }
    if (code == CLI_OK && target.request.target.len > 0) {
        code = cli_print(str_format(a, STR_FMT "/build.ninja\n", STR_ARG(dir)));
    }
    arena_free(a);
    return code;
}
