"""A section of a block: what is to be shown of a file, and what became of it. Pure."""

from __future__ import annotations

from enum import StrEnum

from crewmem.prompt.defuse import defused
from crewmem.records import NamedTuple


class Fate(StrEnum):
    """What became of a section."""

    PLACED = "placed"
    CUT = "cut"
    BLOCKED = "blocked"
    LEFT_OUT = "left out"


class Section(NamedTuple):
    """What is to be shown of one file.

    Attributes:
        label: What stands in its label line.
        text: What the file says, in lines that end as ours do.
        shown: The same, line for line, without anything that looks like structure.
        ref: Names the file.
        bytes: The size of the file.
        read: The command that prints the file; "" where there is none for the reader.
        first: The line of the file in which *text* begins; 0: lines do not agree.
        keeps_end: Whether its end, which is the newest, is kept where it is cut.
        is_note: Whether it is the notes of a day.
        is_listed: Whether it is one of many, which have no order of their own.
        floor: Percent of the room of its tier that those before it leave to it.
        name: What its label says in a file's name, in words; it is scanned as well.
        withheld: What its label is where that name is not to be shown.
        relevance: To what was asked, in [0, ∞); of those in one tier, what is cut last.
        start: The line of *text*, from 0, with which it begins where it is cut.
    """

    label: str
    text: str
    shown: str
    ref: str = ""
    bytes: int = 0
    read: str = ""
    first: int = 1
    keeps_end: bool = False
    is_note: bool = False
    is_listed: bool = False
    floor: int = 0
    name: str = ""
    withheld: str = ""
    relevance: float = 0.0
    start: int = 0

    @property
    def opening(self) -> str:
        """The line that opens it."""
        return f"--- {self.label} ---\n"

    def rest(self, begin: int, end: int) -> str:
        """Return the line that stands for the lines from *begin* to *end*, exclusive.

        They are counted from 0, from the first of *text*.
        """
        if not self.read:
            return "…(truncated)\n"
        lines = f":{self.first + begin}-{self.first + end - 1}" if self.first else ""
        return f"…(truncated; {self.read}{lines})\n"


class Piece(NamedTuple):
    """What became of a section.

    Attributes:
        text: What stands for it in its block, its label line included; "" for nothing.
        source: What of the file's text is in it, before it was defused.
        begun: Where a line was cut: what is shown of it, and the lines beside it.
        why: What else to say of its fate.
    """

    section: Section
    fate: Fate
    text: str = ""
    source: str = ""
    begun: str = ""
    why: str = ""


def section(label: str, text: str, **more: object) -> Section:
    """Return the section of a *text* in lines that end as ours do."""
    return Section(label=label, text=text, shown=defused(text), **more)  # type: ignore[arg-type]
