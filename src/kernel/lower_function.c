/* Helpers: one instantiation for each tuple of argument types. */
#include "kernel/lower.h"

/* ---- arguments ------------------------------------------------------------------------------ */

struct binding {
    const struct ast_node **parameters; /* AST_ARG */
    const struct ir_expr **values;      /* NULL: the default */
    const struct ast_node **defaults;   /* NULL: none */
    size_t count;
};

static bool list_parameters(struct low_scope *s, const struct ast_node *n, const struct ast_node *f,
                            size_t skip, struct binding *b)
{
    const struct ast_node *args = f->u.function.args;
    const struct ast_seq *lists[3] = {&args->u.arguments.posonly, &args->u.arguments.args,
                                      &args->u.arguments.kwonly};
    const size_t positional = lists[0]->count + lists[1]->count;
    const struct ast_seq *defaults = &args->u.arguments.defaults;
    struct arena *a = s->unit->l->a;
    const size_t all = positional + lists[2]->count;

    if (args->u.arguments.vararg || args->u.arguments.kwarg) {
        low_error(s, n, STR("name its parameters"),
                  STR_FMT " takes star arguments (*), which are not translated",
                  STR_ARG(f->u.function.name));
        return false;
    }
    b->parameters = ARENA_ARRAY(a, const struct ast_node *, all + 1);
    b->values = ARENA_ARRAY(a, const struct ir_expr *, all + 1);
    b->defaults = ARENA_ARRAY(a, const struct ast_node *, all + 1);
    size_t at = 0;
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < lists[k]->count; i++, at++) {
            if (at < skip) {
                continue;
            }
            const size_t slot = b->count++;
            b->parameters[slot] = lists[k]->items[i];
            if (k == 2) {
                b->defaults[slot] = i < args->u.arguments.kw_defaults.count
                                        ? args->u.arguments.kw_defaults.items[i]
                                        : NULL;
            } else if (at + defaults->count >= positional) {
                b->defaults[slot] = defaults->items[at + defaults->count - positional];
            }
        }
    }
    return true;
}

static size_t find_parameter(const struct binding *b, struct str name)
{
    size_t i = 0;

    while (i < b->count && !str_equal(b->parameters[i]->u.arg.arg, name)) {
        i++;
    }
    return i;
}

/* Evaluates a call's arguments in its order; false: refused. */
static bool bind_arguments(struct low_scope *s, const struct ast_node *n, const struct py_module *m,
                           const struct ast_node *f, size_t skip, struct binding *b)
{
    const struct ast_seq *args = &n->u.call.args, *keywords = &n->u.call.keywords;
    struct low_operands o;
    size_t *slots;

    if (!list_parameters(s, n, f, skip, b)) {
        return false;
    }
    if (args->count > b->count) {
        low_error(s, n, STR(""), STR_FMT " takes %zu argument%s, not %zu",
                  STR_ARG(f->u.function.name), b->count, b->count == 1 ? "" : "s",
                  args->count + keywords->count);
        return false;
    }
    low_operands_begin(&o, s, args->count + keywords->count + 1);
    slots = ARENA_ARRAY(s->unit->l->a, size_t, args->count + keywords->count + 1);
    for (size_t i = 0; i < args->count; i++) {
        slots[i] = i;
        low_operands_add(&o, low_expr(s, args->items[i]));
    }
    for (size_t i = 0; i < keywords->count; i++) {
        const struct str name = keywords->items[i]->u.keyword.arg;
        const size_t slot = find_parameter(b, name);
        bool twice = slot < args->count;
        for (size_t k = args->count; k < o.count; k++) {
            twice |= slots[k] == slot;
        }
        if (slot == b->count || twice) {
            low_error(s, keywords->items[i], STR(""),
                      twice ? STR_FMT " is given " STR_FMT " twice"
                            : STR_FMT " has no parameter " STR_FMT,
                      STR_ARG(f->u.function.name), STR_ARG(name));
            return false;
        }
        slots[o.count] = slot;
        low_operands_add(&o, low_expr(s, keywords->items[i]->u.keyword.value));
    }
    low_operands_seal(&o);
    for (size_t i = 0; i < o.count; i++) {
        b->values[slots[i]] = o.items[i];
    }
    for (size_t i = 0; i < b->count; i++) {
        if (b->values[i]) {
            continue;
        }
        if (!b->defaults[i]) {
            low_error(s, n, STR(""), STR_FMT " is called without its argument " STR_FMT,
                      STR_ARG(f->u.function.name), STR_ARG(b->parameters[i]->u.arg.arg));
            return false;
        }
        b->values[i] = low_default(s, n, m, b->parameters[i], b->defaults[i]);
    }
    for (size_t i = 0; i < b->count; i++) {
        if (!b->values[i]->type) {
            return false;
        }
    }
    return true;
}

static bool is_accumulator(const struct ir_expr *e)
{
    return e->kind == IR_VAR && e->var->kind == VAR_ACC;
}

/* The type a parameter gets from its annotation, or from the argument. */
static const struct type *parameter_type(struct low_scope *s, const struct ast_node *n,
                                         const struct py_module *m, const struct ast_node *arg,
                                         const struct ir_expr *value)
{
    if (value->type->kind == TYPE_RANDOM_POOL) {
        low_error(s, value->node ? value->node : n,
                  STR("hand over a generator: generator = pool.get_state()"),
                  "a random pool cannot be passed on");
        return NULL;
    }
    if (!arg->u.arg.annotation) {
        return is_accumulator(value) || value->type->kind == TYPE_BOOL ||
                       !type_is_scalar(value->type->kind)
                   ? value->type
                   : low_number(s, low_settle(s, value), n, "the argument")->type;
    }
    bool is_acc = false;
    const struct type *t = low_annotation(s, m, arg->u.arg.annotation, LOW_USE_VALUE, &is_acc);
    if (!t) {
        return NULL;
    }
    if (is_acc && (!is_accumulator(value) || !type_equal(t, value->type))) {
        low_error(s, value->node ? value->node : n, STR("give the workunit's accumulator"),
                  "the parameter " STR_FMT " is an accumulator of " STR_FMT,
                  STR_ARG(arg->u.arg.arg), STR_ARG(low_spell(s, t)));
        return NULL;
    }
    if (t->kind == TYPE_VIEW) {
        if (value->type->kind == TYPE_VIEW && value->type->rank == t->rank &&
            type_equal(value->type->element, t->element)) {
            return value->type; /* with the argument's layout */
        }
        low_error(s, value->node ? value->node : n, STR(""),
                  "the parameter " STR_FMT " is a " STR_FMT ", the argument a " STR_FMT,
                  STR_ARG(arg->u.arg.arg), STR_ARG(low_spell(s, t)),
                  STR_ARG(low_spell(s, value->type)));
        return NULL;
    }
    if (t->kind == TYPE_ARRAY && value->type->kind == TYPE_ARRAY) {
        return value->type;
    }
    return t;
}

/* Objects are passed by reference: the argument must be one that stays. */
static const struct ir_expr *as_reference(struct low_scope *s, const struct ir_expr *e)
{
    if (e->type->kind == TYPE_ARRAY && e->kind != IR_VAR) {
        low_error(s, e->node, STR("pass the whole list and an index"),
                  "a row of a list cannot be passed on");
        return low_unknown(s, e->node);
    }
    return e->kind == IR_VAR || e->kind == IR_MEMBER ? e : low_to_temp(s, e);
}

/* ---- instances ------------------------------------------------------------------------------ */

static bool instance_matches(const struct low_instance *i, const struct ast_node *f,
                             const struct low_class *c, const struct type *const *types,
                             const struct binding *b)
{
    const size_t first = i->function->parameter_count - i->type_count; /* self */

    if (i->node != f || i->self_class != c || i->type_count != b->count) {
        return false;
    }
    for (size_t k = 0; k < b->count; k++) {
        const bool acc = i->function->parameters[k + first]->kind == VAR_ACC;
        if (acc != is_accumulator(b->values[k]) || !type_equal(i->types[k], types[k])) {
            return false;
        }
    }
    return true;
}

static void add_parameters(struct low_scope *s, const struct binding *b,
                           const struct type *const *types, const struct ir_var **out)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct ast_node *arg = b->parameters[i];
        struct low_variable *v = low_scope_parameter(s, arg->u.arg.arg, arg, VAR_PARAMETER);
        v->var->type = types[i];
        v->fixed = arg->u.arg.annotation || !type_is_scalar(types[i]->kind);
        v->declared = arg->u.arg.annotation ? types[i] : NULL;
        v->var->by_reference = types[i]->kind == TYPE_STRUCT || types[i]->kind == TYPE_ARRAY;
        if (is_accumulator(b->values[i])) {
            v->var->kind = VAR_ACC;
            v->var->by_reference = true;
            v->fixed = true;
        }
        out[i] = v->var;
    }
}

static struct low_instance *instance_new(struct low_scope *s, const struct py_module *m,
                                         const struct ast_node *f, struct low_class *c,
                                         const struct ast_node *functor, const struct binding *b,
                                         const struct type **types)
{
    struct lower *l = s->unit->l;
    struct low_instance *i = ARENA_NEW(l->a, struct low_instance);
    struct ir_function *fn = ARENA_NEW(l->a, struct ir_function);
    const struct ast_seq *args = &f->u.function.args->u.arguments.args;
    const struct ast_seq *posonly = &f->u.function.args->u.arguments.posonly;
    const bool constructor = c && str_equal_c(f->u.function.name, "__init__");
    const size_t self = c && !constructor;

    i->node = f;
    i->module = m;
    i->self_class = c;
    i->types = types;
    i->type_count = b->count;
    i->function = fn;
    i->effects = EFFECT_READS | EFFECT_WRITES;
    fn->name = constructor ? c->struct_type->python_name : f->u.function.name;
    fn->symbol = low_symbol(l, c && !constructor ? str_format(l->a, STR_FMT "_" STR_FMT,
                                                              STR_ARG(c->struct_type->python_name),
                                                              STR_ARG(fn->name))
                               : constructor ? str_format(l->a, "make_" STR_FMT, STR_ARG(fn->name))
                                             : fn->name);
    fn->module = m;
    fn->node = f;
    fn->self_type = c && !constructor ? c->struct_type : NULL;
    fn->parameter_count = b->count + self;
    fn->parameters = ARENA_ARRAY(l->a, const struct ir_var *, fn->parameter_count);
    i->unit = low_unit_new(l);
    i->unit->instance = i;
    struct low_scope *top = low_scope_new(i->unit, NULL, m, f, fn);
    i->unit->top = top;
    if (c || functor) {
        const struct ast_seq *from = posonly->count ? posonly : args;
        top->self = c ? LOW_SELF_CLASSTYPE : LOW_SELF_FUNCTOR;
        top->self_name = from->count ? from->items[0]->u.arg.arg : STR("");
        top->self_class = c;
        top->self_class_node = c ? c->node : functor;
        top->self_class_module = c ? c->module : s->self_class_module;
    }
    top->constructor = constructor;
    if (c) {
        struct type *t = ARENA_NEW(l->a, struct type);
        t->kind = TYPE_STRUCT;
        t->struct_type = c->struct_type;
        top->self_variable =
            low_scope_parameter(top, top->self_name, f, constructor ? VAR_LOCAL : VAR_PARAMETER);
        top->self_variable->var->type = t;
        top->self_variable->var->by_reference = !constructor;
        top->self_variable->fixed = true;
        top->self_variable->used = true;
        if (constructor) {
            top->declared_returns = t;
        } else {
            fn->parameters[0] = top->self_variable->var;
        }
    }
    add_parameters(top, b, types, fn->parameters + self);
    low_scope_scan(top);
    vec_push(&l->instances, i);
    return i;
}

static void declare_return(struct low_instance *i)
{
    struct low_scope *top = i->unit->top;

    if (!top->constructor && i->node->u.function.returns) {
        const struct type *t =
            low_annotation(top, i->module, i->node->u.function.returns, LOW_USE_VALUE, NULL);
        /* a view's layout, and what refused itself already, come from the body */
        top->declared_returns = t && t->kind != TYPE_VIEW ? t : NULL;
    }
}

static void prepare_function(struct low_scope *s)
{
    declare_return((struct low_instance *)(uintptr_t)s->unit->instance);
}

static void run_instance(struct lower *l, struct low_instance *i)
{
    i->running = true;
    i->head = NULL;
    vec_push(&l->running, i);
    i->unit->prepare = prepare_function;
    low_unit_run(i->unit);
    l->running.count--;
    i->running = false;
    i->effects = low_block_effects(&i->function->body, i->function);
    if (i->head && i->head->running) {
        i->head_pass = i->head->unit->pass;
        i->effects = EFFECT_READS | EFFECT_WRITES;
    }
}

static struct low_instance *outermost(const struct lower *l, struct low_instance *a,
                                      struct low_instance *b)
{
    for (size_t k = 0; a && k < l->running.count; k++) {
        if (l->running.items[k] == a || l->running.items[k] == b) {
            return l->running.items[k];
        }
    }
    return b;
}

/* Was it lowered with types of a running instance that may have changed since? */
static bool is_stale(const struct low_instance *i)
{
    for (; i->head; i = i->head) {
        if (i->head->running) {
            return i->head_pass != i->head->unit->pass;
        }
    }
    return false;
}

/* A call of a running instance: everything above it is right only for its present pass. */
static void note_recursion(struct lower *l, struct low_instance *head)
{
    head->function->recursive = true;
    head->unit->top->returns_used = true;
    bool above = false;
    for (size_t k = 0; k < l->running.count; k++) {
        struct low_instance *i = l->running.items[k];
        above |= i == head;
        if (above && i != head) {
            i->function->recursive = true;
            i->head = outermost(l, i->head, head);
        }
    }
}

static struct low_instance *find_instance(struct low_scope *s, const struct ast_node *n,
                                          const struct py_module *m, const struct ast_node *f,
                                          struct low_class *c, const struct ast_node *functor,
                                          const struct binding *b, const struct type **types)
{
    struct lower *l = s->unit->l;
    struct low_instance *found = NULL;

    for (size_t k = 0; k < l->instances.count && !found; k++) {
        struct low_instance *i = l->instances.items[k];
        found = instance_matches(i, f, c, types, b) ? i : NULL;
    }
    if (found && found->running) {
        note_recursion(l, found);
        return found;
    }
    if (l->running.count >= LOW_MAX_CALL_DEPTH) {
        low_error(s, n, STR("annotate the helper's parameters"),
                  "helpers call each other too deeply here");
        return NULL;
    }
    if (!found) {
        found = instance_new(s, m, f, c, functor, b, types);
        run_instance(l, found);
    } else if (is_stale(found)) {
        run_instance(l, found);
    }
    return found;
}

/* A helper may change the accumulator: reading it beside the call is a matter of order. */
static void share(struct low_scope *s, const struct ir_var *acc)
{
    struct low_variable *v = low_scope_find(s, acc->name);

    if (v && v->var == acc && !v->shared) {
        v->shared = true;
        s->unit->changed = true;
    }
}

static const struct ir_expr *call_instance(struct low_scope *s, const struct ast_node *n,
                                           struct low_instance *i, const struct binding *b,
                                           const struct ir_expr *self)
{
    const struct ir_function *f = i->function;
    const size_t first = self ? 1 : 0;
    const struct low_scope *top = i->unit->top;
    const struct type *returns =
        i->running ? (top->declared_returns ? top->declared_returns : top->returns) : f->returns;
    struct ir_expr *e = low_expr_new(s, IR_CALL, returns, n, b->count + first);

    e->function = f;
    e->effects = i->effects & EFFECT_ANY;
    if (self) {
        e->args[0] = as_reference(s, self);
    }
    for (size_t k = 0; k < b->count; k++) {
        const struct type *t = f->parameters[k + first]->type; /* widened by the body, maybe */
        const struct ir_expr *value = b->values[k];
        if (f->parameters[k + first]->kind == VAR_ACC) {
            share(s, value->var);
            e->args[k + first] = low_var(s, n, value->var);
            continue;
        }
        if (t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY) {
            value = as_reference(s, value);
        }
        value = low_convert_type(s, value, t, value->node ? value->node : n, "the argument");
        if (!value->type) {
            return low_unknown(s, n);
        }
        e->args[k + first] = value;
        e->effects |= value->effects;
    }
    if (f->uses_fields && s->function) {
        s->function->uses_fields = true;
    }
    if (!returns && i->running) {
        return low_unknown(s, n); /* a recursion that has not returned anything yet */
    }
    return e;
}

/* A decorator can make anything of a function; only pykokkos' own are known. */
static bool is_plain_function(struct low_scope *s, const struct ast_node *n,
                              const struct py_module *m, const struct ast_node *f)
{
    const struct ast_node *call;
    const size_t own = py_decorator_of(m, f, &call) != PY_DECORATOR_NONE;

    if (f->u.function.decorators.count <= own) {
        return true;
    }
    low_error(s, n, STR("call a function without it"),
              STR_FMT " has a decorator that a workunit does not know",
              STR_ARG(f->u.function.name));
    return false;
}

static const struct ir_expr *call_function(struct low_scope *s, const struct ast_node *n,
                                           const struct py_module *m, const struct ast_node *f,
                                           struct low_class *c, const struct ir_expr *self,
                                           const struct ast_node *functor, bool attempt)
{
    struct binding b = {0};
    const bool method = c || functor;

    if (!is_plain_function(s, n, m, f)) {
        return attempt ? NULL : low_unknown(s, n);
    }
    if (!bind_arguments(s, n, m, f, method ? 1 : 0, &b)) {
        return attempt ? NULL : low_unknown(s, n);
    }
    const struct type **types = ARENA_ARRAY(s->unit->l->a, const struct type *, b.count + 1);
    for (size_t i = 0; i < b.count; i++) {
        types[i] = parameter_type(s, n, m, b.parameters[i], b.values[i]);
        if (!types[i]) {
            return attempt ? NULL : low_unknown(s, n);
        }
    }
    struct low_instance *i = find_instance(s, n, m, f, c, functor, &b, types);
    if (!i) {
        return attempt ? NULL : low_unknown(s, n);
    }
    if (attempt && !i->running && low_count_errors(&i->unit->diags)) {
        return NULL;
    }
    vec_push(&s->unit->called, i);
    if (!i->running && low_count_errors(&i->unit->diags) && !i->function->returns) {
        return low_unknown(s, n);
    }
    if (!i->running && low_count_errors(&i->unit->diags) &&
        i->function->returns->kind == TYPE_VOID) {
        return low_unknown(s, n); /* what it returns could not be seen */
    }
    return call_instance(s, n, i, &b, self);
}

const struct ir_expr *low_call_function(struct low_scope *s, const struct ast_node *n,
                                        const struct py_module *m, const struct ast_node *f,
                                        struct low_class *self_class, const struct ir_expr *self,
                                        const struct ast_node *functor_class)
{
    return call_function(s, n, m, f, self_class, self, functor_class, false);
}

const struct ir_expr *low_try_function(struct low_scope *s, const struct ast_node *n,
                                       const struct py_module *m, const struct ast_node *f)
{
    const size_t diags = s->unit->diags.count, statements = s->block->count;
    const size_t temps = s->temps.count;
    const struct ir_expr *e = call_function(s, n, m, f, NULL, NULL, NULL, true);

    if (!e) {
        s->unit->diags.count = diags;
        s->block->count = statements;
        s->temps.count = temps;
    }
    return e;
}
