"""math's functions take no complex numbers, as in CPython.

EXPECT-ERROR line 16: math.exp takes no complex number
"""
import math
import pykokkos as pk


@pk.workunit
def good(i: int, z: pk.View1D[pk.complex128]):
    z[i] = z[i] * 2


@pk.workunit
def bad(i: int, z: pk.View1D[pk.complex128]):
    z[i] = math.exp(z[i])
