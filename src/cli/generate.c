/* generate: the C++ of one target, for a build tool or by hand. */
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/folder.h"
#include "cli/target.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The check that a build runs after generating: prints what the status file holds, and fails. */
static int check(struct arena *a, struct str status, struct str ok)
{
    struct str text;
    struct error e;
    if (!file_read(a, status.ptr, 0, &text, &e)) {
        return cli_fail("%s", e.text);
    }
    if (text.len > 0) {
        cli_say(text);
        return CLI_FAILED;
    }
    if (ok.len > 0 && !file_write(ok.ptr, STR(""), false, &e)) {
        return cli_fail("%s", e.text);
    }
    return CLI_OK;
}

/* Makefiles do not read a new list in the same run: runs CMake, one at a time in a build tree. */
static int relist(struct arena *a, const struct cli_target *t)
{
    struct str lock_path = path_join(a, path_dirname(t->request.output_dir), STR("relist.lock"));
    int fd = open(lock_path.ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fd >= 0) {
        (void)fcntl(fd, F_SETLKW, &lock);
    }
    char **argv = ARENA_ARRAY(a, char *, t->relist.count + 1);
    for (size_t i = 0; i < t->relist.count; i++) {
        const struct str *word = t->relist.items[i];
        argv[i] = (char *)str_copy(a, *word).ptr;
    }
    struct process_result r;
    struct error e;
    bool ran = process_run(a, argv, NULL, PROCESS_CAPTURE_BOTH, &r, &e);
    if (fd >= 0) {
        close(fd);
    }
    if (!ran) {
        return cli_fail("%s", e.text);
    }
    if (r.exit_code != 0) {
        cli_say(r.out);
        cli_say(r.err);
        return cli_fail("the list of workunits changed, and configuring again failed");
    }
    return CLI_OK;
}

/* From an options file. Diagnostics are the check's to print; only warnings are printed here. */
static int generate_target(struct arena *a, const char *path, enum target_mode mode)
{
    struct cli_target t;
    struct target_outcome out;
    struct error e;
    if (!target_read(a, path, &t, &e)) {
        return cli_fail("%s", e.text);
    }
    if (!target_generate(a, &t, mode, &out, &e)) {
        return cli_fail("%s", e.text);
    }
    if (mode == TARGET_CONFIGURE) {
        if (out.refused) {
            printf("the Python files have errors, which the build will report\n");
        }
        return CLI_OK;
    }
    if (!out.refused) {
        cli_say(out.diagnostics);
    }
    if (!out.refused && t.toolchain.len > 0 && !folder_write_edges(a, &t, &e)) {
        return cli_fail("%s", e.text);
    }
    if (out.list_changed && t.relist.count > 0) {
        return relist(a, &t);
    }
    return CLI_OK;
}

/* Files named on the command line, without a build tool. */
static int generate_files(struct arena *a, struct cli_target *t, struct str output_dir)
{
    struct error e;
    struct target_outcome out;
    struct gen_request *r = &t->request;
    r->output_dir = path_absolute(a, r->source_dir, output_dir);
    r->cmake_fragment = true;
    t->depfile_target = target_file(a, t, ".stamp");
    if (!target_generate(a, t, TARGET_BUILD, &out, &e)) {
        return cli_fail("%s", e.text);
    }
    cli_say(out.diagnostics);
    return out.refused ? CLI_FAILED : CLI_OK;
}

int cmd_generate(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, NULL);
    struct arguments args;
    struct str options_file = {0};
    struct str status = {0};
    struct str ok = {0};
    struct str output_dir = STR(".");
    bool configure = false;
    arguments_init(&args, a);
    const struct cli_option options[] = {
        {"options", "FILE", "generate what FILE (written by the build) says", NULL, &options_file,
         NULL},
        {"configure", NULL, "with --options: while the build is configured", &configure, NULL,
         NULL},
        {"check", "FILE", "print the status FILE of a run, and fail where it is not empty", NULL,
         &status, NULL},
        {"ok", "FILE", "with --check: touch FILE where all is well", NULL, &ok, NULL},
        {"o", "DIR", "where to write (default: the current folder)", NULL, &output_dir, NULL},
        {"name", "NAME", "the target's name (default: the first file's)", NULL, &args.name, NULL},
        {"python", NULL, "write a Python module's table, too", &args.python, NULL, NULL},
        ARGUMENTS_OPTIONS(&args),
    };
    const struct cli_command command = {
        "generate", "[FILE...]",
        "Writes kernels, dispatch and headers of Python files; only what changed is written anew.",
        options, sizeof(options) / sizeof(options[0])};
    struct cli_target t;
    int code = CLI_OK;
    if (!cli_parse(&command, argc, argv, &args.files, &code)) {
        arena_free(a);
        return code;
    }
    if (status.len > 0) {
        code = check(a, status, ok);
    } else if (options_file.len > 0) {
        code = generate_target(a, options_file.ptr, configure ? TARGET_CONFIGURE : TARGET_BUILD);
    } else if (arguments_target(a, &command, &args, &t, &code)) {
        code = generate_files(a, &t, output_dir);
    }
    arena_free(a);
    return code;
}
