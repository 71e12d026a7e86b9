/*
 * What a team kernel needs of its launch: scratch memory as far as it is known before; one thread a
 * team, where not all threads come to a place that waits for all of them.
 */
#include "kernel/emit.h"

/* ---- where only some threads come ----------------------------------------------------------- */

enum { MOST_CALLS = 20 }; /* nested ones that are looked into */

struct divergence {
    struct emit *e;
    struct emit_table tainted; /* ir_var: its value may differ from thread to thread */
    bool grew;
    bool apart;         /* here only some of the threads come */
    bool shared;        /* what they assign here, all get */
    const char *reason; /* what they come to */
    int depth;
};

static void find_taint(void *context, const struct ir_expr *x);

struct taint {
    struct divergence *d;
    bool found;
};

static bool is_tainted(struct divergence *d, const struct ir_expr *x)
{
    struct taint t = {d, false};
    if (x) {
        find_taint(&t, x);
    }
    return t.found;
}

static bool reads_tainted(struct divergence *d, const struct ir_function *f);

/* What gives each thread another value. */
static bool is_own(const struct ir_expr *x)
{
    return (x->kind == IR_TEAM_CALL && x->team == TEAM_RANK) || x->kind == IR_ATOMIC ||
           x->kind == IR_RANDOM;
}

static void find_taint(void *context, const struct ir_expr *x)
{
    struct taint *t = context;
    if (is_own(x) || (x->kind == IR_VAR && emit_table_get(&t->d->tainted, x->var)) ||
        (x->kind == IR_CALL && !t->found && reads_tainted(t->d, x->function))) {
        t->found = true;
    }
    ir_expr_children(x, find_taint, context);
}

static void taint(struct divergence *d, const struct ir_var *var)
{
    if (!emit_table_get(&d->tainted, var)) {
        emit_table_set(&d->tainted, var, d);
        d->grew = true;
    }
}

static bool leaves(const struct ir_block *b, enum ir_stmt_kind kind)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct ir_stmt *s = b->items[i];
        const bool loop = s->kind == IR_FOR || s->kind == IR_WHILE;
        if (s->kind == kind || (kind != IR_RETURN && loop ? false : leaves(&s->body, kind)) ||
            leaves(&s->orelse, kind)) {
            return true;
        }
    }
    return false;
}

/* Does the function see a value that may differ from thread to thread? */
static void find_tainted_read(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    struct taint *t = context;
    t->found = t->found || is_own(x) ||
               (x->kind == IR_VAR && emit_table_get(&t->d->tainted, x->var)) ||
               (x->kind == IR_CALL && reads_tainted(t->d, x->function));
}

static bool reads_tainted(struct divergence *d, const struct ir_function *f)
{
    struct taint t = {d, false};
    const struct emit_walk w = {NULL, find_tainted_read, &t};
    if (++d->depth < MOST_CALLS) {
        emit_walk_block(&w, &f->body, f);
    }
    d->depth--;
    return t.found;
}

static bool leaves_loop(const struct ir_block *b)
{
    return leaves(b, IR_BREAK) || leaves(b, IR_CONTINUE);
}

static bool visit_block(struct divergence *d, const struct ir_block *b);

static void visit_function(struct divergence *d, const struct ir_function *f, bool apart)
{
    const bool outer = d->apart;
    if (++d->depth < MOST_CALLS) {
        d->apart = outer || apart;
        visit_block(d, &f->body);
        d->apart = outer;
    }
    d->depth--;
}

static void visit_expr(void *context, const struct ir_expr *x)
{
    struct divergence *d = context;
    ir_expr_children(x, visit_expr, context);
    if (x->kind == IR_TEAM_CALL && x->team == TEAM_BARRIER && d->apart) {
        d->reason = "team_barrier()";
    } else if (x->kind == IR_MATH && x->math == MATH_INCLUSIVE_SCAN && d->apart) {
        d->reason = "inclusive_scan";
    } else if (x->kind == IR_CALL) {
        for (size_t i = 0; i < x->arg_count && i < x->function->parameter_count; i++) {
            if (is_tainted(d, x->args[i])) {
                taint(d, x->function->parameters[i]);
            }
        }
        visit_function(d, x->function, false);
    }
}

static const char *const pattern_names[] = {"parallel_for", "parallel_reduce", "parallel_scan"};

/* Returns whether what follows in the block is for some threads only. */
static bool visit(struct divergence *d, const struct ir_stmt *s)
{
    const bool outer = d->apart, shared = d->shared;
    bool rest = false;
    ir_stmt_expressions(s, visit_expr, d);
    if (s->kind == IR_ASSIGN && ((d->apart && !d->shared) || is_tainted(d, s->value))) {
        taint(d, s->var);
    }
    switch (s->kind) {
    case IR_IF:
    case IR_WHILE:
    case IR_FOR: {
        const bool differs = is_tainted(d, s->test) || is_tainted(d, s->start) ||
                             is_tainted(d, s->stop) || is_tainted(d, s->step);
        if (differs && s->var) {
            taint(d, s->var);
        }
        d->apart = outer || differs;
        bool left = visit_block(d, &s->body);
        if (s->kind == IR_IF) {
            left = visit_block(d, &s->orelse) || left;
            rest = left || (differs && (leaves_loop(&s->body) || leaves_loop(&s->orelse)));
        } else if (left) {
            d->apart = true; /* some have left the loop, or a round of it */
            visit_block(d, &s->body);
        }
        const bool returns = leaves(&s->body, IR_RETURN) || leaves(&s->orelse, IR_RETURN);
        rest = rest || ((left || differs) && returns);
        break;
    }
    case IR_PARALLEL:
        if (s->nested != NESTED_THREAD_VECTOR && d->apart) {
            d->reason = pattern_names[s->operation];
        }
        if (s->nested != NESTED_THREAD_VECTOR) {
            taint(d, s->function->parameters[0]);
        } else if (s->var && (d->apart || reads_tainted(d, s->function))) {
            taint(d, s->var);
        }
        visit_function(d, s->function, s->nested != NESTED_THREAD_VECTOR);
        break;
    case IR_SINGLE:
        if (d->apart && emit_single_shares(d->e, s)) {
            d->reason = "single(PerTeam), which gives values to all of them";
        }
        d->apart = outer || s->per_team;
        d->shared = d->shared || s->per_team;
        visit_block(d, &s->body);
        break;
    default: break;
    }
    d->apart = outer;
    d->shared = shared;
    return rest;
}

/* Returns whether some threads leave it before its end. */
static bool visit_block(struct divergence *d, const struct ir_block *b)
{
    const bool outer = d->apart;
    bool left = false;
    for (size_t i = 0; i < b->count; i++) {
        left = visit(d, b->items[i]) || left;
        d->apart = outer || left;
    }
    d->apart = outer;
    return left;
}

/* What only some threads of a team may come to although all must; NULL: nothing. */
static const char *met_apart(struct emit *e)
{
    struct divergence d = {.e = e};
    d.tainted.arena = e->arena;
    do {
        d.grew = false;
        visit_block(&d, &e->kernel->body);
    } while (d.grew);
    return d.reason;
}

/* ---- scratch memory known before the launch ------------------------------------------------- */

struct planning {
    struct emit *e;
    struct emit_table values; /* ir_var -> ir_expr: a local's value, of parameters alone */
    struct vec used;          /* const struct ir_var *: parameters and fields */
    struct buf lines;
};

static void use_var(struct planning *p, const struct ir_var *var)
{
    for (size_t i = 0; i < p->used.count; i++) {
        if (p->used.items[i] == (const void *)var) {
            return;
        }
    }
    vec_push(&p->used, (void *)(uintptr_t)var);
}

static const struct ir_expr *planned(struct planning *p, const struct ir_expr *x);

/* The same tree over planned operands; NULL: one is not known before the launch. */
static const struct ir_expr *planned_parts(struct planning *p, const struct ir_expr *x)
{
    struct ir_expr *copy = ARENA_NEW(p->e->arena, struct ir_expr);
    *copy = *x;
    copy->args = ARENA_ARRAY(p->e->arena, const struct ir_expr *, x->arg_count);
    for (size_t i = 0; i < x->arg_count; i++) {
        copy->args[i] = planned(p, x->args[i]);
        if (!copy->args[i]) {
            return NULL;
        }
    }
    return copy;
}

static const struct ir_expr *planned_var(struct planning *p, const struct ir_expr *x)
{
    const enum ir_var_kind kind = x->var->kind;
    if (kind == VAR_LOCAL || kind == VAR_TEMP) {
        return emit_table_get(&p->values, x->var);
    }
    const bool fixed = kind == VAR_FIELD || kind == VAR_PARAMETER;
    if (!fixed || emit_var_of(p->e, x->var)->writes > 0 || x->type->kind == TYPE_STRUCT) {
        return NULL;
    }
    return x;
}

static const struct ir_expr *planned(struct planning *p, const struct ir_expr *x)
{
    switch (x->kind) {
    case IR_INT: return x;
    case IR_VAR: return planned_var(p, x);
    case IR_TEAM_CALL: return x->team == TEAM_SIZE ? x : NULL;
    case IR_EXTENT:
    case IR_SIZE:
    case IR_CONVERT:
    case IR_NEG:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_FLOORDIV:
    case IR_MOD:
    case IR_MIN:
    case IR_MAX: return planned_parts(p, x);
    default: return NULL;
    }
}

static void find_used(void *context, const struct ir_expr *x)
{
    struct planning *p = context;
    if (x->kind == IR_VAR) {
        use_var(p, x->var);
    }
    ir_expr_children(x, find_used, context);
}

/* plan.used[kind] += element * counts */
static void add_array(struct planning *p, const char *member, int kind, const struct type *element,
                      const struct ir_expr *const *counts, size_t count)
{
    struct emit *e = p->e;
    struct buf *const out = e->out;
    e->header[HEADER_SCRATCH] = true;
    e->out = &p->lines;
    buf_printf(e->out, "    pkc::scratch_plan(" STR_FMT ".%s[%d], pkc::scratch_bytes(%d",
               STR_ARG(e->team), member, kind, type_size(element->kind));
    for (size_t i = 0; i < count; i++) {
        find_used(p, counts[i]);
        emit_text(e, ", pkc::int64(");
        emit_expr(e, counts[i], PREC_ANY);
        emit_text(e, ")");
    }
    emit_text(e, "));\n");
    e->out = out;
}

static void plan_view(struct planning *p, const struct ir_expr *x)
{
    const struct ir_expr *const copy = planned_parts(p, x);
    if (copy) {
        add_array(p, "used", (int)x->scratch, x->type->element, copy->args, copy->arg_count);
    }
}

/* The views that the workunit takes in any case: those before it branches off. */
static void plan_views(struct planning *p)
{
    const struct ir_block *b = &p->e->kernel->body;
    for (size_t i = 0; i < b->count; i++) {
        const struct ir_stmt *s = b->items[i];
        if (leaves(&(struct ir_block){&b->items[i], 1}, IR_RETURN)) {
            return;
        }
        if (s->kind != IR_ASSIGN) {
            continue;
        }
        if (s->value->kind == IR_SCRATCH) {
            plan_view(p, s->value);
        } else if (s->value->type->kind == TYPE_INT64 && emit_var_of(p->e, s->var)->writes == 1) {
            const struct ir_expr *value = planned(p, s->value);
            if (value) {
                emit_table_set(&p->values, s->var, (void *)(uintptr_t)value);
            }
        }
    }
}

/* ---- the function --------------------------------------------------------------------------- */

static void add_parameters(struct planning *p, struct str given)
{
    struct emit *e = p->e;
    const struct kernel *k = e->kernel;
    for (size_t i = 0; i < p->used.count; i++) {
        const struct ir_var *var = p->used.items[i];
        for (size_t j = 0; j < k->parameter_count; j++) {
            if (k->parameters[j].var != var) {
                continue;
            }
            emit_text(e, "    const ");
            emit_type(e, var->type);
            buf_printf(e->out, " " STR_FMT " = " STR_FMT "." STR_FMT ";\n",
                       STR_ARG(emit_var_of(e, var)->name), STR_ARG(given),
                       STR_ARG(kernel_args_member(e->arena, k, k->field_count + j)));
        }
    }
}

/* Parameters that the body does not use have any value, too. */
static void widen(struct planning *p, const struct ir_expr *x);

static void widen_part(void *context, const struct ir_expr *x)
{
    widen(context, x);
}

static void widen(struct planning *p, const struct ir_expr *x)
{
    if (x->kind == IR_VAR && type_is_integer(x->type->kind)) {
        emit_var_of(p->e, x->var)->range = emit_type_range(x->type->kind);
    }
    ir_expr_children(x, widen_part, p);
}

void emit_plan(struct emit *e)
{
    const struct kernel *k = e->kernel;
    const char *const apart = met_apart(e);
    emit_release_name(e, STR("args")); /* the kernel's function has ended */
    emit_release_name(e, STR("given"));
    const struct str args = emit_take_name(e, STR("args"));
    const struct str needs = emit_take_name(e, STR("needs"));
    const struct str given = emit_take_name(e, STR("given"));
    const struct str self = e->self;
    struct planning p = {.e = e};
    p.values.arena = e->arena;
    vec_init(&p.used, e->arena);
    buf_init(&p.lines, e->arena);
    e->team = emit_take_name(e, STR("plan"));
    e->self = given;
    for (size_t i = 0; i < k->scratch_count; i++) {
        widen(&p, k->scratch[i].count);
        add_array(&p, "declared", SCRATCH_TEAM_0, k->scratch[i].element, &k->scratch[i].count, 1);
    }
    plan_views(&p);
    buf_printf(e->out,
               "PKC_EXPORT void " STR_FMT "_plan(const void *" STR_FMT ", void *" STR_FMT ")\n{\n",
               STR_ARG(e->symbol), STR_ARG(args), STR_ARG(needs));
    if (p.used.count > 0) {
        buf_printf(e->out,
                   "    const " STR_FMT "_args &" STR_FMT " = *static_cast<const " STR_FMT
                   "_args *>(" STR_FMT ");\n",
                   STR_ARG(e->symbol), STR_ARG(given), STR_ARG(e->symbol), STR_ARG(args));
    } else {
        buf_printf(e->out, "    static_cast<void>(" STR_FMT ");\n", STR_ARG(args));
    }
    if (p.lines.len > 0 || apart) {
        e->header[HEADER_TEAM] = true;
        buf_printf(e->out,
                   "    pkc::team_needs &" STR_FMT " = *static_cast<pkc::team_needs *>(" STR_FMT
                   ");\n",
                   STR_ARG(e->team), STR_ARG(needs));
    } else {
        buf_printf(e->out, "    static_cast<void>(" STR_FMT ");\n", STR_ARG(needs));
    }
    add_parameters(&p, given);
    buf_add(e->out, buf_str(&p.lines));
    if (apart) {
        buf_printf(e->out,
                   "    " STR_FMT ".one_thread = \"only some threads of a team come to its %s\";\n",
                   STR_ARG(e->team), apart);
    }
    emit_text(e, "}\n");
    e->self = self;
}
