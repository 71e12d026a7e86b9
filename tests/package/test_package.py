"""The package as users meet it: installed, moved, from the build tree, as a subproject; the examples."""

import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "recompilation"))

import project
from project import KERNELS, Project, run

MAIN = """#include <kern.hpp>
#include <cstdint>

int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    Kokkos::View<std::int64_t *, Kokkos::HostSpace> v("v", 4);
    kern::alpha(4, v);
    if (v(3) != 6) {
        return 1;
    }
    kern::beta(4, v);
    return v(3) == 2 ? 0 : 1;
}
"""
LIBRARY = ("pykokkos_add_library(kern SOURCES kern.py)\nadd_executable(app main.cpp)\n"
           "target_link_libraries(app PRIVATE kern)\n")


def installed(where):
    """Installs this build tree; the prefix and the package's folder in it."""
    run(["cmake", "--install", os.environ["PKC_TEST_BUILD_TREE"], "--prefix", where])
    for folder, _, files in os.walk(where):
        if "PyKokkosCacheConfig.cmake" in files:
            return folder
    raise AssertionError("no package was installed")


class Package(project.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.makedirs(project.WORK, exist_ok=True)
        cls.root = tempfile.mkdtemp(dir=project.WORK)
        cls.addClassCleanup(shutil.rmtree, cls.root, True)
        cls.prefix = os.path.join(cls.root, "a prefix")
        cls.package = installed(cls.prefix)

    def consumer(self, text=LIBRARY):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.write("main.cpp", MAIN)
        p.cmake(text)
        return p

    def use(self, p, *arguments):
        p.configure(*arguments)
        self.assertEqual(p.build(), ["alpha", "beta"])
        run([os.path.join(p.build_dir, "app")])
        self.assertTrue(p.nothing_to_do())

    def test_installed(self):
        for shared in ("OFF", "ON"):
            self.use(self.consumer(), "-UPyKokkosCache_DIR", "-DCMAKE_PREFIX_PATH=" + self.prefix,
                     "-DBUILD_SHARED_LIBS=" + shared)

    def test_moved(self):
        moved = os.path.join(self.root, "moved")
        shutil.copytree(self.prefix, moved, symlinks=True)
        hidden = self.prefix + " hidden"
        os.rename(self.prefix, hidden)
        try:
            package = os.path.join(moved, os.path.relpath(self.package, self.prefix))
            self.use(self.consumer(), "-DPyKokkosCache_DIR=" + package)
            program = os.path.join(moved, "bin", "pykokkos-cache")
            p = Project(self)
            p.write("kern.py", KERNELS)
            done = run([program, "build", "-o", os.path.join(p.root, "out"), "kern.py"], env=p.env, cwd=p.source)
            self.assertTrue(os.path.isfile(done.stdout.splitlines()[-1]))
        finally:
            os.rename(hidden, self.prefix)

    def test_build_tree(self):
        self.use(self.consumer())

    def test_no_language_but_cxx(self):
        """A module needs no C compiler: the project has the language C++ alone."""
        p = self.consumer("pykokkos_add_module(kern SOURCES kern.py)\n")
        p.configure("-DPython3_EXECUTABLE=" + sys.executable)
        self.assertEqual(p.build(), ["alpha", "beta"])
        code = "import array, kern\na = array.array('q', [0] * 4)\nkern.beta(4, v=a)\nprint(list(a))"
        done = run([sys.executable, "-c", code], env=dict(p.env, PYTHONPATH=p.build_dir))
        self.assertEqual(done.stdout.strip(), "[-1, 0, 1, 2]")

    def test_module_and_library_of_one_file(self):
        p = self.consumer(LIBRARY + "pykokkos_add_module(kern_py MODULE_NAME kern SOURCES kern.py)\n")
        p.configure("-DPython3_EXECUTABLE=" + sys.executable)
        p.build()
        run([os.path.join(p.build_dir, "app")])
        run([sys.executable, "-c", "import kern"], env=dict(p.env, PYTHONPATH=p.build_dir))

    def test_versions(self):
        for version, good in (("0.1", True), ("9.0", False)):
            p = Project(self)
            p.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\n"
                    "find_package(PyKokkosCache %s REQUIRED)\n" % version)
            self.assertEqual(p.configure("-DPyKokkosCache_DIR=" + self.package, check=False), good, p.output)

    def test_extensions_are_not_switched_off(self):
        """Debian's Kokkos would write CMAKE_CXX_EXTENSIONS=OFF into the user's cache."""
        p = self.consumer()
        p.configure()
        with open(os.path.join(p.build_dir, "CMakeCache.txt")) as file:
            self.assertNotIn("CMAKE_CXX_EXTENSIONS", file.read())

    def test_kokkos_found_before(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.write("main.cpp", MAIN)
        p.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\n"
                "find_package(Kokkos REQUIRED)\nfind_package(PyKokkosCache REQUIRED)\n" + LIBRARY)
        self.use(p)

    def test_install_of_what_users_build(self):
        p = self.consumer("pykokkos_add_library(kern SHARED SOURCES kern.py)\n"
                          "install(TARGETS kern EXPORT kern LIBRARY DESTINATION lib)\n")
        p.configure()
        p.build()
        prefix = os.path.join(p.root, "theirs")
        run(["cmake", "--install", p.build_dir, "--prefix", prefix])
        self.assertTrue(os.path.isfile(os.path.join(prefix, "lib", "libkern.so")))


class Subproject(project.Case):
    def check(self, text):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.write("main.cpp", MAIN)
        p.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(p C CXX)\n" + text + LIBRARY)
        p.configure("-DTREE_SITTER_PYTHON_SOURCE_DIR=" + os.environ.get("PKC_TEST_GRAMMAR", ""))
        self.assertEqual(p.build(), ["alpha", "beta"], p.output)
        run([os.path.join(p.build_dir, "app")])
        self.assertTrue(p.nothing_to_do(), p.output)
        p.edit("kern.py", "i - 1", "i - 2 + 1")
        self.assertEqual(p.build(), ["beta"])
        p.edit("kern.py", "def beta", "def gamma")
        p.edit("main.cpp", "kern::beta", "kern::gamma")
        self.assertEqual(p.build(), ["gamma"])
        run([os.path.join(p.build_dir, "app")])
        self.assertTrue(p.nothing_to_do())

    def test_add_subdirectory(self):
        self.check('add_subdirectory("%s" pykokkos-cache)\n' % ROOT)

    def test_fetch_content(self):
        self.check('include(FetchContent)\nFetchContent_Declare(PyKokkosCache SOURCE_DIR "%s")\n'
                   "FetchContent_MakeAvailable(PyKokkosCache)\n" % ROOT)


class Examples(project.Case):
    def check(self, name, *arguments):
        p = Project(self)
        shutil.rmtree(p.source)
        shutil.copytree(os.path.join(ROOT, "examples", name), p.source)
        p.configure("-DPython3_EXECUTABLE=" + sys.executable, *arguments)
        p.build()
        self.assertTrue(p.compiled())
        run(["ctest", "--test-dir", p.build_dir, "--output-on-failure"], env=p.env)

    def test_stream(self):
        self.check("stream")

    def test_stencil(self):
        self.check("stencil")

    def test_module(self):
        try:
            __import__("numpy")
        except ImportError:
            self.skipTest("NumPy is not there for " + sys.executable)
        self.check("module")

    @unittest.skipUnless(os.environ.get("PKC_TEST_OTHER_KOKKOS"), "needs PKC_OTHER_KOKKOS_DIR")
    def test_with_another_kokkos(self):
        for name in ("stream", "stencil"):
            self.check(name, "-DKokkos_DIR=" + os.environ["PKC_TEST_OTHER_KOKKOS"])


if __name__ == "__main__":
    project.main()
