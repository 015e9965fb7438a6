"""Whether what embeds could be reached when a sweep or a recall last asked it.

A service that is down is counted against no entry; it is kept as the failure of a
space that is the embedder's own, and gone when one of them gets through.
"""

from __future__ import annotations

from crewmem.vectors.retries import failed
from crewmem.vectors.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.vectors.space import Failure
    from crewmem.vectors.store import VectorStore

EMBEDDER = "embedder"
"""Kind of a space without vectors."""

ITSELF = 0
"""The key of the only failure in it."""


def space_of_embedder(model: str) -> Space:
    """Return the space that holds what is wrong with the embedder of *model*."""
    return Space(EMBEDDER, "", model, 0)


def unreached(vectors: VectorStore, model: str) -> Failure | None:
    """Return how often the embedder of *model* could not be reached, and why."""
    return next(iter(vectors.failures(space_of_embedder(model))), None)


def keep_unreached(
    vectors: VectorStore, model: str, reason: str, now: datetime
) -> None:
    """Keep that the embedder of *model* could not be reached."""
    now_ms = int(now.timestamp() * 1000)
    found = failed(ITSELF, reason, now_ms, unreached(vectors, model))
    vectors.fail(space_of_embedder(model), [found])


def keep_reached(vectors: VectorStore, model: str) -> None:
    """Keep that it could be reached; nothing is written if that is as it was."""
    if unreached(vectors, model):
        vectors.drop(space_of_embedder(model))
