"""Words by the classes they are of, each class a bit."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, repeat

from crewmem.records import NamedTuple
from crewmem.threats.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Row = tuple[tuple[str, ...], int]
    """The words behind the first, and the classes of each."""

END, COLON, QUOTE, MARK = 1, 2, 4, 8
"""The classes of a sentence's end, and of marks."""

MARKS = {".": END, ":": COLON, '"': QUOTE, ",": COLON | MARK}
"""How patterns name them."""

FIRST = 4
"""The first bit of a class of words."""

HEAD, SHORT_STEM = 3, 2
"""Letters by which it is told that a word may have a known beginning, and those of the
shortest."""

LONG = 5
"""A word that is found although it was cut has more letters."""

WIDE = lazy("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
"""Writing without spaces between words."""


class Stems:
    """Beginnings of words.

    Attributes:
        classes: Of each.
    """

    def __init__(self, classes: dict[str, int]) -> None:
        self.classes = classes
        self._heads = {stem[:HEAD] for stem in classes}
        self._longest = max(map(len, classes))

    def known(self, word: str, least: int = SHORT_STEM) -> int:
        """Return the classes of all of *least* letters that *word* begins with."""
        found = 0
        for size in range(least, min(len(word), self._longest) + 1):
            found |= self.classes.get(word[:size], 0)
        return found

    def begun(self, words: Iterable[str]) -> list[str]:
        """Return those of *words* that may begin with one of them."""
        heads = self._heads
        return [
            word for word in words if word[:HEAD] in heads or word[:SHORT_STEM] in heads
        ]


class Lexicon(NamedTuple):
    """Words as classes.

    Attributes:
        whole: The classes of each word.
        stems: Beginnings of words.
        bits: The bit of each class, by its name; of concepts behind a tilde.
        pieces: Beginnings of words, for those that are cut in two.
        rows: By their first word, words that mean something together: the others and
            the classes of all, the longest first.
        spoken: The bits of the classes that are no concepts.
    """

    whole: dict[str, int]
    stems: Stems
    bits: dict[str, int]
    pieces: frozenset[str]
    rows: Mapping[str, Iterable[Row]]
    spoken: int

    def known(self, word: str) -> int:
        """Return the classes of a word as it is spelled, and by what it begins with."""
        return self.whole.get(word, 0) | self.stems.known(word)


@cache
def lexicon() -> Lexicon:
    """Return the classes of words in Latin letters."""
    from crewmem.threats import table

    names = table.NAMES.split()
    bits = {name: 1 << at for at, name in enumerate(names, FIRST)}
    concept = next(name for name in names if name[0] == "~")
    return Lexicon(
        whole=numbered(table.WHOLE_WORDS, table.WHOLE_NUMBERS, table.WHOLE_COUNTS),
        stems=Stems(numbered(table.STEM_WORDS, table.STEM_NUMBERS, table.STEM_COUNTS)),
        bits={**MARKS, **bits},
        pieces=frozenset(table.PIECES.split()),
        rows=table.ROWS,
        spoken=bits[concept] - 1,
    )


def numbered(
    words: str, numbers: Iterable[int], counts: Iterable[int]
) -> dict[str, int]:
    """Return *words* with their numbers, each of which *counts* words in a row have."""
    each = chain.from_iterable(map(repeat, numbers, counts))
    return dict(zip(words.split(), each, strict=True))


@cache
def full_lexicon() -> Lexicon:
    """Return the classes of all words."""
    from crewmem.threats.concept_scripts import CONCEPT_SCRIPTS
    from crewmem.threats.normalise import folded
    from crewmem.threats.parlance_scripts import PARLANCE_SCRIPTS
    from crewmem.threats.scripts import SCRIPTS

    latin = lexicon()
    whole = dict(latin.whole)
    stems = dict(latin.stems.classes)
    for prefix, table in (
        ("", SCRIPTS),
        ("~", CONCEPT_SCRIPTS),
        ("~", PARLANCE_SCRIPTS),
    ):
        for name, words in table.items():
            bit = latin.bits[prefix + name]
            for word in words.split():
                key = folded(word.rstrip("*"))
                known = stems if word[-1] == "*" else whole
                known[key] = known.get(key, 0) | bit
    for item, bit in latin.bits.items():
        if not item.isascii():
            key = folded(item[1:])
            whole[key] = whole.get(key, 0) | bit
    for word in [word for word in whole if WIDE.match(word)]:
        whole[word] |= _inner(word, whole)
    return latin._replace(whole=whole, stems=Stems(stems))


def _inner(word: str, whole: dict[str, int]) -> int:
    """Return the classes of words in a *word* of writing without spaces."""
    classes = 0
    for start in range(len(word)):
        for end in range(start + 2, len(word) + 1):
            classes |= whole.get(word[start:end], 0)
    return classes


@cache
def wide() -> re.Pattern[str]:
    """Return what finds words in writing without spaces."""
    words = full_lexicon()
    found = {word for word in (*words.whole, *words.stems.classes) if WIDE.match(word)}
    return re.compile("|".join(sorted(found, key=lambda word: (-len(word), word))))
