/* literal: the text of a number or of a string's body to its value, by CPython's rules. */
#include "python/syntax.h"

#include <stdlib.h>
#include <string.h>

#include "python/value.h"

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return 99;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits of `base` with single '_' between them from `at`; they go to `digits`.
 * False: an underscore that is doubled, leads nothing, or no digit at all. */
static bool read_digits(struct str text, size_t *at, int base, bool may_lead_underscore,
                        struct buf *digits)
{
    bool any = false;
    bool after_digit = may_lead_underscore;
    size_t i = *at;
    for (; i < text.len; i++) {
        if (text.ptr[i] == '_') {
            if (!after_digit) {
                return false;
            }
            after_digit = false;
        } else if (digit_value(text.ptr[i]) < base) {
            buf_add_char(digits, text.ptr[i]);
            after_digit = true;
            any = true;
        } else {
            break;
        }
    }
    *at = i;
    return any && after_digit;
}

static void set_integer(struct py_value *out, struct str digits, int base)
{
    const value_uint128 limit = ~(value_uint128)0 >> 1;
    value_uint128 value = 0;
    out->kind = PY_VALUE_INT;
    for (size_t i = 0; i < digits.len; i++) {
        const unsigned digit = (unsigned)digit_value(digits.ptr[i]);
        if (value > (limit - digit) / (unsigned)base) {
            out->too_big = true;
            return;
        }
        value = value * (unsigned)base + digit;
    }
    out->integer = (py_int128)value;
}

static const char *prefixed_integer(struct arena *a, struct str text, struct py_value *out)
{
    const char kind = (char)(text.ptr[1] | 0x20);
    const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : 2;
    struct buf digits;
    buf_init(&digits, a);
    buf_add_char(&digits, '0');
    buf_add_char(&digits, kind);
    size_t at = 2;
    if (!read_digits(text, &at, base, true, &digits) || at != text.len) {
        return base == 16  ? "invalid hexadecimal literal"
               : base == 8 ? "invalid octal literal"
                           : "invalid binary literal";
    }
    out->text = buf_str(&digits);
    set_integer(out, str_slice(out->text, 2, out->text.len), base);
    return NULL;
}

static const char *decimal_integer(struct str digits, struct py_value *out)
{
    if (digits.ptr[0] == '0') {
        for (size_t i = 0; i < digits.len; i++) {
            if (digits.ptr[i] != '0') {
                return "leading zeros in decimal integer literals are not permitted; use an 0o "
                       "prefix for octal integers";
            }
        }
    }
    if (digits.len > 4300) {
        return "Exceeds the limit (4300 digits) for integer string conversion";
    }
    out->text = digits;
    set_integer(out, digits, 10);
    return NULL;
}

const char *literal_number(struct arena *a, struct str text, struct py_value *out)
{
    *out = (struct py_value){0};
    if (text.len > 1 && text.ptr[0] == '0' && strchr("xXoObB", text.ptr[1]) != NULL) {
        return prefixed_integer(a, text, out);
    }
    static const char *const invalid = "invalid decimal literal";
    struct buf digits;
    buf_init(&digits, a);
    size_t at = 0;
    bool is_float = false;
    const bool starts_with_digit = text.len > 0 && is_digit(text.ptr[0]);
    if (starts_with_digit && !read_digits(text, &at, 10, false, &digits)) {
        return invalid;
    }
    if (at < text.len && text.ptr[at] == '.') {
        is_float = true;
        buf_add_char(&digits, '.');
        at++;
        const bool has_fraction = at < text.len && is_digit(text.ptr[at]);
        if (has_fraction ? !read_digits(text, &at, 10, false, &digits) : !starts_with_digit) {
            return invalid;
        }
    }
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        is_float = true;
        buf_add_char(&digits, 'e');
        at++;
        if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-')) {
            buf_add_char(&digits, text.ptr[at++]);
        }
        if (!read_digits(text, &at, 10, false, &digits)) {
            return invalid;
        }
    }
    const bool imaginary = at < text.len && (text.ptr[at] == 'j' || text.ptr[at] == 'J');
    at += imaginary ? 1 : 0;
    if (at != text.len) {
        return invalid;
    }
    if (!is_float && !imaginary) {
        return decimal_integer(buf_str(&digits), out);
    }
    /* The program never leaves the C locale, in which strtod is exact and reads '.'. */
    out->kind = imaginary ? PY_VALUE_COMPLEX : PY_VALUE_FLOAT;
    out->text = buf_str(&digits);
    out->number = strtod(out->text.ptr, NULL);
    return NULL;
}

void literal_utf8(struct buf *out, uint32_t code)
{
    if (code < 0x80) {
        buf_add_char(out, (char)code);
    } else if (code < 0x800) {
        buf_add_char(out, (char)(0xC0 | code >> 6));
        buf_add_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        buf_add_char(out, (char)(0xE0 | code >> 12));
        buf_add_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code & 0x3F)));
    } else {
        buf_add_char(out, (char)(0xF0 | code >> 18));
        buf_add_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code & 0x3F)));
    }
}

static void add_unit(struct buf *out, uint32_t code, bool bytes)
{
    if (bytes) {
        buf_add_char(out, (char)(code & 0xFF));
    } else {
        literal_utf8(out, code);
    }
}

/* Exactly `count` hexadecimal digits after the escape's letter at `*at`. */
static bool hex_escape(struct str body, size_t *at, size_t count, uint32_t *code)
{
    *code = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t position = *at + 1 + i;
        if (position >= body.len || digit_value(body.ptr[position]) > 15) {
            return false;
        }
        *code = *code << 4 | (uint32_t)digit_value(body.ptr[position]);
    }
    *at += count;
    return true;
}

static char simple_escape(char c)
{
    switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '\'':
    case '"': return c;
    default: return 0;
    }
}

/* The escape at body[*at] (its letter). Leaves *at on the escape's last byte. */
static const char *escape(struct buf *out, struct str body, size_t *at, bool bytes)
{
    const char c = body.ptr[*at];
    const char simple = simple_escape(c);
    uint32_t code = 0;
    if (simple != 0) {
        buf_add_char(out, simple);
    } else if (c == '\n') {
        return NULL; /* a line joined to the next */
    } else if (c >= '0' && c <= '7') {
        size_t i = *at;
        for (; i < body.len && i < *at + 3 && body.ptr[i] >= '0' && body.ptr[i] <= '7'; i++) {
            code = code << 3 | (uint32_t)(body.ptr[i] - '0');
        }
        *at = i - 1;
        add_unit(out, code, bytes);
    } else if (c == 'x') {
        if (!hex_escape(body, at, 2, &code)) {
            return bytes ? "(value error) invalid \\x escape" : "truncated \\xXX escape";
        }
        add_unit(out, code, bytes);
    } else if (!bytes && (c == 'u' || c == 'U')) {
        if (!hex_escape(body, at, c == 'u' ? 4 : 8, &code)) {
            return c == 'u' ? "truncated \\uXXXX escape" : "truncated \\UXXXXXXXX escape";
        }
        if (code > 0x10FFFF) {
            return "illegal Unicode character";
        }
        literal_utf8(out, code);
    } else if (!bytes && c == 'N') {
        const size_t open = *at + 1;
        size_t close = open;
        while (close < body.len && body.ptr[close] != '}') {
            close++;
        }
        if (open >= body.len || body.ptr[open] != '{' || close == body.len || close == open + 1) {
            return "malformed \\N character escape";
        }
        /* The name stays as it is written: a character's name is not looked up. */
        buf_add_char(out, '\\');
        buf_add(out, str_slice(body, *at, close + 1));
        *at = close;
    } else {
        buf_add_char(out, '\\'); /* not an escape: CPython keeps both, with a warning */
        buf_add_char(out, c);
    }
    return NULL;
}

const char *literal_string(struct buf *out, struct str body, bool raw, bool bytes)
{
    for (size_t i = 0; i < body.len; i++) {
        const char c = body.ptr[i];
        if (bytes && (unsigned char)c >= 0x80) {
            return "bytes can only contain ASCII literal characters";
        }
        if (c != '\\' || raw) {
            buf_add_char(out, c);
            continue;
        }
        if (++i == body.len) {
            return "unterminated string literal";
        }
        if (bytes && (unsigned char)body.ptr[i] >= 0x80) {
            return "bytes can only contain ASCII literal characters";
        }
        const size_t start = i - 1;
        const char *problem = escape(out, body, &i, bytes);
        if (problem != NULL && bytes) {
            return problem;
        }
        if (problem != NULL) {
            size_t end = i;
            while (end + 1 < body.len && digit_value(body.ptr[end + 1]) < 16) {
                end++;
            }
            return str_format(out->arena,
                              "(unicode error) 'unicodeescape' codec can't decode bytes in "
                              "position %zu-%zu: %s",
                              start, end, problem)
                .ptr;
        }
    }
    return NULL;
}
