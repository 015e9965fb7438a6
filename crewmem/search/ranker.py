"""The score of a candidate: a sum of few features with rounded weights.

It replaces plain rank fusion, which on conversations is worse than the better of its own lists. On
LoCoMo, R@10 and nDCG@10 are .466 and .304 by ranks, .712 and .522 by cosine and words, .84 and .69
with all features. No feature is scaled by the other matches, so a weak list stays weak: a cosine
is used as it is, and words count as a share of their maximum.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crewmem.search.features import Candidate, Features, Id

COSINE, NEIGHBOURS, GROUP = 0.4, 0.2, 0.4
"""Weights of the cosines of the text itself, of its neighbours, and of the best text of its
session. They add up to 1. Without context the whole weight goes to the text itself."""

WORDS = 1.1
"""Weight of the words relative to the cosine. From 1.0 to 1.2 all sets stay within .007."""

NAMED = 0.25
"""Bonus for texts of a named author: .029 of R@10 and .058 of nDCG@10 on LoCoMo."""

LENGTH = 0.1
"""Difference between a remark of 60 words and one of none."""

ASKS = -0.07
"""Malus for a remark that is itself a question."""

WHEN = 0.06
"""Bonus for a remark that names a time if the query asks for one."""

PRIORS_ALONE = 0.5
"""Factor of the three before WHEN if words or vectors, half the evidence, are missing."""

IMPORTANCE = 0.2
"""Difference between the most and the least important text; neutral at .5."""

LABEL = 0.6
"""Bonus for a whole title, alias or entity in the query."""

ENGRAM = (0.6, 0.2, 0.1, 0.1)
"""Weights of similarity, importance, effective confidence and retention in Engram's composite."""

RRF_K = 60
"""Damps the first ranks (Cormack, Clarke and Büttcher, 2009)."""


class Scored(NamedTuple):
    """A candidate with its score.

    Attributes:
        score: Higher is better; comparable within one query.
        why: Value and share of each feature; the shares add up to the score.
    """

    candidate: Candidate
    features: Features
    score: float
    why: dict[str, tuple[float, float]]


def rank(
    candidates: Mapping[Id, Candidate],
    features: Mapping[Id, Features],
    *,
    has_words: bool,
    fit: float = 1.0,
) -> list[Scored]:
    """Return candidates with *features*, best first; ties are in the order of store and key.

    Args:
        has_words: Whether the query has words that count.
        fit: How well the embedder knows the query's language, 0 to 1.
    """
    has_vectors = any(candidates[each].cosine is not None for each in features)
    found = [
        _score(candidates[each], values, has_words, has_vectors, fit)
        for each, values in features.items()
    ]
    found.sort(key=lambda each: (-each.score, each.candidate.id))
    return found


def _score(
    candidate: Candidate,
    features: Features,
    has_words: bool,
    has_vectors: bool,
    fit: float,
) -> Scored:
    of_words = WORDS if has_words else 0.0
    of_cosine = fit if has_vectors else 0.0
    priors = 1.0 if has_words and has_vectors else PRIORS_ALONE
    why: dict[str, tuple[float, float]] = {}
    total = 0.0
    for name, weight, value in (
        ("cosine", COSINE * of_cosine, features.cosine),
        ("neighbours", NEIGHBOURS * of_cosine, features.neighbours),
        ("session", GROUP * of_cosine, features.group),
        ("words", of_words, features.words),
        ("named", NAMED * priors, features.named),
        ("length", LENGTH * priors, features.length),
        ("asks", ASKS * priors, features.asks),
        ("when", WHEN, features.when),
        ("label", LABEL, candidate.label),
    ):
        if weight and value:
            why[name] = value, weight * value
            total += weight * value
    importance = candidate.document.importance
    extra = abs(total) * IMPORTANCE * (importance - 0.5)
    if extra:
        why["importance"] = importance, extra
    prior = candidate.document.prior
    if prior:
        why["prior"] = prior, prior
    return Scored(candidate, features, total + extra + prior, why)


def score_by_engram(scored: Scored) -> float | None:
    """Return Engram's composite of a fact, in [0, 1]; None for other texts.

    Its similarity is the cosine, or without vectors the share of the query that the fact contains.
    """
    fact, cosine = scored.candidate.document.extra, scored.candidate.cosine
    if "retention" not in fact:
        return None
    values: tuple[float, ...] = (
        scored.features.coverage if cosine is None else max(0.0, cosine),
        fact["importance"] / 5,
        fact["effective_confidence"],
        fact["retention"],
    )
    return sum(weight * value for weight, value in zip(ENGRAM, values, strict=True))


def fuse_ranks(lists: Sequence[Sequence[Id]]) -> dict[Id, float]:
    """Return the published reciprocal rank fusion: the sum of 1 / (60 + rank)."""
    scores: dict[Id, float] = {}
    for ranked in lists:
        for rank_, each in enumerate(ranked, start=1):
            scores[each] = scores.get(each, 0.0) + 1.0 / (RRF_K + rank_)
    return scores
