"""NumPy's functions of scalars: judged by NumPy itself, and at random in expressions."""
import math

import numpy as np

from .features import Features
from .values import Discard, F32, U64, Wide, is_complex

# What rounds right, or not at all: NumPy has other exponentials than the C library.
OF_FLOATS_1 = "absolute fabs negative sqrt floor ceil trunc rint sign square reciprocal".split()
OF_FLOATS_2 = ("add subtract multiply divide maximum minimum fmax fmin copysign heaviside "
               "nextafter").split()
DIVISIONS = "floor_divide remainder mod fmod".split()
OF_INTEGERS_1 = "absolute negative invert bitwise_not square sign".split()
OF_INTEGERS_2 = "add subtract multiply maximum minimum bitwise_and bitwise_or bitwise_xor".split()
COMPARISONS = "equal not_equal less less_equal greater greater_equal".split()
LOGICAL = "logical_and logical_or logical_xor".split()
PREDICATES = "signbit isnan isinf isfinite isposinf isneginf".split()
ALL = sorted({*OF_FLOATS_1, *OF_FLOATS_2, *DIVISIONS, *OF_INTEGERS_1, *OF_INTEGERS_2, *COMPARISONS,
              *LOGICAL, *PREDICATES, "logical_not", "left_shift", "right_shift"})
EXTREMES = ("maximum", "minimum", "fmax", "fmin")


def _scalar(v):
    """A value as NumPy's scalar."""
    if isinstance(v, F32):
        return v.v
    if isinstance(v, (U64, Wide)) or is_complex(v):
        raise Discard("NumPy's function of this type")
    return np.bool_(v) if isinstance(v, bool) else np.int64(v) if isinstance(v, int) else np.float64(v)


def _value(v):
    """NumPy's scalar as a value."""
    if isinstance(v, np.float32):
        return F32(v)
    if isinstance(v, (np.bool_, np.int64, np.float64)):
        return v.item()
    raise Discard("NumPy's result of this type")


def function(name):
    def call(*args):
        args = [_scalar(a) for a in args]
        if name in EXTREMES and args[0] == 0 and args[1] == 0 and \
                math.copysign(1, args[0]) != math.copysign(1, args[1]):
            raise Discard("which of two zeros is larger")
        with np.errstate(all="ignore"):
            return _value(getattr(np, name)(*args))
    return call


def members():
    """The functions by name."""
    return {name: function(name) for name in ALL}


class NumpyFunctions(Features):
    def _np(self, name, *args):
        return "np.%s(%s)" % (name, ", ".join(args))

    def _of_floats(self, type, d):
        one = lambda: self.typed(type, d)
        # A literal next to a float32 adapts to it; a divisor is of its operand's type.
        divisor = "float(abs(%s) + 0.5)" if type == "dbl" else "abs(%s) + pk.float32(0.5)"
        return self.pick(
            (3, lambda: self._np(self.rng.choice(OF_FLOATS_1).replace("sqrt", "fabs"), one())),
            (1, lambda: self._np("sqrt", "abs(%s)" % one())),
            (4, lambda: self._np(self.rng.choice(OF_FLOATS_2), one(), one())),
            (1, lambda: self._np(self.rng.choice(DIVISIONS), one(), divisor % one())))()

    def _dbl(self, depth):
        return self._of_floats("dbl", depth - 1) if depth > 0 and self.chance(0.08) else super()._dbl(depth)

    def _flt(self, depth):
        return self._of_floats("flt", depth - 1) if depth > 0 and self.chance(0.08) else super()._flt(depth)

    def _int(self, depth):
        if depth <= 0 or not self.chance(0.06):
            return super()._int(depth)
        d = depth - 1
        one = lambda: "int(%s)" % self.expr("int", d)
        return self.pick(
            (2, lambda: self._np(self.rng.choice(OF_INTEGERS_1), one())),
            (4, lambda: self._np(self.rng.choice(OF_INTEGERS_2), one(), one())),
            (1, lambda: self._np(self.rng.choice(DIVISIONS), one(), "int(%s)" % self.nonzero(d))),
            (1, lambda: self._np(self.rng.choice(["left_shift", "right_shift"]), one(), self.small(d))))()

    def _bool(self, depth):
        if depth <= 0 or not self.chance(0.08):
            return super()._bool(depth)
        d = depth - 1
        type = self.rng.choice(["int", "dbl"])
        return self.pick(
            (3, lambda: self._np(self.rng.choice(COMPARISONS), self.typed(type, d), self.typed(type, d))),
            (2, lambda: self._np(self.rng.choice(LOGICAL), self.expr("bool", d), self.expr("bool", d))),
            (1, lambda: self._np("logical_not", self.expr("bool", d))),
            (2, lambda: self._np(self.rng.choice(PREDICATES), self.typed("dbl", d))))()
