/* evaluate_call: Python's built-in and math functions of constants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "python/number.h"
#include "python/program.h"

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
    return ok && number_set_float(out, number);
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
    return number_set_float(out, strtod(text, NULL));
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

bool evaluate_call_builtin(struct arena *a, struct str name, const struct py_value *args,
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
        const bool ok = number_truth(&args[0], &boolean);
        *out = number_of_bool(boolean);
        return ok;
    }
    if (str_equal_c(name, "len")) {
        return call_len(&args[0], out);
    }
    if (str_equal_c(name, "abs")) {
        if (args[0].kind == PY_VALUE_FLOAT) {
            return number_set_float(out, fabs(args[0].number));
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

bool evaluate_call_math(struct str name, const struct py_value *args, size_t count,
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
            return number_set_float(out, copysign(x, y));
        }
        if (str_equal_c(name, "atan2")) {
            return number_set_float(out, atan2(x, y));
        }
        double result = 0;
        if (str_equal_c(name, "pow")) {
            result = pow(x, y);
        } else if (str_equal_c(name, "fmod")) {
            result = fmod(x, y);
        } else {
            return false;
        }
        return isfinite(result) && number_set_float(out, result);
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
        return number_set_float(out, x * (180.0 / 3.14159265358979323846));
    }
    if (str_equal_c(name, "radians")) {
        return number_set_float(out, x * (3.14159265358979323846 / 180.0));
    }
    for (size_t i = 0; i < sizeof(math_functions) / sizeof(math_functions[0]); i++) {
        if (str_equal_c(name, math_functions[i].name)) {
            const double result = math_functions[i].function(x);
            /* Where Python raises an error, the expression is not constant. */
            if ((isnan(result) && !isnan(x)) || (isinf(result) && !isinf(x))) {
                return false;
            }
            return number_set_float(out, result);
        }
    }
    return false;
}
