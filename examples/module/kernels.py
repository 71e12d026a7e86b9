"""Kernels that Python calls with NumPy arrays, and a class of them."""
import pykokkos as pk


@pk.workunit
def scale(i: int, x: pk.View1D[pk.double], k: pk.double):
    x[i] = k * x[i]


@pk.workunit
def largest(i: int, acc: pk.Acc[pk.double], x: pk.View1D[pk.double]):
    if x[i] > acc:
        acc = x[i]


@pk.functor
class Cells:
    def __init__(self, n: int, cells: pk.View1D[pk.int32]):
        self.n: int = n
        self.cells: pk.View1D[pk.int32] = cells

    @pk.workunit
    def count_up(self, i: int):
        self.cells[i] = (self.cells[i] + i) % self.n
