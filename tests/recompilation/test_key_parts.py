"""`pykokkos-cache key`: each thing that can change an object changes the key, and the part that it is
told under; nothing else does."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import project
from project import PROGRAM, WORK, environment

KERNEL = """// PyKokkosCache kernel 1
#include <pykokkos_cache/view.hpp>
extern "C" void s(double *v, long n) { for (long i = 0; i < n; i++) v[i] *= FACTOR; }
"""
DISPATCH = """// PyKokkosCache dispatch 1
#include <KokkosCore_config.h>
int version() { return KOKKOS_VERSION; }
"""


class Parts(project.Case):
    def setUp(self):
        os.makedirs(WORK, exist_ok=True)
        self.root = tempfile.mkdtemp(dir=WORK)
        self.addCleanup(shutil.rmtree, self.root, True)
        self.env = environment(PYKOKKOS_CACHE_DIR=os.path.join(self.root, "store"))
        for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                     "SOURCE_DATE_EPOCH"):
            self.env.pop(name, None)
        self.compiler = shutil.which("g++") or shutil.which("c++")
        self.write("inc/pykokkos_cache/view.hpp", "#ifndef FACTOR\n#define FACTOR 2\n#endif\n")
        self.write("build/s.kernel.cpp", KERNEL)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def key(self, *flags, cwd="build", source="s.kernel.cpp", **variables):
        """{label: digest} of the parts, with "key"; texts in self.texts."""
        command = [PROGRAM, "key", "--json", "--", "--kokkos=4.0", self.compiler, "-I../inc", *flags,
                   "-MD", "-MF", "s.o.d", "-o", "s.o", "-c", source]
        done = subprocess.run(command, cwd=os.path.join(self.root, cwd), env=dict(self.env, **variables),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.texts = {part["label"]: part["text"] for part in told["parts"]}
        parts = {part["label"]: part["digest"] for part in told["parts"] if part["in_key"]}
        parts["key"] = told["key"]
        return parts

    def differ(self, one, two):
        return sorted(label for label in set(one) | set(two) if one.get(label) != two.get(label))

    def test_text_and_headers(self):
        first = self.key()
        self.assertEqual(set(first), {"format", "text", "headers", "flags", "compiler", "environment", "name",
                                      "paths", "key"})
        self.write("build/s.kernel.cpp", KERNEL.replace("*=", "+="))
        self.assertEqual(self.differ(first, self.key()), ["key", "text"])
        self.write("build/s.kernel.cpp", KERNEL)
        self.assertEqual(self.differ(first, self.key()), [])
        header = self.write("inc/pykokkos_cache/view.hpp", "#define FACTOR 3\n")
        self.assertEqual(self.differ(first, self.key()), ["headers", "key"])
        self.assertIn("pykokkos_cache/view.hpp=", self.texts["headers"])
        self.write("inc/pykokkos_cache/view.hpp", "#ifndef FACTOR\n#define FACTOR 2\n#endif\n")
        os.utime(header, (1, 1))
        self.assertEqual(self.differ(first, self.key()), [], "times do not count")
        self.write("other/pykokkos_cache/view.hpp", "#define FACTOR 4\n")
        self.assertEqual(self.differ(first, self.key("-I../other")), ["headers", "key"])
        os.rename(os.path.join(self.root, "build/s.kernel.cpp"), os.path.join(self.root, "build/t.kernel.cpp"))
        self.assertEqual(self.differ(first, self.key(source="t.kernel.cpp")), ["key", "name"])

    def test_flags_and_definitions(self):
        first = self.key("-O2")
        for flags in (["-O3"], [], ["-O2", "-fno-exceptions"], ["-O2", "-std=c++20"], ["-O2", "-O2"],
                      ["-O2", "-DFACTOR=3"], ["-O2", "-UFACTOR"], ["-O2", "-fsanitize=undefined"],
                      ["-O2", "-ffast-math"], ["-O2", "-fPIC"], ["-O2", "-Wall"]):
            self.assertIn("flags", self.differ(first, self.key(*flags)), flags)
        self.assertEqual(self.differ(self.key("-O2", "-O3"), self.key("-O3", "-O2")), ["flags", "key"])
        self.assertEqual(self.differ(first, self.key("-O2", "-DNOBODY=3")), [])
        self.assertIn("-DNOBODY=3 (the text does not mention NOBODY)", self.texts["left out"])

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_compiler_replaced_at_its_path(self):
        real = self.compiler
        self.compiler = self.write("bin/g++", "#!/bin/sh\nexec %s \"$@\"\n" % real, 0o755)
        first = self.key()
        self.write("bin/g++", "#!/bin/sh\n# another\nexec %s \"$@\"\n" % real, 0o755)
        self.assertEqual(self.differ(first, self.key()), ["compiler", "key"])
        # A program, whose identity is kept: by its content, whatever its times say.
        copy = os.path.join(self.root, "bin", "g++")
        shutil.copy(os.path.realpath(real), copy)
        os.utime(copy, (1000000000, 1000000000))
        libgcc = subprocess.run([real, "-print-libgcc-file-name"], stdout=subprocess.PIPE, text=True, check=True)
        prefix = os.path.dirname(os.path.dirname(os.path.dirname(libgcc.stdout.strip())))
        self.env["GCC_EXEC_PREFIX"] = prefix + "/" # where the copy finds its parts
        first = self.key()
        self.assertTrue(os.listdir(os.path.join(self.root, "store", "compilers")))
        with open(copy, "ab") as file:
            file.write(b"x")
        os.utime(copy, (1000000000, 1000000000))
        self.assertEqual(self.differ(first, self.key()), ["compiler", "key"])

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_parts_of_the_compiler(self):
        part = self.write("lib/cc1plus", "one", 0o755)
        native = self.write("lib/native", " cc1plus -march=old\n")
        script = ("#!/bin/sh\ncase \"$*\" in\n-print-prog-name=cc1plus) echo %s ;;\n"
                  "-print-file-name=libgcc.a) echo %s ;;\n-print-prog-name=clang) echo %s ;;\n"
                  "*-march=native*-###*) cat %s >&2 ;;\n*) exec %s \"$@\" ;;\nesac\n"
                  % (part, os.path.join(self.root, "lib", "libgcc.a"), os.path.join(self.root, "lib", "clang"),
                     native, shutil.which("g++")))
        self.compiler = self.write("bin/g++", script, 0o755)
        first = self.key("-march=native")
        self.assertIn("native (here -march=old)", self.texts["compiler"])

        def changed(name, text):
            path = os.path.join(self.root, name)
            before = None
            if os.path.exists(path):
                with open(path) as file:
                    before = file.read()
            self.write(name, text, 0o755)
            got = self.differ(first, self.key("-march=native"))
            os.remove(path)
            if before is not None:
                self.write(name, before, 0o755)
            self.assertEqual(self.differ(first, self.key("-march=native")), [], "%s as it was" % name)
            return got

        for name in ("lib/cc1plus", "lib/specs", "lib/clang", "lib/native"):
            self.assertEqual(changed(name, " cc1plus -march=new\n"), ["compiler", "key"], name)
        plain = self.key()
        self.write("lib/native", " cc1plus -march=new\n")
        self.assertEqual(self.differ(plain, self.key()), [], "another machine, without -march=native")

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_specs_come_up_beside_a_kept_compiler(self):
        """What GCC is made of is kept; that there is no specs file is part of that."""
        first = self.key()
        memos = os.path.join(self.root, "store", "compilers")
        name, = os.listdir(memos)
        with open(os.path.join(memos, name)) as file:
            self.assertRegex(file.read(), r"(?m)^stamp .*/specs$")
        self.assertEqual(self.differ(first, self.key()), [])

    @unittest.skipUnless(shutil.which("clang++"), "needs clang++")
    def test_libraries_of_clang(self):
        self.compiler = shutil.which("clang++")
        self.key()
        linked = subprocess.run(["ldd", os.path.realpath(self.compiler)], stdout=subprocess.PIPE, text=True)
        for name in ("libLLVM", "libclang-cpp"):
            if name in linked.stdout:
                self.assertRegex(self.texts["compiler"], r"library /\S*%s" % name)

    def test_variables_that_compilers_read(self):
        first = self.key()
        folder = os.path.join(self.root, "nothing")
        os.makedirs(folder)
        for name, value in (("CPATH", folder), ("C_INCLUDE_PATH", folder), ("CPLUS_INCLUDE_PATH", folder),
                            ("COMPILER_PATH", folder), ("SOURCE_DATE_EPOCH", "1"),
                            ("GCC_EXEC_PREFIX", "/usr/lib/gcc/")):
            got = self.differ(first, self.key(**{name: value}))
            self.assertTrue({"environment", "key"} <= set(got), (name, got))
            self.assertIn("%s=%s" % (name, value), self.texts["environment"])
        self.write("found/pykokkos_cache/view.hpp", "#define FACTOR 9\n")
        got = self.differ(first, self.key(CPATH=os.path.join(self.root, "found")))
        self.assertEqual(got, ["environment", "headers", "key"])

    def test_paths_of_debug_information(self):
        shutil.copytree(os.path.join(self.root, "build"), os.path.join(self.root, "build2"))
        self.assertEqual(self.differ(self.key(), self.key(cwd="build2")), [])
        self.assertEqual(self.differ(self.key("-g"), self.key("-g", cwd="build2")), ["key", "paths"])
        self.assertIn(os.path.join(self.root, "build2"), self.texts["paths"])
        maps = ["-g", "-fdebug-prefix-map=%s=." % os.path.join(self.root, "build")]
        more = ["-g", "-fdebug-prefix-map=%s=." % os.path.join(self.root, "build2")]
        # The source and the folder of headers are named relative to the build folder in both.
        self.assertEqual(self.differ(self.key(*maps), self.key(*more, cwd="build2")), [])
        self.write("build/s.kernel.cpp", KERNEL.replace("FACTOR;", "FACTOR + sizeof(__FILE__);"))
        shutil.copy(os.path.join(self.root, "build/s.kernel.cpp"), os.path.join(self.root, "build2"))
        self.assertEqual(self.differ(self.key(), self.key(cwd="build2")), ["key", "paths"])

    @unittest.skipUnless(shutil.which("g++"), "needs g++")
    def test_precompiled_header(self):
        header = self.write("build/pch.hpp", "#define FACTOR 2\n")
        flags = ["-include", "pch.hpp", "-Werror=invalid-pch"]
        without = self.key(*flags)
        subprocess.run([self.compiler, "-x", "c++-header", header, "-o", header + ".gch"], check=True)
        first = self.key(*flags)
        self.assertEqual(self.differ(without, first), ["headers", "key"])
        subprocess.run([self.compiler, "-O2", "-x", "c++-header", header, "-o", header + ".gch"], check=True)
        self.assertEqual(self.differ(first, self.key(*flags)), ["headers", "key"])

    def test_kokkos_configuration(self):
        """A TU that includes Kokkos: known once it was compiled."""
        self.write("kokkos/KokkosCore_config.h", "#define KOKKOS_VERSION 40000\n")
        self.write("build/d.dispatch.cpp", DISPATCH)

        def compiled():
            subprocess.run(["sleep", "0.05"], check=True)  # headers made just before are not trusted
            subprocess.run([PROGRAM, "compile", "--kokkos=4.0", "--", self.compiler, "-I../inc",
                            "-isystem", "../kokkos", "-MD", "-MF", "s.o.d", "-o", "s.o", "-c",
                            "d.dispatch.cpp"], check=True, env=self.env, cwd=os.path.join(self.root, "build"))
            return self.key("-isystem", "../kokkos", source="d.dispatch.cpp")

        first = compiled()
        self.assertRegex(self.texts["used headers"], r"(?m)^KokkosCore_config\.h=[0-9a-f]{64}$")
        self.assertEqual(self.texts["Kokkos"], "4.0")
        self.write("kokkos/KokkosCore_config.h", "#define KOKKOS_VERSION 40000\n#define KOKKOS_ENABLE_OPENMP\n")
        self.assertEqual(self.differ(first, compiled()), ["key", "used headers"])

    def test_what_does_not_count(self):
        first = self.key("-O2")
        elsewhere = os.path.join(self.root, "far", "deeper", "an other")
        shutil.copytree(os.path.join(self.root, "inc"), os.path.join(elsewhere, "inc"))
        shutil.copytree(os.path.join(self.root, "build"), os.path.join(elsewhere, "build"))
        self.assertEqual(self.differ(first, self.key("-O2", cwd=os.path.join(elsewhere, "build"))), [])
        for variables in ({"LC_ALL": "tr_TR.UTF-8"}, {"LANG": "de_DE.UTF-8"}, {"TZ": "Asia/Kathmandu"},
                          {"HOME": "/nonexistent"}, {"COLUMNS": "20", "NOISE": "1", "PYTHONHASHSEED": "7"},
                          {"PYKOKKOS_CACHE_DIR": os.path.join(self.root, "another")},
                          {"PYKOKKOS_CACHE_DISABLE": "1"}):
            self.assertEqual(self.differ(first, self.key("-O2", **variables)), [], variables)
        for mask in (0o077, 0o000):
            old = os.umask(mask)
            try:
                self.assertEqual(self.differ(first, self.key("-O2")), [])
            finally:
                os.umask(old)

    def test_explained(self):
        done = subprocess.run([PROGRAM, "key", "--explain", "--", "--kokkos=4.0", self.compiler, "-I../inc",
                               "-O2", "-o", "s.o", "-c", "s.kernel.cpp"], stdout=subprocess.PIPE, text=True,
                              env=self.env, cwd=os.path.join(self.root, "build"))
        self.assertEqual(done.returncode, 0)
        inside, outside = done.stdout.split("not in the key:\n")
        for label in ("format", "text", "headers", "flags", "compiler", "environment", "name", "paths", "key"):
            self.assertRegex(inside, r"(?m)^%s +[0-9a-f]{64}" % label)
        self.assertIn("\n    -O2\n", inside)
        self.assertRegex(inside, r"\n    program /\S+ [0-9a-f]{64}\n")
        self.assertIn("none of SOURCE_DATE_EPOCH", inside)
        self.assertIn("(nothing in it holds paths)", inside)
        self.assertRegex(outside, r"(?m)^Kokkos +- .*\n    4\.0$")
        self.assertIn("\n    -I ../inc (the headers found there count)\n", outside)
        # A command that is not understood has no key, and says why.
        done = subprocess.run([PROGRAM, "key", "--", self.compiler, "-save-temps", "-o", "s.o", "-c",
                               "s.kernel.cpp"], stderr=subprocess.PIPE, text=True, env=self.env,
                              cwd=os.path.join(self.root, "build"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("-save-temps is not handled", done.stderr)


if __name__ == "__main__":
    project.main()
