"""What a text asks for: its words, as the phrases that FTS5 is given. Pure.

Only characters of tokens get into a phrase, between quotes of ours, so nothing typed
can reach FTS5's own syntax.
"""

from __future__ import annotations

from itertools import pairwise

from crewmem.records import NamedTuple
from crewmem.retrieval.stopwords import STOP_WORDS
from crewmem.retrieval.words import (
    as_typed,
    is_indivisible,
    is_stop_word,
    joiners,
    words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crewmem.retrieval.words import Tokenize, Word

PROSE_JOINERS = frozenset("-\u2010\u2011'\u2019")
"""Those that join ordinary words: `well-known`, `O'Brien`."""

WHOLE_WEIGHT = 0.05
"""Of a hyphenated word asked whole, beside its parts: it decides between equals.

At 1 the same words counted twice, and nDCG@10 fell by 0.01 on two sets of three.
"""

PART_WEIGHT = 0.5
"""Of a part of an identifier, beside the whole, so that the exact one is first."""

PHRASE_STEMS = 32
"""Longest word that is asked whole; a longer one is no identifier."""


IDENTIFIER_CHARS = 200
"""Of a text that may be an identifier alone: few paths are longer."""


class Term(NamedTuple):
    """One phrase that FTS5 is asked for.

    Attributes:
        text: As it was typed, to be shown; several terms may come from one text.
        stems: What the index must hold, in a row where there are several.
        phrase: The same in FTS5's syntax.
        prefix: Whether the last stem need only be the beginning of one.
        weight: How much a match counts, up to 1. It is 0 for a phrase that stands
            in the expression a second time, or after NOT.
    """

    text: str
    stems: tuple[str, ...]
    phrase: str
    prefix: bool = False
    weight: float = 1.0

    @property
    def key(self) -> tuple[tuple[str, ...], bool]:
        """What two terms have in common that find the same."""
        return self.stems, self.prefix


def phrase(text: str, word: Word, *, prefix: bool = False, weight: float = 1.0) -> Term:
    """Return the term that asks for the tokens of *word* in a row."""
    asked = " ".join(text[begin:end] for begin, end, _ in word)
    star = "*" if prefix else ""
    return Term(
        text=f"{as_typed(text, word)}{star}",
        stems=tuple(stem for _, _, stem in word),
        phrase=f'"{asked}"{star}',
        prefix=prefix,
        weight=weight,
    )


def telling_terms(text: str, tokenize: Tokenize, *, is_all: bool = True) -> list[Term]:
    """Return what *text* asks for, without stop words when other words remain.

    Unless *is_all*, something else is asked for as well, and no stop word remains.
    """
    typed = words(text, tokenize)
    telling = [word for word in typed if not is_stop_word(text, word)]
    if is_all:
        telling = telling or typed
    return distinct(t for word in telling for t in word_terms(text, word, tokenize))


def word_terms(text: str, word: Word, tokenize: Tokenize) -> Iterator[Term]:
    """Yield the ways to ask for *word* of *text*: whole, then by part."""
    if len(word) == 1:
        yield from family(text, word, tokenize)
        return
    parts = _parts(text, word)
    between = joiners(text, word)
    is_prose = bool(between) and between <= PROSE_JOINERS
    if len(word) <= PHRASE_STEMS:
        yield phrase(text, word, weight=WHOLE_WEIGHT if is_prose and parts else 1.0)
    elif not parts:
        parts = [[token] for token in word]
    for part in parts:
        yield phrase(text, part, weight=1.0 if is_prose else PART_WEIGHT)


def is_identifier(text: str, tokenize: Tokenize) -> bool:
    """Tell whether *text* is one identifier or path alone: `#1234`, `src/app.py`."""
    typed = words(text, tokenize) if len(text) <= IDENTIFIER_CHARS else []
    if len(typed) != 1:
        return False
    between = joiners(text, typed[0])
    return not between <= PROSE_JOINERS or any(map(str.isdigit, text))


def family(text: str, word: Word, tokenize: Tokenize) -> Iterator[Term]:
    """Yield *word*, and the other stem where Porter's algorithm has two of one verb.

    It makes *deploi* of `deploy` and its forms, but *deploy* of `deployment`: the
    ending `ment` is taken off too late for the *y* before it to change.
    """
    yield phrase(text, word)
    stem = word[-1][2]
    if len(word) > 1 or stem[-2:-1] not in set("aeou") or stem[-1] not in "iy":
        return
    verb = f"{stem[:-1]}y"
    asked = f"{verb}ment" if stem.endswith("i") else verb
    other = tokenize(asked)[0][2]
    if other != stem and other[:-1] == stem[:-1]:
        yield Term(text=as_typed(text, word), stems=(other,), phrase=f'"{asked}"')


def distinct(terms: Iterable[Term]) -> list[Term]:
    """Return each of *terms* once, in order, at the greatest of its weights."""
    found: dict[tuple[tuple[str, ...], bool], Term] = {}
    for term in terms:
        if term.key not in found or found[term.key].weight < term.weight:
            found[term.key] = term
    return list(found.values())


def any_of(expressions: Sequence[str]) -> str:
    """Return the expression for what any of *expressions* finds."""
    return _joined(" OR ", expressions)


def all_of(expressions: Sequence[str]) -> str:
    """Return the expression for what all of *expressions* find."""
    return _joined(" AND ", expressions)


def _joined(operator: str, expressions: Sequence[str]) -> str:
    told = [each for each in expressions if each]
    return f"({operator.join(told)})" if told[1:] else "".join(told)


def _parts(text: str, word: Word) -> list[Word]:
    if is_indivisible(text, word):
        return []
    parts = [pair for run in _runs(word) for pair in _pairs(run)]
    if len(parts) == 1:
        return []  # it is the word itself
    return [part for part in parts if as_typed(text, part).lower() not in STOP_WORDS]


def _runs(word: Word) -> list[Word]:
    """Return *word* cut where something stands between its tokens."""
    runs = [word[:1]]
    for before, token in pairwise(word):
        if before[1] == token[0]:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _pairs(run: Word) -> list[Word]:
    """Return the parts of a *run* of letters: each with the next.

    Most words of scripts without spaces have two.
    """
    return [[*pair] for pair in pairwise(run)] or [run]
