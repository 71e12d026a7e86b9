"""A scratch project of Python kernels: written, configured, built, edited, and what was compiled.

Compiles are counted by a compiler launcher of the user's, after ours: a kernel that comes from the
store never gets there. The settings come from the environment, set by CTest (see CMakeLists.txt).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PACKAGE = os.environ["PKC_TEST_PACKAGE"]  # a build tree or installed package's folder
PROGRAM = os.environ["PKC_TEST_PROGRAM"]
WORK = os.environ["PKC_TEST_WORK"]
COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "count_compiles.sh")

KERNELS = '''"""Two kernels and a helper."""
import pykokkos as pk

SCALE = 3


@pk.function
def shift(x: int) -> int:
    return x + SCALE


@pk.workunit
def alpha(i: int, v: pk.View1D[pk.int64]):
    v[i] = shift(i)


@pk.workunit
def beta(i: int, v: pk.View1D[pk.int64]):
    v[i] = i - 1
'''


class Failed(Exception):
    """A command that had to work did not."""


def environment(**extra):
    env = dict(os.environ)
    for name in list(env):
        if name.startswith("PYKOKKOS_CACHE") or name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            del env[name]
    env.update(extra)
    return env


def run(command, check=True, **more):
    more.setdefault("env", environment())
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=600, **more)
    if check and done.returncode != 0:
        raise Failed("%s: status %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done


class Project:
    """A folder with a CMake project in src and its build tree in build."""

    def __init__(self, test, generator="Ninja", source="src", build="build"):
        os.makedirs(WORK, exist_ok=True)
        self.root = tempfile.mkdtemp(dir=WORK)
        test.addCleanup(shutil.rmtree, self.root, True)
        self.source = os.path.join(self.root, source)
        self.build_dir = os.path.join(self.root, build)
        self.store = os.path.join(self.root, "store")
        self.log = os.path.join(self.root, "compiled.log")
        self.generator = generator
        self.output = ""
        os.makedirs(self.source)
        self.env = environment(PYKOKKOS_CACHE_DIR=self.store, PKC_COMPILE_LOG=self.log)

    def path(self, name):
        return os.path.join(self.source, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def edit(self, name, old, new):
        text = self.read(name)
        assert old in text, "%r is not in %s" % (old, name)
        self.write(name, text.replace(old, new))

    def cmake(self, text, languages="CXX"):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\n"
                   "project(scratch %s)\nfind_package(PyKokkosCache REQUIRED)\n%s" % (languages, text))

    def configure(self, *arguments, check=True):
        done = run(["cmake", "-G", self.generator, "-S", self.source, "-B", self.build_dir,
                    "-DPyKokkosCache_DIR=" + PACKAGE, "-DCMAKE_CXX_COMPILER_LAUNCHER=" + COUNT]
                   + list(arguments), check=check, env=self.env)
        self.output = done.stdout
        return done.returncode == 0

    def build(self, *arguments, check=True):
        """Builds and returns the sorted names of the kernels that were compiled."""
        open(self.log, "w").close()
        time.sleep(0.02)  # an edit must not seem as old as the build before it
        done = run(["cmake", "--build", self.build_dir] + list(arguments), check=check, env=self.env)
        self.output = done.stdout
        self.worked = done.returncode == 0
        return self.compiled()

    def compiled(self):
        with open(self.log) as file:
            return sorted(os.path.basename(line.strip())[:-len(".kernel.cpp")] for line in file
                          if line.strip().endswith(".kernel.cpp"))

    def others_compiled(self):
        """The names of what the last build compiled besides kernels."""
        with open(self.log) as file:
            return sorted(os.path.basename(line.strip()) for line in file
                          if not line.strip().endswith(".kernel.cpp"))

    def fails(self, *arguments):
        """Builds, which must fail; returns what it said."""
        self.build(*arguments, check=False)
        assert not self.worked, "the build should fail:\n" + self.output
        return self.output

    def nothing_to_do(self, *arguments):
        self.build(*arguments)
        return "no work to do" in self.output

    def command(self, *arguments, check=True):
        return run([PROGRAM] + list(arguments), check=check, env=self.env, cwd=self.source)

    def status(self):
        done = subprocess.run([PROGRAM, "status", "--json", "-C", self.build_dir], check=True,
                              stdout=subprocess.PIPE, text=True, env=self.env)
        return json.loads(done.stdout)

    def entries(self):
        """Every entry folder of the store, relative to it, with its inode."""
        found = {}
        base = os.path.join(self.store, "entries")
        for folder, _, files in os.walk(base):
            if "object" in files:
                found[os.path.relpath(folder, base)] = os.stat(folder).st_ino
        return found


def two_kernels(test, text="", kind="STATIC", **more):
    """A project of KERNELS as library `kern`, configured."""
    p = Project(test, **more)
    p.write("kern.py", KERNELS)
    p.cmake("pykokkos_add_library(kern %s SOURCES kern.py)\n%s" % (kind, text))
    return p


class Case(unittest.TestCase):
    maxDiff = None


def main():
    unittest.main(verbosity=2, argv=[sys.argv[0]] + sys.argv[1:])
