"""Merging ranked lists of the same things by their scores. Pure.

Plain rank fusion of a weak list with a strong one can lose to the strong one alone,
so lists are merged by what they score: a convex combination, in which each list is
scaled to [0, 1] by its own least and greatest (Bruch, Gai and Ingber, 2023).
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.typed import Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Key = TypeVar("Key")


class Ranking(NamedTuple, Generic[Key]):
    """One list: what was found in one way.

    Attributes:
        name: The way: ``words``.
        weight: Its share in a combination, over 0.
        scores: By key; higher is better.
    """

    name: str
    weight: float
    scores: Mapping[Key, float]


class Fused(NamedTuple, Generic[Key]):
    """A key with what all lists together say of it.

    Attributes:
        score: Of a single list its own; of several within [0, 1].
        ranks: Its place in each list that holds it, counted from 1, by name.
    """

    key: Key
    score: float
    ranks: dict[str, int]


def fused(rankings: Sequence[Ranking[Key]]) -> list[Fused[Key]]:
    """Return the keys of *rankings*, best first; equals in the order first met."""
    scores: dict[Key, float] = {}
    ranks: dict[Key, dict[str, int]] = {}
    whole = sum(ranking.weight for ranking in rankings)
    for ranking in rankings:
        scaled = ranking.scores if len(rankings) == 1 else _scaled(ranking.scores)
        share = ranking.weight / whole
        ordered = sorted(scaled, key=lambda key: -scaled[key])
        for rank, key in enumerate(ordered, start=1):
            scores[key] = scores.get(key, 0.0) + share * scaled[key]
            ranks.setdefault(key, {})[ranking.name] = rank
    best = sorted(scores, key=lambda key: -scores[key])
    return [Fused(key, scores[key], ranks[key]) for key in best]


def _scaled(scores: Mapping[Key, float]) -> dict[Key, float]:
    least, greatest = min(scores.values(), default=0), max(scores.values(), default=0)
    width = greatest - least
    return {
        key: (score - least) / width if width else 1.0 for key, score in scores.items()
    }
