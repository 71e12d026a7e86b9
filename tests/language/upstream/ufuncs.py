#!/usr/bin/env python3
"""PyKokkos' ufunc workunits, compiled, against NumPy: every one in pykokkos/lib.

    ufuncs.py --command build/bin/pykokkos-cache --checkout ../pykokkos

A workunit that nothing here says NumPy's result of is a failure. Exit status 77: no checkout.
"""
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

FILES = ("ufunc_workunits", "ufuncs", "util")
ROWS, COLUMNS = 6, 5
# Types of the workunits without annotations.
VIEWS = "viewA: View2D[double], viewB: View2D[double]"
INSTANTIATE = [
    "add_impl_2d_1d(viewA: View2D[double], viewB: View1D[double], out: View2D[double])",
    "add_impl_2d_2d(%s, out: View2D[double])" % VIEWS,
    "multiply_impl_2d_with_1d(viewA: View2D[double], viewB: View1D[double], out: View2D[double])",
    "multiply_impl_2d_with_2d(%s, out: View2D[double])" % VIEWS,
    "stretch_fill_impl_scalar_into_1d(scalar: double, viewOut: View1D[double])",
    "stretch_fill_impl_scalar_into_2d(cols: int, scalar: double, viewOut: View2D[double])",
    "stretch_fill_impl_1d_into_2d(cols: int, viewIn: View1D[double], viewOut: View2D[double])",
    "stretch_fill_impl_2d(inner_its: int, col_wise: bool, viewIn: View2D[double], viewOut: View2D[double])",
    "subtract_impl_2d(cols: int, %s, viewOut: View2D[double])" % VIEWS,
    "subtract_impl_scalar_1d(viewA: View1D[double], scalar: double, viewOut: View1D[double])",
    "subtract_impl_scalar_2d(cols: int, viewA: View2D[double], scalar: double, viewOut: View2D[double])",
    "copyto_impl_2d(%s)" % VIEWS, "copyto_impl_1d(viewA: View1D[double], viewB: View1D[double])",
    "np_matmul_impl_2d_2d(cols: int, vec_length: int, %s, viewOut: View2D[double])" % VIEWS,
    "np_matmul_impl_1d_2d(vec_length: int, view1D: View1D[double], viewB: View2D[double], viewOut: View1D[double])",
    "np_matmul_impl_2d_1d(vec_length: int, viewA: View2D[double], view1D: View1D[double], viewOut: View1D[double])",
    "var_impl_1d(view: View1D[double], mean: double)", "mean_impl_1d(view: View1D[double])",
]
# Elementwise ones: NumPy's function, and how many units in the last place its result may be away.
ELEMENTWISE = {
    "ceil": (np.ceil, 0), "floor": (np.floor, 0), "trunc": (np.trunc, 0), "round": (np.round, 0),
    "equal": (np.equal, 0), "greater": (np.greater, 0), "isfinite": (np.isfinite, 0),
    "isinf": (np.isinf, 0), "isnan": (np.isnan, 0), "add": (np.add, 0), "divide": (np.divide, 0),
    "multiply": (np.multiply, 0), "subtract": (np.subtract, 0), "fmod": (np.fmod, 0),
    "floor_divide": (np.floor_divide, 0), "negative": (np.negative, 0), "square": (np.square, 0),
    "sqrt": (np.sqrt, 0), "sign": (np.sign, 0), "fmax": (np.fmax, 0), "fmin": (np.fmin, 0),
    "reciprocal": (np.reciprocal, 0), "logical_and": (np.logical_and, 0),
    "logical_or": (np.logical_or, 0), "logical_xor": (np.logical_xor, 0),
    "logical_not": (np.logical_not, 0),
    # The C library's and NumPy's own loops round differently.
    "exp": (np.exp, 4), "exp2": (np.exp2, 4), "sin": (np.sin, 4), "cos": (np.cos, 4),
    "tan": (np.tan, 4), "tanh": (np.tanh, 4), "log": (np.log, 4), "log2": (np.log2, 4),
    "log10": (np.log10, 4), "log1p": (np.log1p, 4), "power": (np.power, 4),
    "logaddexp": (np.logaddexp, 64), "logaddexp2": (np.logaddexp2, 64),
}
POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "power", "logaddexp", "logaddexp2", "exp2")
# `a and b` of numbers that are not bools is one of them in Python, where NumPy has a bool.
TRUTHS = ("logical_and", "logical_or", "logical_xor")


class Call:
    """Inputs of one workunit: how many items, arguments by name, and what must come out."""

    def __init__(self, count, arguments, wanted=None, result=None, units=0):
        self.count, self.arguments, self.units = count, arguments, units
        self.wanted, self.result = wanted or {}, result


def random_values(rng, dtype, shape, op):
    dtype = np.dtype(dtype)
    if op in TRUTHS:
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -9
        return rng.integers(low, 10, shape).astype(dtype)
    a = rng.normal(size=shape).astype(dtype) * 3
    if op in POSITIVE:
        a = np.abs(a) + dtype.type(0.25)
    elif op in ("isnan", "isinf", "isfinite", "equal", "sign"):
        a.flat[:3] = np.nan, np.inf, -np.inf
    if op in ("round", "ceil", "floor", "trunc"):
        a.flat[:4] = 2.5, -2.5, 0.5, -0.5
    return a


def elementwise(rng, op, parameters):
    """The call of `f(view…, out)`, or in place where there is no out."""
    function, units = ELEMENTWISE[op]
    shapes = [(ROWS, COLUMNS, 3, 2, 2)[:rank] for _, _, rank in parameters]
    arguments = {n: random_values(rng, t, s, op) for (n, t, _), s in zip(parameters, shapes)}
    if op == "equal":
        arguments["view2"].flat[::2] = arguments["view1"].flat[::2]
    inputs = [a.copy() for n, a in arguments.items() if n != "out"]
    if len(inputs) > 1 and inputs[1].ndim < inputs[0].ndim:
        # The second operand repeats along the first's last dimension.
        short = inputs[1] = inputs[1][:COLUMNS]
        arguments[parameters[1][0]] = short.copy()
    target = "out" if "out" in arguments else parameters[0][0]
    with np.errstate(all="ignore"):
        want = function(*inputs).astype(arguments[target].dtype)
    return Call(ROWS, arguments, {target: want}, units=units)


def special(rng, name):
    """Calls of the workunits that are not elementwise, by name."""
    dtype = np.float32 if name.endswith("_float") else np.float64
    name = name.replace("_float", "_double")
    normal = lambda *shape: rng.normal(size=shape).astype(dtype)
    array = lambda *values: np.array(values, dtype)
    a, b, square = normal(ROWS, COLUMNS), normal(ROWS, COLUMNS), normal(COLUMNS, COLUMNS)
    u, v, row, n = normal(ROWS), normal(ROWS), normal(COLUMNS), ROWS * COLUMNS
    new = lambda *shape: np.zeros(shape, dtype)
    flat, zeros = new(ROWS), new(ROWS, COLUMNS)
    picks = np.array([2, 0, 5, 5, 1, 3], np.int32)
    table = {
        "dot_impl_1d_double": lambda: Call(ROWS, dict(viewA=u, viewB=v), result=u @ v),
        # viewB is one column: PyKokkos calls it for vectors.
        "matmul_impl_1d_double": lambda: Call(ROWS, dict(viewA=u, viewB=v[:, None].copy()), result=u @ v),
        "in1d_impl_1d_double": lambda: Call(ROWS, dict(viewA=u, viewB=array(u[1], 9, u[4]), out=np.ones(
            ROWS, np.int8)), dict(out=np.isin(u, u[[1, 4]]).astype(np.int8))),
        "hstack_impl_1d_double": lambda: Call(2 * ROWS, dict(viewA=u, viewB=v, out=new(2 * ROWS)),
                                              dict(out=np.hstack([u, v]))),
        "hstack_impl_2d_double": lambda: Call(ROWS, dict(viewA=a, viewB=b, out=new(
            ROWS, 2 * COLUMNS)), dict(out=np.hstack([a, b]))),
        "index_impl_1d_double": lambda: Call(ROWS, dict(viewA=u, viewB=picks, out=flat),
                                             dict(out=u[picks])),
        "transpose_impl_2d_double": lambda: Call(ROWS, dict(view=a, out=new(COLUMNS, ROWS)),
                                                 dict(out=a.T.copy())),
        "var_impl_2d_axis0_double": lambda: Call(COLUMNS, dict(view=a, view_mean=a.mean(0), out=row),
                                                 dict(out=a.var(0)), units=16),
        "var_imple_2d_axis1_double": lambda: Call(ROWS, dict(view=a, view_mean=a.mean(1), out=u),
                                                  dict(out=a.var(1)), units=16),
        "mean_impl_1d_axis0_double": lambda: Call(COLUMNS, dict(view=a, out=row), dict(out=a.mean(0)),
                                                  units=64),
        "mean_impl_1d_axis1_double": lambda: Call(ROWS, dict(view=a, out=u), dict(out=a.mean(1)), units=64),
        "var_impl_1d": lambda: Call(ROWS, dict(view=u, mean=u.mean()), result=u.var()),
        "mean_impl_1d": lambda: Call(ROWS, dict(view=u), result=u.mean()),
        "power_impl_scalar_double": lambda: Call(ROWS, dict(viewA=np.abs(v), viewB=u, out=flat),
                                                 dict(out=np.power(abs(v[0]), u)), units=4),
        "sum_impl_1d_double": lambda: Call(ROWS, dict(viewA=u), result=u.sum()),
        "sum_axis0_impl_1d_double": lambda: Call(COLUMNS, dict(viewA=a, out=row), dict(out=a.sum(0)), units=64),
        "sum_axis1_impl_1d_double": lambda: Call(ROWS, dict(viewA=a, out=u), dict(out=a.sum(1)), units=64),
        "col_impl_2d_double": lambda: Call(ROWS, dict(view=a, col=np.array([3], np.int32), out=u),
                                           dict(out=a[:, 3].copy())),
        "linspace_impl_1d_double": lambda: Call(ROWS, dict(view=array(-2.0, 5.0, ROWS), out=u),
                                                dict(out=np.linspace(-2, 5, ROWS, dtype=dtype)), units=16),
        "add_impl_2d_1d": lambda: Call(ROWS, dict(viewA=a, viewB=row, out=zeros), dict(out=a + row)),
        "add_impl_2d_2d": lambda: Call(n, dict(viewA=a, viewB=b, out=zeros), dict(out=a + b)),
        "multiply_impl_2d_with_1d": lambda: Call(n, dict(viewA=a, viewB=u, out=zeros),
                                                 dict(out=a * u[:, None])),
        "multiply_impl_2d_with_2d": lambda: Call(n, dict(viewA=a, viewB=b, out=zeros), dict(out=a * b)),
        "stretch_fill_impl_scalar_into_1d": lambda: Call(ROWS, dict(scalar=2.5, viewOut=u), dict(
            viewOut=np.full(ROWS, 2.5))),
        "stretch_fill_impl_scalar_into_2d": lambda: Call(ROWS, dict(cols=COLUMNS, scalar=2.5, viewOut=a), dict(
            viewOut=np.full((ROWS, COLUMNS), 2.5))),
        "stretch_fill_impl_1d_into_2d": lambda: Call(ROWS, dict(cols=COLUMNS, viewIn=row, viewOut=a), dict(
            viewOut=np.broadcast_to(row, a.shape).copy())),
        "stretch_fill_impl_2d": lambda: Call(COLUMNS, dict(
            inner_its=ROWS, col_wise=True, viewIn=u[:, None].copy(), viewOut=a), dict(
                viewOut=np.broadcast_to(u[:, None], a.shape).copy())),
        "subtract_impl_2d": lambda: Call(ROWS, dict(cols=COLUMNS, viewA=a, viewB=b, viewOut=zeros),
                                         dict(viewOut=a - b)),
        "subtract_impl_scalar_1d": lambda: Call(ROWS, dict(viewA=u, scalar=0.5, viewOut=flat),
                                                dict(viewOut=u - 0.5)),
        "subtract_impl_scalar_2d": lambda: Call(ROWS, dict(cols=COLUMNS, viewA=a, scalar=0.5, viewOut=zeros),
                                                dict(viewOut=a - 0.5)),
        "copyto_impl_2d": lambda: Call(n, dict(viewA=a, viewB=b), dict(viewA=b.copy())),
        "copyto_impl_1d": lambda: Call(ROWS, dict(viewA=u, viewB=v), dict(viewA=v.copy())),
        "np_matmul_impl_2d_2d": lambda: Call(n, dict(cols=COLUMNS, vec_length=COLUMNS, viewA=a, viewB=square,
                                                     viewOut=zeros), dict(viewOut=a @ square), units=64),
        "np_matmul_impl_1d_2d": lambda: Call(COLUMNS, dict(vec_length=ROWS, view1D=u, viewB=a, viewOut=new(
            COLUMNS)), dict(viewOut=u @ a), units=64),
        "np_matmul_impl_2d_1d": lambda: Call(ROWS, dict(vec_length=COLUMNS, viewA=a, view1D=row, viewOut=flat),
                                             dict(viewOut=a @ row), units=64),
    }
    return table[name]() if name in table else None


def typed(parameters):
    """(name, dtype, rank) of views."""
    names = {"double": "float64", "float": "float32"}
    found = []
    for p in parameters:
        match = re.match(r"View(\d)D\[(\w+)\]", p["type"])
        if not match:
            return None
        found.append((p["name"], names.get(match.group(2), match.group(2)), int(match.group(1))))
    return found


def call_of(rng, record):
    """The call of a workunit, or None where nothing is said of it."""
    name = record["workunit"]
    known = special(rng, name)
    if known is not None:
        return known
    op, parameters = name.split("_impl_")[0], typed(record["parameters"])
    return elementwise(rng, op, parameters) if op in ELEMENTWISE and parameters else None


def close(got, want, units):
    """Equal, NaN where NaN is wanted, or `units` in the last place of the larger numbers away."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or want.dtype.kind != "f":
        return np.array_equal(got, want)
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= units * np.spacing(np.maximum(np.abs(want), 1e-3).astype(want.dtype))
    return bool(np.all((got == want) | (np.isnan(got) & np.isnan(want)) | near))


def check(module, record, rng):
    """What is wrong with a workunit; None: nothing."""
    call = call_of(rng, record)
    if call is None:
        return "nothing here says what NumPy has"
    result = getattr(module, record["workunit"])(call.count, **call.arguments)
    if call.result is not None and not close(call.result.dtype.type(result), call.result, 64):
        return "result %r, NumPy %r" % (result, call.result)
    for name, want in call.wanted.items():
        if not close(call.arguments[name], want, call.units):
            return "%s: %s, NumPy %s" % (name, call.arguments[name].tolist(), want.tolist())
    return None


def build(command, path, folder):
    """(module, records) of a file."""
    with open(path, encoding="utf-8") as f:
        defined = set(re.findall(r"^def (\w+)", f.read(), re.M))
    options = [w for e in INSTANTIATE if e.split("(")[0] in defined for w in ("--instantiate", e)]
    listed = subprocess.run([command, "list", "--json", *options, path], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, check=False)
    done = subprocess.run([command, "build", "--python", "-o", folder, *options, path],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s does not build: %s" % (path, done.stdout[-4000:]))
    library = done.stdout.strip().splitlines()[-1]
    spec = importlib.util.spec_from_file_location(os.path.basename(library).split(".")[0], library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, json.loads(listed.stdout)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--command", required=True, help="the pykokkos-cache program")
    p.add_argument("--checkout", default=os.environ.get("PYKOKKOS_SOURCE_DIR", ""))
    a = p.parse_args()
    library = os.path.join(a.checkout, "pykokkos", "lib")
    if not a.checkout or not os.path.isdir(library):
        print("SKIPPED: no checkout of PyKokkos (PYKOKKOS_SOURCE_DIR)")
        return 77
    total = bad = 0
    with tempfile.TemporaryDirectory(prefix="pk-ufuncs-") as folder:
        os.environ.setdefault("PYKOKKOS_CACHE_DIR", os.path.join(folder, "store"))
        for name in FILES:
            module, records = build(os.path.abspath(a.command), os.path.join(library, name + ".py"),
                                    os.path.join(folder, name))
            for record in records:
                total += 1
                wrong = check(module, record, np.random.default_rng(11))
                if wrong:
                    bad += 1
                    print("%s.py:%d: %s: %s" % (name, record["line"], record["workunit"], wrong))
    print("%d ufunc workunits, %d not as NumPy" % (total, bad))
    return 1 if bad or not total else 0


sys.exit(main())
