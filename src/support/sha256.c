/*
 * OpenSSL's SHA256_* functions rather than EVP: the same code computes the digest, but EVP first
 * loads OpenSSL's providers and configuration, which takes 1 ms, as long as all the rest of a
 * launcher's hit. They are deprecated in favour of EVP, not removed; EVP is used without them.
 */
#define OPENSSL_API_COMPAT 0x10100000L
#include "support/private.h"

#include <openssl/opensslconf.h>
#if defined(OPENSSL_NO_DEPRECATED_3_0)
#include <openssl/evp.h>
#else
#include <openssl/sha.h>
#endif
#include <string.h>

#if defined(OPENSSL_NO_DEPRECATED_3_0)

struct sha256_ctx {
    EVP_MD_CTX *md;
    bool failed;
};

static bool start(struct sha256_ctx *c)
{
    c->failed = false;
    c->md = EVP_MD_CTX_new();
    if (c->md != NULL && EVP_DigestInit_ex(c->md, EVP_sha256(), NULL) == 1) {
        return true;
    }
    EVP_MD_CTX_free(c->md);
    return false;
}

void sha256_add(struct sha256_ctx *c, const void *bytes, size_t len)
{
    if (len > 0 && EVP_DigestUpdate(c->md, bytes, len) != 1) {
        c->failed = true;
    }
}

bool sha256_end(struct sha256_ctx *c, struct sha256 *out)
{
    const bool done = !c->failed && EVP_DigestFinal_ex(c->md, out->bytes, NULL) == 1;
    EVP_MD_CTX_free(c->md);
    c->md = NULL;
    c->failed = true;
    return done;
}

#else

struct sha256_ctx {
    SHA256_CTX state;
    bool failed;
};

static bool start(struct sha256_ctx *c)
{
    c->failed = false;
    return SHA256_Init(&c->state) == 1;
}

void sha256_add(struct sha256_ctx *c, const void *bytes, size_t len)
{
    if (len > 0 && SHA256_Update(&c->state, bytes, len) != 1) {
        c->failed = true;
    }
}

bool sha256_end(struct sha256_ctx *c, struct sha256 *out)
{
    const bool done = !c->failed && SHA256_Final(out->bytes, &c->state) == 1;
    c->failed = true;
    return done;
}

#endif

struct sha256_ctx *sha256_begin(struct arena *a)
{
    struct sha256_ctx *c = ARENA_NEW(a, struct sha256_ctx);
    return start(c) ? c : NULL;
}

bool sha256_of(struct str s, struct sha256 *out)
{
    struct sha256_ctx c;
    if (!start(&c)) {
        return false;
    }
    sha256_add(&c, s.ptr, s.len);
    return sha256_end(&c, out);
}

void sha256_add_str(struct sha256_ctx *c, struct str s)
{
    uint8_t len[8];
    for (int i = 0; i < 8; i++) {
        len[i] = (uint8_t)((uint64_t)s.len >> (8 * i));
    }
    sha256_add(c, len, sizeof(len));
    sha256_add(c, s.ptr, s.len);
}

struct str sha256_hex(struct arena *a, const struct sha256 *h)
{
    static const char digits[] = "0123456789abcdef";
    char *p = arena_alloc(a, SHA256_HEX_LEN + 1);
    for (size_t i = 0; i < sizeof(h->bytes); i++) {
        p[2 * i] = digits[h->bytes[i] >> 4];
        p[2 * i + 1] = digits[h->bytes[i] & 15];
    }
    return (struct str){p, SHA256_HEX_LEN};
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

bool sha256_from_hex(struct str hex, struct sha256 *out)
{
    if (hex.len != SHA256_HEX_LEN) {
        return false;
    }
    for (size_t i = 0; i < sizeof(out->bytes); i++) {
        const int high = digit_of(hex.ptr[2 * i]);
        const int low = digit_of(hex.ptr[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out->bytes[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

bool sha256_equal(const struct sha256 *a, const struct sha256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}
