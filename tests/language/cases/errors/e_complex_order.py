"""Complex numbers have no order.

EXPECT-ERROR line 16: np.maximum of complex numbers
"""
import numpy as np
import pykokkos as pk


@pk.workunit
def good(i: int, z: pk.View1D[pk.complex128]):
    z[i] = np.exp(z[i])


@pk.workunit
def bad(i: int, z: pk.View1D[pk.complex128], w: pk.View1D[pk.complex128]):
    z[i] = np.maximum(z[i], w[i])
