/*
 * cli: the command. One file a subcommand, each `int cmd_<name>(int argc, char **argv)` with
 * argv[0] its name; main.c finds it. What several of them need is declared here.
 */
#ifndef PKC_CLI_H
#define PKC_CLI_H

#include "support/support.h"

enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

int cmd_build(int argc, char **argv);
int cmd_clear(int argc, char **argv);
int cmd_compile(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_gc(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_key(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_ninja(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_why(int argc, char **argv);

/* ---- options -------------------------------------------------------------------------------- */

/* One option; exactly one of the three targets is set. Long names are written --name, names of one
 * letter -n. A value follows as --name=VALUE or --name VALUE (-n VALUE, -nVALUE). */
struct cli_option {
    const char *name;
    const char *value; /* what its value is called in the help; NULL: a switch */
    const char *help;
    bool *set;        /* a switch */
    struct str *one;  /* the last value given */
    struct vec *many; /* all values: struct str * */
};

struct cli_command {
    const char *name;
    const char *operands; /* "FILE..."; "" for none */
    const char *summary;  /* what it does, in a sentence or more */
    const struct cli_option *options;
    size_t option_count;
};

/* Reads argv[1…]; what is no option goes to `operands` (struct str *; NULL: none are allowed).
 * "--" ends the options, "-h" and "--help" print the help. False: the caller returns `*exit_code`.
 */
bool cli_parse(const struct cli_command *c, int argc, char **argv, struct vec *operands,
               int *exit_code);
/* The message to stderr, how to get help, and CLI_USAGE. */
int cli_usage_error(const struct cli_command *c, const char *format, ...) PKC_PRINTF(2, 3);
/* "pykokkos-cache: …" to stderr, and CLI_FAILED. */
int cli_fail(const char *format, ...) PKC_PRINTF(1, 2);

/* Writes `text` to stderr. */
void cli_say(struct str text);
/* Writes all of `text` to stdout; CLI_FAILED where that fails, with a message. */
int cli_print(struct str text);

/* ---- places --------------------------------------------------------------------------------- */

/* This program's own file; empty where the system does not say. */
struct str cli_program(struct arena *a);
/* The folders of the installation or build tree that this program belongs to. */
struct str cli_include_dir(struct arena *a);
struct str cli_package_dir(struct arena *a);

/* ---- small text ----------------------------------------------------------------------------- */

/* `s` with '%' and line ends percent-encoded, and back. */
struct str cli_encode(struct arena *a, struct str s);
struct str cli_decode(struct arena *a, struct str s);
/* One line of text off the front of `rest`, without its end. False at the end. */
bool cli_next_line(struct str *rest, struct str *line);
/* The version of this program. */
const char *cli_version(void);

#endif
