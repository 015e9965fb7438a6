"""The linear classifier: how likely a sentence is an instruction to its reader.

Words, their character n-grams and pairs of words are hashed into one table of weights
(`data/weights.bin`, made by `crewmem.security.training.fit`). What a word adds is
computed once and remembered, so a text costs two look-ups a word; numpy is not needed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache
from itertools import combinations
from math import exp, log, sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from crewmem.security.cues import Sentence, load_cues, mask_words

BUCKETS = 480_001
"""Weights, of one byte each. With half as many too many words and pairs share one."""

LONGEST_WORD = 24
"""Characters of a word that are looked at; longer ones are keys and paths."""

WINDOW = 32
"""Words that are judged together at most. An order hidden in a long paragraph must not be
averaged away."""

MAX_REMEMBERED = 100_000
"""Words whose features are remembered before the memory is emptied."""

HEADER = struct.Struct("<4sIfff")
"""Magic, buckets, scale of the weights, bias, steepness of the calibrated probability."""

MAGIC = b"cmw1"


def tokenize(words: list[str]) -> list[str]:
    """Return *words*; of scripts without spaces, pairs of characters."""
    if "".join(words).isascii():
        return words
    tokens: list[str] = []
    for word in words:
        if len(word) > 2 and is_unspaced(word):
            tokens += [word[at : at + 2] for at in range(min(len(word), 2_000) - 1)]
        else:
            tokens.append(word)
    return tokens


def untokenize(tokens: list[str]) -> list[str]:
    """Return the words of which `tokenize` made *tokens*."""
    if "".join(tokens).isascii():
        return tokens
    text = "".join(token[0] if is_unspaced(token) else f" {token} " for token in tokens)
    return text.split()


def is_unspaced(word: str) -> bool:
    """Return whether *word* is a run of Chinese, Japanese or Thai."""
    code = ord(word[0])
    return 0x3040 <= code <= 0x9FFF or 0x0E00 <= code <= 0x0EFF or 0xF900 <= code <= 0xFAFF


def cue_features(mask: int) -> list[int]:
    """Return the buckets of the cues in *mask*: each, and all pairs and triples of them.

    They say the same in every language, so what is learned in one helps in all.
    """
    bits = [at for at in range(mask.bit_length()) if mask >> at & 1]
    sets: list[tuple[int, ...]] = [(a,) for a in bits]
    sets += combinations(bits, 2)
    sets += combinations(bits[:9], 3)
    return [crc32(bytes(part), 11) % BUCKETS for part in sets]


GRAM = 5
"""Characters of an n-gram of a word."""

CUE_WEIGHT = 0.1
"""What a cue, pair or triple counts, beside a word of a sentence of one word."""


def word_features(word: str) -> tuple[int, list[int]]:
    """Return the bucket of *word*, and those of its character n-grams."""
    if word.isdigit() or (len(word) > 12 and not word.isalpha()):
        word = "0"
    data = word[:LONGEST_WORD]
    own = crc32(data.encode("utf-8", "replace"))
    marked = f"<{data}>"
    grams = [
        crc32(marked[at : at + GRAM].encode("utf-8", "replace"), 7) % BUCKETS
        for at in range(len(marked) - GRAM + 1)
    ]
    return own, grams


def gram_weight(count: int) -> float:
    """Return what each of *count* n-grams of a word counts beside the word."""
    return 1.0 / sqrt(count) if count else 0.0


def pair_feature(first: int, second: int) -> int:
    """Return the bucket of two words (by their hashes) in this order."""
    return ((first * 0x9E3779B1 + second * 0x85EBCA6B + 0x27D4EB2F) >> 7) % BUCKETS


def skip_feature(first: int, second: int) -> int:
    """Return the bucket of two words with one between them."""
    return ((first * 0x85EBCA6B + second * 0xC2B2AE35 + 0x165667B1) >> 9) % BUCKETS


START = crc32(b"<s>")
"""Stands before the first word of a sentence."""


SHORT_LEVEL, LONG_LEVEL = 0.5, 0.95
"""Probability from which on a passage is suspicious: alone, and among MANY."""

MANY = 100
"""Passages of a text from which on the level no longer rises."""

FEW = 20
"""Passages up to which each sentence of a text is judged, not only those with cues."""


def level_for(passages: int) -> float:
    """Return the probability from which on one of so many passages is suspicious.

    Each passage is another chance of a false alarm. The level rises with their number, so that a
    long file is not marked more often than a short note.
    """
    low, high = (log(level / (1 - level)) for level in (SHORT_LEVEL, LONG_LEVEL))
    share = log(min(max(passages, 1), MANY)) / log(MANY)
    return 1 / (1 + exp(-low - share * (high - low)))


MIN_WORDS = 3
"""Words of the shortest sentence that is judged."""

MIN_CUES = 2
"""Different cues in a sentence that is judged."""

CORE_CUES = ("reader", "override", "orders", "secret", "user", "conceal", "persona", "tell", "say",
             "approve", "link", "send")  # fmt: skip
"""Cues of which one is in a sentence that can be an order to a model."""

CLASSIFIER_CUES = (1 << 18) - 1
"""The cues of `cues.toml` but the last one, which tells English."""


class _Words(dict[str, tuple[int, float]]):
    """For each word its hash and what it adds to a score; filled as words are met."""

    def __init__(self, weights: memoryview) -> None:
        super().__init__()
        self.weights = weights

    def __missing__(self, word: str) -> tuple[int, float]:
        own, grams = word_features(word)
        weights = self.weights
        score = weights[own % BUCKETS] + gram_weight(len(grams)) * sum(
            weights[gram] for gram in grams
        )
        if len(self) >= MAX_REMEMBERED:
            self.clear()
        self[word] = (own, score)
        return own, score


class Window(NamedTuple):
    """Words that are judged together, and the cues in them."""

    tokens: list[str]
    mask: int


HOPELESS = -0.5
"""Score of words and cues below which pairs of words are not looked at."""


class Model:
    """Weights as bytes with a sign, and how a sum of them becomes a probability."""

    def __init__(self, weights: memoryview, scale: float, bias: float, steepness: float) -> None:
        self.weights = weights
        self.scale = scale
        self.bias = bias
        self.steepness = steepness
        self._words = _Words(weights)
        self._masks: dict[int, float] = {}

    def raw(self, window: Window) -> float:
        """Return the score of a window, before calibration."""
        words = self._words
        known = [words[token] for token in window.tokens]
        cues = self._masks.get(window.mask)
        if cues is None:
            cues = float(sum(self.weights[bucket] for bucket in cue_features(window.mask)))
            self._masks[window.mask] = cues
        norm = 1.0 / sqrt(len(known) + 3)
        total = sum([score for _, score in known]) * norm + CUE_WEIGHT * cues
        if self.bias + self.scale * total < HOPELESS:
            return self.bias + self.scale * total
        weights = self.weights
        pairs = 0
        before, last = 0, START
        for own, _ in known:
            pairs += weights[pair_feature(last, own)]
            if before:
                pairs += weights[skip_feature(before, own)]
            before, last = last, own
        return self.bias + self.scale * (total + pairs * norm)

    def probability(self, sentences: Iterable[Sentence], *, every: bool = True) -> float:
        """Return the probability that a part of a text instructs its reader.

        Without *every* only sentences with cues are looked at: for long texts.
        """
        parts = windows(sentences, every=every)
        best = max((self.raw(window) for window in parts), default=-30.0)
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, self.steepness * best))))


def windows(sentences: Iterable[Sentence], *, every: bool = True) -> list[Window]:
    """Return what is judged as one: sentences, and two short ones in a row.

    What has less than MIN_WORDS words is left out; without *every*, also what has too few cues.
    """
    cues = load_cues()
    found: list[Window] = []
    previous: list[str] = []
    before = 0
    for sentence in sentences:
        mask = sentence.mask & CLASSIFIER_CUES
        if not every and not may_instruct(mask | before):
            short = len(sentence.words) <= WINDOW
            previous, before = (sentence.words, mask) if short else ([], 0)
            continue
        tokens = tokenize(sentence.words)
        if len(tokens) <= WINDOW:
            if len(tokens) >= MIN_WORDS and (every or may_instruct(mask)):
                found.append(Window(tokens, mask))
            if previous:
                both = [*tokenize(previous), *tokens]
                if MIN_WORDS <= len(both) <= WINDOW:
                    found.append(Window(both, before | mask))
            previous, before = sentence.words, mask
            continue
        for at in range(0, len(tokens) - WINDOW // 2, WINDOW // 2):
            part = tokens[at : at + WINDOW]
            part_mask = mask_words(untokenize(part), cues) & CLASSIFIER_CUES
            if every or may_instruct(part_mask):
                found.append(Window(part, part_mask))
        previous, before = [], 0
    return found


def may_instruct(mask: int) -> bool:
    """Return whether a text with the cues of *mask* can be an order to a model."""
    return mask & core_mask() != 0 and (mask & CLASSIFIER_CUES).bit_count() >= MIN_CUES


@cache
def core_mask() -> int:
    """Return the bits of CORE_CUES."""
    bits = load_cues().bits
    return sum(bits[name] for name in CORE_CUES)


@cache
def load_model() -> Model:
    """Read the weights that come with crewmem."""
    data = Path(__file__).with_name("data").joinpath("weights.bin").read_bytes()
    magic, buckets, scale, bias, steepness = HEADER.unpack_from(data)
    if magic != MAGIC or buckets != BUCKETS or len(data) != HEADER.size + BUCKETS:
        raise ValueError("security/data/weights.bin is damaged")
    weights = memoryview(data)[HEADER.size :].cast("b")
    return Model(weights, scale, bias, steepness)
