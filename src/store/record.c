/*
 * An entry's record: lines of `name=value`, percent-encoded, ended by a digest of all before it.
 *
 *   pykokkos-cache record 1
 *   key=<hex>
 *   text=<hex>
 *   ast=<hex>                     left out where unknown
 *   signature=<hex>               left out where unknown
 *   module=… workunit=… types=… toolchain=…   a line each
 *   object=<hex>
 *   size=<decimal> compile_ms=<decimal> created=<decimal>   a line each
 *   part=<label>:<hex>:<text>     any number
 *   digest=<hex>
 *
 * Unknown names are skipped, so that a later version may add some.
 */
#include "store/private.h"

#include <string.h>

static const char header[] = "pykokkos-cache record ";
static const char first_line[] = "pykokkos-cache record 1\n";

static void add_encoded(struct buf *b, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x20 || c == 0x7F || c == '%' || c == ':') {
            buf_printf(b, "%%%02x", (unsigned)c);
        } else {
            buf_add_char(b, (char)c);
        }
    }
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

static bool decode(struct arena *a, struct str s, struct str *out)
{
    char *p = arena_alloc(a, s.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '%') {
            p[len++] = s.ptr[i];
            continue;
        }
        if (s.len - i < 3) {
            return false;
        }
        const int high = hex_digit(s.ptr[i + 1]);
        const int low = hex_digit(s.ptr[i + 2]);
        if (high < 0 || low < 0) {
            return false;
        }
        p[len++] = (char)(high * 16 + low);
        i += 2;
    }
    *out = (struct str){p, len};
    return true;
}

static void add_hash(struct buf *b, const char *name, const struct sha256 *h)
{
    buf_printf(b, "%s=", name);
    buf_add(b, sha256_hex(b->arena, h));
    buf_add_char(b, '\n');
}

static void add_text(struct buf *b, const char *name, struct str s)
{
    buf_printf(b, "%s=", name);
    add_encoded(b, s);
    buf_add_char(b, '\n');
}

struct str record_format(struct arena *a, const struct store_record *r)
{
    struct buf b;
    buf_init(&b, a);
    buf_add_c(&b, first_line);
    add_hash(&b, "key", &r->key);
    add_hash(&b, "text", &r->text_digest);
    if (r->has_ast_hash) {
        add_hash(&b, "ast", &r->ast_hash);
    }
    if (r->has_signature_hash) {
        add_hash(&b, "signature", &r->signature_hash);
    }
    add_text(&b, "module", r->module);
    add_text(&b, "workunit", r->workunit);
    add_text(&b, "types", r->types);
    add_text(&b, "toolchain", r->toolchain);
    add_hash(&b, "object", &r->object_digest);
    buf_printf(&b, "size=%llu\ncompile_ms=%lld\ncreated=%lld\n", (unsigned long long)r->size,
               (long long)r->compile_ms, (long long)r->created);
    for (size_t i = 0; i < r->part_count; i++) {
        const struct store_part *part = &r->parts[i];
        buf_add_c(&b, "part=");
        add_encoded(&b, part->label);
        buf_add_char(&b, ':');
        buf_add(&b, sha256_hex(a, &part->digest));
        buf_add_char(&b, ':');
        add_encoded(&b, part->text);
        buf_add_char(&b, '\n');
    }
    struct sha256 digest = {{0}};
    (void)sha256_of(buf_str(&b), &digest);
    add_hash(&b, "digest", &digest);
    return buf_str(&b);
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool parse_number(struct str s, uint64_t limit, uint64_t *out)
{
    uint64_t n = 0;
    if (s.len == 0) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
        const uint64_t digit = (uint64_t)(s.ptr[i] - '0');
        if (n > (limit - digit) / 10) {
            return false;
        }
        n = n * 10 + digit;
    }
    *out = n;
    return true;
}

static bool parse_time(struct str s, int64_t *out)
{
    uint64_t n = 0;
    if (!parse_number(s, INT64_MAX, &n)) {
        return false;
    }
    *out = (int64_t)n;
    return true;
}

/* The text up to the next `end`, which is skipped. False: there is no `end`. */
static bool take(struct str *rest, char end, struct str *out)
{
    const char *p = rest->len > 0 ? memchr(rest->ptr, end, rest->len) : NULL;
    if (p == NULL) {
        return false;
    }
    const size_t len = (size_t)(p - rest->ptr);
    *out = str_slice(*rest, 0, len);
    *rest = str_slice(*rest, len + 1, rest->len);
    return true;
}

static bool parse_part(struct arena *a, struct str value, struct vec *parts)
{
    struct store_part *part = ARENA_NEW(a, struct store_part);
    struct str label;
    struct str hex;
    if (!take(&value, ':', &label) || !take(&value, ':', &hex) ||
        !sha256_from_hex(hex, &part->digest) || !decode(a, label, &part->label) ||
        !decode(a, value, &part->text)) {
        return false;
    }
    vec_push(parts, part);
    return true;
}

enum field {
    FIELD_KEY = 1,
    FIELD_TEXT = 2,
    FIELD_OBJECT = 4,
    FIELD_SIZE = 8,
    FIELD_NEEDED = 15,
};

static bool parse_field(struct arena *a, struct str name, struct str value, struct store_record *r,
                        struct vec *parts, unsigned *seen)
{
    if (str_equal_c(name, "key")) {
        *seen |= FIELD_KEY;
        return sha256_from_hex(value, &r->key);
    }
    if (str_equal_c(name, "text")) {
        *seen |= FIELD_TEXT;
        return sha256_from_hex(value, &r->text_digest);
    }
    if (str_equal_c(name, "ast")) {
        r->has_ast_hash = true;
        return sha256_from_hex(value, &r->ast_hash);
    }
    if (str_equal_c(name, "signature")) {
        r->has_signature_hash = true;
        return sha256_from_hex(value, &r->signature_hash);
    }
    if (str_equal_c(name, "object")) {
        *seen |= FIELD_OBJECT;
        return sha256_from_hex(value, &r->object_digest);
    }
    if (str_equal_c(name, "size")) {
        *seen |= FIELD_SIZE;
        return parse_number(value, INT64_MAX, &r->size);
    }
    if (str_equal_c(name, "compile_ms")) {
        return parse_time(value, &r->compile_ms);
    }
    if (str_equal_c(name, "created")) {
        return parse_time(value, &r->created);
    }
    if (str_equal_c(name, "module")) {
        return decode(a, value, &r->module);
    }
    if (str_equal_c(name, "workunit")) {
        return decode(a, value, &r->workunit);
    }
    if (str_equal_c(name, "types")) {
        return decode(a, value, &r->types);
    }
    if (str_equal_c(name, "toolchain")) {
        return decode(a, value, &r->toolchain);
    }
    if (str_equal_c(name, "part")) {
        return parse_part(a, value, parts);
    }
    return true;
}

/* The text before the digest line, where the digest is right. */
static bool checked_body(struct str text, struct str *body)
{
    static const char name[] = "digest=";
    const size_t line = sizeof(name) - 1 + SHA256_HEX_LEN + 1;
    if (text.len < line || text.ptr[text.len - 1] != '\n') {
        return false;
    }
    *body = str_slice(text, 0, text.len - line);
    const struct str last = str_slice(text, text.len - line, text.len - 1);
    struct sha256 said;
    struct sha256 is;
    return str_starts_with(last, name) &&
           sha256_from_hex(str_slice(last, sizeof(name) - 1, last.len), &said) &&
           sha256_of(*body, &is) && sha256_equal(&said, &is);
}

enum record_parsed record_parse(struct arena *a, struct str text, struct store_record *record)
{
    *record = (struct store_record){
        .module = STR(""), .workunit = STR(""), .types = STR(""), .toolchain = STR("")};
    struct str rest;
    if (!checked_body(text, &rest)) {
        return RECORD_DAMAGED;
    }
    if (!str_starts_with(rest, first_line)) {
        return str_starts_with(rest, header) ? RECORD_NEWER : RECORD_DAMAGED;
    }
    rest = str_slice(rest, sizeof(first_line) - 1, rest.len);
    struct vec parts;
    vec_init(&parts, a);
    unsigned seen = 0;
    struct str value;
    while (take(&rest, '\n', &value)) {
        struct str name;
        if (!take(&value, '=', &name) || !parse_field(a, name, value, record, &parts, &seen)) {
            return RECORD_DAMAGED;
        }
    }
    if (rest.len > 0 || seen != FIELD_NEEDED) {
        return RECORD_DAMAGED;
    }
    struct store_part *list = ARENA_ARRAY(a, struct store_part, parts.count);
    for (size_t i = 0; i < parts.count; i++) {
        list[i] = *(const struct store_part *)parts.items[i];
    }
    record->parts = list;
    record->part_count = parts.count;
    return RECORD_GOOD;
}
