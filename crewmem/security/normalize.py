"""Text as rules and the classifier read it: without disguises of characters.

`fold` removes what makes two equal texts look different to a program: case, accents,
compatibility forms, look-alike letters, invisible characters, white space, and the
marks of comments and quotes at the beginning of lines. `Folded.span` leads back to the
original. What is written in another way altogether is read by `readings`.
"""

import re
import unicodedata
from functools import cached_property

LOOKALIKES = {
    "a": "аαɑᴀⲁ∂", "b": "ЬВвʙᏏЪ", "c": "сϲᴄⅽⲥϹС", "d": "ԁᴅⅾԀ", "e": "еҽєᴇ℮ΕεЕ", "f": "ꜰƒϝ",
    "g": "ɡɢցԍ", "h": "һʜНнΗ", "i": "іιɪıΙІӏ", "j": "јᴊϳЈ", "k": "κкᴋΚКⲕ", "l": "ʟⅼ∣ⳑ",
    "m": "мᴍⅿΜМ", "n": "ոɴηпΝ", "o": "оοσᴏօΟОⲟ", "p": "рρᴘΡРⲣ", "q": "ԛզ", "r": "гʀᴦ",
    "s": "ѕꜱʂЅ", "t": "тτᴛΤТ", "u": "υսᴜцμ", "v": "νѵᴠⅴ", "w": "ԝωᴡшɯ", "x": "хχⅹΧХ",
    "y": "уγʏүΥУ", "z": "ᴢΖ",
}  # fmt: skip
"""Letters of other scripts that are taken for Latin ones. Rules are folded in the same
way, so the languages of those letters lose nothing."""

REPLACED = {
    **{ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"},
    **{ord(quote): "'" for quote in "\u2018\u2019\u201b\u02bc\u0060\u00b4"},
    **{ord(quote): '"' for quote in "\u201c\u201d\u201e\u201f\u00ab\u00bb"},
    **dict(zip(map(ord, "đøłßæœħ"), ["d", "o", "l", "ss", "ae", "oe", "h"], strict=True)),
    **{ord(other): letter for letter, others in LOOKALIKES.items() for other in others},
}

FILLERS = frozenset(map(ord, "\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u2800"))
"""Characters that show nothing although Unicode calls them letters or symbols."""

MARKS = frozenset("。、।「」")
"""Marks that end a sentence, or quote. Others that are not ASCII are read as blanks: arrows, emoji
and dots would make a text of ASCII one that is read several times as slowly."""


class _Folding(dict[int, str]):
    """What each character is read as; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        piece = self[code] = _fold_character(chr(code))
        return piece


def _fold_character(char: str) -> str:
    code = ord(char)
    if code in REPLACED:
        return REPLACED[code]
    if 0x1F130 <= code <= 0x1F189 or 0x1F1E6 <= code <= 0x1F1FF:  # letters in boxes, of flags
        return chr((code - (0x1F1E6 if code >= 0x1F1E6 else 0x1F130)) % 32 % 26 + 97)
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    if category in ("Cf", "Mn", "Mc", "Me", "Cs") or code in FILLERS:
        return ""  # also vowel signs of Indic scripts, at which words would be cut
    if 0xAC00 <= code <= 0xD7A3:
        return char
    folded = "".join(
        REPLACED.get(ord(part), part)
        for part in unicodedata.normalize("NFKD", char).lower()
        if unicodedata.category(part) not in ("Mn", "Mc")
    )
    if category[0] in "PS" and folded == char and not char.isascii() and char not in MARKS:
        return " "
    return unicodedata.normalize("NFC", folded) or " "


_FOLDING = _Folding({10: "\n"})


def fold_characters(text: str) -> str:
    """Return *text* in lower case without disguises of single characters. Line breaks stay."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


_BLANKS = re.compile(
    r"[ \t\r\x0b\x0c\n](?:(?<=\n)[\s>#*/;|%+-]*|[ \t\r\x0b\x0c]*\n[\s>#*/;|%+-]*"
    r"|[ \t\r\x0b\x0c]+|(?<=[\t\r\x0b\x0c]))"
)
"""A line break with what quotes, comments and lists put before the next line; or blanks other than
a single space. It begins with a set, so that it is found fast."""


SENTENCE_END = re.compile(r"[.!?] |\n|。|।")
"""Where a sentence of a folded text ends."""


class Folded:
    """A folded text and what it was made of."""

    def __init__(self, text: str, original: str) -> None:
        self.text = text
        self.original = original

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the original stands what is from *start* to *end* here."""
        places = self.places
        if not places:
            return 0, len(self.original)
        start = min(max(start, 0), len(places) - 1)
        last = min(max(end - 1, start), len(places) - 1)
        return places[start], places[last] + 1

    @cached_property
    def places(self) -> list[int]:
        """For each character the offset in the original of what it was made of."""
        pieces = list(self.original)
        if not self.original.isascii():
            pieces = [fold_characters(char) for char in pieces]
        places = [place for place, piece in enumerate(pieces) for _ in piece]
        kept: list[int] = []
        done = 0
        for blank in _BLANKS.finditer("".join(pieces)):
            kept += places[done : blank.start() + 1]
            done = blank.end()
        return kept + places[done:]


def fold(text: str, *, keep_lines: bool = False) -> Folded:
    """Fold *text*: lower case, single spaces, one line.

    With *keep_lines* line breaks stay: in code a line is a start, in a paragraph it is not.
    """
    folded = _BLANKS.sub(
        lambda blank: "\n" if keep_lines and "\n" in blank[0] else " ", fold_characters(text)
    )
    return Folded(folded, text)
