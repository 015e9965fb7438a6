"""Commands of `crewmem journal`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from crewmem.access import Scope
from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, TextCommand, answer_type, pass_app
from crewmem.cli.completers import complete_entry
from crewmem.cli.output import Part, Passage, Table, format_fields
from crewmem.errors import UsageError
from crewmem.journal.entry import PRIORITIES, RELATIONS, SEVERITIES, Entry
from crewmem.journal.episodes import PublishedEpisode
from crewmem.journal.reading import MAX_LIMIT, EntryFilter
from crewmem.text.wording import count
from crewmem.times import format_age

if TYPE_CHECKING:  # imported to show an entry
    from crewmem.journal.priorities import EntryDetail

FOLLOW_SECONDS = 0.5
"""Seconds between two checks for new entries."""


entry_argument = click.argument("entry_id", metavar="ID", shell_complete=complete_entry)


@click.command(cls=TextCommand, answer=Entry)
@click.argument("entry_type", metavar="TYPE")
@click.argument("summary", nargs=-1, required=True)
@options.choice("--severity", SEVERITIES, default="info", help="Severity.")
@click.option(
    "--payload",
    type=options.JSON_OBJECT,
    help="Other values, as a JSON object; - is standard input.",
)
@click.option("--refs", type=options.JSON_OBJECT, help="What it refers to, as a JSON object.")
@options.crew_option("The crew that it is about.")
@options.agent_option("The agent that it is about.")
@click.option("--ts", type=options.WHEN, help="When it happened. Default: now.")
@options.choice("--priority", PRIORITIES, default="normal", help="Priority.")
@options.expires
@click.option("--session", "trace_id", metavar="ID", help="Session in which it happened.")
@options.origin
@click.option("--embed", is_flag=True, help="Embed the entry at once.")
@pass_app
def add(app: App, entry_type: str, summary: tuple[str, ...], embed: bool, **values: Any) -> None:
    """Append an entry. SUMMARY may be - for standard input.

    Searches find it if it is an episode: with --refs '{"episodic": true}', or of a type that
    always is, such as peer.escalation. Agents find only entries with their --agent or --crew.
    """
    if summary == ("-",) and app.input:
        raise click.UsageError("only one of SUMMARY and --payload can be standard input")
    home = app.home
    crew, agent = values["crew"], values["agent"]
    if agent is not None and crew is None and home.context.access.is_operator:
        values["crew"] = home.registry.get_agent(agent).crew
    elif crew is not None:
        home.registry.get_crew(crew)
    values["expires_at"] = values.pop("expires")
    entry = home.journal.add(entry_type, app.read_text(summary), **values)
    if embed:
        home.sweep()
    app.show(home.make_safe(entry), [entry.id])


@click.command("list", cls=Command, answer=list[Entry] | dict[str, int] | list[PublishedEpisode])
@options.names("--type", "types", help="Only these types: memory.*,fact.*")
@options.names("--exclude-type", "exclude_types", help="Exclude these types.")
@options.names("--severity", "severities", SEVERITIES, help="Only these severities.")
@options.names("--priority", "priorities", PRIORITIES, help="Only these priorities.")
@options.scope("agent", "crew", "workspace")
@options.crew
@options.agent
@click.option("--session", "trace", metavar="ID", help="Only this session.")
@options.period
@click.option("--query", metavar="TEXT", help="Only entries with these words.")
@click.option("--include-archive", is_flag=True, help="Include archived entries.")
@options.limit(50, maximum=MAX_LIMIT)
@options.after
@click.option("--follow", is_flag=True, help="Wait for new entries and print them.")
@options.choice("--count", ["type", "day", "agent"], help="Count entries instead of listing them.")
@click.option("--episodes", is_flag=True, help="List episodes with their weights instead.")
@click.option("--vectors", is_flag=True, help="With --episodes: include their vectors.")
@options.path
@pass_app
def list_(
    app: App,
    scope: Scope | None,
    query: str | None,
    include_archive: bool,
    limit: int,
    after: str | None,
    follow: bool,
    count: str | None,
    episodes: bool,
    vectors: bool,
    **filters: Any,
) -> None:
    """List entries, newest first."""
    _check_combination(episodes=episodes, follow=follow, counts=bool(count))
    if episodes:
        list_episodes(app, limit, after, with_vectors=vectors)
        return
    expression = parse_words(app.read_text(query)) if query else ""
    entry_filter = EntryFilter(expression=expression, visible_to=scope, **filters)
    store = app.home.journal_reader
    if count:
        counts = store.count_by(count, entry_filter, include_archive=include_archive)
        if options.is_given("limit"):
            counts = dict(islice(counts.items(), limit))
        columns = {
            count.upper(): lambda each: each[0] or "–",
            "ENTRIES": lambda each: f"{each[1]:,}",
        }
        app.show(counts, Table([*counts.items()], columns))
    elif follow:
        follow_entries(app, entry_filter, limit)
    else:
        page = store.list(entry_filter, limit=limit, after=after, include_archive=include_archive)
        entries = app.home.make_safe(page.entries)
        if expression and not entries and not after and store.has_archived():
            app.home.context.warn(
                "archive-not-searched",
                "archived entries are not searched by words",
                app.home.context.command("journal list", "--include-archive"),
            )
        app.show(entries, make_table(app, entries), next=page.next)


@click.command(cls=Command, answer=answer_type("journal.priorities:EntryDetail"))
@entry_argument
@options.path
@pass_app
def show(app: App, entry_id: str) -> None:
    """Show an entry, even an archived one."""
    entry = app.home.make_safe(app.home.journal.describe(entry_id))
    app.show(entry, lambda: format_entry(entry))


@click.command(cls=Command, answer=Entry)
@entry_argument
@options.choice("--priority", PRIORITIES, default="pin", help="New priority.")
@options.required_reason
@pass_app
def pin(app: App, entry_id: str, priority: str, reason: str) -> None:
    """Change the priority of an entry.

    The importance of pinned entries never falls below a minimum.
    """
    entry = app.home.make_safe(app.home.journal.set_priority(entry_id, priority, reason=reason))
    app.show(entry, [f"{entry.id} has priority {entry.priority}."])


@click.command(cls=Command, answer=answer_type("journal.priorities:Relation"))
@click.argument("source", metavar="FROM", shell_complete=complete_entry)
@click.argument("target", metavar="TO", shell_complete=complete_entry)
@options.choice("--relation", RELATIONS, required=True, help="How FROM relates to TO.")
@pass_app
def relate(app: App, source: str, target: str, relation: str) -> None:
    """Record that an entry supports or contradicts another."""
    store = app.home.journal
    source, target = store.find_id(source), store.find_id(target)
    is_new = store.add_relation(source, target, relation)
    wanted = (source, target, relation)
    (added,) = [each for each in store.describe(source).relations if each[:3] == wanted]
    known = "" if is_new else " This was already recorded."
    app.show(added, [f"{source} {relation} {target}.{known}"])


@click.command(cls=Command, answer=answer_type("journal.verify:ChainReport[]"))
@options.path
@pass_app
def verify(app: App) -> None:
    """Verify the hash chain of the journal.

    Ends with status 1 if it is broken.
    """
    reports = app.home.journal.verify()
    entries = sum(report.entries + report.archived for report in reports)
    lines = [
        f"BROKEN: {report.broken.kind}: {report.broken.message}."
        for report in reports
        if report.broken
    ]
    if not lines:
        counted = f"{count(entries, 'entry', 'entries')}, " if entries else ""
        lines.append(f"OK: {counted}hash chain intact.")
    if not app.home.context.chain_key:
        lines.append(
            "CREWMEM_CHAIN_KEY is not set: the chain shows accidental changes, not forged ones."
        )
    app.show(reports, lines)
    if any(report.broken for report in reports):
        app.exit(1)


@click.command(cls=Command, answer=answer_type("journal.compaction:CompactionPlan"))
@click.option(
    "--older-than", type=options.SPAN_TYPE, default="30d", show_default=True, help="Minimum age."
)
@options.dry_run
@pass_app
def compact(app: App, older_than: timedelta, dry_run: bool) -> None:
    """Move old entries to the archive.

    One entry with their number remains for each crew, day and type.
    """
    app.require_operator("compact the journal")
    home = app.home
    plan = home.journal.compaction.plan(older_than, home.facts.find_evidence)
    result = plan
    if not dry_run:
        with app.progress("Archiving entries") as progress:
            result = home.journal.compaction.apply(plan, progress)
    table = Table(
        plan.groups,
        {
            "DAY": lambda each: each.day,
            "CREW": lambda each: each.crew or "–",
            "TYPE": lambda each: each.entry_type,
            "ENTRIES": lambda each: f"{each.entries:,}",
        },
    )
    lines: list[str | Table] = [table] if dry_run else []
    moved = count(plan.entries if dry_run else result.archived, "entry", "entries")
    verb = "would be archived" if dry_run else "archived"
    kept = count(plan.kept, "other old entry stays", "other old entries stay")
    lines.append(f"{moved} {verb}; {kept}.")
    app.show(result, lines)


@click.command(cls=Command, answer=Entry)
@entry_argument
@options.yes
@pass_app
def purge(app: App, entry_id: str, yes: bool) -> None:
    """Erase the text of an entry for good.

    Its hashes stay, so that the chain remains intact.
    """
    app.require_operator("purge an entry")
    home = app.home
    entry = home.journal.get(entry_id)
    app.confirm(f"Erase the text of {entry.id} for good?", yes=yes)
    purged = home.purging.purge_entry(entry.id)
    app.show(
        purged,
        [
            f"The text of {purged.id} is erased here.",
            "Copies in backups cannot be erased here.",
        ],
    )


@click.command("import", cls=Command, answer=answer_type("journal.import_export:ImportResult"))
@click.argument("file", type=options.PATH, metavar="FILE|-")
@options.strict
@pass_app
def import_(app: App, file: str, strict: bool) -> None:
    """Add entries from JSON lines.

    Existing entries stay unchanged. Agents find only entries whose line names them ("agent") or
    their crew ("crew").
    """
    app.require_operator("import journal entries")
    home = app.home
    with app.open_input(file) as stream, app.progress("Importing lines") as progress:
        result = home.import_entries(stream, progress=progress)
    for problem in result.problems:
        home.context.warn("bad-line", f"line {problem.number}: {problem.reason}")
    hidden = result.bad + result.conflicts - len(result.problems)
    if hidden > 0:
        home.context.warn(
            "bad-line", f"{count(hidden, 'more line was', 'more lines were')} not imported"
        )
    if result.unknown_fields:
        names = ", ".join(result.unknown_fields)
        home.context.warn("unknown-fields", f"entries have no such fields: {names}")
    if result.unowned and home.registry.list_agents():
        home.context.warn(
            "unowned-entries",
            f"{count(result.unowned, 'entry names', 'entries name')} no crew or agent: only"
            " operators find such entries",
        )
    parts = [f"{result.added:,} added", f"{result.known:,} already known"]
    for number, noun in ((result.bad, "bad line"), (result.conflicts, "conflict")):
        if number:
            parts.append(count(number, noun))
    if result.redacted:
        parts.append(f"{result.redacted:,} with a secret redacted")
    app.show(result, [", ".join(parts) + "."])
    failed = result.bad + result.conflicts
    if failed and not result.added + result.known:
        app.exit(5 if result.bad else 9)
    if failed and strict:
        app.exit(1)


def _check_combination(*, episodes: bool, follow: bool, counts: bool) -> None:
    """Raise UsageError if an option was given that a form of the list would ignore."""
    given = [
        parameter
        for parameter in click.get_current_context().command.params
        if parameter.name and parameter.expose_value and options.is_given(parameter.name)
    ]
    episodes_take = {"episodes", "vectors", "limit", "after"}
    for parameter in given:
        name, ignored_by = parameter.name, ""
        if episodes and name not in episodes_take:
            ignored_by = "--episodes"
        elif follow and name in {"after", "include_archive", "count"}:
            ignored_by = "--follow"
        elif counts and name == "after":
            ignored_by = "--count"
        if ignored_by:
            raise UsageError(
                f"{ignored_by} does not take {parameter.opts[-1]}", code="bad-combination"
            )
        if name == "vectors" and not episodes:
            raise UsageError("--vectors needs --episodes", code="bad-combination")


def list_episodes(app: App, limit: int, after: str | None, *, with_vectors: bool) -> None:
    """Print episodes in the public format of ``journal_embeddings``."""
    rows, following = app.home.episodes.list_episodes(
        limit=limit, after=after, vectors=app.home.vectors if with_vectors else None
    )
    table = Table(
        rows,
        {
            "ID": lambda row: row[0].entry_id,
            "IMPORTANCE": lambda row: f"{row[0].importance_score:.2f}",
            "REFERENCES": lambda row: str(row[0].reference_count),
            "INDEXED": lambda row: format_age(row[0].indexed_at, app.now),
            "SUMMARY": lambda row: row[1] or "(purged)",
        },
        "No episodes.",
        drop=["REFERENCES", "INDEXED"],
    )
    app.show([episode for episode, _ in rows], table, next=following)


def follow_entries(app: App, entry_filter: EntryFilter, limit: int) -> None:
    """Print the newest entries, oldest first, then new ones as they arrive, until ^C."""
    store = app.home.journal
    seq = store.last_seq()
    entries: Sequence[Entry] = list(reversed(store.list(entry_filter, limit=limit).entries))
    while True:
        for entry in app.home.make_safe(entries):
            app.output.show(entry, [format_line(entry)], rows=[entry])
        sys.stdout.flush()
        entries = store.list_after(seq, entry_filter)
        if entries:
            seq = entries[-1].seq
        else:
            time.sleep(FOLLOW_SECONDS)


def make_table(app: App, entries: Sequence[Entry]) -> Table:
    return Table(
        entries,
        {
            "ID": lambda entry: entry.id,
            "AGE": lambda entry: format_age(entry.ts, app.now),
            "SEVERITY": lambda entry: entry.severity,
            "TYPE": lambda entry: entry.entry_type,
            "OWNER": lambda entry: entry.agent_id or entry.crew_id or "",
            "SUMMARY": describe_text,
        },
        "No entries.",
        drop=["OWNER", "SEVERITY"],
    )


def describe_text(entry: Entry) -> str:
    """Return the summary of an entry, or the reason why it has none."""
    return "(purged)" if entry.is_purged else entry.summary


def format_line(entry: Entry) -> str:
    """Return an entry as one line."""
    owner = entry.agent_id or entry.crew_id or "–"
    return f"{entry.ts}  {entry.severity:6}  {entry.entry_type}  {owner}  {describe_text(entry)}"


def format_entry(entry: EntryDetail) -> list[Part]:
    """Format an entry with all its fields, for people."""
    text = Passage(describe_text(entry), indent="")
    lines: list[Part] = [f"{entry.id}  {entry.entry_type}", text, ""]
    names = (
        *("ts", "severity", "priority", "crew_id", "agent_id", "mission_id", "trace_id"),
        *("span_id", "origin", "expires_at", "archived_at", "entry_hash"),
    )
    fields = {
        name.replace("_id", "").replace("_", " "): str(getattr(entry, name) or "") for name in names
    }
    kind = "operator" if entry.actor_type == "user" else entry.actor_type
    lines += format_fields(fields | {"actor": f"{kind}:{entry.actor_id or '–'}"})
    for name, value in (("payload", entry.payload), ("refs", entry.refs)):
        if value:
            lines += ["", f"{name}:"]
            lines += json.dumps(value, indent=2, ensure_ascii=False).splitlines()
    if entry.relations:
        lines += ["", "relations:"]
        lines += [f"  {r.source} {r.relation} {r.target}" for r in entry.relations]
    if entry.priority_changes:
        lines += ["", "changes of priority:"]
        lines += [
            f"  {c.at}  {c.before} → {c.after} by {c.by}: {c.reason}"
            for c in entry.priority_changes
        ]
    return lines


def parse_words(text: str) -> str:
    """Convert typed words to an expression for the full-text index."""
    from crewmem.search.query import parse_query  # only for --query

    expression = parse_query(text).expression
    if not expression:
        raise UsageError(f"'{text}' contains no word", code="empty-query")
    return expression
