"""Learning what concepts weigh: a logistic regression, regularised, in plain numpy.

Prints how well it does on kinds of attacks that it was not shown, for each threshold.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import crewmem.threats
from crewmem.threats.concepts import CONCEPTS
from crewmem.threats.grammar import words
from crewmem.threats.lexicon import lexicon
from crewmem.threats.manner import STRANGE, Scale, features, windows
from crewmem.threats.normalise import folded
from tests.benchmarks.threats.sentences import documents, written
from tests.benchmarks.threats.templates import HARMLESS, ORDERS, drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

RIDGE = 1.0
"""How much weights are held back: more generalises, less remembers."""

STEPS = 400

DOCUMENT = 0.3
"""What a sentence of a document counts beside one that was written for it."""

DRAWN = 0.25
"""What a sentence of a pattern counts."""

HARMLESS_COUNTS = 1.5
"""What a harmless sentence counts: to block one is worse than to miss an attack."""

FOLDS = 6

NEEDED = 1.6
"""Log odds from which a sentence is an order; see what is printed."""

EVERY = ~15
"""Classes of words: each sentence that has any is looked at."""


class Sample(NamedTuple):
    """A part of a sentence: its features, whether it is an order, what it counts."""

    features: set[int]
    is_order: bool
    weight: float


class Model(NamedTuple):
    """Weights by feature, and what is added."""

    weights: np.ndarray
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
        Sample(each, is_order, DRAWN)
        for patterns, is_order in ((ORDERS, True), (HARMLESS, False))
        for text in drawn(patterns)
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
    target = Path(crewmem.threats.__file__).parent / "weights.py"
    target.write_text(spelled(model), "utf-8")


def _scale() -> Scale:
    bits = lexicon().bits
    first = bits[f"~{next(iter(CONCEPTS))}"].bit_length() - 1
    return Scale(first, len(CONCEPTS), EVERY, {}, 0)


def parts(text: str, known: Scale) -> list[set[int]]:
    """Return the features of each part of each sentence of *text*."""
    masks = words(folded(text)).masks
    return [
        features(masks[first : last + 1], known, is_start=is_start)
        for first, last, is_start in windows(masks, known.hot)
    ]


def _samples(
    sentences: Sequence[tuple[str, str]], known: Scale, *, is_order: bool
) -> list[Sample]:
    samples = []
    for _, text in sentences:
        found = parts(text, known)
        weight = 1 / len(found) if is_order and found else HARMLESS_COUNTS
        samples += [Sample(each, is_order, weight) for each in found]
    return samples


def fitted(samples: Sequence[Sample], known: Scale) -> Model:
    """Return the weights that tell orders among *samples* best, by Nesterov's steps."""
    size = (2 + known.size) * known.size + STRANGE + 1
    every = np.zeros((len(samples), size), np.float32)
    for row, sample in enumerate(samples):
        every[row, list(sample.features)] = 1
    used = every.any(0)
    x = every[:, used].astype(np.float64)
    y = np.array([sample.is_order for sample in samples], np.float64)
    share = np.array([sample.weight for sample in samples])
    step = 1 / (np.linalg.norm(x * np.sqrt(share)[:, None], 2) ** 2 / 4 + RIDGE)
    now = ahead = np.zeros(x.shape[1])
    bias = bias_ahead = 0.0
    pace = 1.0
    for _ in range(STEPS):
        wrong = share * (1 / (1 + np.exp(-(x @ ahead + bias_ahead))) - y)
        new = ahead - step * (x.T @ wrong + RIDGE * ahead)
        new_bias = bias_ahead - 5 * step * wrong.sum()
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        push = (pace - 1) / faster
        ahead, bias_ahead = (
            new + push * (new - now),
            new_bias + push * (new_bias - bias),
        )
        now, bias, pace = new, new_bias, faster
    weights = np.zeros(size)
    weights[used] = now
    return Model(weights, bias)


def weighed(model: Model, text: str, known: Scale) -> float:
    """Return the log odds of the part of *text* that is most like an order."""
    found = [
        model.weights[list(each)].sum() + model.bias for each in parts(text, known)
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
    names, count = [*CONCEPTS], len(CONCEPTS)
    lines = [
        '"""What concepts weigh in a sentence, in hundredths; made by a script.',
        "",
        "`manner` says how they are used and made. Of each concept: alone, as the first",
        "word, and near others.",
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
    for one, name in enumerate(names):
        pairs = [
            f"{names[other]} {weight}"
            for other in range(one + 1, count)
            if abs(weight := rounded[(2 + one) * count + other]) >= LEAST
        ]
        text = " ".join([str(rounded[one]), str(rounded[count + one]), *pairs])
        lines += _wrapped(name, text)
    return "\n".join([*lines, "}", ""])


LEAST = 5
"""Hundredths that a pair weighs at least to be written down."""


def _wrapped(name: str, text: str) -> list[str]:
    from textwrap import wrap

    pieces = wrap(text, 76)
    if len(pieces) == 1:
        return [f'    "{name}": "{text}",']
    return [
        f'    "{name}": (',
        *[f'        "{piece} "' for piece in pieces[:-1]],
        f'        "{pieces[-1]}"',
        "    ),",
    ]
