/*
 * Teams: each thread runs the whole body. Nested ranges over a team are split over its threads,
 * and what they accumulate is joined; with one thread a team all of that comes down to loops.
 */
#include "kernel/emit.h"

static const char *team_name(struct emit *e)
{
    e->uses_team = true;
    e->header[HEADER_TEAM] = true;
    return str_format(e->arena, STR_FMT, STR_ARG(e->team)).ptr;
}

void emit_team_call(struct emit *e, const struct ir_expr *x)
{
    switch (x->team) {
    case TEAM_LEAGUE_RANK:
        if (e->league_rank.len > 0) {
            emit_str(e, e->league_rank);
        } else {
            buf_printf(e->out, "%s.league_rank", team_name(e)); /* in a helper */
        }
        break;
    case TEAM_LEAGUE_SIZE: buf_printf(e->out, "%s.league_size", team_name(e)); break;
    case TEAM_RANK: buf_printf(e->out, "%s.rank", team_name(e)); break;
    case TEAM_SIZE: buf_printf(e->out, "%s.size", team_name(e)); break;
    case TEAM_BARRIER: buf_printf(e->out, "pkc::team_barrier(%s)", team_name(e)); break;
    }
}

/* One thread scans the view, which all of them see done. */
void emit_inclusive_scan(struct emit *e, const struct ir_expr *x)
{
    e->header[HEADER_SEARCH] = true;
    buf_printf(e->out, "pkc::team_once(%s, [&]() { ", team_name(e));
    emit_named_call(e, "pkc::inclusive_scan", x->args, 1);
    emit_text(e, "; })");
}

/* ---- scratch memory ------------------------------------------------------------------------- */

static void find_scratch(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    bool *found = context;
    *found = *found || x->kind == IR_SCRATCH;
}

bool emit_takes_scratch(const struct emit *e)
{
    bool found = false;
    const struct emit_walk w = {NULL, find_scratch, &found};
    emit_walk_kernel(&w, e->kernel);
    return found;
}

void emit_scratch(struct emit *e, const struct ir_expr *x)
{
    e->header[HEADER_SCRATCH] = true;
    emit_text(e, "pkc::scratch_view<");
    emit_type(e, x->type->element);
    buf_printf(e->out, ">(%s, %d", team_name(e), (int)x->scratch);
    for (size_t i = 0; i < x->arg_count; i++) {
        emit_text(e, ", pkc::int64(");
        emit_expr(e, x->args[i], PREC_ANY);
        emit_text(e, ")");
    }
    emit_text(e, ")");
}

/* ---- what an inner function accumulates ----------------------------------------------------- */

struct accumulation {
    const struct ir_var *acc, *last;
    enum ir_expr_kind op; /* IR_INT: not known yet */
    bool whole;           /* it cannot be put together from parts */
    bool final;           /* in a part that only a scan's last pass runs */
};

static void find_acc_read(void *context, const struct ir_expr *x)
{
    struct accumulation *a = context;
    a->whole = a->whole || (x->kind == IR_VAR && x->var == a->acc && !a->final);
    ir_expr_children(x, find_acc_read, context);
}

static void find_update(void *context, const struct ir_stmt *s)
{
    struct accumulation *a = context;
    const bool outer = a->final;
    ir_stmt_expressions(s, find_acc_read, a);
    if (s->var == a->acc) {
        a->whole =
            a->whole || s->kind != IR_ACC_UPDATE || a->final || (a->op != IR_INT && a->op != s->op);
        a->op = s->op;
    }
    a->final = outer ||
               (a->last && s->kind == IR_IF && s->test->kind == IR_VAR && s->test->var == a->last);
    ir_block_statements(&s->body, find_update, a);
    a->final = outer;
    ir_block_statements(&s->orelse, find_update, a);
}

static void find_updates_of(const struct kernel *k, struct accumulation *a,
                            const struct ir_function *f)
{
    ir_block_statements(&f->body, find_update, a);
    for (size_t i = 0; i < k->function_count; i++) {
        if (k->functions[i]->inner && k->functions[i]->parent == f) {
            find_updates_of(k, a, k->functions[i]);
        }
    }
}

struct join {
    const char *name; /* NULL: the first thread does all of it */
    bool repeats; /* a value may be joined with itself: all threads start with the first value */
    bool one;     /* the others start with 1, not 0 */
};

/* How the threads' parts of a pattern become one. */
static struct join join_of(struct emit *e, const struct ir_stmt *s)
{
    const struct ir_function *f = s->function;
    struct accumulation a = {.op = IR_INT, .acc = f->parameters[1]};
    if (s->operation == OPERATION_SCAN && f->parameter_count > 2) {
        a.last = f->parameters[2];
    }
    find_updates_of(e->kernel, &a, f);
    if (a.whole) {
        return (struct join){0};
    }
    switch (a.op) {
    case IR_MUL: return (struct join){.name = "prod", .one = true};
    case IR_MIN: return (struct join){.name = "min", .repeats = true};
    case IR_MAX: return (struct join){.name = "max", .repeats = true};
    case IR_BIT_AND: return (struct join){.name = "and", .repeats = true};
    case IR_BIT_OR: return (struct join){.name = "or", .repeats = true};
    case IR_BIT_XOR: return (struct join){.name = "xor"};
    default: return (struct join){.name = "sum"};
    }
}

/* ---- nested patterns ------------------------------------------------------------------------ */

struct pattern {
    const struct ir_stmt *stmt;
    struct join join;
    struct str total, part, at, end;
    bool split, gives, direct;
};

static const struct type *total_type(const struct ir_stmt *s)
{
    const struct ir_function *f = s->function;
    return f->parameter_count > 1 ? f->parameters[1]->type
           : s->var               ? s->var->type
                                  : type_scalar(TYPE_DOUBLE);
}

static void add_zero(struct emit *e, const struct type *t)
{
    const char *zero = emit_zero_of(t->kind);
    if (*zero == ' ') {
        emit_text(e, zero + 3); /* " = 0" */
    } else {
        emit_type(e, t);
        emit_text(e, "{}");
    }
}

static void add_identity(struct emit *e, const struct pattern *p, const struct type *t)
{
    if (!p->join.one) {
        add_zero(e, t);
        return;
    }
    emit_type(e, t);
    emit_text(e, type_is_complex(t->kind) ? "{1, 0}" : "(1)");
}

/* The value that the pattern starts with. */
static void add_first(struct emit *e, const struct pattern *p, const struct type *t)
{
    if (p->stmt->value) {
        emit_expr(e, p->stmt->value, PREC_CONDITIONAL);
    } else {
        add_zero(e, t);
    }
}

/* Is the first value what the other threads start with, too? */
static bool starts_alike(const struct pattern *p)
{
    const struct ir_expr *first = p->stmt->value;
    if (!p->split || !p->join.name || p->join.repeats) {
        return true;
    }
    return !p->join.one && (!first || (first->kind == IR_INT && first->integer == 0) ||
                            (first->kind == IR_FLOAT && first->number >= 0 && first->number <= 0));
}

/* The accumulator of a nested pattern, with its first value. */
static void begin_total(struct emit *e, struct pattern *p)
{
    const struct ir_stmt *s = p->stmt;
    const struct type *t = total_type(s);
    const struct emit_var *v = p->direct ? emit_var_of(e, s->var) : NULL;
    p->total = v ? v->name : emit_take_name(e, STR("total"));
    emit_line_begin(e);
    if (v && v->declared_by == s) {
        emit_declare(e, v, false);
    } else if (v) {
        emit_str(e, p->total);
    } else {
        emit_type(e, t);
        emit_text(e, " ");
        emit_str(e, p->total);
    }
    emit_text(e, " = ");
    if (starts_alike(p)) {
        add_first(e, p, t);
    } else {
        buf_printf(e->out, "%s.rank == 0 ? ", team_name(e));
        add_first(e, p, t);
        emit_text(e, " : ");
        add_identity(e, p, t);
    }
    emit_end_line(e);
}

/* The bounds: all of them, or this thread's part. */
static void begin_part(struct emit *e, struct pattern *p)
{
    const struct ir_stmt *s = p->stmt;
    if (!p->split) {
        return;
    }
    p->part = emit_take_name(e, STR("part"));
    emit_line_begin(e);
    buf_printf(e->out, "const pkc::span " STR_FMT " = pkc::%s_range(%s, ", STR_ARG(p->part),
               p->gives && !p->join.name ? "first" : "team", team_name(e));
    emit_expr(e, s->start, PREC_CONDITIONAL);
    emit_text(e, ", ");
    emit_expr(e, s->stop, PREC_CONDITIONAL);
    emit_text(e, ");\n");
}

/* The loop that calls the inner function. */
static void add_loop(struct emit *e, const struct pattern *p, const char *last_pass)
{
    const struct ir_stmt *s = p->stmt;
    emit_line_begin(e);
    buf_printf(e->out, "for (pkc::int64 " STR_FMT " = ", STR_ARG(p->at));
    if (p->split) {
        buf_printf(e->out, STR_FMT ".begin; " STR_FMT " < " STR_FMT ".end; ++" STR_FMT ") {\n",
                   STR_ARG(p->part), STR_ARG(p->at), STR_ARG(p->part), STR_ARG(p->at));
    } else {
        emit_expr(e, s->start, PREC_CONDITIONAL);
        buf_printf(e->out, ", " STR_FMT " = ", STR_ARG(p->end));
        emit_expr(e, s->stop, PREC_CONDITIONAL);
        buf_printf(e->out, "; " STR_FMT " < " STR_FMT "; ++" STR_FMT ") {\n", STR_ARG(p->at),
                   STR_ARG(p->end), STR_ARG(p->at));
    }
    e->indent++;
    emit_line_begin(e);
    emit_str(e, s->function->symbol);
    buf_printf(e->out, "(" STR_FMT, STR_ARG(p->at));
    if (p->gives) {
        buf_printf(e->out, ", " STR_FMT, STR_ARG(p->total));
    }
    if (s->operation == OPERATION_SCAN && s->function->parameter_count > 2) {
        buf_printf(e->out, ", %s", last_pass);
    }
    emit_text(e, ");\n");
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}\n");
}

/* A first pass over the parts of several threads: where each begins to add. */
static void add_first_pass(struct emit *e, const struct pattern *p)
{
    emit_line_begin(e);
    buf_printf(e->out, "if (%s.size > 1) {\n", team_name(e));
    e->indent++;
    add_loop(e, p, "false");
    emit_line_begin(e);
    buf_printf(e->out, "pkc::team_before<pkc::join_%s>(%s, " STR_FMT ", ", p->join.name,
               team_name(e), STR_ARG(p->total));
    add_first(e, p, total_type(p->stmt));
    emit_text(e, ");\n");
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}\n");
}

/* All threads get the same result. */
static void share_total(struct emit *e, const struct pattern *p)
{
    emit_line_begin(e);
    if (!p->join.name) {
        buf_printf(e->out, "pkc::team_broadcast(%s, ", team_name(e));
    } else if (p->stmt->operation == OPERATION_SCAN) {
        buf_printf(e->out, "pkc::team_last(%s, ", team_name(e));
    } else {
        buf_printf(e->out, "pkc::team_reduce<pkc::join_%s>(%s, ", p->join.name, team_name(e));
    }
    buf_printf(e->out, STR_FMT ");\n", STR_ARG(p->total));
}

void emit_nested_pattern(struct emit *e, const struct ir_stmt *s)
{
    struct pattern p = {.stmt = s};
    p.split = s->nested != NESTED_THREAD_VECTOR;
    p.gives = s->operation != OPERATION_FOR;
    p.direct = p.gives && emit_gives_directly(s);
    if (p.gives) {
        p.join = join_of(e, s);
        begin_total(e, &p);
    }
    begin_part(e, &p);
    p.at = emit_take_name(e, STR("at"));
    p.end = emit_take_name(e, STR("at_end"));
    if (s->operation == OPERATION_SCAN && p.split && p.join.name) {
        add_first_pass(e, &p);
    }
    add_loop(e, &p, "true");
    if (p.gives && p.split) {
        share_total(e, &p);
    }
    if (p.gives && !p.direct && s->var) {
        emit_line_begin(e);
        buf_printf(e->out, STR_FMT " = " STR_FMT ";\n", STR_ARG(emit_var_of(e, s->var)->name),
                   STR_ARG(p.total));
    }
    emit_release_name(e, p.at);
    emit_release_name(e, p.end);
}

/* ---- single --------------------------------------------------------------------------------- */

struct assigned {
    struct emit *e;
    const struct ir_stmt *single;
    struct vec vars; /* const struct ir_var * */
    struct vec functions;
};

static void add_assigned(struct assigned *a, const struct ir_var *var,
                         const struct ir_function *within)
{
    if (var->kind == VAR_ACC || var->kind == VAR_FIELD || (within && var->owner == within)) {
        return; /* each thread's own part of a sum; locals of the function */
    }
    for (size_t i = 0; i < a->functions.count; i++) {
        if (var->owner == a->functions.items[i]) {
            return;
        }
    }
    for (size_t i = 0; i < a->vars.count; i++) {
        if (a->vars.items[i] == (const void *)var) {
            return;
        }
    }
    vec_push(&a->vars, (void *)(uintptr_t)var);
}

static void find_assigned_stmt(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    struct assigned *a = context;
    if (s->var) {
        add_assigned(a, s->var, f);
    }
    const struct ir_expr *target = s->kind == IR_STORE ? s->target : NULL;
    while (target && (target->kind == IR_MEMBER ||
                      (target->kind == IR_ELEMENT && target->args[0]->type->kind == TYPE_ARRAY))) {
        target = target->args[0];
    }
    if (target && target->kind == IR_VAR) {
        add_assigned(a, target->var, f);
    }
}

static void find_assigned_in(struct assigned *a, const struct ir_block *b,
                             const struct ir_function *f);

static void find_called(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    struct assigned *a = context;
    (void)f;
    if (x->kind == IR_CALL && x->function->inner) {
        for (size_t i = 0; i < a->functions.count; i++) {
            if (a->functions.items[i] == (const void *)x->function) {
                return;
            }
        }
        vec_push(&a->functions, (void *)(uintptr_t)x->function);
        find_assigned_in(a, &x->function->body, x->function);
    }
}

static void find_assigned_in(struct assigned *a, const struct ir_block *b,
                             const struct ir_function *f)
{
    const struct emit_walk calls = {NULL, find_called, a};
    const struct emit_walk statements = {find_assigned_stmt, NULL, a};
    emit_walk_block(&calls, b, f);
    emit_walk_block(&statements, b, f);
}

/* What a single assigns around it. */
static struct vec assigned_by(struct emit *e, const struct ir_stmt *s)
{
    struct assigned a = {.e = e, .single = s};
    vec_init(&a.vars, e->arena);
    vec_init(&a.functions, e->arena);
    find_assigned_in(&a, &s->body, NULL);
    return a.vars;
}

bool emit_single_shares(struct emit *e, const struct ir_stmt *s)
{
    return s->per_team && assigned_by(e, s).count > 0;
}

void emit_single(struct emit *e, const struct ir_stmt *s)
{
    emit_line_begin(e);
    if (s->per_team) {
        buf_printf(e->out, "if (%s.rank == 0) {\n", team_name(e));
    } else {
        emit_text(e, "{\n");
    }
    e->indent++;
    emit_block(e, &s->body);
    e->indent--;
    emit_line_begin(e);
    emit_text(e, "}\n");
    const struct vec shared = s->per_team ? assigned_by(e, s) : (struct vec){0};
    for (size_t i = 0; i < shared.count; i++) {
        emit_line_begin(e);
        buf_printf(e->out, "pkc::team_broadcast(%s, ", team_name(e));
        emit_str(e, emit_var_of(e, shared.items[i])->name);
        emit_text(e, ");\n");
    }
}
