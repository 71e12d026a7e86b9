"""Workload classes whose @pk.main can be translated, and whose cannot."""
import pykokkos as pk

LIMIT = 3


@pk.workload
class Workload:
    def __init__(self, n, a):
        self.N: int = n
        self.nrepeat: int = 2
        self.a: pk.View1D[pk.double] = a
        self.total: pk.double = 0
        self.scaled: float = 0
        self.timer_result: float = 0
        self.last: pk.int32 = 0
        self.early: bool = False

    @pk.main
    def run(self):
        pk.parallel_for(self.N, self.init)
        pk.fence()
        timer = pk.Timer()
        for i in range(self.nrepeat):
            self.nrepeat = 7
            self.total = pk.parallel_reduce("01", self.N, self.sum)
            self.scaled += self.total / 2
        self.timer_result = timer.seconds()
        if self.early:
            print("early", self.early)
            return
        self.last = pk.parallel_scan(pk.RangePolicy(0, self.N), self.prefix)
        self.nrepeat = 1
        while self.nrepeat < LIMIT + 2:
            self.nrepeat += 1
            pk.parallel_for("twice", pk.RangePolicy([1], [self.nrepeat]), self.twice)
        rest: float = self.helper(self.last) - self.total
        print(f"total {self.total} of {self.N}: {rest:.3f} {self.last:5d}|{self.total:e}")
        print("last", self.last, sep="=")
        pk.printf("%d %%\n", self.last)

    @pk.callback
    def results(self):
        print("Result:", self.total)
        self.scaled = self.total * 3

    @pk.function
    def helper(self, x: int) -> float:
        return x + self.scaled

    @pk.workunit
    def init(self, i: int):
        self.a[i] = i + 0.5

    @pk.workunit
    def twice(self, i: int):
        self.a[i] *= 2

    @pk.workunit
    def sum(self, i: int, acc: pk.Acc[pk.double]):
        acc += self.a[i]

    @pk.workunit
    def prefix(self, i: int, acc: pk.Acc[pk.int32], last: bool):
        acc += i


@pk.workload
class Grid:
    def __init__(self, n, g):
        self.n: int = n
        self.g: pk.View2D[pk.double] = g
        self.norm: float = 0

    @pk.main
    def run(self) -> None:
        t: int = 2
        pk.parallel_for(pk.MDRangePolicy([0, 0], [self.n, self.n], [t, t],
                                         rank=pk.Rank(2, pk.Iterate.Left, pk.Iterate.Left)), self.fill)
        self.norm = pk.parallel_reduce(pk.MDRangePolicy([1, 1], [self.n - 1, self.n - 1]), self.sum)
        self.norm /= self.n

    @pk.workunit
    def fill(self, i: int, j: int):
        self.g[i, j] = i * 10 + j

    @pk.workunit
    def sum(self, i: int, j: int, acc: pk.Acc[float]):
        acc += self.g[i][j]


@pk.workload
class Teams:
    def __init__(self, n, a):
        self.n: int = n
        self.a: pk.View1D[pk.double] = a
        self.total: float = 0

    @pk.main
    def run(self):
        pk.parallel_for(pk.TeamPolicy(self.n, "auto"), self.each)
        for size in range(1, 2):
            pk.parallel_for("teams", pk.TeamPolicy(self.n - 1, size, 4), self.each)
        self.total = pk.parallel_reduce(pk.TeamPolicy(self.n, "auto", 1), self.sum)

    @pk.workunit
    def each(self, team: pk.TeamMember):
        self.a[team.league_rank()] += team.league_size()

    @pk.workunit
    def sum(self, team: pk.TeamMember, acc: pk.Acc[float]):
        acc += self.a[team.league_rank()]


@pk.workload
class Refused:
    def __init__(self, n, a):
        self.n: int = n
        self.a: pk.View1D[pk.double] = a

    @pk.main
    def run(self):
        pk.parallel_for(self.n, self.init)
        pk.parallel_for(self.n, lambda i: self.a[i] + 1, self.a)

    @pk.callback
    def results(self):
        for row in self.a:
            print(row)

    @pk.workunit
    def init(self, i: int):
        self.a[i] = i


@pk.workload
class Derived(Grid):
    @pk.workunit
    def fill(self, i: int, j: int):
        self.g[i, j] = i - j + 100
