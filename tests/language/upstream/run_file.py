"""Runs one file of PyKokkos' tests against compiled modules; a line of JSON for each test.

    run_file.py <PyKokkos checkout> <test file>

The package `pykokkos` is the checkout's own but for what compiles and runs: see standins/.
"""
import importlib.util
import itertools
import json
import os
import sys
import traceback
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def prepare(checkout):
    """Puts the stand-ins where PyKokkos looks for what they stand for."""
    sys.dont_write_bytecode = True
    sys.path[0:1] = [os.path.join(HERE, "standins"), checkout, os.path.join(checkout, "tests")]
    bindings = types.ModuleType("pykokkos.bindings")
    bindings.kokkos = __import__("kokkos")
    sys.modules["pykokkos.bindings"] = bindings
    load("pykokkos.core", os.path.join(HERE, "standins", "core.py"))


def reason_of(error):
    """The last lines of what went wrong, and where in the tests."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if HERE not in f.filename]
    where = "%s:%d: " % (os.path.basename(frames[-1].filename), frames[-1].lineno) if frames else ""
    text = str(error).strip() or type(error).__name__
    return where + "%s: %s" % (type(error).__name__, " ".join(text.split())[:300])


def attempt(call):
    try:
        call()
    except unittest.SkipTest as e:
        return "skipped", str(e)
    except Exception as e:  # whatever it is, it is the outcome of this test
        return "failed", reason_of(e)
    except SystemExit as e:
        return "failed", "exit: %s" % e
    return "passed", ""


def marked(marks, kind):
    """Whether one of the marks says so, and why."""
    for m in marks:
        if m.kind == kind and (not m.args or isinstance(m.args[0], str) or m.args[0]):
            return True, m.keywords.get("reason", "")
    return False, ""


def run_case(call, marks):
    """One call of a test under its marks."""
    skip, why = marked(marks, "skipif")
    if skip:
        return "skipped", why
    outcome, reason = attempt(call)
    expected, why = marked(marks, "xfail")
    if expected and outcome == "failed":
        return "xfailed", reason
    return outcome, reason


def cases_of(test):
    """(id, keyword arguments, marks) of each call that a test's parameters ask for."""
    marks = getattr(test, "pytest_marks", [])
    axes = []
    for m in marks:
        if m.kind != "parametrize":
            continue
        names = m.args[0]
        names = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)
        rows = []
        for row in m.args[1]:
            values = list(row.values) if hasattr(row, "marks") else [row] if len(names) == 1 else list(row)
            rows.append((dict(zip(names, values)), getattr(row, "marks", [])))
        axes.append(rows)
    for number, chosen in enumerate(itertools.product(*axes)):
        keywords, more = {}, []
        for k, ms in chosen:
            keywords.update(k)
            more += ms
        yield ("[%d]" % number if axes else "", keywords, marks + more)


def tests_of(module):
    """(id, call, marks) of all tests of a file."""
    for name, thing in list(vars(module).items()):
        if isinstance(thing, type) and issubclass(thing, unittest.TestCase):
            for method in unittest.TestLoader().getTestCaseNames(thing):
                test = thing(method)
                marks = getattr(getattr(thing, method), "pytest_marks", [])
                marks = marks + getattr(thing, "pytest_marks", [])
                yield "%s.%s" % (name, method), lambda test=test: run_unittest(test), marks
        elif name.startswith("test_") and callable(thing):
            for case, keywords, marks in cases_of(thing):
                yield name + case, lambda thing=thing, keywords=keywords: thing(**keywords), marks


def run_unittest(test):
    method = getattr(test, test._testMethodName)
    if getattr(method, "__unittest_skip__", False) or getattr(type(test), "__unittest_skip__", False):
        raise unittest.SkipTest(getattr(method, "__unittest_skip_why__", ""))
    test.setUp()
    try:
        method()
    finally:
        test.tearDown()


def main():
    checkout, path = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what workunits print must not mix with the lines
    prepare(checkout)
    try:
        module = load(os.path.splitext(os.path.basename(path))[0], path)
    except Exception as e:  # a file that cannot be imported is one failed test
        print(json.dumps(["(the file)", "failed", reason_of(e)]), file=out, flush=True)
        return 1
    for name, call, marks in tests_of(module):
        outcome, reason = run_case(call, marks)
        print(json.dumps([name, outcome, reason]), file=out, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
