"""Predicates as elements of a list: bool, not the int that C++'s give."""
import math
from typing import List

import pykokkos as pk


@pk.workunit
def listed(i: int, a: pk.View1D[pk.double], out: pk.View2D[pk.int32]):
    found: List[bool] = [math.isnan(a[i]), math.isinf(a[i]), math.isfinite(a[i])]
    for k in range(3):
        out[i, k] = found[k]


@pk.workunit
def counted(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.float32]):
    acc += math.isfinite(a[i]) + 2 * math.isinf(a[i]) if not math.isnan(a[i]) else 4
