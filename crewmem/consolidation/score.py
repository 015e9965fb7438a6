"""How much speaks for promoting a candidate: six signals and their sum. Pure.

Every signal is supplied: the predecessor's gate could not open, because two of its signals were
never filled in and one was a constant.
"""

from __future__ import annotations

from datetime import date
from math import log

from crewmem.consolidation.candidates import Candidate

WEIGHTS = {
    "relevance": 0.30,
    "frequency": 0.24,
    "diversity": 0.15,
    "recency": 0.15,
    "consolidation": 0.10,
    "richness": 0.06,
}

THRESHOLD = 0.33
"""Least score of what recurs. A statement that two days' notes say at the least relevance that
counts (`judgement.OBSERVED`) reaches .38 on its last day and .33 six days later; a line of two
weeks ago needs a third day, or words that last. tests/consolidation/test_score.py holds both."""

MARKED_SHARE = 0.6
"""Factor of the score of what is marked once, so that it stays below what recurs: at most .33."""

CAP_PER_OWNER = 150
"""Most statements that one run promotes for one agent or crew; the rest stay open candidates.
On notes of other people a workspace of 3 to 11 notes yields 10 to 116, so a long first run is not
cut short, and a runaway note cannot flood memory."""

OFTEN, DIVERSE, HALF_LIFE, CONSOLIDATED, PLACES, SECTIONS = 30, 10, 14, 5, 8, 4
"""Where each signal is full: occurrences; days and sources; days after which recency is half;
other promoted candidates with the same subject; places; different headings."""


def score_candidate(candidate: Candidate, *, today: date, promoted: int = 0) -> dict[str, float]:
    """Return the signals of a candidate, each in [0, 1], and their weighted sum as ``total``.

    Args:
        candidate: With its evidence.
        today: The day of the run.
        promoted: Other promoted candidates that say the same.
    """
    places = len(candidate.evidence)
    age = (today - date.fromisoformat(candidate.last_day)).days
    sections = len({each.section for each in candidate.evidence})
    signals = {
        "relevance": candidate.chance,
        "frequency": log(1 + places) / log(1 + OFTEN),
        "diversity": log(len(candidate.days) + len(candidate.sources)) / log(1 + DIVERSE),
        "recency": 2.0 ** (-max(age, 0) / HALF_LIFE),
        "consolidation": promoted / CONSOLIDATED,
        "richness": 0.3 * min(1.0, places / PLACES) + 0.7 * min(1.0, sections / SECTIONS),
    }
    signals = {name: round(max(0.0, min(1.0, value)), 4) for name, value in signals.items()}
    share = 1.0 if candidate.recurs else MARKED_SHARE
    total = share * sum(weight * signals[name] for name, weight in WEIGHTS.items())
    return {**signals, "total": round(total, 4)}


def passes(candidate: Candidate) -> bool:
    """Return whether a candidate is promoted: what is said once and marked is, whatever its age."""
    return not candidate.recurs or candidate.score["total"] >= THRESHOLD
