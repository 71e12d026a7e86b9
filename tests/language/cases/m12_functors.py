"""Functor and workload classes: fields, helper methods, inheritance, names that are used twice."""
import pkstub
import pykokkos as pk


@pk.function
def outside(x: float) -> float:
    return x + 0.25


@pk.functor
class Lattice:
    def __init__(self, n, k):
        self.n: int = n
        self.k: float = k
        self.cells: pk.View1D[pk.double] = pk.View([n], pk.double)
        self.grid: pk.View2D[pk.int32] = pk.View([n, n], pk.int32)
        self.name = "not used by workunits"

    @pk.function
    def weight(self, i: int, j: int) -> float:
        return self.grid[i, j] * self.k + self.shift(i)

    @pk.function
    def shift(self, i: int) -> int:
        return i - self.n

    @pk.workunit
    def step(self, i: int):
        for j in range(self.n):
            self.cells[i] += outside(self.weight(i, j))

    @pk.workunit
    def total(self, i: int, acc: pk.Acc[pk.double]):
        acc += self.cells[i] * self.k

    @pk.workunit
    def outer(self, i: int, m: int, out: pk.View1D[pk.int64]):
        n = m * 2
        out[i] = n + self.n + self.grid[i][-1]
        self.grid[i, 0] = n


@pk.workload
class Other:
    def __init__(self, n):
        self.n: int = n

    @pk.workunit
    def step(self, i: int, out: pk.View1D[pk.int64]):
        n = 10
        out[i] = n + self.n

    @pk.main
    def run(self):
        pk.parallel_for(self.n, self.step)


_FIELDS = {"n": ("scalar", 3), "k": ("scalar", 0.5), "cells": ("float64", [1.0, 2.0, 3.0]),
           "grid": ("int32", [[1, 2, 3], [4, 5, 6], [7, 8, 9]])}
INPUTS = {
    "Lattice.step": dict(n=3, fields=_FIELDS, args={}, out={"cells": "float64"}),
    "Lattice.outer": dict(n=3, fields=_FIELDS, args={"m": ("scalar", 5)}, out={"grid": "int32", "out": "int64"}),
    "Lattice.total": dict(n=3, kind="reduce", fields=_FIELDS, args={}, out={}),
    "Other.step": dict(n=2, fields={"n": ("scalar", 7)}, args={}, out={"out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
