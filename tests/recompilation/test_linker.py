"""Which linker a kernel library is linked with."""

import os
import re
import shutil
import unittest

import project
from project import Project


class Linker(project.Case):
    def chosen(self, *arguments, text="", program=None):
        """The linker named in the command that links the library; `program`: one called mold to find."""
        p = Project(self)
        tools = os.path.join(p.root, "tools")
        os.makedirs(tools)
        if program:
            os.symlink(program, os.path.join(tools, "ld.mold"))
        p.env["PATH"] = tools + os.pathsep + p.env["PATH"]
        p.write("kern.py", project.KERNELS)
        p.cmake(text + "pykokkos_add_library(kern SHARED SOURCES kern.py)\n")
        p.configure(*arguments)
        with open(os.path.join(p.build_dir, "build.ninja")) as file:
            return p, re.findall(r"-fuse-ld=(\w+)", file.read())

    @unittest.skipUnless(shutil.which("ld.gold"), "skipped: gold is not installed")
    def test_mold_first(self):
        p, linkers = self.chosen(program=shutil.which("ld.gold"))
        self.assertEqual(linkers, ["mold"])
        self.assertEqual(p.build(), ["alpha", "beta"])  # and it links

    @unittest.skipUnless(shutil.which("ld.gold"), "skipped: gold is not installed")
    @unittest.skipIf(shutil.which("ld.mold"), "skipped: mold is installed")
    def test_gold_without_mold(self):
        self.assertEqual(self.chosen()[1], ["gold"])

    def test_the_users_own(self):
        for arguments, text in (
                (["-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=bfd"], ""),
                (["-DCMAKE_CXX_FLAGS=-fuse-ld=bfd"], ""),
                ([], "add_link_options(-fuse-ld=bfd)\n")):
            self.assertEqual(set(self.chosen(*arguments, text=text)[1]), {"bfd"}, (arguments, text))
        self.assertEqual(self.chosen("-DPYKOKKOS_CACHE_FAST_LINKER=OFF")[1], [])


if __name__ == "__main__":
    project.main()
