/*
 * Dependency files, written and read as make has them.
 */
#include "launch/private.h"

#include <string.h>
#include <sys/stat.h>

static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (c == ' ' || c == '\t' || c == '#' || c == '$') {
            return false;
        }
    }
    return true;
}

/* A name as a prerequisite or quoted target: make's blanks, comments and variables escaped. */
static void add_name(struct buf *b, struct str name)
{
    if (is_plain(name)) {
        buf_add(b, name);
        return;
    }
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (c == ' ' || c == '\t') {
            /* Backslashes before a blank would count as escaping it: double them. */
            for (size_t k = i; k > 0 && name.ptr[k - 1] == '\\'; k--) {
                buf_add_char(b, '\\');
            }
            buf_add_char(b, '\\');
        } else if (c == '#') {
            buf_add_char(b, '\\');
        } else if (c == '$') {
            buf_add_char(b, '$');
        }
        buf_add_char(b, c);
    }
}

static void add_target(struct buf *b, const struct command *c)
{
    for (size_t i = 0; i < c->targets.count; i++) {
        const struct depfile_target *t = c->targets.items[i];
        if (i > 0) {
            buf_add_char(b, ' ');
        }
        if (t->quoted) {
            add_name(b, t->text);
        } else {
            buf_add(b, t->text);
        }
    }
    if (c->targets.count == 0) {
        add_name(b, c->output);
    }
    buf_add_char(b, ':');
}

static void add_prerequisite(struct buf *b, struct buf *phony, const struct command *c,
                             struct str path)
{
    buf_add_c(b, " \\\n  ");
    add_name(b, path);
    if (c->depfile_phony) {
        add_name(phony, path);
        buf_add_c(phony, ":\n");
    }
}

struct str depfile_text(struct arena *a, const struct job *job)
{
    const struct command *c = &job->command;
    struct buf b;
    struct buf phony;
    buf_init(&b, a);
    buf_init(&phony, a);
    add_target(&b, c);
    buf_add_char(&b, ' ');
    add_name(&b, c->input);
    for (size_t i = 1; i < job->scan.files.count && !job->direct; i++) {
        add_prerequisite(&b, &phony, c, ((const struct used_file *)job->scan.files.items[i])->path);
    }
    for (size_t i = 0; i < job->compiler.implicit.count && c->depfile_system && !job->direct; i++) {
        add_prerequisite(&b, &phony, c, *(const struct str *)job->compiler.implicit.items[i]);
    }
    for (size_t i = 0; i < job->headers.count; i++) {
        add_prerequisite(&b, &phony, c, *(const struct str *)job->headers.items[i]);
    }
    buf_add_char(&b, '\n');
    buf_add(&b, buf_str(&phony));
    return buf_str(&b);
}

bool depfile_write(struct arena *a, const struct job *job, struct error *e)
{
    return file_write(job->command.depfile.ptr, depfile_text(a, job), false, e);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The next prerequisite; empty at the rule's end. */
static struct str next_name(struct arena *a, struct str *rest)
{
    const char *p = rest->ptr;
    size_t i = 0;
    for (;; i++) {
        if (i + 1 < rest->len && p[i] == '\\' && p[i + 1] == '\n') {
            i++;
        } else if (i + 2 < rest->len && p[i] == '\\' && p[i + 1] == '\r' && p[i + 2] == '\n') {
            i += 2;
        } else if (i >= rest->len || (p[i] != ' ' && p[i] != '\t')) {
            break;
        }
    }
    size_t end = i; /* the name ends here, or before */
    while (end < rest->len && p[end] != '\n' &&
           ((p[end] != ' ' && p[end] != '\t') || (end > i && p[end - 1] == '\\'))) {
        end++;
    }
    char *name = arena_alloc(a, end - i + 1);
    size_t len = 0;
    while (i < rest->len && p[i] != ' ' && p[i] != '\t' && p[i] != '\n' && p[i] != '\r') {
        size_t backslashes = 0;
        while (i < rest->len && p[i] == '\\') {
            backslashes++;
            i++;
        }
        const char c = i < rest->len ? p[i] : '\0';
        if (backslashes > 0) {
            const bool special = c == ' ' || c == '\t' || c == '#';
            const bool line_goes_on = (c == '\n' || c == '\r') && backslashes % 2 == 1;
            size_t kept = backslashes;
            if (special) {
                kept = backslashes / 2;
            } else if (line_goes_on) {
                kept = backslashes - 1;
            }
            memset(name + len, '\\', kept);
            len += kept;
            if (special && backslashes % 2 == 1) {
                name[len++] = c;
                i++;
            }
            if (line_goes_on) {
                i--; /* the backslash belongs to the line's end */
                break;
            }
            continue;
        }
        if (c == '$' && i + 1 < rest->len && p[i + 1] == '$') {
            i++;
        }
        name[len++] = c;
        i++;
    }
    *rest = str_slice(*rest, i, rest->len);
    return (struct str){name, len};
}

static bool same_file(const char *path, const struct file_stamp *stamp)
{
    struct stat st;
    return stat(path, &st) == 0 && (uint64_t)st.st_dev == stamp->device &&
           (uint64_t)st.st_ino == stamp->inode;
}

static bool is_known(const struct job *job, struct str path)
{
    for (size_t i = 0; i < job->scan.files.count; i++) {
        const struct used_file *f = job->scan.files.items[i];
        if (str_equal(f->path, path) || same_file(path.ptr, &f->stamp)) {
            return true;
        }
    }
    for (size_t i = 0; i < job->compiler.implicit.count; i++) {
        if (str_equal(*(const struct str *)job->compiler.implicit.items[i], path)) {
            return true;
        }
    }
    return false;
}

bool depfile_names(struct arena *a, struct str text, struct vec *names)
{
    /* The target's own colons (it may have some) are not followed by a blank. */
    size_t colon = 0;
    while (colon + 1 < text.len && !(text.ptr[colon] == ':' &&
                                     (text.ptr[colon + 1] == ' ' || text.ptr[colon + 1] == '\n'))) {
        colon++;
    }
    if (colon + 1 >= text.len) {
        return false;
    }
    struct str rest = str_slice(text, colon + 1, text.len);
    for (;;) {
        const struct str name = next_name(a, &rest);
        if (name.len == 0) {
            return true;
        }
        struct str *copy = ARENA_NEW(a, struct str);
        *copy = name;
        vec_push(names, copy);
    }
}

bool depfile_check(struct arena *a, const struct job *job, struct error *e)
{
    if (job->command.depfile.len == 0) {
        return true;
    }
    struct str text;
    struct vec names;
    struct error missing;
    vec_init(&names, a);
    if (!file_read(a, job->command.depfile.ptr, DEPFILE_MAX, &text, &missing) ||
        !depfile_names(a, text, &names)) {
        /* Without it, make and Ninja lose the headers in silence. */
        return depfile_write(a, job, e);
    }
    for (size_t i = 0; i < names.count; i++) {
        const struct str name = *(const struct str *)names.items[i];
        if (!is_known(job, name)) {
            error_set(e, "the compiler read %s, which was not looked at", name.ptr);
            return false;
        }
    }
    return true;
}
