/*
 * Evaluation order. Python evaluates operands from left to right, C++ in any order; what an
 * operand with side effects could change, or be changed by, goes into a temporary first.
 *
 * Operands are lowered in Python's order; each may emit statements. When all are there, those that
 * must have been evaluated before a later one's effect are put into temporaries, inserted where
 * they were lowered.
 */
#include "kernel/lower.h"

#include <string.h>

struct ir_stmt *low_stmt_new(struct low_scope *s, enum ir_stmt_kind kind, const struct ast_node *n)
{
    struct ir_stmt *stmt = ARENA_NEW(s->unit->l->a, struct ir_stmt);

    stmt->kind = kind;
    stmt->node = n;
    stmt->module = s->module;
    return stmt;
}

void low_emit(struct low_scope *s, const struct ir_stmt *stmt)
{
    vec_push(s->block, (void *)(uintptr_t)stmt);
}

static void insert(struct low_scope *s, size_t at, const struct ir_stmt *stmt)
{
    low_emit(s, stmt);
    memmove(s->block->items + at + 1, s->block->items + at,
            (s->block->count - 1 - at) * sizeof(void *));
    s->block->items[at] = (void *)(uintptr_t)stmt;
}

static const struct ir_stmt *assignment(struct low_scope *s, const struct ast_node *n,
                                        const struct ir_var *v, const struct ir_expr *value)
{
    struct ir_stmt *stmt = low_stmt_new(s, IR_ASSIGN, n);

    stmt->var = v;
    stmt->value = value;
    return stmt;
}

void low_emit_assign(struct low_scope *s, const struct ast_node *n, const struct ir_var *v,
                     const struct ir_expr *value)
{
    low_emit(s, assignment(s, n, v, value));
}

struct vec *low_block_begin(struct low_scope *s, struct vec *block)
{
    struct vec *outer = s->block;

    vec_init(block, s->unit->l->a);
    s->block = block;
    return outer;
}

void low_block_end(struct low_scope *s, struct vec *outer)
{
    s->block = outer;
}

struct ir_block low_block(struct low_scope *s, const struct vec *block)
{
    struct ir_block b = {.count = block->count};
    const struct ir_stmt **items = ARENA_ARRAY(s->unit->l->a, const struct ir_stmt *, block->count);

    for (size_t i = 0; i < block->count; i++) {
        items[i] = block->items[i];
    }
    b.items = items;
    return b;
}

/* ---- effects -------------------------------------------------------------------------------- */

struct effects_walk {
    const struct ir_function *function;
    unsigned effects;
};

static void stmt_effects(void *context, const struct ir_stmt *s);

static void expr_effects(void *context, const struct ir_expr *e)
{
    struct effects_walk *w = context;

    w->effects |= e->effects;
}

/* The variable whose memory a place is in; NULL: a view's. */
static const struct ir_var *place_root(const struct ir_expr *e)
{
    while (e->kind == IR_MEMBER ||
           (e->kind == IR_ELEMENT && e->args[0]->type && e->args[0]->type->kind == TYPE_ARRAY)) {
        e = e->args[0];
    }
    return e->kind == IR_VAR ? e->var : NULL;
}

static bool is_private(const struct ir_var *v, const struct ir_function *f)
{
    return v && f && v->owner == f && !v->by_reference && v->kind != VAR_ACC;
}

static void stmt_effects(void *context, const struct ir_stmt *s)
{
    struct effects_walk *w = context;

    ir_stmt_expressions(s, expr_effects, w);
    switch (s->kind) {
    case IR_ASSIGN:
    case IR_FOR:
        if (w->function ? !is_private(s->var, w->function) : s->var->kind != VAR_TEMP) {
            w->effects |= EFFECT_WRITES;
        }
        break;
    case IR_STORE:
        if (!is_private(place_root(s->target), w->function)) {
            w->effects |= EFFECT_WRITES;
        }
        break;
    case IR_ACC_UPDATE:
    case IR_PARALLEL:
    case IR_LAUNCH:
    case IR_SINGLE: w->effects |= EFFECT_READS | EFFECT_WRITES; break;
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_EVAL:
    case IR_IF:
    case IR_WHILE:
    case IR_CHECK: break;
    }
    ir_block_statements(&s->body, stmt_effects, w);
    ir_block_statements(&s->orelse, stmt_effects, w);
}

unsigned low_block_effects(const struct ir_block *b, const struct ir_function *f)
{
    struct effects_walk w = {.function = f};

    ir_block_statements(b, stmt_effects, &w);
    return w.effects;
}

static bool statements_write(const struct vec *block, size_t from)
{
    struct effects_walk w = {.function = NULL};

    for (size_t i = from; i < block->count && !(w.effects & EFFECT_WRITES); i++) {
        stmt_effects(&w, block->items[i]);
    }
    return (w.effects & EFFECT_WRITES) != 0;
}

/* ---- temporaries ---------------------------------------------------------------------------- */

const struct ir_var *low_temp(struct low_scope *s, const struct type *t)
{
    struct str name;

    do {
        name = str_format(s->unit->l->a, "t%u", ++s->unit->temp_count);
    } while (low_scope_find(s, name));
    struct ir_var *v = low_ir_var(s->unit->l, VAR_TEMP, name, t, s->function);
    v->assigned = true;
    vec_push(&s->temps, v);
    return v;
}

bool low_is_simple(const struct ir_expr *e)
{
    return e->kind == IR_INT || e->kind == IR_FLOAT || e->kind == IR_BOOL || e->kind == IR_VAR ||
           (e->kind == IR_CONVERT && e->args[0]->kind == IR_VAR) ||
           (e->kind == IR_EXTENT && e->args[0]->kind == IR_VAR && e->args[1]->kind == IR_INT);
}

const struct ir_expr *low_temp_at(struct low_scope *s, const struct ir_expr *e, size_t at)
{
    const struct ir_var *v = low_temp(s, e->type);

    insert(s, at, assignment(s, e->node, v, e));
    return low_var(s, e->node, v);
}

const struct ir_expr *low_to_temp(struct low_scope *s, const struct ir_expr *e)
{
    return e->type ? low_temp_at(s, e, s->block->count) : e;
}

const struct ir_expr *low_simple(struct low_scope *s, const struct ir_expr *e)
{
    return low_is_simple(e) ? e : low_to_temp(s, e);
}

void low_operands_begin(struct low_operands *o, struct low_scope *s, size_t cap)
{
    o->s = s;
    o->items = ARENA_ARRAY(s->unit->l->a, const struct ir_expr *, cap);
    o->marks = ARENA_ARRAY(s->unit->l->a, size_t, cap);
    o->count = 0;
    o->cap = cap;
}

void low_operands_add(struct low_operands *o, const struct ir_expr *e)
{
    o->items[o->count] = e;
    o->marks[o->count++] = o->s->block->count;
}

void low_operands_seal(struct low_operands *o)
{
    bool writes_later = false, effects_later = false;
    size_t end = o->s->block->count;

    for (size_t i = o->count; i-- > 0;) {
        const struct ir_expr *e = o->items[i];
        if (!writes_later && o->marks[i] < end) {
            writes_later = statements_write(o->s->block, o->marks[i]);
        }
        /* Inserting at a later mark first keeps the earlier marks right. */
        if (e->type && e->type->kind != TYPE_VOID &&
            ((e->effects && writes_later) || ((e->effects & EFFECT_WRITES) && effects_later))) {
            o->items[i] = low_temp_at(o->s, e, o->marks[i]);
            end = o->s->block->count;
            writes_later |= (e->effects & EFFECT_WRITES) != 0;
        }
        writes_later |= (e->effects & EFFECT_WRITES) != 0;
        effects_later |= e->effects != 0;
    }
}
