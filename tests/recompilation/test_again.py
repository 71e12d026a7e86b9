"""A generation after an edit reads only what changed, and leaves what a whole one would leave.

After each edit the target's files are compared with those of a generation into an empty folder.
"""

import os
import random
import shutil
import subprocess
import tempfile
import time
import unittest

import project
from project import PROGRAM, WORK

HEAD = '''import pykokkos as pk
from helpers import twice
import constants

SCALE = 3


@pk.function
def shift(x: int) -> int:
    return x + SCALE


def run(n, v):
    pk.parallel_for(pk.RangePolicy(0, n), alpha, v=v)
    pk.parallel_for(pk.MDRangePolicy([0, 0], [n, n]), plane, w=v)
'''
UNITS = {
    "alpha": "@pk.workunit\ndef alpha(i: int, v: pk.View1D[pk.int64]):\n    v[i] = shift(i) + 100\n",
    "beta": "@pk.workunit\ndef beta(i: int, v: pk.View1D[pk.int64]):\n    # a comment\n    v[i] = i - 100\n",
    "gamma": "@pk.workunit\ndef gamma(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):\n"
             "    acc += x[i] * 100\n",
    "delta": "@pk.workunit\ndef delta(i: int, v: pk.View1D[pk.int64]):\n"
             "    \"\"\"A docstring.\"\"\"\n    v[i] = twice(i) * constants.FACTOR + 100\n",
    "plane": "@pk.workunit\ndef plane(i: int, j: int, w: pk.View2D[pk.int64]):\n    w[i][j] = i * 100 + j\n",
    "listed": "@pk.workunit\ndef listed(i: int, v: pk.View1D[pk.int64], x: List[int]):\n    v[i] = x[0] + 100\n",
    "open": "@pk.workunit\ndef open(i, v, k):\n    v[i] = k * 100\n",
}
CLASS = '''@pk.functor
class Grid:
    def __init__(self, v: pk.View1D[pk.int64]):
        self.v: pk.View1D[pk.int64] = v

    @pk.workunit
    def step(self, i: int):
        self.v[i] = i + 100
'''
FILES = {
    "helpers.py": "import pykokkos as pk\n\n\n@pk.function\ndef twice(x: int) -> int:\n    return 2 * x + 100\n",
    "constants.py": "FACTOR = 100\n",
    "other.py": "import pykokkos as pk\nfrom kern import shift\n\n\n"
                "@pk.workunit\ndef alpha(i: int, v: pk.View1D[pk.int64]):\n    v[i] = shift(i) * 100\n",
}
MARK = "zzz.gone zzz gone %s %s 4 0\nform\n" % ("0" * 64, "1" * 64)


def sum64(data):
    """The sum of a state file's text (src/support/sum.c)."""
    def step(total, word):
        total = ((total ^ word) * 0x9E3779B97F4A7C15) % 2**64
        return total ^ total >> 32
    total = step(0, len(data))
    for at in range(0, len(data) // 8 * 8 + 1, 8):
        total = step(total, int.from_bytes(data[at:at + 8], "little"))
    return total


def summed(text):
    """A state file's text with the sum that it has to have."""
    head, words = "PyKokkosCache state 4 ", 16
    rest = text[len(head) + words + 1:]
    return "%s%016x %s" % (head, sum64(rest.encode()), rest)


def kern(order=None):
    return "\n\n".join([HEAD] + [UNITS[name] for name in (order or UNITS)] + [CLASS])


class Target:
    def __init__(self, test, group_over=0, python=True):
        os.makedirs(WORK, exist_ok=True)
        self.root = tempfile.mkdtemp(dir=WORK)
        test.addCleanup(shutil.rmtree, self.root, True)
        self.test = test
        self.source = os.path.join(self.root, "src")
        self.out = os.path.join(self.root, "out")
        self.group_over = group_over
        self.python = python
        self.more = ""
        self.env = project.environment(PYKOKKOS_CACHE_DIR=os.path.join(self.root, "store"))
        os.mkdir(self.source)
        for name, text in FILES.items():
            self.write(name, text)
        self.write("kern.py", kern())
        self.age()

    def path(self, name):
        return os.path.join(self.source, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def edit(self, name, old, new):
        with open(self.path(name)) as file:
            text = file.read()
        self.test.assertIn(old, text)
        self.write(name, text.replace(old, new, 1))

    def age(self):
        """Files so old that their stamps can be trusted."""
        then = time.time() - 100
        for name in os.listdir(self.source):
            os.utime(self.path(name), (then, then))

    def options(self, out):
        text = ("target=t\noutput_dir=%s\nsource_dir=%s\nsource=kern.py\nsource=other.py\n"
                "instantiate=open(v: View1D[int64], k: int)\nexecution_space=\ngroup_over=%d\n"
                "depfile_target=t.stamp\n%s" % (out, self.source, self.group_over, self.more))
        if self.python:
            text += "python_module=t\n"
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, "t.options")
        with open(path, "w") as file:
            file.write(text)
        return path

    def generate(self, out=None):
        done = subprocess.run([PROGRAM, "generate", "--options=" + self.options(out or self.out)], env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.test.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def files(self, out):
        found = {}
        for folder, _, names in os.walk(out):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    data = file.read()
                if name == "t.state":  # without the last changes, which an empty folder has not
                    data = [entry[:-1] for entry in self.state(out)[1]]
                if name not in ("t.blocks", "t.options"):
                    found[os.path.relpath(path, out)] = data
        return found

    def state(self, out=None):
        """The changes, and the entries: first line without the last number, form, form before."""
        entries = []
        with open(os.path.join(out or self.out, "t.state")) as file:
            changes = file.read(int(file.readline().split()[-1]))
            file.readline()
            for line in file:
                fields = line.split()
                form = file.read(int(fields[5]) + 1)
                before = file.read(int(fields[6]) + 1) if fields[6] != "0" else ""
                entries.append((fields[:6], form, before))
        return changes, entries

    def was_whole(self):
        """Generates, and tells how: a whole generation drops what it knows nothing of."""
        state = os.path.join(self.out, "t.state")
        with open(state) as file:
            text = file.read()
        self.test.assertEqual(summed(text), text)
        with open(state, "w") as file:
            file.write(summed(text + MARK))
        self.generate()
        with open(state) as file:
            text = file.read()
        self.test.assertEqual(summed(text), text)
        if MARK in text:
            with open(state, "w") as file:
                file.write(summed(text.replace(MARK, "")))
            return False
        return True

    def check(self, what=""):
        fresh = os.path.join(self.root, "fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        self.generate(fresh)
        mine, theirs = self.files(self.out), self.files(fresh)
        self.test.assertEqual(sorted(mine), sorted(theirs), what)
        for name in theirs:
            self.test.assertEqual(mine[name], theirs[name], "%s: %s" % (what, name))

    def changes(self):
        return self.state()[0]


class Again(project.Case):
    def partial(self, t, what, whole=False):
        self.assertEqual(t.was_whole(), whole, what)
        t.check(what)

    def test_bodies_alone(self):
        for over in 0, 3:
            t = Target(self, over)
            t.generate()
            t.check("first")
            self.partial(t, "nothing")
            for unit in "beta", "gamma", "delta", "listed", "open":
                text = UNITS[unit]
                t.edit("kern.py", text, text.replace("100", "200"))
                self.partial(t, unit)
                self.assertIn(unit, t.changes())
                changed = [fields[2] for fields, _, before in t.state()[1] if before]
                self.assertEqual(changed, [unit])
            t.edit("other.py", "* 100", "* 300")
            self.partial(t, "another file")
            self.assertIn("other.py:7", t.changes())
            t.write("kern.py", kern())
            self.partial(t, "taken back")

    def test_time_set_back(self):
        """An edit that keeps a file's size and time is seen as soon as anything else is."""
        t = Target(self)
        time.sleep(2.5)  # stamps are trusted
        t.generate()
        then = os.stat(t.path("kern.py")).st_mtime_ns
        text = UNITS["beta"]
        t.edit("kern.py", text, text.replace("100", "200"))
        os.utime(t.path("kern.py"), ns=(then, then))
        t.edit("other.py", "* 100", "* 300")
        self.partial(t, "time set back")
        self.assertIn("beta", t.changes())

    def test_import_newly_reached(self):
        """The file of a constant that an edit reaches first is one that the target depends on."""
        t = Target(self)
        t.write("more.py", "B = 100\n")
        t.write("kern.py", "import more\n" + kern())
        t.generate()
        t.edit("kern.py", "v[i] = i - 100", "v[i] = i - more.B")
        self.partial(t, "reaches", whole=True)
        with open(os.path.join(t.out, "t.d")) as file:
            self.assertIn("more.py", file.read())
        t.edit("more.py", "100", "555")
        self.partial(t, "its constant", whole=True)
        self.assertIn("constant B: 100 -> 555", t.changes())

    def test_names_of_others(self):
        """An edit may reach, through something else, the name of a workunit that is not read."""
        shadowed = ("%s\n\n@pk.workunit\ndef K(i: int, v: pk.View1D[pk.int64]):\n    v[i] = i\n\n\n"
                    "@pk.function\ndef uses(x: int) -> int:\n    return x + K\n")
        for bound in "K = 5", "from constants import FACTOR as K":
            for edit in ("kern.py", "v[i] = i - 100", "v[i] = uses(i)"), ("other.py", "* 100", "* kern.K"):
                t = Target(self)
                t.write("kern.py", kern() + "\n\n" + shadowed % bound)
                t.edit("other.py", "import pykokkos as pk\n", "import kern\nimport pykokkos as pk\n")
                t.generate()
                t.edit(*edit)
                with self.subTest(bound=bound, edit=edit):
                    t.generate()
                    with open(os.path.join(t.out, "t.status")) as file:
                        self.assertIn("K", file.read())

    def test_what_is_no_change(self):
        t = Target(self)
        t.generate()
        before = t.changes()
        t.edit("kern.py", "# a comment", "# another one")
        self.partial(t, "comment")
        t.edit("kern.py", "A docstring.", "Another one.")
        self.partial(t, "docstring")
        t.edit("kern.py", "SCALE = 3\n", "SCALE = 3\n\n# between\n\n")
        self.partial(t, "lines")
        os.utime(t.path("kern.py"))
        self.partial(t, "touch")
        self.assertEqual(t.changes(), before)

    def test_what_reaches_others(self):
        t = Target(self)
        edits = [("SCALE = 3", "SCALE = 4"), ("return x + SCALE", "return x - SCALE"),
                 ("[n, n]), plane", "[n, n]), nothing"), ("v[i] = i + 100", "v[i] = i + 200"),
                 ("self.v[i] = i", "self.v[i] = 2 * i"), ("def gamma", "def renamed"),
                 ("(i: int, v: pk.View1D[pk.int64]):\n    # a", "(i: int, v: pk.View1D[pk.int32]):\n    # a"),
                 (UNITS["delta"], ""), (UNITS["beta"], UNITS["beta"] + "\n\nextra = 1\n"),
                 ("import constants\n", "import constants\nfrom math import sqrt\n"),
                 (UNITS["gamma"], UNITS["gamma"] + "\n\n" + UNITS["gamma"].replace("gamma", "new"))]
        t.edit("kern.py", "self.v[i] = i + 100", "self.v[i] = i * 100")
        t.edit("kern.py", "return x + SCALE", "v = 0\n    return x + SCALE")
        t.write("kern.py", kern())
        for old, new in edits:
            if old not in kern():
                continue
            t.write("kern.py", kern())
            t.generate()
            t.edit("kern.py", old, new)
            self.partial(t, old, whole=True)
        t.write("kern.py", kern())
        t.generate()
        for name, old in (("helpers.py", "2 * x"), ("constants.py", "100")):
            t.edit(name, old, "3" + old)
            self.partial(t, name, whole=True)

    def test_what_headers_show(self):
        """A view that is only read is shown as such: an edit of the body changes the header."""
        t = Target(self)
        t.generate()
        t.edit("kern.py", "acc: pk.Acc[pk.double], x", "acc: pk.Acc[pk.float32], x")
        self.partial(t, "accumulator", whole=True)
        t.edit("kern.py", "def beta(i: int, v: pk.View1D[pk.int64])",
               "def beta(i: int, v: pk.View1D[pk.int64], extra: float)")
        self.partial(t, "parameter", whole=True)

    def test_mentions(self):
        """Of workunits that mention each other, all are read."""
        t = Target(self)
        t.generate()
        t.edit("kern.py", "# a comment", "# as gamma does")
        self.partial(t, "mention", whole=True)
        t.edit("kern.py", "x[i] * 100", "x[i] * 200")
        self.partial(t, "mentioned", whole=True)
        t.edit("kern.py", "constants.FACTOR + 100", "constants.FACTOR + 200")
        self.partial(t, "neither")

    def test_errors_and_warnings(self):
        t = Target(self)
        t.generate()
        t.edit("kern.py", "i - 100", "i - unknown")
        t.generate()
        with open(os.path.join(t.out, "t.status")) as file:
            self.assertIn("kern.py:%d:" % (kern().split("i - 100")[0].count("\n") + 1), file.read())
        t.write("kern.py", kern().replace("i - 100", "i - 300"))
        self.partial(t, "mended")
        t.edit("kern.py", "i - 300", "(i -")
        t.generate()
        self.assertNotEqual(os.path.getsize(os.path.join(t.out, "t.status")), 0)
        t.write("kern.py", kern())
        self.partial(t, "mended")
        # What there is to say is said each time.
        t.edit("kern.py", UNITS["beta"], UNITS["beta"] + "\n\n" + UNITS["beta"])
        self.assertIn("beta", t.generate())
        self.assertIn("beta", t.generate())

    def test_outputs_that_changed(self):
        for over in 0, 3:
            t = Target(self, over)
            t.generate()
            for name in sorted(t.files(t.out)):
                if name in ("t.stamp", "t.status", "t.d", "t.state"):
                    continue
                path = os.path.join(t.out, name)
                os.unlink(path)
                self.partial(t, name, whole=True)
                with open(path, "a") as file:
                    file.write("x")
                self.partial(t, name, whole=True)
            os.unlink(os.path.join(t.out, "t.state"))
            t.edit("kern.py", "i - 100", "i - 200")
            t.generate()
            t.check("state")

    def test_state_that_is_damaged(self):
        """An edit of another workunit finds it, and all is written anew."""
        t = Target(self)
        numbers = random.Random(3)
        state = os.path.join(t.out, "t.state")
        t.generate()
        for i in range(12):
            with open(state, "rb") as file:
                data = bytearray(file.read())
            data[numbers.randrange(len(data))] ^= 1 << numbers.randrange(8)
            with open(state, "wb") as file:
                file.write(data)
            old, new = ("100", "200") if i % 2 == 0 else ("200", "100")
            t.edit("kern.py", "i - " + old, "i - " + new)
            t.generate()
            t.check("state")
            self.assertIn("beta: not known: ", t.changes())
            t.edit("kern.py", "x[i] * " + old, "x[i] * " + new)
            self.partial(t, "after it")
            self.assertRegex(t.changes(), "^kern.gamma: body .*Constant int %s -> Constant int %s\n$" % (old, new))

    def test_memo_that_is_damaged(self):
        t = Target(self)
        t.generate()
        memo = os.path.join(t.out, "t.blocks")
        with open(memo, "rb") as file:
            data = file.read()
        numbers = random.Random(7)
        for _ in range(20):
            at = numbers.randrange(len(data))
            with open(memo, "wb") as file:
                file.write(data[:at] + bytes([data[at] ^ 1 << numbers.randrange(8)]) + data[at + 1:])
            self.partial(t, at, whole=True)
            with open(memo, "wb") as file:
                file.write(data[:at])
            self.partial(t, at, whole=True)

    def test_options_and_links(self):
        t = Target(self)
        t.generate()
        t.more = "default_real=float\n"
        self.partial(t, "options", whole=True)
        t.more = "fuse=both = beta + delta\n"
        self.partial(t, "fuse", whole=True)
        t.edit("kern.py", "i - 100", "i - 400")
        self.partial(t, "a part of a fused one", whole=True)
        t.more = ""
        t.generate()
        # The file by another way, with another content of the same size, and the old time.
        shutil.copy2(t.path("kern.py"), t.path("real.py"))
        os.unlink(t.path("kern.py"))
        os.symlink("real.py", t.path("kern.py"))
        self.partial(t, "link", whole=True)
        t.edit("real.py", "i - 400", "i - 500")
        t.age()
        t.generate()
        t.check("through the link")

    def test_same_stamp(self):
        """Twice within a tick of the clock: the stamp does not tell, and is not believed."""
        t = Target(self)
        now = time.time()
        os.utime(t.path("kern.py"), (now, now))
        t.generate()
        t.edit("kern.py", "i - 100", "i - 200")
        os.utime(t.path("kern.py"), (now, now))
        self.partial(t, "same stamp")

    def test_module_that_appears(self):
        """One that an import would find first."""
        t = Target(self)
        t.generate()
        os.mkdir(t.path("helpers"))
        with open(t.path("helpers/__init__.py"), "w") as file:
            file.write(FILES["helpers.py"].replace("2 * x", "7 * x"))
        self.partial(t, "package", whole=True)

    def test_random_edits(self):
        for seed in range(2):
            numbers = random.Random(seed)
            t = Target(self, numbers.choice([0, 3]), numbers.choice([True, False]))
            t.generate()
            partly = 0
            for round_ in range(25):
                for _ in range(numbers.randrange(1, 3)):
                    name = numbers.choice(["kern.py"] * 8 + ["other.py", "helpers.py"])
                    with open(t.path(name)) as file:
                        lines = file.read().split("\n")
                    at = numbers.choice([k for k, line in enumerate(lines) if "100" in line or "= i" in line
                                         or "#" in line or line == ""])
                    lines[at] = numbers.choice([lines[at].replace("100", "1%02d" % numbers.randrange(100)),
                                                lines[at] + "  # %d" % round_, lines[at]])
                    t.write(name, "\n".join(lines))
                partly += not t.was_whole()
                t.check("seed %d round %d" % (seed, round_))
            self.assertGreater(partly, 5)


if __name__ == "__main__":
    project.main()
