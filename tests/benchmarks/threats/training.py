"""Learning what concepts weigh: a logistic regression, regularised, in plain numpy.

Prints how well it does on kinds of attacks that it was not shown, for each threshold.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import crewmem.threats
from crewmem.threats.concepts import CONCEPTS
from crewmem.threats.grammar import words
from crewmem.threats.lexicon import lexicon
from crewmem.threats.manner import STRANGE, Scale, addressed, features, windows
from crewmem.threats.normalise import folded
from tests.benchmarks.threats.addressed import ORDERS as TOLD
from tests.benchmarks.threats.addressed import WORK, called
from tests.benchmarks.threats.sentences import (
    documents,
    manuals,
    pages,
    written,
)
from tests.benchmarks.threats.templates import HARMLESS, ORDERS, clothed, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

RIDGE, WORD_RIDGE = 0.5, 1.0
"""How much weights are held back: more generalises, less remembers."""

RARE = 3
"""Parts in which a word is at least, to be weighed itself."""

MOST_WORDS = 2_500
"""Words that are weighed, of those that tell most."""

STEPS = 400

DOCUMENT = 0.5
"""What a sentence of a document counts beside one that was written for it."""

MANUAL = 0.2
"""What a sentence of the language's manual counts: there are many, and much alike."""

DRAWN = 0.25
"""What a sentence of a pattern counts."""

HARMLESS_COUNTS = 2.5
"""What a harmless sentence counts: to block one is worse than to miss an attack."""

CHAT = 1.2
"""What a sentence counts that people say to each other: they call each other "you"."""

CLOTHED = 0.2
"""What a sentence counts with more around it."""

FOLDS = 6

NEEDED = 1.35
"""Log odds from which a sentence is an order; see what is printed."""

EVERY = ~15
"""Classes of words: each sentence that has any is looked at."""


class Part(NamedTuple):
    """A part of a sentence: its features, and its words."""

    features: set[int]
    words: set[str]


class Sample(NamedTuple):
    """A part of a sentence, whether it is an order, and what it counts."""

    part: Part
    is_order: bool
    weight: float


class Model(NamedTuple):
    """Weights by feature and by word, and what is added."""

    weights: np.ndarray
    words: dict[str, float]
    bias: float


def main() -> None:
    """Print what cross-validation says, and write the weights."""
    attacks, harmless = [*written("attacks")], [*written("harmless")]
    known = _scale()
    others = [
        Sample(each, False, weight)
        for texts, weight in (
            (documents(), DOCUMENT),
            (manuals(), MANUAL),
            (pages(), MANUAL),
        )
        for text in texts
        for each in parts(text, known)
    ]
    others += [
        Sample(each, False, CHAT)
        for _, text in written("chats")
        for each in parts(text, known)
    ]
    others += [
        Sample(each, is_order, DRAWN)
        for texts, is_order in (
            (drawn(ORDERS), True),
            (drawn(HARMLESS), False),
            (called(TOLD), True),
            (called(WORK), False),
        )
        for text in texts
        for each in parts(text, known)
    ]
    _validate(attacks, harmless, others, known)
    model = fitted(
        [
            *_samples(attacks, known, is_order=True),
            *_samples(harmless, known, is_order=False),
            *others,
        ],
        known,
    )
    room = Path(crewmem.threats.__file__).parent
    (room / "weights.py").write_text(spelled(model), "utf-8")
    (room / "vocabulary.py").write_text(spelled_words(model), "utf-8")


def _scale() -> Scale:
    bits = lexicon().bits
    first = bits[f"~{next(iter(CONCEPTS))}"].bit_length() - 1
    ai, called = bits["~ai"], bits["~called"]
    return Scale(first, len(CONCEPTS), EVERY, 0, 0, ai, called, {}, {}, 0)


def parts(text: str, known: Scale) -> list[Part]:
    """Return the parts of each sentence of *text*."""
    said = words(folded(text))
    masks = addressed(said.masks, known)
    return [
        Part(
            features(masks[first : last + 1], known, is_start=is_start),
            set(filter(str.isalpha, said.tokens[first : last + 1])),
        )
        for first, last, is_start in windows(masks, known.hot)
    ]


def _samples(
    sentences: Sequence[tuple[str, str]], known: Scale, *, is_order: bool
) -> list[Sample]:
    samples = []
    for number, (_, text) in enumerate(sentences):
        for each in (text, *clothed(text, number)):
            found = parts(each, known)
            weight = 1 / len(found) if is_order and found else HARMLESS_COUNTS
            weight *= 1 if each == text else CLOTHED
            samples += [Sample(one, is_order, weight) for one in found]
    return samples


class Table:
    """Samples as a sparse matrix: a row each, a column for each feature and word.

    Attributes:
        used: Which features there are; behind those of concepts, words.
        words: The words, in the order of their features.
    """

    def __init__(self, samples: Sequence[Sample], size: int) -> None:
        counts = Counter(word for sample in samples for word in sample.part.words)
        self.words = sorted(each for each, count in counts.items() if count >= RARE)
        numbers = {word: size + at for at, word in enumerate(self.words)}
        rows = [
            [*part.features, *(numbers[each] for each in part.words & numbers.keys())]
            for part, _, _ in samples
        ]
        every = np.fromiter(chain.from_iterable(rows), np.int64)
        self.used, self._columns = np.unique(every, return_inverse=True)
        self._rows = np.repeat(np.arange(len(rows)), [*map(len, rows)])
        self._size = len(rows)

    def of_rows(self, weights: np.ndarray) -> np.ndarray:
        """Return what each sample weighs."""
        return np.bincount(self._rows, weights[self._columns], self._size)

    def of_columns(self, shares: np.ndarray) -> np.ndarray:
        """Return what the samples of each feature count together."""
        return np.bincount(self._columns, shares[self._rows], len(self.used))

    def steepest(self, share: np.ndarray) -> float:
        """Return the square of the norm of the matrix, its rows weighed by *share*."""
        vector = np.ones(len(self.used))
        norm = 1.0
        for _ in range(30):
            vector = self.of_columns(share * self.of_rows(vector))
            norm = float(np.linalg.norm(vector))
            vector /= norm
        return norm


def fitted(samples: Sequence[Sample], known: Scale) -> Model:
    """Return the weights that tell orders among *samples* best, by Nesterov's steps."""
    size = (2 + known.size) * known.size + STRANGE + 1
    table = Table(samples, size)
    y = np.array([sample.is_order for sample in samples], np.float64)
    share = np.array([sample.weight for sample in samples])
    ridge = np.where(table.used < size, RIDGE, WORD_RIDGE)
    step = 1 / (table.steepest(share) / 4 + WORD_RIDGE)
    now = ahead = np.zeros(len(table.used))
    bias = bias_ahead = 0.0
    pace = 1.0
    for _ in range(STEPS):
        odds = np.exp(-(table.of_rows(ahead) + bias_ahead))
        wrong = share * (1 / (1 + odds) - y)
        new = ahead - step * (table.of_columns(wrong) + ridge * ahead)
        new_bias = bias_ahead - 5 * step * wrong.sum()
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        push = (pace - 1) / faster
        ahead, bias_ahead = (
            new + push * (new - now),
            new_bias + push * (new_bias - bias),
        )
        now, bias, pace = new, new_bias, faster
    weights = np.zeros(size + len(table.words))
    weights[table.used] = now
    by_word = dict(zip(table.words, weights[size:].tolist(), strict=True))
    most = sorted(by_word, key=lambda word: -abs(by_word[word]))[:MOST_WORDS]
    kept = {word: by_word[word] for word in sorted(most)}
    return Model(weights[:size], kept, float(bias))


def weighed(model: Model, text: str, known: Scale) -> float:
    """Return the log odds of the part of *text* that is most like an order."""
    found = [
        model.weights[list(each.features)].sum()
        + sum(model.words.get(word, 0) for word in each.words)
        + model.bias
        for each in parts(text, known)
    ]
    return max(found, default=-9.0)


def _validate(
    attacks: list[tuple[str, str]],
    harmless: list[tuple[str, str]],
    others: list[Sample],
    known: Scale,
) -> None:
    """Print recall on kinds that were left out, and false alarms likewise."""
    kinds = sorted({kind for kind, _ in attacks})
    found, alarms = [], []
    for fold in range(FOLDS):
        held = set(kinds[fold::FOLDS])
        model = fitted(
            [
                *_samples(
                    [each for each in attacks if each[0] not in held],
                    known,
                    is_order=True,
                ),
                *_samples(
                    [each for at, each in enumerate(harmless) if at % FOLDS != fold],
                    known,
                    is_order=False,
                ),
                *others,
            ],
            known,
        )
        found += [weighed(model, text, known) for kind, text in attacks if kind in held]
        alarms += [weighed(model, text, known) for _, text in harmless[fold::FOLDS]]
    for least in (0.5, 1, 1.2, NEEDED, 2):
        recall = sum(each >= least for each in found) / len(found)
        false = sum(each >= least for each in alarms) / len(alarms)
        sys.stdout.write(
            f"at {least}: {recall:.1%} of kinds not shown, {false:.1%} false\n"
        )


def spelled(model: Model) -> str:
    """Return the module that holds *model*, in hundredths."""
    rounded = [round(100 * each) for each in model.weights.tolist()]
    count = len(CONCEPTS)
    lines = [
        '"""What concepts weigh in a sentence, in hundredths; made by a script.',
        "",
        "`manner` says how they are used and made. Of each concept: alone, as the first",
        "word, and near each of those behind it.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        f"BIAS = {round(100 * model.bias)}",
        f"NEEDED = {round(100 * NEEDED)}",
        "",
        f"STRANGERS = {tuple(rounded[-STRANGE - 1 :])}",
        "",
        "WEIGHTS = {",
    ]
    for one, name in enumerate(CONCEPTS):
        pairs = rounded[(2 + one) * count + one + 1 : (3 + one) * count]
        lines += _wrapped(name, [rounded[one], rounded[count + one], *pairs])
    return "\n".join([*lines, "}", '"""Weights by concept."""', ""])


def _wrapped(name: str, weights: list[int]) -> list[str]:
    pieces = wrap(" ".join(map(str, weights)), 76)
    lines = [f'    "{name}": """', *[f"        {piece}" for piece in pieces]]
    return [*lines[:-1], f'{lines[-1]}""",']


def spelled_words(model: Model) -> str:
    """Return the module that holds what words weigh, in hundredths."""
    weighed = [f"{word} {round(100 * each)}" for word, each in model.words.items()]
    lines = [
        '"""What words weigh beside their concepts, in hundredths; made by a script."""',
        "",
        "from __future__ import annotations",
        "",
        'VOCABULARY = """',
        *[f"    {line}" for line in wrap(" ".join(weighed), 82)],
        '"""',
        '"""Each word and its weight."""',
        "",
    ]
    return "\n".join(lines)
