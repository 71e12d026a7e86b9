"""What an edit compiles, and what it does not."""

import os
import unittest

import project
from project import KERNELS, two_kernels


class Edits(project.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()

    def setUp(self):
        self.p = two_kernels(self)
        self.p.configure()
        self.assertEqual(self.p.build(), ["alpha", "beta"])
        self.assertTrue(self.p.nothing_to_do())

    def expect_nothing_compiled(self):
        self.assertEqual(self.p.build(), [])
        self.assertTrue(self.p.nothing_to_do(), self.p.output)

    def test_edits_that_change_nothing(self):
        p = self.p
        with self.subTest("touch"):
            os.utime(p.path("kern.py"))
            self.expect_nothing_compiled()
        with self.subTest("comment"):
            p.write("kern.py", KERNELS + "\n# a remark\n")
            self.expect_nothing_compiled()
        with self.subTest("reformatted as black does"):
            p.write("kern.py", KERNELS.replace("v[i] = shift(i)", "v[i] = (\n        shift(i)  # why\n    )")
                    .replace("v: pk.View1D[pk.int64]", "v: pk.View1D[\n        pk.int64\n    ],"))
            self.expect_nothing_compiled()
        with self.subTest("docstring"):
            p.write("kern.py", KERNELS.replace("    v[i] = i - 1", '    """Says what."""\n    v[i] = i - 1'))
            self.expect_nothing_compiled()
        with self.subTest("moved function"):
            head, alpha, beta = KERNELS.split("@pk.workunit\n")
            p.write("kern.py", head + "@pk.workunit\n" + beta + "\n\n@pk.workunit\n" + alpha)
            self.expect_nothing_compiled()
        with self.subTest("import alias"):
            p.write("kern.py", KERNELS.replace("import pykokkos as pk", "import pykokkos as kokkos")
                    .replace("pk.", "kokkos."))
            self.expect_nothing_compiled()
        with self.subTest("host code"):
            p.write("kern.py", KERNELS + "\n\ndef main():\n    pk.parallel_for(3, alpha, v=None)\n")
            self.expect_nothing_compiled()
        with self.subTest("line ends"):
            p.write("kern.py", KERNELS.replace("\n", "\r\n"))
            self.expect_nothing_compiled()

    def test_each_workunit_by_itself(self):
        p = self.p
        p.edit("kern.py", "i - 1", "i - 2")
        self.assertEqual(p.build(), ["beta"])
        p.edit("kern.py", "v[i] = shift(i)", "v[i] = shift(i) + 1")
        self.assertEqual(p.build(), ["alpha"])
        self.assertTrue(p.nothing_to_do())

    def test_helper_and_constant(self):
        p = self.p
        p.edit("kern.py", "return x + SCALE", "return x - SCALE")
        self.assertEqual(p.build(), ["alpha"])
        p.edit("kern.py", "SCALE = 3", "SCALE = 4")
        self.assertEqual(p.build(), ["alpha"])

    def test_types(self):
        p = self.p
        p.edit("kern.py", "def beta(i: int, v: pk.View1D[pk.int64])", "def beta(i: int, v: pk.View1D[pk.int32])")
        self.assertEqual(p.build(), ["beta"])
        p.edit("kern.py", "def beta(i: int, v: pk.View1D[pk.int32])", "def beta(i: int, v: pk.View1D[pk.int64])")
        self.assertEqual(p.build(), [])

    def test_taken_back(self):
        p = self.p
        p.edit("kern.py", "i - 1", "i - 7")
        self.assertEqual(p.build(), ["beta"])
        p.write("kern.py", KERNELS)
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())

    def test_new_build_tree_with_a_warm_store(self):
        p = self.p
        p.build_dir = os.path.join(p.root, "second")
        p.configure()
        self.assertEqual(p.build(), [])

    def test_removed_added_renamed(self):
        p = self.p
        p.write("kern.py", KERNELS[:KERNELS.index("@pk.workunit\ndef beta")])
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())
        p.write("kern.py", KERNELS.replace("def beta", "def gamma"))
        self.assertEqual(p.build(), ["gamma"])
        self.assertTrue(p.nothing_to_do())
        with open(os.path.join(p.build_dir, "build.ninja")) as file:
            self.assertNotIn("beta.kernel.cpp", file.read())

    def test_configured_again(self):
        p = self.p
        os.utime(p.path("CMakeLists.txt"))
        self.assertEqual(p.build(), [])
        self.assertTrue(p.nothing_to_do())


if __name__ == "__main__":
    project.main()
