"""Makes a failing case small: whatever can be left out or made simpler and still fails, is."""
import ast
import copy
import re

from . import values


def renumbered(case, number):
    """The case under other names, so that many fit into one file."""
    old = case.name[1:]
    pattern = re.compile(r"\b([whCKFB])%s(_\d+)?\b" % old)
    change = lambda text: pattern.sub(lambda m: "%s%s%s" % (m.group(1), number, m.group(2) or ""), text)
    return case.changed(name="w%s" % number, source=change(case.source), owner=change(case.owner),
                        library=change(case.library))


def _edits(tree):
    """Functions that each make one edit in a copy of the tree; given as (path, change)."""
    for parent in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(parent, field, None)
            if not isinstance(block, list):
                continue
            for k, s in enumerate(block):
                yield parent, field, k, []
                for inner in ("body", "orelse"):
                    if getattr(s, inner, None) and not isinstance(s, ast.FunctionDef):
                        yield parent, field, k, getattr(s, inner)


def _values(node):
    """A node and all below it, but for what annotations and decorators hold."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _values(child)


def _expression_edits(tree):
    for parent in _values(tree):
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "func", "decorator_list", "target", "targets", "args") \
                    and not (field == "args" and isinstance(parent, ast.Call)):
                continue
            for k, e in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(e, ast.expr) or isinstance(e, (ast.Slice, ast.Starred)):
                    continue
                place = (parent, field, k if isinstance(value, list) else None)
                for child in ast.iter_child_nodes(e):
                    if isinstance(child, ast.expr) and not isinstance(getattr(child, "ctx", None), ast.Store):
                        yield place + (child,)
                if not isinstance(e, (ast.Constant, ast.Name)):
                    for v in (0, 1, 0.5, True):
                        yield place + (ast.Constant(v),)


def _apply(parent, field, k, new):
    """Puts `new` there; gives what undoes it."""
    old = getattr(parent, field)
    if isinstance(new, list):
        changed = old[:k] + new + old[k + 1:]
        if not changed and field == "body":
            changed = [ast.Pass()]
        setattr(parent, field, changed)
    elif k is None:
        setattr(parent, field, new)
    else:
        setattr(parent, field, old[:k] + [new] + old[k + 1:])
    return lambda: setattr(parent, field, old)


def candidates(case):
    """Smaller cases, the smallest first."""
    tree = ast.parse(case.source)
    found = {}
    for edits in (_edits(tree), _expression_edits(tree)):
        for parent, field, k, new in list(edits):
            undo = _apply(parent, field, k, new)
            try:
                source = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree))) + "\n"
                ast.parse(source)
                if len(source) < len(case.source):
                    found[source] = case.changed(source=source)
            except (SyntaxError, ValueError, AttributeError, TypeError):
                pass
            undo()
    found.update({c.source: c for c in _without_parameters(tree, case)})
    return sorted(found.values(), key=lambda c: len(c.source))


def _without_parameters(tree, case):
    """Without one of the workunit's arguments, where nothing uses it."""
    for f in tree.body:
        if not isinstance(f, ast.FunctionDef) or f.name != case.name:
            continue
        used = {n.id for n in ast.walk(f) if isinstance(n, ast.Name)}
        for k, a in enumerate(f.args.args):
            if a.arg in case.arguments and a.arg not in used:
                old = f.args.args
                f.args.args = old[:k] + old[k + 1:]
                less = {n: v for n, v in case.arguments.items() if n != a.arg}
                yield case.changed(source=ast.unparse(tree) + "\n", arguments=less)
                f.args.args = old


def _valid(case):
    """CPython's answer, or None where the case is no good."""
    try:
        return case.expected()
    except (values.Discard, Exception):  # a candidate may be any nonsense
        return None


def _alike(one, other):
    """Whether two outcomes are one failure."""
    if one.kind != other.kind:
        return False
    if one.kind in ("refused", "broken"):
        strip = lambda text: re.sub(r"line \d+|[‘'\"`].*?[’'\"`]|\d+", "", text)[:60]
        return strip(one.detail) == strip(other.detail)
    return True


def shrink(checker, case, outcome, rounds=12, batch=20):
    """The smallest case found that fails as `case` does, and its outcome."""
    for _ in range(rounds):
        chosen = []
        everything = candidates(case)
        for c in _spread(everything, batch * 3):
            c = renumbered(c, "%s%03d" % (case.name[1:].split("S")[0] + "S", len(chosen)))
            answer = _valid(c)
            if answer is not None:
                chosen.append((c, answer))
            if len(chosen) == batch:
                break
        if not chosen:
            break
        outcomes = checker.check([c for c, _ in chosen], [a for _, a in chosen])
        failing = [(c, o) for (c, _), o in zip(chosen, outcomes) if _alike(o, outcome)]
        if not failing:
            break
        case, outcome = min(failing, key=lambda pair: len(pair[0].source))
    return case, outcome


def _spread(items, count):
    """The first ones, then some of all the rest."""
    if len(items) <= count:
        return items
    head = items[:count // 2]
    rest = items[count // 2:]
    step = len(rest) / (count - len(head))
    return head + [rest[int(k * step)] for k in range(count - len(head))]
