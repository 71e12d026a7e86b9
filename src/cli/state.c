/*
 * The state of a target: hashes and canonical forms of what was generated last, kept in the build
 * tree (the shared store knows of objects, not of build trees).
 *
 *   PyKokkosCache state 4 <sum> <time> <run of a build tool or -> <bytes of the changes>
 *   <the changes>
 *   <name> <module> <workunit> <AST hash> <signature hash> <bytes of the form> <of the one before>
 *   <the canonical form>
 *   <the canonical form before the last change, where there is one>
 *
 * Names are percent-encoded. The sum is of all that follows it and its blank: a form or a hash that
 * is not what was written would tell a wrong past for as long as its workunit stays as it is.
 * Nothing is taken from a file that does not read as this.
 */
#include "cli/cli.h"
#include "cli/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STATE_FIRST_WORDS "PyKokkosCache state 4 "
#define STATE_SUM_LEN 16
#define STATE_FIELDS 7
#define STATE_HEAD_FIELDS 3

/* Splits at blanks; false: not exactly that many fields. */
static bool split(struct str line, struct str *fields, size_t count)
{
    size_t n = 0;
    size_t start = 0;
    for (size_t i = 0; i <= line.len; i++) {
        if (i < line.len && line.ptr[i] != ' ') {
            continue;
        }
        if (n == count) {
            return false;
        }
        fields[n++] = str_slice(line, start, i);
        start = i + 1;
    }
    return n == count;
}

static bool parse_size(struct str s, size_t *out)
{
    size_t value = 0;
    if (s.len == 0 || s.len > 9) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (size_t)(s.ptr[i] - '0');
    }
    *out = value;
    return true;
}

static void put(struct arena *a, struct state *s, const struct state_entry *entry)
{
    struct state_entry *kept = ARENA_NEW(a, struct state_entry);
    *kept = *entry;
    map_set(&s->by_name, kept->name, kept);
}

/* Bytes and a line end off the front of `text`. */
static bool take_bytes(struct str *text, struct str size_text, struct str *out)
{
    size_t size;
    if (!parse_size(size_text, &size) || size >= text->len || text->ptr[size] != '\n') {
        return false;
    }
    *out = str_slice(*text, 0, size);
    *text = str_slice(*text, size + 1, text->len);
    return true;
}

/* The first words and the sum off the front of a file's text; false: it is not as it was written.
 */
static bool take_sum(struct str *text)
{
    const size_t before = strlen(STATE_FIRST_WORDS);
    const size_t after = before + STATE_SUM_LEN + 1;
    char sum[STATE_SUM_LEN + 2];
    if (text->len < after || !str_starts_with(*text, STATE_FIRST_WORDS)) {
        return false;
    }
    const char *said = text->ptr + before;
    *text = str_slice(*text, after, text->len);
    snprintf(sum, sizeof(sum), "%016" PRIx64 " ", sum64(*text));
    return memcmp(said, sum, STATE_SUM_LEN + 1) == 0;
}

static bool take_head(struct str *rest, struct state *out)
{
    struct str line;
    struct str head[STATE_HEAD_FIELDS];
    if (!cli_next_line(rest, &line) || !split(line, head, STATE_HEAD_FIELDS) ||
        !take_bytes(rest, head[2], &out->changes)) {
        return false;
    }
    out->time = strtoll(head[0].ptr, NULL, 10);
    out->build = str_equal_c(head[1], "-") ? STR("") : head[1];
    return true;
}

/* The entry at the front of `rest`: its fields as they stand, and its forms. */
static bool take_entry(struct str *rest, struct str f[STATE_FIELDS], struct state_entry *entry)
{
    struct str line;
    entry->was = STR("");
    return cli_next_line(rest, &line) && split(line, f, STATE_FIELDS) &&
           take_bytes(rest, f[5], &entry->canonical) &&
           (str_equal_c(f[6], "0") || take_bytes(rest, f[6], &entry->was));
}

static bool take_hashes(const struct str f[STATE_FIELDS], struct state_entry *entry)
{
    return sha256_from_hex(f[3], &entry->ast_hash) && sha256_from_hex(f[4], &entry->signature_hash);
}

static void init(struct arena *a, struct state *s)
{
    *s = (struct state){.changes = STR(""), .build = STR("")};
    map_init(&s->by_name, a);
}

bool state_parse(struct arena *a, struct str text, struct state *out)
{
    init(a, out);
    if (!take_head(&text, out)) {
        return false;
    }
    while (text.len > 0) {
        struct str f[STATE_FIELDS];
        struct state_entry entry;
        if (!take_entry(&text, f, &entry) || !take_hashes(f, &entry)) {
            return false;
        }
        entry.name = cli_decode(a, f[0]);
        entry.module = cli_decode(a, f[1]);
        entry.workunit = cli_decode(a, f[2]);
        put(a, out, &entry);
    }
    return true;
}

void state_read(struct arena *a, const struct cli_target *t, struct state *out)
{
    const struct str path = target_file(a, t, ".state");
    struct str text;
    struct error e;
    if (file_read(a, path.ptr, 0, &text, &e) && take_sum(&text) && state_parse(a, text, out)) {
        return;
    }
    init(a, out);
    out->is_unreadable = file_exists(path.ptr);
}

void state_say_unreadable(struct arena *a, const struct cli_target *t)
{
    cli_say(str_format(a,
                       "pykokkos-cache: warning: %s cannot be read: what it said of the last build "
                       "is lost until the next one that changes a workunit\n",
                       target_file(a, t, ".state").ptr));
}

static struct str entry_name(struct arena *a, const struct gen_workunit *w)
{
    const struct kernel *k = w->kernel;
    struct str name =
        str_format(a, STR_FMT "." STR_FMT, STR_ARG(w->module), STR_ARG(w->workunit->qualified));
    if (k != NULL && k->instance.len > 0) {
        name = str_format(a, STR_FMT "/" STR_FMT, STR_ARG(name), STR_ARG(k->instance));
    }
    return name;
}

void state_of(struct arena *a, const struct gen_result *result, const struct state *old,
              struct state *out)
{
    struct arena *scratch = arena_like(a);
    struct buf form;
    buf_init(&form, scratch);
    init(a, out);
    out->changes = old->changes;
    out->build = old->build;
    out->time = old->time;
    for (size_t i = 0; i < result->workunit_count; i++) {
        const struct gen_workunit *w = &result->workunits[i];
        if (w->kernel == NULL) {
            continue;
        }
        struct state_entry entry = {
            .name = entry_name(a, w),
            .module = w->module,
            .workunit = w->workunit->qualified,
            .ast_hash = w->ast_hash,
            .signature_hash = w->kernel->signature_hash,
        };
        const struct state_entry *before = map_get(&old->by_name, entry.name);
        if (before != NULL && sha256_equal(&before->ast_hash, &entry.ast_hash)) {
            entry.canonical = before->canonical;
            entry.was = before->was;
        } else {
            form.len = 0;
            for (size_t n = 0; n < w->part_count; n++) {
                py_canonical(&form, w->parts[n]->workunit);
            }
            if (w->part_count == 0) {
                py_canonical(&form, w->workunit);
            }
            entry.canonical = str_copy(a, buf_str(&form));
        }
        put(a, out, &entry);
    }
    arena_free(scratch);
}

static void add_name(struct buf *b, struct arena *a, struct str name)
{
    /* Python names hold no blanks; paths that modules are named after may. */
    struct str encoded = cli_encode(a, name);
    for (size_t i = 0; i < encoded.len; i++) {
        if (encoded.ptr[i] == ' ') {
            buf_add_c(b, "%20");
        } else {
            buf_add_char(b, encoded.ptr[i]);
        }
    }
    buf_add_char(b, ' ');
}

static void add_entry(struct buf *b, struct arena *a, const struct state_entry *entry)
{
    add_name(b, a, entry->name);
    add_name(b, a, entry->module);
    add_name(b, a, entry->workunit);
    buf_printf(b, STR_FMT " " STR_FMT " %zu %zu\n", STR_ARG(sha256_hex(a, &entry->ast_hash)),
               STR_ARG(sha256_hex(a, &entry->signature_hash)), entry->canonical.len,
               entry->was.len);
    buf_add(b, entry->canonical);
    buf_add_char(b, '\n');
    if (entry->was.len > 0) {
        buf_add(b, entry->was);
        buf_add_char(b, '\n');
    }
}

/* The first line, with room for the sum, and the changes. */
static void add_head(struct buf *b, const struct state *s)
{
    buf_printf(b, STATE_FIRST_WORDS "%016d %lld %s %zu\n" STR_FMT "\n", 0, (long long)s->time,
               s->build.len > 0 ? str_copy(b->arena, s->build).ptr : "-", s->changes.len,
               STR_ARG(s->changes));
}

/* The whole file's text, now with its sum. */
static struct str with_sum(struct buf *b)
{
    const size_t before = strlen(STATE_FIRST_WORDS);
    const struct str text = buf_str(b);
    const struct str summed = str_slice(text, before + STATE_SUM_LEN + 1, text.len);
    char sum[STATE_SUM_LEN + 1];
    snprintf(sum, sizeof(sum), "%016" PRIx64, sum64(summed));
    memcpy(b->ptr + before, sum, STATE_SUM_LEN);
    return text;
}

bool state_write(struct arena *a, const struct cli_target *t, const struct state *s,
                 struct error *e)
{
    struct arena *scratch = arena_like(a);
    struct buf b;
    bool changed;
    buf_init(&b, scratch);
    size_t size = s->changes.len;
    for (size_t i = 0; i < s->by_name.count; i++) {
        const struct state_entry *entry = s->by_name.entries[i].value;
        /* Hashes, lengths and names. */
        size += entry->canonical.len + entry->was.len + 2 * SHA256_HEX_LEN + 64 +
                2 * (entry->name.len + entry->module.len + entry->workunit.len);
    }
    buf_reserve(&b, size);
    add_head(&b, s);
    for (size_t i = 0; i < s->by_name.count; i++) {
        const struct state_entry *entry = s->by_name.entries[i].value;
        add_entry(&b, scratch, entry);
    }
    const bool done =
        file_write_if_changed(target_file(a, t, ".state").ptr, with_sum(&b), &changed, e);
    arena_free(scratch);
    return done;
}

/* Old and new state of a target, and what was read for the new one (NULL: not known). */
struct states {
    const struct state *old, *now;
    struct map workunits; /* an entry's name -> struct gen_workunit, of what was read */
};

static struct states states_of(struct arena *a, const struct state *old, const struct state *now,
                               const struct gen_result *result)
{
    struct states s = {.old = old, .now = now};
    map_init(&s.workunits, a);
    for (size_t i = 0; result != NULL && i < result->workunit_count; i++) {
        map_set(&s.workunits, entry_name(a, &result->workunits[i]), &result->workunits[i]);
    }
    return s;
}

static struct str cause_of(struct arena *a, const struct states *s,
                           const struct state_entry *before, const struct state_entry *after);

/* What changed in the workunits that a fused one is made of: "scale: body …". */
static struct str cause_in_parts(struct arena *a, const struct states *s,
                                 const struct gen_workunit *w)
{
    struct buf b;
    struct map seen;
    buf_init(&b, a);
    map_init(&seen, a);
    for (size_t i = 0; i < w->part_count; i++) {
        const struct str name = entry_name(a, w->parts[i]);
        const struct state_entry *before = map_get(&s->old->by_name, name);
        const struct state_entry *after = map_get(&s->now->by_name, name);
        if (before == NULL || after == NULL || map_has(&seen, name) ||
            sha256_equal(&before->ast_hash, &after->ast_hash)) {
            continue;
        }
        map_set(&seen, name, &seen);
        buf_printf(&b, "%s" STR_FMT ": " STR_FMT, b.len > 0 ? "; " : "", STR_ARG(after->workunit),
                   STR_ARG(cause_of(a, s, before, after)));
    }
    return b.len > 0 ? buf_str(&b) : STR("FUSE: other workunits");
}

/* The lines of py_canonical_difference, joined to one. */
static struct str cause_of(struct arena *a, const struct states *s,
                           const struct state_entry *before, const struct state_entry *after)
{
    const struct gen_workunit *w = map_get(&s->workunits, after->name);
    if (w != NULL && w->part_count > 0) {
        return cause_in_parts(a, s, w);
    }
    struct buf lines;
    struct buf joined;
    buf_init(&lines, a);
    buf_init(&joined, a);
    py_canonical_difference(&lines, before->canonical, after->canonical,
                            w != NULL ? w->workunit : NULL);
    struct str rest = buf_str(&lines);
    struct str line;
    while (cli_next_line(&rest, &line)) {
        if (joined.len > 0) {
            buf_add_c(&joined, "; ");
        }
        buf_add(&joined, line);
    }
    bool signature = !sha256_equal(&before->signature_hash, &after->signature_hash);
    if (joined.len == 0) {
        return signature ? STR("signature") : STR("types");
    }
    return signature ? str_format(a, "signature: " STR_FMT, STR_ARG(buf_str(&joined)))
                     : buf_str(&joined);
}

/* ---- a few workunits of many ---------------------------------------------------------------- */

/* An entry that is written anew, where it is in the text. */
struct replaced {
    size_t from, to;
    struct state_entry *before; /* NULL: it only loses the form that it had before */
    struct state_entry *after;
};

struct str state_changes_text(struct arena *a, const struct state_change *changes, size_t count)
{
    struct buf b;
    buf_init(&b, a);
    for (size_t i = 0; i < count; i++) {
        const struct state_entry *either =
            changes[i].after != NULL ? changes[i].after : changes[i].before;
        buf_printf(&b, STR_FMT ": " STR_FMT "\n", STR_ARG(either->name), STR_ARG(changes[i].cause));
    }
    return buf_str(&b);
}

static struct state_entry *copy_entry(struct arena *a, const struct state_entry *entry)
{
    struct state_entry *copy = ARENA_NEW(a, struct state_entry);
    *copy = *entry;
    return copy;
}

/* The entries to write anew in the text from `start` on: those of `wanted`, and those that hold a
 * form of before. False: it does not hold all of the wanted ones. */
static bool find_replaced(struct arena *a, struct str text, size_t start, const struct map *wanted,
                          struct vec *found)
{
    struct str rest = str_slice(text, start, text.len);
    size_t count = 0;
    vec_init(found, a);
    while (rest.len > 0) {
        struct str f[STATE_FIELDS];
        struct state_entry entry;
        const size_t from = text.len - rest.len;
        if (!take_entry(&rest, f, &entry)) {
            return false;
        }
        struct state_entry *after = map_get(wanted, f[0]);
        if (after == NULL && entry.was.len == 0) {
            continue;
        }
        if (!take_hashes(f, &entry)) {
            return false;
        }
        entry.name = cli_decode(a, f[0]);
        entry.module = cli_decode(a, f[1]);
        entry.workunit = cli_decode(a, f[2]);
        struct replaced *r = ARENA_NEW(a, struct replaced);
        *r = (struct replaced){.from = from, .to = text.len - rest.len};
        if (after != NULL) {
            r->before = copy_entry(a, &entry);
            r->after = after;
            count++;
        } else {
            entry.was = STR("");
            r->after = copy_entry(a, &entry);
        }
        vec_push(found, r);
    }
    return count == wanted->count;
}

/* The entries of the result under their names as the file has them. */
static void entries_of(struct arena *a, const struct gen_result *result, struct map *wanted)
{
    struct state none;
    struct state now;
    init(a, &none);
    state_of(a, result, &none, &now);
    map_init(wanted, a);
    for (size_t i = 0; i < now.by_name.count; i++) {
        struct state_entry *entry = now.by_name.entries[i].value;
        struct buf name;
        buf_init(&name, a);
        add_name(&name, a, entry->name);
        map_set(wanted, str_slice(buf_str(&name), 0, name.len - 1), entry);
    }
}

static bool is_changed(const struct state_entry *before, const struct state_entry *after)
{
    return !sha256_equal(&before->ast_hash, &after->ast_hash) ||
           !sha256_equal(&before->signature_hash, &after->signature_hash);
}

bool state_replace(struct arena *a, const struct cli_target *t, const struct gen_result *part,
                   struct str build, int64_t time, struct state_change **changes, size_t *count,
                   struct error *e)
{
    const char *path = target_file(a, t, ".state").ptr;
    struct map wanted;
    struct str text;
    struct state head;
    struct vec found;
    entries_of(a, part, &wanted);
    *count = 0;
    if (!file_read(a, path, 0, &text, e)) {
        return false;
    }
    struct str rest = text;
    if (!take_sum(&rest) || !take_head(&rest, &head)) {
        return false;
    }
    size_t at = text.len - rest.len;
    if (!find_replaced(a, text, at, &wanted, &found)) {
        return false;
    }
    const struct states states = states_of(a, NULL, NULL, part);
    *changes = ARENA_ARRAY(a, struct state_change, wanted.count);
    for (size_t i = 0; i < found.count; i++) {
        const struct replaced *r = found.items[i];
        if (r->before != NULL && is_changed(r->before, r->after)) {
            r->after->was = r->before->canonical;
            (*changes)[(*count)++] = (struct state_change){
                r->before, r->after, cause_of(a, &states, r->before, r->after)};
        }
    }
    if (*count == 0) {
        return true;
    }
    head.changes = state_changes_text(a, *changes, *count);
    head.build = build;
    head.time = time;
    struct buf b;
    buf_init(&b, a);
    add_head(&b, &head);
    for (size_t i = 0; i < found.count; i++) {
        const struct replaced *r = found.items[i];
        buf_add(&b, str_slice(text, at, r->from));
        add_entry(&b, a, r->after);
        at = r->to;
    }
    buf_add(&b, str_slice(text, at, text.len));
    return file_write(path, with_sum(&b), false, e);
}

struct state_change *state_compare(struct arena *a, const struct state *old,
                                   const struct state *now, const struct gen_result *result,
                                   size_t *count)
{
    const struct states states = states_of(a, old, now, result);
    size_t most = old->by_name.count + now->by_name.count;
    struct state_change *changes = ARENA_ARRAY(a, struct state_change, most);
    size_t n = 0;
    for (size_t i = 0; i < now->by_name.count; i++) {
        const struct state_entry *after = now->by_name.entries[i].value;
        const struct state_entry *before = map_get(&old->by_name, after->name);
        if (before == NULL) {
            changes[n++] = (struct state_change){
                NULL, after,
                old->is_unreadable ? STR("not known: what was there before cannot be read")
                                   : STR("first build")};
        } else if (!sha256_equal(&before->ast_hash, &after->ast_hash) ||
                   !sha256_equal(&before->signature_hash, &after->signature_hash)) {
            changes[n++] =
                (struct state_change){before, after, cause_of(a, &states, before, after)};
        }
    }
    for (size_t i = 0; i < old->by_name.count; i++) {
        const struct state_entry *before = old->by_name.entries[i].value;
        if (!map_has(&now->by_name, before->name)) {
            changes[n++] = (struct state_change){before, NULL, STR("removed")};
        }
    }
    *count = n;
    return changes;
}
