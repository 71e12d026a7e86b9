"""Fails every call that writes, renames, syncs, locks, opens, allocates, maps or starts, one at a
time, in each step of a build; kills the step there; and sees that the step's result is right or that
it fails cleanly, and that the next, undisturbed one is right and leaves nothing behind.

With --power, the power fails there instead: see power.py.

usage: walk.py PKC COMPILER SHIM [--full | --points N] [--shard I/N] [--letters KINDS]
               [--steps store,target,build] [--power]"""

import argparse
import errno
import os
import random
import struct
import sys
import time

import power
import steps
from world import Wrong, World, fell, report, require

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


class Walker:
    def __init__(self, world, shim):
        self.world = world
        self.state = os.path.join(world.root, "fault-state")
        self.events = os.path.join(world.root, "fault-events")
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

    def power_fails(self, step, n, letter, how):
        """The power fails at call n; n = 0: just after the step."""
        what = f"{step.name}, power lost at call {n} ({letter}), {how}"
        step.prepare()
        before = power.look(self.world.place)
        if os.path.exists(self.events):
            os.unlink(self.events)
        self.run(step, {"PKC_FAULT_AT": str(n), "PKC_FAULT_KILL": "1",
                        "PKC_FAULT_EVENTS": self.events})
        lost = power.fail(self.world.place, before, self.events, how, random.Random(n))
        # From here on, the system has been started anew.
        started = os.path.join(self.world.root, "started")
        with open(started, "w") as f:
            f.write("another-start\n")
        env = dict(self.world.env)
        self.world.env.update(self.base, PKC_FAULT_START=started, PKC_FAULT_STATE="")
        try:
            self.afterwards(step, f"{what}, lost: {lost}")
        finally:
            self.world.env.clear()
            self.world.env.update(env)

    def afterwards(self, step, what):
        """The next, undisturbed run is right, leaves nothing behind and misleads no later one."""
        after = self.world.run(step.words, None, step.cwd, 300)
        require(after.returncode == 0, f"{what}: the next run fails: {after.stderr.decode()}")
        try:
            step.check()
        except Wrong as e:
            raise Wrong(f"{what}: the next run: {e}") from e
        self.world.check_clean(what)
        try:
            if step.after is not None:
                step.after()
        except Wrong as e:
            raise Wrong(f"{what}: a later run: {e}") from e

    def point(self, step, n, letter, how):
        if how in power.WAYS:
            self.power_fails(step, n, letter, how)
            return
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
            if r.returncode == 0 and not step.refused():
                try:
                    step.check()
                except Wrong as e:
                    raise Wrong(f"{what}: {e}; it said {r.stderr.decode()!r}") from e
        self.afterwards(step, what)


KINDS = {"store": steps.steps_of, "target": steps.target_steps, "build": steps.build_steps}


def points_of(walker, step, args):
    """All points of a step, and how many calls it makes."""
    letters = walker.letters(step)
    print(f"{step.name}: {len(letters)} calls", flush=True)
    points = []
    if args.power:
        points += [(step, 0, "end", way) for way in power.WAYS]
    for n, letter in enumerate(letters, 1):
        if args.power:
            hows = power.WAYS if letter in power.LETTERS else []
        else:
            names = ERRORS[letter]
            hows = [names[0], names[0] + " sticky", "killed"]
            if args.full:
                hows += names[1:]
        if letter in args.letters:
            points += [(step, n, letter, how) for how in hows]
    return points, len(letters)


def walk(walker, points, args, problems):
    """How many were tried."""
    end = time.monotonic() + args.seconds
    tried = 0
    for point in points:
        begin = time.monotonic()
        if begin > end:
            break
        tried += 1
        try:
            walker.point(*point)
            took = time.monotonic() - begin
            what = f"{point[0].name}, call {point[1]} ({point[2]}), {point[3]}: took {took:.1f} s"
            require(took < LONGEST, what)
            if args.slow and took > args.slow:
                print(what)
        except Wrong as e:
            problems.append(str(e))
            print(e, flush=True)
    return tried


def main():
    p = argparse.ArgumentParser()
    p.add_argument("pkc")
    p.add_argument("compiler")
    p.add_argument("shim")
    p.add_argument("--full", action="store_true")
    p.add_argument("--points", type=int, default=400)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=1e9, help="stop then, with each kind of steps")
    p.add_argument("--slow", type=float, help="name the points that take longer than so many seconds")
    p.add_argument("--steps", default="store", help="which: store, target, build, with commas")
    p.add_argument("--step", help="only the one of that name")
    p.add_argument("--power", action="store_true", help="the power fails")
    p.add_argument("--letters", default="".join(ERRORS), help="only these kinds of calls")
    p.add_argument("--shard", default="0/1", metavar="I/N", help="of all points, each N-th from I")
    args = p.parse_args()
    world = World(os.path.abspath(args.pkc), os.path.abspath(args.compiler))
    walker = Walker(world, os.path.abspath(args.shim))
    problems = []
    calls = tried = 0
    try:
        for kind in args.steps.split(","):
            world.new_place(kind)
            points = []
            for step in KINDS[kind](world):
                if not args.step or args.step == step.name:
                    found, count = points_of(walker, step, args)
                    points += found
                    calls += count
            shard, _, shards = args.shard.partition("/")
            points = points[int(shard)::int(shards)]
            if not args.full:
                random.Random(args.seed).shuffle(points)
                points = points[:args.points]
            before = tried
            tried += walk(walker, points, args, problems)
            print(f"{kind}: {tried - before} of {len(points)} points tried", flush=True)
    finally:
        world.close()
    report("walk", problems, f"{calls} calls, {tried} points tried")


if __name__ == "__main__":
    try:
        main()
    except Wrong as e:
        print(f"WRONG: {e}")
        sys.exit(1)
