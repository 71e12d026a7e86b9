"""Libraries with modules of one name: refused in one program, unless they are the same."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "recompilation"))

import project
from project import KERNELS, Project

LISTS = """pykokkos_add_library(one STATIC SOURCES x/kern.py)
pykokkos_add_library(two STATIC SOURCES %s)
add_library(user INTERFACE)
target_link_libraries(user INTERFACE one)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE user two)
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


if __name__ == "__main__":
    project.main()
