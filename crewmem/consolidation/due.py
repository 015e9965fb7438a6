"""Which daily notes are put away: old ones of which nothing waits any more."""

from __future__ import annotations

from datetime import date

from crewmem.consolidation import marks_store
from crewmem.consolidation.item import Settled
from crewmem.consolidation.keep import Kept
from crewmem.consolidation.piece import DAILY
from crewmem.consolidation.proposed import KIND, proposed
from crewmem.files.archive import archived_name
from crewmem.proposals.proposal import OPEN, REJECTED
from crewmem.proposals.store import Proposals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crewmem.consolidation.item import Gathered
    from crewmem.consolidation.marks_store import Note
    from crewmem.consolidation.means import Means

ARCHIVE_DAYS = 30
"""Notes older than that are put away: no prompt shows them any more."""


def due(
    means: Means, crew: str, settled: Iterable[Settled]
) -> tuple[list[Settled], list[str]]:
    """Return the *settled* notes that are to be put away, and why others stay.

    What a person has been asked about, and has not approved, is not asked again. What
    was changed since it was read is looked at by the next run.
    """
    today = date.fromisoformat(means.today)
    old = [
        each
        for each in settled
        if (today - date.fromisoformat(each.day)).days > ARCHIVE_DAYS
    ]
    asked = _asked(means, crew) if old else frozenset()
    found: list[Settled] = []
    stay: list[str] = []
    files = means.files([ref for each in old for ref in (each.ref, away(each.ref))])
    for note in old:
        is_changed = files[note.ref].sha256 != note.sha256
        if is_changed or (note.ref, note.sha256) in asked:
            continue
        there = files[away(note.ref)]
        why = there.trouble
        if there.content is not None and there.sha256 != note.sha256:
            why = f"{there.ref} is another note"
        if why:
            stay.append(f"{note.ref} stays where it is: {why}")
        else:
            found.append(note)
    return found, stay


def freed(means: Means, gathered: Gathered, kept: Collection[str]) -> list[Settled]:
    """Return daily notes that wait for nothing but items that are *kept* now.

    `gather` could not tell what would become of these.
    """
    if not isinstance(gathered.marks, Kept):
        return []
    known = {each.ref for each in gathered.settled}
    waits = gathered.marks.waits
    held = {
        piece.ref
        for each in waits
        if each.candidate.id not in kept
        for piece in each.pieces
    }
    free = {
        piece.ref
        for each in waits
        if each.candidate.id in kept
        for piece in each.pieces
        if piece.source == DAILY and "/daily/archive/" not in piece.ref
    }
    return [
        Settled(ref, note.sha256, note.day)
        for ref in sorted(free - known - held)
        if (note := _read(means, gathered.marks, ref)) and note.is_whole
    ]


def _read(means: Means, kept: Kept, ref: str) -> Note | None:
    """Return what was read of the note *ref*, by this run or an earlier one."""
    owner, slash, name = ref.rpartition("daily/")
    where = (owner, slash + name)
    if where in kept.marks.notes:
        return kept.marks.notes[where]
    read = marks_store.notes(means.journal.db, means.workspace, owner)
    return read.get(slash + name)


def away(ref: str) -> str:
    """Return what the daily note *ref* is called once it is put away."""
    owner, slash, name = ref.rpartition("daily/")
    return f"{owner}{archived_name(slash + name)}"


def _asked(means: Means, crew: str) -> frozenset[tuple[str, str]]:
    """Return the notes of plans that wait, or were turned down, with their hashes."""
    return frozenset(
        (note.ref, note.sha256)
        for status in (OPEN, REJECTED)
        for each in Proposals(means.journal.db).of(
            means.workspace, status=status, kind=KIND
        )
        if each.crew == crew
        for part in proposed(each.body).parts
        for note in part.archives
    )
