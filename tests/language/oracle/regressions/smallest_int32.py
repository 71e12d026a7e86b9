"""The smallest int32 as a literal: no wider than its neighbours."""
import pykokkos as pk


@pk.workunit
def least(i: int, a: pk.View1D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = min(-2147483648, a[i]) + max(a[i], -2147483648) * 3


@pk.workunit
def chosen(i: int, a: pk.View1D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = min(-2147483648 or a[i], 5)
