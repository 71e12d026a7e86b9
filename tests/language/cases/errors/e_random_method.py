"""Random pools: what is refused.

EXPECT-ERROR line 15: a random generator has no method
"""
import pykokkos as pk


@pk.workunit
def good(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)


@pk.workunit
def bad(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pool.get_state().uniform()
