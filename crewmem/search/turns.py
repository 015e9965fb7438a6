"""Ranks turns of sessions, by words.

Turns are ranked apart from statements and files. There are thousands, most of them output, and the
words of an answer are often in the turn before it. So the rank depends on the speaker, and on the
share of the query in the turn, its neighbours and its densest passage. Of 20 queries about ten logs
the right turn is first for 11, in the first five for 18 and in the first ten for 19. The ranker of
the other stores reaches 8, 13 and 16; with weights by speaker 10, 15 and 19; with neighbours 8, 15
and 17.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo
from math import exp
from typing import Any

from crewmem.documents import Document
from crewmem.search import bm25
from crewmem.search.dates import find_dates, find_times
from crewmem.search.features import find_places
from crewmem.search.language import find_language
from crewmem.search.query import (
    Term,
    add_other_forms,
    any_of,
    correct_unknown,
    count_texts,
    find_date_terms,
    list_subjects,
    parse_query,
    weigh_words,
    without_unknown_endings,
)
from crewmem.search.sources import Source
from crewmem.text.similarity import jaccard
from crewmem.text.tokens import stems

RANKED = 300
"""Number of turns that bm25 offers for ranking."""

WEIGHTS = {
    "person": 1.2,
    "agent": 1.0,
    "change": 0.6,
    "call": 0.4,
    "output": 0.35,
    "program": 0.4,
}
"""Factors of bm25 by speaker: output contains every word by accident."""

NEAR = 3
"""Lines within which two hits belong to the same moment."""

MOMENT = 2
"""Lines around a turn whose words count for it: an answer seldom repeats the question."""

PASSAGE = 15
"""Words of the densest passage of a turn: long turns contain many words by accident."""

SAME = 0.8
"""Minimum Jaccard index of a turn that repeats another of its session, such as a plan."""

MIDDLE, STEEPNESS = 0.75, 9.4
"""Coverage with a relevance of .5, and how fast relevance rises. In ten logs, at coverage .6, turns
answer all 20 queries about them and 8 of 90 about other projects; at .8 it is 16 and 1."""


@dataclass(slots=True)
class RankedTurn:
    """A turn that may answer.

    Attributes:
        places: Positions of the query's terms, as pairs of word number and term number.
        is_of_time: Whether it is of a time that the query names.
        coverage: Share of the query's weight that the turn and its moment contain.
        terms: Terms of the query in the turn.
    """

    document: Document
    score: float
    stems: Sequence[str]
    places: list[tuple[int, int]]
    is_of_time: bool = False
    coverage: float = 0.0
    terms: list[Term] = field(default_factory=list)

    @property
    def session(self) -> str:
        return str(self.document.extra["session"])

    @property
    def line(self) -> int:
        return int(self.document.extra["turn"])

    @property
    def relevance(self) -> float:
        """Probability that it answers."""
        return 1.0 / (1.0 + exp(-STEEPNESS * (self.coverage - MIDDLE)))

    @property
    def why(self) -> dict[str, Any]:
        """Why it was found."""
        return {"terms": [term.text for term in self.terms]}

    def explain(self) -> dict[str, Any]:
        """Explain its rank and relevance."""
        return {"coverage": round(self.coverage, 4), "voice": self.document.extra["voice"]}

    def repeats(self, other: RankedTurn) -> bool:
        """Return whether it belongs to the moment of *other*, or repeats it in its session."""
        return self.session == other.session and (
            abs(self.line - other.line) <= NEAR
            or jaccard(frozenset(self.stems), frozenset(other.stems)) >= SAME
        )


def rank_turns(source: Source, text: str, *, today: date, zone: tzinfo) -> list[RankedTurn]:
    """Return the turns of *source*, the sessions, that may answer a query, best first.

    One of a time that the query names contains the words for it. "What did we do yesterday" finds
    what was said that day, in order.
    """
    query = parse_query(text)
    frequencies = source.frequencies(query.stems)
    query = without_unknown_endings(query, frequencies)
    language = find_language(query.text, source.frequencies)
    query, frequencies = add_other_forms(
        query, frequencies, source.frequencies, source.complete, language
    )
    query, frequencies = correct_unknown(query, frequencies, source.frequencies, language=language)
    if not query.expression:
        return []
    terms = query.terms
    total = max(source.count(), 1)
    weights = [term.weight * bm25.idf(count_texts(term, frequencies), total) for term in terms]
    dates = find_dates(text, today)
    of_time = find_date_terms(dates, terms)
    others = [term for at, term in enumerate(terms) if at not in of_time]
    rows = dict(source.match(query.expression, RANKED))
    times = find_times(dates, today, zone)
    for since, until in times:
        for key in source.within(since, until, any_of(others), RANKED):
            rows.setdefault(key, 0.0)
    found = _find_turns(source, rows, terms)
    for turn in found:
        turn.is_of_time = any(since <= turn.document.at < until for since, until in times)
    if times:  # a date counts as one word, and as one that so many turns contain
        weight = bm25.idf(sum(turn.is_of_time for turn in found), total) / max(len(of_time), 1)
        weights = [weight if at in of_time else each for at, each in enumerate(weights)]
    if times and not list_subjects(others):
        found = [turn for turn in found if turn.is_of_time]
        weights = [each if at in of_time else 0.0 for at, each in enumerate(weights)]
    _score(found, terms, weights, of_time)
    for turn in found:
        turn.terms = [terms[term] for term in sorted({term for _, term in turn.places})]
    return sorted(found, key=lambda each: (-each.score, each.document.key))


def keep_moments(turns: Iterable[RankedTurn], limit: int) -> list[RankedTurn]:
    """Return one turn for each moment, in order, at most *limit*."""
    kept: list[RankedTurn] = []
    for turn in turns:
        if len(kept) == limit:
            break
        if not any(turn.repeats(each) for each in kept):
            kept.append(turn)
    return kept


def _find_turns(
    source: Source, rows: Mapping[int, float], terms: Sequence[Term]
) -> list[RankedTurn]:
    documents = source.documents(rows)
    found = []
    for key, score in rows.items():
        if key in documents:
            words = stems(documents[key].text)
            present = frozenset(words)
            places = [
                (place, number)
                for number, term in enumerate(terms)
                for place in find_places(words, present, term)
            ]
            found.append(RankedTurn(documents[key], -score, words, sorted(places)))
    return found


def _score(
    turns: Sequence[RankedTurn],
    terms: Sequence[Term],
    weights: Sequence[float],
    of_time: frozenset[int],
) -> None:
    """Weight the bm25 scores by speaker and by the share of the query in turn and moment.

    Args:
        of_time: Numbers of the terms that turns of the named time contain.
    """

    def weigh(numbers: Collection[int]) -> float:
        chosen = [terms[number] for number in numbers]
        return weigh_words(chosen, [weights[number] for number in numbers])

    whole = weigh(range(len(terms))) or 1.0
    by_session: dict[str, list[RankedTurn]] = defaultdict(list)
    terms_of: dict[int, set[int]] = {}  # by key of the turn
    for turn in turns:
        by_session[turn.session].append(turn)
        terms_of[turn.document.key] = {term for _, term in turn.places}
        if turn.is_of_time:
            terms_of[turn.document.key] |= of_time
            turn.score += sum(weights[term] for term in of_time)
    for turn in turns:
        near = [each for each in by_session[turn.session] if abs(each.line - turn.line) <= MOMENT]
        moment = {term for each in near for term in terms_of[each.document.key]}
        in_turn = weigh(terms_of[turn.document.key]) / whole
        in_moment = weigh(moment) / whole
        in_passage = max((weigh(each) for each in list_passages(turn.places)), default=0.0) / whole
        turn.coverage = (in_turn + in_moment) / 2
        turn.score *= WEIGHTS[turn.document.extra["voice"]]
        turn.score *= (in_turn + 2 * in_moment + in_passage) / 4


def list_passages(places: Sequence[tuple[int, int]]) -> Iterator[set[int]]:
    """Yield the numbers of the terms in each passage.

    >>> [*list_passages([(3, 0), (9, 1), (60, 2)])]
    [{0}, {0, 1}, {2}]
    """
    first = 0
    for last, (place, _) in enumerate(places):
        while place - places[first][0] > PASSAGE:
            first += 1
        yield {term for _, term in places[first : last + 1]}
