"""The command: list, why, status, doctor, help and exit codes."""

import glob
import json
import os
import re
import shutil
import subprocess
import unittest

import project
from project import KERNELS, PROGRAM, Project, run, two_kernels


class Command(project.Case):
    def json(self, p, *arguments, status=0, cwd=None):
        done = subprocess.run([PROGRAM] + list(arguments), stdout=subprocess.PIPE, text=True, env=p.env,
                              cwd=cwd or p.source)
        self.assertEqual(done.returncode, status, done.stdout)
        return json.loads(done.stdout)

    def test_help_and_version(self):
        self.assertRegex(run([PROGRAM, "--version"]).stdout, r"^pykokkos-cache \d+\.\d+\.\d+\n$")
        top = run([PROGRAM, "--help"]).stdout
        for name in ("build", "ninja", "list", "why", "status", "stats", "verify", "gc", "clear", "doctor",
                     "generate", "key"):
            self.assertIn(name, top)
            for words in ([name, "--help"], ["help", name]):
                self.assertIn("usage: pykokkos-cache %s" % name, run([PROGRAM] + words).stdout)
        done = run([PROGRAM, "lsit"], check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("list", done.stdout)

    def test_list(self):
        p = Project(self)
        p.write("kern.py", KERNELS + "\n\n@pk.workunit\ndef dot(i: int, acc: pk.Acc[float], x: pk.View1D[float]):\n"
                "    acc += x[i]\n")
        listed = self.json(p, "list", "--json", "kern.py")
        self.assertEqual([w["workunit"] for w in listed], ["alpha", "beta", "dot"])
        alpha = listed[0]
        self.assertEqual((alpha["module"], alpha["line"], alpha["operation"], alpha["policy"]),
                         ("kern", 13, "for", "Range"))
        self.assertEqual(alpha["parameters"], [{"name": "v", "type": "View1D[int64]"}])
        self.assertEqual(listed[2]["operation"], "reduce")
        for w in listed:
            self.assertRegex(w["ast_hash"], "^[0-9a-f]{64}$")
            self.assertRegex(w["signature_hash"], "^[0-9a-f]{64}$")
        self.assertEqual(len({w["ast_hash"] for w in listed}), 3)

    def test_list_of_a_file_with_an_error(self):
        p = Project(self)
        p.write("kern.py", KERNELS.replace("v[i] = i - 1", "v[i] = unknown"))
        alpha, beta = self.json(p, "list", "--json", "kern.py", status=1)
        self.assertIn("ast_hash", alpha)
        self.assertNotIn("error", alpha)
        self.assertEqual(beta["workunit"], "beta")
        self.assertEqual(beta["error"]["line"], 19)
        self.assertGreater(beta["error"]["column"], 1)
        self.assertIn("unknown", beta["error"]["message"])

    def output_line(self, p):
        """What the last build said of its own accord."""
        lines = [line for line in p.output.splitlines() if line.startswith("pykokkos-cache:")]
        self.assertLess(len(lines), 2)
        return lines[0] if lines else ""

    def why(self, p, *arguments, check=True):
        return run([PROGRAM, "why", "-C", p.build_dir] + list(arguments), env=p.env, check=check).stdout

    def test_why(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        self.assertEqual(self.why(p).count("first build"), 2)
        self.assertEqual(self.output_line(p), "", "a first build is as Ninja says it")
        p.edit("kern.py", "i - 1", "i - 2")
        pending = self.why(p)
        self.assertEqual(len(pending.splitlines()), 1, pending)
        self.assertRegex(pending, r"^kern\.beta: .*body")
        self.assertIn("not built yet", pending)
        self.assertIn("unchanged", self.why(p, "alpha"))
        self.assertIn("    -      Constant int 1\n    +      Constant int 2\n", self.why(p, "--diff"))
        p.build()
        told = pending.replace(" (not built yet)", "")
        self.assertEqual(self.why(p), told)
        self.assertIn("    -      Constant int 1\n    +      Constant int 2\n", self.why(p, "--diff"))
        # The build itself says the same, with the time it took.
        cause = told[len("kern.beta: "):].strip()
        self.assertRegex(self.output_line(p), r"^pykokkos-cache: compiled kern\.beta in \d+ ms: "
                         + re.escape(cause) + "$")
        line, = self.json(p, "why", "--json", "--diff", "-C", p.build_dir)
        self.assertEqual((line["built"], line["restored"], line["cause"]), (True, False, cause))
        self.assertGreater(line["compile_ms"], 0)
        self.assertIn("+      Constant int 2", line["diff"])
        # What the target's state says is the same wherever it is told from, or is not told at all.
        state = glob.glob(os.path.join(p.build_dir, "**", "*.state"), recursive=True)[0]
        with open(state, "rb") as file:
            data = file.read()
        for at in range(0, len(data), len(data) // 25):
            with open(state, "wb") as file:
                file.write(data[:at] + bytes([data[at] ^ 4]) + data[at + 1:])
            said = self.why(p, "--diff")
            self.assertIn("%s cannot be read" % state, said)
            self.assertEqual([line for line in said.splitlines() if "warning:" not in line], [told.strip()])
        with open(state, "wb") as file:
            file.write(data)
        p.edit("kern.py", "i - 2", "i - 1")
        p.build()
        self.assertRegex(self.why(p), r"^kern\.beta: body .* 2 -> Constant int 1 \(from the store\)\n$")
        self.assertEqual(self.output_line(p), "")
        p.edit("kern.py", "return x + SCALE", "return SCALE - x")
        p.build()
        self.assertRegex(self.why(p, "alpha"), r"shift")
        p.edit("kern.py", "SCALE = 3", "SCALE = 4")
        p.build()
        self.assertRegex(self.why(p, "kern.alpha"), r"SCALE.*3.*4")
        p.edit("kern.py", "def beta(i: int, v: pk.View1D[pk.int64])", "def beta(i: int, v: pk.View1D[pk.int32])")
        p.build()
        self.assertRegex(self.why(p), r"kern\.beta: signature")
        lines = self.json(p, "why", "--json", "-C", p.build_dir)
        self.assertEqual([line["workunit"] for line in lines], ["kern.beta"])
        self.assertIn("no workunit", self.why(p, "nobody", check=False))
        # Found from a folder inside the build tree, too.
        inside = os.path.join(p.build_dir, "CMakeFiles")
        self.assertEqual(len(self.json(p, "why", "--json", cwd=inside)), 1)

    def test_why_not_python(self):
        """Causes that are no edit, told after the build that met them."""
        p = two_kernels(self)
        p.configure()
        p.build()
        p.configure("-DCMAKE_CXX_FLAGS=-funroll-loops")
        p.build()
        self.assertEqual(self.output_line(p), "", "not told for each of many")
        told = self.why(p).splitlines()
        self.assertIn("kern.alpha: flags: added -funroll-loops", told)
        self.assertIn("kern.beta: flags: added -funroll-loops", told)
        shutil.rmtree(os.path.join(p.store, "entries"))
        for folder, _, names in os.walk(p.build_dir):
            for name in names:
                if name.endswith(".o"):
                    os.remove(os.path.join(folder, name))
        p.build()
        self.assertIn("kern.beta: evicted", self.why(p).splitlines())
        # An edit and another flag in one build: both.
        p.edit("kern.py", "i - 1", "i - 2")
        p.configure("-DCMAKE_CXX_FLAGS=")
        p.build()
        self.assertRegex(self.why(p, "beta"), r"^kern\.beta: flags: removed -funroll-loops; body at \S+:19: ")

    def test_why_helper_of_another_file(self):
        p = two_kernels(self)
        p.write("helpers.py", "import pykokkos as pk\n\nOFFSET = 1\n\n\n@pk.function\ndef twice(x: int) -> int:\n"
                "    return x + x + OFFSET\n")
        p.edit("kern.py", "v[i] = i - 1", "v[i] = twice(i)")
        p.edit("kern.py", "import pykokkos as pk", "import pykokkos as pk\nfrom helpers import twice")
        p.configure()
        p.build()
        p.edit("helpers.py", "x + x", "x * 2")
        self.assertEqual(p.build(), ["beta"])
        self.assertRegex(self.why(p), r"^kern\.beta: function \S*twice: body at \S*helpers\.py:8: ")
        p.edit("helpers.py", "OFFSET = 1", "OFFSET = 5")
        p.build()
        self.assertRegex(self.why(p), r"^kern\.beta: constant \S*OFFSET: 1 -> 5\n")

    @unittest.skipUnless(os.environ.get("PKC_TEST_OTHER_KOKKOS"), "needs PKC_OTHER_KOKKOS_DIR")
    def test_why_kokkos(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        p.configure("-DKokkos_DIR=" + os.environ["PKC_TEST_OTHER_KOKKOS"])
        p.build()
        self.assertRegex(self.why(p), r"(?m)^\S+\.dispatch\.cpp: Kokkos: [0-9.]+ -> [0-9.]+; ")

    def test_status(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        status = self.json(p, "status", "--json", "-C", p.build_dir)
        self.assertEqual(status["store"], p.store)
        target, = status["targets"]
        self.assertEqual([w["workunit"] for w in target["workunits"]], ["kern.alpha", "kern.beta"])
        for w in target["workunits"]:
            self.assertEqual(len(w["objects"]), 1, w)
            self.assertTrue(os.path.isfile(os.path.join(p.store, w["objects"][0]["directory"], "object")))

    def test_stats(self):
        p = two_kernels(self)
        p.configure()
        p.build()
        p.edit("kern.py", "i - 1", "i - 2")
        p.build()
        p.write("kern.py", KERNELS)
        p.build()
        stats = self.json(p, "stats", "--json")
        # Two kernels and the dispatch TU, then one kernel; the edit taken back is the hit.
        self.assertEqual(stats["misses"], 4)
        self.assertEqual(stats["hits"], 1)
        self.assertEqual(stats["entries"], 4)

    def test_doctor(self):
        p = Project(self)
        report = self.json(p, "doctor", "--json")
        self.assertEqual(report["problems"], 0)
        for what in ("program", "headers", "package", "cmake", "ninja", "compiler", "kokkos", "store"):
            self.assertTrue(report[what]["found"], what)
        p.env["PATH"] = "/nonexistent"
        done = subprocess.run([PROGRAM, "doctor"], stdout=subprocess.PIPE, text=True, env=p.env)
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt install cmake", done.stdout)


if __name__ == "__main__":
    project.main()
