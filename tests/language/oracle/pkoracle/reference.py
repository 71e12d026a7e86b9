"""A file's workunits, run by CPython."""
import ast
import builtins
import itertools
import os
import types
from collections import namedtuple

import numpy as np

from . import annotations, instrument, runtime, values, views

# indices: how many work indices (0: a team); acc: dtype or None; parameters: (name, Type) pairs.
Workunit = namedtuple("Workunit", "name indices acc last_pass parameters line")


def _is_workunit(node):
    for d in node.decorator_list:
        d = d.func if isinstance(d, ast.Call) else d
        if getattr(d, "attr", None) == "workunit" or getattr(d, "id", None) == "workunit":
            return True
    return False


def _mdrange_ranks(tree):
    """Ranks of MDRange policies by workunit, from the module's call sites."""
    ranks = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or len(node.args) < 2:
            continue
        for policy, work in zip(node.args, node.args[1:]):
            if isinstance(policy, ast.Call) and getattr(policy.func, "attr", "") == "MDRangePolicy" \
                    and isinstance(work, ast.Name) and policy.args:
                ranks[work.id] = len(policy.args[0].elts)
    return ranks


def _signature(node, rank):
    params = [(a.arg, annotations.parse(a.annotation)) for a in node.args.args]
    team = bool(params) and params[0][1] is not None and params[0][1].kind == "team"
    params = params[1:] if team else params[rank:]
    acc = None
    last_pass = False
    if params and params[0][1] is not None and params[0][1].kind == "acc":
        acc = params[0][1].dtype
        params = params[1:]
        if params and (params[0][0] == "last_pass" or params[0][1] is not None
                       and params[0][1] == annotations.Type("scalar", "bool")):
            last_pass = True
            params = params[1:]
    return Workunit(node.name, 0 if team else rank, acc, last_pass, params, node.lineno)


def workunits_of(tree, ranks=None):
    """The standalone workunits of a module's tree, in order. `ranks`: of MDRange policies by
    workunit; else the call sites in the module say."""
    ranks = ranks or _mdrange_ranks(tree)
    return [_signature(n, ranks.get(n.name, 1)) for n in tree.body
            if isinstance(n, ast.FunctionDef) and _is_workunit(n)]


IDENTITIES = {"Sum": 0, "Prod": 1}


def identity(dtype, reducer):
    if reducer in IDENTITIES:
        return IDENTITIES[reducer]
    if reducer in ("LAnd", "BAnd"):
        return True if reducer == "LAnd" or dtype == "bool" else values.convert(dtype, -1)
    if reducer in ("LOr", "BOr"):
        return 0
    low, high = values.INT_LIMITS.get(dtype, (None, None))
    if dtype == "bool":
        low, high = False, True
    if low is None:
        # Kokkos starts at the largest finite numbers.
        largest = float(np.finfo(dtype).max)
        low, high = -largest, largest
    return low if reducer == "Max" else high


class Reference:
    """A module's instrumented form; `run` is the judge of what a workunit computes."""

    def __init__(self, source, filename="<workunits>", ranks=None):
        tree = ast.parse(source, filename)
        self.workunits = {w.name: w for w in workunits_of(tree, ranks)}
        self.budget = runtime.Budget()
        self.folder = os.path.dirname(os.path.abspath(filename))
        math_module = runtime.math_module()
        self.modules = {"pykokkos": runtime.pykokkos_module(), "math": math_module,
                        "numpy": math_module}
        self.names = self._execute(tree, filename, {"__name__": "workunits"})

    def _execute(self, tree, filename, names):
        """Runs an instrumented module's top level; gives its globals."""
        for name, value in runtime.namespace(self.budget).items():
            names.setdefault(name, value)
        names["__builtins__"] = dict(vars(builtins), __import__=self._import)
        exec(compile(instrument.instrument(tree), filename, "exec"), names)
        return names

    def _import(self, name, globals=None, locals=None, fromlist=(), level=0):
        """Files beside this one are instrumented too; what else there is has nothing to say."""
        if name in ("typing", "__future__"):
            return builtins.__import__(name, globals, locals, fromlist, level)
        if name not in self.modules:
            path = os.path.join(self.folder, *name.split(".")) + ".py"
            module = self.modules[name] = types.ModuleType(name)
            if os.path.exists(path):
                with open(path, encoding="utf-8-sig") as f:
                    self._execute(ast.parse(f.read(), path), path, module.__dict__)
        return self.modules[name]

    def run(self, name, policy, arguments, reducer="Sum"):
        """Runs the workunit over `policy`, a list of (begin, end), with arrays and scalars by
        name; gives (result, magnitude of the terms). Raises values.Discard."""
        w = self.workunits[name]
        self.budget.rounds = 200000
        given = {k: views.View(v) if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
        acc = None if w.acc is None else views.Acc(w.acc, identity(w.acc, reducer))
        if w.indices == 0:
            begin, end = policy[0]
            items = [(runtime.Team(k, end - begin),) for k in range(begin, end)]
        else:
            items = itertools.product(*[range(b, e) for b, e in policy])
        function = self.names[name]
        for item in items:
            leading = list(item)
            if acc is not None:
                leading.append(acc)
            if w.last_pass:
                leading.append(True)
            try:
                function(*leading, **given)
            except (ZeroDivisionError, OverflowError, ValueError) as e:
                raise values.Discard(str(e)) from None
        if acc is None:
            return None, 0.0
        return acc.v, acc.magnitude
