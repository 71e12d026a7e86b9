import pykokkos as pk


@pk.workunit
def scale(i: int, x: pk.View1D[pk.float32], k: pk.float32):
    x[i] = x[i] * k
