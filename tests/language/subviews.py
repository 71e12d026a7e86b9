#!/usr/bin/env python3
"""Parts of views: every form of subscript, of every rank, in all layouts, against NumPy.

    subviews.py --command pykokkos-cache --work FOLDER [--count N] [--seed N]

Each workunit takes a random part of a view, sums it up weighted by position (so that a wrong
element or order shows), takes a part of the part, and stores through both.
"""
import argparse
import itertools
import os
import random
import sys

import numpy

sys.dont_write_bytecode = True

import built  # noqa: E402


def subscript(rng, extent):
    """The text of one, and whether it drops its dimension."""
    low = rng.randrange(extent)
    high = rng.randrange(low + 1, extent + 1)
    form = rng.randrange(9)
    if form == 0:
        return rng.choice([str(low), f"-{extent - low}", f"one * {low}"]), True
    if form == 1:
        return f"{low}:{high}", False
    if form == 2:
        return f"{low}:", False
    if form == 3:
        return f":{high}", False
    if form == 4:
        return f"-{extent - low}:", False
    if form == 5:
        return f"{low}:-{extent - high}" if high < extent else f"{low}:{extent + 5}", False
    if form == 6:
        return f"one * {low}:one * {high}", False
    return ":", False


def part(rng, name, shape):
    """A subscripted view that keeps a dimension: its text and shape; some trailing colons left out."""
    while True:
        texts, kept = [], []
        for extent in shape:
            text, dropped = subscript(rng, extent)
            texts.append(text)
            if not dropped:
                kept.append(len(range(extent)[eval(f"slice({', '.join(x or 'None' for x in text.split(':'))})", {"one": 1})]))
        if kept and all(kept):
            break
    while len(texts) > 1 and texts[-1] == ":" and rng.randrange(2):
        texts.pop()
    if rng.randrange(3) == 0:  # v[i][:, j]
        while texts[0] != ":" and ":" not in texts[0] and len(texts) > 1 and rng.randrange(2):
            name += f"[{texts.pop(0)}]"
    return f"{name}[{', '.join(texts)}]", tuple(kept)


def total(name, rank, result):
    indices = [f"{name}_{d}" for d in range(rank)]
    lines = ["    n = 0", "    sum: int = 0"]
    for d, index in enumerate(indices):
        lines.append("    " * (d + 1) + f"for {index} in range({name}.extent({d})):")
    inner = "    " * (rank + 1)
    brackets = "".join(f"[{i}]" for i in indices) if rank % 2 else "[" + ", ".join(indices) + "]"
    lines += [inner + "n += 1", inner + f"sum += {name}{brackets} * n", f"    out[{result}] = sum"]
    return lines


class Case:
    def __init__(self, rng, number):
        self.name = f"part_{number}"
        rank = number % 8 + 1
        self.layout = ("Right", "Left", "Stride")[number % 3]
        self.steps = tuple(slice(None, None, rng.choice([1, 2, -1])) for _ in range(rank))
        self.shape = tuple(rng.randrange(1, 4) for _ in range(rank))
        self.first, kept = part(rng, "v", self.shape)
        self.second, kept_again = part(rng, "p", kept)
        self.stores = ["p[" + ", ".join(str(rng.randrange(n)) for n in kept) + "]",
                       "q[" + ", ".join(str(rng.randrange(n)) for n in kept_again) + "]"]
        self.kept, self.kept_again = kept, kept_again

    def source(self):
        decorator = f"@pk.workunit(v=pk.ViewTypeInfo(layout=pk.Layout{self.layout}))"
        if self.layout == "Right":
            decorator = "@pk.workunit"
        lines = [decorator, f"def {self.name}(i: int, one: int, v: pk.View{len(self.shape)}D[pk.int64], out: pk.View1D[pk.int64]):",
                 f"    p = {self.first}"]
        lines += total("p", len(self.kept), 0)
        lines += [f"    q = {self.second}"] + total("q", len(self.kept_again), 1)
        lines += [f"    {self.stores[0]} = -7", f"    {self.stores[1]} += 1000", "    out[2] = p.size * 100 + len(q)"]
        return "\n".join(lines) + "\n"

    def check(self, module):
        v = numpy.arange(1, 1 + int(numpy.prod(self.shape)), dtype=numpy.int64) ** 2 % 9973
        v = v.reshape(self.shape).copy(order="F" if self.layout == "Left" else "C")
        if self.layout == "Stride":  # each second element, or from the end
            wide = numpy.zeros([2 * n for n in self.shape], numpy.int64)
            part_of_wide = wide[tuple(slice(0, n if s.step == 1 else 2 * n, 2 if s.step == 2 else 1)
                                      for n, s in zip(self.shape, self.steps))]
            part_of_wide = part_of_wide[tuple(slice(0, n) for n in self.shape)]
            part_of_wide = part_of_wide[tuple(slice(None, None, -1 if s.step < 0 else 1) for s in self.steps)]
            part_of_wide[...] = v
            v = part_of_wide
        want, out = v.copy(order="K"), numpy.zeros(3, numpy.int64)
        getattr(module, self.name)(1, one=1, v=v, out=out)
        names = {"one": 1, "v": want}
        names["p"] = eval(self.first, {}, names)
        names["q"] = eval(self.second, {}, names)
        sums = [sum((k + 1) * x for k, x in enumerate(names[p].flatten().tolist())) for p in "pq"]
        sums.append(names["p"].size * 100 + len(names["q"]))
        exec(f"{self.stores[0]} = -7\n{self.stores[1]} += 1000", {}, names)
        if out.tolist() == sums and numpy.array_equal(v, want):
            return 0
        print(f"DIFF {self.name}{self.shape}: got {out.tolist()}, NumPy {sums}; stores {'agree' if numpy.array_equal(v, want) else 'differ'}\n{self.source()}")
        return 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--count", type=int, default=72)
    parser.add_argument("--seed", type=int, default=20261201)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    os.environ.setdefault("PYKOKKOS_CACHE_DIR", os.path.join(options.work, "store"))
    rng = random.Random(options.seed)
    cases = [Case(rng, number) for number in range(options.count)]
    text = "\n\n".join(itertools.chain(["import pykokkos as pk\n"], (c.source() for c in cases)))
    module = built.build(options, "parts", text)
    bad = sum(c.check(module) for c in cases)
    print(f"{len(cases)} parts of views, {bad} failures")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
