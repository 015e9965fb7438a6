"""Fit the weights of the classifier: `python -m crewmem.security.training.fit`.

A logistic regression with ridge, in numpy. The text is beside this script; a line is a passage.
`attacks.txt`, `ordinary.txt`, `chats.txt`, `changes.txt` (what this project said of its changes),
`workspaces.txt` and the templates, from which passages are drawn, were written for crewmem, as were
two more sources of ordinary text: the notes and sessions that `consolidation` is trained on, and
the notes of the sample crew. `documentation/` holds excerpts of the documentation of other
projects; its NOTICE names them and their licences.

Folds are files, templates, or blocks of lines: what is held out is never a twin of what was shown.
Prints how many held-out passages of each file pass several thresholds. Those of `classifier.py` are
chosen from that table.
"""

# ruff: noqa: T201 - a script that reports

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crewmem.security.classifier import (
    BUCKETS,
    HEADER,
    MAGIC,
    gram_weight,
    hash_grams,
    hash_word,
    pair_features,
    split_sentences,
    windows,
)
from crewmem.security.normalize import fold_characters
from crewmem.storage.filesystem import replace_file

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "data" / "weights.bin"
SAMPLE = HERE.parents[1] / "sample"
LASTING = HERE.parents[1] / "consolidation" / "training"

RIDGE = 5e-6
STEPS = 160
FOLDS = 4
DRAWS = 24
"""Passages that are drawn from each template."""

BLOCK = 40
"""Lines of a file that stay in one fold."""

SHARE = {
    "attacks": 1.0,
    "attack_templates": 0.5,
    "ordinary": 0.65,
    "chats": 0.5,
    "changes": 0.5,
    "workspaces": 2.0,
    "ordinary_templates": 0.7,
    "documentation": 1.0,
    "lasting": 0.5,
    "sample": 1.0,
}
"""How much a passage of a file counts."""


class Passage(NamedTuple):
    """A passage of training text, cut into what the scanner judges as one.

    Attributes:
        group: Passages of one group are in one fold.
    """

    file: str
    group: str
    is_attack: bool
    windows: list[list[str]]


def load_passages() -> list[Passage]:
    """Read all training text. Passages of too few words are left out."""
    found = []
    for file, group, line in _read_lines():
        text = fold_characters(line.replace("\\n", "\n"))
        parts = list(windows(split_sentences(text)))
        is_attack = file.startswith("attack")
        if parts:
            found.append(Passage(file, group, is_attack, parts))
    return found


def _read_lines() -> Iterator[tuple[str, str, str]]:
    """Yield file, group and text of each passage."""
    for name in ("attacks", "ordinary", "chats", "changes", "workspaces"):
        lines = (HERE / f"{name}.txt").read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if line.strip():
                yield name, f"{name} {number // BLOCK}", line
    for name in ("attack_templates", "ordinary_templates"):
        text = (HERE / f"{name}.txt").read_text("utf-8")
        for number, passages in enumerate(draw_passages(text, DRAWS)):
            for passage in passages:
                yield name, f"{name} {number}", passage
    for path in sorted(LASTING.glob("*.txt")):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            yield "lasting", f"{path.stem} {number // BLOCK}", _MARKS.sub("", line)
    for path in sorted(SAMPLE.rglob("*.md")):
        for line in path.read_text("utf-8").splitlines():
            yield "sample", f"sample {path.stem}", line
    for path in sorted((HERE / "documentation").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            yield "documentation", path.stem, line


_MARKS = re.compile(r"^(?:[+-] (?:\w+ \| )?|user: |agent: |%%|\[\w+\])|[ \t]*\^[a-z]+\b")
"""What those texts have between their sentences: who speaks, and what lasts."""

_DEFINITION = re.compile(r"^(\w+) = (.*)$")
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)|\{(\w+)\}")


def draw_passages(text: str, count: int) -> Iterator[list[str]]:
    """Yield for each template *count* passages drawn from it, each once."""
    slots: dict[str, list[str]] = {}
    dice = random.Random(11)  # noqa: S311 - examples, no secret
    for line in text.splitlines():
        definition = _DEFINITION.match(line)
        if definition:
            slots[definition[1]] = [each.strip() for each in definition[2].split(" | ")]
        elif line and not line.startswith("# "):
            drawn = {_fill(line, slots, dice): None for _ in range(count)}
            yield list(drawn)


def _fill(template: str, slots: dict[str, list[str]], dice: random.Random) -> str:
    while found := _CHOICE.search(template):
        choices = found[1].split("|") if found[1] is not None else slots[found[2]]
        template = template[: found.start()] + dice.choice(choices) + template[found.end() :]
    filled = re.sub(r"\s+([.,!?])", r"\1", " ".join(template.split()))
    return filled[:1].upper() + filled[1:]


class Matrix(NamedTuple):
    """Sparse rows: windows of passages."""

    indices: Any
    values: Any
    starts: Any


def build_matrix(rows: list[list[str]]) -> Matrix:
    """Return the features of *rows*."""
    indices: list[int] = []
    values: list[float] = []
    starts = [0]
    for tokens in rows:
        norm = (len(tokens) + 3) ** -0.5
        hashes = [hash_word(token) for token in tokens]
        pairs = list(pair_features(hashes))
        indices += [own % BUCKETS for own in hashes] + pairs
        values += [norm] * (len(hashes) + len(pairs))
        for token in tokens:
            grams = hash_grams(token)
            indices += grams
            values += [norm * gram_weight(len(grams))] * len(grams)
        starts.append(len(indices))
    return Matrix(
        np.array(indices, np.int32), np.array(values, np.float32), np.array(starts, np.int64)
    )


def score_rows(matrix: Matrix, weights: Any, bias: float) -> Any:
    """Return the raw score of each row."""
    sums = np.add.reduceat(weights[matrix.indices] * matrix.values, matrix.starts[:-1])
    return sums + bias


def fit(matrix: Matrix, labels: Any, shares: Any) -> tuple[Any, float]:
    """Return weights and bias (Adam on all rows, ridge)."""
    weights: Any = np.zeros(BUCKETS, np.float32)
    bias = 0.0
    shares = shares / shares.sum()
    lengths = np.diff(matrix.starts)
    first: Any = np.zeros(BUCKETS + 1, np.float32)
    second: Any = np.zeros(BUCKETS + 1, np.float32)
    for step in range(1, STEPS + 1):
        scores = score_rows(matrix, weights, bias)
        errors = (1.0 / (1.0 + np.exp(-scores)) - labels) * shares
        per_entry = np.repeat(errors.astype(np.float32), lengths) * matrix.values
        slope = np.bincount(matrix.indices, per_entry, BUCKETS) + RIDGE * weights
        slope = np.append(slope, errors.sum()).astype(np.float32)
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = 0.1 * min(1.0, 2.0 * (1 - step / STEPS) + 0.02)
        change = rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
        weights -= change[:-1]
        bias -= float(change[-1])
    return weights, bias


class Training(NamedTuple):
    """All windows of all passages, with what the fit needs of them."""

    matrix: Matrix
    labels: Any
    shares: Any
    firsts: Any  # the first row of each passage

    def fit(self, shown: Any | None = None) -> tuple[Any, float]:
        """Fit to all rows, or to those that *shown* has a 1 for."""
        return fit(self.matrix, self.labels, self.shares if shown is None else self.shares * shown)

    def score_passages(self, weights: Any, bias: float) -> Any:
        """Return for each passage the highest score of its windows."""
        return np.maximum.reduceat(score_rows(self.matrix, weights, bias), self.firsts)


def prepare(passages: list[Passage]) -> Training:
    """Return what is fitted: of an attack the longest window, of ordinary text each."""
    rows: list[list[str]] = []
    labels: list[float] = []
    shares: list[float] = []
    firsts: list[int] = []
    for passage in passages:
        firsts.append(len(rows))
        # Of an attack the longest stands for all: of two sentences often only one is the order.
        longest = max(passage.windows, key=len)
        for part in passage.windows:
            rows.append(part)
            labels.append(float(passage.is_attack))
            counts = not passage.is_attack or part is longest
            shares.append(SHARE[passage.file] if counts else 0.0)
    return Training(build_matrix(rows), np.array(labels), np.array(shares), np.array(firsts))


def cross_validate(passages: list[Passage], training: Training) -> float:
    """Print what is found of passages that the fit was not shown. Returns the steepness."""
    dice = random.Random(7)  # noqa: S311 - folds, no secret
    groups = sorted({passage.group for passage in passages})
    dice.shuffle(groups)
    fold_of = {group: at % FOLDS for at, group in enumerate(groups)}
    folds = np.array([fold_of[passage.group] for passage in passages])
    rows_of = np.repeat(folds, [len(passage.windows) for passage in passages])
    scores = np.zeros(len(passages))
    for number in range(FOLDS):
        weights, bias = training.fit((rows_of != number).astype(float))
        held = folds == number
        scores[held] = training.score_passages(weights, bias)[held]
    labels = np.array([passage.is_attack for passage in passages])
    best_steepness, best_loss = 1.0, np.inf
    for steepness in np.arange(0.3, 3.0, 0.05):
        chance = 1 / (1 + np.exp(-np.clip(steepness * scores, -30, 30)))
        loss = -np.log(np.where(labels, chance, 1 - chance) + 1e-9).mean()
        if loss < best_loss:
            best_steepness, best_loss = float(steepness), loss
    chance = 1 / (1 + np.exp(-np.clip(best_steepness * scores, -30, 30)))
    print(f"steepness {best_steepness:.2f}, loss {best_loss:.3f}")
    levels = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
    print(f"{'file':20} {'passages':>8} " + " ".join(f"{level:>6}" for level in levels))
    kinds = sorted({p.file for p in passages}) + sorted(
        {p.group for p in passages if p.file == "documentation"}
    )
    for kind in kinds:
        chosen = np.array([kind in (p.file, p.group) for p in passages])
        row = " ".join(f"{(chance[chosen] >= level).mean():6.4f}" for level in levels)
        print(f"{kind:20} {chosen.sum():8d} {row}")
    return best_steepness


def save(weights: Any, bias: float, steepness: float) -> None:
    """Write the weights as bytes with a sign."""
    scale = float(np.quantile(np.abs(weights[weights != 0]), 0.9995)) / 127
    small = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    data = HEADER.pack(MAGIC, BUCKETS, scale, bias, steepness) + small.tobytes()
    replace_file(WEIGHTS, data, mode=0o644)
    print(f"{WEIGHTS.name}: {len(data)} bytes")


def main() -> None:
    """Cross-validate, then fit to everything and save."""
    passages = load_passages()
    print(f"{len(passages)} passages, {sum(p.is_attack for p in passages)} attacks")
    training = prepare(passages)
    steepness = cross_validate(passages, training)
    save(*training.fit(), steepness)


if __name__ == "__main__":
    main()
