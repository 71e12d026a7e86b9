"""What PyKokkos takes from pykokkos-base, over NumPy: names of types and spaces, and arrays."""
import numpy as np


class Name:
    """A member of one of pykokkos-base's enumerations; PyKokkos reads it out of str()."""

    def __init__(self, kind, name):
        self.text = "%s.%s" % (kind, name)

    def __str__(self):
        return self.text


DTYPES = {name: Name("dtype", name) for name in (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float double").split()}
globals().update(DTYPES)
complex_float32_dtype = Name("dtype", "complex_float32_dtype")
complex_float64_dtype = Name("dtype", "complex_float64_dtype")
NUMPY = {d: np.dtype({"float": "float32", "double": "float64"}.get(n, n)) for n, d in DTYPES.items()}
# As pybind11's buffers name them.
NUMPY[globals()["int64"]], NUMPY[globals()["uint64"]] = np.dtype("longlong"), np.dtype("ulonglong")
NUMPY[complex_float32_dtype] = np.dtype("complex64")
NUMPY[complex_float64_dtype] = np.dtype("complex128")

for _name in ("HostSpace CudaSpace CudaUVMSpace HIPSpace HIPManagedSpace OpenMPTargetSpace").split():
    globals()[_name] = Name("memory_space", _name)
for _name in "LayoutLeft LayoutRight".split():
    globals()[_name] = Name("layout", _name)
for _name in "Atomic RandomAccess Restrict Unmanaged".split():
    globals()[_name] = Name("trait", _name)


class Space:
    """A default instance of an execution space."""


KokkosExecutionSpace_Serial = KokkosExecutionSpace_OpenMP = Space


class _Complex:
    def __init__(self, real, imag=0.0):
        self.value = self.kind(complex(real, imag))

    def real_const(self):
        return float(self.value.real)

    def imag_const(self):
        return float(self.value.imag)


class complex_float32(_Complex):
    kind = np.complex64


class complex_float64(_Complex):
    kind = np.complex128


def initialize():
    """Modules of kernels start Kokkos themselves."""


def finalize():
    """As initialize()."""


def get_device_available(space):
    return space in ("Serial", "OpenMP")


def _order(layout):
    return "F" if layout is globals()["LayoutLeft"] else "C"


class Array(np.ndarray):
    """Hashed by identity, as pykokkos-base's arrays: two of equal content are two."""

    __hash__ = object.__hash__


def array(first, shape=None, _=None, __=None, dtype=None, space=None, layout=None, trait=None):
    """array(label, shape, None, None, dtype, …) is a new array; array(data, …) is the data's."""
    if isinstance(first, str):
        return np.zeros(tuple(shape), NUMPY[dtype], order=_order(layout)).view(Array)
    return first.view(Array) if isinstance(first, np.ndarray) else first


def unmanaged_array(data, dtype=None, space=None, layout=None):
    return data
