"""List or change all strings of a record."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from crewmem.times import STORED

MIN_LENGTH = 8
"""Minimum length, in characters: no attack or secret is shorter."""

TIME_LENGTH = 24
"""Length of a stored time, in characters. Times are skipped."""


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return *value* with *change* applied to every string in it.

    *value* is a string, a record (dataclass, named tuple), or a list, tuple or mapping of them.
    Strings too short to matter, times and other types are returned unchanged.
    """
    if isinstance(value, str):
        return change(value) if _is_text(value) else value
    if value is None or isinstance(value, (int, float)):
        return value  # the most common types first: the checks below are slower
    if isinstance(value, (dict, Mapping)):  # to ask first whether it is a dict is faster
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
    """Return the strings of *value* that `map_texts` would change."""
    texts: list[str] = []
    _collect_texts(value, texts)
    return texts


def _collect_texts(value: Any, texts: list[str]) -> None:
    if isinstance(value, str):
        if _is_text(value):
            texts.append(value)
    elif value is None or isinstance(value, (int, float)):
        return
    elif isinstance(value, (dict, Mapping)):
        for name, each in value.items():
            _collect_texts(name, texts)
            _collect_texts(each, texts)
    elif isinstance(value, list | tuple):
        for each in value:
            _collect_texts(each, texts)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            _collect_texts(getattr(value, field.name), texts)


def _is_text(value: str) -> bool:
    if type(value) is not str or len(value) < MIN_LENGTH:
        return False
    return len(value) != TIME_LENGTH or not STORED.fullmatch(value)
