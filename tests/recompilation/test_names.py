"""Folders whose names mean something to a shell, to Ninja, to CMake or to make: source, build and store
all lie below one. Each build is right, finds an edit of an imported file through the depfile, and has
nothing to do afterwards."""

import os
import subprocess
import unittest

import project
from project import Project, run

KERNELS = """import pykokkos as pk
from helpers import shift


@pk.workunit
def alpha(i: int, v: pk.View1D[pk.int64]):
    v[i] = shift(i)


@pk.workunit
def beta(i: int, v: pk.View1D[pk.int64]):
    v[i] = i - 1
"""
HELPERS = "def shift(x: int) -> int:\n    return x + %d\n"
ANY = ["blank # hash %d%20 colon: c", "quo'te \"double\" & amp", "semi;colon br[a]ck{et}(s)", "new\nline\ttab",
       "-first ñ größe π 日本", "$x $(y) `z` ~ ! ^", "back\\slash <lt> | pipe * ?"]
# CMake itself takes no build folder with " # ; < > or a newline, and no $( in it.
CMAKE = ["blank %d%20 colon: c", "quo'te & amp * ?", "br[a]ck{et}(s)", "-first ñ größe π 日本"]
CMAKE_SOURCE = ["hash # dollar $x", "less <lt> back`tick"]


def long_name(folder, length):
    """So many bytes of folders below `folder`, in names that a file system takes."""
    missing = length - len(os.fsencode(folder)) - 1
    parts = []
    while missing > 250:
        parts.append("d" * 200)
        missing -= 201
    return os.path.join(*parts, "e" * missing)


class Names(project.Case):
    def below(self, name):
        """A project whose every folder is below one of that name."""
        p = Project(self)
        p.root = os.path.join(p.root, name)
        p.source, p.build_dir = os.path.join(p.root, "src"), os.path.join(p.root, "build")
        p.store = os.path.join(p.root, "store")
        p.env["PYKOKKOS_CACHE_DIR"] = p.store
        os.makedirs(p.source)
        p.write("kern.py", KERNELS)
        p.write("helpers.py", HELPERS % 1)
        return p

    def check_command(self, name):
        p = self.below(name)
        out = p.build_dir
        library = run([project.PROGRAM, "build", "-o", out, p.path("kern.py")], env=p.env).stdout
        self.assertEqual(library, os.path.join(out, "libkern.so") + "\n")
        self.assertEqual(len(p.entries()), 3)
        with open(os.path.join(out, "libkern.so"), "rb") as file:
            before = file.read()
        p.write("helpers.py", HELPERS % 2)
        done = run(["ninja", "-C", out], env=p.env)
        self.assertEqual(done.stdout.count("Compiling"), 1, done.stdout)
        self.assertIn("Compiling kern.alpha", done.stdout)
        with open(os.path.join(out, "libkern.so"), "rb") as file:
            self.assertNotEqual(file.read(), before)
        self.assertEqual(len(p.entries()), 4)
        self.assertIn("no work to do", run(["ninja", "-C", out], env=p.env).stdout)
        self.assertEqual(sorted(os.listdir(p.source)), ["helpers.py", "kern.py"])

    def check_cmake(self, name, **more):
        p = self.below(name)
        for key, value in more.items():
            setattr(p, key, value)
        p.cmake("pykokkos_add_library(kern SHARED SOURCES kern.py)\n")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        p.write("helpers.py", HELPERS % 2)
        self.assertEqual(p.build(), ["alpha"])
        self.assertTrue(p.nothing_to_do(), p.output)
        self.assertEqual(sorted(os.listdir(p.source)), ["CMakeLists.txt", "helpers.py", "kern.py"])
        return p

    def test_command(self):
        for name in ANY:
            with self.subTest(name=name):
                self.check_command(name)

    def test_cmake(self):
        for name in CMAKE:
            with self.subTest(name=name):
                self.check_cmake(name)

    def test_cmake_source(self):
        for name in CMAKE_SOURCE:
            with self.subTest(name=name):
                self.check_cmake(name, build_dir=Project(self).build_dir)

    def test_long(self):
        folder = Project(self).root
        self.check_command(long_name(os.path.join(folder, "x" * 8), 3950))
        self.check_cmake(long_name(os.path.join(folder, "x" * 8), 3700))

    def test_links_go_with_what_they_lead_to(self):
        p = self.check_cmake("quo'te")
        links = os.path.join(p.build_dir, "pykokkos", "kern", "kern.inputs")
        self.assertIn(p.path("helpers.py"), [os.readlink(os.path.join(links, n)) for n in os.listdir(links)])
        p.edit("kern.py", "from helpers import shift\n", "")
        p.edit("kern.py", "shift(i)", "i")
        self.assertEqual(p.build(), ["alpha"])
        self.assertNotIn(p.path("helpers.py"), [os.readlink(os.path.join(links, n)) for n in os.listdir(links)])
        plain = Project(self)
        plain.write("kern.py", KERNELS)
        plain.write("helpers.py", HELPERS % 1)
        plain.command("generate", "-o", "gen", "kern.py")
        self.assertEqual(subprocess.run(["find", plain.root, "-type", "l"], stdout=subprocess.PIPE, check=True).stdout, b"")


if __name__ == "__main__":
    project.main()
