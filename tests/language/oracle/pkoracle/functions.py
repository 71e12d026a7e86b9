"""Random constants and functions that workunits reach: of the module, of an imported file, of a
functor class, and inside a workunit."""
import itertools

from .classes import Classes
from .expressions import Array, Function, Var
from .statements import ANNOTATIONS, SCALAR_NOTES

BESIDE = "beside"  # the name of the imported file


def pk_name(dtype):
    return {"float64": "double"}.get(dtype, dtype)


class Functions(Classes):
    """Needs besides: number; library, the lines of the imported file."""

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
        saved = dict(vars(self))
        self.names, self.arrays, self.outputs = names, arrays, outputs
        self.acc, self.taken, self.in_loop, self.annotated = None, set(self.taken), 0, set()
        self.shared, self.team = [], None
        # What an outer function's objects are bound to is its own to change.
        self.objects = [(name, made, False) for name, made, _ in self.objects]
        self.functions, self.procedures = list(self.functions), list(self.procedures)
        try:
            return make()
        finally:
            for name in ("names arrays outputs acc taken in_loop annotated shared team objects "
                         "functions procedures").split():
                setattr(self, name, saved[name])

    def block_keeping(self, count, depth):
        """Statements in the present scope."""
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def helper(self, constants):
        """A module-level function."""
        array = self.rng.choice(self.arrays) if self.arrays and self.chance(0.4) else None
        made = self.rng.choice(self.class_types) if self.class_types and self.chance(0.5) else None
        name = "h%d_%d" % (self.number, len(self.functions))
        annotated = made is not None or self.chance(0.7)
        decorator = ["@pk.function"] if annotated or self.chance(0.3) else []
        lines, function = self.function(name, constants, array, made, annotated)
        self.functions.append(function)
        return decorator + lines

    def method(self, constants):
        """A helper method of a functor."""
        name = "h%d_%d" % (self.number, len(self.functions))
        mine = [v.read_only() for v in self.names if v.name.startswith("self.")]
        arrays = [a for a in self.arrays if a.name.startswith("self.")]
        lines, function = self.function(name, constants + mine, None, None, True, arrays)
        function.name = "self." + name
        self.functions.append(function)
        return ["@pk.function"] + lines

    def function(self, name, names, array, made, annotated, arrays=None):
        """A function's lines and what it is."""
        types = [self.a_type() for _ in range(self.rng.randint(1, 3))]
        more = [x for x in (array, made) if x is not None]
        optional = 0
        if annotated and not more and self.chance(0.4):
            # A default is a literal: casts and complex numbers are refused.
            plain = itertools.takewhile(lambda t: t in ("int", "dbl", "bool"), reversed(types))
            optional = self.rng.randint(0, len(list(plain)))
        returns = self.a_type()
        if made is not None and arrays is None and self.chance(0.3):
            returns = made

        def body():
            head = [] if arrays is None else ["self"]
            self.taken.add("self")
            for k, t in enumerate(types):
                p = "p%d" % k
                self.taken.add(p)
                note = SCALAR_NOTES[t][0]
                default = " = %s" % self.default(t) if k >= len(types) - optional else ""
                head.append("%s: %s%s" % (p, note, default) if annotated else p)
                self.names.append(Var(p, t, assignable=annotated))
                self.annotated.add(p)
            if array is not None:
                self.taken.add("v")
                note = "pk.View%dD[pk.%s]" % (len(array.shape), pk_name(array.dtype))
                head.append("v: " + note if annotated else "v")
                self.arrays = [Array("v", array.dtype, array.shape)]
            if made is not None:
                self.taken.add("thing")
                head.append("thing: %s" % made.name)
                self.add_object("thing", made, own=False)
            lines = self.block_keeping(self.rng.randint(0, 2), 1)
            give = lambda d: self.constructed(made) if returns is made else self.typed(returns, d)
            if self.chance(0.3):
                lines += ["if %s:" % self.expr("bool", 1), "    return %s" % give(1)]
            lines.append("return %s" % give(2))
            note = made.name if returns is made else ANNOTATIONS[returns][0]
            result = " -> %s" % note if annotated else ""
            return ["def %s(%s)%s:" % (name, ", ".join(head), result)] + self.indent(lines)

        lines = self.scoped(list(names), list(arrays or []), [], body)
        keywords = ["p%d" % k for k in range(len(types))] if annotated and not more else None
        return lines, Function(name, returns, types + more, optional, keywords)

    def default(self, type):
        """The default of a parameter."""
        return {"int": self.int_literal, "dbl": self.float_literal,
                "bool": lambda: self.literal("bool")}[type]()

    def imported(self):
        """Fills the imported file; gives the import statements, and its constants as Vars."""
        lines, imports = [], []

        def body():
            nonlocal lines
            self.objects, self.functions, self.procedures = [], [], []
            for k in range(self.rng.randint(0, 2)):
                constant = Var("C%d_%d" % (self.number, 10 + k), "int", assignable=False)
                constant.constant = True
                lines.append("%s = %s" % (constant.name, self.int_literal()))
                self.names.append(constant)
            constants = list(self.names)
            if self.chance(0.3):
                lines += self.class_type(constants)
            for k in range(self.rng.randint(1, 2)):
                made = self.rng.choice(self.class_types) if self.class_types and self.chance(0.4) else None
                name = "h%d_%d" % (self.number, 10 + k)
                text, function = self.function(name, constants, None, made, True)
                lines += ["@pk.function"] + text
                self.functions.append(function)
            return constants, self.functions

        constants, functions = self.scoped([], [], [], body)
        self.library = "\n".join(lines) + "\n"
        for thing in constants + functions + self.class_types:
            if self.chance(0.4):
                imports.append("import %s" % BESIDE)
                thing.name = "%s.%s" % (BESIDE, thing.name)
            else:
                imports.append("from %s import %s" % (BESIDE, thing.name))
        self.functions += functions
        return list(dict.fromkeys(imports)), constants

    def inner(self):
        """A function inside the workunit, with captures; or one that changes them."""
        name = self.fresh("f")
        variables = [v for v in self.names if v.assignable and v.type in ("int", "dbl") and "." not in v.name]
        if variables and self.chance(0.4):
            target = self.rng.choice(variables)
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
