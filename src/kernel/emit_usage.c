/* Who reads, writes and captures which variable; the names of variables in C++. */
#include "kernel/emit.h"

#include <string.h>

/* ---- a map from pointers -------------------------------------------------------------------- */

static size_t slot_of(const struct emit_table *t, const void *key)
{
    size_t slot = ((uintptr_t)key >> 4) * 0x9E3779B1u & (t->cap - 1);
    while (t->keys[slot] && t->keys[slot] != key) {
        slot = (slot + 1) & (t->cap - 1);
    }
    return slot;
}

void *emit_table_get(const struct emit_table *t, const void *key)
{
    return t->count > 0 ? t->values[slot_of(t, key)] : NULL;
}

void emit_table_set(struct emit_table *t, const void *key, void *value)
{
    if (t->count * 2 >= t->cap) {
        const struct emit_table old = *t;
        t->cap = old.cap > 0 ? old.cap * 2 : 64;
        t->keys = ARENA_ARRAY(t->arena, const void *, t->cap);
        t->values = ARENA_ARRAY(t->arena, void *, t->cap);
        for (size_t i = 0; i < old.cap; i++) {
            if (old.keys[i]) {
                const size_t slot = slot_of(t, old.keys[i]);
                t->keys[slot] = old.keys[i];
                t->values[slot] = old.values[i];
            }
        }
    }
    const size_t slot = slot_of(t, key);
    if (!t->keys[slot]) {
        t->keys[slot] = key;
        t->count++;
    }
    t->values[slot] = value;
}

/* ---- walking -------------------------------------------------------------------------------- */

struct walking {
    const struct emit_walk *walk;
    const struct ir_function *function;
};

static void walk_expr(void *context, const struct ir_expr *x)
{
    const struct walking *w = context;
    if (w->walk->expression) {
        w->walk->expression(w->walk->context, x, w->function);
    }
    ir_expr_children(x, walk_expr, context);
}

static void walk_stmt(void *context, const struct ir_stmt *s)
{
    const struct walking *w = context;
    if (w->walk->statement) {
        w->walk->statement(w->walk->context, s, w->function);
    }
    ir_stmt_expressions(s, walk_expr, context);
    ir_block_statements(&s->body, walk_stmt, context);
    ir_block_statements(&s->orelse, walk_stmt, context);
}

void emit_walk_block(const struct emit_walk *w, const struct ir_block *b,
                     const struct ir_function *f)
{
    struct walking walking = {w, f};
    ir_block_statements(b, walk_stmt, &walking);
}

void emit_walk_kernel(const struct emit_walk *w, const struct kernel *k)
{
    emit_walk_block(w, &k->body, NULL);
    for (size_t i = 0; i < k->function_count; i++) {
        emit_walk_block(w, &k->functions[i]->body, k->functions[i]);
    }
}

/* ---- uses ----------------------------------------------------------------------------------- */

struct emit_var *emit_var_of(struct emit *e, const struct ir_var *var)
{
    struct emit_var *v = emit_table_get(&e->vars, var);
    if (!v) {
        v = ARENA_NEW(e->arena, struct emit_var);
        v->var = var;
        v->owner = var->owner;
        emit_table_set(&e->vars, var, v);
    }
    return v;
}

static void note_use(struct emit *e, const struct ir_var *var, const struct ir_function *f)
{
    struct emit_var *v = emit_var_of(e, var);
    v->captured = v->captured || v->owner != f;
}

/* The variable that a store into a member or a list's element changes; NULL: none. */
static const struct ir_var *stored_var(const struct ir_expr *target)
{
    while (target->kind == IR_MEMBER ||
           (target->kind == IR_ELEMENT && target->args[0]->type->kind == TYPE_ARRAY)) {
        target = target->args[0];
    }
    return target->kind == IR_VAR ? target->var : NULL;
}

/* What is passed by reference may be changed by the function. */
static void use_references(struct emit *e, const struct ir_expr *x)
{
    for (size_t i = 0; i < x->arg_count && i < x->function->parameter_count; i++) {
        const struct ir_var *p = x->function->parameters[i];
        const struct ir_var *v = p->by_reference ? stored_var(x->args[i]) : NULL;
        if (v) {
            emit_var_of(e, v)->writes += 2; /* never const */
        }
    }
}

static void use_expr(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    if (x->kind == IR_VAR) {
        note_use(context, x->var, f);
        emit_var_of(context, x->var)->reads++;
    } else if (x->kind == IR_CALL) {
        use_references(context, x);
    }
}

struct own_reads {
    const struct ir_var *var;
    int count;
};

static void count_own(void *context, const struct ir_expr *x)
{
    struct own_reads *own = context;
    own->count += x->kind == IR_VAR && x->var == own->var;
    ir_expr_children(x, count_own, context);
}

static void use_stmt(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    if (s->var) {
        note_use(context, s->var, f);
        emit_var_of(context, s->var)->writes++;
        if (s->kind == IR_ASSIGN) {
            /* To compilers, a variable that only its own next value needs is not read. */
            struct own_reads own = {s->var, 0};
            ir_stmt_expressions(s, count_own, &own);
            emit_var_of(context, s->var)->reads -= own.count;
        }
        if (s->kind == IR_ACC_UPDATE) {
            emit_var_of(context, s->var)->reads++;
        }
    }
    const struct ir_var *stored = s->kind == IR_STORE ? stored_var(s->target) : NULL;
    if (stored) {
        emit_var_of(context, stored)->writes += 2; /* never const */
    }
}

static void name_var(struct emit *e, const struct ir_var *var, const struct ir_function *owner)
{
    struct emit_var *v = emit_var_of(e, var);
    v->owner = owner;
    if (v->name.len == 0) {
        v->name = emit_fresh_name(e, cpp_identifier(e->arena, var->name));
    }
}

static void name_parameters(struct emit *e, const struct parameter *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (p[i].var) {
            name_var(e, p[i].var, NULL);
        }
    }
}

static void name_function(struct emit *e, const struct ir_function *f)
{
    for (size_t i = 0; i < f->parameter_count; i++) {
        name_var(e, f->parameters[i], f);
    }
    for (size_t i = 0; i < f->var_count; i++) {
        name_var(e, f->vars[i], f);
    }
}

/* Inner functions see the names around them; those beside each other may use the same ones. */
static void name_inner(struct emit *e, const struct ir_function *parent)
{
    const struct map around = e->taken;
    for (size_t i = 0; i < e->kernel->function_count; i++) {
        const struct ir_function *f = e->kernel->functions[i];
        if (!f->inner || f->parent != parent) {
            continue;
        }
        map_init(&e->taken, e->arena);
        for (size_t n = 0; n < around.count; n++) {
            map_set(&e->taken, around.entries[n].key, e);
        }
        name_function(e, f);
        name_inner(e, f);
    }
    e->taken = around;
}

static void name_globals(struct emit *e)
{
    const struct kernel *k = e->kernel;
    static const char *const suffixes[] = {"_args", "_kernel", "_plan"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const struct str name = str_format(e->arena, STR_FMT "%s", STR_ARG(e->symbol), suffixes[i]);
        map_set(&e->taken_globally, name, e);
    }
    for (size_t i = 0; i < k->function_count; i++) {
        map_set(&e->taken_globally, k->functions[i]->symbol, e);
        map_set(&e->all_names, k->functions[i]->symbol, e);
    }
    for (size_t i = 0; i < k->struct_count; i++) {
        map_set(&e->taken_globally, k->structs[i]->name, e);
        map_set(&e->all_names, k->structs[i]->name, e);
    }
}

void emit_usage(struct emit *e)
{
    const struct kernel *k = e->kernel;
    name_globals(e);
    for (size_t i = 0; i < k->function_count; i++) {
        const struct ir_function *f = k->functions[i];
        if (!f->inner) {
            map_init(&e->taken, e->arena);
            map_set(&e->taken, STR("self"), e);
            name_function(e, f);
            name_inner(e, f);
        }
    }
    map_init(&e->taken, e->arena);
    name_parameters(e, k->leading, k->leading_count);
    name_parameters(e, k->parameters, k->parameter_count);
    for (size_t i = 0; i < k->var_count; i++) {
        const enum ir_var_kind kind = k->vars[i]->kind;
        if (kind != VAR_FIELD) {
            name_var(e, k->vars[i], NULL);
        }
    }
    name_inner(e, NULL);
    const struct emit_walk w = {use_stmt, use_expr, e};
    emit_walk_kernel(&w, k);
}

/* ---- shapes of bodies ----------------------------------------------------------------------- */

bool emit_has_loop(const struct ir_block *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct ir_stmt *s = b->items[i];
        if (s->kind == IR_FOR || s->kind == IR_WHILE || s->kind == IR_PARALLEL ||
            emit_has_loop(&s->body) || emit_has_loop(&s->orelse)) {
            return true;
        }
    }
    return false;
}

static bool returns(const struct ir_block *b, bool in_loop)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct ir_stmt *s = b->items[i];
        const bool loop = in_loop || s->kind == IR_FOR || s->kind == IR_WHILE;
        if ((s->kind == IR_RETURN && in_loop) || returns(&s->body, loop) ||
            returns(&s->orelse, in_loop)) {
            return true;
        }
    }
    return false;
}

bool emit_returns_in_loop(const struct ir_block *b)
{
    return returns(b, false);
}

bool emit_same(const struct ir_expr *a, const struct ir_expr *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->arg_count != b->arg_count || !type_equal(a->type, b->type)) {
        return false;
    }
    switch (a->kind) {
    case IR_INT:
    case IR_BOOL: return a->integer == b->integer;
    case IR_FLOAT: return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    case IR_VAR: return a->var == b->var;
    case IR_MEMBER:
        if (!str_equal(a->name, b->name)) {
            return false;
        }
        break;
    case IR_ELEMENT:
    case IR_EXTENT:
    case IR_SIZE:
    case IR_CONVERT:
    case IR_NEG:
    case IR_INVERT:
    case IR_NOT:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_TRUEDIV:
    case IR_FLOORDIV:
    case IR_MOD:
    case IR_BIT_AND:
    case IR_BIT_OR:
    case IR_BIT_XOR:
    case IR_LSHIFT:
    case IR_RSHIFT: break;
    default: return false;
    }
    for (size_t i = 0; i < a->arg_count; i++) {
        if (!emit_same(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

struct lane_search {
    const struct ir_var *acc;
    int reads, updates;
    enum ir_expr_kind op;
    bool mixed;
};

static void lane_read(void *context, const struct ir_expr *x)
{
    struct lane_search *s = context;
    s->reads += x->kind == IR_VAR && x->var == s->acc;
    ir_expr_children(x, lane_read, context);
}

static void lane_update(struct lane_search *s, enum ir_expr_kind op)
{
    s->mixed = s->mixed || (s->updates > 0 && op != s->op);
    s->op = op;
    s->updates++;
}

static bool is_var(const struct ir_expr *x, const struct ir_var *var)
{
    return x->kind == IR_VAR && x->var == var;
}

/* `if value > acc: acc = value` and its kin: IR_MAX or IR_MIN; IR_PRINTF: it is none. */
static enum ir_expr_kind lane_choice(const struct lane_search *s, const struct ir_stmt *x)
{
    const struct ir_expr *t = x->test;
    if (x->kind != IR_IF || x->orelse.count != 0 || x->body.count != 1 || t->kind < IR_LT ||
        t->kind > IR_GE) {
        return IR_PRINTF;
    }
    const struct ir_stmt *set = x->body.items[0];
    const bool right = is_var(t->args[1], s->acc);
    const struct ir_expr *value = t->args[right ? 0 : 1];
    if (set->kind != IR_ASSIGN || set->var != s->acc || !is_var(t->args[right ? 1 : 0], s->acc) ||
        !emit_same(value, set->value)) {
        return IR_PRINTF;
    }
    const bool above = t->kind == IR_GT || t->kind == IR_GE;
    return above == right ? IR_MAX : IR_MIN;
}

static void lane_stmt(void *context, const struct ir_stmt *x)
{
    struct lane_search *s = context;
    const enum ir_expr_kind choice = lane_choice(s, x);
    if (choice != IR_PRINTF) {
        lane_update(s, choice);
        return;
    }
    ir_stmt_expressions(x, lane_read, s);
    if (x->var == s->acc) {
        lane_update(s, x->op);
        s->mixed = s->mixed || x->kind != IR_ACC_UPDATE;
    }
    ir_block_statements(&x->body, lane_stmt, s);
    ir_block_statements(&x->orelse, lane_stmt, s);
}

bool emit_uses_lanes(struct emit *e)
{
    const struct kernel *k = e->kernel;
    struct lane_search s = {0};
    for (size_t i = 0; i < k->leading_count; i++) {
        if (k->leading[i].var && k->leading[i].var->kind == VAR_ACC) {
            s.acc = k->leading[i].var;
        }
    }
    if (!s.acc || emit_var_of(e, s.acc)->captured || emit_has_loop(&k->body)) {
        return false;
    }
    ir_block_statements(&k->body, lane_stmt, &s);
    return s.reads == 0 && s.updates > 0 && !s.mixed;
}
