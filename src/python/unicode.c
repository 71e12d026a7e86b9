/* unicode: UTF-8, and names as CPython normalises them. */
#include "python/unicode.h"

#include "python/unicode_tables.h"

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

/* ---- tables --------------------------------------------------------------------------------- */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Is the code point in one of the sorted ranges? */
static bool in_ranges(uint32_t code, const uint32_t *ranges, size_t count)
{
    size_t low = 0;
    size_t high = count / 2;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code > ranges[2 * middle + 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count / 2 && code >= ranges[2 * low];
}

bool unicode_is_name_start(uint32_t code)
{
    return in_ranges(code, name_start_ranges, COUNT(name_start_ranges));
}

bool unicode_is_name_part(uint32_t code)
{
    return in_ranges(code, name_part_ranges, COUNT(name_part_ranges));
}

/* The first index whose item is not less than `key`. */
static size_t lower_bound(const uint32_t *table, size_t count, uint32_t key)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static unsigned combining_class(uint32_t code)
{
    const size_t at = lower_bound(combining_classes, COUNT(combining_classes), code << 8);
    if (at == COUNT(combining_classes) || combining_classes[at] >> 8 != code) {
        return 0;
    }
    return combining_classes[at] & 0xFF;
}

/* ---- Normalization Form KC ------------------------------------------------------------------ */

/* The arithmetic of Hangul syllables, by the Unicode Standard's names. */
enum {
    S_BASE = 0xAC00,
    L_BASE = 0x1100,
    V_BASE = 0x1161,
    T_BASE = 0x11A7,
    L_COUNT = 19,
    V_COUNT = 21,
    T_COUNT = 28,
    S_COUNT = L_COUNT * V_COUNT * T_COUNT,
};

struct codes {
    uint32_t *items;
    size_t count;
};

static void decompose(struct codes *out, uint32_t code)
{
    if (code >= S_BASE && code < S_BASE + S_COUNT) {
        const uint32_t syllable = code - S_BASE;
        out->items[out->count++] = L_BASE + syllable / (V_COUNT * T_COUNT);
        out->items[out->count++] = V_BASE + syllable % (V_COUNT * T_COUNT) / T_COUNT;
        if (syllable % T_COUNT != 0) {
            out->items[out->count++] = T_BASE + syllable % T_COUNT;
        }
        return;
    }
    const size_t at = lower_bound(decomposed_codes, COUNT(decomposed_codes), code);
    if (code < 0x80 || at == COUNT(decomposed_codes) || decomposed_codes[at] != code) {
        out->items[out->count++] = code;
        return;
    }
    const uint32_t place = decomposed_places[at];
    for (uint32_t i = 0; i < (place & 31); i++) {
        out->items[out->count++] = decomposed_sequences[(place >> 5) + i];
    }
}

/* Combining marks in the order of their classes; equal ones keep theirs. */
static void reorder(struct codes *codes)
{
    for (size_t i = 1; i < codes->count; i++) {
        const uint32_t code = codes->items[i];
        const unsigned rank = combining_class(code);
        size_t at = i;
        while (rank != 0 && at > 0 && combining_class(codes->items[at - 1]) > rank) {
            codes->items[at] = codes->items[at - 1];
            at--;
        }
        codes->items[at] = code;
    }
}

/* What two code points compose to; 0: nothing. */
static uint32_t compose_pair(uint32_t first, uint32_t second)
{
    if (first >= L_BASE && first < L_BASE + L_COUNT && second >= V_BASE &&
        second < V_BASE + V_COUNT) {
        return S_BASE + ((first - L_BASE) * V_COUNT + (second - V_BASE)) * T_COUNT;
    }
    if (first >= S_BASE && first < S_BASE + S_COUNT && (first - S_BASE) % T_COUNT == 0 &&
        second > T_BASE && second < T_BASE + T_COUNT) {
        return first + (second - T_BASE);
    }
    size_t low = 0;
    size_t high = COUNT(compositions) / 3;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const uint32_t *item = compositions + 3 * middle;
        if (item[0] < first || (item[0] == first && item[1] < second)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint32_t *found = compositions + 3 * low;
    const bool is_there = low < COUNT(compositions) / 3 && found[0] == first && found[1] == second;
    return is_there ? found[2] : 0;
}

static void compose(struct codes *codes)
{
    size_t starter = SIZE_MAX; /* where the last code point of class 0 is */
    unsigned last_class = 0;
    size_t kept = 0;
    for (size_t i = 0; i < codes->count; i++) {
        const uint32_t code = codes->items[i];
        const unsigned rank = combining_class(code);
        const bool adjacent = starter != SIZE_MAX && kept == starter + 1;
        const bool blocked = !adjacent && last_class >= rank;
        if (starter != SIZE_MAX && !blocked) {
            const uint32_t both = compose_pair(codes->items[starter], code);
            if (both != 0) {
                codes->items[starter] = both;
                continue;
            }
        }
        if (rank == 0) {
            starter = kept;
        }
        last_class = rank;
        codes->items[kept++] = code;
    }
    codes->count = kept;
}

static void add_utf8(struct buf *out, uint32_t code)
{
    if (code < 0x80) {
        buf_add_char(out, (char)code);
        return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    buf_add_char(out, (char)(leads[more] | code >> (6 * more)));
    for (int i = more - 1; i >= 0; i--) {
        buf_add_char(out, (char)(0x80 | (code >> (6 * i) & 0x3F)));
    }
}

struct str unicode_nfkc(struct arena *a, struct str name)
{
    /* No decomposition is longer than 18 code points. */
    struct codes codes = {ARENA_ARRAY(a, uint32_t, name.len * 18), 0};
    for (size_t at = 0; at < name.len;) {
        uint32_t code = 0;
        if (!unicode_next(name, &at, &code)) {
            return name;
        }
        decompose(&codes, code);
    }
    reorder(&codes);
    compose(&codes);
    struct buf out;
    buf_init(&out, a);
    for (size_t i = 0; i < codes.count; i++) {
        add_utf8(&out, codes.items[i]);
    }
    return buf_str(&out);
}
