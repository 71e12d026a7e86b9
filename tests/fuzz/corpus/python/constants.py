A = 7 // -2
B = A ** 3 / 2.5
C, (D, *E) = 1, (2, 3)
A += B
X = 1 if A < B <= 3 else "a"
N = int("12") + round(2.5) + len("abc")
F = float("inf")
import pykokkos as pk
@pk.workunit
def w(i: int, x: pk.View1D[int]):
    x[i] = A + B + C + N
