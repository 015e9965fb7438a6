"""Explains the rank of a hit, for `--explain`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crewmem.search.features import Question
from crewmem.search.ranker import Scored, score_by_engram
from crewmem.search.relevance import list_features

DIGITS = 4


def explain_hit(hit: Scored, question: Question, fit: float) -> dict[str, Any]:
    """Return how score and relevance of *hit* were computed.

    `score` has the value and share of each feature; the shares add up to the score. `relevance`
    has the features of its probability. `engram` is Engram's composite of a fact.
    """
    composite = score_by_engram(hit)
    return {
        "score": {
            name: {"value": round(value, DIGITS), "share": round(share, DIGITS)}
            for name, (value, share) in hit.why.items()
        },
        "relevance": {
            name: round(value, DIGITS)
            for name, value in list_features(hit, question, fit).items()
            if value
        },
        "words": hit.candidate.words,
        "cosine": None if hit.candidate.cosine is None else round(hit.candidate.cosine, DIGITS),
        "background": round(hit.candidate.background, DIGITS),
        **({"engram": round(composite, DIGITS)} if composite is not None else {}),
    }


def format_explanation(why: Mapping[str, Any]) -> list[str]:
    """Format an explanation as lines for people."""
    lines = []
    ranks = ", ".join(f"{name} {rank}" for name, rank in why.get("ranks", {}).items())
    if ranks:
        lines.append(f"rank by {ranks}")
    if why.get("terms"):
        lines.append(f"words: {', '.join(why['terms'])}")
    if why.get("replaces"):
        lines.append(f"replaces: {why['replaces']}")
    if why.get("corrections"):
        read = ", ".join(f"{typed} as {stem}" for typed, stem in why["corrections"].items())
        lines.append(f"read: {read}")
    details = why.get("explain")
    if details and "score" not in details:  # a turn of a session
        lines.append(", ".join(f"{name} {value}" for name, value in details.items()))
    elif details:
        shares = ", ".join(
            f"{name} {part['value']:g} ({part['share']:+.3f})"
            for name, part in details["score"].items()
        )
        lines.append(f"score: {shares}")
        parts = ", ".join(f"{name} {value:g}" for name, value in details["relevance"].items())
        lines.append(f"relevance: {parts}")
        if "engram" in details:
            lines.append(f"Engram's composite: {details['engram']:g}")
    return lines
