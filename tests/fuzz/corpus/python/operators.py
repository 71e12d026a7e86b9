import pykokkos as pk
@pk.workunit
def w(i: int, x: pk.View1D[int]):
    x[i] = -i ** 2 + ~i & 3 ^ i | 1 << 2 >> 1 // 3 % 4 @ 5
