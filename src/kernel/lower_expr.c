/* Expressions: dispatch, logic, conditional values. */
#include "kernel/lower.h"

/* ---- parts that are evaluated only sometimes ------------------------------------------------ */

void low_branch_begin(struct low_scope *s, struct low_branch *b)
{
    b->flow = low_flow_copy(s, &s->flow);
    b->outer = low_block_begin(s, &b->block);
}

void low_branch_end(struct low_scope *s, struct low_branch *b)
{
    low_block_end(s, b->outer);
    s->flow = b->flow;
}

void low_branch_result(struct low_scope *s, struct low_branch *b, const struct ast_node *n,
                       const struct ir_var *result, const struct ir_expr *value)
{
    struct vec *outer = s->block;

    s->block = &b->block;
    low_emit_assign(s, n, result, value);
    s->block = outer;
}

void low_emit_if(struct low_scope *s, const struct ast_node *n, const struct ir_expr *test,
                 const struct vec *body, const struct vec *orelse)
{
    struct ir_stmt *stmt = low_stmt_new(s, IR_IF, n);

    stmt->test = test;
    if (body) {
        stmt->body = low_block(s, body);
    }
    if (orelse) {
        stmt->orelse = low_block(s, orelse);
    }
    low_emit(s, stmt);
}

/* ---- bringing values to one type ------------------------------------------------------------ */

static bool any_pending(const struct ir_expr *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i]->note && items[i]->note->test) {
            return true;
        }
    }
    return false;
}

static const struct type *unify_others(struct low_scope *s, const struct ast_node *n,
                                       const struct ir_expr **items, size_t count, const char *what)
{
    const struct type *t = items[0]->type;

    for (size_t i = 1; t && i < count; i++) {
        t = low_join(s, t, items[i]->type);
    }
    if (!t) {
        low_error(s, n, STR(""), "%s gives a " STR_FMT " here and a " STR_FMT " there", what,
                  STR_ARG(low_spell(s, items[0]->type)),
                  STR_ARG(low_spell(s, items[count - 1]->type)));
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = low_convert_type(s, items[i], t, n, what);
    }
    return t;
}

const struct type *low_unify(struct low_scope *s, const struct ast_node *n,
                             const struct ir_expr **items, size_t count, const char *what)
{
    bool bools = true, scalars = true;

    for (size_t i = 0; i < count; i++) {
        if (!items[i]->type) {
            return NULL;
        }
        bools &= items[i]->type->kind == TYPE_BOOL;
        scalars &= type_is_scalar(items[i]->type->kind);
    }
    if (bools) {
        return items[0]->type;
    }
    if (!scalars) {
        return unify_others(s, n, items, count, what);
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = low_number(s, items[i], n, what);
        if (!items[i]->type) {
            return NULL;
        }
    }
    const struct ir_expr *widest = items[0];
    enum type_kind k = widest->type->kind;
    for (size_t i = 1; i < count; i++) {
        struct ir_expr seen = *widest;
        seen.type = type_scalar(k);
        k = low_promote(&seen, items[i]);
        if (k == items[i]->type->kind && k != seen.type->kind) {
            widest = items[i];
        }
    }
    if (type_is_integer(k) && any_pending(items, count)) {
        return type_scalar(k); /* the caller knows what to do with them */
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = low_convert(s, items[i], k);
    }
    return type_scalar(k);
}

/* ---- and, or -------------------------------------------------------------------------------- */

/* values[i..] as a condition */
static const struct ir_expr *bool_test(struct low_scope *s, const struct ast_node *n, size_t i)
{
    const struct ast_seq *values = &n->u.bool_op.values;
    const bool is_and = n->u.bool_op.op == OP_AND;
    const struct ir_expr *left = low_test(s, values->items[i]);
    struct low_branch b;

    if (i + 1 == values->count) {
        return left;
    }
    low_branch_begin(s, &b);
    const struct ir_expr *right = bool_test(s, n, i + 1);
    low_branch_end(s, &b);
    if (!left->type || !right->type) {
        return low_unknown(s, n);
    }
    if (!b.block.count) {
        return low_binary(s, is_and ? IR_AND : IR_OR, TYPE_BOOL, n, left, right);
    }
    const struct ir_var *result = low_temp(s, type_scalar(TYPE_BOOL));
    const struct ir_expr *value = low_var(s, n, result);
    low_emit_assign(s, n, result, left);
    low_branch_result(s, &b, n, result, right);
    low_emit_if(s, n, is_and ? value : low_unary(s, IR_NOT, TYPE_BOOL, n, value), &b.block, NULL);
    return value;
}

static const struct ir_expr *select_pending(struct low_scope *s, const struct ast_node *n,
                                            const struct ir_expr *test, const struct ir_expr *x,
                                            const struct ir_expr *y)
{
    const struct ir_expr *items[2] = {x, y};
    struct lower_note *note = ARENA_NEW(s->unit->l->a, struct lower_note);
    const struct ir_expr *tests[2], *doubles[2];

    for (int i = 0; i < 2; i++) {
        const bool pending = items[i]->note && items[i]->note->test;
        tests[i] = pending ? items[i]->note->test : low_bool(s, n, true);
        doubles[i] = pending ? items[i]->note->as_double : low_convert(s, items[i], TYPE_DOUBLE);
        if (pending) {
            note->power = items[i]->note->power;
        }
        items[i] = low_convert(s, items[i], TYPE_INT64);
    }
    struct ir_expr *e = (struct ir_expr *)(uintptr_t)low_select(s, n, test, items[0], items[1]);
    note->test = low_select(s, n, test, tests[0], tests[1]);
    note->as_double = low_select(s, n, test, doubles[0], doubles[1]);
    e->note = note;
    return e;
}

/* The value of a test between two values whose parts may have statements of their own. */
static const struct ir_expr *choose(struct low_scope *s, const struct ast_node *n,
                                    const struct ir_expr *test, struct low_branch *then,
                                    const struct ir_expr *x, struct low_branch *orelse,
                                    const struct ir_expr *y, const char *what)
{
    const struct ir_expr *items[2] = {x, y};

    if (!test->type || !x->type || !y->type) {
        return low_unknown(s, n);
    }
    if (x->type->kind == TYPE_STRUCT || x->type->kind == TYPE_ARRAY) {
        low_error(s, n, STR("write an if statement that uses its fields or items"),
                  "%s of objects is not translated", what);
        return low_unknown(s, n);
    }
    const struct type *t = low_unify(s, n, items, 2, what);
    if (!t || !items[0]->type || !items[1]->type) {
        return low_unknown(s, n);
    }
    const bool plain = (!then || !then->block.count) && (!orelse || !orelse->block.count);
    if (any_pending(items, 2) && type_is_integer(t->kind) && t->kind != TYPE_INT128) {
        if (plain && test->kind != IR_CALL && !(test->effects & EFFECT_WRITES)) {
            return select_pending(s, n, test, items[0], items[1]);
        }
        items[0] = low_settle(s, items[0]);
        items[1] = low_settle(s, items[1]);
        return low_unknown(s, n);
    }
    if (plain) {
        return low_select(s, n, test, items[0], items[1]);
    }
    const struct ir_var *result = low_temp(s, t);
    struct vec empty;
    vec_init(&empty, s->unit->l->a);
    struct low_branch none_then = {.block = empty}, none_else = {.block = empty};
    then = then ? then : &none_then;
    orelse = orelse ? orelse : &none_else;
    low_branch_result(s, then, n, result, items[0]);
    low_branch_result(s, orelse, n, result, items[1]);
    low_emit_if(s, n, test, &then->block, &orelse->block);
    return low_var(s, n, result);
}

bool low_all_bool(const struct ir_expr *x, const struct ir_expr *y)
{
    return x->type && y->type && x->type->kind == TYPE_BOOL && y->type->kind == TYPE_BOOL;
}

/* values[i..] as a value: Python gives one of the operands */
static const struct ir_expr *bool_value(struct low_scope *s, const struct ast_node *n, size_t i)
{
    const struct ast_seq *values = &n->u.bool_op.values;
    const bool is_and = n->u.bool_op.op == OP_AND;
    const struct ir_expr *left = low_expr(s, values->items[i]);
    struct low_branch b;

    if (i + 1 == values->count) {
        return left;
    }
    if (left->type && left->type->kind != TYPE_BOOL) {
        left = low_settle(s, left);
        left = left->type ? low_simple(s, left) : left;
    }
    low_branch_begin(s, &b);
    const struct ir_expr *right = bool_value(s, n, i + 1);
    low_branch_end(s, &b);
    if (!left->type || !right->type) {
        return low_unknown(s, n);
    }
    if (low_all_bool(left, right) && !b.block.count) {
        return low_binary(s, is_and ? IR_AND : IR_OR, TYPE_BOOL, n, left, right);
    }
    left = low_simple(s, left);
    const struct ir_expr *test = low_truth(s, left, values->items[i]);
    return is_and ? choose(s, n, test, &b, right, NULL, left, "`and`")
                  : choose(s, n, test, NULL, left, &b, right, "`or`");
}

static const struct ir_expr *bool_op(struct low_scope *s, const struct ast_node *n)
{
    const struct ir_expr *e = bool_value(s, n, 0);
    struct py_value value;

    /* all constant: Python's own value */
    if (e->type && (e->kind == IR_SELECT || e->kind == IR_AND || e->kind == IR_OR) &&
        low_is_constant(e->args[0]) && py_evaluate(s->module, n, &value) &&
        (value.kind == PY_VALUE_BOOL || value.kind == PY_VALUE_INT ||
         value.kind == PY_VALUE_FLOAT) &&
        low_is_constant(e->args[e->arg_count - 1])) {
        return low_constant(s, n, &value);
    }
    return e;
}

const struct ir_expr *low_test(struct low_scope *s, const struct ast_node *n)
{
    if (n->kind == AST_BOOL_OP) {
        return bool_test(s, n, 0);
    }
    return low_truth(s, low_expr(s, n), n);
}

/* ---- conditional expression ----------------------------------------------------------------- */

static const struct ir_expr *if_exp(struct low_scope *s, const struct ast_node *n)
{
    struct low_branch then, orelse;
    const struct ir_expr *test = low_test(s, n->u.if_exp.test);

    low_branch_begin(s, &then);
    const struct ir_expr *x = low_expr(s, n->u.if_exp.body);
    low_branch_end(s, &then);
    low_branch_begin(s, &orelse);
    const struct ir_expr *y = low_expr(s, n->u.if_exp.orelse);
    low_branch_end(s, &orelse);
    const struct ir_expr *parts[3] = {test, x, y};
    const struct ir_expr *folded = low_fold(s, n, parts, 3);
    return folded ? folded : choose(s, n, test, &then, x, &orelse, y, "the conditional expression");
}

/* ---- the rest ------------------------------------------------------------------------------- */

struct refusal {
    enum ast_kind kind;
    const char *message, *hint;
};

static const struct refusal refused[] = {
    {AST_NAMED_EXPR, "the assignment expression := is not translated",
     "assign in a statement of its own"},
    {AST_LAMBDA, "a lambda is no value in a workunit", "define a function"},
    {AST_DICT, "a dict is no value in a workunit", "use views or local variables"},
    {AST_SET, "a set is no value in a workunit", "use views or local variables"},
    {AST_LIST_COMP, "a list comprehension is not translated", "write a for loop"},
    {AST_SET_COMP, "a set comprehension is not translated", "write a for loop"},
    {AST_DICT_COMP, "a dict comprehension is not translated", "write a for loop"},
    {AST_GENERATOR_EXP, "a generator expression is not translated", "write a for loop"},
    {AST_AWAIT, "await has no meaning in a workunit", ""},
    {AST_YIELD, "yield has no meaning in a workunit", ""},
    {AST_YIELD_FROM, "yield from has no meaning in a workunit", ""},
    {AST_JOINED_STR, "an f-string is no value in a workunit",
     "use pk.printf(\"%d %f\\n\", i, x), or print(i, x)"},
    {AST_TEMPLATE_STR, "a t-string is no value in a workunit", ""},
    {AST_FORMATTED_VALUE, "an f-string is no value in a workunit", ""},
    {AST_STARRED, "a starred expression (*) is not translated", "write the items out"},
    {AST_TUPLE, "a tuple is no value in a workunit", "use several variables"},
    {AST_LIST, "a list is a value only where a local array is made",
     "write x: List[float] = [a, b]"},
    {AST_SLICE, "a slice stands only in a subscript", ""},
};

static const struct ir_expr *refuse(struct low_scope *s, const struct ast_node *n)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (refused[i].kind == n->kind) {
            low_error(s, n, str_from(refused[i].hint), "%s", refused[i].message);
            return low_unknown(s, n);
        }
    }
    low_error(s, n, STR(""), "%s is not translated", ast_kind_name(n->kind));
    return low_unknown(s, n);
}

static const struct ir_expr *dispatch(struct low_scope *s, const struct ast_node *n)
{
    switch (n->kind) {
    case AST_CONSTANT: return low_constant(s, n, &n->u.constant.value);
    case AST_NAME: return low_name(s, n);
    case AST_ATTRIBUTE: return low_attribute(s, n);
    case AST_SUBSCRIPT: return low_subscript(s, n);
    case AST_BIN_OP: return low_bin_op(s, n);
    case AST_UNARY_OP: return low_unary_op(s, n);
    case AST_BOOL_OP: return bool_op(s, n);
    case AST_COMPARE: return low_compare(s, n);
    case AST_IF_EXP: return if_exp(s, n);
    case AST_CALL: return low_call(s, n);
    default: return refuse(s, n);
    }
}

const struct ir_expr *low_expr(struct low_scope *s, const struct ast_node *n)
{
    if (s->unit->depth >= LOW_MAX_DEPTH) {
        low_error(s, n, STR("use variables for parts of it"), "this is nested too deeply");
        return low_unknown(s, n);
    }
    s->unit->depth++;
    const struct ir_expr *e = dispatch(s, n);
    s->unit->depth--;
    return e;
}
