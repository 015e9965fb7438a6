"""Every text of a record. It needs no scanner: most texts are known to be clean."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from crewmem.times import STORED

REMOVED = "[removed: "
"""Beginning of the mark that stands for a passage with an attack."""

MIN_LENGTH = 8
"""Characters of the shortest text that is looked at: no attack or secret is shorter."""

TIME_LENGTH = 24
"""Characters of a stored time, which is in every record and holds nothing else."""


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return *value* with `change` done to every text in it.

    *value* is a text, a record (dataclass, named tuple), or a list, tuple or mapping of them.
    What has nothing to change is returned as it is.
    """
    if isinstance(value, str):
        return change(value) if _is_text(value) else value
    if value is None or isinstance(value, int | float):
        return value  # most fields: to ask what else they are takes longest
    if isinstance(value, Mapping):
        return {map_texts(name, change): map_texts(each, change) for name, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_texts(each, change) for each in value))
    if isinstance(value, list | tuple):
        return type(value)(map_texts(each, change) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for each in fields(value):
            before = getattr(value, each.name)
            after = map_texts(before, change)
            if after != before:
                changed[each.name] = after
        return replace(value, **changed) if changed else value
    return value


def list_texts(value: Any) -> list[str]:
    """Return the texts of *value* that `map_texts` looks at."""
    texts: list[str] = []
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if _is_text(value):
                texts.append(value)
        elif isinstance(value, dict):  # before `Mapping`, which takes several times as long
            pending += value
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
        elif value is None or isinstance(value, (int, float)):
            continue
        elif isinstance(value, Mapping):
            pending += [*value.keys(), *value.values()]
        elif is_dataclass(value) and not isinstance(value, type):
            pending += [getattr(value, each.name) for each in fields(value)]
    return texts


def _is_text(value: str) -> bool:
    if type(value) is not str or len(value) < MIN_LENGTH:
        return False
    return len(value) != TIME_LENGTH or not STORED.fullmatch(value)
