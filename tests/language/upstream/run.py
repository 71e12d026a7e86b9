#!/usr/bin/env python3
"""PyKokkos' own tests, as they are, against workunits that PyKokkosCache compiled: a table.

    run.py --command build/bin/pykokkos-cache --checkout ../pykokkos [test_ops_translator …]

Without names, the files of FILES are run. What cannot pass is in known.txt, with the reason; a test
that fails and is not there, or passes and is there, makes the run fail. Exit status 77: no checkout.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
FILES = ("test_AST_translator test_atomics test_classtypes_translator test_fusion test_hierarchical "
         "test_kokkosfunctions_translator test_lambdas test_ops_translator test_parallelfor "
         "test_parallelreduce test_parallelscan test_regressions test_typeinference test_views "
         "test_linalg test_ufuncs").split()


def known_failures():
    """Reasons by (file, test); a test's name without [number] stands for all its parameters."""
    found = {}
    with open(os.path.join(HERE, "known.txt"), encoding="utf-8") as f:
        for line in f:
            line = line.split("#")[0].strip()
            if line:
                test, reason = line.split(":", 1)
                found[tuple(test.split())] = reason.strip()
    return found


def run_file(a, name, folder):
    """Rows (test, outcome, reason) of one file of tests."""
    modules = os.path.join(folder, name)
    os.makedirs(modules)
    environment = dict(os.environ, PKC_COMMAND=os.path.abspath(a.command), PKC_MODULES=modules,
                       PKC_CORPUS=os.path.join(ROOT, "scripts", "corpus"), PYTHONDONTWRITEBYTECODE="1")
    environment.setdefault("PYKOKKOS_CACHE_DIR", os.path.join(folder, "store"))
    path = os.path.join(a.checkout, "tests", name + ".py")
    done = subprocess.run([sys.executable, os.path.join(HERE, "run_file.py"), a.checkout, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                          cwd=modules, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    if done.returncode != 0 and not (rows and rows[-1][0] == "(the file)"):
        rows.append(("(the file)", "failed", "exit %d: %s" % (done.returncode, done.stderr[-400:])))
    return rows


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("files", nargs="*", help="names of test files without .py")
    p.add_argument("--command", required=True, help="the pykokkos-cache program")
    p.add_argument("--checkout", default=os.environ.get("PYKOKKOS_SOURCE_DIR", ""))
    a = p.parse_args()
    if not os.path.isdir(os.path.join(a.checkout, "tests")):
        print("SKIPPED: no checkout of PyKokkos (PYKOKKOS_SOURCE_DIR)")
        return 77
    a.checkout = os.path.abspath(a.checkout)
    known, totals, surprises = known_failures(), {}, 0
    with tempfile.TemporaryDirectory(prefix="pk-tests-") as folder:
        for name in a.files or FILES:
            for test, outcome, reason in run_file(a, name, folder):
                why = known.get((name, test)) or known.get((name, test.split("[")[0]))
                if outcome == "failed" and why:
                    outcome, reason = "known", why
                surprise = outcome == "failed" or (
                    outcome == "passed" and why and not why.startswith("where "))
                surprises += bool(surprise)
                totals[outcome] = totals.get(outcome, 0) + 1
                if outcome != "passed" or surprise:
                    print("%s\t%s\t%s\t%s" % (name, test, outcome, reason or why or ""))
    print(", ".join("%d %s" % (n, k) for k, n in sorted(totals.items())))
    return 1 if surprises or not totals else 0


sys.exit(main())
