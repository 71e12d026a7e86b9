#!/usr/bin/env python3
"""Compares ast_dump with CPython's ast, module by module.

usage: compare_dump.py ORACLE [--minimum N] [--library N] PATH...

A PATH is a file, or a folder whose *.py files are all taken; --library adds the first N files of
this interpreter's standard library. Files that this interpreter itself cannot parse are left out. Exits 1 with the first differences where one is found, or where fewer
than N files were compared.
"""
import ast
import os
import subprocess
import sys
import sysconfig
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)

# Fields in CPython 3.11's order; whatever an interpreter has beyond these is shown when not empty.
OMIT_WHEN_EMPTY = {"type_params"}
NEVER = {"type_comment"}


def text_of(value):
    if isinstance(value, str):
        return ascii(value)
    if value is Ellipsis:
        return "Ellipsis"
    return repr(value)


def dump(node):
    """ast.dump(node) as 3.11 prints it, text beyond ASCII escaped, under any later version."""
    if isinstance(node, list):
        return "[" + ", ".join(dump(item) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return text_of(node)
    parts = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(node, ast.JoinedStr):
            # 3.12.1 leaves empty pieces in format specifications.
            value = [v for v in value if not (isinstance(v, ast.Constant) and v.value == "")]
        if name in NEVER or (name in OMIT_WHEN_EMPTY and not value):
            continue
        keep_none = isinstance(node, (ast.Constant, ast.MatchSingleton)) and name == "value"
        if value is None and not keep_none:
            continue
        parts.append(f"{name}={dump(value)}")
    return f"{type(node).__name__}({', '.join(parts)})"


def python_files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, folders, names in os.walk(path):
                folders.sort()
                for name in sorted(names):
                    if name.endswith(".py"):
                        yield os.path.join(folder, name)
        else:
            yield path


def library(count):
    folder = sysconfig.get_path("stdlib")
    files = [path for path in python_files([folder]) if "-packages" not in path]
    return sorted(files, key=lambda path: (path.count(os.sep), path))[:count]


def difference(ours, theirs):
    at = 0
    while at < min(len(ours), len(theirs)) and ours[at] == theirs[at]:
        at += 1
    start = max(0, at - 120)
    return f"  ours:   …{ours[start:at + 120]}\n  python: …{theirs[start:at + 120]}"


def skipped(source):
    # Names of characters are not looked up, other encodings than UTF-8 are refused.
    if b"\\N{" in source:
        return True
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def main(argv):
    oracle, minimum, paths = argv[1], 1, argv[2:]
    while paths[:1] in (["--minimum"], ["--library"]):
        if paths[0] == "--minimum":
            minimum, paths = int(paths[1]), paths[2:]
        else:
            paths = paths[2:] + library(int(paths[1]))
    compared = functions = bad = 0
    for path in python_files(paths):
        with open(path, "rb") as file:
            source = file.read()
        if skipped(source):
            continue
        try:
            tree = ast.parse(source)
            theirs = dump(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        result = subprocess.run([oracle, "dump", path], capture_output=True)
        ours = result.stdout.decode("utf-8", "replace").split("\n", 1)[-1].rstrip("\n")
        compared += 1
        functions += sum(isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
                         for n in ast.walk(tree))
        if ours != theirs:
            bad += 1
            if bad <= 20:
                print(f"{path}: differs")
                print(difference(ours, theirs))
                print(result.stderr.decode("utf-8", "replace")[:600])
    print(f"{compared} files with {functions} functions compared, {bad} differ")
    if compared < minimum:
        print(f"fewer than {minimum} files")
        return 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
