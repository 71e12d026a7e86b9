"""Standalone workunits of many shapes."""
import math
from typing import List

import numpy as np
import pykokkos as pk
from pykokkos import View1D as Vector

from shapes import helpers as hp
from shapes.helpers import shift, OFFSET as START

SCALE = 3
HALF = SCALE / 2
REAL = pk.double
DIMS = (4, 5)


@pk.function
def square(x: float) -> float:
    """Its documentation."""
    return x * x


@pk.function
def even(n: int) -> bool:
    return n == 0 or odd(n - 1)


@pk.function
def odd(n: int) -> bool:
    return n != 0 and even(n - 1)


def bare(x):
    return x + START


@pk.workunit
def triad(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], a: float):
    """Documentation that is not part of the hash."""
    y[i] += a * x[i] - SCALE


@pk.workunit(
    x=pk.ViewTypeInfo(layout=pk.Layout.LayoutLeft, trait=pk.Trait.RandomAccess),
    y=pk.ViewTypeInfo(space=pk.MemorySpace.HostSpace))
def traits(i: int, x: pk.View2D[pk.float32], y: Vector[REAL]):
    y[i] = x[i][0] + x[i, 1]


@pk.workunit
def dot(i: int, acc: pk.Acc[float], x: pk.View1D[float], y: pk.View1D[float]):
    acc += x[i] * y[i]


@pk.workunit
def prefix(i: int, acc: pk.Acc[pk.int64], last_pass: bool, x: pk.View1D[pk.int64]):
    acc += x[i]
    if last_pass:
        x[i] = acc


@pk.workunit
def control(i: int, n: int, x: pk.View1D[int], out: pk.View1D[int]):
    s: int = 0
    k = 0x1F
    for j in range(n, 0, -2):
        if x[j] > 3 and not (j % 2 == 0) or x[j] == -1:
            s += 1 if j < 10 else 2
        elif 0 <= x[j] < 7:
            continue
        else:
            s -= ~j & k | 1 ^ j << 2
            break
    while s > 10:
        s //= 2
    a, b = s, k
    a, b = b, a
    out[i] = a ** 2 + int(b / 2) - (s >> 1)
    pass


@pk.workunit
def calls(i: int, x: pk.View1D[float], out: pk.View1D[float]):
    t = square(x[i]) + shift(i) + hp.scaled(x[i], factor=2.0)
    t += math.sin(t) + np.sqrt(t) + sqrt(t) + bare(i) + HALF + DIMS[0]
    out[i] = max(t, min(1e-3, 2.5)) + float(even(i))
    print("value", t)
    pk.printf("%d %f\n", i, t)


@pk.workunit
def inner(i: int, v: pk.View1D[pk.int32]):
    total: int = 0

    def add(k: int):
        nonlocal total
        total += k * v[i]

    add(2)
    local: List[int] = [1, 2, 3]
    v[i] = total + local[0]


@pk.workunit
def team(member: pk.TeamMember, acc: pk.Acc[float], a: pk.View2D[float], m: int):
    row: int = member.league_rank()

    def reduce_row(k: int, partial: pk.Acc[float]):
        partial += a[row][k]

    total: float = pk.parallel_reduce(pk.TeamThreadRange(member, m), reduce_row)
    if member.team_rank() == 0:
        acc += total


@pk.workunit
def unannotated(i, x, y, a=1.5, *, b=None):
    pk.atomic_fetch_add(y, [i], a * x[i])
