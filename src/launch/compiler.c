/*
 * Which compiler it is: the content of its driver, of the compiler proper and of the assembler, its
 * version and target, the headers it includes by itself, and what -march=native means here. Asking
 * takes tens of milliseconds, so the answer is kept in the store with the stamps of all those
 * files.
 *
 * A kept answer: a line "stamp <mtime> <size> <inode> <device> <path>" for each file, "implicit
 * <path>" for each header, "search <path>" for each folder, "part <text>" for each thing that is in
 * the digest, "digest <hex>", "version <text>".
 */
#define _GNU_SOURCE
#include "launch/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define PROGRAM_MAX ((size_t)2 * 1024 * 1024 * 1024)
static const char memo_kind[] = "compilers";

/* Variables by which a driver finds its parts. */
static const char *const variables[] = {
    "PATH",   "COMPILER_PATH", "GCC_EXEC_PREFIX", "GCC_ROOT", "CLANG_CONFIG_FILE_SYSTEM_DIR",
    "SDKROOT"};

struct identity {
    struct arena *arena;
    const char *name; /* as it is called: clang and clang++ are one program */
    struct str path;  /* links resolved */
    struct vec stamped;
    struct sha256_ctx *sha;
    struct compiler *out;
};

/* ---- what the answer depends on ------------------------------------------------------------- */

/* This machine's processor, as far as -march=native looks at it. */
static void add_processor(struct sha256_ctx *sha)
{
#if defined(__x86_64__) || defined(__i386__)
    static const unsigned leaves[] = {0,          1,          7,          0x80000001,
                                      0x80000002, 0x80000003, 0x80000004, 0x80000008};
    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
        unsigned r[4] = {0, 0, 0, 0};
        if (leaves[i] == 7) {
            (void)__get_cpuid_count(7, 0, &r[0], &r[1], &r[2], &r[3]);
        } else {
            (void)__get_cpuid(leaves[i], &r[0], &r[1], &r[2], &r[3]);
        }
        if (leaves[i] == 1) {
            r[1] = 0; /* the number of the core that runs this */
        }
        sha256_add(sha, r, sizeof(r));
    }
#else
    char text[4096];
    const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
    if (n > 0) {
        /* The first core's block: later ones differ in their number only. */
        const char *end = memmem(text, (size_t)n, "\n\n", 2);
        sha256_add(sha, text, end != NULL ? (size_t)(end - text) : (size_t)n);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
#endif
}

static bool memo_name(struct arena *a, const struct identity *id, const struct command *c,
                      struct sha256 *name)
{
    struct sha256_ctx *sha = sha256_begin(a);
    if (sha == NULL) {
        return false;
    }
    const struct file_stamp stamp = file_stamp_of(id->path.ptr);
    sha256_add_str(sha, STR("compiler memo 3"));
    sha256_add_str(sha, str_from(id->name));
    sha256_add_str(sha, id->path);
    sha256_add_str(sha,
                   str_format(a, "%lld %llu %llu", (long long)stamp.mtime_ns,
                              (unsigned long long)stamp.size, (unsigned long long)stamp.inode));
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        sha256_add_str(sha, str_from(value != NULL ? value : ""));
    }
    for (size_t i = 0; i < c->native.count; i++) {
        sha256_add_str(sha, *(const struct str *)c->native.items[i]);
    }
    if (c->native.count > 0) {
        add_processor(sha);
    }
    return sha256_end(sha, name);
}

/* A script, or a program that only calls the compiler, decides by rules of its own which one: its
 * answer is not kept. */
static bool may_be_kept(struct str path)
{
    const struct str name = path_basename(path);
    if (strstr(name.ptr, "g++") == NULL && strstr(name.ptr, "gcc") == NULL &&
        strstr(name.ptr, "clang") == NULL) {
        return false;
    }
    char magic[4] = "";
    const int fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
    const bool is_program = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "#!", 2) != 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_program;
}

/* ---- the kept answer ------------------------------------------------------------------------ */

static struct str stamp_line(struct arena *a, const char *path)
{
    const struct file_stamp s = file_stamp_of(path);
    return str_format(a, "stamp %lld %llu %llu %llu %s\n", (long long)s.mtime_ns,
                      (unsigned long long)s.size, (unsigned long long)s.inode,
                      (unsigned long long)s.device, path);
}

static void push_path(struct arena *a, struct vec *v, struct str path)
{
    struct str *copy = ARENA_NEW(a, struct str);
    *copy = path;
    vec_push(v, copy);
}

static bool read_memo(struct arena *a, struct str text, struct compiler *out)
{
    bool has_digest = false;
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        if (newline == NULL) {
            return false;
        }
        const struct str line = str_slice(text, 0, (size_t)(newline - text.ptr));
        text = str_slice(text, line.len + 1, text.len);
        if (str_starts_with(line, "stamp ")) {
            size_t at = 6;
            for (int blanks = 0; at < line.len && blanks < 4; at++) {
                blanks += line.ptr[at] == ' ';
            }
            const struct str path = str_copy(a, str_slice(line, at, line.len));
            const struct str now = stamp_line(a, path.ptr);
            if (!str_equal(line, str_slice(now, 0, now.len - 1))) {
                return false;
            }
        } else if (str_starts_with(line, "implicit ")) {
            push_path(a, &out->implicit, str_copy(a, str_slice(line, 9, line.len)));
        } else if (str_starts_with(line, "search ")) {
            push_path(a, &out->search, str_copy(a, str_slice(line, 7, line.len)));
        } else if (str_starts_with(line, "part ")) {
            push_path(a, &out->parts, str_copy(a, str_slice(line, 5, line.len)));
        } else if (str_starts_with(line, "digest ")) {
            has_digest = sha256_from_hex(str_slice(line, 7, line.len), &out->digest);
        } else if (str_starts_with(line, "version ")) {
            out->version = str_copy(a, str_slice(line, 8, line.len));
        }
    }
    return has_digest;
}

static void add_paths(struct buf *b, const char *word, const struct vec *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        buf_add_c(b, word);
        buf_add(b, *(const struct str *)paths->items[i]);
        buf_add_char(b, '\n');
    }
}

static struct str format_memo(struct arena *a, const struct identity *id)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < id->stamped.count; i++) {
        const struct str path = *(const struct str *)id->stamped.items[i];
        if (memchr(path.ptr, '\n', path.len) != NULL) {
            return STR("");
        }
        buf_add(&b, stamp_line(a, path.ptr));
    }
    add_paths(&b, "implicit ", &id->out->implicit);
    add_paths(&b, "search ", &id->out->search);
    add_paths(&b, "part ", &id->out->parts);
    buf_printf(&b, "digest %s\nversion %s\n", sha256_hex(a, &id->out->digest).ptr,
               id->out->version.ptr);
    return buf_str(&b);
}

/* ---- asking the compiler -------------------------------------------------------------------- */

static bool ask_both(struct arena *a, const char *program, char *const *words,
                     struct process_result *answer, struct error *e)
{
    struct vec argv;
    vec_init(&argv, a);
    vec_push(&argv, (void *)(uintptr_t)program);
    for (size_t i = 0; words[i] != NULL; i++) {
        vec_push(&argv, words[i]);
    }
    vec_push(&argv, NULL);
    /* In the root folder: answers must not hold where we are. */
    if (!process_run(a, (char **)argv.items, "/", PROCESS_CAPTURE_BOTH, answer, e)) {
        return false;
    }
    if (answer->exit_code != 0) {
        error_set(e, "%s %s fails", program, words[0]);
        return false;
    }
    return true;
}

static bool ask(struct arena *a, const char *program, char *const *words, struct str *answer,
                struct error *e)
{
    struct process_result r;
    if (!ask_both(a, program, words, &r, e)) {
        return false;
    }
    *answer = r.out.len > 0 ? r.out : r.err;
    return true;
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
    push_path(id->arena, &id->stamped, path);
    const struct file_stamp before = file_stamp_of(path.ptr);
    struct str content;
    struct sha256 digest;
    bool good = file_read(a, path.ptr, PROGRAM_MAX, &content, e) && sha256_of(content, &digest);
    const struct file_stamp after = file_stamp_of(path.ptr);
    if (good && !file_stamp_equal(&before, &after)) {
        error_set(e, "%s changes", path.ptr);
        good = false;
    }
    if (good) {
        sha256_add(id->sha, digest.bytes, sizeof(digest.bytes));
        push_path(
            id->arena, &id->out->parts,
            str_format(id->arena, "%s %s %s", what, path.ptr, sha256_hex(id->arena, &digest).ptr));
    }
    arena_free(a);
    return good;
}

/* A part of the compiler by its name; what the driver does not have is found through PATH. */
static bool add_part(struct identity *id, const char *program, const char *part, struct error *e)
{
    struct str option = str_format(id->arena, "-print-prog-name=%s", part);
    char *words[] = {(char *)(uintptr_t)option.ptr, NULL};
    struct str answer;
    if (!ask(id->arena, program, words, &answer, e)) {
        return false;
    }
    const struct str path = process_find(id->arena, first_line(id->arena, answer).ptr);
    if (path.len == 0 || path.ptr[0] != '/') {
        sha256_add_str(id->sha, STR("none")); /* clang has its parts inside */
        return true;
    }
    return add_file(id, part, path, e);
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
        if (word.len > 0 && word.ptr[0] == '/' && !str_equal_c(word, "/dev/null") &&
            !str_ends_with(word, ":")) {
            push_path(id->arena, &id->out->implicit, word);
            if (!add_file(id, "header", word, e)) {
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
        }
        text = str_slice(text, len + 1, text.len);
    }
}

/* The folders that -v lists, a line each after a blank. Other lines that look so (commands) name no
 * folder; the words around the list are in the user's language. */
static void add_search(struct identity *id, struct str text)
{
    while (text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        const size_t len = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
        struct stat st;
        if (len > 2 && text.ptr[0] == ' ' && text.ptr[1] == '/') {
            const struct str dir = str_copy(id->arena, str_slice(text, 1, len));
            if (stat(dir.ptr, &st) == 0 && S_ISDIR(st.st_mode)) {
                push_path(id->arena, &id->out->search, dir);
            }
        }
        text = str_slice(text, len + 1, text.len);
    }
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

static bool ask_all(struct identity *id, const struct command *c, const char *program,
                    struct error *e)
{
    struct arena *a = id->arena;
    struct str version;
    struct str machine;
    struct str rule;
    char *ask_version[] = {word_version, NULL};
    char *ask_machine[] = {word_machine, NULL};
    char *ask_rule[] = {word_x, word_language, word_depend, word_null, NULL};
    if (!ask(a, program, ask_version, &version, e) || !ask(a, program, ask_machine, &machine, e) ||
        !ask(a, program, ask_rule, &rule, e)) {
        return false;
    }
    struct process_result search;
    char *ask_search[] = {word_preprocess, word_v, word_x, word_language, word_null, NULL};
    if (!ask_both(a, program, ask_search, &search, e)) {
        return false;
    }
    add_search(id, search.err);
    id->out->version =
        str_format(a, "%s (%s)", first_line(a, version).ptr, first_line(a, machine).ptr);
    /* First lines only: the rest may be in the user's language. */
    sha256_add_str(id->sha, str_from(id->name));
    sha256_add_str(id->sha, id->out->version);
    if (!add_file(id, "program", id->path, e) || !add_part(id, program, "cc1plus", e) ||
        !add_part(id, program, "as", e) || !add_implicit(id, rule, e)) {
        return false;
    }
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
        if (!ask(a, program, (char **)words.items, &resolved, e)) {
            return false;
        }
        struct buf all;
        struct sha256 digest;
        buf_init(&all, a);
        add_commands(id->sha, &all, resolved);
        if (sha256_of(buf_str(&all), &digest)) {
            push_path(a, &id->out->parts,
                      str_format(a, "what 'native' means here %s", sha256_hex(a, &digest).ptr));
        }
    }
    return sha256_end(id->sha, &id->out->digest);
}

/* The answer that is kept in the store, or else the compiler's own. */
static bool identify(struct arena *a, const struct command *c, struct store *store,
                     struct compiler *out, struct error *e)
{
    const char *called = c->argv[c->compiler];
    *out = (struct compiler){.version = STR("")};
    vec_init(&out->implicit, a);
    vec_init(&out->search, a);
    vec_init(&out->parts, a);
    const struct str found = process_find(a, called);
    char real[PATH_MAX];
    if (found.len == 0 || realpath(found.ptr, real) == NULL) {
        error_set(e, "there is no compiler %s", called);
        return false;
    }
    struct identity id = {.arena = a,
                          .name = path_basename(str_from(called)).ptr,
                          .path = str_copy_c(a, real),
                          .out = out};
    const bool keep = store != NULL && may_be_kept(id.path);
    struct sha256 name;
    struct str memo;
    if (keep && memo_name(a, &id, c, &name) && store_memo_get(store, a, memo_kind, &name, &memo)) {
        if (read_memo(a, memo, out)) {
            return true;
        }
        vec_init(&out->implicit, a);
        vec_init(&out->search, a);
        vec_init(&out->parts, a);
    }
    vec_init(&id.stamped, a);
    id.sha = sha256_begin(a);
    /* By its absolute path: it is asked in another folder. */
    const struct str program = path_absolute(a, path_cwd(a), found);
    if (id.sha == NULL || !ask_all(&id, c, program.ptr, e)) {
        return false;
    }
    if (keep && memo_name(a, &id, c, &name)) {
        const struct str content = format_memo(a, &id);
        if (content.len > 0) {
            store_memo_put(store, a, memo_kind, &name, content);
        }
    }
    return true;
}

/* ---- within one process --------------------------------------------------------------------- */

struct launch_session {
    struct arena *arena;
    struct map compilers; /* what it is called, and options that its identity depends on */
};

struct launch_session *launch_session_new(struct arena *a)
{
    struct launch_session *session = ARENA_NEW(a, struct launch_session);
    session->arena = a;
    map_init(&session->compilers, a);
    return session;
}

bool compiler_identify(struct arena *a, const struct command *c, struct store *store,
                       struct launch_session *session, struct compiler *out, struct error *e)
{
    if (session == NULL) {
        return identify(a, c, store, out, e);
    }
    struct buf b;
    buf_init(&b, session->arena);
    buf_add_c(&b, c->argv[c->compiler]);
    for (size_t i = 0; i < c->native.count; i++) {
        buf_add_char(&b, '\n');
        buf_add(&b, *(const struct str *)c->native.items[i]);
    }
    struct compiler *known = map_get(&session->compilers, buf_str(&b));
    if (known == NULL) {
        known = ARENA_NEW(session->arena, struct compiler);
        if (!identify(session->arena, c, store, known, e)) {
            return false;
        }
        map_set(&session->compilers, buf_str(&b), known);
    }
    *out = *known;
    return true;
}
