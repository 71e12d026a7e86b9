import pykokkos as pk
@pk.functor
class F(B):
    N = 3
    def __init__(self, n):
        self.n: int = n
        self.a, self.b = n
    @pk.function
    def f(self, i: int) -> int:
        return self.n + i
    @pk.workunit
    def w(self, i: int, acc: pk.Acc[float]):
        acc += self.f(i) + self.N
