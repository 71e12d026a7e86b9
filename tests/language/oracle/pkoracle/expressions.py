"""Random well-typed expressions.

Types are "int" (64-bit arithmetic), "u64", "dbl", "flt" and "bool" (complexes.py has more). An expression is text, each
operand in parentheses; program.py takes away those that are not needed.
"""

INT_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
NATURAL = {"float64": "dbl", "float32": "flt", "bool": "bool", "uint64": "u64",
           "complex128": "cpl", "complex64": "c64"}


def type_of(dtype):
    """The type that a value of a NumPy dtype has in arithmetic."""
    return NATURAL.get(dtype, "int")


class Var:
    """A name in scope; `below`: it is in range(below)."""

    def __init__(self, name, type, assignable=True, below=None):
        self.name, self.type, self.assignable, self.below = name, type, assignable, below
        self.constant = False  # bound to a constant at the top of the module

    def read_only(self):
        v = Var(self.name, self.type, False, self.below)
        v.constant = self.constant
        return v


class Array:
    """A view: its extents, and, where it is written, the indices that this work item owns."""

    def __init__(self, name, dtype, shape, owned=None):
        self.name, self.dtype, self.shape, self.owned = name, dtype, shape, owned
        self.local = False  # a list of the function's own
        self.part = False   # a name for a part of a view


class Function:
    """Something to call: types of its parameters, or an Array to pass, or the ClassType of an
    object; `returns` a type, a ClassType or None. `optional`: how many of the last parameters a
    call may leave out; `keywords`: the names that calls may give them by."""

    def __init__(self, name, returns, parameters, optional=0, keywords=None):
        self.name, self.returns, self.parameters = name, returns, parameters
        self.optional, self.keywords = optional, keywords


class Expressions:
    """Needs: rng, names (visible Vars), arrays (readable), functions, spelling of math."""

    def pick(self, *weighted):
        """One of (weight, thing) pairs."""
        return self.rng.choices([t for _, t in weighted], [w for w, _ in weighted])[0]

    def chance(self, p):
        return self.rng.random() < p

    def vars_of(self, type):
        return [v for v in self.names if v.type == type]

    def expr(self, type, depth):
        return getattr(self, "_" + type)(depth)

    # leaves

    def int_literal(self):
        r = self.rng
        return self.pick(
            (8, lambda: str(r.randint(0, 10))), (3, lambda: str(-r.randint(1, 20))),
            (2, lambda: str(r.choice([127, 128, 255, 256, 32767, 65535, 65536, 1000003]))),
            (1, lambda: str(r.choice([2147483647, 2147483648, -2147483648, 4294967295,
                                      1 << 40, -(1 << 35)]))))()

    def float_literal(self):
        r = self.rng
        return self.pick(
            (5, lambda: repr(r.randint(-16, 16) / 4)), (3, lambda: repr(round(r.uniform(-9, 9), 3))),
            (1, lambda: r.choice(["1e-3", "1e10", "0.1", "2.5e-8", "123456.789", "1e100"])),
            (1, lambda: r.choice(["math.pi", "math.e", "math.tau"]) if self.doubles_only else "0.25"),
        )()

    def leaf(self, type):
        choices = [(3, v.name) for v in self.vars_of(type)]
        loads = [a for a in self.arrays if type_of(a.dtype) == type]
        if loads:
            choices.append((6, None))
        if not choices and type != "int" and self.chance(0.8):
            return self.from_int(type)
        if not choices or self.chance(0.15):
            return self.literal(type)
        got = self.pick(*choices)
        return got or self.load(self.rng.choice(loads))

    def from_int(self, type):
        """A value of a type that nothing in scope has."""
        n = self.leaf("int")
        return {"dbl": "float(%s)", "flt": "pk.float32(%s)", "u64": "pk.uint64(abs(%s))",
                "bool": "(%s) > 2", "cpl": "complex(%s, 0.5)", "c64": "pk.complex64(%s)"}[type] % n

    def runtime(self, type):
        """A value that a compiler cannot know, or None."""
        loads = [a for a in self.arrays if type_of(a.dtype) == type and not a.local]
        if loads:
            return self.load(self.rng.choice(loads))
        if self.indices:
            return ("float(%s)" if type == "dbl" else "pk.float32(%s)") % self.rng.choice(self.indices)
        return None

    def literal(self, type):
        if type == "int":
            return self.int_literal()
        if type == "dbl":
            self.doubles_only = True
            text = self.float_literal()
            self.doubles_only = False
            return text
        if type == "flt":
            return "pk.float32(%s)" % self.float_literal()
        if type == "u64":
            return "pk.uint64(%d)" % self.rng.choice([0, 1, 7, 255, (1 << 32) + 5, (1 << 63) - 1])
        if type == "cpl":
            return "complex(%s, %s)" % (self.literal("dbl"), self.literal("dbl"))
        if type == "c64":
            return "pk.complex64(%s)" % self.float_literal()
        return self.rng.choice(["True", "False"])

    def load(self, array):
        if array.owned is not None:
            index = list(array.owned)
            for n in array.shape[len(index):]:
                index.append(self.index(n, None))
        else:
            index = [self.index(n, d) for d, n in enumerate(array.shape)]
        return self.subscript(array.name, index)

    def subscript(self, name, index):
        if len(index) > 1 and self.rng.random() < 0.5:
            return name + "".join("[%s]" % k for k in index)
        return "%s[%s]" % (name, ", ".join(index))

    def index(self, extent, dimension):
        """An index below `extent`."""
        r = self.rng
        fitting = [v.name for v in self.names if v.below is not None and v.below <= extent]
        choices = [(2, lambda: str(r.randint(0, extent - 1))),
                   (1, lambda: str(-r.randint(1, extent)))]
        if self.in_index < 2:
            choices.append((2, lambda: self.computed_index(extent)))
        if fitting:
            choices.append((8, lambda: r.choice(fitting)))
            choices.append((1, lambda: "-1 - %s" % r.choice(fitting)))
        return self.pick(*choices)()

    def computed_index(self, extent):
        self.in_index += 1  # an index in an index in an index is enough
        text = "(%s) %% %d" % (self.expr("int", 1), extent)
        self.in_index -= 1
        return text

    # operators

    def nonzero(self, depth):
        r = self.rng
        return self.pick(
            (4, lambda: str(r.choice([1, 2, 3, 4, 7, 8, 10, 16, 64, 1000, -1, -2, -3, -8, -10]))),
            (2, lambda: "(%s) | 1" % self.expr("int", depth)),
            (1, lambda: "abs(%s) + 1" % self.expr("int", depth)),
            (1, lambda: "(%s) or %d" % (self.expr("int", depth), r.choice([1, 5, -3]))))()

    def small(self, depth, bits=3):
        """An integer that is never negative, below 1 << bits."""
        r = self.rng
        return self.pick((2, lambda: str(r.randint(0, (1 << bits) - 1))),
                         (2, lambda: "(%s) & %d" % (self.expr("int", depth), (1 << bits) - 1)),
                         (1, lambda: "(%s) %% %d" % (self.expr("int", depth), 1 << bits)))()

    def binary(self, op, l, r):
        return "(%s) %s (%s)" % (l, op, r)

    def ternary(self, type, d):
        return "(%s) if (%s) else (%s)" % (self.expr(type, d), self.expr("bool", d),
                                          self.expr(type, d))

    def and_or(self, type, d):
        return self.binary(self.rng.choice(["and", "or"]), self.expr(type, d), self.expr(type, d))

    def call(self, type, d):
        fitting = [f for f in self.functions if f.returns == type]
        f = self.rng.choice(fitting) if fitting else None
        args = self.arguments_of(f, d) if f else None
        return self.leaf(type) if args is None else "%s(%s)" % (f.name, args)

    def arguments_of(self, f, d):
        """What a call has in its parentheses; None where something is not in scope."""
        args = []
        left_out = self.rng.randint(0, f.optional)
        named = self.rng.randint(0, len(f.parameters)) if f.keywords and self.chance(0.3) else None
        for k, p in enumerate(f.parameters[:len(f.parameters) - left_out]):
            if isinstance(p, str):
                by = "%s=" % f.keywords[k] if named is not None and k >= named else ""
                args.append(by + self.expr(p, d))
                continue
            fitting = [p.name] if p in self.arrays else [n for n, made, _ in self.objects if made is p]
            if not fitting:
                return None
            args.append(self.rng.choice(fitting))
        return ", ".join(args)

    def many(self, type, d):
        return ", ".join(self.expr(type, d) for _ in range(self.pick((6, 2), (2, 3), (1, 4))))

    def _int(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("int")
        d = depth - 1
        return self.pick(
            (5, lambda: self.leaf("int")),
            (6, lambda: self.binary(r.choice("+-"), e("int", d), e("int", d))),
            (3, lambda: self.binary("*", e("int", d), r.choice([self.int_literal(), e("int", d)]))),
            (2, lambda: self.binary("//", e("int", d), self.nonzero(d))),
            (2, lambda: self.binary("%", e("int", d), self.nonzero(d))),
            (3, lambda: self.binary(r.choice("&|^"), e("int", d), e("int", d))),
            (2, lambda: "-(%s)" % e("int", d)), (1, lambda: "~(%s)" % e("int", d)),
            (1, lambda: "+(%s)" % e("int", d)),
            (1, lambda: self.binary("<<", e("int", d), self.small(d))),
            (1, lambda: self.binary(">>", e("int", d), r.choice(
                [self.small(d), str(r.choice([1, 8, 31, 32, 63, 64, 70]))]))),
            (1, lambda: self.binary("**", e("int", d), str(r.randint(0, 3)))),
            (1, lambda: self.binary("**", r.choice(["2", "3", "-2", self.small(d, 4)]),
                                    self.small(d))),
            (1, lambda: "abs(%s)" % e("int", d)),
            (2, lambda: "%s(%s)" % (r.choice(["min", "max"]), self.many("int", d))),
            (1, lambda: "int(%s)" % e(r.choice(["dbl", "dbl", "flt", "bool"]), d)),
            (1, lambda: "%s(%s)" % (r.choice(["round", "math.floor", "math.ceil", "math.trunc"]),
                                    e("dbl", d))),
            (2, lambda: self.ternary("int", d)), (1, lambda: self.and_or("int", d)),
            (1, self.extent), (1, lambda: self.call("int", d)),
            (1, lambda: "pk.%s(%s)" % (r.choice(INT_DTYPES), e("int", d))),
            (1, lambda: self.binary("+", e("bool", d), e(r.choice(["bool", "int"]), d))),
        )()

    def extent(self):
        views = [a for a in self.arrays if not a.local]
        if not views:
            return "3"
        a = self.rng.choice(views)
        dim = self.rng.randrange(len(a.shape))
        return self.rng.choice(["%s.extent(%d)" % (a.name, dim), "%s.shape[%d]" % (a.name, dim),
                                "len(%s)" % a.name, "%s.size" % a.name])

    def _u64(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("u64")
        d = depth - 1
        return self.pick(
            (5, lambda: self.leaf("u64")),
            (3, lambda: self.binary(r.choice("&|^"), e("u64", d), e("u64", d))),
            (1, lambda: self.binary("+", e("u64", d), r.choice([e("u64", d), str(r.randint(0, 9))]))),
            (1, lambda: self.binary("*", self.binary(">>", e("u64", d), "33"), str(r.randint(1, 9)))),
            (1, lambda: self.binary(r.choice(["//", "%"]), e("u64", d),
                                    r.choice(["3", "8", "10", "pk.uint64(12345678901)"]))),
            (1, lambda: self.binary(">>", e("u64", d), self.small(d, 6))),
            (1, lambda: "%s(%s, %s)" % (r.choice(["min", "max"]), e("u64", d), e("u64", d))),
            (1, lambda: self.ternary("u64", d)), (1, lambda: self.call("u64", d)),
            (1, lambda: "pk.uint64(abs(%s))" % e("int", d)),
        )()

    def wide(self, d):
        """An integer made of uint64 and others, exact in 128 bits: to be stored or compared."""
        u, e, r = self.expr("u64", d), self.expr, self.rng
        return self.pick((3, lambda: self.binary("-", u, e("u64", d))),
                         (1, lambda: self.binary(r.choice("+-"), u, e("int", d))),
                         (1, lambda: "-(%s)" % u), (1, lambda: self.binary(r.choice("&|^"), u, e("int", d))),
                         (1, lambda: self.binary(r.choice(["//", "%"]), u, self.nonzero(d))))()

    def _dbl(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("dbl")
        d = depth - 1
        return self.pick(
            (6, lambda: self.leaf("dbl")),
            (8, lambda: self.binary(r.choice("+-*"), e("dbl", d), e("dbl", d))),
            (3, lambda: self.mixed("dbl", "int", r.choice("+-*/"), d)),
            (1, lambda: self.mixed("dbl", "flt", r.choice("+-*/"), d)),
            (1, lambda: self.mixed("dbl", "bool", r.choice("+-*"), d)),
            (3, lambda: self.binary("/", e("dbl", d), e("dbl", d))),
            (2, lambda: self.binary("/", e("int", d), self.nonzero(d))),
            (1, lambda: self.binary(r.choice(["//", "%"]), e("dbl", d), self.float_divisor("dbl", d))),
            (1, lambda: self.power("dbl", d)),
            (1, lambda: "-(%s)" % e("dbl", d)), (1, lambda: "abs(%s)" % e("dbl", d)),
            (2, lambda: "%s(%s)" % (r.choice(["min", "max"]), self.many("dbl", d))),
            (1, lambda: "%s(%s, %s)" % (r.choice(["min", "max"]), e("dbl", d), e("int", d))),
            (3, lambda: self.math_call("dbl", d)),
            (2, lambda: "%s(%s)" % (r.choice(["float", "float", "pk.double", "pk.float64"]),
                                    e(r.choice(["int", "int", "flt", "bool"]), d))),
            (1, lambda: "round(%s, %d)" % (e("dbl", d), r.randint(0, 4))),
            (2, lambda: self.ternary("dbl", d)), (1, lambda: self.and_or("dbl", d)),
            (1, lambda: self.call("dbl", d)),
        )()

    def typed(self, type, d):
        """An expression that is of the type even where a literal would adapt to its neighbour."""
        text = self.expr(type, d)
        return "float(%s)" % text if type == "dbl" and not text.isidentifier() else text

    def beside_float(self, type, d):
        """An operand next to a float32: no constant double, which would adapt to it."""
        if type != "dbl":
            return self.expr(type, d)
        names = [v.name for v in self.vars_of("dbl") if not v.constant]
        return self.rng.choice(names) if names and self.chance(0.5) else \
            self.runtime("dbl") or (names[0] if names else None)

    def mixed(self, one, other, op, d):
        l, r = self.expr(one, d), self.expr(other, d)
        if "flt" in (one, other) and "dbl" in (one, other):
            l, r = self.beside_float(one, d), self.beside_float(other, d)
            if l is None or r is None:
                return self.leaf("dbl")
        return self.binary(op, *((l, r) if self.rng.random() < 0.5 else (r, l)))

    def float_divisor(self, type, d):
        return self.pick((2, lambda: self.rng.choice(["0.1", "2.0", "-3.0", "0.75", "-1.5"])),
                         (1, lambda: "abs(%s) + 0.5" % self.expr(type, d)))()

    def power(self, type, d):
        known = self.runtime(type)
        if known is None or self.chance(0.4):
            return self.binary("**", self.expr(type, d), self.rng.choice(["0", "1", "2", "-1"]))
        if self.chance(0.5):
            return self.binary("**", "(%s) + (%s)" % (known, self.expr(type, d)),
                               self.rng.choice(["3", "4", "-2"]))
        return self.binary("**", "abs((%s) + (%s))" % (known, self.expr(type, d)),
                           self.rng.choice(["0.5", "1.5", "-0.25"]))

    def math_call(self, type, d):
        """A math function, in one of the spellings that it has."""
        r = self.rng
        x = self.expr(type, d)
        known = self.runtime(type)
        if known is None or self.chance(0.3):
            name, args = self.pick(
                (3, ("sqrt", "abs(%s)" % x)), (2, ("fabs", x)),
                (1, ("copysign", "%s, %s" % (x, self.expr(type, d)))),
                (1, ("fmod", "%s, %s" % (x, self.float_divisor(type, d)))),
                (1, (r.choice(["floor", "ceil", "trunc"]), x)))
        else:
            x = "(%s) %s (%s)" % (known, r.choice("+-"), x)
            name, args = self.pick(
                (2, ("sin", x)), (2, ("cos", x)), (1, ("tan", x)), (2, ("exp", "min(%s, 20.0)" % x)),
                (2, ("log", "abs(%s) + 0.5" % x)), (1, ("log2", "abs(%s) + 0.5" % x)),
                (1, ("log10", "abs(%s) + 0.5" % x)), (1, ("log1p", "abs(%s)" % x)),
                (1, ("expm1", "min(%s, 9.0)" % x)), (1, ("tanh", x)), (1, ("atan", x)),
                (1, ("asinh", x)), (1, ("erf", x)), (1, ("cbrt", x)), (1, ("sinh", "min(%s, 9.0)" % x)),
                (1, ("atan2", "%s, %s" % (x, self.expr(type, d)))),
                (1, ("hypot", "%s, %s" % (x, self.expr(type, d)))))
        # math's own floor, ceil and trunc give an int.
        prefix = "" if name in ("floor", "ceil", "trunc") else r.choice(["math.", "math.", "", "pk."])
        return "%s%s(%s)" % (prefix, name, args)

    def _flt(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("flt")
        d = depth - 1
        return self.pick(
            (6, lambda: self.leaf("flt")),
            (8, lambda: self.binary(r.choice("+-*/"), e("flt", d), e("flt", d))),
            (4, lambda: self.binary(r.choice("+-*/"), e("flt", d), self.float_literal())),
            (2, lambda: self.mixed("flt", "int", r.choice("+-*"), d)),
            (1, lambda: self.binary(r.choice(["//", "%"]), e("flt", d), self.float_divisor("flt", d))),
            (1, lambda: self.power("flt", d)),
            (1, lambda: "-(%s)" % e("flt", d)), (1, lambda: "abs(%s)" % e("flt", d)),
            (1, lambda: "%s(%s)" % (r.choice(["min", "max"]), self.many("flt", d))),
            (1, lambda: "%s(%s, %s)" % (r.choice(["min", "max"]), e("flt", d), self.float_literal())),
            (2, lambda: self.math_call("flt", d)), (1, lambda: self.ternary("flt", d)),
            (1, lambda: self.and_or("flt", d)), (1, lambda: self.call("flt", d)),
            (1, lambda: "pk.float32(%s)" % e(r.choice(["dbl", "int"]), d)),
        )()

    def comparison(self, d):
        r = self.rng
        ops = ["<", "<=", ">", ">=", "==", "!="]
        kinds = self.pick((5, ("int", "int")), (4, ("dbl", "dbl")), (2, ("int", "dbl")),
                          (1, ("dbl", "int")), (1, ("flt", "flt")), (1, ("flt", "dbl")),
                          (1, ("int", "flt")), (1 if self.has_u64 else 0, ("u64", "int")),
                          (1 if self.has_u64 else 0, ("u64", "u64")))
        make = self.beside_float if "flt" in kinds else self.expr
        text = "(%s) %s (%s)" % (make(kinds[0], d) or self.leaf("flt"), r.choice(ops),
                                 make(kinds[1], d) or self.leaf("flt"))
        if r.random() < 0.25 and "flt" not in kinds:
            text += " %s (%s)" % (r.choice(ops), self.expr(r.choice(["int", "dbl"]), d))
        return text

    def _bool(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("bool")
        d = depth - 1
        return self.pick(
            (2, lambda: self.leaf("bool")), (10, lambda: self.comparison(d)),
            (3, lambda: self.binary(r.choice(["and", "or"]), e("bool", d), e("bool", d))),
            (2, lambda: "not (%s)" % e("bool", d)),
            (1, lambda: self.binary(r.choice("&|^"), e("bool", d), e("bool", d))),
            (1, lambda: "bool(%s)" % e(r.choice(["int", "dbl"]), d)),
            (1, lambda: "%s(%s)" % (r.choice(["math.isnan", "math.isinf", "math.isfinite"]),
                                    e("dbl", d))),
            (1, lambda: self.ternary("bool", d)), (1, lambda: self.call("bool", d)),
        )()
