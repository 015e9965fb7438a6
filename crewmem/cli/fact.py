"""Commands of `crewmem fact` that store and show facts, and `crewmem remember`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, TextCommand, answer_type, at_first_level, pass_app
from crewmem.cli.completers import complete_fact, complete_kind
from crewmem.cli.output import Part, Passage, Table, format_fields
from crewmem.errors import UsageError
from crewmem.facts.fact import SENSITIVITIES, STATUSES, Fact
from crewmem.facts.kinds import KINDS
from crewmem.text.wording import count
from crewmem.times import format_age, stored_day

if TYPE_CHECKING:  # imported by the commands that use them
    from crewmem.facts.details import FactDetail

DETAIL_OPTIONS = (
    "title", "importance", "confidence", "sensitivity", "tags", "entities", "valid_from", "expires",
    "occurred", "metadata",
)  # fmt: skip
"""Options of `fact add` that a text which is already stored ignores."""

fact_argument = click.argument("fact_id", metavar="ID", shell_complete=complete_fact)


add_options = options.combine(
    click.argument("words", nargs=-1, metavar="TEXT|-"),
    click.option("--kind", metavar="KIND", shell_complete=complete_kind,
                 help=f"One of {', '.join(KINDS)}, or a synonym.  [default: fact]"),
    click.option("--title", default="", help="Title; by default the first clause."),
    click.option("--importance", type=int, help="Importance, 1 to 5.  [default: 3]"),
    click.option("--confidence", type=float, help="Confidence, 0 to 1.  [default: 0.5]"),
    options.choice("--sensitivity", SENSITIVITIES,
                   help="Who may see it; restricted is for the agent that owns it.  "
                   "[default: internal]"),
    options.origin,
    options.names("--tags", "tags", help="Tags, separated by commas."),
    options.names("--entities", "entities",
                  help="Names of people, services, files, tickets …"),
    click.option("--topic-key", metavar="KEY",
                 help="Topic of the fact; the same key again revises it."),
    click.option("--valid-from", type=options.WHEN, help="When it becomes valid."),
    options.expires,
    click.option("--occurred", type=options.WHEN, help="When it happened."),
    click.option("--session", metavar="ID", help="Session where it was learned."),
    click.option("--project", metavar="NAME", help="Project to which it applies."),
    click.option("--issue", metavar="NAME", help="Issue from which it was learned."),
    click.option("--metadata", type=options.JSON_OBJECT, help="Other values, as JSON."),
    options.scope("session", "agent", "crew", "workspace"),
    options.agent_option("Owner of an agent's fact."),
    options.crew_option("Crew of a crew's fact."),
    options.choice("--if-exists", ["skip", "error", "update"], default="skip",
                   help="What to do if the text is already stored."),
    click.option("--rejected", metavar="TEXT",
                 help="Record a correction instead: an output that was rejected for --reason."),
    options.reason,
)  # fmt: skip


@click.command(cls=TextCommand, answer=answer_type("facts.remember:Added"))
@add_options
@pass_app
def add(
    app: App,
    *,
    words: Sequence[str],
    expires: datetime | None,
    occurred: datetime | None,
    metadata: dict[str, Any] | None,
    rejected: str | None,
    reason: str,
    sensitivity: str | None,
    **values: Any,
) -> None:
    """Store a fact.

    By default an agent stores it as its own, and an operator for the workspace.

    A text that is already stored changes nothing. With a topic key that is in use, the fact of
    that key is revised: its old text is kept as a revision, and what no option names stays.
    """
    facts, registry = app.home.facts, app.home.registry
    if values["agent"] is not None and (
        values["crew"] is not None or values["scope"] in ("crew", "workspace")
    ):
        raise UsageError("--agent applies only to facts of an agent", code="usage")
    if values["crew"] is not None and values["scope"] not in (None, "crew"):
        raise UsageError("--crew applies only to facts of a crew", code="usage")
    if values["agent"] is not None:
        registry.get_agent(values["agent"])
    if values["crew"] is not None:
        registry.get_crew(values["crew"])
    values |= {
        "sensitivity": sensitivity or "",
        "valid_until": expires,
        "occurred_at": occurred,
        "metadata": metadata or {},
    }
    if rejected is not None:
        if words:
            raise UsageError("give TEXT or --rejected, not both", code="usage")
        for name in ("kind", "if_exists"):  # it is a lesson, and told apart by its reason
            option = f"--{name.replace('_', '-')}"
            options.exclude(("--rejected", True), (option, options.is_given(name)))
            del values[name]
        added = facts.reject(app.read_text(rejected), reason=reason, **values)
    elif reason:
        raise UsageError("--reason needs --rejected", code="usage")
    else:
        added = facts.add(app.read_text(words), **values)
        is_ignored = added.action == "unchanged" and values["if_exists"] == "skip"
        if is_ignored and any(map(options.is_given, DETAIL_OPTIONS)):
            app.home.context.warn(
                "fact-known", "the text is stored already; --if-exists update applies the options"
            )
    if added.action in ("created", "updated"):
        app.home.embed_new_facts()
    lines = [f"{added.id}  {added.action}"]
    if added.redacted:
        lines.append(f"Secrets were redacted: {', '.join(added.redacted)}.")
    fact, similar = app.home.make_safe(added.fact), app.home.make_safe(added.similar)
    lines += [f"Similar: {each.id} {each.title}" for each in similar]
    app.show(added._replace(fact=fact, similar=similar), lines)


remember = at_first_level(
    add,
    "remember",
    "Store a fact; short for `fact add`.\n\n"
    "By default an agent stores it as its own, and an operator for the workspace.",
)


@click.command("list", cls=Command, answer=list[Fact])
@options.kinds
@options.tag
@options.choice("--status", STATUSES, field="statuses", multiple=True, help="Only this status.")
@options.scope("session", "agent", "crew", "workspace", "all")
@options.agent
@options.crew
@options.period
@options.choice("--sensitivity", SENSITIVITIES, help="Only this sensitivity.")
@click.option("--topic-key", metavar="KEY", help="Only this topic.")
@options.session
@click.option("--project", metavar="NAME", help="Only this project.")
@options.entity
@click.option("--expired", is_flag=True, help="List expired facts instead.")
@options.include_restricted
@options.as_of
@options.limit(50, maximum=1000)
@options.after
@options.path
@pass_app
def list_(app: App, /, **filters: Any) -> None:
    """List valid facts, newest first."""
    if filters["entity"]:
        filters["mentioned"] = app.home.find_mentions(filters["entity"]).get("facts", ())
    page = app.home.fact_reader.list(**filters)
    facts = app.home.make_safe(page.facts)
    app.show(facts, make_table(facts, app.now), next=page.next)


def make_table(facts: Sequence[Fact], now: datetime) -> Table:
    columns: dict[str, Callable[[Fact], str]] = {
        "ID": lambda each: each.id,
        "KIND": lambda each: each.kind + (f" ({each.state})" if each.state else ""),
        "OWNER": lambda each: str(each.owner),
        "TRUST": lambda each: f"{each.effective_confidence:.2f}",
        "STATUS": lambda each: "" if each.status == "active" else each.status,
        "AGE": lambda each: format_age(each.created_at, now),
        "FACT": lambda each: each.title,
    }
    return Table(facts, columns, "No facts.", drop=["TRUST", "OWNER", "AGE"])


@click.command(cls=Command, answer=answer_type("facts.details:FactDetail"))
@fact_argument
@options.as_of
@options.include_restricted
@options.path
@pass_app
def show(app: App, fact_id: str, as_of: datetime | None, include_restricted: bool) -> None:
    """Show a fact with its quotes, revisions, votes and relations."""
    detail = app.home.facts.show(fact_id, as_of=as_of, include_restricted=include_restricted)
    detail = app.home.make_safe(detail)
    app.show(detail, lambda: _render_detail(detail, app.now, app.home.context.zone))


def _render_detail(detail: FactDetail, now: datetime, zone: tzinfo) -> list[Part]:
    shown = detail.fact
    lines: list[Part] = [
        f"{shown.id}  {shown.kind}  {shown.owner}  {shown.status}",
        Passage(shown.title, indent=""),
    ]
    if shown.content.removesuffix(".") != shown.title:
        lines += ["", Passage(shown.content, indent="")]
    lines.append("")
    trust = f"{shown.effective_confidence:.2f} (written {shown.confidence:.2f}"
    fields = {
        "trust": f"{trust}, {shown.up} up, {shown.down} down)",
        "importance": str(shown.importance),
        "quality": "" if detail.quality is None else f"{detail.quality:.2f}",
        "retention": f"{detail.retention:.0%}, used {count(detail.uses.references, 'time')}",
        "origin": shown.origin,
        "sensitivity": shown.sensitivity if shown.sensitivity != "internal" else "",
        "state": shown.state,
        "pin": shown.pin if shown.pin != "none" else "",
        "topic": shown.topic_key or "",
        "tags": ", ".join(shown.tags),
        "entities": ", ".join(shown.entities),
        "superseded by": shown.superseded_by or "",
        "occurred": f"{shown.occurred_at} ({format_age(shown.occurred_at, now)})"
        if shown.occurred_at
        else "",
        "valid from": shown.valid_from or "",
        "expires": shown.valid_until or "",
        "session": shown.session or "",
        "project": shown.project or "",
        "issue": shown.issue or "",
        "recorded": f"{shown.created_at} by {shown.created_by}"
        f" ({format_age(shown.created_at, now)})",
    }
    lines += format_fields(fields)
    quotes = [*shown.spans, *shown.listed("evidence")]
    if quotes:
        lines += ["", "Evidence:", *(f"  {_render_quote(quote)}" for quote in quotes)]
    if detail.revisions:
        lines += ["", "Revisions:"]
        for revision in detail.revisions:
            what = f"was {revision.status}"
            if revision.content is not None:
                what = revision.content or "(purged)"
            why = f" ({revision.reason})" if revision.reason else ""
            lines.append(f"  until {revision.changed_at}: {what}{why}")
    if detail.votes:
        lines += ["", "Votes:"]
        for vote in detail.votes:
            mark = "+" if vote.vote > 0 else "-"
            day = stored_day(vote.voted_at, zone)
            lines.append(f"  {mark} {vote.actor} {day} {vote.reason}".rstrip())
    if detail.relations:
        lines += ["", "Relations:"]
        for relation in detail.relations:
            arrow = "→" if relation.outgoing else "←"
            lines.append(f"  {relation.relation} {arrow} {relation.other}")
    return lines


def _render_quote(quote: Any) -> str:
    if not isinstance(quote, dict):
        return str(quote)
    place = quote.get("ref") or quote.get("file") or quote.get("session") or ""
    line = f":{quote['line']}" if quote.get("line") else ""
    text = quote.get("quote") or quote.get("text") or ""
    return f"{place}{line}  “{text}”" if text else f"{place}{line}"
