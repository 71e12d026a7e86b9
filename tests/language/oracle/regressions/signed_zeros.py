"""0.0 minus something: 0.0 where that is 0."""
import pykokkos as pk

ZERO = 0.0


@pk.workunit
def of_index(i: int, out: pk.View1D[pk.double]):
    out[i] = ZERO - i


@pk.workunit
def of_magnitude(i: int, n: pk.View1D[pk.int32], out: pk.View1D[pk.double]):
    x = abs(float(n[i] // 4))
    out[i] = 0.0 - x


@pk.workunit
def of_float32(i: int, n: pk.View1D[pk.int32], out: pk.View1D[pk.float32]):
    out[i] = 0.0 - pk.float32(n[i] // 4)


@pk.workunit
def of_constants(i: int, out: pk.View1D[pk.double]):
    out[i] = 0 / -2


@pk.workunit
def of_integers(i: int, n: pk.View1D[pk.int64], out: pk.View1D[pk.double]):
    out[i] = (n[i] & 1) / -3
