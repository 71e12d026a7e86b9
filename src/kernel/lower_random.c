/* Random pools and generators. A draw has effects: it changes the generator's state. */
#include "kernel/lower.h"

struct draw {
    const char *name;
    enum type_kind bound, result;
};

static const struct draw draws[] = {
    {"drand", TYPE_DOUBLE, TYPE_DOUBLE},   {"frand", TYPE_FLOAT, TYPE_FLOAT},
    {"normal", TYPE_DOUBLE, TYPE_DOUBLE},  {"rand", TYPE_INT64, TYPE_INT64},
    {"rand64", TYPE_INT64, TYPE_INT64},    {"urand", TYPE_INT64, TYPE_INT64},
    {"urand64", TYPE_UINT64, TYPE_UINT64},
};

static const struct draw *find(struct str name)
{
    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        if (str_equal_c(name, draws[i].name)) {
            return &draws[i];
        }
    }
    return NULL;
}

static struct ir_expr *make(struct low_scope *s, const struct ast_node *n, const char *method,
                            enum type_kind type, const struct ir_expr *object, size_t bounds)
{
    struct ir_expr *e = low_expr_new(s, IR_RANDOM, type_scalar(type), n, 1 + bounds);
    e->name = str_from(method);
    e->args[0] = object;
    e->effects = EFFECT_READS | EFFECT_WRITES;
    return e;
}

/* The passes of a scan would not see the same numbers. */
static bool refuse_in_scan(struct low_scope *s, const struct ast_node *n)
{
    if (s->unit->l->kernel->operation != OPERATION_SCAN) {
        return false;
    }
    low_error(s, n, STR("fill a view with random numbers first, and scan that"),
              "a scan runs twice over its range, and would draw other numbers each time");
    return true;
}

/* generator.method(bounds…), its bounds being the call's arguments from `first` on. */
static const struct ir_expr *drawn(struct low_scope *s, const struct ast_node *n,
                                   const struct draw *d, const struct ir_expr *generator,
                                   const struct ir_expr *const *bounds, size_t count)
{
    struct ir_expr *e = make(s, n, d->name, d->result, generator, count);

    for (size_t i = 0; i < count; i++) {
        const struct ir_expr *x = low_number(s, bounds[i], n, "the bound");
        if (x->type && type_is_integer(d->bound) && !type_is_integer(x->type->kind)) {
            low_error(s, bounds[i]->node ? bounds[i]->node : n, STR("int(…)"),
                      "%s takes whole numbers", d->name);
            return low_unknown(s, n);
        }
        if (!x->type) {
            return x;
        }
        if (type_is_complex(x->type->kind)) {
            low_error(s, n, STR("give real numbers"), "a bound cannot be complex");
            return low_unknown(s, n);
        }
        e->args[1 + i] = low_convert(s, x, d->bound);
    }
    return e;
}

const struct ir_expr *low_random_method(struct low_scope *s, const struct ast_node *n,
                                        const struct ir_expr *object, struct str name)
{
    const bool pool = object->type->kind == TYPE_RANDOM_POOL;

    if (pool && refuse_in_scan(s, n)) {
        return low_unknown(s, n);
    }
    if (pool && str_equal_c(name, "get_state")) {
        return low_arguments(s, n, 0, 0, "get_state")
                   ? make(s, n, "get_state", TYPE_RANDOM_GENERATOR, object, 0)
                   : low_unknown(s, n);
    }
    if (pool && str_equal_c(name, "free_state")) { /* given back when the kernel ends */
        const struct ir_expr **args = low_arguments(s, n, 1, 1, "free_state");
        if (args && args[0]->type->kind != TYPE_RANDOM_GENERATOR) {
            low_error(s, n, STR("pool.free_state(generator)"),
                      "free_state takes a generator of the pool");
            return low_unknown(s, n);
        }
        return low_expr_new(s, IR_INT, type_scalar(TYPE_INT64), n, 0);
    }
    const struct draw *d = pool ? NULL : find(name);
    if (!d) {
        low_error_span(s, &n->u.call.func->u.attribute.attr_span,
                       pool ? STR("generator = pool.get_state(); x = generator.drand()")
                            : STR("drand, frand, rand, rand64, urand, urand64, normal"),
                       "a random %s has no method " STR_FMT, pool ? "pool" : "generator",
                       STR_ARG(name));
        return low_unknown(s, n);
    }
    if (str_equal_c(name, "normal") && n->u.call.args.count == 1) {
        low_error(s, n, STR("generator.normal(mean, deviation)"),
                  "normal takes no argument, or two");
        return low_unknown(s, n);
    }
    const struct ir_expr **args = low_arguments(s, n, 0, 2, d->name);
    return args ? drawn(s, n, d, object, args, n->u.call.args.count) : low_unknown(s, n);
}

/* ---- pk.rand -------------------------------------------------------------------------------- */

/* The workunit's pool; NULL: none, or several (said). */
static const struct ir_expr *only_pool(struct low_scope *s, const struct ast_node *n)
{
    const struct kernel *k = s->unit->l->kernel;
    const struct parameter *found = NULL;
    size_t count = 0;
    struct low_scope *top = s;

    while (top->parent) {
        top = top->parent;
    }
    if (top->function && !top->function->inner) { /* a fused workunit may be an inner one */
        low_error(s, n, STR("draw in the workunit, or hand over a generator"),
                  "pk.rand draws from the workunit's pool, which a function does not have");
        return NULL;
    }
    for (size_t i = 0; i < k->field_count + k->parameter_count; i++) {
        const struct parameter *p =
            i < k->field_count ? &k->fields[i] : &k->parameters[i - k->field_count];
        if (p->type && p->type->kind == TYPE_RANDOM_POOL) {
            found = p;
            count++;
        }
    }
    if (count == 1) {
        struct low_variable *v =
            found->var->kind == VAR_FIELD ? NULL : low_scope_find(s, found->name);
        if (v && v->var) {
            low_variable_read(s, v, n);
        }
        return low_var(s, n, v && v->var && v->var->type == found->type ? v->var : found->var);
    }
    low_error(s, n,
              count ? STR("generator = pool.get_state(); x = generator.drand()")
                    : STR("add a parameter, pool: pk.Random_XorShift64_Pool"),
              count ? "pk.rand draws from the workunit's only pool: here are several"
                    : "pk.rand draws from the workunit's pool, and there is none");
    return NULL;
}

const struct ir_expr *low_rand(struct low_scope *s, const struct ast_node *n)
{
    const struct ast_seq *given = &n->u.call.args;

    if (given->count < 1 || given->count > 3 || n->u.call.keywords.count) {
        low_error(s, n, STR("pk.rand(pk.double), pk.rand(pk.double, start, end)"),
                  "rand takes a type, and after it a range, or a start and an end");
        return low_unknown(s, n);
    }
    const struct type *t = low_annotation(s, s->module, given->items[0], LOW_USE_ELEMENT, NULL);
    if (!t) {
        return low_unknown(s, n);
    }
    const char *method = t->kind == TYPE_DOUBLE   ? "drand"
                         : t->kind == TYPE_FLOAT  ? "frand"
                         : t->kind == TYPE_INT32  ? "rand"
                         : t->kind == TYPE_INT64  ? "rand64"
                         : t->kind == TYPE_UINT32 ? "urand"
                         : t->kind == TYPE_UINT64 ? "urand64"
                                                  : NULL;
    if (!method) {
        low_error(s, given->items[0], STR("draw a pk.int32, and convert it"),
                  "random numbers of type " STR_FMT " are not translated",
                  STR_ARG(low_spell(s, t)));
        return low_unknown(s, n);
    }
    const struct ir_expr *pool = refuse_in_scan(s, n) ? NULL : only_pool(s, n);
    if (!pool) {
        return low_unknown(s, n);
    }
    struct low_operands o;
    low_operands_begin(&o, s, 2);
    for (size_t i = 1; i < given->count; i++) {
        low_operands_add(&o, low_expr(s, given->items[i]));
    }
    low_operands_seal(&o);
    return drawn(s, n, find(str_from(method)), pool, o.items, given->count - 1);
}
