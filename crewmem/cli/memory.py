"""Commands of `crewmem memory` that read and write files, and `crewmem note`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, TextCommand, answer_type, pass_app
from crewmem.cli.completers import complete_file
from crewmem.cli.output import Human, Table
from crewmem.errors import RefusedError, UsageError
from crewmem.files.tiers import find_tier
from crewmem.text.wording import count
from crewmem.times import format_age, parse_time

if TYPE_CHECKING:  # imported when a command needs it
    from crewmem.files.reading import FileInfo, FileText
    from crewmem.files.write import WriteResult


scope_option = options.scope("agent", "crew", "workspace", "all")
agent_option = options.agent_option("Agent that owns the file.", callback=options.store_name)
crew_option = options.crew_option("Crew that owns the file.", callback=options.store_name)
tier_option = click.option(
    "--tier", metavar="TIER", help="The tier of the file, instead of its name."
)
key_option = click.option(
    "--key", metavar="KEY", help="Topic, day, user or file name, for tiers with many files."
)
expect_option = click.option(
    "--expect",
    metavar="SHA",
    help="Write only if the file has this hash; '' if it must not exist.",
)
owner_options = options.combine(options.path, agent_option, crew_option, scope_option)
"""The options that choose the owner of a file."""


@click.command("read", cls=Command, answer=answer_type("files.reading:FileText"))
@click.argument("file", required=False, default="", shell_complete=complete_file)
@tier_option
@key_option
@click.option("--version", "version", default="", metavar="V", help="Read this stored version.")
@click.option("--raw", is_flag=True, help="Print the text unchanged.")
@owner_options
@pass_app
def read(
    app: App,
    file: str,
    tier: str | None,
    key: str | None,
    version: str,
    raw: bool,
    **owner: Any,
) -> None:
    """Print a memory file, or lines of it: AGENT.md:3-7.

    FILE is a path, a reference such as crew:harbor/topics/deploys.md:12-23, or the title of a
    note. Passages that look like attacks are replaced by a line with the name of the rule;
    suspicious ones are marked.
    """
    if bool(file) == bool(tier):
        raise UsageError("name one file, or its tier with --tier", code="no-file")
    content = app.home.memory_reader.read(
        file, tier=tier, key=key, version=version, raw=raw, **owner
    )
    if app.output.is_human and raw and not app.output.is_terminal:
        sys.stdout.flush()
        sys.stdout.buffer.write(content.text.encode("utf-8", "surrogateescape"))
        return
    if app.output.is_human:
        text = content.text if raw else mark_suspicious(content)
        app.output.write(text if text.endswith("\n") or not text else text + "\n")
        app.output.warn(app.home.context.warnings)
        return
    app.show(content, [])


def mark_suspicious(content: FileText) -> str:
    """Insert a line before each suspicious passage of a file."""
    if not content.suspicious:
        return content.text
    marks: dict[int, str] = {}
    for finding in content.suspicious:
        marks.setdefault(max(finding.first_line, content.first_line), finding.rule)
    lines = content.text.split("\n")
    shown = []
    for number, line in enumerate(lines, content.first_line):
        if number in marks:
            shown.append(f"[suspicious: {marks[number]}, {content.file}:{number}]")
        shown.append(line)
    return "\n".join(shown)


def show_write(app: App, result: WriteResult) -> None:
    """Show the result of a write, with warnings; end with 8 if a passage was refused."""
    context = app.home.context
    if result.is_near_cap:
        context.warn(
            "near-cap",
            f"{result.file} has {result.usage}: merge duplicates and delete stale lines",
            context.command("memory write", "--file", result.file, "--mode", "replace", "-"),
        )
    for finding in result.redacted:
        context.warn(
            "secret-redacted", f"line {finding.first_line}: a secret was redacted ({finding.rule})"
        )
    for finding in result.suspicious:
        context.warn(
            "suspicious",
            f"line {finding.first_line}: may be an instruction to the reader ({finding.rule})",
        )
    version = f" ({result.version})" if result.version else ""
    verb = {"append": "appended to", "note": "appended to", "restore": "restored"}.get(
        result.operation, "wrote"
    )
    done = f"{verb} {result.file}: now {count(result.bytes, 'byte')}{version}"
    app.show(result, [done if result.changed else f"{result.file} is unchanged"])
    if result.refused:
        app.exit(RefusedError.status)


writing_options = options.combine(
    click.argument("text", nargs=-1, required=True),
    tier_option,
    key_option,
    click.option(
        "--file",
        default="",
        metavar="FILE",
        shell_complete=complete_file,
        help="The file, instead of a tier.",
    ),
    click.option("--kind", metavar="KIND", help="Kind of a lesson: positive, negative or neutral."),
    options.origin,
    expect_option,
    options.allow,
    owner_options,
)
"""Argument and options that `memory write` and `memory append` share."""


@click.command("write", cls=TextCommand, answer=answer_type("files.write:WriteResult"))
@writing_options
@options.choice(
    "--mode",
    ["append", "replace"],
    default="append",
    help="Append the text to the file, or replace the file.",
)
@pass_app
def write(app: App, /, text: tuple[str, ...], **target: Any) -> None:
    """Write TEXT, or standard input for -, to a memory file.

    By default the text is appended. With --mode replace it becomes the file's whole content.
    Passages that look like attacks are left out; the command then ends with status 8.
    """
    given = app.read_text(text, exact=target["mode"] == "replace")
    _write(app, given, target)


@click.command("append", cls=TextCommand, answer=answer_type("files.write:WriteResult"))
@writing_options
@pass_app
def append(app: App, /, text: tuple[str, ...], **target: Any) -> None:
    """Append TEXT to a memory file; - is standard input."""
    _write(app, app.read_text(text), target)


def _write(app: App, text: str, target: dict[str, Any]) -> None:
    """Write a text, and show the result."""
    for name in ("tier", "key"):
        options.exclude(("--file", target["file"]), (f"--{name}", target[name]))
    show_write(app, app.home.memory.write(text, **target))


@click.command("note", cls=TextCommand, answer=answer_type("files.write:WriteResult"))
@click.argument("text", nargs=-1, required=True)
@options.origin
@options.allow
@owner_options
@pass_app
def note(app: App, /, text: tuple[str, ...], **target: Any) -> None:
    """Append a line to today's daily note."""
    show_write(app, app.home.memory.note(app.read_text(text), **target))


def format_share(share: float) -> str:
    """Format a share of a cap; only 0 is shown as 0."""
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


@click.command("list", cls=Command, answer=answer_type("files.reading:FileInfo[]"))
@options.tiers
@options.limit(200, maximum=10_000)
@options.after
@owner_options
@pass_app
def list_(app: App, tiers: tuple[str, ...], limit: int, after: str | None, **owner: Any) -> None:
    """List memory files with size, use of the cap, age and flags."""
    for tier in tiers:
        find_tier(tier)
    files = app.home.memory_reader.list_files(
        tiers=tiers, limit=limit + 1, after=after or "", **owner
    )
    more = len(files) > limit
    files = files[:limit]

    def is_unreadable(file: FileInfo) -> bool:
        """Return whether the file is a pipe or a link, which has no size and age."""
        return not file.bytes and bool(file.skipped)

    table = Table(
        files,
        {
            "FILE": lambda each: each.file,
            "TIER": lambda each: each.tier,
            "BYTES": lambda each: "-" if is_unreadable(each) else f"{each.bytes:,}",
            "CAP": lambda each: (
                format_share(each.share) if each.cap and not is_unreadable(each) else ""
            ),
            "UPDATED": lambda each: (
                "-" if is_unreadable(each) else format_age(parse_time(each.at), app.now)
            ),
            "FLAGS": lambda each: ", ".join(each.flags),
        },
        "No memory files.",
        drop=["TIER", "CAP", "UPDATED"],
        flexible="FILE",
    )
    app.show(files, table, next=files[-1].file if more else None)


@click.command("status", cls=Command, answer=answer_type("files.status:MemoryStatus"))
@owner_options
@pass_app
def status(app: App, **owner: Any) -> None:
    """Show files, chunks, sizes and the state of the index."""
    record = app.home.memory_status(**owner)

    def human() -> Human:
        table = Table(
            record.directories,
            {
                "SCOPE": lambda each: each.scope,
                "OWNER": lambda each: each.owner or "-",
                "FILES": lambda each: f"{each.files:,}",
                "CHUNKS": lambda each: f"{each.chunks:,}",
                "BYTES": lambda each: f"{each.bytes:,}",
                "CAP": lambda each: format_share(each.share) if each.cap else "",
                "STALE": lambda each: str(each.stale or ""),
                "SKIPPED": lambda each: str(each.skipped or ""),
                "PATH": lambda each: each.path,
            },
            drop=["PATH", "SKIPPED", "CAP", "CHUNKS"],
            flexible="PATH",
        )
        counts = (
            count(record.files, "file"),
            count(record.chunks, "chunk"),
            count(record.bytes, "byte"),
        )
        summary = ", ".join([*counts, *([f"{record.stale:,} stale"] if record.stale else [])])
        indexed = f"index: {record.index or 'not on disk'}, indexed {record.indexed_at or 'never'}"
        meaning = "words and meaning" if record.mode == "hybrid" else "words alone"
        if record.vectors:
            meaning += f", {count(record.vectors, 'vector')}"
        lines = [f"skipped {file}: {reason}" for file, reason in record.skipped[:20]]
        return [table, summary, indexed, f"search: by {meaning}", *lines]

    app.show(record, human)


@click.command("reindex", cls=Command, answer=answer_type("files.index:RefreshReport"))
@click.option("--full", is_flag=True, help="Rebuild the index.")
@options.path
@pass_app
def reindex(app: App, full: bool) -> None:
    """Update the index of memory files, and record outside changes."""
    report = app.home.reindex(full=full)
    changes = f"{report.added} added, {report.changed} changed, {report.removed} removed"
    line = (
        f"{count(report.files, 'file')}, {count(report.chunks, 'chunk')}: {changes},"
        f" {report.skipped} skipped, in {report.seconds:.2f} s"
    )
    versions = [f"{count(report.recorded, 'outside change')} recorded"] if report.recorded else []
    app.show(report, [line, *versions])
