"""What a workunit does with its accumulator, for each reducer."""
from .expressions import Var, type_of
from .statements import Statements

INTEGERS = ["int64", "int64", "int32", "uint32", "int8"]
ORDERED = ["int64", "float64", "int32", "float32", "float64"]
# Which types of accumulator a reducer may have.
TYPES = {
    "Sum": ["int64", "float64", "int64", "float64", "int32", "float32", "complex128", "uint8"],
    "Prod": ["int64", "float64"], "Min": ORDERED, "Max": ORDERED,
    "BAnd": INTEGERS, "BOr": INTEGERS, "LAnd": ["bool", "int64"], "LOr": ["bool", "int64"],
    "MinLoc": ORDERED, "MaxLoc": ORDERED, "MinMax": ORDERED, "MinMaxLoc": ORDERED,
}


class Reductions(Statements):
    """Needs besides: acc, the accumulator's dtype, and reducer."""

    def choose_reducer(self):
        self.reducer = self.pick((8, "Sum"), (2, "Prod"), *[(2, r) for r in TYPES if r not in ("Sum", "Prod")])
        self.acc = self.rng.choice(TYPES[self.reducer])

    def accumulate(self):
        type = type_of(self.acc)
        if self.reducer in ("Max", "Min"):
            return self.extreme("acc", self.reducer == "Max", type)
        if self.reducer.endswith("Loc") or self.reducer == "MinMax":
            return self.located(type)
        if self.reducer == "Prod":
            return ["acc *= %s" % self.rng.choice(["1", "2", "-1", "1 + (%s)" % self.small(1, 1)])]
        if self.reducer in ("BAnd", "BOr"):
            op = "&|"[self.reducer == "BOr"]
            e = self.expr("int", self.size)
            return [self.pick((2, "acc %s= %s" % (op, e)), (1, "acc = acc %s (%s)" % (op, e)))]
        if self.reducer in ("LAnd", "LOr"):
            op = self.reducer[1:].lower()
            e = self.expr("bool", self.size)
            if self.acc == "bool":
                return [self.pick((1, "acc = acc %s (%s)" % (op, e)),
                                  (1, "acc %s= %s" % ("&" if op == "and" else "|", e)))]
            return ["acc = 1 if acc %s (%s) else 0" % (op, e)]
        if type == "int" and self.chance(0.2):
            return ["acc -= %s" % self.expr(type, self.size)]
        e = self.expr(type, self.size)
        return [self.pick((4, "acc += %s" % e), (1, "acc = acc + (%s)" % e))]

    def extreme(self, place, largest, type, also=()):
        """Brings `place` to the value where that is beyond it; then the lines `also`."""
        e = self.expr(type, self.size)
        if not also and place == "acc" and self.chance(0.5):
            return ["acc = %s(acc, %s)" % ("max" if largest else "min", e)]
        name = self.fresh("m")
        note = self.pick((1, ": " + {"int": "int", "dbl": "float", "flt": "pk.float32"}[type]), (2, ""))
        self.names.append(Var(name, type, assignable=False))
        return ["%s%s = %s" % (name, note, e), "if %s %s %s:" % (name, "<>"[largest], place),
                "    %s = %s" % (place, name)] + self.indent(list(also))

    def located(self, type):
        # In several dimensions the order is the policy's: which of equal values comes first, too.
        where = self.indices[0] if len(self.indices) == 1 else "7"
        if self.reducer in ("MinLoc", "MaxLoc"):
            return self.extreme("acc.val", self.reducer == "MaxLoc", type, ["acc.loc = %s" % where])
        loc = self.reducer == "MinMaxLoc"
        return self.extreme("acc.min_val", False, type, ["acc.min_loc = %s" % where] if loc else []) \
            + self.extreme("acc.max_val", True, type, ["acc.max_loc = %s" % where] if loc else [])
