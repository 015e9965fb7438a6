"""Running a job: alone, and so that it is known afterwards what came of it.

A run that found something, or failed, leaves a row and an entry. One that found
nothing leaves a line in the lock file of its job, and nothing else: a sweep comes 2,880
times a day. So does one that met a locked database: it would wait for it twice. The
entry is of the workspace that was named, else of that of the settings: it tells how
many things were done, and nothing of what they say.
"""

from __future__ import annotations

from functools import cached_property

from crewmem.cli.app import App
from crewmem.cli.jobs.parts import Outcome, why
from crewmem.errors.database import DatabaseBusyError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    import apsw

    from crewmem.disk import Lock
    from crewmem.jobs.jobs_store import Row
    from crewmem.jobs.mark import Mark
    from crewmem.journal.entry import Draft

RUNNING, PLANNED = "running", "planned"
"""Results of a run that another was doing, and of one that was only asked for."""


class Unasked(App):
    """The world of a job: nobody is there to see what a shell of his would know."""

    @cached_property
    def truth(self) -> apsw.Connection:
        """The home's database, to be changed, if that can be signed as it was.

        Timers know nothing of the shell in which the key of a journal is, and entries
        without it would break the chain, every night a little more.

        Raises:
            ChainKeyMissingError: If a journal is signed with a key that is not there.
        """
        from crewmem.cli.journals import chain_key
        from crewmem.cli.timers.timing import only
        from crewmem.errors.journal import ChainKeyMissingError
        from crewmem.journal.keyed_store import keyed

        db = super().truth
        if chain_key(self.world.environ) is None and (names := keyed(db, only(self))):
            vars(self).pop("truth")  # where it was kept: nobody else is to have it
            raise ChainKeyMissingError(names[0])
        return db


class Ran(NamedTuple):
    """A run of a job.

    Attributes:
        job: Which.
        result: ok, partial, failed or nothing; running where another does it, or did;
            planned where it was only asked for.
        line: What was done, in a line.
        counts: The same in numbers.
        failed: What failed of it, each with why.
        started: When it began.
        ended: When it ended.
        next_due: When it is due again; null if the settings leave it out.
    """

    job: str
    result: str
    line: str
    counts: Mapping[str, int]
    failed: Sequence[str]
    started: datetime
    ended: datetime
    next_due: datetime | None


def run(app: App, name: str, *, if_due: bool = False) -> tuple[Ran, Outcome]:
    """Run the job *name*, unless it is being run; return what came of it.

    With *if_due* it is not run either where somebody else has just done so.

    Raises:
        HomeMissingError: If there is no home.
        WorkspaceMissingError: If there is none of the name that was given.
        ChainKeyMissingError: If the journal is signed with a key that is not there.
        NotWritableError: If it may not be written.
    """
    from crewmem.cli.jobs.alone import held
    from crewmem.cli.timers.timing import key, only
    from crewmem.jobs.naming import LOCK

    if only(app):
        from crewmem.cli.jobs.parts import workspaces

        workspaces(app)  # else what is kept of the failure would make it
    path = f"{LOCK}{key(app, name)}"
    with held(app, path, name) as lock:
        if lock is None:
            said = "another run of it is doing it"
            return _ran(app, name, Outcome(), RUNNING, said, app.now), Outcome()
        if if_due and not _is_due(app, name):
            said = "another run of it has just done it"
            return _ran(app, name, Outcome(), RUNNING, said, app.now), Outcome()
        done = _done(app, name)
        ended = _clock(app)
        ran = _ran(app, name, done, done.result, done.line, ended)
        _leave(app, lock, ran, done)
    return ran, done


def _leave(app: App, lock: Lock, ran: Ran, done: Outcome) -> None:
    """Keep what came of a run: a row and an entry, or a line in its lock file.

    Raises:
        DatabaseBusyError: If the database is locked, and was not before.
    """
    from crewmem.jobs.mark import Mark

    if not done.is_news:
        _mark(lock, Mark(ran.started))
    elif done.is_locked_out:
        _mark(lock, _locked_out(app, ran))
    else:
        try:
            _keep(app, ran, done)
        except DatabaseBusyError:
            _mark(lock, _locked_out(app, ran))
            raise


def _locked_out(app: App, ran: Ran) -> Mark:
    """Return what a run leaves that met a locked database, and how often in a row."""
    from crewmem.cli.timers.timing import key
    from crewmem.jobs.mark import BUSY, Mark, of_job

    before = of_job(app.home, key(app, ran.job), ran.started)
    return Mark(ran.started, BUSY, (before.failures if before else 0) + 1)


def _is_due(app: App, name: str) -> bool:
    from crewmem.cli.timers.timing import due

    return name in due(app)


def plan(app: App, name: str) -> Ran:
    """Return what `run` would begin with."""
    return _ran(app, name, Outcome(), PLANNED, "would be run", app.now)


def _done(app: App, name: str) -> Outcome:
    """Do the work. A job that fails as a whole, however, is a part that fails."""
    from crewmem.cli.jobs.work import WORK

    try:
        return WORK[name](app)
    except Exception as error:  # noqa: BLE001 - it is kept, and raised afterwards
        return Outcome(failures={name: error})


def _clock(app: App) -> datetime:
    """Return the time by now; in a replay, that which was given."""
    if app.given.get("now") or app.world.environ.get("CREWMEM_NOW"):
        return app.now
    return app.world.clock()


def _ran(
    app: App, name: str, done: Outcome, result: str, line: str, ended: datetime
) -> Ran:
    # Nobody reads it of a run that found nothing, and it is 2 ms of a sweep's 50.
    due = _due(app, name) if done.is_news or app.out.is_json else None
    failed = [f"{part}: {why(each)}" for part, each in done.failures.items()]
    return Ran(name, result, line, done.counts, failed, app.now, ended, due)


def _due(app: App, name: str) -> datetime | None:
    """Return when the job *name* is due next, counted from now."""
    from crewmem.jobs.job import planned
    from crewmem.jobs.schedule import following

    when = planned(app.settings).get(name)
    return following(when, app.now, app.zone) if when else None


def _mark(lock: Lock, mark: Mark) -> None:
    from crewmem import disk
    from crewmem.jobs.mark import spelled

    disk.stamp(lock, spelled(mark))


def _keep(app: App, ran: Ran, done: Outcome) -> None:
    """Keep the row and the entry of a run, together."""
    from crewmem.cli.jobs.parts import within
    from crewmem.cli.timers.timing import key
    from crewmem.jobs import jobs_store
    from crewmem.jobs.jobs_store import Row

    again = _failures(app, ran.job)
    row = Row(
        name=key(app, ran.job),
        first_start=ran.started,
        last_start=ran.started,
        last_end=ran.ended,
        result=ran.result,
        reason=done.reason,
        counts=ran.counts,
        failures=again + 1 if done.failures else 0,
        next_due=ran.next_due,
    )
    where = within(app, _book(app))
    with where.journal.transaction():
        jobs_store.keep(where.truth, row)
        where.journal.append(where.workspace, [_entry(ran, row)], now=app.now)


def _failures(app: App, name: str) -> int:
    """Return how often the job *name* has failed in a row, as far as that is known."""
    from crewmem.cli.timers.timing import kept

    before = kept(app, lenient=True)  # what cannot be read is written over
    failed = before.failing(name)
    return failed.failures if failed else 0


def _entry(ran: Ran, row: Row) -> Draft:
    """Return what the journal says of a run.

    Only the first failure of several in a row is a warning: those are never archived.
    """
    from crewmem.journal.entry import Draft

    payload: dict[str, object] = {
        "job": row.name,
        "result": ran.result,
        "counts": dict(ran.counts),
    }
    if ran.failed:
        payload["failed"] = list(ran.failed)
    return Draft(
        "job.completed",
        f"{row.name}: {ran.line}",
        severity="warn" if row.failures == 1 else "info",
        actor_type="system",
        actor_id="timers",
        payload=payload,
    )


def _book(app: App) -> str:
    """Return whose journal tells of jobs: a workspace that is there, if any is."""
    from crewmem.cli.jobs.parts import workspaces

    if app.given.get("workspace"):
        return app.workspace
    found = workspaces(app)
    return app.workspace if app.workspace in found or not found else found[0]
