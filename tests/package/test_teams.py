"""Teams of one thread and of more, and scratch memory, from Python and C++, against NumPy; with the
other Kokkos on OpenMP, too. What is refused, and what an edit of the decorator does."""

import json
import os
import shutil
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "recompilation"))

import project
from project import Project, run

OTHER = os.environ.get("PKC_TEST_OTHER_KOKKOS")
PYKOKKOS = os.environ.get("PYKOKKOS_SOURCE_DIR")
TEAMS = os.path.join(HERE, "teams")

MAIN = """#include <kern.hpp>
#include <cstdio>
#include <cstring>
int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    using policy = Kokkos::TeamPolicy<>;
    const int n = 6, league = 3;
    const int threads = policy::execution_space().concurrency() > 1 ? 2 : 1;
    Kokkos::View<std::int64_t **, Kokkos::LayoutRight, Kokkos::HostSpace> out("out", league, threads);
    policy enough(league, threads);
    enough.set_scratch_size(0, Kokkos::PerTeam(288), Kokkos::PerThread(96));
    enough.set_scratch_size(1, Kokkos::PerTeam(24), Kokkos::PerThread(6));
    kern::memories(enough, n, out);
    std::printf("%ld %ld", static_cast<long>(out(0, 0)), static_cast<long>(out(2, threads - 1)));
    try {
        kern::memories(policy(league, threads), n, out);
    } catch (const std::exception &e) {
        std::printf(" %d", std::strstr(e.what(), "too little scratch memory") != nullptr);
    }
    Kokkos::View<double *, Kokkos::HostSpace> x("x", 5), y("y", league);
    kern::declared(policy(league, Kokkos::AUTO), x, 4, y);
    std::printf(" %g\\n", y(1));
    return 0;
}
"""


class Teams(project.Case):
    def build(self, p, **extra):
        shutil.copy(os.path.join(TEAMS, "kern.py"), p.path("kern.py"))
        out = os.path.join(p.root, "out")
        run([project.PROGRAM, "build", "--python", "-o", out, "kern.py"], cwd=p.source,
            env=dict(p.env, **extra))
        return out

    def check(self, p, out, threads, *sizes, script="check.py"):
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
        done = run([python, os.path.join(TEAMS, script), out, *sizes],
                   env=dict(p.env, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false"))
        self.assertEqual(done.stdout.splitlines()[-1], "ok " + " ".join(sizes))

    def test_one_thread(self):
        p = Project(self)
        self.check(p, self.build(p), 1, "1", "AUTO")

    @unittest.skipUnless(OTHER, "needs PKC_OTHER_KOKKOS_DIR")
    def test_openmp(self):
        p = Project(self)
        out = self.build(p, Kokkos_DIR=OTHER)
        self.check(p, out, 2, "1", "AUTO", "2")
        self.check(p, out, 4, "2", "3", "4")

    def pykokkos(self, threads, sizes, *arguments):
        """PyKokkos' own files, unchanged."""
        files = ["examples/kokkos-tutorials/workload/team_scratch_memory.py", "tests/test_AST_translator.py",
                 "examples/ExaMiniMD/standalone/src/neighbor_types/neighbor_2d.py"]
        p = Project(self)
        out = os.path.join(p.root, "out")
        p.command("build", "--python", "--name=pk_teams", "-o", out, *arguments,
                  *[os.path.join(PYKOKKOS, f) for f in files])
        self.check(p, out, threads, *sizes, script="check_pykokkos.py")

    @unittest.skipUnless(PYKOKKOS, "needs PYKOKKOS_SOURCE_DIR")
    def test_pykokkos(self):
        self.pykokkos(1, ("1", "AUTO"))

    @unittest.skipUnless(PYKOKKOS and OTHER, "needs PYKOKKOS_SOURCE_DIR and PKC_OTHER_KOKKOS_DIR")
    def test_pykokkos_openmp(self):
        prefix = os.path.normpath(os.path.join(OTHER, "..", "..", ".."))
        self.pykokkos(4, ("1", "2", "4"), "--kokkos=" + prefix)

    def cplusplus(self, *arguments):
        p = Project(self)
        shutil.copy(os.path.join(TEAMS, "kern.py"), p.path("kern.py"))
        p.cmake("pykokkos_add_library(kern SOURCES kern.py)\n"
                "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE kern)\n")
        p.write("main.cpp", MAIN)
        p.configure(*arguments)
        p.build()
        # Σ 100 i + 12 + i + 3 + 10; 3 (0 + 1 + 2 + 3) + 1000
        want = "1665 1665 1 1018\n"
        env = dict(p.env, OMP_NUM_THREADS="2", OMP_PROC_BIND="false")
        self.assertEqual(run([os.path.join(p.build_dir, "app")], env=env).stdout, want)

    def test_cplusplus(self):
        self.cplusplus()

    @unittest.skipUnless(OTHER, "needs PKC_OTHER_KOKKOS_DIR")
    def test_cplusplus_openmp(self):
        self.cplusplus("-DKokkos_DIR=" + OTHER)

    def hashes(self, p):
        listed = json.loads(p.command("list", "--json", "kern.py").stdout)
        return {w["workunit"]: w["ast_hash"] for w in listed}

    def test_hash_of_the_decorator(self):
        p = Project(self)
        shutil.copy(os.path.join(TEAMS, "kern.py"), p.path("kern.py"))
        before = self.hashes(p)
        for old, new in (("WIDTH = 2", "WIDTH = 3"), ("lambda p: p.team_size),\n", "lambda p: 2 * p.team_size),\n"),
                         ("(pk.double, lambda", "(pk.float32, lambda")):
            p.edit("kern.py", old, new)
            after = self.hashes(p)
            changed = sorted(name for name in before if before[name] != after[name])
            self.assertEqual(changed, ["declared"], (old, new))
            before = after
        p.edit("kern.py", "lambda q: WIDTH * q.n", "lambda q: WIDTH * q.missing")
        listed = json.loads(p.command("list", "--json", "kern.py", check=False).stdout)
        error = [w for w in listed if w["workunit"] == "declared"][0]["error"]
        before = p.read("kern.py").split("q.missing")[0]
        self.assertEqual(error["line"], before.count("\n") + 1)
        self.assertIn("has no parameter missing", error["message"])


if __name__ == "__main__":
    project.main()
