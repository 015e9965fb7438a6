"""What a text looks like at a glance, so that most need no closer look."""

from __future__ import annotations

from functools import cache, cached_property

from crewmem.threats.normalise import lowered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONG = 14
"""Characters of the shortest key; most words are shorter."""

ROW = 8
"""Half of the letters of the shortest words that are run together: of each such row
there is a part of this length that begins at one of its multiples."""

BEGIN = 3
"""Letters by which it is told at first that a word is not in a text."""

SPELLED = 8
"""Numbers in a text before they can spell something."""

NUMBERS = frozenset(
    [f"{code:02x}" for code in range(9, 256)]
    + [f"{code:02X}" for code in range(160, 256)]
    + [str(code) for code in range(100, 127)]
)
"""What letters are as numbers; decimal ones of two digits are also hexadecimal."""

SEPARATORS = frozenset(".-_*|/")

STROKES = frozenset(".-_\u00b7\u2022\u2219\u22c5")
"""What Morse code is written in."""

SYLLABLE = 3
"""Letters of a Korean syllable at most."""

FEW = 4
"""Different ones before letters or numbers that stand alone can be words."""


class Shape:
    """How the words of a text look.

    Attributes:
        words: Each different word once.
        long: The long ones, one a line.
        spells: Whether there are numbers that letters may be written as.
        is_apart: Whether there are letters with something between them.
        runs: Whether letters in a row may be words that are run together.
        keys: Whether there are letters of Morse code.
    """

    def __init__(self, text: str) -> None:
        words = text.split()
        every = set(words)
        self.words = every
        long = [word for word in every if len(word) >= LONG]
        self.long = "\n".join(long)
        self.runs = any(map(_is_run, long))
        self.spells = text.count("0x") >= SPELLED or _spell(words, every)
        short = [word for word in every if len(word) <= SYLLABLE]
        keyed = [word for word in every if word[0] in STROKES]
        self.keys = sum(map(_is_keyed, keyed)) >= FEW
        joined = [word for word in every if word[1:2] in SEPARATORS]
        singles = sum(map(_is_letter, short))
        self.is_apart = singles >= FEW or any(map(_is_apart, joined))

    @cached_property
    def _folded(self) -> str:
        """The words in lower case, one a line: less than the text, mostly."""
        return lowered("\n".join(self.words))

    def begun(self, rows: frozenset[tuple[str, ...]]) -> Iterator[str]:
        """Return those of *rows*, `BEGIN` folded letters each, that its words have.

        Rows of letters are compared as they come: to put each together takes longer.
        """
        folded = self._folded
        here = zip(*(folded[at:] for at in range(BEGIN)), strict=False)
        return map("".join, rows.intersection(here))

    def has(self, word: str) -> bool:
        """Tell whether *word*, which is folded, is in one of its words."""
        return word in self._folded

    def may_have(self, part: str) -> bool:
        """Tell whether *part*, which is folded, can be in the text: its longest word."""
        return self.has(core(part))


@cache
def core(part: str) -> str:
    """Return the longest word of *part*, by which a text is asked for it."""
    return max(part.split(), key=len)


def _is_letter(word: str) -> bool:
    """Tell whether a short *word* is a letter, or a syllable of Korean in its pieces."""
    return word.isalnum() if len(word) == 1 else "\u1100" <= word[0] <= "\u1112"


def _is_apart(word: str) -> bool:
    """Tell whether a *word* whose second sign is a mark begins as ``a-b-`` does."""
    return word[3:4] in SEPARATORS and word[0].isalnum() and word[2].isalnum()


def _is_run(word: str) -> bool:
    """Tell whether some part of a long *word* is letters: of each long row, one is."""
    return any(word[at : at + ROW].isalpha() for at in range(0, len(word), ROW))


def _is_keyed(word: str) -> bool:
    """Tell whether a *word* may be letters of Morse code."""
    return all(map(STROKES.issuperset, word.replace("/", "|").split("|")))


def _spell(words: list[str], every: set[str]) -> bool:
    """Tell whether there are many numbers among *words*."""
    numbers = {word for word in every if word.rstrip(",:") in NUMBERS}
    if len(numbers) < FEW:
        return False
    return sum(map(numbers.__contains__, words)) >= SPELLED


def near(
    text: str, wanted: Iterable[str], before: int, after: int
) -> list[tuple[int, int]]:
    """Return the parts of *text* that are near one of *wanted*, apart and in order.

    Each reaches from *before* what is wanted to *after* its begin; after one that was
    found, the next is looked for a third of that further, so *after* has to be more.
    """
    places: list[int] = []
    for each in wanted:
        at = text.find(each)
        while at >= 0:
            places.append(at)
            at = text.find(each, at + max(after // 3, 1))
    parts: list[tuple[int, int]] = []
    for at in sorted(places):
        start, end = max(at - before, 0), at + after
        if parts and start <= parts[-1][1]:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return parts
