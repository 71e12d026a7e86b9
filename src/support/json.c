#include "support/private.h"

void json_string(struct buf *b, struct str s)
{
    buf_add_char(b, '"');
    for (size_t i = 0; i < s.len;) {
        size_t size = 0;
        bool valid = false;
        const uint32_t point = utf8_decode(s.ptr + i, s.len - i, &size, &valid);
        if (!valid) {
            buf_add_c(b, "\xEF\xBF\xBD");
        } else if (point == '"' || point == '\\') {
            buf_add_char(b, '\\');
            buf_add_char(b, (char)point);
        } else if (point == '\n') {
            buf_add_c(b, "\\n");
        } else if (point == '\t') {
            buf_add_c(b, "\\t");
        } else if (point < 0x20 || point == 0x7F) {
            buf_printf(b, "\\u%04x", (unsigned)point);
        } else {
            buf_add_bytes(b, s.ptr + i, size);
        }
        i += size;
    }
    buf_add_char(b, '"');
}
