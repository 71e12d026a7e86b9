/*
 * The state of a target: hashes and canonical forms of what was generated last, kept in the build
 * tree (the shared store knows of objects, not of build trees).
 *
 *   PyKokkosCache state 3 <time> <run of a build tool or -> <bytes of the changes>
 *   <the changes>
 *   <name> <module> <workunit> <AST hash> <signature hash> <bytes of the form> <of the one before>
 *   <the canonical form>
 *   <the canonical form before the last change, where there is one>
 *
 * Names are percent-encoded. A file that does not read as this is as good as none.
 */
#include "cli/cli.h"
#include "cli/target.h"

#include <stdlib.h>
#include <string.h>

#define STATE_FIRST_LINE "PyKokkosCache state 3 "
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

static bool parse(struct arena *a, struct str text, struct state *out)
{
    struct str line;
    struct str head[STATE_HEAD_FIELDS];
    if (!cli_next_line(&text, &line) || !str_starts_with(line, STATE_FIRST_LINE) ||
        !split(str_slice(line, strlen(STATE_FIRST_LINE), line.len), head, STATE_HEAD_FIELDS) ||
        !take_bytes(&text, head[2], &out->changes)) {
        return false;
    }
    out->time = strtoll(head[0].ptr, NULL, 10);
    out->build = str_equal_c(head[1], "-") ? STR("") : head[1];
    while (cli_next_line(&text, &line)) {
        struct str f[STATE_FIELDS];
        struct state_entry entry;
        if (!split(line, f, STATE_FIELDS) || !sha256_from_hex(f[3], &entry.ast_hash) ||
            !sha256_from_hex(f[4], &entry.signature_hash) ||
            !take_bytes(&text, f[5], &entry.canonical)) {
            return false;
        }
        entry.was = STR("");
        if (!str_equal_c(f[6], "0") && !take_bytes(&text, f[6], &entry.was)) {
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
    struct str text;
    struct error e;
    *out = (struct state){.changes = STR(""), .build = STR("")};
    map_init(&out->by_name, a);
    if (!file_read(a, target_file(a, t, ".state").ptr, 0, &text, &e)) {
        return;
    }
    if (!parse(a, text, out)) {
        *out = (struct state){.changes = STR(""), .build = STR("")};
        map_init(&out->by_name, a);
    }
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
    *out = (struct state){.changes = old->changes, .build = old->build, .time = old->time};
    map_init(&out->by_name, a);
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
            struct buf form;
            buf_init(&form, a);
            for (size_t n = 0; n < w->part_count; n++) {
                py_canonical(&form, w->parts[n]->workunit);
            }
            if (w->part_count == 0) {
                py_canonical(&form, w->workunit);
            }
            entry.canonical = buf_str(&form);
        }
        put(a, out, &entry);
    }
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

bool state_write(struct arena *a, const struct cli_target *t, const struct state *s,
                 struct error *e)
{
    struct buf b;
    bool changed;
    buf_init(&b, a);
    buf_printf(&b, STATE_FIRST_LINE "%lld %s %zu\n" STR_FMT "\n", (long long)s->time,
               s->build.len > 0 ? str_copy(a, s->build).ptr : "-", s->changes.len,
               STR_ARG(s->changes));
    for (size_t i = 0; i < s->by_name.count; i++) {
        const struct state_entry *entry = s->by_name.entries[i].value;
        add_name(&b, a, entry->name);
        add_name(&b, a, entry->module);
        add_name(&b, a, entry->workunit);
        buf_printf(&b, STR_FMT " " STR_FMT " %zu %zu\n", STR_ARG(sha256_hex(a, &entry->ast_hash)),
                   STR_ARG(sha256_hex(a, &entry->signature_hash)), entry->canonical.len,
                   entry->was.len);
        buf_add(&b, entry->canonical);
        buf_add_char(&b, '\n');
        if (entry->was.len > 0) {
            buf_add(&b, entry->was);
            buf_add_char(&b, '\n');
        }
    }
    return file_write_if_changed(target_file(a, t, ".state").ptr, buf_str(&b), &changed, e);
}

static const struct gen_workunit *workunit_of(struct arena *a, const struct gen_result *result,
                                              const struct state_entry *entry)
{
    for (size_t i = 0; result != NULL && i < result->workunit_count; i++) {
        const struct gen_workunit *w = &result->workunits[i];
        if (str_equal(w->module, entry->module) && str_equal(entry_name(a, w), entry->name)) {
            return w;
        }
    }
    return NULL;
}

/* Old and new state of a target, and what was read for the new one (NULL: not known). */
struct states {
    const struct state *old, *now;
    const struct gen_result *result;
};

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
    const struct gen_workunit *w = workunit_of(a, s->result, after);
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

struct state_change *state_compare(struct arena *a, const struct state *old,
                                   const struct state *now, const struct gen_result *result,
                                   size_t *count)
{
    const struct states states = {old, now, result};
    size_t most = old->by_name.count + now->by_name.count;
    struct state_change *changes = ARENA_ARRAY(a, struct state_change, most);
    size_t n = 0;
    for (size_t i = 0; i < now->by_name.count; i++) {
        const struct state_entry *after = now->by_name.entries[i].value;
        const struct state_entry *before = map_get(&old->by_name, after->name);
        if (before == NULL) {
            changes[n++] = (struct state_change){NULL, after, STR("first build")};
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
