"""Arithmetic of constants that casts made: small ones are not too large."""
import pykokkos as pk

C = -7


@pk.workunit
def narrow(i: int, out: pk.View1D[pk.int64]):
    out[i] = pk.int8(2) * -19 + pk.int8(C) ** 2 - (pk.uint16(10) << 3)


@pk.workunit
def wide(i: int, out: pk.View1D[pk.int64]):
    out[i] = pk.int32(2147483647) * 2147483647 + i


@pk.workunit
def unsigned(i: int, out: pk.View1D[pk.uint64]):
    out[i] = pk.uint64(0) + 3 + pk.uint64(1) * 7


@pk.workunit
def of_float(i: int, out: pk.View1D[pk.int64]):
    out[i] = int(pk.float32(0.25)) * 8 + int(pk.float32(9.75)) * i
