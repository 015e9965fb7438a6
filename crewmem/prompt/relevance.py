"""How much a section has to do with a question: by words, as bm25 counts them. Pure."""

from __future__ import annotations

from collections import Counter

from crewmem.records import NamedTuple
from crewmem.retrieval.bm25 import IMAGINED, idf, score
from crewmem.retrieval.terms import telling_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.prompt.section import Section
    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize

HEADING = 3
"""How often a word in a label counts: a topic's name says what it is about."""

TERMS_MOST, QUERY_CHARS = 64, 10_000
"""Of a question; no question has as many."""

TWICE = 2
"""How often a word counts in a passage: one that repeats a word says no more of it."""


class _Words(NamedTuple):
    """The stems of a section in their order, how often each, and those of its label."""

    stems: tuple[str, ...]
    counts: Counter[str]
    label: Counter[str]


class Relevance(NamedTuple):
    """How much a section has to do with a question, and what of it most.

    Attributes:
        score: 0 for nothing; more is more.
        start: The line, from 0, of the passage that has most to do with it.
    """

    score: float
    start: int


def relevances(
    sections: Sequence[Section], query: str, tokenize: Tokenize
) -> list[Relevance]:
    """Return for each of *sections* how much it has to do with *query*.

    Counts are of these sections alone, so the same files give the same order.
    """
    terms = telling_terms(query[:QUERY_CHARS], tokenize)[:TERMS_MOST]
    words = [_words(each.text, tokenize, each.label) for each in sections]
    often = [[_often(term, each) for term in terms] for each in words]
    total = len(sections) + IMAGINED
    weights = [
        term.weight * idf(sum(row[at] > 0 for row in often), total)
        for at, term in enumerate(terms)
    ]
    mean = sum(len(each.stems) for each in words) / max(len(words), 1)
    return [
        Relevance(
            found := score(row, weights, len(each.stems), mean),
            _start(section.text, terms, weights, tokenize) if found else 0,
        )
        for section, row, each in zip(sections, often, words, strict=True)
    ]


def _start(
    text: str, terms: Sequence[Term], weights: Sequence[float], tokenize: Tokenize
) -> int:
    """Return the line of *text* with which its most telling passage begins.

    A passage ends at an empty line; with it goes the heading above it.
    """
    best, start, line, above = 0.0, 0, 0, 0
    for passage in text.split("\n\n"):
        words = _words(passage, tokenize)
        often = [min(_often(term, words), TWICE) for term in terms]
        found = sum(w * o for w, o in zip(weights, often, strict=True))
        if found > best:
            best, start = found, above
        height = passage.count("\n") + 2
        is_heading = passage.startswith("#") and "\n" not in passage
        line += height
        above = line - height if is_heading else line
    return start


def _words(text: str, tokenize: Tokenize, label: str = "") -> _Words:
    stems = tuple(stem for _, _, stem in tokenize(text))
    named = Counter(stem for _, _, stem in tokenize(label)) if label else Counter()
    return _Words(stems, Counter(stems), named)


def _often(term: Term, words: _Words) -> float:
    """Return how often *term* is in *words*."""
    named = HEADING * min(words.label[stem] for stem in term.stems)
    if len(term.stems) == 1:
        return words.counts[term.stems[0]] + named
    if not all(words.counts[stem] for stem in term.stems):
        return named
    width = len(term.stems)
    rows = range(len(words.stems) - width + 1)
    return named + sum(words.stems[at : at + width] == term.stems for at in rows)
