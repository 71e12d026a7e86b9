#include "launch/private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another process that compiles the same key is waited for so long; then we compile, too. */
#define LOCK_WAIT_MS 60000

/* The command as it was given, in our place. */
static int run_unchanged(char **argv)
{
    (void)execvp(argv[0], argv);
    (void)fprintf(stderr, "pykokkos-cache: cannot run %s: %s\n", argv[0], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

/* Without memory there is no cache, and still a compile: the one that runs, or the plain one. */
static void out_of_memory(void *context)
{
    struct running *running = context;
    _exit(running->pid > 0 ? miss_wait(running) : run_unchanged(running->argv));
}

bool is_replaceable(const char *path)
{
    struct stat st;
    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* Writes the object and what goes with it. A copy under a new name, so that it is fresh, and no
 * tool that changes objects in place changes the store. `*written` false: the compiler has the same
 * trouble, or none; it says so better. */
static enum store_found restore(struct arena *a, const struct job *job, struct store *store,
                                struct store_record *record, bool *written, struct error *e)
{
    const enum store_found found = store_find_record(store, a, &job->key.key, record, e);
    *written = false;
    if (found != STORE_HIT || (job->command.depfile.len > 0 && !depfile_write(a, job, e))) {
        return found;
    }
    return store_copy_object(store, a, record, job->command.output.ptr, written, e);
}

static void say_restored(struct arena *a, const struct job *job, const struct store_record *r)
{
    if (launch_is_verbose()) {
        const struct str name = r->workunit.len > 0 ? r->workunit : job->command.input;
        const struct str line =
            str_format(a, "pykokkos-cache: restored " STR_FMT "%s" STR_FMT "\n", STR_ARG(r->module),
                       r->module.len > 0 ? "." : "", STR_ARG(name));
        (void)fputs(line.ptr, stderr);
    }
}

/* True where the object was restored. */
static bool try_hit(struct arena *a, struct job *job, struct store *store, bool *damaged)
{
    struct store_record record;
    bool written = false;
    struct error e;
    if (job->direct && !direct_find(a, job, store)) {
        return false;
    }
    const enum store_found found = restore(a, job, store, &record, &written, &e);
    if (found == STORE_DAMAGED) {
        *damaged = true;
        launch_warn(e.text);
    }
    if (found != STORE_HIT || !written) {
        return false;
    }
    /* The Python that asks for it now may be another than the one it was first made for. */
    struct store_record use = record;
    use.has_ast_hash = false;
    meta_read(a, job->command.input, &use);
    use.source = path_absolute(a, job->cwd, job->command.input);
    store_record_use(store, &use);
    say_restored(a, job, &use);
    return true;
}

int launch_run(struct arena *a, const struct launch_options *options, struct running *running)
{
    struct error e = {""};
    struct job *job = ARENA_NEW(a, struct job);
    job->running = running;
    if (!job_prepare(a, options, job, &e) || !is_replaceable(job->command.output.ptr) ||
        (job->command.depfile.len > 0 && !is_replaceable(job->command.depfile.ptr))) {
        return -1;
    }
    struct store *store = store_open(a, options->store, &e);
    if (store == NULL) {
        /* The generator has warned, once for the build. */
        if (e.text[0] != '\0' && launch_is_verbose()) {
            launch_warn(e.text);
        }
        return -1;
    }
    if (!job_make_key(a, job, store, options->session, &e)) {
        if (launch_is_verbose()) {
            (void)fprintf(stderr, "pykokkos-cache: not cached: %s\n", e.text);
        }
        store_close(store);
        return -1;
    }
    bool damaged = false;
    if (try_hit(a, job, store, &damaged)) {
        store_close(store);
        return 0;
    }
    struct store_lock lock;
    const bool locked = store_lock(store, &job->base.key, LOCK_WAIT_MS, &lock, NULL);
    int status = 0;
    /* Whoever had the lock has kept the object by now, also where it was free again at once. */
    if (!try_hit(a, job, store, &damaged)) {
        status = miss_run(a, job, store, damaged);
    }
    if (locked) {
        store_unlock(&lock);
    }
    store_close(store);
    return status;
}

/* A group whose memory ran out is compiled as the one TU that it is. */
static void out_of_memory_in_group(void *context)
{
    _exit(run_unchanged(context));
}

static bool is_group(const struct launch_options *options)
{
    for (int i = options->rest_count; i-- > 0;) {
        const struct str word = str_from(options->rest[i]);
        if (word.len > 0 && word.ptr[0] == '@') {
            return true; /* its name may be in there */
        }
        if (str_ends_with(word, ".kernel.cpp")) {
            return scan_mark_of(word.ptr) == SCAN_GROUP;
        }
    }
    return false;
}

int launch_main(int argc, char **argv)
{
    struct launch_options options;
    struct error e;
    if (!options_parse(argc, argv, &options, &e)) {
        (void)fprintf(stderr, "pykokkos-cache: %s\n", e.text);
        return 2;
    }
    int status = -1;
    if (is_group(&options)) {
        struct arena *a = arena_new(out_of_memory_in_group, options.rest);
        status = group_run(a, &options);
        arena_free(a);
    }
    if (status >= 0) {
        return status;
    }
    struct running running = {.argv = options.rest, .caught = {-1, -1}};
    struct arena *a = arena_new(out_of_memory, &running);
    status = launch_run(a, &options, &running);
    if (status < 0) {
        return run_unchanged(options.rest);
    }
    arena_free(a);
    return status;
}
