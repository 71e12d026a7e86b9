"""FUSE: one kernel of several workunits, from CMake, the command, C++ and Python; its results are
CPython's for the first body and then the second at each index; what an edit compiles."""

import importlib.util
import json
import os
import re
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "recompilation"))

import project
from project import Project, run

KERNELS = '''import pykokkos as pk

SCALE = 3


@pk.function
def shift(x: float) -> float:
    return x + 0.5


@pk.workunit
def scale(i: int, x: pk.View1D[pk.double], k: pk.double):
    t: float = k * x[i]
    k = t + 1
    x[i] = shift(t) + k


@pk.workunit
def clip(j: int, x: pk.View1D[pk.double], top: pk.double, seen: pk.View1D[pk.int64]):
    seen[j] += 1
    for t in range(3):
        if x[j] > top:
            x[j] -= top
            return
    j = j + 1
    seen[j - 1] += t * SCALE


@pk.workunit
def total(m: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double], k: pk.double):
    if m == 5:
        return
    acc += x[m] * k


@pk.workunit
def narrow(i: int, x: pk.View1D[pk.float32], k: int):
    x[i] = x[i] + k


@pk.workunit
def nested(i: int, x: pk.View1D[pk.double], k: pk.double):
    def more(by: float) -> float:
        return by + k

    t: float = more(x[i])
    x[i] = t


@pk.workunit
def times(i: float, x: pk.View1D[pk.double]):
    x[int(i)] += i / 4


@pk.workunit
def box(i: int, j: int, g: pk.View2D[pk.double]):
    g[i, j] = g[i, j] + i - j


@pk.workunit
def diagonal(r: int, c: int, g: pk.View2D[pk.double], d: pk.double):
    if r != c:
        return
    g[r, c] = g[r, c] * d


@pk.workunit
def open_scale(i, v, f):
    v[i] = v[i] * f


@pk.workunit
def open_add(i, v, by):
    v[i] = v[i] + by


@pk.functor
class Lattice:
    def __init__(self, n, c):
        self.n: int = n
        self.c: pk.View1D[pk.double] = c

    @pk.workunit
    def step(self, i: int):
        self.c[i] = self.more(i) * self.n

    @pk.workunit
    def relax(self, i: int, w: pk.double):
        if i == 3:
            return
        self.c[i] = self.c[i] - w + self.more(i)

    @pk.workunit
    def weigh(self, i: int, acc: pk.Acc[pk.double]):
        acc += self.c[i]

    @pk.function
    def more(self, i: int) -> float:
        return self.c[i] + 1
'''

INSTANTIATE = ["box(i: index, j: index)", "diagonal(r: index, c: index)",
               "open_scale(v: View1D[double], f: double)", "open_scale(v: View1D[int64], f: int64)",
               "open_add(v: View1D[double], by: double)", "open_add(v: View1D[int64], by: int64)"]

FUSE = ["both = scale + clip", "three=scale+clip+total", "back = total + scale", "mixed = scale + narrow",
        "twice = kern.nested + nested", "floats = times + scale", "cut = box + diagonal",
        "affine = open_scale + open_add", "advance = Lattice.step + Lattice.relax",
        "weighed = Lattice.relax + Lattice.weigh"]


def options():
    return sum([["--instantiate", e] for e in INSTANTIATE] + [["--fuse", e] for e in FUSE], [])


def quoted(entries):
    return " ".join('"%s"' % e for e in entries)


def in_python(source):
    """The workunits, run by CPython: {name: function}."""
    fake = types.ModuleType("pykokkos")

    class Any:
        def __getitem__(self, item):
            return self

        def __getattr__(self, name):
            return Any()

    for name in ("View1D", "View2D", "Acc"):
        setattr(fake, name, Any())
    for name in ("double", "int64", "float32"):
        setattr(fake, name, name)
    for name in ("workunit", "function", "functor"):
        setattr(fake, name, lambda f: f)
    # A sum is returned, since CPython's `acc += …` binds a local.
    source = re.sub(r"(?m)^( +)acc \+= (.*)$", r"\1return acc + \2", source)
    source = source.replace("if m == 5:\n        return", "if m == 5:\n        return acc")
    sys.modules["pykokkos"] = fake
    try:
        space = {}
        exec(source, space)
        return space
    finally:
        del sys.modules["pykokkos"]


class Fuse(project.Case):
    def load(self, path):
        spec = importlib.util.spec_from_file_location("kern", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def compare(self, module):
        import numpy as np
        python = in_python(KERNELS)
        rng = np.random.default_rng(11)
        n = 23

        def arrays():
            return [rng.normal(size=n) * 5, np.zeros(n, np.int64)]

        # A parameter that the first body assigns, an early return, names that clash.
        (x, seen), k, top = arrays(), 1.25, 2.0
        want_x, want_seen = x.copy(), seen.copy()
        module.both(n, x=x, k=k, top=top, seen=seen)
        for i in range(n):
            python["scale"](i, want_x, k)
            python["clip"](i, want_x, top, want_seen)
        np.testing.assert_array_equal(x, want_x)
        np.testing.assert_array_equal(seen, want_seen)
        assert len(set(seen)) > 1 and (want_x < top).any()

        # A reduction at the end.
        (x, seen), acc = arrays(), 0.0
        want_x, want_seen = x.copy(), seen.copy()
        got = module.three(n, x=x, k=k, top=top, seen=seen)
        for i in range(n):
            python["scale"](i, want_x, k)
            python["clip"](i, want_x, top, want_seen)
            acc = python["total"](i, acc, want_x, k)
        np.testing.assert_array_equal(x, want_x)
        np.testing.assert_allclose(got, acc, rtol=1e-14)

        # And at the beginning: it sees each element before the second body changes it.
        x, acc = arrays()[0], 0.0
        want_x = x.copy()
        got = module.back(n, x=x, k=k)
        for i in range(n):
            acc = python["total"](i, acc, want_x, k)
            python["scale"](i, want_x, k)
        np.testing.assert_array_equal(x, want_x)
        np.testing.assert_allclose(got, acc, rtol=1e-14)
        np.testing.assert_allclose(module.back(n, x=x, k=k, reducer="Sum"),
                                   (want_x * k).sum() - want_x[5] * k, rtol=1e-13)

        # One name, two types.
        x, y = arrays()[0], np.arange(n, dtype=np.float32)
        want_x, want_y = x.copy(), y.copy()
        module.mixed(n, fused_x_0=x, fused_k_0=k, fused_x_1=y, fused_k_1=4)
        for i in range(n):
            python["scale"](i, want_x, k)
            python["narrow"](i, want_y, 4)
        np.testing.assert_array_equal(x, want_x)
        np.testing.assert_array_equal(y, want_y)

        # Inner functions of one name; the same workunit twice.
        x = arrays()[0]
        want_x = x.copy()
        module.twice(n, x=x, k=k)
        for i in range(n):
            python["nested"](i, want_x, k)
            python["nested"](i, want_x, k)
        np.testing.assert_array_equal(x, want_x)

        # An index annotated as a float.
        x = arrays()[0]
        want_x = x.copy()
        module.floats(n, x=x, k=k)
        for i in range(n):
            python["times"](float(i), want_x)
            python["scale"](i, want_x, k)
        np.testing.assert_array_equal(x, want_x)

        # Two indices.
        g = rng.normal(size=(7, 9))
        want = g.copy()
        module.cut(((0, 7), (0, 9)), g=g, d=3.0)
        for i in range(7):
            for j in range(9):
                python["box"](i, j, want)
                python["diagonal"](i, j, want, 3.0)
        np.testing.assert_array_equal(g, want)

        # Instantiations that agree.
        for v, f, by in ((np.arange(n) * 0.5, 1.5, 0.25), (np.arange(n), 3, 2)):
            want = v * f + by
            module.affine(n, v=v, f=f, by=by)
            np.testing.assert_array_equal(v, want)

        # Workunits of a class.
        c = rng.normal(size=n)
        want = c.copy()
        lattice, mine = module.Lattice(n=2, c=c), python["Lattice"](2, want)
        lattice.advance(n, w=0.5)
        for i in range(n):
            mine.step(i)
            mine.relax(i, 0.5)
        np.testing.assert_array_equal(c, want)
        acc = 0.0
        got = lattice.weighed(n, w=0.5)
        for i in range(n):
            mine.relax(i, 0.5)
            acc = mine.weigh(i, acc)
        np.testing.assert_array_equal(c, want)
        np.testing.assert_allclose(got, acc, rtol=1e-13)

    def test_command(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        out = os.path.join(p.root, "out")
        path = p.command("build", "--python", "-o", out, *options(), "kern.py").stdout.splitlines()[-1]
        self.compare(self.load(path))

    def test_cmake_edits_and_cplusplus(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.cmake("pykokkos_add_library(kern SOURCES kern.py INSTANTIATE %s FUSE %s)\n"
                "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE kern)\n"
                % (quoted(INSTANTIATE), quoted(FUSE)))
        p.write("main.cpp", """#include <kern.hpp>
#include <cstdio>
int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 4);
    Kokkos::deep_copy(x, 2.0);
    kern::twice(4, x, 3.0);
    kern::Lattice lattice;
    lattice.n = 2;
    lattice.c = x;
    lattice.advance(4, 1.0);
    std::printf("%g %g\\n", x(0), x(3));
    return 0;
}
""")
        p.configure()
        self.assertIn("twice", p.build())
        # 2 + 3 + 3; (8 + 1) * 2; 18 - 1 + 19
        self.assertEqual(run([os.path.join(p.build_dir, "app")], env=p.env).stdout, "36 18\n")
        self.assertTrue(p.nothing_to_do())
        p.edit("kern.py", "if x[j] > top:", "if x[j] >= top:")
        self.assertEqual(p.build(), ["both", "clip", "three"])
        self.assertRegex(p.command("why", "-C", p.build_dir, "both").stdout, r"both: .*clip: body.*kern\.py:22")
        p.edit("kern.py", "x + 0.5", "x + 0.25")
        self.assertEqual(p.build(), ["back", "both", "floats", "mixed", "scale", "three"])
        p.edit("kern.py", "acc += self.c[i]", "acc += self.c[i] * 2")
        p.build()
        self.assertEqual(len(p.compiled()), 2)
        p.edit("kern.py", "import pykokkos as pk", "# a comment\nimport pykokkos as pk")
        self.assertEqual(p.build(), [])
        # The entry itself.
        p.cmake("pykokkos_add_library(kern SOURCES kern.py INSTANTIATE %s FUSE %s)\n"
                % (quoted(INSTANTIATE), quoted(FUSE).replace("scale + clip", "clip + scale")))
        self.assertEqual(p.build(), ["both"])

    def test_ninja_and_list(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.command("ninja", "-o", p.build_dir, *options(), "kern.py")
        run(["ninja", "-C", p.build_dir], env=p.env)
        p.edit("kern.py", "SCALE = 3", "SCALE = 4")
        output = run(["ninja", "-C", p.build_dir, "-v"], env=p.env).stdout
        for name in ("both", "three", "clip"):
            self.assertIn("/%s.kernel.cpp" % name, output)
        self.assertNotIn("/mixed.kernel.cpp", output)
        done = p.command("list", "--json", *options(), "kern.py")
        fused = {w["workunit"]: w for w in json.loads(done.stdout) if "fused" in w}
        self.assertEqual(len(fused), len(FUSE))
        self.assertEqual(fused["both"]["fused"], "scale + clip")
        self.assertEqual([q["name"] for q in fused["both"]["parameters"]], ["x", "k", "top", "seen"])
        self.assertEqual((fused["back"]["operation"], fused["cut"]["policy"]), ("reduce", "MDRange"))

    def test_generate_names_what_it_is_made_of(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.command("generate", "-o", p.build_dir, *options(), "kern.py")
        with open(os.path.join(p.build_dir, "kern", "both.kernel.cpp")) as file:
            self.assertIn("// kern.py: both = scale + clip", file.read())


if __name__ == "__main__":
    project.main()
