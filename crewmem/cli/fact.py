"""Commands of `crewmem fact`, and `remember` and `forget`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, answer_type, at_first_level, pass_app
from crewmem.cli.completers import complete_fact
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.facts.fact import KINDS, PINS, SENSITIVITIES, STATES, STATUSES, Fact, Similar
from crewmem.text.wording import count
from crewmem.times import format_age, local_day

if TYPE_CHECKING:  # each is imported by the command that uses it
    from crewmem.facts.details import FactDetail
    from crewmem.facts.lifecycle import Changed
    from crewmem.facts.remember import Added

F = TypeVar("F", bound=Callable[..., Any])


class StoredFact(NamedTuple):
    """A fact that was stored.

    Attributes:
        action: created, updated or unchanged.
        similar: Facts of the same owner and kind that say nearly the same.
        redacted: Rules of the secrets that were taken out.
        agents: Of a correction: agents that were corrected for this reason.
        shared: Of a correction: the shared one; "" while only one agent was corrected.
    """

    id: str
    action: str
    fact: Fact
    similar: list[Similar]
    redacted: list[str]
    agents: list[str]
    shared: str


class ChangedFact(NamedTuple):
    """A fact that was changed, or was so already.

    Attributes:
        action: What was done, as ``archived``; unchanged when nothing was.
        before: Status, state or pin that it had.
        review: Review item that waits; "" for none.
    """

    id: str
    action: str
    before: str
    review: str
    fact: Fact


class ForgottenSession(NamedTuple):
    """The notes of a session that were expired."""

    session: str
    notes: int


class CondensedFacts(NamedTuple):
    """Facts that became one summary, would become one, or were restored.

    Attributes:
        action: condensed, planned, undone or skipped.
        id: The summary; "" where there is none.
    """

    action: str
    id: str
    title: str
    sources: list[str]
    reason: str


fact_argument = click.argument("fact_id", metavar="ID", shell_complete=complete_fact)


@click.group(cls=Group)
def fact() -> None:
    """List and manage facts."""


add_options = options.combine(
    click.argument("words", nargs=-1, metavar="TEXT|-"),
    click.option("--kind", default="fact", show_default=True, metavar="KIND",
                 help=f"One of {', '.join(KINDS)}, or a synonym."),
    click.option("--title", default="", help="Title; by default the first clause."),
    click.option("--importance", type=int, default=3, show_default=True, help="1 to 5."),
    click.option("--confidence", type=float, default=0.5, show_default=True,
                 help="Confidence, 0 to 1."),
    options.choice("--sensitivity", SENSITIVITIES,
                   help="Who may see it; restricted: its owner.  [default: internal]"),
    options.origin,
    options.names("--tags", "tags", help="Tags, separated by commas."),
    options.names("--entities", "entities",
                  help="Names of people, services, files, tickets …"),
    click.option("--topic-key", metavar="KEY",
                 help="Topic of the fact; the same key again revises it."),
    click.option("--valid-from", type=options.WHEN, help="When it starts to be true."),
    options.expires,
    click.option("--occurred", type=options.WHEN, help="When it happened."),
    click.option("--session", metavar="ID", help="Session where it was learned."),
    click.option("--project", metavar="NAME", help="Project where it holds."),
    click.option("--issue", metavar="NAME", help="Issue that it came from."),
    click.option("--metadata", type=options.JSON_OBJECT, help="Further values, as JSON."),
    options.scope("session", "agent", "crew", "workspace"),
    click.option("--agent", metavar="SLUG", help="Owner of an agent's fact."),
    click.option("--crew", metavar="NAME", help="Crew of a crew's fact."),
    options.choice("--if-exists", ["skip", "error", "update"], default="skip",
                   help="What to do with a known fact."),
    click.option("--rejected", metavar="TEXT",
                 help="Record a correction: the output that was rejected for --reason."),
    options.reason,
)  # fmt: skip


@fact.command(answer=StoredFact)
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

    The same text again stores nothing; the same topic key revises that fact, and keeps its old
    text as a revision.
    """
    facts, registry = app.home.facts, app.home.registry
    if values["agent"] is not None:
        registry.get_agent(values["agent"])
    if values["crew"] is not None:
        registry.get_crew(values["crew"])
    if rejected is not None:
        if words:
            raise UsageError("give TEXT or --rejected, not both", code="usage")
        named = {name: values[name] for name in ("issue", "scope", "agent", "origin")}
        done = facts.reject(rejected, reason=reason, **named)
        _show_added(app, done.lesson, done.agents, done.shared.id if done.shared else "")
        return
    added = facts.add(
        app.read_text(words),
        sensitivity=sensitivity or "",
        valid_until=expires,
        occurred_at=occurred,
        metadata=metadata or {},
        **values,
    )
    if added.action in ("created", "updated"):
        app.home.embed_new_facts()
    _show_added(app, added)


def _show_added(app: App, added: Added, agents: Sequence[str] = (), shared: str = "") -> None:
    lines = [f"{added.id}  {added.action}"]
    if added.redacted:
        lines.append(f"Secrets were redacted: {', '.join(added.redacted)}.")
    fact, similar = app.home.make_safe(added.fact), app.home.make_safe(added.similar)
    lines += [f"Similar: {each.id} {each.title}" for each in similar]
    if shared:
        lines.append(f"{len(agents)} agents were corrected for this: see {shared}.")
    record = StoredFact(
        id=added.id,
        action=added.action,
        fact=fact,
        similar=similar,
        redacted=added.redacted,
        agents=list(agents),
        shared=shared,
    )
    app.show(record, lines)


remember = at_first_level(add, "remember", "Store a fact; short for `fact add`.")


@fact.command("list", answer=list[Fact])
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
@click.option("--expired", is_flag=True, help="Expired facts instead of valid ones.")
@options.include_restricted
@options.as_of
@options.limit(50, maximum=1000)
@options.after
@options.path
@pass_app
def list_(app: App, /, **filters: Any) -> None:
    """List facts that hold, those recorded last first."""
    if filters["entity"]:
        filters["mentioned"] = app.home.find_mentions(filters["entity"]).get("facts", ())
    page = app.home.facts.list(**filters)
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
    if all(each.status == "active" for each in facts):
        del columns["STATUS"]
    return Table(facts, columns, "No facts.", drop=["TRUST", "OWNER", "AGE"], right=["TRUST"])


@fact.command(answer=answer_type("facts.details:FactDetail"))
@fact_argument
@options.as_of
@options.include_restricted
@options.path
@pass_app
def show(app: App, fact_id: str, as_of: datetime | None, include_restricted: bool) -> None:
    """Show a fact with its quotes, revisions, votes and relations."""
    detail = app.home.facts.show(fact_id, as_of=as_of, include_restricted=include_restricted)
    detail = app.home.make_safe(detail)
    app.show(detail, lambda: _render_detail(detail, app.now))


def _render_detail(detail: FactDetail, now: datetime) -> list[str]:
    shown = detail.fact
    lines = [f"{shown.id}  {shown.kind}  {shown.owner}  {shown.status}", shown.title]
    if shown.content != shown.title:
        lines += ["", shown.content]
    lines.append("")
    trust = f"{shown.effective_confidence:.2f} (written {shown.confidence:.2f}"
    fields = {
        "trust": f"{trust}, {shown.up} up, {shown.down} down)",
        "importance": str(shown.importance),
        "quality": "" if detail.quality is None else f"{detail.quality:.2f}",
        "retention": f"{detail.retention:.0%}"
        + (f", used {count(detail.uses.references, 'time')}" if detail.uses else ""),
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
    lines += [f"{name + ':':15}{value}" for name, value in fields.items() if value]
    quotes = [*shown.spans, *shown.metadata.get("evidence", [])]
    if quotes:
        lines += ["", "Evidence:", *(f"  {_render_quote(quote)}" for quote in quotes)]
    if detail.revisions:
        lines += ["", "Revisions:"]
        for revision in detail.revisions:
            what = revision.content if revision.content is not None else f"was {revision.status}"
            why = f" ({revision.reason})" if revision.reason else ""
            lines.append(f"  until {revision.changed_at}: {what}{why}")
    if detail.votes:
        lines += ["", "Votes:"]
        for vote in detail.votes:
            mark = "+" if vote.vote > 0 else "-"
            lines.append(f"  {mark} {vote.actor} {vote.voted_at[:10]} {vote.reason}".rstrip())
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


@fact.command(answer=ChangedFact)
@fact_argument
@click.argument("words", nargs=-1, metavar="[TEXT|-]")
@click.option("--title", default="", help="New title.")
@options.reason
@click.option("--superseded-by", metavar="ID", help="The fact that replaces this one.")
@options.choice("--state", STATES, help="State of an action item.")
@options.origin
@pass_app
def edit(
    app: App,
    fact_id: str,
    words: Sequence[str],
    title: str,
    reason: str,
    superseded_by: str | None,
    state: str | None,
    origin: str | None,
) -> None:
    """Revise a fact in place, say what replaces it, or set its state.

    A new TEXT keeps the id; the old text is kept as a revision.
    """
    if sum((bool(words), superseded_by is not None, state is not None)) != 1:
        raise UsageError("give a new TEXT, --superseded-by ID or --state STATE", code="usage")
    facts = app.home.facts
    if superseded_by is not None:
        changed = facts.supersede(fact_id, superseded_by, reason=reason)
        action = f"superseded by {changed.fact.superseded_by}"
    elif state is not None:
        changed = facts.set_state(fact_id, state)
        action = state
    else:
        changed = facts.edit(
            fact_id, app.read_text(words), title=title, reason=reason, origin=origin
        )
        action = "revised"
    _show_changed(app, changed, action)


@fact.command(answer=ChangedFact)
@fact_argument
@click.option("--up/--down", "up", default=None, help="Vote it up or down.")
@options.reason
@pass_app
def vote(app: App, fact_id: str, up: bool | None, reason: str) -> None:
    """Vote a fact up or down.

    An actor has one vote; the last one counts. Three down votes by different actors archive a
    fact that has little confidence left.
    """
    if up is None:
        raise UsageError("give --up or --down", code="usage")
    voted = app.home.facts.vote(fact_id, up=up, reason=reason)
    shown = app.home.make_safe(voted.fact)
    action = "archived" if voted.archived else "voted" if voted.counted else "unchanged"
    trust = f"{shown.effective_confidence:.2f}"
    lines = [f"{shown.id}  {action}: trust {trust} ({shown.up} up, {shown.down} down)"]
    if not voted.counted:
        lines.append("You voted so before; that is no further evidence.")
        if not up:
            lines.append(f"To hide it: {app.command('fact forget', shown.id)}")
    if voted.review:
        lines.append(f"It waits in review: {app.command('review show', voted.review)}")
    app.show(ChangedFact(shown.id, action, shown.status, voted.review, shown), lines)


@fact.command(answer=ChangedFact)
@fact_argument
@options.choice("--priority", PINS, default="pin", help="Priority; none unpins it.")
@options.required_reason
@pass_app
def pin(app: App, fact_id: str, priority: str, reason: str) -> None:
    """Pin a fact, so that it does not age."""
    changed = app.home.facts.pin(fact_id, priority, reason=reason)
    _show_changed(app, changed, f"priority {priority}")


@fact.command(answer=answer_type("facts.sharing:Shared[]"))
@fact_argument
@click.option(
    "--to",
    "targets",
    multiple=True,
    required=True,
    metavar="TARGET",
    help="crew:NAME or workspace.",
)
@pass_app
def share(app: App, fact_id: str, targets: Sequence[str]) -> None:
    """Share a fact with a crew or the workspace.

    The setting `sharing` of a crew says whether a member's share takes effect at once.
    """
    done = app.home.facts.share(fact_id, targets)
    lines = [
        f"{each.id}  waits for {each.to}: {app.command('review show', each.review)}"
        if each.action == "waiting"
        else f"{each.id}  {each.action}: shared with {each.to}"
        for each in done
    ]
    app.show(done, lines)


@fact.command("forget", answer=ChangedFact)
@click.argument("fact_id", metavar="[ID]", required=False, shell_complete=complete_fact)
@click.option("--session", metavar="ID", help="Expire the notes of this session instead.")
@options.reason
@pass_app
def fact_forget(app: App, fact_id: str | None, session: str | None, reason: str) -> None:
    """Forget a fact: it is hidden, and can be restored."""
    if (fact_id is None) == (session is None):
        raise UsageError("give the ID of a fact, or --session", code="usage")
    if session is not None:
        notes = app.home.facts.notes.expire(session)
        line = f"Expired {count(notes, 'note')} of {session}."
        app.show(ForgottenSession(session, notes), [line])
        return
    assert fact_id is not None
    _show_changed(app, app.home.facts.forget(fact_id, reason=reason), "archived")


forget = at_first_level(fact_forget, "forget", "Forget a fact; short for `fact forget`.")


@fact.command(answer=ChangedFact)
@fact_argument
@pass_app
def restore(app: App, fact_id: str) -> None:
    """Make a fact active again."""
    _show_changed(app, app.home.facts.restore(fact_id), "active")


def _show_changed(app: App, changed: Changed, action: str) -> None:
    action = action if changed.changed else "unchanged"
    shown = app.home.make_safe(changed.fact)
    record = ChangedFact(changed.id, action, changed.before, "", shown)
    app.show(record, [f"{changed.id}  {action}: {shown.title}"])


@fact.command(answer=answer_type("facts.purge:Purged"))
@fact_argument
@options.yes
@pass_app
def purge(app: App, fact_id: str, yes: bool) -> None:
    """Erase the text of a fact everywhere in the home, for good.

    Its id stays, so that nothing brings the text back. What `sync` put into a git repository
    cannot be erased there.
    """
    from crewmem.facts.purge import check_may_purge

    home = app.home
    if home.context.access.is_operator:
        app.require_operator("purge a fact")
    found = home.facts.get(fact_id)
    check_may_purge(home.facts.table, found)
    app.confirm(f"Erase {found.id} ({found.title}) for good?", yes=yes)
    erased = home.purge_fact(found.id)
    lines = [
        f"{erased.id}  purged, with the text of {count(erased.entries, 'entry', 'entries')}.",
        "What sync put into a git repository cannot be erased there.",
    ]
    lines += [
        f"{copy} was shared from it and is still there: {app.command('fact purge', copy)}"
        for copy in erased.copies
    ]
    app.show(erased, lines)


@fact.command(answer=list[CondensedFacts])
@click.option("--session", metavar="ID", help="Turn the notes of this session into one summary.")
@options.limit(50, maximum=100_000, help="Maximum number of summaries.")
@options.dry_run
@click.option("--undo", metavar="ID", help="Take this summary back.")
@pass_app
def condense(app: App, session: str | None, limit: int, dry_run: bool, undo: str | None) -> None:
    """Merge near duplicates into summaries, three or more facts each.

    The sources become warm and stay linked; --undo restores them.
    """
    facts = app.home.facts
    if undo is not None:
        back = facts.condensing.undo(undo, dry_run=dry_run)
        records = [CondensedFacts("planned" if dry_run else "undone", *back)]
    elif session is not None:
        done = facts.notes.condense(session, dry_run=dry_run)
        if done and dry_run:
            records = [CondensedFacts("planned", "", done.title, done.sources, "")]
        else:
            records = [CondensedFacts("condensed", *done)] if done else []
    else:
        plan = facts.condensing.plan(limit=limit)
        model = app.home.llm if plan and not dry_run else None
        records = [CondensedFacts("planned", "", each.title, each.sources, "") for each in plan]
        if not dry_run:
            records = [
                CondensedFacts("skipped" if each.skipped else "condensed", *each)
                for each in facts.condensing.apply(plan, model=model)
            ]
    records = app.home.make_safe(records)
    lines = [_render_condensed(each) for each in records] or ["Nothing to condense."]
    if dry_run and records:
        lines.append("Nothing was changed.")
    app.show(records, lines)


def _render_condensed(record: CondensedFacts) -> str:
    what = count(len(record.sources), "fact")
    why = f" ({record.reason})" if record.reason else ""
    return f"{record.id or '-'}  {record.action}: {what} as “{record.title}”{why}"


@fact.command(answer=answer_type("facts.rollup:RollupReport"))
@click.option("--daily", type=options.WHEN, metavar="DATE", help="Only this day.")
@click.option("--weekly", metavar="WEEK", help="Only this week, such as 2026-W18.")
@click.option("--catch-up", is_flag=True, help="All days and weeks that are over (the default).")
@click.option("--show", type=options.WHEN, metavar="DATE", help="Print the summary of this day.")
@options.dry_run
@pass_app
def rollup(
    app: App,
    daily: datetime | None,
    weekly: str | None,
    catch_up: bool,
    show: datetime | None,
    dry_run: bool,
) -> None:
    """Write summaries of days and weeks that are over.

    What they summarise may age from then on.
    """
    from crewmem.facts.rollup import RollupReport

    if catch_up and (daily or weekly):
        raise UsageError("--catch-up is for all periods; leave out the others", code="usage")
    facts = app.home.facts
    day = str(local_day(when, app.home.context.zone)) if (when := show or daily) else None
    if show is not None:
        found, is_summary = app.home.make_safe(facts.rollups.show(str(day)))
        lines: list[str | Table] = []
        if is_summary:
            for each in found:
                lines += [each.title, each.content, ""]
        elif found:
            lines = [f"No summary of {day} is written; its facts:", make_table(found, app.now)]
        else:
            lines = [f"Nothing on {day}."]
        app.show(RollupReport([], [], found), lines)
        return
    app.require_operator("roll up facts")
    model = None if dry_run else app.home.llm
    report = facts.rollups.write(daily=day, weekly=weekly, model=model, dry_run=dry_run)
    lines = [
        f"{each.period}  {each.owner}  {'would be ' * dry_run}{each.action},"
        f" {count(each.sources, 'fact')}"
        for each in report.summaries
        if each.action != "unchanged"
    ]
    lines += [f"{each.id}  {each.status}: {each.title}" for each in report.aged]
    unchanged = sum(each.action == "unchanged" for each in report.summaries)
    if unchanged:
        lines.append(f"{count(unchanged, 'summary is', 'summaries are')} up to date.")
    elif not lines:
        lines.append("All summaries are up to date.")
    if dry_run:
        lines.append("Nothing was changed.")
    app.show(report, lines)
