/* The keys of a folder's kernel TUs, remembered. */
#include "cli/edge_keys.h"
#include "cli/cli.h"
#include "cli/memo.h"

#include <string.h>
#include <unistd.h>

#define FIRST_WORDS "PyKokkosCache keys 1 "
/* A file that is so new may change without its stamp changing. */
#define RACY_NS ((int64_t)2 * 1000000000)

struct edge_key {
    struct str class;
    struct str key;
    struct str stamp;
};

static struct str stamp_text(struct arena *a, const struct file_stamp *s)
{
    return str_format(a, "%d:%lld:%lld:%llu:%llu:%llu", s->exists ? 1 : 0, (long long)s->mtime_ns,
                      (long long)s->ctime_ns, (unsigned long long)s->size,
                      (unsigned long long)s->inode, (unsigned long long)s->device);
}

/* All flags, also those that no TU sees yet, and the program that makes keys of them. What lies in
 * other files is in the parts of each key. Empty: it cannot be told. */
static struct str around(struct arena *a, const struct toolchain *tools)
{
    const struct file_stamp program = file_stamp_of(cli_program(a).ptr);
    struct sha256_ctx *sha = sha256_begin(a);
    struct sha256 digest;
    struct str text;
    struct error e;
    if (sha == NULL || !program.exists || !file_read(a, tools->file.ptr, 0, &text, &e)) {
        return STR("");
    }
    sha256_add_str(sha, stamp_text(a, &program));
    sha256_add_str(sha, system_start(a));
    sha256_add_str(sha, text);
    return sha256_end(sha, &digest) ? sha256_hex(a, &digest) : STR("");
}

static struct str take_word(struct str *line)
{
    size_t n = 0;
    while (n < line->len && line->ptr[n] != ' ') {
        n++;
    }
    const struct str word = str_slice(*line, 0, n);
    *line = str_slice(*line, n + 1, line->len);
    return word;
}

static struct str keys_path(const struct edge_keys *k)
{
    return target_file(k->arena, k->target, ".keys");
}

void edge_keys_read(struct edge_keys *k, struct arena *a, const struct cli_target *t,
                    const struct toolchain *tools)
{
    struct str text;
    struct str line;
    struct error e;
    struct sha256 said;
    struct sha256 is;
    *k = (struct edge_keys){.arena = a, .target = t, .begun_ns = memo_now()};
    map_init(&k->known, a);
    map_init(&k->classes, a);
    map_init(&k->others, a);
    buf_init(&k->now, a);
    k->around = around(a, tools);
    if (k->around.len == 0 || path_is_remote(t->request.output_dir.ptr) ||
        !file_read(a, keys_path(k).ptr, 0, &text, &e) || !cli_next_line(&text, &line) ||
        !str_starts_with(line, FIRST_WORDS) ||
        !sha256_from_hex(str_slice(line, strlen(FIRST_WORDS), line.len), &said) ||
        !sha256_of(text, &is) || !sha256_equal(&said, &is) || !cli_next_line(&text, &line) ||
        !str_equal_c(take_word(&line), "around") || !str_equal(line, k->around)) {
        return;
    }
    while (cli_next_line(&text, &line)) {
        struct edge_key *key = ARENA_NEW(a, struct edge_key);
        key->class = take_word(&line);
        key->key = take_word(&line);
        key->stamp = take_word(&line);
        map_set(&k->known, cli_decode(a, line), key);
    }
}

static void note(struct edge_keys *k, struct str file, const struct edge_key *key)
{
    buf_printf(&k->now, STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT "\n", STR_ARG(key->class),
               STR_ARG(key->key), STR_ARG(key->stamp), STR_ARG(cli_encode(k->arena, file)));
}

struct str edge_keys_find(struct edge_keys *k, struct str file, const struct file_stamp *stamp)
{
    const struct edge_key *key = map_get(&k->known, file);
    if (key == NULL || !stamp->exists || !map_has(&k->classes, key->class) ||
        map_has(&k->others, key->class) || !str_equal(key->stamp, stamp_text(k->arena, stamp))) {
        return STR("");
    }
    note(k, file, key);
    return key->key;
}

void edge_keys_made(struct edge_keys *k, struct str file, const struct file_stamp *stamp,
                    const struct launch_key *key)
{
    struct arena *a = k->arena;
    struct sha256_ctx *sha = sha256_begin(a);
    struct sha256 digest;
    if (sha == NULL) {
        return;
    }
    for (size_t i = 0; i < key->part_count; i++) {
        const struct store_part *part = &key->parts[i];
        if (!part->is_noted && !str_equal_c(part->label, "text") &&
            !str_equal_c(part->label, "name")) {
            sha256_add_str(sha, part->label);
            sha256_add(sha, part->digest.bytes, sizeof(part->digest.bytes));
        }
    }
    if (!sha256_end(sha, &digest)) {
        return;
    }
    const struct edge_key made = {sha256_hex(a, &digest), sha256_hex(a, &key->key),
                                  stamp_text(a, stamp)};
    const struct edge_key *known = map_get(&k->known, file);
    if (known != NULL && str_equal(known->stamp, made.stamp)) {
        map_set(str_equal(known->class, made.class) ? &k->classes : &k->others, known->class, k);
    }
    if (stamp->exists && stamp->ctime_ns < k->begun_ns - RACY_NS) {
        note(k, file, &made);
    }
}

void edge_keys_write(struct edge_keys *k)
{
    struct sha256 sum;
    struct error e;
    bool changed;
    const struct str rest = str_format(k->arena, "around " STR_FMT "\n" STR_FMT, STR_ARG(k->around),
                                       STR_ARG(buf_str(&k->now)));
    if (k->around.len == 0 || !sha256_of(rest, &sum) ||
        !file_write_if_changed(keys_path(k).ptr,
                               str_format(k->arena, FIRST_WORDS STR_FMT "\n" STR_FMT,
                                          STR_ARG(sha256_hex(k->arena, &sum)), STR_ARG(rest)),
                               &changed, &e)) {
        (void)unlink(keys_path(k).ptr);
    }
}
