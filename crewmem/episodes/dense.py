"""Recall by vectors: embedding questions, and what is nearest to them."""

from __future__ import annotations

from crewmem.episodes.relevance import BACKGROUND, nearness, relevance
from crewmem.episodes.scoring import Answer, Scored
from crewmem.errors import BackendError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.backends.embed import Embedder, Vectors
    from crewmem.episodes.recall import Sense
    from crewmem.episodes.stores import Stores
    from crewmem.vectors.store import VectorStore

FAILURES = (BackendError, DataError, NotFoundError, RefusedError)
"""What may be wrong with an embedder: the words are there."""

KNOWN_BACKGROUND = "all-MiniLM-L6-v2"
"""The model that `BACKGROUND` was measured with."""

SAMPLE = 256
"""Vectors whose mean cosine tells the background of another model."""

FIRST_LOOK = 1_024
"""Nearest that are weighed at first: a thousand look-ups are two milliseconds."""

WIDER = 8
"""Times as many are weighed when these cannot be certain."""


def embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """Return the vector of each of *texts*; of a long one that of its beginning."""
    firsts = [embedder.pieces(text)[0] for text in texts]
    return list(embedder.embed(firsts))


def background(store: VectorStore, sense: Sense, vectors: Sequence[Vectors]) -> float:
    """Return the mean cosine of questions to what has nothing to do with them."""
    if sense.embedder.model == KNOWN_BACKGROUND or not vectors:
        return BACKGROUND
    keys = store.keys(sense.space)
    some = keys[:: max(1, len(keys) // SAMPLE)].tolist()
    found = store.cosines_of(sense.space, vectors[0], some)
    return sum(found.values()) / len(found) if found else BACKGROUND


def nearest(
    store: VectorStore,
    sense: Sense,
    vector: Vectors,
    count: int,
    owners: Sequence[int],
) -> dict[int, float]:
    """Return the *count* episodes nearest to *vector*, best first, with cosines."""
    found = store.nearest(sense.space, vector, count, owners)
    return dict(zip(found.keys.tolist(), found.cosines.tolist(), strict=True))


def answer(
    stores: Stores,
    sense: Sense,
    vector: Vectors,
    near: dict[int, float],
    k: int,
    owners: Sequence[int],
    background: float,
) -> Answer:
    """Return the best by cosine times importance, of all that there are.

    Importance is at most 1: once the worst of the best weighs more than the cosine of
    what was not looked at, nothing is left that could.
    """
    count = FIRST_LOOK
    while True:
        found = nearest(stores.vectors, sense, vector, count, owners)
        weights = stores.episodes.weights(found)
        near |= found
        ordered = sorted(
            (
                (-cosine * weights[seq].importance, seq)
                for seq, cosine in found.items()
                if seq in weights
            ),
        )
        last = min(found.values(), default=0.0)
        is_all = len(found) < count
        if is_all or (len(ordered) >= k and -ordered[k - 1][0] >= max(last, 0.0)):
            break
        count *= WIDER
    most = nearness(max(found.values(), default=-1.0), background)
    hits = [
        _scored(seq, -score, found[seq], weights[seq].importance, background)
        for score, seq in ordered
    ]
    return Answer(relevance(None, most) if hits else 0.0, hits)


def _scored(
    seq: int, score: float, cosine: float, importance: float, background: float
) -> Scored:
    why = {"cosine": (cosine, cosine), "importance": (importance, score - cosine)}
    likely = relevance(None, nearness(cosine, background))
    return Scored(seq, score, likely, 0.0, why)
