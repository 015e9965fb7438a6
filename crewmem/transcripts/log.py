"""A log that is to be read on, and what comes of it. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.cursor import Cursor
    from crewmem.transcripts.formats import Format
    from crewmem.transcripts.learn import Learned

UNFINISHED = -1
"""Stands for the size of a log that was not read to its end so far."""


class Log(NamedTuple):
    """A log that is to be read on.

    Attributes:
        path: By which it is known.
        session: Of a database that holds several; "" for a file.
        file: Where it is.
        size: Bytes of it.
        mtime_ns: When it was last changed.
        device: With the next, by which the system knows it.
        inode: As above.
        form: Its format; None if that is to be seen from its lines.
        cursor: How far it was read; None if it never was.
    """

    path: str
    session: str
    file: str
    size: int
    mtime_ns: int
    device: int
    inode: int
    form: Format | None
    cursor: Cursor | None


class Read(NamedTuple):
    """What came of reading a log.

    Attributes:
        learned: What was learned, or would be.
        losses: How often context was lost in what was read.
        bad: Numbers of lines that could not be read, with why; the first of them.
        skipped: How many that were.
        unknown: Lines of kinds that nobody knows, by kind.
        turns: What was read.
        letters: Parts of which a model is to be asked again.
    """

    learned: list[Learned]
    losses: int
    bad: list[tuple[int, str]]
    skipped: int
    unknown: dict[str, int]
    turns: int
    letters: int


def is_done(log: Log) -> bool:
    """Tell whether *log* is as it was when it was read to its end, by its stamps."""
    cursor = log.cursor
    if cursor is None or log.session:
        return False
    stamps = (cursor.device, cursor.inode, cursor.size, cursor.mtime_ns)
    return stamps == (log.device, log.inode, log.size, log.mtime_ns)
