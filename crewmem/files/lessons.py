"""Lessons: what went well and what did not, a list of an entry a line. Pure.

crewmem writes markdown. A list that is YAML, as older systems kept it, stays YAML.
"""

from __future__ import annotations

import re

from crewmem.digests import sha256
from crewmem.errors.files import TooManyEntriesError
from crewmem.files.change import BOM, MARK, joined, line_end
from crewmem.files.entries import entries, is_yaml
from crewmem.files.fences import unfenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date

    from crewmem.files.fences import Fence

KINDS = ("positive", "negative", "neutral")
"""How a lesson was learned."""

MOST = 500
"""Entries of a list. The oldest make room for new ones; versions keep them."""

ID_DIGITS = 12
"""Of the name that an entry of YAML has."""

ENTRY = re.compile(r"([ \t]*)[-*+][ \t]")
"""How an entry begins."""


class Lesson:
    """The change that adds a lesson to a list.

    Attributes:
        dropped: How many entries made room, once it was made.
    """

    def __init__(self, kind: str, text: str, day: date) -> None:
        """Add *text*, of a *kind* of `KINDS`, learned on *day*."""
        line = " ".join(text.split())
        if found := MARK.match(line):  # an entry has one of its own
            line = line[found.end() :]
        self.kind, self.line, self.day = kind, line, day
        self.dropped = 0

    def __call__(self, before: bytes) -> bytes:
        """Return *before* with an entry more; over `MOST`, without the first."""
        said = _decoded(before)
        if is_yaml(f"\n{said}", 0):
            whole, like = _with_yaml(said, self.kind, self.line, self.day), before
        else:
            entry = f"- [{self.kind}] {self.day.isoformat()} — {self.line}"
            like = joined(before, entry)
            whole = _decoded(like)
        self.dropped = max(len(_places(whole)) - MOST, 0)
        return _encoded(_limited(whole), like)


def require_few(text: str) -> None:
    """Refuse a list of more than `MOST` lessons.

    Raises:
        TooManyEntriesError: If *text* is one.
    """
    count = len(_places(text))
    if count > MOST:
        raise TooManyEntriesError(count, MOST)


def _decoded(content: bytes) -> str:
    """Return what *content* says, with the ends of lines that texts have here."""
    text = content.removeprefix(BOM).decode("utf-8", "surrogateescape")
    return text.replace("\r\n", "\n")


def _encoded(text: str, like: bytes) -> bytes:
    """Return *text* as bytes, which begin and end lines *like* others did."""
    whole = text.replace("\n", line_end(like)).encode("utf-8", "surrogateescape")
    return BOM + whole if like.startswith(BOM) else whole


def _places(text: str) -> list[tuple[int, int]]:
    """Return where the entries of *text* are, in order."""
    lines = f"\n{text}"  # each begins behind the end of one
    fences: list[Fence] = []
    for _ in unfenced(lines, 0, fences):
        pass
    found = entries(lines, 1, len(lines), fences)
    return [(start - 1, end - 1) for start, end in found if ENTRY.match(lines, start)]


def _limited(text: str) -> str:
    """Return *text* without its first entries, as far as there are too many."""
    over = _places(text)[:-MOST]
    for start, end in reversed(over):
        text = text[:start] + text[end:]
    return text


def _with_yaml(text: str, kind: str, line: str, day: date) -> str:
    """Return the YAML *text* with an entry more, behind the last one it has."""
    from json import dumps

    places = _places(text)
    head = text if text.endswith("\n") else f"{text}\n"
    at = places[-1][1] if places else len(head)
    indent = (
        found[1] if places and (found := ENTRY.match(text, places[-1][0])) else "  "
    )
    fields = {
        "id": f"l_{sha256(f'{day} {line}'.encode('utf-8', 'replace'))[:ID_DIGITS]}",
        "kind": kind,
        "captured_at": f"{day.isoformat()}T00:00:00Z",
        "source": "manual",
        "rule": line,
    }
    said = ", ".join(f"{key}: {dumps(value)}" for key, value in fields.items())
    entry = f"{indent}- {{{said}}}\n"
    before = head[:at] if head[:at].endswith("\n") else f"{head[:at]}\n"
    return f"{before.rstrip(chr(10))}\n{entry}{head[at:]}"
