"""Fold text for the rules and the classifier.

`fold` removes differences that a reader would not see: case, accents, compatibility forms,
look-alike letters, invisible characters, white space, and the marks of comments and quotes at the
start of lines. `Folded.span` maps offsets back to the original. `decoding` handles encoded text.
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
"""Letters of other scripts that look like Latin ones. Rules are folded, too, so that rules in the
languages of those letters still match."""

REPLACEMENTS = {
    **{ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"},
    **{ord(quote): "'" for quote in "\u2018\u2019\u201b\u02bc\u00b4"},
    **{ord(quote): '"' for quote in "\u201c\u201d\u201e\u201f\u00ab\u00bb"},
    **dict(zip(map(ord, "đøłßæœħ"), ["d", "o", "l", "ss", "ae", "oe", "h"], strict=True)),
    **{ord(other): letter for letter, others in LOOKALIKES.items() for other in others},
}

FILLERS = frozenset(map(ord, "\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u2800"))
"""Invisible characters that Unicode classes as letters or symbols."""

KEPT_MARKS = frozenset("。、।「」")
"""Sentence ends and quotation marks to keep. Other non-ASCII symbols become spaces: with arrows,
emoji or dots, an ASCII text would be scanned several times as slowly."""


class _Folding(dict[int, str]):
    """Folded form of each character, computed when it first occurs."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(char: str) -> str:
    code = ord(char)
    if code in REPLACEMENTS:
        return REPLACEMENTS[code]
    if 0x1F130 <= code <= 0x1F189 or 0x1F1E6 <= code <= 0x1F1FF:  # letters in boxes, of flags
        return chr((code - (0x1F1E6 if code >= 0x1F1E6 else 0x1F130)) % 32 % 26 + 97)
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    if category in ("Cf", "Mn", "Mc", "Me", "Cs") or code in FILLERS:
        return ""  # includes vowel signs of Indic scripts, which would split words
    if 0xAC00 <= code <= 0xD7A3:
        return char
    folded = "".join(
        REPLACEMENTS.get(ord(part), part)
        for part in unicodedata.normalize("NFKD", char).lower()
        if unicodedata.category(part) not in ("Mn", "Mc")
    )
    if category[0] in "PS" and folded == char and not char.isascii() and char not in KEPT_MARKS:
        return " "
    return unicodedata.normalize("NFC", folded) or " "


_FOLDING = _Folding()
# Backticks, and all but ASCII. A set up to the last character would take long to compile.
_FOLDED = re.compile("[^\x00-_a-\x7f]+")


def fold_characters(text: str) -> str:
    """Return *text* in lower case, other characters than ASCII folded."""
    if not text.isascii():
        text = _FOLDED.sub(lambda run: run[0].translate(_FOLDING), text)
    return text.lower()


_BLANKS = re.compile(
    r"[ \t\r\x0b\x0c\n](?:(?<=\n)[\s>#*/;|%+-]*|[ \t\r\x0b\x0c]*\n[\s>#*/;|%+-]*"
    r"|[ \t\r\x0b\x0c]+|(?<=[\t\r\x0b\x0c]))"
)
"""A line break with the quote, comment or list marks of the next line; or white space other than a
single space. A pattern that begins with a set is found faster."""


SENTENCE_ENDS = (". ", "! ", "? ", "。", "।")
"""Ends of sentences within a line of folded text."""


class Folded:
    """A folded text and its original."""

    def __init__(self, text: str, original: str) -> None:
        self.text = text
        self.original = original

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that corresponds to *start* … *end* here."""
        offsets = self.offsets
        if not offsets:
            return 0, len(self.original)
        start = min(max(start, 0), len(offsets) - 1)
        last = min(max(end - 1, start), len(offsets) - 1)
        return offsets[start], offsets[last] + 1

    @cached_property
    def offsets(self) -> list[int]:
        """For each character of the folded text, its offset in the original."""
        characters = list(self.original)
        if not self.original.isascii():
            characters = [fold_characters(char) for char in characters]
        offsets = [offset for offset, folded in enumerate(characters) for _ in folded]
        kept: list[int] = []
        end = 0
        for blank in _BLANKS.finditer("".join(characters)):
            kept += offsets[end : blank.start() + 1]
            end = blank.end()
        return kept + offsets[end:]


def fold(text: str) -> Folded:
    """Fold *text*: lower case, single spaces and line breaks."""
    folded = _BLANKS.sub(lambda blank: "\n" if "\n" in blank[0] else " ", fold_characters(text))
    return Folded(folded, text)
