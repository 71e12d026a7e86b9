"""Functors, workloads and class types."""
import pykokkos as pk


@pk.classtype
class Particle:
    """A class type."""

    def __init__(self, x: float, tag: int):
        self.x: float = x
        self.tag: int = tag

    def moved(self, by: float) -> float:
        return self.x + by


class Base:
    def __init__(self, n: int):
        self.n: int = n

    @pk.function
    def wrapped(self, i: int) -> int:
        return i % self.n

    @pk.workunit
    def clear(self, i: int):
        self.cells[i] = 0.0


@pk.functor
class Lattice(Base):
    WIDTH = 8

    def __init__(self, n: int, cells: pk.View1D[pk.double]):
        super().__init__(n)
        if n > 0:
            self.cells: pk.View1D[pk.double] = cells
        self.step_count: int = 0

    @pk.function
    def right(self, i: int) -> int:
        return self.wrapped(i + 1)

    @pk.workunit
    def step(self, i: int):
        self.cells[i] = self.cells[self.right(i)] + self.WIDTH

    @pk.workunit
    def energy(self, i: int, acc: pk.Acc[pk.double]):
        p: Particle = Particle(self.cells[i], i)
        acc += p.moved(0.5)


@pk.workload
class Sum:
    def __init__(self, n):
        self.n: int = n
        self.total: float = 0
        self.a: pk.View1D[float] = pk.View([n], float)

    @pk.main
    def run(self):
        self.total = pk.parallel_reduce(self.n, self.add)

    @pk.callback
    def report(self):
        print(self.total)

    @pk.workunit
    def add(self, i: int, acc: pk.Acc[float]):
        acc += self.a[i]
