"""Workunits of each kind, for the tests of the C++ header and the module's table."""
from typing import List

import pykokkos as pk


@pk.workunit
def scale(i: int, x: pk.View1D[pk.double], k: float):
    x[i] = x[i] * k


@pk.workunit
def dot(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double], y: pk.View1D[pk.double]):
    acc += x[i] * y[i]


@pk.workunit
def largest(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    if x[i] > acc:
        acc = x[i]


@pk.workunit
def where(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):
    if x[i] < acc.val:
        acc.val = x[i]
        acc.loc = i


@pk.workunit
def span(i: int, acc: pk.Acc[pk.int8], x: pk.View1D[pk.int8]):
    if x[i] < acc.min_val:
        acc.min_val = x[i]
        acc.min_loc = i
    if x[i] > acc.max_val:
        acc.max_val = x[i]
        acc.max_loc = i


@pk.workunit
def ends(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):
    if x[i] < acc.min_val:
        acc.min_val = x[i]
    if x[i] > acc.max_val:
        acc.max_val = x[i]


@pk.workunit
def noise(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double], k: pk.View1D[pk.int32]):
    x[i] = pk.rand(pk.double, -1.0, 1.0)
    k[i] = pk.rand(pk.int32, 100)


@pk.workunit
def product(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    acc *= x[i]


@pk.workunit
def least(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    acc = min(acc, x[i])


@pk.workunit
def common_bits(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    acc &= x[i]


@pk.workunit
def all_bits(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    acc |= x[i]


@pk.workunit
def every(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    acc = acc and x[i]


@pk.workunit
def some(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    acc = acc or x[i]


@pk.workunit
def highest(i: int, acc: pk.Acc[pk.int32], x: pk.View1D[pk.int32]):
    if x[i] > acc.val:
        acc.val = x[i]
        acc.loc = i


@pk.workunit
def prefix(i: int, acc: pk.Acc[pk.int64], last: bool, x: pk.View1D[pk.int64]):
    acc += x[i]
    if last:
        x[i] = acc


@pk.workunit
def fill(i, j, x: pk.View2D[pk.int32]):
    x[i][j] = 10 * i + j


@pk.workunit(x=pk.ViewTypeInfo(layout=pk.Layout.LayoutLeft))
def fill_left(i, j, x: pk.View2D[pk.int32]):
    x[i][j] = 10 * i + j


@pk.workunit
def total(i, j, acc: pk.Acc[pk.int64], x: pk.View2D[pk.int32]):
    acc += x[i][j]


@pk.workunit
def turn(i: int, z: pk.View1D[pk.complex128], by: pk.complex128):
    z[i] = z[i] * by


@pk.workunit
def axpy(i, x, y, a):
    y[i] = a * x[i] + y[i]


@pk.workunit
def names(i: int, acc: pk.Acc[pk.int64], policy: int, args: int, Reducer: int, new: int):
    acc += policy + args + Reducer + new


@pk.workunit
def größe(i: int, x: pk.View1D[pk.double], länge: float):
    x[i] = länge


@pk.workunit
def weigh(i: int, x: pk.View1D[pk.double], c: List[float], m: List[List[int]]):
    x[i] = c[i] * m[i][1]


@pk.functor
class Lattice:
    def __init__(self, n: int, cells: pk.View1D[pk.double]):
        self.n: int = n
        self.cells: pk.View1D[pk.double] = cells

    @pk.workunit
    def step(self, i: int, by: pk.double):
        self.cells[i] += by * self.n

    @pk.workunit
    def energy(self, i: int, acc: pk.Acc[pk.double], n: float):
        acc += self.cells[i] * n
