"""Vectors: has every episode one that sweeps came by, and is there none too many?"""

from __future__ import annotations

from contextlib import closing

from crewmem import disk
from crewmem.episodes.anchor import is_foreign
from crewmem.episodes.spaces import ENTRIES, models, space_of
from crewmem.episodes.store import Episodes
from crewmem.health.advice import counted
from crewmem.health.finding import passed, warned
from crewmem.health.inside import NOTHING_EMBEDDED, of_truth, of_vectors, vectors_path
from crewmem.registry.crews_store import without_memory
from crewmem.scope import Reach
from crewmem.vectors.retries import FIRST
from crewmem.vectors.space import Failure
from crewmem.vectors.store import VectorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.vectors.space import Kept, Space

NAME = "vectors.rows"
CATEGORY = "vectors"

MISSING, LEFT = "wait for the next sweep", "drop vectors of what is not there"


class _Seen:
    """What is wrong with one space.

    Attributes:
        missing: Places of episodes that sweeps passed, without vector and failure.
        left: Keys of vectors of what is no episode.
    """

    def __init__(self, space: Space, keys: set[int], failed: set[int]) -> None:
        self.space, self.keys, self.failed = space, keys, failed
        self.missing: list[int] = []
        self.left: list[int] = []


def look(scene: Scene) -> list[Finding]:
    """Compare the episodes that sweeps have passed with the vectors that there are."""
    found, told = _compared(scene)
    if told:
        return told
    findings = [each for seen in found for each in _findings(scene, seen)]
    count = sum(len(seen.keys) for seen in found)
    entries = counted(count, "episode has its vector", "episodes have their vectors")
    return findings or [passed(entries if count else NOTHING_EMBEDDED)]


def _compared(scene: Scene) -> tuple[list[_Seen], list[Finding]]:
    """Return what is seen of each workspace; or why there is nothing to see."""
    spaces: list[tuple[_Seen, int]] = []
    kept: list[Kept] = []

    def read(store: VectorStore) -> list[Finding]:
        kept.extend(store.spaces())
        for model in models(kept)[:1]:
            mine = [each for each in kept if each.space.kind == ENTRIES]
            for each in mine:
                space = space_of(each.space.workspace, model.name, model.dim)
                if each.space == space and scene.is_meant(space.workspace):
                    keys = {*store.keys(space).tolist()}
                    failed = {failure.key for failure in store.failures(space)}
                    spaces.append((_Seen(space, keys, failed), each.mark))
        return []

    if told := of_vectors(scene, read):
        return [], told

    def compare(db: apsw.Connection) -> list[Finding]:
        episodes = Episodes(db)
        for seen, mark in spaces:
            workspace = seen.space.workspace
            if is_foreign(episodes, kept, workspace):
                continue  # vectors.journal says so
            off = without_memory(db, workspace)
            every = {*episodes.seqs(episodes.owners(Reach(workspace)))}
            mine = episodes.seqs(episodes.owners(Reach(workspace), without=off))
            known = seen.keys | seen.failed
            seen.missing = [seq for seq in mine if seq <= mark and seq not in known]
            seen.left = sorted(seen.keys - every)
        return []

    told = of_truth(scene, compare)
    return [seen for seen, _ in spaces], told


def _findings(scene: Scene, seen: _Seen) -> Iterable[Finding]:
    workspace = seen.space.workspace
    if seen.missing:
        number = counted(len(seen.missing), "episode has", "episodes have")
        yield _finding(
            scene,
            f"{workspace}: {number} no vector, and sweeps have passed there",
            "vectors of all of them; until then words alone find these",
            f"let them {MISSING}",
        )
    if seen.left:
        number = counted(len(seen.left), "vector is", "vectors are")
        yield _finding(
            scene,
            f"{workspace}: {number} of what is no episode",
            "vectors of episodes alone: others take the places of hits",
            LEFT,
        )


def _finding(scene: Scene, observed: str, expected: str, fix: str) -> Finding:
    writable = scene.home is not None and disk.is_writable(scene.home)
    return warned(
        observed,
        expected=expected,
        repair=scene.command("doctor", "--fix", "--only", NAME) if writable else "",
        fix=fix if writable else "",
        where=str(vectors_path(scene.home)) if scene.home else "",
    )


def mend(scene: Scene, finding: Finding) -> None:
    """Leave to the next sweep what has no vector, and drop vectors of what is not."""
    if scene.home is None:
        return
    found, _ = _compared(scene)
    timeout = scene.settings.busy_timeout
    with closing(VectorStore.open_to_write(scene.home, busy_timeout=timeout)) as store:
        for seen in found:
            with store.changing():
                if finding.fix == LEFT and seen.left:
                    store.remove(seen.space, seen.left)
                elif seen.missing:  # unless a sweep has come by meanwhile
                    there = store.has(seen.space, seen.missing)
                    left = [seq for seq in seen.missing if seq not in there]
                    store.fail(seen.space, [Failure(seq, 0, 0, FIRST) for seq in left])
