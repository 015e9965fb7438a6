"""Whether what was cited still says what it said."""

from __future__ import annotations

from crewmem.consolidation.inputs_store import by_id
from crewmem.consolidation.observation import bare
from crewmem.consolidation.piece import (
    ENTRY,
    decoded,
    digest_of,
    lines,
    parted,
    stands,
)
from crewmem.consolidation.wording import TITLE_MOST, one_line
from crewmem.errors import CrewmemError
from crewmem.errors.journal import EntryMissingError
from crewmem.files.archive import archived_name
from crewmem.files.folders import open_place
from crewmem.files.put import present
from crewmem.files.screen import screened
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
                files[ref] = _contents(means, ref)
            is_there = any(_says(each, content) for content in files[ref])
        found.append(is_there)
    return found


def quoted(means: Means, place: str) -> str:
    """Return *place*, a file and its lines, with what stands there, if it may be shown.

    What is no place is returned as it is.
    """
    ref, first, last = parted(place)
    if not first:
        return place
    content = means.file(ref).content or b""
    said = one_line(bare(lines(decoded(content), first, last)), TITLE_MOST)
    if not said or screened("", said, means.pen.scan).blocking:
        return place
    return f"{place} ({said})"


def _is_kept(means: Means, evidence: Evidence) -> bool:
    """Tell whether the entry is in the archive, where compaction puts it whole."""
    try:
        means.journal.find(evidence.ref, Reach(means.workspace))
    except EntryMissingError:
        return False
    return True


def _contents(means: Means, ref: str) -> list[bytes]:
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
