"""Fit the weights of the classifier: `python -m crewmem.security.training.fit`.

Ridge logistic regression in numpy. The training text is in this directory; each line is a passage.
`attacks.txt`, `ordinary.txt`, `chats.txt`, `changes.txt` (this project's commit messages),
`workspaces.txt` and the templates, from which passages are sampled, were written for crewmem. So
were three more sources of ordinary text: the training notes and sessions of `consolidation`, the
stores and questions of `search`, and the notes of the sample crew. `documentation/` holds excerpts
of the documentation of other projects; its NOTICE names them and their licences.

A fold holds whole files, templates or blocks of lines, so that near duplicates are never in both
the training and the held-out set. The script prints the share of held-out passages of each file
above several thresholds; the thresholds of `classifier.py` were chosen from that table.
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
    hash_grams,
    hash_pairs,
    hash_word,
    split_sentences,
    split_windows,
    weigh_grams,
)
from crewmem.security.normalize import fold_characters
from crewmem.storage.filesystem import replace_file

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "data" / "weights.bin"
SAMPLE = HERE.parents[1] / "sample"
LASTING = HERE.parents[1] / "consolidation" / "training"
STORES = HERE.parents[1] / "search" / "training"

RIDGE = 5e-6
STEPS = 160
FOLDS = 4
SAMPLES = 24
"""Number of passages sampled from each template."""

BLOCK = 40
"""Consecutive lines of a file that stay in one fold."""

SAMPLE_WEIGHTS = {
    "attacks": 1.0,
    "attack_templates": 0.5,
    "ordinary": 0.65,
    "chats": 0.5,
    "changes": 0.5,
    "workspaces": 2.0,
    "ordinary_templates": 0.7,
    "documentation": 1.0,
    "lasting": 0.5,
    "stores": 1.0,
    "sample": 1.0,
}
"""Weight of a passage in the loss, by file."""


class Passage(NamedTuple):
    """A passage of training text.

    Attributes:
        group: Passages of the same group are in the same fold.
        windows: Words that the classifier scores together.
    """

    file: str
    group: str
    is_attack: bool
    windows: list[list[str]]


def load_passages() -> list[Passage]:
    """Read all training text, without passages of too few words."""
    loaded = []
    for file, group, line in _read_lines():
        words, (bounds,) = split_sentences([fold_characters(line.replace("\\n", "\n"))])
        windows = [words[start:end] for start, end in split_windows(bounds)]
        if windows:
            loaded.append(Passage(file, group, file.startswith("attack"), windows))
    return loaded


def _read_lines() -> Iterator[tuple[str, str, str]]:
    """Yield file, group and text of each passage."""
    for name in ("attacks", "ordinary", "chats", "changes", "workspaces"):
        lines = (HERE / f"{name}.txt").read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if line.strip():
                yield name, f"{name} {number // BLOCK}", line
    for name in ("attack_templates", "ordinary_templates"):
        text = (HERE / f"{name}.txt").read_text("utf-8")
        for number, passages in enumerate(sample_passages(text, SAMPLES)):
            for passage in passages:
                yield name, f"{name} {number}", passage
    for path in sorted(LASTING.glob("*.txt")):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            yield "lasting", f"{path.stem} {number // BLOCK}", _MARKS.sub("", line)
    for path in sorted(STORES.rglob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            head, _, text = line.partition(" | ")
            if text:
                kind = "questions" if head.startswith("?") else "texts"
                yield "stores", f"{path.stem} {kind}", text
    for path in sorted(SAMPLE.rglob("*.md")):
        for line in path.read_text("utf-8").splitlines():
            yield "sample", f"sample {path.stem}", line
    for path in sorted((HERE / "documentation").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            yield "documentation", path.stem, line


_MARKS = re.compile(r"^(?:[+-] (?:\w+ \| )?|user: |agent: |%%|\[\w+\])|[ \t]*\^[a-z]+\b")
"""Annotations in the training text of `consolidation`: speakers and labels."""

_DEFINITION = re.compile(r"^(\w+) = (.*)$")
_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)|\{(\w+)\}")


def sample_passages(text: str, count: int) -> Iterator[list[str]]:
    """Yield for each template up to *count* random passages, without duplicates."""
    slots: dict[str, list[str]] = {}
    rng = random.Random(11)  # noqa: S311 - examples, no secret
    for line in text.splitlines():
        definition = _DEFINITION.match(line)
        if definition:
            slots[definition[1]] = [each.strip() for each in definition[2].split(" | ")]
        elif line and not line.startswith("# "):
            yield list(dict.fromkeys(_fill(line, slots, rng) for _ in range(count)))


def _fill(template: str, slots: dict[str, list[str]], rng: random.Random) -> str:
    while slot := _CHOICE.search(template):
        choices = slot[1].split("|") if slot[1] is not None else slots[slot[2]]
        template = template[: slot.start()] + rng.choice(choices) + template[slot.end() :]
    filled = re.sub(r"\s+([.,!?])", r"\1", " ".join(template.split()))
    return filled[:1].upper() + filled[1:]


class Matrix(NamedTuple):
    """A sparse matrix in CSR format; each row is a window.

    Attributes:
        indices: Buckets of the features.
        starts: Offset of each row in *indices* and *values*, and their length.
    """

    indices: Any
    values: Any
    starts: Any


def build_matrix(rows: list[list[str]]) -> Matrix:
    """Return the feature matrix of windows."""
    indices: list[int] = []
    values: list[float] = []
    starts = [0]
    for tokens in rows:
        norm = (len(tokens) + 3) ** -0.5
        hashes = [hash_word(token) for token in tokens]
        pairs = list(hash_pairs(hashes))
        indices += [own % BUCKETS for own in hashes] + pairs
        values += [norm] * (len(hashes) + len(pairs))
        for token in tokens:
            grams = hash_grams(token)
            indices += grams
            values += [norm * weigh_grams(len(grams))] * len(grams)
        starts.append(len(indices))
    return Matrix(
        np.array(indices, np.int32), np.array(values, np.float32), np.array(starts, np.int64)
    )


def score_rows(matrix: Matrix, weights: Any, bias: float) -> Any:
    """Return the raw score of each row."""
    sums = np.add.reduceat(weights[matrix.indices] * matrix.values, matrix.starts[:-1])
    return sums + bias


def fit(matrix: Matrix, labels: Any, row_weights: Any) -> tuple[Any, float]:
    """Return weights and bias (full-batch Adam with ridge penalty)."""
    weights: Any = np.zeros(BUCKETS, np.float32)
    bias = 0.0
    row_weights = row_weights / row_weights.sum()
    lengths = np.diff(matrix.starts)
    mean: Any = np.zeros(BUCKETS + 1, np.float32)
    variance: Any = np.zeros(BUCKETS + 1, np.float32)
    for step in range(1, STEPS + 1):
        scores = score_rows(matrix, weights, bias)
        errors = (1.0 / (1.0 + np.exp(-scores)) - labels) * row_weights
        per_entry = np.repeat(errors.astype(np.float32), lengths) * matrix.values
        gradient = np.bincount(matrix.indices, per_entry, BUCKETS) + RIDGE * weights
        gradient = np.append(gradient, errors.sum()).astype(np.float32)
        mean = 0.9 * mean + 0.1 * gradient
        variance = 0.99 * variance + 0.01 * gradient**2
        rate = 0.1 * min(1.0, 2.0 * (1 - step / STEPS) + 0.02)
        update = rate * (mean / (1 - 0.9**step)) / (np.sqrt(variance / (1 - 0.99**step)) + 1e-9)
        weights -= update[:-1]
        bias -= float(update[-1])
    return weights, bias


class Training(NamedTuple):
    """The training set.

    Attributes:
        matrix: All windows of all passages.
        labels: 1 for the windows of attacks.
        row_weights: Weight of each window in the loss.
        first_rows: Number of the first window of each passage.
    """

    matrix: Matrix
    labels: Any
    row_weights: Any
    first_rows: Any

    def fit(self, mask: Any | None = None) -> tuple[Any, float]:
        """Fit to all windows, or to those for which *mask* is 1."""
        row_weights = self.row_weights if mask is None else self.row_weights * mask
        return fit(self.matrix, self.labels, row_weights)

    def score_passages(self, weights: Any, bias: float) -> Any:
        """Return the highest score of the windows of each passage."""
        return np.maximum.reduceat(score_rows(self.matrix, weights, bias), self.first_rows)


def prepare(passages: list[Passage]) -> Training:
    """Build the training set: the longest window of each attack, all windows of ordinary text."""
    rows: list[list[str]] = []
    labels: list[float] = []
    row_weights: list[float] = []
    first_rows: list[int] = []
    for passage in passages:
        first_rows.append(len(rows))
        # Only the longest window of an attack counts: often just one of two sentences instructs.
        longest = max(passage.windows, key=len)
        for window in passage.windows:
            rows.append(window)
            labels.append(float(passage.is_attack))
            counts = not passage.is_attack or window is longest
            row_weights.append(SAMPLE_WEIGHTS[passage.file] if counts else 0.0)
    return Training(
        build_matrix(rows), np.array(labels), np.array(row_weights), np.array(first_rows)
    )


def cross_validate(passages: list[Passage], training: Training) -> float:
    """Print the rates of held-out passages at several thresholds. Returns the steepness."""
    rng = random.Random(7)  # noqa: S311 - folds, no secret
    groups = sorted({passage.group for passage in passages})
    rng.shuffle(groups)
    fold_of = {group: at % FOLDS for at, group in enumerate(groups)}
    folds = np.array([fold_of[passage.group] for passage in passages])
    row_folds = np.repeat(folds, [len(passage.windows) for passage in passages])
    scores = np.zeros(len(passages))
    for number in range(FOLDS):
        weights, bias = training.fit((row_folds != number).astype(float))
        held_out = folds == number
        scores[held_out] = training.score_passages(weights, bias)[held_out]
    labels = np.array([passage.is_attack for passage in passages])
    best_steepness, best_loss = 1.0, np.inf
    for steepness in np.arange(0.3, 3.0, 0.05):
        probabilities = 1 / (1 + np.exp(-np.clip(steepness * scores, -30, 30)))
        loss = -np.log(np.where(labels, probabilities, 1 - probabilities) + 1e-9).mean()
        if loss < best_loss:
            best_steepness, best_loss = float(steepness), loss
    probabilities = 1 / (1 + np.exp(-np.clip(best_steepness * scores, -30, 30)))
    print(f"steepness {best_steepness:.2f}, loss {best_loss:.3f}")
    thresholds = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
    print(f"{'file':20} {'passages':>8} " + " ".join(f"{each:>6}" for each in thresholds))
    names = sorted({p.file for p in passages}) + sorted(
        {p.group for p in passages if p.file == "documentation"}
    )
    for name in names:
        chosen = np.array([name in (p.file, p.group) for p in passages])
        row = " ".join(f"{(probabilities[chosen] >= each).mean():6.4f}" for each in thresholds)
        print(f"{name:20} {chosen.sum():8d} {row}")
    return best_steepness


def save(weights: Any, bias: float, steepness: float) -> None:
    """Write the weights, quantized to signed bytes."""
    scale = float(np.quantile(np.abs(weights[weights != 0]), 0.9995)) / 127
    quantized = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    data = HEADER.pack(MAGIC, BUCKETS, scale, bias, steepness) + quantized.tobytes()
    replace_file(WEIGHTS, data, mode=0o644)
    print(f"{WEIGHTS.name}: {len(data)} bytes")


def main() -> None:
    """Cross-validate, then fit to all passages and save."""
    passages = load_passages()
    print(f"{len(passages)} passages, {sum(p.is_attack for p in passages)} attacks")
    training = prepare(passages)
    steepness = cross_validate(passages, training)
    save(*training.fit(), steepness)


if __name__ == "__main__":
    main()
