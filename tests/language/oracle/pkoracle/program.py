"""Random workunits with their inputs: the cases."""
import ast
import io
import math
import random
import tokenize

import numpy as np

from . import reference, values
from .expressions import INT_DTYPES, Array, Function, Var, type_of
from .features import ATOMICS, Features
from .statements import ANNOTATIONS, SCALAR_NOTES

PRELUDE = """import math
from typing import List
import pykokkos as pk
"""

DTYPES = INT_DTYPES + ("float64",) * 5 + ("bool",)


class Case:
    """One workunit with what it reaches, and one call of it."""

    def __init__(self, name, source, policy, arguments, reducer="Sum", team=False):
        self.name, self.source, self.policy = name, source, policy
        self.arguments, self.reducer, self.team = arguments, reducer, team

    def changed(self, **parts):
        """The case with other parts."""
        return Case(**{**vars(self), **parts})

    def copied_arguments(self):
        """Fresh copies; one array given twice stays one."""
        copies = {}
        return {k: copies.setdefault(id(v), v.copy()) if isinstance(v, np.ndarray) else v
                for k, v in self.arguments.items()}

    def expected(self):
        """(result, magnitude, arguments) by CPython; raises values.Discard."""
        arguments = self.copied_arguments()
        judge = reference.Reference(PRELUDE + self.source, ranks={self.name: len(self.policy)})
        result, magnitude = judge.run(self.name, self.policy, arguments, self.reducer)
        return result, magnitude, arguments

    def terms(self):
        return int(np.prod([e - b for b, e in self.policy]))


def module_text(cases):
    """One file of several cases; its call sites say which ranges have several dimensions."""
    sites = ["    pk.parallel_for(pk.MDRangePolicy([%s], [%s]), %s)"
             % (", ".join("0" for _ in c.policy), ", ".join(str(e) for _, e in c.policy), c.name)
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


class Generator(Features):
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
        self.special = self.chance(0.2)
        self.acc = None
        self.reducer = "Sum"
        self.names, self.arrays, self.outputs = [], [], []
        self.functions, self.procedures = [], []
        self.shared, self.team, self.in_inner = [], None, False
        self.indices = []  # names of work indices in scope
        self.taken, self.annotated = set(), set()

    def dtype(self):
        if self.has_u64 and self.chance(0.5):
            return "uint64"
        if self.has_flt and self.chance(0.5):
            return "float32"
        return self.rng.choice(DTYPES)

    # values of inputs

    def scalar(self, dtype):
        r = self.rng
        if dtype == "bool":
            return r.random() < 0.5
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

    # parts

    def constants(self):
        lines = []
        for _ in range(self.pick((3, 0), (2, 1), (1, 2))):
            type = self.rng.choice(["int", "dbl"]) if not self.has_flt else "int"
            name = "C%d_%d" % (self.number, len(lines))
            previous = self.vars_of(type)
            text = self.int_literal() if type == "int" else repr(self.rng.randint(-9, 9) / 4)
            if previous and self.chance(0.5):
                text = "%s * 2 + 1" % previous[0].name
            lines.append("%s = %s" % (name, text))
            constant = Var(name, type, assignable=False)
            constant.constant = True
            self.names.append(constant)
        return lines

    def scoped(self, names, arrays, outputs, make):
        """make() with other things in scope."""
        saved = (self.names, self.arrays, self.outputs, self.acc, self.taken, self.in_loop,
                 self.annotated, self.shared, self.team)
        self.names, self.arrays, self.outputs = names, arrays, outputs
        self.acc, self.taken, self.in_loop, self.annotated = None, set(self.taken), 0, set()
        self.shared, self.team = [], None
        try:
            return make()
        finally:
            (self.names, self.arrays, self.outputs, self.acc, self.taken, self.in_loop,
             self.annotated, self.shared, self.team) = saved

    def helper(self, constants):
        """A module-level function."""
        types = [self.a_type() for _ in range(self.rng.randint(1, 3))]
        returns = self.a_type()
        array = self.rng.choice(self.arrays) if self.arrays and self.chance(0.4) else None
        name = "h%d_%d" % (self.number, len(self.functions))
        annotated = self.chance(0.7)

        def body():
            head = []
            for k, t in enumerate(types):
                p = "p%d" % k
                self.taken.add(p)
                note = SCALAR_NOTES[t][0]
                head.append("%s: %s" % (p, note) if annotated else p)
                self.names.append(Var(p, t, assignable=annotated))
                self.annotated.add(p)
            if array is not None:
                self.taken.add("v")
                note = "pk.View%dD[pk.%s]" % (len(array.shape), pk_name(array.dtype))
                head.append("v: " + note if annotated else "v")
                self.arrays = [Array("v", array.dtype, array.shape)]
            lines = self.block_keeping(self.rng.randint(0, 2), 1)
            if self.chance(0.3):
                lines += ["if %s:" % self.expr("bool", 1),
                          "    return %s" % self.typed(returns, 1)]
            lines.append("return %s" % self.typed(returns, 2))
            result = " -> %s" % ANNOTATIONS[returns][0] if annotated else ""
            decorator = ["@pk.function"] if annotated or self.chance(0.3) else []
            return decorator + ["def %s(%s)%s:" % (name, ", ".join(head), result)] + self.indent(lines)

        lines = self.scoped(list(constants), [], [], body)
        self.functions.append(Function(name, returns, types + ([array] if array is not None else [])))
        return lines

    def block_keeping(self, count, depth):
        """Statements in the present scope."""
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def inner(self):
        """A function inside the workunit, with captures; or one that changes them."""
        name = self.fresh("f")
        target = self.target("int", "dbl")
        if target is not None and self.chance(0.4):
            type = target.type

            def change():
                self.taken.add("s")
                self.names.append(Var("s", type))
                op = self.rng.choice("+-")
                return ["def %s(s: %s):" % (name, SCALAR_NOTES[type][0]), "    nonlocal %s" % target.name] \
                    + self.indent(["%s %s= %s" % (target.name, op, self.expr(type, 2))])
            target.below = None
            lines = self.scoped([v for v in self.names], list(self.arrays), [], change)
            self.procedures.append(Function(name, None, [type]))
            return lines
        types = [self.a_type() for _ in range(self.rng.randint(0, 2))]
        returns = self.a_type()

        def body():
            head = []
            for k, t in enumerate(types):
                p = self.fresh("a")
                head.append("%s: %s" % (p, SCALAR_NOTES[t][0]))
                self.names.append(Var(p, t))
            lines = self.block_keeping(self.rng.randint(0, 1), 0)
            lines.append("return %s" % self.typed(returns, 2))
            note = " -> %s" % ANNOTATIONS[returns][0]
            return ["def %s(%s)%s:" % (name, ", ".join(head), note)] + self.indent(lines)

        # What is captured is only read: assigning would make it a local of the inner function.
        captured = [v.read_only() for v in self.names]
        lines = self.scoped(captured, list(self.arrays), [], body)
        self.functions.append(Function(name, returns, types))
        return lines

    def case(self):
        r = self.rng
        rank = self.pick((8, 1), (2, 2), (1, 3))
        kind = self.pick((6, "for"), (2, "reduce"), (1, "scan")) if rank == 1 else \
            self.pick((4, "for"), (1, "reduce"))
        team = rank == 1 and kind != "scan" and self.chance(0.12)
        extents = [r.randint(1, 9)] + [r.randint(1, 4) for _ in range(rank - 1)]
        constants = self.constants()
        constant_vars = list(self.names)
        indices = ["i", "j", "k"][:rank]
        self.taken.update(indices + ["team", "acc", "last_pass", "v"])
        params, arguments = [], {}

        for _ in range(r.randint(1, 3)):
            self.input_array(extents, params, arguments)
        for _ in range(r.randint(0, 2)):
            type = self.a_type()
            name = self.fresh("s")
            note = r.choice(SCALAR_NOTES[type])
            params.append("%s: %s" % (name, note))
            dtype = {"int": "int64", "pk.int32": "int32", "pk.uint8": "uint8", "pk.uint64": "uint64",
                     "bool": "bool", "pk.float32": "float32"}.get(note, "float64")
            arguments[name] = self.scalar(dtype)
            # Whether a parameter may be assigned is Python's to say: it may.
            self.names.append(Var(name, type))
            self.annotated.add(name)

        helpers = []
        for _ in range(self.pick((3, 0), (2, 1), (1, 2))):
            helpers += self.helper(constant_vars)
        for _ in range(r.randint(1, 3) if kind == "for" else r.randint(0, 1)):
            self.output_array(indices, extents, params, arguments)
        if kind == "for" and self.chance(0.2):
            self.shared_array(params, arguments)
        if kind == "reduce":
            self.acc = r.choice(["int64", "float64", "int64", "float64", "int32"])
            self.reducer = self.pick((6, "Sum"), (1, "Max"), (1, "Min"),
                                     (1 if self.acc == "int64" else 0, "Prod"))
        self.indices = indices
        for name, n in zip(indices, extents):
            self.names.append(Var(name, "int", assignable=False, below=n))

        if team:
            self.team = "team"
        body = self.body(kind)
        leading = ["%s: int" % name for name in indices]
        if team:
            leading = ["team: pk.TeamMember"]
            body = ["i: int = team.league_rank()"] + body
        if kind != "for":
            acc = self.acc or self.scan_acc
            leading.append("acc: pk.Acc[%s]" % {"int64": r.choice(["int", "pk.int64"]),
                                                "float64": r.choice(["float", "pk.double"])}
                           .get(acc, "pk." + acc))
        if kind == "scan":
            leading.append("last_pass: bool")
        name = "w%d" % self.number
        lines = constants + helpers + ["@pk.workunit", "def %s(%s):" % (name, ", ".join(leading + params))]
        lines += self.indent(body)
        source = _spelt("\n".join(lines), r)
        return Case(name, source, [(0, n) for n in extents], arguments, self.reducer, team)

    def input_array(self, extents, params, arguments):
        dtype = self.dtype()
        shape = [extents[0]] if self.chance(0.6) else [self.rng.randint(1, 6)]
        for d in range(self.pick((4, 0), (2, 1), (1, 2))):
            shape.append(extents[d + 1] if d + 1 < len(extents) and self.chance(0.6)
                         else self.rng.randint(1, 5))
        name = self.fresh("a")
        params.append("%s: pk.View%dD[pk.%s]" % (name, len(shape), pk_name(dtype)))
        arguments[name] = self.array(dtype, shape)
        self.arrays.append(Array(name, dtype, shape))

    def output_array(self, indices, extents, params, arguments):
        dtype = self.dtype()
        shape = extents + [self.rng.randint(1, 4) for _ in range(self.pick((3, 0), (1, 1)))]
        name = self.fresh("out")
        params.append("%s: pk.View%dD[pk.%s]" % (name, len(shape), pk_name(dtype)))
        twin = [o for o in self.outputs if o.dtype == dtype and o.shape == shape]
        arguments[name] = arguments[twin[0].name] if twin and self.chance(0.3) else \
            self.array(dtype, shape)
        out = Array(name, dtype, shape, indices)
        self.arrays.append(out)
        self.outputs.append(out)

    def shared_array(self, params, arguments):
        dtype = self.rng.choice(["int64", "int32", "int64", "uint32"])
        name = self.fresh("all")
        shape = [self.rng.randint(1, 4) for _ in range(self.pick((3, 1), (1, 2)))]
        params.append("%s: pk.View%dD[pk.%s]" % (name, len(shape), dtype))
        arguments[name] = self.array(dtype, shape)
        self.shared.append((Array(name, dtype, shape), self.rng.choice(ATOMICS)))

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


def pk_name(dtype):
    return {"float64": "double"}.get(dtype, dtype)


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
