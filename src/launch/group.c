/*
 * A TU that holds many kernels (support/group.c has its form): each is compiled, or restored from
 * the store, by itself under the key that it would have alone, and the objects are joined to the
 * one that the command asks for.
 *
 * Beside that object, <object>.parts/ (or the folder that --parts names) has each part's source and
 * object, and a list of what they were made of: a part whose text is as it was, in surroundings
 * that are as they were (compiler, flags, headers; the group's own key without its text), is not
 * looked at again.
 *
 * Where anything of this cannot be done, the whole is compiled as the one TU that it is.
 */
#include "launch/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST_MARKER "PyKokkosCache parts 1\n"
#define GROUP_MAX ((size_t)64 * 1024 * 1024)

/* One part, and what is there of it. */
struct piece {
    struct str name; /* its own file's: "kernels/scale.kernel.cpp" */
    const struct group_part *part;
    struct sha256 digest;
    struct str source;
    struct str object;
};

struct group {
    struct arena *arena;
    const struct launch_options *options;
    struct job *job; /* of the whole */
    struct str dir;
    struct sha256 around; /* all that a part's object depends on besides its text, and this run of
                           * the system (system_start) */
    struct piece *pieces;
    size_t count;
    struct map known; /* the list: a part's name -> its line after the name */
};

/* No step up, no empty one: the file lies below the parts' folder. No NUL either, which an escape
 * may stand for: the path would end there. */
static bool is_below(struct str name)
{
    if (memchr(name.ptr, '\0', name.len) != NULL) {
        return false;
    }
    for (size_t from = 0; from <= name.len;) {
        size_t to = from;
        while (to < name.len && name.ptr[to] != '/') {
            to++;
        }
        const struct str step = str_slice(name, from, to);
        if (step.len == 0 || str_equal_c(step, ".") || str_equal_c(step, "..")) {
            return false;
        }
        from = to + 1;
    }
    return true;
}

/* ---- what is known ------------------------------------------------------------------------- */

static bool digest_of_surroundings(struct group *g)
{
    struct sha256_ctx *sha = sha256_begin(g->arena);
    if (sha == NULL) {
        return false;
    }
    const struct launch_key *key = &g->job->key;
    for (size_t i = 0; i < key->part_count; i++) {
        const struct store_part *part = &key->parts[i];
        if (!part->is_noted && !str_equal_c(part->label, "text") &&
            !str_equal_c(part->label, "name")) {
            sha256_add_str(sha, part->label);
            sha256_add(sha, part->digest.bytes, sizeof(part->digest.bytes));
        }
    }
    sha256_add_str(sha, system_start(g->arena));
    return sha256_end(sha, &g->around);
}

static bool split_pieces(struct group *g, struct str text)
{
    struct vec parts;
    if (!group_parse(g->arena, text, &parts)) {
        return false;
    }
    g->pieces = ARENA_ARRAY(g->arena, struct piece, parts.count);
    for (size_t i = 0; i < parts.count; i++) {
        struct piece *p = &g->pieces[g->count++];
        p->part = parts.items[i];
        p->name = meta_decode(g->arena, p->part->file);
        p->source = path_join(g->arena, g->dir, p->name);
        p->object = str_format(g->arena, STR_FMT ".o", STR_ARG(p->source));
        if (!is_below(p->name) || !str_ends_with(p->name, ".kernel.cpp") ||
            !sha256_of(p->part->text, &p->digest)) {
            return false;
        }
    }
    return true;
}

static struct str list_path(const struct group *g)
{
    return path_join(g->arena, g->dir, STR("list"));
}

static struct str list_head(const struct group *g)
{
    return str_format(g->arena, LIST_MARKER STR_FMT "\n",
                      STR_ARG(sha256_hex(g->arena, &g->around)));
}

/* What the list says of a part that is as it was; the object is told by its stamp. */
static struct str list_line(const struct group *g, const struct piece *p)
{
    const struct file_stamp s = file_stamp_of(p->object.ptr);
    return s.exists ? str_format(g->arena, STR_FMT " %lld %llu %llu",
                                 STR_ARG(sha256_hex(g->arena, &p->digest)), (long long)s.ctime_ns,
                                 (unsigned long long)s.size, (unsigned long long)s.inode)
                    : STR("");
}

/* Lines "<name>\n<what is known>\n"; a list of other surroundings tells only what there was. */
static void read_list(struct group *g)
{
    struct str text;
    struct error e;
    map_init(&g->known, g->arena);
    if (!file_read(g->arena, list_path(g).ptr, GROUP_MAX, &text, &e) ||
        !str_starts_with(text, LIST_MARKER)) {
        return;
    }
    const struct str head = list_head(g);
    const bool same = str_starts_with(text, head.ptr);
    struct str rest = str_slice(text, head.len, text.len);
    while (rest.len > 0) {
        struct str fields[2];
        for (int i = 0; i < 2; i++) {
            const char *newline = rest.len > 0 ? memchr(rest.ptr, '\n', rest.len) : NULL;
            if (newline == NULL) {
                return;
            }
            fields[i] = str_copy(g->arena, str_slice(rest, 0, (size_t)(newline - rest.ptr)));
            rest = str_slice(rest, (size_t)(newline - rest.ptr) + 1, rest.len);
        }
        struct str *known = ARENA_NEW(g->arena, struct str);
        *known = same ? fields[1] : STR("");
        map_set(&g->known, fields[0], known);
    }
}

static bool is_known(const struct group *g, const struct piece *p)
{
    const struct str *known = map_get(&g->known, p->part->file);
    return known != NULL && known->len > 0 && str_equal(*known, list_line(g, p));
}

/* Files of parts that the group has no more. */
static void remove_gone(struct group *g, const struct map *now)
{
    static const char *const suffixes[] = {"", ".o", ".o.d", ".meta"};
    for (size_t i = 0; i < g->known.count; i++) {
        const struct str name = meta_decode(g->arena, g->known.entries[i].key);
        if (map_has(now, g->known.entries[i].key) || !is_below(name) ||
            !str_ends_with(name, ".kernel.cpp")) {
            continue;
        }
        for (size_t k = 0; k < sizeof(suffixes) / sizeof(suffixes[0]); k++) {
            const struct str stem = k == 3 ? str_slice(name, 0, name.len - strlen(".cpp")) : name;
            const struct str file = str_format(g->arena, STR_FMT "%s", STR_ARG(stem), suffixes[k]);
            (void)unlink(path_join(g->arena, g->dir, file).ptr);
        }
    }
}

/* Only of use to the next run: where it cannot be written, that one does more. */
static void write_list(struct group *g)
{
    struct buf b;
    struct map now;
    struct error e;
    bool changed;
    buf_init(&b, g->arena);
    map_init(&now, g->arena);
    buf_add(&b, list_head(g));
    for (size_t i = 0; i < g->count; i++) {
        const struct piece *p = &g->pieces[i];
        map_set(&now, p->part->file, g);
        buf_printf(&b, STR_FMT "\n" STR_FMT "\n", STR_ARG(p->part->file), STR_ARG(list_line(g, p)));
    }
    (void)file_write_if_changed(list_path(g).ptr, buf_str(&b), &changed, &e);
    remove_gone(g, &now);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* The command of the whole with a part's files in it. */
static char **command_of(struct arena *a, const struct command *c, const struct piece *p)
{
    char **argv = ARENA_ARRAY(a, char *, c->compiler + c->arg_count + 2);
    size_t n = 0;
    for (size_t i = 0; i <= c->compiler; i++) {
        argv[n++] = c->argv[i];
    }
    const struct str depfile = str_format(a, STR_FMT ".d", STR_ARG(p->object));
    for (size_t i = 0; i < c->arg_count; i++) {
        char *arg = c->args[i];
        const int offset = c->path_offsets[i];
        struct str replaced = {NULL, 0};
        if (i == c->output_arg) {
            replaced = str_format(a, "%.*s" STR_FMT, offset, arg, STR_ARG(p->object));
        } else if (offset == 0 && arg[0] != '-' && str_equal_c(c->input, arg)) {
            replaced = p->source;
        } else if (i > 0 && strcmp(c->args[i - 1], "-MF") == 0) {
            replaced = depfile;
        } else if (strncmp(arg, "-MF", 3) == 0 && arg[3] != '\0') {
            replaced = str_format(a, "-MF" STR_FMT, STR_ARG(depfile));
        }
        argv[n++] = replaced.ptr != NULL ? (char *)(uintptr_t)replaced.ptr : arg;
    }
    argv[n] = NULL;
    return argv;
}

/* Writes the part's source, with what the generator knows of it. */
static bool write_source(struct arena *a, const struct piece *p)
{
    struct error e;
    bool changed;
    const struct str stem = str_slice(p->source, 0, p->source.len - strlen(".cpp"));
    const struct str meta = str_format(a, STR_FMT ".meta", STR_ARG(stem));
    return dir_make(str_copy(a, path_dirname(p->source)).ptr, &e) &&
           file_write_if_changed(meta.ptr, p->part->meta, &changed, &e) &&
           file_write_if_changed(p->source.ptr, p->part->text, &changed, &e);
}

/* The exit status; -1: it cannot be done in this way. */
static int run_part(const struct group *g, const struct piece *p)
{
    struct arena *a = arena_like(g->arena);
    int status = -1;
    if (write_source(a, p)) {
        char **argv = command_of(a, &g->job->command, p);
        struct launch_options options = *g->options;
        struct running running = {.argv = argv, .caught = {-1, -1}};
        options.rest = argv;
        options.rest_count = 0;
        while (argv[options.rest_count] != NULL) {
            options.rest_count++;
        }
        status = launch_run(a, &options, &running);
        for (int i = 0; i < 2; i++) {
            if (running.caught[i] >= 0) {
                (void)close(running.caught[i]);
            }
        }
        struct process_result result;
        struct error e;
        if (status < 0 && process_run(a, argv, NULL, PROCESS_INHERIT, &result, &e)) {
            status = result.exit_code;
        }
    }
    arena_free(a);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* A file of its own first: a join that is cut off leaves the object as it was. */
static bool join(const struct group *g)
{
    struct arena *a = g->arena;
    const struct str output = g->job->command.output;
    const struct str joined = path_join(a, g->dir, STR("joined.o"));
    char **argv = ARENA_ARRAY(a, char *, g->count + 5);
    size_t n = 0;
    argv[n++] = (char *)(uintptr_t)(g->options->linker != NULL ? g->options->linker : "ld");
    argv[n++] = (char *)(uintptr_t) "-r";
    argv[n++] = (char *)(uintptr_t) "-o";
    argv[n++] = (char *)(uintptr_t)joined.ptr;
    for (size_t i = 0; i < g->count; i++) {
        argv[n++] = (char *)(uintptr_t)g->pieces[i].object.ptr;
    }
    struct process_result result;
    struct error e;
    (void)unlink(joined.ptr);
    return process_run(a, argv, NULL, PROCESS_CAPTURE_BOTH, &result, &e) && result.exit_code == 0 &&
           rename(joined.ptr, output.ptr) == 0;
}

/* What the linker cannot join as it joins plain objects. */
static bool can_join(const struct command *c)
{
    for (size_t i = 0; i < c->arg_count; i++) {
        if (strncmp(c->args[i], "-flto", 5) == 0 || strcmp(c->args[i], "-fembed-bitcode") == 0) {
            return false;
        }
    }
    return true;
}

static bool prepare(struct group *g)
{
    struct arena *a = g->arena;
    struct error e = {""};
    struct job *job = g->job;
    if (!job_prepare_group(a, g->options, job, &e) || !can_join(&job->command) ||
        !is_replaceable(job->command.output.ptr) ||
        (job->command.depfile.len > 0 && !is_replaceable(job->command.depfile.ptr))) {
        return false;
    }
    struct store *store = store_open(a, g->options->store, &e);
    const bool good = job_make_key(a, job, store, g->options->session, &e);
    if (store != NULL) {
        store_close(store);
    }
    g->dir = g->options->parts != NULL
                 ? str_from(g->options->parts)
                 : str_format(a, STR_FMT ".parts", STR_ARG(job->command.output));
    return good && digest_of_surroundings(g) &&
           split_pieces(g, ((const struct used_file *)job->scan.files.items[0])->text);
}

int group_run(struct arena *a, const struct launch_options *options)
{
    struct job *job = ARENA_NEW(a, struct job);
    struct launch_options all = *options;
    struct group g = {.arena = a, .options = &all, .job = job};
    struct error e;
    all.session = launch_session_new(a);
    if (!prepare(&g) || !dir_make(g.dir.ptr, &e)) {
        return -1;
    }
    read_list(&g);
    int status = 0;
    for (size_t i = 0; i < g.count && status == 0; i++) {
        if (!is_known(&g, &g.pieces[i])) {
            status = run_part(&g, &g.pieces[i]);
        }
    }
    if (status != 0) {
        return status;
    }
    /* A header that changed meanwhile is not what the list says the parts were made of. */
    if (scan_unchanged(a, &job->scan)) {
        write_list(&g);
    }
    if (!join(&g) || (job->command.depfile.len > 0 && !depfile_write(a, job, &e))) {
        return -1;
    }
    return 0;
}
