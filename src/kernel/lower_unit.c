/* Units: a function lowered until its types are settled; what a kernel reaches in the end. */
#include "kernel/lower.h"

struct ir_var *low_ir_var(struct lower *l, enum ir_var_kind kind, struct str name,
                          const struct type *t, const struct ir_function *owner)
{
    struct ir_var *v = ARENA_NEW(l->a, struct ir_var);

    v->kind = kind;
    v->name = name;
    v->type = t;
    v->owner = owner;
    return v;
}

struct str low_symbol(struct lower *l, struct str base)
{
    struct str name = cpp_identifier(l->a, base);

    for (int i = 2; map_has(&l->symbols, name); i++) {
        name = str_format(l->a, STR_FMT "_%d", STR_ARG(cpp_identifier(l->a, base)), i);
    }
    map_set(&l->symbols, name, l);
    return name;
}

struct low_unit *low_unit_new(struct lower *l)
{
    struct low_unit *u = ARENA_NEW(l->a, struct low_unit);

    u->l = l;
    vec_init(&u->diags, l->a);
    vec_init(&u->called, l->a);
    vec_init(&u->copies, l->a);
    return u;
}

/* The variables that the statements may mention, in order of first appearance. */
void low_take_vars(struct low_scope *s, const struct ir_var ***vars, size_t *count)
{
    *vars = ARENA_ARRAY(s->unit->l->a, const struct ir_var *, s->variables.count + s->temps.count);
    *count = 0;
    for (size_t i = 0; i < s->variables.count; i++) {
        struct low_variable *v = s->variables.items[i];
        if (v->var && v->var->kind == VAR_LOCAL && v->var->type && v->used) {
            (*vars)[(*count)++] = v->var;
        }
    }
    for (size_t i = 0; i < s->temps.count; i++) {
        (*vars)[(*count)++] = s->temps.items[i];
    }
}

/* Ends a function's body: what its last pass found goes into the IR. */
static void finish_function(struct low_scope *s, const struct vec *block)
{
    struct ir_function *f = s->function;

    if (s->returns_value && !s->flow.dead && !s->constructor) {
        low_error_span(s, &s->node->u.function.name_span, STR("return a value on every path"),
                       STR_FMT " may end without returning a value",
                       STR_ARG(s->node->u.function.name));
    } else if (s->returns_value && s->returns_nothing) {
        low_error_span(s, &s->node->u.function.name_span, STR("return a value on every path"),
                       STR_FMT " returns a value on one path and nothing on another",
                       STR_ARG(s->node->u.function.name));
    }
    f->returns = s->declared_returns ? s->declared_returns
                 : s->returns        ? s->returns
                                     : type_scalar(TYPE_VOID);
    if (s->returns && s->returns->kind == TYPE_VIEW) {
        f->returns = s->returns;
    }
    f->body = low_block(s, block);
    low_take_vars(s, &f->vars, &f->var_count);
}

void low_unit_run(struct low_unit *u)
{
    struct low_scope *s = u->top;
    const struct ast_seq body = py_body(s->node);
    struct vec block;

    do {
        u->changed = false;
        u->diags.count = 0;
        u->called.count = 0;
        u->temp_count = 0;
        u->depth = 0;
        u->pass++;
        low_scope_begin(s);
        struct vec *outer = low_block_begin(s, &block);
        if (u->prepare) {
            u->prepare(s);
        }
        for (size_t i = 0; i < u->copies.count; i++) {
            const struct low_copy *c = u->copies.items[i];
            low_variable_assigned(s, c->to, s->node);
            low_emit_assign(s, s->node, c->to->var, low_var(s, s->node, c->from));
        }
        low_body(s, &body);
        if (s->constructor && !s->flow.dead) {
            struct ir_stmt *stmt = low_stmt_new(s, IR_RETURN, s->node);
            stmt->value = low_var(s, s->node, s->self_variable->var);
            low_emit(s, stmt);
        }
        low_scope_end(s);
        if (s->function) {
            finish_function(s, &block);
        }
        low_block_end(s, outer);
    } while (u->changed && u->pass % LOW_MAX_PASSES);
    u->body = low_block(s, &block);
    if (u->changed) {
        low_error_span(s, &s->node->span, STR("annotate its variables"),
                       "the types of this function's variables do not settle");
    }
}

/* ---- what the kernel reaches ---------------------------------------------------------------- */

void low_report_called(struct lower *l, struct low_unit *u, size_t *errors)
{
    for (size_t k = 0; k < u->called.count; k++) {
        struct low_instance *i = u->called.items[k];
        if (!i->reported) {
            i->reported = true;
            *errors += low_report(l, &i->unit->diags);
            low_report_called(l, i->unit, errors);
        }
    }
}

struct collect_walk {
    struct lower *l;
    struct vec functions;
    struct map seen;
};

static void collect_stmt(void *context, const struct ir_stmt *s);

static void collect_function(struct collect_walk *w, const struct ir_function *f)
{
    if (map_has(&w->seen, f->symbol)) {
        return;
    }
    map_set(&w->seen, f->symbol, w);
    ir_block_statements(&f->body, collect_stmt, w);
    vec_push(&w->functions, (void *)(uintptr_t)f);
}

static void collect_expr(void *context, const struct ir_expr *e)
{
    struct collect_walk *w = context;

    ir_expr_children(e, collect_expr, w);
    switch (e->kind) {
    case IR_CALL: collect_function(w, e->function); break;
    case IR_ATOMIC: w->l->kernel->needs |= NEED_ATOMICS; break;
    case IR_PRINTF: w->l->kernel->needs |= NEED_PRINTF; break;
    case IR_SCRATCH:
    case IR_TEAM_CALL: w->l->kernel->needs |= NEED_TEAM; break;
    default: break;
    }
}

static void collect_stmt(void *context, const struct ir_stmt *s)
{
    struct collect_walk *w = context;

    ir_stmt_expressions(s, collect_expr, w);
    if (s->kind == IR_PARALLEL) {
        w->l->kernel->needs |= NEED_TEAM;
        collect_function(w, s->function);
    }
    ir_block_statements(&s->body, collect_stmt, w);
    ir_block_statements(&s->orelse, collect_stmt, w);
}

void low_collect_functions(struct lower *l)
{
    struct collect_walk w = {.l = l};

    vec_init(&w.functions, l->a);
    map_init(&w.seen, l->a);
    ir_block_statements(&l->kernel->body, collect_stmt, &w);
    l->kernel->function_count = w.functions.count;
    l->kernel->functions = ARENA_ARRAY(l->a, const struct ir_function *, w.functions.count);
    for (size_t i = 0; i < w.functions.count; i++) {
        l->kernel->functions[i] = w.functions.items[i];
    }
}
