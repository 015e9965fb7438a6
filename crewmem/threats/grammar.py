"""Reading text as classes of words.

Each word is looked up once, however often it stands there, and a text becomes a list
of numbers, so that most texts cost little more than being cut into words.
"""

from __future__ import annotations

import re
from itertools import compress

from crewmem.threats.lazy import lazy
from crewmem.threats.lexicon import LONG, full_lexicon, lexicon
from crewmem.threats.lookup import SEVERAL, SKIPPED, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

SHORT = 3
"""The first piece of a cut word, where it is a word too, is not longer."""

LATIN, PUNCTUATION, WIDE_FORMS = "\u036f", ("\u1fff", "\u3040"), "\ud7af"
"""The last letter of Latin kind, what lies between other letters, the last of these."""

MOST_KNOWN = 50_000
"""Words that are remembered from text to text."""


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
