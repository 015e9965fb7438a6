"""Jobs: is any late, or does any fail?"""

from __future__ import annotations

from crewmem import times
from crewmem.errors.jobs import RunUnreadableError
from crewmem.health.check import by_hand
from crewmem.health.finding import Finding, Status, failed, passed, warned
from crewmem.health.inside import of_truth, truth_path
from crewmem.jobs.jobs_store import rows
from crewmem.jobs.standing import FAILING, troubles

TYPE_CHECKING = False
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
        failing = [_failing(scene, each) for each in found if each.state == FAILING]
        late = [each for each in found if each.state != FAILING]
        return [*failing, *([_late(scene, late)] if late else [])] or [
            passed("every job was run in time, and none failed last")
        ]

    return of_truth(scene, compared)


def _unread(scene: Scene, error: RunUnreadableError) -> Finding:
    return failed(
        str(error),
        expected="rows as jobs write them: restore a backup of the database",
        where=str(truth_path(scene.home)) if scene.home else "",
    )


def _failing(scene: Scene, found: Standing) -> Finding:
    return Finding(
        status=Status.FAIL if found.failures >= OFTEN else Status.WARN,
        observed=f"{found.job} is {found.state}: {found.reason}{_ago(scene, found)}",
        expected="a run that succeeds, when it is due",
        repair=scene.command("timers", "run", found.job),
    )


def _late(scene: Scene, found: list[Standing]) -> Finding:
    """Tell of all jobs that are late at once: they are for one reason, and one cure."""
    if len(found) == 1:
        (one,) = found
        observed = f"{one.job} is {one.state}: {one.reason}{_ago(scene, one)}"
    else:
        told = ", ".join(f"{each.job}{_ago(scene, each)}" for each in found)
        observed = f"{len(found)} jobs are overdue: {told}"
    return warned(
        observed,
        expected="timers that run them: crewmem timers status",
        repair=scene.command("timers", "run", "--all-due"),
    )


def _ago(scene: Scene, found: Standing) -> str:
    verb = "last failed" if found.state == FAILING else "was due"
    return f" ({verb} {times.ago(found.since, scene.now)})" if found.since else ""
