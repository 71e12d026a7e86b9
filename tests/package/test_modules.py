"""Libraries with modules of one name: refused in one program, unless they are the same."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "recompilation"))

import project
from project import KERNELS, Project, run

LISTS = """pykokkos_add_library(one STATIC SOURCES x/kern.py)
pykokkos_add_library(two STATIC SOURCES %s)
add_library(user INTERFACE)
target_link_libraries(user INTERFACE one)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE user two)
"""

PRIVATE = """pykokkos_add_library(k1 KIND SOURCES x/kern.py)
pykokkos_add_library(k2 KIND SOURCES y/kern.py)
add_library(one KIND one.cpp)
target_link_libraries(one PRIVATE k1)
add_library(two KIND two.cpp)
target_link_libraries(two PRIVATE k2)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE one two Kokkos::kokkos)
"""
USER = """#include <kern.hpp>
long NAME(long i, bool beta)
{
    Kokkos::View<std::int64_t *, Kokkos::HostSpace> v("v", i + 1);
    if (beta) {
        kern::beta(i + 1, v);
    } else {
        kern::alpha(i + 1, v);
    }
    return v(i);
}
"""
MAIN = """#include <Kokkos_Core.hpp>
#include <cstdio>
long one(long, bool), two(long, bool);
int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    std::printf("%ld %ld %ld %ld\\n", one(5, false), one(5, true), two(5, false), two(5, true));
}
"""


class Modules(project.Case):
    def configured(self, second):
        p = Project(self)
        p.write("x/kern.py", KERNELS)
        p.write("y/kern.py", KERNELS.replace("i - 1", "i - 2"))
        p.write("y/other.py", KERNELS)
        p.write("z/kern.py", KERNELS)
        p.write("main.cpp", "int main() {}\n")
        p.cmake(LISTS % second)
        return p.configure(check=False), p.output

    def test_other_file(self):
        worked, output = self.configured("y/kern.py")
        self.assertFalse(worked)
        self.assertIn("pykokkos_module_kern", output)

    def test_same_file_in_another_way(self):
        self.assertFalse(self.configured("x/kern.py DEFAULT_REAL float")[0])

    def test_same_file(self):
        self.assertTrue(*self.configured("x/kern.py"))

    def test_other_name(self):
        self.assertTrue(*self.configured("y/other.py"))

    def test_names_made_distinct_in_their_target(self):
        self.assertTrue(*self.configured("y/kern.py z/kern.py"))

    def test_other_file_behind_a_private_dependency(self):
        """CMake does not see that both modules meet in one program: each library has its own kernels."""
        for kind in ("STATIC", "SHARED"):
            p = Project(self)
            p.write("x/kern.py", KERNELS)
            p.write("y/kern.py", KERNELS.replace("i - 1", "i - 2").replace("SCALE = 3", "SCALE = 30"))
            for name in ("one", "two"):
                p.write(name + ".cpp", USER.replace("NAME", name))
            p.write("main.cpp", MAIN)
            p.cmake(PRIVATE.replace("KIND", kind))
            p.configure()
            p.build()
            self.assertEqual(run([os.path.join(p.build_dir, "app")], env=p.env).stdout, "8 4 35 3\n", kind)

    def test_another_projects_file_of_the_same_place(self):
        """Two projects, installed and linked into one program: the tags differ by project."""
        texts = []
        for project_name in ("first", "second"):
            p = Project(self)
            p.write("kern.py", KERNELS)
            p.write("options", "target=kern\noutput_dir=%s/out\nsource_dir=%s\nproject=%s\n"
                    "source=kern.py\ndepfile_target=x\n" % (p.root, p.source, project_name))
            p.command("generate", "--options", p.path("options"))
            with open(os.path.join(p.root, "out", "kern", "alpha.kernel.cpp")) as file:
                texts.append(file.read())
        self.assertNotEqual(*texts)
        self.assertEqual(*[text.split("inline namespace")[0] for text in texts])


if __name__ == "__main__":
    project.main()
