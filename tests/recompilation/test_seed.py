"""The seed of it all: an edit, and the edit taken back, are what runs next, with the fewest compiles."""

import os
import sqlite3

import project
from project import Project, run

V1 = """import pykokkos as pk


@pk.workunit
def bump(i: int, arr: pk.View1D[pk.double]):
    arr[i] += 2


@pk.workunit
def other(i: int, arr: pk.View1D[pk.double]):
    arr[i] = 0
"""
V2 = V1.replace("+= 2", "+= 1")

MAIN = """#include <cstdio>
#include <kernels.hpp>

int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    Kokkos::View<double *, Kokkos::HostSpace> arr("arr", 5);
    kernels::bump(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 5), arr);
    for (int i = 0; i < 5; ++i) {
        std::printf("%g ", arr(i));
    }
}
"""


class Seed(project.Case):
    def hashes(self, p):
        """AST hash of `bump` now, and all (AST hash, directory) rows of the manifest about it."""
        listed = {w["workunit"]: w["ast_hash"] for w in __import__("json").loads(
            p.command("list", "--json", "kernels.py").stdout)}
        database = sqlite3.connect("file:%s/manifest.sqlite?mode=ro" % p.store, uri=True)
        rows = database.execute("SELECT ast_hash, directory FROM entries WHERE workunit = 'bump'").fetchall()
        database.close()
        return listed["bump"], [(h.hex() if isinstance(h, bytes) else h, d) for h, d in rows]

    def values(self, p):
        return run([os.path.join(p.build_dir, "app")]).stdout.split()

    def test_edit_and_back(self):
        for kind in ("STATIC", "SHARED"):
            with self.subTest(kind):
                p = Project(self)
                p.write("kernels.py", V1)
                p.write("main.cpp", MAIN)
                p.cmake("pykokkos_add_library(kernels %s SOURCES kernels.py)\n"
                        "add_executable(app main.cpp)\n"
                        "target_link_libraries(app PRIVATE kernels)\n" % kind)
                p.configure()
                self.assertEqual(p.build(), ["bump", "other"])
                self.assertEqual(self.values(p), ["2"] * 5)
                hash1, rows1 = self.hashes(p)
                entries1 = p.entries()

                p.write("kernels.py", V2)
                self.assertEqual(p.build(), ["bump"], "exactly one kernel TU")
                self.assertNotIn("dispatch", p.output)
                self.assertNotIn("main.cpp", p.output)
                self.assertEqual(self.values(p), ["1"] * 5)
                hash2, rows2 = self.hashes(p)
                self.assertNotEqual(hash1, hash2)
                by_hash = dict(rows2)
                self.assertEqual(set(by_hash), {hash1, hash2}, "the manifest holds both")
                self.assertNotEqual(by_hash[hash1], by_hash[hash2])
                for directory in by_hash.values():
                    self.assertTrue(os.path.isfile(os.path.join(p.store, directory, "object")))
                self.assertEqual(rows1, [(hash1, by_hash[hash1])])
                entries2 = p.entries()
                self.assertEqual({d: entries2.get(d) for d in entries1}, entries1, "nothing was renamed")

                p.write("kernels.py", V1)
                self.assertEqual(p.build(), [], "nothing compiled")
                self.assertEqual(self.values(p), ["2"] * 5)
                self.assertEqual(p.entries(), entries2, "nothing was renamed")
                self.assertTrue(p.nothing_to_do())

    def test_python_module(self):
        p = Project(self)
        p.write("kernels.py", V1)
        p.cmake("pykokkos_add_module(kernels SOURCES kernels.py)\n")
        p.configure("-DPython3_EXECUTABLE=" + project.sys.executable)
        self.assertEqual(p.build(), ["bump", "other"])

        def values():
            code = ("import array, kernels\na = array.array('d', [0] * 5)\n"
                    "kernels.bump(5, arr=a)\nprint(list(a))")
            env = dict(p.env, PYTHONPATH=p.build_dir)
            return run([project.sys.executable, "-c", code], env=env).stdout.strip()

        self.assertEqual(values(), "[2.0, 2.0, 2.0, 2.0, 2.0]")
        p.write("kernels.py", V2)
        self.assertEqual(p.build(), ["bump"])
        self.assertEqual(values(), "[1.0, 1.0, 1.0, 1.0, 1.0]")
        p.write("kernels.py", V1)
        self.assertEqual(p.build(), [])
        self.assertEqual(values(), "[2.0, 2.0, 2.0, 2.0, 2.0]")
        self.assertTrue(p.nothing_to_do())


if __name__ == "__main__":
    project.main()
