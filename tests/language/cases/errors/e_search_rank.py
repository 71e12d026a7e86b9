"""A search goes through one dimension.

EXPECT-ERROR line 14: lower_bound works on a view of one dimension
"""
import pykokkos as pk


@pk.workunit
def good(i: int, v: pk.View2D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = pk.lower_bound(v[i, :], 4, 2)

@pk.workunit
def bad(i: int, v: pk.View2D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = pk.lower_bound(v, 4, 2)
