/*
 * Compiles: what was compiled, why, and what may tell why the next one is.
 */
#include "store/manifest.h"

#define COMPILES_KEPT ((int64_t)100000)

/* ---- remembering ---------------------------------------------------------------------------- */

struct publish {
    const struct store_record *record;
    const struct store_why *why;
    bool is_kept;
};

static bool add_compile(struct sql *q, const struct store_record *r, const struct store_why *why)
{
    return sql_run(q, SQL_COMPILE_ADD, "itthttttti", store_now(), why->build, r->source, &r->key,
                   r->module, r->workunit, r->types, str_from(why->cause), why->text,
                   r->compile_ms) &&
           sql_run(q, SQL_COMPILES_TRIM, "i", COMPILES_KEPT);
}

static bool publish_work(struct store *s, struct sql *q, void *context)
{
    const struct publish *p = context;
    const struct store_record *r = p->record;
    bool added = false;
    if (p->is_kept && (!rows_add_entry(q, s->arena, r, &added) ||
                       (r->source.len > 0 &&
                        !sql_run(q, SQL_PLACE_SET, "thi", r->source, &r->key, store_now())))) {
        return false;
    }
    if (!rows_count(q, STR("misses"), 1) || !rows_count(q, STR("compile_ms"), r->compile_ms)) {
        return false;
    }
    return p->why == NULL || (rows_count(q, str_format(s->arena, "miss: %s", p->why->cause), 1) &&
                              add_compile(q, r, p->why));
}

bool store_publish(struct store *s, struct store_record *record, struct str object,
                   const struct store_why *why, struct error *e)
{
    if (manifest_is_refused(s, e)) {
        return false;
    }
    if (!entry_publish(s, record, object, e)) {
        return false;
    }
    struct publish p = {record, why, true};
    struct error ignored;
    if (!manifest_do(s, MANIFEST_QUICK, true, MANIFEST_WAIT_MS, publish_work, &p, &ignored)) {
        uses_add_entry(s, record); /* the entry is good; its row comes later */
    }
    return true;
}

void store_note_compile(struct store *s, const struct store_record *record,
                        const struct store_why *why)
{
    struct publish p = {record, why, false};
    struct error ignored;
    (void)manifest_do(s, MANIFEST_QUICK, true, MANIFEST_WAIT_SHORT_MS, publish_work, &p, &ignored);
}

/* ---- the past ------------------------------------------------------------------------------- */

struct past_query {
    struct arena *arena;
    const struct store_record *record;
    struct str build;
    struct store_past *out;
};

/* The first of a query's keys that has a readable record. */
static void first_record(struct store *s, struct sql *q, enum sql_id id, struct past_query *p)
{
    while (!p->out->has_last && sql_next(q, id)) {
        struct sha256 key;
        struct error e;
        p->out->has_last = sql_hash(q, id, 0, &key) &&
                           entry_read_record(s, p->arena, &key, &p->out->last, &e) == STORE_HIT;
    }
    sql_stop(q, id);
}

static bool past_work(struct store *s, struct sql *q, void *context)
{
    struct past_query *p = context;
    const struct store_record *r = p->record;
    struct store_past *out = p->out;
    *out = (struct store_past){.change = STR("")};
    if (r->source.len > 0) {
        if (!sql_start(q, SQL_PLACE_KEY, "t", r->source)) {
            return false;
        }
        first_record(s, q, SQL_PLACE_KEY, p);
    }
    if (!out->has_last && r->workunit.len > 0) {
        if (!sql_start(q, SQL_ENTRY_LATEST, "ttt", r->workunit, r->module, r->types)) {
            return false;
        }
        first_record(s, q, SQL_ENTRY_LATEST, p);
    }
    if (!sql_start(q, SQL_COMPILE_KNOWN, "h", &r->key)) {
        return false;
    }
    out->knew_key = sql_next(q, SQL_COMPILE_KNOWN);
    sql_stop(q, SQL_COMPILE_KNOWN);
    if (r->has_ast_hash) {
        const struct sha256 *from =
            out->has_last && out->last.has_ast_hash ? &out->last.ast_hash : NULL;
        if (!sql_start(q, SQL_CHANGE_TO, "tthh", r->workunit, r->module, &r->ast_hash, from)) {
            return false;
        }
        if (sql_next(q, SQL_CHANGE_TO)) {
            out->change = sql_text(q, SQL_CHANGE_TO, 0, p->arena);
        }
        sql_stop(q, SQL_CHANGE_TO);
    }
    if (!sql_start(q, SQL_COMPILES_OF_BUILD, "t", p->build)) {
        return false;
    }
    if (sql_next(q, SQL_COMPILES_OF_BUILD)) {
        out->compiled = (size_t)sql_int(q, SQL_COMPILES_OF_BUILD, 0);
    }
    sql_stop(q, SQL_COMPILES_OF_BUILD);
    return true;
}

bool store_past(struct store *s, struct arena *a, const struct store_record *record,
                struct str build, struct store_past *out)
{
    struct past_query p = {a, record, build, out};
    struct error e;
    return manifest_do(s, MANIFEST_QUICK, false, MANIFEST_WAIT_SHORT_MS, past_work, &p, &e);
}

/* ---- compiles of a folder ------------------------------------------------------------------- */

struct below_query {
    struct arena *arena;
    struct str folder;
    size_t limit;
    struct vec found;
};

static bool below_work(struct store *s, struct sql *q, void *context)
{
    (void)s;
    struct below_query *b = context;
    const enum sql_id id = SQL_COMPILES_BELOW;
    const int64_t limit = b->limit > INT32_MAX ? INT32_MAX : (int64_t)b->limit;
    vec_init(&b->found, b->arena);
    /* '0' follows '/': all paths that begin with "folder/". */
    if (!sql_start(q, id, "tti", str_format(b->arena, STR_FMT "/", STR_ARG(b->folder)),
                   str_format(b->arena, STR_FMT "0", STR_ARG(b->folder)), limit)) {
        return false;
    }
    while (sql_next(q, id)) {
        struct store_compile *c = ARENA_NEW(b->arena, struct store_compile);
        c->time = sql_int(q, id, 0);
        c->build = sql_text(q, id, 1, b->arena);
        c->source = sql_text(q, id, 2, b->arena);
        c->module = sql_text(q, id, 3, b->arena);
        c->workunit = sql_text(q, id, 4, b->arena);
        c->types = sql_text(q, id, 5, b->arena);
        c->cause = sql_text(q, id, 6, b->arena);
        c->text = sql_text(q, id, 7, b->arena);
        c->compile_ms = sql_int(q, id, 8);
        vec_push(&b->found, c);
    }
    return true;
}

bool store_compiles(struct store *s, struct arena *a, struct str folder, size_t limit,
                    struct store_compile **compiles, size_t *count, struct error *e)
{
    struct below_query b = {.arena = a, .folder = folder, .limit = limit};
    *count = 0;
    if (!manifest_do(s, MANIFEST_FULL, false, MANIFEST_WAIT_MS, below_work, &b, e)) {
        return false;
    }
    *compiles = ARENA_ARRAY(a, struct store_compile, b.found.count);
    for (size_t i = 0; i < b.found.count; i++) {
        (*compiles)[i] = *(const struct store_compile *)b.found.items[i];
    }
    *count = b.found.count;
    return true;
}
