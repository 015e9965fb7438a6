"""Commands of `crewmem memory`, and `crewmem note`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crewmem.access import Scope
from crewmem.cli import options
from crewmem.cli.command import TEXT_MARK, Group, TextCommand, pass_app, record
from crewmem.cli.complete import complete_file
from crewmem.cli.context import App
from crewmem.cli.output import Human, Table
from crewmem.cli.search import MARKS, find, show_result
from crewmem.context import MEMORY_DIRECTORY
from crewmem.errors import NotFoundError, UsageError
from crewmem.files.locations import find_tree_directories
from crewmem.files.tiers import OWN_TIERS, find_tier
from crewmem.ids import shorten_all
from crewmem.search.hit import FoundHit
from crewmem.text.wording import count
from crewmem.times import add_span, format_age, parse_time

if TYPE_CHECKING:  # imported when something is listed or scanned
    from crewmem.files.reading import FileInfo
    from crewmem.security import Scanner, ScanReport


scope_option = options.scope("agent", "crew", "workspace", "all")
agent_option = options.agent_option("The agent whose file it is.")
crew_option = options.crew_option("The crew whose file it is.")
tier_option = click.option(
    "--tier", metavar="TIER", help="The tier of the file, instead of its name."
)
key_option = click.option(
    "--key", metavar="KEY", help="Topic, day, user or file name, for tiers with many files."
)


expect_option = click.option(
    "--expect", default="", metavar="SHA", help="Write only if the file has this hash."
)


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say whose file is meant."""
    for option in (scope_option, crew_option, agent_option, options.path):
        command = option(command)
    return command


COMMANDS_ELSEWHERE = {"health": "health:memory_health", "prompt": "recall:prompt"}
"""Commands of the group that other modules define, as ``"health": "health:memory_health"``: module
of `crewmem.cli` and its click object. They are imported when they are invoked."""


class MemoryGroup(Group):
    """The group, with the commands that other modules define."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *COMMANDS_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; import its module if that is another."""
        place = COMMANDS_ELSEWHERE.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(f"crewmem.cli.{module}"), name)
        return command


@click.group(cls=MemoryGroup)
def memory() -> None:
    """Search, read and write memory files."""


def open_memory(app: App, scope: Scope | None) -> Any:
    """Return the memory of the home or tree; a tree may stand for more with ``--scope all``."""
    found = app.home.memory
    found.set_scope(scope)
    return found


@dataclass(slots=True)
class FileHit(FoundHit):
    """A chunk of a memory file that was found.

    Attributes:
        file: Reference of the file.
        first_line: Counted from 1, as *last_line*, which is included.
        heading: The headings above it.
    """

    file: str = ""
    first_line: int = 0
    last_line: int = 0
    heading: str = ""


class FoundFiles(NamedTuple):
    """The answer of a search of memory files.

    Attributes:
        mode: ``hybrid``, ``dense`` or ``sparse``, as it was really done.
    """

    mode: str
    hits: list[FileHit]


@memory.command("search", answer=FoundFiles)
@click.argument("query", nargs=-1, required=True)
@scope_option
@options.crew
@options.agent
@options.tiers
@options.tag
@options.since
@options.until
@click.option("--no-refresh", is_flag=True, help="Do not look for changed files first.")
@options.path
@options.finding(10, maximum=50)
@pass_app
def search(
    app: App,
    query: tuple[str, ...],
    tiers: tuple[str, ...],
    no_refresh: bool,
    exit_code: bool,
    **values: Any,
) -> None:
    """Search memory files: any word matches, more and rarer words rank higher.

    "Quoted phrases", prefix*, AND, OR and NOT work. In a pipe each hit is FILE:LINE: snippet.
    """
    found = open_memory(app, values["scope"])
    if no_refresh:
        found.use_stale_index()
    if tiers:
        for tier in tiers:
            find_tier(tier)
    result = find(app, query, stores=["memory"], kinds=tiers, **values)
    names = ("file", "first_line", "last_line", "heading")
    hits = [
        FileHit.from_hit(hit, **{name: hit.extra.get(name, "") for name in names})
        for hit in result.hits
    ]
    show_result(
        app,
        query,
        result,
        limit=values["limit"],
        data=FoundFiles(result.mode, hits),
        format_hit=_format_block if app.output.is_terminal else _format_line,
        explain=values["explain"],
        exit_code=exit_code,
    )


def _format_line(hit: Any) -> list[str]:
    """Return a hit as editors read it: path, line, snippet."""
    snippet = " ".join(hit.snippet.split())
    return [f"{hit.extra['file']}:{hit.extra['first_line']}: {MARKS[hit.label]}{snippet}"]


def _format_block(hit: Any) -> list[str]:
    heading = hit.extra["heading"]
    return [
        f"{MARKS[hit.label]}{hit.ref}" + (f"  {heading}" if heading else ""),
        f"    {hit.snippet}",
    ]


@memory.command("read", answer=record("files.reading:FileText"))
@click.argument("file", required=False, default="", shell_complete=complete_file)
@tier_option
@key_option
@click.option("--version", "version", default="", metavar="V", help="A stored version.")
@click.option("--raw", is_flag=True, help="Print the text itself: nothing is replaced.")
@place_options
@pass_app
def read(
    app: App,
    file: str,
    tier: str | None,
    key: str | None,
    version: str,
    raw: bool,
    **place: Any,
) -> None:
    """Print a memory file, or lines of it: AGENT.md:3-7.

    FILE is a path, a reference such as crew:harbor/topics/deploys.md:12-23, or the title of a
    note. Passages that look like attacks are replaced by a line that names the rule, and
    suspicious ones are marked.
    """
    if bool(file) == bool(tier):
        raise UsageError("name one file, or its tier with --tier", code="no-file")
    found = open_memory(app, place["scope"]).read(
        file, tier=tier, key=key, version=version, raw=raw, **place
    )
    if app.output.is_human and raw and not app.output.is_terminal:
        sys.stdout.flush()
        sys.stdout.buffer.write(found.text.encode("utf-8", "surrogateescape"))
        return
    if app.output.is_human:
        text = found.text if raw else mark_suspicious(found)
        app.output.write(text if text.endswith("\n") or not text else text + "\n")
        app.output.warn(app.home.context.warnings)
        return
    app.show(found, [])


def mark_suspicious(found: Any) -> str:
    """Return the text of a file with a line before each suspicious passage."""
    if not found.suspicious:
        return str(found.text)
    marks: dict[int, str] = {}
    for finding in found.suspicious:
        marks.setdefault(max(finding.first_line, found.first_line), finding.rule)
    lines = found.text.split("\n")
    shown = []
    for number, line in enumerate(lines, found.first_line):
        if number in marks:
            shown.append(f"[suspicious: {marks[number]}, {found.file}:{number}]")
        shown.append(line)
    return "\n".join(shown)


def _read_exact(app: App, words: Sequence[str]) -> str:
    """Return the text to write; of standard input every byte counts, line ends included."""
    if tuple(words) == ("-",):
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return app.read_text([word.removeprefix(TEXT_MARK) for word in words])


def show_write(app: App, result: Any) -> None:
    """Show what a write did, and warn where a file should be tidied up."""
    context = app.home.context
    if result.is_near_cap:
        context.warn(
            "near-cap",
            f"{result.file} has {result.usage}: merge duplicates and drop stale lines",
            context.command("memory write", "--tier", result.tier, "--mode", "replace", "-"),
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
    line = f"{verb} {result.file}: {result.bytes} bytes{version}"
    if not result.changed:
        line = f"{result.file} is unchanged"
    app.show(result, [line])


def writing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add TEXT, and the options of `memory write` and `memory append`."""
    decorators: list[Callable[..., Any]] = [
        click.argument("text", nargs=-1, required=True),
        tier_option,
        key_option,
        click.option("--file", default="", metavar="FILE", help="The file, instead of a tier."),
        click.option("--kind", metavar="KIND", help="Of a lesson: positive, negative or neutral."),
        options.origin,
        expect_option,
        options.allow,
        place_options,
    ]
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


@memory.command("write", cls=TextCommand, answer=record("files.write:WriteResult"))
@writing_options
@options.choice("--mode", ["append", "replace"], default="append", help="How to write.")
@pass_app
def write(app: App, /, text: tuple[str, ...], **target: Any) -> None:
    """Write a memory file: TEXT, or - for standard input.

    By default the text is appended. With --mode replace the file holds exactly the text.
    """
    found = open_memory(app, target["scope"])
    show_write(app, found.write(_read_exact(app, text), **target))


@memory.command("append", cls=TextCommand, answer=record("files.write:WriteResult"))
@writing_options
@pass_app
def append(app: App, /, text: tuple[str, ...], **target: Any) -> None:
    """Append TEXT to a memory file; - is standard input."""
    found = open_memory(app, target["scope"])
    show_write(app, found.write(_read_exact(app, text), **target))


@click.command("note", cls=TextCommand, answer=record("files.write:WriteResult"))
@click.argument("text", nargs=-1, required=True)
@options.origin
@options.allow
@place_options
@pass_app
def note(app: App, /, text: tuple[str, ...], **target: Any) -> None:
    """Append a line to today's daily note."""
    found = open_memory(app, target["scope"])
    show_write(app, found.note(_read_exact(app, text), **target))


def format_share(share: float) -> str:
    """Return a share of a cap; a small one is not shown as nothing."""
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


@memory.command("list", answer=record("files.reading:FileInfo", many=True))
@options.tiers
@options.limit(200, maximum=10_000)
@options.after
@place_options
@pass_app
def list_(app: App, tiers: tuple[str, ...], limit: int, after: str | None, **place: Any) -> None:
    """List memory files with size, share of the cap, age and flags."""
    for tier in tiers:
        find_tier(tier)
    files = open_memory(app, place["scope"]).list_files(
        tiers=tiers, limit=limit + 1, after=after or "", **place
    )
    more = len(files) > limit
    files = files[:limit]

    def is_odd(file: FileInfo) -> bool:  # a pipe, a link: it has neither size nor age
        return not file.bytes and bool(file.skipped)

    def human() -> Human:
        if not files:
            return ["No memory files."]
        return Table.of(
            files,
            {
                "FILE": lambda each: each.file,
                "TIER": lambda each: each.tier,
                "BYTES": lambda each: "-" if is_odd(each) else f"{each.bytes:,}",
                "CAP": lambda each: (
                    format_share(each.share) if each.cap and not is_odd(each) else ""
                ),
                "UPDATED": lambda each: (
                    "-" if is_odd(each) else format_age(parse_time(each.at), app.now)
                ),
                "FLAGS": lambda each: ", ".join(each.flags),
            },
            drop=["TIER", "CAP", "UPDATED"],
            right=["BYTES", "CAP"],
            flexible="FILE",
        )

    app.show(files, human, next=files[-1].file if more else None)


@memory.command("status", answer=record("files.status:MemoryStatus"))
@place_options
@pass_app
def status(app: App, **place: Any) -> None:
    """Show files, chunks, sizes and the state of the index."""
    found = open_memory(app, place["scope"]).status(**place)

    def human() -> Human:
        table = Table.of(
            found.directories,
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
            right=["FILES", "CHUNKS", "BYTES", "CAP", "STALE", "SKIPPED"],
            flexible="PATH",
        )
        counts = (
            count(found.files, "file"),
            count(found.chunks, "chunk"),
            count(found.bytes, "byte"),
        )
        summary = ", ".join([*counts, *([f"{found.stale:,} stale"] if found.stale else [])])
        indexed = f"index: {found.index or 'in memory'}, indexed {found.indexed_at or 'never'}"
        lines = [f"skipped {file}: {reason}" for file, reason in found.skipped[:20]]
        return [table, summary, indexed, *lines]

    app.show(found, human)


class ReindexReport(NamedTuple):
    """What `memory reindex` did.

    Attributes:
        recorded: Changes outside crewmem that were recorded as versions.
        rebuilt: Why the index was built anew; "" when it was not.
    """

    files: int
    chunks: int
    added: int
    changed: int
    removed: int
    skipped: int
    recorded: int
    seconds: float
    rebuilt: str


@memory.command("reindex", answer=ReindexReport)
@click.option("--full", is_flag=True, help="Build the index anew.")
@place_options
@pass_app
def reindex(app: App, full: bool, **place: Any) -> None:
    """Bring the index up to date, and record changes made outside crewmem."""
    found = open_memory(app, place["scope"])
    report = found.refresh(full=full)
    recorded = found.record_outside_changes().recorded
    done = ReindexReport(**report._asdict(), recorded=recorded)
    changes = f"{report.added} added, {report.changed} changed, {report.removed} removed"
    line = (
        f"{count(report.files, 'file')}, {count(report.chunks, 'chunk')}: {changes},"
        f" {report.skipped} skipped, in {report.seconds:.2f} s"
    )
    versions = [f"{count(recorded, 'outside change')} recorded"] if recorded else []
    app.show(done, [line, *versions])


class ScanAnswer(NamedTuple):
    """What the scanner found.

    Attributes:
        findings: With file, line, class and rule; a secret is never repeated.
    """

    files: int
    attacks: int
    suspicious: int
    secrets: int
    findings: tuple[dict[str, Any], ...]
    skipped: tuple[tuple[str, str], ...] = ()


def _describe_finding(finding: Any) -> dict[str, Any]:
    """Return a finding for JSON, where a field may be called ``class``."""
    return {
        "file": finding.file,
        "class": finding.cls,
        "category": finding.category,
        "rule": finding.rule,
        "first_line": finding.first_line,
        "last_line": finding.last_line,
        "matched": finding.matched,
    }


def _find_referenced_file(app: App, target: str) -> Path | None:
    """Return the path of a memory file named by a reference, None if *target* names none."""
    try:
        found, _ = app.home.memory.locator.resolve(target)
        app.home.memory.locator.check_read(found)
        return found.path
    except NotFoundError:
        return None


@memory.command("scan", answer=ScanAnswer)
@click.argument("target", metavar="PATH", required=False)
@options.path
@pass_app
def scan(app: App, target: str | None) -> None:
    """Print what the scanner finds in a file, a directory, or standard input (-).

    Ends with status 1 when there are attacks or secrets.
    """
    if target is None and app.tree_path is None:
        raise UsageError("name a file or directory, or - for standard input", code="no-target")
    from crewmem import security

    scanner = security.Scanner(app.settings.file("scan.rules"))
    if target == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        report = security.ScanReport(files=1, findings=scanner.scan(text, file="-"))
    else:
        path = Path(target) if target is not None else app.tree_path
        if path is not None and target is not None and not path.exists():
            path = _find_referenced_file(app, target)
        if path is None or not path.exists():
            raise NotFoundError(f"there is no file or directory '{target}'", code="path-not-found")
        report = _scan_path(scanner, path, app.settings["scan.allow"])
    found = ScanAnswer(
        files=report.files,
        attacks=report.count("attack"),
        suspicious=report.count("suspicious"),
        secrets=report.count("secret"),
        findings=tuple(_describe_finding(finding) for finding in report.findings),
        skipped=tuple(report.skipped),
    )

    def human() -> Human:
        lines = [finding.describe() for finding in report.findings]
        lines += [f"skipped {file}: {reason}" for file, reason in report.skipped]
        summary = (
            f"{count(found.files, 'file')}: {count(found.attacks, 'attack')},"
            f" {count(found.secrets, 'secret')}, {count(found.suspicious, 'suspicious passage')}"
        )
        return [*lines, summary]

    app.output.show(found, human)
    if found.attacks or found.secrets:
        app.exit(1)


def _scan_path(scanner: Scanner, path: Path, allow: Sequence[str]) -> ScanReport:
    """Scan a file, or a directory and the memory directories that are hidden in it."""
    from crewmem import security

    if not path.is_dir():
        return scanner.scan_path(path, allow=allow)
    root = path.resolve()
    directories = find_tree_directories(root)

    def is_own_tier(place: Path, relative: str) -> bool:
        file = place / relative
        return any(
            file.is_relative_to(each.path)
            and each.tier_of(str(file.relative_to(each.path))) in OWN_TIERS
            for each in directories
        )

    hidden = [each.path for each in directories if each.path.name == MEMORY_DIRECTORY]
    whole = security.ScanReport()
    for place in dict.fromkeys((root, *hidden)):
        part = scanner.scan_path(place, own_tier=partial(is_own_tier, place), allow=allow)
        below = f"{place.relative_to(root)}/" if place != root else ""
        whole.files += part.files
        whole.findings += [each._replace(file=below + each.file) for each in part.findings]
        whole.skipped += [(below + file, why) for file, why in part.skipped]
    return whole


# History


@memory.command("log", answer=record("files.versions:Version", many=True))
@click.argument("file", shell_complete=complete_file)
@options.limit(20, maximum=1000)
@options.after
@place_options
@pass_app
def log(app: App, file: str, limit: int, after: str | None, **place: Any) -> None:
    """List the versions of a memory file, newest first."""
    if after and not after.isdigit():
        raise UsageError(f"'{after}' is not a cursor of this list", code="bad-cursor")
    versions = open_memory(app, place["scope"]).log(
        file, limit=limit + 1, after=int(after or 0), **place
    )
    more = len(versions) > limit
    versions = versions[:limit]

    def human() -> Human:
        if not versions:
            return [f"{file} has no versions yet; the next sweep records it."]
        short = shorten_all([version.id for version in versions])
        return Table.of(
            versions,
            {
                "ID": lambda each: short[each.id],
                "N": lambda each: str(each.number),
                "WRITTEN": lambda each: each.written_at[:16].replace("T", " "),
                "BYTES": lambda each: f"{each.bytes:,}",
                "BY": lambda each: each.written_by,
                "OPERATION": lambda each: each.operation,
                "ORIGIN": lambda each: each.origin,
            },
            drop=["ORIGIN", "N", "BYTES"],
            right=["N", "BYTES"],
            flexible="BY",
        )

    app.show(versions, human, next=str(versions[-1].number) if more else None)


class DiffAnswer(NamedTuple):
    """The difference between two versions of a file.

    Attributes:
        lines: Of a unified diff; none when the texts are the same.
    """

    file: str
    lines: tuple[str, ...]


@memory.command("diff", answer=DiffAnswer)
@click.argument("file", shell_complete=complete_file)
@click.argument("a", required=False, default="")
@click.argument("b", required=False, default="")
@place_options
@pass_app
def diff(app: App, file: str, a: str, b: str, **place: Any) -> None:
    """Show what changed between versions A and B of a file.

    Without B it is compared with the file as it is, without A with its newest change.
    """
    lines = open_memory(app, place["scope"]).diff(file, a, b, **place)
    app.show(
        DiffAnswer(file, tuple(lines)),
        lines or ["No difference."],
        rows=lines,
    )


@memory.command("restore", answer=record("files.write:WriteResult"))
@click.argument("file", shell_complete=complete_file)
@click.argument("version")
@expect_option
@options.allow
@place_options
@pass_app
def restore(
    app: App, file: str, version: str, expect: str, allow: tuple[str, ...], **place: Any
) -> None:
    """Write an earlier version of a file again, as a new version."""
    found = open_memory(app, place["scope"])
    show_write(app, found.restore(file, version, expect=expect, allow=allow, **place))


@memory.command("prune", answer=record("files.versions:PrunePlan"))
@click.option(
    "--keep",
    type=click.IntRange(min=3),
    default=3,
    show_default=True,
    help="Newest versions of each file that stay.",
)
@click.option(
    "--older-than",
    type=options.SPAN_TYPE,
    default="30d",
    show_default=True,
    help="Least age.",
)
@options.dry_run
@options.yes
@pass_app
def prune(app: App, keep: int, older_than: timedelta, dry_run: bool, yes: bool) -> None:
    """Delete old versions of memory files."""
    app.require_operator("delete versions")
    found = app.home.memory
    before: datetime = add_span(app.now, -older_than)
    plan = found.plan_prune(keep=keep, before=before)
    what = (
        f"{count(len(plan.versions), 'version')} of {count(plan.files, 'file')},"
        f" {count(plan.bytes, 'byte')}"
    )
    if dry_run or not plan.versions:
        app.output.show(
            plan, [f"{what} would be deleted." if plan.versions else "No old versions."]
        )
        return
    app.confirm(f"Delete {what}?", yes=yes)
    result = found.prune(plan)
    versions, contents = count(result.versions, "version"), count(result.contents, "stored content")
    app.output.show(plan, [f"{versions} and {contents} deleted."])
