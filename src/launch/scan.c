/*
 * The texts that a kernel TU is made of: the TU, and the headers that it names, found in every
 * folder where the compiler could look. All candidates of a name count, in whatever order the
 * compiler would take them: so its rules of precedence need not be known here.
 */
#include "launch/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX ((size_t)64 * 1024 * 1024)
#define PCH_MAX ((size_t)2 * 1024 * 1024 * 1024)
#define HEADERS_MAX 1000

static bool first_line_is(const char *text, ssize_t len, const char *line)
{
    const size_t n = strlen(line);
    return len > (ssize_t)n && memcmp(text, line, n) == 0 && (text[n] == '\n' || text[n] == '\r');
}

enum scan_mark scan_mark_of(const char *path)
{
    char text[64];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return SCAN_FOREIGN;
    }
    const ssize_t n = read(fd, text, sizeof(text));
    (void)close(fd);
    if (first_line_is(text, n, LAUNCH_MARKER)) {
        return SCAN_KERNEL;
    }
    if (first_line_is(text, n, GROUP_MARKER)) {
        return SCAN_GROUP;
    }
    return first_line_is(text, n, LAUNCH_DISPATCH_MARKER) ? SCAN_DISPATCH : SCAN_FOREIGN;
}

/* A name that is being looked for. */
struct lookup {
    struct arena *arena;
    const struct command *command;
    struct scan *scan;
    struct map names;      /* names looked up already */
    struct vec more_dirs;  /* that the command does not name: */
    size_t variable_count; /* first those that variables name, then the usual ones */
    struct error *e;
};

/* `stamp`: taken just now. */
static struct used_file *add_stamped(struct lookup *l, struct str path, struct file_stamp stamp,
                                     size_t max)
{
    struct used_file *f = ARENA_NEW(l->arena, struct used_file);
    f->path = path;
    f->stamp = stamp;
    if (!file_read(l->arena, path.ptr, max, &f->text, l->e)) {
        return NULL;
    }
    if (!sha256_of(f->text, &f->digest)) {
        error_set(l->e, "SHA-256 does not work");
        return NULL;
    }
    vec_push(&l->scan->files, f);
    return f;
}

static struct used_file *add_file(struct lookup *l, struct str path, size_t max)
{
    return add_stamped(l, path, file_stamp_of(path.ptr), max);
}

/* ---- words in texts ------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80 || c == '$';
}

static bool mentions(struct str text, struct str name)
{
    if (name.len == 0) {
        return true; /* no name that could be looked for */
    }
    const char *p = text.ptr;
    const char *const end = text.ptr + text.len;
    while ((size_t)(end - p) >= name.len) {
        p = memchr(p, name.ptr[0], (size_t)(end - p) - name.len + 1);
        if (p == NULL) {
            return false;
        }
        if (memcmp(p, name.ptr, name.len) == 0 && (p == text.ptr || !is_name_char(p[-1])) &&
            (p + name.len == end || !is_name_char(p[name.len]))) {
            return true;
        }
        p++;
    }
    return false;
}

bool scan_mentions(const struct scan *scan, struct str name)
{
    for (size_t i = 0; i < scan->files.count; i++) {
        const struct used_file *f = scan->files.items[i];
        if (mentions(f->text, name)) {
            return true;
        }
    }
    return false;
}

static bool contains(struct str text, const char *word)
{
    const size_t len = strlen(word);
    const char *p = text.ptr;
    const char *const end = text.ptr + text.len;
    while ((size_t)(end - p) >= len) {
        p = memchr(p, word[0], (size_t)(end - p) - len + 1);
        if (p == NULL) {
            return false;
        }
        if (memcmp(p, word, len) == 0) {
            return true;
        }
        p++;
    }
    return false;
}

/* Does the text around `p` (within `text`) read `before` + `after`, with `after` at p? */
static bool reads(struct str text, const char *p, const char *before, const char *after)
{
    const size_t before_len = strlen(before);
    const size_t after_len = strlen(after);
    return (size_t)(p - text.ptr) >= before_len && (size_t)(text.ptr + text.len - p) >= after_len &&
           memcmp(p - before_len, before, before_len) == 0 && memcmp(p, after, after_len) == 0;
}

/* What a text may say that makes its object depend on more than the text: refused, or noted. All
 * but two have an underscore, so one pass from underscore to underscore finds them. */
static bool check_words(struct lookup *l, const struct used_file *f)
{
    static const char *const refused[][2] = {
        {"", "__DATE__"},      {"", "__TIME__"},    {"", "__TIMESTAMP__"},
        {"", "__has_include"}, {"", "__has_embed"}, {"", "__INCLUDE_LEVEL__"},
        {"include", "_next"},
    };
    static const char *const paths[][2] = {
        {"", "__FILE"},
        {"", "__BASE_FILE__"},
        {"", "__builtin_FILE"},
        {"source", "_location"},
    };
    const char *const end = f->text.ptr + f->text.len;
    for (const char *p = f->text.ptr; p < end; p++) {
        p = memchr(p, '_', (size_t)(end - p));
        if (p == NULL) {
            break;
        }
        for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
            if (reads(f->text, p, refused[i][0], refused[i][1])) {
                error_set(l->e, "%s uses %s%s", f->path.ptr, refused[i][0], refused[i][1]);
                return false;
            }
        }
        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
            l->scan->sees_paths =
                l->scan->sees_paths || reads(f->text, p, paths[i][0], paths[i][1]);
        }
    }
    if (contains(f->text, ".incbin")) {
        error_set(l->e, "%s uses .incbin", f->path.ptr);
        return false;
    }
    l->scan->pastes = l->scan->pastes || contains(f->text, "##") || contains(f->text, "%:%:");
    return true;
}

/* ---- includes ------------------------------------------------------------------------------- */

static bool follow(struct lookup *l, const struct used_file *f, bool must_resolve);

static void try_dir(struct lookup *l, struct str dir, struct str name, size_t *found)
{
    const struct str path = path_join(l->arena, dir, name);
    const struct file_stamp stamp = file_stamp_of(path.ptr);
    if (!stamp.exists) {
        return;
    }
    struct used_file *f = add_stamped(l, path, stamp, TEXT_MAX);
    if (f == NULL) {
        *found = SIZE_MAX; /* it is there, and can't be read */
        return;
    }
    buf_add_char(&l->scan->headers, *found == 0 ? '=' : ',');
    buf_add(&l->scan->headers, sha256_hex(l->arena, &f->digest));
    (*found)++;
}

/* Looks `name` up everywhere; adds its line to the headers. */
static bool resolve(struct lookup *l, struct str name, struct str beside, bool must_resolve)
{
    const struct str id =
        str_format(l->arena, STR_FMT "\n" STR_FMT, STR_ARG(name), STR_ARG(beside));
    if (map_has(&l->names, id)) {
        return true;
    }
    map_set(&l->names, id, l);
    if (l->names.count > HEADERS_MAX) {
        error_set(l->e, "more than %d headers", HEADERS_MAX);
        return false;
    }
    const size_t first = l->scan->files.count;
    size_t found = 0;
    buf_add(&l->scan->headers, name);
    if (name.len > 0 && name.ptr[0] == '/') {
        try_dir(l, STR("/"), name, &found);
    } else {
        if (beside.len > 0) {
            try_dir(l, beside, name, &found);
        }
        for (size_t i = 0; i < l->command->dirs.count && found != SIZE_MAX; i++) {
            try_dir(l, *(const struct str *)l->command->dirs.items[i], name, &found);
        }
        /* The usual folders for our own headers only: of others, a compiler has versions in places
         * that it alone knows. */
        const size_t more =
            str_starts_with(name, "pykokkos_cache/") ? l->more_dirs.count : l->variable_count;
        for (size_t i = 0; i < more && found != SIZE_MAX; i++) {
            try_dir(l, *(const struct str *)l->more_dirs.items[i], name, &found);
        }
    }
    buf_add_char(&l->scan->headers, '\n');
    if (found == SIZE_MAX) {
        return false;
    }
    if (found == 0 && must_resolve) {
        error_set(l->e, "the header " STR_FMT " is in no folder named in the command",
                  STR_ARG(name));
        return false;
    }
    const size_t last = l->scan->files.count;
    for (size_t i = first; i < last; i++) {
        if (!follow(l, l->scan->files.items[i], must_resolve)) {
            return false;
        }
    }
    return true;
}

/* The header that GCC puts before each text: wherever the command or a variable has one of that
 * name. (The usual one is among the compiler's own.) Where there is none, nothing is in the key. */
static bool add_preincluded(struct lookup *l)
{
    const struct str name = STR("stdc-predef.h");
    const size_t before = l->scan->headers.len;
    const size_t first = l->scan->files.count;
    size_t found = 0;
    buf_add_c(&l->scan->headers, "before all=");
    for (size_t i = 0; i < l->command->dirs.count && found != SIZE_MAX; i++) {
        try_dir(l, *(const struct str *)l->command->dirs.items[i], name, &found);
    }
    for (size_t i = 0; i < l->variable_count && found != SIZE_MAX; i++) {
        try_dir(l, *(const struct str *)l->more_dirs.items[i], name, &found);
    }
    buf_add_char(&l->scan->headers, '\n');
    if (found == 0) {
        l->scan->headers.len = before;
    }
    const size_t last = l->scan->files.count;
    for (size_t i = first; i < last; i++) {
        if (!follow(l, l->scan->files.items[i], true)) {
            return false;
        }
    }
    return found != SIZE_MAX;
}

static struct str skip_blanks(struct str s)
{
    while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
        s = str_slice(s, 1, s.len);
    }
    return s;
}

/* One `# …` line. */
static bool directive(struct lookup *l, const struct used_file *f, struct str line,
                      bool must_resolve)
{
    line = skip_blanks(str_slice(line, 1, line.len));
    if (!str_starts_with(line, "include") && !str_starts_with(line, "import") &&
        !str_starts_with(line, "embed")) {
        return true;
    }
    if (!str_starts_with(line, "include")) {
        error_set(l->e, "%s uses #" STR_FMT, f->path.ptr, STR_ARG(str_slice(line, 0, 6)));
        return false;
    }
    line = skip_blanks(str_slice(line, 7, line.len));
    const char close = line.len > 0 && line.ptr[0] == '<'   ? '>'
                       : line.len > 0 && line.ptr[0] == '"' ? '"'
                                                            : '\0';
    const char *end =
        close != '\0' && line.len > 1 ? memchr(line.ptr + 1, close, line.len - 1) : NULL;
    if (end == NULL) {
        error_set(l->e, "%s has an #include that is not a plain name", f->path.ptr);
        return false;
    }
    const struct str name =
        str_copy(l->arena, (struct str){line.ptr + 1, (size_t)(end - line.ptr) - 1});
    const struct str beside = close == '"' ? path_dirname(f->path) : STR("");
    return resolve(l, name, beside, must_resolve);
}

static bool follow(struct lookup *l, const struct used_file *f, bool must_resolve)
{
    if (!check_words(l, f)) {
        return false;
    }
    struct str rest = f->text;
    while (rest.len > 0) {
        const char *newline = memchr(rest.ptr, '\n', rest.len);
        const size_t len = newline != NULL ? (size_t)(newline - rest.ptr) : rest.len;
        const struct str line = skip_blanks(str_slice(rest, 0, len));
        if (line.len > 0 && line.ptr[0] == '#' && !directive(l, f, line, must_resolve)) {
            return false;
        }
        rest = str_slice(rest, len + 1, rest.len);
    }
    return true;
}

/* -include FILE: the file, and GCC's precompiled form of it where there is one. Returns the file;
 * `*compiled` says whether the other is there. */
static const struct used_file *add_forced(struct lookup *l, struct str path, bool *is_compiled)
{
    const struct str gch = str_format(l->arena, "%s.gch", path.ptr);
    const struct str pch = str_format(l->arena, "%s.pch", path.ptr);
    const bool has_gch = file_exists(gch.ptr);
    if (file_exists(pch.ptr)) {
        error_set(l->e, "clang's precompiled headers are not handled");
        return NULL;
    }
    if (!file_exists(path.ptr)) {
        error_set(l->e, "the forced include %s is looked for elsewhere", path.ptr);
        return NULL;
    }
    const struct used_file *f = add_file(l, path, TEXT_MAX);
    if (f == NULL) {
        return NULL;
    }
    buf_add_c(&l->scan->headers, "-include=");
    buf_add(&l->scan->headers, sha256_hex(l->arena, &f->digest));
    buf_add_char(&l->scan->headers, '\n');
    if (has_gch) {
        const struct used_file *compiled = add_file(l, gch, PCH_MAX);
        if (compiled == NULL) {
            return NULL;
        }
        buf_add_c(&l->scan->headers, "-include.gch=");
        buf_add(&l->scan->headers, sha256_hex(l->arena, &compiled->digest));
        buf_add_char(&l->scan->headers, '\n');
    }
    *is_compiled = has_gch;
    return f;
}

void scan_variable_dirs(struct arena *a, struct vec *dirs)
{
    static const char *const variables[] = {"CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        while (value != NULL && value[0] != '\0') {
            const size_t len = strcspn(value, ":");
            struct str *dir = ARENA_NEW(a, struct str);
            *dir = len > 0 ? str_copy(a, (struct str){value, len}) : STR(".");
            vec_push(dirs, dir);
            value += len + (value[len] == ':');
        }
    }
}

/* Folders that are searched though the command does not name them. */
static void add_more_dirs(struct lookup *l)
{
    static const char *const usual[] = {"/usr/local/include", "/usr/include"};
    scan_variable_dirs(l->arena, &l->more_dirs);
    l->variable_count = l->more_dirs.count;
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
        struct str *dir = ARENA_NEW(l->arena, struct str);
        *dir = str_from(usual[i]);
        vec_push(&l->more_dirs, dir);
    }
}

static const struct used_file *begin(struct lookup *l, struct arena *a,
                                     const struct command *command, struct scan *scan,
                                     struct error *e)
{
    *scan = (struct scan){.sees_paths = false};
    vec_init(&scan->files, a);
    buf_init(&scan->headers, a);
    *l = (struct lookup){.arena = a, .command = command, .scan = scan, .e = e};
    map_init(&l->names, a);
    vec_init(&l->more_dirs, a);
    return add_file(l, command->input, TEXT_MAX);
}

bool scan_command(struct arena *a, const struct command *command, struct scan *scan,
                  struct error *e)
{
    struct lookup l;
    const struct used_file *tu = begin(&l, a, command, scan, e);
    add_more_dirs(&l);
    if (tu == NULL) {
        return false;
    }
    for (size_t i = 0; i < command->forced.count; i++) {
        bool compiled = false;
        const struct used_file *f =
            add_forced(&l, *(const struct str *)command->forced.items[i], &compiled);
        /* A precompiled form holds what the header includes, unless the compiler passes it by. */
        if (f == NULL || !follow(&l, f, !(compiled && command->invalid_pch))) {
            return false;
        }
    }
    return add_preincluded(&l) && follow(&l, tu, true);
}

bool scan_alone(struct arena *a, const struct command *command, struct scan *scan, struct error *e)
{
    struct lookup l;
    if (begin(&l, a, command, scan, e) == NULL) {
        return false;
    }
    for (size_t i = 0; i < command->forced.count; i++) {
        bool compiled = false;
        if (add_forced(&l, *(const struct str *)command->forced.items[i], &compiled) == NULL) {
            return false;
        }
    }
    return true;
}

bool scan_unchanged(struct arena *near, const struct scan *scan)
{
    for (size_t i = 0; i < scan->files.count; i++) {
        const struct used_file *f = scan->files.items[i];
        const struct file_stamp now = file_stamp_of(f->path.ptr);
        if (!file_stamp_equal(&f->stamp, &now)) {
            return false;
        }
        /* Twice within one tick of the file system's clock leaves the stamp as it was. */
        struct arena *a = arena_like(near);
        struct str text;
        struct error e;
        const bool same = file_read(a, f->path.ptr, PCH_MAX, &text, &e) && str_equal(text, f->text);
        arena_free(a);
        if (!same) {
            return false;
        }
    }
    return true;
}
