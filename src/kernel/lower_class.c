/* Classes: the fields of functors and workloads; @pk.classtype objects. */
#include "kernel/lower.h"

bool low_is_self(struct low_scope *s, const struct ast_node *n)
{
    return s->self != LOW_SELF_NONE && n->kind == AST_NAME &&
           str_equal(n->u.name.id, s->self_name) &&
           (!low_scope_find(s, n->u.name.id) ||
            low_scope_find(s, n->u.name.id) == s->self_variable ||
            (s->self_variable == NULL && s->parent && s->self == LOW_SELF_CLASSTYPE));
}

/* ---- functors and workloads ----------------------------------------------------------------- */

/* The fields that ARGS can hold, whether the workunit uses them or not: they are what a caller
 * constructs the class with. Others are refused where they are used. */
void low_functor_fields(struct lower *l, struct low_scope *s)
{
    size_t count;
    const struct py_field *fields =
        py_class_fields(l->workunit->module, l->workunit->class_node, &count);
    const struct ast_node *decorator = NULL;
    struct kernel *k = l->kernel;

    if (l->fields.count > 0) {
        return; /* of workunits that are fused, the first has read them */
    }
    (void)py_decorator_of(l->workunit->module, l->workunit->class_node, &decorator);
    k->fields = ARENA_ARRAY(l->a, struct parameter, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].annotation) {
            continue;
        }
        const size_t diags = s->unit->diags.count;
        bool is_acc = false;
        const struct type *t =
            low_annotation(s, fields[i].module, fields[i].annotation, LOW_USE_VALUE, &is_acc);
        t = low_list_as_view(s, low_view_info(s, decorator, fields[i].name, t));
        s->unit->diags.count = diags;
        if (!t || is_acc ||
            (!type_is_scalar(t->kind) && t->kind != TYPE_VIEW && t->kind != TYPE_RANDOM_POOL)) {
            continue;
        }
        struct parameter *p = &k->fields[k->field_count++];
        struct ir_var *v = low_ir_var(l, VAR_FIELD, fields[i].name, t, NULL);
        *p = (struct parameter){fields[i].name, t, fields[i].node, v};
        map_set(&l->fields, fields[i].name, p);
    }
}

static void refuse_field(struct low_scope *s, const struct ast_node *n)
{
    struct lower *l = s->unit->l;
    const struct str name = n->u.attribute.attr;
    const struct py_module *where;
    size_t count;
    const struct py_field *fields =
        py_class_fields(l->workunit->module, l->workunit->class_node, &count);

    for (size_t i = 0; i < count; i++) {
        if (!str_equal(fields[i].name, name)) {
            continue;
        }
        if (!fields[i].annotation) {
            const struct ast_node *value =
                fields[i].node->kind == AST_ASSIGN ? fields[i].node->u.assign.value : NULL;
            const struct str type = value ? low_guess_type(l, fields[i].module, value) : STR("");
            low_error(s, n,
                      low_hint(s, "in __init__ write self." STR_FMT ": %s" STR_FMT " = …",
                               STR_ARG(name), type.len ? "" : "pk.double", STR_ARG(type)),
                      "the field " STR_FMT " has no annotation", STR_ARG(name));
            return;
        }
        const size_t diags = s->unit->diags.count;
        const struct type *t =
            low_annotation(s, fields[i].module, fields[i].annotation, LOW_USE_VALUE, NULL);
        if (t || s->unit->diags.count == diags) {
            low_error(s, n, STR("fields are numbers, bools and views"),
                      "the field " STR_FMT " is a " STR_FMT ", which a workunit cannot use",
                      STR_ARG(name), STR_ARG(low_spell(s, t)));
        }
        return;
    }
    if (py_class_method(l->workunit->module, l->workunit->class_node, name, &where)) {
        low_error(s, n,
                  low_hint(s, "call it: " STR_FMT "." STR_FMT "(…)", STR_ARG(s->self_name),
                           STR_ARG(name)),
                  STR_FMT " is a method, which is no value here", STR_ARG(name));
        return;
    }
    struct str best = STR("");
    size_t distance = 3;
    for (size_t i = 0; i < count; i++) {
        const size_t d = str_distance(name, fields[i].name, distance);
        if (d < distance) {
            distance = d;
            best = fields[i].name;
        }
    }
    low_error_span(
        s, &n->u.attribute.attr_span,
        best.len ? low_hint(s, "did you mean " STR_FMT "?", STR_ARG(best))
                 : low_hint(s, "in __init__ write self." STR_FMT ": <type> = …", STR_ARG(name)),
        "the class has no field " STR_FMT, STR_ARG(name));
}

const struct ir_expr *low_self_attribute(struct low_scope *s, const struct ast_node *n)
{
    if (s->self == LOW_SELF_CLASSTYPE) {
        const struct ir_expr *self = low_name(s, n->u.attribute.value);
        return self->type ? low_member(s, n, self, n->u.attribute.attr) : self;
    }
    const struct parameter *p = map_get(&s->unit->l->fields, n->u.attribute.attr);
    if (!p) {
        refuse_field(s, n);
        return low_unknown(s, n);
    }
    for (struct low_scope *f = s; f; f = f->parent) {
        if (f->function) {
            f->function->uses_fields = true;
        }
    }
    if (s->unit->l->host) { /* assignments, and helpers that are called, come between reads */
        struct ir_expr *e = low_expr_new(s, IR_VAR, p->var->type, n, 0);
        e->var = p->var;
        e->effects = EFFECT_READS;
        return e;
    }
    return low_var(s, n, p->var);
}

/* ---- class types ---------------------------------------------------------------------------- */

struct low_class *low_class_by_type(struct lower *l, const struct struct_type *t)
{
    for (size_t i = 0; i < l->classes.count; i++) {
        struct low_class *c = l->classes.items[i];
        if (c->struct_type == t) {
            return c;
        }
    }
    return NULL;
}

static bool read_fields(struct low_scope *s, struct low_class *c)
{
    struct struct_type *t = c->struct_type;
    size_t count;
    const struct py_field *fields = py_class_fields(c->module, c->node, &count);
    bool ok = true;

    t->fields = ARENA_ARRAY(s->unit->l->a, struct struct_field, count);
    for (size_t i = 0; i < count; i++) {
        const struct py_module *own = s->module;
        s->module = fields[i].module;
        if (!fields[i].annotation) {
            low_error(s, fields[i].node,
                      low_hint(s, "write self." STR_FMT ": float = …", STR_ARG(fields[i].name)),
                      "the field " STR_FMT " has no annotation", STR_ARG(fields[i].name));
            ok = false;
        } else {
            const struct type *type =
                low_annotation(s, fields[i].module, fields[i].annotation, LOW_USE_VALUE, NULL);
            if (type && !type_is_scalar(type->kind) && type->kind != TYPE_STRUCT &&
                type->kind != TYPE_VIEW) {
                low_error(s, fields[i].annotation, STR("use numbers, views and other class types"),
                          "a field of a class type cannot be a " STR_FMT,
                          STR_ARG(low_spell(s, type)));
                type = NULL;
            }
            ok &= type != NULL;
            t->fields[t->field_count++] = (struct struct_field){fields[i].name, type};
        }
        s->module = own;
    }
    return ok;
}

struct low_class *low_class_of(struct low_scope *s, const struct py_module *m,
                               const struct ast_node *node)
{
    struct lower *l = s->unit->l;
    struct low_class *c = NULL;

    for (size_t i = 0; i < l->classes.count && !c; i++) {
        struct low_class *known = l->classes.items[i];
        c = known->node == node ? known : NULL;
    }
    if (c) {
        if (c->resolving) {
            low_error(s, node, STR(""), "class " STR_FMT " would hold itself",
                      STR_ARG(node->u.class_def.name));
            c->broken = true;
        }
        return c->broken || c->resolving ? NULL : c;
    }
    c = ARENA_NEW(l->a, struct low_class);
    c->module = m;
    c->node = node;
    c->struct_type = ARENA_NEW(l->a, struct struct_type);
    c->struct_type->python_name = node->u.class_def.name;
    c->struct_type->name = low_symbol(l, node->u.class_def.name);
    vec_push(&l->classes, c);
    c->resolving = true;
    c->broken = !read_fields(s, c);
    c->resolving = false;
    if (!c->broken) {
        vec_push(&l->structs, c->struct_type); /* after those that it holds */
    }
    return c->broken ? NULL : c;
}

const struct ir_expr *low_member(struct low_scope *s, const struct ast_node *n,
                                 const struct ir_expr *object, struct str name)
{
    const struct struct_type *t = object->type->struct_type;
    struct str best = STR("");
    size_t distance = 3;

    for (size_t i = 0; i < t->field_count; i++) {
        if (str_equal(t->fields[i].name, name)) {
            struct ir_expr *e = low_expr_new(s, IR_MEMBER, t->fields[i].type, n, 1);
            e->args[0] = object;
            e->name = name;
            e->effects = object->effects | EFFECT_READS;
            return e;
        }
        const size_t d = str_distance(name, t->fields[i].name, distance);
        if (d < distance) {
            distance = d;
            best = t->fields[i].name;
        }
    }
    low_error_span(s, n->kind == AST_ATTRIBUTE ? &n->u.attribute.attr_span : &n->span,
                   best.len ? low_hint(s, "did you mean " STR_FMT "?", STR_ARG(best)) : STR(""),
                   STR_FMT " has no field " STR_FMT, STR_ARG(t->python_name), STR_ARG(name));
    return low_unknown(s, n);
}

const struct ir_expr *low_construct(struct low_scope *s, const struct ast_node *n,
                                    struct low_class *c)
{
    const struct py_module *where = NULL;
    const struct ast_node *init = py_class_method(c->module, c->node, STR("__init__"), &where);

    if (!init) {
        low_error(s, n, STR("give it an __init__ that assigns its fields"),
                  "class " STR_FMT " has no __init__", STR_ARG(c->struct_type->python_name));
        return low_unknown(s, n);
    }
    return low_call_function(s, n, where, init, c, NULL, NULL);
}
