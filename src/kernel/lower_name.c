/* Reading names and attributes: variables first, then the module's bindings. */
#include "kernel/lower.h"

#include <math.h>
#include <string.h>

/* ---- suggestions ---------------------------------------------------------------------------- */

struct nearest {
    struct str wanted, best;
    size_t distance;
};

static void consider(struct nearest *n, struct str candidate)
{
    const size_t d = str_distance(n->wanted, candidate, n->distance);

    if (d < n->distance) {
        n->distance = d;
        n->best = candidate;
    }
}

static void consider_top_level(struct nearest *near, const struct py_module *m)
{
    const struct ast_seq *body = &m->tree->u.module.body;

    for (size_t i = 0; i < body->count; i++) {
        const struct ast_node *n = body->items[i];
        if (n->kind == AST_FUNCTION_DEF) {
            consider(near, n->u.function.name);
        } else if (n->kind == AST_CLASS_DEF) {
            consider(near, n->u.class_def.name);
        } else if (n->kind == AST_ASSIGN && n->u.assign.targets.items[0]->kind == AST_NAME) {
            consider(near, n->u.assign.targets.items[0]->u.name.id);
        } else if (n->kind == AST_ANN_ASSIGN && n->u.ann_assign.target->kind == AST_NAME) {
            consider(near, n->u.ann_assign.target->u.name.id);
        } else if (n->kind == AST_IMPORT_FROM) {
            for (size_t k = 0; k < n->u.import.names.count; k++) {
                const struct ast_node *alias = n->u.import.names.items[k];
                consider(near,
                         alias->u.alias.asname.len ? alias->u.alias.asname : alias->u.alias.name);
            }
        }
    }
}

struct str low_suggest(struct low_scope *s, struct str name)
{
    struct nearest near = {.wanted = name, .distance = name.len < 4 ? 2 : 3};

    for (struct low_scope *p = s; p; p = p->parent) {
        for (size_t i = 0; i < p->names.count; i++) {
            consider(&near, p->names.entries[i].key);
        }
    }
    consider_top_level(&near, s->module);
    for (size_t i = 0; i < low_intrinsic_count(); i++) {
        consider(&near, low_intrinsic_name(i));
    }
    return near.best.len && near.distance < name.len
               ? low_hint(s, "did you mean " STR_FMT "?", STR_ARG(near.best))
               : STR("");
}

/* ---- variables ------------------------------------------------------------------------------ */

static void need(struct low_inner *inner, struct low_variable *v)
{
    for (size_t i = 0; i < inner->needs.count; i++) {
        if (inner->needs.items[i] == v) {
            return;
        }
    }
    vec_push(&inner->needs, v);
}

/* Inside an inner function: has it, or one around it, assigned the captured variable here? */
static void read_captured(struct low_scope *s, struct low_variable *v)
{
    if (s->inner && v->scope != s) {
        for (size_t i = 0; i < s->inner->gives.count; i++) {
            if (s->inner->gives.items[i] == v) {
                return;
            }
        }
        need(s->inner, v);
    }
}

static const struct ir_expr *read_variable(struct low_scope *s, const struct ast_node *n,
                                           struct low_variable *v)
{
    if (v->poisoned) {
        return low_unknown(s, n);
    }
    if (!v->var) {
        low_error(s, n, low_hint(s, "call it: " STR_FMT "(…)", STR_ARG(v->name)),
                  STR_FMT " is a function, which is no value here", STR_ARG(v->name));
        return low_unknown(s, n);
    }
    if (v->scope == s && !low_flow_assigned(s, v)) {
        low_error(s, n,
                  low_hint(s, "assign " STR_FMT " before, on every path to here", STR_ARG(v->name)),
                  STR_FMT " may not have been assigned when it is read here", STR_ARG(v->name));
        low_flow_assign(s, v); /* once is enough */
    }
    read_captured(s, v);
    low_variable_read(s, v, n);
    if (!v->var->type) {
        return low_unknown(s, n);
    }
    struct ir_expr *e = (struct ir_expr *)(uintptr_t)low_var(s, n, v->var);
    if (v->shared && v->var->type->kind != TYPE_STRUCT) {
        e->effects |= EFFECT_READS;
    }
    return e;
}

void low_inner_used(struct low_scope *s, const struct ast_node *n, struct low_inner *inner)
{
    for (size_t i = 0; i < inner->needs.count; i++) {
        struct low_variable *v = inner->needs.items[i];
        if (v->scope != s) {
            read_captured(s, v);
        } else if (!low_flow_assigned(s, v)) {
            low_error(s, n, low_hint(s, "assign " STR_FMT " before this call", STR_ARG(v->name)),
                      STR_FMT " uses " STR_FMT ", which may not have been assigned here",
                      STR_ARG(inner->name->name), STR_ARG(v->name));
            low_flow_assign(s, v);
        }
    }
    for (size_t i = 0; i < inner->gives.count; i++) {
        struct low_variable *v = inner->gives.items[i];
        if (v->scope == s) {
            low_flow_assign(s, v);
        }
    }
}

/* ---- module names --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double value;
} numbers[] = {
    {"pi", 3.141592653589793},  {"e", 2.718281828459045},
    {"tau", 6.283185307179586}, {"inf", (double)INFINITY},
    {"Inf", (double)INFINITY},  {"Infinity", (double)INFINITY},
    {"nan", (double)NAN},       {"NaN", (double)NAN},
    {"NAN", (double)NAN},       {"euler_gamma", 0.5772156649015329},
};

static const struct ir_expr *external_value(struct low_scope *s, const struct ast_node *n,
                                            struct str qualified)
{
    const char *const prefixes[] = {"math.", "cmath.", "numpy.", "pykokkos."};
    struct py_value value;

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (!str_starts_with(qualified, prefixes[i])) {
            continue;
        }
        const struct str name = str_slice(qualified, strlen(prefixes[i]), qualified.len);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            if (str_equal_c(name, numbers[k].name)) {
                return low_float(s, n, numbers[k].value, TYPE_DOUBLE);
            }
        }
    }
    if (py_evaluate(s->module, n, &value)) {
        return low_constant(s, n, &value);
    }
    low_error(s, n, STR("pass it as a parameter of the workunit"),
              STR_FMT " is not known in a workunit", STR_ARG(qualified));
    return low_unknown(s, n);
}

static const struct ir_expr *binding_value(struct low_scope *s, const struct ast_node *n,
                                           const struct py_binding *b, struct str name)
{
    switch (b->kind) {
    case PY_CONSTANT: return low_constant(s, n, &b->value);
    case PY_EXTERNAL:
    case PY_BUILTIN: return external_value(s, n, b->qualified);
    case PY_FUNCTION:
        low_error(s, n, low_hint(s, "call it: " STR_FMT "(…)", STR_ARG(name)),
                  STR_FMT " is a function, which is no value here", STR_ARG(name));
        return low_unknown(s, n);
    case PY_CLASS:
        low_error(s, n, STR(""), "class " STR_FMT " is no value here", STR_ARG(name));
        return low_unknown(s, n);
    case PY_MODULE:
        low_error(s, n, STR(""), "module " STR_FMT " is no value here", STR_ARG(name));
        return low_unknown(s, n);
    case PY_ALIAS:
    case PY_HOST:
        low_error(
            s, n,
            low_hint(s, "pass " STR_FMT " as a parameter, or bind it to a constant", STR_ARG(name)),
            STR_FMT " is a variable of the host program, not a constant", STR_ARG(name));
        return low_unknown(s, n);
    case PY_UNBOUND: break;
    }
    low_error(s, n, low_suggest(s, name), "unknown name " STR_FMT, STR_ARG(name));
    return low_unknown(s, n);
}

/* In a class, an unbound name that is a field's means self.name, as PyKokkos takes it. */
static const struct parameter *field_by_bare_name(struct low_scope *s, struct str name)
{
    return s->self == LOW_SELF_FUNCTOR ? map_get(&s->unit->l->fields, name) : NULL;
}

const struct ir_expr *low_name(struct low_scope *s, const struct ast_node *n)
{
    const struct str name = n->u.name.id;
    struct low_variable *v = low_scope_find(s, name);

    if (v) {
        return read_variable(s, n, v);
    }
    if (s->self != LOW_SELF_NONE && str_equal(name, s->self_name)) {
        if (s->self == LOW_SELF_CLASSTYPE && s->self_variable) {
            return low_var(s, n, s->self_variable->var);
        }
        low_error(s, n, STR("use its fields: self.x"), "self is no value here");
        return low_unknown(s, n);
    }
    const struct py_binding b = py_lookup(s->module, name);
    const struct parameter *field = b.kind == PY_UNBOUND ? field_by_bare_name(s, name) : NULL;
    if (field) {
        low_warning(s, n,
                    low_hint(s, "write " STR_FMT "." STR_FMT, STR_ARG(s->self_name), STR_ARG(name)),
                    STR_FMT " is not bound; the field is meant", STR_ARG(name));
        if (s->function) {
            s->function->uses_fields = true;
        }
        return low_var(s, n, field->var);
    }
    return binding_value(s, n, &b, name);
}

bool low_is_local(struct low_scope *s, const struct ast_node *n)
{
    while (n->kind == AST_ATTRIBUTE) {
        n = n->u.attribute.value;
    }
    return n->kind != AST_NAME || low_scope_find(s, n->u.name.id) ||
           (s->self != LOW_SELF_NONE && str_equal(n->u.name.id, s->self_name));
}

const struct ir_expr *low_attribute(struct low_scope *s, const struct ast_node *n)
{
    const struct str name = n->u.attribute.attr;
    const struct ir_expr *parameter = low_scratch_parameter(s, n);

    if (parameter) {
        return parameter;
    }
    if (low_is_self(s, n->u.attribute.value)) {
        return low_self_attribute(s, n);
    }
    if (!low_is_local(s, n)) {
        const struct py_binding b = py_resolve(s->module, n);
        if (b.kind != PY_UNBOUND) {
            return binding_value(s, n, &b, low_source(s, n, 60));
        }
    }
    const struct ir_expr *object = low_expr(s, n->u.attribute.value);
    if (!object->type) {
        return object;
    }
    if (object->type->kind == TYPE_STRUCT) {
        return low_member(s, n, object, name);
    }
    if (object->type->kind == TYPE_VIEW) {
        return low_view_attribute(s, n, object, name);
    }
    if (type_is_complex(object->type->kind) &&
        (str_equal_c(name, "real") || str_equal_c(name, "imag"))) {
        const enum type_kind part = object->type->kind == TYPE_COMPLEX64 ? TYPE_FLOAT : TYPE_DOUBLE;
        return low_math(s, n, str_equal_c(name, "real") ? MATH_REAL : MATH_IMAG, part, &object, 1);
    }
    if (type_is_scalar(object->type->kind) && str_equal_c(name, "real")) {
        return low_number(s, object, n, "the value");
    }
    low_error_span(s, &n->u.attribute.attr_span, STR(""), "a " STR_FMT " has no attribute " STR_FMT,
                   STR_ARG(low_spell(s, object->type)), STR_ARG(name));
    return low_unknown(s, n);
}
