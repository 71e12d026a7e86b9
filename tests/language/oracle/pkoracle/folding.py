"""What GCC gives for a math function of a constant.

The C library's functions may be a unit off, and CPython calls them; GCC knows their results for
constants (in an unrolled loop, say) from MPFR, which rounds right. Both are right answers of
compiled code; this module asks the same MPFR that the compiler uses.
"""
import ctypes
import math

import numpy as np

# MPFR's names, where they are not "mpfr_" and C's.
NAMES = {"tgamma": "gamma"}
FUNCTIONS = frozenset("acos acosh asin asinh atan atanh atan2 cbrt cos cosh erf erfc exp exp2 expm1 "
                      "hypot lgamma log log10 log1p log2 pow sin sinh tan tanh tgamma".split())
NEAREST = 0
PRECISION = {False: 53, True: 24}


class _Number(ctypes.Structure):
    """mpfr_t."""
    _fields_ = [("precision", ctypes.c_long), ("sign", ctypes.c_int), ("exponent", ctypes.c_long),
                ("digits", ctypes.c_void_p)]


def _library():
    try:
        library = ctypes.CDLL("libmpfr.so.6")
    except OSError:
        return None
    library.mpfr_get_d.restype = ctypes.c_double
    return library


_MPFR = _library()


def known():
    """Whether MPFR is here."""
    return _MPFR is not None


def _number(precision, value=None):
    n = _Number()
    _MPFR.mpfr_init2(ctypes.byref(n), ctypes.c_long(precision))
    if value is not None:
        _MPFR.mpfr_set_d(ctypes.byref(n), ctypes.c_double(value), NEAREST)
    return n


def rounded(name, single, args):
    """The function's value as MPFR rounds it, a float; None where GCC would not know it."""
    if _MPFR is None or name not in FUNCTIONS or not all(math.isfinite(a) for a in args):
        return None
    numbers = [_number(PRECISION[single], a) for a in args]
    result, sign = _number(PRECISION[single]), ctypes.c_int()
    more = [ctypes.byref(sign)] if name == "lgamma" else []
    function = getattr(_MPFR, "mpfr_" + NAMES.get(name, name))
    function(ctypes.byref(result), *more, *[ctypes.byref(n) for n in numbers], NEAREST)
    value = _MPFR.mpfr_get_d(ctypes.byref(result), NEAREST)
    for n in numbers + [result]:
        _MPFR.mpfr_clear(ctypes.byref(n))
    smallest = float(np.finfo(np.float32 if single else np.float64).tiny)
    return value if math.isfinite(value) and abs(value) >= smallest else None


class Choices:
    """Which calls were folded, as far as it makes a difference: `differing` has the calls whose
    two results are not one, as (name, single, args)."""

    def __init__(self):
        self.begin()

    def begin(self, folded=()):
        """A new run, in which the calls of `folded` are; all where that is None."""
        self.folded, self.differing = folded, {}

    def result(self, name, single, args, of_library):
        """A call's result in this run."""
        if name not in FUNCTIONS:
            return of_library
        call = (name, single, args)
        if call not in self.differing:
            value = rounded(name, single, args)
            if value is None or value == of_library:
                return of_library
            self.differing[call] = value
        return self.differing[call] if self.folded is None or call in self.folded else of_library
