"""Reading on in a log: turns, and where to go on from."""

from __future__ import annotations

from crewmem.journal.reading import BadLineError, json_object
from crewmem.records import NamedTuple
from crewmem.transcripts.formats import knowing
from crewmem.transcripts.formats.content import StrangeLineError
from crewmem.transcripts.turn import Place, State
from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from crewmem.transcripts.feed import Mark
    from crewmem.transcripts.formats import Format
    from crewmem.transcripts.lines import Line
    from crewmem.transcripts.turn import Turn

LOOKED_AT = 64
"""Lines of a log that tell of what program it is, and where it works."""


class Stream(Protocol):
    """A log that is open where it was left."""

    offset: int
    line: int
    is_fresh: bool

    def lines(self) -> Iterator[Line]:
        """Yield its whole lines, from where it was left."""

    def mark(self, offset: int, /) -> Mark:
        """Return by what it is known again if it is left at *offset*."""

    def go(self, offset: int, line: int, /) -> None:
        """Go to *offset*, before which *line* lines are."""

    def close(self) -> None:
        """Let go of it."""


class Left(NamedTuple):
    """Where a log may be left, so that nothing is lost or read for another thing.

    Attributes:
        offset: The byte behind the last line.
        line: Its number.
        kept: What the format knows there.
    """

    offset: int
    line: int
    kept: Mapping[str, Any]


class Step(NamedTuple):
    """What came of a line.

    Attributes:
        line: The line.
        before: Where the log was before it.
        turns: What was said in it, and before it, if that was held back.
        left: Where it may be left now; None where it may not yet.
        bad: Why it could not be read; "" if it could.
    """

    line: Line
    before: Left
    turns: list[Turn]
    left: Left | None
    bad: str


def steps(stream: Stream, form: Format | None, state: State) -> Iterator[Step]:
    """Yield what each line of *stream* says.

    The format is that of the first line that any knows, if none is named. *state* is
    what it knows at the beginning, and moves on.
    """
    before = Left(stream.offset, stream.line, {**state.kept})
    for line in stream.lines():
        turns: list[Turn] = []
        bad = ""
        if line.content is None:
            bad = "it is too long"
        elif line.content:
            try:
                record = json_object(line.content)
                form = form or knowing(record)
                if form is None:
                    state.count("(unknown)")
                else:
                    place = Place(line.number, line.start, line.end)
                    turns = list(form.turns(record, place, state))
            except (BadLineError, StrangeLineError) as error:
                bad = str(error)
        here = Left(line.end, line.number, {**state.kept})
        yield Step(line, before, turns, None if state.held else here, bad)
        before = here


class Looked(NamedTuple):
    """What the beginning of a log tells.

    Attributes:
        form: The format; None if nobody knows it.
        project: The directory that is worked in; "" if it does not say.
        lines: How many lines were looked at.
    """

    form: Format | None
    project: str
    lines: int


def look(stream: Stream, form: Format | None) -> Looked:
    """Look at the beginning of *stream*."""
    state, project, seen = State(), "", 0
    for count, line in enumerate(stream.lines()):
        if count >= LOOKED_AT:
            break
        seen += 1
        try:
            record = json_object(line.content or b"")
            form = form or knowing(record)
            if form is None:
                continue
            place = Place(line.number, line.start, line.end)
            turns = list(form.turns(record, place, state))
        except (BadLineError, StrangeLineError):
            continue
        told = next(filter(None, (each.project for each in turns)), "")
        if project := told or state.text("project"):
            break
    return Looked(form, project, seen)
