"""Random pools: what is refused.

EXPECT-ERROR line 15: pk.rand draws from the workunit's pool, and there is none
"""
import pykokkos as pk


@pk.workunit
def good(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)


@pk.workunit
def bad(i: int, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)
