"""The fields of a record as JSON has them, read off its class."""

from __future__ import annotations

import ast
import inspect
import re
from enum import StrEnum
from functools import cache
from importlib import import_module

from crewmem.cli.manual.answers import RECORDS, Field

KINDS = {
    "str": "text",
    "Path": "text",
    "bool": "true or false",
    "int": "number",
    "float": "number",
    "datetime": "time",
    "date": "day",
    "None": "null",
    "object": "any",
    "Value": "text or number",
}
"""What JSON has for the types that records are made of."""

LISTS = frozenset({"list", "tuple", "Sequence", "frozenset", "set"})
OBJECTS = frozenset({"dict", "Mapping"})


COMMON = {
    "agents": "The slugs of the agents in it.",
    "crew": "The crew.",
    "lead": "The slug of the agent that leads it.",
    "name": "What it is called.",
    "slug": "What it is called.",
    "workspace": "The workspace that it is in.",
    "description": "What it is for, in the words of whoever added it.",
}
"""What fields mean that mean the same everywhere."""


def fields(record: str) -> list[Field]:
    """Return the fields of *record*, a key of `RECORDS`, in their order.

    Raises:
        TypeError: If one is of a type that the manual has no words for.
    """
    path, more = RECORDS[record]
    return [*(_declared(path) if path else []), *more]


def _declared(path: str) -> list[Field]:
    module, _, name = path.partition(":")
    cls = getattr(import_module(module), name)
    abouts = COMMON | attributes(inspect.getdoc(cls) or "")
    found: list[Field] = []
    for each, annotation in inspect.get_annotations(cls).items():
        text = str(getattr(annotation, "__forward_arg__", annotation))
        kind, held = _kind(ast.parse(text, mode="eval").body, cls)
        found.append(Field(each, kind, abouts.get(each, ""), tuple(held)))
    return found


def attributes(doc: str) -> dict[str, str]:
    """Return what the ``Attributes:`` of the docstring *doc* say, by name."""
    _, _, section = doc.partition("\nAttributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", section, re.MULTILINE)
    return {
        name: re.sub(r"\bNone\b", "null", " ".join(about.split()))
        for name, about in entries
    }


def _kind(node: ast.expr, cls: type) -> tuple[str, list[str]]:
    """Say in words what *node*, an annotation in *cls*, is; name its records."""
    match node:
        case ast.Constant(value=None):
            return "null", []
        case ast.BinOp(left=left, right=right):
            (one, some), (other, more) = _kind(left, cls), _kind(right, cls)
            return f"{one} or {other}", some + more
        case ast.Subscript(value=ast.Name(id=outer), slice=inner):
            return _container(outer, inner, cls)
        case ast.Name(id=name) if name in KINDS:
            return KINDS[name], []
        case ast.Name(id=name):
            return _named(name, cls)
    raise TypeError(f"{cls.__qualname__}: {ast.unparse(node)}")


def _container(outer: str, inner: ast.expr, cls: type) -> tuple[str, list[str]]:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    kinds = [_kind(each, cls) for each in parts if not _is_ellipsis(each)]
    held = [record for _, records in kinds for record in records]
    if outer in OBJECTS:
        return "object", held
    if outer in LISTS and len({kind for kind, _ in kinds}) == 1:
        return f"list of {_plural(kinds[0][0])}", held
    raise TypeError(f"{cls.__qualname__}: {outer}")


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _plural(kind: str) -> str:
    if kind.startswith("a record"):
        return kind.replace("a record", "records", 1)
    return f"{kind}s" if kind in {"text", "number", "object", "time", "day"} else kind


def _named(name: str, cls: type) -> tuple[str, list[str]]:
    """Say what the class *name* is, which *cls* uses: a record, or a set of words."""
    where = _imports(cls.__module__).get(name, cls.__module__)
    for record, (path, _) in RECORDS.items():
        if path == f"{where}:{name}":
            return f"a record: {record}", [record]
    found = getattr(import_module(where), name)
    if isinstance(found, type) and issubclass(found, StrEnum):
        return "one of " + ", ".join(found), []
    raise TypeError(f"{cls.__qualname__}: {name} is in no table of the JSON manual")


@cache
def _imports(module: str) -> dict[str, str]:
    """Return where each name comes from that *module* imports, for types included."""
    tree = ast.parse(inspect.getsource(import_module(module)))
    return {
        each.asname or each.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for each in node.names
    }
