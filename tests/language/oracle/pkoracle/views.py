"""Arrays and accumulators as workunits see them."""
import numpy as np

from . import values
from .values import Discard


class View:
    """A typed array; elements are loaded as values of the language and converted when stored."""

    def __init__(self, array, writable=True):
        self.array = array
        self.writable = writable

    @property
    def dtype(self):
        return self.array.dtype.name

    @property
    def shape(self):
        return tuple(self.array.shape)

    @property
    def size(self):
        return int(self.array.size)

    def extent(self, dimension):
        return int(self.array.shape[dimension])

    def __len__(self):
        return int(self.array.shape[0])

    def _place(self, index, minus):
        if len(index) > self.array.ndim:
            raise Discard("too many indices")
        place = []
        for d, (k, from_end) in enumerate(zip(index, minus)):
            n = self.array.shape[d]
            if isinstance(k, Slice):
                place.append(k.resolve(n))
                continue
            k = int(k)
            if k < 0 and from_end:
                k += n
            if not 0 <= k < n:
                raise Discard("index out of bounds")
            place.append(k)
        return tuple(place)

    def get(self, index, minus):
        got = self.array[self._place(index, minus)]
        if isinstance(got, np.ndarray):
            return View(got, self.writable)
        return load(self.dtype, got)

    def set(self, value, index, minus):
        if len(index) != self.array.ndim:
            raise Discard("a store into a subview")
        place = self._place(index, minus)
        self.array[place] = as_numpy(self.dtype, value)


class Slice:
    def __init__(self, begin, end, begin_minus, end_minus):
        self.begin, self.end = begin, end
        self.minus = (begin_minus, end_minus)

    def resolve(self, n):
        for bound, minus in ((self.begin, self.minus[0]), (self.end, self.minus[1])):
            if bound is not None and (not minus and not 0 <= bound <= n or bound < -n):
                raise Discard("slice out of bounds")
        return slice(None if self.begin is None else int(self.begin),
                     None if self.end is None else int(self.end))


def load(dtype, element):
    """An element's value."""
    if dtype == "bool":
        return bool(element)
    if dtype == "float32":
        return values.F32(np.float32(element))
    if dtype == "uint64":
        return values.U64(int(element))
    if dtype in values.INT_LIMITS:
        return int(element)
    if dtype == "complex64":
        return values.C64(element.real, element.imag)
    if dtype == "complex128":
        return complex(element)
    return float(element)


def as_numpy(dtype, value):
    value = values.convert(dtype, value)
    if isinstance(value, values.F32):
        return value.v
    return np.dtype(dtype).type(complex(value) if isinstance(value, values.C64) else value)


class Acc:
    """An accumulator: `v` is its value, `magnitude` what all its changes add up to."""

    def __init__(self, dtype, value):
        self._dtype = dtype
        self.magnitude = 0.0
        self._v = value if isinstance(value, LocValue) else values.convert(dtype, value)

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        old, self._v = self._v, values.convert(self._dtype, value)
        if values.is_float(self._v) or values.is_complex(self._v):
            self.magnitude += abs(complex(self._v) - complex(old))

    def update(self, op, value):
        self.v = values.binary(op, self.v, value)


NO_LOCATION = (1 << 63) - 1


class LocValue:
    """What the accumulator of MinLoc, MaxLoc, MinMax and MinMaxLoc holds; its members have types."""

    def __init__(self, dtype, **members):
        self._pk_types = {n: "int64" if n.endswith("loc") else dtype for n in members}
        self.__dict__.update(members)

    def members(self):
        """Values by name."""
        return {n: getattr(self, n) for n in self._pk_types}

    def __repr__(self):
        return repr(self.members())
