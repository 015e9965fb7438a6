"""What goes into a bundle: files, journal, versions, memories: what one may read."""

from __future__ import annotations

from crewmem import disk, times
from crewmem.bundles import journal_store, versions_store
from crewmem.bundles.manifest import (
    ARCHIVED,
    CONTENTS,
    ENTRIES,
    EPISODES,
    MEMORIES,
    PERSONS,
    PRIORITIES,
    PROPOSALS,
    REGISTRY,
    RELATIONS,
    TRANSCRIPTS,
    VERSIONS,
    Owner,
    owner_of_ref,
)
from crewmem.bundles.names import trouble
from crewmem.bundles.part import in_pieces, part, whole
from crewmem.bundles.reading import LeftOut
from crewmem.episodes import carried_store, carry
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.files.kept import Kept
from crewmem.files.listing import ODD, unpack
from crewmem.files.place import Place
from crewmem.files.tiers import PRIVATE, tier_of
from crewmem.files.walk import reason, visible, walk
from crewmem.journal import priorities_store
from crewmem.journal.chain import encoded
from crewmem.journal.restore import archived_line, change_line
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import apsw

    from crewmem.bundles.part import Part, Pieces
    from crewmem.bundles.versions_store import Row
    from crewmem.journal.entry import Entry
    from crewmem.journal.filter import Filter
    from crewmem.memories.carried_store import Wanted as Claims
    from crewmem.scope import Sight

CARDS = "users/, peers/"
"""Where what is known of persons lies."""

PERSONAL = "{:,} about persons; --with-persons takes them along"

RESTRICTED = "{:,} restricted; --include-restricted takes them along"

OMITTED = frozenset({"seq", "workspace_id", "prev_hash", "entry_hash", "archived_at"})
"""Fields of an entry that are its journal's: an import gives it others."""


class Wanted(NamedTuple):
    """Whose memory is exported.

    Attributes:
        crew: Only this crew's.
        agent: Only this agent's.
        scope: How far; None: all that may be read.
        with_persons: Whether what is known of persons comes along.
        with_restricted: Whether memories that are restricted do.
        limit: Most bytes of a file.
    """

    sight: Sight
    crew: str | None
    agent: str | None
    scope: str | None
    with_persons: bool
    with_restricted: bool
    limit: int

    def includes(self, owner: Owner) -> bool:
        """Tell whether a file of *owner* is exported."""
        is_shared = owner.scope is Scope.WORKSPACE
        if self.crew is not None and (is_shared or owner.crew not in {None, self.crew}):
            return False
        if self.agent is not None and owner.agent != self.agent:
            return False
        if self.scope not in {None, Scope.ALL, owner.scope}:
            return False
        tier = tier_of(owner.file, workspace=is_shared)
        return self.sees(tier) and self._place(owner).is_open_to(self.sight)

    def sees(self, tier: str) -> bool:
        """Tell whether files of *tier* are exported."""
        may = self.with_persons and self.sight.sees_persons
        return may or tier not in PRIVATE

    @staticmethod
    def _place(owner: Owner) -> Place:
        from pathlib import Path

        return Place(Path(), owner.scope, owner.crew, owner.agent)


class Gathered(NamedTuple):
    """Files for a bundle.

    Attributes:
        left_out: What was not taken, and why.
        warnings: What was not as it should be.
    """

    parts: list[Part]
    left_out: list[LeftOut]
    warnings: list[str]


def memory_files(places: Iterable[Place], wanted: Wanted) -> Gathered:
    """Return the memory files of *places*: what a search would look through."""
    done = Gathered([], [], [])
    personal = 0
    everybody = wanted._replace(with_persons=True)
    for place in places:
        with open_place(place) as root:
            for found in list(walk(root)):
                if found.trouble:
                    where = place.path / found.path
                    done.warnings.append(f"{where} was left out: {found.trouble}")
                for name, stamp in sorted(unpack(found.listing).items()):
                    file = f"{found.path}/{name}".lstrip("/")
                    owner = Owner(place.scope, place.crew, place.agent, file)
                    if wanted.includes(owner):
                        _take(done, place, root, owner, stamp[0], wanted.limit)
                    else:
                        personal += everybody.includes(owner)
    if personal:
        done.left_out.append(LeftOut(CARDS, PERSONAL.format(personal)))
    return done


def _take(
    done: Gathered, place: Place, root: int, owner: Owner, size: int, limit: int
) -> None:
    file = owner.file
    tier = tier_of(file, workspace=place.scope is Scope.WORKSPACE)
    why = "it is no file" if size == ODD else trouble(owner.path)
    content = b""
    if not why:
        try:
            content = disk.read(root, file, limit=limit)
        except CrewmemError as error:
            why = reason(error)
    if why:
        done.warnings.append(f"{place.path / visible(file)} was left out: {why}")
        done.left_out.append(LeftOut(place.ref(visible(file)), why))
    else:
        done.parts.append(whole(owner.path, tier, content))


def registry(content: bytes) -> Gathered:
    """Return what the registry says, as `members.spelled` has it."""
    return Gathered([whole(REGISTRY, "registry", content)], [], [])


def journal(db: apsw.Connection, wanted: Filter) -> Gathered:
    """Return the journal, and what is kept of its entries beside it.

    That is changes of their priorities, what is archived, the relations that somebody
    made, and how often episodes were delivered.
    """
    done = Gathered([], [], [])
    seen: set[str] = set()
    archived: list[str] = []

    def damaged(what: str) -> None:
        if what not in done.warnings:
            done.warnings.append(f"{what}; it was left out")

    def lines() -> Iterator[str]:
        seen.clear()
        archived.clear()
        for entry in journal_store.entries(db, wanted, damaged):
            seen.add(entry.id)
            if entry.archived_at:
                at = times.to_text(entry.archived_at)
                archived.append(archived_line(entry.id, at))
            yield entry_line(entry)

    done.parts.extend(_made(ENTRIES, "journal", lines))
    beside = _beside(db, wanted.reach.workspace, seen)
    for path, some in (*beside, (ARCHIVED, sorted(archived))):
        done.parts.extend(_written(path, "journal", some))
    delivered = _made(EPISODES, "journal", lambda: _delivered(db, wanted, seen))
    done.parts.extend(delivered)
    return done


def _beside(
    db: apsw.Connection, workspace: str, seen: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield what is kept of the entries *seen*: changes of priorities, relations."""
    changes = priorities_store.changes(db, workspace)
    known = sorted(each for each in changes if each in seen)
    yield PRIORITIES, [change_line(each) for name in known for each in changes[name]]
    links = carried_store.links(db, workspace)
    made = (each for each in links if each.src in seen and each.dst in seen)
    yield RELATIONS, [carry.link_line(each) for each in made]


def _delivered(
    db: apsw.Connection, wanted: Filter, seen: Collection[str]
) -> Iterator[str]:
    """Yield the episodes among the entries *seen*, a line each."""
    for each in carried_store.delivered(db, wanted.reach.workspace):
        if each.id in seen:
            yield carry.delivered_line(each)


def entry_line(entry: Entry) -> str:
    """Return *entry* as a line that `journal import` reads."""
    record = {
        name: value for name, value in entry._asdict().items() if name not in OMITTED
    }
    record["ts"] = times.to_text(entry.ts)
    if entry.expires_at:
        record["expires_at"] = times.to_text(entry.expires_at)
    return encoded(record)


def versions(
    db: apsw.Connection, workspace: str, home: Path, wanted: Wanted
) -> Gathered:
    """Return the versions of memory files: a row each, and contents by their hash."""
    rows = [
        row
        for row in versions_store.rows(db, workspace)
        if (owner := owner_of_ref(row.path)) and wanted.includes(owner)
    ]
    lines = (encoded(row._asdict()) for row in rows)
    done = Gathered([*_written(VERSIONS, "versions", lines)], [], [])
    _contents(done, Kept(home), rows)
    return done


def memories(db: apsw.Connection, wanted: Claims) -> Gathered:
    """Return memories, with votes, revisions, relations and accesses."""
    from crewmem.memories import carried_store, exporting

    made = _made(MEMORIES, "memories", lambda: exporting.lines(db, wanted))
    done = Gathered([*made], [], [])
    view = wanted.view
    if view.agent is None and not view.restricted:
        every = wanted._replace(view=view._replace(restricted=True))
        if left := carried_store.count(db, every, restricted=True):
            done.left_out.append(LeftOut(MEMORIES, RESTRICTED.format(left)))
    return done


def proposals(db: apsw.Connection, workspace: str, crew: str | None) -> Gathered:
    """Return what waits for a person, and what was decided; of a *crew*, or of all."""
    from crewmem.proposals import carried_store as proposed

    lines = map(proposed.line, proposed.carried(db, workspace, crew))
    return Gathered([*_written(PROPOSALS, "memories", lines)], [], [])


def transcripts(db: apsw.Connection, workspace: str) -> Gathered:
    """Return what was learned of which turn, and when context was lost."""
    from crewmem.transcripts import carried_store as heard

    lines = heard.lines(db, workspace)
    return Gathered([*_written(TRANSCRIPTS, "memories", lines)], [], [])


def persons(lines: Iterable[str]) -> Gathered:
    """Return what persons said of themselves, as *lines* of a bundle."""
    return Gathered([*_written(PERSONS, "persons", lines)], [], [])


def _written(path: str, tier: str, lines: Iterable[str]) -> Iterator[Part]:
    """Yield the file at *path* that has these *lines*, if there are any."""
    if content := b"".join(in_pieces(lines)):
        yield whole(path, tier, content)


def _made(path: str, tier: str, lines: Callable[[], Iterable[str]]) -> Iterator[Part]:
    """Yield the same of *lines* that are too many to be held: they are made twice."""
    made = part(path, tier, lambda: in_pieces(lines()))
    if made.item.bytes:
        yield made


def _contents(done: Gathered, kept: Kept, rows: Sequence[Row]) -> None:
    for name in sorted({row.kept for row in rows if row.kept}):
        path = f"{CONTENTS}{name[:2]}/{name}"
        try:
            made = part(path, "versions", _content_of(kept, name))
        except CrewmemError as error:
            done.warnings.append(f"{error}; it was left out")
            done.left_out.append(LeftOut(path, str(error)))
        else:
            done.parts.append(made)


def _content_of(kept: Kept, name: str) -> Pieces:
    return lambda: [kept.get(name)]
