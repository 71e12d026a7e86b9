/* evaluate: constant expressions, exactly as Python computes them. */
#include "python/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "python/number.h"

struct evaluator {
    struct module *m;
    struct arena *arena;
    uint32_t sequence;
};

static bool evaluate(const struct evaluator *e, const struct ast_node *node, struct py_value *out);

static bool evaluate_unary(const struct evaluator *e, const struct ast_node *node,
                           struct py_value *out)
{
    struct py_value value;
    bool boolean = false;
    if (!evaluate(e, node->u.unary_op.operand, &value)) {
        return false;
    }
    if (node->u.unary_op.op == OP_NOT) {
        if (!number_truth(&value, &boolean)) {
            return false;
        }
        *out = number_of_bool(!boolean);
        return true;
    }
    py_int128 integer = 0;
    if (value.kind == PY_VALUE_FLOAT) {
        if (node->u.unary_op.op == OP_INVERT) {
            return false;
        }
        return number_set_float(out, node->u.unary_op.op == OP_USUB ? -value.number : value.number);
    }
    if (!number_as_integer(&value, &integer)) {
        return false;
    }
    *out = (struct py_value){.kind = PY_VALUE_INT};
    switch (node->u.unary_op.op) {
    case OP_INVERT: out->integer = ~integer; return true;
    case OP_USUB: return !__builtin_sub_overflow((py_int128)0, integer, &out->integer);
    default: out->integer = integer; return true;
    }
}

static bool evaluate_bool_op(const struct evaluator *e, const struct ast_node *node,
                             struct py_value *out)
{
    const struct ast_seq values = node->u.bool_op.values;
    for (size_t i = 0; i < values.count; i++) {
        bool boolean = false;
        if (!evaluate(e, values.items[i], out) || !number_truth(out, &boolean)) {
            return false;
        }
        if (boolean == (node->u.bool_op.op == OP_OR)) {
            return true; /* the rest is not evaluated */
        }
    }
    return true;
}

static bool compare_values(enum ast_cmp_operator op, const struct py_value *a,
                           const struct py_value *b, bool *out)
{
    if (op == OP_IS || op == OP_IS_NOT) {
        const bool singletons = a->kind == PY_VALUE_NONE || b->kind == PY_VALUE_NONE ||
                                (a->kind == PY_VALUE_BOOL && b->kind == PY_VALUE_BOOL);
        const bool same = a->kind == b->kind && a->boolean == b->boolean;
        *out = same == (op == OP_IS);
        return singletons;
    }
    if (a->kind == PY_VALUE_STR && b->kind == PY_VALUE_STR && (op == OP_EQ || op == OP_NOT_EQ)) {
        *out = str_equal(a->text, b->text) == (op == OP_EQ);
        return true;
    }
    int order = 0;
    bool ordered = false;
    if (op == OP_IN || op == OP_NOT_IN || !number_compare(a, b, &order, &ordered)) {
        return false;
    }
    switch (op) {
    case OP_EQ: *out = ordered && order == 0; return true;
    case OP_NOT_EQ: *out = !ordered || order != 0; return true;
    case OP_LT: *out = ordered && order < 0; return true;
    case OP_LT_E: *out = ordered && order <= 0; return true;
    case OP_GT: *out = ordered && order > 0; return true;
    default: *out = ordered && order >= 0; return true;
    }
}

static bool evaluate_compare(const struct evaluator *e, const struct ast_node *node,
                             struct py_value *out)
{
    struct py_value left;
    if (!evaluate(e, node->u.compare.left, &left)) {
        return false;
    }
    bool result = true;
    const struct ast_seq comparators = node->u.compare.comparators;
    for (size_t i = 0; result && i < comparators.count; i++) {
        struct py_value right;
        if (!evaluate(e, comparators.items[i], &right) ||
            !compare_values(node->u.compare.ops[i], &left, &right, &result)) {
            return false;
        }
        left = right;
    }
    *out = number_of_bool(result);
    return true;
}

static bool evaluate_tuple(const struct evaluator *e, const struct ast_node *node,
                           struct py_value *out)
{
    const struct ast_seq elts = node->u.seq.elts;
    struct py_value *items = ARENA_ARRAY(e->arena, struct py_value, elts.count);
    for (size_t i = 0; i < elts.count; i++) {
        if (!evaluate(e, elts.items[i], &items[i])) {
            return false;
        }
    }
    *out = (struct py_value){.kind = PY_VALUE_TUPLE, .items = items, .item_count = elts.count};
    return true;
}

static bool evaluate_subscript(const struct evaluator *e, const struct ast_node *node,
                               struct py_value *out)
{
    struct py_value value;
    struct py_value index;
    py_int128 at = 0;
    if (!evaluate(e, node->u.subscript.value, &value) || value.kind != PY_VALUE_TUPLE ||
        !evaluate(e, node->u.subscript.slice, &index) || !number_as_integer(&index, &at)) {
        return false;
    }
    if (at < 0) {
        at += (py_int128)value.item_count;
    }
    if (at < 0 || at >= (py_int128)value.item_count) {
        return false;
    }
    *out = value.items[at];
    return true;
}

static bool evaluate_call(const struct evaluator *e, const struct ast_node *node,
                          struct py_value *out)
{
    const struct ast_seq args = node->u.call.args;
    const struct ast_node *func = node->u.call.func;
    if (args.count < 1 || args.count > 16 || node->u.call.keywords.count > 0 ||
        (func->kind != AST_NAME && func->kind != AST_ATTRIBUTE)) {
        return false;
    }
    const struct py_binding callee = bind_resolve(e->m, func, e->sequence);
    const bool is_math = callee.kind == PY_EXTERNAL && str_starts_with(callee.qualified, "math.");
    if (callee.kind != PY_BUILTIN && !is_math) {
        return false;
    }
    struct py_value values[16];
    for (size_t i = 0; i < args.count; i++) {
        if (!evaluate(e, args.items[i], &values[i])) {
            return false;
        }
    }
    return is_math ? evaluate_call_math(str_slice(callee.qualified, 5, callee.qualified.len),
                                        values, args.count, out)
                   : evaluate_call_builtin(e->arena, callee.qualified, values, args.count, out);
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool external_constant(struct str qualified, struct py_value *out)
{
    static const struct {
        const char *name;
        double number;
    } constants[] = {
        {"pi", 3.14159265358979323846},
        {"e", 2.71828182845904523536},
        {"tau", 6.28318530717958647692},
        {"inf", (double)INFINITY},
        {"nan", (double)NAN},
    };
    const bool is_math = str_starts_with(qualified, "math.");
    const bool is_numpy = str_starts_with(qualified, "numpy.");
    if (!is_math && !is_numpy) {
        return false;
    }
    const struct str name = str_slice(qualified, is_math ? 5 : 6, qualified.len);
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        if (str_equal_c(name, constants[i].name) && (is_math || !str_equal_c(name, "tau"))) {
            return number_set_float(out, constants[i].number);
        }
    }
    return false;
}

static bool evaluate_name(const struct evaluator *e, const struct ast_node *node,
                          struct py_value *out)
{
    const struct py_binding binding = bind_resolve(e->m, node, e->sequence);
    if (binding.kind == PY_CONSTANT) {
        *out = binding.value;
        return true;
    }
    if (binding.kind == PY_EXTERNAL) {
        return external_constant(binding.qualified, out);
    }
    return false;
}

static bool evaluate(const struct evaluator *e, const struct ast_node *node, struct py_value *out)
{
    struct py_value left;
    struct py_value right;
    switch (node->kind) {
    case AST_CONSTANT: *out = node->u.constant.value; return true;
    case AST_NAME:
    case AST_ATTRIBUTE: return evaluate_name(e, node, out);
    case AST_UNARY_OP: return evaluate_unary(e, node, out);
    case AST_BIN_OP:
        return evaluate(e, node->u.bin_op.left, &left) &&
               evaluate(e, node->u.bin_op.right, &right) &&
               evaluate_binary(e->arena, node->u.bin_op.op, &left, &right, out);
    case AST_BOOL_OP: return evaluate_bool_op(e, node, out);
    case AST_COMPARE: return evaluate_compare(e, node, out);
    case AST_IF_EXP: {
        bool boolean = false;
        if (!evaluate(e, node->u.if_exp.test, &left) || !number_truth(&left, &boolean)) {
            return false;
        }
        return evaluate(e, boolean ? node->u.if_exp.body : node->u.if_exp.orelse, out);
    }
    case AST_TUPLE: return evaluate_tuple(e, node, out);
    case AST_SUBSCRIPT: return evaluate_subscript(e, node, out);
    case AST_CALL: return evaluate_call(e, node, out);
    default: return false;
    }
}

bool evaluate_at(struct module *m, const struct ast_node *expr, uint32_t sequence,
                 struct py_value *out)
{
    const struct evaluator e = {m, m->pub.program->arena, sequence};
    return evaluate(&e, expr, out);
}

bool py_evaluate(const struct py_module *m, const struct ast_node *expr, struct py_value *out)
{
    return evaluate_at(module_of(m), expr, SEQUENCE_END, out);
}
