/* Constant expressions: the values are what CPython prints for them. */
#include "common.h"

#include "python/value.h"

struct expression {
    const char *text;
    const char *value;
};

/* clang-format off */
static const struct expression constants[] = {
    {"7 // 2", "3"},
    {"-7 // 2", "-4"},
    {"7 // -2", "-4"},
    {"-7 % 2", "1"},
    {"7 % -2", "-1"},
    {"-7 % -2", "-1"},
    {"0 // 5", "0"},
    {"2 ** 100", "1267650600228229401496703205376"},
    {"(-3) ** 3", "-27"},
    {"2 ** -1", "0.5"},
    {"0 ** 0", "1"},
    {"1 << 100", "1267650600228229401496703205376"},
    {"-1 >> 3", "-1"},
    {"-5 >> 1", "-3"},
    {"5 >> 200", "0"},
    {"6 & 3 | 8 ^ 2", "10"},
    {"~5", "-6"},
    {"-True", "-1"},
    {"True + True", "2"},
    {"True & False", "False"},
    {"True | 2", "3"},
    {"3 & 4 == 4", "False"},
    {"1 / 3", "0.3333333333333333"},
    {"-1 / 3", "-0.3333333333333333"},
    {"7 / 2", "3.5"},
    {"(2**53 + 1) / 1", "9007199254740992.0"},
    {"(2**64 + 3) / 3", "6.148914691236517e+18"},
    {"(2**100 + 1) / (2**47 - 1)", "9007199254741056.0"},
    {"2**120 / 3", "4.430759985949719e+35"},
    {"1 / (2**100)", "7.888609052210118e-31"},
    {"(2**54 + 2) / 2", "9007199254740992.0"},
    {"(10**30 + 1) / 10**15", "1000000000000000.0"},
    {"0 / 7", "0.0"},
    {"1.0 // 0.1", "9.0"},
    {"-1.0 // 0.1", "-10.0"},
    {"1.0 % 0.1", "0.09999999999999995"},
    {"-1.0 % 0.1", "5.551115123125783e-17"},
    {"5.5 % -2.0", "-0.5"},
    {"-5.5 // 2.0", "-3.0"},
    {"1e10 // 2.0", "5000000000.0"},
    {"0.0 % -3.0", "-0.0"},
    {"1e308 * 10", "inf"},
    {"2.0 ** 0.5", "1.4142135623730951"},
    {"(-8.0) ** 3", "-512.0"},
    {"3 ** 39", "4052555153018976267"},
    {"2 ** 0.5", "1.4142135623730951"},
    {"1e16 + 1", "1e+16"},
    {"0.1 + 0.2", "0.30000000000000004"},
    {"1.5e-7 * 3", "4.5e-07"},
    {"7 // 2.0", "3.0"},
    {"7.5 % 2", "1.5"},
    {"1 < 2 < 3", "True"},
    {"1 < 2 > 3", "False"},
    {"2**53 + 1 == 2.0**53", "False"},
    {"2**53 == 2.0**53", "True"},
    {"1 == 1.0", "True"},
    {"float('nan') == float('nan')", "False"},
    {"float('nan') != 1", "True"},
    {"2**100 > 1e30", "True"},
    {"2**100 < 1e31", "True"},
    {"not 0", "True"},
    {"not 0.5", "False"},
    {"0 or 5", "5"},
    {"3 and 0", "0"},
    {"'' or 'x'", "'x'"},
    {"1 if 2 > 1 else 0", "1"},
    {"(1, 2)[1]", "2"},
    {"(1, 2, 3)[-1]", "3"},
    {"int(-2.7)", "-2"},
    {"int(2.7)", "2"},
    {"int('12')", "12"},
    {"int(' -34 ')", "-34"},
    {"int(True)", "1"},
    {"float(3)", "3.0"},
    {"float('inf')", "inf"},
    {"-float('inf')", "-inf"},
    {"float('1e3')", "1000.0"},
    {"float('  -1.5e-3 ')", "-0.0015"},
    {"bool(0.0)", "False"},
    {"bool('x')", "True"},
    {"abs(-5)", "5"},
    {"abs(-2.5)", "2.5"},
    {"abs(-True)", "1"},
    {"min(3, 1, 2)", "1"},
    {"max(1, 2.5)", "2.5"},
    {"max(2, 2.0)", "2"},
    {"min(1.0, 1)", "1.0"},
    {"min((3, 1, 2))", "1"},
    {"round(2.5)", "2"},
    {"round(3.5)", "4"},
    {"round(-2.5)", "-2"},
    {"round(2.4999)", "2"},
    {"round(0.5)", "0"},
    {"round(2.675, 2)", "2.67"},
    {"round(1234.5678, 1)", "1234.6"},
    {"round(7)", "7"},
    {"round(7, 2)", "7"},
    {"len('abc')", "3"},
    {"len('\\u00e9x')", "2"},
    {"len((1, 2))", "2"},
    {"pow(2, 10)", "1024"},
    {"math.pi", "3.141592653589793"},
    {"math.tau", "6.283185307179586"},
    {"math.e", "2.718281828459045"},
    {"math.inf", "inf"},
    {"-math.inf", "-inf"},
    {"math.sqrt(2)", "1.4142135623730951"},
    {"math.floor(-2.5)", "-3"},
    {"math.ceil(2.1)", "3"},
    {"math.trunc(-2.7)", "-2"},
    {"math.floor(3)", "3"},
    {"math.fabs(-3)", "3.0"},
    {"math.sin(1)", "0.8414709848078965"},
    {"math.exp(1)", "2.718281828459045"},
    {"math.log(10)", "2.302585092994046"},
    {"math.pow(2, 0.5)", "1.4142135623730951"},
    {"math.fmod(-7, 3)", "-1.0"},
    {"math.copysign(3, -0.0)", "-3.0"},
    {"math.degrees(1)", "57.29577951308232"},
    {"math.radians(180)", "3.141592653589793"},
    {"math.atan2(1, -1)", "2.356194490192345"},
    {"0x1F + 0o17 + 0b101", "51"},
    {"1_000_000", "1000000"},
    {"5 - 3 - 1", "1"},
    {"2 ** 3 ** 2", "512"},
    {"-2 ** 2", "-4"},
    {"None is None", "True"},
    {"True is True", "True"},
    {"1e400", "inf"},
};

/* Not constant, or an error when Python computes them. */
static const char *const others[] = {
    "1 // 0",
    "1 % 0",
    "1 / 0",
    "1.0 / 0",
    "1.0 // 0.0",
    "1 << -1",
    "(-8.0) ** 0.5",
    "0.0 ** -1",
    "2 ** 200",
    "1 << 127",
    "10.0 ** 400",
    "[1]",
    "{}",
    "f(1)",
    "x",
    "'a' % 1",
    "1 @ 2",
    "int('x')",
    "int('1.5')",
    "int(1e300)",
    "float('x')",
    "float('')",
    "math.sqrt(-1)",
    "math.exp(1000)",
    "math.log(0)",
    "math.hypot(3, 4)",
    "1j + 1",
    "(1, 2)[5]",
    "lambda: 1",
    "1 in (1, 2)",
    "min(1, 'a')",
    "round(1.5, -1)",
};
/* clang-format on */

static void evaluate(struct project *p, const char *text, struct py_value *value, bool *ok)
{
    const struct str source = str_format(p->arena, "import math\nvalue = %s\n", text);
    project_write(p, "k.py", source.ptr);
    const struct py_module *m = project_load(p, "k.py");
    assert_int_equal(m->error_count, 0);
    *ok = py_evaluate(m, m->tree->u.module.body.items[1]->u.assign.value, value);
}

static void values(void **state)
{
    struct project *p = *state;
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        struct py_value value;
        bool ok = false;
        evaluate(p, constants[i].text, &value, &ok);
        struct buf text;
        buf_init(&text, p->arena);
        if (ok) {
            value_repr(&text, &value);
        } else {
            buf_add_c(&text, "not constant");
        }
        if (!str_equal_c(buf_str(&text), constants[i].value)) {
            fail_msg("%s is %s, and here %s", constants[i].text, constants[i].value, text.ptr);
        }
    }
}

static void not_constant(void **state)
{
    struct project *p = *state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct py_value value;
        bool ok = false;
        evaluate(p, others[i], &value, &ok);
        if (ok) {
            fail_msg("%s is taken for constant", others[i]);
        }
    }
}

static void literals_too_big(void **state)
{
    struct project *p = *state;
    struct py_value value;
    bool ok = false;
    evaluate(p, "170141183460469231731687303715884105727", &value, &ok);
    assert_true(ok && !value.too_big);
    evaluate(p, "170141183460469231731687303715884105728", &value, &ok);
    assert_true(ok && value.too_big);
    assert_str(value.text, "170141183460469231731687303715884105728");
    evaluate(p, "170141183460469231731687303715884105727 + 1", &value, &ok);
    assert_false(ok);
}

static void long_chains_end(void **state)
{
    struct project *p = *state;
    struct buf text;
    buf_init(&text, p->arena);
    buf_add_c(&text, "N0 = 1\n");
    for (int i = 0; i < 20000; i++) {
        buf_printf(&text, "N%d = N%d + 1\n", i + 1, i);
    }
    project_write(p, "k.py", buf_str(&text).ptr);
    const struct py_module *m = project_load(p, "k.py");
    /* from the last: too long a chain to follow; in steps each is known */
    assert_int_not_equal(py_lookup(m, STR("N20000")).kind, PY_CONSTANT);
    project_again(p);
    m = project_load(p, "k.py");
    for (int i = 0; i <= 20000; i += 100) {
        const struct py_binding b = py_lookup(m, str_format(p->arena, "N%d", i));
        assert_int_equal(b.kind, PY_CONSTANT);
        assert_int_equal((int)b.value.integer, i + 1);
    }
}

int run_evaluate_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(not_constant, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(literals_too_big, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(long_chains_end, project_setup, project_teardown),
    };
    return cmocka_run_group_tests_name("evaluate", tests, NULL, NULL);
}
