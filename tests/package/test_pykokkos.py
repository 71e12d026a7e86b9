"""Files of PyKokkos' own repository, unchanged: built as they are and checked against NumPy.

    test_pykokkos.py CHECKOUT

Types of parameters without annotations are given by INSTANTIATE lines, from the files' own calls.
Skipped (status 77) where there is no checkout.
"""

import math
import os
import shutil
import subprocess
import sys
import tempfile

CHECKOUT = sys.argv[1] if len(sys.argv) > 1 else ""
PROGRAM = os.environ["PKC_TEST_PROGRAM"]
WORK = os.environ["PKC_TEST_WORK"]

try:
    import numpy as np
except ImportError:
    np = None
if not os.path.isdir(os.path.join(CHECKOUT, "examples")) or np is None:
    print("SKIPPED: files of PyKokkos' repository: say where a checkout is with -DPYKOKKOS_SOURCE_DIR=<folder>"
          if np is not None else "SKIPPED: files of PyKokkos' repository: NumPy is not there")
    sys.exit(77)

V = "View1D[double]"


def nstream(m):
    n = 1000
    a, b, c = np.zeros(n), np.zeros(n), np.zeros(n)
    m.init_view(n, inp=b, init=2)
    m.init_view(n, inp=c, init=2)
    for _ in range(3):
        m.nstream(n, A_view=a, B_view=b, C_view=c, scalar=3)
    assert (a == 3 * (2 + 3 * 2)).all()
    assert m.res_reduce(n, A_view=-a) == 24 * n


def tutorial_flat(m):
    n, k = 20, 30
    y, x, a = np.zeros(n), np.zeros(k), np.zeros(n * k)
    m.y_init(n, y_view=y)
    m.y_init(k, y_view=x)
    m.matrix_init(n, cols=k, A_view=a)
    assert m.yAx(n, cols=k, y_view=y, x_view=x, A_view=a) == n * k
    y, x, a = np.random.rand(n), np.random.rand(k), np.random.rand(n, k)
    got = m.yAx(n, cols=k, y_view=y, x_view=x, A_view=a.reshape(-1))
    assert math.isclose(got, y @ a @ x, rel_tol=1e-12)


def tutorial(m):
    n, k = 20, 30
    y, x, a = np.random.rand(n), np.random.rand(k), np.random.rand(n, k)
    got = m.yAx(n, cols=k, y_view=y, x_view=x, A_view=a)
    assert math.isclose(got, y @ a @ x, rel_tol=1e-12)


def add1(m):
    a = np.full(100, 2, dtype=np.int32)
    w = m.AddOne(N=100, a=a)
    w.add1(100)
    assert (a == 3).all()


def matrix_sum(m):
    mat = np.arange(50, dtype=np.int32).reshape(5, 10)
    want = mat.sum()
    w = m.MatrixSum(r=5, c=10, total=0, mat=mat)
    w.sum_row(5)
    assert w.final_sum(5) == want, w.final_sum(5)


def scan(m):
    view = np.zeros(10, dtype=np.int32)
    m.init(10, view=view)
    assert (view == np.arange(10)).all()
    total = m.scan(10, view=view)
    assert (view == np.arange(10).cumsum()).all(), view
    assert total == 45, total


def math_functions(m):
    n = 10
    a = np.full(n, int(math.sqrt(math.tau)), dtype=np.int32)
    want = [int(v) for v in a]
    for i in range(n):
        want[i] = int(want[i] + math.cos(want[i]) + 2 ** i - math.pi / math.fabs(want[(i + 1) % n]))
    m.Math(N=n, a=a).my_calculation(n)
    assert list(a) == want, (list(a), want)


def babel_stream(m):
    n = 1000
    a, b, c = np.zeros(n), np.zeros(n), np.zeros(n)
    m.init_arrays(n, a_view=a, b_view=b, c_view=c, initA=0.1, initB=0.2, initC=0.0)
    wa, wb, wc = np.full(n, 0.1), np.full(n, 0.2), np.full(n, 0.0)
    for _ in range(4):
        m.copy(n, a_view=a, c_view=c)
        m.mul(n, b_view=b, scalar=0.4, c_view=c)
        m.add(n, a_view=a, b_view=b, c_view=c)
        m.triad(n, a_view=a, b_view=b, c_view=c, scalar=0.4)
        wc = wa.copy()
        wb = 0.4 * wc
        wc = wa + wb
        wa = wb + 0.4 * wc
    assert (a == wa).all() and (b == wb).all() and (c == wc).all()
    assert math.isclose(m.dot(n, a_view=a, b_view=b), wa @ wb, rel_tol=1e-12)


FILES = [
    ("ParRes/standalone/nstream.py", nstream,
     ["init_view(inp: %s, init: int)" % V, "nstream(A_view: %s, B_view: %s, C_view: %s, scalar: int)" % (V, V, V),
      "res_reduce(A_view: %s)" % V]),
    ("kokkos-tutorials/standalone/01.py", tutorial_flat,
     ["y_init(y_view: %s)" % V, "matrix_init(cols: int, A_view: %s)" % V,
      "yAx(cols: int, y_view: %s, x_view: %s, A_view: %s)" % (V, V, V)]),
    ("kokkos-tutorials/standalone/02.py", tutorial,
     ["yAx(cols: int, y_view: %s, x_view: %s, A_view: View2D[double])" % (V, V)]),
    ("kokkos-tutorials/standalone/03.py", tutorial,
     ["yAx(cols: int, y_view: %s, x_view: %s, A_view: View2D[double])" % (V, V)]),
    ("kokkos/add1.py", add1, []),
    ("kokkos/matrix_sum.py", matrix_sum, []),
    ("kokkos/scan_standalone.py", scan, ["init(view: View1D[int32])", "scan(view: View1D[int32])"]),
    ("kokkos/math_functions.py", math_functions, []),
    ("BabelStream/standalone/babel_stream.py", babel_stream,
     ["init_arrays(a_view: %s, b_view: %s, c_view: %s, initA: float, initB: float, initC: float)" % (V, V, V),
      "copy(a_view: %s, c_view: %s)" % (V, V), "mul(b_view: %s, scalar: float, c_view: %s)" % (V, V),
      "add(a_view: %s, b_view: %s, c_view: %s)" % (V, V, V),
      "triad(a_view: %s, b_view: %s, c_view: %s, scalar: float)" % (V, V, V),
      "dot(a_view: %s, b_view: %s)" % (V, V)]),
]


def check(root, number, path, instantiate):
    """Builds one file and runs its check in a process of its own."""
    name = "example%d" % number
    out = os.path.join(root, name)
    command = [PROGRAM, "build", "--python", "--name", name, "-o", out]
    for entry in instantiate:
        command += ["--instantiate", entry]
    env = dict(os.environ, PYKOKKOS_CACHE_DIR=os.path.join(root, "store"), PYKOKKOS_CACHE_PYTHON=sys.executable,
               OMP_NUM_THREADS="1")
    built = subprocess.run(command + [os.path.join(CHECKOUT, "examples", path)], env=env, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode != 0:
        return built.stdout
    env.update(PYTHONPATH=out, PKC_TEST_ONE=str(number))
    ran = subprocess.run([sys.executable, __file__, CHECKOUT], env=env, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    return "" if ran.returncode == 0 else ran.stdout


def main():
    if "PKC_TEST_ONE" in os.environ:
        number = int(os.environ["PKC_TEST_ONE"])
        FILES[number][1](__import__("example%d" % number))
        return 0
    os.makedirs(WORK, exist_ok=True)
    root = tempfile.mkdtemp(dir=WORK)
    bad = 0
    for number, (path, _, instantiate) in enumerate(FILES):
        wrong = check(root, number, path, instantiate)
        print("%-45s %s" % (path, "wrong:\n" + wrong if wrong else "ok"), flush=True)
        bad += bool(wrong)
    shutil.rmtree(root, True)
    return 1 if bad else 0


sys.exit(main())
