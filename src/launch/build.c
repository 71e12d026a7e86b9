/*
 * Which run of a build tool we are part of: its first process, by number and start. Climbs from
 * parent to parent over build tools and the shells between them.
 */
#include "launch/private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_STEPS 64

struct process {
    char name[32];
    long parent;
    char start[24]; /* ticks since the system's, as the system writes it */
};

/* /proc/<pid>/stat: "<pid> (<name>) <state> <parent> … <start, the 22nd> …" */
static bool process_read(long pid, struct process *p)
{
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const ssize_t n = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    if (n <= 0) {
        return false;
    }
    text[n] = '\0';
    const char *open_bracket = strchr(text, '(');
    char *close_bracket = strrchr(text, ')'); /* names may have some, too */
    if (open_bracket == NULL || close_bracket == NULL || close_bracket < open_bracket) {
        return false;
    }
    *close_bracket = '\0';
    (void)snprintf(p->name, sizeof(p->name), "%s", open_bracket + 1);
    char *rest = close_bracket + 1;
    char *save = NULL;
    int field = 3;
    p->start[0] = '\0';
    for (char *word = strtok_r(rest, " ", &save); word != NULL && field <= 22;
         word = strtok_r(NULL, " ", &save), field++) {
        if (field == 4) {
            p->parent = strtol(word, NULL, 10);
        } else if (field == 22) {
            (void)snprintf(p->start, sizeof(p->start), "%s", word);
        }
    }
    return p->start[0] != '\0';
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct str launch_build(struct arena *a)
{
    static const char *const tools[] = {"ninja", "ninja-build", "samu",   "make",
                                        "gmake", "cmake",       "cmake3", "pykokkos-cache"};
    static const char *const shells[] = {"sh", "dash", "bash", "ksh", "zsh", "busybox"};
    struct str found = STR("");
    struct process p = {.parent = (long)getppid()};
    for (int step = 0; step < MOST_STEPS && p.parent > 1; step++) {
        const long pid = p.parent;
        if (!process_read(pid, &p)) {
            break;
        }
        if (is_one_of(p.name, tools, sizeof(tools) / sizeof(tools[0]))) {
            found = str_format(a, "%ld-%s", pid, p.start);
        } else if (!is_one_of(p.name, shells, sizeof(shells) / sizeof(shells[0]))) {
            break;
        }
    }
    return found;
}
