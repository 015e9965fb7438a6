"""Memories: has each a vector, or will a sweep come for it?"""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.finding import Status, passed, warned
from crewmem.health.inside import of_truth, of_vectors, truth_path, vectors_path
from crewmem.health.late import LATE_MS, waited_ms, written_ms
from crewmem.journal.total_store import workspaces
from crewmem.memories.said_store import places, to_embed
from crewmem.memories.spaces import MEMORIES, key_of, seq_of
from crewmem.registry.crews_store import without_memory
from crewmem.vectors.retries import MANY_TRIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import apsw

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.memories.said_store import Vectorless
    from crewmem.vectors.space import Failure
    from crewmem.vectors.store import VectorStore

NAME = "memories.vectors"
CATEGORY = "memories"

DAY_MS = 86_400_000
"""What was changed longer ago may have been brought in just now, with its own time."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell which memories wait too long, fail again and again, or left vectors behind.

    Without an embedder they wait for that: embedder.present says so.
    """
    if not scene.embedding.model:
        return [passed("there is no embedder to wait for")]
    kept: dict[str, tuple[set[int], Sequence[Failure]]] = {}

    def read(store: VectorStore) -> list[Finding]:
        for each in store.spaces():
            space = each.space
            if (space.kind, space.model) == (MEMORIES, scene.embedding.model):
                keys = {*store.keys(space).tolist()}
                kept[space.workspace] = keys, store.failures(space)
        return []

    told = of_vectors(scene, read)
    if any(each.status is Status.SKIP for each in told):
        return told

    def compared(db: apsw.Connection) -> list[Finding]:
        names = [each for each in workspaces(db) if scene.is_meant(each)]
        found = [each for name in names for each in _about(scene, db, name, kept)]
        return found or [passed("no memory waits longer than sweeps take")]

    return of_truth(scene, compared)


def _about(
    scene: Scene,
    db: apsw.Connection,
    workspace: str,
    kept: Mapping[str, tuple[set[int], Sequence[Failure]]],
) -> Iterator[Finding]:
    keys, failures = kept.get(workspace, (set(), ()))
    said = to_embed(db, workspace, without_memory(db, workspace))
    by_key = {key_of(each.seq, each.digest): each for each in said}
    waiting = [each for key, each in by_key.items() if key not in keys]
    waited = _waited(scene, waiting) if waiting else 0
    if waited > LATE_MS:
        yield _late(scene, workspace, len(waiting), waited)
    for each in failures:
        if each.tries >= MANY_TRIES and each.key in by_key:
            yield _failing(scene, workspace, by_key[each.key].id, each)
    gone = {seq_of(key) for key in keys} - places(db, workspace) if keys else set()
    if gone:
        yield _orphaned(scene, workspace, len(gone))


def _waited(scene: Scene, waiting: Sequence[Vectorless]) -> int:
    if scene.home is None:
        return 0
    stamps = [_stamp_ms(each.updated_at) for each in waiting]
    recent = [each for each in stamps if each > scene.now_ms - DAY_MS]
    return waited_ms(
        scene.now_ms,
        since=min(recent, default=None),
        written=written_ms(truth_path(scene.home)),
        embedded=written_ms(vectors_path(scene.home)),
    )


def _stamp_ms(text: str) -> int:
    """Return a time in milliseconds; 0 for what is none."""
    try:
        return int(times.from_text(text).timestamp() * 1000)
    except ValueError:
        return 0


def _late(scene: Scene, workspace: str, waiting: int, waited: int) -> Finding:
    since = times.ago(scene.now - timedelta(milliseconds=waited), scene.now)
    waits = counted(waiting, "memory waits", "memories wait")
    return warned(
        f"{workspace}: {waits} for vectors, since {since} or longer: no sweep seems "
        "to run",
        expected="a sweep every minute; until then words alone find them",
        repair=scene.command("episodes", "sweep", "--all", "--workspace", workspace),
        where=_where(scene),
    )


def _failing(scene: Scene, workspace: str, name: str, failure: Failure) -> Finding:
    return warned(
        f"memory {name} could not be embedded, tried {failure.tries:,} times: "
        f"{failure.error}",
        expected="a vector; until then it is found by its words alone",
        repair=scene.command("get", name, "--workspace", workspace),
        where=_where(scene),
    )


def _orphaned(scene: Scene, workspace: str, count: int) -> Finding:
    told = counted(count, "memory that is", "memories that are")
    return warned(
        f"{workspace}: there are vectors of {told} not there: erased, or of a newer "
        "crewmem.db than the one that is here",
        expected="vectors of what there is; nothing finds the others",
        repair=scene.command("episodes", "sweep", "--all", "--workspace", workspace),
        where=_where(scene),
    )


def _where(scene: Scene) -> str:
    return str(vectors_path(scene.home)) if scene.home else ""
