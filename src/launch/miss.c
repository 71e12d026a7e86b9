/*
 * A miss: the compiler runs, and what it made is kept. Everything that the store has to do first is
 * done meanwhile.
 */
#define _GNU_SOURCE
#include "launch/private.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define OBJECT_MAX ((size_t)1024 * 1024 * 1024)
/* One miss in so many looks whether the store is over its size, and removes that many entries. */
#define COLLECT_EVERY 16
#define COLLECT_STEP 32

bool launch_is_verbose(void)
{
    const char *value = getenv("PYKOKKOS_CACHE_VERBOSE");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

void launch_warn(const char *text)
{
    (void)fprintf(stderr, "pykokkos-cache: warning: %s\n", text);
}

/* A file without a name to catch what the compiler prints. Not a pipe: a server that a launcher
 * behind us starts would hold it open, and we would wait for that. */
static int catch_file(const char *name)
{
    const int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0) {
        return fd;
    }
    FILE *f = tmpfile();
    if (f == NULL) {
        return -1;
    }
    const int copy = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
    (void)fclose(f);
    return copy;
}

static off_t length_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? st.st_size : 0;
}

/* Hands on what was caught. */
static void replay(int from, int to)
{
    char piece[16 * 1024];
    off_t at = 0;
    for (;;) {
        const ssize_t n = pread(from, piece, sizeof(piece), at);
        if (n <= 0) {
            return;
        }
        at += n;
        for (ssize_t done = 0; done < n;) {
            const ssize_t written = write(to, piece + done, (size_t)(n - done));
            if (written < 0 && errno != EINTR) {
                return;
            }
            done += written > 0 ? written : 0;
        }
    }
}

static int64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool start(char **argv, const int caught[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    const bool good = posix_spawn_file_actions_adddup2(&actions, caught[0], 1) == 0 &&
                      posix_spawn_file_actions_adddup2(&actions, caught[1], 2) == 0 &&
                      posix_spawnp(pid, argv[0], &actions, NULL, argv, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return good;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return 1;
        }
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int miss_wait(struct running *running)
{
    if (!running->ended) {
        running->status = wait_for(running->pid);
        running->ended = true;
        replay(running->caught[0], STDOUT_FILENO);
        replay(running->caught[1], STDERR_FILENO);
    }
    return running->status;
}

/* What is known of the entry before its object is there. */
static void prepare(struct arena *a, struct job *job, struct store *store,
                    struct store_record *record)
{
    const struct used_file *tu = job->scan.files.items[0];
    *record = (struct store_record){.key = job->key.key,
                                    .text_digest = tu->digest,
                                    .toolchain = job->compiler.version,
                                    .parts = job->key.parts,
                                    .part_count = job->key.part_count};
    meta_read(a, job->command.input, record);
    record->source = path_absolute(a, job->cwd, job->command.input);
    store_prepare(store);
    if (job->base.key.bytes[31] % COLLECT_EVERY == 0) {
        struct store_collected collected;
        struct error e;
        (void)store_collect(store, store_max_size(store), COLLECT_STEP, &collected, &e);
    }
}

/* Why it is compiled. Of a TU whose headers only its compile tells, to be asked after that. */
static struct store_why why_of(struct arena *a, struct store *store,
                               const struct store_record *record, bool damaged, size_t *compiled)
{
    struct store_past past;
    const struct str build = launch_build(a);
    if (!store_past(store, a, record, build, &past)) {
        past = (struct store_past){.has_last = false};
    }
    struct store_why why = launch_reason(a, &past, record);
    if (damaged) {
        why.cause = "damaged";
        why.text = STR("damaged");
    }
    why.build = build;
    *compiled = past.compiled;
    return why;
}

/* Is the object that the compiler left what the key says? */
static bool is_of_key(struct arena *a, struct job *job, const struct timespec *start,
                      struct str *object, struct error *e)
{
    if (!(job->direct ? direct_record(a, job, start, e) : depfile_check(a, job, e))) {
        return false;
    }
    if (!scan_unchanged(a, &job->scan)) {
        error_set(e, "a source changed while it was compiled");
        return false;
    }
    return file_read(a, job->command.output.ptr, OBJECT_MAX, object, e);
}

/* Publishes it, or goes without: of a store that takes nothing, the generator warns. */
static bool keep(struct arena *a, struct job *job, struct store *store, struct store_record *record,
                 struct str object, const struct store_why *why)
{
    struct error e = {""};
    const bool kept = store_publish(store, record, object, why, &e);
    if (kept && job->direct) {
        direct_remember(a, job, store);
    }
    if (!kept && launch_is_verbose()) {
        (void)fprintf(stderr, "pykokkos-cache: not kept: %s\n", e.text);
    }
    return kept;
}

/* An edit's compile is told without being asked, up to so many in one build. What a first build or
 * another compiler compiles is as much as Ninja says of it. */
#define TOLD_UNASKED 10

static void say(struct arena *a, const struct store_record *r, const struct job *job,
                const struct store_why *why, size_t compiled)
{
    static const char *const edits[] = {"body", "signature", "constant", "function", "class"};
    const char *const variable = getenv("PYKOKKOS_CACHE_VERBOSE");
    bool told = launch_is_verbose();
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]) && variable == NULL; i++) {
        told = told || (compiled < TOLD_UNASKED && r->workunit.len > 0 &&
                        strcmp(why->cause, edits[i]) == 0);
    }
    if (!told) {
        return;
    }
    const struct str name = r->workunit.len > 0 ? r->workunit : job->command.input;
    const struct str line =
        str_format(a, "pykokkos-cache: compiled " STR_FMT "%s" STR_FMT " in %lld ms: " STR_FMT "\n",
                   STR_ARG(r->module), r->module.len > 0 ? "." : "", STR_ARG(name),
                   (long long)r->compile_ms, STR_ARG(why->text));
    (void)fputs(line.ptr, variable != NULL ? stderr : stdout);
    (void)fflush(stdout);
}

int miss_run(struct arena *a, struct job *job, struct store *store, bool damaged)
{
    const bool colour = isatty(STDERR_FILENO) != 0;
    char **argv = command_to_run(a, &job->command, job->cwd, colour);
    struct running *running = job->running;
    const int *caught = running->caught;
    running->caught[0] = catch_file("stdout");
    running->caught[1] = catch_file("stderr");
    const int64_t begin = now_ms();
    struct timespec start_time;
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &start_time); /* the clock of files */
    if (caught[0] < 0 || caught[1] < 0 || !start(argv, caught, &running->pid)) {
        running->pid = 0;
        return -1;
    }
    struct store_record record;
    struct store_why why = {"first build", STR("first build"), STR("")};
    size_t compiled = 0;
    prepare(a, job, store, &record);
    if (!job->direct) {
        why = why_of(a, store, &record, damaged, &compiled);
    }
    const int status = miss_wait(running);
    record.compile_ms = now_ms() - begin;
    if (status != 0) {
        return status;
    }
    const bool silent = length_of(caught[0]) == 0 && length_of(caught[1]) == 0;
    struct str object;
    struct error e = {""};
    bool kept = is_of_key(a, job, &start_time, &object, &e);
    record.key = job->key.key;
    record.parts = job->key.parts;
    record.part_count = job->key.part_count;
    if (!kept && launch_is_verbose()) {
        (void)fprintf(stderr, "pykokkos-cache: not kept: %s\n", e.text);
    }
    if (job->direct) {
        why = why_of(a, store, &record, damaged, &compiled);
    }
    kept = kept && silent && keep(a, job, store, &record, object, &why);
    if (!kept) {
        store_note_compile(store, &record, &why);
    }
    say(a, &record, job, &why, compiled);
    return 0;
}
