"""The score of hybrid recall. Pure.

A sum of a few features with rounded weights. It replaces plain rank fusion, which on
conversations loses to the better of its own lists. Development half of LoCoMo, R@10 and
nDCG@10: .466 and .304 by ranks, .712 and .522 by cosine and words, .843 and .693 with
all of this; .828 and .687 where the weights are fitted to other conversations. No
feature is scaled by what else was found: a cosine is one, and words are a part of what
they could be, so a weak list stays weak.
"""

from __future__ import annotations

from crewmem.hybrid.context import offered
from crewmem.hybrid.features import features
from crewmem.records import NamedTuple
from crewmem.retrieval.gate import (
    BACKGROUND,
    nearness,
    of_store,
    relevance,
    weight_of_names,
    with_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from crewmem.hybrid.features import Entry, Features, Question

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

WHEN = 0.06
"""For a remark that names a time where one is asked for: .004 and .003, and by words
alone .003 and .005; from .05 to .08 the same."""

PRIORS_ALONE = 0.5
"""Part of the four before `WHEN` where words or vectors are missing, and half the
evidence."""

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

SPREAD_BY = 100
"""Hits by which sessions are compared with each other."""

OTHERS = 3
"""Hits after its best that a session is judged by as well.

With their mean added to the best the first ten sessions hold all that answers of 89.2 %
of LoCoMo's questions by words alone, and of 88.4 % without; with vectors of 92.2 % and
91.8 %.
"""


class Balance(NamedTuple):
    """What may be set of it.

    Attributes:
        words: Of the words against the cosine, as `WORDS`.
        prior: Of what an entry weighs by itself, as `IMPORTANCE`.
    """

    words: float = WORDS
    prior: float = IMPORTANCE


USUAL = Balance()


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

    def told(self) -> dict[str, tuple[float, float]]:
        """Return `why` as it is answered: in few digits."""
        return {
            name: (_told(value), _told(share))
            for name, (value, share) in self.why.items()
        }


def _told(number: float) -> float:
    return round(number, 6) + 0.0  # a weight below 0 of nothing is 0, and not -0


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
        whole: What its words weigh together; 0 if it has none that count.
        names: What the names in it weigh that are known.
        has_vectors: Whether there is a vector of it, and of any entry.
        background: The mean cosine of the store.
    """

    whole: float
    names: float
    has_vectors: bool
    background: float
    balance: Balance = USUAL


def answer(
    question: Question,
    entries: Iterable[Entry],
    found: Collection[int],
    *,
    background: float = BACKGROUND,
    balance: Balance = USUAL,
) -> Answer:
    """Score those of *entries* that were *found*, and neighbours that may answer.

    Args:
        entries: Also those beside the found ones, as far as they may be seen.
        found: The best by words and the best by cosine: 50 of each do as well as 300.
        background: The mean cosine of the question to the vectors of the store.
        balance: What counts how much.
    """
    by_seq = {entry.seq: entry for entry in entries}
    each = features(question, by_seq, offered(found, by_seq))
    basis = Basis(
        whole=sum(question.idfs),
        names=weight_of_names(question.known, question.entries),
        has_vectors=any(by_seq[seq].cosine is not None for seq in each),
        background=background,
        balance=balance,
    )
    usual, hits = _weights(basis, balance.words), []
    for seq, told in each.items():
        is_long = told.is_remark and told.shortness < 1.0 and basis.has_vectors
        weights = _weights(basis, _of_words(told, balance)) if is_long else usual
        hits.append(_scored(by_seq[seq], told, basis, weights))
    hits.sort(key=lambda hit: (-hit.score, hit.seq))
    of_all = _relevance(by_seq, each, basis)
    # An entry without a vector is judged by its words alone, maybe better than all.
    likely = max((of_all, *(hit.relevance for hit in hits)))
    return Answer(likely, _spread(hits, by_seq))


def _scored(
    entry: Entry,
    told: Features,
    basis: Basis,
    weights: Sequence[tuple[str, float]],
) -> Scored:
    total, shares = 0.0, dict[str, tuple[float, float]]()
    for (name, weight), value in zip(weights, told, strict=False):
        if weight:
            share = weight * value
            shares[name] = value, share
            total += share
    extra = abs(total) * basis.balance.prior * (entry.importance - NEUTRAL)
    shares["importance"] = (entry.importance, extra)
    near = None if entry.cosine is None else nearness(entry.cosine, basis.background)
    coverage = _coverage(told.coverage, basis) if basis.whole else None
    likely = relevance(coverage, near)
    return tuple.__new__(
        Scored, (entry.seq, total + extra, likely, told.coverage, shares)
    )


def _of_words(told: Features, balance: Balance) -> float:
    """Return the weight of the words of a remark, as short as it is."""
    usual = LONG_WORDS + (WORDS - LONG_WORDS) * told.shortness
    return usual if balance is USUAL else usual * balance.words / WORDS


def _weights(basis: Basis, of_words: float) -> list[tuple[str, float]]:
    """Return each feature with its weight, in the order of `Features`."""
    words, vectors = float(basis.whole > 0.0), float(basis.has_vectors)
    priors = 1.0 if words and vectors else PRIORS_ALONE
    return [
        ("cosine", COSINE * vectors),
        ("neighbours", NEIGHBOURS * vectors),
        ("session", SESSION * vectors),
        ("words", of_words * words),
        ("named", NAMED * priors),
        ("date", DATE * priors),
        ("length", LENGTH * priors),
        ("asks", ASKS * priors),
        ("when", WHEN),
    ]


def _coverage(coverage: float, basis: Basis) -> float:
    return with_names(coverage, basis.whole, basis.names)


def _relevance(
    entries: Mapping[int, Entry],
    each: Mapping[int, Features],
    basis: Basis,
) -> float:
    cosines = [entries[seq].cosine for seq in each]
    near = [nearness(c, basis.background) for c in cosines if c is not None]
    held = [told.coverage for told in each.values()]
    coverages = [_coverage(max(held), basis)] if held else []
    return of_store(coverages, near or None, has_words=basis.whole > 0.0)


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
    return [*first, *_by_sessions(new, hits, entries), *rest, *hits[SPREAD_TO:]]


def _by_sessions(
    new: Sequence[Scored], hits: Sequence[Scored], entries: Mapping[int, Entry]
) -> list[Scored]:
    """Return *new*, each of another session, in the order of what these hold.

    Of an entry in no session no more is known: it is taken as the others are in
    the mean.
    """
    scores: dict[str, list[float]] = {}
    for hit in hits[:SPREAD_BY]:
        scores.setdefault(entries[hit.seq].session, []).append(hit.score)
    others = {
        session: sum(scores[session][1 : 1 + OTHERS]) / OTHERS
        for session in {entries[hit.seq].session for hit in new} - {""}
    }
    usual = sum(others.values()) / len(others) if others else 0.0
    return sorted(
        new,
        key=lambda hit: (
            -hit.score - others.get(entries[hit.seq].session, usual),
            hit.seq,
        ),
    )
