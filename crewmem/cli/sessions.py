"""Commands of `crewmem sessions`."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crewmem.cli import options
from crewmem.cli.app import App
from crewmem.cli.command import Group, answer_type, pass_app
from crewmem.cli.completers import complete_session
from crewmem.cli.output import Table
from crewmem.cli.search import MARKS, format_legend, format_nothing, format_score, show_result
from crewmem.errors import NotFoundError
from crewmem.sessions.store import Session, ShownSession, ShownTurn
from crewmem.sessions.turns import ROLES
from crewmem.text.wording import count, cut_at_word
from crewmem.times import format_age, format_minute, format_time

if TYPE_CHECKING:  # imported by the commands that use them
    from crewmem.sessions.context_loss import ContextLoss
    from crewmem.sessions.reading_report import ReadingReport
    from crewmem.sessions.search import SessionHit, SessionSearch, TurnExcerpt


@click.group(cls=Group)
def sessions() -> None:
    """Search and learn from session logs of agent programs."""


def _make_absolute(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    return str(Path(value).expanduser().absolute()) if value else ""


def _name_project(directory: str) -> str:
    """Return the last part of a project's directory, which may be a Windows path."""
    return directory.replace("\\", "/").rstrip("/").rpartition("/")[2]


project_option = click.option(
    "--project",
    type=options.PATH,
    metavar="DIR",
    callback=_make_absolute,
    help="Only sessions in this directory.",
)


@sessions.command(
    "list", answer=answer_type("sessions.store:Session[]", "sessions.context_loss:ContextLoss[]")
)
@project_option
@options.agent
@click.option("--program", metavar="NAME", default="", help="Only this program.")
@options.period
@click.option(
    "--losses",
    is_flag=True,
    help="List context losses (compactions and resets) and what was restored.",
)
@options.limit(30, maximum=1000)
@options.after
@pass_app
def list_(
    app: App,
    project: str,
    agent: str | None,
    losses: bool,
    after: str | None,
    **chosen: Any,
) -> None:
    """List sessions, newest first."""
    store = app.home.sessions
    if losses:
        if project or after:
            raise click.UsageError("--losses cannot be combined with --project or --after")
        rows = store.list_losses(agent=agent or "", **chosen)
        app.show(rows, _losses_table(rows, app.now))
        return
    page = store.list(project=project, agent=agent or "", after=after, **chosen)
    listed = app.home.make_safe(page.sessions)
    app.show(listed, _sessions_table(listed, app.now), next=page.next)


def _sessions_table(rows: list[Session], now: datetime) -> Table:
    return Table(
        rows,
        {
            "ID": lambda row: row.id,
            "LAST": lambda row: format_age(row.last_at, now) if row.last_at else "",
            "PROGRAM": lambda row: row.program,
            "AGENT": lambda row: row.agent or "operator",
            "TURNS": lambda row: str(row.turns),
            "LOSSES": lambda row: (
                str(row.losses or "") + (f" ({count(row.drops, 'drop')})" if row.drops else "")
            ),
            "PROJECT": lambda row: _name_project(row.project),
            "TITLE": lambda row: row.title,
        },
        "No sessions.",
        drop=["LOSSES", "PROJECT", "AGENT", "TURNS", "PROGRAM"],
    )


def _losses_table(rows: list[ContextLoss], now: datetime) -> Table:
    return Table(
        rows,
        {
            "WHEN": lambda row: format_age(row.at, now),
            "SESSION": lambda row: row.session[:8],
            "AGENT": lambda row: row.agent or "operator",
            "PROGRAM": lambda row: row.program,
            "MARK": lambda row: row.mark,
            "TOKENS": lambda row: f"{row.tokens_before:,}" if row.tokens_before else "",
            "RESTORED": lambda row: (
                f"{row.recovered_tokens} tokens, {format_age(row.recovered_at, now)}"
                if row.recovered_at
                else "no"
            ),
        },
        "No context losses.",
        drop=["PROGRAM", "TOKENS"],
    )


@sessions.command(answer=answer_type("sessions.store:ShownSession", "cli.report:WrittenPage"))
@click.argument("session", shell_complete=complete_session)
@click.option("--turn", type=options.IntegerRange(0), help="Only this turn and those around it.")
@click.option(
    "--context",
    "around",
    type=options.IntegerRange(0, 200),
    default=5,
    show_default=True,
    help="Turns before and after it.",
)
@click.option("--full", is_flag=True, help="Show full texts, from the log or its copy.")
@options.limit(200, maximum=100_000)
@options.html("crewmem-session.html")
@pass_app
def show(
    app: App,
    session: str,
    turn: int | None,
    around: int,
    full: bool,
    limit: int,
    html: str | None,
) -> None:
    """Print the turns of a session. SESSION may name a turn, such as s_4k7m2q:41."""
    store = app.home.sessions
    shown = store.show(session, turn=turn, around=around, full=full, limit=limit)
    if html is not None:
        from crewmem.cli.report import write_page  # only for --html
        from crewmem.report.result import make_session_page

        write_page(app, lambda home: make_session_page(home, shown), html)
        return
    app.show(shown, lambda: _show_lines(app, shown, full=full), rows=shown.turns)


def _show_lines(app: App, shown: ShownSession, *, full: bool) -> list[str]:
    session = shown.session
    head = f"{session.id}  {session.program}  {session.project}"
    lines = [head, session.title, ""]
    for turn in shown.turns:
        lines += _turn_lines(turn, app.home.context.zone, full=full)
    if shown.more > 0 and not any(turn.marked for turn in shown.turns):
        command = app.command("sessions show", session.id, "--limit", str(session.turns))
        lines.append(f"… {count(shown.more, 'more turn')}: {command}")
    return lines


def _turn_lines(turn: ShownTurn, zone: tzinfo, *, full: bool) -> list[str]:
    mark = ">" if turn.marked else " "
    who = turn.role
    if turn.tool or turn.role == "tool":
        who = f"{turn.tool or 'tool'}{' →' if turn.is_result else ''}"
    if turn.synthetic:
        who += " (program)"
    state = ""
    if turn.is_call and turn.failed:
        status = f" {turn.exit_status}" if turn.exit_status else ""
        state = f"  [failed{status}]"
    head = f"{mark}{turn.line:>5}  {format_minute(turn.at, zone)}  {who}{state}"
    text = turn.text if full else cut_at_word(turn.text, 600)
    return [head, *(f"        {line}" for line in text.split("\n") if line.strip()), ""]


@sessions.command(answer=answer_type("sessions.search:SessionSearch"))
@click.argument("query", nargs=-1)
@options.choice("--role", ROLES, field="kinds", multiple=True, help="Only turns of this role.")
@click.option("--tool", metavar="NAME", help="Only calls of this tool and their results.")
@click.option("--file", metavar="PATH", help="Only turns that read or changed this file.")
@click.option("--command", metavar="TEXT", help="Only commands with these words.")
@click.option("--failed", is_flag=True, help="Only calls that failed, and what fixed them.")
@project_option
@options.agent
@options.session
@options.period
@options.search_options(10, maximum=50, mode="sparse")
@pass_app
def search(
    app: App,
    query: tuple[str, ...],
    exit_code: bool,
    limit: int,
    mode: str,
    min_relevance: float | None,
    include_all: bool,
    explain: bool,
    **filters: Any,
) -> None:
    """Search session logs word for word; the best session comes first.

    With --file alone it prints what was done to a file, when and why. With --command and --failed
    it prints how a command failed before, and what fixed it.
    """
    words = app.read_query(query)
    if not words and not any(
        filters[name] for name in ("kinds", "tool", "file", "command", "failed")
    ):
        raise click.UsageError("give a QUERY, --file, --command, --failed, --tool or --role")
    store = app.home.sessions
    if filters["session"]:
        filters["session"] = store.get(filters["session"]).id
    for name in ("since", "until"):
        filters[name] = format_time(filters[name]) if filters[name] else None
    result = store.search(
        words,
        limit=limit,
        filters=filters,
        mode=mode,
        min_relevance=min_relevance,
        include_all=include_all,
        explain=explain,
    )
    show_result(
        app,
        words,
        result,
        lambda: _hit_lines(result, app.now, explain=explain),
        data=result,
        limit=limit,
        exit_code=exit_code,
    )


def _hit_lines(result: SessionSearch, now: datetime, *, explain: bool) -> list[str]:
    if not result.hits:
        return [format_nothing(has_weak=result.has_weak)]
    from crewmem.sessions.search import group_hits

    lines: list[str] = []
    last = ""
    for hit in group_hits(result.hits):
        if hit.session != last:
            place = _name_project(hit.project) or "no project"
            age = format_age(hit.at, now) if hit.at else ""
            owner = hit.owner or "operator"
            lines += ["", f"{hit.session}  {hit.program}  {place}  {owner}  {age}"]
            last = hit.session
        lines += _one_hit(hit)
        if explain:
            lines += format_score(hit)
    return [*lines[1:], *format_legend(result.hits)]


def _one_hit(hit: SessionHit) -> list[str]:
    who = hit.tool or hit.kind
    status = f" [exit {hit.exit_status}]" if hit.exit_status else ""
    lines = []
    if hit.before and not hit.explained_by:
        lines.append(_format_excerpt(hit.before[-1], " "))
    if hit.explained_by:
        lines.append(_format_excerpt(hit.explained_by, "why"))
    lines.append(f"  {hit.turn:>5}  {MARKS[hit.label]}{who}{status}: {hit.snippet}")
    if hit.fixed_by:
        lines.append(_format_excerpt(hit.fixed_by, "fixed"))
    elif hit.after:
        lines.append(_format_excerpt(hit.after[0], " "))
    return lines


def _format_excerpt(excerpt: TurnExcerpt, label: str) -> str:
    number = excerpt.ref.rpartition(":")[2]
    return (
        f"    {label:>5}  {number} {excerpt.tool or excerpt.role}: {cut_at_word(excerpt.text, 110)}"
    )


@sessions.command(answer=answer_type("sessions.reading_report:ReadingReport"))
@click.option(
    "--program",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="claude, codex, openclaw, gemini, opencode or plain.",
)
@click.option(
    "--root",
    type=options.PATH,
    metavar="DIR",
    callback=_make_absolute,
    help="A directory or log to read instead of the usual directories.",
)
@click.option("--session", metavar="ID", default="", help="Only this session.")
@options.agent_option("Agent whose sessions these are.")
@click.option("--from-now", is_flag=True, help="Skip the existing turns.")
@click.option(
    "--no-extract",
    "extract",
    flag_value=False,
    type=bool,
    default=True,
    help="Only index; do not learn facts.",
)
@options.dry_run
@options.strict
@pass_app
def sync(app: App, root: str, session: str, dry_run: bool, strict: bool, **arguments: Any) -> None:
    """Index session logs, keep copies, and learn facts from them."""
    arguments |= {"root": Path(root) if root else None, "session": session, "dry_run": dry_run}
    with app.progress("Reading logs") as progress:
        report = app.home.sessions.logs.sync(**arguments, progress=progress)
    if session and not (report.read or report.unchanged or report.forgotten or report.others):
        raise NotFoundError(f"there is no log of session '{session}'", code="session-not-found")
    report = app.home.make_safe(report)
    app.show(report, lambda: _report_lines(app, report, dry_run))
    if strict and report.skipped:
        app.exit(1)


def _report_lines(app: App, report: ReadingReport, dry_run: bool) -> list[str]:
    facts = [each for each in report.learned if each.action != "quarantined"]
    losses = count(report.losses, "context loss", "context losses")
    found = f"{count(report.turns, 'turn')}, {losses}, {report.skipped:,} skipped"
    lines = [f"{count(report.read, 'log')} read, {report.unchanged:,} unchanged: {found}."]
    if report.forgotten:
        lines.append(f"{count(report.forgotten, 'log')} of forgotten sessions left out.")
    if report.others:
        others = count(report.others, "log")
        lines.append(f"{others} of other owners left out; --agent names the owner.")
    verb = "Would learn" if dry_run else "Learned"
    lines.append(f"{verb} {count(len(facts), 'fact')}{':' if facts else '.'}")
    texts = []
    for learned in facts:
        where = learned.evidence[0]
        place = f"{os.path.basename(where['file'])}:{where['line']}"
        name = f"{learned.id} " if learned.id else ""
        texts.append(f"- {name}[{learned.kind}, {learned.origin}] {learned.text} ({place})")
    lines += app.output.limit(texts)
    if refused := len(report.learned) - len(facts):
        verb = "looks like an attack and waits" if refused == 1 else "look like attacks and wait"
        lines.append(f"{refused:,} {verb} in review: {app.command('review list')}")
    return lines


@sessions.command(answer=answer_type("sessions.recovery:Recovery"))
@options.agent_option("Agent that lost its context.")
@click.option("--session", metavar="ID", default="", help="Session that lost it.")
@options.budget
@pass_app
def recover(app: App, agent: str | None, session: str, budget: str | None) -> None:
    """Print what an agent needs after its context was compacted."""
    recovery = app.home.sessions.recovery.restore(
        agent=agent, session=session, budget=budget or "2000t"
    )
    app.show(recovery, recovery.text.split("\n") if recovery.text else [])


@sessions.command(answer=answer_type("sessions.forgetting:ForgetPlan"))
@click.argument("session", required=False, shell_complete=complete_session)
@click.option("--before", type=options.WHEN, help="All sessions that ended before TIME.")
@options.dry_run
@options.yes
@pass_app
def forget(
    app: App, session: str | None, before: datetime | None, dry_run: bool, yes: bool
) -> None:
    """Erase sessions, and the facts that have no other evidence.

    Kept copies and the index are erased. The programs' own logs stay, and are not read again.
    """
    plan = app.home.sessions.forgetting.plan(session or "", before=before)
    if not dry_run and plan.sessions:
        what = f"{count(len(plan.sessions), 'session')} and {count(len(plan.facts), 'fact')}"
        source = "it" if len(plan.sessions) == 1 else "them"
        app.confirm(f"Erase {what} learned from {source}?", yes=yes)
        app.home.purging.forget_sessions(plan)
    verb = "Would erase" if dry_run else "Erased"
    lines = [
        (
            f"{verb} {count(len(plan.sessions), 'session')}: {count(plan.turns, 'turn')},"
            f" {count(plan.copies, 'kept copy', 'kept copies')} ({plan.copy_bytes:,} bytes),"
            f" {count(len(plan.facts), 'fact')}."
        ),
    ]
    if plan.kept_facts:
        facts = count(len(plan.kept_facts), "fact has", "facts have")
        lines.append(f"{facts} other evidence: not erased.")
    if plan.shared_facts:
        shared = count(len(plan.shared_facts), "copy", "copies")
        lines.append(f"Not erased: {shared} of these facts that others have. To erase them:")
        lines += [app.command("fact purge", fact) for fact in plan.shared_facts]
    if plan.sessions:
        lines.append("The programs' own logs and synced copies in a git repository stay.")
    app.show(plan, lines)
