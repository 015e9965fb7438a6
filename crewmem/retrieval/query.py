"""What a person typed, as an expression that FTS5 accepts. Pure.

Plain words find what holds any of them, for a question of eight words should not
demand all eight of one chunk: bm25 puts what holds more of them, and rarer ones,
first. Operators are asked for as they were meant, or not at all.
"""

from __future__ import annotations

from enum import StrEnum

from crewmem.records import NamedTuple
from crewmem.retrieval.terms import any_of, telling_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize

MOST_TERMS = 64
"""Phrases that reach FTS5. Its time grows with them, and no question has as many."""

MOST_CHARS = 10_000
"""Of a longer text the beginning is read: a pasted file is no better a question."""

COMMON_CHUNKS = 1_000
"""Where there are fewer chunks, common words cost nothing and are asked for."""

SIGNS = ('"', "“", "”", "„", "*", "AND", "OR", "NOT", "NEAR")
"""What a text holds one of that holds something of the language of operators."""


class Mode(StrEnum):
    """How a query was read."""

    WORDS = "words"
    SYNTAX = "syntax"


class Query(NamedTuple):
    """What FTS5 is asked.

    Attributes:
        terms: The phrases of the expression, one each, in its order.
        expression: For MATCH; "" when nothing can be asked for.
        spare: Terms beyond the most that are asked for, in the order typed.
    """

    mode: Mode
    terms: tuple[Term, ...]
    expression: str
    spare: tuple[Term, ...] = ()

    @property
    def stems(self) -> frozenset[str]:
        """All stems whose counts bear on it."""
        return frozenset(s for term in (*self.terms, *self.spare) for s in term.stems)


def plain(text: str, tokenize: Tokenize) -> Query:
    """Return the query for what holds any word of *text*."""
    return _any_of(telling_terms(_beginning(text.strip()), tokenize))


def understood(text: str, tokenize: Tokenize) -> tuple[Query | None, str]:
    """Return the query that *text* means by its operators.

    Without AND, OR, NOT and NEAR phrases are required, and words beside them only
    rank; without phrases, any word and any beginning of a word will do.

    Returns:
        The query, or None when *text* holds nothing of the language or is a page of
        text; and why it cannot be read although it holds some, else "".
    """
    if len(text) > MOST_CHARS or not any(sign in text for sign in SIGNS):
        return None, ""
    # The grammar takes two milliseconds to import, and few searches need it.
    from crewmem.retrieval.expressions import expression

    written, terms, misread = expression(text, tokenize)
    if len(terms) > MOST_TERMS:
        return None, f"it asks for more than {MOST_TERMS} words"
    if not written:
        return None, misread
    return Query(mode=Mode.SYNTAX, terms=tuple(terms), expression=written), ""


def without_common(query: Query, counts: Mapping[str, int], total: int) -> Query:
    """Return *query*, if it is of plain words, without those that are too common.

    Words of more than half of all chunks cost most of the time and change nothing
    in the first ten. Where more terms are left than can be asked for, the rarest are.

    Of *total* chunks *counts* of them hold each of `query.stems`, or none.
    """
    if query.mode is not Mode.WORDS:
        return query
    terms = [*query.terms, *query.spare]
    if total >= COMMON_CHUNKS:
        terms = _uncommon(terms, counts, total)
    if len(terms) > MOST_TERMS:
        rarest = sorted(terms, key=lambda term: _rarity(term, counts))
        asked = {term.key for term in rarest[:MOST_TERMS]}
        terms = [term for term in terms if term.key in asked]
    return _any_of(terms)


def _uncommon(terms: list[Term], counts: Mapping[str, int], total: int) -> list[Term]:
    """Return *terms* without words that are common; all, if nothing holds the rest.

    Of a word that is asked for in several forms all go: its rare form alone would find
    other texts than those that are meant.
    """
    common = {term.text for term in terms if _is_common(term, counts, total)}
    left = [term for term in terms if term.text not in common]
    return left if any(_holding(term, counts) for term in left) else terms


def _any_of(terms: Sequence[Term]) -> Query:
    asked = tuple(terms[:MOST_TERMS])
    return Query(
        mode=Mode.WORDS,
        terms=asked,
        expression=any_of([term.phrase for term in asked]),
        spare=tuple(terms[MOST_TERMS:]),
    )


def _is_common(term: Term, counts: Mapping[str, int], total: int) -> bool:
    # Of common words in a row nothing is known: they may be rare.
    return len(term.stems) == 1 and 2 * _holding(term, counts) > total


def _holding(term: Term, counts: Mapping[str, int]) -> int:
    """Return the most chunks that can hold *term*."""
    return min(counts.get(stem, 0) for stem in term.stems)


def _rarity(term: Term, counts: Mapping[str, int]) -> tuple[bool, int]:
    """Return a key that puts rare terms first, and those in no chunk last."""
    holding = _holding(term, counts)
    return holding == 0, holding


def _beginning(text: str) -> str:
    """Return as much of *text* as is read, without a word that is cut."""
    if len(text) <= MOST_CHARS:
        return text
    cut = text[:MOST_CHARS]
    return cut if text[MOST_CHARS].isspace() else cut.rsplit(maxsplit=1)[0]
