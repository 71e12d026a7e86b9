"""Random pools: what is refused.

EXPECT-ERROR line 15: a scan runs twice over its range
"""
import pykokkos as pk


@pk.workunit
def good(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    x[i] = pk.rand(pk.double)


@pk.workunit
def bad(i: int, acc: pk.Acc[pk.double], last: bool, pool: pk.Random_XorShift64_Pool):
    acc += pk.rand(pk.double)
