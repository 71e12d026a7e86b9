"""@pk.main of workload classes: obj.run() from Python and C++ does what CPython's does; what cannot be
translated says so where it is called, and leaves the class's workunits alone; an edit of it compiles no
kernel."""

import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "recompilation"))

import project
from project import Project, run

SOURCE = open(os.path.join(HERE, "shapes", "mains.py")).read()

# What a fresh interpreter does with the module, so that its C output is seen in order.
CHILD = """import sys
import numpy as np
import mains
np.set_printoptions(legacy=False)
w = mains.Workload(N=6, nrepeat=2, a=np.zeros(6), total=0.0, scaled=0.0, timer_result=-1.0, last=0, early=False)
assert w.run() is None
assert 0 <= w.timer_result < 60
w.results()
print(repr([w.N, w.nrepeat, w.total, w.scaled, w.last, w.early, list(map(float, w.a))]), flush=True)
e = mains.Workload(N=6, nrepeat=3, a=np.zeros(6), total=0.0, scaled=0.0, timer_result=0.0, last=-4, early=True)
e.run()
print(repr([e.total, e.scaled, e.last]), flush=True)
t = mains.Teams(n=4, a=np.zeros(4), total=0.0)
t.run()
print(repr([t.total, t.a.tolist()]), flush=True)
for cls in (mains.Grid, mains.Derived):
    g = cls(n=5, g=np.zeros((5, 5)), norm=0.0)
    g.run()
    print(repr([g.norm, g.g.tolist()]), flush=True)
"""


class View:
    """An index into a list of lists, as NumPy has it."""

    def __init__(self, data):
        self.data = data

    def __getitem__(self, key):
        return self.data[key[0]][key[1]] if isinstance(key, tuple) else self.data[key]

    def __setitem__(self, key, value):
        if isinstance(key, tuple):
            self.data[key[0]][key[1]] = value
        else:
            self.data[key] = value


def in_python():
    """The same under CPython, with a stand-in for PyKokkos that runs workunits one after the other."""
    pk = types.ModuleType("pykokkos")

    class Any:
        def __getitem__(self, item):
            return self

        def __getattr__(self, name):
            return Any()

    for name in ("View1D", "View2D", "Acc", "Iterate", "TeamMember"):
        setattr(pk, name, Any())
    for name in ("double", "int32"):
        setattr(pk, name, name)
    for name in ("workload", "main", "callback", "function", "workunit"):
        setattr(pk, name, lambda f: f)
    pk.fence = lambda: None
    pk.Rank = lambda *a: None
    pk.RangePolicy = lambda b, e: ([b], [e]) if isinstance(b, int) else (b, e)
    pk.MDRangePolicy = lambda b, e, tile=None, rank=None: (b, e)
    pk.TeamPolicy = lambda league, team, vector=1: ("teams", league)
    pk.Timer = lambda: types.SimpleNamespace(seconds=lambda: 1.0)
    pk.printf = lambda text, *args: print(text % args, end="")

    def points(args):
        policy, work = args[-2:]
        if isinstance(policy, tuple) and policy[0] == "teams":
            return work, [[types.SimpleNamespace(league_rank=lambda r=r: r, league_size=lambda: policy[1])]
                          for r in range(policy[1])]
        begin, end = ([0], [policy]) if isinstance(policy, int) else policy
        indices = [[]]
        for b, e in zip(begin, end):
            indices = [i + [k] for i in indices for k in range(b, e)]
        return work, indices

    def parallel_for(*args):
        work, indices = points(args)
        for i in indices:
            work(*i)

    def parallel_reduce(*args):
        work, indices = points(args)
        acc = 0.0
        for i in indices:
            acc = work(*i, acc)
        return acc

    def parallel_scan(*args):
        work, indices = points(args)
        acc = 0
        for i in indices:
            acc = work(*i, acc, True)
        return acc

    pk.parallel_for, pk.parallel_reduce, pk.parallel_scan = parallel_for, parallel_reduce, parallel_scan
    source = SOURCE.replace("acc += ", "return acc + ")  # CPython's `acc +=` binds a local
    sys.modules["pykokkos"] = pk
    space = {}
    try:
        exec(source, space)
    finally:
        del sys.modules["pykokkos"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        w = space["Workload"](6, View([0.0] * 6))
        w.run()
        w.results()
        print(repr([w.N, w.nrepeat, w.total, w.scaled, w.last, w.early, w.a.data]))
        e = space["Workload"](6, View([0.0] * 6))
        e.nrepeat, e.last, e.early = 3, -4, True
        e.run()
        print(repr([e.total, e.scaled, e.last]))
        t = space["Teams"](4, View([0.0] * 4))
        t.run()
        print(repr([float(t.total), [float(x) for x in t.a.data]]))
        for name in ("Grid", "Derived"):
            g = space[name](5, View([[0.0] * 5 for _ in range(5)]))
            g.run()
            print(repr([g.norm, [[float(x) for x in row] for row in g.g.data]]))
    return out.getvalue()


class Mains(project.Case):
    def build_module(self, p):
        p.write("mains.py", SOURCE)
        out = os.path.join(p.root, "out")
        done = p.command("build", "--python", "-o", out, "mains.py")
        return done.stdout, out

    def files_compiled(self, p):
        p.build()
        with open(p.log) as log:
            return [os.path.basename(line.strip()) for line in log]

    def test_python(self):
        p = Project(self)
        output, out = self.build_module(p)
        done = subprocess.run([sys.executable, "-P", "-c", CHILD] if sys.version_info >= (3, 11)
                              else [sys.executable, "-c", CHILD], cwd=p.root,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(p.env, PYTHONPATH=out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, in_python())
        # Seen where the module is built: the place, the reason and what to do.
        self.assertRegex(output, r"mains\.py:\d+:33: warning: Refused\.run is not translated: a lambda")
        self.assertIn("make it a @pk.workunit; or call the workunits instead, such as Refused.init", output)
        self.assertNotIn("Refused.results", output)

    def test_python_refusals(self):
        import numpy as np
        p = Project(self)
        _, out = self.build_module(p)
        path = [os.path.join(out, f) for f in os.listdir(out) if f.startswith("mains.") and f.endswith(".so")][0]
        spec = importlib.util.spec_from_file_location("mains", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        refused = module.Refused(n=3, a=np.zeros(3))
        with self.assertRaisesRegex(NotImplementedError,
                                    r"mains\.py:\d+:33: Refused\.run is not translated: a lambda.*Refused\.init"):
            refused.run()
        with self.assertRaisesRegex(NotImplementedError, "Refused.results is not translated"):
            refused.results()
        refused.init(3)
        self.assertEqual(list(refused.a), [0, 1, 2])
        grid = module.Grid(n=2, g=np.zeros((2, 2)), norm=0.0)
        for call in (lambda: grid.run(1), lambda: grid.run(n=1)):
            with self.assertRaisesRegex(TypeError, "takes no arguments"):
                call()
        with self.assertRaisesRegex(TypeError, "Grid"):
            module.Grid.run(refused)
        with self.assertRaises(TypeError):
            module.Grid.run()
        grid.g = np.zeros((2, 2))
        # An array that changed its type since it was set is seen, as in any call.
        self.assertEqual(str(module.Grid.run.__text_signature__), "($self)")

    def test_cplusplus_and_edits(self):
        p = Project(self)
        p.write("mains.py", SOURCE)
        p.cmake("pykokkos_add_library(mains SOURCES mains.py)\nadd_executable(app main.cpp)\n"
                "target_link_libraries(app PRIVATE mains)\n")
        p.write("main.cpp", """#include <mains.hpp>
#include <cstdio>
int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    mains::Grid grid;
    grid.n = 5;
    grid.g = decltype(grid.g)("g", 5, 5);
    grid.run();
    std::printf("%g %g\\n", grid.norm, grid.g(4, 3));
#ifdef CALL_IT
    mains::Refused refused;
    refused.run();
#endif
}
""")
        p.configure()
        self.assertEqual(len(p.build()), 11)
        self.assertEqual(run([os.path.join(p.build_dir, "app")], env=p.env).stdout, "39.6 43\n")
        # An edit of a main: its own file alone.
        p.edit("mains.py", "self.norm /= self.n", "self.norm /= self.n + 1")
        compiled = self.files_compiled(p)
        self.assertEqual(len(compiled), 2, compiled)
        self.assertTrue(all(name.endswith(".host.cpp") for name in compiled), compiled)
        self.assertEqual(run([os.path.join(p.build_dir, "app")], env=p.env).stdout, "33 43\n")
        self.assertRegex(p.command("why", "-C", p.build_dir).stdout, r"mains\.Grid\.run: body")
        # Of a callback that is not translated, of a comment: nothing.
        p.edit("mains.py", "for row in self.a:", "for row in self.a:  # all\n            print(1)")
        p.edit("mains.py", "t: int = 2", "t: int = 2  # tile")
        self.assertEqual(self.files_compiled(p), [])
        # A workunit's body: its kernels alone, of the class and the derived one.
        p.edit("mains.py", "acc += self.g[i][j]", "acc += self.g[i][j] * 2")
        compiled = self.files_compiled(p)
        self.assertEqual(len(compiled), 2, compiled)
        self.assertTrue(all(name.endswith(".kernel.cpp") for name in compiled), compiled)
        p.write("main.cpp", p.read("main.cpp").replace("#ifdef CALL_IT", "#if 1"))
        self.assertRegex(p.fails(), r"mains\.py:\d+:33: Refused\.run is not translated: a lambda is not translated; "
                         r"call the workunits instead, such as Refused\.init")

    def test_list_shows_workunits_only(self):
        p = Project(self)
        p.write("mains.py", SOURCE)
        listed = p.command("list", "mains.py").stdout
        self.assertNotIn("Workload.run", listed.replace("Refused.run", ""))
        self.assertIn("Derived.sum", listed)


if __name__ == "__main__":
    project.main()
