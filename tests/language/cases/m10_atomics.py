"""Atomic operations; one thread's results are what CPython computes one after the other."""
import pkstub
import pykokkos as pk


@pk.workunit
def integers(i: int, v: pk.View1D[pk.int64]):
    pk.atomic_add(v, [0], i)
    pk.atomic_sub(v, [1], 2 * i)
    pk.atomic_max(v, [2], i)
    pk.atomic_min(v, [3], -i)
    pk.atomic_and(v, [4], 14 - i)
    pk.atomic_or(v, [5], 1 << i)
    pk.atomic_xor(v, [6], 3 * i)
    pk.atomic_increment(v, [7])
    pk.atomic_decrement(v, [8])
    pk.atomic_mul(v, [9], 3)
    pk.atomic_lshift(v, [10], 1)
    pk.atomic_rshift(v, [11], 1)
    pk.atomic_fetch_add(v, [12], 5)


@pk.workunit
def floats(i: int, x: pk.View2D[pk.double]):
    pk.atomic_add(x, [0, 1], 0.5)
    pk.atomic_fetch_sub(x, [1, 0], i)
    pk.atomic_mul(x, [1, 1], 2)
    pk.atomic_div(x, [0, 0], 4)


@pk.workunit
def narrow(i: int, h: pk.View1D[pk.int32], key: pk.View1D[pk.uint8]):
    pk.atomic_add(h, [key[i] % 3], 1)


@pk.workunit
def values(i: int, v: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = pk.atomic_fetch_add(v, [0], 2)
    out[i, 1] = pk.atomic_add_fetch(v, [1], 2) * 10
    out[i, 2] = pk.atomic_exchange(v, [2], i + 50)
    out[i, 3] = pk.atomic_compare_exchange(v, [3], i, i + 1)
    out[i, 4] = pk.atomic_fetch_max(v, [4], 5 - i) + v[4]


INPUTS = {
    "integers": dict(n=4, args={"v": ("int64", [0, 0, 0, 0, 15, 0, 1, 0, 0, 1, 1, 1000, 7])}, out={"v": "int64"}),
    "floats": dict(n=3, args={"x": ("float64", [[64.0, 1.0], [0.25, 1.5]])}, out={"x": "float64"}),
    "narrow": dict(n=7, args={"h": ("int32", [0, 0, 0]), "key": ("uint8", [0, 255, 7, 8, 3, 1, 2])}, out={"h": "int32"}),
    "values": dict(n=3, args={"v": ("int64", [0, 1, 2, 0, 4]), "out": ("int64", [[0] * 5] * 3)}, out={"v": "int64", "out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
