"""Random pools: what is refused.

EXPECT-ERROR line 15: several
"""
import pykokkos as pk


@pk.workunit
def good(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)


@pk.workunit
def bad(i: int, p: pk.Random_XorShift64_Pool, q: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)
