#include "support/private.h"

uint32_t utf8_decode(const char *p, size_t len, size_t *size, bool *valid)
{
    const unsigned char *s = (const unsigned char *)p;
    *size = 1;
    *valid = true;
    if (s[0] < 0x80) {
        return s[0];
    }
    size_t more = 0;
    uint32_t point = 0;
    uint32_t least = 0;
    if ((s[0] & 0xE0U) == 0xC0U) {
        more = 1;
        point = s[0] & 0x1FU;
        least = 0x80;
    } else if ((s[0] & 0xF0U) == 0xE0U) {
        more = 2;
        point = s[0] & 0x0FU;
        least = 0x800;
    } else if ((s[0] & 0xF8U) == 0xF0U) {
        more = 3;
        point = s[0] & 0x07U;
        least = 0x10000;
    }
    if (more == 0 || more >= len) {
        *valid = false;
        return 0xFFFD;
    }
    for (size_t i = 1; i <= more; i++) {
        if ((s[i] & 0xC0U) != 0x80U) {
            *valid = false;
            return 0xFFFD;
        }
        point = (point << 6) | (s[i] & 0x3FU);
    }
    if (point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        *valid = false;
        return 0xFFFD;
    }
    *size = more + 1;
    return point;
}
