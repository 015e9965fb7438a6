"""What is known of a query and of each candidate, as numbers for the ranker.

What is missing makes no difference between candidates: a text without a vector yet takes the mean
cosine of the others, a text outside any conversation has no neighbours.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from crewmem.documents import Document
from crewmem.search import bm25
from crewmem.search.dates import NamedDate, closeness, tells_when
from crewmem.search.intent import Wanted
from crewmem.search.names import Identifier
from crewmem.search.query import Term

BEFORE, AFTER = (0.8, 0.4), (0.4, 0.2)
"""Weights of the words of the texts before and after, nearest first: what is said answers.

LoCoMo, R@10 and nDCG@10: .818 and .654 without neighbours, .830 and .680 with one on either side,
.843 and .690 with two, the same with three."""

REACH = len(BEFORE)

HALF_WORDS, STEEPNESS = 80, 4
"""Words at which a text leans on its neighbours half as much as a short one, and how fast that
falls: .94 at 40 words, .06 at 160. A remark of a dozen words rarely holds all that a question asks
for; an abstract of a hundred loses .03 of R@10 to its neighbours without this."""

WORTH = 0.25
"""Share of context from which a neighbour of a candidate is a candidate as well."""

SMOOTHING = 20
"""Words added to every length before bm25 compares them."""

FULL_WORDS = 60
"""Length from which a remark is no mere "Wow, cool!"."""

PASSAGE, LONGER = 100, 1.2
"""Words of a passage, and times a passage from which a text has several. Of a long text the best
passage counts; two halves overlap."""


class Question(NamedTuple):
    """What is known of a query.

    Attributes:
        terms: Of the query.
        weights: idf of each term times its own weight.
        whole: The weight of all typed words, each that of its best term.
        total: Number of texts that are counted.
        mean_words: Stems of the mean text; 0 if nobody knows.
        authors: Whose texts are meant.
        dates: That it names.
        asks_when: Whether it asks for a time.
        is_keywords: Whether it is a few words to look up, not a sentence.
        request: How far it asks for work instead of for what is known, 0 to 1.
        wanted: What it asks for.
        identifiers: That it names.
        is_identifier_known: Whether some text holds all of these.
    """

    terms: tuple[Term, ...] = ()
    weights: tuple[float, ...] = ()
    whole: float = 0.0
    total: int = 0
    mean_words: float = 0.0
    authors: frozenset[str] = frozenset()
    dates: tuple[NamedDate, ...] = ()
    asks_when: bool = False
    is_keywords: bool = False
    request: float = 0.0
    wanted: Wanted = Wanted()
    identifiers: tuple[Identifier, ...] = ()
    is_identifier_known: bool = False


class Candidate:
    """A text that may answer, or that stands beside such a one.

    Attributes:
        id: Store and key.
        words: Number of stems.
        counts: How often each term of the query occurs; () for never.
        places: Where, counted in stems; () for a short text.
        cosine: To the query; None without a vector.
        background: Mean of the cosines of the query to the texts of all stores.
        before, after: Ids of its neighbours, nearest first.
        label: Share of the query that its best label covers, when the whole label is in it.
    """

    __slots__ = (
        "after", "asks", "background", "before", "cosine", "counts", "document", "id", "label",
        "places", "tells_when", "words",
    )  # fmt: skip

    def __init__(self, document: Document, words: int) -> None:
        self.document, self.words = document, words
        self.id = (document.store, document.key)
        self.counts: Sequence[float] = ()
        self.places: Sequence[Sequence[int]] = ()
        self.cosine: float | None = None
        self.background = 0.0
        self.before: Sequence[Id] = ()
        self.after: Sequence[Id] = ()
        self.label = 0.0
        self.asks = document.text.rstrip()[-1:] in {"?", "\uff1f"}
        self.tells_when = False

    @property
    def is_remark(self) -> bool:
        """Whether it is said by somebody in a conversation.

        Facts and passages of files have authors and groups, too, and are statements.
        """
        document = self.document
        return document.store == "journal" and bool(document.author and document.group)


Id = tuple[str, int]


class Features(NamedTuple):
    """What a candidate has to show for itself; the first nine are summed by the ranker.

    Attributes:
        cosine: Of its own text.
        neighbours: Cosine of what stands beside it, as far as it is short.
        group: Best cosine of its session, as far as it is short.
        words: bm25 as a part of what it could be at most, 0 to 1.
        named: 1 if its author is meant.
        date: How well its day answers to the dates named, 0 to 1.
        length: Of a remark: how far it says anything at all, 0 to 1.
        asks: Of a remark: 1 if it is a question itself.
        when: 1 if a time is asked for and it names one.
        shortness: How far it leans on its context: 1 short, 0 long.
        coverage: Share of the query's weight that it holds, 0 to 1; of a long text its best
            passage.
    """

    cosine: float
    neighbours: float
    group: float
    words: float
    named: float
    date: float
    length: float
    asks: float
    when: float
    shortness: float
    coverage: float


@lru_cache(4096)
def shortness(words: float) -> float:
    """Return how much a text of *words* words leans on its context, from 1 to 0."""
    return 1.0 / (1.0 + (words / HALF_WORDS) ** STEEPNESS)


def count_terms(candidate: Candidate, stems: Sequence[str], terms: Sequence[Term]) -> None:
    """Set how often and where each of *terms* occurs in *stems*, the text of *candidate*."""
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
    """Return where *term* begins in *stems*, of which *present* are the different ones."""
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
    """Tell whether neighbours of these lengths may answer for each other."""
    return shortness(words) * shortness(other) > WORTH


def compute_features(
    question: Question, candidates: Mapping[Id, Candidate], offered: Iterable[Id]
) -> dict[Id, Features]:
    """Return the features of the *offered* ones of *candidates*."""
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
        date=closeness(question.dates, document.at) if question.dates else 0.0,
        length=min(candidate.words, FULL_WORDS) / FULL_WORDS if is_remark else 0.0,
        asks=float(is_remark and candidate.asks),
        when=float(candidate.tells_when),
        shortness=short,
        coverage=coverage,
    )


def _around(
    candidate: Candidate, cosines: Mapping[Id, float], candidates: Mapping[Id, Candidate]
) -> float:
    """Return the cosine of what stands next to *candidate*; its own where nothing does."""
    own = cosines[candidate.id]
    total, whole = 0.0, BEFORE[0] + AFTER[0]
    for weight, beside in ((BEFORE[0], candidate.before), (AFTER[0], candidate.after)):
        near = candidates.get(beside[0]) if beside else None
        if near and near.id in cosines:
            share = weight * shortness(candidate.words) * shortness(near.words)
            total += share * (cosines[near.id] - own)
    return own + total / whole


class _Words:
    """Scores candidates by the words of a question."""

    def __init__(
        self, question: Question, candidates: Mapping[Id, Candidate], offered: Sequence[Id]
    ) -> None:
        self._question, self._candidates = question, candidates
        self._whole = sum(question.weights)
        lengths = [candidates[each].words for each in offered]
        self._mean = question.mean_words or sum(lengths) / max(len(lengths), 1)
        self._window = self._mean * (1.0 + sum(BEFORE + AFTER) * shortness(self._mean) ** 2)

    def score(self, candidate: Candidate) -> tuple[float, float]:
        """Return bm25 as a part of the most, and the coverage."""
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
        """Return the share of the weight of the typed words that *counts* has, 0 to 1."""
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
        """Return how often each term occurs in and around *candidate*, and the length of that.

        Both are weighed: a word of a neighbour is a part of a word.
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
    """Return how often each term occurs in each passage of a text of *words* words."""
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
