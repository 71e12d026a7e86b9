/* The options of a subcommand, from a table. */
#include "cli/cli.h"

#include <stdarg.h>
#include <string.h>

static void print_option(const struct cli_option *o)
{
    const char *dashes = strlen(o->name) == 1 ? "-" : "--";
    char left[64];
    if (o->value != NULL) {
        const char *join = strlen(o->name) == 1 ? " " : "=";
        snprintf(left, sizeof(left), "%s%s%s%s", dashes, o->name, join, o->value);
    } else {
        snprintf(left, sizeof(left), "%s%s", dashes, o->name);
    }
    printf("  %-26s %s\n", left, o->help);
}

static void print_help(const struct cli_command *c)
{
    printf("usage: pykokkos-cache %s%s%s%s\n\n%s\n", c->name,
           c->option_count > 0 ? " [options]" : "", c->operands[0] != '\0' ? " " : "", c->operands,
           c->summary);
    if (c->option_count > 0) {
        printf("\n");
    }
    for (size_t i = 0; i < c->option_count; i++) {
        print_option(&c->options[i]);
    }
}

int cli_usage_error(const struct cli_command *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "pykokkos-cache %s: ", c->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nSee 'pykokkos-cache %s --help'.\n", c->name);
    va_end(args);
    return CLI_USAGE;
}

int cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "pykokkos-cache: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return CLI_FAILED;
}

void cli_say(struct str text)
{
    if (text.len > 0) {
        fwrite(text.ptr, 1, text.len, stderr);
    }
}

int cli_print(struct str text)
{
    if (text.len > 0 && fwrite(text.ptr, 1, text.len, stdout) != text.len) {
        return cli_fail("cannot write to the standard output");
    }
    if (fflush(stdout) != 0) {
        return cli_fail("cannot write to the standard output");
    }
    return CLI_OK;
}

static const struct cli_option *find(const struct cli_command *c, const char *name, size_t len)
{
    for (size_t i = 0; i < c->option_count; i++) {
        if (strlen(c->options[i].name) == len && memcmp(c->options[i].name, name, len) == 0) {
            return &c->options[i];
        }
    }
    return NULL;
}

static void take(const struct cli_option *o, const char *value)
{
    if (o->set != NULL) {
        *o->set = true;
    } else if (o->one != NULL) {
        *o->one = str_from(value);
    } else {
        struct str *s = ARENA_NEW(o->many->arena, struct str);
        *s = str_from(value);
        vec_push(o->many, s);
    }
}

/* Reads the option at argv[*i]; *i moves on to its value where that is a word of its own. */
static bool take_option(const struct cli_command *c, int argc, char **argv, int *i, int *exit_code)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    const char *name = is_long ? word + 2 : word + 1;
    size_t len = is_long ? strcspn(name, "=") : 1;
    const struct cli_option *o = find(c, name, len);
    if (o == NULL || (is_long && len == 1)) {
        *exit_code =
            cli_usage_error(c, "unknown option '%.*s'", (int)(len + (is_long ? 2 : 1)), word);
        return false;
    }
    const char *rest = name + len;
    if (o->value == NULL) {
        if (rest[0] != '\0') {
            *exit_code = cli_usage_error(c, "option '%s' takes no value", o->name);
            return false;
        }
        take(o, NULL);
        return true;
    }
    if (rest[0] != '\0') {
        take(o, is_long ? rest + 1 : rest);
        return true;
    }
    if (*i + 1 >= argc) {
        *exit_code = cli_usage_error(c, "option '%s' needs a value: %s", o->name, o->value);
        return false;
    }
    *i += 1;
    take(o, argv[*i]);
    return true;
}

bool cli_parse(const struct cli_command *c, int argc, char **argv, struct vec *operands,
               int *exit_code)
{
    bool options = true;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(c);
            *exit_code = CLI_OK;
            return false;
        }
        if (options && word[0] == '-' && word[1] != '\0') {
            if (!take_option(c, argc, argv, &i, exit_code)) {
                return false;
            }
            continue;
        }
        if (operands == NULL) {
            *exit_code = cli_usage_error(c, "unexpected argument '%s'", word);
            return false;
        }
        struct str *s = ARENA_NEW(operands->arena, struct str);
        *s = str_from(word);
        vec_push(operands, s);
    }
    return true;
}
