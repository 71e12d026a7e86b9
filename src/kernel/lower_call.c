/* What a call calls: a local function, a module's, a method, or something built in.
 * Casts and builtins themselves are in lower_builtin.c. */
#include "kernel/lower.h"

const struct ir_expr **low_arguments(struct low_scope *s, const struct ast_node *n, size_t least,
                                     size_t most, const char *name)
{
    const struct ast_seq *args = &n->u.call.args;
    struct low_operands o;
    bool ok = true;

    if (n->u.call.keywords.count) {
        low_error(s, n->u.call.keywords.items[0], STR("write it without the name"),
                  "%s takes no keyword arguments here", name);
        return NULL;
    }
    if (args->count < least || args->count > most) {
        if (least == most) {
            low_error(s, n, STR(""), "%s takes %zu argument%s, not %zu", name, least,
                      least == 1 ? "" : "s", args->count);
        } else {
            low_error(s, n, STR(""), "%s takes %zu to %zu arguments, not %zu", name, least, most,
                      args->count);
        }
        return NULL;
    }
    low_operands_begin(&o, s, args->count ? args->count : 1);
    for (size_t i = 0; i < args->count; i++) {
        low_operands_add(&o, low_expr(s, args->items[i]));
        ok &= o.items[i]->type != NULL;
    }
    low_operands_seal(&o);
    return ok ? o.items : NULL;
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static struct str last_part(struct str dotted)
{
    size_t at = dotted.len;

    while (at > 0 && dotted.ptr[at - 1] != '.') {
        at--;
    }
    return str_slice(dotted, at, dotted.len);
}

static const struct ir_expr *call_external(struct low_scope *s, const struct ast_node *n,
                                           struct str qualified)
{
    const struct str name = last_part(qualified);
    const enum type_kind k = low_scalar_named(qualified, s->unit->l->options->default_real);
    struct str parallel;

    if (str_starts_with(qualified, "math.")) {
        return low_intrinsic(s, n, name, LOW_MATH);
    }
    if (str_starts_with(qualified, "cmath.")) {
        return low_intrinsic(s, n, name, LOW_CMATH);
    }
    if (k != TYPE_VOID) {
        return low_cast(s, n, k, false);
    }
    if (str_starts_with(qualified, "numpy.")) {
        return low_intrinsic(s, n, name, LOW_NUMPY);
    }
    if (str_starts_with(qualified, "pykokkos.")) {
        const struct ir_expr *host = s->unit->l->host ? low_host_call(s, n, name) : NULL;
        if (host) {
            return host;
        }
        if (low_is_parallel(s, n, &parallel)) {
            return low_parallel(s, n, parallel);
        }
        return low_intrinsic(s, n, name, LOW_PK);
    }
    low_error(s, n, STR("call @pk.function helpers, math functions or builtins"),
              STR_FMT " is a function of the host program, not known in a workunit",
              STR_ARG(qualified));
    return low_unknown(s, n);
}

static const struct ir_expr *call_module_function(struct low_scope *s, const struct ast_node *n,
                                                  const struct py_binding *b)
{
    const struct ast_node *call;
    const struct str name = b->node->u.function.name;
    const bool bare = n->u.call.func->kind == AST_NAME;

    switch (py_decorator_of(b->module, b->node, &call)) {
    case PY_DECORATOR_WORKUNIT:
        if (bare && low_intrinsic_known(n->u.call.func->u.name.id, LOW_BARE)) {
            return low_intrinsic(s, n, n->u.call.func->u.name.id, LOW_BARE);
        }
        low_error(s, n, STR("put the common part into a @pk.function"),
                  STR_FMT " calls a workunit, " STR_FMT, STR_ARG(s->node->u.function.name),
                  STR_ARG(name));
        return low_unknown(s, n);
    case PY_DECORATOR_NONE:
        if (bare && low_intrinsic_known(n->u.call.func->u.name.id, LOW_BARE)) {
            const struct ir_expr *e = low_try_function(s, n, b->module, b->node);
            return e ? e : low_intrinsic(s, n, n->u.call.func->u.name.id, LOW_BARE);
        }
        break;
    default: break;
    }
    return low_call_function(s, n, b->module, b->node, NULL, NULL, NULL);
}

static const struct ir_expr *call_binding(struct low_scope *s, const struct ast_node *n,
                                          struct py_binding b, struct str name)
{
    const struct ast_node *decorator;

    for (int i = 0; b.kind == PY_ALIAS && i < 20; i++) {
        b = py_resolve(b.module, b.node); /* T = pk.double; f = math.sin */
    }
    switch (b.kind) {
    case PY_FUNCTION: return call_module_function(s, n, &b);
    case PY_CLASS:
        if (py_decorator_of(b.module, b.node, &decorator) != PY_DECORATOR_CLASSTYPE) {
            low_error(s, n, STR("decorate the class with @pk.classtype"),
                      STR_FMT " is not a @pk.classtype", STR_ARG(name));
            return low_unknown(s, n);
        } else {
            struct low_class *c = low_class_of(s, b.module, b.node);
            return c ? low_construct(s, n, c) : low_unknown(s, n);
        }
    case PY_EXTERNAL: return call_external(s, n, b.qualified);
    case PY_BUILTIN: return low_intrinsic(s, n, b.qualified, LOW_BUILTIN);
    case PY_UNBOUND:
        if (low_intrinsic_known(name, LOW_BARE)) {
            return low_intrinsic(s, n, name, LOW_BARE);
        }
        low_error(s, n, low_suggest(s, name), "unknown function " STR_FMT, STR_ARG(name));
        return low_unknown(s, n);
    default:
        low_error(s, n, STR("call @pk.function helpers, math functions or builtins"),
                  STR_FMT " is not a function that a workunit can call", STR_ARG(name));
        return low_unknown(s, n);
    }
}

static const struct ir_expr *call_name(struct low_scope *s, const struct ast_node *n)
{
    const struct str name = n->u.call.func->u.name.id;
    struct low_variable *v = low_scope_find(s, name);

    if (!v) {
        struct py_binding b = py_lookup(s->module, name);
        /* a workunit's or helper's own parameter hides the module's names; classes do not */
        return call_binding(s, n, b, name);
    }
    if (v->poisoned) {
        return low_unknown(s, n);
    }
    if (v->inner) {
        if (v->scope == s && !low_flow_assigned(s, v)) {
            low_error(s, n, STR("define it before the call"),
                      STR_FMT " may not have been defined when it is called here", STR_ARG(name));
            return low_unknown(s, n);
        }
        return low_call_inner(s, n, v->inner);
    }
    low_error(s, n, STR(""), STR_FMT " is a variable, not a function", STR_ARG(name));
    return low_unknown(s, n);
}

static const struct ir_expr *call_self_method(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *func = n->u.call.func;
    const struct str name = func->u.attribute.attr;
    const struct py_module *where = NULL;
    const struct ast_node *decorator;
    const struct ast_node *method =
        py_class_method(s->self_class_module, s->self_class_node, name, &where);

    if (!method) {
        low_error_span(s, &func->u.attribute.attr_span, STR(""), "the class has no method " STR_FMT,
                       STR_ARG(name));
        return low_unknown(s, n);
    }
    if (py_decorator_of(where, method, &decorator) == PY_DECORATOR_WORKUNIT) {
        low_error(s, n, STR("put the common part into a @pk.function"),
                  STR_FMT " calls a workunit, " STR_FMT, STR_ARG(s->node->u.function.name),
                  STR_ARG(name));
        return low_unknown(s, n);
    }
    if (s->self == LOW_SELF_CLASSTYPE) {
        return low_call_function(s, n, where, method, s->self_class,
                                 low_name(s, func->u.attribute.value), NULL);
    }
    return low_call_function(s, n, where, method, NULL, NULL, s->self_class_node);
}

static const struct ir_expr *call_method(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *func = n->u.call.func;
    const struct str name = func->u.attribute.attr;
    const struct ast_node *object_node = func->u.attribute.value;

    if (object_node->kind == AST_CALL && object_node->u.call.func->kind == AST_NAME &&
        str_equal_c(object_node->u.call.func->u.name.id, "super")) {
        low_error(s, n, STR("call the method by self."), "super() is not translated");
        return low_unknown(s, n);
    }
    const struct ir_expr *object = low_expr(s, object_node);
    if (!object->type) {
        return object;
    }
    const struct ir_expr *time = s->unit->l->host ? low_timer_method(s, n, object, name) : NULL;
    if (time) {
        return time;
    }
    switch (object->type->kind) {
    case TYPE_TEAM: return low_team_method(s, n, name);
    case TYPE_RANDOM_POOL:
    case TYPE_RANDOM_GENERATOR: return low_random_method(s, n, object, name);
    case TYPE_VIEW: return low_view_method(s, n, object, name);
    case TYPE_STRUCT: {
        struct low_class *c = low_class_by_type(s->unit->l, object->type->struct_type);
        const struct py_module *where = NULL;
        const struct ast_node *method =
            c ? py_class_method(c->module, c->node, name, &where) : NULL;
        if (!method) {
            low_error_span(s, &func->u.attribute.attr_span, STR(""),
                           STR_FMT " has no method " STR_FMT, STR_ARG(low_spell(s, object->type)),
                           STR_ARG(name));
            return low_unknown(s, n);
        }
        return low_call_function(s, n, where, method, c, object, NULL);
    }
    default: break;
    }
    if (type_is_complex(object->type->kind) && str_equal_c(name, "conjugate")) {
        return low_arguments(s, n, 0, 0, "conjugate")
                   ? low_math(s, n, MATH_CONJ, object->type->kind, &object, 1)
                   : low_unknown(s, n);
    }
    low_error_span(s, &func->u.attribute.attr_span, STR(""), "a " STR_FMT " has no method " STR_FMT,
                   STR_ARG(low_spell(s, object->type)), STR_ARG(name));
    return low_unknown(s, n);
}

static bool star_arguments(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < n->u.call.args.count; i++) {
        if (n->u.call.args.items[i]->kind == AST_STARRED) {
            low_error(s, n->u.call.args.items[i], STR("write the arguments out"),
                      "a star argument (*) is not translated");
            return true;
        }
    }
    for (size_t i = 0; i < n->u.call.keywords.count; i++) {
        if (!n->u.call.keywords.items[i]->u.keyword.arg.len) {
            low_error(s, n->u.call.keywords.items[i], STR("write the arguments out"),
                      "a double star argument (**) is not translated");
            return true;
        }
    }
    return false;
}

const struct ir_expr *low_call(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *func = n->u.call.func;

    if (star_arguments(s, n)) {
        return low_unknown(s, n);
    }
    const struct ir_expr *scratch = low_scratch_view(s, n, NULL);
    if (scratch) {
        return scratch;
    }
    if (func->kind == AST_NAME) {
        return call_name(s, n);
    }
    if (func->kind != AST_ATTRIBUTE) {
        low_error(s, func, STR(""), "this is not a function that a workunit can call");
        return low_unknown(s, n);
    }
    if (low_is_self(s, func->u.attribute.value)) {
        return call_self_method(s, n);
    }
    if (!low_is_local(s, func)) {
        const struct py_binding b = py_resolve(s->module, func);
        if (b.kind != PY_UNBOUND) {
            return call_binding(s, n, b, low_source(s, func, 60));
        }
        const struct py_binding root = py_resolve(s->module, func->u.attribute.value);
        if (root.kind == PY_MODULE || root.kind == PY_UNBOUND || root.kind == PY_HOST) {
            low_error(s, n, low_suggest(s, func->u.attribute.attr), "unknown function " STR_FMT,
                      STR_ARG(low_source(s, func, 60)));
            return low_unknown(s, n);
        }
    }
    return call_method(s, n);
}
