"""Bringing a crew's pins.md up to date with the entries that are pinned."""

from __future__ import annotations

from crewmem.consolidation.pins import PRIORITIES, Mirror, Pinned, mirrored
from crewmem.errors import CrewmemError
from crewmem.errors.consolidation import SectionDamagedError
from crewmem.files.write import write
from crewmem.journal.filter import Filter
from crewmem.journal.listing_store import page
from crewmem.scope import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.consolidation.means import Means

MOST = 500
"""Pinned entries that are looked at: far more than pins.md has room for."""


def pin(
    means: Means, crew: str, *, dry_run: bool = False
) -> tuple[Pinned, tuple[str, ...]]:
    """Mirror what is pinned of *crew*; return what changed, and what was left out."""
    wanted = Filter(Reach(means.workspace), priorities=PRIORITIES, crew=crew)
    entries = page(means.journal.db, wanted, limit=MOST).entries
    ref = f"crew:{crew}/pins.md"
    file = means.file(ref)
    if file.trouble:
        return Pinned(), (f"{ref} is left as it is: {file.trouble}",) if entries else ()
    seen: list[Mirror] = []

    def change(before: bytes) -> bytes:
        seen.append(mirrored(before, entries, file.cap, means.pen.scan))
        return seen[-1].content

    try:
        change(file.content or b"")
        version = None
        if not dry_run and seen[-1].content != (file.content or b""):
            pen = means.pen
            version = write(
                means.target(ref), change, pen, operation="consolidate"
            ).version
    except SectionDamagedError as error:
        return Pinned(), (f"{ref} is left as it is: {error.reason}",)
    except CrewmemError as error:
        return Pinned(), (f"{ref} is left as it is: {error}",)
    last = seen[-1]
    before = means.before(ref) if version else None
    return Pinned(last.added, last.removed, version, last.lines, before), last.left
