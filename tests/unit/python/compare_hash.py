#!/usr/bin/env python3
"""The AST hash against CPython's ast: blind to what ast.dump is blind to, and to nothing else.

usage: compare_hash.py ORACLE [--limit N] [--minimum N] FILE-OR-FOLDER...

For each file with workunits it checks, with ORACLE's hashes:

- the hashes stay for: ast.unparse's layout, comments and blank lines, other docstrings, functions
  in another order, other names of imports, CRLF line ends, a byte order mark;
- each change of a single node of a workunit changes that workunit's hash (or makes it no workunit
  that can be read), and no hash of a workunit that does not reach it.

At most N changes a file are tried, spread evenly (default: all).
"""
import ast
import io
import os
import random
import subprocess
import sys
import tempfile
import tokenize

from compare_dump import python_files, dump

BINARY = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift,
          ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd]
COMPARE = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE]
UNARY = [ast.UAdd, ast.USub, ast.Invert, ast.Not]


def is_workunit(node):
    def name(decorator):
        if isinstance(decorator, ast.Call):
            decorator = decorator.func
        return getattr(decorator, "attr", getattr(decorator, "id", None))
    return isinstance(node, ast.FunctionDef) and any(
        name(d) == "workunit" for d in node.decorator_list)


def workunits(tree):
    """(qualified name, node) of each workunit; names that are bound twice are left out."""
    found = []
    for node in tree.body:
        if is_workunit(node):
            found.append((node.name, node))
        elif isinstance(node, ast.ClassDef):
            found += [(f"{node.name}.{item.name}", item) for item in node.body
                      if is_workunit(item)]
    names = [name for name, _ in found]
    return [(name, node) for name, node in found if names.count(name) == 1]


def docstring_of(node):
    first = node.body[0] if getattr(node, "body", None) else None
    if (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)):
        return first
    return None


def strip_docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            if docstring_of(node) is not None:
                del node.body[0]
    return tree


# ---- changes that must not matter -------------------------------------------------------------


def with_comments(source):
    """A comment at each line's end, and blank lines before statements."""
    lines = source.splitlines()
    ends = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NEWLINE:
                ends[token.start[0]] = True
    except (tokenize.TokenError, IndentationError):
        return None
    return "\n".join(
        f"{line}  # comment {number}\n\n" if number in ends and "#" not in line else line
        for number, line in enumerate(lines, 1)) + "\n"


def other_docstrings(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = docstring_of(node)
            if first is not None:
                first.value.value = "something else\n\n    entirely"
            else:
                node.body.insert(0, ast.Expr(ast.Constant("a new docstring")))
    return ast.unparse(ast.fix_missing_locations(tree))


def other_order(source):
    """All functions and classes at the end, in reverse order."""
    tree = ast.parse(source)
    kinds = (ast.FunctionDef, ast.ClassDef)
    definitions = [node for node in tree.body if isinstance(node, kinds)]
    names = [node.name for node in definitions]
    rest = [node for node in tree.body if not isinstance(node, kinds)]
    used = {n.id for node in rest for n in ast.walk(node) if isinstance(n, ast.Name)}
    if len(set(names)) != len(names) or used & set(names):
        return None
    tree.body = rest + definitions[::-1]
    return ast.unparse(tree)


class RenameAlias(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Name(self, node):
        if node.id == self.old:
            node.id = self.new
        return node


def other_aliases(source):
    tree = ast.parse(source)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    names |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    changed = False
    for node in tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        for alias in node.names:
            bound = alias.asname or alias.name
            if "." in bound or bound == "*" or getattr(node, "module", "") == "__future__":
                continue
            fresh = f"renamed_{bound}"
            bindings = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == bound
                        and not isinstance(n.ctx, ast.Load)]
            strings = [n for n in ast.walk(tree) if isinstance(n, ast.Constant)
                       and isinstance(n.value, str) and bound in n.value]
            arguments = [n for n in ast.walk(tree) if isinstance(n, ast.arg) and n.arg == bound]
            if fresh in names or bindings or strings or arguments:
                continue
            alias.asname = fresh
            RenameAlias(bound, fresh).visit(tree)
            changed = True
    return ast.unparse(tree) if changed else None


def unchanged_variants(source):
    yield "unparse", ast.unparse(ast.parse(source)).encode()
    yield "crlf", source.replace("\n", "\r\n").encode()
    yield "mark", b"\xef\xbb\xbf" + source.encode()
    for name, change in (("comments", with_comments), ("docstrings", other_docstrings),
                         ("order", other_order), ("aliases", other_aliases)):
        text = change(source)
        if text is not None:
            yield name, text.encode()


# ---- changes that must matter -----------------------------------------------------------------


def following(table, kind):
    return table[(table.index(kind) + 1) % len(table)]


def changed_constant(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.5 if value + 0.5 != value else value * 2
    if isinstance(value, str):
        return value + "x"
    if value is None:
        return 0
    return None


def edits_of(node):
    """(description, function) pairs; a function changes its argument, a copy of `node`."""
    def setter(name, value):
        return lambda n: setattr(n, name, value)

    if isinstance(node, ast.Constant):
        value = changed_constant(node.value)
        if value is not None or node.value is None:
            yield "constant", setter("value", value)
        if type(node.value) is int:
            yield "int to float", setter("value", float(node.value))
    elif isinstance(node, (ast.BinOp, ast.AugAssign)):
        if type(node.op) in BINARY:
            yield "operator", setter("op", following(BINARY, type(node.op))())
        if isinstance(node, ast.BinOp) and dump(node.left) != dump(node.right):
            def swap(n):
                n.left, n.right = n.right, n.left
            yield "operands", swap
    elif isinstance(node, ast.UnaryOp):
        yield "unary operator", setter("op", following(UNARY, type(node.op))())
    elif isinstance(node, ast.BoolOp):
        yield "bool operator", setter("op", ast.Or() if isinstance(node.op, ast.And)
                                      else ast.And())
        if dump(node.values[0]) != dump(node.values[1]):
            def swap(n):
                n.values[0], n.values[1] = n.values[1], n.values[0]
            yield "bool operands", swap
    elif isinstance(node, ast.Compare):
        if type(node.ops[0]) in COMPARE:
            def change(n):
                n.ops[0] = following(COMPARE, type(n.ops[0]))()
            yield "comparison", change
    elif isinstance(node, ast.Name):
        yield "name", setter("id", node.id + "_z")
    elif isinstance(node, ast.Attribute):
        yield "attribute", setter("attr", node.attr + "_z")
    elif isinstance(node, ast.arg):
        yield "parameter", setter("arg", node.arg + "_z")
        if node.annotation is not None:
            yield "no annotation", setter("annotation", None)
        else:
            yield "annotation", setter("annotation", ast.Name("int"))
    elif isinstance(node, ast.arguments):
        if node.defaults:
            yield "no default", lambda n: n.defaults.pop(0)
        elif node.args:
            yield "default", lambda n: n.defaults.append(ast.Constant(0))
        if len(node.args) > 1 and not node.defaults:
            yield "parameter order", lambda n: n.args.reverse()
    elif isinstance(node, ast.keyword) and node.arg:
        yield "keyword", setter("arg", node.arg + "_z")
    elif isinstance(node, ast.Call):
        if node.args:
            yield "argument less", lambda n: n.args.pop()
        yield "argument more", lambda n: n.args.append(ast.Constant(7))
    elif isinstance(node, ast.Subscript):
        if dump(node.slice) != dump(ast.Constant(0)):
            yield "index", setter("slice", ast.Constant(0))
    elif isinstance(node, ast.IfExp) and dump(node.body) != dump(node.orelse):
        def swap(n):
            n.body, n.orelse = n.orelse, n.body
        yield "conditional", swap
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield "no value", setter("value", None)
    elif isinstance(node, ast.FunctionDef):
        yield "function name", setter("name", node.name + "_z")
        if node.returns is not None:
            yield "no return type", setter("returns", None)
        else:
            yield "return type", setter("returns", ast.Name("int"))
    elif isinstance(node, ast.Tuple) and len(node.elts) > 1:
        if dump(node.elts[0]) != dump(node.elts[-1]):
            yield "tuple", lambda n: n.elts.reverse()
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "no return value", setter("value", None)

    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        first = 1 if isinstance(node, ast.FunctionDef) and docstring_of(node) is not None else 0
        for at in range(first, len(body)):
            if len(body) - first > 1:
                yield "statement less", lambda n, at=at: n.body.pop(at)
            if at + 1 < len(body) and dump(body[at]) != dump(body[at + 1]):
                def swap(n, at=at):
                    n.body[at], n.body[at + 1] = n.body[at + 1], n.body[at]
                yield "statement order", swap
        yield "statement more", lambda n: n.body.append(ast.Expr(ast.Constant(99)))
    if isinstance(node, (ast.If, ast.For, ast.While)):
        if node.orelse:
            yield "no else", setter("orelse", [])
        else:
            yield "else", setter("orelse", [ast.Expr(ast.Constant(98))])


def nodes_of(function):
    """(path, node) of the function and all below it, without its docstring."""
    def walk(node, path):
        yield path, node
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                yield from walk(value, path + [(name, None)])
            elif isinstance(value, list):
                for at, item in enumerate(value):
                    if item is docstring_of(node) and isinstance(node, ast.FunctionDef):
                        continue
                    if isinstance(item, ast.AST):
                        yield from walk(item, path + [(name, at)])
    yield from walk(function, [])


def follow(node, path):
    for name, at in path:
        node = getattr(node, name)
        if at is not None:
            node = node[at]
    return node


def candidates_of(tree):
    """(workunit, path, number, description) of every single-node change of the file's workunits."""
    for name, function in workunits(tree):
        for path, node in nodes_of(function):
            for number, (description, _) in enumerate(edits_of(node)):
                line = getattr(node, "lineno", "?")
                yield name, path, number, f"{description} at line {line}"


def changes_of(source, limit):
    """(workunit, description, text) of the changes, at most `limit` of them."""
    original = dump(strip_docstrings(ast.parse(source)))
    candidates = list(candidates_of(ast.parse(source)))
    if limit and len(candidates) > limit:
        candidates = random.Random(1).sample(candidates, limit)
    for name, path, number, description in candidates:
        changed = ast.parse(source)
        target = follow(dict(workunits(changed))[name], path)
        list(edits_of(target))[number][1](target)
        try:
            text = ast.unparse(ast.fix_missing_locations(changed))
            again = dump(strip_docstrings(ast.parse(text)))
        except (SyntaxError, ValueError, TypeError, AttributeError):
            continue
        if again != original:
            yield name, description, text


# ---- running ----------------------------------------------------------------------------------


def hashes(oracle, paths):
    result = subprocess.run([oracle, "hash", "-"], input="\n".join(paths) + "\n",
                            capture_output=True, text=True)
    found, current = {}, None
    for line in result.stdout.splitlines():
        if line.startswith("=== "):
            current = found.setdefault(line[4:], {})
        else:
            name, value = line.split("\t")
            current[name] = value
    return found


def reached_names(function):
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}


class Checker:
    def __init__(self, oracle, limit):
        self.oracle, self.limit = oracle, limit
        self.files = self.same = self.changed = self.others = self.failures = 0

    def fail(self, text):
        self.failures += 1
        if self.failures <= 20:
            print(text)

    def check(self, path):
        with open(path, "rb") as file:
            source = file.read()
        try:
            source = source.decode("utf-8-sig")
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return
        if not workunits(tree):
            return
        folder = os.path.dirname(os.path.abspath(path))
        # Beside the file, so that its imports are found; the names do not matter to the hash.
        with tempfile.TemporaryDirectory() as work:
            for name in os.listdir(folder):
                os.symlink(os.path.join(folder, name), os.path.join(work, name))
            self.check_in(work, path, source, tree)

    def check_in(self, work, path, source, tree):
        written = []

        def write(text):
            place = os.path.join(work, f"variant_{len(written)}.py")
            with open(place, "wb") as file:
                file.write(text)
            written.append(place)
            return place

        base_place = write(source.encode())
        same = [(what, write(text)) for what, text in unchanged_variants(source)]
        tried = [(name, what, write(text.encode()))
                 for name, what, text in changes_of(source, self.limit)]
        found = hashes(self.oracle, written)
        base = found.get(base_place, {})
        if not base:
            self.fail(f"{path}: no workunits found")
            return
        self.files += 1
        for what, place in same:
            self.same += 1
            if found.get(place) != base:
                self.fail(f"{path}: {what}: the hashes changed")
        reached = {name: reached_names(node) for name, node in workunits(tree)}
        for name, what, place in tried:
            if name not in base:
                continue  # a method of a class that is no functor itself
            self.changed += 1
            after = found.get(place, {})
            if after.get(name) == base.get(name):
                self.fail(f"{path}: {name}: {what}: the hash is the same")
            plain = name.split(".")[0]
            for other, value in base.items():
                if (other == name or plain in reached.get(other, {plain})
                        or ("." in name and other.split(".")[0] == plain)):
                    continue
                self.others += 1
                if after.get(other) != value:
                    self.fail(f"{path}: {name}: {what}: the hash of {other} changed")


def main(argv):
    oracle, limit, minimum, paths = argv[1], 0, 1, argv[2:]
    while paths and paths[0] in ("--limit", "--minimum"):
        if paths[0] == "--limit":
            limit = int(paths[1])
        else:
            minimum = int(paths[1])
        paths = paths[2:]
    checker = Checker(oracle, limit)
    for path in python_files(paths):
        checker.check(path)
    print(f"{checker.files} files: {checker.same} variants that mean the same, "
          f"{checker.changed} single-node changes, {checker.others} hashes of other workunits; "
          f"{checker.failures} wrong")
    if checker.changed < minimum:
        print(f"fewer than {minimum} changes")
        return 1
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
