"""What a word is: its classes, looked up once however it is spelled.

Digits and marks that stand for letters, words that are strung together, writing
without spaces and letters of two scripts in one word are seen through here.
"""

from __future__ import annotations

import re

from crewmem.threats.lazy import lazy
from crewmem.threats.lexicon import COLON, END, LONG, MARK, QUOTE, WIDE, wide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crewmem.threats.lexicon import Lexicon

    Part = tuple[int, int, int]

QUOTES = frozenset('"“”„«»「」`')

EMPHASIS = frozenset("*_~#|")
"""Marks that change how words look, and not what they say."""

STRUNG = lazy(r"[^\W_](?:[._-][^\W_]{1,20}){3}")
"""Words with marks for spaces; shorter rows are names."""

STRINGS = 3
"""So many."""

LEET = str.maketrans("013457@$", "oieastas")
"""Digits and signs that stand for letters inside words."""

RESERVED = ".example"
"""What ends addresses that are nobody's; no word for an example."""

LONG_STEM = 6
"""Letters of a beginning that is known although digits stand for some."""

SKIPPED, SEVERAL = -1, -2
"""Instead of classes: no word, and more than one."""

PART = lazy(r"[^\W_]+")

LATIN_LETTERS = lazy("[a-z]{2,}")

SCRIPTS_APART = "\u0e00"
"""From here on scripts have no letters that are read as Latin ones."""

ENDS = frozenset("\n.!?。！？…;；؟।")


class Table(dict[str, int]):
    """The classes of every word that was met.

    Attributes:
        lexicon: The words there are.
        several: What words are made of that are more than one: start, end, classes.
        meant: The words that others are written for, with digits or marks in them.
    """

    def __init__(
        self, words: Lexicon, spell: Callable[[str], str] | None = None
    ) -> None:
        super().__init__()
        self.lexicon, self.spell = words, spell
        self.several: dict[str, list[Part]] = {}
        self.meant: dict[str, str] = {}

    def meet(self, tokens: Iterable[str]) -> None:
        """Look up all *tokens* that are plain words and were not met before."""
        if self.spell:
            return
        # Not a difference of sets: that would walk all that was ever met.
        plain = [
            token
            for token in {*tokens}
            if token not in self and token.isascii() and token.isalpha()
        ]
        whole, stems = self.lexicon.whole, self.lexicon.stems
        self.update({token: whole.get(token, 0) for token in plain})
        for token in stems.begun(plain):
            self[token] |= stems.known(token)

    def __missing__(self, token: str) -> int:
        classes = self._word(token) if token[0].isalnum() else _mark(token)
        self[token] = classes
        return classes

    def _word(self, word: str) -> int:
        parts: list[Part] = []
        if len(word) > LONG and not word.isalnum() and _is_strung(word):
            found = PART.finditer(word)
            parts += [(*part.span(), self._part(part[0])) for part in found]
        elif not word.isascii() and WIDE.search(word):
            parts += self._cut(word)
        else:
            return self._classes(word)
        self.several[word] = parts
        return SEVERAL

    def _part(self, word: str) -> int:
        """Return the classes of a part of a word, which are remembered, too."""
        return self[word] if word.isascii() else self._classes(word)

    def _classes(self, word: str) -> int:
        if self.spell:
            word = self.spell(word)
        return self.lexicon.known(word) or self._disguised(word) or self._mixed(word)

    def _mixed(self, word: str) -> int:
        """Return the classes of the Latin letters that other ones are joined to."""
        if max(word) < SCRIPTS_APART:
            return 0
        latin = LATIN_LETTERS.search(word)
        return self.lexicon.known(latin[0]) if latin else 0

    def _disguised(self, word: str) -> int:
        """Return the classes of a word with digits or marks among its letters."""
        if word.isalpha() or word.isdecimal():  # a number disguises nothing
            return 0
        if classes := self._begun(plain := word.translate(LEET)):
            self.meant[word] = plain
            return classes
        return 0 if word.isalnum() else self._marked(word)

    def _marked(self, word: str) -> int:
        """Return the classes of a word with marks among its letters."""
        whole = self.lexicon.whole
        if "@" in word:
            return whole["https"]  # where something is sent to
        if word.endswith(RESERVED):
            return 0
        letters = re.sub("[^a-z]", "", word)
        if classes := whole.get(letters):
            if "'" not in word:  # which stands in words of their own, as in French
                self.meant[word] = letters
            return classes
        return self.lexicon.known(PART.findall(word)[-1])

    def _begun(self, word: str) -> int:
        """Return the classes of a known *word*, or of one with a long known beginning."""
        if word in self.lexicon.whole:
            return self.lexicon.known(word)
        long = len(word) >= LONG_STEM and word.isalpha()
        return self.lexicon.stems.known(word, LONG_STEM) if long else 0

    def _cut(self, word: str) -> Iterator[Part]:
        """Yield the words of writing without spaces."""
        done = 0
        for match in wide().finditer(word):
            if match.start() > done:
                yield done, match.start(), self._mixed(word[done : match.start()])
            yield *match.span(), self.lexicon.known(match[0])
            done = match.end()
        if done < len(word):
            yield done, len(word), self._mixed(word[done:])


def _is_strung(word: str) -> bool:
    marks = word.count(".") + word.count("_") + word.count("-")
    return marks >= STRINGS and STRUNG.search(word) is not None


def _mark(token: str) -> int:
    first = token[0]
    if first in EMPHASIS:
        return SKIPPED
    if first in ENDS:
        return MARK if first in ".!?" and token[-1] in ".!?" else END
    if first in ":：":
        return COLON
    return QUOTE if first in QUOTES else MARK
