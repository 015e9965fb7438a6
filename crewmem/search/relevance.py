"""Relevance: the calibrated probability that a hit answers the question.

A logistic of a few features. There are sets of weights for statements (facts, notes), for passages
of longer texts and for remarks of a conversation, each with and without vectors; what is neither
short nor long lies between. Those of statements are apart for each embedder that crewmem
offers, as cosines of one mean less than those of another. They are fitted by `fit.py`, on some
stores and checked on others; `relevance.json` holds the weights.

The cosine counts against the store's own background (the mean and deviation of the cosines of
this question to all its texts), because one model puts all texts of a language it hardly knows
close together, and another far apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from math import exp, log
from pathlib import Path

from crewmem.search import bm25
from crewmem.search.answers import matches_kind, names_somebody
from crewmem.search.features import Question, shortness
from crewmem.search.ranker import Scored

FEATURES = (
    "cosine",
    "near",  # cosine above the background
    "contrast",  # the same in standard deviations, a fifth of it
    "coverage",  # share of the question's weight that it holds; of a long text its best passage
    "evidence",  # weight that it holds, in words that one text alone would hold
    "whole",  # coverage squared: the last word that is held says more than the first
    "agreement",  # near times coverage
    "gap",  # how far its score is below the best
    "strength",  # its score above the background, without that of a label
    "named",  # its author is meant
    "session",  # best cosine of its session above the background
    "unknown",  # share of the question's weight in words that no text holds
    "typed",  # logarithm of the number of words that count
    "request",  # how far work is asked for
    "kind",  # 1: an event where one is asked for, a rule where one is; -1 the other way round
    "nobody",  # 1 where it names nobody and the question asks who
    "size",  # logarithm of the number of texts: of more the best is nearer to any question
)

USUAL_DEVIATION, IMAGINED = 0.09, 30
"""A small store's deviation is taken together with that of so many imagined texts."""

LABEL = 1.5
"""Log odds for a question that is nothing but a whole title, alias or entity of the text; a part
of that where it is a part of the question."""

KEYWORDS, ALL_WORDS = 0.0, -1.3
"""Least log odds of a text that holds every word of the query: of a few words that were typed to be
looked up, and of a sentence with two words or more that say something."""

PASSAGES_LONGER = 2.0
"""A file is cut at its headings, so that its passages are shorter than other long texts: of real
notes and documentation they have 35 to 80 words, of notes of one thought 20."""

MOST_TEXTS = 300
"""Texts of the largest stores that the weights were fitted on: of a larger one they know no more.
Without this limit a directory of 1,600 chunks finds nothing for most questions."""

RELATIVE_CUTOFF = 0.65
"""A hit with less than this part of the best relevance is not shown."""


def compute_relevance(
    hit: Scored, question: Question, best_score: float, fit: float, model: str = ""
) -> float:
    """Return the probability that *hit* answers *question*.

    Args:
        hit: The candidate with its score.
        best_score: Score of the best candidate.
        fit: How well the embedder knows the question's language, 0 to 1.
        model: Of the embedder; some have weights of their own.
    """
    values = list_features(hit, question, best_score, fit)
    known = "words" if hit.candidate.cosine is None else "hybrid"
    if hit.candidate.is_remark:
        odds = _log_odds(load_weights()["remark"][known], values)
    else:
        share = _share_of_statement(hit)
        statement = load_weights()["statement"]
        own = model if known == "hybrid" and model in statement else known
        odds = share * _log_odds(statement[own], values)
        odds += (1.0 - share) * _log_odds(load_weights()["passage"][known], values)
    odds += LABEL * hit.candidate.label
    if _holds_all_words(hit, question):
        if question.is_keywords:
            odds = max(odds, KEYWORDS)
        elif len({term.word for term in question.terms}) > 1:
            odds = max(odds, ALL_WORDS)
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, odds))))


def label_relevance(relevance: float, pull: float, push: float) -> str:
    """Return the label of a hit by the two thresholds."""
    return "sure" if relevance >= push else "unsure" if relevance >= pull else "weak"


def _share_of_statement(hit: Scored) -> float:
    """Return how far a text is a statement, 1, and no passage of a longer text, 0."""
    if hit.candidate.document.store == "memory":
        return shortness(hit.candidate.words * PASSAGES_LONGER)
    return hit.features.shortness


def _holds_all_words(hit: Scored, question: Question) -> bool:
    """Tell whether the text holds every word that was typed."""
    counted = zip(question.terms, hit.candidate.counts, strict=False)
    held = {term.word for term, count in counted if count}
    return bool(held) and held == {term.word for term in question.terms}


def _log_odds(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    return weights["bias"] + sum(weights.get(name, 0.0) * values[name] for name in FEATURES)


def list_features(
    hit: Scored, question: Question, best_score: float, fit: float
) -> dict[str, float]:
    """Return the value of each of `FEATURES`."""
    candidate, told = hit.candidate, hit.features
    mean, deviation = candidate.background
    total = question.total
    deviation = (deviation * total + USUAL_DEVIATION * IMAGINED) / (total + IMAGINED)
    has_vector = candidate.cosine is not None
    near = fit * (candidate.cosine - mean) if candidate.cosine is not None else 0.0
    whole, known = question.whole, question.known
    coverage = told.coverage
    _, of_label = hit.why.get("label", (0.0, 0.0))  # LABEL counts it
    return {
        "cosine": fit * candidate.cosine if candidate.cosine is not None else 0.0,
        "near": near,
        "contrast": near / deviation / 5.0,
        "coverage": coverage,
        "evidence": min(coverage * whole / bm25.idf(1, total), 3.0),
        "whole": coverage**2,
        "agreement": max(near, 0.0) * coverage,
        "gap": best_score - hit.score,
        "strength": hit.score - of_label - (fit * mean if has_vector else 0.0),
        "named": told.named,
        "session": fit * (told.group - mean) if has_vector and candidate.is_remark else 0.0,
        "unknown": 1.0 - known / whole if whole else 1.0,
        "typed": log(1 + len({term.word for term in question.terms})),
        "request": question.request,
        "kind": matches_kind(question.wanted, is_event=candidate.document.store == "journal"),
        "nobody": float(question.wanted.person and not names_somebody(candidate.document.text)),
        "size": log(min(max(total, 1), MOST_TEXTS)),
    }


@cache
def load_weights() -> dict[str, dict[str, dict[str, float]]]:
    """Return the weights by kind of text and by what is known of it."""
    path = Path(__file__).with_name("relevance.json")
    weights: dict[str, dict[str, dict[str, float]]] = json.loads(path.read_text("utf-8"))
    return weights
