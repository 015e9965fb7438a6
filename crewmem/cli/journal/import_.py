"""``crewmem journal import``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.typed import Bytes, opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line
    from crewmem.journal.importing import Imported
    from crewmem.journal.store import Journal

FILE_MOST = 10 << 20
"""Most bytes, from wherever, unless ``--max-input`` says otherwise."""

TOLD = 20
"""Lines that were not taken in, and fields, that a person is told of one by one."""

KILO = 1_000
"""Bytes of the unit in which progress is told."""


@verb
@argument("file", metavar="FILE", help="A file of JSON lines; - reads them.")
@option("--dry-run", is_flag=True, help="Only say what would be added.")
@option("--strict", is_flag=True, help="Stop at the first line that is not taken in.")
@option(
    "--max-input",
    type=Bytes(),
    metavar="SIZE",
    help="Most bytes that are read, as 200M.  [10M]",
)
@pass_app
def import_command(
    app: App, *, file: str, dry_run: bool, strict: bool, max_input: int | None
) -> None:
    """Add entries to the journal from a file of JSON lines.

    An entry whose id is there already is left as it is, so a file may be imported
    again; one that says something else under that id is a conflict. Lines that are no
    entries are told by their number and left out. Entries are added in batches of
    10,000, each whole or not at all; with --strict the first bad line ends it, and its
    batch is not added.
    """
    from crewmem.cli.progress import progress
    from crewmem.errors.journal import NothingImportedError
    from crewmem.journal.importing import Policy, import_entries
    from crewmem.scope import require_operator

    require_operator(app.actor, "import entries")
    with opened(app, file, most=max_input, usual=FILE_MOST) as (stream, size):
        journal = _to_look_at(app) if dry_run else app.journal
        with progress(app.out, doing="Importing", unit="kB") as tick:
            done = import_entries(
                journal,
                app.workspace,
                stream,
                now=app.now,
                policy=Policy(strict=strict, dry_run=dry_run),
                tell=tick and (lambda done: tick(done // KILO, size // KILO)),
            )
    _warn(app, done)
    if not strict and done.bad + done.conflicts and not done.added + done.known:
        raise NothingImportedError(file, [each.reason for each in done.troubles[:TOLD]])
    app.out.record(done, _lines(done, dry_run=dry_run))
    app.conclude(ok=not (strict and done.bad + done.conflicts))


def _to_look_at(app: App) -> Journal | None:
    """Return the journal to compare with, if there is one."""
    from crewmem.errors.registry import HomeMissingError, WorkspaceMissingError

    try:
        return app.journal_to_read
    except (HomeMissingError, WorkspaceMissingError):
        return None  # the import would make them


def _warn(app: App, done: Imported) -> None:
    for each in done.troubles[:TOLD]:
        app.out.warn(f"line {each.line}: {each.reason}")
    if (left := done.bad + done.conflicts - TOLD) > 0:
        numbers = [str(each.line) for each in done.troubles[TOLD:]]
        more = ", …" if left > len(numbers) else ""
        app.out.warn(
            f"{left:,} more lines were not taken in: {', '.join(numbers)}{more}"
        )
    if done.extra:
        more = ", and more" if len(done.extra) > TOLD else ""
        named = ", ".join(done.extra[:TOLD])
        app.out.warn(f"these fields were not kept: {named}{more}")
    if done.cut:
        from crewmem.cli.journal.shown import CUT, entries

        app.out.warn(f"{CUT}: {entries(done.cut)}")
    if done.foreign:
        from crewmem.cli.journal.shown import entries

        app.out.warn(
            f"of {entries(done.foreign)} another workspace is named; all were taken "
            f"into {app.workspace}"
        )


def _lines(done: Imported, *, dry_run: bool) -> Iterator[Line]:
    from crewmem.cli.journal.shown import entries

    said = "Would add" if dry_run else "Added"
    yield [
        f"{said} {entries(done.added)} of {done.lines:,} lines",
        f"; {done.known:,} there already" if done.known else "",
        f"; {done.bad:,} bad" if done.bad else "",
        f"; {done.conflicts:,} in conflict" if done.conflicts else "",
        ".",
    ]
    if done.stopped_at is not None:
        yield f"Stopped at line {done.stopped_at:,}."
