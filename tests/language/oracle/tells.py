#!/usr/bin/env python3
"""The oracle on itself: the judge's answers are right, and a changed workunit is told apart."""
import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy as np  # noqa: E402
from pkoracle import check, compiled, folding, program, reference, values  # noqa: E402

EXPRESSIONS = {
    "-7 // 2": -4, "-7 % 2": 1, "2 ** 10": 1024, "1 if 1 < 2 < 3 else 0": 1, "7 / 2": 3.5,
    "round(2.5)": 2, "1e10 // 2.0": 5e9, "1.0 // 0.1": 9.0, "(0 or 3) and 5": 5,
    "min(2, 1.5, 3)": 1.5, "abs(-2.5)": 2.5, "int(-2.7)": -2, "pk.int8(200)": -56,
    "float(pk.float32(0.1))": 0.10000000149011612, "pk.uint64(1) - pk.uint64(2)": -1,
    "abs(complex(3.0, 4.0))": 5.0, "(complex(1.0, 2.0) / complex(0.0, 2.0)).real": 1.0,
    "float((pk.complex64(0.1) * pk.complex64(3.0)).real)": 0.30000001192092896,
    "pk.int64(1 << 62) * 2": -(1 << 63), "np.fmod(-7, 3)": -1, "np.maximum(math.nan, 1.0) > 0": False,
    "Narrow(300).f": 44, "Narrow(1).more(255)": 0,
}
CLASS = """
@pk.classtype
class Narrow:
    def __init__(self, f: int):
        self.f: pk.uint8 = f

    def more(self, by: int) -> int:
        self.f += by
        return self.f


"""
UNDEFINED = ["1 // 0", "2 ** 63", "int(math.nan)", "1 << 70"]


def value_of(expression):
    judge = reference.Reference(program.PRELUDE + CLASS + "def f():\n    return %s\n" % expression)
    return judge.names["f"]()


def judge_is_right():
    bad = 0
    for expression, want in EXPRESSIONS.items():
        got = value_of(expression)
        if got != want or isinstance(got, float) != isinstance(want, float):
            print("%s: %r, not %r" % (expression, got, want))
            bad += 1
    for expression in UNDEFINED:
        try:
            print("%s is not discarded: %r" % (expression, value_of(expression)))
            bad += 1
        except values.Discard:
            pass
    return bad


def folded_differently():
    """A number whose cube root the C library does not round right."""
    numbers = (k / 64 for k in range(1, 1000))
    return next(x for x in numbers
                if folding.rounded("cbrt", False, (x,)) != values.libm("cbrt", False, x))


def differences_are_seen(command):
    """One workunit's answers against the compiled form of others."""
    source = "@pk.workunit\ndef w0(i: int, a: pk.View1D[pk.int32]):\n    a[i] += %s\n"
    arguments = {"a": np.arange(4, dtype="int32")}
    right = program.Case("w0", source % "1", [(0, 4)], arguments)
    wrong = right.changed(source=source % "2")
    located = "@pk.workunit\ndef w1(i: int, acc: pk.Acc[pk.double], a: pk.View1D[pk.double]):\n" \
        "    if a[i] < acc.val:\n        acc.val = a[i]\n        acc.loc = i%s\n"
    smallest = program.Case("w1", located % "", [(0, 4)], {"a": np.array([3.0, 1.0, 2.0, 1.0])}, "MinLoc")
    functor = "@pk.functor\nclass F2:\n    def __init__(self, k):\n        self.k: int = k\n\n" \
        "    @pk.workunit\n    def w2(self, i: int, a: pk.View1D[pk.int32]):\n        a[i] = self.k%s\n"
    method = program.Case("w2", functor % "", [(0, 3)], {"a": np.zeros(3, "int32"), "k": 7}, owner="F2",
                          fields=["k"])
    cases = [(right, right, "ok"), (right, wrong, "differs"),
             (right, right.changed(source=source % "nobody"), "refused"), (smallest, smallest, "ok"),
             (smallest, smallest.changed(source=located % " + 1"), "differs"), (method, method, "ok"),
             (method, method.changed(source=functor % " - i"), "differs")]
    if folding.known():
        # The compiler knows this constant's cube root, and not as the C library has it.
        root = "@pk.workunit\ndef w3(i: int, a: pk.View1D[pk.double]):\n    a[i] = math.cbrt(%r%s)\n"
        constant = folded_differently()
        folded = program.Case("w3", root % (constant, ""), [(0, 2)], {"a": np.zeros(2)})
        cases += [(folded, folded, "ok"),
                  (folded, folded.changed(source=root % (constant, " * (1.0 + 1e-15)")), "differs")]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="pk-tells-") as folder:
        toolchain = compiled.Toolchain(command, {"PYKOKKOS_CACHE_DIR": os.path.join(folder, "s")})
        checker = check.Checker(toolchain, folder)
        for judged, case, want in cases:
            got = checker.check([case], [judged.expected()], [judged])[0]
            if got.kind != want:
                print("a case that is %s was called %s: %s" % (want, got.kind, got.detail))
                bad += 1
    return bad


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--command", required=True)
    a = p.parse_args()
    bad = judge_is_right() + differences_are_seen(os.path.abspath(a.command))
    print("%d mistakes" % bad)
    return 1 if bad else 0


sys.exit(main())
