"""The functions of the language, each by all of its names: math's, pk's and the bare one."""
import math

import pkstub
import pykokkos as pk

pkstub.bare_functions(globals())  # CPython knows no bare sqrt(); workunits do


@pk.workunit
def row0(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], k: pk.View1D[pk.int64], out: pk.View2D[pk.double]):
    out[i, 0] = math.acos(x[i])
    out[i, 1] = acos(x[i])
    out[i, 2] = pk.acos(x[i])
    out[i, 3] = math.acosh(x[i] + 1)
    out[i, 4] = acosh(x[i] + 1)
    out[i, 5] = pk.acosh(x[i] + 1)
    out[i, 6] = math.asin(x[i])
    out[i, 7] = asin(x[i])
    out[i, 8] = pk.asin(x[i])
    out[i, 9] = math.asinh(x[i])
    out[i, 10] = asinh(x[i])
    out[i, 11] = pk.asinh(x[i])
    out[i, 12] = math.atan(x[i])
    out[i, 13] = atan(x[i])
    out[i, 14] = pk.atan(x[i])
    out[i, 15] = math.atanh(x[i])
    out[i, 16] = atanh(x[i])
    out[i, 17] = pk.atanh(x[i])
    out[i, 18] = math.cbrt(x[i])
    out[i, 19] = cbrt(x[i])
    out[i, 20] = pk.cbrt(x[i])
    out[i, 21] = math.ceil(x[i])
    out[i, 22] = ceil(x[i])
    out[i, 23] = pk.ceil(x[i])
    out[i, 24] = math.cos(x[i])
    out[i, 25] = cos(x[i])
    out[i, 26] = pk.cos(x[i])
    out[i, 27] = math.cosh(x[i])
    out[i, 28] = cosh(x[i])
    out[i, 29] = pk.cosh(x[i])
    out[i, 30] = math.degrees(x[i])
    out[i, 31] = degrees(x[i])
    out[i, 32] = pk.degrees(x[i])
    out[i, 33] = math.erf(x[i])
    out[i, 34] = erf(x[i])
    out[i, 35] = pk.erf(x[i])
    out[i, 36] = math.erfc(x[i])
    out[i, 37] = erfc(x[i])
    out[i, 38] = pk.erfc(x[i])
    out[i, 39] = math.exp(x[i])


@pk.workunit
def row1(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], k: pk.View1D[pk.int64], out: pk.View2D[pk.double]):
    out[i, 0] = exp(x[i])
    out[i, 1] = pk.exp(x[i])
    out[i, 2] = math.exp2(x[i])
    out[i, 3] = exp2(x[i])
    out[i, 4] = pk.exp2(x[i])
    out[i, 5] = math.expm1(x[i])
    out[i, 6] = expm1(x[i])
    out[i, 7] = pk.expm1(x[i])
    out[i, 8] = math.fabs(x[i])
    out[i, 9] = fabs(x[i])
    out[i, 10] = pk.fabs(x[i])
    out[i, 11] = math.floor(x[i])
    out[i, 12] = floor(x[i])
    out[i, 13] = pk.floor(x[i])
    out[i, 14] = math.log(x[i])
    out[i, 15] = log(x[i])
    out[i, 16] = pk.log(x[i])
    out[i, 17] = math.log10(x[i])
    out[i, 18] = log10(x[i])
    out[i, 19] = pk.log10(x[i])
    out[i, 20] = math.log1p(x[i])
    out[i, 21] = log1p(x[i])
    out[i, 22] = pk.log1p(x[i])
    out[i, 23] = math.log2(x[i])
    out[i, 24] = log2(x[i])
    out[i, 25] = pk.log2(x[i])
    out[i, 26] = math.radians(x[i])
    out[i, 27] = radians(x[i])
    out[i, 28] = pk.radians(x[i])
    out[i, 29] = math.sin(x[i])
    out[i, 30] = sin(x[i])
    out[i, 31] = pk.sin(x[i])
    out[i, 32] = math.sinh(x[i])
    out[i, 33] = sinh(x[i])
    out[i, 34] = pk.sinh(x[i])
    out[i, 35] = math.sqrt(x[i])
    out[i, 36] = sqrt(x[i])
    out[i, 37] = pk.sqrt(x[i])
    out[i, 38] = math.tan(x[i])
    out[i, 39] = tan(x[i])


@pk.workunit
def row2(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], k: pk.View1D[pk.int64], out: pk.View2D[pk.double]):
    out[i, 0] = pk.tan(x[i])
    out[i, 1] = math.tanh(x[i])
    out[i, 2] = tanh(x[i])
    out[i, 3] = pk.tanh(x[i])
    out[i, 4] = math.trunc(x[i])
    out[i, 5] = trunc(x[i])
    out[i, 6] = pk.trunc(x[i])
    out[i, 7] = math.isfinite(x[i])
    out[i, 8] = isfinite(x[i])
    out[i, 9] = pk.isfinite(x[i])
    out[i, 10] = math.isinf(x[i])
    out[i, 11] = isinf(x[i])
    out[i, 12] = pk.isinf(x[i])
    out[i, 13] = math.isnan(x[i])
    out[i, 14] = isnan(x[i])
    out[i, 15] = pk.isnan(x[i])
    out[i, 16] = round(x[i])
    out[i, 17] = pk.round(x[i])
    out[i, 18] = abs(x[i])
    out[i, 19] = pk.abs(x[i])
    out[i, 20] = math.atan2(x[i], y[i])
    out[i, 21] = atan2(x[i], y[i])
    out[i, 22] = pk.atan2(x[i], y[i])
    out[i, 23] = math.copysign(x[i], y[i])
    out[i, 24] = copysign(x[i], y[i])
    out[i, 25] = pk.copysign(x[i], y[i])
    out[i, 26] = math.fmod(x[i], y[i])
    out[i, 27] = fmod(x[i], y[i])
    out[i, 28] = pk.fmod(x[i], y[i])
    out[i, 29] = math.hypot(x[i], y[i])
    out[i, 30] = hypot(x[i], y[i])
    out[i, 31] = pk.hypot(x[i], y[i])
    out[i, 32] = math.pow(x[i], y[i])
    out[i, 33] = pow(x[i], y[i])
    out[i, 34] = pk.pow(x[i], y[i])
    out[i, 35] = math.remainder(x[i], y[i])
    out[i, 36] = remainder(x[i], y[i])
    out[i, 37] = pk.remainder(x[i], y[i])
    out[i, 38] = min(x[i], y[i])
    out[i, 39] = pk.min(x[i], y[i])


@pk.workunit
def row3(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], k: pk.View1D[pk.int64], out: pk.View2D[pk.double]):
    out[i, 0] = max(x[i], y[i])
    out[i, 1] = pk.max(x[i], y[i])
    out[i, 2] = math.ldexp(x[i], k[i])
    out[i, 3] = ldexp(x[i], k[i])
    out[i, 4] = pk.fmax(x[i], y[i])
    out[i, 5] = fmax(x[i], y[i])
    out[i, 6] = pk.fmin(x[i], y[i])
    out[i, 7] = fmin(x[i], y[i])
    out[i, 8] = rsqrt(x[i])
    out[i, 9] = pk.rsqrt(x[i])
    out[i, 10] = pk.cyl_bessel_j0(x[i])
    out[i, 11] = cyl_bessel_j1(x[i])
    out[i, 12] = int(x[i] * 8)
    out[i, 13] = float(k[i])
    out[i, 14] = bool(k[i])
    out[i, 15] = len(x)
    out[i, 16] = pk.int64(x[i] * 9)
    out[i, 17] = pk.float32(x[i])
    out[i, 18] = x.extent(0)
    out[i, 19] = x.shape[0]
    out[i, 20] = x.size
    out[i, 21] = rint(x[i])
    out[i, 22] = sign(-x[i])
    out[i, 23] = square(x[i])
    out[i, 24] = reciprocal(x[i])
    out[i, 25] = positive(x[i])
    out[i, 26] = negative(x[i])
    out[i, 27] = isless(x[i], y[i])
    out[i, 28] = isgreater(x[i], y[i])
    out[i, 29] = isnan(nan(''))
    out[i, 30] = math.nextafter(x[i], 2.0)


@pk.workunit
def gammas(i: int, x: pk.View1D[pk.double], y: pk.View1D[pk.double], k: pk.View1D[pk.int64], out: pk.View2D[pk.double]):
    out[i, 0] = math.lgamma(x[i])
    out[i, 1] = lgamma(x[i])
    out[i, 2] = pk.lgamma(x[i])
    out[i, 3] = math.gamma(x[i])
    out[i, 4] = gamma(x[i])
    out[i, 5] = pk.gamma(x[i])
    out[i, 6] = tgamma(x[i])
    out[i, 7] = pk.tgamma(x[i])


_X = [0.5, 0.125, 0.9, 0.3333333333333333, 1e-3]
_Y = [0.25, 3.0, -1.5, 0.75, 1e-3]
_K = [0, 3, -2, 7, 1]


def _inputs(count):
    return dict(n=5, args={"x": ("float64", _X), "y": ("float64", [abs(y) for y in _Y]), "k": ("int64", _K),
                           "out": ("float64", [[0.0] * count] * 5)}, out={"out": "float64"})


INPUTS = {
    "row0": _inputs(40),
    "row1": _inputs(40),
    "row2": _inputs(40),
    "row3": _inputs(31),
    "gammas": _inputs(8),
}
# The C library rounds some of them otherwise than CPython, which has a gamma function of its own.
TOLERANCE = {"row0": 2, "row1": 2, "row2": 2, "row3": 2, "gammas": 16}


def expected():
    return pkstub.expected(INPUTS, globals())
