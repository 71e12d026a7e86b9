/*
 * Where variables are declared. Python's belong to the whole function; in C++ each is declared at
 * its first assignment where that comes before all uses, in the innermost block that holds them
 * all, else before that block's first statement that uses it. A loop repeats its block: what is
 * not assigned first in there keeps its value from round to round and is declared outside.
 */
#include "kernel/emit.h"

struct placing {
    struct emit *e;
    const struct ir_function *function;
    const struct emit_frame *frame;
    const struct ir_stmt *stmt;
    bool lambda; /* uses of the moment are an inner function's */
};

static bool owned(const struct emit_var *v, const struct ir_function *f)
{
    return v->owner == f && (v->var->kind == VAR_LOCAL || v->var->kind == VAR_TEMP);
}

/* ---- loops that declare their variable ------------------------------------------------------ */

static void find_outside_expr(void *context, const struct ir_expr *x)
{
    struct placing *p = context;
    if (x->kind == IR_VAR) {
        struct emit_var *v = emit_var_of(p->e, x->var);
        v->outside = v->outside || v->plain_loops == 0;
    }
    ir_expr_children(x, find_outside_expr, context);
}

static void find_outside(void *context, const struct ir_stmt *s)
{
    struct placing *p = context;
    struct emit_var *v = s->var ? emit_var_of(p->e, s->var) : NULL;
    ir_stmt_expressions(s, find_outside_expr, context);
    if (s->kind != IR_FOR) {
        if (v) {
            v->outside = true;
        }
        ir_block_statements(&s->body, find_outside, context);
        ir_block_statements(&s->orelse, find_outside, context);
        return;
    }
    if (s->var_assigned_in_body || s->var_used_after || v->plain_loops > 0) {
        v->outside = true;
    }
    v->plain_loops++;
    ir_block_statements(&s->body, find_outside, context);
    v->plain_loops--;
}

/* ---- uses, and the block that holds them all ------------------------------------------------ */

static const struct emit_frame *common(const struct emit_frame *a, const struct emit_frame *b)
{
    while (a != b) {
        if (a->depth >= b->depth) {
            a = a->parent;
        } else {
            b = b->parent;
        }
    }
    return a;
}

static void use(struct placing *p, const struct ir_var *var, const struct emit_frame *frame,
                const struct ir_stmt *stmt)
{
    struct emit_var *v = emit_var_of(p->e, var);
    if (!owned(v, p->function)) {
        return;
    }
    if (!v->frame) {
        v->frame = v->first_frame = frame;
        v->first = stmt;
        v->before_lambda = p->lambda;
        return;
    }
    v->frame = common(v->frame, frame);
}

static void use_expr(void *context, const struct ir_expr *x)
{
    struct placing *p = context;
    if (x->kind == IR_VAR) {
        use(p, x->var, p->frame, p->stmt);
    }
    ir_expr_children(x, use_expr, context);
}

static void use_block(struct placing *p, const struct ir_block *b, const struct emit_frame *frame);

static void use_inside(void *context, const struct ir_expr *x, const struct ir_function *f)
{
    (void)f;
    struct placing *p = context;
    if (x->kind == IR_VAR) {
        use(p, x->var, p->frame, p->stmt);
    }
}

static void use_assigned_inside(void *context, const struct ir_stmt *s, const struct ir_function *f)
{
    (void)f;
    struct placing *p = context;
    if (s->var) {
        use(p, s->var, p->frame, p->stmt);
    }
}

/* What inner function `f`, and those in it, use counts as used where it is declared. */
static void use_function(struct placing *p, const struct ir_function *f)
{
    const struct kernel *k = p->e->kernel;
    const struct emit_walk w = {use_assigned_inside, use_inside, p};
    p->lambda = true;
    emit_walk_block(&w, &f->body, f);
    for (size_t i = 0; i < k->function_count; i++) {
        if (k->functions[i]->inner && k->functions[i]->parent == f) {
            use_function(p, k->functions[i]);
        }
    }
    p->lambda = false;
}

static struct emit_before *before_of(struct emit *e, const struct ir_stmt *s)
{
    struct emit_before *b = emit_table_get(&e->before, s);
    if (!b) {
        b = ARENA_NEW(e->arena, struct emit_before);
        vec_init(&b->vars, e->arena);
        vec_init(&b->zeroed, e->arena);
        vec_init(&b->lambdas, e->arena);
        emit_table_set(&e->before, s, b);
    }
    return b;
}

static void use_sub_block(struct placing *p, const struct ir_stmt *s, const struct ir_block *b,
                          const struct emit_frame *parent, bool loop)
{
    if (b->count == 0 && !loop) {
        return;
    }
    struct emit_frame *f = ARENA_NEW(p->e->arena, struct emit_frame);
    *f = (struct emit_frame){parent, s, b, loop, parent->depth + 1};
    if (loop && s->kind == IR_FOR) {
        use(p, s->var, f, s); /* assigned at the start of each round */
    }
    use_block(p, b, f);
}

static void use_block(struct placing *p, const struct ir_block *b, const struct emit_frame *frame)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct ir_stmt *s = b->items[i];
        p->frame = frame;
        p->stmt = s;
        const struct emit_before *before = emit_table_get(&p->e->before, s);
        for (size_t n = 0; before && n < before->lambdas.count; n++) {
            use_function(p, before->lambdas.items[n]);
        }
        if (s->var && s->kind != IR_FOR) {
            use(p, s->var, frame, s);
        }
        ir_stmt_expressions(s, use_expr, p);
        use_sub_block(p, s, &s->body, frame, s->kind == IR_FOR || s->kind == IR_WHILE);
        use_sub_block(p, s, &s->orelse, frame, false);
    }
}

/* ---- inner functions ------------------------------------------------------------------------ */

struct calls {
    const struct ir_function *wanted;
    bool found;
};

static void find_call(void *context, const struct ir_expr *x)
{
    struct calls *c = context;
    c->found = c->found || (x->kind == IR_CALL && x->function == c->wanted);
    ir_expr_children(x, find_call, context);
}

static void find_call_in(void *context, const struct ir_stmt *s)
{
    struct calls *c = context;
    c->found = c->found || (s->kind == IR_PARALLEL && s->function == c->wanted);
    ir_stmt_expressions(s, find_call, context);
    ir_block_statements(&s->body, find_call_in, context);
    ir_block_statements(&s->orelse, find_call_in, context);
}

static bool block_calls(const struct ir_block *b, const struct ir_function *f)
{
    struct calls c = {f, false};
    ir_block_statements(b, find_call_in, &c);
    return c.found;
}

/* Does inner function `caller`, or one in it, call `f`? */
static bool function_calls(const struct kernel *k, const struct ir_function *caller,
                           const struct ir_function *f)
{
    bool found = block_calls(&caller->body, f);
    for (size_t i = 0; i < k->function_count && !found; i++) {
        found = k->functions[i]->inner && k->functions[i]->parent == caller &&
                function_calls(k, k->functions[i], f);
    }
    return found;
}

/* Each inner function stands before the first statement that calls it, itself or through another.
 */
static void place_lambdas(struct emit *e, const struct ir_function *f, const struct ir_block *b)
{
    const struct kernel *k = e->kernel;
    size_t *at = ARENA_ARRAY(e->arena, size_t, k->function_count);
    for (size_t i = 0; i < k->function_count; i++) {
        at[i] = b->count;
        if (k->functions[i]->inner && k->functions[i]->parent == f) {
            at[i] = 0;
            while (at[i] < b->count &&
                   !block_calls(&(struct ir_block){&b->items[at[i]], 1}, k->functions[i])) {
                at[i]++;
            }
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < k->function_count; i++) {
            for (size_t j = 0; j < k->function_count; j++) {
                if (at[j] < at[i] && k->functions[i]->inner && k->functions[i]->parent == f &&
                    function_calls(k, k->functions[j], k->functions[i])) {
                    at[i] = at[j];
                    changed = true;
                }
            }
        }
    }
    for (size_t i = 0; i < k->function_count; i++) {
        if (at[i] < b->count) {
            vec_push(&before_of(e, b->items[at[i]])->lambdas, (void *)(uintptr_t)k->functions[i]);
        }
    }
}

/* ---- placement ------------------------------------------------------------------------------ */

static void find_read(void *context, const struct ir_expr *x)
{
    struct calls *c = context;
    c->found = c->found || (x->kind == IR_VAR && (const void *)x->var == (const void *)c->wanted);
    ir_expr_children(x, find_read, context);
}

static bool reads(const struct ir_stmt *s, const struct ir_var *var)
{
    struct calls c = {(const void *)var, false};
    ir_stmt_expressions(s, find_read, &c);
    return c.found;
}

/* Can the inner function add to the variable that its pattern's result goes to? */
bool emit_gives_directly(const struct ir_stmt *s)
{
    return s->kind == IR_PARALLEL && s->operation != OPERATION_FOR && s->var && !s->var->captured &&
           s->function->parameter_count > 1 &&
           type_equal(s->function->parameters[1]->type, s->var->type);
}

enum first_use { USE_NONE, USE_ASSIGNS, USE_OTHER };

static enum first_use first_use_in(const struct ir_block *b, const struct ir_var *var);

/* Does the statement assign the variable on every path before any read? */
static enum first_use first_use_of(const struct ir_stmt *s, const struct ir_var *var)
{
    if (reads(s, var)) {
        return USE_OTHER;
    }
    if (s->var == var) {
        return s->kind == IR_ASSIGN || emit_gives_directly(s) ? USE_ASSIGNS : USE_OTHER;
    }
    const enum first_use then = first_use_in(&s->body, var);
    const enum first_use other = first_use_in(&s->orelse, var);
    if (s->kind == IR_IF) {
        if (then == other) {
            return then;
        }
        return USE_OTHER;
    }
    if (s->kind == IR_SINGLE && !s->per_team) { /* per team: the others get what one assigns */
        return then;
    }
    return then == USE_NONE ? USE_NONE : USE_OTHER;
}

static enum first_use first_use_in(const struct ir_block *b, const struct ir_var *var)
{
    for (size_t i = 0; i < b->count; i++) {
        const enum first_use u = first_use_of(b->items[i], var);
        if (u != USE_NONE) {
            return u;
        }
    }
    return USE_NONE;
}

static void place(struct emit *e, struct emit_var *v)
{
    const struct ir_stmt *s = v->first;
    for (const struct emit_frame *f = v->first_frame; f != v->frame; f = f->parent) {
        s = f->owner;
    }
    const struct emit_frame *frame = v->frame;
    v->placed = true;
    if (frame->owner == s) { /* a loop's variable, used inside it only */
        v->declared_by = s;
        v->constant = v->writes == 1;
        return;
    }
    const bool lambda_first = v->before_lambda && frame == v->first_frame;
    const bool gives = s->kind == IR_PARALLEL && emit_gives_directly(s);
    if ((s->kind == IR_ASSIGN || gives) && s->var == v->var && !reads(s, v->var) && !lambda_first) {
        v->declared_by = s;
        v->constant = v->writes == 1 && !gives;
        return;
    }
    if (first_use_of(s, v->var) == USE_ASSIGNS && !lambda_first) {
        vec_push(&before_of(e, s)->vars, v);
        return;
    }
    for (const struct emit_frame *f = frame; f->parent; f = f->parent) {
        if (f->loop) {
            s = f->owner;
        }
    }
    vec_push(&before_of(e, s)->zeroed, v);
}

static void place_list(struct emit *e, const struct ir_var *const *vars, size_t count,
                       const struct ir_function *f)
{
    for (size_t i = 0; i < count; i++) {
        struct emit_var *v = emit_var_of(e, vars[i]);
        if (owned(v, f) && v->frame && v->outside && !v->placed) {
            place(e, v);
        }
    }
}

void emit_place(struct emit *e, const struct ir_function *f)
{
    const struct ir_block *body = f ? &f->body : &e->kernel->body;
    const struct ir_var **vars = f ? f->vars : e->kernel->vars;
    const size_t count = f ? f->var_count : e->kernel->var_count;
    struct placing p = {.e = e, .function = f};
    ir_block_statements(body, find_outside, &p);
    place_lambdas(e, f, body);
    for (size_t i = 0; i < count; i++) {
        struct emit_var *v = emit_var_of(e, vars[i]);
        v->outside = v->outside || v->captured;
    }
    struct emit_frame *root = ARENA_NEW(e->arena, struct emit_frame);
    *root = (struct emit_frame){.block = body};
    use_block(&p, body, root);
    place_list(e, vars, count, f);
}
