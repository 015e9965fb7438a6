"""Recall by vectors: embedding questions, and what is nearest to them."""

from __future__ import annotations

from crewmem.errors.backends import BadVectorError
from crewmem.hybrid.scoring import Answer, Scored
from crewmem.records import NamedTuple
from crewmem.retrieval.gate import BACKGROUND, nearness, relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.backends.embed import Embedder, Vectors
    from crewmem.hybrid.words import Weights, Words
    from crewmem.vectors.nearest import Nearest
    from crewmem.vectors.space import Space
    from crewmem.vectors.store import VectorStore

    Near = dict[int, float]
    """Episodes with their cosines, the nearest first."""

KNOWN_BACKGROUND = "all-MiniLM-L6-v2"
"""The model that `BACKGROUND` was measured with."""

SAMPLE = 256
"""Vectors whose mean cosine tells the background of another model."""

FIRST_LOOK = 1_024
"""Nearest that are weighed at first: a thousand look-ups are two milliseconds."""

WIDER = 8
"""Times as many are looked at when these did not do."""


class Sense(NamedTuple):
    """What questions are embedded with, and compared to.

    Attributes:
        space: The vectors of the workspace.
    """

    embedder: Embedder
    vectors: VectorStore
    space: Space


def embedded(sense: Sense, texts: Sequence[str]) -> list[Vectors]:
    """Return the vector of each of *texts*; of a long one that of its beginning.

    Raises:
        BadVectorError: If they cannot be compared with those that are kept.
        BackendError: If the embedder fails; or another, as it may be.
    """
    firsts = [sense.embedder.pieces(text)[0] for text in texts]
    vectors = sense.embedder.embed(firsts)
    if vectors.shape[1] != sense.space.dim:
        reason = f"it has {vectors.shape[1]} numbers, what is kept {sense.space.dim}"
        raise BadVectorError(reason)
    return [*vectors]


def backgrounds(sense: Sense, vectors: Sequence[Vectors]) -> list[float]:
    """Return the mean cosine of each question to what has nothing to do with it."""
    if sense.embedder.model == KNOWN_BACKGROUND or not vectors:
        return [BACKGROUND] * len(vectors)
    keys = sense.vectors.keys(sense.space)
    some = keys[:: max(1, len(keys) // SAMPLE)].tolist()
    return [_mean_cosine(sense, vector, some) for vector in vectors]


def _mean_cosine(sense: Sense, vector: Vectors, keys: Sequence[int]) -> float:
    found = sense.vectors.cosines_of(sense.space, vector, keys)
    return sum(found.values()) / len(found) if found else BACKGROUND


def nearest(
    sense: Sense, words: Words, vectors: Sequence[Vectors], count: int
) -> list[Near]:
    """Return for each of *vectors* the *count* episodes nearest to it.

    They are those that *words* has: vectors are derived, and may be older than what
    the journal says now.
    """
    if not count:
        return [{}] * len(vectors)
    firsts = sense.vectors.nearest_many(sense.space, [*vectors], count, words.owners)
    return [
        _filled(sense, words, vector, first, count)
        for vector, first in zip(vectors, firsts, strict=True)
    ]


def _filled(
    sense: Sense, words: Words, vector: Vectors, found: Nearest, count: int
) -> Near:
    """Return *count* of what was *found*; where some of it is gone, look further."""
    wanted = count
    while True:
        mine = words.among(found.keys.tolist())
        pairs = zip(found.keys.tolist(), found.cosines.tolist(), strict=True)
        kept = [(seq, cosine) for seq, cosine in pairs if seq in mine]
        if len(kept) >= count or len(found.keys) < wanted:
            return dict(kept[:count])
        wanted *= WIDER
        found = sense.vectors.nearest(sense.space, vector, wanted, words.owners)


def answer(
    sense: Sense,
    words: Words,
    weights: Weights,
    vector: Vectors,
    k: int,
    *,
    background: float = BACKGROUND,
    first_look: int = FIRST_LOOK,
) -> tuple[Answer, Near]:
    """Return the best by cosine times importance, of all there are; and the nearest.

    Importance is at most 1: once the worst of the best weighs more than the cosine of
    what was not looked at, nothing is left that could.
    """
    count = first_look
    while True:
        (near,) = nearest(sense, words, [vector], count)
        importance = weights.importance(near)
        ordered = sorted((-near[seq] * each, seq) for seq, each in importance.items())
        beyond = max(min(near.values(), default=0.0), 0.0)
        if len(near) < count or (len(ordered) >= k and -ordered[k - 1][0] > beyond):
            break
        count *= WIDER
    hits = [
        _scored(seq, -score, near[seq], importance[seq], background)
        for score, seq in ordered
    ]
    most = max((hit.relevance for hit in hits), default=0.0)
    return Answer(most, hits), near


def _scored(
    seq: int, score: float, cosine: float, importance: float, background: float
) -> Scored:
    why = {"cosine": (cosine, cosine), "importance": (importance, score - cosine)}
    likely = relevance(None, nearness(cosine, background))
    return Scored(seq, score, likely, 0.0, why)
