/*
 * What a team kernel needs of its launch: one thread a team, where not all threads come to a place
 * that waits for all of them.
 */
#include "kernel/emit.h"

/* ---- where only some threads come ----------------------------------------------------------- */

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
    const struct divergence *d;
    bool found;
};

static bool is_tainted(const struct divergence *d, const struct ir_expr *x)
{
    struct taint t = {d, false};
    if (x) {
        find_taint(&t, x);
    }
    return t.found;
}

static void find_taint(void *context, const struct ir_expr *x)
{
    struct taint *t = context;
    if ((x->kind == IR_TEAM_CALL && x->team == TEAM_RANK) ||
        (x->kind == IR_VAR && emit_table_get(&t->d->tainted, x->var))) {
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

struct reading {
    const struct divergence *d;
    bool found;
};

static void find_tainted_read(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    struct reading *r = context;
    r->found = r->found || is_tainted(r->d, x);
}

static bool reads_tainted(const struct divergence *d, const struct ir_function *f)
{
    struct reading r = {d, false};
    const struct emit_walk w = {NULL, find_tainted_read, &r};
    emit_walk_block(&w, &f->body, f);
    return r.found;
}

static bool leaves_loop(const struct ir_block *b)
{
    return leaves(b, IR_BREAK) || leaves(b, IR_CONTINUE);
}

static bool visit_block(struct divergence *d, const struct ir_block *b);

static void visit_function(struct divergence *d, const struct ir_function *f, bool apart)
{
    const bool outer = d->apart;
    if (++d->depth < 100) {
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

/* ---- the function --------------------------------------------------------------------------- */

void emit_plan(struct emit *e)
{
    const char *const apart = met_apart(e);
    emit_text(e, "PKC_EXPORT ");
    kernel_plan_declaration(e->out, e->kernel);
    emit_text(e, "\n{\n    static_cast<void>(args);\n");
    if (!apart) {
        emit_text(e, "    static_cast<void>(needs);\n}\n");
        return;
    }
    e->header[HEADER_TEAM] = true;
    emit_text(e, "    pkc::team_needs &plan = *static_cast<pkc::team_needs *>(needs);\n");
    buf_printf(e->out, "    plan.one_thread = \"only some threads of a team come to its %s\";\n}\n",
               apart);
}
