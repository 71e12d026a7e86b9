"""Views: both spellings of an index, ranks, extents, indices from the end, subviews."""
import pkstub
import pykokkos as pk


@pk.workunit
def spellings(i: int, m: pk.View3D[pk.int64], out: pk.View1D[pk.int64]):
    m[i][0][1] += m[i, 1, 0]
    m[i, 1][1] = m[i][0, 0] * 2
    out[i] = m[i][1][0] + m[i, 0, 1] * 10


@pk.workunit
def high_ranks(i: int, a: pk.View5D[pk.int32], b: pk.View8D[pk.double], out: pk.View1D[pk.double]):
    out[i] = a[0, 0, i, 0, 0] + b[0][0][0][0][0][0][0][i] + b[0, 0, 0, 0, 0, 0, 0, 1 - i]


@pk.workunit
def extents(i: int, m: pk.View3D[pk.int32], v: pk.View1D[pk.double], out: pk.View1D[pk.int64]):
    out[i] = m.extent(0) + m.extent(1) * 10 + m.shape[2] * 100 + m.size * 1000 + len(v) * 100000 + m.shape[-1]


@pk.workunit
def from_end(i: int, v: pk.View1D[pk.int64], m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    k = i
    out[i] = v[-1] + 10 * v[-1 - i] + 100 * m[-1, -2] + 1000 * v[-k] + 10000 * m[i][-1]
    v[-3] += 1


@pk.workunit
def indirect(i: int, idx: pk.View1D[pk.int32], v: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    out[idx[i]] = v[idx[idx[i]]]
    v[idx[i]] += 1


@pk.workunit
def rows(i: int, m: pk.View2D[pk.double], out: pk.View1D[pk.double]):
    row = m[i]
    column = m[:, 1]
    part = m[i, 1:3]
    s = 0.0
    for j in range(len(row)):
        s += row[j] * 10
    for j in range(column.extent(0)):
        s += column[j]
    for j in range(part.extent(0)):
        s -= part[j] * 100
    out[i] = s + row[-1]
    part[0] += 1000


@pk.workunit
def slices(i: int, v: pk.View1D[pk.int64], m: pk.View3D[pk.int64], out: pk.View2D[pk.int64]):
    a = v[1:]
    b = v[:-1]
    c = v[-2:]
    d = v[2:100]
    e = v[3:1]
    f = m[:, i, 1:][1]
    out[i, 0] = len(a) + 10 * len(b) + 100 * len(c) + 1000 * len(d) + 10000 * len(e) + 100000 * len(f)
    out[i, 1] = a[0] + b[0] * 10 + c[0] * 100 + d[-1] * 1000 + f[0] * 10000
    g = v[i:i + 2]
    g[0] = 5
    out[i, 2] = m[0][1:2][0][0] + v[1:][1:][0]


def sum_of(v):
    s = 0
    for j in range(len(v)):
        s += v[j]
    return s


@pk.workunit
def passed_on(i: int, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    out[i] = sum_of(m[i]) + 100 * sum_of(m[:, 0]) + 10000 * sum_of(m[i, :2])


@pk.workunit
def either(i: int, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    if i == 0:
        v = m[0]
    else:
        v = m[:, 1]
    out[i] = v[0] * 10 + v[1]


@pk.workunit(m=pk.ViewTypeInfo(layout=pk.LayoutRight))
def with_info(i: int, m: pk.View2D[pk.double]):
    m[i, 0] = i


_M = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
_EIGHT = [[[[[[[[1.5, 2.5]]]]]]]]
INPUTS = {
    "spellings": dict(n=2, args={"m": ("int64", _M)}, out={"m": "int64", "out": "int64"}),
    "high_ranks": dict(n=2, args={"a": ("int32", [[[[[3]], [[4]]]]]), "b": ("float64", _EIGHT)}, out={"out": "float64"}),
    "extents": dict(n=1, args={"m": ("int32", [[[0] * 4] * 3] * 2), "v": ("float64", [0.0] * 7)}, out={"out": "int64"}),
    "from_end": dict(n=2, args={"v": ("int64", [1, 2, 3]), "m": ("int64", [[1, 2], [3, 4]])}, out={"v": "int64", "out": "int64"}),
    "indirect": dict(n=3, args={"idx": ("int32", [2, 0, 1]), "v": ("float64", [1.0, 2.0, 3.0])}, out={"v": "float64", "out": "float64"}),
    "rows": dict(n=2, args={"m": ("float64", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])}, out={"m": "float64", "out": "float64"}),
    "slices": dict(n=2, args={"v": ("int64", [1, 2, 3, 4, 6]), "m": ("int64", _M), "out": ("int64", [[0] * 3] * 2)}, out={"v": "int64", "out": "int64"}),
    "passed_on": dict(n=2, args={"m": ("int64", [[1, 2, 3], [4, 5, 6]])}, out={"out": "int64"}),
    "either": dict(n=2, args={"m": ("int64", [[1, 2], [3, 4]])}, out={"out": "int64"}),
    "with_info": dict(n=2, args={"m": ("float64", [[0.0, 1.0], [2.0, 3.0]])}, out={"m": "float64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
