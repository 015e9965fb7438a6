"""What is written in another way: base64, hex, escapes, letters apart, Morse code.

Each reading is a text of its own with the way back to the original. What is decoded
is bounded: in all no more than the text is long, and at most two readings deep.
"""

from __future__ import annotations

import re
from functools import cache

from crewmem.records import NamedTuple
from crewmem.threats.lazy import lazy
from crewmem.threats.normalise import Text, normal, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crewmem.threats.shape import Shape

BASE64 = lazy(r"[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{16,}){0,400}={0,2}")
RUN = lazy(r"[A-Za-z0-9+/_-]{16,}")

BASE32 = lazy(r"\b[A-Z2-7]{24,}={0,6}")
HEX = lazy(r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]?){10,}")
NUMBERS = lazy(r"(?:\b\d{2,3}[ ,]{1,2}){9,}\d{2,3}\b")
BITS = lazy(r"(?:[01]{8} ?){8,}")
ESCAPE = lazy(
    r"%[C-Fc-f][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){1,3}|%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|\\u\{?[0-9A-Fa-f]{4}\}?|&#\d{2,6};?"
    r"|&#[xX][0-9A-Fa-f]{2,5};?|&(?:nbsp|lt|gt|quot|amp|colon|excl|period|Tab|NewLine);"
)
LETTER = r"(?:[\u1100-\u1112][\u1161-\u1175][\u1100-\u1112]?|\w)"
"""A letter, or a syllable of Korean."""

APART = lazy(rf"(?<!\w){LETTER}(?:[ .\-_*|/]{{1,3}}{LETTER}){{7,200}}(?!\w)")
"""Letters with something between them; what is between words may be more of it."""

JOINED_TEXT = lazy(
    r"[\"'] ?\+ ?(?:\\?\n[ \t]{0,8})?[\"']|(?<=[A-Za-z0-9])\\\r?\n(?=[A-Za-z0-9_])"
)
"""Between two strings that code puts together, and within a word that is wrapped."""

JOINTS = ('"+', '" +', "'+", "' +", "\\\n", "\\\r")
"""One of which is in a text that has it."""

PRINTABLE = 0.92
"""Of a decoded text, what must be letters, digits, marks or spaces."""

SHORTEST = 8
"""Characters that a decoded text has at least."""

FIRST = 8
"""Fours of letters by which a run is judged."""

BYTES = 7
"""Bytes that bits spell at least; each of a letter's has a nought before a one."""

MOST = 2_000
"""Runs that are decoded of each kind; texts with more are not decoded further."""

BYTE = 3
"""Characters of a byte as an address has it; letters of other scripts have several."""

MARGIN = 160
"""Characters around an escape that are read again with it."""

NAMED = {
    "nbsp": " ",
    "lt": "<",
    "gt": ">",
    "quot": '"',
    "amp": "&",
    "colon": ":",
    "excl": "!",
    "period": ".",
    "Tab": " ",
    "NewLine": "\n",
}

FLIPPED = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")


class Reading(NamedTuple):
    """Another way to read a part of a text.

    Attributes:
        disguise: What it was written in.
        text: What it says.
        start: Where in the text that was read the part begins.
        end: Where it ends.
        exact: Whether places in *text* are places in the part, from its start on;
            else the whole part stands for what is found.
    """

    disguise: str
    text: Text
    start: int
    end: int
    exact: bool


def readings(text: str, shape: Shape) -> Iterator[Reading]:
    """Yield the other ways to read *text*, which is in its own case."""
    for disguise, there, pattern, decode in (
        ("base64", shape.long and _is_base64(shape.long), BASE64, _base64),
        ("hex", shape.spells or HEX.search(shape.long), HEX, _hex),
        ("base32", BASE32.search(shape.long), BASE32, _base32),
        ("numbers", shape.spells, NUMBERS, _numbers),
        ("binary", text.count("01") > BYTES, BITS, _bits),
    ):
        for count, run in enumerate(pattern.finditer(text) if there else ()):
            if count >= MOST:
                break
            if decoded := _shown(decode(run[0])):
                yield Reading(disguise, normal(decoded), run.start(), run.end(), False)
    if _has_escapes(text) and ESCAPE.search(text):
        yield from _unescaped(text)
    yield from _single_letters(text, shape)
    if any(map(text.__contains__, JOINTS)) and JOINED_TEXT.search(text):
        pieces = ((each.start(), each.end(), "") for each in JOINED_TEXT.finditer(text))
        yield Reading("joined", replaced(text, pieces), 0, len(text), True)


def _single_letters(text: str, shape: Shape) -> Iterator[Reading]:
    """Yield what is written letter by letter."""
    if shape.is_apart:
        yield from _runs(text, "split", APART, _together)
    if shape.keys:
        from crewmem.threats.morse import MORSE, unkeyed

        yield from _runs(text, "morse", MORSE, unkeyed)


def _runs(
    text: str, disguise: str, pattern: re.Pattern[str], read: Callable[[str], str]
) -> Iterator[Reading]:
    """Yield what *read* makes of the runs of *pattern*."""
    for count, run in enumerate(pattern.finditer(text)):
        if count >= MOST:
            break
        if said := read(run[0]):
            yield Reading(disguise, normal(said), run.start(), run.end(), False)


def _is_base64(words: str) -> bool:
    """Tell whether a run among the long *words* says something."""
    runs = (run for word in words.split("\n") for run in RUN.findall(word))
    return any(_shown(_base64(run[: 4 * FIRST])) for run in runs)


def _has_escapes(text: str) -> bool:
    return (
        "&" in text
        or "\\" in text
        or any(part[:2].isalnum() for part in text.split("%")[1:])
    )


def rotated(word: str) -> str:
    """Return *word* with each letter half an alphabet further."""
    return word.translate(FLIPPED)


def reversed_(word: str) -> str:
    """Return *word* from its end."""
    return word[::-1]


def _shown(content: bytes) -> str:
    """Return *content* as text, if it is some."""
    if len(content) < SHORTEST:
        return ""
    try:
        text = content.decode("utf-16-le" if b"\0" in content[:64] else "utf-8")
    except UnicodeDecodeError:
        return ""
    shown = sum(map(str.isprintable, text)) + text.count("\n") + text.count("\t")
    return text if shown >= PRINTABLE * len(text) else ""


def _base64(run: str) -> bytes:
    from binascii import Error, a2b_base64

    letters = (
        run.replace("-", "+").replace("_", "/").replace("\r", "").replace("\n", "")
    )
    letters = letters.rstrip("=")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return a2b_base64(letters + "=" * (-len(letters) % 4))
    except Error:
        return b""


def _base32(run: str) -> bytes:
    from base64 import b32decode

    letters = run.rstrip("=")
    letters = (
        letters[: len(letters) - len(letters) % 8]
        if len(letters) % 8 in {1, 3, 6}
        else letters
    )
    return b32decode(letters + "=" * (-len(letters) % 8))


def _hex(run: str) -> bytes:
    digits = run.replace("\\x", "").replace("0x", "")
    digits = re.sub("[ ,:]", "", digits)
    return bytes.fromhex(digits[: len(digits) - len(digits) % 2])


def _numbers(run: str) -> bytes:
    numbers = [int(number) for number in re.findall(r"\d+", run)]
    if min(numbers) <= 8 or max(numbers) > 255:  # noqa: PLR2004 - no letters
        return b""
    if max(numbers) < 127:  # noqa: PLR2004 - ASCII
        return bytes(numbers)
    try:
        bytes(numbers).decode()
    except UnicodeDecodeError:  # not bytes, but the letters' own numbers
        return "".join(map(chr, numbers)).encode()
    return bytes(numbers)


def _bits(run: str) -> bytes:
    bits = run.replace(" ", "")
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))


def _unescaped(text: str) -> Iterator[Reading]:
    """Yield the parts of *text* that hold escapes, with these read."""
    for start, end in _windows(text):
        part = text[start:end]
        found = [
            (each.start(), each.end(), _letter(each[0]))
            for each in ESCAPE.finditer(part)
        ]
        yield Reading("escapes", replaced(part, found), start, end, True)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    begin, stop = 0, -1
    for each in ESCAPE.finditer(text):
        start, end = max(each.start() - MARGIN, 0), min(each.end() + MARGIN, len(text))
        if stop < 0:
            begin, stop = start, end
        elif start <= stop:
            stop = end
        else:
            yield begin, stop
            begin, stop = start, end
    if stop >= 0:
        yield begin, stop


@cache
def _letter(escape: str) -> str:
    if escape[0] == "%" and len(escape) > BYTE:
        content = bytes.fromhex(escape.replace("%", ""))
        return normal(content.decode("utf-8", "replace")).text
    if escape[0] == "%" or escape[1] == "x":
        code = int(escape[-2:], 16)
    elif escape[1] == "u":
        code = int(escape[2:].strip("{}"), 16)
    elif escape[1] != "#":
        return NAMED[escape[1:-1]]
    else:
        digits = escape[2:].rstrip(";")
        code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    is_letter = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000  # noqa: PLR2004
    return normal(chr(code)).text if is_letter else " "


def _together(run: str) -> str:
    """Put letters together; where words are not told apart, known ones are."""
    from crewmem.threats.lexicon import lexicon

    between = re.findall(r"[ .\-_*|/]{1,3}", run)
    usual = max(set(between), key=between.count)
    words = [
        re.sub(r"[ .\-_*|/]", "", word)
        for word in re.split(
            r"[ .\-_*|/]{2,3}" if len(usual) == 1 else r"[ |/]{3}", run
        )
    ]
    if usual != " ":  # i-g-n-o-r-e a-l-l
        words = [word.replace(usual, "") for word in re.split(r" {1,3}", run)]
        words = [re.sub(r"[.\-_*|/]", "", word) for word in words]
    if len(words) > 1:
        return " ".join(words)
    return " ".join(_cut(words[0].lower(), lexicon().whole))


def _cut(letters: str, words: dict[str, int]) -> Iterator[str]:
    at, rest = 0, ""
    while at < len(letters):
        for size in range(min(14, len(letters) - at), 1, -1):
            if letters[at : at + size] in words:
                if rest:
                    yield rest
                yield letters[at : at + size]
                at, rest = at + size, ""
                break
        else:
            rest += letters[at]
            at += 1
    if rest:
        yield rest
