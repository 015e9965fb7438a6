"""Jobs: is any late, or does any fail?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crewmem import times
from crewmem.errors.jobs import RunUnreadableError
from crewmem.health.check import by_hand
from crewmem.health.finding import Finding, Status, failed, passed
from crewmem.health.inside import of_truth, truth_path
from crewmem.jobs.jobs_store import rows
from crewmem.jobs.standing import FAILING, troubles

if TYPE_CHECKING:
    import apsw

    from crewmem.health.scene import Scene
    from crewmem.jobs.standing import Standing

NAME = "jobs.due"
CATEGORY = "jobs"

OFTEN = 3
"""Failures in a row from which nobody hopes that the next run will do."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name the jobs that were not run in time, and those whose last run failed.

    Where no job was ever run none is late: timers.alive tells of that.
    """

    def compared(db: apsw.Connection) -> list[Finding]:
        home = scene.home
        if home is None:
            return []
        try:
            kept = rows(db)
        except RunUnreadableError as error:
            return [_unread(scene, error)]
        zone = times.zone(scene.settings.timezone)
        found = troubles(home, kept, scene.settings, scene.now, zone)
        if not kept:
            return [passed("no job was run so far")]
        return [_finding(scene, each) for each in found] or [
            passed("every job was run in time, and none failed last")
        ]

    return of_truth(scene, compared)


def _unread(scene: Scene, error: RunUnreadableError) -> Finding:
    return failed(
        str(error),
        expected="rows as jobs write them: restore a backup of the database",
        where=str(truth_path(scene.home)) if scene.home else "",
    )


def _finding(scene: Scene, found: Standing) -> Finding:
    verb = "last failed" if found.state == FAILING else "was due"
    when = f" ({verb} {times.ago(found.since, scene.now)})" if found.since else ""
    is_grave = found.state == FAILING and found.failures >= OFTEN
    return Finding(
        status=Status.FAIL if is_grave else Status.WARN,
        observed=f"{found.job} is {found.state}: {found.reason}{when}",
        expected="a run that succeeds, when it is due"
        if found.state == FAILING
        else "timers that run it: crewmem timers status",
        repair=scene.command("timers", "run", found.job),
        where=str(truth_path(scene.home)) if scene.home else "",
    )
