"""Random complex expressions: types "cpl" (complex128) and "c64" (complex64)."""
from .statements import Statements


class ComplexNumbers(Statements):
    """Needs besides: has_cpl and has_c64, whether the case has any."""

    def _cpl(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("cpl")
        d = depth - 1
        return self.pick(
            (6, lambda: self.leaf("cpl")),
            (3, lambda: "complex(%s, %s)" % (self.typed("dbl", d), self.typed("dbl", d))),
            (8, lambda: self.binary(r.choice("+-*"), e("cpl", d), e("cpl", d))),
            (2, lambda: self.binary("/", e("cpl", d), e("cpl", d))),
            (3, lambda: self.mixed("cpl", r.choice(["dbl", "int", "bool"]), r.choice("+-*"), d)),
            (1, lambda: self.binary("/", e("cpl", d), self.nonzero(d))),
            (1, lambda: self.binary("/", e("dbl", d), e("cpl", d))),
            (1, lambda: self.binary("**", e("cpl", d), str(r.randint(0, 3)))),
            (2, lambda: "-(%s)" % e("cpl", d)),
            (2, lambda: "(%s).conjugate()" % e("cpl", d)),
            (1, lambda: self.ternary("cpl", d)), (1, lambda: self.call("cpl", d)),
            (1 if self.has_c64 else 0, lambda: self.mixed("cpl", "c64", r.choice("+-*"), d)),
            (1 if self.has_c64 else 0, lambda: "pk.complex128(%s)" % e("c64", d)),
        )()

    def _c64(self, depth):
        r, e = self.rng, self.expr
        if depth <= 0:
            return self.leaf("c64")
        d = depth - 1
        return self.pick(
            (6, lambda: self.leaf("c64")),
            (8, lambda: self.binary(r.choice("+-*"), e("c64", d), e("c64", d))),
            (2, lambda: self.binary("/", e("c64", d), e("c64", d))),
            (3, lambda: self.mixed("c64", r.choice(["flt", "int"]), r.choice("+-*"), d)),
            (2, lambda: self.binary(r.choice("+-*/"), e("c64", d), r.choice(["0.1", "2.0", "-1.5"]))),
            (2, lambda: "-(%s)" % e("c64", d)),
            (2, lambda: "(%s).conjugate()" % e("c64", d)),
            (1, lambda: self.ternary("c64", d)), (1, lambda: self.call("c64", d)),
            (1, lambda: "pk.complex64(%s)" % e("cpl", d)),
        )()

    def _dbl(self, depth):
        if depth > 0 and self.has_cpl and self.chance(0.15):
            z = self.expr("cpl", depth - 1)
            return self.pick((2, "(%s).real"), (2, "(%s).imag"), (1, "abs(%s)")) % z
        return super()._dbl(depth)

    def _flt(self, depth):
        if depth > 0 and self.has_c64 and self.chance(0.15):
            z = self.expr("c64", depth - 1)
            return self.pick((2, "(%s).real"), (2, "(%s).imag"), (1, "abs(%s)")) % z
        return super()._flt(depth)

    def _bool(self, depth):
        if depth > 0 and self.has_cpl and self.chance(0.1):
            kind = "c64" if self.has_c64 and self.chance(0.3) else "cpl"
            return self.binary(self.rng.choice(["==", "!="]), self.expr(kind, depth - 1),
                               self.expr(kind, depth - 1))
        return super()._bool(depth)
