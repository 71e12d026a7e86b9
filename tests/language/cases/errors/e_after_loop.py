"""a name read after a loop that may be empty

EXPECT-ERROR line 18: t may not have been assigned
"""
import pkstub  # noqa: F401
import pykokkos as pk


@pk.workunit
def good(i: int, out: pk.View1D[pk.int64]):
    out[i] = 1


@pk.workunit
def bad(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    for j in range(a[i]):
        t = j
    out[i] = t
