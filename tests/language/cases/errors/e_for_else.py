"""for with an else

EXPECT-ERROR line 20: else
"""
import pkstub  # noqa: F401
import pykokkos as pk


@pk.workunit
def good(i: int, out: pk.View1D[pk.int64]):
    out[i] = 1


@pk.workunit
def bad(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    for j in range(3):
        if a[j] == i:
            break
    else:
        out[i] = 1
