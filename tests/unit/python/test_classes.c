/* Decorators, workunits, classes: fields and methods. */
#include "common.h"

static void check_names(struct project *p, const char *file, const char *const *expected,
                        size_t expected_count)
{
    size_t count = 0;
    const struct py_workunit *workunits = py_workunits(project_load(p, file), &count);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        assert_str(workunits[i].qualified, expected[i]);
    }
}

static void spellings_of_the_decorator(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "import pykokkos\nimport pykokkos as pk\nfrom pykokkos import workunit\n"
                  "from pykokkos import workunit as wu\nmine = pk.workunit\n"
                  "@pykokkos.workunit\ndef a(i): pass\n@pk.workunit(x=1)\ndef b(i): pass\n"
                  "@workunit\ndef c(i): pass\n@wu\n@other\ndef d(i): pass\n"
                  "@mine\ndef e(i): pass\n@unknown.workunit\ndef f(i): pass\n"
                  "@pk.function\ndef g(i): pass\ndef h(i): pass\n"
                  "if a:\n    @pk.workunit\n    def in_if(i): pass\n"
                  "try:\n    @pk.workunit\n    def in_try(i): pass\nexcept E:\n    pass\n"
                  "def host():\n    @pk.workunit\n    def inner(i): pass\n");
    static const char *const names[] = {"a", "b", "c", "d", "e", "in_if", "in_try"};
    check_names(p, "k.py", names, sizeof(names) / sizeof(names[0]));
    const struct py_module *m = project_load(p, "k.py");
    const struct ast_node *call = NULL;
    const struct py_binding b = py_lookup(m, STR("b"));
    assert_int_equal(py_decorator_of(m, b.node, &call), PY_DECORATOR_WORKUNIT);
    assert_non_null(call);
    assert_int_equal(py_decorator_of(m, py_lookup(m, STR("g")).node, &call), PY_DECORATOR_FUNCTION);
    assert_null(call);
    assert_int_equal(py_decorator_of(m, py_lookup(m, STR("h")).node, NULL), PY_DECORATOR_NONE);
}

static void bound_twice(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "import pykokkos as pk\n@pk.workunit\ndef a(i): pass\n@pk.workunit\n"
                  "def a(i, x): pass\n");
    static const char *const names[] = {"a"};
    check_names(p, "k.py", names, 1);
    size_t count = 0;
    assert_int_equal(py_workunits(project_load(p, "k.py"), &count)[0].node->span.line, 5);
    assert_str(project_messages(p), "k.py:3:1: warning: 'a' is bound again below (line 5); this "
                                    "workunit is not used\n");
}

static const char *const classes = "import pykokkos as pk\n"
                                   "from base import Base\n"
                                   "@pk.functor\n"
                                   "class F(Base):\n"
                                   "    K = 3\n"
                                   "    tag: int\n"
                                   "    def __init__(this, n, v):\n"
                                   "        super().__init__(n)\n"
                                   "        if n:\n"
                                   "            this.v: pk.View1D[float] = v\n"
                                   "        this.n: float = n\n"
                                   "        this.plain = 1\n"
                                   "        this.a, this.b = 1, 2\n"
                                   "        this.plain: int = 2\n"
                                   "        other.z: int = 3\n"
                                   "    @pk.workunit\n"
                                   "    def step(self, i: int): pass\n"
                                   "    def helper(self): pass\n"
                                   "class Plain:\n"
                                   "    @pk.workunit\n"
                                   "    def ignored(self, i): pass\n"
                                   "@pk.workload\n"
                                   "class W:\n"
                                   "    @pk.main\n"
                                   "    def run(self): pass\n"
                                   "    @pk.workunit\n"
                                   "    def work(self, i): pass\n";

static const char *const base = "import pykokkos as pk\n"
                                "class Base:\n"
                                "    def __init__(self, n):\n"
                                "        self.n: int = n\n"
                                "        self.m: pk.int32 = n\n"
                                "    @pk.workunit\n"
                                "    def clear(self, i): pass\n"
                                "    @pk.workunit\n"
                                "    def step(self, i): pass\n"
                                "    def shared(self): pass\n";

static void workunits_of_classes(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py", classes);
    project_write(p, "base.py", base);
    static const char *const names[] = {"F.step", "F.clear", "W.work"};
    check_names(p, "k.py", names, 3);
    size_t count = 0;
    const struct py_workunit *w = py_workunits(project_load(p, "k.py"), &count);
    assert_int_equal(w[0].style, PY_FUNCTOR);
    assert_int_equal(w[2].style, PY_WORKLOAD);
    assert_str(w[1].module->name, "base");
    assert_ptr_equal(w[1].class_node, w[0].class_node);
}

static void fields_and_methods(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py", classes);
    project_write(p, "base.py", base);
    size_t count = 0;
    const struct py_workunit *w = py_workunits(project_load(p, "k.py"), &count);
    static const struct {
        const char *name;
        const char *module; /* "": without annotation */
    } expected[] = {
        {"n", "k"}, {"m", "base"}, {"tag", "k"}, {"v", "k"}, {"plain", "k"}, {"a", ""}, {"b", ""},
    };
    /* through the inherited workunit too, whose own module is another */
    for (size_t i = 0; i < 2; i++) {
        const struct py_field *fields = py_class_fields(w[i].module, w[i].class_node, &count);
        assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
        for (size_t j = 0; j < count; j++) {
            assert_str(fields[j].name, expected[j].name);
            if (fields[j].annotation != NULL) {
                assert_str(fields[j].module->name, expected[j].module);
            } else {
                assert_string_equal("", expected[j].module);
            }
        }
    }
    const struct py_module *where = NULL;
    assert_non_null(py_class_method(w[0].module, w[0].class_node, STR("shared"), &where));
    assert_str(where->name, "base");
    assert_non_null(py_class_method(w[1].module, w[0].class_node, STR("helper"), &where));
    assert_str(where->name, "k");
    assert_null(py_class_method(w[0].module, w[0].class_node, STR("none"), &where));
}

static void bodies_without_docstring(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py", "def f():\n    'doc'\n    return 1\ndef g():\n    b'no doc'\n");
    const struct py_module *m = project_load(p, "k.py");
    assert_int_equal(py_body(py_lookup(m, STR("f")).node).count, 1);
    assert_int_equal(py_body(py_lookup(m, STR("g")).node).count, 1);
}

int run_class_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spellings_of_the_decorator, project_setup,
                                        project_teardown),
        cmocka_unit_test_setup_teardown(bound_twice, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(workunits_of_classes, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(fields_and_methods, project_setup, project_teardown),
        cmocka_unit_test_setup_teardown(bodies_without_docstring, project_setup, project_teardown),
    };
    return cmocka_run_group_tests_name("classes", tests, NULL, NULL);
}
