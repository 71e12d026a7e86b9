"""NumPy has no difference of bools.

EXPECT-ERROR line 16: np.subtract of bool
"""
import numpy as np
import pykokkos as pk


@pk.workunit
def good(i: int, x: pk.View1D[pk.double]):
    x[i] = np.subtract(x[i], x[i] > 0)


@pk.workunit
def bad(i: int, x: pk.View1D[pk.double]):
    x[i] = np.subtract(x[i] > 1, x[i] > 0)
