"""Random workunits with their inputs: the cases."""
import ast
import io
import itertools
import math
import random
import tokenize

import numpy as np

from . import reference, values
from .expressions import INT_DTYPES, Array, Var, type_of
from .features import ATOMICS, LIST_NOTES
from .functions import BESIDE, Functions, pk_name
from .statements import SCALAR_NOTES

PRELUDE = """import math
from typing import List
import numpy as np
import pykokkos as pk
"""

DTYPES = INT_DTYPES + ("float64",) * 5 + ("bool",)


class Case:
    """One workunit with what it reaches, and one call of it. `owner` is its class, or "", and
    `fields` those of its arguments that are the class's; `library` is the text of what it takes
    from another file."""

    def __init__(self, name, source, policy, arguments, reducer="Sum", team=False, owner="",
                 fields=(), library=""):
        self.name, self.source, self.policy = name, source, policy
        self.arguments, self.reducer, self.team = arguments, reducer, team
        self.owner, self.fields, self.library = owner, tuple(fields), library

    @property
    def full_name(self):
        """As the translator calls it."""
        return "%s.%s" % (self.owner, self.name) if self.owner else self.name

    def changed(self, **parts):
        """The case with other parts."""
        return Case(**{**vars(self), **parts})

    def copied_arguments(self):
        """Fresh copies; one array given twice stays one."""
        copies = {}
        return {k: copies.setdefault(id(v), v.copy()) if isinstance(v, np.ndarray) else v
                for k, v in self.arguments.items()}

    def expected(self, folded=()):
        """(result, magnitude, arguments) by CPython, with the calls of `folded` done by the
        compiler (folding.py); raises values.Discard."""
        values.CHOICES.begin(folded)
        arguments = self.copied_arguments()
        judge = reference.Reference(PRELUDE + self.source, ranks={self.name: len(self.policy)},
                                    beside={BESIDE: PRELUDE + self.library})
        result, magnitude = judge.run(self.name, self.policy, arguments, self.reducer)
        return result, magnitude, arguments

    def folded_answers(self):
        """What expected() gives where a compiler has done some calls of math functions itself."""
        self.expected()
        calls = list(values.CHOICES.differing)
        if not calls:
            return
        groups = itertools.chain([None], *[itertools.combinations(calls, n)
                                          for n in range(1, len(calls) + 1)])
        for folded in itertools.islice(groups, 200):
            try:
                yield self.expected(folded)
            except values.Discard:
                continue

    def terms(self):
        return int(np.prod([e - b for b, e in self.policy]))


def library_text(cases):
    """The file that several cases import from."""
    return PRELUDE + "\n" + "\n".join(c.library for c in cases)


def module_text(cases):
    """One file of several cases; its call sites say which ranges have several dimensions."""
    sites = ["    pk.parallel_for(pk.MDRangePolicy([%s], [%s]), %s%s)"
             % (", ".join("0" for _ in c.policy), ", ".join(str(e) for _, e in c.policy),
                "thing." if c.owner else "", c.name)
             for c in cases if len(c.policy) > 1]
    host = "\n\ndef host():\n%s\n" % "\n".join(sites) if sites else ""
    return PRELUDE + "\n" + "\n".join(c.source for c in cases) + host


def _spelt(source, rng):
    """The source with needless parentheses gone, and numbers written in more ways."""
    source = ast.unparse(ast.parse(source)) + "\n"
    out = []
    for t in tokenize.generate_tokens(io.StringIO(source).readline):
        text = t.string
        if t.type == tokenize.NUMBER and text.isdigit() and rng.random() < 0.15:
            text = rng.choice(["0x%x", "0X%X", "0o%o", "{:_}", "0b{:b}"])
            text = text.format(int(t.string)) if "{" in text else text % int(t.string)
        out.append((t.type, text))
    return tokenize.untokenize(_positions(source, out))


def _positions(source, tokens):
    """Tokens at their old places, moved by what earlier ones on their line grew."""
    moved, line, grown = [], 0, 0
    for (kind, text), t in zip(tokens, tokenize.generate_tokens(io.StringIO(source).readline)):
        if t.start[0] != line:
            line, grown = t.start[0], 0
        start = (t.start[0], t.start[1] + grown)
        grown += len(text) - len(t.string) if t.start[0] == t.end[0] else 0
        moved.append((kind, text, start, (t.end[0], t.end[1] + grown), t.line))
    return moved


class Generator(Functions):
    """Makes one case from a seed."""

    def __init__(self, seed, number):
        self.rng = random.Random("%s:%s" % (seed, number))
        self.number = number
        self.doubles_only = False
        self.in_loop = 0
        self.in_index = 0
        self.size = self.pick((2, 2), (4, 3), (1, 4))
        self.has_u64 = self.chance(0.12)
        self.has_flt = self.chance(0.3)
        self.has_cpl = self.chance(0.15)
        self.has_c64 = self.has_cpl and self.has_flt
        self.special = self.chance(0.2)
        self.acc = None
        self.reducer = "Sum"
        self.names, self.arrays, self.outputs = [], [], []
        self.functions, self.procedures = [], []
        self.shared, self.team, self.in_inner = [], None, False
        self.indices = []  # names of work indices in scope
        self.taken, self.annotated = set(), set()
        self.class_types, self.objects = [], []
        self.functor, self.fields, self.library = False, [], ""

    def dtype(self):
        if self.has_u64 and self.chance(0.5):
            return "uint64"
        if self.has_flt and self.chance(0.5):
            return "float32"
        if self.has_cpl and self.chance(0.4):
            return "complex64" if self.has_c64 and self.chance(0.4) else "complex128"
        return self.rng.choice(DTYPES)

    # values of inputs

    def scalar(self, dtype):
        r = self.rng
        if dtype == "bool":
            return r.random() < 0.5
        if dtype.startswith("complex"):
            part = "float32" if dtype == "complex64" else "float64"
            return complex(self.scalar(part), self.scalar(part))
        if dtype in values.INT_LIMITS:
            low, high = values.INT_LIMITS[dtype]
            if dtype in ("int64", "uint64") and not self.special:
                low, high = max(low, -(1 << 40)), min(high, 1 << 40)
            return self.pick((6, lambda: r.randint(max(low, -10), min(high, 10))),
                             (2, lambda: r.randint(max(low, -1000), min(high, 1000))),
                             (1, lambda: r.choice([low, high])),
                             (1, lambda: r.randint(low, high)))()
        special = 1 if self.special else 0
        v = self.pick((5, lambda: r.randint(-12, 12) / 2), (5, lambda: r.uniform(-5, 5)),
                      (1, lambda: r.uniform(-1e6, 1e6)), (1, lambda: float(r.randint(-4, 4))),
                      (special, lambda: r.choice([float("inf"), float("-inf"), float("nan"), -0.0,
                                                  1e300, 5e-324, 9007199254740993.0])))()
        # What float32 cannot hold is refused as an argument.
        return v if dtype != "float32" else float(np.float32(v if abs(v) < 1e38 else 2.5)) \
            if math.isfinite(v) else v

    def array(self, dtype, shape):
        a = np.zeros(shape, dtype)
        for place in np.ndindex(a.shape):
            v = self.scalar(dtype)
            with np.errstate(all="ignore"):
                a[place] = v
        return a

    def case(self):
        r = self.rng
        rank = self.pick((8, 1), (2, 2), (1, 3))
        kind = self.pick((6, "for"), (2, "reduce"), (1, "scan")) if rank == 1 else \
            self.pick((4, "for"), (1, "reduce"))
        team = rank == 1 and kind != "scan" and self.chance(0.12)
        extents = [r.randint(1, 9)] + [r.randint(1, 4) for _ in range(rank - 1)]
        constants = self.constants()
        constant_vars = list(self.names)
        imports = []
        if self.chance(0.2):
            imports, more = self.imported()
            constant_vars += more
            self.names += more
        self.functor = self.chance(0.25)
        indices = ["i", "j", "k"][:rank]
        self.taken.update(indices + ["team", "acc", "last_pass", "v", "self", "first"])
        params, arguments = [], {}

        helpers = []
        for _ in range(self.pick((6, 0), (2, 1), (1, 2))):
            helpers += self.class_type(constant_vars)
        for _ in range(r.randint(1, 3)):
            self.input_array(extents, params, arguments)
        if self.chance(0.1):
            self.input_list(params, arguments)
        for _ in range(r.randint(0, 2)):
            self.input_scalar(params, arguments)
        for _ in range(self.pick((3, 0), (2, 1), (1, 2))):
            helpers += self.helper(constant_vars)
        methods = []
        if self.functor:
            for _ in range(self.pick((2, 0), (2, 1), (1, 2))):
                methods += self.method(constant_vars)
        for _ in range(r.randint(1, 3) if kind == "for" else r.randint(0, 1)):
            self.output_array(indices, extents, params, arguments)
        if kind == "for" and self.chance(0.2):
            self.shared_array(params, arguments)
        self.indices = indices
        if kind == "reduce":
            self.choose_reducer()
        for name, n in zip(indices, extents):
            self.names.append(Var(name, "int", assignable=False, below=n))

        if team:
            self.team = "team"
        body = self.body(kind)
        leading = ["self"] if self.functor else []
        leading += ["team: pk.TeamMember"] if team else ["%s: int" % name for name in indices]
        if team:
            body = ["i: int = team.league_rank()"] + body
        if kind != "for":
            acc = self.acc or self.scan_acc
            leading.append("acc: pk.Acc[%s]" % {"int64": r.choice(["int", "pk.int64"]),
                                                "float64": r.choice(["float", "pk.double"])}
                           .get(acc, "pk." + acc))
        if kind == "scan":
            leading.append("last_pass: bool")
        if kind == "reduce":
            # A bool that comes first after the accumulator would be the last_pass of a scan.
            params.sort(key=lambda p: p.endswith(": bool"))
            if params and params[0].endswith(": bool"):
                params.insert(0, "first: int")
                arguments["first"] = self.scalar("int64")
        name = "w%d" % self.number
        lines = ["@pk.workunit", "def %s(%s):" % (name, ", ".join(leading + params))]
        lines += self.indent(body)
        owner = ""
        if self.functor:
            owner = "F%d" % self.number
            lines = self.functor_class(owner, methods, lines)
        source = _spelt("\n".join(imports + constants + helpers + lines), r)
        return Case(name, source, [(0, n) for n in extents], arguments, self.reducer, team, owner,
                    [n for n, _ in self.fields], _spelt(self.library, r) if self.library else "")

    def functor_class(self, name, methods, workunit):
        """The class around a workunit; its methods may be those of a base class."""
        fields = ["self.%s: %s = %s" % (n, note, n) for n, note in self.fields] or ["pass"]
        init = ["def __init__(%s):" % ", ".join(["self"] + [n for n, _ in self.fields])] \
            + self.indent(fields)
        if methods and self.chance(0.3):
            base = "B%d" % self.number
            return ["class %s:" % base] + self.indent(methods) + ["@pk.functor", "class %s(%s):" % (
                name, base)] + self.indent(init + workunit)
        kind = self.pick((3, "functor"), (1, "workload"))
        parts = [init] + self.rng.sample([methods, workunit], 2)
        return ["@pk.%s" % kind, "class %s:" % name] + self.indent(sum(parts, []))

    # parameters

    def declare(self, stem, note, params):
        """A parameter, or a field of the functor: its name among the arguments, and in the body."""
        name = self.fresh(stem)
        if self.functor and self.chance(0.6):
            self.fields.append((name, note))
            return name, "self." + name
        params.append("%s: %s" % (name, note))
        return name, name

    def input_scalar(self, params, arguments):
        type = self.a_type()
        note = self.rng.choice(SCALAR_NOTES[type])
        name, text = self.declare("s", note, params)
        dtype = {"int": "int64", "pk.int32": "int32", "pk.uint8": "uint8", "pk.uint64": "uint64",
                 "bool": "bool", "pk.float32": "float32", "complex": "complex128",
                 "pk.complex128": "complex128", "pk.complex64": "complex64"}.get(note, "float64")
        arguments[name] = self.scalar(dtype)
        # Whether a parameter may be assigned is Python's to say: it may.
        self.names.append(Var(text, type, assignable=text == name))
        self.annotated.add(text)

    def input_list(self, params, arguments):
        """A parameter that is a list, given as one or as an array."""
        dtype = self.rng.choice(list(LIST_NOTES))
        shape = [self.rng.randint(1, 4) for _ in range(self.pick((3, 1), (1, 2)))]
        note = LIST_NOTES[dtype]
        for _ in shape:
            note = "List[%s]" % note
        name = self.fresh("row")
        params.append("%s: %s" % (name, note))
        value = self.array(dtype, shape)
        arguments[name] = value.tolist() if self.chance(0.5) else value
        made = Array(name, dtype, shape)
        made.local = True
        self.arrays.append(made)

    def input_array(self, extents, params, arguments):
        dtype = self.dtype()
        shape = [extents[0]] if self.chance(0.6) else [self.rng.randint(1, 6)]
        for d in range(self.pick((4, 0), (2, 1), (1, 2))):
            shape.append(extents[d + 1] if d + 1 < len(extents) and self.chance(0.6)
                         else self.rng.randint(1, 5))
        name, text = self.declare("a", view_note(dtype, shape), params)
        arguments[name] = self.array(dtype, shape)
        self.arrays.append(Array(text, dtype, shape))

    def output_array(self, indices, extents, params, arguments):
        dtype = self.dtype()
        shape = extents + [self.rng.randint(1, 4) for _ in range(self.pick((3, 0), (1, 1)))]
        name, text = self.declare("out", view_note(dtype, shape), params)
        twin = [o for o in self.outputs if o.dtype == dtype and o.shape == shape]
        arguments[name] = arguments[twin[0].name.split(".")[-1]] if twin and self.chance(0.3) else \
            self.array(dtype, shape)
        out = Array(text, dtype, shape, indices)
        self.arrays.append(out)
        self.outputs.append(out)

    def shared_array(self, params, arguments):
        dtype = self.rng.choice(["int64", "int32", "int64", "uint32"])
        shape = [self.rng.randint(1, 4) for _ in range(self.pick((3, 1), (1, 2)))]
        name, text = self.declare("all", view_note(dtype, shape), params)
        arguments[name] = self.array(dtype, shape)
        self.shared.append((Array(text, dtype, shape), self.rng.choice(ATOMICS)))

    def body(self, kind):
        r = self.rng
        lines = []
        count = r.randint(1, 6)
        for k in range(count):
            if self.chance(0.12):
                lines += self.inner()
            lines += self.statement(2)
        if kind == "for" and self.chance(0.1):
            lines += ["if %s:" % self.expr("bool", 1), "    return"]
        if kind == "scan":
            self.scan_acc = self.pick((3, "int64"), (1, "float64"))
            term = "(%s) %% 1000" % self.expr("int", self.size)
            add = ["acc += " + (term if self.scan_acc == "int64" else "float(%s) / 8" % term)]
            name = None
            for o in self.outputs:
                name = o
            keep = ["if last_pass:", "    %s = acc" % self.place(name)] if name else []
            lines += add + keep if self.chance(0.5) else keep + add
            return lines
        if self.acc:
            lines += self.accumulate()
        for o in self.outputs:
            if self.chance(0.7):
                lines += ["%s = %s" % (self.place(o), self.stored(o))]
        return lines or ["pass"]


def view_note(dtype, shape):
    return "pk.View%dD[pk.%s]" % (len(shape), pk_name(dtype))


def make_case(seed, number):
    """The case of a number, whose CPython run stays inside what is defined; and its answer."""
    attempt = 0
    while True:
        generator = Generator("%s:%d" % (seed, attempt), number)
        case = generator.case()
        attempt += 1
        try:
            return case, case.expected()
        except values.Discard:
            continue
