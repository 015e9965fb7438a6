"""Words by the classes they are of, each class a bit."""

from __future__ import annotations

import re
from functools import cache

from crewmem.records import NamedTuple
from crewmem.threats.concepts import CONCEPTS
from crewmem.threats.idioms import IDIOMS
from crewmem.threats.lazy import lazy
from crewmem.threats.parlance import PARLANCE
from crewmem.threats.phrases import PHRASES
from crewmem.threats.romanised import ROMANISED
from crewmem.threats.tongues import TONGUES
from crewmem.threats.words import WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Row = tuple[list[str], int]
    """The words behind the first, and the classes of each."""

END, COLON, QUOTE, MARK = 1, 2, 4, 8
"""The classes of a sentence's end, and of marks."""

MARKS = {".": END, ":": COLON, '"': QUOTE, ",": COLON | MARK}
"""How patterns name them."""

FIRST = 4
"""The first bit of a class of words."""

STEM, SHORT_STEM = 3, 2
"""Letters by which beginnings of words are found: of nearly all, and of the shortest."""

LONG = 5
"""A word that is found although it was cut has more letters."""

CORE = ("override", "orders", "earlier", "sensitive", "machine", "unbound", "watcher")
"""Classes of the words that are looked for although they are cut."""

WIDE = lazy("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
"""Writing without spaces between words."""


class Lexicon(NamedTuple):
    """Words as classes.

    Attributes:
        whole: The classes of each word.
        stems: By their first letters (`STEM`), beginnings of words and their classes.
        bits: The bit of each class, by its name; of concepts behind a tilde.
        pieces: Beginnings of words, for those that are cut in two.
        rows: By their first word, words that mean something together: the others and
            the classes of all, the longest first.
        spoken: The bits of the classes that are no concepts.
    """

    whole: dict[str, int]
    stems: dict[str, list[tuple[str, int]]]
    bits: dict[str, int]
    pieces: frozenset[str]
    rows: dict[str, list[Row]]
    spoken: int

    def known(self, word: str) -> int:
        """Return the classes of a word as it is spelled, or by what it begins with."""
        classes = self.whole.get(word, 0)
        stems = self.stems
        for stem, more in stems.get(word[:STEM], ()):
            if word.startswith(stem):
                classes |= more
        if len(word) >= STEM:
            for _, more in stems.get(word[:SHORT_STEM], ()):
                classes |= more
        return classes


@cache
def lexicon() -> Lexicon:
    """Return the classes of words in Latin letters."""
    bits = dict(MARKS)
    whole: dict[str, int] = {}
    stems: dict[str, list[tuple[str, int]]] = {}
    bit = 1 << FIRST
    for item in _single_words():
        bits[item] = bit
        if item.isascii():
            whole[item[1:]] = bit
        bit <<= 1
    rows: dict[str, int] = {}
    for prefix, tables in (
        ("", (WORDS,)),
        ("~", (CONCEPTS, IDIOMS, TONGUES, ROMANISED, PARLANCE)),
    ):
        for name in tables[0]:
            bits[prefix + name] = bit
            for word in " ".join([table.get(name, "") for table in tables]).split():
                if word.isalpha():  # most are, and most are of one class
                    met = whole.setdefault(word, bit)
                    if met is not bit:
                        whole[word] = met | bit
                elif word[-1] == "*":
                    stems.setdefault(word[:-1][:STEM], []).append((word[:-1], bit))
                elif "+" in word:
                    rows[word] = rows.get(word, 0) | bit
                else:
                    whole[word] = whole.get(word, 0) | bit
            bit <<= 1
    spoken = bits[f"~{next(iter(CONCEPTS))}"] - 1
    return Lexicon(whole, stems, bits, _pieces(), _rows(rows), spoken)


def _rows(found: dict[str, int]) -> dict[str, list[Row]]:
    """Return rows of words by their first one, from rows that are written ``a+b``."""
    rows: dict[str, list[Row]] = {}
    for row in sorted(found, key=len, reverse=True):
        first, *others = row.split("+")
        rows.setdefault(first, []).append((others, found[row]))
    return rows


@cache
def full_lexicon() -> Lexicon:
    """Return the classes of all words."""
    from crewmem.threats.concept_scripts import CONCEPT_SCRIPTS
    from crewmem.threats.normalise import folded
    from crewmem.threats.parlance_scripts import PARLANCE_SCRIPTS
    from crewmem.threats.scripts import SCRIPTS

    latin = lexicon()
    whole = dict(latin.whole)
    stems = {start: list(all_) for start, all_ in latin.stems.items()}
    for prefix, table in (
        ("", SCRIPTS),
        ("~", CONCEPT_SCRIPTS),
        ("~", PARLANCE_SCRIPTS),
    ):
        for name, words in table.items():
            bit = latin.bits[prefix + name]
            for word in words.split():
                key = folded(word.rstrip("*"))
                if word[-1] == "*":
                    stems.setdefault(key[:STEM], []).append((key, bit))
                else:
                    whole[key] = whole.get(key, 0) | bit
    for item, bit in latin.bits.items():
        if not item.isascii():
            key = folded(item[1:])
            whole[key] = whole.get(key, 0) | bit
    for word in [word for word in whole if WIDE.match(word)]:
        whole[word] |= _inner(word, whole)
    return latin._replace(whole=whole, stems=stems)


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
    stems = (stem for all_ in words.stems.values() for stem, _ in all_)
    found = {word for word in (*words.whole, *stems) if WIDE.match(word)}
    return re.compile("|".join(sorted(found, key=lambda word: (-len(word), word))))


def mask(part: str, bits: dict[str, int]) -> int:
    """Return the classes that a *part* of a pattern names."""
    classes = 0
    for item in part.split("|"):
        classes |= bits[item]
    return classes


def _single_words() -> Iterator[str]:
    """Yield the words that patterns name themselves, each once."""
    seen = set()
    for rule in PHRASES:
        if "=" in rule.pattern:
            for part in rule.pattern.replace("|", " ").split():
                item = part.lstrip("!").rstrip("?")
                if item[0] == "=" and item not in seen:
                    seen.add(item)
                    yield item


def _pieces() -> frozenset[str]:
    """Return the beginnings of the long words that a phrase turns on."""
    return frozenset(
        [
            word[:size]
            for name in CORE
            for word in WORDS[name].split()
            if len(word) > LONG and word[-1] != "*" and "+" not in word
            for size in range(2, len(word))
        ]
    )
