"""Times of an edit, side by side with their floors, in one run.

    edit.py PROGRAM PACKAGE_DIR [runs]

- body edit: one kernel's body is edited in a CMake project; the time of `ninja` until the new shared
  library is there, against compiling the same loop by hand and linking it, nothing else.
- generator: `pykokkos-cache generate` on a file of 20 workunits, all up to date but for one edited,
  against `python3 -I -S -c "import ast"`.

Runs are interleaved; medians are printed with their ratio.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM, PACKAGE = sys.argv[1], sys.argv[2]
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 15

KERNELS = '''import pykokkos as pk


@pk.workunit
def triad(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], c: pk.View1D[pk.double], s: pk.double):
    a[i] = b[i] + s * c[i] + %s


@pk.workunit
def dot(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    acc += a[i] * b[i]
'''
FLOOR = '''extern "C" void triad(double *a, const double *b, const double *c, double s, long begin, long end)
{
    for (long i = begin; i < end; ++i) {
        a[i] = b[i] + s * c[i] + %s;
    }
}
'''
PROJECT = '''cmake_minimum_required(VERSION 3.22)
project(bench CXX)
find_package(PyKokkosCache REQUIRED)
pykokkos_add_library(kernels SHARED SOURCES kernels.py)
'''


def run(*command, cwd=None, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("%s failed:\n%s" % (" ".join(command), done.stdout))
    return done.stdout


def seconds(*command, cwd=None, env=None):
    start = time.perf_counter()
    run(*command, cwd=cwd, env=env)
    return time.perf_counter() - start


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def report(name, ours, floor, goal):
    ours, floor = statistics.median(ours), statistics.median(floor)
    print("%-38s %7.1f ms   floor %7.1f ms   ratio %5.2f   goal %s" % (name, ours * 1e3, floor * 1e3, ours / floor, goal))


def main():
    root = tempfile.mkdtemp(prefix="pykokkos-bench-")
    env = dict(os.environ, PYKOKKOS_CACHE_DIR=os.path.join(root, "store"))
    compiler = os.environ.get("CXX", "c++")
    try:
        source, build = os.path.join(root, "src"), os.path.join(root, "build")
        os.mkdir(source)
        write(os.path.join(source, "CMakeLists.txt"), PROJECT)
        write(os.path.join(source, "kernels.py"), KERNELS % "0.0")
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
            "-DPyKokkosCache_DIR=" + PACKAGE, env=env)
        run("ninja", cwd=build, env=env)
        run("ninja", cwd=build, env=env)

        edit, back, comment, idle, floor = [], [], [], [], []
        for k in range(1, RUNS + 1):
            number = "%d.0" % k
            write(os.path.join(source, "kernels.py"), KERNELS % number)
            edit.append(seconds("ninja", cwd=build, env=env))
            write(os.path.join(root, "loop.cpp"), FLOOR % number)
            start = time.perf_counter()
            run(compiler, "-O3", "-fPIC", "-c", "loop.cpp", "-o", "loop.o", cwd=root)
            run(compiler, "-shared", "-o", "libloop.so", "loop.o", cwd=root)
            floor.append(time.perf_counter() - start)
            write(os.path.join(source, "kernels.py"), KERNELS % number + "# a comment\n")
            comment.append(seconds("ninja", cwd=build, env=env))
            write(os.path.join(source, "kernels.py"), KERNELS % "0.0")
            back.append(seconds("ninja", cwd=build, env=env))
            idle.append(seconds("ninja", cwd=build, env=env))

        many = os.path.join(root, "many.py")
        text = KERNELS + "".join(
            "\n\n@pk.workunit\ndef w%d(i: int, v: pk.View1D[pk.double], k: pk.double):\n"
            "    for j in range(8):\n        if v[i] > j:\n            v[i] = v[i] * k + %d\n" % (k, k)
            for k in range(18))
        write(many, text % "0.0")
        out = os.path.join(root, "generated")
        generate = (PROGRAM, "generate", "-o", out, many)
        run(*generate, env=env)
        generator, same, python = [], [], []
        for k in range(1, RUNS + 1):
            write(many, text % ("%d.0" % k))
            generator.append(seconds(*generate, env=env))
            same.append(seconds(*generate, env=env))
            python.append(seconds(sys.executable, "-I", "-S", "-c", "import ast"))

        report("body edit to shared library, ninja", edit, floor, "<= 2.5")
        report("edit taken back", back, floor, "")
        report("comment", comment, idle, "<= 4 (floor: ninja, nothing to do)")
        report("generate, 20 workunits, one edited", generator, python, "<= 0.33 (floor: import ast)")
        report("generate, 20 workunits, unchanged", same, python, "")
    finally:
        shutil.rmtree(root, True)


main()
