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

static struct py_value of_bool(bool boolean)
{
    return (struct py_value){.kind = PY_VALUE_BOOL, .boolean = boolean};
}

static struct py_value of_float(double number)
{
    return (struct py_value){.kind = PY_VALUE_FLOAT, .number = number};
}

static bool set_float(struct py_value *out, double number)
{
    *out = of_float(number);
    return true;
}

static bool truth_of(const struct py_value *value, bool *out)
{
    switch (value->kind) {
    case PY_VALUE_NONE: *out = false; return true;
    case PY_VALUE_ELLIPSIS: *out = true; return true;
    case PY_VALUE_BOOL: *out = value->boolean; return true;
    case PY_VALUE_INT: *out = value->too_big || value->integer != 0; return true;
    case PY_VALUE_FLOAT: *out = value->number != 0.0; return true;
    case PY_VALUE_STR:
    case PY_VALUE_BYTES: *out = value->text.len > 0; return true;
    case PY_VALUE_TUPLE: *out = value->item_count > 0; return true;
    case PY_VALUE_COMPLEX: break;
    }
    return false;
}

static bool evaluate_unary(const struct evaluator *e, const struct ast_node *node,
                           struct py_value *out)
{
    struct py_value value;
    bool boolean = false;
    if (!evaluate(e, node->u.unary_op.operand, &value)) {
        return false;
    }
    if (node->u.unary_op.op == OP_NOT) {
        if (!truth_of(&value, &boolean)) {
            return false;
        }
        *out = of_bool(!boolean);
        return true;
    }
    py_int128 integer = 0;
    if (value.kind == PY_VALUE_FLOAT) {
        if (node->u.unary_op.op == OP_INVERT) {
            return false;
        }
        return set_float(out, node->u.unary_op.op == OP_USUB ? -value.number : value.number);
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
        if (!evaluate(e, values.items[i], out) || !truth_of(out, &boolean)) {
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
    *out = of_bool(result);
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

/* ---- calls ---------------------------------------------------------------------------------- */

static bool parse_float_text(struct str text, double *out)
{
    while (text.len > 0 && strchr(" \t\n\v\f\r", text.ptr[0]) != NULL) {
        text = str_slice(text, 1, text.len);
    }
    while (text.len > 0 && strchr(" \t\n\v\f\r", text.ptr[text.len - 1]) != NULL) {
        text = str_slice(text, 0, text.len - 1);
    }
    char copy[512];
    if (text.len == 0 || text.len >= sizeof(copy)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        copy[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    copy[text.len] = '\0';
    const char *body = copy + (copy[0] == '+' || copy[0] == '-' ? 1 : 0);
    if (strcmp(body, "inf") == 0 || strcmp(body, "infinity") == 0) {
        *out = copy[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (strcmp(body, "nan") == 0) {
        *out = (double)NAN;
        return true;
    }
    if (strspn(body, "0123456789.e+-") != strlen(body) || strpbrk(body, "0123456789") == NULL) {
        return false;
    }
    char *end = NULL;
    *out = strtod(copy, &end);
    return *end == '\0';
}

static bool parse_int_text(struct str text, py_int128 *out)
{
    size_t i = 0;
    size_t end = text.len;
    while (i < end && strchr(" \t\n\v\f\r", text.ptr[i]) != NULL) {
        i++;
    }
    while (end > i && strchr(" \t\n\v\f\r", text.ptr[end - 1]) != NULL) {
        end--;
    }
    const bool minus = i < end && text.ptr[i] == '-';
    if (i < end && (text.ptr[i] == '-' || text.ptr[i] == '+')) {
        i++;
    }
    if (i == end) {
        return false;
    }
    *out = 0;
    for (; i < end; i++) {
        const int digit = text.ptr[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*out, (py_int128)10, out) ||
            __builtin_add_overflow(*out, (py_int128)(minus ? -digit : digit), out)) {
            return false;
        }
    }
    return true;
}

static bool call_int(const struct py_value *value, struct py_value *out)
{
    py_int128 integer = 0;
    bool ok = false;
    if (value->kind == PY_VALUE_STR) {
        ok = parse_int_text(value->text, &integer);
    } else if (value->kind == PY_VALUE_FLOAT) {
        ok = number_truncate(value->number, &integer);
    } else {
        ok = number_as_integer(value, &integer);
    }
    *out = (struct py_value){.kind = PY_VALUE_INT, .integer = integer};
    return ok;
}

static bool call_float(const struct py_value *value, struct py_value *out)
{
    double number = 0;
    const bool ok = value->kind == PY_VALUE_STR ? parse_float_text(value->text, &number)
                                                : number_as_float(value, &number);
    return ok && set_float(out, number);
}

static bool call_round(const struct py_value *args, size_t count, struct py_value *out)
{
    py_int128 integer = 0;
    if (args[0].kind != PY_VALUE_FLOAT) {
        if (!number_as_integer(&args[0], &integer)) {
            return false;
        }
        py_int128 digits = 0;
        *out = (struct py_value){.kind = PY_VALUE_INT, .integer = integer};
        return count == 1 || (number_as_integer(&args[1], &digits) && digits >= 0);
    }
    const double x = args[0].number;
    if (count == 1) {
        *out = (struct py_value){.kind = PY_VALUE_INT};
        const double floor_x = floor(x);
        const double rest = x - floor_x;
        double nearest = rest < 0.5 ? floor_x : floor_x + 1.0;
        if (rest == 0.5) {
            nearest = fmod(floor_x, 2.0) == 0.0 ? floor_x : floor_x + 1.0;
        }
        return number_truncate(nearest, &out->integer);
    }
    py_int128 digits = 0;
    if (!isfinite(x) || !number_as_integer(&args[1], &digits) || digits < 0 || digits > 300) {
        return false;
    }
    char text[700];
    (void)snprintf(text, sizeof(text), "%.*f", (int)digits, x);
    return set_float(out, strtod(text, NULL));
}

static bool call_min_max(const struct py_value *args, size_t count, bool is_max,
                         struct py_value *out)
{
    if (count == 1 && args[0].kind == PY_VALUE_TUPLE) {
        return args[0].item_count > 0 &&
               call_min_max(args[0].items, args[0].item_count, is_max, out);
    }
    if (count < 1) {
        return false;
    }
    *out = args[0];
    for (size_t i = 0; i < count; i++) {
        int order = 0;
        bool ordered = false;
        if (!number_compare(&args[i], out, &order, &ordered)) {
            return false;
        }
        if (ordered && (is_max ? order > 0 : order < 0)) {
            *out = args[i];
        }
    }
    return true;
}

static bool call_len(const struct py_value *value, struct py_value *out)
{
    *out = (struct py_value){.kind = PY_VALUE_INT};
    if (value->kind == PY_VALUE_TUPLE) {
        out->integer = (py_int128)value->item_count;
        return true;
    }
    if (value->kind == PY_VALUE_BYTES) {
        out->integer = (py_int128)value->text.len;
        return true;
    }
    if (value->kind != PY_VALUE_STR) {
        return false;
    }
    for (size_t i = 0; i < value->text.len; i++) {
        out->integer += ((unsigned char)value->text.ptr[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return true;
}

static bool call_builtin(struct arena *a, struct str name, const struct py_value *args,
                         size_t count, struct py_value *out)
{
    bool boolean = false;
    if (str_equal_c(name, "min") || str_equal_c(name, "max")) {
        return call_min_max(args, count, str_equal_c(name, "max"), out);
    }
    if (str_equal_c(name, "round")) {
        return (count == 1 || count == 2) && call_round(args, count, out);
    }
    if (str_equal_c(name, "pow")) {
        return count == 2 && evaluate_binary(a, OP_POW, &args[0], &args[1], out);
    }
    if (count != 1) {
        return false;
    }
    if (str_equal_c(name, "int")) {
        return call_int(&args[0], out);
    }
    if (str_equal_c(name, "float")) {
        return call_float(&args[0], out);
    }
    if (str_equal_c(name, "bool")) {
        const bool ok = truth_of(&args[0], &boolean);
        *out = of_bool(boolean);
        return ok;
    }
    if (str_equal_c(name, "len")) {
        return call_len(&args[0], out);
    }
    if (str_equal_c(name, "abs")) {
        if (args[0].kind == PY_VALUE_FLOAT) {
            return set_float(out, fabs(args[0].number));
        }
        *out = (struct py_value){.kind = PY_VALUE_INT};
        if (!number_as_integer(&args[0], &out->integer)) {
            return false;
        }
        return out->integer >= 0 ||
               !__builtin_sub_overflow((py_int128)0, out->integer, &out->integer);
    }
    return false;
}

struct math_function {
    const char *name;
    double (*function)(double);
};

/* Those that CPython's math module takes from the C library as they are. */
static const struct math_function math_functions[] = {
    {"sqrt", sqrt},   {"fabs", fabs},   {"exp", exp},     {"log", log},     {"log2", log2},
    {"log10", log10}, {"log1p", log1p}, {"expm1", expm1}, {"sin", sin},     {"cos", cos},
    {"tan", tan},     {"asin", asin},   {"acos", acos},   {"atan", atan},   {"sinh", sinh},
    {"cosh", cosh},   {"tanh", tanh},   {"asinh", asinh}, {"acosh", acosh}, {"atanh", atanh},
};

static bool call_math(struct str name, const struct py_value *args, size_t count,
                      struct py_value *out)
{
    double x = 0;
    double y = 0;
    if (count < 1 || count > 2 || !number_as_float(&args[0], &x) ||
        (count == 2 && !number_as_float(&args[1], &y))) {
        return false;
    }
    if (count == 2) {
        if (str_equal_c(name, "copysign")) {
            return set_float(out, copysign(x, y));
        }
        if (str_equal_c(name, "atan2")) {
            return set_float(out, atan2(x, y));
        }
        double result = 0;
        if (str_equal_c(name, "pow")) {
            result = pow(x, y);
        } else if (str_equal_c(name, "fmod")) {
            result = fmod(x, y);
        } else {
            return false;
        }
        return isfinite(result) && set_float(out, result);
    }
    const bool to_int =
        str_equal_c(name, "floor") || str_equal_c(name, "ceil") || str_equal_c(name, "trunc");
    if (to_int) {
        *out = (struct py_value){.kind = PY_VALUE_INT};
        if (args[0].kind != PY_VALUE_FLOAT) {
            return number_as_integer(&args[0], &out->integer);
        }
        const double whole = name.ptr[0] == 'f' ? floor(x) : name.ptr[0] == 'c' ? ceil(x) : x;
        return number_truncate(whole, &out->integer);
    }
    if (str_equal_c(name, "degrees")) {
        return set_float(out, x * (180.0 / 3.14159265358979323846));
    }
    if (str_equal_c(name, "radians")) {
        return set_float(out, x * (3.14159265358979323846 / 180.0));
    }
    for (size_t i = 0; i < sizeof(math_functions) / sizeof(math_functions[0]); i++) {
        if (str_equal_c(name, math_functions[i].name)) {
            const double result = math_functions[i].function(x);
            /* Where Python raises an error, the expression is not constant. */
            if ((isnan(result) && !isnan(x)) || (isinf(result) && !isinf(x))) {
                return false;
            }
            return set_float(out, result);
        }
    }
    return false;
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
    return is_math ? call_math(str_slice(callee.qualified, 5, callee.qualified.len), values,
                               args.count, out)
                   : call_builtin(e->arena, callee.qualified, values, args.count, out);
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
            return set_float(out, constants[i].number);
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
        if (!evaluate(e, node->u.if_exp.test, &left) || !truth_of(&left, &boolean)) {
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
