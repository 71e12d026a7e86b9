/*
 * Which compiler it is: the content of its driver, of the compiler proper and of the assembler, its
 * version and target, the headers it includes by itself, and what -march=native means here. Asking
 * takes tens of milliseconds, so the answer is kept in the store with the stamps of all those
 * files.
 *
 * A kept answer: a line "stamp <mtime> <size> <inode> <device> <path>" for each file that is there
 * or might come up, "find <name> <path>" for each program looked for through PATH (no path: none
 * there), "implicit <path>" for each header, "search <path>" for each folder (those that are not
 * there, too), "part <text>" for each thing that is in the digest, "digest <hex>", "version
 * <text>".
 */
#define _GNU_SOURCE
#include "launch/compiler.h"

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

static const char memo_kind[] = "compilers";

/* Variables by which a driver finds its parts. */
static const char *const variables[] = {
    "PATH",   "COMPILER_PATH", "GCC_EXEC_PREFIX", "GCC_ROOT", "CLANG_CONFIG_FILE_SYSTEM_DIR",
    "SDKROOT"};

/* And those by which it finds headers and libraries. */
static const char *const more_variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                             "LIBRARY_PATH"};

/* ---- what the answer depends on ------------------------------------------------------------- */

/* One of the folders between colons in a variable's value is relative to where the compiler runs.
 */
static bool has_relative(const char *value)
{
    if (value == NULL || value[0] == '\0') {
        return false;
    }
    for (const char *p = value; p != NULL; p = strchr(p, ':')) {
        p += *p == ':';
        if (*p != '/') {
            return true; /* an empty one is the working folder, too */
        }
    }
    return false;
}

/* Where the compiler is to be asked. In the root folder, so that answers hold wherever we are,
 * unless a variable says otherwise. */
static struct str folder_to_ask_in(struct arena *a)
{
    bool relative = false;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        relative = relative || has_relative(getenv(variables[i]));
    }
    for (size_t i = 0; i < sizeof(more_variables) / sizeof(more_variables[0]); i++) {
        relative = relative || has_relative(getenv(more_variables[i]));
    }
    return relative ? path_cwd(a) : STR("/");
}

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
    sha256_add_str(sha, STR("compiler memo 7"));
    sha256_add_str(sha, id->folder);
    sha256_add_str(sha, str_from(id->name));
    sha256_add_str(sha, id->path);
    sha256_add_str(sha,
                   str_format(a, "%lld %llu %llu", (long long)stamp.ctime_ns,
                              (unsigned long long)stamp.size, (unsigned long long)stamp.inode));
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        sha256_add_str(sha, str_from(value != NULL ? value : ""));
    }
    for (size_t i = 0; i < sizeof(more_variables) / sizeof(more_variables[0]); i++) {
        const char *value = getenv(more_variables[i]);
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
    return str_format(a, "stamp %lld %llu %llu %llu %s\n", (long long)s.ctime_ns,
                      (unsigned long long)s.size, (unsigned long long)s.inode,
                      (unsigned long long)s.device, path);
}

/* "name path": what PATH leads to is still that. */
static bool is_found_again(struct arena *a, struct str known)
{
    const char *blank = memchr(known.ptr, ' ', known.len);
    if (blank == NULL) {
        return false;
    }
    const struct str name = str_copy(a, str_slice(known, 0, (size_t)(blank - known.ptr)));
    const struct str now = compiler_find(a, name);
    return str_equal(now, str_slice(known, name.len + 1, known.len));
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
        } else if (str_starts_with(line, "find ")) {
            if (!is_found_again(a, str_slice(line, 5, line.len))) {
                return false;
            }
        } else if (str_starts_with(line, "implicit ")) {
            compiler_push(a, &out->implicit, str_copy(a, str_slice(line, 9, line.len)));
        } else if (str_starts_with(line, "search ")) {
            compiler_push(a, &out->search, str_copy(a, str_slice(line, 7, line.len)));
        } else if (str_starts_with(line, "part ")) {
            compiler_push(a, &out->parts, str_copy(a, str_slice(line, 5, line.len)));
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

static bool has_newline(const struct vec *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        const struct str path = *(const struct str *)paths->items[i];
        if (memchr(path.ptr, '\n', path.len) != NULL) {
            return true;
        }
    }
    return false;
}

static struct str format_memo(struct arena *a, const struct identity *id)
{
    struct buf b;
    buf_init(&b, a);
    if (has_newline(&id->stamped) || has_newline(&id->found)) {
        return STR("");
    }
    for (size_t i = 0; i < id->stamped.count; i++) {
        buf_add(&b, stamp_line(a, (*(const struct str *)id->stamped.items[i]).ptr));
    }
    add_paths(&b, "find ", &id->found);
    add_paths(&b, "implicit ", &id->out->implicit);
    add_paths(&b, "search ", &id->out->search);
    add_paths(&b, "part ", &id->out->parts);
    buf_printf(&b, "digest %s\nversion %s\n", sha256_hex(a, &id->out->digest).ptr,
               id->out->version.ptr);
    return buf_str(&b);
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
                          .folder = folder_to_ask_in(a),
                          .out = out};
    struct sha256 name;
    struct str memo;
    /* What is kept under this name was found to be such that it may be. */
    if (store != NULL && memo_name(a, &id, c, &name) &&
        store_memo_get(store, a, memo_kind, &name, &memo)) {
        if (read_memo(a, memo, out)) {
            return true;
        }
        vec_init(&out->implicit, a);
        vec_init(&out->search, a);
        vec_init(&out->parts, a);
    }
    vec_init(&id.stamped, a);
    vec_init(&id.found, a);
    id.sha = sha256_begin(a);
    /* By its absolute path: it is asked in another folder. */
    const struct str program = path_absolute(a, path_cwd(a), found);
    if (id.sha == NULL || !compiler_ask(&id, c, program.ptr, e)) {
        return false;
    }
    if (store != NULL && may_be_kept(id.path) && memo_name(a, &id, c, &name)) {
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
