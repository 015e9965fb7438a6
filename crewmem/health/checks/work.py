"""Checks of background work: jobs, timers, review, session logs, agents' hooks."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from crewmem.health.doctor import (
    DATABASE,
    HOME,
    ExaminedHome,
    Finding,
    check,
    failed,
    passed,
    skipped,
    warned,
)
from crewmem.text.wording import count, list_counts
from crewmem.times import add_span, format_age, format_time, parse_time

SETTLED = timedelta(days=1)
"""Age of a home from which missing timers are reported; a trial needs none."""

BACKLOG = timedelta(minutes=30)
"""Maximum wait of a log to be read: six times the interval of the job."""

CLAUDE_DAYS = 30
"""Days after which Claude Code deletes a log by default."""

COPY_SHARE = 0.25
"""Estimated size of a kept copy, as a share of its log."""


@check("jobs.due", HOME)
def check_jobs(subject: ExaminedHome) -> list[Finding]:
    """Find jobs that are overdue or fail."""
    found = []
    states = subject.home.jobs.list_status()
    for job in states:
        fix = subject.command("timers run", job.job)
        if job.failures:
            found.append(
                failed(
                    f"{job.job} failed {count(job.failures, 'time')} in a row: {job.error}",
                    expected="a job that succeeds",
                    fix=fix,
                )
            )
        elif job.is_late:
            age = format_age(parse_time(job.last_run), subject.context.now)
            found.append(
                warned(
                    f"{job.job} is overdue: its last run was {age}",
                    expected="a run at each due time",
                    fix=fix,
                )
            )
    ran = sum(bool(job.last_run) for job in states)
    return found or [passed(f"{count(ran, 'job')} ran when due" if ran else "no job has run yet")]


@check("timers.alive", HOME)
def check_timers(subject: ExaminedHome) -> Finding:
    """Find timers that are missing or dead."""
    if not subject.context.environ:
        return skipped("timers cannot be examined here")
    state = subject.home.timers.find_state()
    install = subject.command("timers install")
    if state.scheduler:
        if state.problem:
            return failed(
                f"timers of {state.scheduler} are installed but do not run: {state.problem}",
                expected="timers that run",
                fix=install,
            )
        if state.missing:
            return warned(
                f"{state.scheduler} has no timer for {', '.join(state.missing)}",
                expected="a timer for each job",
                fix=install,
            )
        return passed(f"timers of {state.scheduler} are installed")
    if any(job.last_run for job in subject.home.jobs.list_status()):
        return passed("no timers are installed; something else runs jobs")
    context = subject.context
    oldest = context.db.value("select min(created_at) from workspaces")
    stored = context.db.value("select exists (select 1 from journal_entries)")
    if not stored or oldest > format_time(add_span(context.now, -SETTLED)):
        return passed("no timers are installed, and none are needed yet")
    return warned(
        "no timers are installed, and no job was ever run: nothing is embedded, summed up or"
        " pruned",
        expected="timers, or `timers run --all-due` from any scheduler",
        fix=install,
    )


@check("review.waiting", DATABASE)
def check_review(subject: ExaminedHome) -> Finding:
    """Find review items and quarantined texts that wait for a person."""
    counts = subject.reading.review_items.count()
    number = sum(counts.values())
    if not number:
        return passed("nothing waits")
    return warned(
        f"{count(number, 'item')} {'waits' if number == 1 else 'wait'} for a person:"
        f" {list_counts(counts)}",
        expected="an empty queue",
        fix=subject.context.command("review list"),
    )


@check("sessions.backlog", HOME)
def check_sessions(subject: ExaminedHome) -> Finding:
    """Find session logs that are newer than what was learned of them."""
    context = subject.context
    index = subject.reading.sessions.open_index()
    if index is None:
        return passed("no session log was ever read")
    before = format_time(add_span(context.now, -BACKLOG))
    waiting = subject.reading.sessions.list_unindexed(subject.user)
    late = [log for log in waiting if log.changed_at < before]
    unlearned = index.all(
        "select logs.id, logs.line from logs join sessions on sessions.key = logs.session"
        " where logs.workspace_id = ? and last_at < ?",
        (context.workspace, before),
    )
    cursors = dict(context.db.all("select log_id, line from extraction_cursors"))
    behind = [id_ for id_, line in unlearned if cursors.get(id_, 0) < line]
    if not late and not behind:
        return passed("session logs are read to their end")
    number = len(late) + len(behind)
    return warned(
        f"{count(number, 'session log')} {'was' if number == 1 else 'were'} not read to the end",
        expected="logs that are read while they grow",
        fix=subject.command("sessions sync"),
    )


@check("sessions.retention", HOME)
def check_retention(subject: ExaminedHome) -> Finding:
    """Find logs that Claude Code will delete before they are indexed."""
    place = Path(subject.context.environ.get("CLAUDE_CONFIG_DIR") or subject.user / ".claude")
    try:
        days = json.loads((place / "settings.json").read_text(encoding="utf-8")).get(
            "cleanupPeriodDays", CLAUDE_DAYS
        )
        days = max(0, int(days))
    except (OSError, ValueError, TypeError, AttributeError):
        days = CLAUDE_DAYS
    now = subject.context.now
    oldest = format_time(add_span(now, -timedelta(days=min(days, 100_000))))
    waiting = subject.reading.sessions.list_unindexed(subject.user)
    doomed = [log for log in waiting if log.program == "claude" and log.changed_at <= oldest]
    if not doomed:
        return passed(f"Claude Code deletes logs after {days} days; all are read before")
    size = sum(log.bytes for log in doomed)
    keeps = subject.context.settings["sessions.keep"]
    cost = f"keeping them costs about {size * COPY_SHARE / 1e6:,.1f} MB"
    if not keeps:
        cost += f", with {subject.command('config set', 'sessions.keep', 'on')}"
    return warned(
        f"Claude Code deletes logs after {days} days, and {count(len(doomed), 'log')} of that age"
        f" {'is' if len(doomed) == 1 else 'are'} not indexed; {cost}",
        expected="logs that are indexed before they are deleted",
        fix=subject.command("sessions sync"),
    )


# Agent programs

MCP = "mcp"


def _judge(subject: ExaminedHome, *, is_mcp: bool, what: str, plural: str) -> list[Finding]:
    entries = subject.hooks
    if entries is None:
        return [skipped("agent programs cannot be examined here")]
    wanted = [entry for entry in entries if (entry.entry == MCP) == is_mcp]
    found = [
        failed(
            f"{entry.program}, {entry.entry} in {entry.file}: {entry.problem}",
            expected="an entry that works",
            fix=entry.hint,
            where=str(entry.file),
        )
        for entry in wanted
        if entry.problem
    ]
    return found or [passed(f"{count(len(wanted), what, plural)} tried")]


@check("hooks.working", HOME)
def check_hooks(subject: ExaminedHome) -> list[Finding]:
    """Find hooks that are missing, name an unknown agent, or do not answer in time."""
    return _judge(subject, is_mcp=False, what="hook", plural="hooks")


@check("mcp.executable", HOME)
def check_mcp(subject: ExaminedHome) -> list[Finding]:
    """Find an entry for the MCP server that points to a missing executable."""
    return _judge(subject, is_mcp=True, what="entry", plural="entries")
