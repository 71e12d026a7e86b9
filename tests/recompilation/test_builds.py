"""Build systems and what users do to a build."""

import os
import shutil
import time
import unittest

import project
from project import KERNELS, PROGRAM, Project, two_kernels


class Builds(project.Case):
    def test_makefiles_rename(self):
        """One `make` after a rename."""
        p = two_kernels(self, generator="Unix Makefiles")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertEqual(p.build(), [])
        p.edit("kern.py", "def beta", "def gamma")
        self.assertEqual(p.build("-j2"), ["gamma"])
        self.assertEqual(p.build(), [])
        p.edit("kern.py", "i - 1", "i - 5")
        self.assertEqual(p.build(), ["gamma"])
        os.utime(p.path("kern.py"))
        self.assertEqual(p.build(), [])
        self.assertNotIn("Building", p.output)

    def test_makefiles_two_lists_at_once(self):
        p = two_kernels(self, "pykokkos_add_library(second STATIC SOURCES second.py)\n",
                        generator="Unix Makefiles")
        p.write("second.py", KERNELS.replace("alpha", "delta").replace("beta", "epsilon"))
        p.configure()
        p.build("-j2")
        p.edit("kern.py", "def beta", "def gamma")
        p.edit("second.py", "def epsilon", "def zeta")
        self.assertEqual(p.build("-j2"), ["gamma", "zeta"])
        self.assertEqual(p.build("-j2"), [])

    def test_makefiles_error(self):
        p = two_kernels(self, generator="Unix Makefiles")
        p.configure()
        p.build()
        p.edit("kern.py", "    v[i] = i - 1", "    v[i] = unknown")
        for _ in range(2):
            self.assertIn("unknown", p.fails())
        p.write("kern.py", KERNELS)
        self.assertEqual(p.build(), [])

    def test_multi_config(self):
        p = two_kernels(self, generator="Ninja Multi-Config")
        p.configure()
        self.assertEqual(p.build("--config", "Release"), ["alpha", "beta"])
        self.assertTrue(p.nothing_to_do("--config", "Release"))
        self.assertEqual(p.build("--config", "Debug"), ["alpha", "beta"])
        self.assertTrue(p.nothing_to_do("--config", "Debug"))
        p.edit("kern.py", "def beta", "def gamma")
        self.assertEqual(p.build("--config", "Release"), ["gamma"])
        self.assertEqual(p.build("--config", "Debug"), ["gamma"])
        self.assertTrue(p.nothing_to_do("--config", "Release"))
        self.assertTrue(p.nothing_to_do("--config", "Debug"))

    def test_unity_build(self):
        """A unity build would put kernels together, and compile all of them for an edit of one."""
        p = two_kernels(self)
        p.configure("-DCMAKE_UNITY_BUILD=ON")
        self.assertEqual(p.build(), ["alpha", "beta"])
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["beta"])

    def test_source_of_the_user_in_our_target(self):
        p = two_kernels(self, "target_sources(kern PRIVATE mine.cpp)\n", kind="SHARED")
        p.write("mine.cpp", "#include <kern.hpp>\nint answer()\n{\n    return Kokkos::is_initialized() ? 1 : 42;\n}\n")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertIn("mine.cpp", p.output)
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["beta"])
        self.assertNotIn("mine.cpp", p.output)
        p.edit("mine.cpp", "42", "43")
        self.assertEqual(p.build(), [])
        self.assertIn("mine.cpp", p.output)

    def test_precompiled_header_of_the_user(self):
        p = two_kernels(self, "target_precompile_headers(kern PRIVATE <vector>)\n")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["beta"])

    def test_error_in_one_target_while_another_builds(self):
        p = two_kernels(self, "pykokkos_add_library(second STATIC SOURCES second.py)\n")
        p.write("second.py", KERNELS.replace("alpha", "delta").replace("beta", "epsilon"))
        p.configure()
        p.build()
        p.edit("kern.py", "    v[i] = i - 1", "    v[i] = unknown")
        p.edit("second.py", "i - 1", "i - 2")
        output = p.fails("--", "-k0")
        self.assertRegex(output, r"kern\.py:19:\d+: error: .*unknown")
        self.assertEqual(p.compiled(), ["epsilon"])
        self.assertEqual(p.build("--target", "second"), [])
        p.fails()
        p.write("kern.py", KERNELS)
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())

    def test_error_from_the_start(self):
        p = two_kernels(self)
        p.edit("kern.py", "    v[i] = i - 1", "    v[i] = unknown")
        p.configure()
        self.assertIn("unknown", p.fails())
        p.write("kern.py", KERNELS)
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertTrue(p.nothing_to_do())

    def test_build_folder_elsewhere(self):
        p = two_kernels(self, source="a/deep/source folder", build="elsewhere/build folder")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertTrue(p.nothing_to_do())
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["beta"])
        left = set(os.listdir(p.source))
        self.assertEqual(left, {"CMakeLists.txt", "kern.py"}, "the source tree was written to")

    def test_build_folder_in_the_source_tree(self):
        p = two_kernels(self)
        p.build_dir = os.path.join(p.source, "build")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertTrue(p.nothing_to_do())

    def test_consumers_are_not_relinked(self):
        p = two_kernels(self, "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE kern)\n",
                        kind="SHARED")
        p.write("main.cpp", "int main()\n{\n    return 0;\n}\n")
        p.configure()
        p.build()
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["beta"])
        self.assertIn("libkern.so", p.output)
        self.assertNotIn("Linking CXX executable", p.output)
        p.configure("-DPYKOKKOS_CACHE_RELINK_CONSUMERS=ON")
        p.build()
        p.edit("kern.py", "i - 2", "i - 3")
        p.build()
        self.assertIn("Linking CXX executable", p.output)

    def test_object_library_and_subfolders(self):
        p = Project(self)
        p.write("sub/kern.py", KERNELS)
        p.write("sub/CMakeLists.txt", "pykokkos_add_library(kern OBJECT SOURCES kern.py)\n")
        p.write("main.cpp", "#include <kern.hpp>\nint main(int argc, char **argv)\n{\n"
                "    Kokkos::ScopeGuard guard(argc, argv);\n"
                "    Kokkos::View<std::int64_t *, Kokkos::HostSpace> v(\"v\", 5);\n"
                "    kern::beta(5, v);\n    return v(4) == 3 ? 0 : 1;\n}\n")
        p.cmake("add_subdirectory(sub)\nadd_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE kern)\n")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        project.run([os.path.join(p.build_dir, "app")])

    def test_edit_while_the_generator_runs(self):
        """The generator looks at its inputs again: an edit during its run is in its result."""
        p = two_kernels(self)
        many = "".join("\n\n@pk.workunit\ndef w%d(i: int, v: pk.View1D[pk.int64]):\n    v[i] = i + %d\n" % (k, k)
                       for k in range(3000))
        p.write("kern.py", KERNELS + many)
        out = os.path.join(p.root, "generated")
        child = project.subprocess.Popen([PROGRAM, "generate", "-o", out, p.path("kern.py")], env=p.env)
        time.sleep(0.01)
        p.edit("kern.py", "i - 1", "i - 7654321")
        self.assertIsNone(child.poll(), "the generator was done before the edit")
        self.assertEqual(child.wait(), 0)
        with open(os.path.join(out, "kern", "beta.kernel.cpp")) as file:
            self.assertIn("7654321", file.read())

    def test_edit_between_configuring_and_the_first_build(self):
        p = two_kernels(self)
        p.configure()
        time.sleep(0.02)
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertTrue(p.nothing_to_do(), p.output)

    def test_store_switched_off(self):
        for argument in ("LAUNCHER off", ""):
            p = Project(self)
            p.write("kern.py", KERNELS)
            p.cmake("pykokkos_add_library(kern STATIC SOURCES kern.py %s)\n" % argument)
            p.configure(*(["-DPYKOKKOS_CACHE_DISABLE=ON"] if not argument else []))
            self.assertEqual(p.build(), ["alpha", "beta"])
            self.assertEqual(p.entries(), {})
        p = two_kernels(self)
        p.env["PYKOKKOS_CACHE_DISABLE"] = "1"
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        self.assertFalse(os.path.exists(p.store))


class RecompilationTests(project.Case):
    """pykokkos_add_recompilation_test, which users write."""

    def ctest(self, p, name):
        done = project.run(["ctest", "--test-dir", p.build_dir, "--output-on-failure", "-R", "^%s$" % name],
                           check=False, env=p.env)
        return done.returncode == 0, done.stdout

    def test_good_and_bad(self):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.write("teams.py", "import pykokkos as pk\n\n\n@pk.functor\nclass F:\n"
                "    def __init__(self, n):\n        self.x: pk.View1D[pk.double] = pk.View([n])\n\n"
                "    @pk.workunit\n    def up(self, i: int):\n        \"\"\"Adds one.\"\"\"\n"
                "        self.x[i] += 1\n")
        p.cmake("enable_testing()\n"
                "pykokkos_add_recompilation_test(NAME default SOURCE kern.py)\n"
                "pykokkos_add_recompilation_test(NAME functor SOURCE teams.py)\n"
                "pykokkos_add_recompilation_test(NAME helper SOURCE kern.py REPLACE \"x + SCALE\" WITH \"x * SCALE\")\n"
                "pykokkos_add_recompilation_test(NAME none SOURCE kern.py REPLACE \"Two kernels\" WITH \"2\" COMPILES 0)\n"
                "pykokkos_add_recompilation_test(NAME wrong SOURCE kern.py REPLACE \"i - 1\" WITH \"i - 2\" COMPILES 2)\n"
                "pykokkos_add_recompilation_test(NAME absent SOURCE kern.py REPLACE nowhere WITH x)\n")
        p.configure()
        for name in ("default", "functor", "helper", "none"):
            good, output = self.ctest(p, name)
            self.assertTrue(good, output)
        good, output = self.ctest(p, "wrong")
        self.assertFalse(good)
        self.assertIn("1 kernels compiled instead of 2", " ".join(output.split()))
        good, output = self.ctest(p, "absent")
        self.assertFalse(good)
        self.assertIn("does not contain", " ".join(output.split()))
        self.assertEqual(p.read("kern.py"), KERNELS, "the source was edited")


class Arguments(project.Case):
    """A mistake in CMakeLists.txt is a message that names it."""

    def refused(self, call, *words):
        p = Project(self)
        p.write("kern.py", KERNELS)
        p.cmake(call + "\n")
        self.assertFalse(p.configure(check=False), call)
        for word in words:
            self.assertIn(word, " ".join(p.output.split()), call)

    def test_mistakes(self):
        self.refused("pykokkos_add_library(kern SOURCE kern.py)", "unknown argument: SOURCE kern.py", "SOURCES")
        self.refused("pykokkos_add_library(kern)", "SOURCES names no Python file")
        self.refused("pykokkos_add_library(kern SOURCES)", "no value after SOURCES")
        self.refused("pykokkos_add_library(kern STATIC SHARED SOURCES kern.py)", "both STATIC and SHARED")
        self.refused("pykokkos_add_library(kern SOURCES kern.cpp)", "'kern.cpp' is not a .py file")
        self.refused("pykokkos_add_library(kern SOURCES kern.py DEFAULT_REAL half)", "float or double")
        self.refused("pykokkos_add_library(kern SOURCES kern.py LAUNCHER perhaps)", "on or off")
        self.refused("pykokkos_add_library(kern SOURCES kern.py EXECUTION_SPACE \"a b\")", "EXECUTION_SPACE 'a b'")
        self.refused("pykokkos_add_library(kern SOURCES kern.py)\npykokkos_add_library(kern SOURCES kern.py)",
                     "already a target")
        self.refused("pykokkos_add_module(my-kern SOURCES kern.py)", "MODULE_NAME")
        self.refused("pykokkos_add_recompilation_test(NAME x)", "no SOURCE")
        self.refused("pykokkos_add_recompilation_test(NAME x SOURCE kern.py REPLACE a)", "go together")


if __name__ == "__main__":
    project.main()
