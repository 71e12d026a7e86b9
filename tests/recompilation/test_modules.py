"""A Python module's TUs that are no kernels: dispatch, table and runtime come from the store, too."""

import os
import shutil
import unittest

import project
from project import KERNELS, Project

OTHERS = ["kern.module.cpp", "kokkos.dispatch.cpp", "python_runtime.c"]


class Modules(project.Case):
    def with_compiler(self, compiler):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.cmake("pykokkos_add_module(kern SOURCES kern.py)\n")
        p.configure("-DCMAKE_CXX_COMPILER=" + compiler)
        p.build()
        self.assertEqual(p.others_compiled(), OTHERS)
        p.build_dir = os.path.join(p.root, "second")
        p.configure("-DCMAKE_CXX_COMPILER=" + compiler)
        self.assertEqual(p.build(), [])
        self.assertEqual(p.others_compiled(), [], "a new build tree with a warm store")
        return p

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_gcc(self):
        p = self.with_compiler("g++")
        p.edit("kern.py", "v: pk.View1D[pk.int64]):\n    v[i] = i", "w: pk.View1D[pk.int64]):\n    w[i] = i")
        self.assertEqual(p.build(), ["beta"])
        self.assertEqual(p.others_compiled(), ["kern.module.cpp"], "the table names parameters")
        p.write("kern.py", KERNELS)
        self.assertEqual(p.build(), [])
        self.assertEqual(p.others_compiled(), [])

    @unittest.skipUnless(shutil.which("clang++"), "needs clang++")
    def test_clang(self):
        self.with_compiler("clang++")


if __name__ == "__main__":
    project.main()
