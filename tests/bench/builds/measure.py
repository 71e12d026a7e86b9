"""Runs commands and takes their times; knows nothing of what is measured."""

import os
import resource
import statistics
import subprocess
import sys
import time


class Failed(Exception):
    """A command that had to work did not."""


def environment(**extra):
    """The user's environment without what would change a build behind the benchmark's back."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("PYKOKKOS_CACHE", "CCACHE_", "NINJA_"))
           and name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHONPATH", "KOKKOS_TOOLS_LIBS")}
    env.update(PYTHONDONTWRITEBYTECODE="1", **extra)
    return env


def run(command, cwd=None, env=None):
    """Runs a command that must work; returns what it printed."""
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if done.returncode != 0:
        raise Failed("%s: status %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def seconds(command, cwd=None, env=None):
    start = time.perf_counter()
    run(command, cwd, env)
    return time.perf_counter() - start


def peak_memory(command, cwd=None, env=None):
    """(seconds, bytes): of one command, started as a child of its own."""
    code = ("import resource, subprocess, sys, time\n"
            "start = time.perf_counter()\n"
            "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
            "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
            "sys.exit(done.returncode)\n")
    took, memory = run([sys.executable, "-I", "-S", "-c", code] + command, cwd, env).split()[-2:]
    return float(took), int(memory) * 1024


def write(path, text):
    """Writes a file where its text differs, as an editor would: untouched files keep their time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path) as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w") as file:
        file.write(text)


def human(value):
    """Seconds as people read them."""
    if value is None:
        return "-"
    if value < 1e-4:
        return "%.2f us" % (value * 1e6)
    if value < 1:
        return "%.1f ms" % (value * 1e3)
    return "%.2f s" % value


class Results:
    """Samples by event and contender."""

    def __init__(self):
        self.samples = {}
        self.scaled = {}
        self.skipped = {}

    def add(self, event, contender, value, scale=1):
        self.samples.setdefault(event, {}).setdefault(contender, []).append(value * scale)
        if scale != 1:
            self.scaled[(event, contender)] = scale

    def median(self, event, contender):
        values = self.samples.get(event, {}).get(contender)
        return statistics.median(values) if values else None


def children_time():
    """CPU seconds of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
