"""Fields of JSON objects from who knows where, each of its type or refused. Pure."""

from __future__ import annotations

from crewmem import times
from crewmem.errors.values import BadMemoryError, BadTimeError
from crewmem.memories.draft import NAME_MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any, TypeVar

    Kind = TypeVar("Kind")

SHOWN = 80
"""Characters of a value that are told."""


def text(record: Mapping[str, Any], name: str) -> str | None:
    """Return a text; None where there is none.

    Raises:
        BadMemoryError: If it is something else; so do all that follow.
    """
    value = record.get(name)
    if value is None:
        return None
    if type(value) is not str:
        raise BadMemoryError(name, str(value)[:SHOWN], "text")
    return value


def line(record: Mapping[str, Any], name: str) -> str | None:
    """Return a name in one line; None where there is none."""
    value = text(record, name)
    if value is not None and not is_name(value):
        wanted = f"one line of at most {NAME_MOST} characters"
        raise BadMemoryError(name, value[:SHOWN], wanted)
    return value


def is_name(value: str) -> bool:
    """Tell whether *value* can name something: a line, and no long one."""
    return bool(value.strip()) and value.isprintable() and len(value) <= NAME_MOST


def texts(record: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of texts; an empty one where there is none."""
    return _listed(record, name, str, "texts")


def mapping(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a JSON object; an empty one where there is none."""
    value = record.get(name)
    if value is None:
        return {}
    if type(value) is not dict:
        raise BadMemoryError(name, str(value)[:SHOWN], "a JSON object")
    return value


def mappings(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return a list of JSON objects; an empty one where there is none."""
    return _listed(record, name, dict, "JSON objects")


def _listed(
    record: Mapping[str, Any], name: str, kind: type[Kind], what: str
) -> list[Kind]:
    value = record.get(name)
    if value is None:
        return []
    if type(value) is not list or not all(type(each) is kind for each in value):
        raise BadMemoryError(name, str(value)[:SHOWN], f"a list of {what}")
    return value


def one_of(
    record: Mapping[str, Any], name: str, choices: tuple[str, ...]
) -> str | None:
    """Return a text that is one of *choices*; None where there is none."""
    value = text(record, name)
    if value is not None and value not in choices:
        raise BadMemoryError(name, value[:SHOWN], f"one of {', '.join(choices)}")
    return value


def whole(record: Mapping[str, Any], name: str, usual: int, least: int = 0) -> int:
    """Return a whole number, *usual* where there is none."""
    value = record.get(name)
    if value is None:
        return usual
    if type(value) is not int:
        raise BadMemoryError(name, str(value)[:SHOWN], "a whole number")
    if value < least:
        raise BadMemoryError(name, str(value), f"{least} or more")
    return value


def number(record: Mapping[str, Any], name: str, usual: float) -> float:
    """Return a number, *usual* where there is none."""
    value = record.get(name)
    if value is None:
        return usual
    if type(value) not in {int, float}:
        raise BadMemoryError(name, str(value)[:SHOWN], "a number")
    return float(value)


def share(record: Mapping[str, Any], name: str, usual: float) -> float:
    """Return a number from 0 to 1, *usual* where there is none."""
    value = number(record, name, usual)
    if not 0 <= value <= 1:
        raise BadMemoryError(name, str(value), "from 0 to 1")
    return value


def is_true(record: Mapping[str, Any], name: str) -> bool:
    """Return whether something is so; it has to be said."""
    value = record.get(name)
    if type(value) is not bool:
        raise BadMemoryError(name, str(value)[:SHOWN], "true or false")
    return value


def instant(record: Mapping[str, Any], name: str) -> datetime | None:
    """Return an instant; None where there is none."""
    value = text(record, name)
    if value is None:
        return None
    try:
        return times.from_text(value)
    except BadTimeError as error:
        raise BadMemoryError(name, value[:SHOWN], error.wanted) from error


def stamp(record: Mapping[str, Any], name: str) -> str | None:
    """Return an instant as it is stored; None where there is none."""
    found = instant(record, name)
    return times.to_text(found) if found else None
