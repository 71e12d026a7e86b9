/* Atomic operations on elements: pk.atomic_fetch_add(view, [i, j], value) and its kin. */
#include "kernel/lower.h"

struct atomic_name {
    const char *name;
    enum ir_atomic_op op;
    size_t values; /* after view and index */
    bool integers; /* defined for integers only */
};

static const struct atomic_name plain_names[] = {
    {"add", ATOMIC_ADD, 1, false},
    {"sub", ATOMIC_SUB, 1, false},
    {"mul", ATOMIC_MUL, 1, false},
    {"div", ATOMIC_DIV, 1, false},
    {"mod", ATOMIC_MOD, 1, true},
    {"min", ATOMIC_MIN, 1, false},
    {"max", ATOMIC_MAX, 1, false},
    {"and", ATOMIC_AND, 1, true},
    {"or", ATOMIC_OR, 1, true},
    {"xor", ATOMIC_XOR, 1, true},
    {"lshift", ATOMIC_LSHIFT, 1, true},
    {"rshift", ATOMIC_RSHIFT, 1, true},
    {"exchange", ATOMIC_EXCHANGE, 1, false},
    {"store", ATOMIC_STORE, 1, false},
    {"load", ATOMIC_LOAD, 0, false},
    {"increment", ATOMIC_ADD, 0, false},
    {"decrement", ATOMIC_SUB, 0, false},
    {"compare_exchange", ATOMIC_COMPARE_EXCHANGE, 2, false},
};

enum { PLAIN_COUNT = sizeof plain_names / sizeof plain_names[0] };

struct atomic_call {
    const struct atomic_name *what;
    enum ir_fetch fetch;
};

static const struct atomic_name *find_plain(struct str name)
{
    for (int i = 0; i < PLAIN_COUNT; i++) {
        if (str_equal_c(name, plain_names[i].name)) {
            return &plain_names[i];
        }
    }
    return NULL;
}

static struct atomic_call find_call(struct str name)
{
    struct atomic_call c = {0};

    if (!str_starts_with(name, "atomic_")) {
        return c;
    }
    name = str_slice(name, 7, name.len);
    if (str_starts_with(name, "fetch_")) {
        c.what = find_plain(str_slice(name, 6, name.len));
        c.fetch = FETCH_OLD;
        return c.what && c.what->op < ATOMIC_EXCHANGE ? c : (struct atomic_call){0};
    }
    if (str_ends_with(name, "_fetch")) {
        c.what = find_plain(str_slice(name, 0, name.len - 6));
        c.fetch = FETCH_NEW;
        return c.what && c.what->op < ATOMIC_EXCHANGE ? c : (struct atomic_call){0};
    }
    c.what = find_plain(name);
    if (c.what && (c.what->op == ATOMIC_EXCHANGE || c.what->op == ATOMIC_LOAD ||
                   c.what->op == ATOMIC_COMPARE_EXCHANGE)) {
        c.fetch = FETCH_OLD;
    }
    return c;
}

bool low_atomic_known(struct str name)
{
    return find_call(name).what != NULL;
}

static const struct ir_expr *build(struct low_scope *s, const struct ast_node *n,
                                   enum ir_atomic_op op, enum ir_fetch fetch,
                                   const struct ir_expr *place, const struct ir_expr *const *values,
                                   size_t count)
{
    const struct type *t = fetch == FETCH_NONE ? type_scalar(TYPE_VOID) : place->type;
    struct ir_expr *e = low_expr_new(s, IR_ATOMIC, t, n, count + 1);

    e->atomic = op;
    e->fetch = fetch;
    e->args[0] = place;
    e->effects = EFFECT_READS | (op == ATOMIC_LOAD ? 0u : (unsigned)EFFECT_WRITES);
    for (size_t i = 0; i < count; i++) {
        e->args[i + 1] = values[i];
        e->effects |= values[i]->effects;
    }
    return e;
}

const struct ir_expr *low_atomic(struct low_scope *s, const struct ast_node *n,
                                 enum ir_atomic_op op, enum ir_fetch fetch,
                                 const struct ir_expr *place, const struct ir_expr *value)
{
    return build(s, n, op, fetch, place, &value, value ? 1 : 0);
}

static bool element_fits(struct low_scope *s, const struct ast_node *n, const struct atomic_name *a,
                         const struct type *element)
{
    const enum type_kind k = element->kind;
    const bool moves = a->op >= ATOMIC_EXCHANGE;
    const bool ok = moves ? true
                    : k == TYPE_BOOL
                        ? a->op == ATOMIC_AND || a->op == ATOMIC_OR || a->op == ATOMIC_XOR
                    : a->integers        ? type_is_integer(k)
                    : type_is_complex(k) ? a->op == ATOMIC_ADD || a->op == ATOMIC_SUB ||
                                               a->op == ATOMIC_MUL || a->op == ATOMIC_DIV
                                         : true;

    if (!ok) {
        low_error(s, n, STR(""), "atomic_%s is not defined for elements of type " STR_FMT, a->name,
                  STR_ARG(low_spell(s, element)));
    }
    return ok;
}

/* The indices: [i, j], (i, j) or i. */
static struct ast_seq index_nodes(struct low_scope *s, const struct ast_node *n)
{
    struct ast_seq one;

    if (n->kind == AST_LIST || n->kind == AST_TUPLE) {
        return n->u.seq.elts;
    }
    one.items = ARENA_ARRAY(s->unit->l->a, const struct ast_node *, 1);
    one.items[0] = n;
    one.count = 1;
    return one;
}

const struct ir_expr *low_atomic_call(struct low_scope *s, const struct ast_node *n,
                                      struct str name)
{
    const struct atomic_call call = find_call(name);
    const struct ast_seq *args = &n->u.call.args;
    const size_t wanted = 2 + call.what->values;
    struct low_operands o;
    bool ok = true;

    if (n->u.call.keywords.count || args->count != wanted) {
        low_error(s, n,
                  call.what->values ? low_hint(s, STR_FMT "(view, [i], value)", STR_ARG(name))
                                    : low_hint(s, STR_FMT "(view, [i])", STR_ARG(name)),
                  STR_FMT " takes %zu arguments: a view, its indices%s", STR_ARG(name), wanted,
                  call.what->values ? ", and what to combine" : "");
        return low_unknown(s, n);
    }
    const struct ast_seq indices = index_nodes(s, args->items[1]);
    low_operands_begin(&o, s, indices.count + 3);
    low_operands_add(&o, low_expr(s, args->items[0]));
    for (size_t i = 0; i < indices.count; i++) {
        low_operands_add(
            &o, low_index(s, low_expr(s, indices.items[i]), indices.items[i], "the index"));
    }
    for (size_t i = 0; i < call.what->values; i++) {
        low_operands_add(&o, low_expr(s, args->items[2 + i]));
    }
    low_operands_seal(&o);
    for (size_t i = 0; i < o.count; i++) {
        ok &= o.items[i]->type != NULL;
    }
    if (!ok) {
        return low_unknown(s, n);
    }
    const struct ir_expr *view = o.items[0];
    if (view->type->kind != TYPE_VIEW || (size_t)view->type->rank != indices.count) {
        low_error(s, args->items[0], low_hint(s, STR_FMT "(view, [i], value)", STR_ARG(name)),
                  "the first argument must be a view of %zu dimension%s, not a " STR_FMT,
                  indices.count, indices.count == 1 ? "" : "s", STR_ARG(low_spell(s, view->type)));
        return low_unknown(s, n);
    }
    if (!element_fits(s, n, call.what, view->type->element)) {
        return low_unknown(s, n);
    }
    const struct ir_expr *values[2] = {NULL, NULL};
    size_t count = call.what->values;
    for (size_t i = 0; i < count; i++) {
        values[i] = low_convert_type(s, o.items[1 + indices.count + i], view->type->element,
                                     args->items[2 + i], "the value");
        ok &= values[i]->type != NULL;
    }
    if (!ok) {
        return low_unknown(s, n);
    }
    if (!count && call.what->op != ATOMIC_LOAD) {
        values[count++] = low_convert(s, low_int(s, n, 1), view->type->element->kind);
    }
    return build(s, n, call.what->op, call.fetch,
                 low_element(s, n, view, o.items + 1, indices.count), values, count);
}
