"""Values of the workunit language in CPython: what one operation on them gives.

A value is a Python object: bool, int, float (a double) or complex; and, where Python has no type
of its own, a tagged one:

    F32   a float32
    U64   an unsigned 64-bit integer
    C64   a complex64
    Wide  an integer that the language keeps exact in 128 bits
    Lit   a floating point literal, which takes the type of the other operand

Discard says that an operation has no documented result (an integer beyond its width, a division
by zero, an index out of bounds): nothing can be compared then.
"""
import ctypes
import math
import operator

import numpy as np

from . import folding

INT_LIMITS = {
    "int8": (-(1 << 7), (1 << 7) - 1), "int16": (-(1 << 15), (1 << 15) - 1),
    "int32": (-(1 << 31), (1 << 31) - 1), "int64": (-(1 << 63), (1 << 63) - 1),
    "uint8": (0, (1 << 8) - 1), "uint16": (0, (1 << 16) - 1),
    "uint32": (0, (1 << 32) - 1), "uint64": (0, (1 << 64) - 1),
}
INT64_MIN, INT64_MAX = INT_LIMITS["int64"]
UINT64_MAX = INT_LIMITS["uint64"][1]
WIDE_LIMIT = 1 << 126


class Discard(Exception):
    """The program leaves what the language defines."""


class U64(int):
    __slots__ = ()


class Wide(int):
    __slots__ = ()


class Lit(float):
    __slots__ = ()


class F32:
    """A float32; `v` is a numpy.float32."""
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v if type(v) is np.float32 else round_to_f32(v)

    def __float__(self):
        return float(self.v)

    def __bool__(self):
        return bool(self.v != 0)

    def __int__(self):
        return int(self.v)

    def __repr__(self):
        return "F32(%r)" % float(self.v)


class C64:
    """A complex64; `re` and `im` are numpy.float32."""
    __slots__ = ("re", "im")

    def __init__(self, re, im=0.0):
        self.re, self.im = round_to_f32(re), round_to_f32(im)

    real = property(lambda self: F32(self.re))
    imag = property(lambda self: F32(self.im))

    def conjugate(self):
        return C64(self.re, -self.im)

    def __complex__(self):
        return complex(float(self.re), float(self.im))

    def __bool__(self):
        return bool(self.re != 0 or self.im != 0)

    def __repr__(self):
        return "C64(%r)" % complex(self)


def round_to_f32(v):
    """One rounding to float32, of an integer too."""
    if isinstance(v, F32):
        return v.v
    if type(v) is np.float32:
        return v
    if isinstance(v, int):
        v = int(v)
        if abs(v) > 1 << 53:
            shift = abs(v).bit_length() - 24
            q, r = divmod(abs(v), 1 << shift)
            half = 1 << (shift - 1)
            q += r > half or (r == half and q & 1)
            v = float(q << shift) * (1 if v > 0 else -1)
    with np.errstate(all="ignore"):
        return np.float32(v)


def is_float(v):
    return isinstance(v, (float, F32))


def is_complex(v):
    return isinstance(v, (complex, C64))


def plain(v):
    """The value as Python's own type, without the literal's tag."""
    return float(v) if type(v) is Lit else v


def check_int(v):
    """An integer result of int64 operands."""
    if not INT64_MIN <= v <= INT64_MAX:
        raise Discard("beyond 64 bits")
    return v


def wrapped(v):
    """The integer v in 64 bits, as + - * of int64 have it, and NumPy."""
    return (v + (1 << 63)) % (1 << 64) - (1 << 63)


def _check_wide(v):
    if not -WIDE_LIMIT < v < WIDE_LIMIT:
        raise Discard("beyond 128 bits")
    return Wide(v)


def _tag_int(name, l, r, v):
    """The integer v, result of `l name r`, with the type that the operands give it."""
    if type(v) is bool:
        return v
    tl, tr = type(l), type(r)
    if name in ("+", "-", "*") and tl not in (U64, Wide) and tr not in (U64, Wide):
        return wrapped(v)
    if tl not in (U64, Wide) and (tr not in (U64, Wide) or name in ("<<", ">>")):
        return check_int(v)
    if name in ("<<", ">>") and tl is U64:
        if not 0 <= v <= UINT64_MAX:
            raise Discard("beyond 64 bits")
        return U64(v)
    if tl is U64 and tr is U64 and name != "-":
        if v > UINT64_MAX:
            raise Discard("beyond 64 bits")
        return U64(v)
    if tl is U64 and tr is U64:
        return Wide(v)
    # A literal adapts to uint64 and a variable does not; they look alike here, so keep to what is
    # the same for both.
    if Wide not in (tl, tr) and not INT64_MIN <= v <= UINT64_MAX:
        raise Discard("beyond 64 bits")
    return _check_wide(v)


_INT_OPS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift,
}

_LIBM = ctypes.CDLL("libm.so.6")


def _libm(name, single, count):
    f = getattr(_LIBM, name + ("f" if single else ""))
    f.restype = ctypes.c_float if single else ctypes.c_double
    f.argtypes = [f.restype] * count
    return f


_LIBM_CACHE = {}
# Which calls of math functions the compiler has done in the present run.
CHOICES = folding.Choices()


def libm(name, single, *args):
    """The C library's function, as compiled code calls it; in float for float32."""
    key = (name, single)
    if key not in _LIBM_CACHE:
        _LIBM_CACHE[key] = _libm(name, single, len(args))
    args = tuple(float(a) for a in args)
    got = CHOICES.result(name, single, args, _LIBM_CACHE[key](*args))
    return F32(got) if single else got


def _float_divmod(a, b):
    """CPython's float_divmod, in the precision of numpy type of a and b."""
    t = type(a)
    if b == 0:
        raise Discard("float // or % by zero")
    with np.errstate(all="ignore"):
        mod = np.fmod(a, b)
        div = (a - mod) / b
        if mod:
            if (b < 0) != (mod < 0):
                mod = mod + b
                div = div - t(1)
        else:
            mod = np.copysign(t(0), b)
        if div:
            floordiv = np.floor(div)
            if div - floordiv > t(0.5):
                floordiv = floordiv + t(1)
        else:
            floordiv = np.copysign(t(0), a / b)
    return floordiv, mod


def _float_op(name, a, b, literal_exponent):
    """a name b, both numpy floats of one precision."""
    t = type(a)
    single = t is np.float32
    wrap = F32 if single else float
    with np.errstate(all="ignore"):
        if name == "+":
            return wrap(a + b)
        if name == "-":
            return wrap(a - b)
        if name == "*":
            return wrap(a * b)
        if name == "/":
            return wrap(a / b)
        if name == "//":
            return wrap(_float_divmod(a, b)[0])
        if name == "%":
            return wrap(_float_divmod(a, b)[1])
        if name == "**":
            if a < 0 and math.isfinite(b) and float(b) != math.floor(b):
                raise Discard("complex power")
            if a == 0 and b < 0:
                raise Discard("zero to a negative power")
            if literal_exponent and b in (-1, 0, 1, 2):
                # Compilers multiply or divide here, which rounds right; pow() may be one unit off.
                return wrap(t(1) / a if b < 0 else t(1) if b == 0 else a if b == 1 else a * a)
            return libm("pow", single, a, b)
    raise Discard("operator " + name)


def binary(name, l, r, literal_exponent=False, is_constant=False):
    """`l name r` as the language has it. `is_constant`: folded exactly, not in 64 bits."""
    if is_complex(l) or is_complex(r):
        return _complex_op(name, l, r)
    if is_float(l) or is_float(r):
        if isinstance(l, F32) or isinstance(r, F32):
            if all(isinstance(x, (F32, Lit, int)) for x in (l, r)):
                return _float_op(name, round_to_f32(l), round_to_f32(r), literal_exponent)
        if isinstance(l, Lit) and isinstance(r, Lit):
            return Lit(_float_op(name, np.float64(l), np.float64(r), literal_exponent))
        return _float_op(name, _to_double(l), _to_double(r), literal_exponent)
    if name == "/":
        return _int_true_divide(l, r)
    if name == "**":
        return _int_power(l, r)
    if name in ("//", "%") and r == 0:
        raise Discard("division by zero")
    if name in ("<<", ">>"):
        if r < 0 or r > 200:
            raise Discard("shift count")
    if isinstance(l, bool) and isinstance(r, bool) and name in "&|^":
        return _INT_OPS[name](l, r)
    v = _INT_OPS[name](int(l), int(r))
    return _tag_int(name, l, r, check_int(v) if is_constant else v)


def _to_double(v):
    return np.float64(int(v)) if isinstance(v, int) else np.float64(float(v))


def _int_true_divide(l, r):
    if r == 0:
        raise Discard("division by zero")
    return int(l) / int(r)


def _int_power(l, r):
    if r < 0:
        if l == 0:
            raise Discard("zero to a negative power")
        return float(int(l)) ** int(r)
    if r > 70 and abs(l) > 1:
        raise Discard("beyond 64 bits")
    return _tag_int("**", l, r, int(l) ** int(r))


def _complex_op(name, l, r):
    if all(isinstance(x, (C64, F32, Lit, int)) for x in (l, r)):
        with np.errstate(all="ignore"):
            return _single_complex_op(name, _single_complex(l), _single_complex(r))
    l, r = complex(_number(l)), complex(_number(r))
    try:
        if name == "+":
            return l + r
        if name == "-":
            return l - r
        if name == "*":
            return l * r
        if name == "/":
            return l / r
        if name == "**":
            return l ** r
    except (ZeroDivisionError, OverflowError):
        raise Discard("complex division or power") from None
    raise Discard("complex " + name)


def _single_complex(v):
    return v if isinstance(v, C64) else C64(v)


def _single_complex_op(name, l, r):
    if name == "+":
        return C64(l.re + r.re, l.im + r.im)
    if name == "-":
        return C64(l.re - r.re, l.im - r.im)
    if name == "*":
        return C64(l.re * r.re - l.im * r.im, l.re * r.im + l.im * r.re)
    if name != "/" or not r or r.re != r.re or r.im != r.im:
        raise Discard("complex64 " + name)
    # Scaled by the larger part of the divisor, as CPython divides.
    if abs(r.re) >= abs(r.im):
        ratio = r.im / r.re
        d = r.re + r.im * ratio
        return C64((l.re + l.im * ratio) / d, (l.im - l.re * ratio) / d)
    ratio = r.re / r.im
    d = r.re * ratio + r.im
    return C64((l.re * ratio + l.im) / d, (l.im * ratio - l.re) / d)


def _number(v):
    return float(v) if isinstance(v, F32) else complex(v) if isinstance(v, C64) else v


def unary(name, v):
    if name == "not":
        return not v
    if isinstance(v, F32):
        return F32(-v.v) if name == "-" else v
    if isinstance(v, C64):
        return C64(-v.re, -v.im) if name == "-" else v
    if isinstance(v, Lit):
        return Lit(-v) if name == "-" else v
    if isinstance(v, float) or isinstance(v, complex):
        return -v if name == "-" else +v
    n = int(v)
    n = -n if name == "-" else ~n if name == "~" else n
    return _tag_int("-", v, v, n) if isinstance(v, (U64, Wide)) else check_int(n)


_COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}


def compare(name, l, r):
    if isinstance(l, F32) and isinstance(r, Lit):
        l, r = l.v, round_to_f32(r)
    elif isinstance(r, F32) and isinstance(l, Lit):
        l, r = round_to_f32(l), r.v
    else:
        l, r = _number(l), _number(r)
    return bool(_COMPARE[name](l, r))


def extremum(name, values):
    """min or max of two or more, all brought to one type, the first among equals."""
    values = list(values)
    if any(isinstance(v, F32) for v in values):
        if all(isinstance(v, (F32, Lit, int)) for v in values):
            values = [F32(v) for v in values]
        else:
            values = [float(_to_double(v)) for v in values]
    elif any(is_float(v) for v in values):
        values = [v if isinstance(v, float) else int(v) for v in values]
    best = values[0]
    for v in values[1:]:
        if compare("<" if name == "min" else ">", v, best):
            best = v
    if any(is_float(v) for v in values) and isinstance(best, int):
        return float(int(best))
    if isinstance(best, int) and not all(isinstance(v, bool) for v in values):
        if any(isinstance(v, Wide) for v in values):
            return Wide(best)
        if any(isinstance(v, U64) for v in values):
            return U64(best) if all(isinstance(v, U64) for v in values) else Wide(best)
        return int(best)
    return best


def magnitude(v):
    """abs()."""
    if isinstance(v, F32):
        return F32(abs(v.v))
    if isinstance(v, C64):
        return libm("hypot", True, v.re, v.im)
    if isinstance(v, complex):
        abs(v)  # it may overflow
        return libm("hypot", False, v.real, v.imag)
    if isinstance(v, float):
        return abs(v)
    n = abs(int(v))
    if isinstance(v, U64):
        return U64(n)
    return _check_wide(n) if isinstance(v, Wide) else check_int(n)


def to_int(v):
    """int(v)."""
    if isinstance(v, (U64, Wide)):
        return v
    v = _number(v)
    if isinstance(v, float) and not math.isfinite(v):
        raise Discard("int of nan or inf")
    return check_int(int(v))


def convert(dtype, v):
    """v as the scalar type `dtype`: an annotation, a cast, a store."""
    if dtype == "bool":
        return bool(v)
    if dtype in INT_LIMITS:
        low, high = INT_LIMITS[dtype]
        if is_float(v):
            f = float(v)
            if not math.isfinite(f):
                raise Discard("nan or inf to an integer")
            v = int(f)
            if not low <= v <= high:
                raise Discard("float out of the integer's range")
        n = int(v) & ((1 << (high - low).bit_length()) - 1)
        if n > high:
            n -= high - low + 1
        return U64(n) if dtype == "uint64" else n
    if dtype in ("float32", "float64") and is_complex(v):
        raise Discard("complex to float")
    if dtype == "float32":
        return F32(v)
    if dtype == "float64":
        return float(int(v)) if isinstance(v, int) else float(v)
    if dtype == "complex128":
        return complex(_number(v))
    if dtype == "complex64":
        if isinstance(v, C64):
            return v
        v = complex(_number(v))
        return C64(v.real, v.imag)
    return v
