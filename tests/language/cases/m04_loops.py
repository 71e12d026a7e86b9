"""for and while: steps of both signs, bounds, the variable during and after the loop."""
import pkstub
import pykokkos as pk


@pk.workunit
def steps(i: int, lo: pk.View1D[pk.int64], hi: pk.View1D[pk.int64], st: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    s = 0
    for j in range(lo[i], hi[i], st[i]):
        s = s * 7 + j
    for j in range(hi[i]):
        s += j
    for j in range(10, lo[i], -4):
        s = s * 3 + j
    out[i] = s


@pk.workunit
def untouched(i: int, out: pk.View1D[pk.int64]):
    n = 4
    s = 0
    for j in range(n):
        n = 1
        s = s * 10 + j
        j = 100
        s += j
    out[i] = s * 10 + n


@pk.workunit
def last_value(i: int, n: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    j = 77
    for j in range(0, n[i], 3):
        if j > 6:
            break
    k = 5
    for k in range(3, 9, 2):
        pass
    out[i] = j * 100 + k


@pk.workunit
def changed_last_value(i: int, out: pk.View1D[pk.int64]):
    for j in range(4):
        j = j * 10
    out[i] = j


@pk.workunit
def nested_same_name(i: int, out: pk.View1D[pk.int64]):
    s = 0
    for j in range(3):
        s = s * 10 + j
        for j in range(5, 7):
            s += j
        s += j * j
    out[i] = s + j


@pk.workunit
def nested(i: int, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    s = 0
    for r in range(m.extent(0)):
        for c in range(m.extent(1)):
            if m[r, c] < 0:
                continue
            if m[r, c] > 50:
                break
            s += m[r][c] * (c + 1)
    out[i] = s


@pk.workunit
def loop_as_float(i: int, out: pk.View1D[pk.double]):
    s = 0.0
    for j in range(5):
        s += 1 / (j + 1)
        j = 0.5
        s += j
    out[i] = s


@pk.workunit
def while_loops(i: int, v: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    n = v[i]
    steps = 0
    while n != 1 and steps < 30:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    while True:
        steps += 100
        if steps > 250:
            break
    while steps:
        steps -= 7
        if steps < 100:
            break
    out[i] = steps


@pk.workunit
def early_return(i: int, v: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    out[i] = 1
    if v[i] < 0:
        return
    for j in range(v[i]):
        out[i] += j
        if out[i] > 5:
            return
    out[i] = -out[i]


@pk.workunit
def large(i: int, out: pk.View1D[pk.int64]):
    s = 0
    for j in range(5_000_000_000, 5_000_000_004):
        s += j
    for j in range(9223372036854775805, 9223372036854775807):
        s ^= j
    for j in range(-9223372036854775806, -9223372036854775808, -1):
        s ^= j
    out[i] = s


INPUTS = {
    "steps": dict(n=6, args={"lo": ("int64", [0, 5, 5, -3, 9, 0]), "hi": ("int64", [10, 0, -1, 4, 9, 1]), "st": ("int64", [3, -1, -2, 2, 1, 100])}, out={"out": "int64"}),
    "untouched": dict(n=1, args={}, out={"out": "int64"}),
    "last_value": dict(n=4, args={"n": ("int64", [0, 1, 5, 100])}, out={"out": "int64"}),
    "changed_last_value": dict(n=1, args={}, out={"out": "int64"}),
    "nested_same_name": dict(n=1, args={}, out={"out": "int64"}),
    "nested": dict(n=1, args={"m": ("int64", [[1, -2, 3], [4, 51, 6], [7, 8, 9]])}, out={"out": "int64"}),
    "loop_as_float": dict(n=1, args={}, out={"out": "float64"}),
    "while_loops": dict(n=4, args={"v": ("int64", [1, 6, 7, 27])}, out={"out": "int64"}),
    "early_return": dict(n=4, args={"v": ("int64", [-1, 0, 3, 9])}, out={"out": "int64"}),
    "large": dict(n=1, args={}, out={"out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
