"""The shapes of PyKokkos' workload examples: fields, host code around them, printing, math."""
import math

import pykokkos as pk


@pk.workload
class Rows:
    def __init__(self, r, c):
        self.r: int = r
        self.c: int = c
        self.total: int = 0
        self.mat: pk.View2D[pk.int32] = pk.View([r, c], pk.int32)

        for i in range(r):
            self.mat[i] = list(range(c * i, c * (i + 1)))

        for row in self.mat:
            print(row)

        print(f"Initialized {r}x{c} array")

    @pk.main
    def run(self):
        pk.parallel_for(self.r, self.sum_row)
        self.total = pk.parallel_reduce(self.r, self.final_sum)

    @pk.callback
    def results(self):
        print("Total =", self.total)

    @pk.workunit
    def sum_row(self, i: int):
        for j in range(1, self.c):
            self.mat[i][0] += self.mat[i][j]

    @pk.workunit
    def final_sum(self, i: int, accumulator: pk.Acc[pk.double]):
        accumulator += self.mat[i][0]


@pk.workload
class Math:
    def __init__(self, n):
        self.N: int = n
        self.a: pk.View1D[pk.int32] = pk.View([n], pk.int32)

        for i in range(self.N):
            self.a[i] = math.sqrt(math.tau)

    @pk.main
    def run(self):
        pk.parallel_for(self.N, self.add_one)
        pk.parallel_for(self.N, self.calculate)

    @pk.callback
    def results(self):
        print(f"Results: [{self.a[0]}, ... repeats {n-1} times]")

    @pk.workunit
    def add_one(self, i: int):
        self.a[i] += 1

    @pk.workunit
    def calculate(self, i: int):
        pk.printf("Running index %d\n", i)
        self.a[i] += (
            math.cos(self.a[i]) + 2 ** i - math.pi /
            math.fabs(self.a[(i + 1) % self.N])
        )


if __name__ == "__main__":
    n = 10
    pk.execute(pk.ExecutionSpace.OpenMP, Math(n))
