"""a default whose constant is bound again below: Python took the first value

EXPECT-ERROR line 26: bound again
"""
import pkstub  # noqa: F401
import pykokkos as pk

N = 1


@pk.function
def more(x: float, by: float = N) -> float:
    return x + by


N = 2


@pk.workunit
def good(i: int, out: pk.View1D[pk.double]):
    out[i] = more(1.0, N)


@pk.workunit
def bad(i: int, out: pk.View1D[pk.double]):
    out[i] = more(1.0)
