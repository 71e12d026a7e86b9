"""PYTHONPATH=build python3 -P run.py   (-P: this folder's kernels.py is the source, not the module)"""
import numpy

import kernels

x = numpy.arange(10, dtype=numpy.float64)
kernels.scale(len(x), x=x, k=2.0)
assert (x == 2 * numpy.arange(10)).all(), x

top = kernels.largest(len(x), x=x, reducer="Max")
assert top == 18.0, top

cells = numpy.zeros(10, dtype=numpy.int32)
lattice = kernels.Cells(n=7, cells=cells)
lattice.count_up(len(cells))
lattice.count_up(len(cells))
assert (cells == [2 * i % 7 for i in range(10)]).all(), cells

try:
    kernels.scale(10, x=numpy.zeros(10, dtype=numpy.float32), k=1.0)
except TypeError as error:
    print("refused:", error)
else:
    raise AssertionError("float32 was taken for float64")
print("largest", top, "cells", list(cells))
