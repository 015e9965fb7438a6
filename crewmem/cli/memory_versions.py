"""Commands of `crewmem memory` for the versions of a file: log, diff, restore, prune, purge."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, answer_type, pass_app
from crewmem.cli.completers import complete_file
from crewmem.cli.memory import expect_option, owner_options, show_write
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.ids import bad_cursor, is_id
from crewmem.text.wording import count
from crewmem.times import add_span, format_minute


@click.command("log", cls=Command, answer=answer_type("files.versions:Version[]"))
@click.argument("file", shell_complete=complete_file)
@options.limit(20, maximum=1000)
@options.after
@owner_options
@pass_app
def log(app: App, file: str, limit: int, after: str | None, **owner: Any) -> None:
    """List the versions of a memory file, newest first."""
    if after and not after.isdecimal():
        raise bad_cursor(after)
    versions = app.home.memory_reader.log(file, limit=limit + 1, after=int(after or 0), **owner)
    more = len(versions) > limit
    versions = versions[:limit]

    table = Table(
        versions,
        {
            "ID": lambda each: each.id,
            "N": lambda each: str(each.number),
            "WRITTEN": lambda each: format_minute(each.written_at, app.home.context.zone),
            "BYTES": lambda each: f"{each.bytes:,}",
            "BY": lambda each: each.written_by,
            "OPERATION": lambda each: each.operation,
            "ORIGIN": lambda each: each.origin,
        },
        "No older versions."
        if after
        else f"{file} has no versions yet; the next sweep records it.",
        drop=["ORIGIN", "N", "BYTES"],
        flexible="BY",
    )
    app.show(versions, table, next=str(versions[-1].number) if more else None)


class DiffAnswer(NamedTuple):
    """The difference between two versions of a file.

    Attributes:
        lines: Lines of a unified diff; empty if the texts are equal.
    """

    file: str
    lines: tuple[str, ...]


@click.command("diff", cls=Command, answer=DiffAnswer)
@click.argument("file", shell_complete=complete_file)
@click.argument("a", required=False, default="")
@click.argument("b", required=False, default="")
@owner_options
@pass_app
def diff(app: App, file: str, a: str, b: str, **owner: Any) -> None:
    """Show what changed between versions A and B of a file.

    Without B it compares A with the current file; without A it shows the newest change.
    """
    lines = app.home.memory_reader.diff(file, a, b, **owner)
    app.show(
        DiffAnswer(file, tuple(lines)),
        lines or ["No difference."],
        rows=lines,
    )


@click.command("restore", cls=Command, answer=answer_type("files.write:WriteResult"))
@click.argument("file", shell_complete=complete_file)
@click.argument("version", required=False, default="")
@expect_option
@options.allow
@owner_options
@pass_app
def restore(
    app: App, file: str, version: str, expect: str | None, allow: tuple[str, ...], **owner: Any
) -> None:
    """Restore an earlier version of a file, as a new version."""
    if not version:
        hint = app.command("memory log", file)
        if is_id(file):
            found = app.home.memory.find_file_of_version(file)
            if not found:
                raise UsageError(
                    "name the FILE, too", code="file-missing", hint=app.command("memory list")
                )
            hint = app.command("memory restore", found, file)
        raise UsageError("name the VERSION to restore", code="version-missing", hint=hint)
    result = app.home.memory.restore(file, version, expect=expect, allow=allow, **owner)
    show_write(app, result)


@click.command("prune", cls=Command, answer=answer_type("files.versions:PrunePlan"))
@click.option(
    "--keep",
    type=options.IntegerRange(min=3),
    default=3,
    show_default=True,
    help="Number of newest versions to keep per file.",
)
@click.option(
    "--older-than",
    type=options.SPAN_TYPE,
    default="30d",
    show_default=True,
    help="Minimum age.",
)
@options.dry_run
@options.path
@pass_app
def prune(app: App, keep: int, older_than: timedelta, dry_run: bool) -> None:
    """Delete old versions of memory files."""
    files = app.home.memory
    before: datetime = add_span(app.now, -older_than)
    plan = files.plan_prune(keep=keep, before=before)
    what = (
        f"{count(len(plan.versions), 'version')} of {count(plan.files, 'file')},"
        f" {count(plan.bytes, 'byte')}"
    )
    if dry_run or not plan.versions:
        app.show(plan, [f"{what} would be deleted." if plan.versions else "No old versions."])
        return
    result = files.prune(plan)
    versions, contents = count(result.versions, "version"), count(result.contents, "stored content")
    app.show(plan, [f"{versions} and {contents} deleted."])


@click.command("purge", cls=Command, answer=answer_type("files.versions:PrunePlan"))
@click.argument("file", shell_complete=complete_file)
@options.dry_run
@options.yes
@owner_options
@pass_app
def purge(app: App, file: str, dry_run: bool, yes: bool, **owner: Any) -> None:
    """Erase the older versions of a memory file, for good.

    To erase a text, first delete it from the file. Copies that `sync` put into a git repository
    cannot be erased there.
    """
    plan = app.home.memory.plan_purge(file, **owner)
    if dry_run:
        app.show(plan, [f"{count(len(plan.versions), 'version')} of {file} would be erased."])
        return
    app.confirm(f"Erase all versions of {file} but its present text?", yes=yes)
    plan = app.home.purging.purge_versions(file, **owner)
    lines = [
        f"{count(len(plan.versions), 'version')} of {file} erased.",
        "Copies in backups cannot be erased here.",
    ]
    app.show(plan, lines)
