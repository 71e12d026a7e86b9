"""The names that instrumented workunits use, and the modules that they import."""
import math
import types

from . import values, views
from .values import Discard, F32, Lit


class Budget:
    """Loops may take so many rounds in one call of a workunit, then it is discarded."""

    def __init__(self, rounds=200000):
        self.rounds = rounds

    def tick(self):
        self.rounds -= 1
        if self.rounds < 0:
            raise Discard("runs too long")


def _get(v, index, minus):
    if isinstance(v, views.View):
        return v.get(index, minus)
    got = v
    for k in index:
        got = got[k]
    return got


def _set(value, v, index, minus):
    if not isinstance(v, views.View):
        raise Discard("a store into something else than a view")
    v.set(value, index, minus)


def _aug(op, v, index, minus, thunk, literal):
    old = _get(v, index, minus)
    _set(values.binary(op, old, thunk(), literal), v, index, minus)


def _aug_attr(op, o, name, thunk, literal):
    _setattr(o, name, values.binary(op, getattr(o, name), thunk(), literal))


def _setattr(o, name, value):
    """Members have the types that the class says."""
    dtype = o._pk_types.get(name)
    setattr(o, name, values.plain(value) if dtype is None else values.convert(dtype, value))


def _compare(ops, *thunks):
    left = thunks[0]()
    for op, thunk in zip(ops, thunks[1:]):
        right = thunk()
        if not values.compare(op, left, right):
            return False
        left = right
    return True


def _array(dtype, value):
    """A local array of a list's values; views pass."""
    import numpy as np
    if isinstance(value, views.View):
        return value
    array = np.zeros(np.shape(value), dtype)
    for place in np.ndindex(array.shape):
        element = value
        for k in place:
            element = element[k]
        array[place] = views.as_numpy(dtype, element)
    return views.View(array)


def _range(*args):
    if any(values.is_float(a) for a in args):
        raise Discard("float in range")
    args = [int(a) for a in args]
    if len(args) == 3 and args[2] == 0:
        raise Discard("step 0")
    return range(*args)


def _round(v, digits=None):
    if isinstance(v, int):
        if digits is not None and digits < 0:
            raise Discard("round of an int")
        return v
    f = float(v)
    if digits is not None:
        return float(round(f, digits))
    if not math.isfinite(f):
        raise Discard("round of nan or inf")
    return values.check_int(round(f))


def _float(v=0.0):
    return values.convert("float64", v)


def _int(v=0):
    return values.to_int(v)


def _to_math(v):
    """An argument of a math function."""
    return values.convert("float64", v) if isinstance(v, (int, Lit)) else v


def _libm_function(name, c_name=None, count=1):
    def call(*args):
        if len(args) != count:
            raise Discard("arguments of " + name)
        single = any(isinstance(a, F32) for a in args) and \
            all(isinstance(a, (F32, Lit, int)) for a in args)
        if single:
            args = [F32(a) for a in args]
        return values.libm(c_name or name, single, *[_to_math(a) for a in args])
    return call


MATH_FUNCTIONS = {name: _libm_function(name) for name in (
    "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 fabs lgamma log10 log1p "
    "log2 sin sinh sqrt tan tanh").split()}
MATH_FUNCTIONS.update({name: _libm_function(name, None, 2) for name in
                       "atan2 copysign fmax fmin fmod hypot remainder pow".split()})
MATH_FUNCTIONS["gamma"] = _libm_function("gamma", "tgamma")
MATH_FUNCTIONS["tgamma"] = MATH_FUNCTIONS["gamma"]
MATH_FUNCTIONS["isnan"] = lambda v: math.isnan(v)
MATH_FUNCTIONS["isinf"] = lambda v: math.isinf(v)
MATH_FUNCTIONS["isfinite"] = lambda v: math.isfinite(v)


def _log(v, base=None):
    one = _libm_function("log")
    return one(v) if base is None else values.binary("/", one(v), one(base))


MATH_FUNCTIONS["log"] = _log
MATH_FUNCTIONS["degrees"] = lambda v: values.binary("*", _to_math(v), 180.0 / math.pi)
MATH_FUNCTIONS["radians"] = lambda v: values.binary("*", _to_math(v), math.pi / 180.0)


def _ldexp(v, n):
    try:
        return F32(math.ldexp(float(v), int(n))) if isinstance(v, F32) else math.ldexp(float(v), n)
    except OverflowError:
        raise Discard("ldexp") from None


MATH_FUNCTIONS["ldexp"] = _ldexp


def _rounding(name, to_int):
    def call(v):
        if isinstance(v, int):
            return v if to_int else float(v)
        if not to_int:
            return values.libm(name, isinstance(v, F32), v)
        if not math.isfinite(v):
            raise Discard("to an integer")
        return values.check_int(getattr(math, name)(float(v)))
    return call


def _module(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    return module


def math_module():
    return _module("math", pi=math.pi, e=math.e, tau=math.tau, inf=math.inf, nan=math.nan,
                   **MATH_FUNCTIONS,
                   **{n: _rounding(n, True) for n in ("floor", "ceil", "trunc")})


def numpy_module():
    from . import numpy_functions
    module = math_module()
    module.__dict__.update(numpy_functions.members())
    return module


def _cast(dtype):
    return lambda v=0: values.convert(dtype, v)


def _place(index):
    return tuple(index) if isinstance(index, (list, tuple)) else (index,)


def _atomic(op, fetch):
    def call(view, index, value=1):
        index = _place(index)
        minus = (True,) * len(index)
        old = view.get(index, minus)
        if op in ("min", "max"):
            new = values.extremum(op, [old, values.convert(view.dtype, value)])
        elif op == "exchange":
            new = value
        else:
            new = values.binary(op, old, values.convert(view.dtype, value))
        view.set(new, index, minus)
        return old if fetch else None
    return call


_ATOMICS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "min": "min", "max": "max",
            "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
            "exchange": "exchange", "increment": "+", "decrement": "-"}


class Team:
    """A member of a team of one."""

    def __init__(self, rank, league):
        self._rank, self._league = rank, league

    def league_rank(self):
        return self._rank

    def league_size(self):
        return self._league

    def team_rank(self):
        return 0

    def team_size(self):
        return 1

    def team_barrier(self):
        return None


def _nested_range(team, *bounds):
    bounds = bounds[0] if len(bounds) == 1 and isinstance(bounds[0], tuple) else bounds
    return range(*[int(b) for b in bounds])


def _nested_for(*args):
    args = [a for a in args if not isinstance(a, str)]
    for k in args[0]:
        args[1](k)


def _nested_reduce(*args):
    args = [a for a in args if not isinstance(a, str)]
    acc = views.Acc("any", args[2] if len(args) > 2 else 0)
    for k in args[0]:
        args[1](k, acc)
    return acc.v


def pykokkos_module():
    """What `import pykokkos` gives instrumented code."""
    from . import annotations
    members = {name: _cast(dtype) for name, dtype in annotations.PK_SCALARS.items()}
    members.update(MATH_FUNCTIONS)
    members.update({n: _rounding(n, False) for n in ("floor", "ceil", "trunc")})
    for name, op in _ATOMICS.items():
        members["atomic_" + name] = _atomic(op, name == "exchange")
        members["atomic_fetch_" + name] = _atomic(op, True)
    members.update(
        printf=lambda *a: None, parallel_for=_nested_for, parallel_reduce=_nested_reduce,
        TeamThreadRange=_nested_range, ThreadVectorRange=_nested_range,
        TeamVectorRange=_nested_range, PerTeam=lambda t: t, PerThread=lambda t: t,
        single=lambda where, body: body())
    return _module("pykokkos", **members)


def namespace(budget):
    """The globals of an instrumented module."""
    names = dict(
        _pk_lit=Lit, _pk_bin=values.binary, _pk_un=values.unary, _pk_cmp=_compare, _pk_get=_get,
        _pk_set=_set, _pk_aug=_aug, _pk_aug_attr=_aug_attr, _pk_setattr=_setattr,
        _pk_conv=values.convert, _pk_val=values.plain, _pk_array=_array, _pk_slice=views.Slice,
        _pk_update=lambda acc, op, value: acc.update(op, value), _pk_tick=budget.tick,
        abs=values.magnitude, min=lambda *a: values.extremum("min", a),
        max=lambda *a: values.extremum("max", a), round=_round, int=_int, float=_float,
        bool=lambda v=False: bool(v), range=_range, print=lambda *a, **k: None,
        pow=lambda a, b: values.binary("**", a, b), len=len)
    names.update({k: f for k, f in MATH_FUNCTIONS.items() if k != "pow"})
    names.update({n: _rounding(n, False) for n in ("floor", "ceil", "trunc")})
    return names
