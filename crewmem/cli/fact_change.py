"""Commands of `crewmem fact` that change facts, and `crewmem forget`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Command, TextCommand, answer_type, at_first_level, pass_app
from crewmem.cli.completers import complete_fact, complete_share_target
from crewmem.cli.fact import fact_argument, make_table
from crewmem.cli.output import Table
from crewmem.errors import UsageError
from crewmem.facts.fact import PINS, STATES, ChangedFact
from crewmem.storage.sqlite import rehearsal
from crewmem.text.wording import count
from crewmem.times import local_day

if TYPE_CHECKING:  # imported by the command that uses it
    from crewmem.facts.condense import Condensed
    from crewmem.facts.rollup import RollupReport


class ForgottenSession(NamedTuple):
    """Result of expiring the notes of a session."""

    session: str
    notes: int


@click.command(cls=TextCommand, answer=ChangedFact)
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
    """Revise a fact, name the fact that replaces it, or set its state.

    With a new TEXT, which needs a --reason, the fact keeps its id, and the old text is kept as a
    revision.
    """
    if sum((bool(words), superseded_by is not None, state is not None)) != 1:
        raise UsageError("give one of: a new TEXT, --superseded-by ID, --state STATE", code="usage")
    facts = app.home.facts
    if superseded_by is not None:
        changed = facts.supersede(fact_id, superseded_by, reason=reason)
    elif state is not None:
        changed = facts.set_state(fact_id, state)
    elif not reason:
        raise UsageError("a new TEXT needs a --reason", code="reason-missing")
    else:
        text = app.read_text(words)
        changed = facts.edit(fact_id, text, title=title, reason=reason, origin=origin)
    _show_changed(app, changed)


@click.command(cls=Command, answer=ChangedFact)
@fact_argument
@click.option("--up", is_flag=True, help="Vote it up.")
@click.option("--down", is_flag=True, help="Vote it down.")
@options.reason
@pass_app
def vote(app: App, fact_id: str, up: bool, down: bool, reason: str) -> None:
    """Vote a fact up or down.

    An actor has one vote; the last one counts. Three down votes of different actors archive a
    fact whose confidence has become low.
    """
    if up == down:
        raise UsageError("give either --up or --down", code="usage")
    voted = app.home.facts.vote(fact_id, up=up, reason=reason)
    shown = app.home.make_safe(voted.fact)
    trust = f"{shown.effective_confidence:.2f}"
    lines = [f"{shown.id}  {voted.action}: trust {trust} ({shown.up} up, {shown.down} down)"]
    if up and shown.status != voted.before:
        lines.append(f"It was {voted.before} and is {shown.status} again.")
    elif voted.action == "unchanged":
        lines.append("You cast the same vote before; it counts once.")
        rule = app.home.context.access.fact_write_rule(shown.scope, shown.crew, shown.agent)
        if not (up or rule):
            lines.append(f"To hide it: {app.command('fact forget', shown.id)}")
    if voted.review:
        lines.append(f"It waits in review: {_find_decider(app, voted.review)}")
    app.show(voted._replace(fact=shown), lines)


@click.command(cls=Command, answer=ChangedFact)
@fact_argument
@options.choice("--priority", PINS, default="pin", help="Priority; none unpins it.")
@options.required_reason
@pass_app
def pin(app: App, fact_id: str, priority: str, reason: str) -> None:
    """Pin a fact, so that it does not age."""
    _show_changed(app, app.home.facts.pin(fact_id, priority, reason=reason))


@click.command(cls=Command, answer=answer_type("facts.sharing:Shared[]"))
@fact_argument
@click.option(
    "--to",
    "targets",
    multiple=True,
    required=True,
    metavar="TARGET",
    shell_complete=complete_share_target,
    help="crew:NAME or workspace.",
)
@pass_app
def share(app: App, fact_id: str, targets: Sequence[str]) -> None:
    """Share a fact with a crew or the workspace.

    The crew's setting `sharing` decides whether a member's share takes effect at once.
    """
    shared = app.home.facts.share(fact_id, targets)
    lines = [
        f"{each.id}  waits for {each.to}: {_find_decider(app, each.review)}"
        if each.action == "waiting"
        else f"{each.id}  not shared: {each.review} was rejected; change the text or ask the lead"
        if each.action == "rejected"
        else f"{each.id}  {each.action}: shared with {each.to}"
        for each in shared
    ]
    app.show(shared, lines)


def _find_decider(app: App, item: str) -> str:
    """Return the command that shows a review item, or who decides it."""
    return (
        app.home.context.command("review show", item) or f"the lead or an operator decides {item}"
    )


@click.command("forget", cls=Command, answer=ChangedFact)
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
    _show_changed(app, app.home.facts.forget(fact_id, reason=reason))


forget = at_first_level(fact_forget, "forget", "Forget a fact; short for `fact forget`.")


@click.command(cls=Command, answer=ChangedFact)
@fact_argument
@pass_app
def restore(app: App, fact_id: str) -> None:
    """Make a fact active again."""
    _show_changed(app, app.home.facts.restore(fact_id))


def _show_changed(app: App, changed: ChangedFact) -> None:
    shown = app.home.make_safe(changed.fact)
    lines = [f"{changed.id}  {changed.action}: {shown.title}"]
    if changed.action == "revised" and shown.status in ("archived", "superseded"):
        command = app.command("fact restore", changed.id)
        lines.append(f"It stays {shown.status}. To make it active: {command}")
    app.show(changed._replace(fact=shown), lines)


@click.command(cls=Command, answer=answer_type("facts.purge:Purged"))
@fact_argument
@options.yes
@pass_app
def purge(app: App, fact_id: str, yes: bool) -> None:
    """Erase the text of a fact everywhere in the home, for good.

    Its id stays, to keep the text from coming back. Copies that `sync` put into a git repository
    cannot be erased there.
    """
    home = app.home
    if home.context.access.is_operator:
        app.require_operator("purge a fact")
    fact = home.facts.find_to_purge(fact_id)
    if fact.content_hash:  # without one it was purged before, and only traces are left
        app.confirm(f"Erase {fact.id} ({fact.title}) for good?", yes=yes)
    erased = home.purging.purge_fact(fact.id)
    lines = [
        f"{erased.id}  purged, with the text of {count(erased.entries, 'entry', 'entries')}.",
        "Copies in backups cannot be erased here.",
    ]
    for copy in erased.copies:
        command = home.context.command("fact purge", copy) or "an operator can purge it"
        lines.append(f"{copy} still has the text: {command}")
    app.show(erased, lines)


@click.command(cls=Command, answer=answer_type("facts.condense:Condensed[]"))
@click.option("--session", metavar="ID", help="Merge the notes of this session into one summary.")
@options.limit(50, maximum=100_000, help="Maximum number of summaries.")
@options.dry_run
@click.option("--undo", metavar="ID", help="Undo this summary.")
@pass_app
def condense(app: App, session: str | None, limit: int, dry_run: bool, undo: str | None) -> None:
    """Merge near duplicates into summaries of three or more facts.

    The sources become warm and stay linked; --undo restores them.
    """
    options.exclude(("--session", session), ("--undo", undo))
    facts = app.home.facts
    with rehearsal(app.home.context.db, dry_run):
        if undo is not None:
            summaries = [facts.condensing.undo(undo)]
        elif session is not None:
            summary = facts.notes.condense(session)
            summaries = [summary] if summary else []
        else:
            plan = facts.condensing.plan(limit=limit)
            model = app.home.llm if plan and not dry_run else None
            summaries = facts.condensing.apply(plan, model=model)
    if dry_run:  # a new summary does not exist yet
        summaries = [
            each._replace(action="planned", id=each.id if undo else "")
            if each.action != "skipped"
            else each
            for each in summaries
        ]
    records = app.home.make_safe(summaries)
    lines = [_render_condensed(each, is_undone=undo is not None) for each in records]
    lines = lines or ["Nothing to condense."]
    if dry_run and records:
        lines.append("Nothing was changed.")
    app.show(records, lines)


def _render_condensed(record: Condensed, *, is_undone: bool) -> str:
    what = count(len(record.sources), "fact")
    if record.action == "unchanged":
        return f"{record.id}  unchanged: none of its facts waits to be active again"
    if is_undone:
        return f"{record.id}  {record.action}: {what} active again, the summary archived"
    why = f" ({record.reason})" if record.reason else ""
    return f"{record.id or '-'}  {record.action}: {what} as “{record.title}”{why}"


@click.command(cls=Command, answer=answer_type("facts.rollup:RollupReport"))
@click.option("--daily", type=options.WHEN, metavar="DATE", help="Only this day.")
@click.option("--weekly", metavar="WEEK", help="Only this week, such as 2026-W18.")
@click.option("--catch-up", is_flag=True, help="All days and weeks that are over (the default).")
@click.option(
    "--show", metavar="DATE|WEEK", help="Print the summaries of this day, or week such as 2026-W18."
)
@options.dry_run
@pass_app
def rollup(
    app: App,
    daily: datetime | None,
    weekly: str | None,
    catch_up: bool,
    show: str | None,
    dry_run: bool,
) -> None:
    """Write summaries of days and weeks that are over.

    Afterwards the summarised facts may age.
    """
    if catch_up and (daily or weekly):
        raise UsageError(
            "--catch-up covers all periods: leave out --daily and --weekly", code="usage"
        )
    if show and (daily or weekly or catch_up):
        raise UsageError("--show only prints a summary: leave out the other options", code="usage")
    if show is not None:
        _show_rollup(app, show)
        return
    day = str(local_day(daily, app.home.context.zone)) if daily else None
    with rehearsal(app.home.context.db, dry_run):
        model = None if dry_run else app.home.llm
        report = app.home.facts.rollups.write(daily=day, weekly=weekly, model=model)
    if dry_run:  # new summaries do not exist yet
        rolled = [e._replace(id="") if e.action == "created" else e for e in report.summaries]
        report = report._replace(summaries=rolled)
    lines = _render_rollup(report, would="would be " if dry_run else "")
    if not lines:
        only = " and ".join(filter(None, (day, weekly)))
        lines = [f"No facts of {only}." if only else "All summaries are up to date."]
    if dry_run:
        lines.append("Nothing was changed.")
    app.show(report, lines)


def _show_rollup(app: App, period: str) -> None:
    """Print the summaries of a day or week, or else its facts."""
    from crewmem.facts.rollup import WEEK, RollupReport

    is_week = WEEK.fullmatch(period)
    if not is_week:
        period = str(local_day(app.parse_when(period), app.home.context.zone))
    found, is_summary = app.home.make_safe(app.home.facts.rollups.show(period))
    lines: list[str | Table] = []
    if is_summary:
        for each in found:
            lines += [each.title, each.content, ""]
    elif found:
        lines = [f"No summary of {period} is written; its facts:", make_table(found, app.now)]
    else:
        lines = [f"Nothing {'in' if is_week else 'on'} {period}."]
    app.show(RollupReport([], [], found), lines)


def _render_rollup(report: RollupReport, *, would: str) -> list[str]:
    changed = [each for each in report.summaries if each.action != "unchanged"]
    lines = [
        f"{each.period}  {each.owner}  {would}{each.action}, {count(each.sources, 'fact')}"
        for each in changed
    ]
    lines += [f"{each.id}  {would}{each.status}: {each.title}" for each in report.aged]
    if unchanged := len(report.summaries) - len(changed):
        lines.append(f"{count(unchanged, 'summary is', 'summaries are')} up to date.")
    return lines
