/*
 * <target>.d: all that a run of the generator read, for the build tool.
 *
 * Ninja's reader of depfiles knows no way to write some characters (quotes, '&', '<', line ends,
 * …): it takes the name for two, finds neither, and runs us each time. A path that has one stands
 * in the depfile by the name of a symbolic link to it, in the folder <target>.inputs; build tools
 * look at what a link leads to.
 */
#include "cli/cli.h"
#include "cli/target.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct depfile {
    struct arena *arena;
    const struct cli_target *target;
    struct buf text;
    struct str folder; /* of the links */
    struct map links;  /* those in use, by name */
};

/* A path as a depfile spells it. */
static void add_spelled(struct buf *b, struct str path)
{
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (c == ' ' || c == '#' || c == '\\') {
            /* A backslash is only special before one of these; Ninja and make agree on "\\". */
            if (c != '\\' || (i + 1 < path.len && strchr(" #\\", path.ptr[i + 1]) != NULL)) {
                buf_add_char(b, '\\');
            }
        } else if (c == '$') {
            buf_add_char(b, '$');
        }
        buf_add_char(b, c);
    }
}

static bool can_be_spelled(struct str path)
{
    static const char others[] = "+,/_:.~()}{%=@[]!- #$";
    for (size_t i = 0; i < path.len; i++) {
        const char c = path.ptr[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
        if (!plain && (c == '\0' || strchr(others, c) == NULL)) {
            return false;
        }
    }
    return true;
}

/* Makes the link to `path` unless it is there; its name. False: not on this file system. */
static bool link_to(struct depfile *d, struct str path, struct str *name)
{
    struct arena *a = d->arena;
    struct sha256 digest;
    if (!sha256_of(path, &digest)) {
        return false;
    }
    *name = str_format(a, "%.16s", sha256_hex(a, &digest).ptr);
    if (map_has(&d->links, *name)) {
        return true;
    }
    const struct str link = path_join(a, d->folder, *name);
    char *now = arena_alloc(a, path.len + 2);
    const ssize_t len = readlink(link.ptr, now, path.len + 1);
    if (len != (ssize_t)path.len || memcmp(now, path.ptr, path.len) != 0) {
        (void)unlink(link.ptr);
        (void)mkdir(d->folder.ptr, 0777);
        if (symlink(path.ptr, link.ptr) != 0 && errno != EEXIST) {
            return false;
        }
    }
    map_set(&d->links, *name, d);
    return true;
}

static void add_input(struct depfile *d, struct str path)
{
    struct str name;
    buf_add_c(&d->text, " \\\n  ");
    if (can_be_spelled(path) || !link_to(d, path, &name)) {
        add_spelled(&d->text, path);
        return;
    }
    /* As the stamp is spelled, which is beside the links' folder. */
    const struct str stamp = d->target->depfile_target;
    add_spelled(&d->text, str_slice(stamp, 0, stamp.len - strlen(".stamp")));
    buf_add_c(&d->text, ".inputs/");
    buf_add(&d->text, name);
}

/* Links to what is read no more. */
static void remove_others(const struct depfile *d)
{
    DIR *dir = opendir(d->folder.ptr);
    if (dir == NULL) {
        return;
    }
    for (const struct dirent *item = readdir(dir); item != NULL; item = readdir(dir)) {
        if (item->d_name[0] != '.' && !map_has(&d->links, str_from(item->d_name))) {
            (void)unlinkat(dirfd(dir), item->d_name, 0);
        }
    }
    (void)closedir(dir);
    if (d->links.count == 0) {
        (void)rmdir(d->folder.ptr);
    }
}

bool target_write_depfile(struct arena *a, const struct cli_target *t,
                          const struct py_input *inputs, size_t count, const struct vec *folders,
                          struct error *e)
{
    struct depfile d = {.arena = a, .target = t, .folder = target_file(a, t, ".inputs")};
    bool changed;
    buf_init(&d.text, a);
    map_init(&d.links, a);
    add_spelled(&d.text, t->depfile_target);
    buf_add_char(&d.text, ':');
    for (size_t i = 0; i < count; i++) {
        /* A path that was looked for in vain is no input: a build tool would run us for ever. */
        if (inputs[i].stamp.exists) {
            add_input(&d, inputs[i].path);
        }
    }
    for (size_t i = 0; i < folders->count; i++) {
        add_input(&d, *(const struct str *)folders->items[i]);
    }
    for (size_t i = 0; i < t->extra_inputs.count; i++) {
        add_input(&d, *(const struct str *)t->extra_inputs.items[i]);
    }
    buf_add_char(&d.text, '\n');
    remove_others(&d);
    return file_write_if_changed(target_file(a, t, ".d").ptr, buf_str(&d.text), &changed, e);
}
