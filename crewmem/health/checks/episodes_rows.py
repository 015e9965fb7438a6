"""Episodes: is every entry one that should be?"""

from __future__ import annotations

from contextlib import closing

from crewmem import disk
from crewmem.db import truth
from crewmem.db.batches import batched
from crewmem.episodes.audit_store import lacking
from crewmem.episodes.spaces import ENTRIES
from crewmem.episodes.store import Episodes
from crewmem.health.advice import counted
from crewmem.health.finding import passed, warned
from crewmem.health.inside import of_truth, truth_path, vectors_path
from crewmem.journal.total_store import workspaces
from crewmem.vectors.retries import FIRST
from crewmem.vectors.space import Failure
from crewmem.vectors.store import VectorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.journal.entry import Entry

NAME = "episodes.rows"
CATEGORY = "episodes"

BATCH = 500
"""Entries of one change: a sweep need not wait long."""


def look(scene: Scene) -> list[Finding]:
    """Count the entries that are worth recalling and are no episodes."""

    def counted(db: apsw.Connection) -> list[Finding]:
        found = {
            name: sum(1 for _ in lacking(db, name))
            for name in workspaces(db)
            if scene.is_meant(name)
        }
        if not (missing := sum(found.values())):
            return [passed("every entry that is worth recalling is an episode")]
        return [_finding(scene, missing)]

    return of_truth(scene, counted)


def _finding(scene: Scene, missing: int) -> Finding:
    writable = scene.home is not None and disk.is_writable(scene.home)
    return warned(
        f"{counted(missing, 'entry', 'entries')} worth recalling, and no episodes",
        expected="episodes of them; until then recall does not find them",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="make episodes of them" if writable else "",
        where=str(truth_path(scene.home)) if scene.home else "",
    )


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Make episodes of them, and leave their vectors to the next sweep."""
    home = scene.home
    if home is None:
        return
    timeout = scene.settings.busy_timeout
    with closing(truth.open_to_write(home, busy_timeout=timeout)) as db:
        episodes = Episodes(db)
        for name in filter(scene.is_meant, workspaces(db)):
            added: list[Entry] = []
            for some in batched([*lacking(db, name)], BATCH):
                with episodes.transaction():
                    episodes.add(some, scene.now)
                added += some
            _leave_to_sweep(home, name, added, timeout)


def _leave_to_sweep(
    home: Path, workspace: str, added: Sequence[Entry], timeout: float
) -> None:
    """Keep that they have no vector, where a sweep has passed their places."""
    if not added or not vectors_path(home).exists():
        return
    with closing(VectorStore.open_to_write(home, busy_timeout=timeout)) as vectors:
        for kept in vectors.spaces():
            space = kept.space
            if (space.kind, space.workspace) == (ENTRIES, workspace):
                passed_by = [each.seq for each in added if each.seq <= kept.mark]
                failures = [Failure(seq, 0, 0, FIRST) for seq in passed_by]
                vectors.fail(space, failures)
