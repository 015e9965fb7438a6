"""How far a log was read, and whether it is still the same log. Pure."""

from __future__ import annotations

from crewmem.digests import sha256
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

HEAD_MOST = 4096
"""Bytes of a log's beginning by which it is known: the first line differs in all."""

TAIL_MOST = 1024
"""Bytes before where one read to: who rewrites a log seldom leaves these."""

NUMBERS_MOST = 20
"""Numbers of lines that could not be read which are kept: who wants more reads it."""


class Cursor(NamedTuple):
    """How far a log was read.

    Attributes:
        path: Without the end that says it is compressed.
        session: Of a database that holds several; "" for a file.
        agent: Whose memories are made of it.
        harness: The program that writes it.
        device: With the next, of the file that it was.
        inode: As above.
        head_bytes: Of how many bytes the next is.
        head: Of its beginning.
        tail: Of what is before the offset; "" where nobody could look.
        offset: The byte behind the last line that was read.
        line: Its number.
        state: What the format knows of the lines before.
        size: Of the file when it was read to its end; -1 where it was not so far.
        mtime_ns: When it was last changed, by then.
        turns: What was read of it.
        skipped: Lines that could not be read.
        skipped_lines: The numbers of the first of them.
        drops: How often tokens fell by much without any summary.
        turn_at: When the newest turn was.
        learned_at: When the newest turn was of which anything is kept.
        read_at: When it was last read.
    """

    path: str
    session: str
    agent: str
    harness: str
    device: int
    inode: int
    head_bytes: int
    head: str
    tail: str
    offset: int
    line: int
    state: Mapping[str, Any]
    size: int
    mtime_ns: int
    turns: int
    skipped: int
    skipped_lines: tuple[int, ...]
    drops: int
    turn_at: datetime | None
    learned_at: datetime | None
    read_at: datetime


def digest(content: bytes) -> str:
    """Return by what a part of a log is known again."""
    return sha256(content)[:32]


def is_same(cursor: Cursor, head: bytes, size: int | None) -> bool:
    """Tell whether a log that begins with *head* is the one that was read.

    *size* is that of all of it, None where that is not known before its end.
    """
    if size is not None and size < cursor.offset:
        return False
    return digest(head[: cursor.head_bytes]) == cursor.head
