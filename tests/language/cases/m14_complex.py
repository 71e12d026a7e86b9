"""Complex numbers."""
import pkstub
import pykokkos as pk


@pk.workunit
def arithmetic(i: int, a: pk.View1D[pk.complex128], b: pk.View1D[pk.complex128], out: pk.View2D[pk.complex128]):
    out[i, 0] = a[i] + b[i]
    out[i, 1] = a[i] - b[i] * 2
    out[i, 2] = a[i] * b[i]
    out[i, 3] = -a[i] + 1.5
    out[i, 4] = complex(i, 2) * a[i]
    out[i, 5] = a[i] / 2


@pk.workunit
def parts(i: int, a: pk.View1D[pk.complex128], x: pk.View2D[pk.double]):
    z = a[i]
    x[i, 0] = z.real
    x[i, 1] = z.imag * 2
    x[i, 2] = abs(z)
    x[i, 3] = a[i] == z
    x[i, 4] = z.conjugate().imag


@pk.workunit
def sums(i: int, acc: pk.Acc[pk.complex128], a: pk.View1D[pk.complex128]):
    acc += a[i]


_A = [3 + 4j, -1.5 + 0.5j, 2 + 0j]
_B = [1 - 2j, 0.25 + 8j, -1j]
INPUTS = {
    "arithmetic": dict(n=3, args={"a": ("complex128", _A), "b": ("complex128", _B), "out": ("complex128", [[0j] * 6] * 3)}, out={"out": "complex128"}),
    "parts": dict(n=3, args={"a": ("complex128", _A), "x": ("float64", [[0.0] * 5] * 3)}, out={"x": "float64"}),
    "sums": dict(n=3, kind="reduce", args={"a": ("complex128", _A)}, out={}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
