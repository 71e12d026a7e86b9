"""What an annotation of the workunit language means: a description of a type."""
import ast
from collections import namedtuple

# kind: "scalar", "view", "list", "acc", "team", "class"; dtype: a NumPy name, or the class's.
Type = namedtuple("Type", "kind dtype rank", defaults=(None, 0))

SCALARS = {
    "int": "int64", "float": "float64", "double": "float64", "bool": "bool", "complex": "complex128",
}
PK_SCALARS = {
    "int": "int32", "float": "float32", "double": "float64", "bool": "bool", "real": "float64",
    "float32": "float32", "float64": "float64", "complex64": "complex64",
    "complex128": "complex128", "int8": "int8", "int16": "int16", "int32": "int32",
    "int64": "int64", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
}


def _scalar(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _scalar(ast.parse(node.value, mode="eval").body)
    if isinstance(node, ast.Name):
        return SCALARS.get(node.id) or (PK_SCALARS.get(node.id))
    if isinstance(node, ast.Attribute):
        return PK_SCALARS.get(node.attr)
    return None


def _base(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) \
        else ""


def parse(node):
    """The Type of an annotation, None where there is none or it means nothing here."""
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return parse(ast.parse(node.value, mode="eval").body)
    scalar = _scalar(node)
    if scalar:
        return Type("scalar", scalar)
    if _base(node) == "TeamMember":
        return Type("team")
    if not isinstance(node, ast.Subscript):
        return Type("class", _base(node)) if _base(node) else None
    base = _base(node.value)
    if base == "Acc":
        return Type("acc", _scalar(node.slice))
    if base in ("List", "list"):
        inner = parse(node.slice)
        if inner is None:
            return None
        return Type("list", inner.dtype, inner.rank + 1 if inner.kind == "list" else 1)
    for prefix in ("ScratchView", "View"):
        if base.startswith(prefix) and base.endswith("D") and base[len(prefix):-1].isdigit():
            element = _scalar(node.slice)
            # The arrays that people pass hold 32-bit integers where they say int.
            if isinstance(node.slice, ast.Name) and node.slice.id == "int":
                element = "int32"
            return Type("view", element, int(base[len(prefix):-1]))
    return None
