#!/usr/bin/env python3
"""Syntax errors, compared with CPython's: what CPython refuses is refused, on the same line.

usage: compare_errors.py ORACLE

Each case is a definition with one mistake, put between two that are right. CPython's compile()
tells the line and the kind of error; the front end must report exactly one error, of that kind and
on that line, and for the cases marked with '=' in the same words.
"""
import os
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")

BEFORE = """import pykokkos as pk

@pk.workunit
def before(i: int, x: pk.View1D[int]):
    x[i] = 1

"""
AFTER = """
@pk.workunit
def after(i: int, x: pk.View1D[int]):
    x[i] = 2
"""

# '=': CPython 3.11's words too. '~': the mistake may be the neighbour's. A case that the running
# interpreter accepts is left out.
CASES = """
=def f(i):
    if i > 0:
    x = 1
---
=def f(i):
x = 1
---
=def f(i):
    for j in range(3):
    return 1
---
=def f(i):
    while i:
    i = 2
---
=class C:
x = 1
---
=def f(i):
    try:
    x = 1
    except E:
        pass
---
=def f(i):
    if i:
        pass
    else:
    x = 1
---
=def f(i):
    with i:
    x = 1
---
=def f(i):
    x = 1
      y = 2
---
=def f(i):
        x = 1
    y = 2
---
=def f(i):
    if i:
            x = 1
        y = 2
---
=def f(i):
    if i:
        x = 1
\ty = 2
---
~  x = 1
---
=def f(i):
    x = (1, 2
---
=def f(i):
    x = [1, 2)
---
=def f(i):
    x = {1,
      2]
---
=def f(i):
    x = 1)
---
=def f(i):
    x = 'abc
    y = 1
---
=def f(i):
    x = "abc
---
=def f(i):
    x = 0777
---
=def f(i):
    x = 1__0
---
def f(i):
    x = 1_
---
=def f(i):
    x = 0xg
---
=def f(i):
    x = 0b12
---
=def f(i):
    x = 0o8
---
=def f(i):
    x = 12abc
---
=def f(i):
    x = 1 \\ 2
---
=def f(i):
    x = i $ 2
---
=def f(i):
    x = i ? 2
---
=def f(i):
    x = i !
---
=def f(i):
    x = € + 1
---
=def f(i):
    x\u00a0= 1
---
=return 1
---
=break
---
=def f(i):
    break
---
=def f(i):
    continue
---
=for i in x:
    def f(): break
---
=class C:
    return 1
---
=x = yield 1
---
=nonlocal x
---
=def f(i):
    1 = i
---
=def f(i):
    f(i) = 2
---
=def f(i):
    i + 1 = 2
---
=def f(i):
    None = 1
---
=def f(i):
    True = 1
---
=def f(i):
    f(i) += 1
---
def f(i):
    'a' += 1
---
=def f(i):
    (a, b): int = 1
---
=def f(i):
    [a]: int
---
=def f(i):
    for f(x) in i: pass
---
=def f(i):
    del f(x)
---
=def f(i):
    del 1
---
=def f(i):
    del i + 1
---
=def f(i, i):
    pass
---
=def f(i, *, i):
    pass
---
=def f(i, *i):
    pass
---
=lambda i, i: 1
---
def f(a=1, b):
    pass
---
=def f(*):
    pass
---
=def f(*, **k):
    pass
---
=def f(**k, a):
    pass
---
=def f(*a, *b):
    pass
---
=def f(a, /, b, /):
    pass
---
=def f(/, a):
    pass
---
=def f(*, a, /):
    pass
---
=def f((a, b)):
    pass
---
=def f(i):
    g(a=1, a=2)
---
=def f(i):
    g(a=1, 2)
---
=def f(i):
    g(**a, 2)
---
=def f(i):
    g(**a, *b)
---
=def f(i):
    print x
---
=def f(i):
    print "a", x
---
=def f(i):
    exec "code"
---
def f(i):
    raise E, "text"
---
def f(i):
    x = `i`
---
def f(i):
    if i <> 2: pass
---
def f(i):
    x = 10L
---
def f(i):
    x = ur'a'
---
def f(i):
    x = i +
---
def f(i):
    x = = 2
---
def f(i):
    x = i i
---
def f(i):
    if i = 2: pass
---
=def f(i)
    pass
---
=def f(i):
    if i
        pass
---
=class C
    pass
---
=def f(i):
    for j in i
        pass
---
def f(i:
    pass
---
def f(i):
    return return
---
def f(i):
    x = (1 2)
---
def f(i):
    x = [1 2]
---
def f(i):
    x = {1: }
---
def f(i):
    else: pass
---
def f(i):
    elif i: pass
---
def f(i):
    try: pass
    x = 1
---
def f(i):
    import
---
def f(i):
    from x import
---
def f(i):
    from x import (a
---
def f(i):
    lambda: = 1
---
def f(i):
    x = i.
---
def f(i):
    x = i.1
---
def f(i):
    x[] = 1
---
def f(i):
    x[1:2:3:4] = 1
---
def f(i):
    async = 1
---
def f(i):
    await = 1
---
def f(i):
    class = 1
---
def def(i):
    pass
---
def 1f(i):
    pass
---
@
def f(i):
    pass
---
@pk.workunit
x = 1
---
=def f(i):
    x = *i
---
def f(i):
    *i
---
=def f(i):
    x = (*i)
---
=def f(i):
    *x = i
---
=def f(i):
    x = [*i for i in y]
---
def f(i):
    x = [i for i in]
---
=def f(i):
    x = b'é'
---
=def f(i):
    x = 'a' b'b'
---
=def f(i):
    x = '\\x1'
---
=def f(i):
    x = '\\u12'
---
def f(i):
    x = f'{}'
---
def f(i):
    x = f'{a'
---
def f(i):
    x = f'{a!x}'
---
def f(i):
    x = f'}'
---
def f(i):
    x: int: 3
---
def f(i):
    assert
---
def f(i):
    x = not
---
def f(i):
    x = i if i
---
def f(i):
    if i: x = 1 else: y = 2
---
def f(i):
    x = 1; ; y = 2
---
def f(i):
    match i:
    case 1: pass
---
def f(i):
    x := 1
---
def f(i):
    global
---
def f(i):
    with: pass
---
def f(i):
    while: pass
---
def f(i):
    for in x: pass
---
def f(i):
    for j x: pass
---
def f(i) -> : pass
---
def f(i):
    try: pass
    except: pass
    except E: pass
"""


def main(argv):
    oracle = argv[1]
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(CASES.split("\n---\n")):
            text = text.strip("\n")
            mark = text[0] if text[0] in "=~" else ""
            text = text.removeprefix(mark)
            source = BEFORE + text + "\n" + AFTER
            try:
                compile(source, "case.py", "exec")
                continue
            except SyntaxError as error:
                expected = (type(error).__name__, error.lineno, error.msg)
            path = os.path.join(folder, f"case_{number:03d}.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            cases.append((path, text, mark, expected))
        failures = check(oracle, cases)
    print(f"{len(cases)} mistakes, {failures} reported otherwise than by CPython")
    return 1 if failures or len(cases) < 100 else 0


def check(oracle, cases):
    failures = 0
    for path, text, mark, (kind, line, message) in cases:
        words = mark == "=" and sys.version_info[:2] == (3, 11)
        result = subprocess.run([oracle, "errors", path], capture_output=True, text=True,
                                timeout=20)
        reports = [row.split(": ", 3) for row in result.stdout.splitlines()
                   if row.startswith(path + ":")]
        problem = None
        if len(reports) != 1:
            problem = f"{len(reports)} errors"
        else:
            where, severity, found_kind, found = (reports[0] + [""] * 4)[:4]
            found_line = int(where[len(path) + 1:].split(":")[0])
            if severity != "error" or found_kind != kind:
                problem = f"{severity} {found_kind}"
            elif found_line != line:
                problem = f"line {found_line}"
            elif words and not message.startswith(found) and not found.startswith(message):
                problem = f"says '{found}'"
        hashes = subprocess.run([oracle, "hash", path], capture_output=True, text=True)
        names = {row.split("\t")[0] for row in hashes.stdout.splitlines() if "\t" in row}
        if problem is None and mark != "~" and not {"before", "after"} <= names:
            problem = f"left of its neighbours: {sorted(names)}"
        if problem is not None:
            failures += 1
            print(f"{problem}; CPython: line {line}: {kind}: {message}\n{text}\n{result.stdout}")
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv))
