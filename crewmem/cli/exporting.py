"""Writing what one may read of a workspace into a bundle, for `export` and backups."""

from __future__ import annotations

from crewmem.bundles.manifest import FILES
from crewmem.cli.places import Chosen, places, root
from crewmem.files.place import MEMORY
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import ExitStack
    from pathlib import Path

    import apsw

    from crewmem.bundles.export import Put
    from crewmem.bundles.gather import Gathered, Wanted
    from crewmem.bundles.reading import LeftOut
    from crewmem.cli.app import App
    from crewmem.errors import CrewmemError

KEPT = ("workspaces", "versions", "locks")
"""What of a home is crewmem's own."""

ONLY = ("files", "journal", "versions", "memories")
"""What can be exported alone."""

TRIES = 3
"""How often it is begun anew where what goes into it is pruned meanwhile."""


class Exported(NamedTuple):
    """A bundle that was written.

    Attributes:
        path: Where it is.
        packed: Whether it is one file.
        files: The files in it, the manifest left out.
        bytes: What they hold together.
        documents: How many of them are memory files.
        sha256: Of the manifest: two bundles of the same state have the same.
        written: Files that are new, or other than in the bundle that was there.
        unchanged: Files that were there as they are.
        removed: Files of the bundle that was there, and that are no longer in it.
        left_out: What was not exported, and why.
    """

    path: str
    packed: bool
    files: int
    bytes: int
    documents: int
    sha256: str
    written: int
    unchanged: int
    removed: int
    left_out: tuple[LeftOut, ...]


def exported(
    app: App, out: str, only: Sequence[str], wanted: Wanted
) -> tuple[Exported, list[str]]:
    """Write the bundle *out*; return what it holds, and what is to be warned of.

    Args:
        app: Whose home and workspace.
        out: A directory, or a file that is packed.
        only: What is exported, of `ONLY`.
        wanted: Whose.
    """
    from pathlib import Path

    from crewmem.bundles.export import is_packed, put_folder, put_packed
    from crewmem.errors import CrewmemError

    path, packed = Path(out).absolute(), is_packed(out)
    _require_outside(app, path)
    put = put_packed if packed else put_folder
    left = TRIES
    while True:
        left -= 1
        try:
            gathered, done = _put(app, path, put, only, wanted)
        except CrewmemError as error:
            if not left or not _is_passing(error):
                raise
        else:
            break
    items = [part.item for each in gathered for part in each.parts]
    record = Exported(
        path=str(path),
        packed=packed,
        files=len(items),
        bytes=sum(item.bytes for item in items),
        documents=sum(item.path.startswith(FILES) for item in items),
        sha256=done.sha256,
        written=done.written,
        unchanged=done.unchanged,
        removed=done.removed,
        left_out=tuple(left_out for each in gathered for left_out in each.left_out),
    )
    return record, [warning for each in gathered for warning in each.warnings]


def _is_passing(error: CrewmemError) -> bool:
    """Tell whether *error* is that something is other, or gone, since it was hashed."""
    from crewmem.errors.disk import DiskError
    from crewmem.errors.versions import ContentMissingError

    if isinstance(error, DiskError):
        return error.doing == "export"
    return isinstance(error, ContentMissingError)


def _put(
    app: App,
    path: Path,
    put: Callable[..., Put],
    only: Sequence[str],
    wanted: Wanted,
) -> tuple[list[Gathered], Put]:
    """Write the bundle at *path* by *put*; return what went into it, and what is new.

    All of it is of one moment of the database.
    """
    from contextlib import ExitStack

    from crewmem.cli.progress import progress

    with ExitStack() as stack:
        db = _one_moment(app, stack)
        gathered = [*_gathered(app, db, only, wanted)]
        tick = stack.enter_context(progress(app.out, doing="Exporting"))
        parts = [part for each in gathered for part in each.parts]
        return gathered, put(path, parts, only, tick)


def _require_outside(app: App, path: Path) -> None:
    """Refuse a bundle where it would be taken for memory, or for crewmem's own.

    Raises:
        UnsafePathError: If it would lie there.
    """
    from crewmem.errors.disk import UnsafePathError

    real = path.resolve()
    kept = [app.home.resolve() / name for name in KEPT]
    if MEMORY in real.parts or any(real.is_relative_to(each) for each in kept):
        raise UnsafePathError(path, "what lies there is memory, and no bundle of it")


def _one_moment(app: App, stack: ExitStack) -> apsw.Connection | None:
    """Open the database, and see one state of it until the end of *stack*."""
    from crewmem.db.connect import one_moment

    if (db := app.truth_to_read) is not None:
        stack.enter_context(one_moment(db))
    return db


def _gathered(
    app: App, db: apsw.Connection | None, only: Sequence[str], wanted: Wanted
) -> Iterator[Gathered]:
    """Yield what goes into the bundle, of each kind that is asked for."""
    from crewmem.bundles import gather

    if "files" in only:
        chosen = Chosen(None, wanted.scope, wanted.crew, wanted.agent)
        if root(app, chosen) != app.home:  # a mounted crew: it is looked at as a whole
            chosen = chosen._replace(scope=None)
        found, _ = places(app, chosen)
        yield gather.memory_files(found, wanted)
        if wanted.sight.actor.is_operator and wanted.scope in {None, "all"}:
            yield gather.registry(_members(app, wanted))
    if db is None:
        return
    if "journal" in only:
        from crewmem.journal.filter import Filter

        reach = app.reach(wanted.scope)
        asked = Filter(reach, crew=wanted.crew, agent=wanted.agent)
        yield gather.journal(db, asked)
    if "versions" in only:
        yield gather.versions(db, app.workspace, app.home, wanted)
    if "memories" in only:
        yield from _memories(app, db, wanted)
    if "files" in only and wanted.with_persons:
        yield _persons(app, db, wanted)


def _memories(app: App, db: apsw.Connection, wanted: Wanted) -> Iterator[Gathered]:
    """Yield the memories that go into the bundle: an agent's, a crew's, or all."""
    from crewmem.bundles import gather
    from crewmem.cli.held import STEP, view
    from crewmem.db.migrate import version
    from crewmem.memories.carried_store import Wanted as Claims

    if version(db) < STEP:
        return
    is_all = wanted.scope in {None, "all"} and wanted.agent is None
    if is_all and wanted.sight.actor.is_operator:
        yield gather.proposals(db, app.workspace, wanted.crew)
        if wanted.crew is None:
            yield gather.transcripts(db, app.workspace)
    agents: tuple[str, ...] | None = (wanted.agent,) if wanted.agent else None
    if agents is None and wanted.crew is not None and app.registry_to_read:
        every = app.registry_to_read.agents(app.workspace)
        agents = tuple(each.slug for each in every if each.crew == wanted.crew)
    yield gather.memories(
        db,
        Claims(
            view(app, restricted=wanted.with_restricted),
            agents,
            None if wanted.agent else wanted.crew,
            None if wanted.scope in {None, "all"} else str(wanted.scope),
        ),
    )


def _persons(app: App, db: apsw.Connection, wanted: Wanted) -> Gathered:
    """Return what persons said, for the cards that go into the bundle."""
    from crewmem.bundles import gather
    from crewmem.bundles.manifest import owner_of_ref
    from crewmem.cli.persons import evidence_lines

    def includes(card: str) -> bool:
        owner = owner_of_ref(card)
        return owner is not None and wanted.includes(owner)

    return gather.persons(evidence_lines(db, app.workspace, includes))


def _members(app: App, wanted: Wanted) -> bytes:
    """Return who works in the workspace, as far as it is exported."""
    from crewmem.bundles.members import Members, spelled
    from crewmem.cli.persons import opted_out

    if (registry := app.registry_to_read) is None:
        return spelled(Members())
    crews = (
        each
        for each in registry.crews(app.workspace)
        if wanted.crew in {None, each.name} and wanted.agent is None
    )
    agents = (
        each
        for each in registry.agents(app.workspace)
        if wanted.crew in {None, each.crew} and wanted.agent in {None, each.slug}
    )
    return spelled(Members(tuple(crews), tuple(agents), tuple(opted_out(app))))
