"""Vectors: does looking through all of them take long?"""

from __future__ import annotations

from crewmem.episodes.spaces import ENTRIES
from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.inside import NOTHING_EMBEDDED, of_vectors, vectors_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene
    from crewmem.vectors.space import Kept
    from crewmem.vectors.store import VectorStore

NAME = "vectors.scan"
CATEGORY = "vectors"

SLOW_MS = 50.0
"""Over this a person notices it."""

FEW = 10_000
"""Vectors that any machine looks through in a few milliseconds: it is not measured."""

NEAREST = 50
"""As many as a recall looks for."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Measure one scan of the largest workspace, the second of two."""

    def measured(store: VectorStore) -> list[Finding]:
        spaces = [each for each in store.spaces() if each.space.kind == ENTRIES]
        most = max(spaces, key=lambda each: each.vectors, default=None)
        if most is None or not most.vectors:
            return [passed(NOTHING_EMBEDDED)]
        if most.vectors < FEW:
            return [passed(f"{most.vectors:,} vectors are too few to take long")]
        return [judged(scene, most.vectors, scan_ms(store, most, scene.timer))]

    return of_vectors(scene, measured)


def scan_ms(store: VectorStore, kept: Kept, timer: Callable[[], float]) -> float:
    """Return the milliseconds of the second of two scans: the first reads the file.

    *timer* returns seconds, of a clock that never goes back.
    """
    keys = store.keys(kept.space)
    query = store.vectors_of(kept.space, keys[:1].tolist())[int(keys[0])][0]
    took = 0.0
    for _ in range(2):
        began = timer()
        store.nearest(kept.space, query, NEAREST)
        took = 1000 * (timer() - began)
    return took


def judged(scene: Scene, vectors: int, took_ms: float) -> Finding:
    """Say how a scan of so many *vectors* took."""
    observed = f"a scan of {vectors:,} vectors takes {took_ms:.0f} ms"
    if took_ms <= SLOW_MS:
        return passed(observed)
    return warned(
        observed,
        expected=f"at most {SLOW_MS:.0f} ms: more workspaces, of less each, or a "
        "faster machine",
        where=str(vectors_path(scene.home)) if scene.home else "",
    )
