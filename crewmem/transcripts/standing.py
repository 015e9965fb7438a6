"""How far all logs are read, and what of them waits. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crewmem.transcripts.cursor import Cursor
    from crewmem.transcripts.source import Source

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

GAP = timedelta(hours=1)
"""For how long what was said may wait: timers read every few minutes."""


class Stand(NamedTuple):
    """How far the logs of one program are read, of one agent.

    Attributes:
        harness: The program; "" of what was never read.
        agent: Whose memories are made of it; null for nobody's.
        files: Logs that are there.
        cursors: Logs of which something was read, there or not.
        waiting: Those to which something was added since they were read.
        bytes: How much that is.
        turns: What was read in them.
        newest_at: When the newest of them was last changed; null if none is there.
        read_to: When the newest turn was that was read; null if none was.
        learned_at: When the newest turn was of which anything was learned; or null.
        gap_seconds: How far the newest change is ahead of what was read; 0 if nothing
            waits, null if nothing was ever read.
        skipped: Lines that could not be read.
        drops: How often tokens fell by much, without a mark or a summary.
    """

    harness: str
    agent: str | None
    files: int
    cursors: int
    waiting: int
    bytes: int
    turns: int
    newest_at: datetime | None
    read_to: datetime | None
    learned_at: datetime | None
    gap_seconds: float | None
    skipped: int
    drops: int

    @property
    def is_behind(self) -> bool:
        """Tell whether what was said waits for longer than it should."""
        return self.gap_seconds is not None and self.gap_seconds > GAP.total_seconds()


class Behind(NamedTuple):
    """A log with what is to be read of it.

    Attributes:
        source: The log, as it is there; None if it is gone.
        cursor: How far it was read; None if it never was.
        bytes: How much waits.
    """

    source: Source | None
    cursor: Cursor | None
    bytes: int


def behind(sources: Iterable[Source], cursors: Sequence[Cursor]) -> list[Behind]:
    """Return all logs, each with how much of it waits."""
    by_name: dict[str, list[Cursor]] = {}
    for each in cursors:
        by_name.setdefault(each.path, []).append(each)
    found: list[Behind] = []
    for source in sources:
        known = by_name.pop(source.name, [])
        if not known:
            found.append(Behind(source, None, source.size))
        found += [Behind(source, each, _left(source, each)) for each in known]
    gone = [each for some in by_name.values() for each in some]
    return [*found, *(Behind(None, each, 0) for each in gone)]


def _left(source: Source, cursor: Cursor) -> int:
    """Return how many bytes of *source* wait; of what is no plain file, a guess."""
    if (source.size, source.mtime_ns) == (cursor.size, cursor.mtime_ns):
        return 0
    if cursor.session or source.is_packed:
        return max(0, source.size - cursor.size)
    return source.size - cursor.offset if source.size >= cursor.offset else source.size


def stands(logs: Iterable[Behind]) -> list[Stand]:
    """Return how far the logs of each program and agent are read, by their names."""
    groups: dict[tuple[str, str | None], list[Behind]] = {}
    for each in logs:
        key = (
            (each.cursor.harness, each.cursor.agent)
            if each.cursor
            else (each.source.harness if each.source else "", None)
        )
        groups.setdefault(key, []).append(each)
    ordered = sorted(groups, key=lambda key: (key[0], key[1] or ""))
    return [_stand(*key, groups[key]) for key in ordered]


def _stand(harness: str, agent: str | None, logs: Sequence[Behind]) -> Stand:
    cursors = [each.cursor for each in logs if each.cursor]
    sources = [each.source for each in logs if each.source]
    waiting = [each for each in logs if each.bytes and each.source]
    read_to = max((each.turn_at for each in cursors if each.turn_at), default=None)
    learned = [each.learned_at for each in cursors if each.learned_at]
    return Stand(
        harness=harness,
        agent=agent,
        files=len({each.name for each in sources}),
        cursors=len(cursors),
        waiting=len(waiting),
        bytes=sum(each.bytes for each in waiting),
        turns=sum(each.turns for each in cursors),
        newest_at=max((changed(each) for each in sources), default=None),
        read_to=read_to,
        learned_at=max(learned, default=None),
        gap_seconds=_gap(waiting, read_to),
        skipped=sum(each.skipped for each in cursors),
        drops=sum(each.drops for each in cursors),
    )


def _gap(waiting: Sequence[Behind], read_to: datetime | None) -> float | None:
    if not waiting:
        return 0.0
    if read_to is None:
        return None
    newest = max(changed(each.source) for each in waiting if each.source)
    return max(0.0, (newest - read_to).total_seconds())


def changed(source: Source) -> datetime:
    """Return when *source* was last changed, to the second."""
    return EPOCH + timedelta(seconds=source.mtime_ns // 1_000_000_000)


class Skips(NamedTuple):
    """Lines of a log that could not be read.

    Attributes:
        path: The log.
        skipped: How many there are.
        lines: The numbers of the first.
    """

    path: str
    skipped: int
    lines: tuple[int, ...]


class Standing(NamedTuple):
    """How far all logs are read.

    Attributes:
        roots: Directories that were looked in.
        logs: How far the logs of each program are read, of each agent.
        waiting: Logs to which something was added since they were read.
        bytes: How much that is.
        kinds: How many memories were learned, by kind.
        skips: Lines that could not be read, by log.
        drops: How often tokens fell by much, without a mark or a summary: context may
            have been lost, and nobody told.
        letters: Parts of which a language model is to be asked again, by what became
            of them: open, given up or gone.
        letter_error: Why it could not be asked, the last time; "" if it could.
        losses: How often context was lost.
        recovered: How often of these memory was laid before the agent.
        refused: Files and links that were not looked into.
    """

    roots: list[str]
    logs: list[Stand]
    waiting: int
    bytes: int
    kinds: Mapping[str, int]
    skips: list[Skips]
    drops: int
    letters: Mapping[str, int]
    letter_error: str
    losses: int
    recovered: int
    refused: int
