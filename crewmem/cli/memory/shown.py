"""How memory directories and their files are shown to a person."""

from __future__ import annotations

from crewmem import times
from crewmem.cli.output import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from crewmem.cli.output import Line
    from crewmem.files.contents import Entry
    from crewmem.files.reindex import Reindexed
    from crewmem.files.skipped import Skipped
    from crewmem.files.status import Standing

TEN = 10
"""From here on a number is told without decimals."""

UNITS = ("B", "kB", "MB", "GB")
"""Each a thousand of the one before."""

LEAST = 0.01
"""Less is told as less than this: rounded, it would look like nothing."""


def size(count: int) -> str:
    """Return *count* bytes in few figures: ``940 B``, ``3.9 kB``, ``12 MB``."""
    power = min((len(str(count)) - 1) // 3, len(UNITS) - 1)
    number = count / 1000**power
    figures = 1 if power and number < TEN else 0
    return f"{number:.{figures}f} {UNITS[power]}"


def percent(share: float | None, count: int = 0) -> str:
    """Return *share*, which *count* bytes are, as a percentage; "" for none.

    A record's share is rounded: whether it is nothing at all, the bytes tell.
    """
    if share is None:
        return ""
    return "<1%" if share < LEAST and (share or count) else f"{share:.0%}"


def owner(scope: str, name: str) -> str:
    """Name whose a directory is."""
    return f"{scope} {name}".rstrip()


def absent(skipped: Sequence[Skipped]) -> int:
    """Count the files of *skipped* that no search finds; the others lost bytes."""
    from crewmem.files.skipped import LOSSY

    return sum(each.reason != LOSSY for each in skipped)


def is_news(each: Reindexed) -> bool:
    """Tell whether a timer's owner wants to hear of *each*."""
    changed = each.added or each.changed or each.removed or each.rebuilt
    return bool(changed or absent(each.skipped))


def reindexed_lines(done: Sequence[Reindexed]) -> Iterator[Line]:
    """Yield a line for each directory, and a total where there are several."""
    for each in done:
        would = "to be " if each.dry_run else ""
        changes = [
            f"{count} {word}"
            for count, word in (
                (each.added, f"{would}added"),
                (each.changed, f"{would}changed"),
                (each.removed, f"{would}removed"),
                (absent(each.skipped), "skipped"),
            )
            if count
        ]
        yield [
            ("bold", owner(each.scope, each.owner)),
            f": {each.files:,} files, {each.chunks:,} chunks; ",
            ", ".join(changes) or "nothing changed",
            ("dim", f" ({each.seconds:.2f} s)"),
        ]
    if len(done) > 1:
        files, chunks = sum(d.files for d in done), sum(d.chunks for d in done)
        yield f"{len(done)} directories: {files:,} files, {chunks:,} chunks"


def standing_table(shown: Sequence[Standing], now: datetime) -> Table:
    """Return a row for each directory."""
    from crewmem.cli.hits import shortened

    return Table(
        (
            "MEMORY",
            "FILES",
            "SIZE",
            "OF CAP",
            "CHUNKS",
            "INDEX",
            "INDEXED",
            "STALE",
            "SKIPPED",
            "VECTORS",
            "SEARCH",
            "PATH",
        ),
        [
            (
                owner(each.scope, each.owner),
                f"{each.files:,}",
                size(each.bytes),
                percent(each.share, each.bytes),
                f"{each.chunks:,}",
                each.state,
                times.ago(each.indexed_at, now) if each.indexed_at else "never",
                f"{each.stale:,}",
                f"{absent(each.skipped):,}",
                f"{each.vectors:,}",
                each.mode,
                shortened(each.path),
            )
            for each in shown
        ],
        right=frozenset(
            {"FILES", "SIZE", "OF CAP", "CHUNKS", "STALE", "SKIPPED", "VECTORS"}
        ),
    )


def contents_table(entries: Sequence[Entry], now: datetime) -> Table:
    """Return a row for each file."""
    return Table(
        ("FILE", "TIER", "SIZE", "OF CAP", "CHANGED", "FLAGS"),
        [
            (
                each.ref,
                each.tier,
                size(each.bytes),
                percent(each.share, each.bytes),
                times.ago(each.updated_at, now),
                " ".join(each.flags),
            )
            for each in entries
        ],
        right=frozenset({"SIZE", "OF CAP", "CHANGED"}),
    )
