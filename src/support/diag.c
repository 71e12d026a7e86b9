#include "support/private.h"

#include <stdlib.h>
#include <string.h>

void diags_init(struct diags *d, struct arena *a)
{
    *d = (struct diags){.arena = a};
}

void diags_add(struct diags *d, struct diag diag)
{
    if (d->count == d->cap) {
        const size_t cap = d->cap == 0 ? 8 : d->cap * 2;
        if (cap > SIZE_MAX / (4 * sizeof(*d->items))) {
            arena_out_of_memory(d->arena);
        }
        d->items =
            arena_extend(d->arena, d->items, d->cap * sizeof(*d->items), cap * sizeof(*d->items));
        d->cap = cap;
    }
    d->items[d->count++] = diag;
    if (diag.severity == DIAG_ERROR) {
        d->error_count++;
    }
}

/* ---- order ---------------------------------------------------------------------------------- */

/* A diagnostic and the notes that were added after it: they stay together. */
struct group {
    const struct diag *items;
    size_t count;
    size_t file_rank;
};

static int compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left;
    const struct group *b = right;
    int order = compare_numbers(a->file_rank, b->file_rank);
    if (order == 0) {
        order = (a->items->line > b->items->line) - (a->items->line < b->items->line);
    }
    if (order == 0) {
        order = (a->items->column > b->items->column) - (a->items->column < b->items->column);
    }
    if (order == 0) {
        order = (a->items > b->items) - (a->items < b->items); /* as they were added */
    }
    return order;
}

static bool diag_equal(const struct diag *a, const struct diag *b)
{
    return a->severity == b->severity && a->line == b->line && a->column == b->column &&
           a->end_column == b->end_column && str_equal(a->file, b->file) &&
           str_equal(a->message, b->message) && str_equal(a->hint, b->hint) &&
           str_equal(a->source_line, b->source_line) && str_equal(a->scope, b->scope);
}

static bool group_equal(const struct group *a, const struct group *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!diag_equal(&a->items[i], &b->items[i])) {
            return false;
        }
    }
    return true;
}

/* True where a group at the same place before `index` says the same. */
static bool is_repeat(const struct group *groups, size_t index)
{
    for (size_t i = index; i-- > 0;) {
        if (groups[i].file_rank != groups[index].file_rank ||
            groups[i].items->line != groups[index].items->line ||
            groups[i].items->column != groups[index].items->column) {
            return false;
        }
        if (group_equal(&groups[i], &groups[index])) {
            return true;
        }
    }
    return false;
}

void diags_sort(struct diags *d)
{
    if (d->count == 0) {
        return;
    }
    struct group *groups = ARENA_ARRAY(d->arena, struct group, d->count);
    size_t group_count = 0;
    struct map ranks;
    map_init(&ranks, d->arena);
    for (size_t i = 0; i < d->count; i++) {
        const struct diag *item = &d->items[i];
        if (item->severity == DIAG_NOTE && group_count > 0) {
            groups[group_count - 1].count++;
            continue;
        }
        if (!map_has(&ranks, item->file)) {
            size_t *rank = ARENA_NEW(d->arena, size_t);
            *rank = ranks.count;
            map_set(&ranks, item->file, rank);
        }
        const size_t *rank = map_get(&ranks, item->file);
        groups[group_count++] = (struct group){item, 1, *rank};
    }
    qsort(groups, group_count, sizeof(*groups), compare_groups);

    struct diags sorted;
    diags_init(&sorted, d->arena);
    for (size_t i = 0; i < group_count; i++) {
        if (is_repeat(groups, i)) {
            continue;
        }
        for (size_t k = 0; k < groups[i].count; k++) {
            diags_add(&sorted, groups[i].items[k]);
        }
    }
    *d = sorted;
}

/* ---- text ----------------------------------------------------------------------------------- */

#define TAB_WIDTH 8
/* A longer line is cut to a window around the caret. */
#define WINDOW 160
#define WINDOW_BEFORE 60

/* Where a character of the source line begins on the screen, and its bytes there. */
struct cell {
    size_t column; /* on the screen, from 0 */
    size_t width;
    struct str text; /* "" for a tab: blanks */
};

static struct cell *cells_of(struct arena *a, struct str line, size_t *count)
{
    struct cell *cells = ARENA_ARRAY(a, struct cell, line.len + 1);
    size_t n = 0;
    size_t column = 0;
    for (size_t i = 0; i < line.len;) {
        size_t size = 0;
        bool valid = false;
        const uint32_t point = utf8_decode(line.ptr + i, line.len - i, &size, &valid);
        struct cell cell = {column, 1, {line.ptr + i, size}};
        if (!valid) {
            cell.text = STR("\xEF\xBF\xBD");
        } else if (point == '\t') {
            cell.width = TAB_WIDTH - column % TAB_WIDTH;
            cell.text = STR("");
        } else if (point < 0x20 || (point >= 0x7F && point < 0xA0)) {
            cell.text = STR("?"); /* a file's escape sequences must not reach the terminal */
        }
        cells[n++] = cell;
        column += cell.width;
        i += size;
    }
    cells[n] = (struct cell){column, 1, STR("")};
    *count = n;
    return cells;
}

static void format_line(struct buf *out, const struct diag *diag, bool colour)
{
    size_t count = 0;
    const struct cell *cells = cells_of(out->arena, diag->source_line, &count);
    size_t caret = diag->column > 0 ? (size_t)diag->column - 1 : 0;
    if (caret > count) {
        caret = count;
    }
    size_t end = diag->end_column > diag->column ? (size_t)diag->end_column - 1 : caret + 1;
    if (end > count) {
        end = caret < count ? count : caret + 1;
    }
    const size_t first =
        caret > WINDOW - WINDOW_BEFORE && count > WINDOW ? caret - WINDOW_BEFORE : 0;
    const size_t last = count - first > WINDOW ? first + WINDOW : count;
    if (end > last) {
        end = caret < last ? last : caret + 1;
    }

    const char *before = first > 0 ? "..." : "";
    buf_add_c(out, before);
    for (size_t i = first; i < last; i++) {
        if (cells[i].text.len > 0) {
            buf_add(out, cells[i].text);
        } else {
            buf_printf(out, "%*s", (int)cells[i].width, "");
        }
    }
    buf_add_c(out, last < count ? "...\n" : "\n");
    if (diag->column <= 0) {
        return;
    }

    const size_t indent = strlen(before) + cells[caret].column - cells[first].column;
    size_t tail = 0; /* what follows the caret under a wider construct */
    if (end > caret + 1) {
        const size_t stop = end >= count ? cells[count].column : cells[end].column;
        tail = stop - cells[caret].column - 1;
    }
    buf_printf(out, "%*s%s^", (int)indent, "", colour ? "\033[1;32m" : "");
    for (size_t i = 0; i < tail; i++) {
        buf_add_char(out, '~');
    }
    buf_add_c(out, colour ? "\033[0m\n" : "\n");
}

static void format_one(struct buf *out, const struct diag *diag, bool colour)
{
    static const char *const names[] = {"error", "warning", "note"};
    static const char *const colours[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
    const char *const bold = colour ? "\033[1m" : "";
    const char *const plain = colour ? "\033[0m" : "";
    buf_add_c(out, bold);
    if (diag->file.len > 0) {
        buf_add(out, diag->file);
        buf_add_char(out, ':');
    }
    if (diag->line > 0) {
        buf_printf(out, "%d:", diag->line);
        if (diag->column > 0) {
            buf_printf(out, "%d:", diag->column);
        }
    }
    if (diag->file.len > 0 || diag->line > 0) {
        buf_add_char(out, ' ');
    }
    buf_add_c(out, plain);
    buf_printf(out, "%s%s:%s ", colour ? colours[diag->severity] : "", names[diag->severity],
               plain);
    buf_add(out, diag->message);
    buf_add_char(out, '\n');
    if (diag->line > 0 && diag->source_line.ptr != NULL && diag->source_line.len > 0) {
        format_line(out, diag, colour);
    }
    if (diag->hint.len > 0) {
        buf_printf(out, "%shint:%s ", bold, plain);
        buf_add(out, diag->hint);
        buf_add_char(out, '\n');
    }
}

void diags_format(struct buf *out, const struct diags *d, bool colour)
{
    for (size_t i = 0; i < d->count; i++) {
        format_one(out, &d->items[i], colour);
    }
}
