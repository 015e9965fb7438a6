"""Reading a question: whom and when it names, and the words it asks for."""

from __future__ import annotations

from crewmem.hybrid.dates import asks_when, dates_in
from crewmem.hybrid.features import Question, weight
from crewmem.hybrid.names import named
from crewmem.records import NamedTuple
from crewmem.retrieval.query import plain, without_common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from crewmem.hybrid.words import Words
    from crewmem.retrieval.query import Query
    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize

FEW = 20_000
"""Rows of a scope up to which words are counted in it alone."""


class Read(NamedTuple):
    """A question as it is asked of the stores.

    Attributes:
        facts: What is known of it.
        terms: Its phrases, in the order of its weights.
        expression: For MATCH; "" when it has no words that count.
        rest: Its text without names that are known: what is embedded.
    """

    facts: Question
    terms: tuple[Term, ...]
    expression: str
    rest: str


def read(
    text: str,
    words: Words,
    tokenize: Tokenize,
    *,
    actors: Sequence[str],
    asker: str,
    today: date,
) -> Read:
    """Read *text*, a question of *asker* on what *actors* said or did."""
    meant = named(text, actors, asker)
    query = plain(meant.rest, tokenize)
    counted = _Counts(words, query)
    query = without_common(query, counted.stems, counted.entries)
    idfs = tuple(
        term.weight * weight(counted.holding(term), counted.entries)
        if term.weight
        else 0.0
        for term in query.terms
    )
    facts = Question(
        idfs=idfs,
        entries=counted.entries,
        mean=counted.mean,
        actors=meant.actors,
        known=meant.known,
        dates=dates_in(meant.rest, today),
        asks_when=asks_when(meant.rest),
    )
    return Read(facts, query.terms, query.expression, meant.rest)


class _Counts:
    """How many entries hold what is asked for.

    Words are counted among the episodes that may be seen, where there are few of them;
    else in all of the full text, whose counts are there already.

    Attributes:
        entries: How many entries there are.
        mean: Stems of the mean entry of the full text; 0 where there is none.
        stems: How many entries hold each stem; of one that stands in phrases alone,
            how many hold the phrase.
    """

    def __init__(self, words: Words, query: Query) -> None:
        self._words = words
        self._phrases: dict[str, int] = {}
        every, stems = words.totals()
        mine = words.count()
        anywhere = words.holding(query.stems)
        if mine < every and mine <= FEW:
            self.entries, self.mean = mine, stems / every if every else 0.0
            self.stems = self._counted([*query.terms, *query.spare], anywhere)
        else:
            self.entries, self.mean = every, stems / every if every else 0.0
            self.stems = anywhere

    def _counted(
        self, terms: Sequence[Term], anywhere: Mapping[str, int]
    ) -> dict[str, int]:
        found: dict[str, int] = {}
        for term in sorted(terms, key=lambda term: len(term.stems)):
            for stem in term.stems:
                if stem not in found:
                    found[stem] = self._matching(term) if stem in anywhere else 0
        return found

    def holding(self, term: Term) -> int:
        """Return how many entries hold *term*."""
        if len(term.stems) == 1 and not term.prefix:
            return self.stems.get(term.stems[0], 0)
        return self._matching(term)

    def _matching(self, term: Term) -> int:
        if term.phrase not in self._phrases:
            self._phrases[term.phrase] = self._words.matching(term.phrase)
        return self._phrases[term.phrase]
