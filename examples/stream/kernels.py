"""The kernels of a stream benchmark, as PyKokkos runs them."""
import pykokkos as pk


@pk.workunit
def fill(i: int, x: pk.View1D[pk.double], value: pk.double):
    x[i] = value


@pk.workunit
def triad(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], c: pk.View1D[pk.double],
          scalar: pk.double):
    a[i] = b[i] + scalar * c[i]


@pk.workunit
def dot(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    acc += a[i] * b[i]
