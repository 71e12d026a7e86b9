/*
 * Small files that only speed things up: content, then a line with its digest.
 */
#include "store/private.h"

#include <errno.h>
#include <sys/stat.h>

#define MEMO_MAX ((size_t)16 * 1024 * 1024)

static struct str memo_path(struct store *s, struct arena *a, const char *kind,
                            const struct sha256 *name)
{
    return str_format(a, "%s/%s/%s", s->dir.ptr, kind, sha256_hex(a, name).ptr);
}

bool store_memo_get(struct store *s, struct arena *a, const char *kind, const struct sha256 *name,
                    struct str *out)
{
    struct str text;
    struct error e;
    if (!file_read(a, memo_path(s, a, kind, name).ptr, MEMO_MAX, &text, &e) ||
        text.len < SHA256_HEX_LEN + 1 || text.ptr[text.len - 1] != '\n') {
        return false;
    }
    *out = str_slice(text, 0, text.len - SHA256_HEX_LEN - 1);
    struct sha256 said;
    struct sha256 is;
    return sha256_from_hex(str_slice(text, out->len, text.len - 1), &said) &&
           sha256_of(*out, &is) && sha256_equal(&said, &is);
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
