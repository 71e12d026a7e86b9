/*
 * FUSE: several workunits as one kernel. For each index the first body runs, then the second.
 *
 * Each workunit is lowered as it is alone; then its index, accumulator and parameters are those of
 * the fused kernel. What a body assigns to its index or a parameter is its own: it starts as a copy
 * there, so that the next body sees what was passed. A body that returns becomes an inner function,
 * which ends it alone.
 */
#include "kernel/lower.h"

struct part {
    const struct py_workunit *workunit;
    struct low_unit *unit;
    struct kernel *kernel;
    struct ir_function *function; /* NULL: its statements stand in the kernel's body */
    struct low_variable *float_index;
};

struct fusion {
    struct lower *l;
    const struct py_workunit *fused;
    struct kernel *kernel;
    struct part *parts;
    size_t count;
    size_t errors;
};

static void refuse(struct fusion *f, const struct py_workunit *w, struct str hint, struct str why)
{
    py_error_at(w->module, &w->node->u.function.name_span, f->fused->qualified,
                str_format(f->l->a, STR_FMT " cannot be fused into " STR_FMT ": " STR_FMT,
                           STR_ARG(w->qualified), STR_ARG(f->fused->qualified), STR_ARG(why)),
                hint);
    f->errors++;
}

/* ---- shapes --------------------------------------------------------------------------------- */

static const char *policy_name(enum policy p)
{
    return p == POLICY_MDRANGE ? "an MDRangePolicy" : "a RangePolicy";
}

/* The operation of all is the one reduction among them, else a for. */
static void check_shape(struct fusion *f, const struct part *p)
{
    const struct kernel *first = f->parts[0].kernel, *k = p->kernel;
    struct arena *a = f->l->a;

    if (k->operation == OPERATION_SCAN) {
        refuse(f, p->workunit, STR("call it alone"),
               STR("a scan runs twice over its range, and so would the others"));
        return;
    }
    if (k->policy == POLICY_TEAM) {
        refuse(f, p->workunit, STR("call it alone, or write one workunit with a team_barrier"),
               STR("the threads of a team would not wait for each other between the bodies"));
        return;
    }
    if (first->policy != POLICY_TEAM && (k->policy != first->policy || k->rank != first->rank)) {
        refuse(f, p->workunit, STR("fuse workunits of the same indices"),
               str_format(a, "it runs over %s of rank %d, " STR_FMT " over %s of rank %d",
                          policy_name(k->policy), k->rank, STR_ARG(first->qualified),
                          policy_name(first->policy), first->rank));
        return;
    }
    if (k->operation != OPERATION_REDUCE) {
        return;
    }
    if (f->kernel->operation == OPERATION_REDUCE) {
        refuse(f, p->workunit, STR("fuse at most one workunit with an accumulator"),
               STR("another of them is a reduction, too"));
        return;
    }
    f->kernel->operation = OPERATION_REDUCE;
    f->kernel->acc = k->acc;
    f->kernel->acc_is_loc = k->acc_is_loc;
}

static void check_class(struct fusion *f, const struct part *p)
{
    if (p->workunit->class_node != f->parts[0].workunit->class_node) {
        refuse(f, p->workunit, STR("fuse workunits of one class, or functions"),
               str_format(f->l->a, STR_FMT " is not of the same class",
                          STR_ARG(f->parts[0].workunit->qualified)));
    }
}

/* ---- variables ------------------------------------------------------------------------------ */

/* The part's variable is `shared`; or begins as a copy of it where the body assigns it. */
static void share(struct part *p, struct str name, struct ir_var *shared)
{
    struct low_variable *v = map_get(&p->unit->top->names, name);

    if (v->rebound || v->shared) {
        struct low_copy *c = ARENA_NEW(p->unit->l->a, struct low_copy);
        *c = (struct low_copy){v, shared};
        v->var->kind = VAR_LOCAL;
        v->var->read_only = false;
        vec_push(&p->unit->copies, c);
        return;
    }
    v->var = shared;
}

/* The kernel's own variables belong to no part's inner function. */
static struct ir_var *kernel_var(struct fusion *f, const struct parameter *p)
{
    struct ir_var *v = low_ir_var(f->l, p->var->kind, p->name, p->var->type, NULL);

    v->read_only = p->var->read_only;
    v->nonnegative = p->var->nonnegative;
    return v;
}

static struct ir_var *writable(const struct ir_var *v)
{
    return (struct ir_var *)(uintptr_t)v; /* kernel_var made it */
}

/* The indices are the first part's; the accumulator is its own part's. */
static void share_leading(struct fusion *f, struct part *p)
{
    struct kernel *k = f->kernel;

    for (size_t i = 0; i < p->kernel->leading_count; i++) {
        const struct parameter *own = &p->kernel->leading[i];
        const bool acc = own->var->kind == VAR_ACC;
        const size_t at = acc ? k->leading_count : i;
        if (at == k->leading_count) {
            k->leading[k->leading_count] = *own;
            k->leading[k->leading_count++].var = kernel_var(f, own);
        }
        struct ir_var *shared = writable(k->leading[at].var);
        if (acc) {
            ((struct low_variable *)map_get(&p->unit->top->names, own->name))->var = shared;
        } else if (p->float_index) {
            f->l->index = shared; /* what `i: float` is made from */
        } else {
            share(p, own->name, shared);
        }
    }
}

/* Do parameters of this name have more than one type among the parts? */
static bool clashes(const struct fusion *f, struct str name)
{
    const struct type *type = NULL;

    for (size_t i = 0; i < f->count; i++) {
        const struct kernel *k = f->parts[i].kernel;
        for (size_t n = 0; n < k->parameter_count; n++) {
            if (!str_equal(k->parameters[n].name, name)) {
                continue;
            }
            if (type && !type_equal(type, k->parameters[n].type)) {
                return true;
            }
            type = k->parameters[n].type;
        }
    }
    return false;
}

static struct parameter *find_parameter(struct kernel *k, struct str name)
{
    for (size_t i = 0; i < k->parameter_count; i++) {
        if (str_equal(k->parameters[i].name, name)) {
            return &k->parameters[i];
        }
    }
    return NULL;
}

static void share_parameters(struct fusion *f, struct part *p)
{
    struct kernel *k = f->kernel;
    const size_t number = (size_t)(p - f->parts);

    for (size_t i = 0; i < p->kernel->parameter_count; i++) {
        const struct parameter *own = &p->kernel->parameters[i];
        const bool renamed = clashes(f, own->name);
        const struct str name =
            renamed ? str_format(f->l->a, "fused_" STR_FMT "_%zu", STR_ARG(own->name), number)
                    : own->name;
        struct parameter *shared = find_parameter(k, name);
        if (shared && (renamed || !type_equal(shared->type, own->type))) {
            refuse(f, p->workunit, STR("rename it"),
                   str_format(f->l->a, "another parameter is called " STR_FMT, STR_ARG(name)));
            return;
        }
        if (!shared) {
            shared = &k->parameters[k->parameter_count++];
            *shared = (struct parameter){name, own->type, own->node, NULL};
            struct ir_var *v = kernel_var(f, own);
            v->name = name;
            shared->var = v;
        }
        writable(shared->var)->read_only &= own->var->read_only;
        share(p, own->name, writable(shared->var));
    }
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void find_return(void *context, const struct ast_node *n)
{
    bool *found = context;

    if (n->kind == AST_RETURN) {
        *found = true;
    } else if (n->kind != AST_FUNCTION_DEF && n->kind != AST_LAMBDA) {
        ast_for_each_child(n, find_return, context);
    }
}

static bool returns(const struct py_workunit *w)
{
    const struct ast_seq body = py_body(w->node);
    bool found = false;

    for (size_t i = 0; i < body.count; i++) {
        find_return(&found, body.items[i]);
    }
    return found;
}

static struct ir_function *function_of(struct fusion *f, const struct py_workunit *w)
{
    struct ir_function *function = ARENA_NEW(f->l->a, struct ir_function);

    function->name = w->name;
    function->symbol = low_symbol(f->l, w->name);
    function->module = w->module;
    function->node = w->node;
    function->inner = true;
    function->parameters = ARENA_ARRAY(f->l->a, const struct ir_var *, 1);
    return function;
}

/* Reads a part's parameters, as they are when it is alone. */
static void begin_part(struct fusion *f, struct part *p, const struct kernel_part *given)
{
    struct lower *l = f->l;
    const struct py_workunit *w = given->workunit;

    l->float_index = NULL;
    l->index = NULL;
    p->workunit = w;
    p->kernel = low_describe(l, w);
    p->unit = low_unit_new(l);
    p->function = returns(w) ? function_of(f, w) : NULL;
    p->unit->top = low_scope_new(p->unit, NULL, w->module, w->node, p->function);
    low_read_parameters(l, p->unit->top, given->instantiation);
    f->errors += low_count_errors(&p->unit->diags);
    (void)low_report(l, &p->unit->diags);
    vec_init(&p->unit->diags, l->a);
    low_scope_scan(p->unit->top);
}

/* Lowers a part's body; what it reads of the fused kernel's variables stays noted in them. */
static void run_part(struct fusion *f, struct part *p)
{
    struct lower *l = f->l;
    struct kernel *k = f->kernel;
    bool *captured = ARENA_ARRAY(l->a, bool, k->leading_count + k->parameter_count + 1);

    for (size_t i = 0; i < k->leading_count + k->parameter_count; i++) {
        const struct parameter *q =
            i < k->leading_count ? &k->leading[i] : &k->parameters[i - k->leading_count];
        captured[i] = q->var->captured;
    }
    low_unit_run(p->unit);
    for (size_t i = 0; i < k->leading_count + k->parameter_count; i++) {
        const struct parameter *q =
            i < k->leading_count ? &k->leading[i] : &k->parameters[i - k->leading_count];
        writable(q->var)->captured |= captured[i] || p->function;
    }
    /* Alone it was warned about already. */
    if (low_count_errors(&p->unit->diags) > 0) {
        f->errors += low_report(l, &p->unit->diags);
    }
    for (size_t i = 0; i < p->unit->called.count; i++) {
        const struct low_instance *called = p->unit->called.items[i];
        f->errors += low_count_errors(&called->unit->diags);
    }
}

static const struct ir_stmt *call_of(struct part *p)
{
    struct low_scope *s = p->unit->top;
    struct ir_expr *call = low_expr_new(s, IR_CALL, type_scalar(TYPE_VOID), p->workunit->node, 0);
    struct ir_stmt *stmt = low_stmt_new(s, IR_EVAL, p->workunit->node);

    call->function = p->function;
    call->effects = EFFECT_READS | EFFECT_WRITES;
    stmt->value = call;
    return stmt;
}

/* The bodies one after the other. */
static void join_bodies(struct fusion *f)
{
    struct kernel *k = f->kernel;
    struct vec statements, vars;

    vec_init(&statements, f->l->a);
    vec_init(&vars, f->l->a);
    for (size_t i = 0; i < f->count; i++) {
        struct part *p = &f->parts[i];
        if (p->function) {
            vec_push(&statements, (void *)(uintptr_t)call_of(p));
            continue;
        }
        const struct ir_var **own;
        size_t count;
        low_take_vars(p->unit->top, &own, &count);
        for (size_t n = 0; n < count; n++) {
            vec_push(&vars, (void *)(uintptr_t)own[n]);
        }
        for (size_t n = 0; n < p->unit->body.count; n++) {
            vec_push(&statements, (void *)(uintptr_t)p->unit->body.items[n]);
        }
    }
    k->body = low_block(f->parts[0].unit->top, &statements);
    k->vars = ARENA_ARRAY(f->l->a, const struct ir_var *, vars.count + 1);
    for (size_t i = 0; i < vars.count; i++) {
        k->vars[k->var_count++] = vars.items[i];
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The fused kernel's own parameters, empty as yet. */
static void prepare_kernel(struct fusion *f)
{
    struct kernel *k = f->kernel;
    const struct kernel *first = f->parts[0].kernel;
    struct buf names;
    size_t parameters = 0;

    buf_init(&names, f->l->a);
    for (size_t i = 0; i < f->count; i++) {
        buf_printf(&names, "%s" STR_FMT, i > 0 ? " + " : "",
                   STR_ARG(f->parts[i].workunit->qualified));
        parameters += f->parts[i].kernel->parameter_count;
    }
    k->fused = buf_str(&names);
    k->policy = first->policy;
    k->rank = first->rank;
    k->fields = first->fields;
    k->field_count = first->field_count;
    k->leading = ARENA_ARRAY(f->l->a, struct parameter, (size_t)first->rank + 2);
    k->parameters = ARENA_ARRAY(f->l->a, struct parameter, parameters + 1);
}

const struct kernel *kernel_fuse(struct arena *a, const struct py_workunit *fused,
                                 const struct kernel_part *parts, size_t count,
                                 const struct kernel_options *options)
{
    struct fusion f = {.l = low_new(a, options), .fused = fused, .count = count};
    bool instantiated = false;

    f.parts = ARENA_ARRAY(a, struct part, count);
    f.kernel = low_describe(f.l, fused);
    for (size_t i = 0; i < count; i++) {
        begin_part(&f, &f.parts[i], &parts[i]);
        instantiated = instantiated || parts[i].instantiation != NULL;
        if (f.errors == 0) {
            check_class(&f, &f.parts[i]);
        }
        if (f.errors == 0) {
            check_shape(&f, &f.parts[i]);
        }
        f.parts[i].float_index = f.l->float_index;
    }
    if (f.errors > 0) {
        return NULL;
    }
    prepare_kernel(&f);
    for (size_t i = 0; i < count; i++) {
        f.l->workunit = parts[i].workunit;
        f.l->kernel = f.parts[i].kernel;
        f.l->float_index = f.parts[i].float_index;
        share_leading(&f, &f.parts[i]);
        share_parameters(&f, &f.parts[i]);
        run_part(&f, &f.parts[i]);
    }
    f.l->workunit = fused;
    f.l->kernel = f.kernel;
    f.errors += low_report(f.l, &f.l->diags);
    if (f.errors > 0) {
        return NULL;
    }
    join_bodies(&f);
    return low_finish(f.l, instantiated) ? f.kernel : NULL;
}
