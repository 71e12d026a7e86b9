"""A hit through the launcher against ccache's (direct mode) of the same translation unit and flags, from
the start of the process to its end.

    hit.py PROGRAM [runs]

Both stores are warm; runs are interleaved; medians are printed with their ratio. The last line is a
program that does nothing.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = sys.argv[1]
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 101

KERNELS = '''import pykokkos as pk


@pk.workunit
def triad(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], c: pk.View1D[pk.double], s: pk.double):
    a[i] = b[i] + s * c[i]
'''


def run(words, cwd, env):
    done = subprocess.run(words, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s failed:\n%s" % (" ".join(words), done.stdout))
    return done.stdout


def milliseconds(words, env):
    """In the working folder, without what subprocess adds: of the clock, and of the processor."""
    start = time.perf_counter()
    pid = os.posix_spawn(words[0], words, env)
    _, status, used = os.wait4(pid, 0)
    took = (time.perf_counter() - start) * 1e3
    if status != 0:
        sys.exit("%s failed" % " ".join(words))
    return took, (used.ru_utime + used.ru_stime) * 1e3


def medians(times):
    return [statistics.median(kind) for kind in zip(*times)]


def measure(name, ours, ccache, out, env):
    """`ours`: the launcher's command; `ccache`: the same compile through ccache."""
    results = []
    for words in (ours, ccache):  # fills the caches
        for _ in range(2):
            run(words, out, env)
        results.append([])
    before = run([ccache[0], "--print-stats"], out, env)
    for _ in range(RUNS):
        for words, times in zip((ours, ccache), results):
            times.append(milliseconds(words, env))
    hits = {line.split()[0]: int(line.split()[1])
            for line in run([ccache[0], "--print-stats"], out, env).splitlines()}
    known = {line.split()[0]: int(line.split()[1]) for line in before.splitlines()}
    direct = hits["direct_cache_hit"] - known["direct_cache_hit"]
    if direct != RUNS:
        sys.exit("ccache had %d direct hits of %d" % (direct, RUNS))
    (ours, ours_used), (theirs, theirs_used) = map(medians, results)
    print("%-38s %7.2f ms   ccache %7.2f ms   ratio %5.2f   goal <= 0.33" % (name, ours, theirs, ours / theirs))
    print("%-38s %7.2f ms   ccache %7.2f ms   ratio %5.2f" % ("  of the processor", ours_used, theirs_used,
                                                              ours_used / theirs_used))


def main():
    ccache = shutil.which("ccache")
    if ccache is None:
        print("ccache is not installed: nothing to compare a hit with")
        return
    root = tempfile.mkdtemp(prefix="pykokkos-bench-")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CCACHE_", "PYKOKKOS_CACHE_"))}
    env.update(PYKOKKOS_CACHE_DIR=os.path.join(root, "store"), CCACHE_DIR=os.path.join(root, "ccache"))
    try:
        out = os.path.join(root, "out")
        with open(os.path.join(root, "kernels.py"), "w") as file:
            file.write(KERNELS)
        run([PROGRAM, "build", "-o", out, "kernels.py"], root, env)
        os.chdir(out)
        for step in json.loads(run(["ninja", "-t", "compdb"], out, env)):
            words = step["command"].split()
            name = os.path.basename(step["file"])
            if len(words) < 2 or words[1] != "compile":
                continue
            theirs = [ccache] + words[words.index("--") + 1:]
            theirs[theirs.index("-o") + 1] += ".ccache.o"
            measure("hit, Kokkos TU" if name.endswith(".dispatch.cpp") else "hit, kernel TU", words, theirs,
                    out, env)
        nothing = [shutil.which("true")]
        print("%-38s %7.2f ms" % ("start and end of a process",
                                  medians([milliseconds(nothing, env) for _ in range(RUNS)])[0]))
    finally:
        os.chdir("/")
        shutil.rmtree(root, True)


main()
