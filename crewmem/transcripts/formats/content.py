"""Fields of lines that programs write, each of its type or nothing. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from crewmem import times
from crewmem.errors.values import BadTimeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

NAME_MOST = 200
"""Characters of what names a session, a branch, a directory."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MILLIS_LEAST = 100_000_000_000
"""From here on a number counts milliseconds: as seconds it were the year 5138."""


class StrangeLineError(ValueError):
    """A line is not what the format has there; the message says why."""


def text(record: Mapping[str, Any], name: str) -> str:
    """Return a text; "" where there is none."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def name(record: Mapping[str, Any], field: str) -> str:
    """Return a text that names something, in one line; "" where there is none."""
    value = " ".join(text(record, field).split())
    return value[:NAME_MOST] if value.isprintable() else ""


def mapping(record: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """Return an object; an empty one where there is none."""
    value = record.get(field)
    return value if isinstance(value, dict) else {}


def whole(record: Mapping[str, Any], *fields: str) -> int | None:
    """Return the first of *fields* that is a number, and no negative one."""
    for field in fields:
        value = record.get(field)
        if type(value) is int and value >= 0:
            return value
    return None


def is_true(record: Mapping[str, Any], field: str) -> bool:
    """Tell whether something is said to be so."""
    return record.get(field) is True


def instant(value: object) -> datetime | None:
    """Return an instant: RFC 3339, or seconds or milliseconds since 1970."""
    if isinstance(value, str):
        try:
            return times.from_text(value)
        except BadTimeError:
            return None
    if type(value) not in {int, float}:
        return None
    number = float(value)  # type: ignore[arg-type]
    try:
        seconds = number / 1000 if number >= MILLIS_LEAST else number
        return EPOCH + timedelta(seconds=seconds) if seconds > 0 else None
    except (OverflowError, ValueError):
        return None


def blocks(content: object, *kinds: str) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks of *content* that are of *kinds*."""
    if isinstance(content, list):
        for each in content:
            if isinstance(each, dict) and each.get("type") in kinds:
                yield each


def said(content: object, *kinds: str) -> str:
    """Return the text of *content*, a text or blocks: of those of *kinds* alone.

    Images, thoughts and what is encrypted are not looked at.

    Raises:
        StrangeLineError: If it holds half a character.
    """
    if isinstance(content, str):
        found = content
    else:
        found = "\n".join(
            filter(None, (text(b, "text") for b in blocks(content, *kinds)))
        )
    if not found.isascii():
        try:
            found.encode()
        except UnicodeEncodeError as error:
            raise StrangeLineError("it holds half a character") from error
    return found.replace("\0", "")
