"""The formats of session logs, each a module behind one Protocol that yields turns.

To add one, write its module and name it in `FORMATS`; nothing else knows of it. The
order is that in which they are asked whether they know a line.
"""

from __future__ import annotations

from crewmem.transcripts.formats import claude, codex, openclaw, plain
from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crewmem.transcripts.turn import Place, Record, State, Turn


class Format(Protocol):
    """What a module of a format has."""

    NAME: str
    """What ``--harness`` calls it."""

    def folders(self, environ: Mapping[str, str], home: str, /) -> list[str]:
        """Return the directories that hold its logs, there or not."""

    def belongs(self, path: str, /) -> bool:
        """Tell whether a file at *path*, below such a directory, is a log."""

    def agent(self, path: str, /) -> str:
        """Return what the program calls the agent whose log *path* is; "" for none."""

    def knows(self, record: Record, /) -> bool:
        """Tell whether a line that holds *record* is of this format, and no other."""

    def turns(self, record: Record, place: Place, state: State, /) -> Iterable[Turn]:
        """Yield what *record*, which stands at *place*, says; *state* moves on.

        Raises:
            StrangeLineError: If it cannot be read.
        """


FORMATS: tuple[Format, ...] = (openclaw, claude, codex, plain)

HARNESSES = tuple(each.NAME for each in FORMATS)


def named(name: str) -> Format:
    """Return the format called *name*, one of `HARNESSES`."""
    return next(each for each in FORMATS if name == each.NAME)


def knowing(record: Record) -> Format | None:
    """Return the format that a line with *record* is of; None if nobody knows it."""
    return next((each for each in FORMATS if each.knows(record)), None)
