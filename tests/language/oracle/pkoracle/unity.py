"""Builds of many small kernels at once: for long runs, where a compiler's start is most of its time.

Dispatch and the Python runtime are built once; a file's kernels then are two translation units that
include them all, compiled at -O1. What does not compile so is built as users do.
"""
import os
import shlex
import subprocess

from .compiled import BuildError, Toolchain

NAME = "unity"


def included(kernel, number):
    """What includes a kernel among others: each may have an accumulator of its own kind."""
    return "#define accumulator accumulator_%d\n#include \"%s\"\n#undef accumulator\n" % (number, kernel)


class UnityToolchain(Toolchain):
    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        self.arguments += ["--name", NAME]
        self.base = None

    def build(self, source, folder):
        if self.base is None:
            probe = os.path.join(os.path.dirname(source), "probe.py")
            with open(probe, "w", encoding="utf-8") as f:
                f.write("import pykokkos as pk\n\n\n@pk.workunit\ndef probe(i: int):\n    pass\n")
            self._learn(folder + "-base", super().build(probe, folder + "-base"))
        try:
            return self._unity(source, folder)
        except subprocess.CalledProcessError:
            return super().build(source, folder + "-full")

    def _learn(self, folder, path):
        """The commands of a build folder: how kernels, the table and the module are made."""
        out = subprocess.run(["ninja", "-C", folder, "-t", "commands"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        commands = [shlex.split(line) for line in out.splitlines()]
        kernel = next(c for c in commands if c[-1].endswith(".kernel.cpp"))
        table = next(c for c in commands if c[-1].endswith(".module.cpp"))
        link = next(c for c in commands if "-shared" in c)
        plain = lambda c: c[c.index("--") + 1:] if "--" in c else c
        self.kernel = ["-O1" if w == "-O3" else w for w in plain(kernel)[:-4]]
        self.table = [w for w in plain(table)[:plain(table).index("-MD")]]
        self.libraries = [w for w in link[link.index("-o") + 2:] if not w.startswith("@")]
        self.linker = link[:link.index("-o")]
        self.base = [os.path.join(folder, "pkc", o) for o in ("dispatch.o", "python_runtime.o")]
        self.file = os.path.basename(path)
        # The folder of a batch goes away; what all need stays.
        kept = os.path.join(os.path.dirname(os.path.dirname(folder)), "base")
        os.makedirs(kept)
        for o in self.base:
            os.rename(o, os.path.join(kept, os.path.basename(o)))
        self.base = [os.path.join(kept, os.path.basename(o)) for o in self.base]

    def _unity(self, source, folder):
        run = lambda *command: subprocess.run(command, check=True, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT, env=self.environment)
        done = subprocess.run([self.command, "generate", "--python", *self.arguments, "-o", folder,
                               source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment, check=False)
        if done.returncode != 0:
            raise BuildError(done.stdout)
        kernels = sorted(os.path.join(d, f) for d, _, files in os.walk(folder) for f in files
                         if f.endswith(".kernel.cpp"))
        compilers, objects = [], []
        for half in range(2):
            text = os.path.join(folder, "half%d.cpp" % half)
            with open(text, "w", encoding="utf-8") as f:
                f.writelines(included(k, n) for n, k in enumerate(kernels[half::2]))
            objects.append(text + ".o")
            compilers.append(subprocess.Popen([*self.kernel, "-Werror", "-o", text + ".o", "-c", text],
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        table = os.path.join(folder, NAME + ".module.cpp")
        failed = [c.wait() for c in compilers]
        if any(failed):
            raise subprocess.CalledProcessError(1, self.kernel)
        run(*self.table, "-o", table + ".o", "-c", table)
        path = os.path.join(folder, self.file)
        run(*self.linker, "-o", path, *objects, table + ".o", *self.base, *self.libraries)
        return path
