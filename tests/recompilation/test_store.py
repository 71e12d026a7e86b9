"""The store's commands: limits, gc beside builds, verify, clear, and a manifest of an older version."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import threading

import project
from project import PROGRAM, WORK, environment

KERNEL = """// PyKokkosCache kernel 1
extern "C" void s%d(double *v, long n) { for (long i = 0; i < n; i++) v[i] *= %d; }
"""
SCHEMA_1 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "store", "manifest_v1.sql")


class Store(project.Case):
    def setUp(self):
        os.makedirs(WORK, exist_ok=True)
        self.root = tempfile.mkdtemp(dir=WORK)
        self.addCleanup(shutil.rmtree, self.root, True)
        self.store = os.path.join(self.root, "store")
        self.env = environment(PYKOKKOS_CACHE_DIR=self.store)
        self.compiler = shutil.which("g++") or shutil.which("c++")

    def compile(self, n, **variables):
        source = os.path.join(self.root, "k%d.kernel.cpp" % n)
        if not os.path.exists(source):
            with open(source, "w") as file:
                file.write(KERNEL % (n, n))
        output = source + ".o"
        done = self.launch(n, output, **variables)
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(output, "rb") as file:
            return file.read()

    def launch(self, n, output, **variables):
        source = os.path.join(self.root, "k%d.kernel.cpp" % n)
        return subprocess.run([PROGRAM, "compile", "--", self.compiler, "-O1", "-o", output, "-c", source],
                              cwd=self.root, env=dict(self.env, **variables), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def command(self, *words, status=0, **variables):
        done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=dict(self.env, **variables))
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def json(self, *words, **more):
        return json.loads(self.command(*words, "--json", **more))

    def execute(self, text):
        db = sqlite3.connect(os.path.join(self.store, "manifest.sqlite"), timeout=20)
        db.execute(text)
        db.commit()
        db.close()

    def objects(self):
        return sorted(os.path.join(folder, "object") for folder, _, files in
                      os.walk(os.path.join(self.store, "entries")) if "object" in files)

    def test_size_of_the_environment(self):
        for n in range(4):
            self.compile(n)
        size = self.json("stats")["size"]
        one = size // 4
        self.compile(0)  # a hit: the latest used
        self.assertEqual(self.json("stats")["hits"], 1)
        self.execute("UPDATE entries SET last_used = 5")
        self.assertEqual(self.json("gc")["removed"], 0, "far below 5 GiB")
        limit = str(2 * one + one // 2)
        self.assertEqual(self.json("stats", PYKOKKOS_CACHE_MAX_SIZE=limit)["max_size"], int(limit))
        collected = self.json("gc", PYKOKKOS_CACHE_MAX_SIZE=limit)
        self.assertEqual(collected["removed"], 2)
        self.assertLessEqual(collected["left"], int(limit))
        self.assertEqual(len(self.objects()), 2)
        # Least recently used first: 0 was used last, and 3 was made last.
        before = self.json("stats")["misses"]
        for n in (0, 3):
            self.compile(n)
        self.assertEqual(self.json("stats")["misses"], before)
        self.compile(1)
        stats = self.json("stats")
        self.assertEqual(stats["misses"], before + 1)
        self.assertEqual(stats["causes"]["evicted"], 1)
        self.assertEqual(self.command("gc", "--max-size=1X", status=2).count("is no size"), 1)

    def test_small_steps(self):
        """gc --limit: so many at most, oldest first, and it says whether there is more."""
        for n in range(5):
            self.compile(n)
        self.execute("UPDATE entries SET last_used = 5")
        told = []
        for _ in range(4):
            said = self.json("gc", "--limit=2", "--max-size=0")
            told.append((said["removed"], len(self.objects()), said["more"]))
        self.assertEqual(told, [(2, 3, True), (2, 1, True), (1, 0, False), (0, 0, False)])
        for n in range(2):
            self.compile(n)
        self.execute("UPDATE entries SET last_used = 5")
        self.assertIn(", more to remove\n", self.command("gc", "--limit=1", "--max-size=0"))
        self.assertFalse(self.json("gc", "--limit=1")["more"], "far below 5 GiB")
        for wrong in "0", "x", "-1", "1K", "99999999999":
            self.assertIn("is no number of entries", self.command("gc", "--limit=" + wrong, status=2))

    def test_builds_keep_the_size(self):
        """Without any gc: a miss now and then removes some of what is too much."""
        for n in range(150):
            self.compile(n, PYKOKKOS_CACHE_MAX_SIZE="4K")
            if n % 10 == 0:
                self.execute("UPDATE entries SET last_used = 5")
        self.assertLess(len(self.objects()), 120)
        self.assertEqual(self.json("verify")["damaged"], 0)

    def test_gc_beside_builds(self):
        kernels = range(6)
        right = {n: self.compile(n) for n in kernels}
        done = threading.Event()
        removed = []

        def collect():
            while not done.is_set():
                self.execute("UPDATE entries SET last_used = 5")
                removed.append(self.json("gc", "--max-size=1")["removed"])

        collector = threading.Thread(target=collect)
        collector.start()
        try:
            for _ in range(8):
                for n in kernels:
                    os.remove(os.path.join(self.root, "k%d.kernel.cpp.o" % n))
                    self.assertEqual(self.compile(n), right[n])
        finally:
            done.set()
            collector.join()
        self.assertGreater(sum(removed), 0)
        verified = self.json("verify")
        self.assertEqual((verified["damaged"], verified["manifest_rebuilt"]), (0, False))

    def test_small_steps_beside_builds(self):
        """gc --limit beside four builds: what they use stays, whatever else goes, and none of them fails."""
        used, unused, made = range(8), range(100, 130), range(200, 400)
        right = {n: self.compile(n) for n in used}
        for n in unused:
            self.compile(n)
        self.execute("UPDATE entries SET last_used = 5")
        self.rebuild(used, right)  # hits: only the log of uses says that they are not old
        misses = self.json("stats")["misses"]
        done = threading.Event()
        problems = []
        new = iter(made)
        count = []

        def build():
            try:
                while not done.is_set():
                    self.rebuild(random.sample(used, len(used)), right)
                    n = next(new)
                    count.append(n)
                    self.assertIn(b"s%d" % n, self.compile(n))
            except BaseException as e:
                problems.append(e)

        builders = [threading.Thread(target=build) for _ in range(4)]
        for builder in builders:
            builder.start()
        removed = 0
        try:
            while removed < len(unused) and not problems:
                said = self.json("gc", "--limit=1", "--max-size=0")
                self.assertLessEqual(said["removed"], 1)
                self.assertTrue(said["removed"] == 1 or removed == len(unused), said)
                removed += said["removed"]
            for _ in range(10):
                self.assertEqual(self.json("gc", "--limit=3", "--max-size=0")["removed"], 0, "all is in use")
        finally:
            done.set()
            for builder in builders:
                builder.join()
        self.assertEqual(problems, [])
        self.assertGreater(len(count), 0)
        self.assertEqual(self.json("stats")["misses"], misses + len(count))
        self.assertEqual(len(self.objects()), len(used) + len(count))
        verified = self.json("verify")
        self.assertEqual((verified["entries"], verified["damaged"], verified["added"], verified["dropped"],
                          verified["manifest_rebuilt"]), (len(used) + len(count), 0, 0, 0, False))

    def rebuild(self, kernels, right):
        """Hits: each leaves the right object, in a folder of its own."""
        folder = tempfile.mkdtemp(dir=self.root)
        for n in kernels:
            done = self.launch(n, os.path.join(folder, "k%d.o" % n))
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            with open(os.path.join(folder, "k%d.o" % n), "rb") as file:
                self.assertEqual(file.read(), right[n])
        shutil.rmtree(folder)

    def test_verify_and_clear(self):
        for n in range(3):
            self.compile(n)
        self.assertEqual(self.command("verify"), "3 entries are good\n")
        with open(self.objects()[0], "r+b") as file:
            file.seek(40)
            byte = file.read(1)
            file.seek(40)
            file.write(bytes([byte[0] ^ 1]))
        self.assertEqual(self.json("verify", status=1)["damaged"], 1)
        self.assertEqual(self.command("verify"), "2 entries are good\n")
        self.assertEqual(self.json("clear")["removed"], 2)
        self.assertEqual(self.objects(), [])
        stats = self.json("stats")
        self.assertEqual((stats["entries"], stats["misses"], stats["causes"]), (0, 0, {}))

    def test_manifest_of_version_1(self):
        """It is brought up to date by the first compile, and what it knows is kept."""
        os.makedirs(self.store, mode=0o700)
        db = sqlite3.connect(os.path.join(self.store, "manifest.sqlite"))
        with open(SCHEMA_1) as file:
            db.executescript(file.read())
        db.close()
        self.compile(1)
        stats = self.json("stats")
        self.assertEqual((stats["misses"], stats["hits"]), (3, 1))
        db = sqlite3.connect(os.path.join(self.store, "manifest.sqlite"))
        self.assertGreater(db.execute("PRAGMA user_version").fetchone()[0], 1)
        self.assertEqual(db.execute("SELECT cause FROM compiles").fetchall(), [("first build",)])
        db.close()
        # Its entries are gone, though: verify says so, and all is well after.
        self.assertEqual(self.json("verify")["dropped"], 2)
        self.assertEqual(self.json("stats")["entries"], 1)


if __name__ == "__main__":
    project.main()
