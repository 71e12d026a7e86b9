"""Building without CMake: `pykokkos-cache ninja` and `build`."""

import os
import sys

import project
from project import KERNELS, Project, run


class Ninja(project.Case):
    def setUp(self):
        self.p = Project(self)
        self.p.write("kern.py", KERNELS)
        self.out = os.path.join(self.p.root, "out folder")

    def ninja(self, *arguments, check=True):
        done = run(["ninja", "-C", self.out] + list(arguments), check=check, env=self.p.env)
        self.output = done.stdout
        return done.returncode == 0

    def test_edit_and_back(self):
        p = self.p
        done = p.command("ninja", "-o", self.out, "kern.py")
        self.assertEqual(done.stdout.splitlines()[-1], os.path.join(self.out, "build.ninja"))
        self.ninja()
        library = os.path.join(self.out, "libkern.so")
        self.assertTrue(os.path.isfile(library))
        self.ninja()
        self.assertIn("no work to do", self.output)
        objects = set(os.listdir(os.path.join(self.out, "pkc")))

        p.edit("kern.py", "i - 1", "i - 2")
        self.ninja()
        self.assertEqual(self.output.count("Compiling"), 1, self.output)
        self.assertIn("Compiling kern.beta", self.output)
        self.ninja()
        self.assertIn("no work to do", self.output)

        p.write("kern.py", KERNELS)
        self.ninja()
        self.assertNotIn("Compiling", self.output, "an edit taken back only links")
        self.assertIn("Linking", self.output)
        self.assertLess(objects, set(os.listdir(os.path.join(self.out, "pkc"))))
        self.ninja()
        self.assertIn("no work to do", self.output)

        p.write("kern.py", KERNELS + "# a comment\n")
        self.ninja()
        self.assertNotIn("Compiling", self.output)
        self.assertNotIn("Linking", self.output)

    def test_added_renamed_removed(self):
        p = self.p
        p.command("ninja", "-o", self.out, "kern.py")
        self.ninja()
        p.edit("kern.py", "def beta", "def gamma")
        self.ninja()
        self.assertIn("Compiling kern.gamma", self.output)
        self.ninja()
        self.assertIn("no work to do", self.output)
        p.write("kern.py", KERNELS[:KERNELS.index("@pk.workunit\ndef beta")])
        self.ninja()
        self.assertNotIn("Compiling", self.output)

    def test_second_folder_compiles_no_kernel(self):
        p = self.p
        p.command("ninja", "-o", self.out, "kern.py")
        self.ninja()
        before = p.entries()
        self.out = os.path.join(p.root, "second")
        p.command("ninja", "-o", self.out, "kern.py")
        self.ninja()
        self.assertEqual(p.entries(), before)

    def test_clean(self):
        p = self.p
        p.command("ninja", "-o", self.out, "kern.py")
        self.ninja()
        for tool in ("clean", "cleandead"):
            self.ninja("-t", tool)
            p.command("ninja", "-o", self.out, "kern.py")
            self.ninja()
            self.assertTrue(os.path.isfile(os.path.join(self.out, "libkern.so")))
            self.ninja()
            self.assertIn("no work to do", self.output)

    def test_error_and_recovery(self):
        p = self.p
        p.command("ninja", "-o", self.out, "kern.py")
        self.ninja()
        p.edit("kern.py", "v[i] = i - 1", "v[i] = unknown")
        for _ in range(2):
            self.assertFalse(self.ninja(check=False))
            self.assertRegex(self.output, r"kern\.py:19:\d+: error: .*unknown")
        p.write("kern.py", KERNELS)
        self.ninja()
        self.assertNotIn("Compiling", self.output)

    def test_flags_of_the_environment(self):
        p = self.p
        p.command("build", "-o", self.out, "kern.py")
        count = len(p.entries())
        p.env["CXXFLAGS"] = "-fno-unroll-loops"
        p.command("build", "-o", self.out, "kern.py")
        self.assertEqual(len(p.entries()), 2 * count)

    def test_build_prints_the_library_last(self):
        p = self.p
        for arguments, name in (([], "libkern.so"), (["--static"], "libkern.a"),
                                (["--name", "other"], "libother.so")):
            done = run([project.PROGRAM, "build", "-o", self.out] + arguments + ["kern.py"],
                       env=p.env, cwd=p.source)
            path = done.stdout.splitlines()[-1]
            self.assertEqual(path, os.path.join(self.out, name))
            self.assertTrue(os.path.isfile(path))

    def test_python_module(self):
        p = self.p
        p.env["PYKOKKOS_CACHE_PYTHON"] = sys.executable
        path = p.command("build", "--python", "-o", self.out, "kern.py").stdout.splitlines()[-1]
        code = ("import array, kern\na = array.array('q', [0] * 4)\nkern.beta(4, v=a)\nprint(list(a))\n"
                "kern.alpha(4, v=a)\nprint(list(a))")
        done = run([sys.executable, "-c", code], env=dict(p.env, PYTHONPATH=os.path.dirname(path)))
        self.assertEqual(done.stdout.split("\n")[:2], ["[-1, 0, 1, 2]", "[3, 4, 5, 6]"])

    def test_folder_of_another_build_is_left_alone(self):
        p = self.p
        os.makedirs(self.out)
        other = os.path.join(self.out, "build.ninja")
        with open(other, "w") as file:
            file.write("# somebody else's\n")
        done = p.command("build", "-o", self.out, "kern.py", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("was not written by pykokkos-cache", done.stdout)
        with open(other) as file:
            self.assertEqual(file.read(), "# somebody else's\n")


if __name__ == "__main__":
    project.main()
