/* What names mean: imports, search order, bindings, inputs. */
#include "common.h"

#include <string.h>

static struct py_binding lookup(struct project *p, const char *file, const char *name)
{
    return py_lookup(project_load(p, file), str_from(name));
}

static long long integer(struct project *p, const char *file, const char *name)
{
    const struct py_binding b = lookup(p, file, name);
    assert_int_equal(b.kind, PY_CONSTANT);
    assert_int_equal(b.value.kind, PY_VALUE_INT);
    return (long long)b.value.integer;
}

static void imports_of_other_packages(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "import pykokkos as pk\nimport numpy.linalg\nimport scipy.special as sp\n"
                  "from math import sin as s, pi\nfrom pykokkos import View1D\n");
    assert_str(lookup(p, "k.py", "pk").qualified, "pykokkos");
    assert_str(lookup(p, "k.py", "numpy").qualified, "numpy");
    assert_str(lookup(p, "k.py", "sp").qualified, "scipy.special");
    assert_str(lookup(p, "k.py", "s").qualified, "math.sin");
    assert_str(lookup(p, "k.py", "View1D").qualified, "pykokkos.View1D");
    assert_int_equal(lookup(p, "k.py", "len").kind, PY_BUILTIN);
    assert_int_equal(lookup(p, "k.py", "sqrt").kind, PY_UNBOUND);
}

static void imports_of_project_files(void **state)
{
    struct project *p = *state;
    project_write(p, "pkg/__init__.py", "from .deep import VALUE\nLEVEL = 1\n");
    project_write(p, "pkg/deep.py", "VALUE = 42\ndef f(x):\n    return x\n");
    project_write(p, "pkg/sub/__init__.py", "");
    project_write(p, "pkg/sub/leaf.py",
                  "from .. import LEVEL\nfrom ..deep import f as g\nfrom . import other\n"
                  "import pkg.deep\n");
    project_write(p, "pkg/sub/other.py", "N = 5\n");
    project_write(p, "plain/mod.py", "Q = 9\n");
    project_write(p, "k.py",
                  "import pkg\nimport pkg.sub.leaf as leaf\nfrom pkg import deep, LEVEL as L\n"
                  "from pkg.sub.leaf import g\nfrom plain.mod import Q\nimport plain.mod as pm\n"
                  "from pkg.sub.leaf import missing\nA = deep.VALUE + leaf.other.N\n");
    assert_int_equal(lookup(p, "k.py", "pkg").kind, PY_MODULE);
    assert_str(lookup(p, "k.py", "leaf").qualified, "pkg.sub.leaf");
    assert_int_equal(integer(p, "k.py", "L"), 1);
    assert_int_equal(integer(p, "k.py", "Q"), 9);
    assert_int_equal(integer(p, "k.py", "A"), 47);
    const struct py_binding g = lookup(p, "k.py", "g");
    assert_int_equal(g.kind, PY_FUNCTION);
    assert_str(g.node->u.function.name, "f");
    assert_int_equal(lookup(p, "k.py", "missing").kind, PY_UNBOUND);
    assert_int_equal(integer(p, "pkg/sub/leaf.py", "LEVEL"), 1);
    assert_int_equal(lookup(p, "pkg/sub/leaf.py", "pkg").kind, PY_MODULE);
    assert_int_equal(p->diags.count, 0);
}

static void star_imports(void **state)
{
    struct project *p = *state;
    project_write(p, "a.py", "X = 1\n_HIDDEN = 2\nfrom math import *\n");
    project_write(p, "b.py", "__all__ = ['_Y']\n_Y = 3\nZ = 4\n");
    project_write(p, "k.py", "from a import *\nfrom b import *\n");
    assert_int_equal(integer(p, "k.py", "X"), 1);
    assert_int_equal(integer(p, "k.py", "_Y"), 3);
    assert_int_equal(lookup(p, "k.py", "Z").kind, PY_UNBOUND);
    assert_int_equal(lookup(p, "k.py", "_HIDDEN").kind, PY_UNBOUND);
    assert_str(lookup(p, "k.py", "sin").qualified, "math.sin");
    assert_int_equal(lookup(p, "k.py", "not_in_math").kind, PY_UNBOUND);
}

static bool is_input(struct project *p, const char *name, bool exists)
{
    size_t count = 0;
    const struct py_input *inputs = py_program_inputs(p->program, &count);
    const struct str path = path_join(p->arena, p->folder, str_from(name));
    for (size_t i = 0; i < count; i++) {
        if (str_equal(inputs[i].path, path)) {
            return inputs[i].stamp.exists == exists;
        }
    }
    return false;
}

static void a_package_hides_a_module(void **state)
{
    struct project *p = *state;
    project_write(p, "helpers.py", "N = 1\n");
    project_write(p, "k.py", "from helpers import N\n");
    assert_int_equal(integer(p, "k.py", "N"), 1);
    assert_true(is_input(p, "k.py", true));
    assert_true(is_input(p, "helpers.py", true));
    assert_true(is_input(p, "helpers/__init__.py", false));
    project_write(p, "helpers/__init__.py", "N = 2\n");
    assert_int_equal(integer(p, "k.py", "N"), 2);
    assert_true(is_input(p, "helpers/__init__.py", true));
}

static void what_is_not_found_is_an_input(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py", "from nowhere import N\nimport numpy as np\n");
    assert_str(lookup(p, "k.py", "N").qualified, "nowhere.N");
    assert_true(is_input(p, "nowhere.py", false));
    assert_true(is_input(p, "nowhere/__init__.py", false));
    /* np was not looked at, so that no file by its name matters */
    assert_false(is_input(p, "numpy.py", false));
}

static void pykokkos_is_never_a_project_file(void **state)
{
    struct project *p = *state;
    project_write(p, "pykokkos/__init__.py", "workunit = 1\n");
    project_write(p, "math.py", "pi = 3\n");
    project_write(p, "k.py", "import pykokkos as pk\nimport math\n");
    assert_str(lookup(p, "k.py", "pk").qualified, "pykokkos");
    assert_str(lookup(p, "k.py", "math").qualified, "math");
}

static void the_last_binding_wins(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "N = 1\nM = N + 1\nN = 5\nK = N\nN += 2\nx = y = 3\na, (b, *c) = 1, (2, 3)\n"
                  "T = (4, 5)\nu, v = T\nw: int = 6\ndeclared: int\n"
                  "def f(): pass\nf = 7\ndel K\n");
    assert_int_equal(integer(p, "k.py", "N"), 7);
    assert_int_equal(integer(p, "k.py", "M"), 2);
    assert_int_equal(integer(p, "k.py", "x"), 3);
    assert_int_equal(integer(p, "k.py", "a"), 1);
    assert_int_equal(lookup(p, "k.py", "b").kind, PY_HOST);
    assert_int_equal(integer(p, "k.py", "v"), 5);
    assert_int_equal(integer(p, "k.py", "w"), 6);
    assert_int_equal(lookup(p, "k.py", "declared").kind, PY_UNBOUND);
    assert_int_equal(integer(p, "k.py", "f"), 7);
    assert_int_equal(lookup(p, "k.py", "K").kind, PY_UNBOUND);
}

static void branches(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "DEBUG = False\nif DEBUG:\n    A = 1\nelse:\n    A = 2\n"
                  "if unknown():\n    B = 1\nelse:\n    B = 2\n"
                  "if __name__ == '__main__':\n    A = 99\n    only_here = 3\n"
                  "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy as np\n"
                  "try:\n    import cupy as xp\nexcept ImportError:\n    xp = None\n"
                  "try:\n    C = int('x')\nexcept ValueError:\n    D = 4\n");
    assert_int_equal(integer(p, "k.py", "A"), 2);
    assert_int_equal(integer(p, "k.py", "B"), 2);
    assert_int_equal(integer(p, "k.py", "only_here"), 3);
    assert_str(lookup(p, "k.py", "np").qualified, "numpy");
    assert_str(lookup(p, "k.py", "xp").qualified, "cupy");
    assert_int_equal(lookup(p, "k.py", "C").kind, PY_HOST);
    assert_int_equal(integer(p, "k.py", "D"), 4);
}

static void host_values(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "import numpy as np\ntable = [1, 2]\nfor i in range(3):\n    last = 1\n"
                  "called = f(1)\nn = np.zeros(3)\nchanged = 1\n"
                  "def main():\n    global changed\n    changed = 2\n"
                  "class C: pass\nwith open('x') as file: inside = 5\n"
                  "match 1:\n    case captured: pass\n(walrus := 3)\n");
    static const char *const host[] = {"table",   "i",    "last",     "called", "n",
                                       "changed", "file", "captured", "walrus"};
    for (size_t i = 0; i < sizeof(host) / sizeof(host[0]); i++) {
        assert_int_equal(lookup(p, "k.py", host[i]).kind, PY_HOST);
    }
    assert_int_equal(lookup(p, "k.py", "C").kind, PY_CLASS);
    assert_int_equal(integer(p, "k.py", "inside"), 5);
}

static void aliases(void **state)
{
    struct project *p = *state;
    project_write(p, "other.py", "import pykokkos as kk\nReal = kk.double\ndef g(): pass\n");
    project_write(p, "k.py",
                  "import pykokkos as pk\nfrom other import Real\nimport other\n"
                  "V = pk.View1D[pk.int32]\nh = other.g\nW = V\ntype P = pk.View2D[int]\n");
    assert_int_equal(lookup(p, "k.py", "V").kind, PY_ALIAS);
    assert_int_equal(lookup(p, "k.py", "V").node->kind, AST_SUBSCRIPT);
    const struct py_binding real = lookup(p, "k.py", "Real");
    assert_int_equal(real.kind, PY_ALIAS);
    assert_str(py_resolve(real.module, real.node).qualified, "pykokkos.double");
    assert_int_equal(lookup(p, "k.py", "h").kind, PY_FUNCTION);
    assert_int_equal(lookup(p, "k.py", "W").kind, PY_ALIAS);
    assert_int_equal(lookup(p, "k.py", "P").kind, PY_ALIAS);
}

static void circles_end(void **state)
{
    struct project *p = *state;
    project_write(p, "a.py", "from b import *\nfrom b import y as x\nm = n\nn = m\n");
    project_write(p, "b.py", "from a import *\nfrom a import x as y\n");
    assert_int_equal(lookup(p, "a.py", "x").kind, PY_HOST);
    assert_int_equal(lookup(p, "a.py", "m").kind, PY_HOST);
}

static void annotations_as_text(void **state)
{
    struct project *p = *state;
    project_write(p, "k.py",
                  "import pykokkos as pk\nx: 'pk.View1D[pk.int32]' = 1\ny: 'not an (expression'\n");
    const struct py_module *m = project_load(p, "k.py");
    const struct ast_node *first = m->tree->u.module.body.items[1]->u.ann_assign.annotation;
    const struct ast_node *parsed = py_annotation(m, first);
    assert_int_equal(parsed->kind, AST_SUBSCRIPT);
    assert_str(py_resolve(m, parsed->u.subscript.value).qualified, "pykokkos.View1D");
    assert_int_equal(parsed->span.line, 2);
    assert_int_equal(parsed->u.subscript.slice->span.column, first->span.column);
    const struct ast_node *second = m->tree->u.module.body.items[2]->u.ann_assign.annotation;
    assert_ptr_equal(py_annotation(m, second), second);
    assert_int_equal(p->diags.count, 0);
}

int run_name_tests(void)
{
#define PROJECT_TEST(f) cmocka_unit_test_setup_teardown(f, project_setup, project_teardown)
    const struct CMUnitTest tests[] = {
        PROJECT_TEST(imports_of_other_packages),
        PROJECT_TEST(imports_of_project_files),
        PROJECT_TEST(star_imports),
        PROJECT_TEST(a_package_hides_a_module),
        PROJECT_TEST(what_is_not_found_is_an_input),
        PROJECT_TEST(pykokkos_is_never_a_project_file),
        PROJECT_TEST(the_last_binding_wins),
        PROJECT_TEST(branches),
        PROJECT_TEST(host_values),
        PROJECT_TEST(aliases),
        PROJECT_TEST(circles_end),
        PROJECT_TEST(annotations_as_text),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
