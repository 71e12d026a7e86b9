"""Where NumPy's functions differ from Python's operators: by the type of what they are given."""
import numpy as np
import pkstub  # noqa: F401
import pykokkos as pk


@pk.workunit
def bools(i: int, a: pk.View1D[bool], b: pk.View1D[bool], x: pk.View1D[pk.double], out: pk.View2D[pk.int64]):
    out[i, 0] = ~a[i]
    out[i, 1] = 1 if ~a[i] else 0
    out[i, 2] = np.invert(a[i])
    out[i, 3] = np.bitwise_not(x[i] > 1)
    out[i, 4] = np.add(a[i], b[i])
    out[i, 5] = np.multiply(a[i], x[i] > 1)
    out[i, 6] = np.add(a[i], 1)
    out[i, 7] = np.invert(a[i]) + 1
    kept: bool = x[i] > 1
    out[i, 8] = ~kept
    out[i, 9] = ~(not kept)


@pk.workunit
def stored(i: int, a: pk.View1D[bool], out: pk.View1D[bool]):
    out[i] = ~a[i]


@pk.workunit
def rests(i: int, a: pk.View1D[pk.int64], b: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = np.fmod(a[i], b[i])
    out[i, 1] = np.fmod(a[i], 0)
    out[i, 2] = np.fmod(a[i], -3)
    out[i, 3] = np.fmod(7, b[i])
    out[i, 4] = np.reciprocal(a[i])
    out[i, 5] = np.negative(a[i])


@pk.workunit
def narrow(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int8], out: pk.View2D[pk.int64]):
    out[i, 0] = np.fmod(a[i], b[i])
    out[i, 1] = np.reciprocal(a[i])
    out[i, 2] = np.reciprocal(b[i])


@pk.workunit
def without_sign(i: int, a: pk.View1D[pk.uint64], b: pk.View1D[pk.uint64], out: pk.View2D[pk.uint64]):
    out[i, 0] = np.fmod(a[i], b[i])
    out[i, 1] = np.reciprocal(a[i])


@pk.workunit
def mixed(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = np.fmod(a[i], x[i])
    out[i, 1] = np.fmod(x[i], 3)
    out[i, 2] = np.reciprocal(x[i])
    out[i, 3] = np.fmod(a[i], 4) / 2
    out[i, 4] = np.negative(x[i])


@pk.workunit
def complex_numbers(i: int, z: pk.View1D[pk.complex128], out: pk.View2D[pk.complex128]):
    out[i, 0] = np.negative(z[i])
    out[i, 1] = np.reciprocal(z[i])


@pk.workunit
def complex_singles(i: int, z: pk.View1D[pk.complex64], out: pk.View2D[pk.complex64]):
    out[i, 0] = np.negative(z[i])
    out[i, 1] = np.reciprocal(z[i])


_INF, _NAN = float("inf"), float("nan")
_LEAST = -(1 << 63)
_A = [7, -7, 7, -7, 0, 1, -1, _LEAST, _LEAST, _LEAST, (1 << 63) - 1, 5, 6]
_B = [3, 3, -3, -3, 5, 0, 0, -1, 0, 3, -10, _LEAST, -6]
_NARROW = [7, -7, 0, 1, -1, -(1 << 31), 2]
_BYTES = [3, 3, -3, 0, 1, -1, -128]
_U = [7, 0, 1, (1 << 64) - 1, (1 << 63) + 5]
_V = [3, 1, 0, 10, (1 << 64) - 1]
_X = [0.5, -2.5, 3.0, _NAN, _INF, 0.0]
_M = [7, -7, 7, -7, 3, 0]
_Z = [1 - 1j, -1j, 2 + 3j, 0j, complex(-0.0, 0.0), 1 + 0j, complex(2, -0.0), complex(0.0, -4.0), complex(_INF, 0),
      complex(0, _NAN), 1e200 + 1e-200j]
_S = [1 - 1j, -1j, 0j, 2 + 0j, complex(0, _INF), complex(-0.5, 0.0)]
_P, _Q = [True, True, False, False], [True, False, True, False]
_T = [0.5, 1.5, 2.5, -1.0]


def _spec(rows, columns, dtype, **args):
    out = [[0] * columns] * rows if columns else [0] * rows
    return dict(n=rows, args={**args, "out": (dtype, out)}, out={"out": dtype})


INPUTS = {
    "bools": _spec(4, 10, "int64", a=("bool", _P), b=("bool", _Q), x=("float64", _T)),
    "stored": _spec(4, 0, "bool", a=("bool", _P)),
    "rests": _spec(13, 6, "int64", a=("int64", _A), b=("int64", _B)),
    "narrow": _spec(7, 3, "int64", a=("int32", _NARROW), b=("int8", _BYTES)),
    "without_sign": _spec(5, 2, "uint64", a=("uint64", _U), b=("uint64", _V)),
    "mixed": _spec(6, 5, "float64", a=("int64", _M), x=("float64", _X)),
    "complex_numbers": _spec(11, 2, "complex128", z=("complex128", _Z)),
    "complex_singles": _spec(6, 2, "complex64", z=("complex64", _S)),
}


def _rows(dtype, *columns):
    return {"out": np.stack([np.asarray(c).astype(dtype) for c in columns], axis=1).tolist()}


def expected():
    """By NumPy, of arrays: `~` of an element of one is that of the array."""
    given = {name: {k: np.array(v, t) for k, (t, v) in spec["args"].items()} for name, spec in INPUTS.items()}
    with np.errstate(all="ignore"):
        g = given["bools"]
        a, b, x, m = g["a"], g["b"], g["x"], [int(t > 1) for t in g["x"]]
        answers = {"bools": _rows("int64", ~a, ~a, np.invert(a), np.bitwise_not(x > 1), np.add(a, b),
                                  np.multiply(a, x > 1), np.add(a, 1), np.invert(a) + 1,
                                  [~k for k in m], [~(1 - k) for k in m])}
        answers["stored"] = {"out": (~given["stored"]["a"]).tolist()}
        a, b = given["rests"]["a"], given["rests"]["b"]
        answers["rests"] = _rows("int64", np.fmod(a, b), np.fmod(a, 0), np.fmod(a, -3), np.fmod(7, b),
                                 np.reciprocal(a), np.negative(a))
        a, b = given["narrow"]["a"], given["narrow"]["b"]
        answers["narrow"] = _rows("int64", np.fmod(a, b), np.reciprocal(a), np.reciprocal(b))
        a, b = given["without_sign"]["a"], given["without_sign"]["b"]
        answers["without_sign"] = _rows("uint64", np.fmod(a, b), np.reciprocal(a))
        a, x = given["mixed"]["a"], given["mixed"]["x"]
        answers["mixed"] = _rows("float64", np.fmod(a, x), np.fmod(x, 3), np.reciprocal(x), np.fmod(a, 4) / 2,
                                 np.negative(x))
        for name, dtype in (("complex_numbers", "complex128"), ("complex_singles", "complex64")):
            z = given[name]["z"]
            answers[name] = _rows(dtype, np.negative(z), np.reciprocal(z))
    return answers
