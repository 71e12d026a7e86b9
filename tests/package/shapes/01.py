"""The shapes of PyKokkos' standalone examples: no annotations, a name that no `import` can spell."""
import argparse

import numpy as np
import pykokkos as pk


@pk.workunit
def fill(i, inp, init):
    inp[i] = init


@pk.workunit
def triad(i, A_view, B_view, C_view, scalar):
    A_view[i] += B_view[i] + scalar * C_view[i]


@pk.workunit
def size(i, acc, A_view):
    acc += abs(A_view[i])


@pk.workunit
def matrix_init(j, cols, A_view):
    for i in range(cols):
        A_view[j * cols + i] = j - i


@pk.workunit
def flat_yAx(j, acc, cols, y_view, x_view, A_view):
    temp2: float = 0
    for i in range(cols):
        temp2 += A_view[j * cols + i] * x_view[i]

    acc += y_view[j] * temp2


@pk.workunit
def yAx(j, acc, cols, y_view, x_view, A_view):
    temp2: float = 0
    for i in range(cols):
        temp2 += A_view[j][i] * x_view[i]

    acc += y_view[j] * temp2


@pk.workunit
def scan(i, acc, last_pass, view):
    acc += view[i]
    if last_pass:
        view[i] = acc


def run() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("length", type=int)
    n = parser.parse_args().length
    a = pk.View([n], pk.double)
    pk.parallel_for(pk.RangePolicy(pk.ExecutionSpace.OpenMP, 0, n), fill, inp=a, init=2)
    print(f"sum: {pk.parallel_reduce(n, size, A_view=a)}", np.sum(a))


if __name__ == "__main__":
    run()
