"""One honest ranking by words over several directories.

Each index offers its best by its own bm25; those are scored again with counts
summed over all of them, because a score of one index says nothing in another.
"""

from __future__ import annotations

from collections import Counter

from crewmem.records import NamedTuple
from crewmem.retrieval import bm25
from crewmem.retrieval.query import without_common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.files.words_store import Candidate, Candidates, Filter, Totals, Words
    from crewmem.retrieval.query import Query
    from crewmem.retrieval.terms import Term

CANDIDATES = 50
"""Chunks that each index offers to the common ranking."""

WEIGHTS = (1.5, 1.0)
"""Of a word in the headings and in the body: a section that is named so is about it."""


SMOOTHING = 30
"""Stems added to every chunk's length, and to the mean.

bm25 takes a line of five words that holds one of them for a fifth of an answer. With
this, R@10 and nDCG@10 of short texts (LoCoMo, development half) went from .590 and
.461 to .606 and .479; of long ones they stay within .007.
"""

FILE_SHARE = 0.5
"""Of a chunk's score: how well its whole file answers, where it has several chunks.

A question is about a subject, and a file is about one; a chunk of it may name only
half of the words. On texts of one or two chunks each (development halves of Cranfield
and SciFact) the chunk alone had nDCG@10 .372 and .668, and this share .384 and .684.
"""


class Ranked(NamedTuple):
    """A chunk with its score over all indexes.

    Attributes:
        source: Which index holds it, by position.
        chunk: Its id there.
        score: Its own bm25, counted over all indexes: higher is better.
        file: The factor by which its file lifts or lowers it.
        terms: What of the query it holds, as typed.
        coverage: The part of the query's weight that it holds, in [0, 1].
    """

    source: int
    chunk: int
    score: float
    file: float
    terms: tuple[str, ...]
    coverage: float


def unmatched(source: int, chunk: int) -> Ranked:
    """Return a chunk that holds no word of the query; it was found otherwise."""
    return Ranked(source, chunk, 0.0, 1.0, (), 0.0)


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
    holding = [_holding(indexes, term, counts) for term in query.terms]
    scorer = _Scorer(query.terms, holding, totals)
    offers = [
        words.candidates(query.expression, wanted, weights=WEIGHTS, limit=CANDIDATES)
        for words, wanted in zip(indexes, filters, strict=True)
    ]
    return sorted(
        (
            each
            for source, offered in enumerate(offers)
            for each in scorer.ranked(source, offered)
        ),
        key=lambda each: (-each.score * each.file, each.source, each.chunk),
    )


def _idfs(terms: Sequence[Term], holding: Sequence[int], chunks: int) -> list[float]:
    """Return the weight of each of *terms*, which *holding* of *chunks* hold."""
    return [
        term.weight * bm25.idf(count, chunks) if term.weight else 0.0
        for term, count in zip(terms, holding, strict=True)
    ]


def _holding(indexes: Sequence[Words], term: Term, counts: Counter[str]) -> int:
    if len(term.stems) == 1 and not term.prefix:
        return counts[term.stems[0]]
    return sum(words.matching(term.phrase) for words in indexes)


class _Scorer:
    """Scores candidates with the counts of all indexes together."""

    def __init__(
        self, terms: Sequence[Term], holding: Sequence[int], totals: Sequence[Totals]
    ) -> None:
        chunks = sum(each.chunks for each in totals)
        self._terms, self._idfs = terms, _idfs(terms, holding, chunks)
        self._shares = _idfs(terms, holding, chunks + bm25.IMAGINED)
        self._stems = _mean(totals, "stems", "chunks")
        self._bytes = _mean(totals, "bytes", "files")

    def ranked(self, source: int, offered: Candidates) -> Iterator[Ranked]:
        """Yield the best chunks of one index, each with what its file adds."""
        alone = {each: self._chunk(each) for each in offered.best}
        best: dict[int, float] = {}
        for each, score in alone.items():
            best[each.file] = max(best.get(each.file, 0.0), score)
        share = {
            file: self._file(offered, file) / score
            for file, score in best.items()
            if file in offered.sizes and score
        }
        for each, score in alone.items():
            factor = 1 - FILE_SHARE + FILE_SHARE * share.get(each.file, 1.0)
            yield Ranked(
                source,
                each.chunk,
                score,
                factor,
                self._held(each),
                self._coverage(each),
            )

    def _chunk(self, each: Candidate) -> float:
        length, mean = each.length + SMOOTHING, self._stems + SMOOTHING
        return bm25.score(_often([each]), self._idfs, length, mean)

    def _file(self, offered: Candidates, file: int) -> float:
        chunks = [c for c in (*offered.best, *offered.others) if c.file == file]
        size = offered.sizes[file]
        return bm25.score(_often(chunks), self._idfs, size, self._bytes)

    def _coverage(self, each: Candidate) -> float:
        """Return what of the query's weight *each* holds.

        A word that is asked for in several forms is held where one of them is, and
        weighs what the commonest does.
        """
        shares: dict[str, float] = {}
        held: set[str] = set()
        for term, share, often in zip(
            self._terms, self._shares, each.frequencies, strict=True
        ):
            shares[term.text] = min(share, shares.get(term.text, share))
            if any(often):
                held.add(term.text)
        whole = sum(shares.values())
        found = sum(share for text, share in shares.items() if text in held)
        return found / whole if whole else 0.0

    def _held(self, each: Candidate) -> tuple[str, ...]:
        """Return the terms that *each* holds, as typed."""
        pairs = zip(self._terms, each.frequencies, strict=True)
        return tuple(
            dict.fromkeys(t.text for t, often in pairs if t.weight and any(often))
        )


def _often(chunks: Sequence[Candidate]) -> list[float]:
    """Return how often each phrase stands in *chunks* together, columns weighed."""
    heading, body = WEIGHTS
    columns = zip(*(each.frequencies for each in chunks), strict=True)
    return [sum(heading * h + body * b for h, b in column) for column in columns]


def _mean(totals: Sequence[Totals], what: str, of: str) -> float:
    count = sum(getattr(each, of) for each in totals)
    return sum(getattr(each, what) for each in totals) / count if count else 0.0
