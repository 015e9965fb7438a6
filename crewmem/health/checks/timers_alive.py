"""Timers: does anything run the jobs of this home, and is it alive?"""

from __future__ import annotations

from datetime import timedelta

from crewmem import disk
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_HOME, NOT_YOURS, of_truth
from crewmem.health.runs_store import any_row
from crewmem.jobs.job import planned
from crewmem.jobs.mark import of_jobs
from crewmem.journal.total_store import total
from crewmem.scope import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Clockwork, Scene

NAME = "timers.alive"
CATEGORY = "timers"

SETTLED = timedelta(days=1)
"""How old a home is before timers are missed: who tries things out needs none."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name timers that are dead or missing; or tell that there are none at all.

    Where other means run the jobs, as a scheduler of their own, none are missed.
    """
    if scene.home is None:
        return [skipped(NO_HOME)]
    if not scene.is_operator:
        return [skipped(NOT_YOURS)]
    by = scene.timers()
    if by.scheduler is None:
        return _without(scene, by)
    if by.trouble:
        return [
            warned(
                f"timers of {by.scheduler} are installed, and nobody can tell whether "
                f"they are alive: {by.trouble}",
                expected="timers that can be asked; jobs.due tells what was not run",
                look=scene.command("timers", "status"),
            )
        ]
    return _asked(scene, by, by.scheduler)


def _asked(scene: Scene, by: Clockwork, scheduler: str) -> list[Finding]:
    install = scene.command("timers", "install")
    dead = [job for job, alive in by.alive.items() if alive is False]
    missing = [job for job in planned(scene.settings) if job not in by.alive]
    if dead:
        return [
            failed(
                f"of {scheduler}, dead: {', '.join(dead)}",
                expected="timers that wait for their time",
                repair=install,
            )
        ]
    if missing:
        return [
            warned(
                f"{scheduler} has no timer for {', '.join(missing)}",
                expected="a timer for each job that the settings want",
                repair=install,
            )
        ]
    jobs = counted(len(by.alive), "job")
    alive = "are alive" if None not in by.alive.values() else "are installed"
    return [passed(f"timers of {scheduler} {alive}: {jobs}")]


def _without(scene: Scene, by: Clockwork) -> list[Finding]:
    """Say whether timers are missed where none are installed."""

    def seen(db: apsw.Connection) -> list[Finding]:
        home = scene.home
        if home is None:
            return []
        if any_row(db) or of_jobs(home, planned(scene.settings), scene.now):
            return [passed("no timers are installed; something else runs jobs")]
        install = scene.command("timers", "install")
        names = [each.name for each in scene.roster.workspaces] if scene.roster else []
        lives = any(total(db, Reach(name)) for name in names)
        if not (lives and _is_settled(scene) and disk.is_writable(home)):
            hint = f": {by.trouble}" if by.trouble else f"; {install} installs them"
            return [passed(f"no timers are installed{hint}")]
        return [
            warned(
                "no timers are installed, and no job was ever run: nothing is "
                "embedded, summed up or pruned unless somebody types it",
                expected="timers, or crewmem timers run --all-due from any scheduler",
                repair=install,
            )
        ]

    return of_truth(scene, seen)


def _is_settled(scene: Scene) -> bool:
    known = scene.roster.workspaces if scene.roster else ()
    made = [each.created_at for each in known if each.created_at]
    return bool(made) and scene.now - min(made) > SETTLED
