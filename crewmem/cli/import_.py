"""``crewmem import``."""

from __future__ import annotations

from contextlib import contextmanager

import click

from crewmem.bundles.layouts import AUTO, LAYOUTS
from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import as_slug
from crewmem.cli.typed import Bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from crewmem.bundles.importing import Bringing, Imported
    from crewmem.bundles.source import Source
    from crewmem.bundles.work import Place, Work
    from crewmem.files.written import Means
    from crewmem.journal.store import Journal

TOLD = 5
"""Reasons that are told where nothing was imported."""

MERGES = ("replace", "append", "skip")


@verb
@argument("named", required=False, metavar="[SRC]", help="What to take in; - reads it.")
@option(
    "--from",
    "source",
    metavar="SRC",
    help="The same: a bundle, a memory directory, notes or a dump of a program.",
)
@option("--apply", is_flag=True, help="Do it; else it is only said what would be done.")
@option("--dry-run", is_flag=True, help="Only say it, which is the default.")
@option("--crew", metavar="NAME", callback=as_slug, help="For this crew.")
@option("--agent", metavar="SLUG", callback=as_slug, help="For this agent.")
@option("--group", metavar="NAME", help="The group of NanoClaw that is meant.")
@option(
    "--operator", metavar="USER", help="The person whom OpenClaw's USER.md is about."
)
@option("--with-crew", is_flag=True, help="With what is the crew's, for an agent.")
@option(
    "--merge",
    type=click.Choice(MERGES),
    default="replace",
    help="What is done where a file is there.  [replace]",
)
@option(
    "--map",
    "names",
    metavar="OLD=NEW",
    multiple=True,
    help="Call an agent, a team or a kind of a dump otherwise here.",
)
@option("--issues", is_flag=True, help="With Beads' issues, as action items.")
@option(
    "--replace",
    "replaces",
    is_flag=True,
    help="The workspace's memories go, and the dump's take their place.",
)
@option("--yes", is_flag=True, help="Do not ask before --replace.")
@option(
    "--layout",
    "form",
    type=click.Choice([AUTO, *LAYOUTS]),
    default=AUTO,
    help="How it is laid out, if that cannot be told.",
)
@option(
    "--allow",
    metavar="RULE",
    multiple=True,
    help="Let this rule of the scanner pass; for operators, and recorded.",
)
@option(
    "--max-input",
    type=Bytes(),
    metavar="SIZE",
    help="Most bytes of a file that is read, as 200M.  [10M]",
)
@option("--strict", is_flag=True, help="End with 1 when there are warnings.")
@pass_app
def import_command(
    app: App,
    *,
    named: str | None,
    source: str | None,
    apply: bool,
    dry_run: bool,
    strict: bool,
    **chosen: Any,
) -> None:
    """Take memory in from a bundle, a directory or another program's notes.

    It says first what would be done, and does it with --apply. It knows bundles of
    crewmem export, OKF bundles, .memory directories, OpenClaw, NanoClaw, and pages
    such as CLAUDE.md, AGENTS.md and MEMORY.md; packed in a .tar.gz or a zip as well.

    Every file is written as any other is: caps, scanner and roles hold, and there is
    a version of it. Where several files go into one, each stands under its name. A
    bundle brings its journal, its versions, its memories and its proposals along; what
    is here already is left as it is, so that an import may be run again.

    It knows dumps of memories as well, in JSON: OtterCamp's tables, Engram's points,
    Beads' export and our own lines. Kinds, votes, topics and what took whose place
    become ours; what looks like an attack waits for a person. Rows are taken in all,
    or none. --replace copies the database beside itself before.
    """
    if apply and dry_run:
        raise click.UsageError("--apply and --dry-run do not go together.")
    source = _source(named, source)
    _require_open(app, source)
    from crewmem.bundles.importing import Bringing
    from crewmem.cli.confirm import confirmed
    from crewmem.cli.importing.bringing import bringing, require_replaceable
    from crewmem.cli.persons import bringing_evidence

    require_replaceable(app, chosen)
    with _opened(app, source, chosen["max_input"]) as found:
        todo, place = _work(app, found, chosen)
        means = _means(app, place, chosen["allow"], apply=apply)
        memories = bringing(app, todo, means, apply=apply, replaces=chosen["replaces"])
        if memories and apply and chosen["replaces"]:
            what = f"Replacing the memories of workspace {app.workspace!r}"
            if not confirmed(app, what, yes=chosen["yes"]):
                app.out.note("Nothing was written.")
                return
        bring = Bringing(memories, bringing_evidence(app, todo, apply=apply))
        record, told = _done(app, todo, place, means, bring, apply=apply)
    from crewmem.cli.importing.shown import SHOWN, imported_lines

    for warning in told.warnings[:SHOWN]:
        app.out.warn(warning)
    if (left := len(told.warnings) - SHOWN) > 0:
        app.out.warn(f"{left:,} more warnings were left out")
    _require_something(record)
    app.out.record(record, imported_lines(record))
    app.strictly(strict=strict)


def _source(*named: str | None) -> str:
    """Return the one that was named, as an argument or by --from."""
    sources = [each for each in named if each is not None]
    if len(sources) != 1:
        raise click.UsageError("Name one thing to take in: crewmem import SRC.")
    return sources[0]


def _require_open(app: App, source: str) -> None:
    """Refuse an agent or a lead what lies in the home, or holds it: others' memory.

    Raises:
        OutOfScopeError: If it is not for them.
    """
    if app.actor.is_operator or source == "-":
        return
    from pathlib import Path

    from crewmem.errors.registry import OutOfScopeError

    real, mount = Path(source).resolve(), Path(app.world.mount).resolve()
    own = [mount / "agents" / app.actor.name]
    if crew := app.sight.crew:
        crews = app.home.resolve() / "workspaces" / app.workspace / "crews"
        own.append(crews / crew / "agents" / app.actor.name)
    if any(real.is_relative_to(each) for each in own):
        return
    for kept in (app.home.resolve(), mount):
        if real.is_relative_to(kept) or kept.is_relative_to(real):
            rule = "of what lies in the home each reads its own, by memory read"
            raise OutOfScopeError(str(app.actor), f"import {source}", rule)


@contextmanager
def _opened(app: App, source: str, most: int | None) -> Iterator[Source]:
    """Open what was named, a directory or a file."""
    import os

    from crewmem.bundles.layouts.single import STDIN
    from crewmem.bundles.limits import limits
    from crewmem.bundles.source import Folder, open_stream
    from crewmem.cli.typed import opened

    how = limits(most)
    if source != "-" and os.path.isdir(source):  # noqa: PTH112 - a string, as typed
        folder = Folder(source.rstrip("/") or "/", how)
        try:
            yield folder
        finally:
            folder.close()
        return
    with opened(app, source, most=most, usual=how.input) as (stream, size):
        found = open_stream(STDIN if source == "-" else source, stream, size, how)
        try:
            yield found
        finally:
            found.close()


def _work(app: App, source: Source, chosen: dict[str, Any]) -> tuple[Work, Place]:
    from crewmem.bundles.work import Place, format_of, work
    from crewmem.cli.importing.aiming import aim_of
    from crewmem.cli.persons import opted_out

    form = format_of(source, chosen["form"])
    aim = aim_of(app, form, chosen)
    unknown = frozenset(opted_out(app))
    place = Place(
        app.home, app.workspace, _database(app), app.registry_to_read, unknown
    )
    todo = work(
        source,
        form,
        aim,
        place,
        merge=chosen["merge"],
        is_operator=app.actor.is_operator,
    )
    anybody = [
        each
        for each in todo.reading.documents
        if each.scope != "workspace" and each.crew is None
    ]
    if anybody and len(anybody) == len(todo.reading.documents):
        raise click.UsageError("Say for whom it is, with --agent or --crew.")
    return todo, place


def _database(app: App) -> Any:
    return app.truth_to_read if app.home.is_dir() else None


def _means(app: App, place: Place, allow: tuple[str, ...], *, apply: bool) -> Means:
    """Return what files are written with; only to look, nothing is made for it."""
    from crewmem.cli.writing import means
    from crewmem.files.homed import place_in
    from crewmem.registry.crews_store import without_memory
    from crewmem.scope import Scope

    shared = place_in(place.path, place.workspace, Scope.WORKSPACE)
    where = shared._replace(kept=apply)
    found = means(app, where, allow=allow, sight=app.sight)
    if apply or place.db is None:
        return found
    return found._replace(off=without_memory(place.db, place.workspace))


def _done(
    app: App,
    todo: Work,
    place: Place,
    means: Means,
    bring: Bringing,
    *,
    apply: bool,
) -> tuple[Imported, Work]:
    from crewmem.bundles import importing
    from crewmem.cli.persons import opt_out
    from crewmem.cli.progress import progress

    if not apply:
        journal = _to_look_at(app)
        return importing.foresee(todo, place, means, journal, app.now, bring)
    journal = app.journal
    if todo.with_parts:
        opt_out(app, todo.members.opted_out)
    place = place._replace(db=app.truth, registry=app.registry)
    with progress(app.out, doing="Importing") as tick:
        return importing.apply(
            todo, place, means, journal, now=app.now, tell=tick, bring=bring
        )


def _to_look_at(app: App) -> Journal | None:
    """Return the journal to compare with, if there is one."""
    from crewmem.errors.registry import HomeMissingError, WorkspaceMissingError

    try:
        return app.journal_to_read
    except (HomeMissingError, WorkspaceMissingError):
        return None  # the import would make them


def _require_something(record: Imported) -> None:
    from crewmem.bundles.importing import is_nothing_done
    from crewmem.errors.bundles import NothingCarriedError

    if record.applied and is_nothing_done(record):
        reasons = [
            f"{each.ref or ', '.join(each.sources)}: {each.reason}"
            for each in record.documents
        ]
        reasons += [f"{each.source}: {each.reason}" for each in record.left_out]
        if record.memories:
            reasons += [each.reason for each in record.memories.troubles]
        raise NothingCarriedError(record.source, reasons[:TOLD])
