"""Shifts, quotients and remainders of narrow integers, where the other operand is wide."""
import pykokkos as pk


@pk.workunit
def right(i: int, a: pk.View1D[pk.int32], k: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    out[i] = a[i] >> (k[i] & 63)


@pk.workunit
def largest(i: int, n: pk.int32, out: pk.View1D[pk.int64]):
    out[i] = max(i * n, n >> i % 8)


@pk.workunit
def remainder(i: int, a: pk.View1D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = (a[i] % 2147483648) * 1000


@pk.workunit
def quotient(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    out[i] = max(a[i] // 2147483648, b[i] & 7) * 3
