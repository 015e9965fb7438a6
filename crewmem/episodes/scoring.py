"""The score of hybrid recall. Pure.

A sum of a few features with rounded weights. It replaces plain rank fusion, which on
conversations loses to the better of its own lists. Development half of LoCoMo, R@10 and
nDCG@10: .466 and .304 by ranks, .712 and .522 by cosine and words, .842 and .692 with
all of this; .828 and .687 where the weights are fitted to other conversations. No
feature is scaled by what else was found: a cosine is one, and words are a part of what
they could be, so a weak list stays weak.
"""

from __future__ import annotations

from crewmem.episodes.context import offered
from crewmem.episodes.features import features
from crewmem.episodes.relevance import of_store, with_names
from crewmem.records import NamedTuple
from crewmem.retrieval.gate import BACKGROUND, nearness, relevance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from crewmem.episodes.features import Entry, Features, Question

COSINE, NEIGHBOURS, SESSION = 0.4, 0.2, 0.4
"""Of the cosine: of an entry itself, of those beside it, of the best of its session.

They add up to 1, and where there is no context all are the entry's own. Left out,
each costs .012, .002 and .012 of R@10 on LoCoMo, the second .007 of nDCG@10.
"""

WORDS = 1.1
"""Of the words against the cosine. From 1.0 to 1.2 Cranfield and SciFact stay within
.007, LoCoMo within .004."""

LONG_WORDS = 0.7
"""The same for long remarks of a conversation, which hold any word by accident.

On long chat messages .7 to .3 for the vectors was best, and words by passages.
"""

NAMED = 0.25
"""For the entries of whoever is meant: .029 of R@10 and .058 of nDCG@10 on LoCoMo."""

DATE = 0.6
"""For the very day that is named: .016 and .025."""

LENGTH = 0.1
"""For a remark of 60 words against one of none: with the next, .003 and .015."""

ASKS = -0.07
"""For a remark that is a question itself."""

PRIORS_ALONE = 0.5
"""Part of the last four where words or vectors are missing, and half the evidence."""

IMPORTANCE = 0.2
"""How much the most important outweighs the least; neutral at .5."""

NEUTRAL = 0.5

SPREAD_FROM = 10
"""Hits after which those of sessions not seen yet come first.

A long list is read for breadth. All sessions that answer are among the first ten of
92 % of LoCoMo's questions, and of 91 % without.
"""

SPREAD_TO = 60
"""Hits among which they are looked for: what comes later is hardly about it."""


class Scored(NamedTuple):
    """An entry with its score.

    Attributes:
        score: Higher is better.
        relevance: How likely it answers by itself, in [0, 1].
        coverage: The part of the question's weight that it holds, in [0, 1].
        why: What the score is made of: of each feature its value and its share. The
            shares add up to the score.
    """

    seq: int
    score: float
    relevance: float
    coverage: float
    why: dict[str, tuple[float, float]]


class Answer(NamedTuple):
    """What a store has for a question.

    Attributes:
        relevance: How likely anything in it answers, in [0, 1]: what the gate asks.
        hits: Best first; equals in the order of the journal.
    """

    relevance: float
    hits: list[Scored]


class Basis(NamedTuple):
    """What a question is answered by.

    Attributes:
        has_words: Whether it has words that count.
        has_vectors: Whether there is a vector of it, and of any entry.
        background: The mean cosine of the store.
    """

    has_words: bool
    has_vectors: bool
    background: float


def answer(
    question: Question,
    entries: Iterable[Entry],
    found: Collection[int],
    *,
    background: float = BACKGROUND,
) -> Answer:
    """Score those of *entries* that were *found*, and neighbours that may answer.

    Args:
        entries: Also those beside the found ones, as far as they may be seen.
        found: The best by words and the best by cosine: 50 of each do as well as 300.
        background: The mean cosine of the question to the vectors of the store.
    """
    by_seq = {entry.seq: entry for entry in entries}
    each = features(question, by_seq, offered(found, by_seq))
    basis = Basis(
        has_words=sum(question.idfs) > 0.0,
        has_vectors=any(by_seq[seq].cosine is not None for seq in each),
        background=background,
    )
    hits = [_scored(question, by_seq[seq], told, basis) for seq, told in each.items()]
    hits.sort(key=lambda hit: (-hit.score, hit.seq))
    of_all = _relevance(question, by_seq, each, basis)
    # An entry without a vector is judged by its words alone, maybe better than all.
    likely = max((of_all, *(hit.relevance for hit in hits)))
    return Answer(likely, _spread(hits, by_seq))


def _scored(question: Question, entry: Entry, told: Features, basis: Basis) -> Scored:
    shares = {
        name: (value, weight * value)
        for name, value, weight in _weighed(told, basis)
        if weight
    }
    total = sum(share for _, share in shares.values())
    extra = abs(total) * IMPORTANCE * (entry.importance - NEUTRAL)
    shares["importance"] = (entry.importance, extra)
    near = None if entry.cosine is None else nearness(entry.cosine, basis.background)
    coverage = _coverage(question, told) if basis.has_words else None
    likely = relevance(coverage, near)
    return Scored(entry.seq, total + extra, likely, told.coverage, shares)


def _weighed(told: Features, basis: Basis) -> Iterable[tuple[str, float, float]]:
    """Yield the name, the value and the weight of each feature of an entry."""
    priors = 1.0 if basis.has_words and basis.has_vectors else PRIORS_ALONE
    vectors = float(basis.has_vectors)
    yield "cosine", told.cosine, COSINE * vectors
    yield "neighbours", told.neighbours, NEIGHBOURS * vectors
    yield "session", told.session, SESSION * vectors
    yield "words", told.words, _weight_of_words(told, basis)
    yield "named", told.named, NAMED * priors
    yield "date", told.date, DATE * priors
    yield "length", told.length, LENGTH * priors
    yield "asks", told.asks, ASKS * priors


def _weight_of_words(told: Features, basis: Basis) -> float:
    if not basis.has_words:
        return 0.0
    if not (told.is_remark and basis.has_vectors):
        return WORDS
    return LONG_WORDS + (WORDS - LONG_WORDS) * told.shortness


def _coverage(question: Question, told: Features) -> float:
    whole = sum(question.idfs)
    return with_names(told.coverage, whole, question.known, question.entries)


def _relevance(
    question: Question,
    entries: Mapping[int, Entry],
    each: Mapping[int, Features],
    basis: Basis,
) -> float:
    cosines = [entries[seq].cosine for seq in each]
    near = [nearness(c, basis.background) for c in cosines if c is not None]
    coverages = [_coverage(question, told) for told in each.values()]
    return of_store(coverages, near or None, has_words=basis.has_words)


def _spread(hits: Sequence[Scored], entries: Mapping[int, Entry]) -> list[Scored]:
    """Return *hits* with the first of each further session before the rest."""
    first = list(hits[:SPREAD_FROM])
    seen = {entries[hit.seq].session for hit in first} - {""}
    new: list[Scored] = []
    rest: list[Scored] = []
    for hit in hits[SPREAD_FROM:SPREAD_TO]:
        session = entries[hit.seq].session
        (rest if session in seen else new).append(hit)
        seen |= {session} - {""}
    return [*first, *new, *rest, *hits[SPREAD_TO:]]
