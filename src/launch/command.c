/*
 * Reads a compile command as GCC and clang do, as far as needed. The rule throughout: what is not
 * understood makes the command run unchanged.
 */
#include "launch/private.h"

#include <stdlib.h>
#include <string.h>

/* Exactly these are refused: other outputs, or output on the screen. */
static const char *const refused[] = {
    "-E",
    "-S",
    "-M",
    "-MM",
    "-MG",
    "-MV",
    "-P",
    "-C",
    "-CC",
    "-H",
    "-v",
    "-###",
    "-traditional",
    "-traditional-cpp",
    "-Q",
    "-p",
    "-pg",
    "-time",
    "-fsyntax-only",
    "-undef",
    "-remap",
    "-pass-exit-codes",
    "-shared",
    "-r",
    "-no-integrated-cpp",
    "-dD",
    "-",
    "-coverage",
};

/* And all that begin so: further output files, further input files, code that runs in the compiler,
 * or arguments for its parts, which may be any of these. */
static const char *const refused_beginnings[] = {
    "--",
    "-save-temps",
    "-gsplit-dwarf",
    "-fprofile",
    "-fcoverage",
    "-ftest-coverage",
    "-fbranch-probabilities",
    "-fauto-profile",
    "-fstack-usage",
    "-ftime-",
    "-fcallgraph-info",
    "-fdump",
    "-d",
    "-aux-info",
    "-fopt-info",
    "-fsave-optimization-record",
    "-foptimization-record",
    "-fplugin",
    "-specs",
    "-B",
    "-wrapper",
    "-Wp,",
    "-Wa,",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-Xarch",
    "-Xcuda",
    "-Xopenmp",
    "-Xthinlto",
    "-mllvm",
    "-fmodule-",
    "-fmodules",
    "-fcxx-modules",
    "-fprebuilt",
    "-fpch",
    "-print-",
    "-frecord-",
    "-grecord-command-line",
    "-fsanitize-blacklist",
    "-fsanitize-ignorelist",
    "-fsanitize-coverage",
    "-fsanitize-system",
    "-gen-",
    "-gmodules",
    "-fdiagnostics-format",
    "-fdiagnostics-add-output",
    "-fdiagnostics-set-output",
    "-fdiagnostics-generate-patch",
    "-fdiagnostics-parseable",
    "-serialize-diagnostics",
    "-fdeps",
    "-fxray",
    "-fthinlto-index",
    "-fworking-directory",
    "-working-directory",
    "-fpreprocessed",
    "-fdirectives-only",
    "-fcompare-debug",
    "-fopenmp-targets",
    "-foffload",
    "-cuda",
    "-fbasic-block-sections",
    "-fmemory-profile",
    "-fcs-profile",
    "-fproc-stat-report",
    "-fwpa",
    "-fltrans",
    "-MJ",
    "-arch",
    "-i", /* of these, the handled ones are taken before */
};

/* Long options of two dashes that are like any flag. */
static const char *const plain_long[] = {"--param=", "--std=", "--target=", "--gcc-toolchain="};

/* Flags with a second word that is no path. */
static const char *const two_words[] = {"--param", "-target", "-A", "-u", "-z"};

static bool is_one_of(const char *arg, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(arg, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins_with_one_of(const char *arg, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(arg, list[i], strlen(list[i])) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(arg, list) is_one_of((arg), (list), sizeof(list) / sizeof((list)[0]))
#define BEGINS_WITH_ONE_OF(arg, list) \
    begins_with_one_of((arg), (list), sizeof(list) / sizeof((list)[0]))

/* ---- the compiler among the words ----------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool has_source_suffix(const char *arg)
{
    static const char *const suffixes[] = {".cpp", ".cc", ".cxx", ".C", ".c++"};
    const char *dot = strrchr(name_of(arg), '.');
    return dot != NULL && IS_ONE_OF(dot, suffixes);
}

/* With `compiler`, the word that is it (or has its name); else the last one before the options. */
static bool find_compiler(const char *compiler, struct command *c, struct error *e)
{
    if (compiler != NULL) {
        for (size_t i = 0; i < c->argc; i++) {
            if (strcmp(c->argv[i], compiler) == 0) {
                c->compiler = i;
                return true;
            }
        }
        for (size_t i = 0; i < c->argc; i++) {
            if (strcmp(name_of(c->argv[i]), name_of(compiler)) == 0) {
                c->compiler = i;
                return true;
            }
        }
        error_set(e, "the command does not name the compiler %s", compiler);
        return false;
    }
    size_t first = 0;
    while (first < c->argc && c->argv[first][0] != '-' && c->argv[first][0] != '@' &&
           !has_source_suffix(c->argv[first])) {
        first++;
    }
    if (first == 0) {
        error_set(e, "the command does not begin with a compiler");
        return false;
    }
    c->compiler = first - 1;
    return true;
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void push_str(struct arena *a, struct vec *v, struct str s)
{
    struct str *copy = ARENA_NEW(a, struct str);
    *copy = s;
    vec_push(v, copy);
}

static void push_flag(struct arena *a, struct command *c, enum flag_kind kind, struct str text,
                      struct str name)
{
    struct flag *flag = ARENA_NEW(a, struct flag);
    *flag = (struct flag){kind, text, name};
    vec_push(&c->flags, flag);
}

static void expand(struct arena *a, struct command *c, struct vec *args, bool *good,
                   struct error *e)
{
    for (size_t i = c->compiler + 1; i < c->argc && *good; i++) {
        char *arg = c->argv[i];
        if (arg[0] != '@') {
            vec_push(args, arg);
            continue;
        }
        c->from_file = true;
        const size_t before = args->count;
        *good = response_read(a, arg + 1, args, e);
        for (size_t k = before; k < args->count && *good; k++) {
            if (((const char *)args->items[k])[0] == '@') {
                error_set(e, "an @file within an @file");
                *good = false;
            }
        }
    }
}

/* The value of an option that is joined to it or follows: NULL where there is none. */
static char *value_of(struct command *c, size_t *i, const char *option, int path)
{
    const size_t len = strlen(option);
    char *arg = c->args[*i];
    if (arg[len] != '\0') {
        c->path_offsets[*i] = path ? (int)len : -1;
        return arg + len;
    }
    if (*i + 1 >= c->arg_count) {
        return NULL;
    }
    (*i)++;
    c->path_offsets[*i] = path ? 0 : -1;
    return c->args[*i];
}

static struct str macro_name(const char *definition)
{
    const size_t len = strcspn(definition, "=(");
    return (struct str){definition, len};
}

/* What the handlers below say of an argument. */
enum taken { NOT_MINE, TAKEN, WRONG };

static enum taken take_paths(struct arena *a, struct command *c, size_t *i)
{
    static const char *const dirs[] = {"-isystem", "-iquote", "-idirafter", "-I"};
    const char *arg = c->args[*i];
    for (size_t k = 0; k < sizeof(dirs) / sizeof(dirs[0]); k++) {
        if (strncmp(arg, dirs[k], strlen(dirs[k])) == 0) {
            const char *dir = value_of(c, i, dirs[k], 1);
            if (dir == NULL || strcmp(dir, "-") == 0 || dir[0] == '=') {
                return WRONG;
            }
            push_str(a, &c->dirs, str_from(dir));
            push_flag(a, c, FLAG_DIR, str_from(dirs[k]), str_from(dir));
            return TAKEN;
        }
    }
    if (strncmp(arg, "-o", 2) == 0) {
        const char *output = value_of(c, i, "-o", 1);
        if (output == NULL || c->output.len > 0) {
            return WRONG;
        }
        c->output = str_from(output);
        c->output_arg = *i;
        return TAKEN;
    }
    if (strcmp(arg, "-include") == 0 || strcmp(arg, "-imacros") == 0) {
        const char *file = value_of(c, i, arg, 1);
        if (file == NULL) {
            return WRONG;
        }
        push_flag(a, c, FLAG_TEXT, str_from(arg), STR(""));
        push_str(a, &c->forced, str_from(file));
        return TAKEN;
    }
    static const char *const maps[] = {
        "-fdebug-prefix-map=", "-ffile-prefix-map=", "-fmacro-prefix-map="};
    for (size_t k = 0; k < sizeof(maps) / sizeof(maps[0]); k++) {
        const size_t len = strlen(maps[k]);
        if (strncmp(arg, maps[k], len) == 0) {
            push_str(a, &c->maps, str_from(arg + len));
            push_flag(a, c, FLAG_MAP, str_from(arg), STR(""));
            return TAKEN;
        }
    }
    return NOT_MINE;
}

static enum taken take_dependencies(struct arena *a, struct command *c, size_t *i, bool *wanted)
{
    const char *arg = c->args[*i];
    if (strcmp(arg, "-MD") == 0 || strcmp(arg, "-MMD") == 0) {
        *wanted = true;
        c->depfile_system = arg[2] == 'D';
        return TAKEN;
    }
    if (strcmp(arg, "-MP") == 0) {
        c->depfile_phony = true;
        return TAKEN;
    }
    if (strncmp(arg, "-MF", 3) == 0) {
        const char *file = value_of(c, i, "-MF", 1);
        if (file == NULL || strcmp(file, "-") == 0) {
            return WRONG;
        }
        c->depfile = str_from(file);
        return TAKEN;
    }
    if (strncmp(arg, "-MT", 3) == 0 || strncmp(arg, "-MQ", 3) == 0) {
        const bool quoted = arg[2] == 'Q';
        const char *target = value_of(c, i, quoted ? "-MQ" : "-MT", 0);
        if (target == NULL) {
            return WRONG;
        }
        struct depfile_target *t = ARENA_NEW(a, struct depfile_target);
        *t = (struct depfile_target){str_from(target), quoted};
        vec_push(&c->targets, t);
        return TAKEN;
    }
    return NOT_MINE;
}

static enum taken take_macro(struct arena *a, struct command *c, size_t *i)
{
    const char *arg = c->args[*i];
    if (strncmp(arg, "-D", 2) != 0 && strncmp(arg, "-U", 2) != 0) {
        return NOT_MINE;
    }
    const char option[3] = {arg[0], arg[1], '\0'};
    const char *definition = value_of(c, i, option, 0);
    if (definition == NULL) {
        return WRONG;
    }
    push_flag(a, c, FLAG_MACRO, str_format(a, "%s%s", option, definition), macro_name(definition));
    return TAKEN;
}

/* -g and its kin: what of the surroundings gets into the object. */
static void note_debug(struct command *c, const char *arg)
{
    if (strcmp(arg, "-g0") == 0) {
        c->debug = false;
        c->debug_macros = false;
        return;
    }
    c->debug = true;
    c->debug_macros = c->debug_macros || arg[strlen(arg) - 1] == '3';
}

static enum taken take_flag(struct arena *a, struct command *c, size_t *i)
{
    char *arg = c->args[*i];
    if (IS_ONE_OF(arg, two_words)) {
        char *value = value_of(c, i, arg, 0);
        if (value == NULL) {
            return WRONG;
        }
        push_flag(a, c, FLAG_TEXT, str_format(a, "%s %s", arg, value), STR(""));
        return TAKEN;
    }
    if (strncmp(arg, "-x", 2) == 0) {
        const char *language = value_of(c, i, "-x", 0);
        if (language == NULL || strcmp(language, "c++") != 0) {
            return WRONG;
        }
        c->is_cplusplus = true;
        push_flag(a, c, FLAG_TEXT, STR("-xc++"), STR(""));
        return TAKEN;
    }
    if (!BEGINS_WITH_ONE_OF(arg, plain_long) &&
        (IS_ONE_OF(arg, refused) || BEGINS_WITH_ONE_OF(arg, refused_beginnings))) {
        return WRONG;
    }
    if (strncmp(arg, "-fdiagnostics-color", 19) == 0 || strcmp(arg, "-fcolor-diagnostics") == 0 ||
        strcmp(arg, "-fno-color-diagnostics") == 0 || strcmp(arg, "-fno-diagnostics-color") == 0) {
        c->colour = true;
        return TAKEN;
    }
    if (strcmp(arg, "-pipe") == 0) {
        return TAKEN;
    }
    if (strncmp(arg, "-g", 2) == 0) {
        note_debug(c, arg);
    }
    /* Sanitizers describe places in the source; a link-time optimiser's input names its own. */
    if (strncmp(arg, "-fsanitize", 10) == 0 || strncmp(arg, "-flto", 5) == 0) {
        c->debug = true;
    }
    if (strcmp(arg, "-march=native") == 0 || strcmp(arg, "-mtune=native") == 0 ||
        strcmp(arg, "-mcpu=native") == 0) {
        push_str(a, &c->native, str_from(arg));
    }
    if (strcmp(arg, "-Winvalid-pch") == 0 || strcmp(arg, "-Werror=invalid-pch") == 0) {
        c->invalid_pch = true;
    }
    push_flag(a, c, FLAG_TEXT, str_from(arg), STR(""));
    return TAKEN;
}

static bool take_all(struct arena *a, struct command *c, struct error *e)
{
    bool compiles = false;
    bool wants_depfile = false;
    for (size_t i = 0; i < c->arg_count; i++) {
        char *arg = c->args[i];
        c->path_offsets[i] = -1;
        if (strcmp(arg, "-c") == 0) {
            compiles = true;
            continue;
        }
        if (arg[0] != '-') {
            const bool named_c = c->is_cplusplus && str_ends_with(str_from(arg), ".c");
            if (c->input.len > 0 || (!has_source_suffix(arg) && !named_c)) {
                error_set(e, "more than one input, or one of another kind: %s", arg);
                return false;
            }
            c->input = str_from(arg);
            c->path_offsets[i] = 0;
            continue;
        }
        const size_t at = i;
        enum taken taken = take_dependencies(a, c, &i, &wants_depfile);
        taken = taken == NOT_MINE ? take_paths(a, c, &i) : taken;
        taken = taken == NOT_MINE ? take_macro(a, c, &i) : taken;
        taken = taken == NOT_MINE ? take_flag(a, c, &i) : taken;
        if (taken != TAKEN) {
            error_set(e, "the option %s is not handled", c->args[at]);
            return false;
        }
    }
    if (!compiles || c->input.len == 0 || c->output.len == 0 || str_equal_c(c->output, "-")) {
        error_set(e, "not one source compiled (-c) to one named object (-o)");
        return false;
    }
    if (!wants_depfile) {
        c->depfile = STR("");
    } else if (c->depfile.len == 0) {
        const struct str stem = path_stem(c->output);
        const struct str dir = path_dirname(c->output);
        c->depfile = str_format(a, STR_FMT "/" STR_FMT ".d", STR_ARG(dir), STR_ARG(stem));
    }
    return true;
}

/* Variables that make a compiler write or read more than its arguments say. */
static bool environment_is_plain(struct error *e)
{
    static const char *const names[] = {
        "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS",
        "GCC_COMPARE_DEBUG",   "NVCC_PREPEND_FLAGS",  "NVCC_APPEND_FLAGS",    "CC_PRINT_OPTIONS",
        "CC_PRINT_HEADERS",    "CC_LOG_DIAGNOSTICS"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            error_set(e, "%s is set", names[i]);
            return false;
        }
    }
    return true;
}

bool command_parse(struct arena *a, int argc, char **argv, const char *compiler, struct command *c,
                   struct error *e)
{
    *c = (struct command){.argv = argv,
                          .argc = (size_t)argc,
                          .input = STR(""),
                          .output = STR(""),
                          .depfile = STR("")};
    vec_init(&c->targets, a);
    vec_init(&c->dirs, a);
    vec_init(&c->forced, a);
    vec_init(&c->maps, a);
    vec_init(&c->flags, a);
    vec_init(&c->native, a);
    if (!find_compiler(compiler, c, e)) {
        return false;
    }
    if (strstr(name_of(argv[c->compiler]), "nvcc") != NULL ||
        strstr(name_of(argv[c->compiler]), "nvc++") != NULL) {
        error_set(e, "the command line of %s is not understood", name_of(argv[c->compiler]));
        return false;
    }
    struct vec args;
    vec_init(&args, a);
    bool good = true;
    expand(a, c, &args, &good, e);
    if (!good || !environment_is_plain(e)) {
        return false;
    }
    c->arg_count = args.count;
    vec_push(&args, NULL);
    c->args = (char **)args.items;
    c->path_offsets = ARENA_ARRAY(a, int, args.count);
    return take_all(a, c, e);
}
