"""Entries as lines of JSON from who knows where: each is read alone, or is bad. Pure.

A bad line costs itself and no other one; its number and what is wrong with it are
kept.
"""

from __future__ import annotations

import json
from math import isinf

from crewmem import times
from crewmem.errors.values import BadEntryError, BadTimeError
from crewmem.journal.entry import Draft
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any, BinaryIO

LINE_MOST = 8 << 20
"""Most bytes of a line: an entry with the largest payload, every character escaped."""

WHOLE_LEAST, WHOLE_MOST = -(1 << 63), (1 << 63) - 1
"""Numbers beyond these become other numbers in most programs that read JSON."""

BOM = b"\xef\xbb\xbf"

ALIASES = {
    "type": "entry_type",
    "crew": "crew_id",
    "agent": "agent_id",
    "mission": "mission_id",
    "timestamp": "ts",
}
"""What other programs call a field."""

TEXTS = (
    "id",
    "crew_id",
    "agent_id",
    "mission_id",
    "severity",
    "priority",
    "actor_type",
    "actor_id",
    "trace_id",
    "span_id",
)
"""Fields that are text or null."""

OURS = frozenset({"workspace_id", "seq", "prev_hash", "entry_hash", "archived_at"})
"""Fields that an entry gets where it is added: what another journal gave is left."""

FIELDS = frozenset({*Draft._fields, *ALIASES})


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        number: Counted from 1.
        text: Without its end; None when it is over `LINE_MOST`.
        size: Its bytes, its end included.
    """

    number: int
    text: bytes | None
    size: int


class Read(NamedTuple):
    """An entry as a line had it.

    Attributes:
        extra: Fields that no entry has, and that are not kept.
        workspace: The workspace that it says it is of.
    """

    draft: Draft
    extra: frozenset[str]
    workspace: str | None


class BadLineError(ValueError):
    """A line is no entry; the message says why, and the caller keeps it."""


def lines(stream: BinaryIO) -> Iterator[Line]:
    """Yield the lines of *stream*, those without a word left out."""
    number = 0
    while text := stream.readline(LINE_MOST + 1):
        number += 1
        if len(text) > LINE_MOST and not text.endswith(b"\n"):
            yield Line(number, None, len(text) + _skipped(stream))
            continue
        bare = text.removeprefix(BOM) if number == 1 else text
        if stripped := bare.strip():
            yield Line(number, stripped, len(text))


def _skipped(stream: BinaryIO) -> int:
    """Read on to the end of a line; return how much that was."""
    size = 0
    while text := stream.readline(LINE_MOST):
        size += len(text)
        if text.endswith(b"\n"):
            break
    return size


def read(text: bytes) -> Read:
    """Return the entry that a line holds.

    Raises:
        BadLineError: If it is no JSON object, or one of the wrong shape.
        BadEntryError: If a field is of the wrong type.
    """
    record = json_object(text)
    extra = record.keys() - FIELDS
    workspace = record.get("workspace_id") if extra else None
    if workspace is not None and not isinstance(workspace, str):
        raise BadEntryError("workspace_id", str(workspace), "text")
    if not record.keys().isdisjoint(ALIASES):
        record = _renamed(record)
    return Read(_draft(record), frozenset(extra - OURS), workspace)


def json_object(text: bytes) -> dict[str, Any]:
    """Return the object that *text* spells, if every reader would see the same in it.

    Raises:
        BadLineError: If it is none.
    """
    try:
        record: Any = _decode(text.decode())
    except UnicodeDecodeError as error:
        raise BadLineError("it is not UTF-8") from error
    except RecursionError as error:
        raise BadLineError("it is nested too deep") from error
    except json.JSONDecodeError as error:
        raise BadLineError(f"it is not JSON: {error.msg.lower()}") from error
    except ValueError as error:
        if isinstance(error, BadLineError):
            raise
        raise BadLineError("it holds a number that is too large") from error
    if type(record) is not dict:
        raise BadLineError("it is no JSON object")
    return record


def _renamed(record: dict[str, Any]) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in record.items():
        meant = ALIASES.get(name, name)
        if meant in renamed:
            raise BadLineError(f"it has {meant} twice")
        renamed[meant] = value
    return renamed


def _draft(record: dict[str, Any]) -> Draft:
    get = record.get
    for name in TEXTS:
        text = get(name)
        if text is not None and type(text) is not str:
            raise BadEntryError(name, str(text), "text")
    for name in ("entry_type", "summary"):
        if type(get(name)) is not str:
            raise BadEntryError(name, _shown(get(name)), "text")
    payload, refs = _object("payload", record), _object("refs", record)
    agent = get("agent_id") or None
    return Draft(
        entry_type=record["entry_type"],
        summary=record["summary"],
        id=get("id"),
        crew_id=get("crew_id") or None,
        agent_id=agent,
        mission_id=get("mission_id") or None,
        ts=_instant("ts", get("ts")),
        severity=get("severity") or "info",
        priority=get("priority") or "normal",
        actor_type=get("actor_type") or ("agent" if agent else "system"),
        actor_id=get("actor_id") or (None if get("actor_type") else agent),
        payload=payload,
        refs=refs,
        trace_id=get("trace_id") or None,
        span_id=get("span_id") or None,
        expires_at=_instant("expires_at", get("expires_at")),
    )


def _object(name: str, record: dict[str, Any]) -> dict[str, Any]:
    value = record.get(name)
    if value is None:
        return {}
    if type(value) is not dict:
        raise BadEntryError(name, _shown(value), "a JSON object")
    return value


def _instant(name: str, text: object) -> datetime | None:
    if text is None:
        return None
    if type(text) is not str:
        raise BadEntryError(name, _shown(text), "a time, as text")
    try:
        return times.from_text(text)
    except BadTimeError as error:
        raise BadEntryError(name, text, error.wanted) from error


def _shown(value: object) -> str:
    return "nothing" if value is None else str(value)[:80]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadLineError(f"it has {_twice(pairs)[:80]!r} twice")
    return found


def _twice(pairs: list[tuple[str, Any]]) -> str:
    """Return the first name that is there again: of however many, at one go."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            break
        seen.add(name)
    return name


def _whole(text: str) -> int:
    number = int(text)
    if not WHOLE_LEAST <= number <= WHOLE_MOST:
        raise BadLineError("it holds a number that is too large")
    return number


def _real(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise BadLineError("it holds a number that is too large")
    return number


def _refused(text: str) -> object:
    raise BadLineError(f"it holds {text}, which is no JSON")


_decode = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_whole,
    parse_float=_real,
    parse_constant=_refused,
).decode
