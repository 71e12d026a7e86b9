"""Helpers: decorated and not, from other files, recursive, by type; constants of modules."""
import helpers_of_m07 as hp
from helpers_of_m07 import OFFSET, scaled as times
import pkstub
import pykokkos as pk

LIMIT = 10
SIZES = (3, 5, 8)
NEGATIVE = -LIMIT
FLAG = True
HALF = 1 / 2
LIMIT_2, LIMIT_3 = 20, 30
NAME = REPEATED = 4


@pk.function
def square(x: float) -> float:
    return x * x


@pk.function
def fill(v: pk.View1D[pk.int64], i: int, value: int) -> None:
    v[i] = value


def untyped(a, b=2):
    if a > b:
        return a - b
    return b


def factorial(n: int) -> int:
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return even(n - 1)


def total(v, n):
    s = 0
    for j in range(n):
        s += v[j]
    return s


@pk.function
def clamp(x: float, lo: float = 0.0, hi: float = 1.0) -> float:
    return lo if x < lo else hi if x > hi else x


def sin(x):
    return x + 1000


@pk.workunit
def decorated(i: int, out: pk.View1D[pk.double], k: pk.View1D[pk.int64]):
    out[i] = square(i + 0.5)
    fill(k, i, 7 * i)


@pk.workunit
def by_type(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = untyped(a[i])
    out[i, 1] = untyped(x[i])
    out[i, 2] = untyped(a[i], b=0.25)
    out[i, 3] = untyped(b=a[i], a=x[i]) / 2
    out[i, 4] = total(a, 3) / 2 + total(x, 2)


@pk.workunit
def recursive(i: int, out: pk.View2D[pk.int64]):
    out[i, 0] = factorial(i)
    out[i, 1] = even(i)
    out[i, 2] = odd(i)


@pk.workunit
def imported(i: int, x: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    out[i] = times(x[i]) + hp.deeper(x[i]) + hp.FACTOR + OFFSET * hp.RATIO


@pk.workunit
def defaults(i: int, x: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    out[i] = clamp(x[i]) + clamp(x[i], hi=2.0) * 10 + clamp(x[i], -1.0) * 100


@pk.function
def cast_defaults(x: float, p: pk.uint64 = pk.uint64(2 ** 63), q: pk.int8 = pk.int8(-3),
                  r: float = pk.float32(0.1), s: int = int(LIMIT), t: float = -pk.float64(HALF),
                  u: complex = complex(1.0, 2.0)) -> float:
    return x + p / 2.0 ** 60 + q + r + s + t + u.real + 10 * u.imag


@pk.workunit
def casts_by_default(i: int, LIMIT: float, out: pk.View1D[pk.double]):
    out[i] = cast_defaults(LIMIT) + cast_defaults(LIMIT, q=5, u=complex(3.0, 4.0)) * 1000


@pk.workunit
def constants(i: int, out: pk.View2D[pk.double]):
    out[i, 0] = LIMIT + NEGATIVE % 7
    out[i, 1] = SIZES[1] + SIZES[-1]
    out[i, 2] = FLAG + HALF
    out[i, 3] = LIMIT_2 * LIMIT_3
    out[i, 4] = BELOW ** 2 + NAME + REPEATED


@pk.workunit
def own_sin(i: int, out: pk.View1D[pk.double]):
    out[i] = sin(i)


@pk.workunit
def hidden(i: int, LIMIT: int, out: pk.View1D[pk.int64]):
    NEGATIVE = 5
    out[i] = LIMIT + NEGATIVE


BELOW = 12

_X = [0.5, 9.0, -3.0, 4.0]
INPUTS = {
    "decorated": dict(n=3, args={}, out={"out": "float64", "k": "int64"}),
    "by_type": dict(n=4, args={"a": ("int64", [0, 3, 5, -2]), "x": ("float64", _X), "out": ("float64", [[0.0] * 5] * 4)}, out={"out": "float64"}),
    "recursive": dict(n=8, args={"out": ("int64", [[0] * 3] * 8)}, out={"out": "int64"}),
    "imported": dict(n=4, args={"x": ("float64", [0.5, 9.0, 3.0, 16.0])}, out={"out": "float64"}),
    "defaults": dict(n=4, args={"x": ("float64", _X)}, out={"out": "float64"}),
    "casts_by_default": dict(n=2, args={"LIMIT": ("scalar", 0.25)}, out={"out": "float64"}),
    "constants": dict(n=1, args={"out": ("float64", [[0.0] * 5])}, out={"out": "float64"}),
    "own_sin": dict(n=3, args={}, out={"out": "float64"}),
    "hidden": dict(n=1, args={"LIMIT": ("scalar", 7)}, out={"out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
