"""``crewmem export``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.places import Chosen, as_slug, places, root
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import ExitStack
    from pathlib import Path

    import apsw

    from crewmem.bundles.gather import Gathered, Wanted
    from crewmem.bundles.reading import LeftOut
    from crewmem.cli.output import Line

MEMORY = ".memory"
"""Directories that hold memory, and nothing else."""

ONLY = ("files", "journal", "versions", "memories")
"""What can be exported alone."""


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


@verb
@option(
    "--out",
    required=True,
    metavar="PATH",
    help="A directory, or a file that ends with .tar.gz.",
)
@option("--only", type=click.Choice(ONLY), multiple=True, help="Nothing but these.")
@option("--crew", metavar="NAME", callback=as_slug, help="Only this crew.")
@option("--agent", metavar="SLUG", callback=as_slug, help="Only this agent.")
@option(
    "-S",
    "--scope",
    type=ScopeChoice(),
    help="How far; an agent's own by default, else all that the actor may see.",
)
@option(
    "--with-persons",
    is_flag=True,
    help="With what is known of persons: users/ and peers/. For operators.",
)
@option(
    "--include-restricted",
    is_flag=True,
    help="With memories that are restricted. For operators.",
)
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def export_command(
    app: App,
    *,
    out: str,
    only: tuple[str, ...],
    crew: str | None,
    agent: str | None,
    scope: str | None,
    with_persons: bool,
    include_restricted: bool,
    strict: bool,
) -> None:
    """Write memory into a bundle of plain files: a directory or a .tar.gz.

    It holds memory files as they are; the journal as JSON lines, with what is archived,
    priorities, how often episodes were delivered and which relations somebody made; the
    versions of memory files with what they kept; memories as JSON lines, with votes,
    revisions and relations, and proposals; with persons, what they said; and a
    manifest with the hash of each. The same state makes the same bytes.

    What is made of these anew is not part of it: indexes, vectors, relations of what
    is alike, and how far consolidation has read. Nor is what lives for a while, or is
    of this home alone: scratch, files in quarantine, the log of recalls, audits,
    health, the runs of jobs, and the hashes of the chain.

    An actor exports what it may read. Proposals leave with operators only, restricted
    memories with those who ask for them.

    A directory has to be new, or to hold a bundle: of that, files go that are no
    longer there; what else lies in it is left alone.
    """
    from crewmem.bundles.gather import Wanted
    from crewmem.scope import require_operator

    if with_persons:
        require_operator(app.actor, "export what is known of persons")
    if include_restricted:
        require_operator(app.actor, "export what is restricted")
    if not out:
        raise click.UsageError("--out names nothing: it is empty.")
    if scope is None and app.actor.role == "agent":
        scope = "agent"
    wanted = Wanted(
        sight=app.sight,
        crew=crew,
        agent=agent,
        scope=scope,
        with_persons=with_persons,
        limit=app.settings.max_file_bytes,
    )
    record, warnings = exported(
        app, out, only or ONLY, wanted, restricted=include_restricted
    )
    for warning in warnings:
        app.out.warn(warning)
    app.out.record(record, _lines(record))
    app.strictly(strict=strict)


def exported(
    app: App, out: str, only: Sequence[str], wanted: Wanted, *, restricted: bool
) -> tuple[Exported, list[str]]:
    """Write the bundle *out*; return what it holds, and what is to be warned of."""
    from contextlib import ExitStack
    from pathlib import Path

    from crewmem.bundles.export import is_packed, put_folder, put_packed
    from crewmem.cli.progress import progress

    path = Path(out).absolute()
    _require_outside(app, path)
    with ExitStack() as stack:
        db = _one_moment(app, stack)
        gathered = list(_gathered(app, db, only, wanted))
        if db is not None and "memories" in only:
            gathered += _memories(app, db, wanted, restricted=restricted)
        if db is not None and "files" in only and wanted.with_persons:
            gathered.append(_persons(app, db, wanted))
        parts = [part for each in gathered for part in each.parts]
        tick = stack.enter_context(progress(app.out, doing="Exporting"))
        put = (put_packed if is_packed(out) else put_folder)(path, parts, only, tick)
    record = Exported(
        path=str(path),
        packed=is_packed(out),
        files=len(parts),
        bytes=sum(part.item.bytes for part in parts),
        documents=sum(part.item.path.startswith("files/") for part in parts),
        sha256=put.sha256,
        written=put.written,
        unchanged=put.unchanged,
        removed=put.removed,
        left_out=tuple(left for each in gathered for left in each.left_out),
    )
    return record, [warning for each in gathered for warning in each.warnings]


def _require_outside(app: App, path: Path) -> None:
    """Refuse a bundle where it would be taken for memory, or for crewmem's own.

    Raises:
        UnsafePathError: If it would lie there.
    """
    from crewmem.errors.disk import UnsafePathError

    real = path.resolve()
    kept = [app.home.resolve() / name for name in ("workspaces", "versions", "locks")]
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


def _memories(
    app: App, db: apsw.Connection, wanted: Wanted, *, restricted: bool
) -> Iterator[Gathered]:
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
            view(app, restricted=restricted),
            agents,
            None if wanted.agent else wanted.crew,
            None if wanted.scope in {None, "all"} else str(wanted.scope),
        ),
    )


def _persons(app: App, db: apsw.Connection, wanted: Wanted) -> Gathered:
    """Return what persons said, for the cards that go into the bundle."""
    from crewmem.bundles import gather
    from crewmem.bundles.refs import owner_of_ref
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


def _lines(record: Exported) -> Iterator[Line]:
    count = f"{record.files:,} files" if record.files != 1 else "1 file"
    yield [
        "Exported ",
        ("bold", count),
        f", {record.documents:,} of them memory files, {record.bytes:,} bytes, to ",
        ("path", record.path),
    ]
    if not record.packed:
        yield (
            f"{record.written:,} written, {record.unchanged:,} as they were, "
            f"{record.removed:,} removed."
        )
    yield [("dim", f"sha256 of the manifest: {record.sha256}")]
