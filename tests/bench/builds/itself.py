"""PyKokkos itself, run as its users run it: a script calls pk.parallel_for, and PyKokkos translates, compiles
and runs. Needs PyKokkos and kokkos-python (pykokkos-base) on a search path given by the caller.

It looks whether a workunit was compiled by the name of its folder alone, so that an edited workunit runs
the old binary. Its users remove the folder of what they edited; so does this, outside of the time taken.
"""

import os
import shutil
import time

import sources
from contenders import Contender
from measure import Failed, environment, run, write

CHECK = "import pykokkos as pk; pk.View([1], pk.double)"
# NumPy's import is no work of PyKokkos: it is timed apart, and taken out.
MAIN = '''import time
start = time.perf_counter()
import numpy as np
numpy = time.perf_counter() - start
import pykokkos as pk
import kernels

made = np.zeros(4, dtype=np.{dtype})
given = np.array([1.0, 2.0, 3.0, 4.0], dtype=np.{dtype})
pk.parallel_for(4, kernels.triad, a=made, b=given, c=given, s=2.0)
print("result:", numpy, made[3])
'''


def reason_missing(python, path):
    """Why PyKokkos cannot be imported with this PYTHONPATH; None where it can."""
    if not path:
        return "no PYTHONPATH of PyKokkos and kokkos-python given (PYKOKKOS_PYTHONPATH)"
    try:
        run([python, "-c", CHECK], env=environment(PYTHONPATH=path))
    except Failed as failed:
        return "PyKokkos cannot be imported: " + str(failed).strip().splitlines()[-1]
    return None


class Script:
    """A folder with kernels.py and the script that runs its triad."""

    def __init__(self, contender, folder, count):
        self.contender = contender
        self.setup = contender.setup
        self.count = count
        self.source = folder
        self.env = environment(PYTHONPATH=self.setup.itself)

    def write(self, state):
        write(os.path.join(self.source, "kernels.py"), sources.python(self.count, state))
        dtype = "float64" if state.type == "double" else "float32"
        write(os.path.join(self.source, "main.py"), MAIN.format(dtype=dtype))

    def configure(self):
        """Nothing to configure."""

    def build(self):
        """Seconds until a fresh process has the triad's result, NumPy's import taken out."""
        start = time.perf_counter()
        printed = run([self.setup.python, "main.py"], cwd=self.source, env=self.env)
        took = time.perf_counter() - start
        line = next(line for line in printed.splitlines() if line.startswith("result:"))
        numpy, self.result = (float(word) for word in line.split()[1:])
        return took - numpy

    def forget(self):
        """Removes what was compiled of the triad, as one has to after an edit."""
        removed = False
        for folder, names, _ in os.walk(os.path.join(self.source, "pk_cpp")):
            for name in [name for name in names if name == "kernels_triad"]:
                shutil.rmtree(os.path.join(folder, name))
                names.remove(name)
                removed = True
        if not removed:
            raise Failed("PyKokkos itself: no folder of the compiled workunit was found to remove")


class Itself(Contender):
    name = "itself"
    title = "PyKokkos itself"
    rounds = other_rounds = 5

    def missing(self):
        return reason_missing(self.setup.python, self.setup.itself)

    def project(self, folder, count, **settings):
        return Script(self, os.path.join(self.setup.root, folder, self.name), count)

    def result(self, project, state, edited):
        if edited:
            project.forget()
        return project.build(), project.result
