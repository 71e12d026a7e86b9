"""Rewrites workunits so that CPython runs them with the language's operations on values.

Python itself keeps what it is the judge of: names and scopes, control flow, the order of
evaluation. Each operation becomes a call of runtime.py: `a + b` is `_pk_bin("+", a, b)`.
"""
import ast
import itertools
import re

from . import annotations

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>",
}
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
COMPARE = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}


def starts_with_minus(node):
    """Whether an index is written with a minus sign first: it counts from the end then."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _name(identifier, store=False):
    return ast.Name(identifier, ast.Store() if store else ast.Load())


def _call(function, *args):
    return ast.Call(_name(function), list(args), [])


def _constant(value):
    return ast.Constant(value)


def _thunk(expression):
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, expression)


def _fold(node):
    """The value of an expression of integer literals alone, which is exact; else None."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        v = _fold(node.operand)
        return None if v is None else -v
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        l, r = _fold(node.left), _fold(node.right)
        if l is not None and r is not None:
            return l + r if isinstance(node.op, ast.Add) else \
                l - r if isinstance(node.op, ast.Sub) else l * r
    return None


def _is_module_constant(node):
    """A constant of a generated module, its own or an imported one's."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return re.fullmatch(r"C\d\w*_\d+", name) is not None


def _is_constant(node):
    """Of integer literals and module constants alone: what the translator folds exactly."""
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_constant(node.left) and _is_constant(node.right)
    return isinstance(node, ast.Constant) or _is_module_constant(node)


def _is_literal(node):
    return isinstance(node, ast.Constant) or _fold(node) is not None


class _Body(ast.NodeTransformer):
    """One function's body."""

    def __init__(self, function, outer, numbers):
        self.outer = outer
        self.numbers = numbers
        self.types = {}
        self.accumulators = set()
        self.returns = annotations.parse(function.returns)
        self.nonlocals = set()
        self._collect(function)

    def _collect(self, function):
        for a in function.args.args:
            t = annotations.parse(a.annotation)
            self.types[a.arg] = t
            if t is not None and t.kind == "acc":
                self.accumulators.add(a.arg)
        for node in _own_nodes(function):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                self.types[node.target.id] = annotations.parse(node.annotation)
            elif isinstance(node, ast.Nonlocal):
                self.nonlocals.update(node.names)

    def _type(self, name):
        if name in self.types and name not in self.nonlocals:
            return self.types[name]
        return self.outer._type(name) if self.outer and name in self.nonlocals else None

    def _is_acc(self, name):
        if name in self.accumulators:
            return True
        return name not in self.types and self.outer is not None and self.outer._is_acc(name)

    # expressions

    def visit_Constant(self, node):
        return _call("_pk_lit", node) if type(node.value) is float else node

    def visit_Name(self, node):
        if self._is_acc(node.id) and isinstance(node.ctx, ast.Load):
            return ast.Attribute(node, "v", node.ctx)
        return node

    def visit_BinOp(self, node):
        folded = _fold(node)
        if folded is not None:
            return _constant(folded)
        literal = _is_literal(node.right)
        constant = _is_constant(node)
        return _call("_pk_bin", _constant(BINARY[type(node.op)]), self.visit(node.left),
                     self.visit(node.right), _constant(literal), _constant(constant)) \
            if type(node.op) in BINARY else self.generic_visit(node)

    def visit_UnaryOp(self, node):
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(node.op, operand)
        return _call("_pk_un", _constant(UNARY[type(node.op)]), operand)

    def visit_Compare(self, node):
        ops = ast.Tuple([_constant(COMPARE.get(type(o), "?")) for o in node.ops], ast.Load())
        operands = [_thunk(self.visit(e)) for e in [node.left] + node.comparators]
        return _call("_pk_cmp", ops, *operands)

    def visit_Subscript(self, node):
        return _call("_pk_get", self.visit(node.value), *self._index(node.slice))

    def _index(self, node):
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        minus = [starts_with_minus(p) for p in parts]
        parts = [self.visit(p) for p in parts]
        return (ast.Tuple(parts, ast.Load()), _constant(tuple(minus)))

    def visit_Slice(self, node):
        none = _constant(None)
        return _call("_pk_slice", self.visit(node.lower) if node.lower else none,
                     self.visit(node.upper) if node.upper else none,
                     _constant(node.lower is not None and starts_with_minus(node.lower)),
                     _constant(node.upper is not None and starts_with_minus(node.upper)))

    def visit_Attribute(self, node):
        # acc.val is a member of what the accumulator holds.
        return ast.Attribute(self.visit(node.value), node.attr, ast.Load())

    def visit_Lambda(self, node):
        return node

    # statements

    def _value_for(self, target, value):
        """The value as it is when it has become the target's."""
        if isinstance(target, ast.Name):
            t = self._type(target.id)
            if t is not None and t.kind == "scalar":
                return _call("_pk_conv", _constant(t.dtype), value)
            if t is not None and t.kind in ("list", "view"):
                return _call("_pk_array", _constant(t.dtype), value)
        return _call("_pk_val", value)

    def _store(self, target, value):
        """Statements that store an already evaluated expression."""
        if isinstance(target, ast.Tuple):
            out = []
            for k, t in enumerate(target.elts):
                out += self._store(t, ast.Subscript(value, _constant(k), ast.Load()))
            return out
        if isinstance(target, ast.Subscript):
            return [ast.Expr(_call("_pk_set", value, self.visit(target.value),
                                   *self._index(target.slice)))]
        if isinstance(target, ast.Name) and self._is_acc(target.id):
            return [ast.Assign([ast.Attribute(_name(target.id), "v", ast.Store())], value)]
        if isinstance(target, ast.Attribute):
            return [ast.Expr(_call("_pk_setattr", self.visit(target.value),
                                   _constant(target.attr), value))]
        return [ast.Assign([_name(target.id, True)], self._value_for(target, value))]

    def visit_Assign(self, node):
        value = self.visit(node.value)
        if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
            return self._store(node.targets[0], value)
        temporary = "_pk_t%d" % next(self.numbers)
        out = [ast.Assign([_name(temporary, True)], value)]
        for target in node.targets:
            out += self._store(target, _name(temporary))
        return out

    def visit_AnnAssign(self, node):
        if node.value is None:
            return None
        if isinstance(node.target, ast.Attribute):
            t = annotations.parse(node.annotation)
            value = self.visit(node.value)
            if t is not None and t.kind == "scalar":
                value = _call("_pk_conv", _constant(t.dtype), value)
            return self._store(node.target, value)
        return self._store(node.target, self.visit(node.value))

    def visit_AugAssign(self, node):
        op, literal = _constant(BINARY[type(node.op)]), _constant(_is_literal(node.value))
        value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Name) and self._is_acc(target.id):
            return ast.Expr(_call("_pk_update", _name(target.id), op, value))
        if isinstance(target, ast.Name):
            changed = _call("_pk_bin", op, _name(target.id), value, literal)
            return ast.Assign([_name(target.id, True)], self._value_for(target, changed))
        if isinstance(target, ast.Attribute):
            return ast.Expr(_call("_pk_aug_attr", op, self.visit(target.value),
                                  _constant(target.attr), _thunk(value), literal))
        return ast.Expr(_call("_pk_aug", op, self.visit(target.value), *self._index(target.slice),
                              _thunk(value), literal))

    def visit_For(self, node):
        body = [ast.Expr(_call("_pk_tick"))]
        if isinstance(node.target, ast.Name):
            t = self._type(node.target.id)
            if t is not None and t.kind == "scalar":
                body += self._store(node.target, _name(node.target.id))
        return ast.For(node.target, self.visit(node.iter), body + self._block(node.body),
                       self._block(node.orelse))

    def visit_While(self, node):
        return ast.While(self.visit(node.test),
                         [ast.Expr(_call("_pk_tick"))] + self._block(node.body), [])

    def visit_If(self, node):
        return ast.If(self.visit(node.test), self._block(node.body) or [ast.Pass()],
                      self._block(node.orelse))

    def _block(self, statements):
        out = []
        for s in statements:
            new = self.visit(s)
            out += new if isinstance(new, list) else [] if new is None else [new]
        return out

    def visit_Return(self, node):
        if node.value is None:
            return node
        value = self.visit(node.value)
        if self.returns is not None and self.returns.kind == "scalar":
            return ast.Return(_call("_pk_conv", _constant(self.returns.dtype), value))
        return ast.Return(_call("_pk_val", value))

    def visit_Nonlocal(self, node):
        names = [n for n in node.names if not self._is_acc(n)]
        return ast.Nonlocal(names) if names else ast.Pass()

    def visit_FunctionDef(self, node):
        return _function(node, self, self.numbers)


def _own_nodes(function):
    """All nodes of a function but those of functions inside it."""
    queue = list(function.body)
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            queue += ast.iter_child_nodes(node)


def _function(node, outer, numbers):
    body = _Body(node, outer, numbers)
    start = []
    for a in node.args.args:
        t = body.types[a.arg]
        if t is not None and t.kind == "scalar":
            start += [ast.Assign([_name(a.arg, True)],
                                 _call("_pk_conv", _constant(t.dtype), _name(a.arg)))]
        elif t is None and a.arg != "self":
            start += [ast.Assign([_name(a.arg, True)], _call("_pk_val", _name(a.arg)))]
        a.annotation = None
    nonlocals = [s for s in node.body if isinstance(s, ast.Nonlocal)]
    rest = [s for s in node.body if not isinstance(s, ast.Nonlocal)]
    node.body = body._block(nonlocals) + start + body._block(rest) or [ast.Pass()]
    node.returns = None
    node.decorator_list = []
    return node


def field_types(node):
    """Types of a class's fields by name, as the annotations in its __init__ say."""
    found = {}
    for m in node.body:
        if isinstance(m, ast.FunctionDef) and m.name == "__init__":
            for s in _own_nodes(m):
                if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Attribute):
                    found[s.target.attr] = annotations.parse(s.annotation)
    return found


def _keep(node):
    """Module-level statements that kernels may depend on."""
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign,
                             ast.AnnAssign, ast.Try))


def instrument(tree):
    """Rewrites a module's tree in place; gives the module to compile."""
    numbers = itertools.count()
    body = []
    for node in tree.body:
        if not _keep(node):
            continue
        if isinstance(node, ast.FunctionDef):
            node = _function(node, None, numbers)
        elif isinstance(node, ast.ClassDef):
            node.decorator_list = []
            scalars = {n: t.dtype for n, t in field_types(node).items()
                       if t is not None and t.kind == "scalar"}
            types = ast.Dict([_constant(n) for n in scalars], [_constant(t) for t in scalars.values()])
            node.body = [ast.Assign([_name("_pk_types", True)], types)] + [_function(m, None, numbers) if isinstance(m, ast.FunctionDef) else m
                         for m in node.body]
        body.append(node)
    tree.body = body
    return ast.fix_missing_locations(tree)
