"""The score of a candidate: a sum of few features with rounded weights.

It replaces plain rank fusion, which on conversations loses to the better of its own lists. On
LoCoMo, R@10 and nDCG@10: .466 and .304 by ranks, .712 and .522 by cosine and words, .84 and .69
with all of this. No feature is scaled by what else was found: a cosine is one, and words are a
part of what they could be, so a weak list stays weak.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crewmem.search.features import Candidate, Features, Id

COSINE, NEIGHBOURS, GROUP = 0.4, 0.2, 0.4
"""Of the cosine: of a text itself, of those beside it, of the best of its session. They add up to
1, and where there is no context all are the text's own."""

WORDS = 1.1
"""Of the words against the cosine. From 1.0 to 1.2 all sets stay within .007."""

LONG_WORDS = 0.7
"""The same for long remarks of a conversation, which hold any word by accident."""

STATEMENT_WORDS = 0.5
"""The same for facts, notes and other short statements, where the answer often says it in other
words: on five stores of our own, 44 paraphrases, the mean reciprocal rank is .68 with it and .61
with 1.1; of 30 questions that share a word, .98 and 1.0."""

STATEMENT_STEEPNESS = 4
"""How fast a longer text is not a statement: .9 of one at 30 words, .3 at 60, nothing at 100. An
abstract is none; Cranfield loses .008 of nDCG@10 if some are half."""

NAMED = 0.25
"""For texts of whoever is meant: .029 of R@10 and .058 of nDCG@10 on LoCoMo."""

DATE = 0.6
"""For the very day that is named: .016 and .025."""

LENGTH = 0.1
"""For a remark of 60 words against one of none."""

ASKS = -0.07
"""For a remark that is a question itself."""

WHEN = 0.06
"""For a remark that names a time where one is asked for."""

PRIORS_ALONE = 0.5
"""Part of the four before WHEN where words or vectors are missing, and half the evidence."""

IMPORTANCE = 0.2
"""How much the most important outweighs the least; neutral at .5."""

LABEL = 0.6
"""For a whole title, alias or entity in the query."""

RRF_K = 60
"""Damps the first ranks (Cormack, Clarke and Büttcher, 2009)."""


class Scored(NamedTuple):
    """A candidate with its score.

    Attributes:
        score: Higher is better; comparable within one query.
        why: Value and share of each feature; the shares add up to the score.
        scale: How far the score was scaled for a statement.
    """

    candidate: Candidate
    features: Features
    score: float
    why: dict[str, tuple[float, float]]
    scale: float = 1.0


def rank(
    candidates: Mapping[Id, Candidate],
    features: Mapping[Id, Features],
    *,
    has_words: bool,
    fit: float = 1.0,
) -> list[Scored]:
    """Return candidates with *features*, best first; equals in the order of store and key.

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
    of_words, scale = WORDS, 1.0
    if has_vectors and candidate.is_remark:
        of_words = features.shortness * WORDS + (1.0 - features.shortness) * LONG_WORDS
    elif has_vectors:
        statement = features.shortness**STATEMENT_STEEPNESS
        of_words = statement * STATEMENT_WORDS + (1.0 - statement) * WORDS
        # Both can reach the same, or a fact would stand behind every file that has its words.
        scale = (1.0 + WORDS) / (1.0 + of_words) if has_words else 1.0
    of_words = scale * of_words if has_words else 0.0
    of_cosine = scale * fit if has_vectors else 0.0
    priors = 1.0 if has_words and has_vectors else PRIORS_ALONE
    why: dict[str, tuple[float, float]] = {}
    total = 0.0
    for name, weight, value in (
        ("cosine", COSINE * of_cosine, features.cosine),
        ("neighbours", NEIGHBOURS * of_cosine, features.neighbours),
        ("session", GROUP * of_cosine, features.group),
        ("words", of_words, features.words),
        ("named", NAMED * priors, features.named),
        ("date", DATE * priors, features.date),
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
    return Scored(candidate, features, total + extra + prior, why, scale)


def fuse_ranks(lists: Sequence[Sequence[Id]]) -> dict[Id, float]:
    """Return the published reciprocal rank fusion: the sum of 1 / (60 + rank)."""
    scores: dict[Id, float] = {}
    for ranked in lists:
        for rank_, each in enumerate(ranked, start=1):
            scores[each] = scores.get(each, 0.0) + 1.0 / (RRF_K + rank_)
    return scores
