"""Importing: saying what would be done, and doing it."""

from __future__ import annotations

from crewmem.bundles import carry as carrying
from crewmem.bundles import members
from crewmem.bundles.histories import OTHER, UNWRITTEN
from crewmem.bundles.manifest import PROPOSALS, TRANSCRIPTS
from crewmem.bundles.plan import (
    FAILED,
    REJECTED,
    UNCHANGED,
    Planned,
    Step,
)
from crewmem.bundles.restore import (
    bring_carried,
    bring_entries,
    bring_versions,
    counted,
)
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from crewmem.bundles.histories import History
    from crewmem.bundles.reading import LeftOut
    from crewmem.bundles.restore import Brought, Told
    from crewmem.bundles.work import Place, Work
    from crewmem.files.written import Means
    from crewmem.journal.store import Journal
    from crewmem.memories.taken import Taken


class Imported(NamedTuple):
    """What an import would do, or has done.

    Attributes:
        source: Where from.
        format: How it is laid out: crewmem, okf, crewship, openclaw, nanoclaw,
            ottercamp, engram, beads, memories, single.
        merge: append, replace or skip: what is done where a file is there.
        applied: Whether it was done; if not, nothing was written.
        documents: A step for each memory file.
        left_out: What of the source is not imported, and why.
        registered: Crews and agents that are registered with it, as crew harbor.
        journal: Its journal; null where it has none, or that stays out.
        versions: Its versions; null where it has none, or they stay out.
        memories: Its memories; null where it has none, or they stay out.
        proposals: Its proposals; null where it has none, or they stay out.
        transcripts: What was learned of which turn of a session log, and when context
            was lost; null where it has none, or it stays out.
        persons: What persons said that lines about them rest on; null as well.
    """

    source: str
    format: str
    merge: str
    applied: bool
    documents: tuple[Step, ...]
    left_out: tuple[LeftOut, ...]
    registered: tuple[str, ...]
    journal: Brought | None
    versions: Brought | None
    memories: Taken | None = None
    proposals: Brought | None = None
    transcripts: Brought | None = None
    persons: Brought | None = None


class Parts(NamedTuple):
    """What came of what a bundle holds besides files; None where it holds none."""

    journal: Told | None
    versions: Told | None
    proposals: Told | None
    transcripts: Told | None
    memories: Taken | None
    persons: Told | None

    @property
    def told(self) -> Iterator[str]:
        """What a person should know of all of it."""
        brought = (self.journal, self.versions, self.proposals, self.persons)
        for each in (*brought, self.transcripts):
            yield from each.warnings if each else ()
        yield from _troubles(self.memories) if self.memories else ()


class Bringing(NamedTuple):
    """What takes in what is of rooms that bundles have no door to; None: nothing.

    Attributes:
        memories: Takes in memories, or says what would come of it.
        persons: The same of what persons said.
    """

    memories: Callable[[], Taken] | None = None
    persons: Callable[[], Told] | None = None


NOTHING = Bringing()


def recorded(todo: Work, parts: Parts, *, applied: bool) -> Imported:
    """Return *todo* as it is told."""
    return Imported(
        source=todo.source.name,
        format=todo.format,
        merge=todo.merge,
        applied=applied,
        documents=tuple(each.step for each in todo.planned),
        left_out=todo.left_out,
        registered=(
            *(f"crew {each.name}" for each in todo.members.crews),
            *(f"agent {each.slug}" for each in todo.members.agents),
        ),
        journal=_brought(parts.journal),
        versions=_brought(parts.versions),
        memories=parts.memories,
        proposals=_brought(parts.proposals),
        transcripts=_brought(parts.transcripts),
        persons=_brought(parts.persons),
    )


def _brought(told: Told | None) -> Brought | None:
    return told.brought if told else None


def foresee(
    todo: Work,
    place: Place,
    means: Means,
    journal: Journal | None,
    now: datetime,
    bring: Bringing = NOTHING,
) -> tuple[Imported, Work]:
    """Return what importing *todo* would come to; nothing is written.

    *bring* says what would come of the rest.
    """
    planned = [*carrying.foresee(todo.planned, means, restored=todo.restored)]
    names, workspace = todo.parts, place.workspace
    entries = bring_entries(
        todo.source, names, journal, workspace, now=now, dry_run=True
    )
    carried = bring_carried(todo.source, names, place.db, workspace, dry_run=True)
    found = dict(_settled(todo, planned))
    parts = Parts(
        journal=entries,
        versions=counted(found) if found else None,
        proposals=carried.get(PROPOSALS),
        transcripts=carried.get(TRANSCRIPTS),
        memories=bring.memories() if bring.memories else None,
        persons=bring.persons() if bring.persons else None,
    )
    told = _told(todo, planned, parts)
    return recorded(told, parts, applied=False), told


def apply(
    todo: Work,
    place: Place,
    means: Means,
    journal: Journal,
    *,
    now: datetime,
    tell: carrying.Tell | None = None,
    bring: Bringing = NOTHING,
) -> tuple[Imported, Work]:
    """Import *todo*: members, journal, files, versions, memories, in this order.

    Each file is written as any other is, and comes out whole or as it was. *bring*
    takes the rest in.
    """
    names, workspace = todo.parts, place.workspace
    versions = None
    if todo.with_parts and place.registry:
        members.register(place.registry, place.path, workspace, todo.members)
    entries = bring_entries(
        todo.source, names, journal, workspace, now=now, dry_run=False
    )
    planned = carrying.carry([*todo.planned], means, restored=todo.restored, tell=tell)
    if todo.histories:
        versions = bring_versions(
            todo.source,
            names,
            dict(_settled(todo, planned)),
            journal,
            place.path,
            workspace,
            means.scan,
        )
    memories = bring.memories() if bring.memories else None
    carried = bring_carried(todo.source, names, journal.db, workspace, dry_run=False)
    persons = bring.persons() if bring.persons else None
    parts = Parts(
        journal=entries,
        versions=versions,
        proposals=carried.get(PROPOSALS),
        transcripts=carried.get(TRANSCRIPTS),
        memories=memories,
        persons=persons,
    )
    told = _told(todo, planned, parts)
    return recorded(told, parts, applied=True), told


def _settled(todo: Work, planned: Iterable[Planned]) -> Iterator[tuple[str, History]]:
    """Yield the histories; those of files that came otherwise stay out."""
    outcomes = {each.step.ref: each.step.outcome for each in planned}
    for path, history in todo.histories.items():
        outcome = outcomes.get(path, UNCHANGED)
        if not history.new or outcome == UNCHANGED:
            why = ""
        elif outcome in {REJECTED, FAILED}:
            why = UNWRITTEN
        else:
            why = "" if path in todo.restored else OTHER
        yield path, history._replace(new=(), reason=why) if why else history


def _told(todo: Work, planned: list[Planned], parts: Parts) -> Work:
    warnings = [*todo.warnings]
    for each in planned:
        if each.step.outcome in {REJECTED, FAILED}:
            name = each.step.ref or ", ".join(each.step.sources)
            warnings.append(f"{name} was {each.step.outcome}: {each.step.reason}")
    warnings += parts.told
    return todo._replace(planned=tuple(planned), warnings=tuple(warnings))


def _troubles(memories: Taken) -> Iterator[str]:
    """Yield what a person should know of memories that were not taken in."""
    yield from memories.warnings
    for each in memories.troubles:
        yield f"memory {each.line:,}: {each.reason}"
    told = memories.bad + memories.conflicts + memories.left_out
    if (more := told - len(memories.troubles)) > 0:
        yield f"{more:,} more memories were not taken in"
    if memories.quarantined:
        yield (
            f"{memories.quarantined:,} memories are for a person to look at: "
            "memories list --status quarantined"
        )
    if memories.extra:
        yield f"fields that no memory has were left: {', '.join(memories.extra)}"


def is_nothing_done(record: Imported) -> bool:
    """Tell whether there was something to import, and none of it was."""
    outcomes = {each.outcome for each in record.documents}
    parts = (record.journal, record.versions, record.memories, record.proposals)
    brought = [each for each in parts if each]
    return (
        bool(outcomes or record.left_out or record.memories)
        and outcomes <= {REJECTED, FAILED}
        and not any(each.added or each.known for each in brought)
        and not record.registered
    )
