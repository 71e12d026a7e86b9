/* C++ identifiers for Python's names. */
#include "kernel/emit.h"
#include "kernel/emit_words.h"

#include <string.h>

/* Letters that every compiler takes as they are: Latin, Greek, Cyrillic, kana, CJK, Hangul. */
static bool is_plain_letter(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0xC0, 0xD6},   {0xD8, 0xF6},     {0xF8, 0x24F},    {0x391, 0x3A1},   {0x3A3, 0x3C9},
        {0x400, 0x481}, {0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (c >= ranges[i][0] && c <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

static uint32_t next_letter(struct str s, size_t *at)
{
    const unsigned char *p = (const unsigned char *)s.ptr + *at;
    const size_t left = s.len - *at;
    uint32_t c = p[0];
    size_t len = 1;
    if (c >= 0xF0 && left >= 4) {
        c = (c & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
        len = 4;
    } else if (c >= 0xE0 && left >= 3) {
        c = (c & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
        len = 3;
    } else if (c >= 0xC0 && left >= 2) {
        c = (c & 31) << 6 | (p[1] & 63);
        len = 2;
    }
    *at += len;
    return c;
}

static bool is_word_char(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "_u" followed by hexadecimal digits and "_": what an escaped letter looks like. */
static bool looks_escaped(struct str s, size_t at)
{
    if (at + 2 >= s.len || s.ptr[at] != '_' || s.ptr[at + 1] != 'u') {
        return false;
    }
    size_t end = at + 2;
    while (end < s.len && strchr("0123456789ABCDEF", s.ptr[end]) && s.ptr[end] != '\0') {
        end++;
    }
    return end > at + 2 && end < s.len && s.ptr[end] == '_';
}

/* Letters outside of C++'s reach become _uHEX_. */
static struct str spelled(struct arena *a, struct str name)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t at = 0; at < name.len;) {
        const size_t start = at;
        const bool escaped = looks_escaped(name, at);
        const uint32_t c = next_letter(name, &at);
        if (!escaped && (is_word_char(c) || is_plain_letter(c))) {
            buf_add(&b, str_slice(name, start, at));
        } else {
            buf_printf(&b, "_u%X_", (unsigned)c);
        }
    }
    return buf_str(&b);
}

struct str cpp_identifier(struct arena *a, struct str python_name)
{
    const struct str name = spelled(a, python_name);
    /* _X and __ at the beginning belong to the compiler. */
    const bool compilers = name.len >= 2 && name.ptr[0] == '_' &&
                           (name.ptr[1] == '_' || (name.ptr[1] >= 'A' && name.ptr[1] <= 'Z'));
    if (compilers || name.len == 0 || name.ptr[name.len - 1] == '_' || emit_is_reserved(name)) {
        return str_format(a, STR_FMT "_", STR_ARG(name));
    }
    return str_copy(a, name);
}

struct str cpp_namespace(struct arena *a, struct str python_name)
{
    const struct str name = cpp_identifier(a, python_name);
    return emit_is_library_name(name) ? str_format(a, STR_FMT "_", STR_ARG(name)) : name;
}

/* Underscores that could be taken for the separator "__" or touch it become "_0". */
static void add_part(struct arena *a, struct buf *b, struct str python_name)
{
    const struct str name = spelled(a, python_name);
    for (size_t i = 0; i < name.len; i++) {
        const char next = i + 1 < name.len ? name.ptr[i + 1] : '_';
        const bool first = i == 0 || name.ptr[i - 1] == '_';
        buf_add_char(b, name.ptr[i]);
        if (name.ptr[i] == '_' && (first || next == '_' || next == '0')) {
            buf_add_char(b, '0');
        }
    }
}

struct str kernel_symbol(struct arena *a, const struct kernel *k)
{
    struct buf b;
    buf_init(&b, a);
    if (k->class_name.len > 0) {
        add_part(a, &b, k->class_name);
        buf_add_c(&b, "__");
    }
    add_part(a, &b, k->name);
    if (k->instance.len > 0) {
        /* No name begins with a digit. */
        buf_add_c(&b, "__0");
        add_part(a, &b, k->instance);
    }
    return buf_str(&b);
}

struct str emit_fresh_name(struct emit *e, struct str wanted)
{
    struct str name = wanted;
    for (int n = 2; map_has(&e->taken, name) || map_has(&e->taken_globally, name); n++) {
        name = str_format(e->arena, STR_FMT "_%d", STR_ARG(wanted), n);
    }
    map_set(&e->taken, name, &e->taken);
    map_set(&e->all_names, name, &e->all_names);
    return name;
}

struct str emit_take_name(struct emit *e, struct str wanted)
{
    struct str name = wanted;
    for (int n = 2; map_has(&e->all_names, name) || map_get(&e->active_names, name); n++) {
        name = str_format(e->arena, STR_FMT "_%d", STR_ARG(wanted), n);
    }
    map_set(&e->active_names, name, e);
    return name;
}

void emit_release_name(struct emit *e, struct str name)
{
    if (name.len > 0) {
        map_set(&e->active_names, name, NULL);
    }
}
