/*
 * Private to the direct*.c files: what is remembered of the headers of a dispatch TU.
 */
#ifndef PKC_LAUNCH_DIRECT_H
#define PKC_LAUNCH_DIRECT_H

#include "launch/private.h"

#include <sys/stat.h>

/* ---- direct_stamp.c ------------------------------------------------------------------------- */

/* Whether a file or folder is as it was, from stat() alone: its time of change, which any change
 * sets and no program can set back, and what tells it from another. */
struct stamp {
    uint64_t words[4];
    bool exists;
    bool settled; /* false: too new, a later change could leave it as it is; never to be trusted */
};

/* `now` (by the clock of files) was taken before `st` was, or before what it stands for was read.
 * NULL: there is nothing of that name. */
struct stamp stamp_of(const struct stat *st, const struct timespec *now);
/* To be asked of a stamp that is to be kept: other machines' changes may show late on a network
 * file system. */
void stamp_check_place(struct stamp *stamp, const char *path);
/* True where both are settled and the same. */
bool stamp_equal(const struct stamp *a, const struct stamp *b);
void stamp_format(struct buf *b, const struct stamp *stamp);
/* True where stamp_format would write `text` of a settled stamp_of(st, now). */
bool stamp_is(const struct stat *st, const struct timespec *now, struct str text);
bool stamp_parse(struct str text, struct stamp *stamp);
/* What the stamp of a file that is there tells it from others by. */
void stamp_place(const struct stamp *stamp, dev_t *device, ino_t *inode);
struct timespec stamp_now(void);

/* ---- direct_set.c --------------------------------------------------------------------------- */

struct header {
    struct str path;
    struct sha256 digest;
    struct stamp stamp; /* while it is this, the digest is that */
    dev_t device;       /* how it is now, once somebody has looked */
    ino_t inode;
};

/* A folder that was looked into. */
struct looked {
    struct str path;
    struct stamp stamp;
};

/* One where the compiler looks for headers, and what in it could take a header's place. */
struct folder {
    struct str path;
    struct sha256 others; /* of a list of them */
    bool has_others;
    struct vec looked; /* struct looked: while these are as they were, `others` is */
};

/* The headers of one compile. */
struct header_set {
    struct sha256 key;
    struct sha256 used; /* of all headers, and of what is around them */
    struct sha256 around;
    struct vec asks;    /* struct str: names that a __has_include asks for */
    struct vec aliases; /* struct str: macros that ask, while texts are read */
    struct vec headers; /* struct header */
    struct vec folders; /* struct folder, in the order in which they are looked at */
};

void set_init(struct arena *a, struct header_set *set);
void set_format(struct buf *b, const struct header_set *set);
/* Takes the next set off a kept text, whose bytes it changes. False at the end, or where the rest
 * is not of this form. */
bool set_parse(struct arena *a, struct str *rest, struct header_set *set);

/* ---- direct_around.c ------------------------------------------------------------------------ */

/* A digest of every other file that has the name of a header, or the end of its path, in any folder
 * where the compiler could look; and of where the names asked for are. All of them, in whatever
 * order the compiler would take them: so its rules of precedence need not be known here.
 *
 * Each header's `device` and `inode` are set. `set->folders` are those of an earlier look: one that
 * is as it was is not looked into again. Afterwards they are as now; `*gained` is raised by the
 * number of those that were looked into and need not be the next time. */
bool direct_around(struct arena *a, const struct job *job, struct header_set *set,
                   struct sha256 *out, size_t *gained);
/* The folders where the compiler looks whatever headers it uses, in the order in which they are
 * looked at. */
void direct_fixed_folders(struct arena *a, const struct job *job, struct map *folders);

/* ---- direct_same.c -------------------------------------------------------------------------- */

enum direct_sameness {
    DIRECT_OTHER,        /* a header has changed */
    DIRECT_SAME_HEADERS, /* none has; a folder has */
    DIRECT_SAME,
};

/* What has changed since the first set in a kept text was. DIRECT_SAME: `key` is the one that it
 * was kept for, and job->headers are its headers (in `text`). The text stays as it is. */
enum direct_sameness direct_same(struct arena *a, struct job *job, struct str text,
                                 struct sha256 *key);

/* ---- direct.c ------------------------------------------------------------------------------- */

/* The key of a base key and what digests all headers. */
bool direct_key(struct arena *a, const struct sha256 *base, const struct sha256 *used,
                struct sha256 *key);

/* ---- direct_text.c -------------------------------------------------------------------------- */

/* Notes what a text asks for. False: it makes its object depend on more than texts and names. */
bool direct_check_text(struct header_set *set, struct str path, struct str text, struct error *e);

#endif
