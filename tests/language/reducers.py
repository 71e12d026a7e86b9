#!/usr/bin/env python3
"""Every reducer with every dtype that it fits, over Range, MDRange and Team, against NumPy.

    reducers.py --command pykokkos-cache --work FOLDER [--kokkos FOLDER]

Makes a file of workunits, builds it as a Python module (with the Kokkos of that folder) and calls
each over ranges of several lengths; empty ones give Kokkos' identity.
"""
import argparse
import itertools
import os
import sys

import numpy

sys.dont_write_bytecode = True

import built  # noqa: E402

INTEGERS = [f"{s}int{b}" for s in ("", "u") for b in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
ORDERED = INTEGERS + FLOATS
LENGTHS = (0, 1, 3, 4, 257)  # fewer than threads, one lane of a kernel, several chunks

# What a body does with the element {x} at the place {at}.
BODIES = {
    "Sum": "acc += {x}",
    "Prod": "acc *= {x}",
    "Min": "acc = min(acc, {x})",
    "Max": "if {x} > acc:\n        acc = {x}",
    "BAnd": "acc &= {x}",
    "BOr": "acc |= {x}",
    "LAnd": "acc = acc and {x}",
    "LOr": "acc = acc or {x}",
    "MinLoc": "if {x} < acc.val:\n        acc.val = {x}\n        acc.loc = {at}",
    "MaxLoc": "if {x} > acc.val:\n        acc.val = {x}\n        acc.loc = {at}",
    "MinMax": "acc.min_val = min(acc.min_val, {x})\n    acc.max_val = max(acc.max_val, {x})",
    "MinMaxLoc": "if {x} < acc.min_val:\n        acc.min_val = {x}\n        acc.min_loc = {at}\n"
                 "    if {x} > acc.max_val:\n        acc.max_val = {x}\n        acc.max_loc = {at}",
}
FITS = {name: ORDERED + ["bool"] for name in BODIES}
FITS["Sum"] = FITS["Prod"] = ORDERED + ["bool"] + COMPLEX
FITS["BAnd"] = FITS["BOr"] = INTEGERS + ["bool"]
for _name in ("MinLoc", "MaxLoc", "MinMax", "MinMaxLoc"):
    FITS[_name] = ORDERED
SOME = {"int32", "uint8", "float64", "complex128"}  # over MDRange and Team: the widths are the same code

RANGE = '''@pk.workunit
def range_{name}(i: int, acc: pk.Acc[pk.{dtype}], x: pk.View1D[pk.{dtype}]):
    {body}
'''
MDRANGE = '''@pk.workunit
def mdrange_{name}(i: int, j: int, acc: pk.Acc[pk.{dtype}], x: pk.View2D[pk.{dtype}]):
    {body}
'''
TEAM = '''@pk.workunit
def team_{name}(team: pk.TeamMember, acc: pk.Acc[pk.{dtype}], x: pk.View1D[pk.{dtype}]):
    i: int = team.league_rank()
    {body}
'''


# What takes a NaN: NumPy's functions do, Python's max takes what it is given first.
OF_NAN = {
    "maximum": ("Max", "acc = np.maximum(acc, x[i])"),
    "minimum": ("Min", "acc = np.minimum(x[i], acc)"),
    "python_max": ("Max", "acc = max(x[i], acc)"),
    "python_min": ("Min", "acc = min(x[i], acc)"),
    "both": ("MinMax", "acc.min_val = np.minimum(acc.min_val, x[i])\n    "
             "acc.max_val = np.maximum(acc.max_val, x[i])"),
}
NAN = '''@pk.workunit
def {name}_{dtype}(i: int, acc: pk.Acc[pk.{dtype}], x: pk.View1D[pk.{dtype}]):
    {body}
'''


def source():
    parts = ["import numpy as np\nimport pykokkos as pk\n"]
    parts += [NAN.format(name=name, dtype=dtype, body=body)
              for name, (_, body) in OF_NAN.items() for dtype in FLOATS]
    indices = []
    for reducer, body in BODIES.items():
        for dtype in FITS[reducer]:
            name = f"{reducer}_{dtype}"
            values = {"name": name, "dtype": dtype}
            parts.append(RANGE.format(body=body.format(x="x[i]", at="i"), **values))
            if dtype in SOME:
                parts.append(MDRANGE.format(body=body.format(x="x[i, j]", at="4 * i + j"), **values))
                parts.append(TEAM.format(body=body.format(x="x[i]", at="i"), **values))
                indices.append(f"mdrange_{name}(i: index, j: index)")
    return "\n\n".join(parts), indices


def extreme(dtype, largest):
    if dtype == "bool":
        return largest
    if dtype.startswith("float"):  # Kokkos' identities are the finite ones
        return float(numpy.finfo(dtype).max if largest else numpy.finfo(dtype).min)
    return int(numpy.iinfo(dtype).max if largest else numpy.iinfo(dtype).min)


NOWHERE = 2**63 - 1


def expected(reducer, dtype, x):
    """By NumPy; of no elements, by Kokkos' identity."""
    if x.size == 0:
        least, most = (None, None) if dtype in COMPLEX else (extreme(dtype, False), extreme(dtype, True))
        return {"Sum": 0, "Prod": 1, "Min": most, "Max": least, "LAnd": 1, "LOr": 0, "BOr": 0,
                "BAnd": most if dtype[0] in "bu" else -1, "MinLoc": (most, NOWHERE), "MaxLoc": (least, NOWHERE),
                "MinMax": (most, least), "MinMaxLoc": (most, NOWHERE, least, NOWHERE)}[reducer]
    if dtype == "bool" and reducer in ("Sum", "Prod"):
        return bool(x.any() if reducer == "Sum" else x.all())
    if reducer in ("MinMax", "MinMaxLoc"):
        return (x.min(), x.max()) if reducer == "MinMax" else (x.min(), x.argmin(), x.max(), x.argmax())
    return {
        "Sum": lambda: x.sum(dtype=dtype), "Prod": lambda: x.prod(dtype=dtype), "Min": x.min, "Max": x.max,
        "BAnd": lambda: numpy.bitwise_and.reduce(x), "BOr": lambda: numpy.bitwise_or.reduce(x),
        "LAnd": lambda: int(x.all()), "LOr": lambda: int(x.any()),
        "MinLoc": lambda: (x.min(), x.argmin()), "MaxLoc": lambda: (x.max(), x.argmax()),
    }[reducer]()


def elements(rng, reducer, dtype, n):
    """Exact whatever the order of joins is: small whole numbers, their products within 2**24."""
    if dtype == "bool":
        return rng.random(n) < 0.5
    if reducer == "Prod":
        x = numpy.ones(n, dtype)
        for i in range(min(n, 9)):
            x[rng.integers(n)] = [2, 3, -1][i % 3] if not dtype.startswith("uint") else 3
        if dtype.startswith("complex") and n:
            x[0] *= 1j
        return x
    if dtype in INTEGERS and reducer not in ("Sum", "LAnd", "LOr"):
        info = numpy.iinfo(dtype)
        return rng.integers(info.min, info.max, n, dtype, endpoint=True)
    low = 0 if dtype.startswith("uint") else -9
    x = rng.integers(low, 9, n).astype(dtype)
    return x + (1j * rng.integers(-9, 9, n)).astype(dtype) if dtype.startswith("complex") else x


def same(got, want):
    if isinstance(want, tuple):
        return isinstance(got, tuple) and len(got) == len(want) and all(map(same, got, want))
    return got == want


def check_nan(module):
    """A NaN anywhere is the result of NumPy's functions; Python's may give a value, never the identity."""
    bad = calls = 0
    for name, (reducer, _) in OF_NAN.items():
        for dtype in FLOATS:
            for n, at in [(n, at) for n in LENGTHS[1:] for at in {0, n // 3, n // 2, n - 1}]:
                x = numpy.arange(n, dtype=dtype)
                x[at] = numpy.nan
                got = getattr(module, f"{name}_{dtype}")(n, x=x, reducer=reducer)
                calls += 1
                if name.startswith("python"):
                    fits = numpy.isnan(got) or got in x
                else:
                    fits = numpy.isnan(got).all()
                if not fits:
                    print(f"DIFF {name}_{dtype} of {n} elements, NaN at {at}: {got!r}")
                    bad += 1
    return calls, bad


def check(module):
    rng = numpy.random.default_rng(20261201)
    bad = calls = 0
    for reducer in BODIES:
        for dtype in FITS[reducer]:
            for n in LENGTHS:
                x = elements(rng, reducer, dtype, n)
                if reducer in ("LAnd", "LOr") and n == 257:
                    x[:] = reducer == "LAnd"
                    x[200] = x[200] if rng.random() < 0.5 else not x[200]
                name = f"{reducer}_{dtype}"
                runs = [(f"range_{name}", n, x)]
                if dtype in SOME:
                    runs.append((f"team_{name}", module.TeamPolicy(n, 1), x))
                    y = x[:n - n % 4].reshape(-1, 4)
                    runs.append((f"mdrange_{name}", y.shape, numpy.ascontiguousarray(y)))
                for function, policy, array in runs:
                    calls += 1
                    want = expected(reducer, dtype, array.reshape(-1))
                    try:
                        got = getattr(module, function)(policy, x=array, reducer=reducer)
                    except Exception as error:  # the report goes on with the others
                        got = f"{type(error).__name__}: {error}"
                    if not same(got, want):
                        print(f"DIFF {function} of {array.size} elements: {got!r}, expected {want!r}")
                        bad += 1
    for function, reducer in (("range_Sum_float64", "BAnd"), ("range_Sum_complex128", "Max"),
                              ("range_MinLoc_int32", "Sum"), ("range_Sum_int32", "Least")):
        calls += 1
        try:
            getattr(module, function)(0, x=numpy.zeros(0, function.split("_")[-1]), reducer=reducer)
            print(f"DIFF {function} takes the reducer {reducer}")
            bad += 1
        except ValueError as error:
            offered = str(error).split(" for its ")[0]
            if "reducer: expected" not in offered or reducer in offered:
                print(f"DIFF {function} with {reducer}: {error}")
                bad += 1
    of_nan = check_nan(module)
    calls, bad = calls + of_nan[0], bad + of_nan[1]
    print(f"{calls} calls, {bad} failures")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--kokkos", default="")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if options.kokkos:
        os.environ["Kokkos_DIR"] = options.kokkos
    os.environ.setdefault("PYKOKKOS_CACHE_DIR", os.path.join(options.work, "store"))
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    os.environ.setdefault("OMP_PROC_BIND", "false")
    text, indices = source()
    instantiate = itertools.chain.from_iterable(("--instantiate", entry) for entry in indices)
    module = built.build(options, "reductions", text, *instantiate)
    sys.exit(1 if check(module) else 0)


if __name__ == "__main__":
    main()
