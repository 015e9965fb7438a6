"""Features of a query and its candidates, as numbers for the ranker.

A missing value does not affect the order. A text without a vector gets the mean cosine of the
others; a text outside of conversations has no neighbours.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from crewmem.documents import Document
from crewmem.search import bm25
from crewmem.search.dates import NamedDate, tells_when
from crewmem.search.intent import Wanted
from crewmem.search.names import Identifier
from crewmem.search.query import Term

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
        is_identifier_known: Whether some text contains all of these.
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


class Candidate:
    """A text that may answer, or a neighbour of such a text.

    Attributes:
        id: Store and key.
        words: Number of stems.
        counts: Occurrences of each term of the query; () for none.
        places: Positions of these occurrences, counted in stems; () for a short text.
        is_of_date: Whether it is of a day in a time that the query names.
        cosine: Cosine to the query; None without a vector.
        background: Mean cosine of the query to the texts of all stores.
        before, after: Ids of its neighbours, nearest first.
        label: Share of the query that its best label covers, if the query contains that label.
    """

    __slots__ = (
        "after", "asks", "background", "before", "cosine", "counts", "document", "id",
        "is_of_date", "label", "places", "tells_when", "words",
    )  # fmt: skip

    def __init__(self, document: Document, words: int) -> None:
        self.document, self.words = document, words
        self.id = (document.store, document.key)
        self.counts: Sequence[float] = ()
        self.places: Sequence[Sequence[int]] = ()
        self.is_of_date = False
        self.cosine: float | None = None
        self.background = 0.0
        self.before: Sequence[Id] = ()
        self.after: Sequence[Id] = ()
        self.label = 0.0
        self.asks = document.text.rstrip()[-1:] in {"?", "\uff1f"}
        self.tells_when = False

    @property
    def is_remark(self) -> bool:
        """Whether somebody said it in a conversation.

        Facts and passages of files also have authors and groups, but are statements.
        """
        document = self.document
        return document.store == "journal" and bool(document.author and document.group)


Id = tuple[str, int]


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
    first, last = term.stems[0], term.stems[-1]
    if not term.prefix:
        if any(stem not in present for stem in term.stems):
            return ()
        starts = [at for at, stem in enumerate(stems) if stem == first]
        if len(term.stems) == 1:
            return starts
        wanted, size = list(term.stems), len(term.stems)
        return [at for at in starts if list(stems[at : at + size]) == wanted]
    row, size = list(term.stems[:-1]), len(term.stems) - 1
    return [
        at
        for at in range(len(stems) - size)
        if stems[at + size].startswith(last) and list(stems[at : at + size]) == row
    ]


def is_worth(words: float, other: float) -> bool:
    """Return whether texts of these lengths may answer for each other as neighbours."""
    return shortness(words) * shortness(other) > WORTH


def compute_features(
    question: Question, candidates: Mapping[Id, Candidate], offered: Iterable[Id]
) -> dict[Id, Features]:
    """Return the features of those *candidates* that are *offered*."""
    ids = list(offered)
    cosines = {each.id: each.cosine for each in candidates.values() if each.cosine is not None}
    has_vectors = bool(cosines)
    if has_vectors:
        known = [cosines[each] for each in ids if each in cosines]
        mean = sum(known) / len(known) if known else 0.0
        for each in ids:
            cosines.setdefault(each, mean)
    groups: dict[str, float] = {}
    for each in ids:
        group = candidates[each].document.group
        if group and has_vectors:
            groups[group] = max(groups.get(group, -1.0), cosines[each])
    words = _Words(question, candidates, ids)
    return {
        each: _features(question, candidates, candidates[each], cosines, groups, words)
        for each in ids
    }


def _features(
    question: Question,
    candidates: Mapping[Id, Candidate],
    candidate: Candidate,
    cosines: Mapping[Id, float],
    groups: Mapping[str, float],
    words: "_Words",
) -> Features:
    document = candidate.document
    is_remark = candidate.is_remark
    short, own = shortness(candidate.words), cosines.get(candidate.id, 0.0)
    best = groups.get(document.group, own)
    score, coverage = words.score(candidate)
    if question.asks_when and is_remark:
        candidate.tells_when = tells_when(document.text)
    return Features(
        cosine=own,
        neighbours=_around(candidate, cosines, candidates) if cosines else own,
        group=own + short * (best - own),
        words=score,
        named=float(document.author in question.authors),
        length=min(candidate.words, FULL_WORDS) / FULL_WORDS if is_remark else 0.0,
        asks=float(is_remark and candidate.asks),
        when=float(candidate.tells_when),
        shortness=short,
        coverage=coverage,
    )


def _around(
    candidate: Candidate, cosines: Mapping[Id, float], candidates: Mapping[Id, Candidate]
) -> float:
    """Return the cosine of a candidate's neighbours; without neighbours its own."""
    own = cosines[candidate.id]
    total, whole = 0.0, BEFORE[0] + AFTER[0]
    for weight, beside in ((BEFORE[0], candidate.before), (AFTER[0], candidate.after)):
        near = candidates.get(beside[0]) if beside else None
        if near and near.id in cosines:
            share = weight * shortness(candidate.words) * shortness(near.words)
            total += share * (cosines[near.id] - own)
    return own + total / whole


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
        often, length = self._count_window(candidate)
        if not any(often):
            return 0.0, 0.0
        score = self._bm25(often, length, self._window)
        coverage = max(self._coverage(candidate.counts), self._coverage(often))
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
        held: dict[int, float] = {}
        for term, weight, count in zip(
            self._question.terms, self._question.weights, counts, strict=False
        ):
            if count:
                part = weight * min(count, 1.0)
                held[term.word] = max(held.get(term.word, 0.0), part)
        return sum(held.values()) / self._question.whole

    def _bm25(self, often: Sequence[float], length: float, mean: float) -> float:
        found = bm25.score(often, self._question.weights, length + SMOOTHING, mean + SMOOTHING)
        return found / (self._whole * (bm25.K1 + 1.0))

    def _count_window(self, candidate: Candidate) -> tuple[Sequence[float], float]:
        """Return the weighted occurrences of terms in and around *candidate*, and the length.

        A word of a neighbour counts as a fraction of a word, in both values.
        """
        often = list(candidate.counts) or [0.0] * len(self._question.terms)
        length = float(candidate.words)
        own = shortness(candidate.words)
        for weights, beside in ((BEFORE, candidate.before), (AFTER, candidate.after)):
            for most, each in zip(weights, beside, strict=False):
                near = self._candidates.get(each)
                if near is None:
                    continue
                weight = most * own * shortness(near.words)
                length += weight * near.words
                for at, count in enumerate(near.counts):
                    often[at] += weight * count
        return often, length


def _count_passages(places: Sequence[Sequence[int]], words: int) -> list[list[float]]:
    """Return the occurrences of each term in each passage of a text of *words* words."""
    step = PASSAGE // 2
    count = ceil((words - PASSAGE) / step) + 1 if words > LONGER * PASSAGE else 1
    often = [[0.0] * len(places) for _ in range(count)]
    for term, starts in enumerate(places):
        for start in starts:
            last = min(start // step, count - 1)
            first = min(max(0, (start - PASSAGE) // step + 1), last)
            for passage in range(first, last + 1):
                often[passage][term] += 1.0
    return often
