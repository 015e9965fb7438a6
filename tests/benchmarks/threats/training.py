"""Learning what concepts weigh: a logistic regression, regularised, in plain numpy.

Prints how well it does on kinds of attacks that it was not shown, for each threshold.
"""

from __future__ import annotations

import sys
from base64 import b85encode
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple
from zlib import compress

import numpy as np

import crewmem.threats
from crewmem.threats.concepts import CONCEPTS
from crewmem.threats.grammar import words
from crewmem.threats.lexicon import lexicon
from crewmem.threats.manner import (
    NOTHING,
    SLOTS,
    STRANGE,
    UNIT,
    Scale,
    addressed,
    features,
    first_stranger,
    slots,
    windows,
)
from crewmem.threats.normalise import folded
from tests.benchmarks.threats.addressed import ORDERS as TOLD
from tests.benchmarks.threats.addressed import WORK, called
from tests.benchmarks.threats.descent import lowest
from tests.benchmarks.threats.drawing import drawn_from
from tests.benchmarks.threats.sentences import documents, written
from tests.benchmarks.threats.templates import HARMLESS, ORDERS, clothed, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

RIDGE, PAIR_RIDGE, WORD_RIDGE = 0.5, 8.0, 1.4
"""How much weights of concepts, of two that are near each other, and of words are held
back: more generalises, less remembers."""

LINE = 400
"""Letters of a line of what nobody reads."""

LEAST_STEPS = 2
"""What words weigh less than so many steps is nothing: it tells little and takes room."""

DOCUMENT = 2.0
"""What a sentence of a document counts beside one that was written for it."""

DRAWN = 0.25
"""What a sentence of a pattern counts."""

WORK_DRAWN, NOTES_DRAWN, NOTES_EACH = 0.5, 0.75, 32
"""The same for patterns of work, of orders and of notes, and notes of each of these."""

HARMLESS_COUNTS = 5.0
"""What a harmless sentence counts: to block one is worse than to miss an attack."""

CHAT = 1.2
"""What a sentence counts that people say to each other: they call each other "you"."""

CLOTHED = 0.2
"""What a sentence counts with more around it."""

FOLDS = 6

NEEDED = 1.1
"""Log odds from which a sentence is an order; see what is printed."""

EVERY = ~15
"""Classes of words: each sentence that has any is looked at."""


class Part(NamedTuple):
    """A part of a sentence: its features, and the places of its words."""

    features: set[int]
    words: set[int]


class Sample(NamedTuple):
    """A part of a sentence, whether it is an order, and what it counts."""

    part: Part
    is_order: bool
    weight: float


class Model(NamedTuple):
    """Weights by feature and by the place of a word, and what is added."""

    weights: np.ndarray
    words: np.ndarray
    bias: float


def main() -> None:
    """Print what cross-validation says, and write the weights."""
    attacks, harmless = [*written("attacks")], [*written("harmless")]
    known = _scale()
    others = [
        Sample(each, False, DOCUMENT)
        for text in documents()
        for each in parts(text, known)
    ]
    others += [
        Sample(each, False, CHAT)
        for _, text in written("chats")
        for each in parts(text, known)
    ]
    for texts, is_order, weight in (
        (drawn(ORDERS), True, DRAWN),
        (drawn(HARMLESS), False, DRAWN),
        (called(TOLD), True, DRAWN),
        (called(WORK), False, DRAWN),
        (drawn_from("work_orders"), True, WORK_DRAWN),
        (drawn_from("work_notes", NOTES_EACH), False, NOTES_DRAWN),
    ):
        for text in texts:
            others += _weighed(parts(text, known), weight, is_order=is_order)
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
    return Scale(first, len(CONCEPTS), EVERY, 0, ai, called, (), b"", 0)


def parts(text: str, known: Scale) -> list[Part]:
    """Return the parts of each sentence of *text*."""
    said = words(folded(text))
    masks = addressed(said.masks, known)
    return [
        Part(
            features(masks[first : last + 1], known, is_start=is_start),
            slots(said.tokens[first : last + 1]),
        )
        for first, last, is_start in windows(masks, known.hot)
    ]


def _samples(
    sentences: Sequence[tuple[str, str]], known: Scale, *, is_order: bool
) -> list[Sample]:
    samples = []
    for number, (_, text) in enumerate(sentences):
        for each in (text, *clothed(text, number)):
            weight = 1.0 if is_order else HARMLESS_COUNTS
            weight *= 1 if each == text else CLOTHED
            samples += _weighed(parts(each, known), weight, is_order=is_order)
    return samples


def _weighed(found: Sequence[Part], weight: float, *, is_order: bool) -> list[Sample]:
    """Return the parts of a text as samples; those of an order share what it counts."""
    share = weight / len(found) if is_order and found else weight
    return [Sample(each, is_order, share) for each in found]


class Table:
    """Samples as a sparse matrix: a row each, a column for each feature and word.

    Attributes:
        used: Which features there are; behind those of concepts, the places of words.
    """

    def __init__(self, samples: Sequence[Sample], known: Scale) -> None:
        size = _size(known)
        rows = [
            [*part.features, *(size + each for each in part.words)]
            for part, _, _ in samples
        ]
        every = np.fromiter(chain.from_iterable(rows), np.int64)
        self.used, self._columns = np.unique(every, return_inverse=True)
        self._rows = np.repeat(np.arange(len(rows)), [*map(len, rows)])
        self._is_order = np.array([sample.is_order for sample in samples], np.float64)
        self._share = np.array([sample.weight for sample in samples])
        kinds = [self.used < 2 * known.size, self.used < size]
        self._ridge = np.select(kinds, [RIDGE, PAIR_RIDGE], WORD_RIDGE)

    def loss(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Return how wrong weights and what is added are, and in which direction."""
        weights, bias = point[:-1], point[-1]
        size = len(self._share)
        odds = np.bincount(self._rows, weights[self._columns], size) + bias
        each = self._share * (np.logaddexp(0, odds) - self._is_order * odds)
        wrong = self._share * (1 / (1 + np.exp(-odds)) - self._is_order)
        slope = np.bincount(self._columns, wrong[self._rows], len(self.used))
        held = self._ridge * weights
        total = each.sum() + held @ weights / 2
        return float(total), np.append(slope + held, wrong.sum())


def _size(known: Scale) -> int:
    """Return how many features there are of concepts."""
    return first_stranger(known.size) + STRANGE + 1


def fitted(samples: Sequence[Sample], known: Scale) -> Model:
    """Return the weights that tell orders among *samples* best."""
    size = _size(known)
    table = Table(samples, known)
    found = lowest(table.loss, np.zeros(len(table.used) + 1))
    weights = np.zeros(size + SLOTS)
    weights[table.used] = found[:-1]
    return Model(weights[:size], weights[size:], float(found[-1]))


def weighed(model: Model, text: str, known: Scale) -> float:
    """Return the log odds of the part of *text* that is most like an order."""
    found = [
        model.weights[list(each.features)].sum()
        + model.words[list(each.words)].sum()
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
    for least in (0.5, 0.8, NEEDED, 1.5, 2):
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
    """Return the module that holds what words weigh."""
    steps = np.rint(100 * model.words / UNIT)
    steps[np.abs(steps) < LEAST_STEPS] = 0
    told = np.clip(NOTHING + steps, ord("!"), ord("~")).astype(np.uint8)
    spelled = b85encode(compress(told.tobytes(), 9)).decode()
    lines = [
        '"""What words weigh beside their concepts, by `manner.slots`; made by a script."""',
        "",
        "from __future__ import annotations",
        "",
        'VOCABULARY = """',
        *[f"    {line}" for line in wrap(spelled, LINE, break_on_hyphens=False)],
        '"""',
        '"""A byte each, as `zlib.compress` and `base64.b85encode` write them."""',
        "",
    ]
    return "\n".join(lines)
