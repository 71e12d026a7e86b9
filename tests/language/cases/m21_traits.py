"""Layouts, traits and spaces by ViewTypeInfo: what a workunit computes does not hang on them."""
import pkstub
import pykokkos as pk


@pk.workunit(
    a=pk.ViewTypeInfo(trait=pk.RandomAccess, space=pk.HostSpace),
    b=pk.ViewTypeInfo(trait=pk.Trait.Restrict, layout=pk.LayoutRight),
    out=pk.ViewTypeInfo(layout=pk.Layout.LayoutRight, trait=pk.Trait.Unmanaged, space=pk.MemorySpace.HostSpace))
def readers(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], out: pk.View2D[pk.double]):
    out[i, 0] = a[i] * b[-1 - i]
    out[i, 1] = a[i] - out[i, 0]


@pk.workunit(count=pk.ViewTypeInfo(trait=pk.Atomic))
def atomic(i: int, count: pk.View1D[pk.int64], x: pk.View1D[pk.double]):
    count[0] += 1
    count[1] += i * i
    count[2] -= 3
    x[i] = 0.5


@pk.workunit(v=pk.ViewTypeInfo(layout=pk.LayoutStride))
def strided(i: int, v: pk.View2D[pk.int32], out: pk.View1D[pk.int64]):
    total = 0
    for j in range(v.extent(1)):
        total = total * 10 + v[i][j]
    out[i] = total
    v[i, 0] = -1


@pk.functor(trait_of_field=pk.ViewTypeInfo(trait=pk.Atomic))
class Counter:
    def __init__(self, trait_of_field):
        self.trait_of_field: pk.View1D[pk.int64] = trait_of_field

    @pk.workunit
    def add(self, i: int, by: int):
        self.trait_of_field[0] += by


INPUTS = {
    "readers": dict(n=3, args={"a": ("float64", [1.5, 2.0, -3.0]), "b": ("float64", [0.1, 0.2, 0.3]), "out": ("float64", [[0.0] * 2] * 3)}, out={"out": "float64"}),
    "atomic": dict(n=100, args={"count": ("int64", [0, 5, 1000])}, out={"count": "int64", "x": "float64"}),
    "strided": dict(n=2, args={"v": ("int32", [[1, 2, 3], [4, 5, 6]])}, out={"v": "int32", "out": "int64"}),
    "Counter.add": dict(n=50, fields={"trait_of_field": ("int64", [7])}, args={"by": ("scalar", 2)}, out={"trait_of_field": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
