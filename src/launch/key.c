/*
 * The key: one SHA-256 over labelled parts.
 */
#define _GNU_SOURCE
#include "launch/private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Changes when the meaning of a part does. */
#define KEY_FORMAT "pykokkos-cache key 1"
#define DIRECT_FORMAT "pykokkos-cache dispatch key 2"

bool options_parse(int argc, char **argv, struct launch_options *o, struct error *e)
{
    *o = (struct launch_options){.compiler = NULL};
    int i = 1;
    for (; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strncmp(argv[i], "--compiler=", 11) == 0) {
            o->compiler = argv[i] + 11;
        } else if (strncmp(argv[i], "--store=", 8) == 0) {
            o->store = argv[i] + 8;
        } else if (strncmp(argv[i], "--linker=", 9) == 0) {
            o->linker = argv[i] + 9;
        } else if (strncmp(argv[i], "--kokkos=", 9) == 0) {
            o->kokkos = argv[i] + 9;
        } else if (strncmp(argv[i], "--parts=", 8) == 0) {
            o->parts = argv[i] + 8;
        } else {
            break;
        }
    }
    if (i >= argc || argv[i][0] == '-') {
        error_set(e, "usage: pykokkos-cache compile [--compiler=PATH] [--store=DIR] "
                     "[--linker=PATH] [--kokkos=VERSION] [--parts=DIR] [--] [LAUNCHER...] COMPILER "
                     "ARGUMENTS...");
        return false;
    }
    o->rest = argv + i;
    o->rest_count = argc - i;
    return true;
}

/* Flags with which the compiler looks for headers in other folders than those that it names without
 * them: what may come up there is not known. */
static const char *moves_headers(const struct command *c)
{
    static const char *const moving[] = {"--sysroot", "-isysroot", "-nostdinc", "-nostdlibinc",
                                         "-stdlib=",  "--target",  "-target",   "--gcc-toolchain",
                                         "-m32",      "-mx32",     "-m64",      "-imultilib"};
    for (size_t i = 0; i < c->arg_count; i++) {
        for (size_t k = 0; k < sizeof(moving) / sizeof(moving[0]); k++) {
            if (strncmp(c->args[i], moving[k], strlen(moving[k])) == 0) {
                return moving[k];
            }
        }
    }
    return NULL;
}

bool job_prepare(struct arena *a, const struct launch_options *o, struct job *job, struct error *e)
{
    if (!command_parse(a, o->rest_count, o->rest, o->compiler, &job->command, e)) {
        return false;
    }
    vec_init(&job->headers, a);
    job->kokkos = o->kokkos;
    switch (scan_mark_of(job->command.input.ptr)) {
    case SCAN_KERNEL: return true;
    case SCAN_DISPATCH: break;
    case SCAN_GROUP: /* group.c's */
    case SCAN_FOREIGN:
        error_set(e, "%s is no translation unit of ours", job->command.input.ptr);
        return false;
    }
    /* What it includes is known from a whole depfile only. */
    job->direct = true;
    if (job->command.depfile.len == 0 || !job->command.depfile_system) {
        error_set(e, "no -MD: its headers can't be known");
        return false;
    }
    const char *flag = moves_headers(&job->command);
    if (flag != NULL) {
        error_set(e, "%s: the folders of its headers can't be known", flag);
        return false;
    }
    return true;
}

bool job_prepare_group(struct arena *a, const struct launch_options *o, struct job *job,
                       struct error *e)
{
    if (!command_parse(a, o->rest_count, o->rest, o->compiler, &job->command, e)) {
        return false;
    }
    vec_init(&job->headers, a);
    if (scan_mark_of(job->command.input.ptr) != SCAN_GROUP) {
        error_set(e, "%s is no group of kernels", job->command.input.ptr);
        return false;
    }
    return true;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static bool add_part(struct arena *a, struct vec *parts, const char *label, struct str content,
                     struct str text)
{
    struct store_part *part = ARENA_NEW(a, struct store_part);
    part->label = str_from(label);
    part->text = text;
    vec_push(parts, part);
    return sha256_of(content, &part->digest);
}

/* A definition that no text can see. */
static bool is_unseen(const struct job *job, const struct flag *flag)
{
    const bool all = job->scan.pastes || job->command.debug_macros || job->direct;
    return flag->kind == FLAG_MACRO && !all && !scan_mentions(&job->scan, flag->name);
}

/* The flags in order; a macro only where something can see it. Of a dispatch TU, not all texts are
 * known yet: everything counts, and folders as the compiler is told them (__FILE__ holds them). */
static struct str flags_text(struct arena *a, const struct job *job)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < job->command.flags.count; i++) {
        const struct flag *flag = job->command.flags.items[i];
        if (is_unseen(job, flag)) {
            continue;
        }
        if ((flag->kind == FLAG_DIR || flag->kind == FLAG_MAP) && !job->direct) {
            continue; /* headers are looked for in all of them; paths_text has what maps make */
        }
        if (flag->kind == FLAG_DIR) {
            buf_printf(&b, STR_FMT " " STR_FMT "\n", STR_ARG(flag->text),
                       STR_ARG(command_path(a, &job->command, job->cwd, flag->name)));
            continue;
        }
        buf_add(&b, flag->text);
        buf_add_char(&b, '\n');
    }
    return buf_str(&b);
}

/* Variables that reach into a compile of known text. (Those by which the compiler finds its parts
 * are looked at with the compiler; folders that they add, with the headers.) */
static struct str environment_text(struct arena *a)
{
    static const char *const names[] = {"SOURCE_DATE_EPOCH",
                                        "MACOSX_DEPLOYMENT_TARGET",
                                        "GCC_EXEC_PREFIX",
                                        "COMPILER_PATH",
                                        "CPATH",
                                        "C_INCLUDE_PATH",
                                        "CPLUS_INCLUDE_PATH"};
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value != NULL) {
            buf_printf(&b, "%s=%s\n", names[i], value);
        }
    }
    return buf_str(&b);
}

/* The folder that goes into debug information: compilers trust PWD where it is the same place. */
static struct str named_cwd(struct arena *a, struct str cwd)
{
    const char *pwd = getenv("PWD");
    struct stat one;
    struct stat two;
    if (pwd != NULL && pwd[0] == '/' && stat(pwd, &one) == 0 && stat(".", &two) == 0 &&
        one.st_dev == two.st_dev && one.st_ino == two.st_ino) {
        return str_copy_c(a, pwd);
    }
    return cwd;
}

/* A path as the prefix maps leave it. Compilers differ in which of several that fit they take:
 * then the path itself goes in as well. */
static void add_mapped(struct arena *a, struct buf *b, const struct command *c, struct str path)
{
    struct str mapped = path;
    size_t fits = 0;
    for (size_t i = c->maps.count; i-- > 0;) {
        const struct str map = *(const struct str *)c->maps.items[i];
        const char *equals = map.len > 0 ? memrchr(map.ptr, '=', map.len) : NULL;
        if (equals == NULL) {
            continue;
        }
        const struct str old = str_slice(map, 0, (size_t)(equals - map.ptr));
        const struct str new = str_slice(map, old.len + 1, map.len);
        if (path.len < old.len || memcmp(path.ptr, old.ptr, old.len) != 0) {
            continue;
        }
        if (fits++ == 0) {
            mapped = str_format(a, STR_FMT STR_FMT, STR_ARG(new),
                                STR_ARG(str_slice(path, old.len, path.len)));
        }
    }
    buf_add(b, mapped);
    if (fits > 1 || (fits == 1 && memchr(mapped.ptr, '=', mapped.len) != NULL)) {
        buf_add_char(b, ' ');
        buf_add(b, path);
    }
    buf_add_char(b, '\n');
}

static struct str paths_text(struct arena *a, const struct job *job)
{
    const struct command *c = &job->command;
    struct buf b;
    buf_init(&b, a);
    if (!c->debug && !job->scan.sees_paths) {
        return STR("");
    }
    add_mapped(a, &b, c, named_cwd(a, job->cwd));
    add_mapped(a, &b, c, command_path(a, c, job->cwd, c->input));
    for (size_t i = 0; i < c->dirs.count; i++) {
        const struct str dir = *(const struct str *)c->dirs.items[i];
        add_mapped(a, &b, c, command_path(a, c, job->cwd, dir));
    }
    return buf_str(&b);
}

/* Version, and then the files that are it. */
static struct str compiler_text(struct arena *a, const struct compiler *c)
{
    struct buf b;
    buf_init(&b, a);
    buf_add(&b, c->version);
    buf_add_char(&b, '\n');
    for (size_t i = 0; i < c->parts.count; i++) {
        buf_add(&b, *(const struct str *)c->parts.items[i]);
        buf_add_char(&b, '\n');
    }
    return buf_str(&b);
}

/* What a person may miss among the parts. */
static struct str left_out(struct arena *a, const struct job *job)
{
    const struct command *c = &job->command;
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < c->flags.count; i++) {
        const struct flag *flag = c->flags.items[i];
        if (is_unseen(job, flag)) {
            buf_printf(&b, STR_FMT " (the text does not mention " STR_FMT ")\n",
                       STR_ARG(flag->text), STR_ARG(flag->name));
        } else if (flag->kind == FLAG_DIR && !job->direct) {
            buf_printf(&b, STR_FMT " " STR_FMT " (the headers found there count)\n",
                       STR_ARG(flag->text), STR_ARG(flag->name));
        }
    }
    buf_printf(&b, "-o " STR_FMT "\n", STR_ARG(c->output));
    if (c->depfile.len > 0) {
        buf_printf(&b, "-MF " STR_FMT "\n", STR_ARG(c->depfile));
    }
    if (!c->debug && !job->scan.sees_paths) {
        buf_printf(&b, "the folder " STR_FMT " (nothing holds paths: no -g, no __FILE__)\n",
                   STR_ARG(job->cwd));
    }
    return buf_str(&b);
}

/* What tells why a part of the key changed, and is not in the key itself: text that another version
 * generates alike, and Kokkos where nothing of it reaches the compile, change no object. */
static bool add_noted(struct arena *a, const struct job *job, struct vec *parts)
{
    const size_t first = parts->count;
    const struct str version = STR(PKC_VERSION);
    const struct str kokkos = str_from(job->kokkos != NULL ? job->kokkos : "");
    const bool good = add_part(a, parts, "generator", version, version) &&
                      (kokkos.len == 0 || add_part(a, parts, "Kokkos", kokkos, kokkos)) &&
                      (!job->tells || add_part(a, parts, "left out", STR(""), left_out(a, job)));
    for (size_t i = first; i < parts->count; i++) {
        ((struct store_part *)parts->items[i])->is_noted = true;
    }
    return good;
}

static bool add_all(struct arena *a, const struct job *job, struct vec *parts)
{
    const struct used_file *tu = job->scan.files.items[0];
    const struct str headers = buf_str(&job->scan.headers);
    const struct str flags = flags_text(a, job);
    const struct str environment = environment_text(a);
    const struct str paths = paths_text(a, job);
    const struct str compiler = {(const char *)job->compiler.digest.bytes,
                                 sizeof(job->compiler.digest.bytes)};
    const struct str name = path_basename(job->command.input);
    const struct str format = job->direct ? STR(DIRECT_FORMAT) : STR(KEY_FORMAT);
    return add_part(a, parts, "format", format, format) &&
           add_part(a, parts, "text", tu->text, STR("")) &&
           add_part(a, parts, "headers", headers, headers) &&
           add_part(a, parts, "flags", flags, flags) &&
           add_part(a, parts, "compiler", compiler, compiler_text(a, &job->compiler)) &&
           add_part(a, parts, "environment", environment, environment) &&
           add_part(a, parts, "name", name, name) && /* object files hold it */
           add_part(a, parts, "paths", paths, paths) && add_noted(a, job, parts);
}

bool job_make_key(struct arena *a, struct job *job, struct store *store,
                  struct launch_session *session, struct error *e)
{
    job->cwd = path_cwd(a);
    if (job->cwd.len == 0) {
        error_set(e, "the working folder is gone");
        return false;
    }
    if (!(job->direct ? scan_alone : scan_command)(a, &job->command, &job->scan, e) ||
        !compiler_identify(a, &job->command, store, session, &job->compiler, e)) {
        return false;
    }
    struct vec parts;
    vec_init(&parts, a);
    struct sha256_ctx *sha = sha256_begin(a);
    if (sha == NULL || !add_all(a, job, &parts)) {
        error_set(e, "SHA-256 does not work");
        return false;
    }
    struct store_part *list = ARENA_ARRAY(a, struct store_part, parts.count);
    for (size_t i = 0; i < parts.count; i++) {
        list[i] = *(const struct store_part *)parts.items[i];
        if (!list[i].is_noted) {
            sha256_add_str(sha, list[i].label);
            sha256_add(sha, list[i].digest.bytes, sizeof(list[i].digest.bytes));
        }
    }
    job->key.parts = list;
    job->key.part_count = parts.count;
    if (!sha256_end(sha, &job->key.key)) {
        return false;
    }
    job->base = job->key;
    return true;
}

/* The same words as after "compile": a word stands in for that. */
static bool options_of(struct arena *a, int argc, char **argv, struct launch_options *options,
                       struct error *e)
{
    static char word[] = "key";
    char **words = ARENA_ARRAY(a, char *, (size_t)argc + 2);
    words[0] = word;
    for (int i = 0; i < argc; i++) {
        words[i + 1] = argv[i];
    }
    return options_parse(argc + 1, words, options, e);
}

bool launch_group_key_of(struct arena *a, int argc, char **argv, struct store *store,
                         struct launch_session *session, struct launch_key *key, struct error *e)
{
    struct launch_options options;
    struct job *job = ARENA_NEW(a, struct job);
    if (!options_of(a, argc, argv, &options, e) || !job_prepare_group(a, &options, job, e) ||
        !job_make_key(a, job, store, session, e)) {
        return false;
    }
    *key = job->key;
    return true;
}

bool launch_key_of(struct arena *a, int argc, char **argv, struct store *store,
                   struct launch_session *session, struct launch_key *key, struct error *e)
{
    struct launch_options options;
    struct job *job = ARENA_NEW(a, struct job);
    if (!options_of(a, argc, argv, &options, e) || !job_prepare(a, &options, job, e)) {
        return false;
    }
    job->tells = session == NULL; /* one of many is only looked up */
    if (!job_make_key(a, job, store, session, e)) {
        return false;
    }
    if (job->direct && (store == NULL || !direct_find(a, job, store))) {
        error_set(e, "its headers are not known before it is compiled");
        return false;
    }
    *key = job->key;
    return true;
}
