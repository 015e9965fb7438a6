"""What maps of other programs have in common. Pure."""

from __future__ import annotations

import json

from crewmem.errors.values import BadMemoryError, UnknownKindError
from crewmem.memories import fields
from crewmem.memories.draft import is_topic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from crewmem.memories.dump import Item

    Record = dict[str, Any]

VOTES_MOST = 100
"""Votes that are taken over, each way: seven say all that votes can say."""

LEGACY = "legacy"
"""Whose votes they are of which only the number is known: ``legacy:1`` and so on."""


def each(items: Iterable[Item], map_: Callable[[Item], Iterable[Record]]) -> list[Item]:
    """Return what *map_* makes of each of *items*; what it cannot is bad."""
    found: list[Item] = []
    for item in items:
        if item.record is None:
            found.append(item)
            continue
        try:
            found += [item._replace(record=record) for record in map_(item)]
        except (BadMemoryError, UnknownKindError) as error:
            found.append(item.bad(str(error)))
    return found


def votes(up: int, down: int, at: str | None) -> list[Record]:
    """Return that many votes, of nobody that is known."""
    ups, downs = min(up, VOTES_MOST), min(down, VOTES_MOST)
    return [
        {
            "actor": f"{LEGACY}:{number}",
            "up": number <= ups,
            **({"at": at} if at else {}),
        }
        for number in range(1, ups + downs + 1)
    ]


def instant(record: Record, *names: str) -> str | None:
    """Return the first instant that *record* has of *names*, however it is spelled."""
    for name in names:
        value = record.get(name)
        if value in (None, "", 0):
            continue
        if type(value) in {int, float}:
            return _of_seconds(name, value)
        return fields.stamp(record, name)
    return None


def _of_seconds(name: str, value: float) -> str:
    from datetime import UTC, datetime

    from crewmem import times

    seconds = value / 1000 if abs(value) > MILLISECONDS else value
    try:
        return times.to_text(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError) as error:
        raise BadMemoryError(name, str(value), "an instant") from error


MILLISECONDS = 1e11
"""A number above this counts milliseconds since 1970, one below it seconds."""


def words(record: Record, name: str) -> list[str]:
    """Return labels: a list, JSON of one, or words with commas between them."""
    value = record.get(name)
    if isinstance(value, str):
        if value.startswith("["):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError) as error:
                raise BadMemoryError(name, value[:80], "a list of texts") from error
        else:
            value = value.split(",")
    found = fields.texts({name: value}, name)
    return [" ".join(each.split()) for each in found if each.strip()]


def topic(key: str | None) -> tuple[str | None, Record]:
    """Return *key* as a topic key, and what is noted of it if it had to change."""
    if not key or not key.strip():
        return None, {}
    if is_topic(key):
        return key, {}
    ours = "".join(
        each if each.isalnum() or each in "_./-" else "-" for each in key.strip()
    ).strip("-/")[:120]
    return ours or None, {"topic_key": key}


def filled(record: Record) -> Record:
    """Return *record* without what it says nothing of."""
    return {k: v for k, v in record.items() if v is not None and v not in ([], {}, "")}


def created_by(name: str) -> Record:
    """Return who wrote it, where that is known."""
    return {"created_by": name} if fields.is_name(name) else {}
