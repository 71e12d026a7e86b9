"""A product of what is not below 0 is, where it wraps: its rest, quotient and absolute value say so."""
import pykokkos as pk


@pk.function
def bucket(h: int) -> int:
    return h % 10 + h // 7


@pk.workunit
def of_variables(i: int, a: pk.View1D[pk.uint32], out: pk.View1D[pk.int64]):
    h: int = a[i] * 4294967291
    for j in range(3):
        h = h * h + j
    out[i] = abs(h) % 4294967296 + h % 10 + h // 3 + bucket(h) + (h >> 3)


@pk.workunit
def of_elements(i: int, a: pk.View1D[pk.uint32], out: pk.View1D[pk.int64]):
    out[i] = abs(int(a[i]) * int(a[i])) - int(a[i]) * int(a[i]) % 1000003


@pk.workunit
def below_zero(i: int, a: pk.View1D[pk.uint32], out: pk.View1D[pk.int64]):
    k: int = a[i] * int(a[i])
    if k < 0:
        out[i] = 1
    else:
        out[i] = max(k, -1) % 3
