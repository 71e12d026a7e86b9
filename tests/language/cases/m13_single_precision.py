"""float32: stays float32 with literals and integers, becomes double with doubles.

The stand-in computes in double and rounds at each store; every operation here is rounded by a
store, or exact, so both agree.
"""
import math
import pkstub
import pykokkos as pk


@pk.workunit
def operations(i: int, x: pk.View1D[pk.float32], out: pk.View2D[pk.float32]):
    out[i, 0] = x[i] + 0.5
    out[i, 1] = x[i] * 3
    out[i, 2] = x[i] / 2
    out[i, 3] = x[i] - i
    out[i, 4] = -x[i]
    out[i, 5] = math.sqrt(abs(x[i]))
    out[i, 6] = x[i] // 2
    out[i, 7] = x[i] % 2


@pk.workunit
def with_double(i: int, x: pk.View1D[pk.float32], y: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    out[i] = x[i] * y[i] + x[i]


@pk.workunit
def parameters(i: int, a: pk.float32, b: float, x: pk.View1D[pk.float32], out: pk.View1D[pk.double]):
    t: pk.float32 = b
    out[i] = a + x[i] if i % 2 else t
    x[i] = b


@pk.workunit
def comparisons(i: int, x: pk.View1D[pk.float32], out: pk.View1D[pk.int64]):
    out[i] = (x[i] < 2) + 2 * (x[i] == 0.5) + 4 * (x[i] > i) + 8 * (x[i] >= 16777217)


_X = [0.5, -1.25, 3.0, 16777216.0]
INPUTS = {
    "operations": dict(n=4, args={"x": ("float32", _X), "out": ("float32", [[0.0] * 8] * 4)}, out={"out": "float32"}),
    "with_double": dict(n=4, args={"x": ("float32", _X), "y": ("float64", [0.1, 0.2, 0.3, 0.4])}, out={"out": "float64"}),
    "parameters": dict(n=4, args={"a": ("scalar", 0.25), "b": ("scalar", 0.1), "x": ("float32", _X)}, out={"x": "float32", "out": "float64"}),
    "comparisons": dict(n=4, args={"x": ("float32", _X)}, out={"out": "int64"}),
}


def expected():
    answers = pkstub.expected(INPUTS, globals())
    tenth = pkstub.convert("float32", 0.1)  # an annotation converts
    answers["parameters"]["out"] = [tenth, -1.0, tenth, 16777216.0]
    return answers
