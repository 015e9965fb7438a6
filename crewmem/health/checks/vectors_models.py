"""Vectors: are all of one model, and that the one that is set?"""

from __future__ import annotations

from crewmem.episodes.spaces import ENTRIES, models
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import NOTHING_EMBEDDED, of_vectors, vectors_path
from crewmem.health.recall import REEMBED
from crewmem.memories.spaces import stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.episodes.spaces import Model
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.vectors.space import Kept
    from crewmem.vectors.store import VectorStore

NAME = "vectors.models"
CATEGORY = "vectors"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Count the vectors that are compared with nothing."""

    def counted(store: VectorStore) -> list[Finding]:
        kept = store.spaces()
        found = models(kept)
        names = {each.name for each in found} | {
            each.space.model for each in stored(kept)
        }
        if not names:
            return [passed(NOTHING_EMBEDDED)]
        if scene.embedding.hint == REEMBED and not scene.embedding.model:
            return [_finding(scene, scene.embedding.why)]
        if found[1:]:
            return [_finding(scene, _mixed(found, kept))]
        if mixed := _mixed_memories(kept):
            return [_finding(scene, mixed, ("sweep", "--all"))]
        return [passed(f"all are of {', '.join(sorted(names))}")]

    return of_vectors(scene, counted)


def _mixed(found: Sequence[Model], kept: Sequence[Kept]) -> str:
    first = found[0].name, found[0].dim
    listed = ", ".join(f"{each.vectors:,} of {each.name}" for each in found)
    where = {
        each.space.workspace
        for each in kept
        if each.space.kind == ENTRIES
        and each.vectors
        and (each.space.model, each.space.dim) != first
    }
    return f"vectors of {len(found)} models: {listed}, in {', '.join(sorted(where))}"


def _mixed_memories(kept: Sequence[Kept]) -> str:
    """Say of how many models the vectors of memories are; "" of one, or none."""
    counts: dict[str, int] = {}
    for each in stored(kept):
        counts[each.space.model] = counts.get(each.space.model, 0) + each.vectors
    if not [*counts][1:]:
        return ""
    listed = ", ".join(f"{count:,} of {name}" for name, count in counts.items())
    return f"vectors of memories of {len(counts)} models: {listed}"


def _finding(
    scene: Scene, observed: str, again: Sequence[str] = ("reembed",)
) -> Finding:
    return warned(
        observed,
        expected="vectors of one model: those of others are never compared",
        repair=scene.command("episodes", *again),
        where=str(vectors_path(scene.home)) if scene.home else "",
    )
