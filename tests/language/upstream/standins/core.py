"""In place of pykokkos.core: workunits run as PyKokkosCache compiled them.

A file is built when the first of its workunits is run. Workunits without annotations are built for
the types of each call, as PyKokkos infers them.
"""
import ast
import importlib.machinery
import importlib.util
import inspect
import itertools
import json
import os
import shutil
import subprocess
import sys
import textwrap
import types

import numpy as np


class Keywords:
    """Of PyKokkos' generated code; nothing here."""


class Refused(Exception):
    """The translator does not take a workunit."""


def _tool(path):
    """A Python program of the project, as a module."""
    loader = importlib.machinery.SourceFileLoader("pkc_corpus", path)
    module = types.ModuleType("pkc_corpus")
    module.__file__ = path
    loader.exec_module(module)
    return module


class Modules:
    """Compiled modules of Python files, and the workunits that each lacks."""

    def __init__(self):
        self.command = os.environ["PKC_COMMAND"]
        self.folder = os.environ["PKC_MODULES"]
        self.corpus = _tool(os.environ["PKC_CORPUS"])
        self.built = {}
        self.folders = itertools.count()

    def of(self, path, options=(), wanted=()):
        """(module, records, refusals) of a file, built with --instantiate and --fuse options; then
        of the workunits `wanted` alone."""
        if (path, options) not in self.built:
            try:
                self.built[path, options] = self._build(path, options, wanted)
            except Refused as e:
                self.built[path, options] = e
        if isinstance(self.built[path, options], Refused):
            raise self.built[path, options]
        return self.built[path, options]

    def _build(self, path, options, wanted):
        folder = os.path.join(self.folder, "m%d" % next(self.folders))
        os.makedirs(folder)
        copy = os.path.join(folder, os.path.basename(path))
        shutil.copyfile(path, copy)
        listed = self._run("list", "--json", *options, copy)
        try:
            records = json.loads(listed.stdout)
        except ValueError:
            raise Refused(listed.stderr.strip()) from None
        refused = {r["workunit"]: r["error"]["message"] for r in records if r.get("error")}
        hidden = set(refused)
        if options:
            hidden |= {r["workunit"] for r in records} - {"fused", *wanted}
        self.corpus.hide(copy, hidden)
        done = self._run("build", "--python", "--name", "compiled", "-o", os.path.join(folder, "out"),
                         *options, copy)
        if done.returncode != 0:
            raise Refused(done.stdout + done.stderr)
        library = done.stdout.strip().splitlines()[-1]
        spec = importlib.util.spec_from_file_location("compiled", library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module, {r["workunit"]: r for r in records}, refused

    def _run(self, *arguments):
        return subprocess.run([self.command, *arguments], stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.PIPE, text=True)


def plain(value):
    """A call's argument as a compiled module takes it."""
    if hasattr(value, "dtype") and hasattr(value, "data") and not isinstance(value, (np.ndarray, np.generic)):
        return value.data
    return value


def type_name(value):
    """The type of an argument in an INSTANTIATE entry."""
    names = {"float64": "double", "float32": "float32"}
    if isinstance(value, np.ndarray):
        name = value.dtype.name
        return "View%dD[%s]" % (max(value.ndim, 1), names.get(name, name))
    if isinstance(value, np.generic):
        return names.get(value.dtype.name, value.dtype.name)
    return "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "double"


def parameters(function):
    """Names and annotations, from the source: they need not be objects that Python can make."""
    if function.__name__ == "<lambda>":
        raise Refused("a lambda is no workunit: write a function")
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return [(a.arg, a.annotation) for a in tree.body[0].args.args]


class Runtime:
    """What pykokkos.interface asks to run things."""

    fusion_strategy = None

    def __init__(self):
        self.modules = Modules()

    def run_workload(self, space, workload):
        """Its main runs as Python; the workunits that it runs are compiled."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(type(workload))))
        for wanted in ("main", "callback"):
            for f in tree.body[0].body:
                if isinstance(f, ast.FunctionDef) and any(
                        ast.unparse(d).split(".")[-1] == wanted for d in f.decorator_list):
                    getattr(workload, f.name)()

    def run_workunit(self, name, policy, workunit, operation, initial_value=0, **arguments):
        if isinstance(workunit, list):
            return self._run_fused(policy, workunit, arguments)
        arguments = {k: plain(v) for k, v in arguments.items()}
        function = getattr(workunit, "__func__", workunit)
        entry = self._entry(function, arguments)
        full = function.__qualname__
        module, records, refused = self.modules.of(inspect.getsourcefile(function), entry, (full,))
        if full in refused:
            raise Refused(refused[full])
        place = module
        if hasattr(workunit, "__self__"):
            made = workunit.__self__
            fields = {f["name"]: plain(getattr(made, f["name"])) for f in records[full]["fields"]
                      if hasattr(made, f["name"])}
            place = getattr(module, full.split(".")[0])(**fields)
        result = getattr(place, function.__name__)(self._policy(module, policy), **arguments)
        return None if result is None else result + initial_value

    def _run_fused(self, policy, workunits, arguments):
        """A list of workunits; args_0 and so on are the arguments of each."""
        each = [{n: plain(v) for n, v in arguments["args_%d" % k].items()} for k in range(len(workunits))]
        options = ()
        for function, given in zip(workunits, each):
            entry = self._entry(function, given)
            options += entry if not set(entry) <= set(options) else ()
        options += ("--fuse", "fused = " + " + ".join(f.__name__ for f in workunits))
        module, records, refused = self.modules.of(inspect.getsourcefile(workunits[0]), options,
                                                   tuple(f.__name__ for f in workunits))
        if "fused" in refused:
            raise Refused(refused["fused"])
        names, together = {p["name"] for p in records["fused"]["parameters"]}, {}
        for k, given in enumerate(each):
            for n, value in given.items():
                name = "fused_%s_%d" % (n, k) if "fused_%s_%d" % (n, k) in names else n
                if together.setdefault(name, value) is not value:
                    raise Refused("one parameter %s of the fused workunit for two arguments" % n)
        return module.fused(self._policy(module, policy), **together)

    def _entry(self, function, arguments):
        """The options that give a call's types to parameters without annotations."""
        missing = [n for n, a in parameters(function) if a is None and n in arguments]
        if not missing:
            return ()
        return ("--instantiate", "%s(%s)" % (function.__name__, ", ".join(
            "%s: %s" % (n, type_name(arguments[n])) for n in missing)))

    def _policy(self, module, policy):
        if type(policy).__name__ == "TeamPolicy":
            size = policy.team_size
            return module.TeamPolicy(policy.league_size) if not isinstance(size, int) or size < 0 \
                else module.TeamPolicy(policy.league_size, size)
        if type(policy).__name__ == "MDRangePolicy":
            return tuple(zip(policy.begin, policy.end))
        return (policy.begin, policy.end)

    def flush_data(self, data):
        """Nothing is delayed."""

    def flush_trace(self):
        """Nothing is delayed."""
