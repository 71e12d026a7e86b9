"""a name that a path leaves unassigned

EXPECT-ERROR line 18: t may not have been assigned
"""
import pkstub  # noqa: F401
import pykokkos as pk


@pk.workunit
def good(i: int, out: pk.View1D[pk.int64]):
    out[i] = 1


@pk.workunit
def bad(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    if a[i] > 0:
        t = 1
    out[i] = t
