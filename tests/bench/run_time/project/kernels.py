"""The kernels of the run-time benchmark; main.cpp has each as a Kokkos functor too."""
import pykokkos as pk


@pk.workunit
def triad(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], c: pk.View1D[pk.double],
          s: float):
    a[i] = b[i] + s * c[i]


@pk.workunit
def triad_float(i: int, a: pk.View1D[pk.float], b: pk.View1D[pk.float], c: pk.View1D[pk.float]):
    a[i] = b[i] + 3.0 * c[i]


@pk.workunit
def dot(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    acc += a[i] * b[i]


@pk.workunit
def largest(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    if a[i] > acc:
        acc = a[i]


@pk.workunit
def largest_of(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc = max(acc, a[i])


@pk.workunit
def count_above(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.double], s: float):
    if a[i] > s:
        acc += 1


@pk.workunit
def prefix(i: int, acc: pk.Acc[pk.double], last_pass: bool, a: pk.View1D[pk.double],
           out: pk.View1D[pk.double]):
    acc += a[i]
    if last_pass:
        out[i] = acc


@pk.workunit
def stencil(i: int, j: int, m: pk.View2D[pk.double], out: pk.View2D[pk.double]):
    out[i][j] = 0.25 * (m[i - 1][j] + m[i + 1][j] + m[i][j - 1] + m[i][j + 1])


@pk.workunit
def boundary(i: int, j: int, m: pk.View2D[pk.double], out: pk.View2D[pk.double], n: int):
    if i == 0 or j == 0 or i == n - 1 or j == n - 1:
        out[i][j] = m[i][j]
    else:
        out[i][j] = 0.5 * m[i][j] + 0.125 * (m[i - 1][j] + m[i + 1][j] + m[i][j - 1] + m[i][j + 1])


@pk.workunit
def matvec(i: int, m: pk.View2D[pk.double], x: pk.View1D[pk.double], y: pk.View1D[pk.double], n: int):
    total: float = 0
    for j in range(n):
        total += m[i][j] * x[j]
    y[i] = total


@pk.workunit
def matvec_add(i: int, m: pk.View2D[pk.double], x: pk.View1D[pk.double], y: pk.View1D[pk.double],
               n: int):
    for j in range(n):
        y[i] += m[i][j] * x[j]


@pk.workunit
def quadratic(i: int, acc: pk.Acc[pk.double], m: pk.View2D[pk.double], x: pk.View1D[pk.double],
              y: pk.View1D[pk.double], n: int):
    total: float = 0
    for j in range(n):
        total += m[i][j] * x[j]
    acc += y[i] * total


@pk.workunit
def gather32(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], index: pk.View1D[pk.int32]):
    a[i] = b[index[i]]


@pk.workunit
def gather64(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], index: pk.View1D[pk.int64]):
    a[i] = b[index[i]]


@pk.workunit
def force(i: int, x: pk.View2D[pk.double], f: pk.View2D[pk.double],
          neighbours: pk.View2D[pk.int32], count: int, cut: float):
    fx: float = 0
    fy: float = 0
    fz: float = 0
    for k in range(count):
        j: int = neighbours[i][k]
        dx: float = x[i][0] - x[j][0]
        dy: float = x[i][1] - x[j][1]
        dz: float = x[i][2] - x[j][2]
        r2: float = dx * dx + dy * dy + dz * dz
        if r2 < cut:
            r2inv: float = 1.0 / r2
            r6inv: float = r2inv * r2inv * r2inv
            pair: float = r6inv * (48.0 * r6inv - 24.0) * r2inv
            fx += dx * pair
            fy += dy * pair
            fz += dz * pair
    f[i][0] = fx
    f[i][1] = fy
    f[i][2] = fz


@pk.workunit
def histogram(i: int, index: pk.View1D[pk.int32], bins: pk.View1D[pk.int64]):
    pk.atomic_add(bins, [index[i]], 1)


@pk.workunit
def histogram_double(i: int, index: pk.View1D[pk.int32], bins: pk.View1D[pk.double]):
    pk.atomic_add(bins, [index[i]], 1.0)


@pk.workunit
def narrow(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int32], out: pk.View1D[pk.int32]):
    out[i] = min(a[i], b[i]) >> 2


@pk.workunit
def narrow_sum(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int32], out: pk.View1D[pk.int32]):
    t: int = a[i] + 3 * b[i]
    out[i] = t


@pk.workunit
def divide(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int32], out: pk.View1D[pk.int32]):
    out[i] = a[i] // b[i]


@pk.workunit
def remainder_ten(i: int, a: pk.View1D[pk.int32], out: pk.View1D[pk.int32]):
    out[i] = a[i] % 10


@pk.workunit
def ramp(i: int, m: pk.View2D[pk.double], n: int, s: float):
    for j in range(n):
        m[i][j] = float(j) * s


@pk.workunit
def ramp_index(i: int, a: pk.View1D[pk.double], s: float):
    a[i] = float(i) * s


@pk.workunit
def ramp_sum(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):
    acc += a[i] * i


@pk.workunit
def truncate(i: int, a: pk.View1D[pk.double], out: pk.View1D[pk.int32]):
    out[i] = int(a[i] * 2.5)


@pk.workunit
def math(i: int, a: pk.View1D[pk.double], out: pk.View1D[pk.double]):
    out[i] = sqrt(a[i]) + exp(-a[i])
