/*
 * What is read from and written to the manifest.
 */
#include "store/manifest.h"

#include <string.h>
#include <unistd.h>

bool rows_add_entry(struct sql *q, struct arena *a, const struct store_record *r, bool *added)
{
    const struct sha256 *ast = r->has_ast_hash ? &r->ast_hash : NULL;
    const struct sha256 *signature = r->has_signature_hash ? &r->signature_hash : NULL;
    if (!sql_run(q, SQL_ENTRY_ADD, "hhhhttttthiiii", &r->key, &r->text_digest, ast, signature,
                 r->module, r->workunit, r->types, r->toolchain, store_entry_dir(a, &r->key),
                 &r->object_digest, (int64_t)r->size, r->compile_ms, r->created, r->created)) {
        return false;
    }
    *added = sql_changes(q) > 0;
    return ast == NULL || sql_run(q, SQL_TEXT_ADD, "hh", ast, &r->text_digest);
}

bool rows_count(struct sql *q, struct str name, int64_t by)
{
    return sql_run(q, SQL_COUNTER_ADD, "ti", name, by);
}

#define HISTORY_KEPT ((int64_t)100000)

/* ---- uses ----------------------------------------------------------------------------------- */

/* What a hit saved a compile of, as far as is remembered of the TU that it was for. */
static bool count_cause(struct sql *q, struct arena *a, const struct store_use *use)
{
    const char *cause = "new place";
    if (!sql_start(q, SQL_PLACE_KEY, "t", use->source)) {
        return false;
    }
    if (sql_next(q, SQL_PLACE_KEY)) {
        struct sha256 last;
        const struct str hex = sql_text(q, SQL_PLACE_KEY, 0, a);
        const bool same = sha256_from_hex(hex, &last) && sha256_equal(&last, &use->key);
        cause = same ? "made again" : "elsewhere";
    }
    sql_stop(q, SQL_PLACE_KEY);
    if (strcmp(cause, "elsewhere") == 0) {
        if (!sql_start(q, SQL_COMPILE_OF_PLACE, "th", use->source, &use->key)) {
            return false;
        }
        if (sql_next(q, SQL_COMPILE_OF_PLACE)) {
            cause = "taken back";
        }
        sql_stop(q, SQL_COMPILE_OF_PLACE);
    }
    return q->code == SQLITE_OK && rows_count(q, str_format(a, "hit: %s", cause), 1);
}

static bool take_use(struct store *s, struct sql *q, struct arena *a, const struct store_use *use)
{
    struct store_record record;
    struct error e;
    bool added = false;
    if (!use->is_hit) {
        return entry_read_record(s, a, &use->key, &record, &e) != STORE_HIT ||
               rows_add_entry(q, a, &record, &added);
    }
    int64_t saved = -1;
    for (int attempt = 0; attempt < 2 && saved < 0; attempt++) {
        if (!sql_start(q, SQL_ENTRY_USED, "hi", &use->key, use->time)) {
            return false;
        }
        while (sql_next(q, SQL_ENTRY_USED)) {
            saved = sql_int(q, SQL_ENTRY_USED, 0);
        }
        if (q->code != SQLITE_OK) {
            return false;
        }
        /* No row: the manifest was lost since the entry was made. */
        if (saved < 0 && (entry_read_record(s, a, &use->key, &record, &e) != STORE_HIT ||
                          !rows_add_entry(q, a, &record, &added))) {
            break;
        }
    }
    if (use->has_ast_hash && !sql_run(q, SQL_TEXT_ADD, "hh", &use->ast_hash, &use->text_digest)) {
        return false;
    }
    return (use->source.len == 0 ||
            (count_cause(q, a, use) &&
             sql_run(q, SQL_PLACE_SET, "thi", use->source, &use->key, use->time))) &&
           rows_count(q, STR("hits"), 1) && rows_count(q, STR("saved_ms"), saved > 0 ? saved : 0);
}

/* ---- the logs ------------------------------------------------------------------------------- */

/* Taken in a transaction, so that a log that waits for another process's stays what it is. */
struct taking {
    const char *name;
    bool is_taken; /* by an attempt on a manifest that turned out to be damaged */
    struct log log;
};

typedef bool line_work(struct store *s, struct sql *q, struct str line);

static bool each_line(struct store *s, struct sql *q, struct taking *t, line_work *work)
{
    if (!t->is_taken && !log_take(s, s->arena, t->name, &t->log)) {
        return true; /* somebody else took it meanwhile */
    }
    t->is_taken = true;
    struct log left = t->log;
    struct str line;
    bool good = true;
    while (good && log_next_line(&left, &line)) {
        struct arena *a = arena_like(s->arena);
        struct store view = *s;
        view.arena = a;
        good = work(&view, q, line);
        arena_free(a);
    }
    return good;
}

static bool use_line(struct store *s, struct sql *q, struct str line)
{
    struct store_use use;
    return !use_parse(s->arena, line, &use) || take_use(s, q, s->arena, &use);
}

static bool uses_work(struct store *s, struct sql *q, void *context)
{
    return each_line(s, q, context, use_line);
}

static bool change_line(struct store *s, struct sql *q, struct str line)
{
    struct store_change c;
    return !change_parse(s->arena, line, &c) ||
           sql_run(q, SQL_HISTORY_ADD, "itthht", c.time != 0 ? c.time : store_now(), c.module,
                   c.workunit, c.has_old ? &c.old_ast_hash : NULL,
                   c.has_new ? &c.new_ast_hash : NULL, c.cause);
}

static bool changes_work(struct store *s, struct sql *q, void *context)
{
    return each_line(s, q, context, change_line) && sql_run(q, SQL_HISTORY_TRIM, "i", HISTORY_KEPT);
}

static void take_log(struct store *s, const char *name, manifest_work *work,
                     enum manifest_access access, int wait_ms)
{
    if (!log_is_there(s, name)) {
        return;
    }
    struct taking t = {.name = name};
    struct error e;
    (void)manifest_do(s, access, true, wait_ms, work, &t, &e);
    if (t.is_taken) {
        log_remove(&t.log);
    }
}

static void take_logs(struct store *s, enum manifest_access access, int wait_ms)
{
    take_log(s, USES_LOG, uses_work, access, wait_ms);
    take_log(s, CHANGES_LOG, changes_work, access, wait_ms);
}

/* What store_publish runs, parsed while there is time. */
static bool warm_work(struct store *s, struct sql *q, void *context)
{
    static const enum sql_id ids[] = {SQL_BEGIN_WRITE, SQL_COMMIT,       SQL_ENTRY_ADD,
                                      SQL_TEXT_ADD,    SQL_PLACE_SET,    SQL_COMPILE_ADD,
                                      SQL_COUNTER_ADD, SQL_COMPILES_TRIM};
    (void)s;
    (void)context;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        sql_warm(q, ids[i]);
    }
    return true;
}

void store_prepare(struct store *s)
{
    struct error e;
    if (manifest_is_refused(s, &e)) {
        return;
    }
    (void)manifest_do(s, MANIFEST_QUICK, false, MANIFEST_WAIT_SHORT_MS, warm_work, NULL, &e);
    take_logs(s, MANIFEST_QUICK, MANIFEST_WAIT_SHORT_MS);
    temporary_clean(s);
}

/* ---- history -------------------------------------------------------------------------------- */

bool store_history_add(struct store *s, const struct store_change *changes, size_t change_count,
                       struct error *e)
{
    if (change_count == 0) {
        return true;
    }
    return changes_append(s, changes, change_count, e);
}

struct history_query {
    struct arena *arena;
    struct str workunit;
    size_t limit;
    struct vec found;
};

static bool history_query_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    struct history_query *h = context;
    const enum sql_id id = h->workunit.len > 0 ? SQL_HISTORY_OF : SQL_HISTORY_ALL;
    const int64_t limit = h->limit > INT32_MAX ? INT32_MAX : (int64_t)h->limit;
    vec_init(&h->found, h->arena);
    if (!(id == SQL_HISTORY_OF ? sql_start(q, id, "ti", h->workunit, limit)
                               : sql_start(q, id, "i", limit))) {
        return false;
    }
    while (sql_next(q, id)) {
        struct store_change *c = ARENA_NEW(h->arena, struct store_change);
        c->time = sql_int(q, id, 0);
        c->module = sql_text(q, id, 1, h->arena);
        c->workunit = sql_text(q, id, 2, h->arena);
        c->has_old = sql_hash(q, id, 3, &c->old_ast_hash);
        c->has_new = sql_hash(q, id, 4, &c->new_ast_hash);
        c->cause = sql_text(q, id, 5, h->arena);
        vec_push(&h->found, c);
    }
    return true;
}

bool store_history_query(struct store *s, struct arena *a, struct str workunit, size_t limit,
                         struct store_change **changes, size_t *change_count, struct error *e)
{
    struct history_query h = {.arena = a, .workunit = workunit, .limit = limit};
    *change_count = 0;
    take_logs(s, MANIFEST_FULL, MANIFEST_WAIT_MS);
    if (!manifest_do(s, MANIFEST_FULL, false, MANIFEST_WAIT_MS, history_query_work, &h, e)) {
        return false;
    }
    *changes = ARENA_ARRAY(a, struct store_change, h.found.count);
    for (size_t i = 0; i < h.found.count; i++) {
        (*changes)[i] = *(const struct store_change *)h.found.items[i];
    }
    *change_count = h.found.count;
    return true;
}

/* ---- entries -------------------------------------------------------------------------------- */

struct ast_query {
    struct arena *arena;
    const struct sha256 *ast_hash;
    struct vec found;
};

static bool ast_query_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    struct ast_query *w = context;
    const enum sql_id id = SQL_ENTRIES_BY_AST;
    vec_init(&w->found, w->arena);
    if (!sql_start(q, id, "h", w->ast_hash)) {
        return false;
    }
    while (sql_next(q, id)) {
        struct store_row *r = ARENA_NEW(w->arena, struct store_row);
        if (!sql_hash(q, id, 0, &r->key) || !sql_hash(q, id, 1, &r->text_digest)) {
            continue; /* no row that we wrote */
        }
        r->module = sql_text(q, id, 2, w->arena);
        r->workunit = sql_text(q, id, 3, w->arena);
        r->types = sql_text(q, id, 4, w->arena);
        r->toolchain = sql_text(q, id, 5, w->arena);
        r->directory = sql_text(q, id, 6, w->arena);
        r->size = (uint64_t)sql_int(q, id, 7);
        r->compile_ms = sql_int(q, id, 8);
        r->created = sql_int(q, id, 9);
        r->last_used = sql_int(q, id, 10);
        r->hits = sql_int(q, id, 11);
        vec_push(&w->found, r);
    }
    return true;
}

bool store_lookup_ast(struct store *s, struct arena *a, const struct sha256 *ast_hash,
                      struct store_row **rows, size_t *row_count, struct error *e)
{
    struct ast_query w = {.arena = a, .ast_hash = ast_hash};
    *row_count = 0;
    take_logs(s, MANIFEST_FULL, MANIFEST_WAIT_SHORT_MS);
    if (!manifest_do(s, MANIFEST_FULL, false, MANIFEST_WAIT_MS, ast_query_work, &w, e)) {
        return false;
    }
    *rows = ARENA_ARRAY(a, struct store_row, w.found.count);
    for (size_t i = 0; i < w.found.count; i++) {
        (*rows)[i] = *(const struct store_row *)w.found.items[i];
    }
    *row_count = w.found.count;
    return true;
}

/* ---- statistics ----------------------------------------------------------------------------- */

struct stats_query {
    struct arena *arena;
    struct store_stats *out;
    struct vec causes;
    struct vec hit_causes;
};

static void add_cause(struct arena *a, struct vec *causes, struct str name, uint64_t count)
{
    struct store_cause *cause = ARENA_NEW(a, struct store_cause);
    *cause = (struct store_cause){name, count};
    vec_push(causes, cause);
}

static struct store_cause *list_of(struct arena *a, const struct vec *causes)
{
    struct store_cause *list = ARENA_ARRAY(a, struct store_cause, causes->count);
    for (size_t i = 0; i < causes->count; i++) {
        list[i] = *(const struct store_cause *)causes->items[i];
    }
    return list;
}

static bool stats_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    struct stats_query *w = context;
    *w->out = (struct store_stats){0};
    vec_init(&w->causes, w->arena);
    vec_init(&w->hit_causes, w->arena);
    if (!sql_start(q, SQL_COUNTERS, "")) {
        return false;
    }
    while (sql_next(q, SQL_COUNTERS)) {
        const struct str name = sql_text(q, SQL_COUNTERS, 0, w->arena);
        const int64_t signed_value = sql_int(q, SQL_COUNTERS, 1);
        const uint64_t value = signed_value > 0 ? (uint64_t)signed_value : 0;
        uint64_t *const places[] = {&w->out->entries, &w->out->size,     &w->out->hits,
                                    &w->out->misses,  &w->out->saved_ms, &w->out->compile_ms};
        static const char *const names[] = {"entries", "size",     "hits",
                                            "misses",  "saved_ms", "compile_ms"};
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            if (str_equal_c(name, names[i])) {
                *places[i] = value;
            }
        }
        if (str_starts_with(name, "miss: ")) {
            add_cause(w->arena, &w->causes, str_slice(name, 6, name.len), value);
        } else if (str_starts_with(name, "hit: ")) {
            add_cause(w->arena, &w->hit_causes, str_slice(name, 5, name.len), value);
        }
    }
    return true;
}

bool store_stats(struct store *s, struct arena *a, struct store_stats *out, struct error *e)
{
    struct stats_query w = {.arena = a, .out = out};
    take_logs(s, MANIFEST_FULL, MANIFEST_WAIT_MS);
    if (!manifest_do(s, MANIFEST_FULL, false, MANIFEST_WAIT_MS, stats_work, &w, e)) {
        return false;
    }
    out->causes = list_of(a, &w.causes);
    out->cause_count = w.causes.count;
    out->hit_causes = list_of(a, &w.hit_causes);
    out->hit_cause_count = w.hit_causes.count;
    return true;
}
