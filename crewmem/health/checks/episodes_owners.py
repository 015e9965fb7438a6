"""Episodes: is each kept as that of whom its entry belongs to?

Scope is applied by it: as somebody else's, it would be recalled by who may not see it.
"""

from __future__ import annotations

from contextlib import closing

from crewmem import disk
from crewmem.db import truth
from crewmem.db.connect import transaction
from crewmem.episodes.audit_store import give_back, miscounted, misplaced, recount
from crewmem.episodes.spaces import ENTRIES
from crewmem.health.finding import failed, passed, warned
from crewmem.health.inside import of_truth, truth_path, vectors_path
from crewmem.vectors.store import VectorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "episodes.owners"
CATEGORY = "episodes"


def look(scene: Scene) -> list[Finding]:
    """Compare the owners of episodes with those of their entries."""

    def compared(db: apsw.Connection) -> list[Finding]:
        if wrong := misplaced(db, scene.workspace):
            ids = ", ".join(each.entry_id for each in wrong[:3])
            more = f" and {len(wrong) - 3:,} more" if wrong[3:] else ""
            return [_finding(scene, f"{ids}{more}: kept as another's", failing=True)]
        if count := miscounted(db, scene.workspace):
            observed = f"of {count:,} owners the number of episodes is wrong"
            return [_finding(scene, observed, failing=False)]
        return [passed("every episode is kept as that of whom its entry belongs to")]

    return of_truth(scene, compared)


def _finding(scene: Scene, observed: str, *, failing: bool) -> Finding:
    writable = scene.home is not None and disk.is_writable(scene.home)
    say = failed if failing else warned
    return say(
        observed,
        expected="as the entries say: scope goes by it",
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix="keep them as the entries say, and count anew" if writable else "",
        where=str(truth_path(scene.home)) if scene.home else "",
    )


def mend(scene: Scene, finding: Finding) -> None:  # noqa: ARG001 - there is one
    """Give each to whom its entry belongs, its vector as well, and count anew."""
    home, timeout = scene.home, scene.settings.busy_timeout
    if home is None:
        return
    given: dict[str, dict[int, int]] = {}
    with (
        closing(truth.open_to_write(home, busy_timeout=timeout)) as db,
        transaction(db),
    ):
        for each in misplaced(db, scene.workspace):
            given.setdefault(each.workspace, {})[each.seq] = give_back(db, each)
        recount(db)
    if not given or not vectors_path(home).exists():
        return
    with closing(VectorStore.open_to_write(home, busy_timeout=timeout)) as vectors:
        for kept in vectors.spaces():
            owners = given.get(kept.space.workspace)
            if owners and kept.space.kind == ENTRIES:
                vectors.reown(kept.space, owners)
