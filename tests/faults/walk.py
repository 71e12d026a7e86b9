"""Fails every call that writes, renames, syncs, locks, opens, allocates, maps or starts, one at a
time, in each step of a build; kills the step there; and sees that the step's result is right or that
it fails cleanly, and that the next, undisturbed one is right and leaves nothing behind.

usage: walk.py PKC COMPILER SHIM [--full | --points N] [--shard I/N] [--letters KINDS] [--build]"""

import argparse
import errno
import os
import random
import struct
import sys
import time

from world import Wrong, World, fell, generated_tree, report, require

# Which errors a kind of call is made to give; the first is taken where not all are tried.
ERRORS = {
    "m": ["ENOMEM"], "M": ["ENOMEM"], "w": ["ENOSPC", "EIO", "EDQUOT"], "r": ["EIO"],
    "t": ["EIO", "ENOSPC"], "s": ["EIO"], "o": ["EACCES", "EMFILE", "ENOSPC", "EIO"],
    "d": ["EACCES", "ENOSPC", "EDQUOT"], "n": ["EIO", "EACCES", "ENOSPC"],
    "l": ["EACCES", "ENOSPC"], "u": ["EACCES", "EIO"], "k": ["ENOLCK", "EIO", "EAGAIN"],
    "p": ["EAGAIN", "ENOMEM"],
}


# Nobody waits for ever: the longest wait is for a lock.
LONGEST = 90


class Step:
    """One command in one state of the world. `must` says whether it has to succeed whatever fails."""

    def __init__(self, name, prepare, words, check, must, cwd=None):
        self.name = name
        self.prepare = prepare
        self.words = words
        self.check = check
        self.must = must
        self.cwd = cwd


def steps_of(world):
    def nothing():
        pass

    def files():
        return generated_tree(world.gen)

    def generated(factor):
        with open(world.python) as f:
            text = f.read()
        require(f"FACTOR = {factor}" in text, "the test's own file is wrong")
        now = files()
        want = world.generated[factor]
        require(now == want, "generated files differ: " + ", ".join(
            sorted(n for n in set(now) | set(want) if now.get(n) != want.get(n))[:4]))

    def edit():
        with open(world.python) as f:
            text = f.read()
        with open(world.python, "w") as f:
            f.write(text.replace("FACTOR = 2", "FACTOR = 3"))

    world.generated = {}
    r = world.run(world.generate_words())
    require(r.returncode == 0, "generate: " + r.stderr.decode())
    world.generated[2] = files()
    world.save("generated")
    edit()
    require(world.run(world.generate_words()).returncode == 0, "generate")
    world.generated[3] = files()
    world.restore("generated")

    steps = []
    os.system(f"rm -rf '{world.gen}' '{world.store}'")
    kernel = world.kernel(1)
    dispatch = world.dispatch(1)
    world.save("empty")
    time.sleep(0.05)
    for source in (kernel, dispatch):
        require(world.compile(source).returncode == 0, "compile")
    world.save("warm")
    other = world.kernel(2)
    world.save("other")

    def add(name, state, words, check, must, cwd=None, change=nothing):
        def prepare():
            world.restore(state)
            change()
        steps.append(Step(name, prepare, words, check, must, cwd))

    def compiled(source):
        return lambda: world.check_object(source)

    add("generate", "empty", world.generate_words(), lambda: generated(2), False)
    add("generate after an edit", "generated", world.generate_words(), lambda: generated(3), False,
        change=edit)
    add("compile, empty store", "empty", world.compile_words(kernel), compiled(kernel), True,
        world.build)
    add("compile, miss", "other", world.compile_words(other), compiled(other), True, world.build)
    add("compile, hit", "warm", world.compile_words(kernel), compiled(kernel), True, world.build)
    add("dispatch, miss", "empty", world.compile_words(dispatch), compiled(dispatch), True,
        world.build)
    add("dispatch, hit", "warm", world.compile_words(dispatch), compiled(dispatch), True,
        world.build)
    for command in ("stats", "verify", "gc", "clear"):
        add(command, "warm", [world.pkc, command], nothing, False)
    add("gc to nothing", "warm", [world.pkc, "gc", "--max-size=0"], nothing, False)
    return steps


def build_steps(world):
    """The whole way through Ninja and real compilers: an edit, with all objects in the store and with
    none."""
    folder = os.path.join(world.place, "b")
    library = os.path.join(folder, "libkernels.so")
    words = [world.pkc, "build", "-j", "1", "-o", folder, world.python]

    def edit(factor):
        with open(world.python) as f:
            text = f.read()
        with open(world.python, "w") as f:
            f.write(text.replace(f"FACTOR = {5 - factor}", f"FACTOR = {factor}"))

    def build():
        r = world.run(words, timeout=300)
        require(r.returncode == 0, "build: " + (r.stdout + r.stderr).decode())
        with open(library, "rb") as f:
            return f.read()

    def is_3():
        with open(library, "rb") as f:
            require(f.read() == third, "the library is wrong")

    def prepare(state):
        def run():
            world.restore(state)
            edit(3)
        return run

    build()
    world.save("built")
    edit(3)
    third = build()
    edit(2)
    build()
    world.save("built twice")
    return [Step("build, hit", prepare("built twice"), words, is_3, False),
            Step("build, miss", prepare("built"), words, is_3, False)]


class Walker:
    def __init__(self, world, shim):
        self.world = world
        self.state = os.path.join(world.root, "fault-state")
        self.base = {
            "LD_PRELOAD": shim,
            "PKC_FAULT_STATE": self.state,
            "PKC_FAULT_PROGRAM": os.path.basename(world.pkc),
        }

    def run(self, step, extra):
        with open(self.state, "wb") as f:
            f.truncate(8 + (1 << 20))
        return self.world.run(step.words, {**self.base, **extra}, step.cwd)

    def letters(self, step):
        """The kinds of all calls of an undisturbed run."""
        step.prepare()
        r = self.run(step, {})
        require(r.returncode == 0, f"{step.name} fails by itself: {r.stderr.decode()}")
        step.check()
        with open(self.state, "rb") as f:
            count = struct.unpack("<Q", f.read(8))[0]
            return f.read(count + 1)[1:].decode()

    def point(self, step, n, letter, how):
        what = f"{step.name}, call {n} ({letter}), {how}"
        extra = {"PKC_FAULT_AT": str(n)}
        if how == "killed":
            extra["PKC_FAULT_KILL"] = "1"
        else:
            name, _, sticky = how.partition(" ")
            extra["PKC_FAULT_ERRNO"] = str(getattr(errno, name))
            if sticky:
                extra["PKC_FAULT_STICKY"] = "1"
        step.prepare()
        r = self.run(step, extra)
        if how == "killed":
            require(r.returncode in (-9, 0, 1), f"{what}: exit status {r.returncode}")
        else:
            require(not fell(r), f"{what}: died with {r.returncode}: {r.stderr.decode()}")
            require(r.returncode == 0 or r.stderr, f"{what}: fails without a word")
            require(r.returncode == 0 or not step.must,
                    f"{what}: exit status {r.returncode}: {r.stderr.decode()}")
            if r.returncode == 0:
                try:
                    step.check()
                except Wrong as e:
                    raise Wrong(f"{what}: {e}; it said {r.stderr.decode()!r}") from e
        after = self.world.run(step.words, None, step.cwd)
        require(after.returncode == 0,
                f"{what}: the next run fails: {after.stderr.decode()}")
        try:
            step.check()
        except Wrong as e:
            raise Wrong(f"{what}: the next run: {e}") from e
        self.world.check_clean(what)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("pkc")
    p.add_argument("compiler")
    p.add_argument("shim")
    p.add_argument("--full", action="store_true")
    p.add_argument("--points", type=int, default=400)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=1e9, help="stop then")
    p.add_argument("--slow", type=float, help="name the points that take longer than so many seconds")
    p.add_argument("--build", action="store_true", help="pykokkos-cache build as a whole")
    p.add_argument("--step")
    p.add_argument("--letters", default="".join(ERRORS), help="only these kinds of calls")
    p.add_argument("--shard", default="0/1", metavar="I/N", help="of all points, each N-th from I")
    args = p.parse_args()
    world = World(os.path.abspath(args.pkc), os.path.abspath(args.compiler))
    walker = Walker(world, os.path.abspath(args.shim))
    problems = []
    points = []
    try:
        total = 0
        for step in build_steps(world) if args.build else steps_of(world):
            if args.step and args.step != step.name:
                continue
            letters = walker.letters(step)
            total += len(letters)
            print(f"{step.name}: {len(letters)} calls", flush=True)
            for n, letter in enumerate(letters, 1):
                if letter not in args.letters:
                    continue
                names = ERRORS[letter]
                hows = [names[0], names[0] + " sticky", "killed"]
                if args.full:
                    hows += names[1:]
                points += [(step, n, letter, how) for how in hows]
        shard, _, shards = args.shard.partition("/")
        points = points[int(shard)::int(shards)]
        if not args.full:
            random.Random(args.seed).shuffle(points)
            points = points[:args.points]
        end = time.monotonic() + args.seconds
        tried = 0
        for point in points:
            if time.monotonic() > end:
                break
            tried += 1
            begin = time.monotonic()
            try:
                walker.point(*point)
                took = time.monotonic() - begin
                require(took < LONGEST, f"{point[0].name}, call {point[1]} ({point[2]}), "
                        f"{point[3]}: took {took:.0f} s")
                if args.slow and took > args.slow:
                    print(f"{point[0].name}, call {point[1]} ({point[2]}), {point[3]}: {took:.1f} s")
            except Wrong as e:
                problems.append(str(e))
                print(e, flush=True)
    finally:
        world.close()
    report("walk", problems, f"{total} calls, {tried} points tried")


if __name__ == "__main__":
    try:
        main()
    except Wrong as e:
        print(f"WRONG: {e}")
        sys.exit(1)
