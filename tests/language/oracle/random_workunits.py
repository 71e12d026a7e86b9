#!/usr/bin/env python3
"""Random workunits in CPython and compiled: prints each difference, made small, and fails.

    random_workunits.py --command build/bin/pykokkos-cache --count 200 --seed 1
"""
import argparse
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from pkoracle import check, compiled, program, shrink, unity  # noqa: E402


def report(case, outcome, seed, number):
    print("\n=== seed %s, workunit %d: %s" % (seed, number, outcome.kind))
    print(outcome.detail)
    print("--- file")
    if case.library:
        print(program.library_text([case]))
        print("--- and, importing that as beside,")
    print(program.module_text([case]))
    print("--- call: policy %s, reducer %s" % (case.policy, case.reducer))
    for name, value in case.arguments.items():
        print("  %s = %s" % (name, repr(value).replace("\n", "")))
    sys.stdout.flush()


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--command", required=True, help="the pykokkos-cache program")
    p.add_argument("--seed", default="1")
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--first", type=int, default=0, help="number of the first workunit")
    p.add_argument("--batch", type=int, default=40, help="workunits a file")
    p.add_argument("--keep-going", type=int, default=5, help="failures to report before stopping")
    p.add_argument("--no-shrink", action="store_true")
    p.add_argument("--show", action="store_true", help="print the workunits and stop")
    p.add_argument("--unity", action="store_true",
                   help="compile a file's kernels together, at -O1: for long runs")
    p.add_argument("--sanitize", action="store_true",
                   help="compile with GCC's sanitizers: undefined behaviour is a crash")
    p.add_argument("--build-argument", action="append", default=[], help="passed to build")
    a = p.parse_args()
    failures = 0
    kinds = {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pk-random-") as folder:
        store = os.path.join(folder, "store")
        make = unity.UnityToolchain if a.unity else compiled.Toolchain
        toolchain = make(os.path.abspath(a.command), {"PYKOKKOS_CACHE_DIR": store},
                         arguments=a.build_argument)
        if a.sanitize:
            toolchain.sanitize()
        checker = check.Checker(toolchain, folder)
        done = 0
        while done < a.count and failures < a.keep_going:
            numbers = range(a.first + done, a.first + min(done + a.batch, a.count))
            made = [program.make_case(a.seed, n) for n in numbers]
            if a.show:
                print(program.module_text([c for c, _ in made]))
                done += len(made)
                continue
            outcomes = checker.check([c for c, _ in made], [e for _, e in made])
            done += len(made)
            for number, (case, _), outcome in zip(numbers, made, outcomes):
                kinds[outcome.kind] = kinds.get(outcome.kind, 0) + 1
                if outcome.kind in ("ok", "declined") or failures >= a.keep_going:
                    continue
                failures += 1
                if not a.no_shrink:
                    case, outcome = shrink.shrink(checker, case, outcome)
                report(case, outcome, a.seed, number)
            if sys.stderr.isatty() or done % 500 < a.batch:
                print("%d workunits, %.0f s" % (done, time.monotonic() - began), file=sys.stderr)
    print("seed %s: %d workunits from %d on: %s" % (
        a.seed, done, a.first, ", ".join("%d %s" % (n, k) for k, n in sorted(kinds.items()))))
    return 1 if failures else 0


sys.exit(main())
