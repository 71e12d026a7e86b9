"""A file's workunits, compiled: the build, and runs in a process of their own."""
import json
import os
import pickle
import re
import subprocess
import sys

CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")


class BuildError(Exception):
    """The build failed; `text` is all it said, `refused` and `broken` the workunits at fault."""

    def __init__(self, text, refused=(), broken=()):
        super().__init__(text)
        self.text, self.refused, self.broken = text, dict(refused), dict(broken)


class Toolchain:
    """Where the command is, and how it builds."""

    def __init__(self, command, environment=None, jobs=2, arguments=()):
        self.command = command
        self.jobs = jobs
        self.arguments = list(arguments)
        self.environment = dict(os.environ, **(environment or {}))
        self.run_environment = None  # of the process that loads a module; None: this one's

    def sanitize(self):
        """Builds what undefined behaviour stops, as a crash of the call."""
        self.environment["CXXFLAGS"] = SANITIZERS
        self.run_environment = sanitizer_runtime("g++")

    def list(self, source):
        """`list --json` of a file: one record a workunit."""
        done = subprocess.run([self.command, "list", "--json", source], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=600)
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise BuildError("list failed (%d): %s" % (done.returncode, done.stderr)) from None

    def refusals(self, source):
        """Refused workunits and why."""
        return {r["workunit"]: r["error"] for r in self.list(source) if r.get("error")}

    def build(self, source, folder):
        """The path of the module."""
        done = subprocess.run([self.command, "build", "--python", *self.arguments, "-o", folder,
                               source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=3600, env=self.environment)
        broken = broken_kernels(done.stdout)
        if done.returncode != 0 or broken:
            raise BuildError(done.stdout, broken=broken)
        return done.stdout.strip().splitlines()[-1]


def broken_kernels(text):
    """Workunits whose C++ did not compile without a warning, with the compiler's first, from a
    build's log."""
    broken = {}
    for line in text.splitlines():
        match = re.search(r"([^/\s]+)\.kernel\.cpp:\d+:\d+: (?:fatal error|error|warning): (.*)", line)
        if match:
            broken.setdefault(match.group(1).split("--")[0].replace("__", "."), match.group(2))
    return broken


SANITIZERS = "-fsanitize=undefined,address,float-cast-overflow -fno-sanitize-recover=all"


def sanitizer_runtime(compiler):
    """The environment in which a program that knows nothing of sanitizers loads what was built
    with SANITIZERS."""
    libraries = [subprocess.run([compiler, "-print-file-name=" + n], stdout=subprocess.PIPE, text=True,
                                check=True).stdout.strip() for n in ("libasan.so", "libubsan.so")]
    return dict(os.environ, LD_PRELOAD=" ".join(libraries),
                ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=0")


def run(module, calls, timeout=120, environment=None):
    """Runs calls, dicts with name, policy, arguments, reducer. Gives a list of results in their
    order: ("ok", result, arguments), ("error", text) or ("crash", text)."""
    results = [None] * len(calls)
    start = 0
    while start < len(calls):
        done = subprocess.run([sys.executable, "-B", CHILD, module],
                              input=pickle.dumps(calls[start:]), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout + len(calls),
                              env=environment)
        got = _read(done.stdout)
        for k, r in enumerate(got):
            results[start + k] = r
        start += len(got)
        if start < len(calls):
            what = "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-400:])
            results[start] = ("crash", what)
            start += 1
    return results


def _read(data):
    """The complete records at the start of a child's output."""
    out = []
    while len(data) >= 8:
        size = int.from_bytes(data[:8], "little")
        if len(data) < 8 + size:
            break
        out.append(pickle.loads(data[8:8 + size]))
        data = data[8 + size:]
    return out
