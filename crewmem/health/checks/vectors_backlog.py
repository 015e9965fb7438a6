"""Vectors: does what waits for one wait too long, as if no sweep ran?"""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.episodes.audit_store import waits_since
from crewmem.episodes.store import Episodes
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, truth_path, vectors_path
from crewmem.health.late import LATE_MS, waited_ms, written_ms
from crewmem.health.remembered import remembered, vectors_of
from crewmem.journal.total_store import workspaces
from crewmem.registry.crews_store import without_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "vectors.backlog"
CATEGORY = "vectors"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell what waits, and where nobody seems to come for it.

    Without an embedder it waits for that: embedder.present says so.
    """

    def seen(db: apsw.Connection) -> list[Finding]:
        names = [each for each in workspaces(db) if scene.is_meant(each)]
        late = [each for name in names for each in _late(scene, db, name)]
        return late or [passed("nothing waits longer than sweeps take")]

    if not scene.embedding.model:
        return [passed("there is no embedder to wait for")]
    return of_truth(scene, seen, by_all=True)


def _late(scene: Scene, db: apsw.Connection, workspace: str) -> Iterator[Finding]:
    home = scene.home
    if home is None:
        return
    reach = scene.reach(workspace)
    vectors = vectors_of(home, workspace, busy_timeout=scene.settings.busy_timeout)
    kept = remembered(db, reach, vectors)
    if not kept.waiting:
        return
    owners = Episodes(db).owners(reach, without=without_memory(db, workspace))
    since = waits_since(db, vectors.mark, owners, scene.now_ms)
    waited = waited_ms(
        scene.now_ms,
        since=since,
        written=written_ms(truth_path(home)),
        embedded=written_ms(vectors_path(home)),
    )
    if waited > LATE_MS:
        yield _finding(scene, workspace, kept.waiting, waited)


def _finding(scene: Scene, workspace: str, waiting: int, waited: int) -> Finding:
    line = scene.command("episodes", "sweep", "--for", "60s")
    since = times.ago(scene.now - timedelta(milliseconds=waited), scene.now)
    waits = counted(waiting, "episode waits", "episodes wait")
    return warned(
        f"{workspace}: {waits} for vectors, since {since} or longer: no sweep seems "
        "to run",
        expected=f"a sweep every minute, as by a line of a crontab: * * * * * {line}",
        repair=scene.command("episodes", "sweep", "--all"),
        where=str(vectors_path(scene.home)) if scene.home else "",
    )
