"""Files of JSON from who knows where, as the objects in them: each alone, or bad. Pure.

A file holds an object in each line, or is one document: a list of objects, or an
object that has lists of them, as a table dump has its tables.
"""

from __future__ import annotations

import json

from crewmem.journal.reading import BadLineError, json_object, lines
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

WHOLE_LEAST, WHOLE_MOST = -(1 << 63), (1 << 63) - 1
"""Numbers beyond these become other numbers in most programs that read JSON."""

TABLES = (
    "agents",
    "memory_entries",
    "shared_knowledge",
    "knowledge_entries",
    "agent_memories",
    "memories",
    "points",
    "result",
    "results",
    "data",
)
"""What other programs call a list of rows."""

SHARED = ("namespace", "collection", "collection_name")
"""What a document says of all that is in it."""

BEADS = "kv.memory."
"""How the keys begin under which Beads has memories."""


class Item(NamedTuple):
    """An object of a file.

    Attributes:
        number: Its line, or its place in a document, counted from 1.
        record: What it says; None: it is bad, or left out.
        reason: Why it is.
        is_left_out: Whether it is as it should be, and not wanted.
        table: The list that it stands in; "" for none.
    """

    number: int
    record: dict[str, Any] | None
    reason: str = ""
    is_left_out: bool = False
    table: str = ""

    def bad(self, reason: str) -> Item:
        """Return it as one that cannot be read."""
        return self._replace(record=None, reason=reason)

    def left(self, reason: str) -> Item:
        """Return it as one that is not wanted."""
        return self._replace(record=None, reason=reason, is_left_out=True)


class _Wrong:
    """Stands for a value that programs read differently."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


def in_lines(stream: BinaryIO) -> Iterator[Item]:
    """Yield the object of each line of *stream*."""
    for line in lines(stream):
        if line.text is None:
            yield Item(line.number, None, "it is too long")
            continue
        try:
            yield Item(line.number, json_object(line.text))
        except BadLineError as error:
            yield Item(line.number, None, str(error))


def items(content: bytes) -> list[Item]:
    """Return the objects of a file, whichever way it holds them."""
    from io import BytesIO

    first = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first not in {b"{", b"["}:
        return []
    found = [*in_lines(BytesIO(content))]
    if found[0].record is None and (whole := _document(content)) is not None:
        return [*_numbered(whole)]
    parts = [part for each in found for part in _unfolded(each)]
    if len(found) > 1:
        return parts
    return [part._replace(number=place) for place, part in enumerate(parts, 1)]


def _document(content: bytes) -> object:
    """Return what one document spells; None: it is none."""
    try:
        return _decode(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def _numbered(document: object) -> Iterator[Item]:
    rows = document if isinstance(document, list) else [document]
    number = 0
    for row in rows:
        for each in _unfolded(_item(number + 1, row)):
            number += 1
            yield each._replace(number=number)


def _item(number: int, row: object) -> Item:
    if isinstance(row, _Wrong):
        return Item(number, None, row.reason)
    if not isinstance(row, dict):
        return Item(number, None, "it is no JSON object")
    wrong = [each for each in row.values() if isinstance(each, _Wrong)]
    return Item(number, None if wrong else row, wrong[0].reason if wrong else "")


def _unfolded(item: Item) -> Iterator[Item]:
    """Yield what *item* has lists of; itself, if it is no such thing."""
    record = item.record
    if record is None:
        yield item
        return
    tables = [name for name in TABLES if isinstance(record.get(name), list)]
    if tables and "content" not in record:
        shared = {name: record[name] for name in SHARED if name in record}
        for name in tables:
            for row in record[name]:
                found = _item(item.number, row)
                if found.record is not None:
                    found = found._replace(record={**shared, **found.record})
                yield found._replace(table=name)
    elif isinstance(record.get("table"), str) and _row(record) is not None:
        yield item._replace(record=_row(record), table=record["table"])
    elif record and all(
        name.startswith(BEADS) and isinstance(value, str)
        for name, value in record.items()
    ):
        for name, value in record.items():
            yield item._replace(record={"key": name, "value": value})
    else:
        yield item


def _row(record: dict[str, Any]) -> dict[str, Any] | None:
    rows = [record[name] for name in ("row", "data") if name in record]
    return rows[0] if rows and isinstance(rows[0], dict) else None


def _marked(pairs: list[tuple[str, Any]]) -> object:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return _Wrong(f"it has {name[:80]!r} twice")
        seen.add(name)
    return found


def _whole(text: str) -> object:
    is_long = len(text) > len(str(WHOLE_LEAST))
    if is_long or not WHOLE_LEAST <= int(text) <= WHOLE_MOST:
        return _Wrong("it holds a number that is too large")
    return int(text)


def _real(text: str) -> object:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        return _Wrong("it holds a number that is too large")
    return number


_decode = json.JSONDecoder(
    object_pairs_hook=_marked,
    parse_int=_whole,
    parse_float=_real,
    parse_constant=lambda text: _Wrong(f"it holds {text}, which is no JSON"),
).decode
