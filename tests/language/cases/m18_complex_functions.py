"""Functions of complex numbers: cmath's, NumPy's and the bare ones."""
import cmath

import numpy as np
import pkstub
import pykokkos as pk

exp = cmath.exp


@pk.workunit
def of_cmath(i: int, z: pk.View1D[pk.complex128], out: pk.View2D[pk.complex128]):
    out[i, 0] = cmath.exp(z[i])
    out[i, 1] = cmath.log(z[i])
    out[i, 2] = cmath.sqrt(z[i])
    out[i, 3] = cmath.sin(z[i])
    out[i, 4] = cmath.cos(z[i])
    out[i, 5] = cmath.tan(z[i])
    out[i, 6] = cmath.asin(z[i])
    out[i, 7] = cmath.acos(z[i])
    out[i, 8] = cmath.atan(z[i])
    out[i, 9] = cmath.sinh(z[i])
    out[i, 10] = cmath.cosh(z[i])
    out[i, 11] = cmath.tanh(z[i])
    out[i, 12] = cmath.asinh(z[i])
    out[i, 13] = cmath.acosh(z[i])
    out[i, 14] = cmath.atanh(z[i])
    out[i, 15] = cmath.log10(z[i])
    out[i, 16] = cmath.log(z[i], 2)
    out[i, 17] = cmath.rect(abs(z[i]), cmath.phase(z[i]))
    out[i, 18] = z[i] ** 3
    out[i, 19] = z[i] ** 0.5
    out[i, 20] = z[i] ** z[i]
    out[i, 21] = pow(z[i], -2)
    out[i, 22] = cmath.sqrt(-2) + cmath.pi


@pk.workunit
def parts(i: int, z: pk.View1D[pk.complex128], out: pk.View2D[pk.double]):
    r, phi = cmath.polar(z[i])
    out[i, 0] = r
    out[i, 1] = phi
    out[i, 2] = cmath.phase(z[i])
    out[i, 3] = cmath.isfinite(z[i]) + 2 * cmath.isnan(z[i]) + 4 * cmath.isinf(z[i])
    out[i, 4] = np.isnan(z[i]) + 2 * np.isfinite(z[i])
    out[i, 5] = abs(z[i])


@pk.workunit
def angles(i: int, z: pk.View1D[pk.complex128], out: pk.View1D[pk.double]):
    out[i] = np.angle(z[i])


@pk.workunit
def of_numpy(i: int, z: pk.View1D[pk.complex128], out: pk.View2D[pk.complex128]):
    out[i, 0] = np.exp(z[i])
    out[i, 1] = np.sqrt(z[i])
    out[i, 2] = np.arctan(z[i])
    out[i, 3] = np.square(z[i])
    out[i, 4] = np.conj(z[i])
    out[i, 5] = np.reciprocal(z[i])
    out[i, 6] = np.log2(z[i])
    out[i, 7] = np.exp2(z[i])
    out[i, 8] = np.log1p(z[i])
    out[i, 9] = np.expm1(z[i])


@pk.workunit
def single(i: int, z: pk.View1D[pk.complex64], out: pk.View2D[pk.complex64]):
    out[i, 0] = exp(z[i])
    out[i, 1] = pk.sqrt(z[i])
    out[i, 2] = pk.tanh(z[i])


@pk.workunit
def polar_form(i: int, r: pk.View1D[pk.double], phi: pk.View1D[pk.double], out: pk.View1D[pk.complex128]):
    out[i] = cmath.rect(r[i], phi[i])


@pk.workunit
def overflows(i: int, z: pk.View1D[pk.complex128], out: pk.View2D[pk.complex128]):
    out[i, 0] = np.exp(z[i])
    out[i, 1] = np.exp2(z[i])
    out[i, 2] = np.cosh(z[i])
    out[i, 3] = np.sinh(z[i])
    out[i, 4] = np.cos(z[i])
    out[i, 5] = np.sin(z[i])


_Z = [3 + 4j, -1.5 + 0.5j, 2 + 0j, complex(-4, -0.0), 0.25 - 1e-9j, 0.6 - 0.79j]
_PARTS = [0.0, -0.0, 1.0, -2.5, float("inf"), float("-inf"), float("nan"), 1e300]
_POLAR = [(r, phi) for r in _PARTS for phi in _PARTS if cmath.isfinite(phi) or phi != phi or r == 0 or r != r]
_HUGE = [complex(a, b) for a in (2e3, -2e3, 1e300, -1e300) for b in (0.0, -0.0)]
_HUGE += [complex(z.imag, z.real) for z in _HUGE]
_F = [0.5 + 0.25j, -1.5 + 0.5j, 2 + 1j]
_S = _Z + [complex("inf"), complex("nan"), complex(1, float("-inf"))]


def _row(z, count, t):
    return dict(n=len(z), args={"z": (t, z), "out": (t, [[0j] * count] * len(z))}, out={"out": t})


INPUTS = {
    "of_cmath": _row(_Z, 23, "complex128"),
    "polar_form": dict(n=len(_POLAR), args={"r": ("float64", [r for r, _ in _POLAR]),
                                            "phi": ("float64", [phi for _, phi in _POLAR])},
                       out={"out": "complex128"}),
    "overflows": _row(_HUGE, 6, "complex128"),
    "parts": dict(n=9, args={"z": ("complex128", _S), "out": ("float64", [[0.0] * 6] * 9)}, out={"out": "float64"}),
    "angles": dict(n=9, args={"z": ("complex128", _S)}, out={"out": "float64"}),
    "of_numpy": _row(_Z, 10, "complex128"),
    "single": _row(_F, 3, "complex64"),
}
TOLERANCE = {"of_numpy": 2, "overflows": 2, "angles": 1}


def expected():
    return pkstub.expected(INPUTS, globals())
