"""A file's workunits, run by CPython."""
import ast
import builtins
import itertools
import os
import types
from collections import namedtuple

import numpy as np

from . import annotations, instrument, runtime, values, views

# indices: how many work indices (0: a team); acc: dtype or None; parameters: (name, Type) pairs;
# owner: the class, or "".
Workunit = namedtuple("Workunit", "name indices acc last_pass parameters line owner")


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
                    and isinstance(work, (ast.Name, ast.Attribute)) and policy.args:
                ranks[getattr(work, "id", None) or work.attr] = len(policy.args[0].elts)
    return ranks


def _signature(node, rank, owner=""):
    params = [(a.arg, annotations.parse(a.annotation)) for a in node.args.args]
    params = params[1:] if owner else params
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
    return Workunit(node.name, 0 if team else rank, acc, last_pass, params, node.lineno, owner)


def workunits_of(tree, ranks=None):
    """The workunits of a module's tree, those of classes too, in order. `ranks`: of MDRange
    policies by workunit; else the call sites in the module say."""
    ranks = ranks or _mdrange_ranks(tree)
    found = []
    for n in tree.body:
        members = n.body if isinstance(n, ast.ClassDef) else [n]
        owner = n.name if isinstance(n, ast.ClassDef) else ""
        found += [_signature(m, ranks.get(m.name, 1), owner) for m in members
                  if isinstance(m, ast.FunctionDef) and _is_workunit(m)]
    return found


def class_fields(tree, name):
    """Types of a class's fields by name: what its __init__ annotates."""
    for n in tree.body:
        if isinstance(n, ast.ClassDef) and n.name == name:
            return instrument.field_types(n)
    return {}


IDENTITIES = {"Sum": 0, "Prod": 1}


def identity(dtype, reducer):
    if reducer in IDENTITIES:
        return IDENTITIES[reducer]
    if reducer in ("LAnd", "BAnd"):
        return True if reducer == "LAnd" or dtype == "bool" else values.convert(dtype, -1)
    if reducer in ("LOr", "BOr"):
        return 0
    if reducer in ("MinLoc", "MaxLoc"):
        return views.LocValue(dtype, val=identity(dtype, reducer[:3]), loc=views.NO_LOCATION)
    if reducer in ("MinMax", "MinMaxLoc"):
        ends = dict(min_val=identity(dtype, "Min"), max_val=identity(dtype, "Max"))
        if reducer == "MinMaxLoc":
            ends.update(min_loc=views.NO_LOCATION, max_loc=views.NO_LOCATION)
        return views.LocValue(dtype, **ends)
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

    def __init__(self, source, filename="<workunits>", ranks=None, beside=None):
        """`beside`: texts of further modules by name, which the source imports."""
        tree = ast.parse(source, filename)
        self.workunits = {w.name: w for w in workunits_of(tree, ranks)}
        self.fields = {w.owner: class_fields(tree, w.owner) for w in self.workunits.values()}
        self.beside = beside or {}
        self.budget = runtime.Budget()
        self.folder = os.path.dirname(os.path.abspath(filename))
        self.modules = {"pykokkos": runtime.pykokkos_module(), "math": runtime.math_module(),
                        "numpy": runtime.numpy_module()}
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
            if name in self.beside:
                self._execute(ast.parse(self.beside[name]), name + ".py", module.__dict__)
            elif os.path.exists(path):
                with open(path, encoding="utf-8-sig") as f:
                    self._execute(ast.parse(f.read(), path), path, module.__dict__)
        return self.modules[name]

    def run(self, name, policy, arguments, reducer="Sum"):
        """Runs the workunit over `policy`, a list of (begin, end), with arrays and scalars by
        name; gives (result, magnitude of the terms). Raises values.Discard."""
        w = self.workunits[name]
        self.budget.rounds = 200000
        types = dict(w.parameters)
        given = {k: self._given(types.get(k), v) for k, v in arguments.items()}
        acc = None if w.acc is None else views.Acc(w.acc, identity(w.acc, reducer))
        if w.indices == 0:
            begin, end = policy[0]
            items = [(runtime.Team(k, end - begin),) for k in range(begin, end)]
        else:
            items = itertools.product(*[range(b, e) for b, e in policy])
        function = self.names[name] if not w.owner else self._method(w, given)
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

    def _given(self, type, value):
        """An argument as the workunit sees it."""
        if isinstance(value, np.ndarray):
            return views.View(value, type is None or type.kind != "list")
        if isinstance(value, list):
            return views.View(np.array(value, type.dtype), False)
        return value

    def _method(self, w, given):
        """A workunit of an object whose fields are taken out of `given`."""
        owner = self.names[w.owner]
        made = object.__new__(owner)
        for field, type in self.fields[w.owner].items():
            value = given.pop(field)
            scalar = type is not None and type.kind == "scalar"
            object.__setattr__(made, field, values.convert(type.dtype, value) if scalar else value)
        return getattr(made, w.name)
