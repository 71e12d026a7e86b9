type X[T: int, *Ts, **P] = A[T] | B
def f[T](a: "A[b]", /, *c: *D, e: A[int] | None = 1, **g) -> A.B[c:d]: pass
x: A[b | c, d] | e.f = 1
