"""What comes of an import of memories, as it is counted."""

from __future__ import annotations

from crewmem.journal.importing import LISTED, NAME_SHOWN, Trouble
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TOTAL, ADDED, KNOWN, CONFLICTS, LEFT_OUT, BAD, QUARANTINED = (
    "total",
    "added",
    "known",
    "conflicts",
    "left_out",
    "bad",
    "quarantined",
)
"""What is counted."""


class Taken(NamedTuple):
    """What came of an import of memories, or would.

    Attributes:
        total: How many lines or rows there are.
        added: Memories that are new here.
        known: Memories that are here already.
        conflicts: Those whose id or topic another memory has.
        left_out: Those that are not for whom the import is.
        bad: Lines that are no memories.
        quarantined: Of those added, how many wait for a person to look at them.
        removed: Memories that were here, and were replaced.
        troubles: What was not taken in, and why; the first hundred.
        extra: Fields that no memory has, and that were not kept; a hundred of them.
        warnings: What else a person should know.
        backup: Where the database lies as it was before; null: nothing was replaced.
    """

    total: int = 0
    added: int = 0
    known: int = 0
    conflicts: int = 0
    left_out: int = 0
    bad: int = 0
    quarantined: int = 0
    removed: int = 0
    troubles: tuple[Trouble, ...] = ()
    extra: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    backup: str | None = None


class Tally:
    """Counts what comes of an import."""

    def __init__(self) -> None:
        self.removed = 0
        self._counts: dict[str, int] = {}
        self._warnings: dict[str, int] = {}
        self._troubles: list[Trouble] = []
        self._extra: set[str] = set()

    def count(self, what: str) -> None:
        """Count one more of *what*."""
        self._counts[what] = self._counts.get(what, 0) + 1

    def warn(self, what: str) -> None:
        """Count one more of *what*, which a person should know."""
        self._warnings[what] = self._warnings.get(what, 0) + 1

    def trouble(
        self, what: str, line: int, reason: str, memory_id: str | None = None
    ) -> None:
        """Count a line that was not taken in; the first are told one by one."""
        self.count(what)
        if len(self._troubles) < LISTED:
            self._troubles.append(Trouble(line, reason, memory_id))

    def notice(self, extra: Iterable[str]) -> None:
        """Keep names of fields that are not kept: a line may have a million."""
        self._extra.update(name[:NAME_SHOWN] for name in extra)
        if len(self._extra) > LISTED:
            self._extra = {*sorted(self._extra)[:LISTED]}

    def taken(self) -> Taken:
        """Return what came of it so far."""
        told = self._counts.get
        return Taken(
            total=told(TOTAL, 0),
            added=told(ADDED, 0),
            known=told(KNOWN, 0),
            conflicts=told(CONFLICTS, 0),
            left_out=told(LEFT_OUT, 0),
            bad=told(BAD, 0),
            quarantined=told(QUARANTINED, 0),
            removed=self.removed,
            troubles=tuple(self._troubles),
            extra=tuple(sorted(self._extra)),
            warnings=tuple(f"{n:,} {what}" for what, n in self._warnings.items()),
        )
