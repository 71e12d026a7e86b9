"""Real PyKokkos files, unchanged: built by the command and by CMake, every workunit run and compared
with NumPy. `test_real_files.py shapes` takes files of the same shapes from this folder;
`test_real_files.py pykokkos` those of a PyKokkos checkout, $PYKOKKOS_SOURCE_DIR (77: skipped)."""

import importlib.util
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "recompilation"))

V1 = "View1D[double]"
STANDALONE_YAX = "yAx(cols: int, y_view: View1D[double], x_view: View1D[double], A_view: %s)"


def random(np, *shape):
    return np.random.default_rng(7).normal(size=shape)


def close(np, got, want, rtol=1e-12):
    np.testing.assert_allclose(got, want, rtol=rtol)


def check_nstream(np, m, fill="init_view", triad="nstream", size="res_reduce"):
    n = 1001
    a, b, c = np.empty(n), random(np, n), random(np, n) * 3
    getattr(m, fill)(n, inp=a, init=-2)
    close(np, a, np.full(n, -2.0))
    want = a + (b + 3 * c)
    getattr(m, triad)(n, A_view=a, B_view=b, C_view=c, scalar=3)
    np.testing.assert_array_equal(a, want)
    close(np, getattr(m, size)(n, A_view=a), np.abs(want).sum())


def check_flat_matrix(np, m, product="yAx"):
    rows, cols = 37, 29
    a = np.zeros(rows * cols)
    m.matrix_init(rows, cols=cols, A_view=a)
    j, i = np.mgrid[0:rows, 0:cols]
    if product == "yAx":
        y = np.zeros(rows)
        m.y_init(rows, y_view=y)
        close(np, y, np.ones(rows))
        close(np, a, np.ones(rows * cols))
    else:
        close(np, a.reshape(rows, cols), j - i)
    a, x, y = random(np, rows * cols), random(np, cols), random(np, rows)
    close(np, getattr(m, product)(rows, cols=cols, y_view=y, x_view=x, A_view=a),
          y @ a.reshape(rows, cols) @ x, 1e-10)


def check_matrix(np, m):
    rows, cols = 37, 29
    a, x, y = random(np, rows, cols), random(np, cols), random(np, rows)
    close(np, m.yAx(rows, cols=cols, y_view=y, x_view=x, A_view=a), y @ a @ x, 1e-10)


def check_scan(np, m, init=True):
    v = np.zeros(1000, np.int32)
    if init:
        m.init(1000, view=v)
        np.testing.assert_array_equal(v, np.arange(1000))
    v[:] = np.arange(1000) % 17 - 3
    want = np.cumsum(v)
    total = m.scan(1000, view=v)
    np.testing.assert_array_equal(v, want)
    assert total == want[-1], (total, want[-1])


def check_add_one(np, m):
    a = np.arange(100, dtype=np.int32)
    m.AddOne(N=100, a=a).add1(100)
    np.testing.assert_array_equal(a, np.arange(1, 101))


def check_rows(np, make):
    mat = np.arange(50, dtype=np.int32).reshape(5, 10)
    rows = mat.sum(axis=1)
    f = make(r=5, c=10, total=0, mat=mat)
    f.sum_row(5)
    np.testing.assert_array_equal(mat[:, 0], rows)
    close(np, f.final_sum(5), rows.sum())


def check_calculate(np, make, name):
    """Each element reads its right neighbour, before or after that changed: one at a time."""
    start = np.arange(2, 12, dtype=np.int32)
    for i in range(10):
        a = start.copy()
        getattr(make(N=10, a=a), name)((i, i + 1))
        want = start.copy()
        want[i] = int(int(start[i]) + (math.cos(start[i]) + 2 ** i
                                       - math.pi / math.fabs(start[(i + 1) % 10])))
        np.testing.assert_array_equal(a, want)


def check_babel(np, m):
    n = 1001
    a, b, c = np.empty(n), np.empty(n), np.empty(n)
    m.init_arrays(n, a_view=a, b_view=b, c_view=c, initA=0.1, initB=0.2, initC=0.0)
    for view, value in ((a, 0.1), (b, 0.2), (c, 0.0)):
        np.testing.assert_array_equal(view, np.full(n, value))
    a[:] = random(np, n)
    m.copy(n, a_view=a, c_view=c)
    np.testing.assert_array_equal(c, a)
    m.mul(n, b_view=b, scalar=0.4, c_view=c)
    np.testing.assert_array_equal(b, 0.4 * c)
    m.add(n, a_view=a, b_view=b, c_view=c)
    np.testing.assert_array_equal(c, a + b)
    m.triad(n, a_view=a, b_view=b, c_view=c, scalar=0.4)
    np.testing.assert_array_equal(a, b + 0.4 * c)
    close(np, m.dot(n, a_view=a, b_view=b), a @ b)


def check_shapes(np, m):
    check_nstream(np, m, "fill", "triad", "size")
    check_flat_matrix(np, m, "flat_yAx")
    check_matrix(np, m)
    check_scan(np, m, init=False)


def check_names(np, m):
    """Keywords, macros, names of generated text and of libraries: each workunit adds up its arguments."""
    def ints():
        return np.zeros(4, np.int64)

    def run(name, want, view, **arguments):
        out = ints()
        getattr(m, name)(4, **{view: out}, **arguments)
        np.testing.assert_array_equal(out, want, name)

    run("template", [1, 3, 5, 7], "namespace", this=1, typename=2)
    run("NULL", 54321, "EOF", linux=1, unix=2, errno=3, I=4, stdin=5)
    run("args", 140, "begin", end=1, acc=2, lanes=3, work=4, given=5, pkc=6, at=7)
    assert m.given(4, names=np.arange(4), policy=2, reducer=1, space=1) == 20
    assert m.given(4, np.arange(4), 2, 1, 1) == 20
    run("Kokkos", 4, "std", double=1, int64_t=3)
    run("std", 3, "Kokkos", pk_=3)
    run("main", 3, "names", main=3)
    run("__init__", 7, "__x", __y__=3, _Z=4)
    run("\u00e9t\u00e9", 7, "\u03bc", **{"\u53d8\u91cf": 3, "a": 4})
    for name, want in (("Case", 1), ("case", 2), ("case_", 3), ("case__", 4), ("memcpy", 7),
                       ("RangePolicy", 11), ("PyInit_names", 13)):
        run(name, want, "v")
    run("template_", 13, "template", template_=3, template__=4)
    run("printf", 7, "malloc", free=3, exp=4)
    run("_", 12, "_")
    run("__builtin_trap", 36, "v", __FILE__=1, __LINE__=2, true=3, false=4, NAN=5, M_PI=6, INT_MAX=7,
        self=8)
    doubles = np.zeros(4)
    m.exp(4, v=doubles, exp=2.5)
    np.testing.assert_array_equal(doubles, 2.5)
    m.assert_(4, v=doubles)
    np.testing.assert_array_equal(doubles, 15)


def check_workloads(np, m):
    check_rows(np, m.Rows)
    check_calculate(np, m.Math, "calculate")
    a = np.arange(100, dtype=np.int32)
    m.Math(N=100, a=a).add_one(100)
    np.testing.assert_array_equal(a, np.arange(1, 101))


TRIAD = "A_view: View1D[double], B_view: View1D[double], C_view: View1D[double], scalar: int"
SHAPES = [
    ("01.py", check_shapes,
     ["fill(inp: View1D[double], init: int)", "triad(%s)" % TRIAD, "size(A_view: View1D[double])",
      "matrix_init(cols: int, A_view: View1D[double])", "flat_" + STANDALONE_YAX % V1,
      STANDALONE_YAX % "View2D[double]", "scan(view: View1D[int32])"]),
    ("workloads.py", check_workloads, []),
    ("names.py", check_names, []),
]
PYKOKKOS = [
    ("ParRes/standalone/nstream.py", check_nstream,
     ["init_view(inp: View1D[double], init: int)", "nstream(%s)" % TRIAD,
      "res_reduce(A_view: View1D[double])"]),
    ("kokkos-tutorials/standalone/01.py", check_flat_matrix,
     ["y_init(y_view: View1D[double])", "matrix_init(cols: int, A_view: View1D[double])",
      STANDALONE_YAX % V1]),
    ("kokkos-tutorials/standalone/02.py", check_matrix, [STANDALONE_YAX % "View2D[double]"]),
    ("kokkos-tutorials/standalone/03.py", check_matrix, [STANDALONE_YAX % "View2D[double]"]),
    ("kokkos/add1.py", check_add_one, []),
    ("kokkos/matrix_sum.py", lambda np, m: check_rows(np, m.MatrixSum), []),
    ("kokkos/scan_standalone.py", check_scan, ["init(view: View1D[int32])", "scan(view: View1D[int32])"]),
    ("kokkos/math_functions.py", lambda np, m: check_calculate(np, m.Math, "my_calculation"), []),
    ("BabelStream/standalone/babel_stream.py", check_babel,
     ["init_arrays(a_view: View1D[double], b_view: View1D[double], c_view: View1D[double], "
      "initA: float, initB: float, initC: float)",
      "copy(a_view: View1D[double], c_view: View1D[double])",
      "mul(b_view: View1D[double], scalar: float, c_view: View1D[double])",
      "add(a_view: View1D[double], b_view: View1D[double], c_view: View1D[double])",
      "triad(a_view: View1D[double], b_view: View1D[double], c_view: View1D[double], scalar: float)",
      "dot(a_view: View1D[double], b_view: View1D[double])"]),
]


def stem(file):
    return os.path.splitext(os.path.basename(file))[0]


def check_module(table, file, library):
    """In a process of its own: a second module of one name would be the first one again."""
    import numpy as np
    spec = importlib.util.spec_from_file_location(stem(file), library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    next(check for name, check, _ in table if name == file)(np, module)


def by_command(root, work, files):
    """Each file's module, built by the command: the path that it prints last."""
    from project import PROGRAM, environment, run
    for file, _, entries in files:
        command = [PROGRAM, "build", "--python", "-o", os.path.join(work, "out-" + stem(file))]
        command += ["--instantiate=" + entry for entry in entries] + [os.path.join(root, file)]
        env = environment(PYKOKKOS_CACHE_DIR=os.path.join(work, "store"),
                          PYKOKKOS_CACHE_PYTHON=sys.executable)
        yield file, run(command, env=env).stdout.strip().splitlines()[-1]


def by_cmake(root, work, files):
    from project import PACKAGE, environment, run
    source, build = os.path.join(work, "src"), os.path.join(work, "build")
    os.makedirs(source)
    with open(os.path.join(source, "CMakeLists.txt"), "w") as lists:
        lists.write("cmake_minimum_required(VERSION 3.22)\nproject(real CXX)\n"
                    "find_package(PyKokkosCache REQUIRED)\n")
        for file, _, entries in files:
            lists.write('pykokkos_add_module(%s SOURCES "%s"%s)\nset_target_properties(%s PROPERTIES '
                        'LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/%s")\n'
                        % (stem(file), os.path.join(root, file),
                           " INSTANTIATE " + " ".join('"%s"' % e for e in entries) if entries else "",
                           stem(file), stem(file)))
    env = environment(PYKOKKOS_CACHE_DIR=os.path.join(work, "store"))
    run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DPyKokkosCache_DIR=" + PACKAGE,
         "-DPython3_EXECUTABLE=" + sys.executable], env=env)
    run(["cmake", "--build", build], env=env)
    for file, _, _ in files:
        folder = os.path.join(build, stem(file))
        yield file, os.path.join(folder, next(f for f in os.listdir(folder) if f.endswith(".so")))


def main(which, *one):
    table = SHAPES if which == "shapes" else PYKOKKOS
    if one:
        check_module(table, *one)
        return 0
    root = os.path.join(HERE, "shapes")
    if which == "pykokkos":
        checkout = os.environ.get("PYKOKKOS_SOURCE_DIR", "")
        if not checkout:
            print("skipped: PYKOKKOS_SOURCE_DIR is not set to a PyKokkos checkout")
            return 77
        root = os.path.join(os.path.abspath(checkout), "examples")
    if importlib.util.find_spec("numpy") is None:
        print("skipped: %s has no NumPy" % sys.executable)
        return 77
    from project import WORK
    os.makedirs(WORK, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory(dir=WORK) as work:
        for way in (by_command, by_cmake):
            for file, library in way(root, work, table):
                status = subprocess.run([sys.executable, __file__, which, file, library],
                                        stdout=subprocess.DEVNULL).returncode
                print("%-10s %-45s %s" % (way.__name__, file, "right" if status == 0 else "WRONG"))
                failed += status != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
