"""Many things at once, and their sudden ends.

usage: storm.py kill PKC COMPILER [--count N]       random SIGKILLs of generate, compile, join and
                                                    collect
       storm.py crowd PKC COMPILER [--builders N] [--keys N]
       storm.py flip PKC COMPILER [--count N]       single bytes flipped, files cut, in the store
       storm.py tree PKC COMPILER [--count N]       the same in a build folder"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import steps
from world import Wrong, World, generated_tree, read, report, require, tree, write


# ---- kills ---------------------------------------------------------------------------------------


FACTORS = [(1,) * 6, (1, 2, 1, 1, 1, 1), (1, 2, 1, 1, 3, 1), (4, 2, 1, 1, 1, 5)]
GROUPS = [(1, 2, 3), (1, 4, 3), (5, 4, 3), (1, 2)]


class Large:
    """A target with groups, and a group TU, each in one of a few versions at a time."""

    def __init__(self, world, rng):
        self.world = world
        self.rng = rng
        self.target = steps.Target(world)
        self.factors = rng.choice(FACTORS)
        self.kernels = rng.choice(GROUPS)

    def edit(self):
        self.factors = self.rng.choice(FACTORS)
        self.world.write_target(self.factors)
        self.kernels = self.rng.choice(GROUPS)
        return self.world.group(self.kernels)

    def check(self, what):
        """Both are right after a run; and after another edit, which relies on what that one left."""
        for _ in range(2):
            self.target.generate(self.factors)
            self.target.is_right(self.factors, what)
            source = self.world.group(self.kernels)
            r = self.world.compile(source)
            require(r.returncode == 0, f"{what}: {r.stderr.decode()}")
            self.world.check_group(source, self.kernels, what)
            self.edit()


    def mended(self, what):
        """After an edit for sure."""
        self.target.generate(self.factors)
        self.factors = self.rng.choice([f for f in FACTORS if f != self.factors])
        self.world.write_target(self.factors)
        self.target.generate(self.factors)
        self.target.is_right(self.factors, what)


def kill_once(world, rng, want, large):
    sources = [world.kernel(n) for n in (1, 2, 3)] + [world.dispatch(1)]
    kind = rng.choice(["generate", "compile", "compile", "target", "target", "group", "group",
                       "group", "gc", "clear", "stats"])
    source = rng.choice(sources)
    flags = rng.choice([(), ("-O3",), ("-DA=1",)])
    group = large.edit()
    words = {
        "generate": world.generate_words(),
        "compile": world.compile_words(source, flags),
        "target": world.target_words(world.large),
        "group": world.compile_words(group),
        "gc": [world.pkc, "gc", "--max-size=0"],
        "clear": [world.pkc, "clear"],
        "stats": [world.pkc, "stats"],
    }[kind]
    if kind == "generate":
        text = read(world.python).decode()
        write(world.python, text.replace("FACTOR = 2", "FACTOR = 3")
              if "FACTOR = 2" in text else text.replace("FACTOR = 3", "FACTOR = 2"))
    if rng.random() < 0.2:
        shutil.rmtree(world.store, ignore_errors=True)
    env = {**world.env, "FAKE_COMPILER_MS": str(rng.randrange(4))}
    p = subprocess.Popen(words, cwd=world.build, env=env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)
    time.sleep(rng.random() * rng.choice([0.001, 0.004, 0.012, 0.02]))
    if rng.random() < 0.5:
        p.send_signal(signal.SIGKILL)  # the launcher alone: its compiler goes on
    else:
        os.killpg(p.pid, signal.SIGKILL)
    p.wait()
    wait_for_group(p.pid)

    what = f"{kind} killed"
    if kind in ("target", "group"):
        large.check(what)
    if kind == "generate":
        r = world.run(world.generate_words())
        require(r.returncode == 0, f"{what}: {r.stderr.decode()}")
        factor = 2 if "FACTOR = 2" in read(world.python).decode() else 3
        now = generated_tree(world.gen)
        require(now == want[factor], f"{what}: generated files differ: " + ", ".join(
            sorted(n for n in set(now) | set(want[factor]) if now.get(n) != want[factor].get(n))))
    for source in sources:
        for flags in ((), ("-O3",)):
            r = world.compile(source, flags=flags)
            require(r.returncode == 0, f"{what}: {r.stderr.decode()}")
            world.check_object(source, flags, what=what)
    return kind


def wait_for_group(group):
    for _ in range(2000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.001)
    raise Wrong("a killed step's processes go on")


def generated_both(world):
    want = {}
    for factor in (3, 2):
        write(world.python, read(world.python).decode().replace(
            f"FACTOR = {5 - factor}", f"FACTOR = {factor}"))
        r = world.run(world.generate_words())
        require(r.returncode == 0, r.stderr.decode())
        want[factor] = generated_tree(world.gen)
    return want


def kill(world, args):
    rng = random.Random(args.seed)
    large = Large(world, rng)
    want = generated_both(world)
    world.write_target(large.factors)
    problems = []
    kinds = {}
    for i in range(args.count):
        try:
            kind = kill_once(world, rng, want, large)
            kinds[kind] = kinds.get(kind, 0) + 1
            if i % 10 == 9 or i + 1 == args.count:
                world.check_clean(f"kill {i}")
        except Wrong as e:
            problems.append(f"{i}: {e}")
    report("kill", problems, f"{args.count} kills {kinds}")


# ---- a crowd -------------------------------------------------------------------------------------


def crowd(world, args):
    problems = []
    sources = [world.kernel(n) for n in range(args.keys)]
    time.sleep(0.05)

    def build(i):
        folder = os.path.join(world.place, f"build{i}")
        os.makedirs(folder)
        order = list(sources)
        random.Random(i).shuffle(order)
        try:
            for source in order:
                r = world.compile(source, {"FAKE_COMPILER_MS": "2"}, cwd=folder)
                require(r.returncode == 0 and not r.stderr,
                        f"builder {i}: {r.returncode} {r.stderr.decode()}")
                world.check_object(source, cwd=folder, what=f"builder {i}")
        except (Wrong, OSError, subprocess.SubprocessError) as e:
            problems.append(str(e))

    for source in sources:
        world.reference(source)
    threads = [threading.Thread(target=build, args=(i,)) for i in range(args.builders)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    compiles = world.compiles()
    if compiles != args.keys:
        problems.append(f"{compiles} compiles of {args.keys} keys")
    try:
        r = world.run([world.pkc, "verify"])
        require(r.returncode == 0, "verify: " + (r.stdout + r.stderr).decode())
        require(f"{args.keys} entries are good" in r.stdout.decode(), r.stdout.decode())
        world.check_clean("crowd")
    except Wrong as e:
        problems.append(str(e))
    report("crowd", problems,
           f"{args.builders} builders, {args.keys} keys, {compiles} compiles")


# ---- flipped bytes -------------------------------------------------------------------------------


def damage(path, rng):
    data = bytearray(read(path))
    if data and rng.random() < 0.8:
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
        how = f"byte {at} of {path}"
    else:
        data = data[:rng.randrange(len(data) + 1)]
        how = f"{path} cut to {len(data)}"
    with open(path, "r+b") as f:
        f.write(data)
        f.truncate(len(data))
    return how


def replace_manifest(world, rng, old):
    path = os.path.join(world.store, "manifest.sqlite")
    for suffix in ("", "-wal", "-shm"):
        subprocess.run(["rm", "-rf", path + suffix], check=True)
    how = rng.choice(["text", "folder", "older copy", "nothing"])
    if how == "text":
        write(path, "this is no database\n" * rng.randrange(1, 200))
    elif how == "folder":
        os.makedirs(os.path.join(path, "deep"))
        write(os.path.join(path, "deep", "file"), "x")
    elif how == "older copy":
        shutil.copy(old, path)
    return "the manifest replaced by " + how


def flip_once(world, rng, sources, old):
    files = sorted(tree(world.store))
    if rng.random() < 0.1:
        what = replace_manifest(world, rng, old)
    else:
        # half of them in the manifest, which is one file of many
        manifest = [f for f in files if f.startswith("manifest")]
        what = damage(os.path.join(world.store, rng.choice(
            manifest if manifest and rng.random() < 0.4 else files)), rng)
    for source in sources:
        os.unlink(os.path.join(world.build, os.path.basename(source)[:-4] + ".o"))
        r = world.compile(source)
        require(r.returncode == 0, f"{what}: {r.stderr.decode()}")
        world.check_object(source, what=what)
    if rng.random() < 0.3:
        r = world.run([world.pkc, rng.choice(["stats", "gc", "verify"])])
        require(r.returncode in (0, 1), f"{what}: {r.returncode} {r.stderr.decode()}")
        require("later version" in r.stderr.decode() or r.returncode == 0 or b"damaged" in r.stdout,
                f"{what}: {(r.stdout + r.stderr).decode()}")
        if "later version" in r.stderr.decode():  # the flip was in the version's own bytes
            shutil.rmtree(world.store)
    again = world.compiles()
    for source in sources:
        world.compile(source)
    second = world.compiles()
    return again, second


def flip(world, args):
    rng = random.Random(args.seed)
    problems = []
    sources = [world.kernel(n) for n in range(3)] + [world.dispatch(1)]
    time.sleep(0.05)
    world.compile(sources[0])
    world.run([world.pkc, "stats"])
    old = os.path.join(world.root, "old.sqlite")
    shutil.copy(os.path.join(world.store, "manifest.sqlite"), old)
    for source in sources:
        world.compile(source)
    world.compiles()
    recompiled = unmended = 0
    for i in range(args.count):
        try:
            again, second = flip_once(world, rng, sources, old)
            recompiled += again
            unmended += second > 0
        except Wrong as e:
            problems.append(f"{i}: {e}")
    # A version that looks newer is left alone, and so nothing is kept; anything else mends itself.
    if unmended > args.count // 50:
        problems.append(f"{unmended} times, what was damaged was not mended by the next build")
    shutil.rmtree(world.store)
    report("flip", problems, f"{args.count} flips and cuts, {recompiled} objects compiled again")


# ---- the same in a build folder ------------------------------------------------------------------


def damage_tree(world, rng):
    """In a file that a generation or a compile has left. The options file is the build's own."""
    found = [os.path.join(world.large, n) for n in sorted(tree(world.large))
             if not n.endswith(".options")]
    parts = os.path.join(world.build, "g.kernel.o.parts")
    found += [os.path.join(parts, n) for n in sorted(tree(parts))]
    found += [os.path.join(world.build, "g.kernel.o.d")]
    remembered = [n for n in found if n.endswith((".blocks", ".state", "/list"))]
    path = rng.choice(remembered if rng.random() < 0.5 else found)
    if os.path.getsize(path) == 0:
        write(path, "x")
        return f"a byte in {path}, which was empty"
    return damage(path, rng)


def flip_tree(world, args):
    rng = random.Random(args.seed)
    large = Large(world, rng)
    large.check("first")
    problems = []
    for i in range(args.count):
        what = damage_tree(world, rng)
        if rng.random() < 0.3:
            world.write_target(large.factors)
        else:
            large.edit()
        # What `why` tells of earlier runs: only an edit, or who asks, looks at it.
        large.target.ignored = ("t.state",) if "t.state" in what else ()
        try:
            large.check(what)
            large.target.ignored = ()
            large.mended(what)
        except Wrong as e:
            problems.append(f"{i}: {e}")
            subprocess.run(["rm", "-rf", world.large, world.build], check=True)
            os.makedirs(world.build)
            large.target.ignored = ()
            large.check("afresh")
    report("tree", problems, f"{args.count} flips and cuts in a build folder")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("test", choices=["kill", "crowd", "flip", "tree"])
    p.add_argument("pkc")
    p.add_argument("compiler")
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--builders", type=int, default=16)
    p.add_argument("--keys", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    world = World(os.path.abspath(args.pkc), os.path.abspath(args.compiler))
    try:
        {"kill": kill, "crowd": crowd, "flip": flip, "tree": flip_tree}[args.test](world, args)
    finally:
        world.close()


if __name__ == "__main__":
    try:
        main()
    except Wrong as e:
        print(f"WRONG: {e}")
        sys.exit(1)
