"""Whether compiled results are CPython's.

Everything is compared to the last bit, NaNs as equal, the sign of zero counted, but for sums of
floats: compiled code adds into several accumulators, so a reduction over n terms may be off by
their rounding, at most n units of the sum of their magnitudes.
"""
import math

import numpy as np

from . import values, views


def same_array(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if got.dtype.kind in "fc":
        both_nan = np.isnan(got) & np.isnan(want)
        return bool(np.all(both_nan | (_bits(got) == _bits(want)).reshape(got.shape)))
    return bool(np.array_equal(got, want))


def _bits(a):
    a = np.ascontiguousarray(a)
    if a.dtype.kind == "c":
        # Both parts; -0.0 and 0.0 of a complex number are told apart too.
        parts = a.view(a.real.dtype).reshape(a.shape + (2,))
        b = parts.view(np.uint64 if parts.dtype.itemsize == 8 else np.uint32)
        return b[..., 0].astype(object) * (1 << 64) + b[..., 1].astype(object)
    return a.view(np.uint64 if a.dtype.itemsize == 8 else np.uint32)


def same_result(got, want, dtype, terms, magnitude):
    """A reduction's result."""
    if want is None:
        return got is None
    if isinstance(want, views.LocValue):
        members = want.members()
        return isinstance(got, dict) and set(got) == set(members) and all(
            same_result(got[n], v, want._pk_types[n], 0, 0.0) for n, v in members.items())
    if isinstance(want, values.F32):
        want = float(want)
    if dtype in ("float32", "float64"):
        if got != got or want != want:
            return got != got and want != want
        if got == want or math.isinf(got) or math.isinf(want):
            return got == want
        unit = float(np.finfo(dtype).eps)
        return abs(got - want) <= unit * max(terms, 1) * (magnitude + abs(want))
    if dtype in values.INT_LIMITS:
        return int(got) == int(want) and not isinstance(got, float)
    if dtype.startswith("complex"):
        # Part by part: one of them may be infinite, and says nothing of the other's rounding then.
        part, want = {"complex64": "float32", "complex128": "float64"}[dtype], complex(want)
        known = magnitude if math.isfinite(magnitude) else 0.0
        return all(same_result(g, w, part, terms, known or abs(w) * terms)
                   for g, w in ((got.real, want.real), (got.imag, want.imag)))
    return got == want
