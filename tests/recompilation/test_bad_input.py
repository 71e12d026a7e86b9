"""Input that cannot be built: a located error, what was there stays, and the next good build works."""

import os
import unittest

import project
from project import KERNELS, PROGRAM, run, two_kernels

BAD = {
    "syntax error": KERNELS.replace("v[i] = i - 1", "v[i] = = 1"),
    "unsupported construct": KERNELS.replace("    v[i] = i - 1", "    with v:\n        v[i] = 1"),
    "bad indentation": KERNELS.replace("    v[i] = i - 1", "v[i] = 1"),
    "unknown name": KERNELS.replace("i - 1", "j - 1"),
    "deep nesting": KERNELS.replace("i - 1", "(" * 10000 + "i" + ")" * 10000),
    "deep unary": KERNELS.replace("i - 1", "-" * 10000 + "i"),
    "NUL bytes": KERNELS.replace("i - 1", "i -\0 1"),
    "not UTF-8": KERNELS.encode() + b"\n# \xff\xfe\n",
}


class BadInput(project.Case):
    def outputs(self, p):
        found = {}
        for folder, _, files in os.walk(os.path.join(p.build_dir, "pykokkos", "kern")):
            for name in files:
                if name.endswith((".cpp", ".hpp", ".meta", ".kern.cmake")):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        found[path] = (file.read(), os.stat(path).st_mtime_ns)
        return found

    def test_build_and_command(self):
        p = two_kernels(self, "add_custom_command(OUTPUT other-ran COMMAND ${CMAKE_COMMAND} -E touch other-ran)\n"
                        "add_custom_target(other ALL DEPENDS other-ran)\n")
        p.configure()
        self.assertEqual(p.build(), ["alpha", "beta"])
        before = self.outputs(p)
        self.assertTrue(before)
        for name, text in BAD.items():
            with self.subTest(name):
                data = text if isinstance(text, bytes) else text.encode()
                with open(p.path("kern.py"), "wb") as file:
                    file.write(data)
                os.remove(os.path.join(p.build_dir, "other-ran"))
                output = p.fails("--", "-k0")
                self.assertRegex(output, r"kern\.py:\d+:\d+: error: ")
                self.assertEqual(p.compiled(), [])
                self.assertTrue(os.path.exists(os.path.join(p.build_dir, "other-ran")))
                self.assertEqual(self.outputs(p), before)
                done = p.command("list", "--json", "kern.py", check=False)
                self.assertEqual(done.returncode, 1, done.stdout)
                done = p.command("build", "-o", os.path.join(p.root, "alone"), "kern.py", check=False)
                self.assertEqual(done.returncode, 1, done.stdout)
                p.write("kern.py", KERNELS)
                self.assertEqual(p.build(), [])
                self.assertTrue(p.nothing_to_do(), p.output)

    def test_missing_file(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        hidden = p.path("hidden")
        os.rename(p.path("kern.py"), hidden)
        for _ in range(2):
            self.assertIn("kern.py", p.fails())
        self.assertEqual(p.command("list", "kern.py", check=False).returncode, 1)
        os.rename(hidden, p.path("kern.py"))
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable_file(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        os.chmod(p.path("kern.py"), 0)
        os.utime(p.path("kern.py"))
        self.assertIn("kern.py", p.fails())
        os.chmod(p.path("kern.py"), 0o644)
        self.assertEqual(p.build(), [])

    def test_folder_instead_of_a_file(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        os.remove(p.path("kern.py"))
        os.mkdir(p.path("kern.py"))
        self.assertIn("kern.py", p.fails())
        os.rmdir(p.path("kern.py"))
        p.write("kern.py", KERNELS)
        self.assertEqual(p.build(), [])

    def test_large_files(self):
        """A file above the limit is refused with a message, one below it works."""
        p = two_kernels(self)
        p.configure()
        p.build()
        p.write("kern.py", KERNELS + "# filler\n" * 1200000)
        self.assertIn("kern.py", p.fails())
        self.assertIn("bytes", p.output)
        p.write("kern.py", KERNELS + "# filler\n" * 100000)
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())

    def test_usage(self):
        for arguments in (["list"], ["nonsense"], ["build", "--nonsense", "x.py"], ["generate"], []):
            done = run([PROGRAM] + arguments, check=False)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout))
            self.assertTrue(done.stdout)


if __name__ == "__main__":
    project.main()
