"""Many kernels in one TU: the launcher compiles each by itself, and joins them."""

import glob
import os
import shutil
import subprocess
import unittest

import project
from project import Project

HEAD = '''import pykokkos as pk

SCALE = 3


@pk.classtype
class Pair:
    def __init__(self, a: int):
        self.a: int = a


@pk.function
def shift(x: int) -> int:
    return x + SCALE
'''
# The same helper and class in each: as one TU, they must not meet.
KERNEL = '''

@pk.workunit
def w{0}(i: int, v: pk.View1D[pk.int64]):
    p: Pair = Pair(i)
    v[i] = shift(p.a) * {0} + 100
'''
MAIN = '''#include <Kokkos_Core.hpp>
#include <kern.hpp>
#include <cstdio>
int main()
{
    Kokkos::ScopeGuard guard;
    Kokkos::View<long *, Kokkos::LayoutRight, Kokkos::HostSpace> v("v", 3);
    kern::w%d(3, v);
    std::printf("%%ld\\n", v(2));
}
'''
ALL = sorted("w%d" % i for i in range(12))


def kernels(count=12):
    return HEAD + "".join(KERNEL.format(i) for i in range(count))


def grouped(test, kind="SHARED", count=12, text="", **more):
    p = Project(test, **more)
    p.write("kern.py", kernels(count))
    p.write("main.cpp", MAIN % 5)
    p.cmake("pykokkos_add_library(kern %s SOURCES kern.py)\n"
            "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE kern)\n%s" % (kind, text))
    return p


def configure(p, *arguments):
    return p.configure("-DPYKOKKOS_CACHE_GROUP_OVER=4", *arguments)


def result(p, folder=""):
    return int(subprocess.run([os.path.join(p.build_dir, folder, "app")], check=True, stdout=subprocess.PIPE).stdout)


def groups(p):
    return sorted(glob.glob(os.path.join(p.build_dir, "pykokkos/kern/groups/*.kernel.cpp")))


class Groups(project.Case):
    def test_an_edit_compiles_one_kernel(self):
        p = grouped(self)
        configure(p)
        self.assertEqual(p.build(), ALL)
        self.assertEqual(len(groups(p)), 4)
        self.assertEqual(result(p), (2 + 3) * 5 + 100)
        self.assertTrue(p.nothing_to_do())
        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        self.assertEqual(p.build(), ["w5"])
        self.assertEqual(result(p), (2 + 3) * 5 + 200)
        p.edit("kern.py", "* 5 + 200", "* 5 + 100")
        self.assertEqual(p.build(), [])
        self.assertEqual(result(p), (2 + 3) * 5 + 100)
        p.edit("kern.py", "SCALE = 3", "SCALE = 4")
        self.assertEqual(p.build(), ALL)
        self.assertEqual(result(p), (2 + 4) * 5 + 100)

    def test_every_kind_of_library(self):
        for kind in "STATIC", "OBJECT":
            with self.subTest(kind):
                p = grouped(self, kind)
                configure(p)
                self.assertEqual(p.build(), ALL)
                self.assertEqual(result(p), (2 + 3) * 5 + 100)
                p.edit("kern.py", "* 5 + 100", "* 5 + 200")
                self.assertEqual(p.build(), ["w5"])
                self.assertEqual(result(p), (2 + 3) * 5 + 200)

    def test_kernels_come_and_go(self):
        p = grouped(self)
        configure(p)
        p.build()
        p.write("kern.py", kernels(13))
        self.assertEqual(p.build(), ["w12"])
        p.write("kern.py", kernels(12))
        self.assertEqual(p.build(), [])
        self.assertEqual(glob.glob(os.path.join(p.build_dir, "**", "w12.kernel*"), recursive=True), [])
        # Few enough for a TU each: the entries are the same ones.
        p.write("kern.py", kernels(4))
        p.write("main.cpp", MAIN % 3)
        self.assertEqual(p.build(), [])
        self.assertEqual(groups(p), [])
        self.assertEqual(result(p), (2 + 3) * 3 + 100)

    def test_another_build_tree_compiles_nothing(self):
        p = grouped(self)
        configure(p)
        p.build()
        shutil.rmtree(p.build_dir)
        configure(p)
        self.assertEqual(p.build(), [])
        self.assertEqual(result(p), (2 + 3) * 5 + 100)
        self.assertTrue(p.nothing_to_do())

    def test_flags_and_parts_that_changed(self):
        """What the list of parts knows is not believed where the surroundings or a file are others."""
        p = grouped(self)
        configure(p)
        p.build()
        configure(p, "-DCMAKE_CXX_FLAGS=-fno-inline")
        self.assertEqual(p.build(), ALL)
        parts = glob.glob(os.path.join(p.build_dir, "**", "*.parts", "kern", "w5.kernel.cpp.o"), recursive=True)
        self.assertEqual(len(parts), 1)
        with open(parts[0], "wb") as file:
            file.write(b"no object")
        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        self.assertEqual(p.build(), ["w5"])
        for path in groups(p):
            os.utime(path)
        with open(parts[0], "wb") as file:
            file.write(b"no object")
        self.assertEqual(p.build(), [])  # from the store
        self.assertEqual(result(p), (2 + 3) * 5 + 200)

    def test_without_a_store(self):
        p = grouped(self)
        p.env["PYKOKKOS_CACHE_DISABLE"] = "1"
        configure(p)
        self.assertEqual(p.build(), ALL)
        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        self.assertEqual(p.build(), ["w5"])
        self.assertEqual(result(p), (2 + 3) * 5 + 200)

    def test_without_our_launcher(self):
        """None in sight: a TU for each. Taken away behind our back: a group is one TU like another."""
        p = grouped(self)
        configure(p, "-DPYKOKKOS_CACHE_DISABLE=ON")
        self.assertEqual(p.build(), ALL)
        self.assertEqual(groups(p), [])
        p = grouped(self, text="set_target_properties(kern PROPERTIES CXX_COMPILER_LAUNCHER \"\")\n")
        configure(p)
        p.build()
        self.assertEqual(len(groups(p)), 4)
        self.assertEqual(result(p), (2 + 3) * 5 + 100)
        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        p.build()
        self.assertEqual(result(p), (2 + 3) * 5 + 200)

    def test_link_time_optimisation(self):
        """Such objects are not joined: a group is one TU."""
        p = grouped(self)
        configure(p, "-DCMAKE_CXX_FLAGS=-flto")
        p.build()
        self.assertEqual(result(p), (2 + 3) * 5 + 100)

    def test_debug_information_names_a_file_that_is_there(self):
        p = grouped(self)
        configure(p, "-DCMAKE_BUILD_TYPE=Debug")
        self.assertEqual(p.build(), ALL)
        self.assertEqual(result(p), (2 + 3) * 5 + 100)
        self.assertEqual(len(glob.glob(os.path.join(p.build_dir, "**", "w5.kernel.cpp"), recursive=True)), 1)

    def test_a_compiler_that_fails(self):
        p = grouped(self)
        configure(p, "-DCMAKE_CXX_FLAGS=-Dgiven=5")
        text = p.fails("--", "-k", "0")
        self.assertIn("w5.kernel.cpp:", text)
        self.assertIn("error", text)
        configure(p, "-DCMAKE_CXX_FLAGS=")
        p.build()
        self.assertEqual(result(p), (2 + 3) * 5 + 100)

    def test_other_build_systems(self):
        p = grouped(self, generator="Unix Makefiles")
        configure(p)
        self.assertEqual(p.build(), ALL)
        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        self.assertEqual(p.build(), ["w5"])
        self.assertEqual(result(p), (2 + 3) * 5 + 200)
        p = grouped(self, generator="Ninja Multi-Config")
        configure(p)
        self.assertEqual(p.build("--config", "Release"), ALL)
        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        self.assertEqual(p.build("--config", "Release"), ["w5"])
        self.assertEqual(result(p, "Release"), (2 + 3) * 5 + 200)


if __name__ == "__main__":
    project.main()
