"""Random pools: what is refused.

EXPECT-ERROR line 14: Random_XorShift1024_Pool are not translated
"""
import pykokkos as pk


@pk.workunit
def good(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)


@pk.workunit
def bad(i: int, pool: pk.Random_XorShift1024_Pool, x: pk.View1D[pk.double]):
    x[i] = 1.0
