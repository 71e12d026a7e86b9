"""Stands in for PyKokkos, so that the cases here run under plain CPython.

Views are nested lists of Python numbers; the element type is applied where an element is stored,
as NumPy does. Arithmetic in between is Python's own.
"""
import cmath
import functools
import itertools
import math
import struct
import sys
import types

INTEGERS = {f"{s}int{b}": (b, s == "") for s in ("", "u") for b in (8, 16, 32, 64)}


def convert(dtype, value):
    if dtype in INTEGERS:
        bits, signed = INTEGERS[dtype]
        value = int(value) % (1 << bits)
        return value - (1 << bits) if signed and value >> (bits - 1) else value
    if dtype == "bool":
        return bool(value)
    if dtype == "float32":
        try:
            return struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    if dtype == "complex64":
        return complex(convert("float32", value.real), convert("float32", value.imag))
    return complex(value) if dtype.startswith("complex") else float(value)


class View:
    """A view, or a part of one: all dimensions in `shape`, elements in `data`."""

    def __init__(self, data, dtype, shape, strides, start):
        self.data, self.dtype, self.shape, self.strides, self.start = data, dtype, shape, strides, start

    @classmethod
    def of(cls, values, dtype):
        shape = []
        inner = values
        while isinstance(inner, list):
            shape.append(len(inner))
            inner = inner[0] if inner else None
        flat = values
        for _ in shape[1:]:
            flat = [x for row in flat for x in row]
        strides = [math.prod(shape[k + 1:]) for k in range(len(shape))]
        return cls([convert(dtype, x) for x in flat], dtype, shape, strides, 0)

    def _at(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        start, shape, strides = self.start, [], []
        for k, (extent, stride) in zip(keys, zip(self.shape, self.strides)):
            if isinstance(k, slice):
                begin, end, _ = k.indices(extent)
                start += begin * stride
                shape.append(max(0, end - begin))
                strides.append(stride)
            else:
                k = k.__index__()
                if not -extent <= k < extent:
                    raise IndexError(f"{k} of {extent}")
                start += (k + extent if k < 0 else k) * stride
        rest = len(keys)
        return start, shape + self.shape[rest:], strides + self.strides[rest:]

    def __getitem__(self, key):
        start, shape, strides = self._at(key)
        return View(self.data, self.dtype, shape, strides, start) if shape else self.data[start]

    def __setitem__(self, key, value):
        start, shape, _ = self._at(key)
        assert not shape, "a store into a part of a view"
        self.data[start] = convert(self.dtype, value)

    def __len__(self):
        return self.shape[0]

    def get_state(self):
        return Generator(self)

    def free_state(self, generator):
        pass

    def extent(self, d):
        return self.shape[d]

    @property
    def size(self):
        return math.prod(self.shape)

    def tolist(self):
        return [x.tolist() if isinstance(x, View) else x for x in (self[i] for i in range(len(self)))]


class Generator:
    """Kokkos' XorShift64, on the first state of a pool."""

    def __init__(self, pool):
        self.pool = pool

    def _next(self):
        state = self.pool[0]
        state ^= state >> 12
        state = (state ^ state << 25) % (1 << 64)
        state ^= state >> 27
        self.pool[0] = state
        return state * 2685821657736338717 % (1 << 64)

    def _below(self, draw, largest, bounds):
        start, end = (0, *bounds) if len(bounds) == 1 else bounds
        drawn = draw()
        while drawn >= largest // (end - start) * (end - start):
            drawn = draw()
        return drawn % (end - start) + start

    def _whole(self, draw, largest, bounds):
        return self._below(draw, largest, bounds) if bounds else draw()

    def urand(self, *bounds):
        return self._whole(lambda: self._next() >> 16 & 0xffffffff, 2**32 - 1, bounds)

    def urand64(self, *bounds):
        return self._whole(lambda: (self._next() - 1) % (1 << 64), 2**64 - 1, bounds)

    def rand(self, *bounds):
        return self._whole(lambda: self.urand() // 2, 2**31 - 1, bounds)

    def rand64(self, *bounds):
        return self._whole(lambda: self.urand64() // 2, 2**63 - 1, bounds)

    def drand(self, *bounds):
        start, end = (0.0, 1.0) if not bounds else (0.0, *bounds) if len(bounds) == 1 else bounds
        return (end - start) * float(self.urand64()) / 2.0**64 + start

    def frand(self, *bounds):
        single = functools.partial(convert, "float32")
        start, end = (0.0, 1.0) if not bounds else (0.0, *bounds) if len(bounds) == 1 else bounds
        return single(single(single(single(end - start) * single(self.urand64())) / 2.0**64) + start)

    def normal(self, mean=0.0, deviation=1.0):
        u, v = self.drand(), self.drand()
        return mean + math.sqrt(-2.0 * math.log(u)) * math.cos(v * math.tau) * deviation


POOLS = []


def rand(dtype, *bounds):
    """pk.rand, from the workunit's pool."""
    methods = {"float64": "drand", "double": "drand", "float": "frand", "float32": "frand", "int": "rand",
               "int32": "rand", "int64": "rand64", "uint32": "urand", "uint64": "urand64"}
    return getattr(Generator(POOLS[-1]), methods[dtype.__name__])(*bounds)


class Acc:
    """An accumulator: augmented assignment changes it for the caller too."""

    def __init__(self, value):
        self.value = value

    def __class_getitem__(cls, _):
        return cls


def _augmented(name, operation):
    def method(self, other):
        self.value = operation(self.value, other)
        return self

    method.__name__ = name
    return method


for _name, _operation in {
        "__iadd__": lambda a, b: a + b, "__isub__": lambda a, b: a - b, "__imul__": lambda a, b: a * b,
        "__iand__": lambda a, b: a & b, "__ior__": lambda a, b: a | b, "__ixor__": lambda a, b: a ^ b}.items():
    setattr(Acc, _name, _augmented(_name, _operation))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Acc, f"__{_name}__",
            (lambda n: lambda self, other: getattr(__import__("operator"), n)(self.value, other))(_name))
for _name in ("int", "float", "bool", "index"):
    setattr(Acc, f"__{_name}__",
            (lambda n: lambda self: __import__("operator").index(self.value) if n == "index"
             else {"int": int, "float": float, "bool": bool}[n](self.value))(_name))


class _Type:
    def __class_getitem__(cls, _):
        return cls


def _decorator(*args, **keywords):
    if len(args) == 1 and not keywords and callable(args[0]):
        return args[0]
    return lambda definition: definition


def _atomic(operation, fetch):
    def call(view, index, *value):
        key = tuple(index)
        old = view[key]
        new = operation(old, *value)
        view[key] = new
        return {"": None, "old": old, "new": view[key]}[fetch]

    return call


def _compare_exchange(view, index, expected, desired):
    old = view[tuple(index)]
    if old == expected:
        view[tuple(index)] = desired
    return old


class TeamMember(_Type):
    def __init__(self, rank, size):
        self._rank, self._size = rank, size

    def league_rank(self):
        return self._rank

    def league_size(self):
        return self._size

    def team_rank(self):
        return 0

    def team_size(self):
        return 1

    def team_barrier(self):
        pass

    def team_scratch(self, level):
        return None

    thread_scratch = team_scratch


def parallel_for(policy, function):
    for i in policy:
        function(*i) if isinstance(i, tuple) else function(i)


def parallel_reduce(policy, function, initial_value=0):
    acc = Acc(initial_value)
    for i in policy:
        function(i, acc)
    return acc.value


def parallel_scan(policy, function, initial_value=0):
    acc = Acc(initial_value)
    for i in policy:
        function(i, acc, True)
    return acc.value


class _Scratch:
    """pk.ScratchView2D[T]: what makes such views."""

    def __init__(self, rank):
        self.rank = rank

    def __getitem__(self, element):
        name = getattr(element, "__name__", element)
        dtype = {"int": "int32", "float": "float64", "double": "float64"}.get(name, name)

        def view(memory, *extents):
            strides = [math.prod(extents[k + 1:]) for k in range(self.rank)]
            return View([convert(dtype, 0)] * math.prod(extents), dtype, list(extents), strides, 0)
        return view


def run(function, spec, values):
    """What the compiled workunit does with `values`, done by CPython; the reduced value."""
    kind = spec.get("kind", "for")
    n = spec["n"]
    POOLS[:] = [v for k, v in {**spec.get("field_values", {}), **values}.items() if k == "pool"]
    if kind == "team":
        return [function(TeamMember(i, n), **values) for i in range(n)] and None
    if "extents" in spec:
        indices = [()]
        for extent in spec["extents"]:
            indices = [i + (k,) for i in indices for k in range(extent)]
    else:
        indices = [(i,) for i in range(n)]
    acc = Acc(spec.get("identity", 0))
    for index in indices:
        extra = {"for": (), "reduce": (acc,), "scan": (acc, True)}[kind]
        function(*index, *extra, **values)
    return acc.value


def expected(inputs, functions):
    """For a case file's expected(): its own workunits, run by CPython."""
    answers = {}
    for name, spec in inputs.items():
        given = {**spec.get("fields", {}), **spec["args"]}
        values = {k: v if d == "scalar" else View.of(v, d) for k, (d, v) in given.items()}
        for k, d in spec["out"].items():
            values.setdefault(k, View.of([0] * spec["n"], d))
        function = functions[name.split(".")[0]]
        arguments = {k: v for k, v in values.items() if k not in spec.get("fields", {})}
        if "." in name:
            self = object.__new__(function)
            for k in spec["fields"]:
                setattr(self, k, values[k])
            spec = {**spec, "field_values": values}
            function = getattr(self, name.split(".")[1])
        result = run(function, spec, arguments)
        answers[name] = {k: values[k].tolist() for k in spec["out"]}
        if spec.get("kind") in ("reduce", "scan"):
            answers[name]["result"] = result
    return answers


def _cast(name):
    return lambda cls, value=0: convert(name, value)


def _c_function(name):
    import ctypes

    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return function


def _whole(function):
    """C's floor and its kin: a float."""
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


def _either(name):
    """math's function; cmath's for a complex number."""
    def call(*x):
        return getattr(cmath if isinstance(x[0], complex) else math, name)(*x)

    return call


# What pk.NAME and a bare NAME mean in a workunit.
FUNCTIONS = {name: _either(name) for name in dir(math) if callable(getattr(math, name))}
FUNCTIONS.update({
    "floor": _whole(math.floor), "ceil": _whole(math.ceil), "trunc": _whole(math.trunc), "rint": _whole(round),
    "abs": abs, "min": min, "max": max, "round": round, "tgamma": math.gamma, "rsqrt": lambda x: 1 / math.sqrt(x),
    "fmax": max, "fmin": min, "cyl_bessel_j0": _c_function("j0"), "cyl_bessel_j1": _c_function("j1"),
    "sign": lambda x: (x > 0) - (x < 0), "square": lambda x: x * x, "reciprocal": lambda x: 1 / x,
    "positive": lambda x: +x, "negative": lambda x: -x, "conj": lambda z: z.conjugate(),
    "isless": lambda x, y: x < y, "isgreater": lambda x, y: x > y, "nan": lambda text: math.nan,
    "lower_bound": lambda v, n, x: __import__("bisect").bisect_left([v[i] for i in range(n)], x),
    "upper_bound": lambda v, n, x: __import__("bisect").bisect_right([v[i] for i in range(n)], x),
})


def bare_functions(names):
    """Puts them where a case file's workunits find them under CPython, too."""
    for name, function in FUNCTIONS.items():
        names.setdefault(name, function)


def inclusive_scan(team, view):
    for i in range(1, len(view)):
        view[i] = view[i - 1] + view[i]


def _install():
    pk = types.ModuleType("pykokkos")
    for name in list(INTEGERS) + ["int", "float", "double", "float32", "float64", "bool", "real",
                                  "complex64", "complex128"]:
        setattr(pk, name, type(name, (_Type,), {"__new__": _cast(name)}))
    for rank in range(1, 9):
        setattr(pk, f"View{rank}D", type(f"View{rank}D", (_Type,), {}))
    operations = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b, "mod": math.fmod, "min": min, "max": max,
        "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
        "lshift": lambda a, b: a << b, "rshift": lambda a, b: a >> b}
    for name, operation in operations.items():
        setattr(pk, f"atomic_{name}", _atomic(operation, ""))
        setattr(pk, f"atomic_fetch_{name}", _atomic(operation, "old"))
        setattr(pk, f"atomic_{name}_fetch", _atomic(operation, "new"))
    pk.atomic_increment = _atomic(lambda a: a + 1, "")
    pk.atomic_decrement = _atomic(lambda a: a - 1, "")
    pk.atomic_exchange = _atomic(lambda a, b: b, "old")
    pk.atomic_compare_exchange = _compare_exchange
    pk.Acc, pk.TeamMember = Acc, TeamMember
    pk.inclusive_scan = inclusive_scan
    pk.rand, pk.Random_XorShift64_Pool = rand, type("Random_XorShift64_Pool", (_Type,), {})
    pk.parallel_for, pk.parallel_reduce = parallel_for, parallel_reduce
    pk.parallel_scan = parallel_scan
    pk.TeamThreadMDRange = lambda team, *extents: list(itertools.product(*map(range, extents)))
    for rank in range(1, 9):
        setattr(pk, f"ScratchView{rank}D", _Scratch(rank))
    pk.TeamThreadRange = pk.ThreadVectorRange = pk.TeamVectorRange = lambda team, *bounds: range(*bounds)
    pk.PerTeam = pk.PerThread = lambda team: team
    pk.single = lambda per, function: function()
    pk.ViewTypeInfo = lambda **keywords: keywords
    pk.LayoutLeft, pk.LayoutRight, pk.LayoutStride = "left", "right", "stride"
    for name in ("Atomic", "RandomAccess", "Restrict", "Unmanaged"):
        setattr(pk, name, name)
    pk.Trait = pk.Layout = pk.MemorySpace = pk
    pk.HostSpace = "HostSpace"
    pk.printf = lambda *args: None
    for name in ("workunit", "function", "functor", "workload", "classtype", "main", "callback"):
        setattr(pk, name, _decorator)
    for name, function in FUNCTIONS.items():
        setattr(pk, name, function)
    sys.modules["pykokkos"] = pk


_install()
