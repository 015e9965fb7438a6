"""What timers of a home are made of: its name, the program, and the jobs."""

from __future__ import annotations

import os
import sys

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import TypeVar

    import apsw

    from crewmem.cli.app import App
    from crewmem.jobs.jobs_store import Row
    from crewmem.jobs.mark import Mark
    from crewmem.jobs.standing import Failure
    from crewmem.jobs.timers import Timers
    from crewmem.settings.whens import When

    Answer = TypeVar("Answer")


class Kept(NamedTuple):
    """What is known of the jobs of a home.

    Attributes:
        whens: When each is due, of those that are wanted, in their order.
        rows: Of each its last run that did something or failed.
        marks: What each left later that kept no row.
    """

    whens: Mapping[str, When]
    rows: Mapping[str, Row]
    marks: Mapping[str, Mark]

    def last(self, name: str) -> datetime | None:
        """Return when the job *name* was last run; None if it never was."""
        from crewmem.jobs.standing import last_run

        return last_run(self.rows.get(name), self.marks.get(name))

    def failing(self, name: str) -> Failure | None:
        """Return how the last run of the job *name* failed; None if it did not."""
        from crewmem.jobs.standing import failing

        return failing(self.rows.get(name), self.marks.get(name))


def only(app: App) -> str | None:
    """Return the workspace that was named, if one was: jobs look after it alone."""
    return app.workspace if app.given.get("workspace") else None


def key(app: App, name: str) -> str:
    """Return what the job *name* is called where it is kept."""
    from crewmem.jobs.naming import key_of

    return key_of(name, only(app))


def kept(app: App, *, lenient: bool = False) -> Kept:
    """Return what is known of the jobs, by their names; nothing is written.

    Args:
        app: The world.
        lenient: Whether what cannot be read is as if it was not kept.

    Raises:
        RunUnreadableError: If it is not as jobs write it.
    """
    from crewmem.jobs.job import planned
    from crewmem.jobs.mark import of_jobs
    from crewmem.jobs.standing import believed

    whens = planned(app.settings)
    names = {key(app, name): name for name in whens}
    found = _rows(app, lenient=lenient) if app.home.is_dir() else {}
    marks = of_jobs(app.home, names, app.now)
    rows = believed(found, marks, app.now)
    return Kept(
        whens,
        {
            name: rows[each]._replace(name=name)
            for each, name in names.items()
            if each in rows
        },
        {name: marks[each] for each, name in names.items() if each in marks},
    )


def _rows(app: App, *, lenient: bool) -> Mapping[str, Row]:
    from crewmem.jobs.jobs_store import rows

    return looked(app, lambda db: rows(db, lenient=lenient)) or {}


def looked(app: App, look: Callable[[apsw.Connection], Answer]) -> Answer | None:
    """Return what *look* sees in the database, without a trace; None without one."""
    from crewmem.db.access import is_there
    from crewmem.db.examine import examine
    from crewmem.db.truth import NAME

    if "truth" in vars(app):
        return look(app.truth)
    path = app.home / NAME
    if not is_there(path):
        return None
    return examine(path, look, busy_timeout=app.settings.busy_timeout)


def home_tag(app: App, workspace: str | None = None) -> str:
    """Return what tells the timers of this home from others'; "" for the usual one."""
    from crewmem.jobs.naming import tag

    return tag(str(app.home), workspace, usual=str(_usual_home(app)))


def _usual_home(app: App) -> object:
    from crewmem.cli.app import App as Asked
    from crewmem.cli.app import World

    environ = {**app.world.environ}
    environ.pop("CREWMEM_HOME", None)
    return Asked(World(environ=environ), {}).home


def program() -> list[str]:
    """Return the words that call this program, wherever one stands."""
    called = os.path.abspath(sys.argv[0])  # noqa: PTH100 - a link stays: it is upgraded
    is_script = os.path.basename(called) == "crewmem"  # noqa: PTH119 - as above
    if is_script and os.access(called, os.X_OK):
        return [called]
    return [sys.executable, "-m", "crewmem"]


def timers(app: App) -> Timers:
    """Return what timers of this home are written from."""
    from shlex import split

    from crewmem.jobs.job import planned
    from crewmem.jobs.timers import Timers

    settings = app.settings
    return Timers(
        tag=home_tag(app, only(app)),
        program=program(),
        home=str(app.home),
        workspace=only(app),
        whens=planned(settings),
        zone=settings.timezone,
        writable=[settings.backup_dir] if settings.backup_dir else [],
        is_open=settings.llm == "command",
        on_failure=split(settings.timers_on_failure),
    )


def due(app: App) -> list[str]:
    """Return the jobs that are due now, in the order in which they are run."""
    from crewmem.jobs.schedule import is_due, is_due_again

    known = kept(app, lenient=True)
    found = []
    for name, when in known.whens.items():
        failed = known.failing(name)
        again = failed and is_due_again(failed.at, failed.failures, app.now)
        if again or is_due(when, known.last(name), app.now, app.zone):
            found.append(name)
    return found
