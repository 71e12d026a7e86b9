/* Teams: the member's methods, nested patterns over inner functions, single. */
#include "kernel/lower.h"

/* ---- methods -------------------------------------------------------------------------------- */

const struct ir_expr *low_team_method(struct low_scope *s, const struct ast_node *n,
                                      struct str name)
{
    static const struct {
        const char *name;
        enum ir_team team;
    } methods[] = {{"league_rank", TEAM_LEAGUE_RANK},
                   {"league_size", TEAM_LEAGUE_SIZE},
                   {"team_rank", TEAM_RANK},
                   {"team_size", TEAM_SIZE},
                   {"team_barrier", TEAM_BARRIER}};

    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (!str_equal_c(name, methods[i].name)) {
            continue;
        }
        if (!low_arguments(s, n, 0, 0, methods[i].name)) {
            return low_unknown(s, n);
        }
        const bool barrier = methods[i].team == TEAM_BARRIER;
        struct ir_expr *e =
            low_expr_new(s, IR_TEAM_CALL, type_scalar(barrier ? TYPE_VOID : TYPE_INT64), n, 0);
        e->team = methods[i].team;
        e->effects = barrier ? EFFECT_READS | EFFECT_WRITES : 0;
        return e;
    }
    if (str_equal_c(name, "team_scratch") || str_equal_c(name, "thread_scratch")) {
        low_error(s, n,
                  STR("x: pk.ScratchView1D[float] = pk.ScratchView1D(team.team_scratch(0), n)"),
                  "scratch memory can only be given to a scratch view");
        return low_unknown(s, n);
    }
    low_error_span(s, &n->u.call.func->u.attribute.attr_span,
                   STR("league_rank, league_size, team_rank, team_size, team_barrier, "
                       "team_scratch, thread_scratch"),
                   "a team has no method " STR_FMT " in a workunit", STR_ARG(name));
    return low_unknown(s, n);
}

/* ---- ranges --------------------------------------------------------------------------------- */

struct team_range {
    enum ir_nested nested;
    const struct ir_expr *bounds[8]; /* begin, end; or the extents of a TeamThreadMDRange */
    size_t count;
    bool multidimensional;
};

static struct str last_name(const struct ast_node *n)
{
    return n->kind == AST_NAME        ? n->u.name.id
           : n->kind == AST_ATTRIBUTE ? n->u.attribute.attr
                                      : (struct str){0};
}

static bool read_range(struct low_scope *s, const struct ast_node *n, struct team_range *r)
{
    static const struct {
        const char *name;
        enum ir_nested nested;
        bool multidimensional;
    } ranges[] = {{"TeamThreadRange", NESTED_TEAM_THREAD, false},
                  {"ThreadVectorRange", NESTED_THREAD_VECTOR, false},
                  {"TeamVectorRange", NESTED_TEAM_VECTOR, false},
                  {"TeamThreadMDRange", NESTED_TEAM_THREAD, true}};
    const size_t kinds = sizeof ranges / sizeof ranges[0];
    const struct str name = n->kind == AST_CALL ? last_name(n->u.call.func) : (struct str){0};
    size_t kind = 0;

    while (kind < kinds && !str_equal_c(name, ranges[kind].name)) {
        kind++;
    }
    if (kind == kinds) {
        low_error(s, n, STR("pk.TeamThreadRange(team, n), pk.ThreadVectorRange(team, n)"),
                  "a nested pattern needs a range of a team");
        return false;
    }
    const struct ir_expr **args =
        low_arguments(s, n, ranges[kind].multidimensional ? 3 : 2,
                      ranges[kind].multidimensional ? 7 : 3, ranges[kind].name);
    if (!args) {
        return false;
    }
    if (args[0]->type->kind != TYPE_TEAM) {
        low_error(s, n->u.call.args.items[0], STR("give the workunit's team"),
                  "the first argument must be the team");
        return false;
    }
    r->nested = ranges[kind].nested;
    r->multidimensional = ranges[kind].multidimensional;
    for (size_t i = 1; i < n->u.call.args.count; i++) {
        const struct ir_expr *x =
            low_index(s, args[i], n->u.call.args.items[i], "the bound of the range");
        if (!x->type) {
            return false;
        }
        r->bounds[r->count++] = x;
    }
    return true;
}

/* ---- nested patterns ------------------------------------------------------------------------ */

static struct low_inner *inner_function(struct low_scope *s, const struct ast_node *n)
{
    struct low_variable *v = n->kind == AST_NAME ? low_scope_find(s, n->u.name.id) : NULL;

    if (n->kind == AST_LAMBDA) {
        low_error(s, n, STR("define an inner function"), "a lambda is no value in a workunit");
        return NULL;
    }
    if (!v || !v->inner) {
        if (!v || !v->poisoned) {
            low_error(s, n, STR("define an inner function before the call and give its name"),
                      "a nested pattern needs an inner function");
        }
        return NULL;
    }
    if (v->scope == s && !low_flow_assigned(s, v)) {
        low_error(s, n, STR("define it before the call"),
                  STR_FMT " may not have been defined when it is used here", STR_ARG(v->name));
        return NULL;
    }
    if (v->inner->running) {
        low_error(s, n, STR(""), "an inner function cannot call itself");
        return NULL;
    }
    low_inner_ready(s, v->inner);
    return v->inner;
}

static void give_type(struct low_scope *s, struct low_variable *v, enum ir_var_kind kind,
                      const struct type *t)
{
    if (!v->var->type || v->var->kind != kind) {
        s->unit->changed |= v->var->kind != kind || !v->var->type;
        v->var->kind = kind;
        v->var->type = v->var->type ? v->var->type : t;
        v->fixed = true;
    }
}

/* Index, accumulator and last pass get their types where they are not annotated. */
static bool set_parameters(struct low_scope *s, const struct ast_node *n, struct low_inner *inner,
                           size_t indices, int operation)
{
    const struct vec *p = &inner->scope->parameters;
    const size_t wanted = indices + (size_t)operation;

    if (p->count != wanted) {
        low_error(s, n, STR(""),
                  "this pattern needs an inner function of %zu parameter%s, " STR_FMT " has %zu",
                  wanted, wanted == 1 ? "" : "s", STR_ARG(inner->name->name), p->count);
        return false;
    }
    for (size_t i = 0; i < indices; i++) {
        struct low_variable *v = p->items[i];
        give_type(s, v, v->var->kind, type_scalar(TYPE_INT64));
        if (v->var->type->kind != TYPE_INT64) {
            low_error(s, v->first, STR("annotate it int"), "a work index must be an int");
            return false;
        }
    }
    if (operation != OPERATION_FOR) {
        give_type(s, p->items[indices], VAR_ACC, type_scalar(TYPE_DOUBLE));
    }
    if (operation == OPERATION_SCAN) {
        give_type(s, p->items[indices + 1], VAR_LAST_PASS, type_scalar(TYPE_BOOL));
    }
    return true;
}

/* A function of one index over the flattened range of a TeamThreadMDRange. */
static const struct ir_function *flatten(struct low_scope *s, const struct ast_node *n,
                                         struct low_inner *inner, struct team_range *r)
{
    struct lower *l = s->unit->l;
    struct ir_function *f = ARENA_NEW(l->a, struct ir_function);
    const struct ir_var **parameters = ARENA_ARRAY(l->a, const struct ir_var *, 1);
    struct ir_var *at = low_ir_var(l, VAR_PARAMETER, STR("at"), type_scalar(TYPE_INT64), f);
    struct ir_expr *call = low_expr_new(s, IR_CALL, type_scalar(TYPE_VOID), n, r->count);
    struct ir_stmt *stmt = low_stmt_new(s, IR_EVAL, n);
    const struct ir_stmt **items = ARENA_ARRAY(l->a, const struct ir_stmt *, 1);

    at->nonnegative = true;
    const struct ir_expr *rest = low_var(s, n, at);
    for (size_t i = r->count; i-- > 0;) {
        r->bounds[i] = low_to_temp(s, r->bounds[i]);
        call->args[i] = i ? low_binary(s, IR_MOD, TYPE_INT64, n, rest, r->bounds[i]) : rest;
        rest = low_binary(s, IR_FLOORDIV, TYPE_INT64, n, rest, r->bounds[i]);
        ((struct ir_var *)(uintptr_t)r->bounds[i]->var)->captured = true;
    }
    call->function = inner->function;
    call->effects = inner->effects & EFFECT_ANY;
    stmt->value = call;
    items[0] = stmt;
    f->name = inner->function->name;
    f->symbol = low_symbol(l, str_format(l->a, STR_FMT "_flat", STR_ARG(inner->function->symbol)));
    f->module = s->module;
    f->node = n;
    f->parent = s->function;
    f->inner = true;
    f->uses_fields = inner->function->uses_fields;
    parameters[0] = at;
    f->parameters = parameters;
    f->parameter_count = 1;
    f->returns = type_scalar(TYPE_VOID);
    f->body = (struct ir_block){items, 1};
    return f;
}

static const struct ir_expr *emit_pattern(struct low_scope *s, const struct ast_node *n,
                                          struct low_inner *inner, struct team_range *r,
                                          int operation, const struct ast_node *initial)
{
    struct ir_stmt *stmt = low_stmt_new(s, IR_PARALLEL, n);
    const struct ir_expr *result = low_expr_new(s, IR_INT, type_scalar(TYPE_VOID), n, 0);

    stmt->operation = operation;
    stmt->nested = r->nested;
    stmt->function = inner->function;
    stmt->start = r->count == 2 && !r->multidimensional ? r->bounds[0] : low_int(s, n, 0);
    stmt->stop = r->bounds[r->count == 2 && !r->multidimensional];
    if (r->multidimensional) {
        stmt->function = flatten(s, n, inner, r);
        stmt->stop = r->bounds[0];
        for (size_t i = 1; i < r->count; i++) {
            stmt->stop = low_binary(s, IR_MUL, TYPE_INT64, n, stmt->stop, r->bounds[i]);
        }
    }
    if (operation != OPERATION_FOR) {
        const struct low_variable *acc = inner->scope->parameters.items[1];
        const struct ir_var *v = low_temp(s, acc->var->type);
        stmt->var = v;
        if (initial) {
            stmt->value = low_convert_type(s, low_expr(s, initial), acc->var->type, initial,
                                           "the initial value");
            if (!stmt->value->type) {
                return low_unknown(s, n);
            }
            if (operation == OPERATION_SCAN && !low_is_constant(stmt->value)) {
                stmt->value = low_to_temp(s, stmt->value); /* needed twice */
            }
        }
        result = low_var(s, n, v);
    }
    low_emit(s, stmt);
    return result;
}

static const struct ir_expr *call_single(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_seq *args = &n->u.call.args;
    const struct str per = args->count == 2 && args->items[0]->kind == AST_CALL
                               ? last_name(args->items[0]->u.call.func)
                               : (struct str){0};
    struct vec block;

    if (!str_equal_c(per, "PerTeam") && !str_equal_c(per, "PerThread")) {
        low_error(s, n, STR("pk.single(pk.PerTeam(team), function)"),
                  "single takes PerTeam or PerThread and an inner function");
        return low_unknown(s, n);
    }
    struct low_inner *inner = inner_function(s, args->items[1]);
    if (!inner) {
        return low_unknown(s, n);
    }
    if (inner->scope->parameters.count) {
        low_error(s, args->items[1], STR(""), "the function of single takes no parameters");
        return low_unknown(s, n);
    }
    low_inner_used(s, args->items[1], inner);
    struct ir_stmt *stmt = low_stmt_new(s, IR_SINGLE, n);
    struct ir_expr *call = low_expr_new(s, IR_CALL, inner->function->returns, n, 0);
    const bool gives = call->type->kind != TYPE_VOID;
    const struct ir_var *result = gives ? low_temp(s, call->type) : NULL;
    call->function = inner->function;
    call->effects = inner->effects & EFFECT_ANY;
    struct vec *outer = low_block_begin(s, &block);
    if (gives) {
        low_emit_assign(s, n, result, call);
    } else {
        struct ir_stmt *eval = low_stmt_new(s, IR_EVAL, n);
        eval->value = call;
        low_emit(s, eval);
    }
    low_block_end(s, outer);
    stmt->body = low_block(s, &block);
    stmt->per_team = str_equal_c(per, "PerTeam");
    low_emit(s, stmt);
    return gives ? low_var(s, n, result) : low_expr_new(s, IR_INT, type_scalar(TYPE_VOID), n, 0);
}

bool low_is_parallel(struct low_scope *s, const struct ast_node *call, struct str *name)
{
    (void)s;
    *name = last_name(call->u.call.func);
    return str_equal_c(*name, "parallel_for") || str_equal_c(*name, "parallel_reduce") ||
           str_equal_c(*name, "parallel_scan") || str_equal_c(*name, "single");
}

const struct ir_expr *low_parallel(struct low_scope *s, const struct ast_node *n, struct str name)
{
    const struct ast_seq *args = &n->u.call.args;
    const struct ast_node *initial = NULL;
    struct team_range r = {0};
    size_t at = 0;

    if (str_equal_c(name, "single")) {
        return call_single(s, n);
    }
    const int operation = str_equal_c(name, "parallel_for")      ? OPERATION_FOR
                          : str_equal_c(name, "parallel_reduce") ? OPERATION_REDUCE
                                                                 : OPERATION_SCAN;
    if (args->count && args->items[0]->kind == AST_CONSTANT &&
        args->items[0]->u.constant.value.kind == PY_VALUE_STR) {
        at = 1; /* a label */
    }
    if (args->count < at + 2 || args->count > at + 3) {
        low_error(s, n, STR("pk.parallel_for(pk.TeamThreadRange(team, n), function)"),
                  STR_FMT " takes a range of a team and an inner function", STR_ARG(name));
        return low_unknown(s, n);
    }
    for (size_t i = 0; i < n->u.call.keywords.count; i++) {
        const struct ast_node *k = n->u.call.keywords.items[i];
        if (!str_equal_c(k->u.keyword.arg, "initial_value")) {
            low_error(s, k, STR("inner functions see the variables around them"),
                      "a nested pattern takes no argument " STR_FMT, STR_ARG(k->u.keyword.arg));
            return low_unknown(s, n);
        }
        initial = k->u.keyword.value;
    }
    initial = args->count == at + 3 ? args->items[at + 2] : initial;
    if (!read_range(s, args->items[at], &r)) {
        return low_unknown(s, n);
    }
    struct low_inner *inner = inner_function(s, args->items[at + 1]);
    if (!inner || !set_parameters(s, args->items[at + 1], inner, r.multidimensional ? r.count : 1,
                                  operation)) {
        return low_unknown(s, n);
    }
    if (r.multidimensional && operation != OPERATION_FOR) {
        low_error(s, n, STR("use nested TeamThreadRange and ThreadVectorRange"),
                  "a TeamThreadMDRange can only be used with parallel_for");
        return low_unknown(s, n);
    }
    low_inner_used(s, args->items[at + 1], inner);
    return emit_pattern(s, n, inner, &r, operation, initial);
}
