"""Integers: 64 bits everywhere, stores wrap, uint64 exact, bits and shifts of every width."""
import pkstub
import pykokkos as pk


@pk.workunit
def products(i: int, a: pk.View1D[pk.int32], b: pk.View1D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = a[i] * b[i] + a[i]


@pk.workunit
def narrow_stores(i: int, a: pk.View1D[pk.int64], s8: pk.View1D[pk.int8], u8: pk.View1D[pk.uint8], s16: pk.View1D[pk.int16], u32: pk.View1D[pk.uint32], b: pk.View1D[pk.bool]):
    s8[i] = a[i]
    u8[i] = a[i] * 3
    s16[i] = a[i] - 1
    u32[i] = -a[i]
    b[i] = a[i]


@pk.workunit
def bits(i: int, a: pk.View1D[pk.int16], b: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = a[i] & b[i]
    out[i, 1] = a[i] | b[i]
    out[i, 2] = a[i] ^ b[i]
    out[i, 3] = ~a[i]
    out[i, 4] = b[i] >> 3
    out[i, 5] = (a[i] & 0xFF) << 40
    out[i, 6] = b[i] >> 70
    out[i, 7] = ~True + (True & False) + (True | (b[i] > 0)) + -True


@pk.workunit
def shifts(i: int, k: pk.View1D[pk.int32], out: pk.View2D[pk.int64]):
    out[i, 0] = 1 << k[i]
    out[i, 1] = -1 >> k[i]
    out[i, 2] = (1 << 40) - 1 >> k[i]


@pk.workunit
def unsigned(i: int, u: pk.View1D[pk.uint64], v: pk.View1D[pk.uint64], out: pk.View2D[pk.uint64], s: pk.View2D[pk.int64], x: pk.View1D[pk.double]):
    out[i, 0] = u[i] + 0
    out[i, 1] = u[i] - v[i]
    out[i, 2] = u[i] // 3
    out[i, 3] = u[i] % 1000
    out[i, 4] = u[i] >> 5
    out[i, 5] = ~u[i] & 0xFF
    out[i, 6] = u[i] ^ v[i] | 1
    s[i, 0] = (u[i] - v[i]) // 2
    s[i, 1] = u[i] > v[i]
    s[i, 2] = -1 if u[i] - v[i] < 0 else 1
    s[i, 3] = abs(v[i] - u[i]) % 7
    s[i, 4] = (u[i] - 2) % 5
    x[i] = u[i] - v[i]


@pk.workunit
def unsigned_locals(i: int, u: pk.View1D[pk.uint64], out: pk.View2D[pk.uint64]):
    h: pk.uint64 = u[i]
    h ^= h >> 33
    h *= 0xFF51AFD7ED558CCD
    h ^= h >> 29
    h += 17
    out[i, 0] = h
    d = u[i] - 10
    if d < 0:
        d = -d
    out[i, 1] = d


@pk.workunit
def literals(i: int, s: pk.View1D[pk.int64], u: pk.View1D[pk.uint64]):
    s[0] = -9223372036854775808
    s[1] = 0x7FFF_FFFF_FFFF_FFFF
    s[2] = 0b1011 + 0o17 + 1_000
    s[3] = 2 ** 100 % 1_000_007
    u[0] = 18446744073709551615 - 1
    u[1] = 1 << 63
    u[2] = 2 ** 64 - 1
    u[3] = 0xFFFF_FFFF_FFFF_FFFF & 0xF0


@pk.workunit
def absolute(i: int, a: pk.View1D[pk.int32], out: pk.View1D[pk.int64]):
    out[i] = abs(a[i]) + abs(-5) * (-a[i])


@pk.workunit
def bools(i: int, a: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    p = a[i] > 2
    q = p and a[i] < 7
    out[i] = p + q * 2 + (p == q) * 4 + (p != q) * 8 + (p ^ q) * 16 + (p < q) * 32 + max(p, q) * 64


INPUTS = {
    "products": dict(n=3, args={"a": ("int32", [2147483647, -2147483648, 46341]), "b": ("int32", [2147483647, -2147483648, 46341])}, out={"out": "int64"}),
    "narrow_stores": dict(n=6, args={"a": ("int64", [0, 127, 128, -129, 70000, 5000000000])}, out={"s8": "int8", "u8": "uint8", "s16": "int16", "u32": "uint32", "b": "bool"}),
    "bits": dict(n=3, args={"a": ("int16", [-1, 12345, -32768]), "b": ("int64", [255, -1, 1 << 62]), "out": ("int64", [[0] * 8] * 3)}, out={"out": "int64"}),
    "shifts": dict(n=4, args={"k": ("int32", [0, 31, 62, 1]), "out": ("int64", [[0] * 3] * 4)}, out={"out": "int64"}),
    "unsigned": dict(n=4, args={"u": ("uint64", [0, 5, 18446744073709551615, 9223372036854775808]), "v": ("uint64", [1, 3, 0, 9223372036854775809]),
                                "out": ("uint64", [[0] * 7] * 4), "s": ("int64", [[0] * 5] * 4)}, out={"out": "uint64", "s": "int64", "x": "float64"}),
    "unsigned_locals": dict(n=3, args={"u": ("uint64", [1, 10, 18446744073709551615]), "out": ("uint64", [[0] * 2] * 3)}, out={"out": "uint64"}),
    "literals": dict(n=1, args={"s": ("int64", [0] * 4), "u": ("uint64", [0] * 4)}, out={"s": "int64", "u": "uint64"}),
    "absolute": dict(n=3, args={"a": ("int32", [-2147483648, 7, 0])}, out={"out": "int64"}),
    "bools": dict(n=4, args={"a": ("int64", [1, 3, 7, 8])}, out={"out": "int64"}),
}


def _hash(u):
    m = (1 << 64) - 1
    h = u ^ u >> 33
    h = h * 0xFF51AFD7ED558CCD & m
    h ^= h >> 29
    return (h + 17) & m


def expected():
    answers = pkstub.expected(INPUTS, globals())
    # uint64 + and * wrap, where CPython goes on
    answers["unsigned_locals"] = {"out": [[_hash(u), abs(u - 10)] for u in (1, 10, 18446744073709551615)]}
    return answers
