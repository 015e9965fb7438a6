"""The embedder: is there one where one is wanted, and did it answer?"""

from __future__ import annotations

from crewmem.health.check import by_hand
from crewmem.health.finding import passed, warned
from crewmem.health.recall import NONE, REEMBED, is_missed
from crewmem.health.remembered import Remembered, vectors_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.health.finding import Finding
    from crewmem.health.recall import Embedding
    from crewmem.health.remembered import Vectors
    from crewmem.health.scene import Scene

NAME = "embedder.present"
CATEGORY = "embedder"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Tell what embeds; of nothing, what is missing, and what enables it.

    Words alone are a problem only where an embedder was asked for, or was there. No
    service is asked: a sweep that could not reach one has said so.
    """
    embedding, vectors = scene.embedding, _vectors(scene)
    if embedding.model:
        return [_present(scene, embedding, vectors)]
    if embedding.hint == REEMBED:
        return [passed(f"{embedding.setting}; vectors.models says why it is not used")]
    why = "it is off, as set" if embedding.setting == NONE else embedding.why
    hint = f"; {embedding.hint} enables it" if embedding.hint else ""
    if not is_missed(Remembered(vectors=vectors), embedding):
        return [passed(f"words alone: {why}{hint}")]
    return [
        warned(
            f"words alone: {why}",
            expected="an embedder, or the setting embedder at none",
            repair=embedding.hint,
        )
    ]


def _vectors(scene: Scene) -> Vectors:
    if scene.home is None:
        return Remembered().vectors
    workspace = scene.workspace or scene.settings.workspace
    timeout = scene.settings.busy_timeout
    return vectors_of(scene.home, workspace, busy_timeout=timeout)


def _present(scene: Scene, embedding: Embedding, vectors: Vectors) -> Finding:
    which = f"{embedding.name}: {embedding.model}"
    if not (reason := vectors.unreached.get(embedding.model)):
        return passed(f"{which} ({embedding.why})")
    return warned(
        f"{which}: it could not be used when it was last asked: {reason}",
        expected="an embedder that answers; until then words alone find what is new",
        repair=scene.command("embedder", "test"),
    )
