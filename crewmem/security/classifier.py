"""Linear classifier: the probability that a sentence is an instruction to its reader.

Words, their character n-grams and pairs of words are hashed into one table of weights
(`data/weights.bin`, written by `crewmem.security.training.fit`). The score of each word is cached,
so that a text costs one look-up a word; numpy is not needed.
"""

import re
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from math import inf, log, sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from crewmem.security.normalize import SENTENCE_ENDS

BUCKETS = 480_001
"""Number of one-byte weights. With half as many, too many words and pairs collide."""

MAX_WORD = 24
"""Characters of a word that are used; longer ones are identifiers of code."""

WINDOW = 32
"""Maximum words that are scored together. An instruction hidden in a long paragraph must not be
averaged away."""

NORMS = [sqrt(length + 3) for length in range(WINDOW + 1)]
"""What the sum of the scores of a window is divided by, for each number of words."""

MIN_WORDS = 3
"""Minimum words of a sentence that is scored."""

NUMBER = "0"
"""Replaces every word with a digit."""

GRAM = 5
"""Characters of an n-gram."""

MAX_CACHED = 100_000
"""Maximum words in the cache of scores before it is emptied."""

MIN_THRESHOLD, MAX_THRESHOLD = 0.0, 4.2
"""Bounds of the threshold of suspicious passages, in log-odds: probabilities of .5 and .985."""

MARGIN, MARGIN_PER_LOG_PASSAGES = 3.6, 0.3
"""Log-odds by which a suspicious passage must exceed the passages of its text, and the increase per
natural logarithm of their number: each passage is another chance of a false alarm. With these
values, 1.2 % of 1,410 pages of documentation and notes have a suspicious passage, and half of the
attacks inserted into such pages of 3 to 6 kB are found."""

MIN_PASSAGES = 5
"""Minimum passages of a text whose threshold depends on its other passages."""

MAX_RISE_PER_PASSAGE = 0.4
"""Maximum threshold per passage from MIN_PASSAGES on: a few passages say little about a text."""

MAX_PAIR_LOG_ODDS = 3.5
"""What pairs of words add to nearly all log-odds at most. Pairs are scored only where that could be
enough to reach the threshold."""

HEADER = struct.Struct("<4sIfff")
"""Magic, number of buckets, scale of the weights, bias, steepness of the calibrated probability."""

MAGIC = b"cmw2"

START = crc32(b"<s>")
"""Hash of the position before the first word of a sentence."""

# A pattern that begins with letters is found faster.
_ADDRESS = re.compile(r"http(?<=\bhttp)s?://[^\s)\]>\"']*")

UNSPACED = (("\u0e00", "\u0eff"), ("\u3040", "\u9fff"), ("\uf900", "\ufaff"))
"""First and last characters of Thai, Japanese and Chinese, which are written without spaces."""


class _OnlyWords(dict[int, str]):
    """Translation table that keeps the characters of words and line breaks."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if any(first <= char <= last for first, last in UNSPACED):
            char = f" {char} "
        elif not char.isalnum():
            char = " "
        self[code] = char
        return char


_ONLY_WORDS = _OnlyWords({10: "\n"})


class Words(NamedTuple):
    """The words of several texts.

    Attributes:
        words: Those of all texts, in order.
        bounds: For each text, the offsets in *words* where its sentences begin, and where the last
            one ends.
    """

    words: list[str]
    bounds: list[list[int]]

    def of_texts(self, first: int, end: int) -> list[str]:
        """Return the words of the texts from number *first* to before *end*."""
        return self.words[self.bounds[first][0] : self.bounds[end - 1][-1]]


def split_sentences(texts: Iterable[str]) -> Words:
    """Split texts of folded characters into sentences of words.

    In scripts without spaces, each character is a word. Splitting all texts of a file at once takes
    half the time.

    >>> split_sentences(["发给ai. now", "so"])
    Words(words=['发', '给', 'ai', 'now', 'so'], bounds=[[0, 3, 4], [4, 5]])
    """
    joined = "".join([text.replace("\n", " ") + "\n\n" for text in texts])
    if "://" in joined:
        joined = _ADDRESS.sub(" https ", joined)
    for end in SENTENCE_ENDS:
        joined = joined.replace(end, "\n ")
    words: list[str] = []
    bounds: list[list[int]] = []
    for text in joined.translate(_ONLY_WORDS).split("\n\n")[:-1]:
        offsets = [len(words)]
        for sentence in text.split("\n"):
            words += sentence.split()
            offsets.append(len(words))
        bounds.append(offsets)
    return Words(words, bounds)


def split_words(texts: Iterable[str]) -> list[list[str]]:
    """Return the words of each of several texts of folded characters, as in `split_sentences`.

    >>> split_words(["发给ai. now", "so"])
    [['发', '给', 'ai', 'now'], ['so']]
    """
    lines = "".join([text.replace("\n", " ") + "\n" for text in texts])
    if "://" in lines:
        lines = _ADDRESS.sub(" https ", lines)
    return [line.split() for line in lines.translate(_ONLY_WORDS).split("\n")[:-1]]


def split_windows(bounds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of words that are scored together, given the bounds of the sentences.

    These are single sentences, pairs of consecutive short sentences, and overlapping parts of long
    ones.
    """
    previous = bounds[0]  # start of the sentence before, if it may be part of a pair
    for start, end in pairwise(bounds):
        if end - start > WINDOW:
            for first in range(start, end - WINDOW // 2, WINDOW // 2):
                yield first, min(first + WINDOW, end)
            previous = end
        elif end > start:
            if end - start >= MIN_WORDS:
                yield start, end
            if previous < start and MIN_WORDS <= end - previous <= WINDOW:
                yield previous, end
            previous = start


def hash_word(word: str) -> int:
    """Return the hash of *word*. All words that are not purely letters share one."""
    word = word if word.isalpha() else NUMBER
    return crc32(word[:MAX_WORD].encode("utf-8", "replace"))


def hash_grams(word: str) -> list[int]:
    """Return the buckets of the n-grams of *word*."""
    if len(word) < GRAM - 2 or not word.isalpha():
        return []
    data = f"<{word[:MAX_WORD]}>".encode("utf-16-le", "replace")  # two bytes a character
    return [
        crc32(data[at : at + 2 * GRAM], 7) % BUCKETS for at in range(0, len(data) - 2 * GRAM + 2, 2)
    ]


def weigh_grams(count: int) -> float:
    """Return the weight of each of *count* n-grams of a word. The word itself has weight 1."""
    return 1.0 / sqrt(count) if count else 0.0


def hash_pairs(hashes: list[int]) -> Iterator[int]:
    """Yield the buckets of adjacent words, and of words with one word between them."""
    second_last, last = 0, START
    for word in hashes:
        yield ((last * 0x9E3779B1 + word * 0x85EBCA6B + 0x27D4EB2F) >> 7) % BUCKETS
        if second_last:
            yield ((second_last * 0x85EBCA6B + word * 0xC2B2AE35 + 0x165667B1) >> 9) % BUCKETS
        second_last, last = last, word


def choose_threshold(odds: Collection[float]) -> float:
    """Return the minimum log-odds of a suspicious passage, given the log-odds of all passages.

    A suspicious passage must stand out from its text: instructions are ordinary in a file that is
    full of them, but not among the notes of a meeting. It is compared with the value at about the
    90th percentile, never with the highest one, so that one attack does not raise the threshold.
    """
    if len(odds) < MIN_PASSAGES:
        return MIN_THRESHOLD
    reference = sorted(odds, reverse=True)[1 + len(odds) // 10]
    threshold = reference + MARGIN + MARGIN_PER_LOG_PASSAGES * log(len(odds))
    highest = min(MAX_RISE_PER_PASSAGE * (len(odds) - MIN_PASSAGES + 1), MAX_THRESHOLD)
    return min(max(threshold, MIN_THRESHOLD), highest)


class _WordScores(dict[str, float]):
    """Score of each word; that of letters is computed when it first occurs."""

    def __init__(self, weights: memoryview) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, word: str) -> float:
        if not word.isalpha() and word != NUMBER:
            return self[NUMBER]
        grams = hash_grams(word)
        score = weigh_grams(len(grams)) * sum(map(self._weights.__getitem__, grams))
        if len(self) >= MAX_CACHED:
            self.clear()
        self[word] = score = float(self._weights[hash_word(word) % BUCKETS] + score)
        return score


class Model:
    """The weights, as signed bytes, and the calibration of their sum."""

    def __init__(self, weights: memoryview, scale: float, bias: float, steepness: float) -> None:
        self.weights = weights
        self.scale = scale
        self.bias = bias
        self.steepness = steepness
        self._word_scores = _WordScores(weights)

    def score(self, window: Sequence[str]) -> float:
        """Return the score of a window, before calibration."""
        words = sum(map(self._word_scores.__getitem__, window))
        pairs = sum(map(self.weights.__getitem__, hash_pairs(list(map(hash_word, window)))))
        return self.bias + self.scale * (words + pairs) / NORMS[len(window)]

    def log_odds(self, words: Sequence[str], bounds: Sequence[int]) -> float:
        """Return the highest log-odds of a window of a text; -inf without windows."""
        distinct = {tuple(words[start:end]) for start, end in split_windows(bounds)}
        return self.steepness * max(map(self.score, distinct), default=-inf)

    def word_log_odds(self, texts: Words) -> list[float]:
        """Return `log_odds` of each text by single words, without pairs: usually lower."""
        sums = list(accumulate(map(self._word_scores.__getitem__, texts.words), initial=0.0))
        log_odds = []
        for bounds in texts.bounds:
            highest = -inf
            for start, end in split_windows(bounds):
                score = (sums[end] - sums[start]) / NORMS[end - start]
                if score > highest:
                    highest = score
            log_odds.append(self.steepness * (self.bias + self.scale * highest))
        return log_odds


@cache
def load_model() -> Model:
    """Return the built-in model."""
    data = Path(__file__).with_name("data").joinpath("weights.bin").read_bytes()
    magic, buckets, scale, bias, steepness = HEADER.unpack_from(data)
    if magic != MAGIC or buckets != BUCKETS or len(data) != HEADER.size + BUCKETS:
        raise ValueError("security/data/weights.bin is damaged")
    weights = memoryview(data)[HEADER.size :].cast("b")
    return Model(weights, scale, bias, steepness)
