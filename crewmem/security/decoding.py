"""Decode text that is written in base64, hex, escapes, spaced letters, and so on.

`find_hints` tells cheaply which encodings a passage may contain, `decode_text` decodes these.
`find_hidden_text` decodes invisible characters. All are bounded.
"""

import base64
import codecs
import contextlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

MAX_RUN = 20_000
"""Maximum length of a run of letters and digits that is decoded to find a secret, in characters."""

MIN_ENCODED, MIN_ENCODED_LETTERS = 16, 28
"""Minimum length of a word that may be encoded text, in characters: with other characters than
letters, and of letters only."""

TELLTALES = frozenset(
    Path(__file__).with_name("data").joinpath("telltales.txt").read_text("utf-8").split()
)
"""Words of attacks. Reversed, in rot13, in leetspeak or spaced out, they reveal encoded text."""

MIN_HINT_WORDS, MIN_HINT_LETTERS = 2, 4
"""Minimum different words, or single letters, that make an encoding worth trying. One is often
chance: ``EDOM`` is *mode*, reversed."""

RIGHT_TO_LEFT = "\u202e"
"""Reverses the words after it where they are shown."""

LEET = str.maketrans("013457@$!|", "oieastasii")


class Decoded(NamedTuple):
    """A decoded part of a text.

    Attributes:
        disguise: The encoding: base64, hex, tag-characters …
        text: The decoded text.
        start: Offset of the encoded part.
        end: Offset after the encoded part.
    """

    disguise: str
    text: str
    start: int
    end: int


# --- which encodings to try ------------------------------------------------------------


@cache
def load_hint_words() -> dict[str, str]:
    """Return the words that suggest an encoding, with their encodings; see `_is_leet`, too."""
    encodings = dict.fromkeys("gruowkinets", "apart")  # letters that are seldom words
    for letter in "note":  # frequent ones, in hex
        encodings |= dict.fromkeys((f"{ord(letter):x}", f"0x{ord(letter):x}"), "hex")
    for word in TELLTALES:
        encodings[word[::-1]] = "reversed"
        encodings[codecs.encode(word, "rot13")] = "rot13"
    return {word: name for word, name in encodings.items() if word not in TELLTALES}


def list_hint_words(words: Collection[str]) -> set[str]:
    """Return those of *words* that suggest an encoding, or may be encoded."""
    encodings = load_hint_words()
    long = (word for word in words if len(word) >= MIN_ENCODED)
    return {*encodings.keys() & words, *filter(_is_leet, words), *filter(_may_be_encoded, long)}


def _is_leet(word: str) -> bool:
    return not word.isalpha() and word.translate(LEET) in TELLTALES


def _may_be_encoded(word: str) -> bool:
    return len(word) >= MIN_ENCODED and (len(word) >= MIN_ENCODED_LETTERS or not word.isalpha())


def find_hints(words: Collection[str], text: str) -> set[str]:
    """Return the encodings that *text* may contain.

    Args:
        words: The folded words of *text*.
    """
    encodings = load_hint_words()
    counts = Counter(encodings[word] for word in encodings.keys() & words)
    counts["leet"] = sum(map(_is_leet, set(words)))
    hints = {name for name, count in counts.items() if count >= MIN_HINT_WORDS}
    if counts["apart"] < MIN_HINT_LETTERS:
        hints.discard("apart")
    if any(map(_may_be_encoded, words)):
        hints |= {"base64", "hex"}
    if has_marks(text):
        hints |= {"escapes", "reversed"} if RIGHT_TO_LEFT in text else {"escapes"}
    return hints


def has_marks(text: str) -> bool:
    """Return whether *text* may have URL, string or HTML escapes, or text from right to left."""
    # Single characters are found at once; most prose has none of these.
    return (
        RIGHT_TO_LEFT in text
        or ("\\" in text and ("\\x" in text or "\\u" in text))
        or ("&" in text and ("&#" in text or "&lt;" in text))
        or ("%" in text and re.search(r"%[0-9A-Fa-f]{2}.{0,3}%[0-9A-Fa-f]{2}", text) is not None)
    )


# --- decoding --------------------------------------------------------------------------


def decode_text(text: str, hints: Collection[str]) -> Iterator[Decoded]:
    """Yield decoded parts of *text*, trying the encodings *hints*."""
    for name, (pattern, decode) in _PARTIAL_ENCODINGS.items():
        for part in re.finditer(pattern, text) if name in hints else ():
            if decoded := decode(part[0]):
                yield Decoded(name, decoded, part.start(), part.end())
    for name, decode in _WHOLE_ENCODINGS.items():
        if name in hints:
            yield Decoded(name, decode(text), 0, len(text))


def decode_run(run: str) -> Iterator[str]:
    """Yield *run* decoded from hex and from base64, if it may be such; "" if it is no text."""
    if len(run) > MAX_RUN:
        return
    if not run.strip("0123456789abcdefABCDEF"):
        yield _decode_hex(run)
    if not run.islower():
        yield _decode_base64(run)


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


def _decode_bytes(data: bytes) -> str:
    """Return *data* as text; "" if it is none. Random bytes seldom are."""
    for encoding in ("utf-8", "utf-16-le"):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if _is_text(text) and (encoding == "utf-8" or text.isascii()):
                return text
    return ""


def _is_text(text: str) -> bool:
    return len(text) >= 4 and text.replace("\n", " ").isprintable() and "\ufffd" not in text


def _decode_escapes(run: str) -> str:
    """Return *run* with URL, backslash and HTML escapes decoded."""
    import html  # few texts have escapes, and its table of names is large

    run = html.unescape(run)
    run = re.sub(
        r"\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{4,5})\}?",
        lambda escape: chr(int(escape[1] or escape[2], 16)),
        run,
    )
    with contextlib.suppress(UnicodeEncodeError, UnicodeDecodeError):
        run = run.encode("latin-1").decode("utf-8")  # UTF-8 whose bytes were escaped one by one
    run = re.sub(
        r"(?:%[0-9A-Fa-f]{2})+",
        lambda escapes: bytes.fromhex(escapes[0].replace("%", "")).decode("utf-8", "replace"),
        run,
    )
    return run.encode("utf-8", "replace").decode("utf-8")


def _decode_apart(run: str) -> str:
    """Join spaced letters; "" if they contain no telltale.

    A gap other than the most common one ends a word.
    """
    parts = re.split(r"([\W_]+)", run.lower())
    gaps = parts[1::2]
    usual = Counter(gaps).most_common(1)[0][0]
    parts[1::2] = ["" if gap == usual else " " for gap in gaps]
    joined = "".join(parts)
    return joined if any(word in joined for word in TELLTALES) else ""


_ESCAPE = (
    r"[%\\&](?:(?<=%)[0-9A-Fa-f]{2}|(?<=\\)(?:x[0-9A-Fa-f]{2}|u\{?[0-9A-Fa-f]{4,5}\}?)"
    r"|(?<=&)(?:#\d{2,6};?|#[xX][0-9A-Fa-f]{2,5};?|[A-Za-z]{2,8};))[\w .,!?'\"-]{0,40}"
)
"""An escaped character and the text after it. A pattern that begins with a set is found faster."""

_BASE64 = "[A-Za-z0-9+/_-]"

_PARTIAL_ENCODINGS: dict[str, tuple[str, Callable[[str], str]]] = {
    "base64": (
        rf"(?<!{_BASE64}){_BASE64}{{16,}}(?:\r?\n[ \t>]{{0,8}}{_BASE64}{{16,}}){{0,200}}={{0,2}}",
        _decode_base64,
    ),
    "hex": (r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ ,:]{0,2}){10,}", _decode_hex),
    "escapes": (f"{_ESCAPE}(?:{_ESCAPE}){{2,}}", _decode_escapes),
    "apart": (
        r"(?<![^\W_])[^\W\d_](?:[ \u2000-\u200a.\-_*|/·~+,\n]{1,3}[^\W\d_]){7,}(?![^\W_])",
        _decode_apart,
    ),
}
"""Encodings of a part of a text: the pattern of such a part, and its decoder."""

_WHOLE_ENCODINGS: dict[str, Callable[[str], str]] = {
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "leet": lambda text: text.translate(LEET),
}
"""Encodings of a whole passage, with their decoders."""


# --- invisible characters --------------------------------------------------------------

_TAG = "[\U000e0020-\U000e007e]"
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
# A pattern that begins with a set is found faster.
_TAGS = re.compile(f"{_TAG}{_TAG}{{3,}}")
_SELECTORS = re.compile(f"{_SELECTOR}{_SELECTOR}{{3,}}")


def find_hidden_text(text: str) -> Iterator[Decoded]:
    """Yield texts that tag characters (U+E0020 …) or variation selectors spell.

    Tags in flags and single selectors of emoji are skipped.
    """
    if text.isascii():
        return
    for run in _TAGS.finditer(text):
        decoded = "".join(chr(ord(char) - 0xE0000) for char in run[0])
        is_flag = run.start() > 0 and text[run.start() - 1] == "\U0001f3f4"
        if not is_flag and len(decoded.strip()) >= 4:
            yield Decoded("tag-characters", decoded, run.start(), run.end())
    for run in _SELECTORS.finditer(text):
        codes = map(ord, run[0])
        data = bytes(code - (0xFE00 if code < 0xFE10 else 0xE0100 - 16) for code in codes)
        decoded = data.decode("utf-8", "replace")
        if _is_text(decoded):
            yield Decoded("variation-selectors", decoded, run.start(), run.end())
