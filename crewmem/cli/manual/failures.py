"""Every failure there is, and the facts that it tells; for the manual and the tests."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from crewmem import errors
from crewmem.errors import CrewmemError


def every() -> list[type[CrewmemError]]:
    """Return all kinds of failure, by the status they end with, then by code."""
    for module in iter_modules(errors.__path__):
        import_module(f"{errors.__name__}.{module.name}")
    kinds = [
        kind
        for family in CrewmemError.__subclasses__()
        for kind in family.__subclasses__()
    ]
    return sorted(kinds, key=lambda kind: (kind.exit_code, kind.__new__(kind).code))


def details(kind: type[CrewmemError]) -> list[str]:
    """Return the names of the facts that a failure of *kind* tells."""
    named = [
        node.attr
        for node in ast.walk(_classes(kind.__module__)[kind.__name__])
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.attr != "hint"
    ]
    return list(dict.fromkeys(named))


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    tree = ast.parse(inspect.getsource(import_module(module)))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
