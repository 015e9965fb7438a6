"""Features of a query and its candidates, as numbers for the ranker.

A missing value does not affect the order. A text without a vector gets the mean cosine of the
others; a text outside of conversations has no neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from crewmem.documents import Document
from crewmem.search import bm25
from crewmem.search.dates import NamedDate, tells_when
from crewmem.search.intent import Wanted
from crewmem.search.names import Identifier
from crewmem.search.query import Term

if TYPE_CHECKING:
    import numpy as np

BEFORE, AFTER = (0.8, 0.4), (0.4, 0.2)
"""Weights of the words of the texts before and after, nearest first: neighbours often answer.

LoCoMo, R@10 and nDCG@10: .818 and .654 without neighbours, .830 and .680 with one on either side,
.843 and .690 with two, the same with three."""

REACH = len(BEFORE)

HALF_WORDS, STEEPNESS = 80, 4
"""Words at which a text depends on its neighbours half as much as a short one, and how fast that
falls: .94 at 40 words, .06 at 160. A remark of a dozen words rarely contains all that a query asks
for. Without this limit, abstracts of a hundred words lose .03 of R@10 to their neighbours."""

WORTH = 0.25
"""Minimum share of context that makes a candidate's neighbour a candidate, too."""

SMOOTHING = 20
"""Words added to every length before bm25 compares lengths."""

FULL_WORDS = 60
"""Words from which a remark has full weight; "Wow, cool!" has little."""

PASSAGE, LONGER = 100, 1.2
"""Words of a passage, and the multiple of it from which a text has several. Of a long text the best
passage counts; passages overlap by half."""

WEAKEST = 1 / 3
"""Part of the words of a question that `compare_words` looks at. Where .60 of the hard questions
are shown something, .30 of the paraphrases of other domains find their answer without it, .35 by
the worst word alone, .36 by a third."""

USUAL_WEAKEST = 0.14
"""Mean cosine of that part over the ten best candidates of a question by MiniLM, which are hardly
ever right. Of right ones it is .37."""

QUESTION_MARKS = ("?", "\uff1f")


class Question(NamedTuple):
    """What is known about a query.

    Attributes:
        terms: Terms of the query.
        weights: idf of each term times its own weight.
        typed: Stems of all terms, with those that most texts contain.
        whole: Weight of all typed words, each with the weight of its best term.
        total: Number of texts that are counted.
        mean_words: Mean number of stems of a text; 0 if unknown.
        authors: Authors whose texts are asked for.
        dates: Dates that it names.
        date_terms: Numbers of the terms that name them.
        asks_when: Whether it asks for a time.
        is_keywords: Whether it is a few words to look up, not a sentence.
        request: How much it requests work instead of information, 0 to 1.
        wanted: What it asks for.
        identifiers: Identifiers that it names.
        is_identifier_known: Whether some text contains each of these but the short numbers.
    """

    terms: tuple[Term, ...] = ()
    weights: tuple[float, ...] = ()
    typed: frozenset[str] = frozenset()
    whole: float = 0.0
    total: int = 0
    mean_words: float = 0.0
    authors: frozenset[str] = frozenset()
    dates: tuple[NamedDate, ...] = ()
    date_terms: frozenset[int] = frozenset()
    asks_when: bool = False
    is_keywords: bool = False
    request: float = 0.0
    wanted: Wanted = Wanted()
    identifiers: tuple[Identifier, ...] = ()
    is_identifier_known: bool = False


Id = tuple[str, int]
"""Store and key of a text."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A text that may answer, or a neighbour of such a text.

    Attributes:
        words: Number of stems.
        counts: Occurrences of each term of the query; () for none.
        places: Positions of these occurrences, counted in stems; () for a short text.
        is_of_date: Whether it is of a day in a time that the query names.
        cosine: Cosine to the query; None without a vector.
        background: Mean cosine of the query to the texts of all stores.
        before, after: Ids of its neighbours, nearest first.
        label: Share of the query that its best label covers, if the query contains that label.
        asks: Whether it ends with a question mark.
        tells_when: Whether the query asks for a time and it names one.
        weakest: See `compare_words`; 0 if its words were not compared.
    """

    document: Document
    words: int
    counts: Sequence[float] = ()
    places: Sequence[Sequence[int]] = ()
    is_of_date: bool = False
    cosine: float | None = None
    background: float = 0.0
    before: Sequence[Id] = ()
    after: Sequence[Id] = ()
    label: float = 0.0
    tells_when: bool = False
    weakest: float = 0.0
    id: Id = field(init=False)
    asks: bool = field(init=False)

    def __post_init__(self) -> None:
        self.id = (self.document.store, self.document.key)
        self.asks = self.document.text.rstrip().endswith(QUESTION_MARKS)

    @property
    def is_remark(self) -> bool:
        """Whether somebody said it in a conversation.

        Facts and passages of files also have authors and groups, but are statements.
        """
        document = self.document
        return document.store == "journal" and bool(document.author and document.group)


class Features(NamedTuple):
    """Features of a candidate; the ranker sums the first eight.

    Attributes:
        cosine: Cosine of its own text.
        neighbours: Cosine of its neighbours, weighted by its shortness.
        group: Best cosine of its session, weighted by its shortness.
        words: bm25 as a share of the possible maximum, 0 to 1.
        named: 1 if its author is asked for.
        length: For a remark, how much it says, 0 to 1.
        asks: For a remark, 1 if it is a question itself.
        when: 1 if the query asks for a time and the text names one.
        shortness: How much it depends on its context: 1 short, 0 long.
        coverage: Share of the query's weight that it contains, 0 to 1; for a long text, its best
            passage.
    """

    cosine: float
    neighbours: float
    group: float
    words: float
    named: float
    length: float
    asks: float
    when: float
    shortness: float
    coverage: float


@lru_cache(4096)
def shortness(words: float) -> float:
    """Return how much a text of *words* words depends on its context, from 1 to 0."""
    return 1.0 / (1.0 + (words / HALF_WORDS) ** STEEPNESS)


def count_terms(candidate: Candidate, stems: Sequence[str], terms: Sequence[Term]) -> None:
    """Set the number and positions of *terms* in *stems*, the text of *candidate*."""
    present = set(stems)
    if not any(
        term.weight and (term.prefix or term.stems[0] in present) for term in terms if term.stems
    ):
        return
    places = [find_places(stems, present, term) if term.weight else () for term in terms]
    candidate.counts = [float(len(each)) for each in places]
    if len(stems) > LONGER * PASSAGE:
        candidate.places = places


def find_places(stems: Sequence[str], present: Collection[str], term: Term) -> Sequence[int]:
    """Return the positions of *term* in *stems*; *present* is the set of these stems."""
    *others, last = term.stems
    if any(stem not in present for stem in others):
        return ()
    if term.prefix:
        ends = [at for at, stem in enumerate(stems) if stem.startswith(last)]
    elif last in present:
        ends = [at for at, stem in enumerate(stems) if stem == last]
    else:
        return ()
    if not others:
        return ends
    size = len(others)
    return [end - size for end in ends if end >= size and list(stems[end - size : end]) == others]


def compare_words(question: np.ndarray, text: np.ndarray) -> float:
    """Return how near a text comes to the words of a question that it matches worst.

    The cosine of two texts is high if they have a topic in common. A text that answers has
    something near to every word: of "which version of redis", a text about Redis without a version
    has nothing near to "version".

    Args:
        question: A unit vector, a row, for each of its words.
        text: The same.

    Returns:
        The mean cosine of the `WEAKEST` part of the question's words to the nearest words of the
        text, above `USUAL_WEAKEST`; 0 if one has no words.
    """
    if not len(question) or not len(text):
        return 0.0
    nearest = sorted((question @ text.T).max(axis=1).tolist())
    weakest = nearest[: max(1, int(len(nearest) * WEAKEST))]
    return float(sum(weakest) / len(weakest)) - USUAL_WEAKEST


def is_worth(words: float, other: float) -> bool:
    """Return whether texts of these lengths may answer for each other as neighbours."""
    return shortness(words) * shortness(other) > WORTH


def compute_features(
    question: Question, candidates: Mapping[Id, Candidate], offered: Iterable[Id]
) -> dict[Id, Features]:
    """Return the features of those *candidates* that are *offered*."""
    ids = list(offered)
    computation = _Computation(question, candidates, ids)
    return {each: computation.compute(candidates[each]) for each in ids}


class _Computation:
    """Computes features of candidates, which depend on the other candidates."""

    def __init__(
        self, question: Question, candidates: Mapping[Id, Candidate], offered: Sequence[Id]
    ) -> None:
        self._question, self._candidates = question, candidates
        self._words = _Words(question, candidates, offered)
        self._cosines = _complete_cosines(candidates, offered)
        self._best_of_group: dict[str, float] = {}
        if self._cosines:
            for each in offered:
                if group := candidates[each].document.group:
                    best = self._best_of_group.get(group, -1.0)
                    self._best_of_group[group] = max(best, self._cosines[each])

    def compute(self, candidate: Candidate) -> Features:
        """Return the features of an offered candidate."""
        document = candidate.document
        is_remark = candidate.is_remark
        short = shortness(candidate.words)
        cosine = self._cosines.get(candidate.id, 0.0)
        best = self._best_of_group.get(document.group, cosine)
        score, coverage = self._words.score(candidate)
        if self._question.asks_when and is_remark:
            candidate.tells_when = tells_when(document.text)
        return Features(
            cosine=cosine,
            neighbours=self._average_neighbours(candidate) if self._cosines else cosine,
            group=cosine + short * (best - cosine),
            words=score,
            named=float(document.author in self._question.authors),
            length=min(candidate.words, FULL_WORDS) / FULL_WORDS if is_remark else 0.0,
            asks=float(is_remark and candidate.asks),
            when=float(candidate.tells_when),
            shortness=short,
            coverage=coverage,
        )

    def _average_neighbours(self, candidate: Candidate) -> float:
        """Return the weighted mean cosine of the next texts; a missing or long one has the own."""
        own = self._cosines[candidate.id]
        difference = 0.0
        for weight, side in ((BEFORE[0], candidate.before), (AFTER[0], candidate.after)):
            neighbour = self._candidates.get(side[0]) if side else None
            if neighbour and neighbour.id in self._cosines:
                share = weight * shortness(candidate.words) * shortness(neighbour.words)
                difference += share * (self._cosines[neighbour.id] - own)
        return own + difference / (BEFORE[0] + AFTER[0])


def _complete_cosines(candidates: Mapping[Id, Candidate], offered: Sequence[Id]) -> dict[Id, float]:
    """Return the cosines of candidates; an offered one without a vector gets the mean.

    Empty if no candidate has a vector.
    """
    cosines = {each.id: each.cosine for each in candidates.values() if each.cosine is not None}
    if cosines:
        known = [cosines[each] for each in offered if each in cosines]
        mean = sum(known) / len(known) if known else 0.0
        for each in offered:
            cosines.setdefault(each, mean)
    return cosines


class _Words:
    """Scores candidates by the words of a query."""

    def __init__(
        self, question: Question, candidates: Mapping[Id, Candidate], offered: Sequence[Id]
    ) -> None:
        self._question, self._candidates = question, candidates
        self._whole = sum(question.weights)
        lengths = [candidates[each].words for each in offered]
        self._mean = question.mean_words or sum(lengths) / max(len(lengths), 1)
        self._window = self._mean * (1.0 + sum(BEFORE + AFTER) * shortness(self._mean) ** 2)

    def score(self, candidate: Candidate) -> tuple[float, float]:
        """Return bm25 as a share of the maximum, and the coverage."""
        if not self._whole:
            return 0.0, 0.0
        counts, length = self._count_window(candidate)
        if not any(counts):
            return 0.0, 0.0
        score = self._bm25(counts, length, self._window)
        coverage = max(self._coverage(candidate.counts), self._coverage(counts))
        if candidate.places:
            passages = list(_count_passages(candidate.places, candidate.words))
            coverage = max(self._coverage(each) for each in passages)
            if candidate.is_remark:
                share = shortness(candidate.words)
                mean = min(self._mean, PASSAGE)
                best = max(self._bm25(each, PASSAGE, mean) for each in passages)
                score = share * score + (1.0 - share) * best
        return score, coverage

    def _coverage(self, counts: Sequence[float]) -> float:
        """Return the share of the typed words' weight that *counts* covers, 0 to 1."""
        best: dict[int, float] = {}  # by word, which may have several terms
        for term, weight, count in zip(
            self._question.terms, self._question.weights, counts, strict=False
        ):
            if count:
                covered = weight * min(count, 1.0)
                best[term.word] = max(best.get(term.word, 0.0), covered)
        return sum(best.values()) / self._question.whole

    def _bm25(self, counts: Sequence[float], length: float, mean: float) -> float:
        """Return bm25 as a share of the maximum; *mean* is the mean length."""
        score = bm25.score(counts, self._question.weights, length + SMOOTHING, mean + SMOOTHING)
        return score / (self._whole * (bm25.K1 + 1.0))

    def _count_window(self, candidate: Candidate) -> tuple[Sequence[float], float]:
        """Return the weighted occurrences of terms in and around *candidate*, and the length.

        A word of a neighbour counts as a fraction of a word, in both values.
        """
        counts = list(candidate.counts) or [0.0] * len(self._question.terms)
        length = float(candidate.words)
        short = shortness(candidate.words)
        for weights, side in ((BEFORE, candidate.before), (AFTER, candidate.after)):
            for weight, neighbour_id in zip(weights, side, strict=False):
                neighbour = self._candidates.get(neighbour_id)
                if neighbour is None:
                    continue
                share = weight * short * shortness(neighbour.words)
                length += share * neighbour.words
                for term, count in enumerate(neighbour.counts):
                    counts[term] += share * count
        return counts, length


def _count_passages(places: Sequence[Sequence[int]], words: int) -> list[list[float]]:
    """Return the occurrences of each term in each passage of a text of *words* words."""
    step = PASSAGE // 2
    passages = ceil((words - PASSAGE) / step) + 1 if words > LONGER * PASSAGE else 1
    counts = [[0.0] * len(places) for _ in range(passages)]
    for term, starts in enumerate(places):
        for start in starts:
            last = min(start // step, passages - 1)
            first = min(max(0, (start - PASSAGE) // step + 1), last)
            for passage in range(first, last + 1):
                counts[passage][term] += 1.0
    return counts
