/* pykokkos-cache: finds the subcommand. */
#include "cli/cli.h"

#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

static const struct command commands[] = {
    {"build", cmd_build, "build a library or a Python module from Python files"},
    {"ninja", cmd_ninja, "write a build folder for Ninja"},
    {"list", cmd_list, "list workunits with their signatures and hashes"},
    {"why", cmd_why, "say what changed since the last build"},
    {"status", cmd_status, "show the kernels of a build tree and their objects"},
    {"stats", cmd_stats, "show hits, misses and the time saved"},
    {"verify", cmd_verify, "check every object in the store"},
    {"gc", cmd_gc, "remove the least recently used objects"},
    {"clear", cmd_clear, "empty the store"},
    {"doctor", cmd_doctor, "show what was found, and what is wrong"},
    {"generate", cmd_generate, "write the C++ of a target (used by the build)"},
    {"compile", cmd_compile,
     "run a compiler, or take its result from the store (used by the build)"},
    {"key", cmd_key, "show what the key of a compile is made of"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static int help(FILE *out)
{
    fprintf(out, "usage: pykokkos-cache [--version] [--help] <command> [<args>]\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "   %-10s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(out, "\nSee 'pykokkos-cache <command> --help'.\n");
    return out == stdout ? CLI_OK : CLI_USAGE;
}

static int unknown(const char *name)
{
    fprintf(stderr, "pykokkos-cache: '%s' is not a command. See 'pykokkos-cache --help'.\n", name);
    const char *near = NULL;
    size_t best = 3;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        size_t distance = str_distance(str_from(name), str_from(commands[i].name), best);
        if (distance < best) {
            best = distance;
            near = commands[i].name;
        }
    }
    if (near != NULL) {
        fprintf(stderr, "\nThe most similar command is\n   %s\n", near);
    }
    return CLI_USAGE;
}

static int run(const char *name, int argc, char **argv)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].run(argc, argv);
        }
    }
    return unknown(name);
}

int main(int argc, char **argv)
{
    /* The launcher first: it starts once a compile, and nothing else may be set up for it. */
    if (argc > 1 && strcmp(argv[1], "compile") == 0) {
        return cmd_compile(argc - 1, argv + 1);
    }
    if (argc < 2) {
        return help(stderr);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        printf("pykokkos-cache %s\n", cli_version());
        return CLI_OK;
    }
    bool ask = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (ask && argc == 2)) {
        return help(stdout);
    }
    if (ask) {
        char option[] = "--help";
        char *help_argv[] = {argv[2], option, NULL};
        return run(argv[2], 2, help_argv);
    }
    return run(argv[1], argc - 1, argv + 1);
}
