/* Assignment in all its forms: plain, chained, tuple, annotated, augmented. */
#include "kernel/lower.h"

/* ---- to a name ------------------------------------------------------------------------------ */

static bool is_name_of_object(const struct ir_expr *e)
{
    return e->kind == IR_VAR || e->kind == IR_MEMBER || e->kind == IR_ELEMENT;
}

static bool can_be_assigned(struct low_scope *s, const struct ast_node *n,
                            const struct low_variable *v, const struct ir_expr *value)
{
    switch (value->type->kind) {
    case TYPE_VOID:
        low_error(s, value->node, STR(""), "this call returns nothing that could be assigned");
        return false;
    case TYPE_STRUCT:
        if (is_name_of_object(value)) {
            low_error(s, n, STR("make a new object, or use the one name"),
                      "two names for one object: assigning it does not copy it in Python");
            return false;
        }
        return true;
    case TYPE_RANDOM_POOL:
        low_error(s, n, STR("take a generator of it: generator = pool.get_state()"),
                  "a random pool cannot be assigned");
        return false;
    case TYPE_ARRAY:
        if (value->kind != IR_LIST) {
            low_error(s, n, STR("index the list itself"),
                      "two names for one list: assigning it does not copy it in Python");
            return false;
        }
        return true;
    default:
        if (v->var->kind == VAR_TEAM) {
            low_error(s, n, STR(""), "the team cannot be assigned");
            return false;
        }
        return true;
    }
}

void low_assign_name(struct low_scope *s, const struct ast_node *n, struct str name,
                     const struct ir_expr *value)
{
    struct low_variable *v = map_get(&s->names, name);

    if (!v || v->poisoned) {
        return;
    }
    if (!v->var || v->inner) {
        low_error(s, n, STR("use another name"), STR_FMT " is a function and a variable",
                  STR_ARG(name));
        return;
    }
    if (!value->type) {
        low_variable_assigned(s, v, n);
        return;
    }
    if (!can_be_assigned(s, n, v, value)) {
        low_variable_assigned(s, v, n);
        return;
    }
    const bool by_annotation = v->fixed || (v->declared && type_is_scalar(v->declared->kind));
    if (type_is_scalar(value->type->kind) && !by_annotation) {
        value = low_settle(s, value);
    }
    if (!low_variable_widen(s, v, value)) {
        low_error(s, n, STR("use two names"),
                  STR_FMT " is a " STR_FMT " elsewhere and a " STR_FMT " here", STR_ARG(name),
                  STR_ARG(low_spell(s, v->var->type)), STR_ARG(low_spell(s, value->type)));
        low_variable_assigned(s, v, n);
        return;
    }
    if (value->type && !low_assign_update(s, n, v, value)) {
        value = low_convert_type(s, value, v->var->type, n, "the value");
        if (value->type) {
            low_emit_assign(s, n, v->var, value);
        }
    }
    low_variable_assigned(s, v, n);
}

/* ---- to a place ----------------------------------------------------------------------------- */

void low_emit_store(struct low_scope *s, const struct ast_node *n, const struct ir_expr *place,
                    const struct ir_expr *value)
{
    value = low_convert_type(s, value, place->type, n, "the value");
    if (!value->type) {
        return;
    }
    if (place->type->kind == TYPE_STRUCT && is_name_of_object(value)) {
        low_error(s, n, STR("make a new object"),
                  "two names for one object: assigning it does not copy it in Python");
        return;
    }
    if (place->kind == IR_ELEMENT && place->args[0]->type->kind == TYPE_VIEW &&
        (place->args[0]->type->traits & TRAIT_ATOMIC)) {
        struct ir_stmt *stmt = low_stmt_new(s, IR_EVAL, n);
        stmt->value = low_atomic(s, n, ATOMIC_STORE, FETCH_NONE, place, value);
        low_emit(s, stmt);
        return;
    }
    struct ir_stmt *stmt = low_stmt_new(s, IR_STORE, n);
    stmt->target = place;
    stmt->value = value;
    low_emit(s, stmt);
}

bool low_is_functor_field(struct low_scope *s, const struct ast_node *target)
{
    return target->kind == AST_ATTRIBUTE && s->self == LOW_SELF_FUNCTOR &&
           low_is_self(s, target->u.attribute.value);
}

void low_assign_place(struct low_scope *s, const struct ast_node *n, const struct ast_node *target,
                      const struct ir_expr *value)
{
    struct low_operands o;

    if (low_is_functor_field(s, target) && s->unit->l->host && !s->function) {
        low_assign_field(s, n, target, value);
        return;
    }
    if (low_is_functor_field(s, target)) {
        low_error(s, target, STR("use a local variable, or a view of one element"),
                  "the field " STR_FMT " cannot be assigned in a workunit: others run beside it",
                  STR_ARG(target->u.attribute.attr));
        return;
    }
    low_operands_begin(&o, s, 2);
    low_operands_add(&o, value);
    const struct ir_expr *place = low_place(s, target, false);
    if (!place->type || !value->type) {
        return;
    }
    /* The value is evaluated before the target. C++ does so too; statements of the target do not.
     */
    if (o.marks[0] < s->block->count && value->effects) {
        value = low_temp_at(s, value, o.marks[0]);
    }
    low_emit_store(s, n, place, value);
}

static const struct ir_expr *array_literal(struct low_scope *s, const struct ast_node *n,
                                           const struct type *declared);

static void assign_target(struct low_scope *s, const struct ast_node *n,
                          const struct ast_node *target, const struct ir_expr *value)
{
    switch (target->kind) {
    case AST_NAME: low_assign_name(s, target, target->u.name.id, value); return;
    case AST_SUBSCRIPT:
    case AST_ATTRIBUTE: low_assign_place(s, n, target, value); return;
    case AST_STARRED:
        low_error(s, target, STR("write the items out"), "a starred target (*) is not translated");
        return;
    case AST_TUPLE:
    case AST_LIST:
        if (value->type) {
            low_error(s, target, STR("assign a tuple of as many values: a, b = b, a"),
                      "only as many targets as values can be assigned at once");
        }
        for (size_t i = 0; i < target->u.seq.elts.count; i++) {
            assign_target(s, n, target->u.seq.elts.items[i], low_unknown(s, n));
        }
        return;
    default: low_error(s, target, STR(""), "this cannot be assigned"); return;
    }
}

/* a, b = b, a: all values first, then all targets, each from left to right */
static void assign_tuple(struct low_scope *s, const struct ast_node *n,
                         const struct ast_node *target, const struct ast_node *value)
{
    const struct ast_seq *targets = &target->u.seq.elts, *values = &value->u.seq.elts;
    struct low_operands o;

    if (targets->count != values->count) {
        low_error(s, n, STR(""), "%zu targets for %zu values", targets->count, values->count);
        return;
    }
    low_operands_begin(&o, s, values->count ? values->count : 1);
    for (size_t i = 0; i < values->count; i++) {
        const struct ir_expr *e = low_expr(s, values->items[i]);
        if (e->type && !low_is_constant(e) && type_is_scalar(e->type->kind)) {
            e = low_settle(s, e);
            e = e->type ? low_to_temp(s, e) : e;
        }
        low_operands_add(&o, e);
    }
    for (size_t i = 0; i < targets->count; i++) {
        assign_target(s, n, targets->items[i], o.items[i]);
    }
}

static const struct ir_expr *assigned_value(struct low_scope *s, const struct ast_node *value)
{
    return value->kind == AST_LIST ? array_literal(s, value, NULL) : low_expr(s, value);
}

/* `out[i] = a[i] and b[i]` of floats into integers: seldom what is meant */
static void warn_truth(struct low_scope *s, const struct ast_node *target,
                       const struct ast_node *value, const struct ir_expr *e)
{
    if (value->kind != AST_BOOL_OP || !e->type || !type_is_float(e->type->kind) ||
        target->kind != AST_SUBSCRIPT) {
        return;
    }
    const size_t diags = s->unit->diags.count, statements = s->block->count;
    const size_t temps = s->temps.count;
    const struct ir_expr *place = low_place(s, target, false);
    s->unit->diags.count = diags;
    s->block->count = statements;
    s->temps.count = temps;
    if (place->type && (type_is_integer(place->type->kind) || place->type->kind == TYPE_BOOL)) {
        low_warning(s, value, STR("write bool(…) around it for 0 or 1"),
                    "`and` and `or` give one of their operands, which is cut to an integer here");
    }
}

void low_assign(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_seq *targets = &n->u.assign.targets;
    const struct ast_node *value = n->u.assign.value, *first = targets->items[0];

    if (targets->count == 1 && (first->kind == AST_TUPLE || first->kind == AST_LIST) &&
        (value->kind == AST_TUPLE || value->kind == AST_LIST)) {
        assign_tuple(s, n, first, value);
        return;
    }
    const struct ir_expr *pair[2];
    if (targets->count == 1 && first->kind == AST_TUPLE && first->u.seq.elts.count == 2 &&
        low_pair_call(s, value, pair)) {
        assign_target(s, n, first->u.seq.elts.items[0], pair[0]);
        assign_target(s, n, first->u.seq.elts.items[1], pair[1]);
        return;
    }
    const struct ir_expr *e = assigned_value(s, value);
    if (targets->count > 1 && e->type && type_is_scalar(e->type->kind)) {
        e = low_settle(s, e);
        e = e->type ? low_simple(s, e) : e;
        if (e->kind == IR_VAR && e->var->kind != VAR_TEMP) {
            e = low_to_temp(s, e); /* a = b = a: the value from before */
        }
    }
    warn_truth(s, first, value, e);
    for (size_t i = 0; i < targets->count; i++) {
        assign_target(s, n, targets->items[i], e);
    }
}

/* ---- local arrays --------------------------------------------------------------------------- */

static const struct ir_expr *array_of(struct low_scope *s, const struct ast_node *n,
                                      const struct ir_expr **items, size_t count,
                                      const struct type *element)
{
    struct type *t = ARENA_NEW(s->unit->l->a, struct type);
    struct ir_expr *e = low_expr_new(s, IR_LIST, t, n, count);

    t->kind = TYPE_ARRAY;
    t->element = element;
    t->length = (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        e->args[i] = items[i];
        e->effects |= items[i]->effects;
    }
    return e;
}

static const struct ir_expr *array_literal(struct low_scope *s, const struct ast_node *n,
                                           const struct type *declared)
{
    const struct ast_seq *elts = &n->u.seq.elts;
    const struct type *element = declared ? declared->element : NULL;
    struct low_operands o;

    if (!elts->count) {
        low_error(s, n, STR("give its items: x: List[float] = [0.0, 0.0]"),
                  "an empty list has no length in a workunit");
        return low_unknown(s, n);
    }
    low_operands_begin(&o, s, elts->count);
    for (size_t i = 0; i < elts->count; i++) {
        const struct ast_node *item = elts->items[i];
        const struct type *inner = element && element->kind == TYPE_ARRAY ? element : NULL;
        low_operands_add(&o, item->kind == AST_LIST ? array_literal(s, item, inner)
                                                    : low_expr(s, item));
        if (!o.items[i]->type) {
            return low_unknown(s, n);
        }
    }
    low_operands_seal(&o);
    if (element && element->kind != TYPE_ARRAY) {
        for (size_t i = 0; i < elts->count; i++) {
            o.items[i] = low_convert_type(s, o.items[i], element, elts->items[i], "the item");
        }
    } else if (o.items[0]->type->kind == TYPE_ARRAY) {
        for (size_t i = 1; i < elts->count; i++) {
            if (!type_equal(o.items[i]->type, o.items[0]->type)) {
                low_error(s, elts->items[i], STR("give all rows the same length"),
                          "the rows of a list differ");
                return low_unknown(s, n);
            }
        }
        element = o.items[0]->type;
    } else {
        for (size_t i = 0; i < elts->count; i++) {
            o.items[i] = low_settle(s, o.items[i]);
        }
        element = low_unify(s, n, o.items, elts->count, "the list");
    }
    for (size_t i = 0; i < elts->count; i++) {
        if (!o.items[i]->type) {
            return low_unknown(s, n);
        }
    }
    return element ? array_of(s, n, o.items, elts->count, element) : low_unknown(s, n);
}

/* ---- annotated ------------------------------------------------------------------------------ */

static void declare(struct low_scope *s, const struct ast_node *n, const struct type *t)
{
    struct low_variable *v = map_get(&s->names, n->u.name.id);

    if (!v || v->poisoned || !v->var || v->fixed) {
        return;
    }
    const struct type *joined =
        v->declared && type_is_scalar(v->declared->kind) && type_is_scalar(t->kind)
            ? low_join(s, v->declared, t)
            : t;
    if (!v->declared || !type_equal(v->declared, joined)) {
        if (v->declared && !type_is_scalar(joined->kind) && !type_is_scalar(v->declared->kind) &&
            v->declared->kind == joined->kind) {
            return; /* views of the same name: their values decide */
        }
        if (v->declared &&
            (!joined || type_is_scalar(joined->kind) != type_is_scalar(v->declared->kind))) {
            low_error(s, n, STR("use two names"), STR_FMT " has two annotations that do not fit",
                      STR_ARG(v->name));
            return;
        }
        if (v->used) {
            s->unit->changed = true;
        }
        v->declared = joined;
    }
}

static bool fits_annotation(const struct type *t, const struct type *value)
{
    if (t->kind == TYPE_VIEW) {
        return value->kind == TYPE_VIEW && value->rank == t->rank &&
               type_equal(value->element, t->element);
    }
    return true;
}

void low_ann_assign(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_node *target = n->u.ann_assign.target, *value = n->u.ann_assign.value;
    const struct type *t =
        low_annotation(s, s->module, n->u.ann_assign.annotation, LOW_USE_VALUE, NULL);

    if (t && t->kind == TYPE_VOID) {
        low_error(s, n->u.ann_assign.annotation, STR("write its type"),
                  "None is no type of a variable");
        t = NULL;
    }
    if (t && target->kind == AST_NAME) {
        declare(s, target, t);
    }
    if (!value) {
        return;
    }
    const struct ir_expr *e;
    if (value->kind == AST_LIST) {
        e = array_literal(s, value, t && t->kind == TYPE_ARRAY ? t : NULL);
    } else {
        e = low_scratch_view(s, value, t);
        e = e ? e : low_expr(s, value);
    }
    if (!t || !e->type) {
        e = low_unknown(s, value);
    } else if (type_is_scalar(t->kind)) {
        e = low_convert_type(s, e, t, value, "the value");
    } else if (!fits_annotation(t, e->type)) {
        low_error(s, value, STR("make annotation and value the same"),
                  "the annotation says " STR_FMT ", the value is a " STR_FMT,
                  STR_ARG(low_spell(s, t)), STR_ARG(low_spell(s, e->type)));
        e = low_unknown(s, value);
    }
    assign_target(s, n, target, e);
}
