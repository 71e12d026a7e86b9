"""Variables: one for the whole function, tuple and chained assignment, order of evaluation."""
import pkstub
import pykokkos as pk


@pk.function
def tick(c: pk.View1D[pk.int64]) -> int:
    c[0] += 1
    return c[0]


@pk.workunit
def first_in_branch(i: int, out: pk.View1D[pk.int64]):
    if i % 2:
        s = 10
    else:
        s = 20
    for j in range(3):
        t = j * s
    out[i] = s + t


@pk.workunit
def widened(i: int, out: pk.View1D[pk.double]):
    s = 0
    for j in range(3):
        s = s + j
        if j == 1:
            s += 0.25
    out[i] = s / 2


@pk.workunit
def swap(i: int, a: pk.View1D[pk.int64]):
    x = a[i]
    y = x + 1
    x, y = y, x
    a[i] = x * 100 + y


@pk.workunit
def swap_elements(i: int, a: pk.View2D[pk.int64]):
    a[i, 0], a[i, 1] = a[i, 1], a[i, 0]
    a[i][1], a[i][2] = a[i][2] + 1, a[i][1] - 1


@pk.workunit
def tuple_targets(i: int, a: pk.View1D[pk.int64]):
    k, a[k] = i, 7 + i
    a[i], k = k, a[i]
    a[i] = a[i] * 10 + k


@pk.workunit
def chained(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.double]):
    x = y = a[i] * 0.5
    x += 1
    a[i] = out[i] = x + y


@pk.workunit
def order(i: int, c: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = tick(c) - tick(c)
    out[i, 1] = c[0] * 10 + tick(c)
    out[i, 2] = tick(c) * 10 + c[0]
    out[i, 3] = max(tick(c), 2 * tick(c), c[0])
    out[i, tick(c) - tick(c) + 5] = tick(c)
    x, y = tick(c), tick(c)
    out[i, 5] = x * 100 + y


@pk.workunit
def augmented_order(i: int, c: pk.View1D[pk.int64], v: pk.View1D[pk.int64]):
    v[tick(c) - 1] += tick(c)
    v[c[0] - 2] *= tick(c) + c[0]
    s = c[0]
    s += tick(c)
    v[1] = s


@pk.workunit
def annotation_converts(i: int, x: pk.View1D[pk.double], out: pk.View2D[pk.int64]):
    k: int = x[i]
    s: pk.int8 = k * 100
    u: pk.uint8 = k - 1
    b: bool = x[i]
    w: pk.int16
    w = 40000
    out[i, 0] = k
    out[i, 1] = s
    out[i, 2] = u
    out[i, 3] = b
    out[i, 4] = w


@pk.workunit
def parameter_changes(i: int, n: int, x: float, out: pk.View1D[pk.double]):
    n += i
    x *= n
    i = 2 * n
    out[n - 3] = x + i


@pk.workunit
def big(i: int, out: pk.View1D[pk.int64]):
    x: int = 3000000000
    y = 3_000_000_000
    out[i] = x * 2 + y


@pk.workunit
def lists(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    x: list[int] = [a[i], 2 * a[i], 5]
    m: list[list[int]] = [[1, 2], [3, i]]
    x[1] += 1
    m[0][1] = 7
    s = 0
    for j in range(len(x)):
        s = s * 10 + x[j]
    out[i] = s + m[1][1] * m[0][1] + x[-1]


_THREE = [[1, 2, 3], [4, 5, 6]]
INPUTS = {
    "first_in_branch": dict(n=3, args={}, out={"out": "int64"}),
    "widened": dict(n=2, args={}, out={"out": "float64"}),
    "swap": dict(n=2, args={"a": ("int64", [1, 5])}, out={"a": "int64"}),
    "swap_elements": dict(n=2, args={"a": ("int64", _THREE)}, out={"a": "int64"}),
    "tuple_targets": dict(n=3, args={"a": ("int64", [1, 2, 3])}, out={"a": "int64"}),
    "chained": dict(n=3, args={"a": ("int64", [1, 2, -3])}, out={"a": "int64", "out": "float64"}),
    "order": dict(n=2, args={"c": ("int64", [0]), "out": ("int64", [[0] * 6] * 2)}, out={"c": "int64", "out": "int64"}),
    "augmented_order": dict(n=1, args={"c": ("int64", [0]), "v": ("int64", [5, 6])}, out={"c": "int64", "v": "int64"}),
    "annotation_converts": dict(n=4, args={"x": ("float64", [2.75, -2.75, 0.0, 1.5]), "out": ("int64", [[0] * 5] * 4)}, out={"out": "int64"}),
    "parameter_changes": dict(n=3, args={"n": ("scalar", 3), "x": ("scalar", 0.5)}, out={"out": "float64"}),
    "big": dict(n=1, args={}, out={"out": "int64"}),
    "lists": dict(n=2, args={"a": ("int64", [1, 3])}, out={"out": "int64"}),
}


def expected():
    answers = pkstub.expected(INPUTS, globals())
    # annotations convert, which CPython does not do: k = int(x), then int8, uint8, bool, int16
    answers["annotation_converts"] = {"out": [[2, -56, 1, 1, -25536], [-2, 56, 253, 1, -25536],
                                              [0, 0, 255, 0, -25536], [1, 100, 0, 1, -25536]]}
    return answers
