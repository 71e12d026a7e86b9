"""Random statements over the expressions."""
from .expressions import Expressions, Var, type_of

ANNOTATIONS = {
    "int": ["int", "int", "pk.int64", "pk.int32", "pk.int16", "pk.int8", "pk.uint8", "pk.uint32"],
    "dbl": ["float", "pk.double", "pk.float64"],
    "flt": ["pk.float32", "pk.float"],
    "bool": ["bool", "pk.bool"],
    "u64": ["pk.uint64"],
    "cpl": ["complex", "pk.complex128"],
    "c64": ["pk.complex64"],
}
SCALAR_NOTES = {"int": ["int", "pk.int32", "pk.uint8"], "dbl": ["float", "pk.double"],
                "bool": ["bool"], "flt": ["pk.float32"], "u64": ["pk.uint64"], "cpl": ["complex", "pk.complex128"], "c64": ["pk.complex64"]}
AUGMENTED = {
    "int": ["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "**"],
    "dbl": ["+", "-", "*", "/", "//", "%"],
    "flt": ["+", "-", "*", "/"],
    "bool": ["&", "|", "^"],
    "u64": ["&", "|", "^", ">>", "//"],
    "cpl": ["+", "-", "*"],
    "c64": ["+", "-", "*"],
}
# Names that mean something to C, C++ or generated code, and nothing to Python.
AWKWARD = ["double", "new", "this", "template", "auto", "const", "register", "int64_t", "args",
           "begin", "end", "std", "NULL", "struct", "union", "signed", "pkc", "delete", "errno",
           "stdin", "unix", "linux", "assert_", "switch", "default", "volatile", "restrict", "E",
           "and_eq", "xor", "typename", "_Bool", "size_t", "i_", "temp", "acc_", "lanes", "view"]


class Statements(Expressions):
    """Needs besides: taken (all names of the function), outputs (writable Arrays), loops."""

    def fresh(self, stem):
        if self.chance(0.05):
            name = self.rng.choice(AWKWARD)
            if name not in self.taken:
                self.taken.add(name)
                return name
        k = 0
        while "%s%d" % (stem, k) in self.taken:
            k += 1
        self.taken.add("%s%d" % (stem, k))
        return "%s%d" % (stem, k)

    def a_type(self):
        return self.pick((5, "int"), (5, "dbl"), (2, "bool"), (2 if self.has_flt else 0, "flt"),
                         (2 if self.has_u64 else 0, "u64"), (3 if self.has_cpl else 0, "cpl"),
                         (2 if self.has_c64 else 0, "c64"))

    def block(self, count, depth):
        """Lines of `count` statements in a scope of their own."""
        visible = list(self.names)
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        self.names = visible
        return lines or ["pass"]

    def statement(self, depth):
        nested = 1 if depth > 0 else 0
        return self.pick(
            (5, self.new_local), (4, self.assign), (4, self.augment), (4, self.store),
            (3, self.augment_store), (1, self.tuple_assign), (1, self.chained),
            (3 * nested, lambda: self.branch(depth - 1)),
            (1 * nested, lambda: self.both_branches(depth - 1)),
            (3 * nested, lambda: self.for_loop(depth - 1)),
            (1 * nested, lambda: self.while_loop(depth - 1)),
            (1 if self.in_loop else 0, self.jump), (1, self.call_statement),
            (2 if self.acc else 0, self.accumulate),
        )()

    def indent(self, lines):
        return ["    " + line for line in lines]

    def new_local(self):
        type = self.a_type()
        name = self.fresh(self.rng.choice(["x", "y", "t", "value"]))
        if self.chance(0.5):
            source = type
            if type == "int" and self.chance(0.1):
                source = "dbl"
            elif type == "dbl" and self.chance(0.15):
                source = "int"
            note = self.rng.choice(ANNOTATIONS[type])
            line = "%s: %s = %s" % (name, note, self.expr(source, self.size))
            self.annotated.add(name)
        else:
            line = "%s = %s" % (name, self.expr(type, self.size))
        self.names.append(Var(name, type))
        return [line]

    def target(self, *types):
        fitting = [v for v in self.names if v.assignable and (not types or v.type in types)]
        return self.rng.choice(fitting) if fitting else None

    def assign(self):
        v = self.target()
        if v is None:
            return self.new_local()
        v.below = None
        return ["%s = %s" % (v.name, self.expr(v.type, self.size))]

    def operand_for(self, type, op):
        if op in ("//", "%"):
            return self.nonzero(1) if type == "int" else \
                "7" if type == "u64" else self.float_divisor(type, 1)
        if op in ("<<", ">>"):
            return self.small(1)
        if op == "**":
            return str(self.rng.randint(0, 3))
        if op == "/" and type == "int":
            return self.nonzero(1)
        return self.expr(type, self.size - 1)

    def augment(self):
        v = self.target()
        if v is None:
            return self.new_local()
        ops = AUGMENTED[v.type] + (["/"] if v.type == "int" and v.name in self.annotated else [])
        op = self.rng.choice(ops)
        v.below = None
        return ["%s %s= %s" % (v.name, op, self.operand_for(v.type, op))]

    def place(self, array):
        index = list(array.owned)
        for n in array.shape[len(index):]:
            index.append(self.index(n, None))
        return self.subscript(array.name, index)

    def stored(self, array):
        """A value to store into the array, of its own or another type."""
        type = type_of(array.dtype)
        if self.has_u64 and type in ("int", "u64") and self.chance(0.4):
            return self.wide(self.size - 1)
        other = self.pick((8, type), (1, "int"), (1, "bool"), (1 if type != "u64" else 0, "dbl"),
                          (1 if type == "c64" else 0, "cpl"))
        return self.expr(other, self.size)

    def store(self):
        if not self.outputs:
            return self.new_local()
        a = self.rng.choice(self.outputs)
        if len(self.outputs) > 1 and self.chance(0.1):
            b = self.rng.choice(self.outputs)
            return ["%s = %s = %s" % (self.place(a), self.place(b), self.expr("int", self.size))]
        return ["%s = %s" % (self.place(a), self.stored(a))]

    def augment_store(self):
        if not self.outputs:
            return self.augment()
        a = self.rng.choice(self.outputs)
        type = type_of(a.dtype)
        op = self.rng.choice(AUGMENTED[type] + (["/"] if type == "int" else []))
        return ["%s %s= %s" % (self.place(a), op, self.operand_for(type, op))]

    def tuple_assign(self):
        v = self.target()
        if v is None:
            return self.new_local()
        same = [o for o in self.names if o.assignable and o.type == v.type and o is not v]
        if not same:
            return self.assign()
        o = self.rng.choice(same)
        v.below = o.below = None
        if self.chance(0.4):
            return ["%s, %s = %s, %s" % (v.name, o.name, o.name, v.name)]
        return ["%s, %s = %s, %s" % (v.name, o.name, self.expr(v.type, self.size - 1),
                                     self.expr(v.type, self.size - 1))]

    def chained(self):
        type = self.a_type()
        a, b = self.fresh("p"), self.fresh("q")
        line = "%s = %s = %s" % (a, b, self.expr(type, self.size))
        self.names += [Var(a, type), Var(b, type)]
        return [line]

    def branch(self, depth):
        lines = ["if %s:" % self.expr("bool", self.size)]
        lines += self.indent(self.block(self.rng.randint(1, 3), depth))
        if self.chance(0.2):
            lines += ["elif %s:" % self.expr("bool", self.size)]
            lines += self.indent(self.block(self.rng.randint(1, 2), depth))
        if self.chance(0.5):
            lines += ["else:"] + self.indent(self.block(self.rng.randint(1, 2), depth))
        return lines

    def both_branches(self, depth):
        """A name first assigned inside if and else, used after them."""
        type = self.a_type()
        name = self.fresh("b")
        lines = ["if %s:" % self.expr("bool", self.size)]
        for k in range(2):
            lines += ["else:"] if k else []
            lines += self.indent(self.block(self.rng.randint(0, 1), depth)
                                 + ["%s = %s" % (name, self.expr(type, self.size))])
        self.names.append(Var(name, type))
        return lines

    def bounds(self):
        """The text inside range(…), and below which number the loop variable stays, or None."""
        r = self.rng
        n = r.randint(1, 5)
        return self.pick(
            (5, lambda: (str(n), n)), (2, lambda: ("0, %d" % n, n)),
            (1, lambda: ("%d, %d" % (r.randint(0, 2), n + 2), n + 2)),
            (1, lambda: ("%d, %d, %d" % (r.randint(-3, 2), r.randint(0, 9), r.randint(1, 4)), None)),
            (1, lambda: ("%d, %d, %d" % (n, -r.randint(1, 3), -r.randint(1, 3)), None)),
            (1, lambda: ("%d, -1, -1" % n, n + 1)),
            (2, lambda: (self.small(1), None)),
            (1, lambda: ("(%s) %% 5, %d, (%s) + 1" % (self.expr("int", 1), n + 3, self.small(1)), None)),
            (1, lambda: ("%d, %d, -1 if (%s) else 2" % (n, n - 4, self.expr("bool", 1)), None)),
            (1, self.extent_bounds))()

    def extent_bounds(self):
        views = [a for a in self.arrays if not a.local]
        if not views:
            return "2", 2
        a = self.rng.choice(views)
        d = self.rng.randrange(len(a.shape))
        return "%s.%s" % (a.name, self.rng.choice(["extent(%d)" % d, "shape[%d]" % d])), a.shape[d]

    def for_loop(self, depth):
        text, below = self.bounds()
        before = []
        reuse = self.target("int") if self.chance(0.25) else None
        if reuse is not None and reuse.name not in self.annotated and "." not in reuse.name:
            name = reuse.name  # keeps its last value after the loop, or the one before it
            reuse.below = None
            old = reuse.assignable
            variable = reuse
        else:
            reuse = None
            name = self.fresh("k")
            variable = Var(name, "int", assignable=self.chance(0.1))
            if self.chance(0.2):
                before = ["%s = %s" % (name, self.expr("int", 1))]
        lines = before + ["for %s in range(%s):" % (name, text)]
        visible = list(self.names)
        if reuse is None:
            self.names.append(variable)
            if not variable.assignable:
                variable.below = below
        else:
            variable.assignable = False
        self.in_loop += 1
        lines += self.indent(self.block(self.rng.randint(1, 3), depth))
        self.in_loop -= 1
        self.names = visible
        if reuse is not None:
            variable.assignable = old
        if before:
            self.names.append(Var(name, "int"))
        return lines

    def while_loop(self, depth):
        name = self.fresh("w")
        start = "%s = %s" % (name, self.small(1))
        counter = Var(name, "int", assignable=False)
        visible = list(self.names)
        self.names.append(counter)
        self.in_loop += 1
        step = "%s -= 1" % name
        if self.chance(0.3):
            head = "while True:"
            first = ["if %s <= 0:" % name, "    break", step]
        else:
            extra = " and (%s)" % self.expr("bool", 1) if self.chance(0.4) else ""
            head = "while %s > 0%s:" % (name, extra)
            first = [step]
        body = first + self.block(self.rng.randint(1, 3), depth)
        self.in_loop -= 1
        self.names = visible + [Var(name, "int", assignable=False)]
        return [start, head] + self.indent(body)

    def jump(self):
        return ["if %s:" % self.expr("bool", 1), "    " + self.rng.choice(["break", "continue"])]

    def call_statement(self):
        if not self.procedures:
            return self.assign()
        f = self.rng.choice(self.procedures)
        args = self.arguments_of(f, 1)
        return self.assign() if args is None else ["%s(%s)" % (f.name, args)]
