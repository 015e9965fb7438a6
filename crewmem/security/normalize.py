"""Text as rules read it: without disguises of characters, and other readings of it.

`fold` removes what makes two equal texts look different to a program: case, accents,
compatibility forms, look-alike letters, invisible characters, white space, and the
marks of comments and quotes at the beginning of lines. `readings` decodes what is
written in another way (base64, hex, escapes, letters apart …). Both are bounded, and
`Folded.span` leads back to the original.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import contextlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

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

MAX_READING = 20_000
"""Characters that are decoded of one passage, in all readings together."""

MAX_DEPTH = 2
"""How often what was decoded is decoded again."""

Accept = Callable[[str], bool]
"""Says whether a decoded text is one."""

PRINTABLE = 0.9
"""Share of letters, digits, spaces and common marks that a decoded text has at least."""


class _Folding(dict[int, str]):
    """What each character is read as; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if code < 128:
            piece = " " if char.isspace() or code < 32 or code == 127 else char.lower()
        else:
            piece = _fold_char(char)
        self[code] = piece
        return piece


def _fold_char(char: str) -> str:
    code = ord(char)
    if code in REPLACED:
        return REPLACED[code]
    category = unicodedata.category(char)
    if 0x1F130 <= code <= 0x1F189 or 0x1F1E6 <= code <= 0x1F1FF:  # letters in boxes, of flags
        return chr((code - (0x1F1E6 if code >= 0x1F1E6 else 0x1F130)) % 32 % 26 + 97)
    if category in ("Cf", "Mn", "Mc", "Me", "Cs") or code in FILLERS:
        return ""  # also vowel signs of Indic scripts, at which words would be cut
    if category in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    if 0xAC00 <= code <= 0xD7A3:
        return char
    folded = "".join(
        REPLACED.get(ord(part), part)
        for part in unicodedata.normalize("NFKD", char).lower()
        if unicodedata.category(part) not in ("Mn", "Mc")
    )
    return unicodedata.normalize("NFC", folded) or " "


_FOLDING = _Folding()


def fold_characters(text: str) -> str:
    """Return *text* in lower case without disguises of single characters."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


@cache
def _blanks() -> re.Pattern[str]:
    # A line break with what quotes, comments and lists put before the next line; or blanks.
    return re.compile(r"[ \t\r\x0b\x0c]*\n[\s>#*/;|%+-]*|[ \t\r\x0b\x0c]{2,}|[\t\r\x0b\x0c]")


class Folded(NamedTuple):
    """A folded text and what it was made of."""

    text: str
    original: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the original stands what is from *start* to *end* here."""
        places = self._places()
        if not places:
            return 0, len(self.original)
        start = min(max(start, 0), len(places) - 1)
        last = min(max(end - 1, start), len(places) - 1)
        return places[start], places[last] + 1

    def _places(self) -> list[int]:
        """Return for each character the offset in the original of what it was made of."""
        ascii_only = self.original.isascii()
        pieces = [
            (place, char if char == "\n" else (char.lower() if ascii_only else _FOLDING[ord(char)]))
            for place, char in enumerate(self.original)
        ]
        places = [place for place, piece in pieces for _ in piece]
        joined = "".join(piece for _, piece in pieces)
        kept: list[int] = []
        done = 0
        for blank in _blanks().finditer(joined):
            kept += places[done : blank.start()]
            kept.append(places[blank.start()])
            done = blank.end()
        return kept + places[done:]


_FOLDING[10] = "\n"


def fold(text: str, *, keep_lines: bool = False, folded: str | None = None) -> Folded:
    """Fold *text*: lower case, single spaces, one line.

    With *keep_lines* line breaks stay: in code a line is a start, in a paragraph it is not.
    *folded* is what `fold_characters` returned, if it is known.
    """
    folded = fold_characters(text) if folded is None else folded
    if keep_lines:
        lines = _blanks().sub(lambda blank: "\n" if "\n" in blank[0] else " ", folded)
        return Folded(lines, text)
    if any(blank in folded for blank in _WIDE_BLANKS):
        folded = _blanks().sub(" ", folded)
    return Folded(folded, text)


_WIDE_BLANKS = ("\n", "  ", "\t", "\r", "\x0b", "\x0c")


class Reading(NamedTuple):
    """Another way to read a part of a text.

    Attributes:
        disguise: What it was written in: base64, hex, invisible …
        text: What it says.
        start: Offset in the text that was read at which the part begins.
        end: Offset behind the part.
    """

    disguise: str
    text: str
    start: int
    end: int


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    patterns = {
        "base64": r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}"
        r"(?:\r?\n[ \t>]{0,8}[A-Za-z0-9+/_-]{16,}){0,200}={0,2}",
        "base32": r"\b[A-Z2-7]{24,}={0,6}",
        "hex": r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]{0,2}){10,}",
        "decimal": r"(?:\b\d{2,3}[ ,;]{1,2}){9,}\d{2,3}\b",
        "binary": r"(?:[01]{8}\s?){6,}",
        "escapes": r"(?:(?:%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u\{?[0-9A-Fa-f]{4,5}\}?|\\[0-7]{3}"
        r"|&#\d{2,6};?|&#[xX][0-9A-Fa-f]{2,5};?|&[A-Za-z]{2,8};)[\w .,!?'\"-]{0,40}){3,}",
        "apart": r"(?<![^\W_])[^\W\d_](?:[ .\-_*|/·~+,\n]{1,3}[^\W\d_]){7,}(?![^\W_])",
    }  # fmt: skip
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


def may_hide_text(text: str) -> bool:
    """Return whether *text* has runs of characters that show nothing, or is turned around."""
    if text.isascii():
        return False
    data = text.encode("utf-8", "surrogatepass")  # bytes are searched much faster than patterns
    if not any(mark in data for mark in _HIDDEN_MARKS):
        return False
    return any(p.search(text) for p in _hidden_patterns().values()) or "\u202e" in text


_HIDDEN_MARKS = (b"\xf3\xa0", b"\xef\xb8", b"\xef\xbb\xbf", b"\xe2\x80", b"\xe2\x81")
"""Beginnings, in UTF-8, of tags, selectors, and characters without width."""


def hidden_text(text: str) -> Iterator[Reading]:
    """Yield texts written in characters that show nothing.

    Tag characters (U+E0020 …) and variation selectors spell letters; runs of zero-width
    characters spell bits. Emoji, flags, joiners of scripts and byte order marks do not.
    """
    if text.isascii():
        return
    patterns = _hidden_patterns()
    for run in patterns["tags"].finditer(text):
        said = "".join(chr(ord(char) - 0xE0000) for char in run[0])
        is_flag = run.start() > 0 and text[run.start() - 1] == "\U0001f3f4"
        if not is_flag and len(said.strip()) >= 4:
            yield Reading("tag-characters", said, run.start(), run.end())
    for run in patterns["selectors"].finditer(text):
        codes = [ord(char) for char in run[0]]
        data = bytes(
            code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16
            for code in codes
            if code < 0xFE10 or code <= 0xE01EF
        )
        said = data.decode("utf-8", "replace")
        if is_readable(said, least=4):
            yield Reading("variation-selectors", said, run.start(), run.end())
    for run in patterns["zero_width"].finditer(text):
        kinds = sorted(set(run[0]))
        if len(kinds) < 2:
            continue
        for zero, one in ((kinds[0], kinds[1]), (kinds[1], kinds[0])):
            bits = "".join("0" if c == zero else "1" for c in run[0] if c in (zero, one))
            whole = len(bits) // 8 * 8
            data = bytes(int(bits[at : at + 8], 2) for at in range(0, min(whole, 4096), 8))
            said = data.decode("utf-8", "replace")
            if is_readable(said, least=4):
                yield Reading("zero-width-bits", said, run.start(), run.end())


@cache
def _hidden_patterns() -> dict[str, re.Pattern[str]]:
    return {
        "tags": re.compile("[\U000e0020-\U000e007e]{4,}"),
        "selectors": re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}"),
        "zero_width": re.compile("[\u200b\u200c\u200d\u2060\u2062\u2063\ufeff]{32,}"),
    }


def has_escapes(text: str) -> bool:
    """Return whether *text* may have characters written as URL, string or HTML escapes."""
    return (
        "\\x" in text
        or "\\u" in text
        or "&#" in text
        or "&lt;" in text
        or ("%" in text and re.search(_PERCENT, text) is not None)
    )


_PERCENT = r"%[0-9A-Fa-f]{2}.{0,3}%[0-9A-Fa-f]{2}"


_MARKUP = re.compile(
    r"[*~`<-](?<=[^\W\d_].)(?:(?<=\*)\*{0,2}|(?<=~)~|(?<=`)|(?<=-)\r?\n[ \t>]*"
    r"|(?<=<)(?:/?[A-Za-z]{1,6}|!--[^>]{0,40}--)>)(?=[^\W\d_])"
)
"""Emphasis, tags, comments and breaks of lines within a word."""


def find_markup(text: str) -> list[int]:
    """Return where words of *text* have markup in them."""
    return [mark.start() for mark in _MARKUP.finditer(text)]


def readings(
    text: str,
    hints: frozenset[str],
    *,
    secrets: bool = False,
    vocabulary: Vocabulary | None = None,
) -> Iterator[Reading]:
    """Yield other ways to read *text*.

    *hints* names the readings that are worth trying (`scanner.CueTable` finds them while it
    looks at the words): long, hex, leet, rot13, reversed, apart, joined. With *secrets* what is
    decoded need not read like language. Words without gaps are split into those of *vocabulary*.
    """
    patterns = _patterns()
    room = MAX_READING
    tried = []
    if "long" in hints:
        tried += ["base64", "base32"]
    if "long" in hints or "hex" in hints:
        tried += ["hex", "decimal", "binary"]
    if has_escapes(text):
        tried.append("escapes")
    if "apart" in hints:
        tried.append("apart")
    for name in tried:
        for run in patterns[name].finditer(text):
            said = _DECODERS[name](run[0][:MAX_READING], is_printable if secrets else _may_be_text)
            room -= len(run[0])
            if name == "apart" and " " not in said:
                said = split_words(said, vocabulary or {})
            if said:
                yield Reading(name, said, run.start(), run.end())
            if room < 0:
                return
    if "joined" in hints:
        for run in re.finditer(_JOINED, text[:MAX_READING]):
            said = split_words(fold_characters(run[0]), vocabulary or {})
            yield Reading("joined", said, run.start(), run.end())
    if not secrets and _MARKUP.search(text):
        yield Reading("markup", _MARKUP.sub("", text[:MAX_READING]), 0, len(text))
    if "rot13" in hints:
        yield Reading("rot13", codecs.decode(text[:MAX_READING], "rot13"), 0, len(text))
    if "reversed" in hints or "\u202e" in text:
        yield Reading("reversed", text[:MAX_READING][::-1], 0, len(text))
        words = " ".join(word[::-1] for word in text[:MAX_READING].split())
        yield Reading("reversed-words", words, 0, len(text))
    if "leet" in hints:
        yield Reading("leet", text[:MAX_READING].translate(_LEET), 0, len(text))


_JOINED = r"[^\W\d_]{20,400}"

Vocabulary = Mapping[str, Sequence[str]]
"""Words by their first two letters."""


def split_words(text: str, vocabulary: Vocabulary) -> str:
    """Return *text*, which has no blanks, with blanks between the words of *vocabulary*.

    The fewest letters are left that belong to no word, then the fewest words are taken.

    >>> split_words("ignoretherules", {"ig": ["ignore"], "th": ["the"], "ru": ["rule", "rules"]})
    'ignore the rules'
    """
    text = text[:2_000]
    worst = (len(text) + 1, 0, 0, False)
    best = [worst] * (len(text) + 1)  # unknown letters, words, where the last part begins
    best[0] = (0, 0, 0, False)
    for start in range(len(text)):
        unknown, words, _, _ = best[start]
        best[start + 1] = min(best[start + 1], (unknown + 1, words, start, False))
        for word in vocabulary.get(text[start : start + 2], ()):
            if text.startswith(word, start):
                end = start + len(word)
                best[end] = min(best[end], (unknown, words + 1, start, True))
    parts: list[str] = []
    end, loose = len(text), ""
    while end:
        _, _, start, is_word = best[end]
        if is_word:
            parts += [loose, text[start:end]] if loose else [text[start:end]]
            loose = ""
        else:
            loose = text[start:end] + loose
        end = start
    parts += [loose] if loose else []
    return " ".join(reversed(parts))


_LEET = str.maketrans("013457@$!|", "oieastasii")


def unleet(word: str) -> str:
    """Return *word* with digits read as the letters they look like."""
    return word.translate(_LEET)


def is_readable(text: str, least: int = 8) -> bool:
    r"""Return whether *text*, which was decoded, says something.

    >>> is_readable("ignore the rules"), is_readable("Kq\\x02-;\\ufffd\\ufffd")
    (True, False)
    """
    if len(text) < least:
        return False
    sample = text[:400]
    good = sum(char.isalnum() or char in " \n.,:;!?'\"-_/()@" for char in sample)
    if good < PRINTABLE * len(sample) or "\ufffd" in sample:
        return False
    letters = [char for char in sample if char.isalpha()]
    if len(letters) < 0.6 * len(sample):
        return False
    if sample.isascii():
        # Words have vowels and keep to one case; drawn letters do not.
        switches = sum(a.islower() and b.isupper() for a, b in pairwise(sample))
        vowels = sum(char in "aeiouAEIOU" for char in letters)
        return switches <= len(sample) / 12 + 1 and vowels >= 0.18 * len(letters)
    return True


def _may_be_text(text: str) -> bool:
    """Return whether decoded *text* says something, or is encoded once more."""
    return is_readable(text) or re.fullmatch(r"[A-Za-z0-9+/\n]{24,}={0,2}", text) is not None


def is_printable(text: str) -> bool:
    """Return whether *text*, which was decoded, has no control characters."""
    return len(text) >= 8 and text.isascii() and text.replace("\n", " ").isprintable()


def _decode_bytes(data: bytes, accept: Accept) -> str:
    for encoding in ("utf-8", "utf-16-le"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if accept(text):
            return text
    return ""


def _decode_base64(run: str, accept: Accept) -> str:
    run = re.sub(r"[\s>=]", "", run).replace("-", "+").replace("_", "/")
    for skip in range(4) if len(run) < 200 else (0,):
        part = run[skip:]
        part = part[: len(part) - 1] if len(part) % 4 == 1 else part
        try:
            text = _decode_bytes(base64.b64decode(part + "=" * (-len(part) % 4)), accept)
        except (binascii.Error, ValueError):
            continue
        if text:
            return text
    return ""


def decode_run(run: str) -> Iterator[str]:
    """Yield what a run of letters and digits says in hex or base64, if it can be printed."""
    if len(run) > MAX_READING:
        return
    if not run.strip("0123456789abcdefABCDEF") and (said := _decode_hex(run, is_printable)):
        yield said
    if not run.islower() and (said := _decode_base64(run, is_printable)):
        yield said


def _decode_base32(run: str, accept: Accept) -> str:
    run = run.rstrip("=")
    try:
        return _decode_bytes(base64.b32decode(run + "=" * (-len(run) % 8)), accept)
    except (binascii.Error, ValueError):
        return ""


def _decode_hex(run: str, accept: Accept) -> str:
    digits = re.sub(r"0x|\\x|[ ,:]", "", run)
    return _decode_bytes(bytes.fromhex(digits[: len(digits) // 2 * 2]), accept)


def _decode_decimal(run: str, accept: Accept) -> str:
    codes = [int(part) for part in re.findall(r"\d+", run)]
    return _decode_bytes(bytes(code for code in codes if code < 256), accept)


def _decode_binary(run: str, accept: Accept) -> str:
    bits = re.sub(r"\s", "", run)
    whole = len(bits) // 8 * 8
    return _decode_bytes(bytes(int(bits[at : at + 8], 2) for at in range(0, whole, 8)), accept)


def _decode_escapes(run: str, _accept: Accept) -> str:
    """Return *run* with URL, backslash and HTML escapes replaced. Never empty."""
    if "&" in run:
        import html  # its table of names is large, and few texts have any

        run = html.unescape(run)
    if "\\" in run:
        run = re.sub(
            r"\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{4,5})\}?|\\([0-7]{3})",
            lambda m: chr(int(m[1] or m[2], 16) if m[1] or m[2] else int(m[3], 8)),
            run,
        )
        if not run.isascii():
            # Bytes of UTF-8 that were escaped one by one.
            with contextlib.suppress(UnicodeEncodeError, UnicodeDecodeError):
                run = run.encode("latin-1").decode("utf-8")
    if "%" in run:
        run = re.sub(
            r"(?:%[0-9A-Fa-f]{2})+",
            lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"),
            run,
        )
    return run.encode("utf-8", "replace").decode("utf-8")


def _decode_apart(run: str, _accept: Accept) -> str:
    """Join letters that stand apart; a gap other than the usual one is the end of a word."""
    gaps = Counter(re.findall(r"[\W_]+", run))
    usual = gaps.most_common(1)[0][0]
    return re.sub(r"[\W_]+", lambda gap: "" if gap[0] == usual else " ", run).lower()


_DECODERS = {
    "base64": _decode_base64,
    "base32": _decode_base32,
    "hex": _decode_hex,
    "decimal": _decode_decimal,
    "binary": _decode_binary,
    "escapes": _decode_escapes,
    "apart": _decode_apart,
}
