"""The kernel headers' arithmetic against CPython's, bit for bit.

Compiles arithmetic.cpp with each given compiler, with and without the undefined-behaviour
sanitizer, and feeds it random and extreme cases with CPython's results.

usage: arithmetic.py INCLUDE_DIR SOURCE WORK_DIR COMPILER...
"""
import cmath
import math
import os
import random
import struct
import subprocess
import sys

MASK = (1 << 64) - 1
FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
SANITIZE = ["-O1", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all",
            "-ffp-contract=off"]

rng = random.Random(20261201)
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 10, 63, 64, 65, 255, 2**31 - 1, 2**31, -2**31, 2**32 - 1, 2**32,
        2**53 - 1, 2**53, 2**53 + 1, -2**53 - 1, 2**62, 2**63 - 1, -2**63, -2**63 + 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.1, 1.5, 2.5, 3.5, 1e-300, 5e-324, 1e300, 1.7e308,
          2.0**53, 2.0**52 + 0.5, 2.0**63, -2.0**63, 2.0**64, 1.8446744073709550e19, 9.2e18,
          math.inf, -math.inf, math.nan, 1e10, 123456.789, -2.675, 2.675, 1e22, 1e23, 0.3]


def some_int():
    kind = rng.randrange(3)
    if kind == 0:
        return rng.choice(INTS)
    if kind == 1:
        return rng.randrange(-2**63, 2**63)
    return rng.randrange(-2, 3) * 2**rng.randrange(61) + rng.randrange(-3, 4)


def some_wide():
    if rng.randrange(2):
        return some_int()
    return rng.randrange(-2**126, 2**126) >> rng.randrange(100)


def some_float():
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(FLOATS)
    if kind == 1:
        return struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
    if kind == 2:
        return rng.uniform(-1000, 1000)
    return float(some_int()) + rng.choice([0.0, 0.25, 0.5, -0.5])


def word(value):
    if isinstance(value, float):
        if math.isnan(value):
            return "7ff8000000000000"
        return "%x" % struct.unpack("<Q", struct.pack("<d", value))[0]
    return "%x" % (value & MASK)


def wide(value):
    return [value >> 64, value & MASK]


def case(name, args, result):
    return "%s %d %s\n" % (name, len(args), " ".join(word(v) for v in list(args) + list(result)))


def truncated(x):
    """int(x) modulo 2**64; inf and nan give the smallest int64."""
    return int(x) if math.isfinite(x) else -2**63


def relations(i, x):
    return sum(bit << n for n, bit in enumerate([i < x, i <= x, i == x, i != x, i > x, i >= x]))


def power(b, e):
    if e >= 0:
        return pow(b, e, 2**64)
    return int(b ** e) if b else 0


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def integer_cases():
    a, b, u, v = some_int(), some_int(), some_int() & MASK, some_int() & MASK
    count = rng.choice([0, 1, 31, 32, 62, 63, 64, 65, 1000, 2**62])
    yield case("add", [a, b], [a + b])
    yield case("sub", [a, b], [a - b])
    yield case("mul", [a, b], [a * b])
    yield case("neg", [a], [-a])
    yield case("abs", [a], [abs(a)])
    yield case("shl", [a, count], [a << count if count < 64 else 0])
    yield case("shr", [a, count], [a >> min(count, 1000)])
    if b:
        yield case("floordiv", [a, b], [a // b])
        yield case("mod", [a, b], [a % b])
        yield case("truediv", [a, b], [a / b])
    yield case("floordiv_by_7", [a], [a // 7])
    yield case("mod_by_minus_10", [a], [a % -10])
    s, t = [rng.choice([rng.randrange(-2**31, 2**31), rng.randrange(-9, 9)]) for _ in "ab"]
    if t and (s, t) != (-2**31, -1):
        yield case("floordiv32", [s, t], [s // t])
        yield case("mod32", [s, t], [s % t])
    if v:
        yield case("ufloordiv", [u, v], [u // v])
        yield case("umod", [u, v], [u % v])
        yield case("utruediv", [u, v], [u / v])
    e = rng.choice([0, 1, 2, 3, 5, 39, 63, 64, -1, -2, rng.randrange(200)])
    small = rng.choice([a, rng.randrange(-12, 13)])
    yield case("pow", [small, e], [power(small, e)])
    if e >= 0:
        try:
            expected = float(small ** e)
        except OverflowError:
            expected = -math.inf if small < 0 and e % 2 else math.inf
        yield case("pow_double", [small, e], [expected])
    step = rng.choice([1, -1, 2, -3, 7, some_int()])
    if step:
        yield case("range_count", [a, b, step], [count_of(a, b, step)])


def count_of(start, stop, step):
    if step > 0:
        return max(0, (stop - start + step - 1) // step)
    return max(0, (start - stop - step - 1) // -step)


def wide_cases():
    a, b = some_wide(), some_wide()
    if b:
        yield case("floordiv128", wide(a) + wide(b), wide(a // b))
        yield case("mod128", wide(a) + wide(b), wide(a % b))
        yield case("truediv128", wide(a) + wide(b), [a / b])
    yield case("mul128", wide(a) + wide(b), wide(a * b))
    yield case("sub128", wide(a) + wide(b), wide(a - b))
    n = rng.randrange(130)
    yield case("shr128", wide(a) + wide(n), wide(a >> n))
    c, e = rng.randrange(-9, 10), rng.randrange(50)
    yield case("pow128", wide(c) + wide(e), wide(c ** e))
    x = some_float()
    yield case("compare128", wide(a) + [x], [relations(a, x)])


def low_half(v):
    return ((v & 0xffffffff) ^ 0x80000000) - 0x80000000


def float_cases():
    x, y, i = some_float(), some_float(), some_int()
    yield case("compare", [i, x], [relations(i, x)])
    yield case("compare", [i, float(i)], [relations(i, float(i))])
    yield case("ucompare", [i & MASK, x], [relations(i & MASK, x)])
    yield case("to_int64", [x], [truncated(x)])
    yield case("to_uint64", [x], [truncated(x)])
    single = float32(rng.choice([x if abs(x) < 3e38 else 1e30, some_int() / 8]))
    yield case("to_int64_float", [single], [truncated(single)])
    for value in (single, rng.choice([-1, 1]) * 2.0**31 + rng.randrange(-8, 8) / 4):
        yield case("to_int32", [value], [low_half(truncated(value))])
        yield case("to_int32_float", [float32(value)], [low_half(truncated(float32(value)))])
    if y:
        yield case("float_mod", [x, y], [x % y])
        yield case("float_floordiv", [x, y], [x // y])
    s, t = rng.randrange(-4000, 4000) / 8, rng.randrange(1, 500) / 4
    yield case("float32_mod", [s, t], [float32(s % t)])
    n = rng.choice([0, 1, 2, 3, 15, 22, 23, 300, 400, -1, -2, -15, -300, -400])
    for value in (x, rng.randrange(-10**6, 10**6) / 10**rng.randrange(7) + 0.0):
        try:
            yield case("round_digits", [value, n], [round(value, n)])
        except OverflowError:
            pass
    yield "repr %s %s\n" % (word(x), repr(x))


def complex_cases():
    a = complex(rng.uniform(-9, 9), rng.choice([0.0, rng.uniform(-9, 9), 1.0]))
    b = complex(rng.choice([0.0, 1.0, rng.uniform(-9, 9)]), rng.uniform(-9, 9))

    def parts(z):
        return [z.real, z.imag]

    yield case("complex_mul", parts(a) + parts(b), parts(a * b))
    if b:
        yield case("complex_div", parts(a) + parts(b), parts(a / b))
    whole = complex(rng.randrange(-20, 21), 0)
    if a:
        yield case("complex_pow", parts(a) + parts(whole), parts(a ** whole))


# Special values of each part, and numbers around which a formula changes.
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-10, 5e-324, 1e-310, 2.0, 709.5, -709.5, 1e18, 1e160, 1.7e308,
         -1.7e308, math.inf, -math.inf, math.nan]
FUNCTIONS = ("acos acosh asin asinh atan atanh cos cosh exp log log10 sin sinh sqrt tan tanh").split()


def function_cases():
    """cmath's functions where CPython gives a value."""
    points = [complex(a, b) for a in PARTS for b in PARTS]
    for _ in range(1500):
        scale = 10.0 ** rng.randrange(-12, 4)
        points.append(complex(rng.uniform(-1, 1) * scale, rng.uniform(-1, 1) * 10.0 ** rng.randrange(-12, 4)))
        points.append(complex(rng.uniform(-8, 8), rng.uniform(-8, 8)))
        points.append(cmath.rect(rng.uniform(0.6, 1.8), rng.uniform(-3.2, 3.2)))
    for z in points:
        for name in FUNCTIONS:
            try:
                value = getattr(cmath, name)(z)
            except (ValueError, OverflowError):
                continue
            yield case("c" + name, [z.real, z.imag], [value.real, value.imag])


def all_cases():
    for _ in range(2500):
        for make in (integer_cases, wide_cases, float_cases, complex_cases):
            yield from make()
    yield from function_cases()


def main():
    include, source, work = sys.argv[1:4]
    cases = "".join(all_cases())
    failed = False
    for compiler in sys.argv[4:]:
        for standard, flags in (("17", FLAGS), ("20", FLAGS), ("17", SANITIZE)):
            program = os.path.join(work, "arithmetic_test")
            subprocess.run([compiler, "-std=c++" + standard, *flags, "-Wall", "-Wextra", "-Wshadow",
                            "-Werror", "-I", include, source, "-o", program], check=True)
            done = subprocess.run([program], input=cases, capture_output=True, text=True)
            print(compiler, standard, " ".join(flags[:2]), done.stdout, done.stderr[:2000])
            failed = failed or done.returncode != 0
    sys.exit(1 if failed else 0)


main()
