/*
 * diff: two texts line by line, as people read canonical forms: what went with "-", what came with
 * "+", two lines around, and below which definition it is.
 */
#include "cli/diff.h"

#define CONTEXT 2
/* The table of the longest common subsequence has a cell for each pair of lines. */
#define MOST_CELLS ((size_t)4 * 1024 * 1024)

struct text {
    struct str *lines;
    size_t count;
};

struct step {
    char sign; /* ' ', '-' or '+' */
    struct str line;
    struct str above; /* the definition that it is in */
};

static struct text split(struct arena *a, struct str s)
{
    size_t count = 1;
    for (size_t i = 0; i < s.len; i++) {
        count += s.ptr[i] == '\n';
    }
    struct text t = {ARENA_ARRAY(a, struct str, count), 0};
    struct str line;
    while (cli_next_line(&s, &line)) {
        t.lines[t.count++] = line;
    }
    return t;
}

static bool same(struct str one, struct str two)
{
    return str_equal(one, two);
}

/* lengths[i * (m + 1) + j]: of what the lines from i and from j have in common at most. */
static uint32_t *common_lengths(struct arena *a, const struct str *old, size_t n,
                                const struct str *now, size_t m)
{
    uint32_t *lengths = ARENA_ARRAY(a, uint32_t, (n + 1) * (m + 1));
    for (size_t i = n; i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            uint32_t *cell = &lengths[i * (m + 1) + j];
            const uint32_t below = cell[m + 1];
            const uint32_t right = cell[1];
            *cell = same(old[i], now[j]) ? cell[m + 2] + 1 : below > right ? below : right;
        }
    }
    return lengths;
}

static void push(struct step *steps, size_t *count, char sign, struct str line)
{
    steps[(*count)++] = (struct step){sign, line, STR("")};
}

/* The steps that lead from one to the other. */
static struct step *steps_of(struct arena *a, const struct text *old, const struct text *now,
                             size_t *count)
{
    struct step *steps = ARENA_ARRAY(a, struct step, old->count + now->count + 1);
    size_t begin = 0;
    size_t old_end = old->count;
    size_t now_end = now->count;
    *count = 0;
    while (begin < old_end && begin < now_end && same(old->lines[begin], now->lines[begin])) {
        push(steps, count, ' ', old->lines[begin++]);
    }
    while (old_end > begin && now_end > begin &&
           same(old->lines[old_end - 1], now->lines[now_end - 1])) {
        old_end--;
        now_end--;
    }
    const size_t n = old_end - begin;
    const size_t m = now_end - begin;
    const bool fine = n == 0 || m <= MOST_CELLS / n;
    const uint32_t *lengths =
        fine ? common_lengths(a, old->lines + begin, n, now->lines + begin, m) : NULL;
    size_t i = 0;
    size_t j = 0;
    while (i < n || j < m) {
        if (fine && i < n && j < m && same(old->lines[begin + i], now->lines[begin + j])) {
            push(steps, count, ' ', old->lines[begin + i]);
            i++;
            j++;
        } else if (i < n && (!fine || j == m ||
                             lengths[(i + 1) * (m + 1) + j] >= lengths[i * (m + 1) + j + 1])) {
            push(steps, count, '-', old->lines[begin + i++]);
        } else {
            push(steps, count, '+', now->lines[begin + j++]);
        }
    }
    for (size_t k = old_end; k < old->count; k++) {
        push(steps, count, ' ', old->lines[k]);
    }
    struct str above = STR("");
    for (size_t k = 0; k < *count; k++) {
        steps[k].above = above;
        if (steps[k].line.len > 0 && steps[k].line.ptr[0] != ' ') {
            above = steps[k].line;
        }
    }
    return steps;
}

static bool is_near_change(const struct step *steps, size_t count, size_t index)
{
    const size_t from = index > CONTEXT ? index - CONTEXT : 0;
    for (size_t i = from; i < count && i <= index + CONTEXT; i++) {
        if (steps[i].sign != ' ') {
            return true;
        }
    }
    return false;
}

void cli_diff(struct arena *a, struct str old_text, struct str new_text, struct vec *lines)
{
    const struct text old = split(a, old_text);
    const struct text now = split(a, new_text);
    size_t count = 0;
    const struct step *steps = steps_of(a, &old, &now, &count);
    bool shown = false; /* the line before */
    for (size_t i = 0; i < count; i++) {
        if (!is_near_change(steps, count, i)) {
            shown = false;
            continue;
        }
        struct str *line = ARENA_NEW(a, struct str);
        if (!shown && steps[i].above.len > 0 && steps[i].line.ptr[0] == ' ') {
            struct str *head = ARENA_NEW(a, struct str);
            *head = str_format(a, "@ " STR_FMT, STR_ARG(steps[i].above));
            vec_push(lines, head);
        }
        *line = str_format(a, "%c " STR_FMT, steps[i].sign, STR_ARG(steps[i].line));
        vec_push(lines, line);
        shown = true;
    }
}
