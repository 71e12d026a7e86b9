/*
 * support: memory, text, paths, files, processes, diagnostics and hashing.
 * Knows nothing of Python, kernels or builds.
 *
 * Memory: everything lives in an arena and dies with it. An arena never returns NULL: when the
 * system has no memory it calls the arena's out-of-memory handler, which must not return.
 */
#ifndef PKC_SUPPORT_H
#define PKC_SUPPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define PKC_PRINTF(format_index, first_arg) \
    __attribute__((format(printf, format_index, first_arg)))
#else
#define PKC_PRINTF(format_index, first_arg)
#endif

/* ---- arena ---------------------------------------------------------------------------------- */

struct arena;

typedef void arena_oom_fn(void *context);

/* A new empty arena. `oom` (NULL: print "out of memory" and _exit(1)) must not return. */
struct arena *arena_new(arena_oom_fn *oom, void *oom_context);
/* A new empty arena with the out-of-memory handler of another. */
struct arena *arena_like(const struct arena *other);
void arena_free(struct arena *a);

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *a, size_t size);
/* As arena_alloc for `count` items; an overflowing product counts as out of memory. */
void *arena_array(struct arena *a, size_t count, size_t item_size);
/* Bytes handed out so far. */
size_t arena_used(const struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_array((a), (count), sizeof(type)))

/* ---- strings -------------------------------------------------------------------------------- */

/* A view of bytes (UTF-8 where it is text). Those made by this library also end in a NUL. */
struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).ptr

struct str str_from(const char *c_string);
struct str str_copy(struct arena *a, struct str s);
struct str str_copy_c(struct arena *a, const char *c_string);
struct str str_format(struct arena *a, const char *format, ...) PKC_PRINTF(2, 3);
bool str_equal(struct str a, struct str b);
bool str_equal_c(struct str a, const char *b);
/* memcmp order, shorter first: for sorting. */
int str_compare(struct str a, struct str b);
bool str_starts_with(struct str s, const char *prefix);
bool str_ends_with(struct str s, const char *suffix);
/* s[from:to], clamped. */
struct str str_slice(struct str s, size_t from, size_t to);
/* The distance (Damerau-Levenshtein, capped at `limit` + 1), for "did you mean". */
size_t str_distance(struct str a, struct str b, size_t limit);

/* Growing text in an arena. Always NUL-ended; `buf_str` gives a view of what is there. */
struct buf {
    struct arena *arena;
    char *ptr;
    size_t len;
    size_t cap;
};

void buf_init(struct buf *b, struct arena *a);
/* Makes room for `len` more bytes: a long text that grows leaves copies of itself in its arena. */
void buf_reserve(struct buf *b, size_t len);
void buf_add(struct buf *b, struct str s);
void buf_add_c(struct buf *b, const char *c_string);
void buf_add_char(struct buf *b, char c);
void buf_add_bytes(struct buf *b, const void *bytes, size_t len);
void buf_printf(struct buf *b, const char *format, ...) PKC_PRINTF(2, 3);
void buf_vprintf(struct buf *b, const char *format, va_list args);
struct str buf_str(const struct buf *b);

/* A growing list of pointers in an arena. */
struct vec {
    struct arena *arena;
    void **items;
    size_t count;
    size_t cap;
};

void vec_init(struct vec *v, struct arena *a);
void vec_push(struct vec *v, void *item);

/* ---- map: str -> pointer, in insertion order ------------------------------------------------ */

struct map_entry {
    struct str key;
    void *value;
};

struct map {
    struct arena *arena;
    struct map_entry *entries; /* in insertion order */
    size_t count;
    size_t cap;
    uint32_t *slots; /* private */
    size_t slot_count;
};

void map_init(struct map *m, struct arena *a);
/* NULL where the key is not there. */
void *map_get(const struct map *m, struct str key);
bool map_has(const struct map *m, struct str key);
/* Adds or replaces; the key's bytes are not copied. */
void map_set(struct map *m, struct str key, void *value);

/* ---- hashing -------------------------------------------------------------------------------- */

#define SHA256_HEX_LEN 64

struct sha256 {
    uint8_t bytes[32];
};

/* One SHA-256 over pieces (OpenSSL's). Opaque, made in an arena; NULL where OpenSSL fails. */
struct sha256_ctx;
struct sha256_ctx *sha256_begin(struct arena *a);
void sha256_add(struct sha256_ctx *c, const void *bytes, size_t len);
/* Adds the length, then the bytes, so that two pieces never run into each other. */
void sha256_add_str(struct sha256_ctx *c, struct str s);
bool sha256_end(struct sha256_ctx *c, struct sha256 *out);
bool sha256_of(struct str s, struct sha256 *out);
struct str sha256_hex(struct arena *a, const struct sha256 *h);
bool sha256_from_hex(struct str hex, struct sha256 *out);
bool sha256_equal(const struct sha256 *a, const struct sha256 *b);

/* A sum that tells damage, many times faster than a hash: where only bytes within one aligned group
 * of eight differ, the sums always do; else they are as good as always different. Whoever wants two
 * texts of one sum can make them. */
uint64_t sum64(struct str text);

/* ---- errors and diagnostics ----------------------------------------------------------------- */

/* The error of one operation on the system: what was tried, on what, and errno's text. */
struct error {
    char text[512]; /* empty: no error */
};

void error_set(struct error *e, const char *format, ...) PKC_PRINTF(2, 3);
/* "cannot <what> <path>: <strerror(errno)>" */
void error_errno(struct error *e, const char *what, const char *path);

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/* Positions: line from 1; column from 1, in characters (code points) as compilers print them. */
struct diag {
    enum diag_severity severity;
    struct str file;
    int line;       /* 0: no place in the file */
    int column;
    int end_column; /* one past the last, on the same line; 0: a single caret */
    struct str message;
    struct str hint;        /* empty: none. What to write instead. */
    struct str source_line; /* the text of `line` without its end, for the caret */
    struct str scope;       /* the workunit it belongs to (qualified); empty: the whole file */
};

/* Collected, never printed where found. */
struct diags {
    struct arena *arena;
    struct diag *items;
    size_t count;
    size_t cap;
    size_t error_count;
};

void diags_init(struct diags *d, struct arena *a);
void diags_add(struct diags *d, struct diag diag);
/* By file (in order of first mention), line, column; exact repeats dropped. */
void diags_sort(struct diags *d);
/* As compilers print them: file:line:column: error: message, the line, a caret, "hint: …". */
void diags_format(struct buf *out, const struct diags *d, bool colour);

/* ---- paths (purely textual unless said) ----------------------------------------------------- */

struct str path_join(struct arena *a, struct str dir, struct str name);
struct str path_dirname(struct str path);
struct str path_basename(struct str path);
/* The basename without its last extension. */
struct str path_stem(struct str path);
/* Absolute, "." and ".." removed textually; `base` (absolute) is used for relative ones. */
struct str path_absolute(struct arena *a, struct str base, struct str path);
/* `path` relative to `base`, both absolute and normal; may begin with "../". */
struct str path_relative(struct arena *a, struct str base, struct str path);
/* getcwd(); empty on failure. */
struct str path_cwd(struct arena *a);

/* ---- files ---------------------------------------------------------------------------------- */

/* The whole file. False sets `e`. A directory, or a file above `max_size` (0: no limit), fails. */
bool file_read(struct arena *a, const char *path, size_t max_size, struct str *out, struct error *e);
/* Opens a regular file to be read, and says how many bytes it has. -1: errno says why not. */
int file_open(const char *path, uint64_t *size);
/* Reads up to `size` bytes at `at`, as pread(), but goes on after a signal. */
ptrdiff_t file_read_at(int fd, void *bytes, size_t size, uint64_t at);
/* Writes all bytes. False: errno says why not. */
bool file_write_all(int fd, struct str content);
bool file_exists(const char *path);
/* Makes the directory and its parents (mode 0777 and umask). */
bool dir_make(const char *path, struct error *e);
/* Written beside, then renamed over `path`; nothing is left on failure. `sync`: fsync first. */
bool file_write(const char *path, struct str content, bool sync, struct error *e);
/* file_write of what `fill` writes to an open file. Where that returns false nothing is left, and
 * the file that was there stays. It may be called again, for another file, from the start. */
typedef bool file_fill_fn(void *context, int fd);
bool file_write_by(const char *path, file_fill_fn *fill, void *context, struct error *e);
/* file_write where the bytes differ or the file is missing; else leaves it (and its mtime). */
bool file_write_if_changed(const char *path, struct str content, bool *changed, struct error *e);

/* Enough of stat() to see whether a file changed. `exists` false: all else zero. */
struct file_stamp {
    bool exists;
    int64_t mtime_ns;
    int64_t ctime_ns; /* of the last change: no program can set it back */
    uint64_t size;
    uint64_t inode;
    uint64_t device;
};
struct file_stamp file_stamp_of(const char *path);
bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b);

/* Names this run of the system: another text after a restart, "-" where the system has none. After
 * a power failure a file may have the stamp that it had and other bytes, where those were never
 * synced: what is remembered by stamps of our own outputs holds until the next start. */
struct str system_start(struct arena *a);

/* True on a network file system, where locks, shared memory and times can't be relied on. */
bool path_is_remote(const char *path);

/* ---- processes ------------------------------------------------------------------------------ */

struct process_result {
    int exit_code;   /* 128 + signal where killed */
    struct str out;  /* captured, else empty */
    struct str err;
};

enum process_capture { PROCESS_INHERIT, PROCESS_CAPTURE_OUT, PROCESS_CAPTURE_BOTH };

/* Runs argv (argv[0] through PATH, NULL-ended) with posix_spawn and waits. `cwd` NULL: ours.
 * False: it could not be started (`e`). */
bool process_run(struct arena *a, char *const argv[], const char *cwd, enum process_capture capture,
                 struct process_result *result, struct error *e);
/* The full path that execvp would take for `program`; empty where there is none. */
struct str process_find(struct arena *a, const char *program);

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Appends `s` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct buf *b, struct str s);

/* ---- templates ------------------------------------------------------------------------------ */

struct template_value {
    const char *name; /* [A-Z0-9_]+, without the '@'s */
    struct str text;
};

/* Appends `text` with each @NAME@ replaced by its value; other text with '@' stays as it is. A
 * placeholder alone on its line stands for whole lines: those of its value, each indented as it is
 * itself; where the value is empty the line goes, and a blank one after it. */
void template_expand(struct buf *out, struct str text, const struct template_value *values,
                     size_t count);

/* ---- groups --------------------------------------------------------------------------------- */

/* The first line of a file that holds several kernel TUs. */
#define GROUP_MARKER "// PyKokkosCache group 1"

struct group_part {
    struct str file;   /* the TU's, had it one of its own; percent-encoded */
    struct str symbol; /* a C++ identifier that no other part has; only for group_add */
    struct str meta;   /* "key=value" lines */
    struct str text;   /* the TU */
    struct str whole;  /* group_parse: all of the part, as group_add wrote it */
};

/* A group's first lines. */
void group_begin(struct buf *b);
/* A part. `names`: what it defines for itself, which another part may define, too. */
void group_add(struct buf *b, const struct group_part *part, const struct str *names, size_t count);
/* The parts (struct group_part *) of a group's text, as slices of it. False: it is none. */
bool group_parse(struct arena *a, struct str text, struct vec *parts);

#endif
