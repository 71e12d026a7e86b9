/* posix_spawn_file_actions_addchdir_np and pipe2 are in glibc, musl and the BSDs, not in POSIX. */
#define _GNU_SOURCE
#include "support/private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* One captured stream of the child: we read [0], the child writes [1]. */
struct stream {
    int fds[2];
    struct buf text;
};

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

static bool start(char *const argv[], const char *cwd, struct stream *streams, pid_t *pid,
                  struct error *e)
{
    posix_spawn_file_actions_t actions;
    int number = posix_spawn_file_actions_init(&actions);
    if (number == 0) {
        for (int i = 0; i < 2 && number == 0; i++) {
            if (streams[i].fds[1] >= 0) {
                number = posix_spawn_file_actions_adddup2(&actions, streams[i].fds[1], i + 1);
            }
        }
        if (number == 0 && cwd != NULL) {
            number = posix_spawn_file_actions_addchdir_np(&actions, cwd);
        }
        if (number == 0) {
            number = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
        }
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    if (number != 0) {
        errno = number;
        error_errno(e, "run", argv[0]);
        return false;
    }
    return true;
}

/* Reads both streams as they come: a child that fills one pipe never waits for the other. */
static bool collect(struct stream *streams)
{
    bool good = true;
    for (;;) {
        struct pollfd polls[2];
        struct stream *open_streams[2];
        nfds_t count = 0;
        for (int i = 0; i < 2; i++) {
            if (streams[i].fds[0] >= 0) {
                polls[count] = (struct pollfd){.fd = streams[i].fds[0], .events = POLLIN};
                open_streams[count++] = &streams[i];
            }
        }
        if (count == 0) {
            return good;
        }
        if (poll(polls, count, -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            return false;
        }
        for (nfds_t i = 0; i < count; i++) {
            if (polls[i].revents == 0) {
                continue;
            }
            char piece[16 * 1024];
            const ssize_t n = read(polls[i].fd, piece, sizeof(piece));
            if (n > 0) {
                buf_add_bytes(&open_streams[i]->text, piece, (size_t)n);
            } else if (n == 0) {
                close_fd(&open_streams[i]->fds[0]);
            } else if (errno != EINTR && errno != EAGAIN) {
                good = false;
                close_fd(&open_streams[i]->fds[0]);
            }
        }
    }
}

static bool wait_for(pid_t pid, int *exit_code)
{
    int status = 0;
    pid_t got = 0;
    do {
        got = waitpid(pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return false;
    }
    *exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

bool process_run(struct arena *a, char *const argv[], const char *cwd, enum process_capture capture,
                 struct process_result *result, struct error *e)
{
    *result = (struct process_result){.exit_code = -1, .out = STR(""), .err = STR("")};
    struct stream streams[2] = {{.fds = {-1, -1}}, {.fds = {-1, -1}}};
    const int captured = capture == PROCESS_INHERIT ? 0 : capture == PROCESS_CAPTURE_OUT ? 1 : 2;
    bool good = true;
    for (int i = 0; i < captured && good; i++) {
        buf_init(&streams[i].text, a);
        if (pipe2(streams[i].fds, O_CLOEXEC) != 0) {
            streams[i].fds[0] = streams[i].fds[1] = -1;
            error_errno(e, "make a pipe for", argv[0]);
            good = false;
        }
    }
    pid_t pid = -1;
    good = good && start(argv, cwd, streams, &pid, e);
    close_fd(&streams[0].fds[1]);
    close_fd(&streams[1].fds[1]);
    if (good && !collect(streams)) {
        error_errno(e, "read the output of", argv[0]);
        good = false;
    }
    close_fd(&streams[0].fds[0]);
    close_fd(&streams[1].fds[0]);
    if (pid > 0 && !wait_for(pid, &result->exit_code) && good) {
        error_errno(e, "wait for", argv[0]);
        good = false;
    }
    if (captured > 0) {
        result->out = buf_str(&streams[0].text);
    }
    if (captured > 1) {
        result->err = buf_str(&streams[1].text);
    }
    return good;
}

static bool is_program(const char *path)
{
    struct stat st;
    return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

struct str process_find(struct arena *a, const char *program)
{
    if (strchr(program, '/') != NULL) {
        return is_program(program) ? str_copy_c(a, program) : STR("");
    }
    if (program[0] == '\0') {
        return STR("");
    }
    const char *path = getenv("PATH");
    if (path == NULL) {
        path = "/bin:/usr/bin"; /* what execvp of the usual C libraries takes */
    }
    for (;;) {
        const char *end = strchr(path, ':');
        const size_t len = end != NULL ? (size_t)(end - path) : strlen(path);
        const struct str dir = len > 0 ? (struct str){path, len} : STR(".");
        const struct str candidate = path_join(a, dir, str_from(program));
        if (is_program(candidate.ptr)) {
            return candidate;
        }
        if (end == NULL) {
            return STR("");
        }
        path = end + 1;
    }
}
