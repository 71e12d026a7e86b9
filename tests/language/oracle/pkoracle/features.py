"""Random statements with arrays of the function's own, parts of views, atomics and teams."""
from .expressions import Array, Var, type_of
from .complexes import ComplexNumbers
from .reductions import Reductions
from .statements import SCALAR_NOTES

LIST_NOTES = {"int64": "int", "int32": "pk.int32", "uint8": "pk.uint8", "float64": "float",
              "bool": "bool"}
# What atomics do in any order with one result.
ATOMICS = ["add", "sub", "max", "min", "and", "or", "xor"]


class Features(Reductions, ComplexNumbers):
    """Needs besides: shared, (Array, operator) pairs for atomics; team, its name or None."""

    def statement(self, depth):
        choice = self.pick((30, None), (1, self.local_list), (1, self.subview),
                           (4 if self.shared else 0, self.atomic),
                           (6 if self.team and not self.in_inner else 0, self.nested))
        return choice() if choice else super().statement(depth)

    def block(self, count, depth):
        arrays, outputs = list(self.arrays), list(self.outputs)
        lines = super().block(count, depth)
        self.arrays, self.outputs = arrays, outputs
        return lines

    def local_list(self):
        dtype = self.rng.choice(list(LIST_NOTES))
        name = self.fresh("items")
        n = self.rng.randint(1, 4)
        values = [self.expr(type_of(dtype), 1) for _ in range(n)]
        line = "%s: List[%s] = [%s]" % (name, LIST_NOTES[dtype], ", ".join(values))
        made = Array(name, dtype, [n], [])
        made.local = True
        self.arrays.append(made)
        self.outputs.append(made)
        return [line]

    def subview(self):
        """A name for a part of a view that is only read."""
        fitting = [a for a in self.arrays if a.owned is None and not a.local]
        if not fitting:
            return self.new_local()
        a = self.rng.choice(fitting)
        index, shape = [], []
        kept = self.rng.randrange(len(a.shape))
        for d, n in enumerate(a.shape):
            if d != kept and self.chance(0.6):
                index.append(self.index(n, d))
                continue
            low = self.rng.randint(0, n - 1)
            high = self.rng.randint(low + 1, n)
            text = self.pick((4, ":"), (1, "%d:%d" % (low, high)), (1, "%d:" % low), (1, ":%d" % high))
            index.append(text)
            begin = low if text[0] != ":" else 0
            shape.append((high if text[-1] != ":" else n) - begin)
        name = self.fresh("part")
        part = Array(name, a.dtype, shape)
        part.part = True
        line = "%s = %s[%s]" % (name, a.name, ", ".join(index))
        self.arrays.append(part)
        return [line]

    def atomic(self):
        a, op = self.rng.choice(self.shared)
        index = ", ".join(self.index(n, None) for n in a.shape)
        name = self.pick((2, "pk.atomic_%s" % op), (1, "pk.atomic_fetch_%s" % op))
        by_one = {"add": "increment", "sub": "decrement"}
        if op in by_one and self.chance(0.3):
            return ["pk.atomic_%s(%s, [%s])" % (by_one[op], a.name, index)]
        return ["%s(%s, [%s], %s)" % (name, a.name, index, self.expr("int", 1))]

    def nested(self):
        """A pattern over the team, with its inner function."""
        name, item = self.fresh("each"), self.fresh("n")
        bound = self.rng.randint(0, 5)
        text = self.pick((3, str(bound)), (1, "(%s) & 3" % self.expr("int", 1)))
        where = self.rng.choice(["TeamThreadRange", "ThreadVectorRange", "TeamVectorRange"])
        reduces = self.chance(0.6)
        acc = self.fresh("sum")

        def body():
            self.taken.add(item)
            self.names.append(Var(item, "int", False, bound if text == str(bound) and bound else None))
            if reduces:
                lines = self.block_keeping(self.rng.randint(0, 2), 1)
                return ["def %s(%s: int, %s: pk.Acc[pk.int64]):" % (name, item, acc)] + self.indent(
                    lines + ["%s += %s" % (acc, self.expr("int", 2))])
            lines = self.block_keeping(self.rng.randint(1, 2), 1)
            if outer and self.chance(0.8):
                o = self.rng.choice(outer)
                place = list(o.owned) + ["(%s) %% %d" % (item, n) for n in o.shape[len(o.owned):]]
                lines += ["%s += %s" % (self.subscript(o.name, place), self.expr(type_of(o.dtype), 2))]
            return ["def %s(%s: int):" % (name, item)] + self.indent(lines)

        outer = [o for o in self.outputs if o.owned and type_of(o.dtype) in ("int", "dbl")]
        captured = [v.read_only() for v in self.names]
        team, self.in_inner = self.team, True
        lines = self.scoped(captured, list(self.arrays), [], body)
        self.in_inner, self.team = False, team
        call = "(pk.%s(%s, %s), %s)" % (where, team, text, name)
        if not reduces:
            return lines + ["pk.parallel_for%s" % call]
        result = self.fresh("total")
        self.names.append(Var(result, "int"))
        note = self.pick((2, ": %s" % SCALAR_NOTES["int"][0]), (1, ""))
        return lines + ["%s%s = pk.parallel_reduce%s" % (result, note, call)]
