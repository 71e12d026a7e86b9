/* value_repr: a constant as Python's repr() prints it (text beyond ASCII escaped, as ascii()). */
#include "python/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "python/unicode.h"

/* The shortest decimal digits that read back as `x`; *point: the decimal point's place in them. */
static void shortest_digits(double x, char digits[32], int *point)
{
    char text[40];
    for (int precision = 0; precision < 17; precision++) {
        (void)snprintf(text, sizeof(text), "%.*e", precision, x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    size_t count = 0;
    const char *c = text;
    for (; *c != '\0' && *c != 'e'; c++) {
        if (*c >= '0' && *c <= '9' && count < 31) {
            digits[count++] = *c;
        }
    }
    digits[count] = '\0';
    *point = (*c == 'e' ? atoi(c + 1) : 0) + 1;
}

void value_repr_float(struct buf *out, double x, bool point_zero)
{
    if (isnan(x)) {
        buf_add_c(out, "nan");
        return;
    }
    if (signbit(x)) {
        buf_add_char(out, '-');
        x = -x;
    }
    if (isinf(x)) {
        buf_add_c(out, "inf");
        return;
    }
    char digits[32];
    int point = 0;
    shortest_digits(x, digits, &point);
    if (x == 0.0) {
        point = 1;
    }
    const int count = (int)strlen(digits);
    if (point > 16 || point < -3) {
        buf_add_char(out, digits[0]);
        if (count > 1) {
            buf_add_char(out, '.');
            buf_add_c(out, digits + 1);
        }
        buf_printf(out, "e%c%02d", point - 1 < 0 ? '-' : '+', abs(point - 1));
        return;
    }
    if (point <= 0) {
        buf_add_c(out, "0.");
        for (int i = point; i < 0; i++) {
            buf_add_char(out, '0');
        }
        buf_add_c(out, digits);
        return;
    }
    for (int i = 0; i < point; i++) {
        buf_add_char(out, i < count ? digits[i] : '0');
    }
    if (count > point) {
        buf_add_char(out, '.');
        buf_add_c(out, digits + point);
    } else if (point_zero) {
        buf_add_c(out, ".0");
    }
}

/* The decimal digits of a prefixed literal too big for the machine, by schoolbook division. */
static void add_big_integer(struct buf *out, struct str text)
{
    const bool prefixed = text.len > 2 && text.ptr[0] == '0' && strchr("xob", text.ptr[1]) != NULL;
    if (!prefixed) {
        size_t skip = 0;
        while (skip + 1 < text.len && text.ptr[skip] == '0') {
            skip++;
        }
        buf_add(out, str_slice(text, skip, text.len));
        return;
    }
    const unsigned bits = text.ptr[1] == 'x' ? 4 : text.ptr[1] == 'o' ? 3 : 1;
    /* little endian, nine decimal digits a limb */
    const size_t limbs = (text.len * bits) / 29 + 2;
    uint32_t *limb = ARENA_ARRAY(out->arena, uint32_t, limbs);
    size_t used = 1;
    for (size_t i = 2; i < text.len; i++) {
        const char c = text.ptr[i];
        uint64_t carry = (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        for (size_t j = 0; j < used; j++) {
            const uint64_t value = ((uint64_t)limb[j] << bits) + carry;
            limb[j] = (uint32_t)(value % 1000000000);
            carry = value / 1000000000;
        }
        if (carry > 0 && used < limbs) {
            limb[used++] = (uint32_t)carry;
        }
    }
    buf_printf(out, "%u", (unsigned)limb[used - 1]);
    for (size_t j = used - 1; j > 0; j--) {
        buf_printf(out, "%09u", (unsigned)limb[j - 1]);
    }
}

void value_repr_integer(struct buf *out, py_int128 value)
{
    char digits[48];
    size_t at = sizeof(digits);
    value_uint128 rest = value < 0 ? -(value_uint128)value : (value_uint128)value;
    do {
        digits[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        buf_add_char(out, '-');
    }
    buf_add_bytes(out, digits + at, sizeof(digits) - at);
}

/* Like unicode_next, but a surrogate (kept as three bytes) is a code point too. */
static uint32_t next_code(struct str s, size_t *at)
{
    uint32_t code = 0;
    if (unicode_next(s, at, &code)) {
        return code;
    }
    const unsigned char *p = (const unsigned char *)s.ptr + *at;
    if (s.len - *at >= 3 && p[0] == 0xED) {
        *at += 3;
        return 0xD000U | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    }
    (*at)++;
    return p[0];
}

void value_repr_text(struct buf *out, struct str text, bool bytes)
{
    bool single = false;
    bool twice = false;
    for (size_t i = 0; i < text.len; i++) {
        single = single || text.ptr[i] == '\'';
        twice = twice || text.ptr[i] == '"';
    }
    const char quote = single && !twice ? '"' : '\'';
    buf_add_char(out, quote);
    for (size_t i = 0; i < text.len;) {
        const uint32_t code = bytes ? (unsigned char)text.ptr[i++] : next_code(text, &i);
        if (code == (uint32_t)quote || code == '\\') {
            buf_add_char(out, '\\');
            buf_add_char(out, (char)code);
        } else if (code == '\n' || code == '\r' || code == '\t') {
            buf_add_c(out, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
        } else if (code >= 0x20 && code < 0x7F) {
            buf_add_char(out, (char)code);
        } else if (code < 0x100) {
            buf_printf(out, "\\x%02x", (unsigned)code);
        } else if (code < 0x10000) {
            buf_printf(out, "\\u%04x", (unsigned)code);
        } else {
            buf_printf(out, "\\U%08x", (unsigned)code);
        }
    }
    buf_add_char(out, quote);
}

void value_repr(struct buf *out, const struct py_value *value)
{
    switch (value->kind) {
    case PY_VALUE_NONE: buf_add_c(out, "None"); break;
    case PY_VALUE_ELLIPSIS: buf_add_c(out, "Ellipsis"); break;
    case PY_VALUE_BOOL: buf_add_c(out, value->boolean ? "True" : "False"); break;
    case PY_VALUE_INT:
        if (value->too_big) {
            add_big_integer(out, value->text);
        } else {
            value_repr_integer(out, value->integer);
        }
        break;
    case PY_VALUE_FLOAT: value_repr_float(out, value->number, true); break;
    case PY_VALUE_COMPLEX:
        value_repr_float(out, value->number, false);
        buf_add_char(out, 'j');
        break;
    case PY_VALUE_STR: value_repr_text(out, value->text, false); break;
    case PY_VALUE_BYTES:
        buf_add_char(out, 'b');
        value_repr_text(out, value->text, true);
        break;
    case PY_VALUE_TUPLE:
        buf_add_char(out, '(');
        for (size_t i = 0; i < value->item_count; i++) {
            buf_add_c(out, i > 0 ? ", " : "");
            value_repr(out, &value->items[i]);
        }
        buf_add_c(out, value->item_count == 1 ? ",)" : ")");
        break;
    }
}
