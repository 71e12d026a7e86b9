"""Several INSTANTIATE entries of one workunit are overloads, in C++ by type and in Python by dtype; functor
and workload classes, with what they inherit, from both."""

import importlib.util
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "recompilation"))

import project
from project import Project, run

KERNELS = '''import pykokkos as pk


@pk.workunit
def axpy(i, x, y, a):
    y[i] = a * x[i] + y[i]


@pk.workunit
def fill(i, v, k):
    v[i] = k * 4


@pk.functor
class Base:
    def __init__(self, n, cells):
        self.n: int = n
        self.cells: pk.View1D[pk.double] = cells

    @pk.workunit
    def step(self, i: int):
        self.cells[i] = self.more(i)

    @pk.workunit
    def energy(self, i: int, acc: pk.Acc[pk.double]):
        acc += self.cells[i] * self.n

    @pk.workunit
    def put(self, i, v):
        self.cells[i] = v[i]

    @pk.function
    def more(self, i: int) -> float:
        return self.cells[i] + 1


@pk.functor
class Derived(Base):
    def __init__(self, n, cells, weight, marks):
        super().__init__(n, cells)
        self.weight: float = weight
        self.marks: pk.View1D[pk.int32] = marks

    @pk.workunit
    def step(self, i: int):
        self.cells[i] = self.more(i) * self.weight

    @pk.workunit
    def mark(self, i: int):
        self.marks[i] += i

    @pk.function
    def more(self, i: int) -> float:
        return self.cells[i] + 100


@pk.workload
class Load:
    def __init__(self, x):
        self.x: pk.View1D[pk.double] = x
        self.sum: float = 0

    @pk.main
    def run(self):
        pk.parallel_for(self.x.extent(0), self.double)
        self.sum = pk.parallel_reduce(self.x.extent(0), self.add)

    @pk.workunit
    def double(self, i: int):
        self.x[i] *= 2

    @pk.workunit
    def add(self, i: int, acc: pk.Acc[float]):
        acc += self.x[i]
'''

INSTANTIATE = ["axpy(x: View1D[double], y: View1D[double], a: double)",
               "axpy(x: View1D[float32], y: View1D[float32], a: float32)",
               "axpy(x: View1D[int64], y: View1D[int64], a: int64)",
               "axpy(x: View1D[int64], y: View1D[double], a: double)",
               "fill(v: View1D[double], k: double)", "fill(v: View1D[double], k: int64)",
               "Base.put(v: View1D[double])", "Base.put(v: View1D[int64])",
               "Derived.put(v: View1D[double])"]

MAIN = """#include <kern.hpp>
#include <cstdio>

template <class T> using view = Kokkos::View<T *, Kokkos::HostSpace>;

int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    const int n = 3;
    view<double> d("d", n), e("e", n);
    view<float> f("f", n);
    view<std::int64_t> l("l", n);
    Kokkos::deep_copy(d, 1.5);
    Kokkos::deep_copy(f, 2.0f);
    Kokkos::deep_copy(l, 3);
    kern::axpy(n, d, d, 2.0);
    kern::axpy(n, f, f, 2.0f);
    kern::axpy(n, l, l, 2);
    kern::axpy(n, l, e, 0.5);
    std::printf("%g %g %ld %g\\n", d(2), f(2), static_cast<long>(l(2)), e(2));
    kern::fill(n, d, std::int64_t{1} << 62);
    std::printf("%g ", d(0));
    kern::fill(n, d, 0.25);
    std::printf("%g\\n", d(0));
    kern::Base base;
    base.n = 2;
    base.cells = d;
    base.put(n, l);
    base.step(n);
    std::printf("%g ", base.energy(n));
    kern::Derived derived;
    derived.n = 3;
    derived.cells = d;
    derived.weight = 0.5;
    derived.marks = view<std::int32_t>("marks", n);
    derived.step(n);
    derived.mark(n);
    std::printf("%g %g %d\\n", d(0), derived.energy(n), derived.marks(2));
    kern::Load load;
    load.x = d;
    load.run();
    std::printf("%g %g\\n", load.sum, d(1));
#if defined(NO_MATCH)
    kern::axpy(n, f, d, 2.0);
#elif defined(AMBIGUOUS)
    kern::fill(n, d, 2); // neither a double nor an int64
#elif defined(NO_FIELD)
    base.weight = 1;
#endif
}
"""


class Overloads(project.Case):
    def test_cplusplus(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.write("main.cpp", MAIN)
        p.cmake("pykokkos_add_library(kern SOURCES kern.py INSTANTIATE %s)\nadd_executable(app main.cpp)\n"
                "target_link_libraries(app PRIVATE kern)\n"
                "foreach(case IN ITEMS NO_MATCH AMBIGUOUS NO_FIELD)\n"
                "    add_executable(${case} EXCLUDE_FROM_ALL main.cpp)\n"
                "    target_compile_definitions(${case} PRIVATE ${case})\n"
                "    target_link_libraries(${case} PRIVATE kern)\nendforeach()\n"
                % " ".join('"%s"' % e for e in INSTANTIATE))
        p.configure()
        p.build()
        # axpy: 1.5 + 3, 2 + 4, 3 + 6, 9 / 2; fill wraps as int64 does: 0; base: 9 + 1 = 10 each, times 2
        # and 3; derived: (10 + 100) / 2 = 55 each, times 3 and 3; load: doubled.
        self.assertEqual(run([os.path.join(p.build_dir, "app")], env=p.env).stdout,
                         "4.5 6 9 4.5\n0 1\n60 55 495 2\n330 110\n")
        self.assertRegex(p.fails("--target", "NO_MATCH"), "no matching function for call to .axpy|no matching function")
        self.assertRegex(p.fails("--target", "AMBIGUOUS"), "ambiguous")
        self.assertRegex(p.fails("--target", "NO_FIELD"), "no member named .weight.")
        # One instantiation's kernel is one file: an edit compiles all of them, and no other.
        p.edit("kern.py", "a * x[i] + y[i]", "y[i] - a * x[i]")
        self.assertEqual(len(p.build("--target", "app")), 4)

    def test_python(self):
        import numpy as np
        p = Project(self)
        p.write("kern.py", KERNELS)
        out = os.path.join(p.root, "out")
        arguments = sum([["--instantiate", e] for e in INSTANTIATE], [])
        path = p.command("build", "--python", "-o", out, *arguments, "kern.py").stdout.splitlines()[-1]
        spec = importlib.util.spec_from_file_location("kern", path)
        kern = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(kern)

        for x, y, a in ((np.float64, np.float64, 0.5), (np.float32, np.float32, 0.5), (np.int64, np.int64, 3),
                        (np.int64, np.float64, 0.5)):
            xs, ys = np.arange(4, dtype=x), np.ones(4, y)
            kern.axpy(4, xs, ys, a)
            np.testing.assert_array_equal(ys, (np.arange(4) * a + 1).astype(y))
            self.assertEqual(ys.dtype, y)
        # All candidates are named where none fits, with what came.
        with self.assertRaises(TypeError) as caught:
            kern.axpy(2, np.ones(2, np.float32), np.ones(2), 1.0)
        message = str(caught.exception)
        for entry in ("x: View1D[double], y: View1D[double], a: double",
                      "x: View1D[float32], y: View1D[float32], a: float32",
                      "x: View1D[int64], y: View1D[int64], a: int64",
                      "x: View1D[int64], y: View1D[double], a: double"):
            self.assertIn(entry, message)
        self.assertIn("float32", message.split("axpy(i")[0])
        # Arrays decide first, then scalars: an int is taken as one where that is offered.
        v = np.zeros(2)
        kern.fill(2, v, 1 << 62)
        self.assertEqual(v[0], 0)
        kern.fill(2, v, float(1 << 62))
        self.assertEqual(v[0], 2.0**64)
        kern.fill(2, v, np.float32(0.25))
        self.assertEqual(v[0], 1)
        self.assertEqual(kern.axpy.__doc__.count("axpy("), 4)

        # Classes: fields, methods, what is inherited and what replaces it.
        cells = np.ones(3)
        base = kern.Base(n=2, cells=cells)
        base.put(3, np.array([4, 5, 6]))
        base.step(3)
        self.assertEqual(cells.tolist(), [5, 6, 7])
        base.put(3, np.array([0.5, 1.5, 2.5]))
        self.assertEqual(base.energy(3), 9)
        with self.assertRaisesRegex(TypeError, "put"):
            base.put(3, np.ones(3, np.float32))
        marks = np.zeros(3, np.int32)
        derived = kern.Derived(3, cells, 0.5, marks)
        derived.step(3)
        derived.mark(3)
        self.assertEqual(cells.tolist(), [50.25, 50.75, 51.25])
        self.assertEqual(marks.tolist(), [0, 1, 2])
        self.assertEqual(derived.energy(3), 152.25 * 3)
        base.step(3)  # the base's own
        self.assertEqual(cells[0], 51.25)
        with self.assertRaisesRegex(TypeError, "missing"):
            kern.Derived(n=3, cells=cells)
        with self.assertRaises(TypeError):
            derived.cells = np.zeros(3, np.float32)
        with self.assertRaises(AttributeError):
            base.mark
        load = kern.Load(x=cells, sum=0)
        load.run()
        self.assertEqual(load.sum, cells.sum())


if __name__ == "__main__":
    project.main()
