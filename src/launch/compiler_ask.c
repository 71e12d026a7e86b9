/*
 * Asks a compiler what it is made of: its version, its programs and libraries, the headers that it
 * includes by itself, and what -march=native means here.
 */
#define _GNU_SOURCE
#include "launch/compiler.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void compiler_push(struct arena *a, struct vec *v, struct str path)
{
    struct str *copy = ARENA_NEW(a, struct str);
    *copy = path;
    vec_push(v, copy);
}

static bool ask_both(const struct identity *id, const char *program, char *const *words,
                     struct process_result *answer, struct error *e)
{
    struct arena *a = id->arena;
    struct vec argv;
    vec_init(&argv, a);
    vec_push(&argv, (void *)(uintptr_t)program);
    for (size_t i = 0; words[i] != NULL; i++) {
        vec_push(&argv, words[i]);
    }
    vec_push(&argv, NULL);
    if (!process_run(a, (char **)argv.items, id->folder.ptr, PROCESS_CAPTURE_BOTH, answer, e)) {
        return false;
    }
    if (answer->exit_code != 0) {
        error_set(e, "%s %s fails", program, words[0]);
        return false;
    }
    return true;
}

static bool ask(const struct identity *id, const char *program, char *const *words,
                struct str *answer, struct error *e)
{
    struct process_result r;
    if (!ask_both(id, program, words, &r, e)) {
        return false;
    }
    *answer = r.out.len > 0 ? r.out : r.err;
    return true;
}

/* The same, with messages in English. */
static bool ask_in_english(const struct identity *id, const char *program, char *const *words,
                           struct process_result *answer, struct error *e)
{
    static char assignment[] = "LC_ALL=C";
    struct vec argv;
    vec_init(&argv, id->arena);
    vec_push(&argv, assignment);
    vec_push(&argv, (void *)(uintptr_t)program);
    for (size_t i = 0; words[i] != NULL; i++) {
        vec_push(&argv, words[i]);
    }
    vec_push(&argv, NULL);
    return ask_both(id, "env", (char **)argv.items, answer, e);
}

/* A path that the compiler answered, which may be one from where it was asked. */
static struct str absolute(const struct identity *id, struct str path)
{
    return path_join(id->arena, id->folder, path);
}

static struct str first_line(struct arena *a, struct str text)
{
    size_t len = 0;
    while (len < text.len && text.ptr[len] != '\n' && text.ptr[len] != '\r') {
        len++;
    }
    return str_copy(a, str_slice(text, 0, len));
}

/* Digests and stamps a file, in that order of safety: the stamp first. `what` it is, for people. */
static bool add_file(struct identity *id, const char *what, struct str path, struct error *e)
{
    struct arena *a = arena_like(id->arena);
    compiler_push(id->arena, &id->stamped, path);
    const struct file_stamp before = file_stamp_of(path.ptr);
    struct str content;
    struct sha256 digest;
    bool good =
        file_read(a, path.ptr, COMPILER_PROGRAM_MAX, &content, e) && sha256_of(content, &digest);
    const struct file_stamp after = file_stamp_of(path.ptr);
    if (good && !file_stamp_equal(&before, &after)) {
        error_set(e, "%s changes", path.ptr);
        good = false;
    }
    if (good) {
        sha256_add(id->sha, digest.bytes, sizeof(digest.bytes));
        compiler_push(
            id->arena, &id->out->parts,
            str_format(id->arena, "%s %s %s", what, path.ptr, sha256_hex(id->arena, &digest).ptr));
    }
    arena_free(a);
    return good;
}

struct str compiler_find(struct arena *a, struct str part)
{
    const struct str path = process_find(a, part.ptr);
    return path.len > 0 && path.ptr[0] != '/' ? path_join(a, path_cwd(a), path) : path;
}

/* A part of the compiler by its name; what the driver does not have is found through PATH, which
 * clang may do by itself. */
static bool add_part(struct identity *id, const char *program, const char *part, struct error *e)
{
    struct arena *a = id->arena;
    struct str option = str_format(a, "-print-prog-name=%s", part);
    char *words[] = {(char *)(uintptr_t)option.ptr, NULL};
    struct str answer;
    if (!ask(id, program, words, &answer, e)) {
        return false;
    }
    const struct str said = first_line(a, answer);
    const bool is_name = memchr(said.ptr, '/', said.len) == NULL;
    const struct str name = is_name ? said : str_from(part);
    const struct str found = compiler_find(a, name);
    if (is_name || str_equal(said, found)) {
        compiler_push(a, &id->found,
                      str_format(a, STR_FMT " " STR_FMT, STR_ARG(name), STR_ARG(found)));
    }
    const struct str path = is_name ? found : process_find(a, absolute(id, said).ptr);
    if (path.len == 0) {
        sha256_add_str(id->sha, STR("none")); /* clang has its parts inside */
        return true;
    }
    return add_file(id, part, path, e);
}

static void stamp_once(struct identity *id, struct str path)
{
    for (size_t i = 0; i < id->stamped.count; i++) {
        if (str_equal(*(const struct str *)id->stamped.items[i], path)) {
            return;
        }
    }
    compiler_push(id->arena, &id->stamped, path);
}

/* The folders where a driver looks for its parts before it looks through PATH: one that comes up
 * there takes another's place. */
static void add_places(struct identity *id, const char *program)
{
    static const char start[] = "programs: =";
    static char word[] = "-print-search-dirs";
    char *words[] = {word, NULL};
    struct arena *a = id->arena;
    struct process_result r;
    struct error none;
    if (!ask_in_english(id, program, words, &r, &none)) {
        return;
    }
    const char *at = strstr(str_copy(a, r.out).ptr, start);
    if (at == NULL) {
        return;
    }
    for (at += strlen(start); *at != '\0' && *at != '\n';) {
        const size_t len = strcspn(at, ":\n");
        const struct str dir = len > 0 ? absolute(id, (struct str){at, len}) : STR("");
        struct stat st;
        at += len + (at[len] == ':');
        if (dir.len > 0 && stat(dir.ptr, &st) != 0) {
            stamp_once(id, dir);
        } else if (dir.len > 0) {
            stamp_once(id, path_join(a, dir, STR("cc1plus")));
            stamp_once(id, path_join(a, dir, STR("as")));
        }
    }
}

/* What the driver says of `-print-…=name`, where that is a path; else empty. */
static struct str ask_path(struct identity *id, const char *program, const char *option,
                           const char *name)
{
    struct str word = str_format(id->arena, "%s=%s", option, name);
    char *words[] = {(char *)(uintptr_t)word.ptr, NULL};
    struct str answer;
    struct error e;
    if (!ask(id, program, words, &answer, &e)) {
        return STR("");
    }
    const struct str path = first_line(id->arena, answer);
    return path.len > 0 && memchr(path.ptr, '/', path.len) != NULL ? absolute(id, path) : STR("");
}

/* A file named "specs" beside libgcc changes what GCC does: it counts where it is, and that there
 * is none counts, too. */
static bool add_specs(struct identity *id, const char *program, struct error *e)
{
    const struct str libgcc = ask_path(id, program, "-print-file-name", "libgcc.a");
    if (libgcc.len == 0) {
        return true;
    }
    const struct str path = path_join(id->arena, path_dirname(libgcc), STR("specs"));
    if (!file_exists(path.ptr)) {
        compiler_push(id->arena, &id->stamped, path);
        return true;
    }
    return add_file(id, "specs", path, e);
}

/* The loader's lines "name => path (address)": LLVM is where clang's code is, often a library that
 * is upgraded by itself. */
static bool add_libraries(struct identity *id, const char *program, struct error *e)
{
    static char word_env[] = "env";
    static char word_trace[] = "LD_TRACE_LOADED_OBJECTS=1";
    char *argv[] = {word_env, word_trace, (char *)(uintptr_t)program, NULL};
    struct process_result r;
    struct error none;
    if (!process_run(id->arena, argv, id->folder.ptr, PROCESS_CAPTURE_BOTH, &r, &none)) {
        return true;
    }
    struct str rest = r.out;
    while (rest.len > 0) {
        const char *newline = memchr(rest.ptr, '\n', rest.len);
        const size_t len = newline != NULL ? (size_t)(newline - rest.ptr) : rest.len;
        const struct str line = str_copy(id->arena, str_slice(rest, 0, len));
        rest = str_slice(rest, len + 1, rest.len);
        const char *arrow = strstr(line.ptr, " => /");
        if (arrow == NULL ||
            (strstr(line.ptr, "LLVM") == NULL && strstr(line.ptr, "clang") == NULL)) {
            continue;
        }
        const struct str path =
            str_copy(id->arena, (struct str){arrow + 4, strcspn(arrow + 4, " ")});
        if (!add_file(id, "library", path, e)) {
            return false;
        }
    }
    return true;
}

/* clang has all in one program, which a script may call. */
static bool add_clang(struct identity *id, const char *program, struct error *e)
{
    const struct str path = ask_path(id, program, "-print-prog-name", "clang");
    char real[PATH_MAX];
    if (path.len == 0 || realpath(path.ptr, real) == NULL) {
        return true;
    }
    return (str_equal_c(id->path, real) || add_file(id, "clang", str_copy_c(id->arena, real), e)) &&
           add_libraries(id, real, e);
}

/* The headers in "target: /dev/null header header": no name in them has a blank, or it is not one
 * that we could tell and the depfile's check refuses it later. */
static bool add_implicit(struct identity *id, struct str rule, struct error *e)
{
    size_t i = 0;
    while (i < rule.len) {
        while (i < rule.len && (rule.ptr[i] == ' ' || rule.ptr[i] == '\\' || rule.ptr[i] == '\n')) {
            i++;
        }
        size_t end = i;
        while (end < rule.len && rule.ptr[end] != ' ' && rule.ptr[end] != '\n') {
            end++;
        }
        const struct str word = str_copy(id->arena, str_slice(rule, i, end));
        i = end;
        const bool is_path = memchr(word.ptr, '/', word.len) != NULL;
        if (is_path && !str_equal_c(word, "/dev/null") && !str_ends_with(word, ":")) {
            compiler_push(id->arena, &id->out->implicit, word);
            if (!add_file(id, "header", absolute(id, word), e)) {
                return false;
            }
        }
    }
    return true;
}

/* The lines of -### that are commands, indented by one blank; others may be in the user's language.
 */
static void add_commands(struct sha256_ctx *sha, struct buf *all, struct str text)
{
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        if (text.ptr[0] == ' ') {
            sha256_add_str(sha, str_slice(text, 0, len));
            buf_add(all, str_slice(text, 0, len));
            buf_add_char(all, '\n');
        }
        text = str_slice(text, len + 1, text.len);
    }
}

/* The folder in a line of -v; empty where it names none. Those searched have a line each after a
 * blank; those passed by, because they are not there or are another by a link, may be searched
 * later. Other lines that begin so (commands) name no folder. */
static struct str search_dir(const struct identity *id, struct str line)
{
    static const char *const ignoring[] = {"ignoring nonexistent directory \"",
                                           "ignoring duplicate directory \""};
    for (size_t i = 0; i < sizeof(ignoring) / sizeof(ignoring[0]); i++) {
        const size_t len = strlen(ignoring[i]);
        if (str_starts_with(line, ignoring[i]) && str_ends_with(line, "\"") && line.len > len + 1) {
            return str_copy(id->arena, str_slice(line, len, line.len - 1));
        }
    }
    struct stat st;
    if (line.len < 2 || line.ptr[0] != ' ') {
        return STR("");
    }
    const struct str dir = str_copy(id->arena, str_slice(line, 1, line.len));
    const bool is_dir = stat(absolute(id, dir).ptr, &st) == 0 && S_ISDIR(st.st_mode);
    return is_dir ? dir : STR("");
}

static void add_search(struct identity *id, struct str text)
{
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        const struct str dir = search_dir(id, str_slice(text, 0, len));
        if (dir.len > 0) {
            compiler_push(id->arena, &id->out->search, dir);
        }
        text = str_slice(text, len + 1, text.len);
    }
}

/* What of -### names the processor: "-march=x" of GCC, "-target-cpu" "x" of clang. */
static struct str native_name(struct arena *a, struct str commands)
{
    const char *found = strstr(commands.ptr, "-march=");
    if (found != NULL) {
        return str_copy(a, (struct str){found, strcspn(found, "\"\n ")});
    }
    found = strstr(commands.ptr, "\"-target-cpu\" \"");
    if (found == NULL) {
        return STR("a processor without a name");
    }
    found += strlen("\"-target-cpu\" \"");
    return str_copy(a, (struct str){found, strcspn(found, "\"\n ")});
}

static char word_version[] = "--version";
static char word_machine[] = "-dumpmachine";
static char word_x[] = "-x";
static char word_language[] = "c++";
static char word_depend[] = "-M";
static char word_null[] = "/dev/null";
static char word_verbose[] = "-###";
static char word_preprocess[] = "-E";
static char word_v[] = "-v";

bool compiler_ask(struct identity *id, const struct command *c, const char *program,
                  struct error *e)
{
    struct arena *a = id->arena;
    struct str version;
    struct str machine;
    struct str rule;
    char *ask_version[] = {word_version, NULL};
    char *ask_machine[] = {word_machine, NULL};
    char *ask_rule[] = {word_x, word_language, word_depend, word_null, NULL};
    if (!ask(id, program, ask_version, &version, e) ||
        !ask(id, program, ask_machine, &machine, e) || !ask(id, program, ask_rule, &rule, e)) {
        return false;
    }
    struct process_result search;
    char *ask_search[] = {word_preprocess, word_v, word_x, word_language, word_null, NULL};
    if (!ask_in_english(id, program, ask_search, &search, e)) {
        return false;
    }
    add_search(id, search.err);
    id->out->version =
        str_format(a, "%s (%s)", first_line(a, version).ptr, first_line(a, machine).ptr);
    /* First lines only: the rest may be in the user's language. */
    sha256_add_str(id->sha, str_from(id->name));
    sha256_add_str(id->sha, id->out->version);
    if (!add_file(id, "program", id->path, e) || !add_part(id, program, "cc1plus", e) ||
        !add_part(id, program, "as", e) || !add_clang(id, program, e) ||
        !add_specs(id, program, e) || !add_implicit(id, rule, e)) {
        return false;
    }
    add_places(id, program);
    if (c->native.count > 0) {
        struct vec words;
        vec_init(&words, a);
        for (size_t i = 0; i < c->native.count; i++) {
            vec_push(&words, (void *)(uintptr_t)((const struct str *)c->native.items[i])->ptr);
        }
        char *rest[] = {word_verbose, word_preprocess, word_x, word_language, word_null, NULL};
        for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
            vec_push(&words, rest[i]);
        }
        struct str resolved;
        if (!ask(id, program, (char **)words.items, &resolved, e)) {
            return false;
        }
        struct buf all;
        struct sha256 digest;
        buf_init(&all, a);
        add_commands(id->sha, &all, resolved);
        if (sha256_of(buf_str(&all), &digest)) {
            const struct str cpu = native_name(a, buf_str(&all));
            compiler_push(a, &id->out->parts,
                          str_format(a, "native (here " STR_FMT ") %s", STR_ARG(cpu),
                                     sha256_hex(a, &digest).ptr));
        }
    }
    return sha256_end(id->sha, &id->out->digest);
}
