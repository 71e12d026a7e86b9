/*
 * Runs the generator for one target, with all that a build tool needs to know afterwards.
 *
 * A Python error is no failure of this run: the outputs stay as they were and the status file says
 * what is wrong; the build's check of that file fails (see PkcGenerate.cmake for why).
 */
#include "cli/cli.h"
#include "cli/memo.h"
#include "cli/target.h"
#include "launch/launch.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An editor that writes a file each time we look at it must not keep us for ever. */
#define MOST_ROUNDS 10

/*
 * The folders of the inputs, each once. A folder's time changes where a file is put in it: one that
 * was looked for in vain, one that an import now finds first, one moved over another with its old
 * time. None of that shows in the time of a file that was read.
 *
 * The build folder is left out: what a build in its own source tree writes there would run us
 * again.
 */
static void folders_of(struct arena *a, const struct cli_target *t, const struct py_input *inputs,
                       size_t count, struct vec *folders)
{
    const struct str build = path_dirname(path_dirname(t->request.output_dir));
    struct map seen;
    map_init(&seen, a);
    vec_init(folders, a);
    for (size_t i = 0; i < count; i++) {
        struct str folder = str_copy(a, path_dirname(inputs[i].path));
        while (folder.len > 1 && !inputs[i].stamp.exists && !file_stamp_of(folder.ptr).exists) {
            folder = str_copy(a, path_dirname(folder));
        }
        if (map_get(&seen, folder) == NULL && !str_equal(folder, build)) {
            struct str *kept = arena_alloc(a, sizeof(*kept));
            *kept = folder;
            map_set(&seen, folder, kept);
            vec_push(folders, kept);
        }
    }
}

static bool touch(const char *path, struct error *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || futimens(fd, NULL) != 0) {
        error_errno(e, "write", path);
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    close(fd);
    return true;
}

static const struct py_input *inputs_of(const struct gen_result *r, size_t *count)
{
    *count = 0;
    return r->module_count > 0 ? py_program_inputs(r->modules[0].source->program, count) : NULL;
}

static bool inputs_changed(const struct py_input *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct file_stamp now = file_stamp_of(inputs[i].path.ptr);
        if (!file_stamp_equal(&now, &inputs[i].stamp)) {
            return true;
        }
    }
    return false;
}

static bool some_unreadable(const struct gen_result *r)
{
    for (size_t i = 0; i < r->module_count; i++) {
        if (!r->modules[i].source->readable) {
            return true;
        }
    }
    return false;
}

/*
 * Ninja (to 1.11) remembers, for a run that left some output alone, the time of the newest input
 * that it knew when it started: on the very first run, before it has read the depfile, that is the
 * options file or this program. A Python file newer than those would make it run us a second time.
 * So the options file is never older than what was read.
 */
static void raise_options_time(struct arena *a, const struct cli_target *t,
                               const struct py_input *inputs, size_t count,
                               const struct vec *folders)
{
    int64_t newest = 0;
    for (size_t i = 0; i < count; i++) {
        newest = inputs[i].stamp.mtime_ns > newest ? inputs[i].stamp.mtime_ns : newest;
    }
    for (size_t i = 0; i < folders->count; i++) {
        const struct str *path = folders->items[i];
        struct file_stamp stamp = file_stamp_of(path->ptr);
        newest = stamp.mtime_ns > newest ? stamp.mtime_ns : newest;
    }
    for (size_t i = 0; i < t->extra_inputs.count; i++) {
        const struct str *path = t->extra_inputs.items[i];
        struct file_stamp stamp = file_stamp_of(path->ptr);
        newest = stamp.mtime_ns > newest ? stamp.mtime_ns : newest;
    }
    struct str options = target_file(a, t, ".options");
    struct file_stamp now = file_stamp_of(options.ptr);
    if (now.exists && now.mtime_ns < newest) {
        struct timespec times[2] = {
            {.tv_nsec = UTIME_OMIT},
            {.tv_sec = (time_t)(newest / 1000000000), .tv_nsec = (long)(newest % 1000000000)},
        };
        (void)utimensat(AT_FDCWD, options.ptr, times, 0);
    }
}

/* Paths as compilers print them, so that editors find the place from the build's folder. */
static void absolute_places(struct arena *a, const struct cli_target *t, struct diags *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->items[i].file.len > 0 && d->items[i].file.ptr[0] != '/') {
            d->items[i].file = path_absolute(a, t->request.source_dir, d->items[i].file);
        }
    }
}

/* No text: it is switched off. */
static void warn_of_store(const struct error *e)
{
    if (e->text[0] != '\0') {
        fprintf(stderr, "pykokkos-cache: warning: built without keeping objects: %s\n", e->text);
    }
}

/* History in the store: of use, never needed. Compiles come next: a store that will be of no use to
 * them is said here, once a target, and not by each of them. */
static void remember(struct arena *a, const struct cli_target *t,
                     const struct state_change *changes, size_t count)
{
    struct error e = {""};
    const char *dir = t->store.len > 0 ? t->store.ptr : NULL;
    struct store *s = store_open(a, dir, &e);
    if (s == NULL) {
        warn_of_store(&e);
        return;
    }
    const bool keeps = store_can_keep(s, &e);
    struct store_change *rows = ARENA_ARRAY(a, struct store_change, count);
    for (size_t i = 0; i < count; i++) {
        const struct state_entry *before = changes[i].before;
        const struct state_entry *after = changes[i].after;
        const struct state_entry *either = after != NULL ? after : before;
        rows[i].module = either->module;
        rows[i].workunit = either->workunit;
        rows[i].cause = changes[i].cause;
        if (before != NULL) {
            rows[i].has_old = true;
            rows[i].old_ast_hash = before->ast_hash;
        }
        if (after != NULL) {
            rows[i].has_new = true;
            rows[i].new_ast_hash = after->ast_hash;
        }
    }
    if (!keeps) {
        warn_of_store(&e);
        (void)store_history_add(s, rows, count, &e);
    } else if (!store_history_add(s, rows, count, &e)) {
        warn_of_store(&e);
    }
    store_close(s);
}

/* The forms that `why --diff` compares are those of this change, and of no earlier one. */
static void note_forms_before(const struct state *now, const struct state_change *changes,
                              size_t count)
{
    for (size_t i = 0; i < now->by_name.count; i++) {
        ((struct state_entry *)now->by_name.entries[i].value)->was = STR("");
    }
    for (size_t i = 0; i < count; i++) {
        if (changes[i].before != NULL && changes[i].after != NULL) {
            struct state_entry *entry = map_get(&now->by_name, changes[i].after->name);
            entry->was = changes[i].before->canonical;
        }
    }
}

static bool update_state(struct arena *a, const struct cli_target *t,
                         const struct gen_result *result, struct error *e)
{
    struct state old;
    struct state now;
    size_t count;
    state_read(a, t, &old);
    state_of(a, result, &old, &now);
    const struct state_change *changes = state_compare(a, &old, &now, result, &count);
    if (count == 0 && !old.is_unreadable) {
        return true;
    }
    now.changes = state_changes_text(a, changes, count);
    now.build = launch_build(a);
    now.time = (int64_t)time(NULL);
    note_forms_before(&now, changes, count);
    if (!state_write(a, t, &now, e)) {
        return false;
    }
    remember(a, t, changes, count);
    return true;
}

bool state_follow(struct arena *a, const struct cli_target *t, const struct gen_result *part,
                  struct error *e)
{
    struct state_change *changes = NULL;
    size_t count = 0;
    if (part->workunit_count == 0) {
        return true;
    }
    if (!state_replace(a, t, part, launch_build(a), (int64_t)time(NULL), &changes, &count, e)) {
        return false;
    }
    if (count > 0) {
        remember(a, t, changes, count);
    }
    return true;
}

/* One round. `*inputs` as read. */
static bool generate_once(struct arena *a, const struct cli_target *t, struct target_outcome *out,
                          const struct py_input **inputs, size_t *input_count, struct error *e)
{
    struct diags diags;
    diags_init(&diags, a);
    *out = (struct target_outcome){0};
    out->refused = !gen_analyse(a, &t->request, &diags, &out->result);
    *inputs = inputs_of(&out->result, input_count);
    diags_sort(&diags);
    absolute_places(a, t, &diags);
    struct buf text;
    buf_init(&text, a);
    diags_format(&text, &diags, false);
    out->diagnostics = buf_str(&text);
    if (out->refused) {
        return true;
    }
    struct str fragment = target_file(a, t, ".cmake");
    struct file_stamp before = file_stamp_of(fragment.ptr);
    if (!gen_write(a, &t->request, &out->result, e)) {
        return false;
    }
    struct file_stamp after = file_stamp_of(fragment.ptr);
    out->list_changed = !file_stamp_equal(&before, &after);
    return update_state(a, t, &out->result, e);
}

static bool generate_whole(struct arena *a, const struct cli_target *t, struct target_outcome *out,
                           const struct py_input **inputs, size_t *input_count, struct error *e)
{
    bool list_changed = false;
    int64_t begun_ns = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        begun_ns = memo_now();
        if (!generate_once(a, t, out, inputs, input_count, e)) {
            return false;
        }
        list_changed = list_changed || out->list_changed;
        /* A file saved while we worked may be older than our outputs when the build tool looks. */
        if (!inputs_changed(*inputs, *input_count)) {
            break;
        }
    }
    out->list_changed = list_changed;
    struct memo memo;
    if (out->refused) {
        return true; /* what was written last is as it was, and so is its memo */
    }
    if (out->diagnostics.len == 0 && memo_of(a, t, &out->result, begun_ns, &memo)) {
        memo_write(a, t, &memo);
    } else {
        memo_remove(a, t);
    }
    return true;
}

bool target_generate(struct arena *a, const struct cli_target *t, enum target_mode mode,
                     struct target_outcome *out, struct error *e)
{
    if (!dir_make(t->request.output_dir.ptr, e)) {
        return false;
    }
    const struct py_input *inputs = NULL;
    size_t input_count = 0;
    *out = (struct target_outcome){.refused = false};
    if ((again_run(a, t, &inputs, &input_count) != AGAIN_DONE ||
         inputs_changed(inputs, input_count)) &&
        !generate_whole(a, t, out, &inputs, &input_count, e)) {
        return false;
    }

    bool changed;
    struct str status = out->refused ? out->diagnostics : STR("");
    struct vec folders;
    folders_of(a, t, inputs, input_count, &folders);
    if (!target_write_depfile(a, t, inputs, input_count, &folders, e) ||
        !file_write_if_changed(target_file(a, t, ".status").ptr, status, &changed, e)) {
        return false;
    }
    if (mode == TARGET_CONFIGURE) {
        return true;
    }
    raise_options_time(a, t, inputs, input_count, &folders);
    struct str stamp = target_file(a, t, ".stamp");
    if (some_unreadable(&out->result)) {
        /* It may come back with an old time, which no build tool would notice: run each time. */
        if (unlink(stamp.ptr) != 0 && errno != ENOENT) {
            error_errno(e, "remove", stamp.ptr);
            return false;
        }
        return true;
    }
    return touch(stamp.ptr, e);
}
