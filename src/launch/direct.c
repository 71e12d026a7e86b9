/*
 * Dispatch TUs, which include Kokkos, and those that include Python: only the compiler knows which
 * headers they use. So the first compile's depfile tells, and what it said is kept under the base
 * key (all that is known without the headers: text, flags with folders in order, compiler,
 * environment). The next time, where each of those headers still has its digest and nothing has
 * come up that the compiler would find in another's place, the object is that of the key made of
 * the base key and the digests.
 *
 * Kept: up to SETS_MAX sets of headers, the latest first.
 *
 *   set <key>
 *   around <digest>        of what else the compiler's search could come upon (around())
 *   ask <name>             of a __has_include or __has_include_next, any number
 *   header <digest> <path> as the compiler named it, any number
 */
#define _GNU_SOURCE
#include "launch/private.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define SETS_MAX 6
#define HEADERS_MAX 20000
#define HEADER_MAX ((size_t)64 * 1024 * 1024)
static const char memo_kind[] = "headers";

struct header {
    struct str path;
    struct sha256 digest;
};

struct header_set {
    struct sha256 key;
    struct sha256 around;
    struct vec asks;    /* struct str */
    struct vec aliases; /* struct str: macros that ask, while texts are read */
    struct vec headers; /* struct header */
};

static void push_str(struct arena *a, struct vec *v, struct str s)
{
    struct str *copy = ARENA_NEW(a, struct str);
    *copy = s;
    vec_push(v, copy);
}

static void set_init(struct arena *a, struct header_set *set)
{
    vec_init(&set->asks, a);
    vec_init(&set->aliases, a);
    vec_init(&set->headers, a);
}

/* ---- what else the search could come upon --------------------------------------------------- */

/* The folders where a name could be found, and which of them hold a given first component. */
struct folders {
    struct arena *arena;
    struct vec dirs; /* struct str */
    struct map seen;
    struct map holders; /* first component -> struct vec of indices */
};

static void add_holder(struct folders *f, struct str name, size_t dir)
{
    struct vec *holders = map_get(&f->holders, name);
    if (holders == NULL) {
        holders = ARENA_NEW(f->arena, struct vec);
        vec_init(holders, f->arena);
        map_set(&f->holders, str_copy(f->arena, name), holders);
    }
    vec_push(holders, (void *)(uintptr_t)dir);
}

static void add_folder(struct folders *f, struct str dir)
{
    if (map_has(&f->seen, dir)) {
        return;
    }
    map_set(&f->seen, dir, f);
    const size_t index = f->dirs.count;
    push_str(f->arena, &f->dirs, dir);
    DIR *d = opendir(str_copy(f->arena, dir).ptr);
    if (d == NULL) {
        return; /* when it comes up, what it holds will be seen */
    }
    for (const struct dirent *item = readdir(d); item != NULL; item = readdir(d)) {
        if (item->d_name[0] != '.') {
            add_holder(f, str_from(item->d_name), index);
        }
    }
    (void)closedir(d);
}

static void add_folders(struct folders *f, const struct vec *dirs)
{
    for (size_t i = 0; i < dirs->count; i++) {
        add_folder(f, *(const struct str *)dirs->items[i]);
    }
}

static void folders_init(struct folders *f, struct arena *a, const struct job *job,
                         const struct header_set *set)
{
    f->arena = a;
    vec_init(&f->dirs, a);
    map_init(&f->seen, a);
    map_init(&f->holders, a);
    add_folders(f, &job->command.dirs);
    struct vec variables;
    vec_init(&variables, a);
    scan_variable_dirs(a, &variables);
    add_folders(f, &variables);
    add_folders(f, &job->compiler.search);
    add_folder(f, path_dirname(job->command.input));
    /* "name" is looked for beside the header that has it. */
    for (size_t i = 0; i < set->headers.count; i++) {
        add_folder(f, path_dirname(((const struct header *)set->headers.items[i])->path));
    }
}

/* Adds "folder name" for each folder where `name` is, but for the file `self`. */
static void add_places(struct folders *f, struct buf *b, struct str name, const struct stat *self)
{
    const char *slash = memchr(name.ptr, '/', name.len);
    const struct str first = slash != NULL ? str_slice(name, 0, (size_t)(slash - name.ptr)) : name;
    const struct vec *holders = map_get(&f->holders, first);
    for (size_t i = 0; holders != NULL && i < holders->count; i++) {
        const size_t index = (uintptr_t)holders->items[i];
        const struct str path =
            path_join(f->arena, *(const struct str *)f->dirs.items[index], name);
        struct stat st;
        if (stat(path.ptr, &st) == 0 && !S_ISDIR(st.st_mode) &&
            (self == NULL || st.st_dev != self->st_dev || st.st_ino != self->st_ino)) {
            buf_printf(b, "%zu " STR_FMT "\n", index, STR_ARG(name));
        }
    }
}

/* A digest of every other file that has the name of a header, or the end of its path, in any folder
 * where the compiler could look; and of where the names asked for are. All of them, in whatever
 * order the compiler would take them: so its rules of precedence need not be known here. */
static bool around(struct arena *a, const struct job *job, const struct header_set *set,
                   struct sha256 *out)
{
    struct folders f;
    struct buf b;
    folders_init(&f, a, job, set);
    buf_init(&b, a);
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct str path = ((const struct header *)set->headers.items[i])->path;
        struct stat self;
        if (stat(path.ptr, &self) != 0) {
            return false;
        }
        for (size_t at = path.len; at-- > 0;) {
            if (path.ptr[at] == '/' || at == 0) {
                const size_t from = path.ptr[at] == '/' ? at + 1 : at;
                add_places(&f, &b, str_slice(path, from, path.len), &self);
            }
        }
    }
    for (size_t i = 0; i < set->asks.count; i++) {
        const struct str name = *(const struct str *)set->asks.items[i];
        buf_printf(&b, "ask " STR_FMT "\n", STR_ARG(name));
        add_places(&f, &b, name, NULL);
    }
    return sha256_of(buf_str(&b), out);
}

/* ---- keeping and reading sets --------------------------------------------------------------- */

static void format_set(struct buf *b, const struct header_set *set)
{
    struct arena *a = b->arena;
    buf_printf(b, "set %s\n", sha256_hex(a, &set->key).ptr);
    buf_printf(b, "around %s\n", sha256_hex(a, &set->around).ptr);
    for (size_t i = 0; i < set->asks.count; i++) {
        buf_printf(b, "ask " STR_FMT "\n", STR_ARG(*(const struct str *)set->asks.items[i]));
    }
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        buf_printf(b, "header %s " STR_FMT "\n", sha256_hex(a, &h->digest).ptr, STR_ARG(h->path));
    }
}

static struct str take_line(struct str *text)
{
    const char *newline = memchr(text->ptr, '\n', text->len);
    const size_t len = newline != NULL ? (size_t)(newline - text->ptr) : text->len;
    const struct str line = str_slice(*text, 0, len);
    *text = str_slice(*text, len + 1, text->len);
    return line;
}

/* The sets in a kept text. False: something in it is not of this form. */
static bool parse_sets(struct arena *a, struct str text, struct vec *sets)
{
    struct header_set *set = NULL;
    while (text.len > 0) {
        const struct str line = take_line(&text);
        if (str_starts_with(line, "set ")) {
            set = ARENA_NEW(a, struct header_set);
            set_init(a, set);
            vec_push(sets, set);
            if (!sha256_from_hex(str_slice(line, 4, line.len), &set->key)) {
                return false;
            }
        } else if (set == NULL) {
            return false;
        } else if (str_starts_with(line, "around ")) {
            if (!sha256_from_hex(str_slice(line, 7, line.len), &set->around)) {
                return false;
            }
        } else if (str_starts_with(line, "ask ")) {
            push_str(a, &set->asks, str_copy(a, str_slice(line, 4, line.len)));
        } else if (str_starts_with(line, "header ") && line.len > 7 + SHA256_HEX_LEN + 1) {
            struct header *h = ARENA_NEW(a, struct header);
            h->path = str_copy(a, str_slice(line, 7 + SHA256_HEX_LEN + 1, line.len));
            if (!sha256_from_hex(str_slice(line, 7, 7 + SHA256_HEX_LEN), &h->digest)) {
                return false;
            }
            vec_push(&set->headers, h);
        } else {
            return false;
        }
    }
    return true;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* A file's digest, read once though several sets name it. NULL: it can't be read. */
static const struct sha256 *digest_of(struct arena *a, struct map *known, struct str path)
{
    struct sha256 *digest = map_get(known, path);
    if (digest != NULL) {
        return digest;
    }
    struct arena *scratch = arena_like(a);
    struct str text;
    struct error e;
    digest = ARENA_NEW(a, struct sha256);
    if (!file_read(scratch, path.ptr, HEADER_MAX, &text, &e) || !sha256_of(text, digest)) {
        digest = NULL;
    } else {
        map_set(known, path, digest);
    }
    arena_free(scratch);
    return digest;
}

static bool is_as_it_was(struct arena *a, const struct job *job, const struct header_set *set,
                         struct map *known)
{
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        const struct sha256 *now = digest_of(a, known, h->path);
        if (now == NULL || !sha256_equal(now, &h->digest)) {
            return false;
        }
    }
    struct sha256 now;
    return around(a, job, set, &now) && sha256_equal(&now, &set->around);
}

/* The key of a base key, headers, and what is around them: a name asked for decides without being
 * among the headers. */
static bool make_key(struct arena *a, const struct job *job, const struct header_set *set,
                     struct launch_key *key)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < set->headers.count; i++) {
        const struct header *h = set->headers.items[i];
        buf_printf(&b, STR_FMT "=%s\n", STR_ARG(h->path), sha256_hex(a, &h->digest).ptr);
    }
    buf_printf(&b, "around %s\n", sha256_hex(a, &set->around).ptr);
    struct store_part *parts = ARENA_ARRAY(a, struct store_part, job->base.part_count + 1);
    memcpy(parts, job->base.parts, job->base.part_count * sizeof(*parts));
    struct store_part *last = &parts[job->base.part_count];
    *last = (struct store_part){.label = STR("used headers"), .text = STR("")};
    struct sha256_ctx *sha = sha256_begin(a);
    if (sha == NULL || !sha256_of(buf_str(&b), &last->digest)) {
        return false;
    }
    sha256_add(sha, job->base.key.bytes, sizeof(job->base.key.bytes));
    sha256_add(sha, last->digest.bytes, sizeof(last->digest.bytes));
    key->parts = parts;
    key->part_count = job->base.part_count + 1;
    return sha256_end(sha, &key->key);
}

static void use_set(struct arena *a, struct job *job, const struct header_set *set)
{
    vec_init(&job->headers, a);
    for (size_t i = 0; i < set->headers.count; i++) {
        push_str(a, &job->headers, ((const struct header *)set->headers.items[i])->path);
    }
}

bool direct_find(struct arena *a, struct job *job, struct store *store)
{
    struct str text;
    struct vec sets;
    struct map known;
    vec_init(&sets, a);
    map_init(&known, a);
    if (!store_memo_get(store, a, memo_kind, &job->base.key, &text) ||
        !parse_sets(a, text, &sets)) {
        return false;
    }
    for (size_t i = 0; i < sets.count; i++) {
        const struct header_set *set = sets.items[i];
        struct launch_key key;
        if (is_as_it_was(a, job, set, &known) && make_key(a, job, set, &key) &&
            sha256_equal(&key.key, &set->key)) {
            job->key = key;
            use_set(a, job, set);
            return true;
        }
    }
    return false;
}

/* ---- after a compile ------------------------------------------------------------------------ */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    return p;
}

/* The name in "#define NAME(PARAMETER)" at the beginning of the line that `p` is in; empty where
 * the line is none. */
static struct str defined_name(struct str text, const char *p)
{
    const char *line = p;
    while (line > text.ptr && line[-1] != '\n') {
        line--;
    }
    line = skip_blanks(line, p);
    if (line >= p || *line != '#') {
        return STR("");
    }
    line = skip_blanks(line + 1, p);
    if (p - line < 7 || memcmp(line, "define", 6) != 0) {
        return STR("");
    }
    line = skip_blanks(line + 6, p);
    size_t len = 0;
    while (line + len < p && is_name_char(line[len])) {
        len++;
    }
    return line + len < p && line[len] == '(' ? (struct str){line, len} : STR("");
}

/* The header names that a text asks for with `word`(<name>). A macro that passes its parameter on
 * is another such word. */
static bool find_asks(struct header_set *set, struct str path, struct str text, struct str word,
                      struct error *e)
{
    const char *const end = text.ptr + text.len;
    const char *p = text.ptr;
    while ((p = memmem(p, (size_t)(end - p), word.ptr, word.len)) != NULL) {
        const char *const at = p;
        p = skip_blanks(p + word.len, end);
        if (p >= end || *p != '(' || (at > text.ptr && is_name_char(at[-1]))) {
            continue; /* defined(__has_include), say */
        }
        p = skip_blanks(p + 1, end);
        const char close = p < end && *p == '<' ? '>' : p < end && *p == '"' ? '"' : '\0';
        const char *last = close != '\0' ? memchr(p + 1, close, (size_t)(end - p) - 1) : NULL;
        const struct str alias = defined_name(text, at);
        if (last != NULL) {
            const struct str name = {p + 1, (size_t)(last - p) - 1};
            push_str(set->asks.arena, &set->asks, str_copy(set->asks.arena, name));
        } else if (alias.len > 0) {
            push_str(set->asks.arena, &set->aliases, str_copy(set->asks.arena, alias));
        } else if (!str_equal(defined_name(text, p), word)) {
            error_set(e, "%s uses " STR_FMT " of no plain name", path.ptr, STR_ARG(word));
            return false;
        }
        if (memchr(p, '\n', last != NULL ? (size_t)(last - p) : 0) != NULL) {
            error_set(e, "%s uses " STR_FMT " of no plain name", path.ptr, STR_ARG(word));
            return false;
        }
    }
    return true;
}

/* A text that makes its object depend on more than texts and names: refused. */
static bool check_text(struct header_set *set, struct str path, struct str text, struct error *e)
{
    static const char *const refused[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_embed",
                                          ".incbin"};
    /* The second asks in fewer folders; all of them are in around(). */
    static const char *const asking[] = {"__has_include", "__has_include_next"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (memmem(text.ptr, text.len, refused[i], strlen(refused[i])) != NULL) {
            error_set(e, "%s uses %s", path.ptr, refused[i]);
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
        if (!find_asks(set, path, text, str_from(asking[i]), e)) {
            return false;
        }
    }
    for (size_t i = 0; i < set->aliases.count; i++) {
        if (!find_asks(set, path, text, *(const struct str *)set->aliases.items[i], e)) {
            return false;
        }
    }
    return true;
}

/* A change of a file sets this time, and no program can set it back. */
static bool changed_since(const struct stat *st, const struct timespec *start)
{
    return st->st_ctim.tv_sec > start->tv_sec ||
           (st->st_ctim.tv_sec == start->tv_sec && st->st_ctim.tv_nsec >= start->tv_nsec);
}

static bool add_header(struct arena *a, struct header_set *set, struct str path,
                       const struct timespec *start, struct error *e)
{
    struct header *h = ARENA_NEW(a, struct header);
    struct arena *scratch = arena_like(a);
    struct str text;
    struct stat st;
    h->path = path;
    bool good =
        file_read(scratch, path.ptr, HEADER_MAX, &text, e) && check_text(set, path, text, e);
    if (good && (!sha256_of(text, &h->digest) || stat(path.ptr, &st) != 0)) {
        error_set(e, "%s can't be looked at", path.ptr);
        good = false;
    } else if (good && changed_since(&st, start)) {
        error_set(e, "%s changed while it was compiled, or just before", path.ptr);
        good = false;
    }
    arena_free(scratch);
    vec_push(&set->headers, h);
    return good;
}

static struct header_set *read_set(struct arena *a, const struct job *job,
                                   const struct timespec *start, struct error *e)
{
    struct str text;
    struct vec names;
    vec_init(&names, a);
    if (!file_read(a, job->command.depfile.ptr, DEPFILE_MAX, &text, e)) {
        return NULL;
    }
    if (!depfile_names(a, text, &names) || names.count == 0 || names.count > HEADERS_MAX) {
        error_set(e, "%s lists no headers", job->command.depfile.ptr);
        return NULL;
    }
    struct header_set *set = ARENA_NEW(a, struct header_set);
    set_init(a, set);
    const struct str tu = job->command.input;
    const struct str handed = command_path(a, &job->command, job->cwd, tu);
    if (!check_text(set, tu, ((const struct used_file *)job->scan.files.items[0])->text, e)) {
        return NULL;
    }
    for (size_t i = 0; i < names.count; i++) {
        const struct str name = str_copy(a, *(const struct str *)names.items[i]);
        if (str_equal(name, tu) || str_equal(name, handed)) {
            continue;
        }
        if (memchr(name.ptr, '\n', name.len) != NULL) {
            error_set(e, "a header's name holds a newline");
            return NULL;
        }
        if (!add_header(a, set, name, start, e)) {
            return NULL;
        }
    }
    return set;
}

bool direct_record(struct arena *a, struct job *job, const struct timespec *start, struct error *e)
{
    struct header_set *set = read_set(a, job, start, e);
    if (set == NULL) {
        return false;
    }
    if (!around(a, job, set, &set->around) || !make_key(a, job, set, &job->key)) {
        error_set(e, "the headers can't be looked at");
        return false;
    }
    set->key = job->key.key;
    use_set(a, job, set);
    job->used = set;
    return true;
}

void direct_remember(struct arena *a, const struct job *job, struct store *store)
{
    struct str text;
    struct vec sets;
    struct buf b;
    vec_init(&sets, a);
    buf_init(&b, a);
    format_set(&b, job->used);
    if (store_memo_get(store, a, memo_kind, &job->base.key, &text) && parse_sets(a, text, &sets)) {
        size_t kept = 1;
        for (size_t i = 0; i < sets.count && kept < SETS_MAX; i++) {
            const struct header_set *set = sets.items[i];
            if (!sha256_equal(&set->key, &job->used->key)) {
                format_set(&b, set);
                kept++;
            }
        }
    }
    store_memo_put(store, a, memo_kind, &job->base.key, buf_str(&b));
}
