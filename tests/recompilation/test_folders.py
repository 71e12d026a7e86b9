"""Files that appear, vanish, hide others or come with an old time: the time of no file that was read
shows that, so folders are inputs, too."""

import os
import shutil
import unittest

import project
from project import Project

KERNEL = """import pykokkos as pk
from helpers import shift


@pk.workunit
def alpha(i: int, v: pk.View1D[pk.int64]):
    v[i] = shift(i)
"""
SHIFT = "def shift(x: int) -> int:\n    return x + %d\n"
LONG_AGO = (1000000000, 1000000000)


class Folders(project.Case):
    def start(self, helpers=True):
        p = Project(self)
        p.write("kern.py", KERNEL)
        if helpers:
            p.write("helpers.py", SHIFT % 1)
        p.cmake("pykokkos_add_library(kern STATIC SOURCES kern.py)\n")
        p.configure()
        self.assertEqual(p.build(check=False), ["alpha"] if helpers else [])
        self.assertEqual(p.worked, helpers)
        return p

    def text(self, p):
        with open(os.path.join(p.build_dir, "pykokkos", "kern", "kern", "alpha.kernel.cpp")) as file:
            return file.read()

    def test_missing_file_appears(self):
        p = self.start(helpers=False)
        p.write("helpers.py", SHIFT % 1)
        self.assertEqual(p.build(), ["alpha"])
        self.assertTrue(p.nothing_to_do())

    def test_file_vanishes_and_comes_back_with_its_old_time(self):
        p = self.start()
        os.utime(p.path("helpers.py"), LONG_AGO)
        os.rename(p.path("helpers.py"), p.path("away.py"))
        p.build(check=False)
        self.assertFalse(p.worked)
        os.rename(p.path("away.py"), p.path("helpers.py"))
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())

    def test_package_hides_a_module(self):
        p = self.start()
        p.write("helpers/__init__.py", SHIFT % 2)
        self.assertEqual(p.build(), ["alpha"])
        shutil.rmtree(p.path("helpers"))
        self.assertEqual(p.build(), [])
        self.assertIn("add(x, 1)", self.text(p))
        self.assertTrue(p.nothing_to_do())

    def test_older_file_moved_over_another(self):
        p = self.start()
        p.write("other.py", SHIFT % 3)
        os.utime(p.path("other.py"), LONG_AGO)
        os.rename(p.path("other.py"), p.path("helpers.py"))
        self.assertEqual(p.build(), ["alpha"])
        self.assertTrue(p.nothing_to_do())

    def test_symbolic_link_switched(self):
        p = self.start()
        p.write("elsewhere/other.py", SHIFT % 4)
        os.utime(p.path("elsewhere/other.py"), LONG_AGO)
        os.remove(p.path("helpers.py"))
        os.symlink("elsewhere/other.py", p.path("helpers.py"))
        self.assertEqual(p.build(), ["alpha"])
        p.edit("elsewhere/other.py", "+ 4", "+ 5")
        self.assertEqual(p.build(), ["alpha"])
        self.assertTrue(p.nothing_to_do())

    def test_other_files_compile_nothing(self):
        p = self.start()
        p.write("notes.txt", "nothing to import\n")
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())

    def test_build_in_the_source_folder(self):
        p = Project(self, build="src")
        p.write("kern.py", KERNEL)
        p.write("helpers.py", SHIFT % 1)
        p.cmake("pykokkos_add_library(kern STATIC SOURCES kern.py)\n")
        p.configure()
        self.assertEqual(p.build(), ["alpha"])
        self.assertTrue(p.nothing_to_do())


if __name__ == "__main__":
    project.main()
