"""Other ways to read a text: what is written in base64, hex, escapes or letters apart.

`readings` says what a passage says when it is decoded, `hidden_text` what it says in characters
that show nothing. Both are bounded.
"""

import base64
import codecs
import contextlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from crewmem.security.normalize import fold_characters

MAX_READING = 20_000
"""Characters that are decoded of one passage, in all readings together."""

LONG, VERY_LONG = 16, 28
"""Characters from which on a word may be encoded text: with a digit in it, and without."""

TELLTALES = frozenset(
    Path(__file__).with_name("data").joinpath("telltales.txt").read_text("utf-8").split()
)
"""Words by which text that is written backwards, shifted or with digits is noticed."""

MIN_SIGNS = {"apart": 4, "hex": 2}
"""Different signs of a reading that a passage has at least; of the others one is enough."""

_LEET = str.maketrans("013457@$!|", "oieastasii")

_LOOKS = {"o": "o0", "i": "i1", "e": "e3", "a": "a4", "s": "s5", "t": "t7"}


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
def load_signs() -> tuple[frozenset[str], dict[str, str]]:
    """Return words that suggest that a text is written in another way, and in which.

    They are returned as a set, too: what two sets share is found three times as fast.
    """
    found = dict.fromkeys("gruowkinets", "apart")
    found |= dict.fromkeys(("6e", "6f", "65", "74", "0x6e", "0x6f", "0x65", "0x74"), "hex")
    for word in TELLTALES:
        found |= dict.fromkeys(map("".join, product(*(_LOOKS.get(c, c) for c in word))), "leet")
        found[word[::-1]] = "reversed"
        found[codecs.encode(word, "rot13")] = "rot13"
    found = {word: name for word, name in found.items() if word not in TELLTALES}
    return frozenset(found), found


def find_hints(words: Collection[str]) -> set[str]:
    """Return which readings are worth trying of a text with *words*, once it is folded."""
    signs, names = load_signs()
    hints = set()
    if present := signs.intersection(words):
        counts = Counter(map(names.__getitem__, present))
        hints = {name for name, count in counts.items() if count >= MIN_SIGNS.get(name, 1)}
    if max(map(len, words), default=0) >= LONG:
        long = [word for word in words if len(word) >= LONG]
        if any(not word.isalpha() or len(word) >= VERY_LONG for word in long):
            hints |= {"base64", "hex"}
    return hints


def find_marks(text: str) -> set[str]:
    """Return which readings are worth trying of *text* for what stands between its words.

    A part of it has no other marks.
    """
    marks = set()
    if has_escapes(text):
        marks.add("escapes")
    if "\u202e" in text:
        marks.add("reversed")
    return marks


# The patterns of this module are compiled when a text first needs one: who only redacts secrets
# needs none of them.

_ESCAPE = (
    r"[%\\&](?:(?<=%)[0-9A-Fa-f]{2}|(?<=\\)(?:x[0-9A-Fa-f]{2}|u\{?[0-9A-Fa-f]{4,5}\}?)"
    r"|(?<=&)(?:#\d{2,6};?|#[xX][0-9A-Fa-f]{2,5};?|[A-Za-z]{2,8};))[\w .,!?'\"-]{0,40}"
)
"""An escaped character and what follows it. It begins with a set, so that it is found fast."""

_RUNS = {
    "base64": r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}"
    r"(?:\r?\n[ \t>]{0,8}[A-Za-z0-9+/_-]{16,}){0,200}={0,2}",
    "hex": r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]{0,2}){10,}",
    "escapes": _ESCAPE + "(?:" + _ESCAPE + "){2,}",
    "apart": r"(?<![^\W_])[^\W\d_](?:[ \u2000-\u200a.\-_*|/·~+,\n]{1,3}[^\W\d_]){7,}(?![^\W_])",
}
"""Where a reading that is written within a text may stand."""

_PERCENT = r"%[0-9A-Fa-f]{2}.{0,3}%[0-9A-Fa-f]{2}"


def has_escapes(text: str) -> bool:
    """Return whether *text* may have characters written as URL, string or HTML escapes."""
    return (
        "\\x" in text
        or "\\u" in text
        or "&#" in text
        or "&lt;" in text
        or ("%" in text and re.search(_PERCENT, text) is not None)
    )


def is_text(text: str) -> bool:
    """Return whether *text*, which was decoded, can be printed. Drawn bytes seldom can."""
    return len(text) >= 4 and text.replace("\n", " ").isprintable() and "\ufffd" not in text


def readings(
    text: str, hints: Collection[str], vocabulary: frozenset[str] = frozenset()
) -> Iterator[Reading]:
    """Yield other ways to read *text*, those of *hints*.

    Letters without gaps are split into words of *vocabulary*.
    """
    room = MAX_READING
    for name, decode in _DECODERS.items():
        if name not in hints:
            continue
        for run in re.finditer(_RUNS[name], text):
            said = decode(run[0][:MAX_READING])
            room -= len(run[0])
            if name == "apart" and " " not in said:
                said = split_joined(fold_characters(said), vocabulary)
            if said:
                yield Reading(name, said, run.start(), run.end())
            if room < 0:
                return
    short = text[:MAX_READING]
    for name, read in _WHOLE.items():
        if name in hints:
            yield Reading(name, read(short), 0, len(text))


def split_joined(text: str, vocabulary: frozenset[str]) -> str:
    """Return *text*, which has no blanks, with blanks around the longest words of *vocabulary*.

    >>> split_joined("ignoretherules", frozenset({"ignore", "the", "rule", "rules"}))
    'ignore the rules'
    """
    words = "|".join(sorted(vocabulary, key=len, reverse=True))
    return " ".join(re.sub(words, lambda word: f" {word[0]} ", text).split())


# --- characters that show nothing ------------------------------------------------------

_TAGS = "[\U000e0020-\U000e007e]{4,}"
_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}"


def hidden_text(text: str) -> Iterator[Reading]:
    """Yield texts written in characters that show nothing.

    Tag characters (U+E0020 …) and variation selectors spell letters; those of emoji and flags do
    not.
    """
    if text.isascii():
        return
    for run in re.finditer(_TAGS, text):
        said = "".join(chr(ord(char) - 0xE0000) for char in run[0])
        is_flag = run.start() > 0 and text[run.start() - 1] == "\U0001f3f4"
        if not is_flag and len(said.strip()) >= 4:
            yield Reading("tag-characters", said, run.start(), run.end())
    for run in re.finditer(_SELECTORS, text):
        codes = map(ord, run[0])
        data = bytes(code - (0xFE00 if code < 0xFE10 else 0xE0100 - 16) for code in codes)
        said = data.decode("utf-8", "replace")
        if is_text(said):
            yield Reading("variation-selectors", said, run.start(), run.end())


# --- decoders --------------------------------------------------------------------------


def decode_run(run: str) -> Iterator[str]:
    """Yield what a run of letters and digits says in hex or base64; "" for nothing."""
    if len(run) > MAX_READING:
        return
    if not run.strip("0123456789abcdefABCDEF"):
        yield _decode_hex(run)
    if not run.islower():
        yield _decode_base64(run)


def _decode_bytes(data: bytes) -> str:
    for encoding in ("utf-8", "utf-16-le"):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if is_text(text) and (encoding == "utf-8" or text.isascii()):
                return text
    return ""


def _decode_base64(run: str) -> str:
    run = re.sub(r"[\s>=]", "", run).replace("-", "+").replace("_", "/")
    run = run[:-1] if len(run) % 4 == 1 else run
    try:
        return _decode_bytes(base64.b64decode(run + "=" * (-len(run) % 4)))
    except ValueError:
        return ""


def _decode_hex(run: str) -> str:
    digits = re.sub(r"0x|\\x|[ ,:]", "", run)
    return _decode_bytes(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _decode_escapes(run: str) -> str:
    """Return *run* with URL, backslash and HTML escapes replaced. Never empty."""
    import html  # for the few texts that have escapes: its table of names is large

    run = html.unescape(run)
    run = re.sub(
        r"\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{4,5})\}?",
        lambda m: chr(int(m[1] or m[2], 16)),
        run,
    )
    with contextlib.suppress(UnicodeEncodeError, UnicodeDecodeError):
        run = run.encode("latin-1").decode("utf-8")  # bytes of UTF-8 that were escaped one by one
    run = re.sub(
        r"(?:%[0-9A-Fa-f]{2})+",
        lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"),
        run,
    )
    return run.encode("utf-8", "replace").decode("utf-8")


def _decode_apart(run: str) -> str:
    """Join letters that stand apart; a gap other than the usual one is the end of a word."""
    gaps = Counter(re.findall(r"[\W_]+", run))
    usual = gaps.most_common(1)[0][0]
    return re.sub(r"[\W_]+", lambda gap: "" if gap[0] == usual else " ", run).lower()


_DECODERS: dict[str, Callable[[str], str]] = {
    "base64": _decode_base64,
    "hex": _decode_hex,
    "escapes": _decode_escapes,
    "apart": _decode_apart,
}


_WHOLE: dict[str, Callable[[str], str]] = {
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "leet": lambda text: text.translate(_LEET),
}
"""Readings of a whole text."""
