#!/usr/bin/env python3
"""Compares each standalone workunit of Python files with CPython, over inputs made for it.

    oracle.py --command build/bin/pykokkos-cache FILE...

Inputs are small and random; those that leave what the language defines (an index out of bounds,
a division by zero, more than 64 bits) are drawn again. A workunit that takes what the oracle
cannot make (a class, a random pool), or for which no inputs can be found, is listed as skipped.
"""
import argparse
import ast
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy as np  # noqa: E402
from pkoracle import compare, compiled, reference, values  # noqa: E402

EXTENT = 6


def scalar(rng, dtype, tame):
    if dtype == "bool":
        return rng.random() < 0.5
    if dtype in values.INT_LIMITS:
        low, high = values.INT_LIMITS[dtype]
        if tame:
            return rng.randrange(EXTENT)
        return rng.choice([rng.randint(max(low, -9), 9), rng.randint(low, high), low, high])
    if dtype.startswith("complex"):
        return complex(rng.randint(-8, 8) / 4, rng.randint(-8, 8) / 4)
    v = rng.choice([rng.randint(-8, 8) / 4, rng.uniform(-4, 4)])
    if not tame and rng.random() < 0.1:
        v = rng.choice([float("inf"), float("nan"), -0.0, 1e200])
    return float(np.float32(v)) if dtype == "float32" and abs(v) < 1e38 else v


def array(rng, dtype, rank, tame):
    a = np.zeros((EXTENT,) * rank, dtype)
    with np.errstate(all="ignore"):
        for place in np.ndindex(a.shape):
            a[place] = scalar(rng, dtype, tame)
    return a


def arguments(rng, w, tame):
    """Inputs of a workunit, or None where a type is beyond the oracle."""
    made = {}
    for name, t in w.parameters:
        if t is None or t.dtype is None or t.kind not in ("scalar", "view"):
            return None
        made[name] = scalar(rng, t.dtype, tame) if t.kind == "scalar" else \
            array(rng, t.dtype, t.rank, tame)
    return made


def copied(made):
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in made.items()}


def calls_of(judge, w, count, seed):
    """(policy, inputs, answer) triples that are defined, and why there are no more."""
    found, why = [], "no inputs"
    for attempt in range(count * 12):
        rng = random.Random("%s:%s:%d" % (seed, w.name, attempt))
        made = arguments(rng, w, attempt % 2 == 0 or attempt > count * 6)
        if made is None:
            return [], "takes what the oracle cannot make"
        policy = [(0, EXTENT)] * max(w.indices, 1)
        after = copied(made)
        try:
            result, magnitude = judge.run(w.name, policy, after)
        except values.Discard as e:
            why = str(e)
            continue
        except Exception as e:  # the file does what the oracle does not know
            return [], "%s: %s" % (type(e).__name__, e)
        found.append((policy, made, (result, magnitude, after)))
        if len(found) == count:
            break
    return found, why


def differences(w, call, got):
    policy, _, (result, magnitude, after) = call
    if got[0] != "ok":
        return ["%s: %s" % got[:2]]
    out = []
    for name, want in after.items():
        if isinstance(want, np.ndarray) and not compare.same_array(got[2][name], want):
            out.append("%s: CPython %s, compiled %s" % (name, want.tolist(), got[2][name].tolist()))
    terms = int(np.prod([e - b for b, e in policy]))
    if w.acc and not compare.same_result(got[1], result, w.acc, terms, magnitude):
        out.append("result: CPython %r, compiled %r" % (result, got[1]))
    return out


def check_file(path, toolchain, folder, count, seed):
    """Names by outcome, and lines about them."""
    with open(path, encoding="utf-8-sig") as f:
        source = f.read()
    judge = reference.Reference(source, path)
    lines, passed, failed, skipped = [], 0, 0, 0
    module = toolchain.build(os.path.abspath(path), folder)
    for w in judge.workunits.values():
        calls, why = calls_of(judge, w, count, seed)
        if not calls:
            skipped += 1
            lines.append("skipped %s:%d: %s: %s" % (path, w.line, w.name, why))
            continue
        records = [dict(name=w.name, policy=p, arguments=copied(a), team=w.indices == 0)
                   for p, a, _ in calls]
        bad = [d for call, got in zip(calls, compiled.run(module, records))
               for d in differences(w, call, got)]
        passed += not bad
        failed += bool(bad)
        lines += ["FAILED %s:%d: %s: %s" % (path, w.line, w.name, d) for d in bad[:3]]
    return passed, failed, skipped, lines


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("files", nargs="+")
    p.add_argument("--command", required=True, help="the pykokkos-cache program")
    p.add_argument("--inputs", type=int, default=5, help="calls of each workunit")
    p.add_argument("--seed", default="1")
    p.add_argument("--no-skips", action="store_true", help="a skipped workunit is a failure")
    a = p.parse_args()
    totals = [0, 0, 0]
    with tempfile.TemporaryDirectory(prefix="pk-oracle-") as folder:
        toolchain = compiled.Toolchain(os.path.abspath(a.command),
                                       {"PYKOKKOS_CACHE_DIR": os.path.join(folder, "store")})
        for k, path in enumerate(a.files):
            try:
                *counts, lines = check_file(path, toolchain, os.path.join(folder, str(k)), a.inputs,
                                            a.seed)
            except (compiled.BuildError, SyntaxError) as e:
                counts, lines = (0, 1, 0), ["FAILED %s: %s" % (path, e)]
            totals = [t + n for t, n in zip(totals, counts)]
            print("\n".join(lines), end="\n" if lines else "")
    print("%d workunits as CPython, %d different, %d skipped" % tuple(totals))
    return 1 if totals[1] or (a.no_skips and totals[2]) else 0


sys.exit(main())
