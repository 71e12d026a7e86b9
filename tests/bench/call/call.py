"""What a call from Python and an import cost, beyond Kokkos, against NumPy's.

    call.py FOLDER [repeat] [--plain] [--itself=PYTHONPATH]

FOLDER holds the built project. --plain: lines of `event contender seconds`, for bench.py. --itself: PyKokkos
and kokkos-python, to time the same kernel with PyKokkos itself.

- call: an empty kernel with three arrays of one element, less Kokkos' own dispatch of an empty functor,
  against np.add(a, b, out=c).
- import: of the module with its first call, which starts Kokkos, in a fresh process, less what starting
  Kokkos alone takes there, against `import numpy`. PyKokkos' is less NumPy's, which it imports.
"""

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time

CALLS = 20000
LEAST = {"call": 1e-9, "import": 1e-5}  # what a difference of two times can still tell from nothing


def per_call(function):
    start = time.perf_counter()
    for _ in range(CALLS):
        function()
    return (time.perf_counter() - start) / CALLS


def calls(repeat):
    """[(kernel, Kokkos' dispatch, np.add)] in seconds a call, interleaved."""
    import call_kernels
    import numpy as np

    a, b, c = (np.ones(1) for _ in range(3))
    library = ctypes.CDLL(call_kernels.__file__)
    library.dispatch_seconds.restype = ctypes.c_double
    library.dispatch_seconds.argtypes = [ctypes.c_long]
    nothing, add = call_kernels.nothing, np.add
    rows = []
    for _ in range(repeat):
        rows.append((per_call(lambda: nothing(1, a=a, b=b, c=c)), library.dispatch_seconds(CALLS) / CALLS,
                     per_call(lambda: add(a, b, out=c))))
    return rows


BEFORE = """import array, ctypes, sys, time
sys.path.insert(0, sys.argv[1])
a = array.array("d", [1.0])
start = time.perf_counter()
"""
AFTER = """
print(time.perf_counter() - start)
"""
MODULE = "import call_kernels; call_kernels.nothing(1, a=a, b=a, c=a)"
START = "kokkos = ctypes.CDLL(sys.argv[1] + '/kokkos_start.so'); kokkos.kokkos_start()"
END = "kokkos.kokkos_end()"


def fresh(folder, code, end=""):
    """Seconds that `code` takes in a process of its own."""
    done = subprocess.run([sys.executable, "-I", "-c", BEFORE + code + AFTER + end, folder], check=True,
                          stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[-1])


def imports(folder, repeat):
    """[(module, Kokkos' start, numpy)] in seconds, interleaved."""
    return [(fresh(folder, MODULE), fresh(folder, START, END), fresh(folder, "import numpy"))
            for _ in range(repeat)]


# The arrays are made views before: what PyKokkos does with NumPy's arrays at each call comes on top of this.
ITSELF = """import sys, time
sys.path[:0] = [sys.argv[1]] + sys.argv[2].split(":")
import numpy as np
start = time.perf_counter()
import pykokkos as pk
import call_kernels
a, b, c = (pk.array(np.ones(1)) for _ in range(3))
policy = pk.RangePolicy(pk.ExecutionSpace.Default, 0, 1)
call = lambda: pk.parallel_for("nothing", policy, call_kernels.nothing, a=a, b=b, c=c)
call()
imported = time.perf_counter() - start
start = time.perf_counter()
for _ in range(1000):
    call()
print(imported, (time.perf_counter() - start) / 1000)
"""


def itself(path, repeat):
    """[(import and first call, a further call)] of PyKokkos in seconds, each in a process of its own."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "project")
    env = dict(os.environ, OMP_NUM_THREADS="1")  # threads that wait for each other are no part of a call's cost
    rows = []
    with tempfile.TemporaryDirectory() as folder:  # PyKokkos compiles into the working folder
        for _ in range(repeat + 1):
            done = subprocess.run([sys.executable, "-I", "-c", ITSELF, source, path], cwd=folder, env=env,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit("PyKokkos itself: %s%s" % (done.stdout, done.stderr))
            rows.append(tuple(float(word) for word in done.stdout.split()[-2:]))
    return rows[1:]  # the first one compiled


def main():
    folder = sys.argv[1]
    plain = "--plain" in sys.argv
    numbers = [word for word in sys.argv[2:] if not word.startswith("--")]
    repeat = int(numbers[0]) if numbers else 15
    path = next((word[len("--itself="):] for word in sys.argv if word.startswith("--itself=")), "")
    pykokkos = dict(zip(("import", "call"), zip(*itself(path, min(repeat, 5))))) if path else {}
    sys.path.insert(0, folder)
    for event, rows, limit in (("call", calls(repeat), 2.0), ("import", imports(folder, repeat), 0.2)):
        kokkos = statistics.median(row[1] for row in rows)
        ours = [max(row[0] - kokkos, LEAST[event]) for row in rows]
        numpy = [row[2] for row in rows]
        others = [max(value - kokkos, LEAST[event]) for value in pykokkos.get(event, ())]
        if plain:
            for value in others:
                print(event, "itself", value)
            for own, other in zip(ours, numpy):
                print(event, "ours", own)
                print(event, "numpy", other)
            continue
        ratio = statistics.median(ours) / statistics.median(numpy)
        scale, unit = (1e9, "ns") if event == "call" else (1e3, "ms")
        print("%-8s %8.1f %s beyond Kokkos' %8.1f   numpy %8.1f   ratio %5.2f   goal <= %.1f %s" % (
            event, statistics.median(ours) * scale, unit, kokkos * scale, statistics.median(numpy) * scale, ratio,
            limit, "met" if ratio <= limit else "not met"))
        if others:
            least = statistics.median(ours) <= LEAST[event]  # then ours was not told from nothing: no ratio
            print("%-8s %8.1f %s PyKokkos itself%s" % ("", statistics.median(others) * scale, unit, (
                "" if least else ", %.0f x ours" % (statistics.median(others) / statistics.median(ours)))))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
