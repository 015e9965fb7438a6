"""``crewmem timers status``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.cli.output import Table
    from crewmem.cli.timers.installed import Installed
    from crewmem.jobs.jobs_store import Row
    from crewmem.jobs.mark import Mark


class JobStatus(NamedTuple):
    """How a job is.

    Attributes:
        job: Its name.
        when: How often, or when, as its setting says.
        state: ok, never, overdue or failing.
        last_run: When it was last run; null if it never was.
        result: How its last run came out: ok, partial, failed, nothing, or busy: the
            database was locked; null if it was never run.
        reason: Why not all of it succeeded, or what else is wrong; null if nothing is.
        counts: What its last run did that did something.
        failures: How often it failed in a row.
        next_due: When it is due next; now, if it is due.
        scheduler: What runs it: systemd or cron; null for nothing that is known of.
        alive: Whether its timer waits for its time; null where nobody can tell.
    """

    job: str
    when: str
    state: str
    last_run: datetime | None
    result: str | None
    reason: str | None
    counts: Mapping[str, int]
    failures: int
    next_due: datetime | None
    scheduler: str | None
    alive: bool | None


@verb
@option("--bad", is_flag=True, help="Only jobs that are overdue or fail.")
@option("--strict", is_flag=True, help="End with 1 when a job is overdue or fails.")
@pass_app
def status_command(app: App, *, bad: bool, strict: bool) -> None:
    """Show how each job came out, when it is due, and what runs it.

    A job is overdue when it was not run for long after it was due; one that was never
    run is told of once others were. It also says what runs them: systemd, whose timer
    is alive or not, or cron. Nothing is written.
    """
    from crewmem.cli.timers.installed import installed
    from crewmem.errors.registry import HomeMissingError
    from crewmem.scope import require_operator

    require_operator(app.actor, "look after jobs")
    if not app.home.is_dir():
        raise HomeMissingError(app.home)
    by = installed(app)
    found = [each for each in _statuses(app, by) if not bad or each.state in BAD]
    if by.trouble:
        app.out.warn(by.trouble)
    app.out.listing(found, _table(app, found))
    if by.scheduler is None:
        app.out.note("No timers are installed: crewmem timers install")
    app.conclude(ok=not (strict and any(each.state in BAD for each in found)))


BAD = frozenset({"overdue", "failing"})


def _statuses(app: App, by: Installed) -> list[JobStatus]:
    from crewmem.cli.timers.timing import kept
    from crewmem.jobs.schedule import next_due
    from crewmem.jobs.standing import standing
    from crewmem.settings.whens import spelled

    known = kept(app)
    ill = {
        each.job: each
        for each in standing(known.rows, known.marks, known.whens, app.now, app.zone)
    }
    found = []
    for name, when in known.whens.items():
        row, mark, bad = known.rows.get(name), known.marks.get(name), ill.get(name)
        last = known.last(name)
        is_news = row is not None and last == row.last_start
        found.append(
            JobStatus(
                job=name,
                when=spelled(when),
                state=bad.state if bad else "ok" if last else "never",
                last_run=last,
                result=_result(row if is_news else None, mark),
                reason=bad.reason if bad else None,
                counts=row.counts if row else {},
                failures=bad.failures if bad else 0,
                next_due=next_due(when, last, app.now, app.zone),
                scheduler=by.scheduler if name in by.alive else None,
                alive=by.alive.get(name),
            )
        )
    return found


def _result(row: Row | None, mark: Mark | None) -> str | None:
    """Say how the last run came out: it kept a *row*, or left a *mark*."""
    if row:
        return row.result
    return mark.result if mark else None


def _table(app: App, found: Sequence[JobStatus]) -> Table:
    from crewmem import times
    from crewmem.cli.output import Table
    from crewmem.cli.timers.show import clock

    said = {True: "alive", False: "dead", None: ""}
    rows = [
        (
            each.job,
            each.when,
            times.ago(each.last_run, app.now) if each.last_run else "never",
            each.result or "-",
            clock(app, each.next_due),
            f"{each.scheduler} {said[each.alive]}".rstrip() if each.scheduler else "-",
            each.state if not each.reason else f"{each.state}: {each.reason}",
        )
        for each in found
    ]
    return Table(("JOB", "WHEN", "LAST RUN", "RESULT", "NEXT", "TIMER", "STATE"), rows)
