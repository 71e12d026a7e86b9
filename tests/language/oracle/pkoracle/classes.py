"""Random class types with methods, and objects of them."""
from .expressions import Function, Var
from .numpy_functions import NumpyFunctions
from .statements import ANNOTATIONS, SCALAR_NOTES


class ClassType:
    """A @pk.classtype: types of what its constructor takes, its fields as (name, type), and its
    methods as Functions, `changing` those that change the object and give nothing."""

    def __init__(self, name, parameters):
        self.name, self.parameters = name, parameters
        self.fields, self.methods, self.changing = [], [], []


class Classes(NumpyFunctions):
    """Needs besides: number, class_types, objects: (name, ClassType, own) in scope, `own` where
    the function may bind the name again."""

    def statement(self, depth):
        if self.class_types and self.chance(0.15):
            return self.pick((2, self.new_object), (1, self.renewed_object))()
        return super().statement(depth)

    def block(self, count, depth):
        objects, functions, procedures = list(self.objects), list(self.functions), list(self.procedures)
        lines = super().block(count, depth)
        self.objects, self.functions, self.procedures = objects, functions, procedures
        return lines

    # definitions

    def class_type(self, constants):
        """A class at module level."""
        made = ClassType("K%d_%d" % (self.number, len(self.class_types)),
                         [self.a_type() for _ in range(self.rng.randint(1, 3))])
        lines = ["@pk.classtype", "class %s:" % made.name]
        lines += self.indent(self.scoped(list(constants), [], [], lambda: self.constructor(made)))
        fields = [Var("self." + n, t) for n, t in made.fields]
        for k in range(self.rng.randint(0, 3)):
            make = lambda: self.class_method(made, "m%d" % k)
            lines += self.indent(self.scoped(list(constants) + fields, [], [], make))
        self.class_types.append(made)
        return lines

    def constructor(self, made):
        self.taken.add("self")
        head = []
        for k, t in enumerate(made.parameters):
            head.append("p%d: %s" % (k, SCALAR_NOTES[t][0]))
            self.taken.add("p%d" % k)
            self.names.append(Var("p%d" % k, t, assignable=False))
        lines = ["def __init__(self, %s):" % ", ".join(head)]
        for _ in range(self.rng.randint(1, 3)):
            t = self.a_type()
            name = self.fresh("f")
            made.fields.append((name, t))
            lines.append("    self.%s: %s = %s" % (name, self.rng.choice(ANNOTATIONS[t]),
                                                  self.typed(t, 1)))
        return lines

    def class_method(self, made, name):
        """One method; it may change fields, and give a value or nothing."""
        self.taken.add("self")
        types = [self.a_type() for _ in range(self.rng.randint(0, 2))]
        returns = self.pick((3, self.a_type()), (1, None))
        head = ["self"]
        for k, t in enumerate(types):
            self.taken.add("q%d" % k)
            head.append("q%d: %s" % (k, SCALAR_NOTES[t][0]))
            self.names.append(Var("q%d" % k, t, assignable=False))
        lines = self.block_keeping(self.rng.randint(0 if returns else 1, 2), 1) or ["pass"]
        if returns:
            lines = [x for x in lines if x != "pass"] + ["return %s" % self.typed(returns, 2)]
        note = " -> %s" % ANNOTATIONS[returns][0] if returns else self.rng.choice([" -> None", ""])
        (made.methods if returns else made.changing).append(Function(name, returns, types))
        return ["def %s(%s)%s:" % (name, ", ".join(head), note)] + self.indent(lines)

    # objects

    def constructed(self, made):
        fitting = [f for f in self.functions if f.returns is made]
        if fitting and self.chance(0.5):
            f = self.rng.choice(fitting)
            args = self.arguments_of(f, 1)
            if args is not None:
                return "%s(%s)" % (f.name, args)
        return "%s(%s)" % (made.name, ", ".join(self.expr(t, 1) for t in made.parameters))

    def new_object(self):
        made = self.rng.choice(self.class_types)
        name = self.fresh("o")
        value = self.constructed(made)
        note = self.pick((2, ": %s" % made.name), (1, ""))
        self.add_object(name, made)
        return ["%s%s = %s" % (name, note, value)]

    def add_object(self, name, made, own=True):
        """The object's members and methods come into scope."""
        self.objects.append((name, made, own))
        for n, t in made.fields:
            self.names.append(Var("%s.%s" % (name, n), t))
        self.functions += [Function("%s.%s" % (name, f.name), f.returns, f.parameters)
                           for f in made.methods]
        self.procedures += [Function("%s.%s" % (name, f.name), None, f.parameters)
                            for f in made.changing]

    def renewed_object(self):
        mine = [o for o in self.objects if o[2]]
        if not mine:
            return self.new_object()
        name, made, _ = self.rng.choice(mine)
        return ["%s = %s" % (name, self.constructed(made))]
