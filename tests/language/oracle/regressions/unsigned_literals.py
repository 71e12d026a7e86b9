"""Literals beside uint64 values: they are of 64 bits, whatever their size."""
import pykokkos as pk


@pk.workunit
def least(i: int, a: pk.View1D[pk.uint64], out: pk.View1D[pk.uint64]):
    out[i] = min(pk.uint64(0), a[i]) | max(a[i], pk.uint64(7))


@pk.workunit
def shifted(i: int, a: pk.View1D[pk.uint64], out: pk.View1D[pk.uint64]):
    out[i] = pk.uint64(1) << (a[i] & 63)
