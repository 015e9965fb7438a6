"""Text as rules read it, and the way back to where it stood in the original.

Compatibility forms, accents, look-alike letters and invisible characters go. Most
texts are ASCII and are their own normal form; of others each distinct character is
looked up once, so the cost is that of ``str.translate``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DROPPED = frozenset({"Cf", "Mn", "Mc", "Me"})
"""Categories that leave no letter behind: joiners, overrides, accents."""

FILLERS = frozenset(map(ord, "\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5"))
"""What is shown as nothing, and is none of these categories."""

FEW = 8
"""Characters that are faster replaced one by one."""

SPACES = frozenset({"Zs", "Zl", "Zp"})


class Text(NamedTuple):
    """A text made of another one.

    Attributes:
        text: What rules read, in the case of the original.
        folded: The same in lower case, as long.
        edges: Where in *text* the distance to the original changes, ascending.
        origins: For each edge, the place in the original.
        lengths: For each edge, how much of the original became one piece; 0 where
            what follows stands as it did.
    """

    text: str
    folded: str
    edges: list[int]
    origins: list[int]
    lengths: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the original stands what is from *start* to *end* here."""
        if not self.edges:
            return start, end
        return self._at(start)[0], self._at(max(end - 1, start))[1]

    def _at(self, place: int) -> tuple[int, int]:
        edge = bisect_right(self.edges, place) - 1
        if edge < 0:
            return place, place + 1
        origin, length = self.origins[edge], self.lengths[edge]
        if length:
            return origin, origin + length
        origin += place - self.edges[edge]
        return origin, origin + 1


def plain(text: str) -> Text:
    """Return *text* as it is."""
    return Text(text, lowered(text), [], [], [])


def lowered(text: str) -> str:
    """Return *text* in lower case and as long as it was."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := each.lower()) == 1 else each for each in text)


def normal(text: str) -> Text:
    """Return *text* without disguises of characters."""
    if text.isascii():
        return plain(text)
    table = {
        code: piece
        for code in map(ord, set(text))
        if code > 127 and (piece := _piece(code)) != chr(code)  # noqa: PLR2004 - ASCII
    }
    uneven = "".join(chr(code) for code, piece in table.items() if len(piece) != 1)
    if not uneven and len(table) <= FEW:
        for code, piece in table.items():
            text = text.replace(chr(code), piece)
        return plain(text)
    if not uneven:
        return plain(text.translate(table))
    parts = re.compile(f"[{re.escape(uneven)}]+").finditer(text)
    return replaced(
        text,
        ((part.start(), part.end(), part[0].translate(table)) for part in parts),
        table,
    )


def replaced(
    text: str,
    pieces: Iterable[tuple[int, int, str]],
    table: dict[int, str] | None = None,
) -> Text:
    """Return *text* with *pieces* (start, end, what stands there), in their order.

    What is between them goes through *table*.
    """
    parts: list[str] = []
    edges, origins, lengths = [0], [0], [0]
    done = size = 0
    for start, end, piece in pieces:
        kept = text[done:start]
        parts += kept.translate(table) if table else kept, piece
        size += len(kept)
        if piece:
            edges.append(size)
            origins.append(start)
            lengths.append(end - start)
            size += len(piece)
        edges.append(size)
        origins.append(end)
        lengths.append(0)
        done = end
    rest = text[done:]
    parts.append(rest.translate(table) if table else rest)
    joined = "".join(parts)
    return Text(joined, lowered(joined), edges, origins, lengths)


def folded(word: str) -> str:
    """Return a *word* of a rule as texts are read."""
    return normal(word).folded


@cache
def _piece(code: int) -> str:
    """Return what a character is read as; "" for one that is not seen."""
    from crewmem.threats.familiar import FAMILIAR

    known = FAMILIAR.get(code)
    return _asked(code) if known is None else known


def _asked(code: int) -> str:
    """Return the same, from what is known of all characters."""
    from unicodedata import normalize

    from crewmem.threats.confusables import READ_AS

    letter = chr(code)
    if code in FILLERS:
        return ""
    if code in READ_AS:
        read = READ_AS[code]
    else:
        read = "".join(map(_letter, normalize("NFKD", letter).casefold()))
    return read.upper() if letter.isupper() else read


def _letter(letter: str) -> str:
    from unicodedata import category

    from crewmem.threats.confusables import READ_AS

    if (code := ord(letter)) in READ_AS:
        return READ_AS[code]
    kind = category(letter)
    if kind in DROPPED:
        return ""
    return " " if kind in SPACES else letter
