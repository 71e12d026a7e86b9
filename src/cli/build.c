/* build: a library or Python module from Python files, in one command. */
#include "cli/cli.h"
#include "cli/folder.h"

#include <string.h>
#include <unistd.h>

static int run_ninja(struct arena *a, bool verbose, struct str jobs)
{
    char ninja[] = "ninja";
    char quiet[] = "--quiet";
    char show[] = "-v";
    char *argv[5] = {ninja};
    int n = 1;
    /* What it says goes to stderr: stdout is the path's. */
    argv[n++] = verbose ? show : quiet;
    if (jobs.len > 0) {
        argv[n++] = (char *)str_format(a, "-j" STR_FMT, STR_ARG(jobs)).ptr;
    }
    struct process_result r;
    struct error e;
    fflush(stdout);
    if (!process_run(a, argv, NULL, PROCESS_CAPTURE_OUT, &r, &e)) {
        return cli_fail("%s", e.text);
    }
    cli_say(r.out);
    return r.exit_code == 0 ? CLI_OK : CLI_FAILED;
}

int cmd_build(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct folder_arguments s;
    struct str jobs = {0};
    bool verbose = false;
    folder_arguments_init(&s, a);
    const struct cli_option options[] = {
        FOLDER_OPTIONS(&s),
        {"j", "JOBS", "compilers at once (default: Ninja's)", NULL, &jobs, NULL},
        {"v", NULL, "show the commands that are run", &verbose, NULL, NULL},
    };
    const struct cli_command command = {
        "build", "FILE...",
        "Builds the library (or, with --python, the Python module) of these files in DIR and "
        "prints\n"
        "its path last. The C++ headers are in DIR/pykokkos/<name>/include.",
        options, sizeof(options) / sizeof(options[0])};
    struct cli_target target = {0};
    struct toolchain tools;
    struct error e;
    struct str dir;
    int code = CLI_OK;
    if (!cli_parse(&command, argc, argv, &s.args.files, &code)) {
        arena_free(a);
        return code;
    }
    code = folder_write(a, &command, &s, true, &target, &dir);
    if (code == CLI_OK) {
        code = run_ninja(a, verbose, jobs);
    }
    if (code == CLI_OK && !toolchain_read(a, target.toolchain, &tools, &e)) {
        code = cli_fail("%s", e.text);
    }
    if (code == CLI_OK) {
        code = cli_print(str_format(a, STR_FMT "/" STR_FMT "\n", STR_ARG(dir),
                                    STR_ARG(folder_result(a, &target, &tools))));
    }
    arena_free(a);
    return code;
}
