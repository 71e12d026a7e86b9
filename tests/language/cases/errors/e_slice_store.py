"""a store into a slice

EXPECT-ERROR line 16: slice
"""
import pkstub  # noqa: F401
import pykokkos as pk


@pk.workunit
def good(i: int, out: pk.View1D[pk.int64]):
    out[i] = 1


@pk.workunit
def bad(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    out[0:2] = 1
