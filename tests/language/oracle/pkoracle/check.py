"""Cases through the compiled path: what happened to each."""
import ast
import os
import re
import shutil
import types
from collections import namedtuple

import numpy as np

from . import compare, compiled, program, reference
from .functions import BESIDE

# kind: "ok", "declined" (a constant beyond 64 bits), "refused" (by the translator), "broken" (its C++ does not compile), "crash",
# "error" (an exception from the module) or "differs".
Outcome = namedtuple("Outcome", "kind detail", defaults=("",))
OK = Outcome("ok")


class Checker:
    """Builds files of cases below `folder`, runs them, and compares with CPython's answers."""

    def __init__(self, toolchain, folder):
        self.toolchain, self.folder = toolchain, folder
        self.built = 0
        self.kept = []
        self.judges = {}

    def check(self, cases, answers, judges=None):
        """One Outcome a case; `answers` are what Case.expected() gave. `judges`: the cases that
        gave them, where those are not the ones that are compiled."""
        outcomes = {}
        self.judges = {c.name: j for c, j in zip(cases, judges or cases)}
        self._build(list(zip(cases, answers)), outcomes)
        for path in self.kept:
            shutil.rmtree(path, ignore_errors=True)
        self.kept = []
        return [outcomes[c.name] for c in cases]

    def _build(self, pairs, outcomes):
        while pairs:
            self.built += 1
            folder = os.path.join(self.folder, "b%d" % self.built)
            os.makedirs(folder)
            self.kept.append(folder)
            source = os.path.join(folder, "random%d.py" % self.built)
            with open(source, "w", encoding="utf-8") as f:
                f.write(program.module_text([c for c, _ in pairs]))
            if any(c.library for c, _ in pairs):
                with open(os.path.join(folder, BESIDE + ".py"), "w", encoding="utf-8") as f:
                    f.write(program.library_text([c for c, _ in pairs]))
            try:
                refused = self.toolchain.refusals(source)
                if not refused:
                    module = self.toolchain.build(source, os.path.join(folder, "out"))
                    return self._run(module, pairs, outcomes)
                names = _constants([c for c, _ in pairs]) if refused else {}
                bad = {n: Outcome("declined" if _too_large(e, names) else "refused", _located(e))
                       for n, e in refused.items()}
            except compiled.BuildError as e:
                bad = {n: Outcome("broken", t) for n, t in e.broken.items()}
                if not any(c.full_name in bad for c, _ in pairs):
                    return self._halves(pairs, outcomes, e.text)
            outcomes.update({c.name: bad[c.full_name] for c, _ in pairs if c.full_name in bad})
            left = [p for p in pairs if p[0].full_name not in bad]
            if len(left) == len(pairs):
                return self._halves(pairs, outcomes, str(bad))
            pairs = left
        return None

    def _halves(self, pairs, outcomes, text):
        """The build failed and named nobody."""
        if len(pairs) == 1:
            outcomes[pairs[0][0].name] = Outcome("broken", text)
            return
        half = len(pairs) // 2
        self._build(pairs[:half], outcomes)
        self._build(pairs[half:], outcomes)

    def _run(self, module, pairs, outcomes):
        calls = [dict(name=c.name, policy=c.policy, arguments=c.copied_arguments(),
                      reducer=c.reducer, team=c.team, owner=c.owner, fields=c.fields) for c, _ in pairs]
        for (case, answer), got in zip(pairs, compiled.run(module, calls,
                                                             environment=self.toolchain.run_environment)):
            outcome = _judge(case, answer, got)
            if outcome.kind == "differs":
                others = self.judges[case.name].folded_answers()
                outcome = OK if any(_judge(case, a, got) == OK for a in others) else outcome
            outcomes[case.name] = outcome


def _constants(cases):
    """The module constants of generated cases, by name."""
    names = {}
    for case in cases:
        for s in ast.parse(case.library + case.source).body:
            if isinstance(s, ast.Assign):
                exec(compile(ast.Module([s], []), "<constant>", "exec"), names)
    names[BESIDE] = types.SimpleNamespace(**names)
    return names


def _too_large(error, names):
    """Whether a refusal is right that a constant has more than 64 bits: such code may be there
    where it is not reached."""
    match = re.match("the integer (.*) does not fit 64 bits", str(error.get("message")))
    try:
        return bool(match) and not -(1 << 63) <= eval(match.group(1), names) < 1 << 64
    except Exception:  # no constant expression of Python alone
        return False


def _located(error):
    return "line %s: %s" % (error.get("line"), error.get("message")) if isinstance(error, dict) \
        else str(error)


def _judge(case, answer, got):
    if got[0] != "ok":
        return Outcome(got[0], got[1])
    result, magnitude, arguments = answer
    for name, want in arguments.items():
        if isinstance(want, np.ndarray) and not compare.same_array(got[2][name], want):
            return Outcome("differs", "%s:\n  CPython  %s\n  compiled %s"
                           % (name, want.tolist(), got[2][name].tolist()))
    dtype = accumulator(case)
    if dtype and not compare.same_result(got[1], result, dtype, case.terms(), magnitude):
        return Outcome("differs", "result: CPython %r, compiled %r" % (result, got[1]))
    return OK


def accumulator(case):
    """The dtype of a case's accumulator, or None."""
    found = reference.workunits_of(ast.parse(case.source), {case.name: len(case.policy)})
    return {w.name: w.acc for w in found}[case.name]
