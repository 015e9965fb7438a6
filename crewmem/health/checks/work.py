"""Checks of background work: jobs, timers, review, session logs, hooks, MCP entries."""

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
"""Age of a home from which missing timers are reported; a home for a trial needs none."""

MAX_WAIT = timedelta(minutes=30)
"""Maximum time until a log is read: six times the interval of the job."""

CLAUDE_DAYS = 30
"""Days after which Claude Code deletes a log by default."""

COPY_RATIO = 0.25
"""Estimated ratio of the size of a kept copy to that of its log."""


@check("jobs.due", HOME)
def check_jobs(subject: ExaminedHome) -> list[Finding]:
    """Find jobs that failed or are overdue."""
    findings = []
    states = subject.home.jobs.list_status()
    for job in states:
        fix = subject.command("timers run", job.job)
        if job.failures:
            findings.append(
                failed(
                    f"{job.job} failed {count(job.failures, 'time')} in a row: {job.error}",
                    expected="a successful run",
                    fix=fix,
                )
            )
        elif job.is_late:
            age = format_age(parse_time(job.last_run), subject.context.now)
            findings.append(
                warned(
                    f"{job.job} is overdue: its last run was {age}",
                    expected="a run at each due time",
                    fix=fix,
                )
            )
    if findings:
        return findings
    ran = sum(bool(job.last_run) for job in states)
    return [passed(f"{count(ran, 'job')} ran when due" if ran else "no job has run yet")]


@check("timers.alive", HOME)
def check_timers(subject: ExaminedHome) -> Finding:
    """Find timers that are missing or do not run."""
    context = subject.context
    if not context.environ:
        return skipped("timers cannot be examined here")
    state = subject.home.timers.find_state()
    install = subject.command("timers install")
    jobs = subject.home.jobs.list_status()
    sweep = next(job for job in jobs if job.job == "sweep")
    oldest = context.db.value("select min(created_at) from workspaces")
    stored = context.db.value("select exists (select 1 from journal_entries)")
    is_new = not stored or oldest > format_time(add_span(context.now, -SETTLED))
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
        if sweep.is_late or not (sweep.last_run or is_new):
            age = format_age(sweep.last_run, context.now) if sweep.last_run else ""
            last = f"the last sweep was {age}" if age else "no sweep has run"
            return warned(
                f"timers of {state.scheduler} are installed, but {last}: does it run?",
                expected="a running scheduler, or `timers run --all-due` from another one",
                fix=subject.command("timers run --all-due"),
            )
        return passed(f"timers of {state.scheduler} are installed")
    if any(job.last_run for job in jobs):
        return passed("no timers are installed; something else runs jobs")
    if is_new:
        return passed("no timers are installed, and none are needed yet")
    return warned(
        "no timers are installed, and no job has run: nothing is embedded, rolled up or pruned",
        expected="timers, or `timers run --all-due` from any scheduler",
        fix=install,
    )


@check("review.waiting", DATABASE)
def check_review(subject: ExaminedHome) -> Finding:
    """Find review items and quarantined texts that wait for a person."""
    counts = subject.view.review_items.count()
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
    """Find session logs that were not indexed, or not extracted, to their end."""
    context = subject.context
    index = subject.view.sessions.open_index()
    if index is None:
        return passed("no session log was ever read")
    before = format_time(add_span(context.now, -MAX_WAIT))
    waiting = subject.view.sessions.logs.list_unindexed()
    unindexed = [log for log in waiting if log.changed_at < before]
    logs = index.all(
        "select logs.id, logs.line from logs join sessions on sessions.key = logs.session"
        " where logs.workspace_id = ? and last_at < ?",
        (context.workspace, before),
    )
    cursors = dict(context.db.all("select log_id, line from extraction_cursors"))
    unextracted = [id_ for id_, line in logs if cursors.get(id_, 0) < line]
    number = len(unindexed) + len(unextracted)
    if not number:
        return passed("session logs are read to the end")
    return warned(
        f"{count(number, 'session log')} {'was' if number == 1 else 'were'} not read to the end",
        expected="all logs read to the end",
        fix=subject.command("sessions sync"),
    )


@check("sessions.retention", HOME)
def check_retention(subject: ExaminedHome) -> Finding:
    """Find logs that Claude Code will delete before they are indexed."""
    claude = Path(subject.context.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    try:
        settings = json.loads((claude / "settings.json").read_text(encoding="utf-8"))
        days = max(0, int(settings.get("cleanupPeriodDays", CLAUDE_DAYS)))
    except (OSError, ValueError, TypeError, AttributeError):
        days = CLAUDE_DAYS
    now = subject.context.now
    oldest = format_time(add_span(now, -timedelta(days=min(days, 100_000))))
    waiting = subject.view.sessions.logs.list_unindexed()
    expiring = [
        log
        for log in waiting
        if log.format is not None and log.format.name == "claude" and log.changed_at <= oldest
    ]
    if not expiring:
        return passed(f"Claude Code deletes logs after {days} days; all of that age are indexed")
    size = sum(log.status.st_size for log in expiring)
    cost = f"keeping copies takes about {size * COPY_RATIO / 1e6:,.1f} MB"
    if not subject.context.settings["sessions.keep"]:
        cost += f", with {subject.command('config set', 'sessions.keep', 'on')}"
    return warned(
        f"Claude Code deletes logs after {days} days, and {count(len(expiring), 'log')} of that age"
        f" {'is' if len(expiring) == 1 else 'are'} not indexed; {cost}",
        expected="logs indexed before they are deleted",
        fix=subject.command("sessions sync"),
    )


# Agent programs

MCP = "mcp"


def _check_entries(subject: ExaminedHome, *, is_mcp: bool, noun: str, plural: str) -> list[Finding]:
    """Report the problems of the entries of one kind in agent programs."""
    entries = subject.hooks
    if entries is None:
        return [skipped("agent programs cannot be examined here")]
    entries = [entry for entry in entries if (entry.entry == MCP) == is_mcp]
    findings = [
        failed(
            f"{entry.program}, {entry.entry} in {entry.file}: {entry.problem}",
            expected="an entry that works",
            fix=entry.hint,
            where=str(entry.file),
        )
        for entry in entries
        if entry.problem
    ]
    return findings or [passed(f"{count(len(entries), noun, plural)} tried")]


@check("hooks.working", HOME)
def check_hooks(subject: ExaminedHome) -> list[Finding]:
    """Find hooks that are missing, name an unknown agent, or do not answer in time."""
    return _check_entries(subject, is_mcp=False, noun="hook", plural="hooks")


@check("mcp.executable", HOME)
def check_mcp(subject: ExaminedHome) -> list[Finding]:
    """Find entries of the MCP server that do not work."""
    return _check_entries(subject, is_mcp=True, noun="entry", plural="entries")
