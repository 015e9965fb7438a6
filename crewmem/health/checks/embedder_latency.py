"""The embedder: does it answer, and fast enough for who waits for a recall?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NOT_YOURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene

NAME = "embedder.latency"
CATEGORY = "embedder"

SLOW_MS = 500.0
"""Of one short text, once all is loaded: over this, who recalls waits for it alone."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Embed a short text, and measure the second of two times: the first one loads."""
    if not scene.is_operator:
        return [skipped(NOT_YOURS)]
    which = f"{scene.embedding.name}: {scene.embedding.model}"
    timed = scene.timed()
    if timed is None:
        return [skipped("there is no embedder to ask; embedder.present says why")]
    if timed.trouble:
        return [
            warned(
                f"{which}: {timed.trouble}",
                expected="an embedder that answers; until then words alone find what "
                "is new",
                repair=scene.command("embedder", "test"),
            )
        ]
    observed = f"{which}: {timed.milliseconds:,.0f} ms for a short text"
    if timed.milliseconds <= SLOW_MS:
        return [passed(observed)]
    return [
        warned(
            observed,
            expected=f"at most {SLOW_MS:,.0f} ms: every recall waits for it",
            repair=scene.command("embedder", "status"),
        )
    ]
