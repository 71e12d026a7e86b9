"""NumPy's functions of scalars: operators by name, maximum and minimum with NaN, and others."""
import numpy as np
import pkstub
import pykokkos as pk


@pk.workunit
def extremes(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = np.maximum(x[i], y[i])
    out[i, 1] = np.minimum(x[i], y[i])
    out[i, 2] = np.fmax(x[i], y[i])
    out[i, 3] = np.fmin(x[i], y[i])
    out[i, 4] = np.maximum(x[i], 1)
    out[i, 5] = np.fmin(2.5, y[i])


@pk.workunit
def integer_extremes(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = np.maximum(a[i], b[i])
    out[i, 1] = np.minimum(a[i], b[i])
    out[i, 2] = np.fmax(a[i], b[i]) // 2
    out[i, 3] = np.fmin(a[i], 7)


@pk.workunit
def operators(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = np.add(x[i], y[i])
    out[i, 1] = np.subtract(x[i], y[i])
    out[i, 2] = np.multiply(x[i], y[i])
    out[i, 3] = np.divide(x[i], y[i]) + np.true_divide(y[i], 3)
    out[i, 4] = np.floor_divide(x[i], y[i])
    out[i, 5] = np.mod(x[i], y[i])
    out[i, 6] = np.remainder(x[i], y[i])
    out[i, 7] = np.greater(x[i], y[i]) + 2 * np.less_equal(x[i], y[i])
    out[i, 8] = np.equal(x[i], y[i]) + 2 * np.not_equal(x[i], y[i]) + 4 * np.less(x[i], y[i])
    out[i, 9] = np.logical_and(x[i], y[i]) + 2 * np.logical_or(x[i], 0) + 4 * np.logical_xor(x[i], y[i])
    out[i, 10] = np.logical_not(x[i]) + 2 * np.greater_equal(x[i], y[i])
    out[i, 11] = np.float_power(np.abs(x[i]), 2)
    out[i, 12] = np.signbit(x[i]) + 2 * np.isneginf(-x[i]) + 4 * np.isposinf(x[i])
    out[i, 13] = np.heaviside(x[i], 0.5)
    out[i, 14] = np.nextafter(x[i], y[i])


@pk.workunit
def integers(i: int, a: pk.View1D[pk.int64], b: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = np.bitwise_and(a[i], b[i])
    out[i, 1] = np.bitwise_or(a[i], b[i])
    out[i, 2] = np.bitwise_xor(a[i], b[i])
    out[i, 3] = np.invert(a[i]) + np.bitwise_not(b[i])
    out[i, 4] = np.left_shift(a[i], 3)
    out[i, 5] = np.right_shift(a[i], 1)
    out[i, 6] = np.floor_divide(a[i], 7) - np.mod(a[i], 7)


@pk.workunit
def rounded(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = np.logaddexp(x[i], y[i])
    out[i, 1] = np.logaddexp2(x[i], y[i])


_NAN, _INF = float("nan"), float("inf")
_X = [0.5, -1.25, 3.0, _NAN, 1.0, _NAN, 7.0, -0.0]
_Y = [0.25, 4.0, -3.0, 1.0, _NAN, _NAN, 7.0, 2.0]
_P = [0.5, -1.25, 3.0, 800.0, -0.0, 7.5]
_Q = [0.25, 4.0, -3.0, 2.0, 2.0, -2.0]
_A = [5, -6, 0, 1 << 40, -(1 << 62)]
_B = [3, 7, -1, 255, 6]


def _out(rows, count, dtype):
    return {"out": (dtype, [[0] * count] * rows)}


INPUTS = {
    "extremes": dict(n=8, args={"x": ("float64", _X), "y": ("float64", _Y), **_out(8, 6, "float64")}, out={"out": "float64"}),
    "integer_extremes": dict(n=5, args={"a": ("int32", [5, -6, 0, 9, 2]), "b": ("int64", _B), **_out(5, 4, "int64")}, out={"out": "int64"}),
    "operators": dict(n=6, args={"x": ("float64", _P), "y": ("float64", _Q), **_out(6, 15, "float64")}, out={"out": "float64"}),
    "integers": dict(n=5, args={"a": ("int64", _A), "b": ("int64", _B), **_out(5, 7, "int64")}, out={"out": "int64"}),
    "rounded": dict(n=6, args={"x": ("float64", _P), "y": ("float64", _Q), **_out(6, 2, "float64")}, out={"out": "float64"}),
}
TOLERANCE = {"rounded": 2}


def expected():
    return pkstub.expected(INPUTS, globals())
