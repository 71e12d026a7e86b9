/*
 * The user's home folder where HOME does not say: from the system's list of users, read here, since
 * getpwuid() makes a statically linked program load libraries.
 */
#include "store/private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USERS_MAX ((size_t)16 * 1024 * 1024)

/* The next of a line's fields, which colons divide. */
static struct str next_field(struct str *line)
{
    const char *colon = line->len > 0 ? memchr(line->ptr, ':', line->len) : NULL;
    const size_t len = colon != NULL ? (size_t)(colon - line->ptr) : line->len;
    const struct str field = str_slice(*line, 0, len);
    *line = str_slice(*line, len + 1, line->len);
    return field;
}

struct str home_in_list(struct str users, unsigned long uid)
{
    char number[32];
    (void)snprintf(number, sizeof(number), "%lu", uid);
    while (users.len > 0) {
        const char *newline = memchr(users.ptr, '\n', users.len);
        const size_t len = newline != NULL ? (size_t)(newline - users.ptr) : users.len;
        struct str line = str_slice(users, 0, len);
        users = str_slice(users, len + 1, users.len);
        (void)next_field(&line); /* name */
        (void)next_field(&line); /* password */
        if (!str_equal_c(next_field(&line), number)) {
            continue;
        }
        (void)next_field(&line); /* group */
        (void)next_field(&line); /* full name */
        const struct str home = next_field(&line);
        return home.len > 0 && home.ptr[0] == '/' ? home : STR("");
    }
    return STR("");
}

struct str home_dir(struct arena *a)
{
    const char *home = getenv("HOME");
    if (home != NULL && home[0] == '/') {
        return str_copy_c(a, home);
    }
    struct str users;
    struct error e;
    const unsigned long uid = (unsigned long)geteuid();
    if (file_read(a, "/etc/passwd", USERS_MAX, &users, &e)) {
        const struct str found = home_in_list(users, uid);
        if (found.len > 0) {
            return str_copy(a, found);
        }
    }
    /* One that a directory service knows. */
    char program[] = "getent";
    char database[] = "passwd";
    char number[32];
    (void)snprintf(number, sizeof(number), "%lu", uid);
    char *argv[] = {program, database, number, NULL};
    struct process_result answer;
    if (!process_run(a, argv, NULL, PROCESS_CAPTURE_BOTH, &answer, &e) || answer.exit_code != 0) {
        return STR("");
    }
    return str_copy(a, home_in_list(answer.out, uid));
}
