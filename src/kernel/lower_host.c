/*
 * Host functions: the @pk.main and @pk.callback methods of workload classes. They read and assign
 * the object's fields, run its workunits, measure times and print; all else is as in a workunit.
 */
#include "kernel/lower.h"

/* An expression without a value, all of whose work is in the statements before it. */
static const struct ir_expr *nothing(struct low_scope *s, const struct ast_node *n)
{
    return low_expr_new(s, IR_LIST, type_scalar(TYPE_VOID), n, 0);
}

/* ---- fields --------------------------------------------------------------------------------- */

void low_assign_field(struct low_scope *s, const struct ast_node *n, const struct ast_node *target,
                      const struct ir_expr *value)
{
    const struct ir_expr *field = low_self_attribute(s, target);

    if (!field->type || !value->type) {
        return;
    }
    if (!type_is_scalar(field->type->kind)) {
        low_error(s, target, STR("assign it where the object is made"),
                  "only fields that are numbers can be assigned here, " STR_FMT " is a " STR_FMT,
                  STR_ARG(target->u.attribute.attr), STR_ARG(low_spell(s, field->type)));
        return;
    }
    value = low_number(s, low_settle(s, value), n, "the value");
    if (!value->type) {
        return;
    }
    ((struct ir_var *)(uintptr_t)field->var)->assigned = true; /* low_functor_fields made it */
    low_emit_assign(s, n, field->var, low_convert(s, value, field->type->kind));
}

/* ---- timers --------------------------------------------------------------------------------- */

static const struct ir_expr *seconds(struct low_scope *s, const struct ast_node *n)
{
    struct ir_expr *e = low_expr_new(s, IR_SECONDS, type_scalar(TYPE_DOUBLE), n, 0);

    e->effects = EFFECT_READS | EFFECT_WRITES;
    return e;
}

const struct ir_expr *low_timer_method(struct low_scope *s, const struct ast_node *n,
                                       const struct ir_expr *timer, struct str name)
{
    const bool reset = str_equal_c(name, "reset");

    if (timer->kind != IR_VAR || timer->type->kind != TYPE_DOUBLE ||
        (!reset && !str_equal_c(name, "seconds"))) {
        return NULL;
    }
    if (n->u.call.args.count || n->u.call.keywords.count) {
        low_error(s, n, STR(""), STR_FMT "() of a timer takes no arguments", STR_ARG(name));
        return low_unknown(s, n);
    }
    if (reset) {
        low_emit_assign(s, n, timer->var, seconds(s, n));
        return nothing(s, n);
    }
    struct ir_expr *e = low_expr_new(s, IR_SUB, type_scalar(TYPE_DOUBLE), n, 2);
    e->args[0] = seconds(s, n);
    e->args[1] = timer;
    e->effects = EFFECT_READS | EFFECT_WRITES;
    return e;
}

/* ---- policies ------------------------------------------------------------------------------- */

static const struct ir_expr *bound(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr *e = low_index(s, low_expr(s, n), n, "a bound of a policy");

    return e->type ? low_simple(s, e) : e;
}

static const struct ast_seq *list_of(const struct ast_node *n)
{
    return n->kind == AST_LIST || n->kind == AST_TUPLE ? &n->u.seq.elts : NULL;
}

/* The bounds of each dimension, from a list or where `n` is no list a number. */
static bool bounds(struct low_scope *s, const struct ast_node *n, int rank,
                   const struct ir_expr **out)
{
    const struct ast_seq *list = list_of(n);

    if ((list ? (int)list->count : 1) != rank) {
        low_error(s, n, STR("give one bound a dimension"),
                  "the workunit has %d %s, this policy another number of dimensions", rank,
                  rank == 1 ? "index" : "indices");
        return false;
    }
    bool good = true;
    for (int d = 0; d < rank; d++) {
        out[d] = bound(s, list ? list->items[d] : n);
        good &= out[d]->type != NULL;
    }
    return good;
}

static struct str policy_name(struct low_scope *s, const struct ast_node *n)
{
    if (n->kind != AST_CALL || low_is_local(s, n->u.call.func)) {
        return STR("");
    }
    const struct py_binding b = py_resolve(s->module, n->u.call.func);
    if (b.kind != PY_EXTERNAL || !str_starts_with(b.qualified, "pykokkos.")) {
        return STR("");
    }
    size_t at = b.qualified.len;
    while (b.qualified.ptr[at - 1] != '.') {
        at--;
    }
    return str_slice(b.qualified, at, b.qualified.len);
}

/* pk.ExecutionSpace.…, pk.Default: where the target's kernels run is not the source's to say. */
static bool is_space(struct low_scope *s, const struct ast_node *n)
{
    if (n->kind != AST_ATTRIBUTE || low_is_local(s, n)) {
        return false;
    }
    const struct py_binding b = py_resolve(s->module, n);
    return b.kind == PY_EXTERNAL && (str_starts_with(b.qualified, "pykokkos.ExecutionSpace.") ||
                                     str_equal_c(b.qualified, "pykokkos.Default"));
}

/* pk.TeamPolicy(league, team or "auto"[, vector]) */
static bool read_team(struct low_scope *s, const struct ast_node *n, struct ir_launch *l)
{
    const struct ast_seq *args = &n->u.call.args;
    const size_t first = args->count > 0 && is_space(s, args->items[0]) ? 1 : 0;
    const size_t count = args->count - first;
    struct py_value text;

    if (n->u.call.keywords.count || count < 2 || count > 3) {
        low_error(s, n, STR("give the league's and the team's size"),
                  "this policy's arguments are not translated");
        return false;
    }
    const struct ast_node *team = args->items[first + 1];
    const bool chosen = py_evaluate(s->module, team, &text) && text.kind == PY_VALUE_STR;
    if (chosen && !str_equal_c(text.text, "auto")) {
        low_error(s, team, STR("give a number, or \"auto\""), "this is no team's size");
        return false;
    }
    l->begin[0] = bound(s, args->items[first]);
    l->end[0] = chosen ? low_int(s, team, 0) : bound(s, team);
    l->tile[0] = count > 2 ? bound(s, args->items[first + 2]) : low_int(s, n, 1);
    return l->begin[0]->type && l->end[0]->type && l->tile[0]->type;
}

static bool read_policy(struct low_scope *s, const struct ast_node *n, struct ir_launch *l)
{
    const struct kernel *k = l->callee->kernel;
    const struct str name = policy_name(s, n);
    const bool range = str_equal_c(name, "RangePolicy"), md = str_equal_c(name, "MDRangePolicy");

    l->rank = k->rank;
    if (str_equal_c(name, "TeamPolicy") != (k->policy == POLICY_TEAM)) {
        low_error(s, n,
                  k->policy == POLICY_TEAM ? STR("give pk.TeamPolicy(league, team)") : STR(""),
                  STR_FMT " runs over %s", STR_ARG(k->qualified),
                  k->policy == POLICY_TEAM ? "a TeamPolicy without further settings" : "no teams");
        return false;
    }
    if (k->policy == POLICY_TEAM) {
        return read_team(s, n, l);
    }
    if (!range && !md) {
        if (k->policy != POLICY_RANGE) {
            low_error(s, n, STR("give an MDRangePolicy"), STR_FMT " has %d indices",
                      STR_ARG(k->qualified), k->rank);
            return false;
        }
        l->begin[0] = low_int(s, n, 0);
        l->end[0] = bound(s, n);
        return l->end[0]->type != NULL;
    }
    const struct ast_seq *args = &n->u.call.args;
    const size_t first = args->count > 0 && is_space(s, args->items[0]) ? 1 : 0;
    const size_t count = args->count - first;
    if (md != (k->policy == POLICY_MDRANGE)) {
        low_error(s, n, STR(""), STR_FMT " runs over %s", STR_ARG(k->qualified),
                  md ? "one index" : "several indices");
        return false;
    }
    for (size_t i = 0; i < n->u.call.keywords.count; i++) {
        const struct ast_node *keyword = n->u.call.keywords.items[i];
        if (!md || !str_equal_c(keyword->u.keyword.arg, "rank")) { /* rank: the order of loops */
            low_error(s, keyword, STR("give the bounds by position"),
                      "this argument of a policy is not translated");
            return false;
        }
    }
    if (count < 2 || count > (md ? 3 : 2)) {
        low_error(s, n, STR("give begin and end"), "this policy's arguments are not translated");
        return false;
    }
    return bounds(s, args->items[first], l->rank, l->begin) &&
           bounds(s, args->items[first + 1], l->rank, l->end) &&
           (count < 3 || bounds(s, args->items[first + 2], l->rank, l->tile));
}

/* ---- launches ------------------------------------------------------------------------------- */

static const struct host_callee *callee_of(struct low_scope *s, const struct ast_node *n)
{
    struct lower *l = s->unit->l;

    if (n->kind != AST_ATTRIBUTE || !low_is_self(s, n->u.attribute.value)) {
        low_error(s, n, STR("give a workunit of this class: self.name"),
                  "this is not a workunit of the class");
        return NULL;
    }
    for (size_t i = 0; i < l->callee_count; i++) {
        if (str_equal(l->callees[i].kernel->name, n->u.attribute.attr)) {
            return &l->callees[i];
        }
    }
    low_error(s, n, STR(""), "the class has no workunit " STR_FMT " that could be translated",
              STR_ARG(n->u.attribute.attr));
    return NULL;
}

static bool fits(struct low_scope *s, const struct ast_node *n, const struct kernel *k,
                 enum operation operation)
{
    static const char *const names[] = {"parallel_for", "parallel_reduce", "parallel_scan"};

    if (k->operation != operation) {
        low_error(s, n, str_format(s->unit->l->a, "call pk.%s", names[k->operation]),
                  STR_FMT " is not a workunit for pk.%s", STR_ARG(k->qualified), names[operation]);
        return false;
    }
    if (k->parameter_count) {
        low_error(s, n, STR("make it a field"), STR_FMT " takes the argument " STR_FMT ", too",
                  STR_ARG(k->qualified), STR_ARG(k->parameters[0].name));
        return false;
    }
    if (k->acc_is_loc) {
        low_error(s, n, STR("call the workunit yourself, with a reducer"),
                  "the result of " STR_FMT " is not one number", STR_ARG(k->qualified));
        return false;
    }
    return true;
}

/* pk.parallel_…([name,] policy, self.workunit) */
static const struct ir_expr *launch(struct low_scope *s, const struct ast_node *n,
                                    enum operation operation)
{
    struct lower *l = s->unit->l;
    const struct ast_seq *args = &n->u.call.args;
    struct ir_launch *run = ARENA_NEW(l->a, struct ir_launch);
    struct py_value label;
    size_t at = 0;

    if (args->count > 0 && py_evaluate(s->module, args->items[0], &label) &&
        label.kind == PY_VALUE_STR) {
        run->label = label.text;
        at = 1;
    }
    for (size_t i = at; i < args->count; i++) {
        if (args->items[i]->kind == AST_LAMBDA) {
            low_error(s, args->items[i], STR("make it a @pk.workunit"),
                      "a lambda is not translated");
            return low_unknown(s, n);
        }
    }
    if (n->u.call.keywords.count || args->count != at + 2) {
        low_error(s, n, STR("give a policy and a workunit: pk.parallel_for(n, self.name)"),
                  "other arguments are not translated");
        return low_unknown(s, n);
    }
    run->callee = callee_of(s, args->items[at + 1]);
    if (!run->callee || !fits(s, args->items[at + 1], run->callee->kernel, operation) ||
        !read_policy(s, args->items[at], run)) {
        return low_unknown(s, n);
    }
    struct ir_stmt *stmt = low_stmt_new(s, IR_LAUNCH, n);
    stmt->launch = run;
    if (operation != OPERATION_FOR) {
        stmt->var = low_temp(s, run->callee->kernel->acc);
    }
    low_emit(s, stmt);
    return stmt->var ? low_var(s, n, stmt->var) : nothing(s, n);
}

const struct ir_expr *low_host_call(struct low_scope *s, const struct ast_node *n, struct str name)
{
    static const char *const launches[] = {"parallel_for", "parallel_reduce", "parallel_scan"};

    for (int i = 0; i < 3; i++) {
        if (str_equal_c(name, launches[i])) {
            if (s->function || s->inner) {
                low_error(s, n, STR("call it from the @pk.main itself"),
                          "a workunit is launched inside of a function");
                return low_unknown(s, n);
            }
            return launch(s, n, (enum operation)i);
        }
    }
    if (str_equal_c(name, "fence")) {
        return nothing(s, n); /* launches end when their work has */
    }
    return str_equal_c(name, "Timer") && !n->u.call.args.count ? seconds(s, n) : NULL;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool has_only_self(const struct ast_node *node)
{
    const struct ast_node *args = node->u.function.args;

    return args->u.arguments.posonly.count + args->u.arguments.args.count == 1 &&
           !args->u.arguments.kwonly.count && !args->u.arguments.vararg && !args->u.arguments.kwarg;
}

/* The first error among a list of diagnostics. */
static bool first_error(const struct vec *diags, struct kernel_reason *out)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct low_diag *d = diags->items[i];
        if (d->severity == DIAG_ERROR) {
            *out = (struct kernel_reason){d->module, d->span, d->message, d->hint};
            return true;
        }
    }
    return false;
}

const struct kernel *kernel_lower_host(struct arena *a, const struct py_workunit *method,
                                       const struct host_callee *callees, size_t count,
                                       const struct kernel_options *options,
                                       struct kernel_reason *reason)
{
    struct lower *l = low_new(a, options);
    struct kernel *k = low_describe(l, method);
    struct low_unit *u = low_unit_new(l);
    struct low_scope *s = low_scope_new(u, NULL, method->module, method->node, NULL);
    const struct ast_node *args = method->node->u.function.args;

    if (!has_only_self(method->node)) {
        *reason = (struct kernel_reason){method->module, args->span,
                                         STR("it takes other arguments than self"),
                                         STR("make them fields")};
        return NULL;
    }
    u->top = s;
    l->host = k->host = true;
    l->callees = callees;
    l->callee_count = count;
    k->policy = POLICY_RANGE;
    s->self = LOW_SELF_FUNCTOR;
    s->self_class_node = method->class_node;
    s->self_class_module = method->module;
    s->self_name = args->u.arguments.posonly.count ? args->u.arguments.posonly.items[0]->u.arg.arg
                                                   : args->u.arguments.args.items[0]->u.arg.arg;
    low_functor_fields(l, s);
    low_scope_scan(s);
    low_unit_run(u);
    if (first_error(&u->diags, reason)) {
        return NULL;
    }
    for (size_t i = 0; i < l->instances.count; i++) {
        const struct low_instance *called = l->instances.items[i];
        if (first_error(&called->unit->diags, reason)) {
            return NULL;
        }
    }
    (void)low_report(l, &u->diags);
    k->body = u->body;
    low_take_vars(s, &k->vars, &k->var_count);
    return low_finish(l, false) ? k : NULL;
}
