"""The benchmarks work: two contenders, one round, and what it prints and writes; a call's and an import's
times; report and chart of made-up numbers."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import chart  # noqa: E402
import contenders  # noqa: E402
import goals  # noqa: E402
import itself  # noqa: E402
import report  # noqa: E402
from measure import Results  # noqa: E402

ARGUMENTS = sys.argv[1:]


def made_up():
    results = Results()
    for value in (0.06, 0.05, 0.07):
        results.add("body", "ours", value)
        results.add("body", "floor", 0.05)
    results.add("many", "pybind", 7.0, 100)
    results.add("many", "ours", 3.0)
    results.add("memory10000", "ours", 250)
    return results


class Report(unittest.TestCase):
    def test_table(self):
        table = report.table(made_up(), {"body": "body edit"})
        self.assertRegex(table, r"body edit +60\.0 ms +50\.0 ms|body edit +- +60\.0 ms +50\.0 ms")
        self.assertIn("~700.00 s", table)
        self.assertIn("x 0.83", table)

    def test_goals_not_measured(self):
        self.assertIn("not measured", report.goals(made_up(), True))
        self.assertNotIn("not measured", report.goals(made_up(), False))

    def test_goals(self):
        rows = {what: (ratio, verdict) for what, ratio, _, verdict in goals.check(made_up())}
        ratio, verdict = rows["body edit to library: 1.5 x the loop by hand"]
        self.assertAlmostEqual(ratio, 1.2)
        self.assertEqual(verdict, "met")
        self.assertEqual(rows["first build of many: 1/20 of PyKokkos' way"][1], "met")
        self.assertEqual(rows["generate 10,000: 200 MB"], (1.25, "not met"))
        self.assertEqual(rows["comment: 4 x nothing to do"], (None, "not measured"))

    def test_chart(self):
        svg = chart.draw(made_up(), {"body": "a < b & c"}, "a chart")
        root = xml.etree.ElementTree.fromstring(svg)
        bars = [node for node in root.iter("{http://www.w3.org/2000/svg}rect") if node.get("height") == "12"]
        self.assertEqual(len(bars), 4)
        self.assertIn("a < b & c", [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")])
        widths = {node.get("fill"): float(node.get("width")) for node in bars}
        self.assertGreater(widths[chart.COLOURS["pybind"]], widths[chart.COLOURS["floor"]])


class Itself(unittest.TestCase):
    """PyKokkos itself, where it can be imported; that it is left out with a reason where it can't."""

    def script(self, root, path):
        setup = contenders.Setup("", "", root, sys.executable, "", "", path)
        return itself.Itself(setup).project("edit", 3)

    def test_missing(self):
        self.assertIn("PYKOKKOS_PYTHONPATH", itself.reason_missing(sys.executable, ""))
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn("cannot be imported", itself.reason_missing(sys.executable, empty))

    def test_forget(self):
        with tempfile.TemporaryDirectory() as root:
            script = self.script(root, "")
            with self.assertRaises(itself.Failed):
                script.forget()
            compiled = os.path.join(script.source, "pk_cpp", "main")
            for name in ("kernels_triad", "kernels_damp1"):
                os.makedirs(os.path.join(compiled, name, "OpenMP"))
            script.forget()
            self.assertEqual(os.listdir(compiled), ["kernels_damp1"])

    @unittest.skipUnless(os.environ.get("PYKOKKOS_PYTHONPATH"), "skipped: no PYKOKKOS_PYTHONPATH")
    def test_edit(self):
        with tempfile.TemporaryDirectory() as root:
            script = self.script(root, os.environ["PYKOKKOS_PYTHONPATH"])
            state = itself.sources.State()
            for body, edited in ((0, False), (5, True)):
                state.body = body
                script.write(state)
                took, stored = script.contender.result(script, state, edited)
                self.assertEqual(stored, 12.0 + body)
                self.assertGreater(took, 0)


class Run(unittest.TestCase):
    def bench(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(HERE, "bench.py")] + ARGUMENTS + list(arguments),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_two_contenders(self):
        with tempfile.TemporaryDirectory() as out:
            done = self.bench("--quick", "--repeat", "1", "--contenders", "ours,floor", "--out", out,
                              "--events", "first1,body,back,comment,reformat,touch,other,helper,type,idle,python,"
                              "pyback,pycomment,pyidle")
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(os.path.join(out, "bench.json")) as file:
                data = json.load(file)
            xml.etree.ElementTree.parse(os.path.join(out, "bench.svg"))
        measured = {event["name"]: set(event["contenders"]) for event in data["events"]}
        self.assertEqual(measured["body"], {"ours", "floor"})
        self.assertEqual(measured["comment"], {"ours"})
        self.assertEqual(set(measured), set("first1 body back comment reformat touch other helper type idle "
                                            "python pyback pycomment pyidle".split()))
        for event in data["events"]:
            for contender in event["contenders"].values():
                self.assertGreater(contender["median"], 0)
        self.assertRegex(done.stdout, r"body edit to library: 1\.5 x the loop by hand +[0-9.]+ +1\.500 +(not )?met")

    def test_unknown_event(self):
        done = self.bench("--events", "body,nonsense")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no event 'nonsense'", done.stdout)


class Call(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("numpy"), "skipped: NumPy is not installed")
    def test_call(self):
        options = dict(zip(ARGUMENTS[::2], ARGUMENTS[1::2]))
        source = os.path.join(HERE, "..", "call")
        with tempfile.TemporaryDirectory() as folder:
            build = os.path.join(folder, "build")
            env = dict(os.environ, PYKOKKOS_CACHE_DIR=os.path.join(folder, "store"))
            settings = ["-DPyKokkosCache_DIR=" + options["--package"], "-DPython3_EXECUTABLE=" + sys.executable]
            if options["--kokkos-dir"]:
                settings.append("-DKokkos_DIR=" + options["--kokkos-dir"])
            printed = []
            for command in (["cmake", "-G", "Ninja", "-S", os.path.join(source, "project"), "-B", build] + settings,
                            ["cmake", "--build", build],
                            [sys.executable, "-I", os.path.join(source, "call.py"), build, "1"],
                            [sys.executable, "-I", os.path.join(source, "call.py"), build, "1", "--plain"]):
                done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, done.stdout)
                printed.append(done.stdout)
        table, plain = printed[2:]
        self.assertRegex(table, r"(?m)^call +[0-9.]+ ns .* ratio +[0-9.]+ +goal <= 2\.0 (not )?met$")
        self.assertRegex(table, r"(?m)^import +[0-9.]+ ms .* ratio +[0-9.]+ +goal <= 0\.2 (not )?met$")
        values = {tuple(line.split()[:2]): float(line.split()[2]) for line in plain.splitlines()}
        self.assertEqual(set(values), {(event, who) for event in ("call", "import") for who in ("ours", "numpy")})
        self.assertTrue(all(0 < value < 10 for value in values.values()), values)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
