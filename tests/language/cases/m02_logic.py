"""and, or, not, comparisons, conditional values: as conditions and as values."""
import pkstub
import pykokkos as pk


@pk.function
def count(c: pk.View1D[pk.int64], k: int, answer: int) -> int:
    c[k] += 1
    return answer


@pk.workunit
def grouping(i: int, a: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    p: bool = a[i] % 2 == 0
    q: bool = a[i] % 3 == 0
    r: bool = a[i] % 5 == 0
    out[i, 0] = (p or q) and r
    out[i, 1] = p or q and r
    out[i, 2] = not (p and q)
    out[i, 3] = not p and q
    out[i, 4] = 3 & 4 == 4
    out[i, 5] = not p == q


@pk.workunit
def values(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = a[i] and x[i]
    out[i, 1] = a[i] or x[i]
    out[i, 2] = a[i] and x[i] or -1
    out[i, 3] = x[i] or a[i] or 7
    out[i, 4] = x[i] and a[i] and 2.5


@pk.workunit
def chains(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    out[i] = 0 < a[i] < 10
    out[i] += 10 * (a[i] > 2 == True)
    if 1 <= a[i] <= 3 != a[i]:
        out[i] += 100


@pk.workunit
def once(i: int, c: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    if 0 < count(c, 0, i) < count(c, 1, 2):
        out[i] = 1
    if i > 1 and count(c, 2, i) == 2:
        out[i] += 10
    if i > 1 or count(c, 3, i) == 1:
        out[i] += 100
    k = count(c, 4, 5) if i == 1 else count(c, 5, 6)
    out[i] += 1000 * k


@pk.workunit
def while_with_calls(i: int, c: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    n = 0
    while n < 3 and count(c, i, 1) == 1:
        n += 1
        if n == 2:
            continue
    out[i] = n


@pk.workunit
def conditional(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    out[i] = a[i] if a[i] > x[i] else x[i]
    out[i] += 1 if a[i] else 0.5
    k = 3 if i % 2 else 2.5
    out[i] *= k


@pk.workunit
def int_and_float(i: int, a: pk.View1D[pk.int64], x: pk.View1D[pk.double], out: pk.View2D[pk.bool]):
    out[i, 0] = a[i] == x[i]
    out[i, 1] = a[i] < x[i]
    out[i, 2] = x[i] <= a[i]
    out[i, 3] = a[i] != x[i]
    out[i, 4] = a[i] > x[i]


@pk.workunit
def unsigned_and_signed(i: int, u: pk.View1D[pk.uint64], a: pk.View1D[pk.int64], out: pk.View2D[pk.bool]):
    out[i, 0] = u[i] > a[i]
    out[i, 1] = u[i] == a[i]
    out[i, 2] = u[i] > -1


@pk.workunit
def truth(i: int, a: pk.View1D[pk.int32], x: pk.View1D[pk.double], out: pk.View1D[pk.int64]):
    if a[i]:
        out[i] = 1
    if x[i]:
        out[i] += 2
    if not x[i]:
        out[i] += 4
    out[i] += 8 * (not a[i])


_INF, _NAN = float("inf"), float("nan")
_I = [9007199254740993, 9007199254740992, -9007199254740993, 5, 0, 9223372036854775807, -9223372036854775808, 3]
_F = [9007199254740992.0, 9007199254740992.0, -9007199254740992.0, 5.5, -0.0, 9223372036854775808.0, -9223372036854775808.0, _NAN]
INPUTS = {
    "grouping": dict(n=8, args={"a": ("int64", [0, 1, 2, 3, 5, 6, 10, 15]), "out": ("int64", [[0] * 6] * 8)}, out={"out": "int64"}),
    "values": dict(n=5, args={"a": ("int64", [0, 3, 0, -1, 7]), "x": ("float64", [0.0, 0.5, 2.5, 0.0, _NAN]), "out": ("float64", [[0.0] * 5] * 5)}, out={"out": "float64"}),
    "chains": dict(n=5, args={"a": ("int64", [0, 1, 3, 9, 10])}, out={"out": "int64"}),
    "once": dict(n=4, args={"c": ("int64", [0] * 6)}, out={"c": "int64", "out": "int64"}),
    "while_with_calls": dict(n=3, args={"c": ("int64", [0] * 3)}, out={"c": "int64", "out": "int64"}),
    "conditional": dict(n=4, args={"a": ("int64", [1, -5, 0, 7]), "x": ("float64", [0.5, 2.0, 0.0, 7.0])}, out={"out": "float64"}),
    "int_and_float": dict(n=8, args={"a": ("int64", _I), "x": ("float64", _F), "out": ("bool", [[False] * 5] * 8)}, out={"out": "bool"}),
    "unsigned_and_signed": dict(n=4, args={"u": ("uint64", [18446744073709551615, 0, 5, 9223372036854775808]), "a": ("int64", [-1, 0, 5, -9223372036854775808]), "out": ("bool", [[False] * 3] * 4)}, out={"out": "bool"}),
    "truth": dict(n=4, args={"a": ("int32", [0, 1, -1, 0]), "x": ("float64", [0.0, -0.0, _NAN, 1e-320])}, out={"out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
