/* Inner functions: lowered at their def (or first use), capturing by reference. */
#include "kernel/lower.h"

static struct low_inner *inner_of(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < s->inners.count; i++) {
        struct low_inner *inner = s->inners.items[i];
        if (inner->scope->node == n) {
            return inner;
        }
    }
    return NULL;
}

static bool plain_parameters(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *args = n->u.function.args;

    if (args->u.arguments.vararg || args->u.arguments.kwarg || args->u.arguments.defaults.count ||
        args->u.arguments.kwonly.count) {
        low_error(s, n, STR("give it plain parameters"),
                  "star, default and keyword parameters of an inner function are not translated");
        return false;
    }
    return true;
}

static void declare_parameters(struct low_inner *inner)
{
    struct low_scope *s = inner->scope;

    for (size_t i = 0; i < s->parameters.count; i++) {
        struct low_variable *v = s->parameters.items[i];
        const struct ast_node *annotation = v->first->u.arg.annotation;
        bool is_acc = false;
        if (!annotation) {
            continue; /* by its calls */
        }
        const struct type *t = low_annotation(s, s->module, annotation, LOW_USE_VALUE, &is_acc);
        v->declared = t && type_is_scalar(t->kind) ? t : NULL;
        v->fixed = t && type_is_scalar(t->kind);
        if (t && type_is_scalar(t->kind)) {
            v->var->type = t;
        }
        if (is_acc) {
            v->var->kind = VAR_ACC;
        }
    }
    if (s->node->u.function.returns) {
        s->declared_returns =
            low_annotation(s, s->module, s->node->u.function.returns, LOW_USE_VALUE, NULL);
    }
}

static struct ir_function *function_of(struct low_inner *inner)
{
    struct low_scope *s = inner->scope;
    struct lower *l = s->unit->l;
    struct ir_function *f = inner->function;

    if (!f) {
        f = ARENA_NEW(l->a, struct ir_function);
        f->name = s->node->u.function.name;
        f->symbol = low_symbol(l, f->name);
        f->module = s->module;
        f->node = s->node;
        f->inner = true;
        f->parent = s->parent->function;
        inner->function = f;
        s->function = f;
        /* made before the function was known */
        for (size_t i = 0; i < s->variables.count; i++) {
            struct low_variable *v = s->variables.items[i];
            if (v->var) {
                v->var->owner = f;
            }
        }
        f->parameters = ARENA_ARRAY(l->a, const struct ir_var *, s->parameters.count);
        for (size_t i = 0; i < s->parameters.count; i++) {
            f->parameters[i] = ((struct low_variable *)s->parameters.items[i])->var;
        }
        f->parameter_count = s->parameters.count;
    }
    return f;
}

static void lower_inner(struct low_inner *inner)
{
    struct low_scope *s = inner->scope;
    struct ir_function *f = function_of(inner);
    const struct ast_seq body = py_body(s->node);
    struct vec block;

    inner->lowered = true;
    inner->running = true;
    s->nesting = 0;
    declare_parameters(inner);
    struct vec *outer = low_block_begin(s, &block);
    low_body(s, &body);
    low_block_end(s, outer);
    f->body = low_block(s, &block);
    if (s->returns_value && (s->returns_nothing || !s->flow.dead)) {
        low_error_span(s, &s->node->u.function.name_span, STR("return a value on every path"),
                       STR_FMT " may end without returning a value", STR_ARG(f->name));
    }
    f->returns = s->declared_returns ? s->declared_returns
                 : s->returns        ? s->returns
                                     : type_scalar(TYPE_VOID);
    low_take_vars(s, &f->vars, &f->var_count);
    inner->effects = low_block_effects(&f->body, f);
    inner->running = false;
    if (f->uses_fields && s->parent->function) {
        s->parent->function->uses_fields = true;
    }
}

void low_inner_ready(struct low_scope *s, struct low_inner *inner)
{
    (void)s;
    if (!inner->lowered) {
        lower_inner(inner);
    }
}

void low_inner_def(struct low_scope *s, const struct ast_node *n)
{
    struct low_inner *inner = inner_of(s, n);

    if (!inner) {
        return;
    }
    if (inner->name->var) {
        low_error(s, n, STR("use another name"), STR_FMT " is a function and a variable",
                  STR_ARG(n->u.function.name));
        return;
    }
    if (inner->name->inner != inner || inner->reported) {
        if (inner->reported) {
            low_error(s, n, STR("use another name"), "a second inner function of the name " STR_FMT,
                      STR_ARG(n->u.function.name));
        }
        return;
    }
    if (n->u.function.decorators.count) {
        low_warning(s, n, STR(""), "decorators of inner functions have no effect");
    }
    if (!plain_parameters(s, n)) {
        inner->name->poisoned = true;
        return;
    }
    if (!inner->lowered) {
        lower_inner(inner);
    }
    low_flow_assign(s, inner->name);
}

bool low_inner_argument(struct low_scope *s, const struct ast_node *n, struct low_variable *p,
                        const struct ir_expr **value)
{
    const struct type *before = p->var->type;

    if (!(*value)->type) {
        return false;
    }
    if (!p->fixed) {
        const bool was_used = p->used;
        p->used = true; /* its body has been lowered with the type known so far */
        if (!low_variable_widen(s, p, low_settle(s, *value))) {
            low_error(s, n, STR("use two functions"),
                      "the argument " STR_FMT " is a " STR_FMT " here and a " STR_FMT " elsewhere",
                      STR_ARG(p->name), STR_ARG(low_spell(s, (*value)->type)),
                      STR_ARG(low_spell(s, before)));
            return false;
        }
        p->used = was_used;
    }
    *value = low_convert_type(s, *value, p->var->type, n, "the argument");
    return (*value)->type != NULL;
}

const struct ir_expr *low_call_inner(struct low_scope *s, const struct ast_node *n,
                                     struct low_inner *inner)
{
    const size_t count = inner->scope->parameters.count;
    const char *name = inner->name->name.ptr;

    if (inner->running) {
        low_error(s, n, STR("define it at the top of the module"),
                  "an inner function cannot call itself");
        return low_unknown(s, n);
    }
    low_inner_ready(s, inner);
    const struct ir_expr **args = low_arguments(
        s, n, count, count, str_format(s->unit->l->a, STR_FMT, STR_ARG(inner->name->name)).ptr);
    (void)name;
    low_inner_used(s, n, inner);
    if (!args) {
        return low_unknown(s, n);
    }
    struct ir_expr *e = low_expr_new(s, IR_CALL, inner->function->returns, n, count);
    e->function = inner->function;
    e->effects = inner->effects & EFFECT_ANY;
    for (size_t i = 0; i < count; i++) {
        if (!low_inner_argument(s, n->u.call.args.items[i], inner->scope->parameters.items[i],
                                &args[i])) {
            return low_unknown(s, n);
        }
        e->args[i] = args[i];
        e->effects |= args[i]->effects;
    }
    return e;
}
