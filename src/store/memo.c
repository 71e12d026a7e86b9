/*
 * Small files that only speed things up: content, then a line with its digest.
 */
#include "store/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was not used for so long is removed by a gc. */
#define KEPT_DAYS 60
#define DAY ((time_t)24 * 60 * 60)
#define MEMO_MAX ((size_t)16 * 1024 * 1024)

static struct str memo_path(struct store *s, struct arena *a, const char *kind,
                            const struct sha256 *name)
{
    return str_format(a, "%s/%s/%s", s->dir.ptr, kind, sha256_hex(a, name).ptr);
}

/* Says, at most once a day, that a file is still of use. */
static void note_use(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && st.st_mtim.tv_sec + DAY < store_now()) {
        (void)utimensat(AT_FDCWD, path, NULL, 0);
    }
}

void memo_clean(struct store *s, const char *kind)
{
    const struct str path = store_path(s, s->arena, kind);
    DIR *dir = opendir(path.ptr);
    if (dir == NULL) {
        return;
    }
    for (const struct dirent *item = readdir(dir); item != NULL; item = readdir(dir)) {
        struct stat st;
        if (item->d_name[0] != '.' &&
            fstatat(dirfd(dir), item->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            st.st_mtim.tv_sec + KEPT_DAYS * DAY < store_now()) {
            (void)unlinkat(dirfd(dir), item->d_name, 0);
        }
    }
    (void)closedir(dir);
}

bool store_memo_get(struct store *s, struct arena *a, const char *kind, const struct sha256 *name,
                    struct str *out)
{
    struct str text;
    struct error e;
    const struct str path = memo_path(s, a, kind, name);
    if (!file_read(a, path.ptr, MEMO_MAX, &text, &e) || text.len < SHA256_HEX_LEN + 1 ||
        text.ptr[text.len - 1] != '\n') {
        return false;
    }
    *out = str_slice(text, 0, text.len - SHA256_HEX_LEN - 1);
    struct sha256 said;
    struct sha256 is;
    if (!sha256_from_hex(str_slice(text, out->len, text.len - 1), &said) || !sha256_of(*out, &is) ||
        !sha256_equal(&said, &is)) {
        return false;
    }
    note_use(path.ptr);
    return true;
}

void store_memo_put(struct store *s, struct arena *a, const char *kind, const struct sha256 *name,
                    struct str content)
{
    struct sha256 digest;
    if (content.len > MEMO_MAX / 2 || !sha256_of(content, &digest)) {
        return;
    }
    struct buf b;
    buf_init(&b, a);
    buf_add(&b, content);
    buf_add(&b, sha256_hex(a, &digest));
    buf_add_char(&b, '\n');
    (void)mkdir(store_path(s, a, kind).ptr, 0700);
    struct error e;
    (void)file_write(memo_path(s, a, kind, name).ptr, buf_str(&b), false, &e);
}
