"""The card of a person: a line ``- field: value`` each, the oldest first. Pure."""

from __future__ import annotations

import re

from crewmem.prompt.operator_fact import FactField
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crewmem.prompt.operator_fact import Fact

LINE = re.compile(r"[-*] *([A-Za-z]+) *: *(.*?) *")

FIELDS = frozenset(FactField)


class Merged(NamedTuple):
    """A card after something was observed.

    Attributes:
        content: What it says now.
        dropped: Fields whose lines did not fit, the newest ones.
        cut: How many other lines did not fit.
    """

    content: bytes
    dropped: tuple[FactField, ...]
    cut: int


def fields_of(content: bytes) -> dict[FactField, str]:
    """Return what the card *content* says, by field; of two lines the first."""
    found: dict[FactField, str] = {}
    for line in _lines(content):
        if field := _field(line):
            found.setdefault(field, _value(line))
    return found


def merged(content: bytes, facts: Iterable[Fact], cap: int) -> Merged:
    """Return the card *content* with *facts* on it, in at most *cap* bytes.

    What they do not touch stays where and as it is, lines of other kinds included; what
    is new comes last. Lines that do not fit are dropped whole, from the end.
    """
    lines = _lines(content)
    new = {fact.field: f"- {fact.field}: {fact.value}" for fact in facts}
    said = fields_of(content)
    kept: list[str] = []
    seen: set[str] = set()
    for line in lines:
        field = _field(line)
        if field in new and field not in seen:
            is_same = new[field] == f"- {field}: {said[field]}"
            kept.append(line if is_same else new[field])
        elif field is None or field not in new:
            kept.append(line)
        seen.add(field or "")
    kept += [line for field, line in new.items() if field not in seen]
    if kept == lines and len(content) <= cap:
        return Merged(content, (), 0)
    return _fitted(kept, cap)


def without(content: bytes, field: FactField) -> bytes:
    """Return the card *content* with no line of *field*; b"" if no field is left."""
    left = [line for line in _lines(content) if _field(line) != field]
    return _joined(left) if any(map(_field, left)) else b""


def _fitted(lines: list[str], cap: int) -> Merged:
    """Return *lines* as a card, without those at the end that are over the *cap*."""
    left = list(lines)
    size = sum(len(line.encode("utf-8", "surrogateescape")) + 1 for line in left)
    dropped: list[FactField] = []
    cut = 0
    while left and size > cap:
        line = left.pop()
        size -= len(line.encode("utf-8", "surrogateescape")) + 1
        if field := _field(line):
            dropped.append(field)
        elif line.strip():
            cut += 1
    while left and not left[-1].strip():
        left.pop()
    gone: Collection[FactField] = {*dropped} - {*map(_field, left)}
    return Merged(_joined(left), tuple(each for each in dropped if each in gone), cut)


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _lines(content: bytes) -> list[str]:
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _field(line: str) -> FactField | None:
    found = LINE.fullmatch(line)
    name = found[1].lower() if found else ""
    return FactField(name) if name in FIELDS else None


def _value(line: str) -> str:
    found = LINE.fullmatch(line)
    return found[2] if found else ""
