"""Reductions, scans, MDRange."""
import pkstub
import pykokkos as pk


@pk.workunit
def sum_of_halves(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.int64]):
    acc += a[i] / 2


@pk.workunit
def count_and_subtract(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.int64]):
    for j in range(a[i] % 3):
        acc += j + 1
    if a[i] < 0:
        acc -= a[i]
    elif a[i] > 5:
        acc = acc + 100


@pk.workunit
def narrow(i: int, acc: pk.Acc[pk.int32], a: pk.View1D[pk.int64]):
    acc += a[i]


@pk.workunit
def single_precision(i: int, acc: pk.Acc[pk.float32], x: pk.View1D[pk.float32]):
    acc += x[i] * 2


@pk.workunit
def product(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.int64]):
    acc *= a[i]


@pk.workunit
def largest(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):
    if x[i] > acc:
        acc = x[i]


@pk.workunit
def smallest(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.int64]):
    acc = min(acc, a[i])


@pk.workunit
def all_set(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.int64]):
    acc &= a[i]


@pk.workunit
def place_of_largest(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):
    if x[i] > acc.val:
        acc.val = x[i]
        acc.loc = i


@pk.workunit
def smallest_and_largest(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.int64]):
    acc.min_val = min(acc.min_val, a[i])
    if a[i] > acc.max_val:
        acc.max_val = a[i]


@pk.function
def add_square(acc: pk.Acc[pk.int64], x: int) -> None:
    acc += x * x


@pk.workunit
def through_helper(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.int64]):
    add_square(acc, a[i])
    acc += 1000


@pk.workunit
def float_index(i: float, acc: pk.Acc[pk.double]):
    acc += i / 2


@pk.workunit
def inclusive(i: int, acc: pk.Acc[pk.int64], last: bool, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    acc += a[i]
    if last:
        out[i] = acc


@pk.workunit
def exclusive(i: int, acc: pk.Acc[pk.double], last: bool, a: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    if last:
        out[i] = acc
    acc += a[i]


@pk.workunit
def in_place(i: int, acc: pk.Acc[pk.int64], last: bool, a: pk.View1D[pk.int64]):
    acc += a[i]
    if last:
        a[i] = acc


@pk.workunit
def plane(i: int, j: int, m: pk.View2D[pk.int64]):
    m[i, j] = i * 10 + j


@pk.workunit
def block(i: int, j: int, k: int, acc: pk.Acc[pk.int64], m: pk.View3D[pk.int64]):
    acc += m[i][j][k] * (i + 2 * j + 3 * k)


@pk.workunit
def scalars_after(i: int, n: int, m: int, out: pk.View1D[pk.int64]):
    out[i] = i + n * m


def host():
    """What tells a plane of indices from an index and scalars."""
    m = pk.View([4, 4], pk.int64)
    pk.parallel_for(pk.MDRangePolicy([0, 0], [4, 4]), plane, m=m)
    policy = pk.MDRangePolicy([0, 0, 0], [2, 2, 2])
    pk.parallel_reduce(policy, block, m=m)
    pk.parallel_for(4, scalars_after, n=1, m=2, out=m)


INPUTS = {
    "sum_of_halves": dict(n=3, kind="reduce", args={"a": ("int64", [1, 2, -4])}, out={}),
    "count_and_subtract": dict(n=5, kind="reduce", args={"a": ("int64", [1, 2, -4, 9, 5])}, out={}),
    "narrow": dict(n=2, kind="reduce", args={"a": ("int64", [2147483647, -7])}, out={}),
    "single_precision": dict(n=2, kind="reduce", args={"x": ("float32", [1.5, 0.25])}, out={}),
    "product": dict(n=4, kind="reduce", reducer="Prod", identity=1, args={"a": ("int64", [1, 2, -4, 9])}, out={}),
    "largest": dict(n=9, kind="reduce", reducer="Max", args={"x": ("float64", [-5.0, -2.5, -7.0, -3.0, -8.0, -2.75, -9.0, -4.0, -6.0])}, out={}),
    "smallest": dict(n=6, kind="reduce", reducer="Min", args={"a": ("int64", [5, 3, 8, 4, 9, 7])}, out={}),
    "all_set": dict(n=3, kind="reduce", reducer="BAnd", args={"a": ("int64", [7, 13, 5])}, out={}),
    "place_of_largest": dict(n=5, kind="reduce", reducer="MaxLoc", args={"x": ("float64", [1.0, 4.0, -2.0, 9.0, 0.0])}, out={}),
    "smallest_and_largest": dict(n=5, kind="reduce", reducer="MinMax", args={"a": ("int64", [1, 4, -2, 9, 0])}, out={}),
    "through_helper": dict(n=3, kind="reduce", args={"a": ("int64", [1, 4, -2])}, out={}),
    "float_index": dict(n=4, kind="reduce", args={}, out={}),
    "inclusive": dict(n=5, kind="scan", args={"a": ("int64", [1, 2, 3, 4, 5])}, out={"out": "int64"}),
    "exclusive": dict(n=4, kind="scan", args={"a": ("float64", [0.5, 2.0, 3.0, 4.0])}, out={"out": "float64"}),
    "in_place": dict(n=5, kind="scan", args={"a": ("int64", [1, 2, 3, 4, 5])}, out={"a": "int64"}),
    "plane": dict(n=0, extents=[3, 4], args={"m": ("int64", [[0] * 4] * 3)}, out={"m": "int64"}),
    "block": dict(n=0, kind="reduce", extents=[2, 2, 2], args={"m": ("int64", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])}, out={}),
    "scalars_after": dict(n=3, args={"n": ("scalar", 7), "m": ("scalar", -3)}, out={"out": "int64"}),
}


def expected():
    plain = ("largest", "smallest", "count_and_subtract", "all_set", "place_of_largest",
             "smallest_and_largest")
    answers = pkstub.expected({k: v for k, v in INPUTS.items() if k not in plain}, globals())
    # an accumulator that is assigned plainly is PyKokkos', not CPython's
    answers["largest"] = {"result": -2.5}
    answers["smallest"] = {"result": 3}
    answers["count_and_subtract"] = {"result": 1 + 3 + (3 + 4) + 100 + 3}
    answers["place_of_largest"] = {"result": [9.0, 3]}
    answers["smallest_and_largest"] = {"result": [-2, 9]}
    answers["all_set"] = {"result": 5}
    return answers
