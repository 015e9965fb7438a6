"""What a note says line by line, and which of its lines are new. Pure."""

from __future__ import annotations

import struct
from collections import Counter
from zlib import crc32

from crewmem.consolidation.marks_store import WIDTH
from crewmem.consolidation.observation import lessons, observations
from crewmem.consolidation.piece import LESSON, said_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Line = tuple[int, int, str, str, str, str]
    """First and last line, day, heading, what is said, and the lines as they stand."""


def noted(text: str, day: str) -> list[Line]:
    """Return what *text*, the note of a *day*, says line by line."""
    whole = text.split("\n")
    found: list[Line] = []
    for first, last, heading, said in observations(text):
        line = whole[first - 1] if first == last else "\n".join(whole[first - 1 : last])
        found.append((first, last, day, heading, said, said_of(line, said)))
    return found


def learned(text: str, today: str) -> list[Line]:
    """Return what *text*, a list of lessons, says; what has no day is of *today*."""
    whole = text.split("\n")
    return [
        (at, at, min(day, today) or today, LESSON, said, whole[at - 1])
        for at, day, said in lessons(text)
    ]


def checksums(lines: Sequence[Line]) -> list[int]:
    """Return by what each of *lines* is known again."""
    return [crc32(each[5].encode("utf-8", "replace")) for each in lines]


def packed(sums: Sequence[int]) -> bytes:
    """Return the checksums of lines as they are kept."""
    return struct.pack(f">{len(sums)}I", *sums)


def fresh(lines: Sequence[Line], sums: Sequence[int], kept: bytes) -> list[Line]:
    """Return those of *lines* that were not read before.

    Args:
        lines: Of a note, as it is now.
        sums: Their checksums.
        kept: Those of the lines that were read, as they are kept.
    """
    before = Counter(struct.unpack_from(f">{len(kept) // WIDTH}I", kept))
    before.subtract(sums)
    over = {number: -count for number, count in before.items() if count < 0}
    found: list[Line] = []
    for line, number in zip(reversed(lines), reversed(sums), strict=True):
        if over.get(number, 0) > 0:  # of lines that are alike the last are new
            over[number] -= 1
            found.append(line)
    return found[::-1]
