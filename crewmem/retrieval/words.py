"""The words of a text, as the index's tokenizer and a reader see them. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise

from crewmem.retrieval.stopwords import CLITICS, OPERATORS, STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Located = tuple[int, int, str]
    """Where a token starts, where it ends (exclusive), and its stem."""

    Tokenize = Callable[[str], Sequence[Located]]
    """The index's tokenizer. It counts bytes of UTF-8, a lone surrogate as one."""

    Word = list[Located]
    """The tokens of one word, counted in characters: one, or three in `src/app.py`."""

JOINERS = frozenset("_-\u2010\u2011./\\:@#~+=&'\u2019")
"""What stands inside identifiers, paths, dates and names. Anything else ends a word."""

FIRST_MARK = "\u0300"
"""No character before it is a mark."""

INVISIBLE_JOINERS = frozenset("\u200c\u200d")
"""They shape the letters beside them, in Persian and in scripts of India."""

APOSTROPHES = frozenset("'\u2019")

UNSPACED = (
    "[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
"""Letters of scripts in which no space tells where a word ends: of Chinese, Japanese,
and Korean, whose words have their endings attached. A tokenizer that goes by spaces
takes a clause for one word, and finds nothing of it by part."""


def located(text: str, tokenize: Tokenize) -> list[Located]:
    """Return the tokens of *text*, counted in characters."""
    found = tokenize(text)
    if text.isascii():
        return list(found)
    utf8 = text.encode("utf-8", "replace")
    tokens: list[Located] = []
    byte = at = 0
    for first, last, stem in found:
        begin = at + len(utf8[byte:first].decode())
        at = begin + len(utf8[first:last].decode())
        byte = last
        tokens.append((begin, at, stem))
    return tokens


def apart(text: str) -> str:
    """Return *text* with each letter of `UNSPACED` a word of its own."""
    return text if text.isascii() else re.sub(UNSPACED, r" \g<0> ", text)


def dividing(tokenize: Tokenize) -> Tokenize:
    """Return what does as *tokenize* does with texts that were put `apart`.

    Where tokens start and end is told of the text as it is.
    """

    def divided(text: str) -> Sequence[Located]:
        spaced = apart(text)
        if len(spaced) == len(text):
            return tokenize(text)
        spaces = _spaces(text)
        return [
            (first - bisect_left(spaces, first), last - bisect_left(spaces, last), stem)
            for first, last, stem in tokenize(spaced)
        ]

    return divided


def _spaces(text: str) -> list[int]:
    """Return where, in bytes, `apart` has put spaces into *text*."""
    spaces: list[int] = []
    byte = at = 0
    for found in re.finditer(UNSPACED, text):
        byte += len(text[at : found.start()].encode("utf-8", "replace"))
        width = len(found[0].encode())
        spaces += [byte + len(spaces), byte + width + len(spaces) + 1]
        byte, at = byte + width, found.end()
    return spaces


def words(text: str, tokenize: Tokenize) -> list[Word]:
    """Return the words of *text* without their clitics, in order."""
    found: list[Word] = []
    end = 0
    for token in located(text, tokenize):
        if found and _is_joint(text[end : token[0]]):
            found[-1].append(token)
        else:
            found.append([token])
        end = token[1]
    for word in found:
        while has_apostrophe(text, word) and word[-1][2] in CLITICS:
            word.pop()
    return found


def is_stop_word(text: str, word: Word) -> bool:
    """Tell whether *word* of *text* says nothing about a subject.

    A word in capitals among others that are not is an acronym: IT, US.
    """
    typed = as_typed(text, word)
    if typed in OPERATORS:
        return True
    if len(typed) > 1 and typed.isupper() and not text.isupper():
        return False
    return typed.lower() in STOP_WORDS


def is_indivisible(text: str, word: Word) -> bool:
    """Tell whether the parts of *word* mean nothing apart.

    So it is with numbers (`2026-04-14`, `10.0.0.1`), contractions (`don't`) and words
    of scripts whose vowels are marks, at which the tokenizer cuts.
    """
    is_contraction = has_apostrophe(text, word) and word[-1][2] == "t"
    has_marks = not joiners(text, word) <= JOINERS
    has_letters = any(char.isalpha() for char in as_typed(text, word))
    return is_contraction or has_marks or not has_letters


def has_apostrophe(text: str, word: Word) -> bool:
    """Tell whether the last token of *word* follows an apostrophe."""
    return len(word) > 1 and text[word[-1][0] - 1] in APOSTROPHES


def joiners(text: str, word: Word) -> set[str]:
    """Return the characters between the tokens of *word*."""
    gaps = ((one[1], other[0]) for one, other in pairwise(word))
    return {char for end, begin in gaps for char in text[end:begin]}


def as_typed(text: str, word: Word) -> str:
    """Return *word* as it stands in *text*."""
    return text[word[0][0] : word[-1][1]]


def _is_joint(gap: str) -> bool:
    """Tell whether the tokens on both sides of *gap* are of one word."""
    return all(
        char in JOINERS or (char >= FIRST_MARK and _is_mark(char)) for char in gap
    )


def _is_mark(char: str) -> bool:
    from unicodedata import category  # a quarter of a millisecond, for few texts

    return char in INVISIBLE_JOINERS or category(char)[0] == "M"
