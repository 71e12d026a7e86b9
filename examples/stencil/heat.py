"""Heat in a plate: a two-dimensional stencil, MDRangePolicy."""
import pykokkos as pk


@pk.workunit
def step(i: int, j: int, old: pk.View2D[pk.double], new: pk.View2D[pk.double], rate: pk.double):
    inner: bool = i > 0 and j > 0 and i < old.extent(0) - 1 and j < old.extent(1) - 1
    if inner:
        new[i][j] = old[i][j] + rate * (
            old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1] - 4.0 * old[i][j]
        )
    else:
        new[i][j] = old[i][j]


@pk.workunit
def difference(i: int, j: int, acc: pk.Acc[pk.double], old: pk.View2D[pk.double],
               new: pk.View2D[pk.double]):
    acc += abs(new[i][j] - old[i][j])


def main(n, m, old, new):
    pk.parallel_for(pk.MDRangePolicy([0, 0], [n, m]), step, old=old, new=new, rate=0.1)
    return pk.parallel_reduce(pk.MDRangePolicy([0, 0], [n, m]), difference, old=old, new=new)
