"""Building without CMake: `pykokkos-cache ninja` and `build`."""

import glob
import os
import re
import sys
import time

import project
import test_groups
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

    def compiled(self):
        """Runs ninja; the kernels that were compiled."""
        self.p.env["PYKOKKOS_CACHE_VERBOSE"] = "1"
        self.ninja()
        return sorted(re.findall(r"compiled kern\.(\w+)", self.output))

    def objects(self):
        return set(glob.glob(os.path.join(self.out, "pkc", "*.o")))

    def test_groups(self):
        """Many kernels are in few TUs, whose objects keep what keyed names promise."""
        p = self.p
        every = sorted("w%d" % i for i in range(12))
        arguments = ["ninja", "-o", self.out, "--group-over", "4", "kern.py"]
        p.write("kern.py", test_groups.kernels(12))
        p.command(*arguments)
        self.assertEqual(self.compiled(), every)
        self.assertEqual(len(self.objects()), 4 + 1, "four groups and the dispatch TU")
        self.ninja()
        self.assertIn("no work to do", self.output)

        p.edit("kern.py", "* 5 + 100", "* 5 + 200")
        self.assertEqual(self.compiled(), ["w5"])
        self.assertEqual(self.output.count("Compiling"), 1, self.output)
        self.assertEqual(len(self.objects()), 5 + 1)
        p.edit("kern.py", "* 5 + 200", "* 5 + 100")
        self.assertEqual(self.compiled(), [])
        self.assertNotIn("Compiling", self.output, "an edit taken back only links")
        self.assertIn("Linking", self.output)
        p.edit("kern.py", "* 7 + 100", "* 7 + 300")
        self.assertEqual(self.compiled(), ["w7"])

        for tool in ("clean", "cleandead"):
            self.ninja("-t", tool)
            p.command(*arguments)
            self.assertEqual(self.compiled(), [])
            self.ninja()
            self.assertIn("no work to do", self.output)
        first = self.out
        self.out = os.path.join(p.root, "second")
        arguments[2] = self.out
        p.command(*arguments)
        self.assertEqual(self.compiled(), [], "a warm store")
        with open(os.path.join(first, "libkern.so"), "rb") as one, open(
                os.path.join(self.out, "libkern.so"), "rb") as other:
            self.assertEqual(one.read(), other.read())

        p.edit("kern.py", "SCALE = 3", "SCALE = 4")
        self.assertEqual(self.compiled(), every)
        p.write("kern.py", test_groups.kernels(13).replace("* 7 + 100", "* 7 + 300"))
        self.assertIn("w12", self.compiled())
        arguments[4] = "0"
        p.command(*arguments)
        self.assertEqual(self.compiled(), [])
        self.assertEqual(self.output.count("Compiling"), 13, "one TU a kernel; all from the store")

    def test_groups_compute(self):
        p = self.p
        p.env["PYKOKKOS_CACHE_PYTHON"] = sys.executable
        p.write("kern.py", test_groups.kernels(12))
        code = "import array, kern\na = array.array('q', [0] * 3)\nkern.w5(3, v=a)\nprint(list(a))"
        for text, expected in (("* 5 + 100", [115, 120, 125]), ("* 5 + 200", [215, 220, 225]),
                               ("* 5 + 100", [115, 120, 125]), ("* 5 + 400", [415, 420, 425])):
            p.write("kern.py", test_groups.kernels(12).replace("* 5 + 100", text))
            done = p.command("build", "--python", "--group-over", "4", "-o", self.out, "kern.py")
            path = done.stdout.splitlines()[-1]
            done = run([sys.executable, "-c", code], env=dict(p.env, PYTHONPATH=os.path.dirname(path)))
            self.assertEqual(done.stdout.splitlines()[0], str(expected))

    def test_group_over_is_a_number(self):
        for wrong in ("", "x", "-1", "1e3", "99999999999"):
            done = self.p.command("ninja", "-o", self.out, "--group-over=" + wrong, "kern.py", check=False)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertFalse(os.path.exists(self.out))

    def test_what_is_remembered_writes_the_same_edges(self):
        """After an edit only it is generated; the folder is as a whole generation leaves it."""
        p = self.p
        for over in ("4", "0"):
            with self.subTest(over):
                p.write("kern.py", test_groups.kernels(12))
                p.command("ninja", "-o", self.out, "--group-over", over, "kern.py")
                self.ninja()
                blocks = os.path.join(self.out, "pykokkos/kern/kern.blocks")
                self.assertTrue(os.path.isfile(blocks))
                p.edit("kern.py", "* 5 + 100", "* 5 + 200")
                self.ninja()
                with open(os.path.join(self.out, "pykokkos/kern/kern.edges")) as file:
                    part = file.read()
                os.unlink(blocks)
                p.command("ninja", "-o", self.out, "--group-over", over, "kern.py")
                with open(os.path.join(self.out, "pykokkos/kern/kern.edges")) as file:
                    self.assertEqual(file.read(), part)

    def edges(self, over):
        self.p.command("ninja", "-o", self.out, "--group-over", over, "kern.py")
        with open(os.path.join(self.out, "pykokkos/kern/kern.edges")) as file:
            text = file.read()
        return text, set(re.findall(r"pkc/[0-9a-f]{64}\.o", text))

    def test_remembered_keys(self):
        """Keys of TUs that are as they were are believed only where all else is as it was, too."""
        p = self.p
        keys = os.path.join(self.out, "pykokkos/kern/kern.keys")
        for over, count in (("4", 4), ("0", 12)):
            with self.subTest(over):
                p.write("kern.py", test_groups.kernels(12))
                self.edges(over)
                time.sleep(2.5)  # younger files may change unseen
                text, objects = self.edges(over)
                self.assertEqual(len(objects), count)
                with open(keys) as file:
                    remembered = file.read()
                self.assertEqual(len(remembered.splitlines()), 2 + count)
                self.assertEqual(self.edges(over)[0], text)

                p.env["SOURCE_DATE_EPOCH"] = "1"
                self.assertEqual(self.edges(over)[1] & objects, set())
                del p.env["SOURCE_DATE_EPOCH"]
                self.assertEqual(self.edges(over)[0], text)

                p.edit("kern.py", "* 5 + 100", "* 5 + 200")
                edited = self.edges(over)[1]
                self.assertEqual(len(edited & objects), count - 1)
                p.edit("kern.py", "* 5 + 200", "* 5 + 100")
                self.assertEqual(self.edges(over)[0], text)

                some = sorted(objects)[0][4:-2]
                with open(keys, "w") as file:
                    file.write(remembered.replace(some, "0" * 64))
                self.assertEqual(self.edges(over)[0], text)


if __name__ == "__main__":
    project.main()
