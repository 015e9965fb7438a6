"""The linear classifier: how likely a sentence is an instruction to its reader.

Words, their character n-grams and pairs of words are hashed into one table of weights
(`data/weights.bin`, made by `crewmem.security.training.fit`). What a word adds is
computed once and remembered, so a text costs a look-up a word; numpy is not needed.
"""

import re
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from math import inf, log, sqrt
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from crewmem.security.normalize import SENTENCE_END

BUCKETS = 480_001
"""Weights, of one byte each. With half as many too many words and pairs share one."""

MAX_WORD = 24
"""Characters of a word that are looked at; longer ones are names of code."""

WINDOW = 32
"""Words that are judged together at most. An order hidden in a long paragraph must not be
averaged away."""

MIN_WORDS = 3
"""Words of the shortest sentence that is judged."""

NUMBER = "0"
"""Stands for every word that has a digit in it."""

GRAM = 5
"""Characters of an n-gram of a word."""

MAX_REMEMBERED = 100_000
"""Words whose features are remembered before the memory is emptied."""

LOWEST_LEVEL, HIGHEST_LEVEL = 0.0, 4.2
"""Log-odds from which on a passage may be suspicious, and from which on it always is: probabilities
of .5 and .985."""

LEAD, LEAD_BY_PASSAGES = 3.6, 0.3
"""By how much a suspicious passage leads the passages of its text, as single words tell it, and how
much more with each factor of e in their number: each passage is another chance of a false alarm.
With these, it finds such a passage in 1.2 % of 1,410 pages of documentation and notes, and half of
the attacks that were put into such pages of 3 to 6 kB."""

MIN_PASSAGES = 5
"""Passages of the shortest text that has an ordinary tone."""

MAX_BY_PASSAGE = 0.4
"""How much each passage from MIN_PASSAGES on may raise the level: a few say little of the tone."""

MAX_BY_PAIRS = 3.0
"""What pairs of words add to a score at most, but for few; where that is too little they are not
looked at."""

HEADER = struct.Struct("<4sIfff")
"""Magic, buckets, scale of the weights, bias, steepness of the calibrated probability."""

MAGIC = b"cmw2"

START = crc32(b"<s>")
"""Stands before the first word of a sentence."""

T = TypeVar("T")

_ADDRESS = re.compile(r"\bhttps?://[^\s)\]>\"']*")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = "([\u3040-\u9fff\u0e00-\u0eff\uf900-\ufaff]+)"
"""A run of Chinese, Japanese or Thai. Compiled when a text has any: that takes longer than to judge
a short one."""
_ONLY_WORDS = bytes(
    code if code == 10 or chr(code).isalnum() else 32 for code in range(128)
) + bytes(128)
"""What each ASCII character is read as: letters, digits and ends of lines stay."""


def split_sentences(folded: str) -> list[list[str]]:
    """Return the words of each sentence of a text of which the characters are folded.

    Of scripts without spaces the words are pairs of characters.

    >>> split_sentences("发给ai模型. now")
    [['发给', 'ai', '模型'], ['now']]
    """
    if "://" in folded:
        folded = _ADDRESS.sub(" https ", folded)
    text = folded.replace("\n", " ")
    if text.isascii():
        data = text.encode()
        for end in (b". ", b"! ", b"? "):
            data = data.replace(end, b"\n")
        sentences = [part.split() for part in data.translate(_ONLY_WORDS).decode().split("\n")]
    else:
        sentences = [_WORD.findall(part) for part in SENTENCE_END.split(text)]
        if re.search(_UNSPACED, text):
            sentences = [list(_cut_unspaced(words)) for words in sentences]
    return [words for words in sentences if words]


def split_words(folded: str) -> list[str]:
    """Return the words of an ASCII text in lower case, those of addresses included."""
    return folded.encode().translate(_ONLY_WORDS).decode().split()


def list_words(sentences: Sequence[list[str]]) -> list[str]:
    """Return the words of all sentences, in order."""
    return sentences[0] if len(sentences) == 1 else list(chain.from_iterable(sentences))


def windows(sentences: Iterable[list[T]]) -> Iterator[list[T]]:
    """Yield the words (or their scores) that are judged together.

    They are those of a sentence, and of two short ones in a row.
    """
    previous: list[T] = []
    for tokens in sentences:
        if len(tokens) > WINDOW:
            for at in range(0, len(tokens) - WINDOW // 2, WINDOW // 2):
                yield tokens[at : at + WINDOW]
            previous = []
            continue
        if len(tokens) >= MIN_WORDS:
            yield tokens
        if previous and MIN_WORDS <= len(previous) + len(tokens) <= WINDOW:
            yield previous + tokens
        previous = tokens


def _cut_unspaced(words: list[str]) -> Iterator[str]:
    unspaced = re.compile(_UNSPACED)
    for word in words:
        for run in [word] if word.isascii() else unspaced.split(word):
            if len(run) > 2 and unspaced.match(run):
                yield from [run[at : at + 2] for at in range(min(len(run), 2_000) - 1)]
            elif run:
                yield run


@lru_cache(MAX_REMEMBERED)
def hash_word(word: str) -> int:
    """Return the hash of *word*; all that have a digit in them have the same."""
    word = word if word.isalpha() else NUMBER
    return crc32(word[:MAX_WORD].encode("utf-8", "replace"))


def hash_grams(word: str) -> list[int]:
    """Return the buckets of the character n-grams of *word*, and of each of two Chinese ones."""
    if len(word) == 2 and not word.isascii() and re.fullmatch(_UNSPACED, word):
        return [crc32(char.encode(), 7) % BUCKETS for char in word]
    if len(word) < GRAM - 2 or not word.isalpha():
        return []
    data = f"<{word[:MAX_WORD]}>".encode("utf-16-le", "replace")  # two bytes a character
    return [
        crc32(data[at : at + 2 * GRAM], 7) % BUCKETS for at in range(0, len(data) - 2 * GRAM + 2, 2)
    ]


def gram_weight(count: int) -> float:
    """Return what each of *count* n-grams of a word counts beside the word."""
    return 1.0 / sqrt(count) if count else 0.0


def pair_features(hashes: list[int]) -> Iterator[int]:
    """Yield the buckets of words in a row, and of words with one between them."""
    before, last = 0, START
    for own in hashes:
        yield ((last * 0x9E3779B1 + own * 0x85EBCA6B + 0x27D4EB2F) >> 7) % BUCKETS
        if before:
            yield ((before * 0x85EBCA6B + own * 0xC2B2AE35 + 0x165667B1) >> 9) % BUCKETS
        before, last = last, own


def find_level(odds: Collection[float]) -> float:
    """Return the log-odds from which on a passage is suspicious in a text of passages with *odds*.

    It must stand out from the text around it: instructions are ordinary in a file that is full of
    them, and a surprise among the notes of a meeting. So that one attack does not set the tone,
    the second of ten passages counts.
    """
    if len(odds) < MIN_PASSAGES:
        return LOWEST_LEVEL
    tone = sorted(odds, reverse=True)[1 + len(odds) // 10]
    level = tone + LEAD + LEAD_BY_PASSAGES * log(len(odds))
    most = min(MAX_BY_PASSAGE * (len(odds) - MIN_PASSAGES + 1), HIGHEST_LEVEL)
    return min(max(level, LOWEST_LEVEL), most)


class _Scores(dict[str, float]):
    """What each word adds to a score; filled as words are met."""

    def __init__(self, weights: memoryview) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, word: str) -> float:
        score = float(self._weights[hash_word(word) % BUCKETS])
        if grams := hash_grams(word):
            score += gram_weight(len(grams)) * sum(map(self._weights.__getitem__, grams))
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[word] = score
        return score


class Model:
    """Weights as bytes with a sign, and how a sum of them becomes a probability."""

    def __init__(self, weights: memoryview, scale: float, bias: float, steepness: float) -> None:
        self.weights = weights
        self.scale = scale
        self.bias = bias
        self.steepness = steepness
        self._scores = _Scores(weights)

    @property
    def most_by_pairs(self) -> float:
        """What pairs of words add to log-odds at most, but for few."""
        return MAX_BY_PAIRS * self.steepness

    def score(self, window: Sequence[str]) -> float:
        """Return the score of words that are judged together, before calibration."""
        words = sum(map(self._scores.__getitem__, window))
        pairs = sum(map(self.weights.__getitem__, pair_features(list(map(hash_word, window)))))
        return self.bias + self.scale * (words + pairs) / sqrt(len(window) + 3)

    def log_odds_by_words(self, sentences: list[list[str]]) -> float:
        """Return the log-odds that a part of a text instructs its reader, without pairs of words.

        It is -inf if there is nothing to judge.
        """
        scores = [list(map(self._scores.__getitem__, words)) for words in sentences]
        sums = [sum(window) / sqrt(len(window) + 3) for window in windows(scores)]
        return self.steepness * (self.bias + self.scale * max(sums, default=-inf))

    def log_odds(self, sentences: list[list[str]]) -> float:
        """Return the log-odds that a part of a text instructs its reader; -inf for no words."""
        different = set(map(tuple, windows(sentences)))  # words that are repeated are judged once
        return self.steepness * max(map(self.score, different), default=-inf)


@cache
def load_model() -> Model:
    """Read the weights that come with crewmem."""
    data = Path(__file__).with_name("data").joinpath("weights.bin").read_bytes()
    magic, buckets, scale, bias, steepness = HEADER.unpack_from(data)
    if magic != MAGIC or buckets != BUCKETS or len(data) != HEADER.size + BUCKETS:
        raise ValueError("security/data/weights.bin is damaged")
    weights = memoryview(data)[HEADER.size :].cast("b")
    return Model(weights, scale, bias, steepness)
