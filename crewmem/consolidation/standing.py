"""Whether what was cited still says what it said."""

from __future__ import annotations

from crewmem.consolidation.inputs_store import by_id
from crewmem.consolidation.piece import (
    ENTRY,
    decoded,
    digest_of,
    lines,
    parted,
    stands,
)
from crewmem.errors import CrewmemError
from crewmem.errors.journal import EntryMissingError
from crewmem.files.archive import archived_name
from crewmem.files.folders import open_place
from crewmem.files.put import present
from crewmem.files.tiers import Tier
from crewmem.scope import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.consolidation.item import Evidence
    from crewmem.consolidation.means import Means


def standing(means: Means, evidence: Sequence[Evidence]) -> list[bool]:
    """Tell of each of *evidence* whether it is there, and says what it said.

    Lines may have moved within their file, and their file to the archive.
    """
    ids = [each.ref for each in evidence if each.source == ENTRY]
    told = by_id(means.journal.db, means.workspace, ids)
    files: dict[str, list[bytes]] = {}
    found = []
    for each in evidence:
        if each.source == ENTRY:
            entry = told.get(each.ref)
            is_there = entry.sha256 == each.sha256 if entry else _is_kept(means, each)
        else:
            ref = parted(each.ref)[0]
            if ref not in files:
                files[ref] = contents(means, ref)
            is_there = any(_says(each, content) for content in files[ref])
        found.append(is_there)
    return found


def _is_kept(means: Means, evidence: Evidence) -> bool:
    """Tell whether the entry is in the archive, where compaction puts it whole."""
    try:
        means.journal.find(evidence.ref, Reach(means.workspace))
    except EntryMissingError:
        return False
    return True


def contents(means: Means, ref: str) -> list[bytes]:
    """Return what the file *ref* holds, and what it was put away with."""
    try:
        target = means.target(ref)
        names = [target.file]
        if target.tier is Tier.DAILY:
            names.append(archived_name(target.file))
        with open_place(target.place) as root:
            found = [present(root, each) for each in names]
    except CrewmemError:
        return []
    return [each for each in found if each is not None]


def _says(evidence: Evidence, content: bytes) -> bool:
    if stands(evidence, content):
        return True
    _, first, last = parted(evidence.ref)
    text, count = decoded(content), last - first + 1
    number = text.count("\n") + 1
    return any(
        digest_of(lines(text, at, at + count - 1)) == evidence.sha256
        for at in range(1, number - count + 2)
    )
