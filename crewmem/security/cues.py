"""What words are about: the cues of `data/cues.toml`, found at one look-up a word.

A cue is a meaning that rules combine (`override`, `orders`, `secret`, `user` …), in the
languages that matter. A word has a mask with one bit for each cue, and bits for hints:
what suggests that a text is written in another way (`normalize.readings`).
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import NamedTuple

from crewmem.security.normalize import fold_characters, unleet

WORD = re.compile(r"[^\W_]+")

_SENTENCE_END = re.compile(r"[.!?] |[。！？]|\n")

_ADDRESS = r"\bhttps?://[^\s)\]>\"']*"

_ASCII_WORDS = {code: " " for code in range(128) if not chr(code).isalnum()}

HINTS = ("long", "hex", "leet", "rot13", "reversed", "apart", "joined")

JOINED = 20
"""Characters from which on a word may be several without gaps."""

LONGEST_JOINED = 400
"""Characters of a word without gaps in which words are looked for."""

INNER, LONGEST_INNER = 5, 8
"""Characters of the prefixes that are looked for there."""

LONG, VERY_LONG = 16, 28
"""Characters from which on a word may be encoded text: with a digit in it, and without."""

MAX_REMEMBERED = 100_000

DISGUISED = frozenset(
    """
    ignore instruction instructions previous disregard forget system prompt password passwords
    secret secrets reveal override rules token tokens credentials assistant developer
    everything upload user pretend unrestricted jailbreak send print guidelines above answer
    request without restrictions unfiltered called objective approve mention operator contents
    reading script important initial administrator private keys safety disabled message reply
    mode delete telling admin earlier directions obey whatever longer applies cancelled follow
    treat following commands email your assistants agent agents never always must file memory
    note execute
    """.split()  # noqa: SIM905 - a list of words
)
"""Words by which text that is written backwards, shifted or with digits is noticed."""

_REVERSED = frozenset(word[::-1] for word in DISGUISED)
_SHIFTED = frozenset(codecs.encode(word, "rot13") for word in DISGUISED)

_LONG_DISGUISED = tuple(word for word in DISGUISED if len(word) > 5)

SPELT = frozenset("gruowk")
"""Letters that seldom stand alone, but where words are spelt with blanks."""


def find_words(folded: str) -> list[str]:
    """Return the words of a folded text."""
    if folded.isascii():
        return folded.translate(_ASCII_WORDS).split()
    return WORD.findall(folded)


def space_words(text: str) -> str:
    """Return *text*, as long as it was, in lower case and with blanks between its words.

    For its parts in ASCII only: a long text at once, which is much faster than part by part.
    """
    return text.encode("ascii", "replace").lower().translate(_SPACES).decode("ascii")


_SPACES = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))


class Sentence(NamedTuple):
    """A part of a folded text, with its words and the cues in them."""

    start: int
    end: int
    words: list[str]
    mask: int


def mask_words(words: Iterable[str], masks: Mapping[str, int]) -> int:
    """Return what *masks* has for *words*, together."""
    return reduce(or_, map(masks.__getitem__, words), 0)


def split_sentences(folded: str, masks: Mapping[str, int]) -> list[Sentence]:
    """Split a folded text at the marks that end sentences; *masks* has the cues of words."""
    found = []
    start = 0
    ends = [end.end() for end in _SENTENCE_END.finditer(folded)]
    for end in (*ends, len(folded)):
        text = folded[start:end]
        words = find_words(re.sub(_ADDRESS, " https ", text) if "://" in text else text)
        if words:
            found.append(Sentence(start, end, words, mask_words(words, masks)))
        start = end
    return found


class Cues(dict[str, int]):
    """For each word the mask of its cues and hints; filled as words are met."""

    def __init__(self, stems: Mapping[str, str]) -> None:
        super().__init__()
        self.names = tuple(stems)
        self.bits = {name: 1 << at for at, name in enumerate(stems)}
        self.hints = {name: 1 << (len(stems) + at) for at, name in enumerate(HINTS)}
        self.cue_mask = (1 << len(stems)) - 1
        self.whole: dict[str, int] = {}
        self.prefixes: dict[str, int] = {}
        self._by_start: dict[str, list[str]] = {}  # the prefixes by their first two characters
        self._inner: dict[str, list[str]] = {}  # those that are looked for within long words
        self.parts: dict[str, list[tuple[str, int]]] = {}
        for name, words in stems.items():
            bit = self.bits[name]
            for written in fold_characters(words).split():
                word = written.rstrip("=")
                if written.endswith("="):
                    self.whole[word] = self.whole.get(word, 0) | bit
                elif _is_joined(word):
                    self.parts.setdefault(word[0], []).append((word, bit))
                else:
                    self._add_prefix(word, bit)

    def _add_prefix(self, prefix: str, bit: int) -> None:
        if prefix not in self.prefixes and len(prefix) > 1:
            self._by_start.setdefault(prefix[:2], []).append(prefix)
            if INNER <= len(prefix) <= LONGEST_INNER:
                self._inner.setdefault(prefix[:INNER], []).append(prefix)
        self.prefixes[prefix] = self.prefixes.get(prefix, 0) | bit

    def __missing__(self, word: str) -> int:
        mask = self.whole.get(word, 0)
        if _is_joined(word):
            for at, char in enumerate(word[:4_000]):
                for part, bit in self.parts.get(char, ()):
                    if word.startswith(part, at):
                        mask |= bit
            mask |= self.bits.get("foreign", 0)
        else:
            if not word.isascii() and any(ord(char) >= 0x0370 for char in word):
                mask |= self.bits.get("foreign", 0)
            for prefix in self._by_start.get(word[:2], ()):
                if word.startswith(prefix):
                    mask |= self.prefixes[prefix]
            mask |= self._hints(word)
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[word] = mask
        return mask

    def _hints(self, word: str) -> int:
        hints = self.hints
        mask = 0
        if len(word) == 1:
            return hints["apart"] if word in SPELT else 0
        has_digit = not word.isalpha()
        if len(word) >= JOINED and not has_digit and any(part in word for part in _LONG_DISGUISED):
            mask |= hints["joined"]
        if len(word) >= LONG:
            if has_digit or len(word) >= VERY_LONG:
                mask |= hints["long"]
            for start in range(min(len(word), LONGEST_JOINED) - INNER + 1):
                for part in self._inner.get(word[start : start + INNER], ()):
                    if word.startswith(part, start):
                        mask |= self.prefixes[part]
        if has_digit:
            if _is_code(word):
                mask |= hints["hex"]
            if len(word) >= 4 and not word.isdigit() and unleet(word) in DISGUISED:
                mask |= hints["leet"]
        elif len(word) >= 4:
            if word in _REVERSED:
                mask |= hints["reversed"]
            if word in _SHIFTED:
                mask |= hints["rot13"]
        return mask

    def add_word(self, word: str, *, whole: bool = False) -> int:
        """Return a bit of its own for *word*, by which a rule is found."""
        word = fold_characters(word)
        name = f"={word}" if whole else f"~{word}"
        if name in self.bits:
            return self.bits[name]
        bit = 1 << (len(self.bits) + len(self.hints))
        self.bits[name] = bit
        if _is_joined(word):
            self.parts.setdefault(word[0], []).append((word, bit))
        elif whole:
            self.whole[word] = self.whole.get(word, 0) | bit
        else:
            self._add_prefix(word, bit)
        self.clear()
        return bit

    def hints_in(self, mask: int) -> frozenset[str]:
        """Return the names of the hints in *mask*."""
        return frozenset(name for name, bit in self.hints.items() if mask & bit)


def _is_joined(word: str) -> bool:
    """Return whether *word* is in a script that joins words: Semitic, Thai, Chinese and alike."""
    code = ord(word[0])
    return 0x0590 <= code < 0x0900 or code >= 0x0E00


def _is_code(word: str) -> bool:
    """Return whether *word* may be one character of a text in hex, decimals or bits."""
    if len(word) == 2:
        return not word.isdigit() and all(char in "0123456789abcdef" for char in word)
    if len(word) == 3:
        return word[0] == "1" and word.isdigit() and word.isascii() and word <= "122"
    return (len(word) == 8 and not word.strip("01")) or (len(word) == 4 and word[:2] == "0x")


@cache
def load_cues() -> Cues:
    """Read the cues that come with crewmem."""
    text = Path(__file__).with_name("data").joinpath("cues.toml").read_text("utf-8")
    return Cues(tomllib.loads(text))
