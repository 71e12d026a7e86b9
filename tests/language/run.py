#!/usr/bin/env python3
"""Runs the workunits of a folder compiled and compares with what CPython computes.

    run.py --command pykokkos-cache --cases FOLDER --work FOLDER

A folder holds
  m*.py         workunits ("step", or "Lattice.step" with the fields of its class in `fields`), INPUTS and expected(): the right answers. The file also runs under plain
                CPython (`pkstub`, beside it, stands in for PyKokkos). Names in MAY_REJECT may be
                refused instead, with an error. A file with TOLERANCE = {name: ulps} allows so much
                for functions that the C library rounds otherwise than CPython's.
  errors/e*.py  files that must be refused; the docstring says `EXPECT-ERROR line N: word`. The
                workunit `good` in the same file must still be listed.

Exit code 77 where the folder is missing: skipped.
"""
import argparse
import ast
import importlib
import importlib.util
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
SKIPPED = 77


def ulps_apart(a, b):
    def ordered(x):
        i = struct.unpack("q", struct.pack("d", x))[0]
        return i if i >= 0 else -(i & 0x7FFFFFFFFFFFFFFF)

    return abs(ordered(a) - ordered(b))


def same(got, want, ulps=0):
    """Equal in type and value; floats to the last bit, the sign of zero too."""
    if isinstance(got, list):
        return len(got) == len(want) and all(same(x, y, ulps) for x, y in zip(got, want))
    if isinstance(want, float):
        if math.isnan(want):
            return isinstance(got, float) and math.isnan(got)
        if ulps and isinstance(got, float) and math.isfinite(got) and math.isfinite(want):
            return ulps_apart(got, want) <= ulps
        return isinstance(got, float) and got == want and math.copysign(1, got) == math.copysign(1, want)
    if isinstance(want, complex):
        return isinstance(got, complex) and same(got.real, want.real, ulps) and same(got.imag, want.imag, ulps)
    return type(got) is type(want) and got == want


def load(path, name):
    """The case file as a Python module, with the stand-in for PyKokkos beside it."""
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


def arguments(spec):
    import numpy

    values = {}
    for name, (dtype, value) in {**spec.get("fields", {}), **spec["args"]}.items():
        values[name] = value if dtype == "scalar" else numpy.array(value, dtype=dtype)
    for name, dtype in spec["out"].items():
        if name not in values:
            values[name] = numpy.zeros(spec["n"], dtype=dtype)
    return values


def call(compiled, name, spec, values):
    function = compiled
    if "." in name:  # a functor's method: the class is made of its fields
        fields = {k: values[k] for k in spec["fields"]}
        values = {k: v for k, v in values.items() if k not in fields}
        function = getattr(compiled, name.split(".")[0])(**fields)
    function = getattr(function, name.split(".")[-1])
    if spec.get("kind") == "team":
        return function(compiled.TeamPolicy(spec["n"], 1), **values)
    if "extents" in spec:  # a work index a dimension
        return function(tuple((0, n) for n in spec["extents"]), **values)
    if "reducer" in spec:
        return function(spec["n"], reducer=spec["reducer"], **values)
    return function(spec["n"], **values)


def printed(call_it):
    """What a call writes to the process's standard output, which C's printf uses."""
    import ctypes
    import tempfile

    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            result = call_it()
        finally:
            flush(None)
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return result, file.read().decode()


def run_module(case_path, built_path, names):
    """In a process of its own: compares each of `names`; prints what differs."""
    case = load(case_path, "case_" + os.path.basename(case_path)[:-3])
    sys.path.insert(0, os.path.dirname(built_path))
    compiled = importlib.import_module(os.path.basename(built_path).split(".")[0])
    expected = case.expected()
    tolerance = getattr(case, "TOLERANCE", {})
    bad = 0
    for name in names:
        spec = case.INPUTS[name]
        values = arguments(spec)
        try:
            result, text = printed(lambda: call(compiled, name, spec, values))
        except Exception as error:
            print(f"EXC   {name}: {type(error).__name__}: {error}")
            bad += 1
            continue
        got = {key: values[key].tolist() for key in spec["out"]}
        if "result" in expected[name]:
            got["result"] = list(result) if isinstance(result, tuple) else result
        if "printed" in expected[name]:
            got["printed"] = "".join(sorted(text.splitlines(True)))  # threads print in any order
        for key, want in expected[name].items():
            if not same(got[key], want, tolerance.get(name, 0)):
                print(f"DIFF  {name}: {key}: got {got[key]}, CPython {want}")
                bad += 1
    return bad


def listing(command, path):
    done = subprocess.run([command, "list", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"list --json {path}: exit code {done.returncode}, no JSON: {done.stderr.decode()}")


def without(path, names, out):
    """A copy without some functions: what may be refused is left out of the build."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            for i in range(first - 1, node.end_lineno):
                lines[i] = ""
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def check_module(command, path, work):
    name = os.path.basename(path)[:-3]
    case = load(path, "case_" + name)
    if not hasattr(case, "INPUTS"):
        return 0, 0
    bad = 0
    may_reject = getattr(case, "MAY_REJECT", [])
    refused = {}
    for entry in listing(command, path):
        if "error" in entry:
            refused[entry["workunit"]] = entry["error"]
    for workunit, error in refused.items():
        if workunit not in may_reject:
            print(f"REFUSED {name}.{workunit}: line {error['line']}: {error['message']}")
            bad += 1
        elif not error.get("message") or not error.get("line"):
            print(f"REFUSED without a reason: {name}.{workunit}")
            bad += 1
    folder = os.path.join(work, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    source = path
    if refused:
        source = os.path.join(folder, name + ".py")
        without(path, refused, source)
        for other in os.listdir(os.path.dirname(path)):  # what it may import
            if other.endswith(".py") and not re.match(r"[me]\d*_", other):
                shutil.copy(os.path.join(os.path.dirname(path), other), folder)
    done = subprocess.run([command, "build", "--python", "-o", folder, source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        print(f"BUILD {name}: exit code {done.returncode}\n{text}")
        return bad + 1, len(case.INPUTS)
    built = text.strip().split("\n")[-1]
    names = [w for w in case.INPUTS if w not in refused]
    child = subprocess.run([sys.executable, os.path.abspath(__file__), "--child", path, built, *names])
    if child.returncode:
        print(f"FAILED {name}")
        bad += 1
    return bad, len(names)


def check_error(command, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    wanted = re.search(r"EXPECT-ERROR line (\d+): (.*)", text)
    line, word = int(wanted.group(1)), wanted.group(2).strip()
    entries = listing(command, path)
    errors = [e for entry in entries for e in entry.get("errors", [])]
    good = [e for e in entries if e.get("workunit") == "good" and "error" not in e]
    bad = 0
    if not any(e["line"] == line and word in e["message"] for e in errors):
        print(f"ERROR {os.path.basename(path)}: wanted line {line} with '{word}', got {errors}")
        bad += 1
    if re.search(r"^def good\(", text, re.M) and not good:
        print(f"ERROR {os.path.basename(path)}: the workunit good is not listed")
        bad += 1
    return bad


def files(folder, letter):
    if not os.path.isdir(folder):
        return []
    return sorted(os.path.join(folder, f) for f in os.listdir(folder)
                  if re.fullmatch(letter + r"\w*\.py", f))


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        sys.exit(min(run_module(sys.argv[2], sys.argv[3], sys.argv[4:]), 1))
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only", default="", help="files whose name has this in it")
    options = parser.parse_args()
    if not os.path.isdir(options.cases):
        print(f"SKIPPED: no folder of cases at {options.cases}")
        sys.exit(SKIPPED)
    os.makedirs(options.work, exist_ok=True)
    os.environ.setdefault("PYKOKKOS_CACHE_DIR", os.path.join(options.work, "store"))
    bad = workunits = modules = refusals = 0
    for path in files(options.cases, "m"):
        if options.only in path:
            failures, count = check_module(options.command, path, options.work)
            bad += failures
            workunits += count
            modules += 1
    for path in files(os.path.join(options.cases, "errors"), "e"):
        if options.only in path:
            bad += check_error(options.command, path)
            refusals += 1
    print(f"{modules} files, {workunits} workunits, {refusals} refusals, {bad} failures")
    if not modules and not refusals:
        sys.exit("nothing was checked")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
