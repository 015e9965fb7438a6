"""One honest ranking by words over several directories.

Each index offers its best by its own bm25; those are scored again with counts
summed over all of them, because a score of one index says nothing in another.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from crewmem.retrieval import bm25
from crewmem.retrieval.query import without_common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.files.words_store import Candidate, Filter, Totals, Words
    from crewmem.retrieval.query import Query
    from crewmem.retrieval.terms import Term

CANDIDATES = 50
"""Chunks that each index offers to the common ranking."""

WEIGHTS = (1.5, 1.0)
"""Of a word in the headings and in the body: a section that is named so is about it."""


class Ranked(NamedTuple):
    """A chunk with its score over all indexes.

    Attributes:
        source: Which index holds it, by position.
        chunk: Its id there.
        score: bm25 over all indexes: higher is better.
        terms: What of the query it holds, as typed.
    """

    source: int
    chunk: int
    score: float
    terms: tuple[str, ...]


def ranked(
    indexes: Sequence[Words], filters: Sequence[Filter], query: Query
) -> list[Ranked]:
    """Return the chunks that match *query*, best first.

    Args:
        filters: One for each of *indexes*.
    """
    totals = [words.totals() for words in indexes]
    counts: Counter[str] = Counter()
    for words in indexes:
        counts.update(words.holding(query.stems))
    query = without_common(query, counts, sum(each.chunks for each in totals))
    if not query.expression:
        return []
    scorer = _Scorer(query.terms, _idfs(indexes, query, counts, totals), totals)
    return sorted(
        (
            scorer.ranked(source, candidate)
            for source, (words, wanted) in enumerate(zip(indexes, filters, strict=True))
            for candidate in words.candidates(
                query.expression, wanted, weights=WEIGHTS, limit=CANDIDATES
            )
        ),
        key=lambda each: (-each.score, each.source, each.chunk),
    )


def _idfs(
    indexes: Sequence[Words],
    query: Query,
    counts: Counter[str],
    totals: Sequence[Totals],
) -> list[float]:
    chunks = sum(each.chunks for each in totals)
    return [
        term.weight * bm25.idf(_holding(indexes, term, counts), chunks)
        if term.weight
        else 0.0
        for term in query.terms
    ]


def _holding(indexes: Sequence[Words], term: Term, counts: Counter[str]) -> int:
    if len(term.stems) == 1 and not term.prefix:
        return counts[term.stems[0]]
    return sum(words.matching(term.phrase) for words in indexes)


class _Scorer:
    """Scores candidates with the counts of all indexes together."""

    def __init__(
        self, terms: Sequence[Term], idfs: Sequence[float], totals: Sequence[Totals]
    ) -> None:
        chunks = sum(each.chunks for each in totals)
        self._terms, self._idfs = terms, idfs
        self._mean = sum(each.stems for each in totals) / chunks if chunks else 0.0

    def ranked(self, source: int, candidate: Candidate) -> Ranked:
        heading, body = WEIGHTS
        often = [heading * h + body * b for h, b in candidate.frequencies]
        score = bm25.score(often, self._idfs, candidate.length, self._mean)
        held = (t.text for t, n in zip(self._terms, often, strict=True) if n)
        return Ranked(source, candidate.chunk, score, tuple(dict.fromkeys(held)))
