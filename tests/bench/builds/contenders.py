"""The ways to build a workunit that are compared: how each one's project is written, configured, built.

A contender makes projects; a project is written from a State and built. What a machine lacks makes a
contender say so in `skipped`; nothing else about it changes the benchmark.
"""

import os
import shutil
import time

import sources
from measure import Failed, environment, run, seconds, write

HEAD = '''cmake_minimum_required(VERSION 3.22)
project(bench CXX)
find_package(PyKokkosCache REQUIRED)
'''
FUNCTORS = HEAD + '''add_library(kernels SHARED %s)
target_compile_features(kernels PRIVATE cxx_std_17)
target_link_libraries(kernels PRIVATE Kokkos::kokkos)
'''
PCH = "target_precompile_headers(kernels PRIVATE <Kokkos_Core.hpp>)\n"
PLAIN = '''cmake_minimum_required(VERSION 3.22)
project(bench CXX)
add_library(kernels SHARED %s)
'''
# As PyKokkos' compile.sh calls the compiler: its flags, its header folders, its two libraries.
PYBIND = HEAD + '''find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
find_path(PYBIND11_INCLUDE_DIR pybind11/pybind11.h REQUIRED)
foreach(name IN ITEMS %s)
    add_library(${name} MODULE ${name}/bindings.cpp)
    set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so")
    target_compile_features(${name} PRIVATE cxx_std_17)
    target_include_directories(${name} PRIVATE ${name} ${PYBIND11_INCLUDE_DIR} ${Python3_INCLUDE_DIRS})
    target_compile_options(${name} PRIVATE -O3 -march=native -mtune=native -fPIC -fopenmp)
    target_compile_definitions(${name} PRIVATE SPACE=DefaultHostExecutionSpace
        pk_arg_memspace=Kokkos::HostSpace pk_arg_layout=Kokkos::LayoutRight
        pk_exec_space=Kokkos::DefaultHostExecutionSpace pk_real=double)
    target_link_options(${name} PRIVATE -O3 -fopenmp)
    target_link_libraries(${name} PRIVATE Kokkos::kokkos)
endforeach()
'''
CALL = '''import array
import sys
sys.path.insert(0, sys.argv[1])
import {module}
made = array.array("{code}", [0.0] * 4)
given = array.array("{code}", [1.0, 2.0, 3.0, 4.0])
{module}.{call}
print(made[3])
'''


class Setup:
    """Where things are; the same for all contenders."""

    def __init__(self, program, package, root, python, pykokkos, kokkos_dir, itself=""):
        self.program = program
        self.package = package
        self.root = root
        self.python = python
        self.pykokkos = pykokkos
        self.kokkos_dir = kokkos_dir
        self.itself = itself  # PYTHONPATH with which PyKokkos can be imported
        self.ninja = shutil.which("ninja") or "ninja"
        self.compiler = os.environ.get("CXX", "c++")

    def cmake(self, source, build, *arguments, env=None):
        command = ["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DPyKokkosCache_DIR=" + self.package,
                   "-DPython3_EXECUTABLE=" + self.python] + list(arguments)
        if self.kokkos_dir:
            command.append("-DKokkos_DIR=" + self.kokkos_dir)
        return run(command, env=env)


class Project:
    """One project of a contender: a source folder and a build tree."""

    def __init__(self, contender, folder, count, **settings):
        self.contender = contender
        self.setup = contender.setup
        self.count = count
        self.source = os.path.join(folder, "source")
        self.build_dir = os.path.join(folder, "build")
        self.jobs = []
        self.settings = settings
        self.env = contender.environment(folder)

    def write(self, state):
        write(os.path.join(self.source, "CMakeLists.txt"), self.contender.cmake_text(self))
        for file, text in self.contender.files(self, state):
            write(os.path.join(self.source, file), text)

    def configure(self):
        self.setup.cmake(self.source, self.build_dir, *self.contender.arguments, env=self.env)

    def build(self):
        return seconds([self.setup.ninja] + self.jobs, cwd=self.build_dir, env=self.env)

    def move_build(self):
        """Another, empty build tree of the same source."""
        self.build_dir += "-again"


class Contender:
    """How one way of building writes its files. `rounds`: at most so many rounds, for the slow ones, and
    `other_rounds` of all but the body edit."""

    name = title = ""
    rounds = other_rounds = 10 ** 6
    caches = False  # an old state may come from a cache
    arguments = ("-DCMAKE_BUILD_TYPE=Release",)

    def __init__(self, setup):
        self.setup = setup
        self.skipped = self.missing()

    def missing(self):
        return None

    def environment(self, folder):
        return environment()

    def project(self, folder, count, **settings):
        return Project(self, os.path.join(self.setup.root, folder, self.name), count, **settings)

    def result(self, project, state, edited):
        """(seconds of a build and a fresh process that calls the triad, what the triad stored)."""
        took = project.build()
        command, env = self.call(project, state), environment()
        start = time.perf_counter()
        printed = run(command, env=env)
        return took + time.perf_counter() - start, float(printed.split()[-1])


class Functor(Contender):
    name = "functor"
    title = "Kokkos functor"
    rounds, other_rounds = 5, 2
    template = FUNCTORS

    def cmake_text(self, project):
        return self.template % " ".join(sources.name(k) + ".cpp" for k in range(project.count))

    def files(self, project, state):
        yield "shift.hpp", sources.helper(state)
        for k in range(project.count):
            yield sources.name(k) + ".cpp", sources.functor(k, state)


class Precompiled(Functor):
    name = "pch"
    title = "functor, precompiled header"
    rounds, other_rounds = 7, 3
    template = FUNCTORS + PCH


class Ccache(Functor):
    name = "ccache"
    title = "functor, ccache"
    rounds = other_rounds = 5
    caches = True
    arguments = Contender.arguments + ("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",)

    def missing(self):
        return None if shutil.which("ccache") else "ccache is not installed"

    def environment(self, folder):
        return environment(CCACHE_DIR=os.path.join(folder, "cache"))


class Plain(Functor):
    """Hand-written loops in a CMake project: what Ninja itself takes for the same number of files."""

    name = "plain"
    title = "plain C++ project"
    rounds = other_rounds = 10 ** 6
    template = PLAIN

    def files(self, project, state):
        yield "shift.hpp", sources.helper(state)
        for k in range(project.count):
            yield sources.name(k) + ".cpp", sources.loop(k, state)


class Pybind(Contender):
    """PyKokkos' way: each workunit a module of its own, made where it is first called, one by one."""

    name = "pybind"
    title = "pybind11 and Kokkos in one file"
    rounds, other_rounds = 3, 1
    arguments = ("-DCMAKE_BUILD_TYPE=",)

    def missing(self):
        for folder in (os.environ.get("PYBIND11_INCLUDE_DIR", ""), "/usr/include", "/usr/local/include"):
            if os.path.exists(os.path.join(folder, "pybind11", "pybind11.h")):
                return None
        return "pybind11's headers were not found (Debian: apt install pybind11-dev)"

    def project(self, folder, count, **settings):
        made = super().project(folder, count, **settings)
        made.jobs = ["-j1"]
        return made

    def cmake_text(self, project):
        return PYBIND % " ".join(sources.name(k) for k in range(project.count))

    def files(self, project, state):
        for k in range(project.count):
            functor, module = sources.pybind(k, state)
            yield sources.name(k) + "/functor.hpp", functor
            yield sources.name(k) + "/bindings.cpp", module

    def call(self, project, state):
        """A fresh Python imports the module, runs the triad, prints a number."""
        code = CALL.format(module="triad", code="d" if state.type == "double" else "f", call=(
            'wrapper_triad(a=made, b=given, c=given, s=2.0, label="triad", begin=0, end=4)'))
        return [self.setup.python, "-I", "-c", code, project.build_dir]


class PyKokkos(Pybind):
    """The same with what PyKokkos' own translator writes. It can be compiled, not run, without
    kokkos-python."""

    name = "pykokkos"
    title = "PyKokkos' own output"

    def missing(self):
        reason = super().missing()
        if reason is None and not self.setup.pykokkos:
            reason = "no checkout of PyKokkos given (PYKOKKOS_SOURCE_DIR)"
        if reason is None:
            try:
                self.translate(sources.python(1, sources.State()), [sources.name(0)])
            except Failed as failed:
                reason = "its translator does not run here: " + str(failed).strip().splitlines()[-1]
        return reason

    def translate(self, text, names):
        folder = os.path.join(self.setup.root, "pykokkos-input")
        write(os.path.join(folder, "kernels.py"), text)
        here = os.path.dirname(os.path.abspath(__file__))
        env = environment(PK_KOKKOS_INTERFACE=os.environ.get("PK_KOKKOS_INTERFACE", self.setup.kokkos_version))
        out = os.path.join(folder, "out")
        run([self.setup.python, os.path.join(here, "translate.py"), self.setup.pykokkos,
             os.path.join(folder, "kernels.py"), out] + names, env=env)
        return out

    def files(self, project, state):
        names = [sources.name(k) for k in range(project.count)]
        out = self.translate(sources.python(project.count, state), names)
        for name in names:
            for file in ("functor.hpp", "functor_cast.hpp", "bindings.cpp"):
                with open(os.path.join(out, name, file)) as text:
                    yield name + "/" + file, text.read()


class Ours(Contender):
    name = "ours"
    title = "PyKokkosCache"
    caches = True

    def environment(self, folder):
        return environment(PYKOKKOS_CACHE_DIR=os.path.join(folder, "store"))

    def cmake_text(self, project):
        if project.settings.get("module"):
            return HEAD + "pykokkos_add_module(kernels SOURCES kernels.py)\n"
        return HEAD + "pykokkos_add_library(kernels SHARED SOURCES kernels.py)\n"

    def files(self, project, state):
        yield "kernels.py", sources.python(project.count, state)

    def call(self, project, state):
        code = CALL.format(module="kernels", code="d" if state.type == "double" else "f",
                           call="triad(4, a=made, b=given, c=given, s=2.0)")
        return [self.setup.python, "-I", "-c", code, project.build_dir]


class Floor(Contender):
    """The same loop by hand: the compiler and the linker, called with nothing else."""

    name = "floor"
    title = "the loop by hand"

    def project(self, folder, count, **settings):
        return FloorProject(self, os.path.join(self.setup.root, folder, self.name), count)

    def files(self, project, state):
        yield "shift.hpp", sources.helper(state)
        for k in range(min(project.count, 3)):
            yield sources.name(k) + ".cpp", sources.loop(k, state)


class FloorProject(Project):
    """Only what an edit touches is compiled, and only that is linked."""

    def __init__(self, contender, folder, count):
        super().__init__(contender, folder, count)
        self.changed = []

    def write(self, state):
        before = dict(self.texts) if hasattr(self, "texts") else {}
        self.texts = dict(self.contender.files(self, state))
        for file, text in self.texts.items():
            write(os.path.join(self.source, file), text)
        self.changed = [file for file, text in self.texts.items()
                        if file.endswith(".cpp") and (before.get(file) != text or (
                            "shift.hpp" in text and before.get("shift.hpp") != self.texts["shift.hpp"]))]

    def configure(self):
        self.changed = ["triad.cpp"]

    def build(self):
        compiler, objects, total = self.setup.compiler, [], 0.0
        for file in self.changed:
            objects.append(file[:-4] + ".o")
            total += seconds([compiler, "-O3", "-fPIC", "-c", file, "-o", objects[-1]], self.source, self.env)
        if objects:
            total += seconds([compiler, "-shared", "-o", "libkernels.so"] + objects, self.source, self.env)
        return total


BUILT = (Pybind, PyKokkos, Functor, Precompiled, Ccache, Ours, Floor, Plain)
