"""Score candidates by six signals, and decide which scores are high enough. Pure."""

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
"""Weight of each signal. All six are always computed: a signal that is missing or constant would
keep every candidate below the threshold."""

THRESHOLD = 0.33
"""Minimum score of a recurring statement. With the lowest probability that counts
(`judgement.OBSERVED`), a statement from the notes of two days scores .38 on the last of them and
.33 six days later. If it is two weeks old, it needs a third day, or more lasting words.
tests/consolidation/test_score.py checks both."""

MARKED_FACTOR = 0.6
"""Factor for a statement that is marked but does not recur. It then scores at most .33, less than
a statement that recurs."""

CAP_PER_OWNER = 200
"""Maximum number of statements that one run promotes for an agent or crew; the rest stay open
candidates. Workspaces of other people, with 1 to 11 notes each, yield 8 to 143. So the cap does
not shorten a long first run, but limits what one huge note can add."""

MAX_PLACES = 30
"""Places of evidence from which frequency is 1."""

MAX_DIVERSITY = 10
"""Days plus sources from which diversity is about 1."""

HALF_LIFE = 14
"""Days after which recency is 0.5."""

MAX_PROMOTED = 5
"""Promoted statements of the same topic from which consolidation is 1."""

RICH_PLACES, RICH_SECTIONS = 8, 4
"""Places, and different headings, from which richness is 1."""


def score_candidate(candidate: Candidate, *, today: date, promoted: int = 0) -> dict[str, float]:
    """Return the signals of a candidate, each in [0, 1], and their weighted sum as ``total``.

    Args:
        candidate: Candidate with its evidence.
        today: Day of the run.
        promoted: Number of statements of the same topic that earlier runs promoted.
    """
    places = len(candidate.evidence)
    age = (today - date.fromisoformat(candidate.last_day)).days
    sections = len({each.section for each in candidate.evidence})
    signals = {
        "relevance": candidate.probability,
        "frequency": log(1 + places) / log(1 + MAX_PLACES),
        "diversity": log(len(candidate.days) + len(candidate.sources)) / log(1 + MAX_DIVERSITY),
        "recency": 2.0 ** (-max(age, 0) / HALF_LIFE),
        "consolidation": promoted / MAX_PROMOTED,
        "richness": 0.3 * min(1.0, places / RICH_PLACES) + 0.7 * min(1.0, sections / RICH_SECTIONS),
    }
    signals = {name: round(max(0.0, min(1.0, value)), 4) for name, value in signals.items()}
    factor = 1.0 if candidate.recurs else MARKED_FACTOR
    total = factor * sum(weight * signals[name] for name, weight in WEIGHTS.items())
    return {**signals, "total": round(total, 4)}


def has_sufficient_score(candidate: Candidate) -> bool:
    """Return whether a scored candidate may be promoted.

    A recurring statement must reach `THRESHOLD`. A marked statement that does not recur may always
    be promoted: its mark is the reason, and its score only gives its rank.
    """
    return not candidate.recurs or candidate.score["total"] >= THRESHOLD
