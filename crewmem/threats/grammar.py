"""Reading text as classes of words.

Each word is looked up once, however often it stands there, and a text becomes a list
of numbers, so that most texts cost little more than being cut into words.
"""

from __future__ import annotations

import re
from itertools import compress

from crewmem.threats.lazy import lazy
from crewmem.threats.lexicon import (
    COLON,
    END,
    LONG,
    MARK,
    QUOTE,
    WIDE,
    full_lexicon,
    lexicon,
    wide,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crewmem.threats.lexicon import Lexicon

    Part = tuple[int, int, int]

TOKEN = lazy(
    r"[^\W_]+(?:['@$_.-][^\W_]+)*"  # a word, also don't and an.address
    r"|\n(?:(?:[ \t]{0,80}\n)+|(?=[ \t]{0,80}(?:[-*+#>|]|\d{1,3}[.)])))"  # paragraphs, items
    r"|[.!?]+(?:[\s\"')\]]|$)|[。！？…;；؟।]+"
    r"|[:：]+|[\"“”„«»「」`]+|[.!?]+|[^\w\s:：\"“”„«»「」`.!?;。！？…；؟।]+|[^\w\s]"
)
"""What a text is made of; a line that goes on in the next one does not end."""

ASCII_TOKEN = re.compile(
    r"[a-z0-9]+(?:['@$_.-][a-z0-9]+)*"
    r"|[-,()/'=<>{}[\]*&%+\\#|~^@$\x00-\x08\x0e-\x1b\x7f]+"
    r"|\n(?:(?:[ \t]{0,80}\n)+|(?=[ \t]{0,80}(?:[-*+#>|]|\d{1,3}[.)])))"
    r"|[.!?]+(?:[\s\"')\]]|$)"
    r"|;+|:+|[\"`]+|[.!?]+"
)
"""The same for text that is ASCII, as most is, in two thirds of the time."""

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

SHORT = 3
"""The first piece of a cut word, where it is a word too, is not longer."""

LATIN, PUNCTUATION, WIDE_FORMS = "\u036f", ("\u1fff", "\u3040"), "\ud7af"
"""The last letter of Latin kind, what lies between other letters, the last of these."""

SKIPPED, SEVERAL = -1, -2
"""Instead of classes: no word, and more than one."""

MOST_KNOWN = 50_000
"""Words that are remembered from text to text."""

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


class Words:
    """A text as words.

    Attributes:
        masks: The classes of each word and mark.
        tokens: Each of them, as it is spelled; of one that was cut, its first piece.
        lexicon: The words that were looked for.
    """

    def __init__(self, text: str, table: Table) -> None:
        """Read *text*, which is in lower case and ends with a line's end."""
        self._text, self._table = text, table
        self.lexicon = table.lexicon
        self._gone: set[int] = set()
        self._places: list[tuple[int, int]] | None = None
        self._token = ASCII_TOKEN if text.isascii() else TOKEN
        tokens = self._token.findall(text)
        table.meet(tokens)
        masks = list(map(table.__getitem__, tokens))
        if SEVERAL in masks:
            tokens, masks = self._apart(tokens, masks)
        if SKIPPED in masks:
            kept = [each != SKIPPED for each in masks]
            tokens, masks = [*compress(tokens, kept)], [*compress(masks, kept)]
        self._rowed(tokens, masks)
        self.masks = self._joined(tokens, masks)
        if self._gone:
            tokens = [each for at, each in enumerate(tokens) if at not in self._gone]
        self.tokens = self._meant(tokens)

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Return where the words from *first* to *last* stand, both included."""
        places = self.places()
        return places[first][0], places[last][1]

    def places(self) -> list[tuple[int, int]]:
        """Return where each word begins and ends."""
        if self._places is None:
            every = [
                each for each in enumerate(self._found()) if each[0] not in self._gone
            ]
            self._places = [place for _, place in every]
        return self._places

    def _meant(self, tokens: list[str]) -> list[str]:
        """Return *tokens* as they are spelled without a disguise."""
        if spell := self._table.spell:
            return [*map(spell, tokens)]
        meant = self._table.meant
        if meant.keys().isdisjoint(tokens):
            return tokens
        return [meant.get(token, token) for token in tokens]

    def _found(self) -> Iterator[tuple[int, int]]:
        table = self._table
        for match in self._token.finditer(self._text):
            classes = table[match[0]]
            if classes == SEVERAL:
                start = match.start()
                for begin, end, _ in table.several[match[0]]:
                    yield start + begin, start + end
            elif classes != SKIPPED:
                yield match.span()

    def _apart(
        self, tokens: list[str], masks: list[int]
    ) -> tuple[list[str], list[int]]:
        """Put what words are made of in their place."""
        several = self._table.several
        new_tokens: list[str] = []
        new_masks: list[int] = []
        for token, classes in zip(tokens, masks, strict=True):
            if classes == SEVERAL:
                parts = several[token]
                new_tokens += [token[start:end] for start, end, _ in parts]
                new_masks += [each for _, _, each in parts]
            else:
                new_tokens.append(token)
                new_masks.append(classes)
        return new_tokens, new_masks

    def _rowed(self, tokens: list[str], masks: list[int]) -> None:
        """Give words that mean something together the concepts that they are so."""
        rows, spoken, done = self.lexicon.rows, self.lexicon.spoken, 0
        for at in [*compress(range(len(tokens)), map(rows.__contains__, tokens))]:
            if at < done:
                continue
            for others, classes in rows[tokens[at]]:
                end = at + 1 + len(others)
                if (*tokens[at + 1 : end],) == others:
                    masks[at:end] = [each & spoken | classes for each in masks[at:end]]
                    done = end
                    break

    def _joined(self, tokens: list[str], masks: list[int]) -> list[int]:
        """Give a word that was cut in two or three its classes."""
        whole, pieces = self.lexicon.whole, self.lexicon.pieces
        are_pieces = map(pieces.__contains__, tokens)
        for at in [*compress(range(len(tokens)), are_pieces)]:
            joined = tokens[at]
            if (masks[at] and len(joined) > SHORT) or at in self._gone:
                continue
            for more in range(at + 1, min(at + 4, len(tokens))):
                joined += tokens[more].lstrip("-")
                if len(joined) > LONG and (classes := whole.get(joined)):
                    masks[at] = classes
                    self._gone.update(range(at + 1, more + 1))
                    break
        if not self._gone:
            return masks
        return [each for at, each in enumerate(masks) if at not in self._gone]


def _has_others(text: str) -> bool:
    """Tell whether there are letters that are not Latin ones."""
    first, last = PUNCTUATION
    return any(
        LATIN < letter <= first or last <= letter <= WIDE_FORMS for letter in set(text)
    )


_tables: dict[bool, Table] = {}


def words(text: str, spell: Callable[[str], str] | None = None) -> Words:
    """Read *text*, which is folded, as words; each is put through *spell* first."""
    text += "\n"  # so that a mark at its end is followed by something
    has_others = not text.isascii() and _has_others(text)
    lexemes = full_lexicon() if has_others else lexicon()
    if spell:
        return Words(text, Table(lexemes, spell))
    table = _tables.get(has_others)
    if table is None or len(table) > MOST_KNOWN:
        table = _tables[has_others] = Table(lexemes)
    return Words(text, table)
