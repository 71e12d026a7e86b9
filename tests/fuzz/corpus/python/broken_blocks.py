import pykokkos as pk
@pk.workunit
def w(i: int, x: pk.View1D[int]):
    x[i] = (1
import pykokkos as pk
@pk.workunit
def w(i: int, x: pk.View1D[int]):
    if i:
    x[i] = 2
  y = 3
	z = 4
