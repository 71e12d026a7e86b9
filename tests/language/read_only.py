#!/usr/bin/env python3
"""Read-only arrays: taken where a kernel never stores to them, refused by name where it does,
whichever way the store takes.

    read_only.py --command pykokkos-cache --work FOLDER
"""
import argparse
import os
import sys

import numpy

sys.dont_write_bytecode = True

import built  # noqa: E402

KERNELS = '''import pykokkos as pk


@pk.function
def put(v: pk.View1D[pk.double], i: int):
    v[i] = 1.0


@pk.function
def get(v: pk.View1D[pk.double], i: int) -> float:
    return v[i]


@pk.workunit
def copy(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    b[i] = a[i] + get(a, i) + a.extent(0) + len(a)


@pk.workunit
def by_function(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    put(b, i)
    b[i] += a[i]


@pk.workunit
def by_part(i: int, a: pk.View2D[pk.double], b: pk.View2D[pk.double]):
    row = b[i, :]
    part = row[1:]
    part[0] = a[i, 0]


@pk.workunit
def by_atomic(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    pk.atomic_add(b, [0], a[i])


@pk.workunit
def by_inner(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    def inner():
        b[i] = a[i]

    inner()


@pk.workunit
def by_choice(i: int, a: pk.View2D[pk.double], b: pk.View2D[pk.double]):
    part = a[0, :]
    if i > 0:
        part = b[0, :]
    part[i] = 2.0


@pk.workunit
def by_update(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    b[i] *= a[i]


@pk.workunit
def searched(i: int, acc: pk.Acc[pk.int64], a: pk.View1D[pk.double], b: pk.View1D[pk.double]):
    acc += pk.lower_bound(a, 3, b[i])


@pk.functor
class Field:
    def __init__(self, a, b):
        self.a: pk.View1D[pk.double] = a
        self.b: pk.View1D[pk.double] = b

    @pk.workunit
    def move(self, i: int):
        self.b[i] = self.a[i]

    @pk.workunit
    def total(self, i: int, acc: pk.Acc[pk.double]):
        acc += self.a[i] * self.b[i]
'''
STORES = {  # workunit: (rank, parameters that it stores to)
    "copy": (1, "b"), "by_function": (1, "b"), "by_part": (2, "b"), "by_atomic": (1, "b"), "by_inner": (1, "b"),
    "by_choice": (2, "ab"), "by_update": (1, "b"), "searched": (1, ""),
}


def array(rank, writable):
    a = numpy.arange(1.0, 4.0) if rank == 1 else numpy.arange(1.0, 10.0).reshape(3, 3)
    a.flags.writeable = writable
    return a


def refused(call):
    try:
        call()
    except TypeError as error:
        return str(error)
    return None


def check(module):
    bad = []
    for name, (rank, stores) in STORES.items():
        for parameter in "ab":
            values = {p: array(rank, p != parameter) for p in "ab"}
            before = values[parameter].copy()
            said = refused(lambda: getattr(module, name)(3, **values))
            wanted = f"{name}() argument '{parameter}': expected a writable"
            if (parameter in stores) != (said is not None) or (said and not said.startswith(wanted)):
                bad.append(f"{name} with {parameter} read-only: {said}")
            if not numpy.array_equal(before, values[parameter]):
                bad.append(f"{name}: {parameter} was written")
    field = module.Field(a=array(1, False), b=array(1, True))
    field.move(3)
    if field.total(3) != 14.0:
        bad.append(f"Field.total: {field.total(3)}")
    if not refused(lambda: module.Field(a=array(1, True), b=array(1, False))):
        bad.append("Field takes a read-only b, which move stores to")
    for line in bad:
        print("DIFF", line)
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    os.environ.setdefault("PYKOKKOS_CACHE_DIR", os.path.join(options.work, "store"))
    module = built.build(options, "storing", KERNELS)
    sys.exit(1 if check(module) else 0)


if __name__ == "__main__":
    main()
