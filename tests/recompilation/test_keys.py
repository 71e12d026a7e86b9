"""Whatever can change an object compiles it again."""

import os
import shutil
import unittest

import project
from project import PACKAGE, PROGRAM, Project, run, two_kernels


class Keys(project.Case):
    def test_order_of_keys(self):
        """v0 with float, v1 with double, then float again: float is compiled again, double is not."""
        source = ("import pykokkos as pk\n\n\n@pk.workunit\n"
                  "def scale(i: int, v: pk.View1D[pk.real], k: pk.real):\n    v[i] = v[i] * k%s\n")
        p = Project(self)
        p.write("kern.py", source % "")
        p.cmake("pykokkos_add_library(kern STATIC SOURCES kern.py DEFAULT_REAL ${REAL})\n")
        p.configure("-DREAL=float")
        self.assertEqual(p.build(), ["scale"])
        p.write("kern.py", source % " + 1.0")
        p.configure("-DREAL=double")
        self.assertEqual(p.build(), ["scale"])
        p.configure("-DREAL=float")
        self.assertEqual(p.build(), ["scale"], "v1 was never compiled with float")
        p.configure("-DREAL=double")
        self.assertEqual(p.build(), [], "v1 with double was")
        p.write("kern.py", source % "")
        p.configure("-DREAL=float")
        self.assertEqual(p.build(), [], "v0 with float was")

    def test_flags(self):
        p = two_kernels(self)
        p.configure()
        self.assertEqual(len(p.build()), 2)
        p.configure("-DCMAKE_CXX_FLAGS=-fno-unroll-loops")
        self.assertEqual(len(p.build()), 2)
        p.configure("-DCMAKE_CXX_FLAGS=")
        self.assertEqual(p.build(), [])
        p.configure("-DCMAKE_BUILD_TYPE=Debug")
        self.assertEqual(len(p.build()), 2)

    def test_definition_that_no_kernel_sees(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        p.configure("-DCMAKE_CXX_FLAGS=-DNOBODY_LOOKS_AT_THIS=1")
        self.assertEqual(p.build(), [])

    def test_target_options_reach_kernels(self):
        p = two_kernels(self, "target_compile_options(kern PRIVATE ${EXTRA})\n")
        p.configure("-DEXTRA=-funroll-loops")
        self.assertEqual(len(p.build()), 2)
        p.configure("-DEXTRA=-fno-unroll-loops")
        self.assertEqual(len(p.build()), 2)

    @unittest.skipUnless(shutil.which("clang++") and shutil.which("g++"), "needs g++ and clang++")
    def test_compiler(self):
        p = two_kernels(self)
        p.configure("-DCMAKE_CXX_COMPILER=g++")
        self.assertEqual(len(p.build()), 2)
        p.build_dir = os.path.join(p.root, "clang")
        p.configure("-DCMAKE_CXX_COMPILER=clang++")
        self.assertEqual(len(p.build()), 2)

    def test_compiler_upgraded_in_place(self):
        p = two_kernels(self)
        compiler = os.path.join(p.root, "bin", "g++-here")
        os.makedirs(os.path.dirname(compiler))

        def install(version):
            with open(compiler, "w") as file:
                file.write("#!/bin/sh\n# version %s\nexec %s \"$@\"\n" % (version, shutil.which("c++")))
            os.chmod(compiler, 0o755)

        install("1")
        p.configure("-DCMAKE_CXX_COMPILER=" + compiler)
        self.assertEqual(len(p.build()), 2)
        install("2")
        p.build("--clean-first")
        self.assertEqual(len(p.compiled()), 2)

    def package_copy(self, p):
        """The package in a prefix of its own, with headers that may be edited."""
        prefix = os.path.join(p.root, "prefix")
        build_tree = os.environ["PKC_TEST_BUILD_TREE"]
        run(["cmake", "--install", build_tree, "--prefix", prefix])
        for folder, _, files in os.walk(prefix):
            if "PyKokkosCacheConfig.cmake" in files:
                return prefix, folder
        self.fail("nothing was installed")

    def test_own_header(self):
        p = two_kernels(self)
        prefix, package = self.package_copy(p)
        p.configure("-DPyKokkosCache_DIR=" + package)
        self.assertEqual(len(p.build()), 2)
        header = os.path.join(prefix, "include", "pykokkos_cache", "view.hpp")
        with open(header, "a") as file:
            file.write("\n// changed\n")
        self.assertEqual(len(p.build()), 2)

    def test_generator_or_template(self):
        """A generator that writes other text for the same Python."""
        p = two_kernels(self)
        program = os.path.join(p.root, "generator")

        def install(line):
            with open(program, "w") as file:
                file.write("#!/bin/sh\n%s \"$@\" || exit\n"
                           "case $1 in generate) ;; *) exit ;; esac\n"
                           "for f in '%s'/pykokkos/kern/kern/*.kernel.cpp; do\n"
                           "    grep -q '%s' \"$f\" || echo '%s' >> \"$f\"\n"
                           "done\n" % (PROGRAM, p.build_dir, line, line))
            os.chmod(program, 0o755)

        install("// template 1")
        p.configure("-DPYKOKKOS_CACHE_EXECUTABLE=" + program)
        self.assertEqual(len(p.build()), 2)
        install("// template 2")
        self.assertEqual(len(p.build()), 2)

    @unittest.skipUnless(os.environ.get("PKC_TEST_OTHER_KOKKOS"), "needs PKC_OTHER_KOKKOS_DIR")
    def test_kokkos(self):
        """Another Kokkos: the dispatch TU and, where its atomics differ, the kernels."""
        p = two_kernels(self)
        p.edit("kern.py", "    v[i] = i - 1", "    pk.atomic_fetch_add(v, [0], i)")
        p.configure()
        self.assertEqual(len(p.build()), 2)
        p.build_dir = os.path.join(p.root, "other")
        p.configure("-DKokkos_DIR=" + os.environ["PKC_TEST_OTHER_KOKKOS"])
        self.assertIn("beta", p.build())


if __name__ == "__main__":
    project.main()
