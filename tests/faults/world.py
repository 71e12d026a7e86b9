"""A small project, its store and its builds, for the fault tests: files as a build has them, a fake
compiler whose objects show what they were made from, and checks that nothing is wrong or left."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

KERNELS = """import pykokkos as pk

FACTOR = {factor}


@pk.workunit
def scale(i: int, v: pk.View1D[pk.double]):
    v[i] = v[i] * FACTOR


@pk.workunit
def total(i: int, acc: pk.Acc[pk.double], v: pk.View1D[pk.double]):
    acc += v[i]
"""

KERNEL = """// PyKokkosCache kernel 1
#include <pykokkos_cache/base.hpp>
extern "C" void k{n}(double *v, long n) {{ for (long i = 0; i < n; i++) v[i] *= {n}; }}
"""

DISPATCH = """// PyKokkosCache dispatch 1
#include <pykokkos_cache/base.hpp>
#include <other.hpp>
int dispatch{n};
"""


HEADERS = "#include <pykokkos_cache/base.hpp>\n"
# A target of six, over the size at which its kernels are put into groups.
TARGET_KERNEL = """

@pk.workunit
def w{n}(i: int, v: pk.View1D[pk.double]):
    v[i] = v[i] * {factor}
"""
OPTIONS = """target=t
output_dir={out}
source_dir={source}
source=target.py
execution_space=
group_over=4
depfile_target=t.stamp
"""


class Wrong(Exception):
    """What a test says when something is not as it has to be."""


def require(condition, text):
    if not condition:
        raise Wrong(text)


def tree(path):
    """All files below a folder with their bytes."""
    found = {}
    for folder, _, names in os.walk(path):
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as f:
                found[os.path.relpath(full, path)] = f.read()
    return found


def state_now(content):
    """What a state file (src/cli/state.c) says of what is generated now, without what changed before;
    None where it is damaged so that it does not read."""
    try:
        return read_state(content)
    except (ValueError, IndexError):
        return None


def read_state(content):
    first, rest = content.split(b"\n", 1)
    rest = rest[int(first.split()[-1]) + 1:]
    found = []
    while rest:
        line, rest = rest.split(b"\n", 1)
        *names, now, before = line.split(b" ")
        found.append((names, rest[:int(now)]))
        rest = rest[int(now) + 1:]
        rest = rest[int(before) + 1:] if int(before) > 0 else rest
    return found


def generated_tree(path):
    """tree() of what was generated. Without what state files say of earlier runs."""
    found = tree(path)
    for name, content in found.items():
        if name.endswith(".state"):
            found[name] = state_now(content)
    return found


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def age(path):
    """Makes files so old that their stamps can be trusted."""
    then = time.time() - 100
    for folder, _, names in os.walk(path):
        for name in names:
            os.utime(os.path.join(folder, name), (then, then))


class World:
    """Everything in one new folder, removed by close()."""

    def __init__(self, pkc, compiler):
        self.pkc = pkc
        self.root = tempfile.mkdtemp(prefix="faults-", dir=os.getcwd())
        self.compiler = os.path.join(self.root, "bin", "fake-g++")
        os.makedirs(os.path.dirname(self.compiler))
        shutil.copy(compiler, self.compiler)
        self.log = os.path.join(self.root, "compiles")
        self.tmp = os.path.join(self.root, "tmp")
        os.makedirs(self.tmp)
        os.makedirs(os.path.join(self.root, "home"))
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": os.path.join(self.root, "home"),
            "TMPDIR": self.tmp,
            "FAKE_COMPILER_LOG": self.log,
        }
        self.place = self.root
        self.references = {}
        self.new_place("first")

    def close(self):
        subprocess.run(["chmod", "-R", "u+rwX", self.root], check=False)
        shutil.rmtree(self.root, ignore_errors=True)

    # ---- places: a checkout, its build folder and a store ----------------------------------------

    def new_place(self, name):
        self.place = os.path.join(self.root, name)
        self.inc = os.path.join(self.place, "inc")
        self.build = os.path.join(self.place, "build")
        self.store = os.path.join(self.place, "store")
        self.gen = os.path.join(self.place, "gen")
        self.large = os.path.join(self.place, "large")  # where the target with groups is generated
        self.python = os.path.join(self.place, "kernels.py")
        os.makedirs(self.build)
        self.env["PYKOKKOS_CACHE_DIR"] = self.store
        write(os.path.join(self.inc, "pykokkos_cache", "base.hpp"), "// base 1\n")
        write(os.path.join(self.inc, "other.hpp"), "// other 1\n")
        write(self.python, KERNELS.format(factor=2))

    def save(self, name):
        """Keeps the place as it is now, to come back to by restore()."""
        kept = os.path.join(self.root, "kept-" + name)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.place, kept, symlinks=True)

    def restore(self, name):
        subprocess.run(["rm", "-rf", self.place], check=True)
        subprocess.run(
            ["cp", "-a", os.path.join(self.root, "kept-" + name), self.place], check=True)

    # ---- commands --------------------------------------------------------------------------------

    def run(self, words, extra=None, cwd=None, timeout=60):
        env = dict(self.env)
        env.update(extra or {})
        return subprocess.run(words, cwd=cwd or self.place, env=env, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def generate_words(self):
        return [self.pkc, "generate", "-o", self.gen, self.python]

    def compile_words(self, source, flags=()):
        name = os.path.basename(source).rsplit(".", 1)[0]
        return [self.pkc, "compile", "--compiler=" + self.compiler, "--linker=" + self.compiler,
                "--", self.compiler, "-O2",
                *flags, "-I" + self.inc, "-MD", "-MT", name + ".o", "-MF", name + ".o.d", "-o",
                name + ".o", "-c", source]

    def compile(self, source, extra=None, flags=(), cwd=None):
        return self.run(self.compile_words(source, flags), extra, cwd or self.build)

    def kernel(self, n):
        """The path of a kernel TU, which is made where it is missing."""
        path = os.path.join(self.place, "tu", f"k{n}.kernel.cpp")
        if not os.path.exists(path):
            write(path, KERNEL.format(n=n))
        return path

    def dispatch(self, n):
        path = os.path.join(self.place, "tu", f"d{n}.dispatch.cpp")
        if not os.path.exists(path):
            write(path, DISPATCH.format(n=n))
        return path

    def write_target(self, factors):
        """The target's file: kernel n multiplies by the n-th of `factors`."""
        path = os.path.join(self.place, "source", "target.py")
        write(path, "import pykokkos as pk\n" + "".join(
            TARGET_KERNEL.format(n=n, factor=factor) for n, factor in enumerate(factors)))

    def target_words(self, out):
        """The generator's command as CMake's build has it."""
        path = os.path.join(out, "t.options")
        if not os.path.exists(path):
            write(path, OPTIONS.format(out=out, source=os.path.join(self.place, "source")))
        return [self.pkc, "generate", "--options=" + path]

    def group(self, kernels):
        """The path of a group TU, written with these kernels in it: part i has the kernel i-th."""
        path = os.path.join(self.place, "tu", "g.kernel.cpp")
        text = "// PyKokkosCache group 1\n// Kernels.\n"
        for i, n in enumerate(kernels):
            kernel = KERNEL.format(n=n)
            text += (f"//: part m/part{i}.kernel.cpp {len(HEADERS)} {len(kernel)} 0\n"
                     f"{HEADERS}{kernel}")
        write(path, text)
        return path

    def compiles(self):
        """How many compiles there were since the last time."""
        count = len(read(self.log).splitlines()) if os.path.exists(self.log) else 0
        write(self.log, "")
        return count

    # ---- checks ----------------------------------------------------------------------------------

    def reference(self, source, flags=()):
        """The object as the compiler alone makes it."""
        key = (read(source), flags, tuple(sorted(tree(self.inc).items())))
        if key not in self.references:
            folder = os.path.join(self.root, "reference")
            os.makedirs(folder, exist_ok=True)
            out = os.path.join(folder, "reference.o")
            env = {k: v for k, v in self.env.items() if k != "FAKE_COMPILER_LOG"}
            subprocess.run([self.compiler, "-O2", *flags, "-I" + self.inc, "-c", source, "-o", out],
                           check=True, env=env)
            self.references[key] = read(out)
        return self.references[key]

    def check_object(self, source, flags=(), cwd=None, what=""):
        """The object and the depfile of a compile that succeeded."""
        name = os.path.basename(source).rsplit(".", 1)[0]
        folder = cwd or self.build
        path = os.path.join(folder, name + ".o")
        require(os.path.exists(path), f"{what}: there is no object")
        require(read(path) == self.reference(source, flags), f"{what}: the object is wrong")
        deps = read(path + ".d").decode() if os.path.exists(path + ".d") else ""
        require(deps.startswith(name + ".o:") and os.path.basename(source) in deps and
                "base.hpp" in deps, f"{what}: the depfile is wrong: {deps!r}")

    def check_group(self, source, kernels, what=""):
        """The object of a group: its kernels' objects joined, or the TU compiled as the one it is."""
        path = os.path.join(self.build, "g.kernel.o")
        require(os.path.exists(path), f"{what}: there is no object")
        parts = []
        for n in kernels:
            parts.append(self.reference(self.kernel(n)))
        now = read(path)
        require(now == b"joined\n" + b"".join(parts) or now == self.reference(source),
                f"{what}: the group's object is wrong")
        deps = read(path + ".d").decode() if os.path.exists(path + ".d") else ""
        require(deps.startswith("g.kernel.o:") and "g.kernel.cpp" in deps and "base.hpp" in deps,
                f"{what}: the depfile is wrong: {deps!r}")

    def litter(self):
        """Files that nobody needs, after a gc."""
        found = []
        for folder in (self.place, self.tmp):
            for name in tree(folder):
                parts = name.split(os.sep)
                if ".pkc" in name or "tmp" in parts[:-1] or name.endswith(".tmp"):
                    found.append(name)
        found += [n for n in os.listdir(self.tmp) if n not in found]
        stray = os.path.join(self.store, "tmp")
        if os.path.isdir(stray):
            found += os.listdir(stray)
        return found

    def check_clean(self, what):
        r = self.run([self.pkc, "gc"])
        require(r.returncode == 0, f"{what}: gc fails: {r.stderr.decode()}")
        left = self.litter()
        require(not left, f"{what}: left behind: {left[:5]}")


def fell(r):
    """True where a process died of a signal."""
    return r.returncode < 0 or r.returncode >= 128


def report(name, problems, text):
    for problem in problems[:20]:
        print(f"WRONG: {name}: {problem}")
    print(f"{name}: {text}, {len(problems)} wrong")
    sys.exit(1 if problems else 0)
