"""/ // % ** on integers and floats of every sign, and their augmented forms."""
import pkstub
import pykokkos as pk


@pk.workunit
def floor_division(i: int, a: pk.View1D[pk.int64], b: pk.View1D[pk.int64], q: pk.View1D[pk.int64], r: pk.View1D[pk.int64]):
    q[i] = a[i] // b[i]
    r[i] = a[i] % b[i]


@pk.workunit
def floor_division_constants(i: int, a: pk.View1D[pk.int32], out: pk.View2D[pk.int64]):
    out[i, 0] = a[i] // 8
    out[i, 1] = a[i] % 8
    out[i, 2] = a[i] // -3
    out[i, 3] = a[i] % -3
    out[i, 4] = -7 // 2 + -7 % 2
    out[i, 5] = a[i] // 1


@pk.workunit
def floats(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], q: pk.View1D[pk.double], r: pk.View1D[pk.double]):
    q[i] = a[i] // b[i]
    r[i] = a[i] % b[i]


@pk.workunit
def mixed(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double], q: pk.View1D[pk.double], r: pk.View1D[pk.double]):
    q[i] = a[i] // x[i]
    r[i] = a[i] % x[i]


@pk.workunit
def true_division(i: int, a: pk.View1D[pk.int64], b: pk.View1D[pk.int64], out: pk.View1D[pk.double]):
    out[i] = a[i] / b[i]


@pk.workunit
def annotated(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    r: int = a[i] / 3
    out[i] = r


@pk.workunit
def augmented(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double]):
    a[i] += 5
    a[i] *= 3
    a[i] -= 2
    a[i] //= 4
    a[i] %= 7
    a[i] **= 2
    a[i] /= 2
    a[i] <<= 3
    a[i] >>= 1
    a[i] |= 9
    a[i] &= 13
    a[i] ^= 6
    x[i] /= 3
    x[i] //= 0.25
    x[i] %= 5
    x[i] **= 2
    x[i] -= 0.5


@pk.workunit
def int_power(i: int, b: pk.View1D[pk.int64], e: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    out[i] = b[i] ** e[i]


@pk.workunit
def int_power_to_float(i: int, b: pk.View1D[pk.int64], e: pk.View1D[pk.int64], out: pk.View1D[pk.double]):
    out[i] = b[i] ** e[i]


@pk.workunit
def power_in_sums(i: int, b: pk.View1D[pk.int64], e: pk.View1D[pk.int64], out: pk.View1D[pk.int64], x: pk.View1D[pk.double]):
    out[i] = b[i] ** e[i] * 8 + 1
    x[i] = 2 * b[i] ** e[i] - 1
    if b[i] ** e[i] < 1:
        out[i] = -out[i]


@pk.workunit
def power_precedence(i: int, a: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = -a[i] ** 2
    out[i, 1] = 2 ** 3 ** 2
    out[i, 2] = (-a[i]) ** 3
    out[i, 3] = 2 ** -1 * 4
    out[i, 4] = a[i] ** 0
    out[i, 5] = 3 ** 39


@pk.workunit
def float_power(i: int, x: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = x[i] ** 2
    out[i, 1] = x[i] ** 0.5
    out[i, 2] = 2 ** x[i]
    out[i, 3] = x[i] ** -1


@pk.workunit
def int_to_half(i: int, out: pk.View1D[pk.double]):
    out[i] = i ** 0.5 + 2 ** -1


@pk.workunit
def zeros(i: int, x: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = 0 - float(i)
    out[i, 1] = 0.0 + -float(i)
    out[i, 2] = -float(i) + 0
    out[i, 3] = 0.0 - abs(x[i])
    out[i, 4] = -0.0 - x[i]
    out[i, 5] = float(i) - 0.0


@pk.workunit
def known_sign(i: int, a: pk.View1D[pk.uint8], out: pk.View1D[pk.int64]):
    k = 0
    for j in range(4):
        k += 3 ** j
    n = 2 ** abs(i - 3)
    out[i] = k + n + 2 ** (a[i] % 5)


_BIG = 9223372036854775807
_A = [7, -7, 7, -7, 0, -1, 1, _BIG, -_BIG, -_BIG - 1, 9007199254740993, -9007199254740993]
_B = [2, 2, -2, -2, 5, 1000, -1000, 3, 3, 7, 2, 10]
_X = [7.5, -7.5, 7.5, -7.5, 1.0, 1e10, -0.0, 5.0, 1e-300, -1e-20]
_Y = [2.0, 2.0, -2.0, -2.0, 0.1, 2.0, 3.0, float("inf"), 3.0, 3.0]
INPUTS = {
    "floor_division": dict(n=12, args={"a": ("int64", _A), "b": ("int64", _B)}, out={"q": "int64", "r": "int64"}),
    "floor_division_constants": dict(n=5, args={"a": ("int32", [100, -100, 7, -2147483648, 2147483647]), "out": ("int64", [[0] * 6] * 5)}, out={"out": "int64"}),
    "floats": dict(n=10, args={"a": ("float64", _X), "b": ("float64", _Y)}, out={"q": "float64", "r": "float64"}),
    "mixed": dict(n=4, args={"a": ("int64", [7, -7, 7, 0]), "x": ("float64", [2.0, 2.0, -0.5, 3.0])}, out={"q": "float64", "r": "float64"}),
    "true_division": dict(n=12, args={"a": ("int64", _A), "b": ("int64", _B)}, out={"out": "float64"}),
    "annotated": dict(n=4, args={"a": ("int64", [10, -10, 2, -2])}, out={"out": "int64"}),
    "augmented": dict(n=4, args={"a": ("int64", [0, 7, -9, 123456]), "x": ("float64", [1.0, -2.5, 100.0, 0.0])}, out={"a": "int64", "x": "float64"}),
    "int_power": dict(n=8, args={"b": ("int64", [2, -2, 0, 3, -3, 1, -1, 2]), "e": ("int64", [62, 63, 0, 39, 39, -5, -5, -3])}, out={"out": "int64"}),
    "int_power_to_float": dict(n=6, args={"b": ("int64", [2, -2, 10, 3, 7, -1]), "e": ("int64", [-1, -3, -2, 39, 0, -7])}, out={"out": "float64"}),
    "power_in_sums": dict(n=5, args={"b": ("int64", [2, 2, -2, 3, 10]), "e": ("int64", [-1, 3, -2, 0, -1])}, out={"out": "int64", "x": "float64"}),
    "power_precedence": dict(n=2, args={"a": ("int64", [3, -4]), "out": ("int64", [[0] * 6] * 2)}, out={"out": "int64"}),
    "float_power": dict(n=4, args={"x": ("float64", [2.0, 9.0, 0.25, 100.5]), "out": ("float64", [[0.0] * 4] * 4)}, out={"out": "float64"}),
    "int_to_half": dict(n=6, args={}, out={"out": "float64"}),
    "zeros": dict(n=3, args={"x": ("float64", [0.0, -0.0, 1.5]), "out": ("float64", [[1.0] * 6] * 3)}, out={"out": "float64"}),
    "known_sign": dict(n=5, args={"a": ("uint8", [0, 255, 7, 13, 4])}, out={"out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
